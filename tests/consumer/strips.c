/* strips - an example of a partitioner, to be copied: strips of equal load across the first coordinate.
 *
 *     cc -std=c11 -O2 -shared -fPIC -o strips.so strips.c
 *     pen-graph make hex:64x64,coordinates -o hex.pen
 *     mpirun -n 4 hex --graph=hex.pen --partitioner=./strips.so:bins=4096
 *
 * As in most such functions, no rank sees the whole graph, but all see sums over it; here a histogram. */
#include <penumbra_plugin.h>

#include <float.h>
#include <stdlib.h>

static int64_t bin_of(const pen_load_view *graph, pen_lid i, const double ends[2], int64_t bins)
{
    double width = ends[0] + ends[1], x = graph->coordinates[(int64_t)i * graph->dimensions] + ends[1];
    int64_t bin = width > 0.0 ? (int64_t)(x / width * (double)bins) : 0;
    return bin < bins ? bin : bins - 1;
}

/* Collective. *ends: the greatest coordinate, and the least one, negative. */
static pen_status measure(const pen_load_view *graph, pen_peers *peers, double ends[2])
{
    ends[0] = ends[1] = -DBL_MAX;
    for (pen_lid i = 0; i < graph->count; i++) {
        double x = graph->coordinates[(int64_t)i * graph->dimensions];
        if (x > ends[0]) ends[0] = x;
        if (-x > ends[1]) ends[1] = -x;
    }
    return peers->reduce(peers, 0, NULL, 2, ends);
}

typedef struct {
    int64_t bins;
} strips_settings;

static const pen_setting settings[] = {
    { "bins", "N", "1024", "of the histogram", PEN_OPTION_INT, offsetof(strips_settings, bins), 1, 1 << 20 },
    { .name = NULL },
};

static pen_status partition(const void *given, const pen_load_view *graph, pen_peers *peers, int parts, int32_t *part)
{
    const int64_t bins = ((const strips_settings *)given)->bins;
    if (graph->dimensions == 0) return peers->fail(PEN_ERR_UNSUPPORTED, "the graph has no coordinates");
    double ends[2], before = 0.0, total = 0.0, *loads = calloc((size_t)bins, sizeof *loads);
    pen_status status = loads ? measure(graph, peers, ends) : peers->fail(PEN_ERR_MEMORY, "out of memory");
    if (status == PEN_OK) {
        for (pen_lid i = 0; i < graph->count; i++) loads[bin_of(graph, i, ends, bins)] += graph->loads[i] + 1e-9;
        status = peers->reduce(peers, (int)bins, loads, 0, NULL);
    }
    for (int64_t b = 0; status == PEN_OK && b < bins; b++) total += loads[b];
    for (int64_t b = 0; status == PEN_OK && b < bins; b++) { /* a bin's load becomes what is left of its middle */
        double load = loads[b];
        loads[b] = before + 0.5 * load;
        before += load;
    }
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++)
        part[i] = (int32_t)(loads[bin_of(graph, i, ends, bins)] / total * parts);
    free(loads);
    return status;
}

static const pen_partitioner strips = { .name = "strips",
                                        .summary = "strips of equal load across the first coordinate",
                                        .settings = settings,
                                        .settings_size = sizeof(strips_settings),
                                        .partition = partition };

PEN_PLUGIN(.partitioner = &strips);
