#include "tests/support/virtual_world.h"
#include "balance/registry.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "view/check.h"
#include "view/view.h"

#include <math.h>
#include <stdlib.h>

/* ---- Graphs ---------------------------------------------------------------------------------- */

static pen_status begin(int ranks, int32_t nodes, pen_virtual_world *world)
{
    *world = (pen_virtual_world){ .ranks = ranks, .nodes = nodes, .node_bytes = 64, .arc_bytes = 8, .horizon = 100.0 };
    PEN_TRY(PEN_ALLOC_ZERO(&world->rows, (int64_t)nodes + 2));
    PEN_TRY(PEN_ALLOC(&world->loads, nodes));
    PEN_TRY(PEN_ALLOC(&world->owners, nodes));
    for (int32_t i = 0; i < nodes; i++) {
        world->loads[i] = 1.0;
        world->owners[i] = (int32_t)((int64_t)i * ranks / nodes);
    }
    return PEN_OK;
}

static pen_status fill(int64_t count, const int32_t (*edges)[2], pen_virtual_world *world)
{
    uint32_t *rows = world->rows;
    for (int64_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++) rows[edges[e][side] + 2] += edges[e][0] != edges[e][1];
    for (int32_t i = 0; i < world->nodes; i++) rows[i + 2] += rows[i + 1];
    PEN_TRY(PEN_ALLOC(&world->columns, 2 * count));
    for (int64_t e = 0; e < count; e++)
        for (int side = 0; side < 2; side++)
            if (edges[e][0] != edges[e][1]) world->columns[rows[edges[e][side] + 1]++] = edges[e][1 - side];
    uint32_t kept = 0, from = 0;
    for (int32_t i = 0; i < world->nodes; i++) {
        uint32_t to = rows[i + 1], start = kept;
        if (to > from) qsort(&world->columns[from], to - from, sizeof *world->columns, pen_by_int32);
        for (uint32_t a = from; a < to; a++)
            if (kept == start || world->columns[kept - 1] != world->columns[a])
                world->columns[kept++] = world->columns[a];
        rows[i] = start;
        from = to;
    }
    rows[world->nodes] = kept;
    return PEN_OK;
}

pen_status pen_virtual_edges(int ranks, int32_t nodes, int64_t count, const int32_t (*edges)[2],
                             pen_virtual_world *world)
{
    pen_status status = begin(ranks, nodes, world);
    if (status == PEN_OK) status = fill(count, edges, world);
    if (status != PEN_OK) pen_virtual_world_free(world);
    return status;
}

pen_status pen_virtual_hex(int ranks, int width, int height, pen_virtual_world *world)
{
    int32_t(*edges)[2];
    PEN_TRY(PEN_ALLOC(&edges, (int64_t)width * height * 3));
    int64_t count = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int32_t at = y * width + x;
            int left = x - (y % 2 == 0), below[2] = { left, left + 1 };
            if (x + 1 < width) memcpy(edges[count++], (int32_t[]){ at, at + 1 }, sizeof *edges);
            for (int k = 0; k < 2; k++)
                if (y + 1 < height && below[k] >= 0 && below[k] < width)
                    memcpy(edges[count++], (int32_t[]){ at, (y + 1) * width + below[k] }, sizeof *edges);
        }
    pen_status status = pen_virtual_edges(ranks, width * height, count, (const int32_t(*)[2])edges, world);
    free(edges);
    PEN_TRY(status);
    world->dimensions = 2;
    status = PEN_ALLOC(&world->coordinates, 2 * (int64_t)world->nodes);
    for (int32_t i = 0; status == PEN_OK && i < world->nodes; i++) {
        world->coordinates[2 * (int64_t)i] = i % width + 0.5 * (i / width % 2);
        world->coordinates[2 * (int64_t)i + 1] = i / width * sqrt(0.75);
    }
    if (status != PEN_OK) pen_virtual_world_free(world);
    return status;
}

pen_status pen_virtual_rmat(int ranks, int scale, int64_t arcs, uint64_t seed, pen_virtual_world *world)
{
    int32_t(*edges)[2];
    PEN_TRY(PEN_ALLOC(&edges, arcs));
    for (int64_t e = 0; e < arcs; e++) {
        int32_t from = 0, to = 0;
        for (int bit = 0; bit < scale; bit++) {
            double draw = pen_unit_real(pen_mix(seed + (uint64_t)(e * scale + bit)));
            from = 2 * from + (draw >= 0.76);
            to = 2 * to + ((draw >= 0.57 && draw < 0.76) || draw >= 0.95);
        }
        edges[e][0] = from;
        edges[e][1] = to;
    }
    pen_status status = pen_virtual_edges(ranks, (int32_t)1 << scale, arcs, (const int32_t(*)[2])edges, world);
    free(edges);
    return status;
}

pen_status pen_virtual_random(int ranks, int32_t nodes, int64_t arcs, uint64_t seed, pen_virtual_world *world)
{
    int32_t(*edges)[2];
    if (nodes == 0) arcs = 0;
    PEN_TRY(PEN_ALLOC(&edges, arcs));
    for (int64_t e = 0; e < arcs; e++)
        for (int side = 0; side < 2; side++)
            edges[e][side] = (int32_t)pen_hash_range(pen_mix(seed + (uint64_t)(2 * e + side)), (uint64_t)nodes);
    pen_status status = pen_virtual_edges(ranks, nodes, arcs, (const int32_t(*)[2])edges, world);
    free(edges);
    return status;
}

void pen_virtual_world_free(pen_virtual_world *world)
{
    PEN_FREE_ALL(world->rows, world->columns, world->edge_weights, world->loads, world->owners, world->coordinates);
    *world = (pen_virtual_world){ 0 };
}

/* ---- Quality --------------------------------------------------------------------------------- */

pen_status pen_virtual_world_measure(const pen_virtual_world *world, pen_quality *quality)
{
    const pen_load_view whole = { .count = world->nodes,
                                  .loads = world->loads,
                                  .rows = world->rows,
                                  .columns = world->columns,
                                  .edge_weights = world->edge_weights,
                                  .machine = world->machine };
    return pen_quality_of_parts(&whole, false, world->ranks, world->owners, quality);
}

/* ---- Views ----------------------------------------------------------------------------------- */

/* What the ranks have; own nodes of rank r are [starts[r] .. starts[r+1]) of all arrays of nodes. */
typedef struct deal {
    const pen_virtual_world *world;
    const pen_balancer *balancer;
    const pen_partitioner *partitioner;
    const char *settings;
    int64_t *starts;      /* [ranks+1] */
    int32_t *own;         /* [nodes] in rank order */
    pen_lid *index;       /* [nodes] of a node on its owner */
    pen_load_view *views; /* [ranks] */
    pen_plan *plans;      /* [ranks] */
    double *coordinates;  /* [nodes*dimensions] by rank, or NULL */
    double *before;       /* [nodes] by rank, or NULL */
    double *phase_loads;  /* [nodes*phases] by rank, or NULL */
    pen_move *moves;      /* [nodes] of a balancer */
    pen_lid *movers;      /* [nodes] the nodes of these moves */
    int32_t *where;       /* [nodes] of a partitioner */
} deal;

static void free_deal(deal *d)
{
    if (d->views)
        for (int r = 0; r < d->world->ranks; r++) pen_load_view_free(&d->views[r]);
    PEN_FREE_ALL(d->starts, d->own, d->index, d->views, d->plans, d->moves, d->movers, d->where, d->coordinates,
                 d->before, d->phase_loads);
}

static void sort_by_owner(deal *d, bool reversed)
{
    const pen_virtual_world *w = d->world;
    for (int32_t i = 0; i < w->nodes; i++) d->starts[w->owners[i] + 1]++;
    for (int r = 0; r < w->ranks; r++) d->starts[r + 1] += d->starts[r];
    for (int32_t k = 0; k < w->nodes; k++) {
        int32_t i = reversed ? k : w->nodes - 1 - k; /* from the last one to the first */
        d->own[--d->starts[w->owners[i] + 1]] = i;
    }
    for (int r = 0; r < w->ranks; r++) d->starts[r] = d->starts[r + 1];
    d->starts[w->ranks] = w->nodes;
    for (int r = 0; r < w->ranks; r++)
        for (int64_t k = d->starts[r]; k < d->starts[r + 1]; k++) d->index[d->own[k]] = (pen_lid)(k - d->starts[r]);
}

/* The rows of a rank's nodes. */
typedef struct row_lists {
    pen_gid *gids, *neighbors;
    double *loads;
    int64_t *rows, *weights; /* weights: NULL where there are none */
    int32_t *owners;
} row_lists;

static void list_rows(const deal *d, int r, const row_lists *l)
{
    const pen_virtual_world *w = d->world;
    int64_t at = l->rows[0] = 0;
    for (int64_t k = d->starts[r]; k < d->starts[r + 1]; k++) {
        int32_t node = d->own[k];
        int64_t i = k - d->starts[r];
        l->gids[i] = PEN_VIRTUAL_GID(node);
        l->loads[i] = w->loads[node];
        for (uint32_t a = w->rows[node]; a < w->rows[node + 1]; a++, at++) {
            l->neighbors[at] = PEN_VIRTUAL_GID(w->columns[a]);
            l->owners[at] = w->owners[w->columns[a]];
            if (l->weights) l->weights[at] = w->edge_weights[a];
        }
        l->rows[i + 1] = at;
    }
}

static pen_status make_lists(const deal *d, int r, row_lists *l)
{
    const pen_virtual_world *w = d->world;
    int64_t count = d->starts[r + 1] - d->starts[r], arcs = 0;
    for (int64_t k = d->starts[r]; k < d->starts[r + 1]; k++) arcs += w->rows[d->own[k] + 1] - w->rows[d->own[k]];
    PEN_TRY(PEN_ALLOC(&l->gids, count));
    PEN_TRY(PEN_ALLOC(&l->loads, count));
    PEN_TRY(PEN_ALLOC(&l->rows, count + 1));
    PEN_TRY(PEN_ALLOC(&l->neighbors, arcs));
    PEN_TRY(PEN_ALLOC(&l->owners, arcs));
    return w->edge_weights ? PEN_ALLOC(&l->weights, arcs) : PEN_OK;
}

/* A rank makes its own, so that threads share the work. */
static pen_status create_view(void *context, pen_peers *peers)
{
    deal *d = context;
    const pen_virtual_world *w = d->world;
    int r = peers->rank;
    row_lists l = { .gids = NULL };
    pen_status status = make_lists(d, r, &l);
    if (status == PEN_OK) {
        list_rows(d, r, &l);
        pen_lid count = (pen_lid)(d->starts[r + 1] - d->starts[r]);
        const pen_view_rows listed = { count, l.gids, l.loads, l.rows, l.neighbors, l.owners, l.weights, NULL };
        status = pen_load_view_create(r, &listed, &d->views[r]);
    }
    PEN_FREE_ALL(l.gids, l.loads, l.rows, l.neighbors, l.owners, l.weights);
    d->views[r].node_bytes = w->node_bytes;
    d->views[r].arc_bytes = w->arc_bytes;
    d->views[r].horizon = w->horizon;
    pen_load_view_set_machine(&d->views[r], r, w->machine);
    d->views[r].dimensions = w->dimensions;
    if (w->dimensions > 0) d->views[r].coordinates = d->coordinates + d->starts[r] * w->dimensions;
    d->views[r].phases = w->phases;
    if (w->phase_loads) d->views[r].phase_loads = d->phase_loads + d->starts[r] * w->phases;
    d->plans[r].moves = d->moves + d->starts[r];
    return status;
}

static pen_status deal_out(deal *d, bool reversed)
{
    const pen_virtual_world *w = d->world;
    PEN_TRY(PEN_ALLOC_ZERO(&d->starts, (int64_t)w->ranks + 1));
    PEN_TRY(PEN_ALLOC(&d->own, w->nodes));
    PEN_TRY(PEN_ALLOC(&d->index, w->nodes));
    PEN_TRY(PEN_ALLOC_ZERO(&d->views, w->ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&d->plans, w->ranks));
    PEN_TRY(PEN_ALLOC(&d->moves, w->nodes));
    PEN_TRY(PEN_ALLOC(&d->movers, w->nodes));
    PEN_TRY(PEN_ALLOC(&d->where, w->nodes));
    sort_by_owner(d, reversed);
    if (w->dimensions > 0) {
        size_t size = (size_t)w->dimensions * sizeof *w->coordinates;
        PEN_TRY(pen_alloc(&d->coordinates, w->nodes, size));
        for (int32_t k = 0; k < w->nodes; k++)
            memcpy(d->coordinates + (int64_t)k * w->dimensions, w->coordinates + (int64_t)d->own[k] * w->dimensions,
                   size);
    }
    if (w->before) PEN_TRY(PEN_ALLOC(&d->before, w->nodes));
    for (int32_t k = 0; d->before && k < w->nodes; k++) d->before[k] = w->before[d->own[k]];
    const size_t size = (size_t)w->phases * sizeof *d->phase_loads;
    if (w->phase_loads) PEN_TRY(pen_alloc(&d->phase_loads, w->nodes, size));
    for (int32_t k = 0; w->phase_loads && k < w->nodes; k++)
        memcpy(d->phase_loads + (int64_t)k * w->phases, w->phase_loads + (int64_t)d->own[k] * w->phases, size);
    return PEN_OK;
}

typedef struct searched {
    const deal *deal;
    int rank;
} searched;

static pen_lid find(const void *context, pen_gid gid)
{
    const searched *s = context;
    const pen_virtual_world *w = s->deal->world;
    int64_t node = (gid - PEN_VIRTUAL_GID(0)) / 3;
    if (node < 0 || node >= w->nodes || PEN_VIRTUAL_GID(node) != gid || w->owners[node] != s->rank) return -1;
    return s->deal->index[node];
}

static pen_status ask(const deal *d, void *state, pen_peers *peers)
{
    const int r = peers->rank;
    const searched context = { d, r };
    const double *before = d->before ? d->before + d->starts[r] : NULL;
    const pen_notes none = { .records = NULL };
    return pen_plan_ask(d->balancer, state, &d->views[r], before, &none, peers, find, &context, &d->plans[r],
                        d->movers + d->starts[r]);
}

static pen_status plan_on_rank(void *context, pen_peers *peers)
{
    const deal *d = context;
    const pen_load_view *view = &d->views[peers->rank];
    const pen_partitioner *p = d->partitioner;
    void *state;
    pen_status status;
    if (p) {
        status = pen_settings_make("partitioner", d->settings, p->settings, p->settings_size, p->check, &state);
        if (status == PEN_OK) status = p->partition(state, view, peers, peers->size, d->where + d->starts[peers->rank]);
        free(state);
    } else {
        status = pen_balancer_create(d->balancer, d->settings, &state);
        if (status == PEN_OK) status = ask(d, state, peers);
        pen_balancer_destroy(d->balancer, state);
    }
    return status;
}

/* ---- Outcomes -------------------------------------------------------------------------------- */

/* where[] of a balancer's plan. */
static void follow_plan(const deal *d, int r)
{
    const pen_plan *plan = &d->plans[r];
    int32_t *where = d->where + d->starts[r];
    for (pen_lid i = 0; i < d->views[r].count; i++) where[i] = r;
    for (int64_t m = 0; m < plan->count; m++) where[d->movers[d->starts[r] + m]] = plan->moves[m].to;
}

static pen_status check_parts(const deal *d, int r)
{
    const int32_t *where = d->where + d->starts[r];
    pen_lid i = pen_parts_check(d->views[r].count, where, d->world->ranks);
    if (i < 0) return PEN_OK;
    return pen_fail(PEN_ERR_INTERNAL, "node %" PRIgid " gets part %" PRId32, d->views[r].gids[i], where[i]);
}

static pen_status carry_out(void *context, pen_peers *peers)
{
    const deal *d = context;
    if (d->partitioner) return check_parts(d, peers->rank);
    follow_plan(d, peers->rank);
    return PEN_OK;
}

static void sum_up(const deal *d, const pen_virtual_counts *counts, pen_virtual_outcome *o)
{
    *o = (pen_virtual_outcome){ .rounds = d->plans[0].rounds,
                                .exchanges = counts[0].exchanges,
                                .reductions = counts[0].reductions };
    for (int r = 0; r < d->world->ranks; r++) {
        o->seconds += counts[r].seconds;
        o->slowest = fmax(o->slowest, counts[r].seconds);
        o->messages += counts[r].messages;
        o->bytes += counts[r].bytes;
        if (counts[r].bytes > o->max_bytes) o->max_bytes = counts[r].bytes;
    }
    for (int32_t k = 0; k < d->world->nodes; k++) o->moved += d->where[k] != d->world->owners[d->own[k]];
}

static pen_status carry_through(pen_virtual_world *world, deal *d, const int *order, bool reversed,
                                pen_virtual_outcome *outcome)
{
    int ranks = world->ranks, threads = world->threads > 1 ? world->threads : 1;
    int planners = (d->partitioner ? d->partitioner->reentrant : d->balancer->reentrant) ? threads : 1;
    pen_virtual_counts *counts = NULL;
    pen_status status = deal_out(d, reversed);
    if (status == PEN_OK) status = pen_virtual_run(ranks, threads, create_view, d, NULL, NULL);
    if (status == PEN_OK && outcome) status = PEN_ALLOC(&counts, ranks);
    if (status == PEN_OK) status = pen_virtual_run(ranks, planners, plan_on_rank, d, order, counts);
    if (status == PEN_OK) status = pen_virtual_run(ranks, threads, carry_out, d, NULL, NULL);
    if (status == PEN_OK && outcome) sum_up(d, counts, outcome);
    for (int32_t k = 0; status == PEN_OK && k < world->nodes; k++) world->owners[d->own[k]] = d->where[k];
    free(counts);
    free_deal(d);
    return status;
}

pen_status pen_virtual_world_balance(pen_virtual_world *world, const pen_balancer *balancer, const char *settings,
                                     const int *order, bool reversed, pen_virtual_outcome *outcome)
{
    deal d = { .world = world, .balancer = balancer, .settings = settings };
    return carry_through(world, &d, order, reversed, outcome);
}

pen_status pen_virtual_world_partition(pen_virtual_world *world, const pen_partitioner *partitioner,
                                       const char *settings, pen_virtual_outcome *outcome)
{
    deal d = { .world = world, .partitioner = partitioner, .settings = settings };
    return carry_through(world, &d, NULL, false, outcome);
}
