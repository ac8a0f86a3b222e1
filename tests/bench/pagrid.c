/* pagrid.c - longest estimated times (partition/pagrid/estimate.h) of pagrid's partitions, and of METIS's and Scotch's.
 *
 *     pagrid_bench [--ratio=R] [--side=N] [--tries=N] [--case=TEXT]
 *
 * METIS gets its best, of k-way and recursive bisection and several seeds each, with the processors' speeds as target
 * weights; `named` is the best of 200 random namings of the parts of each of these, the first of them its own, and for
 * speeds that are equal only, as others would be wrong for the parts. Scotch maps onto an architecture that is the same
 * machine, or the nearest that it has. The columns are longest times, and behind them what they are divided by ours;
 * seconds are of one call each. */
#include "partition/pagrid/pagrid.h"
#include "base/hash.h"
#include "base/memory.h"
#include "partition/scotch_call.h"
#include "tests/bench/bench.h"
#include "tests/bench/virtual.h"
#include "view/machine.h"

#include <math.h>
#include <metis.h>
#include <stdlib.h>

enum { PROCESSORS = 16, NAMINGS = 200 };

typedef struct bench_case {
    const char *name, *machine;
    const char *architecture; /* Scotch's text; NULL: it has none */
    int32_t nodes;            /* of a random graph of three times as many edges; 0: hexagons */
    int width, height;        /* 0: --side */
    int graphs, metis_seeds;  /* random graphs; tries of METIS */
} bench_case;

#define CLUSTERS "clusters:4,between=30"
static const bench_case cases[] = {
    { "random 64", "hypercube:4", "hcub 4", 64, 0, 0, 10, 10 },
    { "hex 16x10", "hypercube:4", "hcub 4", 0, 16, 10, 1, 10 },
    { "hex 32x32", "hypercube:4", "hcub 4", 0, 32, 32, 1, 10 },
    { "hex 32x32", CLUSTERS, "tleaf 2 4 29 4 1", 0, 32, 32, 1, 10 },
    { "hex large", "flat", "cmplt 16", 0, 0, 0, 1, 3 },
    { "hex large", "torus:4x4", "torus2D 4 4", 0, 0, 0, 1, 3 },
    { "hex large", "hypercube:4", "hcub 4", 0, 0, 0, 1, 3 },
    { "hex large", CLUSTERS, "tleaf 2 4 29 4 1", 0, 0, 0, 1, 3 },
    { "hex large", "clusters:4,between=30,kind=UP", NULL, 0, 0, 0, 1, 3 },
    { "hex large", "flat,speeds=1:3", "cmpltw 16 1 3 1 3 1 3 1 3 1 3 1 3 1 3 1 3", 0, 0, 0, 1, 3 },
    { "hex large", "torus:4x4,speeds=1:3", NULL, 0, 0, 0, 1, 3 },
    { "random 65536", "flat", "cmplt 16", 65536, 0, 0, 1, 1 },
    { "random 65536", CLUSTERS, "tleaf 2 4 29 4 1", 65536, 0, 0, 1, 1 },
};

typedef struct bench_problem {
    pen_pagrid_graph graph;
    pen_serial_graph serial; /* the same for Scotch and METIS */
    int64_t *rows;
    pen_machine *machine;
    double ratio;
    int32_t *part;
    double *times;
} bench_problem;

/* ---- Graphs ------------------------------------------------------------------------------------ */

/* A random tree and other edges, three times as many as nodes, none twice. */
static void make_random(int32_t nodes, uint64_t seed, pen_virtual_world *world)
{
    int32_t(*edges)[2];
    int64_t count = 0, arcs = 0;
    uint64_t random = pen_mix(seed);
    bench_require(PEN_ALLOC(&edges, (int64_t)nodes * 8), "memory");
    for (int32_t v = 1; v < nodes; v++) {
        edges[count][0] = v;
        edges[count++][1] = (int32_t)pen_hash_range(pen_mix(random++), (uint64_t)v);
    }
    while (arcs < 6 * (int64_t)nodes) { /* those that are there already are left out */
        if (count > nodes) pen_virtual_world_free(world);
        for (int64_t missing = 3 * (int64_t)nodes - (count == nodes - 1 ? count : arcs / 2); missing > 0; missing--) {
            edges[count][0] = (int32_t)pen_hash_range(pen_mix(random++), (uint64_t)nodes);
            edges[count++][1] = (int32_t)pen_hash_range(pen_mix(random++), (uint64_t)nodes);
        }
        bench_require(pen_virtual_edges(PROCESSORS, nodes, count, (const int32_t(*)[2])edges, world), "a random graph");
        arcs = world->rows[nodes];
    }
    free(edges);
}

static void make_problem(const bench_case *c, int side, uint64_t seed, pen_virtual_world *w, bench_problem *p)
{
    if (c->nodes > 0) make_random(c->nodes, seed, w);
    else bench_require(pen_virtual_hex(PROCESSORS, c->width ? c->width : side, c->height ? c->height : side, w), "hex");
    bench_require(pen_machine_generate(c->machine, PROCESSORS, &p->machine), "the machine");
    bench_require(PEN_ALLOC(&p->rows, (int64_t)w->nodes + 1), "memory");
    bench_require(PEN_ALLOC(&p->serial.rows, (int64_t)w->nodes + 1), "memory");
    bench_require(PEN_ALLOC(&p->times, PROCESSORS), "memory");
    for (int32_t v = 0; v <= w->nodes; v++) p->rows[v] = p->serial.rows[v] = (int32_t)w->rows[v];
    p->part = bench_new_parts(w);
    p->serial.nodes = w->nodes;
    p->serial.neighbors = w->columns;
    p->graph = (pen_pagrid_graph){ w->nodes, p->rows, w->columns, NULL, NULL };
}

static void free_problem(pen_virtual_world *w, bench_problem *p)
{
    PEN_FREE_ALL(p->rows, p->serial.rows, p->part, p->times);
    pen_machine_destroy(&p->machine);
    pen_virtual_world_free(w);
}

static double longest(const bench_problem *p, const int32_t *part)
{
    double most = 0.0;
    bench_require(pen_estimate(&p->graph, p->machine, p->ratio, part, p->times), "the estimate");
    for (int q = 0; q < PROCESSORS; q++) most = fmax(most, p->times[q]);
    return most;
}

/* ---- Rivals ------------------------------------------------------------------------------------ */

/* The best of random namings of parts, the first of which is as it is. Their times come from sums between parts. */
static double best_naming(const bench_problem *p, uint64_t seed)
{
    double most = longest(p, p->part);
    int32_t names[PROCESSORS], *named;
    uint64_t random = pen_mix(seed);
    bench_require(PEN_ALLOC(&named, p->graph.count), "memory");
    for (int naming = 1; naming < NAMINGS; naming++) {
        for (int32_t k = 0; k < PROCESSORS; k++) {
            int32_t other = (int32_t)pen_hash_range(pen_mix(random++), (uint64_t)k + 1);
            names[k] = names[other];
            names[other] = k;
        }
        for (int32_t v = 0; v < p->graph.count; v++) named[v] = names[p->part[v]];
        most = fmin(most, longest(p, named));
    }
    free(named);
    return most;
}

typedef struct bench_result {
    double metis, named, scotch, ours;
    double metis_seconds, scotch_seconds, our_seconds; /* of a call, the quickest */
} bench_result;

static void run_metis(bench_problem *p, const bench_case *c, bench_result *result)
{
    idx_t options[METIS_NOPTIONS], nodes = p->serial.nodes, constraints = 1, parts = PROCESSORS, cut;
    real_t targets[PROCESSORS];
    bool equal = true;
    for (int q = 0; q < PROCESSORS; q++) {
        targets[q] = (real_t)(p->machine->speeds[q] / p->machine->total_speed);
        equal = equal && p->machine->speeds[q] == p->machine->speeds[0];
    }
    METIS_SetDefaultOptions(options);
    for (int k = 0; k < 2 * c->metis_seeds; k++) {
        options[METIS_OPTION_SEED] = k / 2;
        double start = bench_cpu_seconds();
        int code = (k % 2 ? METIS_PartGraphKway
                          : METIS_PartGraphRecursive)(&nodes, &constraints, p->serial.rows, p->serial.neighbors, NULL,
                                                      NULL, NULL, &parts, targets, NULL, options, &cut, p->part);
        double seconds = bench_cpu_seconds() - start;
        if (code != METIS_OK) bench_require(pen_fail(PEN_ERR_INTERNAL, "METIS failed with %d", code), "METIS");
        result->metis_seconds = fmin(result->metis_seconds, seconds);
        result->metis = fmin(result->metis, longest(p, p->part));
        if (equal) result->named = fmin(result->named, best_naming(p, (uint64_t)k));
    }
}

static void run_scotch(bench_problem *p, const bench_case *c, pen_comm *comm, bench_result *result)
{
    pen_architecture *architecture;
    const pen_scotch_settings settings = { .seed = 1, .imbalance = 0.01, .strategy = PEN_SCOTCH_DEFAULT };
    bench_require(pen_architecture_create(comm, c->architecture, PROCESSORS, &architecture), "Scotch's architecture");
    double start = bench_cpu_seconds();
    bench_require(pen_scotch_call("scotch", &p->serial, &settings, architecture, NULL, p->part), "Scotch");
    result->scotch_seconds = bench_cpu_seconds() - start;
    result->scotch = longest(p, p->part);
    pen_architecture_destroy(&architecture);
}

static void run_ours(bench_problem *p, uint64_t seed, int64_t tries, bench_result *result)
{
    for (int64_t k = 0; k < tries; k++) {
        const pen_pagrid_settings settings = { p->ratio, seed + 1 };
        double start = bench_cpu_seconds(), most;
        bench_require(pen_pagrid_partition(&p->graph, p->machine, &settings, NULL, p->part, &most), "pagrid");
        result->our_seconds = fmin(result->our_seconds, bench_cpu_seconds() - start);
        result->ours = longest(p, p->part);
    }
}

/* ---- The table --------------------------------------------------------------------------------- */

static void print_cell(double value, double ours)
{
    if (value < INFINITY) printf(" %8.5g %5.3f", value, value / ours);
    else printf("        -     -");
}

static void print_row(const char *name, const char *machine, const bench_result *r)
{
    printf("%-12s %-30s %8.5g", name, machine, r->ours);
    print_cell(r->metis, r->ours);
    print_cell(r->named, r->ours);
    print_cell(r->scotch, r->ours);
    printf(" | %.4f %.4f %.4f %5.2f\n", r->our_seconds, r->metis_seconds,
           r->scotch < INFINITY ? r->scotch_seconds : 0.0, r->our_seconds / r->metis_seconds);
    fflush(stdout);
}

static void run_case(const bench_case *c, int side, double ratio, int64_t tries, pen_comm *comm)
{
    double sum = 0.0, least = INFINITY;
    for (int g = 0; g < c->graphs; g++) {
        pen_virtual_world w;
        bench_problem p = { .ratio = ratio };
        bench_result r = { INFINITY, INFINITY, INFINITY, 0.0, INFINITY, INFINITY, INFINITY };
        make_problem(c, side, (uint64_t)g + 1, &w, &p);
        run_metis(&p, c, &r);
        if (c->architecture) run_scotch(&p, c, comm, &r);
        run_ours(&p, (uint64_t)g, tries, &r);
        print_row(c->name, c->machine, &r);
        sum += r.metis / r.ours;
        least = fmin(least, r.metis / r.ours);
        free_problem(&w, &p);
    }
    if (c->graphs > 1) printf("%-12s METIS / ours: mean %.3f, least %.3f\n", c->name, sum / c->graphs, least);
}

int main(int argc, char **argv)
{
    double ratio = 0.45;
    int64_t side = 256, tries = 3;
    const char *only = "";
    const pen_option options[] = {
        { "ratio", "R", "of times of communication and computation (0.45)", PEN_OPTION_REAL, &ratio, 0, 0 },
        { "side", "N", "of large fields of hexagons (256)", PEN_OPTION_INT, &side, 8, 2000 },
        { "tries", "N", "how often our time is taken (3)", PEN_OPTION_INT, &tries, 1, 1000 },
        { "case", "TEXT", "only cases whose names or machines contain it", PEN_OPTION_TEXT, &only, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    pen_comm *comm;
    bench_require(pen_comm_create(MPI_COMM_WORLD, &comm), "a communicator");
    printf("# ratio %g, %d processors, hex large: %" PRId64 "x%" PRId64 ", METIS " PEN_TEXT_OF(
               METIS_VER_MAJOR) "." PEN_TEXT_OF(METIS_VER_MINOR) "." PEN_TEXT_OF(METIS_VER_SUBMINOR) "\n",
           ratio, (int)PROCESSORS, side, side);
    printf(
        "# graph      machine                            ours    METIS /ours    named /ours   Scotch /ours | seconds:"
        " ours METIS Scotch, ours/METIS\n");
    for (size_t k = 0; k < PEN_COUNT_OF(cases); k++)
        if (strstr(cases[k].name, only) || strstr(cases[k].machine, only))
            run_case(&cases[k], (int)side, ratio, tries, comm);
    pen_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
