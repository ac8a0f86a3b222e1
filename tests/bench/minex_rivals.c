#include "tests/bench/minex_rivals.h"
#include "base/memory.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <metis.h>
#include <scotch.h>
#include <stdlib.h>

_Static_assert(sizeof(idx_t) == sizeof(int32_t) && sizeof(SCOTCH_Num) == sizeof(int32_t), "32-bit integers");

/* What both take: 32-bit integers. */
typedef struct integers {
    int32_t *rows, *columns, *work, *weights;
} integers;

/* Weights of edges are divided, for Scotch adds weight * distance up in 32 bits. */
static integers integers_of(const bodies_graph *g, double distance)
{
    integers i;
    double sum = 0.0;
    int64_t arcs = g->rows[g->count];
    bench_require(PEN_ALLOC(&i.rows, g->count + 1), "memory");
    bench_require(PEN_ALLOC(&i.work, g->count), "memory");
    bench_require(PEN_ALLOC(&i.columns, arcs), "memory");
    bench_require(PEN_ALLOC(&i.weights, arcs), "memory");
    for (int32_t v = 0; v <= g->count; v++) i.rows[v] = (int32_t)g->rows[v];
    for (int32_t v = 0; v < g->count; v++) i.work[v] = (int32_t)g->work[v];
    for (int64_t k = 0; k < arcs; k++) sum += g->reads[k];
    double by = fmax(1.0, sum * distance / 2e9);
    for (int64_t k = 0; k < arcs; k++) {
        i.columns[k] = g->columns[k];
        i.weights[k] = (int32_t)fmax(1.0, g->reads[k] / by);
    }
    return i;
}

static void free_integers(integers *i) { PEN_FREE_ALL(i->rows, i->columns, i->work, i->weights); }

void rival_metis(const bodies_graph *g, const pen_machine *machine, bool speeds, int ufactor, int32_t *part)
{
    idx_t options[METIS_NOPTIONS], nodes = g->count, constraints = 1, parts = machine->processors, cut;
    integers i = integers_of(g, 0.0);
    real_t *shares;
    bench_require(PEN_ALLOC(&shares, parts), "memory");
    for (int32_t q = 0; q < parts; q++) shares[q] = (real_t)(machine->speeds[q] / machine->total_speed);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_UFACTOR] = ufactor;
    int code = METIS_PartGraphKway(&nodes, &constraints, i.rows, i.columns, i.work, NULL, i.weights, &parts,
                                   speeds ? shares : NULL, NULL, options, &cut, part);
    if (code != METIS_OK) bench_require(pen_fail(PEN_ERR_INTERNAL, "it says %d", code), "METIS");
    free_integers(&i);
    free(shares);
}

/* A complete graph of the processors, whose edges are as long as links cost. */
static int build_architecture(const pen_machine *m, SCOTCH_Graph *graph, SCOTCH_Arch *arch, SCOTCH_Strat *strategy)
{
    int32_t n = m->processors, *rows, *columns, *lengths, *speeds, arcs = 0;
    double slowest = m->speeds[0];
    bench_require(PEN_ALLOC(&rows, n + 1), "memory");
    bench_require(PEN_ALLOC(&speeds, n), "memory");
    bench_require(PEN_ALLOC(&columns, (int64_t)n * n), "memory");
    bench_require(PEN_ALLOC(&lengths, (int64_t)n * n), "memory");
    for (int32_t q = 0; q < n; q++) slowest = fmin(slowest, m->speeds[q]);
    for (int32_t q = 0; q < n; q++) {
        rows[q] = arcs;
        speeds[q] = (int32_t)lrint(100.0 * m->speeds[q] / slowest);
        for (int32_t r = 0; r < n; r++) {
            if (r == q) continue;
            columns[arcs] = r;
            lengths[arcs++] = (int32_t)lrint(m->link(m, q, r).cost);
        }
    }
    rows[n] = arcs;
    int code = SCOTCH_graphBuild(graph, 0, n, rows, NULL, speeds, NULL, arcs, columns, lengths);
    if (code == 0) code = SCOTCH_archBuild0(arch, graph, 0, NULL, strategy);
    PEN_FREE_ALL(rows, columns, lengths, speeds);
    return code;
}

static double longest_link(const pen_machine *m)
{
    double longest = 0.0;
    for (int32_t q = 0; q < m->processors; q++)
        for (int32_t r = 0; r < q; r++) longest = fmax(longest, m->link(m, q, r).cost);
    return longest;
}

void rival_scotch(const bodies_graph *g, const pen_machine *machine, double imbalance, int32_t *part)
{
    SCOTCH_Graph graph, processors;
    SCOTCH_Arch arch;
    SCOTCH_Strat strategy, bipartition;
    integers i = integers_of(g, longest_link(machine));
    SCOTCH_graphInit(&graph);
    SCOTCH_graphInit(&processors);
    SCOTCH_archInit(&arch);
    SCOTCH_stratInit(&strategy);
    SCOTCH_stratInit(&bipartition);
    SCOTCH_randomSeed(1);
    SCOTCH_randomReset();
    int code = build_architecture(machine, &processors, &arch, &bipartition);
    if (code == 0)
        code = SCOTCH_graphBuild(&graph, 0, g->count, i.rows, NULL, i.work, NULL, i.rows[g->count], i.columns,
                                 i.weights);
    if (code == 0) code = SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, machine->processors, imbalance);
    if (code == 0) code = SCOTCH_graphMap(&graph, &arch, &strategy, part);
    if (code != 0) bench_require(pen_fail(PEN_ERR_INTERNAL, "it says %d", code), "Scotch");
    SCOTCH_stratExit(&bipartition);
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&arch);
    SCOTCH_graphExit(&processors);
    SCOTCH_graphExit(&graph);
    free_integers(&i);
}
