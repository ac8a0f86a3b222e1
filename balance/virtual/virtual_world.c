#include "virtual/virtual_world.h"
#include "balance/registry.h"

#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- Graphs ---------------------------------------------------------------------------------- */

static pen_status begin(int ranks, int32_t nodes, virtual_world *world)
{
    *world = (virtual_world){ .ranks = ranks, .nodes = nodes, .node_bytes = 64, .arc_bytes = 8, .horizon = 100.0 };
    PEN_TRY(PEN_ALLOC_ZERO(&world->rows, (int64_t)nodes + 2));
    PEN_TRY(PEN_ALLOC(&world->loads, nodes));
    PEN_TRY(PEN_ALLOC(&world->owners, nodes));
    for (int32_t i = 0; i < nodes; i++) {
        world->loads[i] = 1.0;
        world->owners[i] = (int32_t)((int64_t)i * ranks / nodes);
    }
    return PEN_OK;
}

static int compare_nodes(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static pen_status fill(int64_t count, const int32_t (*edges)[2], virtual_world *world)
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
        if (to > from) qsort(&world->columns[from], to - from, sizeof *world->columns, compare_nodes);
        for (uint32_t a = from; a < to; a++)
            if (kept == start || world->columns[kept - 1] != world->columns[a])
                world->columns[kept++] = world->columns[a];
        rows[i] = start;
        from = to;
    }
    rows[world->nodes] = kept;
    return PEN_OK;
}

pen_status virtual_edges(int ranks, int32_t nodes, int64_t count, const int32_t (*edges)[2], virtual_world *world)
{
    pen_status status = begin(ranks, nodes, world);
    if (status == PEN_OK) status = fill(count, edges, world);
    if (status != PEN_OK) virtual_world_free(world);
    return status;
}

pen_status virtual_hex(int ranks, int width, int height, virtual_world *world)
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
    pen_status status = virtual_edges(ranks, width * height, count, (const int32_t(*)[2])edges, world);
    free(edges);
    return status;
}

pen_status virtual_rmat(int ranks, int scale, int64_t arcs, uint64_t seed, virtual_world *world)
{
    int32_t(*edges)[2];
    PEN_TRY(PEN_ALLOC(&edges, arcs));
    for (int64_t e = 0; e < arcs; e++) {
        int32_t from = 0, to = 0;
        for (int bit = 0; bit < scale; bit++) {
            double draw = pen_hash_real(pen_mix(seed + (uint64_t)(e * scale + bit)));
            from = 2 * from + (draw >= 0.76);
            to = 2 * to + ((draw >= 0.57 && draw < 0.76) || draw >= 0.95);
        }
        edges[e][0] = from;
        edges[e][1] = to;
    }
    pen_status status = virtual_edges(ranks, (int32_t)1 << scale, arcs, (const int32_t(*)[2])edges, world);
    free(edges);
    return status;
}

pen_status virtual_random(int ranks, int32_t nodes, int64_t arcs, uint64_t seed, virtual_world *world)
{
    int32_t(*edges)[2];
    if (nodes == 0) arcs = 0;
    PEN_TRY(PEN_ALLOC(&edges, arcs));
    for (int64_t e = 0; e < arcs; e++)
        for (int side = 0; side < 2; side++)
            edges[e][side] = (int32_t)pen_hash_range(pen_mix(seed + (uint64_t)(2 * e + side)), (uint64_t)nodes);
    pen_status status = virtual_edges(ranks, nodes, arcs, (const int32_t(*)[2])edges, world);
    free(edges);
    return status;
}

void virtual_world_free(virtual_world *world)
{
    free(world->rows);
    free(world->columns);
    free(world->edge_weights);
    free(world->loads);
    free(world->owners);
    *world = (virtual_world){ 0 };
}

/* ---- Quality --------------------------------------------------------------------------------- */

pen_status virtual_world_measure(const virtual_world *world, virtual_quality *quality)
{
    virtual_quality q = { 0 };
    double *loads = NULL;
    int32_t *parts = NULL, *stack = NULL;
    bool *seen = NULL;
    pen_status status = PEN_ALLOC_ZERO(&loads, world->ranks);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&parts, world->ranks);
    if (status == PEN_OK) status = PEN_ALLOC(&stack, world->nodes);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&seen, world->nodes);
    for (int32_t i = 0; status == PEN_OK && i < world->nodes; i++) {
        int32_t owner = world->owners[i];
        loads[owner] += world->loads[i];
        q.total += world->loads[i];
        q.heaviest = fmax(q.heaviest, world->loads[i]);
        for (uint32_t a = world->rows[i]; a < world->rows[i + 1]; a++)
            if (world->columns[a] > i && world->owners[world->columns[a]] != owner)
                q.cut += world->edge_weights ? world->edge_weights[a] : 1;
        if (seen[i]) continue;
        parts[owner]++;
        int32_t height = 0;
        stack[height++] = i;
        seen[i] = true;
        while (height > 0) {
            int32_t node = stack[--height];
            for (uint32_t a = world->rows[node]; a < world->rows[node + 1]; a++) {
                int32_t next = world->columns[a];
                if (seen[next] || world->owners[next] != owner) continue;
                seen[next] = true;
                stack[height++] = next;
            }
        }
    }
    if (status == PEN_OK) {
        double mean = q.total / world->ranks;
        q.imbalance = q.bound = 1.0;
        for (int r = 0; r < world->ranks; r++) {
            q.empty += parts[r] == 0;
            q.pieces += parts[r] > 0 ? parts[r] - 1 : 0;
            if (mean > 0.0) q.imbalance = fmax(q.imbalance, loads[r] / mean);
            if (mean > 0.0) q.two_sided = fmax(q.two_sided, fabs(loads[r] - mean) / mean);
        }
        if (mean > 0.0) q.bound = fmax(1.0, q.heaviest / mean);
        *quality = q;
    }
    free(loads);
    free(parts);
    free(stack);
    free(seen);
    return status;
}

/* ---- Views ----------------------------------------------------------------------------------- */

typedef struct part {
    pen_load_view view;
    int32_t *nodes; /* [count+shadows] of the world */
    pen_gid *gids;
    int32_t *owners;
    double *loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *edge_weights;
    pen_move *moves; /* of a balancer */
    int32_t *where;  /* of a partitioner */
    pen_plan plan;
} part;

typedef struct deal {
    const virtual_world *world;
    part *parts;    /* [ranks] */
    pen_lid *index; /* [nodes] on its owner */
    const pen_balancer *balancer;
    const pen_partitioner *partitioner;
    const char *settings;
} deal;

static void free_deal(deal *d)
{
    for (int r = 0; d->parts && r < d->world->ranks; r++) {
        part *p = &d->parts[r];
        void *arrays[] = { p->nodes,   p->gids,         p->owners, p->loads, p->rows,
                           p->columns, p->edge_weights, p->moves,  p->where };
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    }
    free(d->parts);
    free(d->index);
}

static pen_status allocate_part(const virtual_world *world, int64_t arcs, part *p)
{
    int64_t own = p->view.count, all = own + p->view.shadows;
    PEN_TRY(PEN_ALLOC(&p->nodes, all));
    PEN_TRY(PEN_ALLOC(&p->gids, all));
    PEN_TRY(PEN_ALLOC(&p->owners, p->view.shadows));
    PEN_TRY(PEN_ALLOC(&p->loads, own));
    PEN_TRY(PEN_ALLOC(&p->rows, own + 1));
    PEN_TRY(PEN_ALLOC(&p->columns, arcs));
    if (world->edge_weights) PEN_TRY(PEN_ALLOC(&p->edge_weights, arcs));
    PEN_TRY(PEN_ALLOC(&p->moves, own));
    return PEN_ALLOC(&p->where, own);
}

/* `seen` [nodes] holds rank + 1 of the last rank that has counted a node as its shadow, `shadow` its index. */
static pen_status deal_part(deal *d, int r, const int32_t *own, int32_t *seen, pen_lid *shadow)
{
    const virtual_world *w = d->world;
    part *p = &d->parts[r];
    int64_t arcs = 0;
    for (pen_lid i = 0; i < p->view.count; i++) {
        arcs += w->rows[own[i] + 1] - w->rows[own[i]];
        for (uint32_t a = w->rows[own[i]]; a < w->rows[own[i] + 1]; a++) {
            int32_t next = w->columns[a];
            if (w->owners[next] == r || seen[next] == r + 1) continue;
            seen[next] = r + 1;
            shadow[next] = p->view.count + p->view.shadows++;
        }
    }
    PEN_TRY(allocate_part(w, arcs, p));
    uint32_t at = 0;
    p->rows[0] = 0;
    for (pen_lid i = 0; i < p->view.count; i++) {
        p->nodes[i] = own[i];
        p->gids[i] = VIRTUAL_GID(own[i]);
        p->loads[i] = w->loads[own[i]];
        for (uint32_t a = w->rows[own[i]]; a < w->rows[own[i] + 1]; a++, at++) {
            int32_t next = w->columns[a];
            bool mine = w->owners[next] == r;
            p->columns[at] = mine ? d->index[next] : shadow[next];
            if (p->edge_weights) p->edge_weights[at] = w->edge_weights[a];
            if (mine) continue;
            p->nodes[shadow[next]] = next;
            p->gids[shadow[next]] = VIRTUAL_GID(next);
            p->owners[shadow[next] - p->view.count] = w->owners[next];
        }
        p->rows[i + 1] = at;
    }
    pen_lid count = p->view.count, shadows = p->view.shadows;
    p->view = (pen_load_view){ .count = count,
                               .shadows = shadows,
                               .gids = p->gids,
                               .owners = p->owners,
                               .loads = p->loads,
                               .rows = p->rows,
                               .columns = p->columns,
                               .edge_weights = p->edge_weights,
                               .node_bytes = w->node_bytes,
                               .arc_bytes = w->arc_bytes,
                               .horizon = w->horizon };
    p->plan.moves = p->moves;
    return PEN_OK;
}

static pen_status deal_out(deal *d, bool reversed)
{
    const virtual_world *w = d->world;
    int64_t *starts = NULL;
    int32_t *own = NULL, *seen = NULL;
    pen_lid *shadow = NULL;
    pen_status status = PEN_ALLOC_ZERO(&d->parts, w->ranks);
    if (status == PEN_OK) status = PEN_ALLOC(&d->index, w->nodes);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&starts, w->ranks + 2);
    if (status == PEN_OK) status = PEN_ALLOC(&own, w->nodes);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&seen, w->nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&shadow, w->nodes);
    if (status == PEN_OK) {
        for (int32_t i = 0; i < w->nodes; i++) starts[w->owners[i] + 2]++;
        for (int r = 0; r < w->ranks; r++) starts[r + 2] += starts[r + 1];
        for (int32_t k = 0; k < w->nodes; k++) {
            int32_t i = reversed ? w->nodes - 1 - k : k;
            part *p = &d->parts[w->owners[i]];
            d->index[i] = p->view.count++;
            own[starts[w->owners[i] + 1]++] = i;
        }
    }
    for (int r = 0; r < w->ranks && status == PEN_OK; r++) status = deal_part(d, r, &own[starts[r]], seen, shadow);
    free(starts);
    free(own);
    free(seen);
    free(shadow);
    return status;
}

static pen_status plan_on_rank(void *context, pen_peers *peers)
{
    const deal *d = (const deal *)context;
    part *p = &d->parts[peers->rank];
    if (d->partitioner) return d->partitioner->partition(d->settings, &p->view, peers, peers->size, p->where);
    void *state = NULL;
    PEN_TRY(pen_balancer_create(d->balancer, d->settings, &state));
    pen_status status = d->balancer->plan(state, &p->view, peers, &p->plan);
    if (d->balancer->destroy) d->balancer->destroy(state);
    return status;
}

/* owners[] of the plan, or a failure. */
static pen_status collect(const deal *d, int32_t *owners, virtual_outcome *outcome)
{
    const virtual_world *w = d->world;
    memcpy(owners, w->owners, (size_t)w->nodes * sizeof *owners);
    for (int r = 0; r < w->ranks; r++) {
        const part *p = &d->parts[r];
        for (pen_lid i = 0; d->partitioner && i < p->view.count; i++) {
            owners[p->nodes[i]] = p->where[i];
            outcome->moved += p->where[i] != r;
            if (p->where[i] < 0 || p->where[i] >= w->ranks)
                return pen_fail(PEN_ERR_INTERNAL, "node %" PRIgid " gets part %" PRId32, p->gids[i], p->where[i]);
        }
        if (p->plan.count < 0 || p->plan.count > p->view.count)
            return pen_fail(PEN_ERR_INTERNAL, "%" PRId64 " moves of %" PRIlid " nodes", p->plan.count, p->view.count);
        for (int64_t m = 0; m < p->plan.count; m++) {
            pen_move move = p->moves[m];
            int64_t node = (move.gid - VIRTUAL_GID(0)) / 3;
            if (node < 0 || node >= w->nodes || VIRTUAL_GID(node) != move.gid || w->owners[node] != r)
                return pen_fail(PEN_ERR_INTERNAL, "rank %d moves node %" PRIgid ", which it has not", r, move.gid);
            if (owners[node] != r)
                return pen_fail(PEN_ERR_INTERNAL, "rank %d moves node %" PRIgid " twice", r, move.gid);
            if (move.to < 0 || move.to >= w->ranks || move.to == r)
                return pen_fail(PEN_ERR_INTERNAL, "rank %d moves a node to rank %" PRId32, r, move.to);
            owners[node] = move.to;
            outcome->moved++;
        }
    }
    return PEN_OK;
}

static pen_status run(virtual_world *world, deal *d, const int *order, bool reversed, virtual_outcome *outcome)
{
    virtual_outcome o = { 0 };
    virtual_counts *counts = NULL;
    int32_t *owners = NULL;
    pen_status status = deal_out(d, reversed);
    if (status == PEN_OK && outcome) status = PEN_ALLOC(&counts, world->ranks);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, world->nodes);
    if (status == PEN_OK) status = virtual_run(world->ranks, plan_on_rank, d, order, counts);
    if (status == PEN_OK) status = collect(d, owners, &o);
    if (status == PEN_OK) {
        memcpy(world->owners, owners, (size_t)world->nodes * sizeof *owners);
        o.rounds = d->parts[0].plan.rounds;
        for (int r = 0; outcome && r < world->ranks; r++) {
            o.seconds += counts[r].seconds;
            o.slowest = fmax(o.slowest, counts[r].seconds);
            o.messages += counts[r].messages;
            o.bytes += counts[r].bytes;
            if (counts[r].messages > o.max_messages) o.max_messages = counts[r].messages;
            if (counts[r].bytes > o.max_bytes) o.max_bytes = counts[r].bytes;
        }
        if (outcome) {
            o.exchanges = counts[0].exchanges;
            o.reductions = counts[0].reductions;
            *outcome = o;
        }
    }
    free(counts);
    free(owners);
    free_deal(d);
    return status;
}

pen_status virtual_world_balance(virtual_world *world, const pen_balancer *balancer, const char *settings,
                                 const int *order, bool reversed, virtual_outcome *outcome)
{
    deal d = { .world = world, .balancer = balancer, .settings = settings };
    return run(world, &d, order, reversed, outcome);
}

pen_status virtual_world_partition(virtual_world *world, const pen_partitioner *partitioner, const char *settings,
                                   virtual_outcome *outcome)
{
    deal d = { .world = world, .partitioner = partitioner, .settings = settings };
    return run(world, &d, NULL, false, outcome);
}
