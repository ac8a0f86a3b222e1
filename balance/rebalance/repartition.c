/* repartition.c - the balancers metis and scotch: a partition from scratch, or Scotch's remapping, of the whole
 * graph on rank 0. */
#include "base/memory.h"
#include "partition/gather.h"
#include "partition/metis_call.h"
#include "partition/scotch_call.h"
#include "rebalance/balancers.h"
#include "rebalance/move_cost.h"
#include "rebalance/rename.h"
#include "view/check.h"
#include "view/shares.h"

#include <math.h>
#include <stdlib.h>

/* A sequential partitioner: sets part[row] for a graph that has edges and more nodes than parts >= 2. It may change the
 * graph's weights. */
typedef pen_status divide_fn(const void *settings, const pen_load_view *view, pen_gathered *g, int parts,
                             int32_t *part);

typedef struct method {
    const char *owner;
    divide_fn *divide;
    const void *settings;
    bool phases; /* loads of phases are balanced separately, if a view has them */
} method;

/* The load of a row in all phases. */
static double load_of(const pen_serial_graph *s, int32_t row)
{
    const int phases = s->phases > 1 ? s->phases : 1;
    double load = 0;
    for (int p = 0; p < phases; p++) load += s->loads[(int64_t)row * phases + p];
    return load;
}

/* Make contiguous parts, for graphs that partitioners do not take. If nodes are few, each part gets one. */
static pen_status divide_rows(const pen_gathered *g, const pen_machine *machine, int parts, int32_t *part)
{
    pen_shares shares;
    double sum = 0, total = 0;
    int32_t at = 0;
    PEN_TRY(pen_shares_create(machine, parts, &shares));
    for (int32_t row = 0; row < g->graph.nodes; row++) total += load_of(&g->graph, row);
    for (int32_t row = 0; row < g->graph.nodes; row++) {
        double load = load_of(&g->graph, row), middle = sum + load / 2.0,
               place = middle * pen_shares_of(&shares, 0, parts) / total;
        sum += load;
        while (at + 1 < parts && pen_shares_of(&shares, 0, at + 1) <= place) at++;
        part[row] = g->graph.nodes <= parts ? row : at;
    }
    pen_shares_free(&shares);
    return PEN_OK;
}

static pen_status rename_parts(const pen_load_view *view, const pen_gathered *g, int ranks, int32_t *part)
{
    int64_t *sizes;
    const pen_serial_graph *s = &g->graph;
    PEN_TRY(PEN_ALLOC(&sizes, s->nodes));
    for (int32_t row = 0; row < s->nodes; row++)
        sizes[row] = view->node_bytes + (s->rows[row + 1] - s->rows[row]) * view->arc_bytes;
    pen_status status = pen_rename_parts(view->machine, ranks, s->nodes, g->owners, sizes, part);
    free(sizes);
    return status;
}

/* Find the time of the slowest rank, in each phase. */
static pen_status find_maximum(const pen_gathered *g, const pen_machine *machine, int ranks, const int32_t *owners,
                               double *maximum)
{
    const int phases = g->graph.phases > 1 ? g->graph.phases : 1;
    double *sums;
    PEN_TRY(PEN_ALLOC(&sums, ranks));
    *maximum = 0;
    for (int p = 0; p < phases; p++) {
        double most = 0;
        for (int r = 0; r < ranks; r++) sums[r] = 0;
        for (int32_t row = 0; row < g->graph.nodes; row++) sums[owners[row]] += g->loads[(int64_t)row * phases + p];
        for (int r = 0; r < ranks; r++) most = fmax(most, sums[r] / pen_speed_of(machine, r));
        *maximum += most;
    }
    free(sums);
    return PEN_OK;
}

/* On rank 0. Partition; *better: the new parts have a lower maximum. */
static pen_status decide(const method *m, const pen_load_view *view, pen_gathered *g, int ranks, int32_t *part,
                         bool *better)
{
    double before, after;
    if (g->graph.rows[g->graph.nodes] == 0 || g->graph.nodes <= ranks)
        PEN_TRY(divide_rows(g, view->machine, ranks, part));
    else PEN_TRY(m->divide(m->settings, view, g, ranks, part));
    pen_lid strange = pen_parts_check(g->graph.nodes, part, ranks);
    if (strange >= 0)
        return pen_fail(PEN_ERR_INTERNAL, "%s: the library gave a node part %" PRId32 " of %d", m->owner, part[strange],
                        ranks);
    PEN_TRY(rename_parts(view, g, ranks, part));
    PEN_TRY(find_maximum(g, view->machine, ranks, g->owners, &before));
    PEN_TRY(find_maximum(g, view->machine, ranks, part, &after));
    /* The factor allows for rounding: the same loads in another order may add up to less. */
    *better = after < before * (1 - 1e-12);
    return PEN_OK;
}

/* Collective. Whether the maximum is above its lower bound, which is the mean, or the heaviest node on the fastest
 * rank. *sum becomes the sum of all loads. */
static pen_status is_worth_it(const pen_load_view *view, pen_peers *peers, double *sum, bool *worth)
{
    double maxima[3] = { 0, 0, view->speed }, sums[2] = { 0, view->speed };
    for (pen_lid i = 0; i < view->count; i++) {
        sums[0] += view->loads[i];
        if (view->loads[i] > maxima[1]) maxima[1] = view->loads[i];
    }
    maxima[0] = sums[0] / view->speed;
    PEN_TRY(peers->reduce(peers, 2, sums, 3, maxima));
    *sum = sums[0];
    *worth = maxima[0] > fmax(*sum / sums[1], maxima[1] / maxima[2]) * (1 + 1e-12);
    return PEN_OK;
}

static pen_status repartition(const method *m, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    bool worth, better = false;
    const bool phases = m->phases && view->phases > 1 && view->phase_loads;
    double sum;
    int32_t *part = NULL;
    const int32_t *to = NULL;
    pen_gathered g;
    PEN_TRY(is_worth_it(view, peers, &sum, &worth));
    if (!(worth || (phases && sum > 0))) return PEN_OK;
    pen_status status = pen_gather(view, peers, m->owner, false, &g);
    if (status == PEN_OK)
        status = phases ? pen_gather_phase_loads(view, peers, m->owner, &g)
                        : pen_gather_loads(view, peers, m->owner, sum, &g);
    if (status == PEN_OK && peers->rank == 0) {
        status = PEN_ALLOC(&part, g.graph.nodes);
        if (status == PEN_OK) status = decide(m, view, &g, peers->size, part, &better);
    }
    if (status == PEN_OK) status = pen_gathered_scatter(peers, &g, better ? part : NULL, &to);
    if (status == PEN_OK && to) pen_plan_fill(plan, view, peers->rank, to);
    pen_gathered_free(&g);
    free(part);
    return status;
}

/* ---- metis ------------------------------------------------------------------------------------ */

static const char metis_owner[] = "balancer metis";

static pen_status metis_divide(const void *settings, const pen_load_view *view, pen_gathered *g, int parts,
                               int32_t *part)
{
    return pen_metis_call(metis_owner, &g->graph, settings, view->machine, parts, part);
}

static pen_status metis_plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    const method m = { metis_owner, metis_divide, state, ((const pen_metis_settings *)state)->phases };
    return repartition(&m, view, peers, plan);
}

const pen_balancer pen_balancer_metis = {
    .name = "metis",
    .summary = "METIS from scratch on rank 0, parts renamed to keep most data in place",
    .settings = pen_metis_balancer_options,
    .state_size = sizeof(pen_metis_settings),
    .check = pen_metis_check,
    .plan = metis_plan,
};

/* ---- scotch ----------------------------------------------------------------------------------- */

static const char scotch_owner[] = "balancer scotch";

static double move_cost(const pen_load_view *view, const pen_serial_graph *s, int32_t row)
{
    return pen_move_cost(view, s->rows[row + 1] - s->rows[row]);
}

/* Convert costs to integers, and multiply edge weights by the same factor. A mean cost becomes a few hundred, if 32
 * bits are enough for Scotch's sums of both, times distances of up to `diameter`. */
static pen_status scale_costs(const pen_load_view *view, int64_t diameter, pen_serial_graph *s, int32_t *costs)
{
    const double mean = 256, most = fmin(1 << 28, (1 << 30) / fmax(1, (double)diameter));
    int32_t arcs = s->rows[s->nodes];
    double sum = 0, weights = 0;
    for (int32_t row = 0; row < s->nodes; row++) sum += move_cost(view, s, row);
    for (int32_t j = 0; j < arcs; j++) weights += s->edge_weights ? s->edge_weights[j] : 1;
    double scale = fmax(1, floor(fmin(mean * s->nodes / sum, fmin(most / sum, most / weights))));
    if (!s->edge_weights) {
        PEN_TRY(PEN_ALLOC(&s->edge_weights, arcs));
        for (int32_t j = 0; j < arcs; j++) s->edge_weights[j] = 1;
    }
    for (int32_t j = 0; j < arcs; j++) s->edge_weights[j] *= (int32_t)scale;
    for (int32_t row = 0; row < s->nodes; row++)
        costs[row] = (int32_t)fmin(floor(move_cost(view, s, row) * scale + 0.5), most / s->nodes);
    return PEN_OK;
}

static pen_status scotch_divide(const void *state, const pen_load_view *view, pen_gathered *g, int parts, int32_t *part)
{
    const pen_scotch_settings *s = state;
    pen_architecture *architecture = NULL;
    pen_scotch_remap remap = { g->owners, NULL };
    pen_status status = pen_architecture_of_machine(view->machine, true, parts, &architecture);
    if (status == PEN_OK && s->remap) {
        status = PEN_ALLOC(&remap.costs, g->graph.nodes);
        if (status == PEN_OK) status = scale_costs(view, architecture->diameter, &g->graph, remap.costs);
    }
    if (status == PEN_OK)
        status = pen_scotch_call(scotch_owner, &g->graph, s, architecture, s->remap ? &remap : NULL, part);
    pen_architecture_destroy(&architecture);
    free(remap.costs);
    return status;
}

static pen_status scotch_plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    const method m = { scotch_owner, scotch_divide, state, false };
    return repartition(&m, view, peers, plan);
}

static const pen_setting scotch_settings[] = {
    { .name = "remap",
      .help = "weigh the cut against the cost of moves, with Scotch's remapping",
      .kind = PEN_OPTION_FLAG,
      .offset = offsetof(pen_scotch_settings, remap) },
    PEN_SCOTCH_SETTINGS,
    { .name = NULL },
};

const pen_balancer pen_balancer_scotch = {
    .name = "scotch",
    .summary = "Scotch from scratch on rank 0, parts renamed to keep most data in place; or its remapping",
    .settings = scotch_settings,
    .state_size = sizeof(pen_scotch_settings),
    .plan = scotch_plan,
};
