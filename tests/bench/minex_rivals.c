#include "tests/bench/minex_rivals.h"
#include "base/memory.h"
#include "partition/scotch_call.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <metis.h>
#include <stdlib.h>

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "32-bit integers");

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

void rival_scotch(const bodies_graph *g, const pen_machine *machine, double imbalance, int32_t *part)
{
    pen_architecture *architecture = NULL;
    bench_require(pen_architecture_of_machine(machine, true, machine->processors, &architecture), "the architecture");
    integers i = integers_of(g, (double)architecture->diameter);
    const pen_serial_graph graph = {
        .nodes = g->count, .rows = i.rows, .neighbors = i.columns, .edge_weights = i.weights, .loads = i.work
    };
    const pen_scotch_settings settings = { .seed = 1, .imbalance = imbalance, .strategy = SCOTCH_STRATQUALITY };
    bench_require(pen_scotch_call("Scotch", &graph, &settings, architecture, NULL, part), "Scotch");
    free_integers(&i);
    pen_architecture_destroy(&architecture);
}
