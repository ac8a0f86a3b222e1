/* generate.h - graphs of sizes that are numbers. */
#pragma once

#include <penumbra.h>

static inline pen_status generate_hex(MPI_Comm comm, int64_t width, int64_t height, pen_graph **graph)
{
    char spec[64];
    snprintf(spec, sizeof spec, "hex:%" PRId64 "x%" PRId64, width, height);
    return pen_graph_generate(comm, spec, graph);
}

static inline pen_status generate_random(MPI_Comm comm, int64_t nodes, double degree, uint64_t seed, pen_graph **graph)
{
    char spec[128];
    snprintf(spec, sizeof spec, "random:nodes=%" PRId64 ",degree=%.17g,seed=%" PRIu64, nodes, degree, seed);
    return pen_graph_generate(comm, spec, graph);
}
