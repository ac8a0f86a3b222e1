/* read.c - reads records. */
#include "workload/blocks.h"
#include "workload/decode.h"
#include "workload/place_map.h"

#include <math.h>
#include <stdlib.h>

struct pen_workload_reading {
    pen_block_source source;
    pen_place_map places;
    pen_load_order order; /* the order of loads in the next steps */
    int64_t load_room, phase_room, coordinate_room;
    bool ended; /* the end of the record has been read */
};

static pen_status wrong(const pen_workload *w, const char *what, pen_gid gid)
{
    char node[40] = "";
    if (gid >= 0) snprintf(node, sizeof node, ", node %" PRIgid, gid);
    return pen_fail(PEN_ERR_INPUT, "%s: after step %" PRId64 "%s: %s", w->reading->source.path, w->step, node, what);
}

/* Check that a block was decoded without an error and to its end. */
static pen_status check_scan(const pen_workload *w, const pen_scan *scan)
{
    return scan->wrong || scan->at != scan->end ? wrong(w, "a block with impossible values", -1) : PEN_OK;
}

static pen_scan scan_of(const pen_workload *w)
{
    const pen_bytes *raw = &w->reading->source.raw;
    return (pen_scan){ raw->data, raw->size > 0 ? raw->data + raw->size : raw->data, false };
}

/* ---- The graph ------------------------------------------------------------------------------- */

/* The working data for replacing rows of the adjacency. */
typedef struct rewiring {
    const pen_workload *now;
    const pen_workload_rows *given; /* the new rows, from the record */
    int32_t *row_of;                /* [places] index of a place's new row; -1: it keeps its old row */
    unsigned char *gone;            /* [places] the place's old node was removed */
    int32_t had;                    /* number of places that have old rows */
    uint32_t *rows;                 /* row pointers of the new adjacency */
    int32_t *columns;
    int64_t *weights;
    bool weighs; /* some arc has a weight other than 1 */
} rewiring;

static void free_rewiring(rewiring *g) { PEN_FREE_ALL(g->row_of, g->gone, g->rows, g->columns, g->weights); }

static bool keeps_row(const rewiring *g, int32_t place)
{
    return place < g->had && g->row_of[place] < 0 && !g->gone[place];
}

static pen_status lay_rows(rewiring *g)
{
    const pen_workload *w = g->now;
    int64_t arcs = 0;
    PEN_TRY(PEN_ALLOC_ZERO(&g->rows, (int64_t)w->places + 1));
    for (int32_t p = 0; p < w->places; p++) {
        int64_t i = g->row_of[p];
        if (i >= 0) arcs += g->given->rows[i + 1] - g->given->rows[i];
        else if (keeps_row(g, p)) arcs += w->rows[p + 1] - w->rows[p];
        if (arcs > UINT32_MAX) return pen_fail(PEN_ERR_UNSUPPORTED, "a record of 2^32 neighbours and more");
        g->rows[p + 1] = (uint32_t)arcs;
    }
    PEN_TRY(PEN_ALLOC(&g->columns, arcs));
    return PEN_ALLOC(&g->weights, arcs);
}

static pen_status take_row(rewiring *g, int32_t place)
{
    const pen_workload_rows *given = g->given;
    int64_t i = g->row_of[place], to = g->rows[place];
    for (int64_t a = given->rows[i]; a < given->rows[i + 1]; a++, to++) {
        g->columns[to] = pen_place_map_find(&g->now->reading->places, given->neighbors[a]);
        if (g->columns[to] < 0) return wrong(g->now, "a neighbour that does not exist", given->gids[i]);
        g->weights[to] = given->edge_weights[a];
        g->weighs = g->weighs || g->weights[to] > 1;
    }
    return PEN_OK;
}

static pen_status keep_row(rewiring *g, int32_t place)
{
    const pen_workload *w = g->now;
    int64_t to = g->rows[place];
    for (uint32_t a = w->rows[place]; a < w->rows[place + 1]; a++, to++) {
        g->columns[to] = w->columns[a];
        if (g->gone[w->columns[a]]) return wrong(w, "a neighbour that was removed", w->gids[place]);
        g->weights[to] = w->edge_weights ? w->edge_weights[a] : 1;
        g->weighs = g->weighs || g->weights[to] > 1;
    }
    return PEN_OK;
}

/* A hash of an arc. The hashes of an arc and of the reverse arc with the same weight add up to 0. */
static uint64_t signature(pen_gid from, pen_gid to, int64_t weight)
{
    uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
    uint64_t hash = pen_mix(pen_mix(pen_mix(low) ^ high) ^ (uint64_t)weight);
    return from < to ? hash : 0 - hash;
}

static pen_status check_symmetry(const rewiring *g)
{
    const pen_workload *w = g->now;
    uint64_t sum = 0;
    if (w->world.directed) return PEN_OK;
    for (int32_t p = 0; p < w->places; p++)
        for (uint32_t a = g->rows[p]; a < g->rows[p + 1]; a++)
            sum += signature(w->gids[p], w->gids[g->columns[a]], g->weights[a]);
    return sum == 0 ? PEN_OK : wrong(w, "an edge that only one of its nodes has", -1);
}

static pen_status make_adjacency(rewiring *g)
{
    PEN_TRY(lay_rows(g));
    for (int32_t p = 0; p < g->now->places; p++) {
        if (g->row_of[p] >= 0) PEN_TRY(take_row(g, p));
        else if (keeps_row(g, p)) PEN_TRY(keep_row(g, p));
    }
    return check_symmetry(g);
}

/* Replace the rows of the nodes at w->changed[] by the given ones; had: the number of places before. */
static pen_status rewire(pen_workload *w, const pen_workload_rows *given, int32_t had)
{
    rewiring g = { .now = w, .given = given, .had = had };
    pen_status status = PEN_ALLOC(&g.row_of, w->places);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&g.gone, w->places);
    if (status == PEN_OK) {
        memset(g.row_of, -1, (size_t)w->places * sizeof *g.row_of);
        for (int64_t i = 0; i < given->count; i++) g.row_of[w->changed[i]] = (int32_t)i;
        for (int64_t i = 0; i < w->change.died_count; i++) g.gone[w->died[i]] = 1;
        status = make_adjacency(&g);
    }
    if (status == PEN_OK) {
        PEN_FREE_ALL(w->rows, w->columns, w->edge_weights);
        w->rows = g.rows;
        w->columns = g.columns;
        w->edge_weights = g.weighs ? g.weights : NULL;
        g.rows = NULL;
        g.columns = NULL;
        if (g.weighs) g.weights = NULL;
    }
    free_rewiring(&g);
    return status;
}

/* ---- Removed and added nodes ----------------------------------------------------------------- */

/* Set the loads of a place to 0, since its node was removed or added. */
static void forget_loads(pen_workload *w, int32_t place)
{
    const int phases = w->world.load_phases;
    w->loads[place] = 0.0;
    for (int p = 0; w->phase_loads && p < phases; p++) w->phase_loads[(int64_t)place * phases + p] = 0.0;
}

static pen_status enter(pen_workload *w, const pen_workload_rows *rows, int64_t i)
{
    struct pen_workload_reading *r = w->reading;
    int dimensions = w->world.dimensions;
    int32_t place;
    if (pen_place_map_find(&r->places, rows->gids[i]) >= 0) return wrong(w, "it is added, but exists", rows->gids[i]);
    PEN_TRY(pen_place_map_enter(&r->places, rows->gids[i], &place));
    w->gids = r->places.gids;
    w->places = r->places.count;
    PEN_TRY(pen_reserve(&w->loads, sizeof *w->loads, w->places, &r->load_room));
    if (w->world.load_phases > 1)
        PEN_TRY(pen_reserve(&w->phase_loads, sizeof *w->phase_loads, (int64_t)w->places * w->world.load_phases,
                            &r->phase_room));
    forget_loads(w, place);
    w->changed[i] = place;
    w->nodes++;
    if (dimensions == 0) return PEN_OK;
    for (int d = 0; d < dimensions; d++)
        if (isnan(rows->coordinates[i * dimensions + d])) w->dimensions = 0;
    PEN_TRY(pen_reserve(&w->coordinates, sizeof *w->coordinates, (int64_t)w->places * dimensions, &r->coordinate_room));
    memcpy(w->coordinates + (int64_t)place * dimensions, rows->coordinates + i * dimensions,
           (size_t)dimensions * sizeof *w->coordinates);
    return PEN_OK;
}

static pen_status find_died(pen_workload *w)
{
    const pen_workload_change *c = &w->change;
    for (int64_t i = 0; i < c->died_count; i++) {
        w->died[i] = pen_place_map_find(&w->reading->places, c->died[i]);
        if (w->died[i] < 0) return wrong(w, "it is removed, but does not exist", c->died[i]);
    }
    return PEN_OK;
}

static pen_status find_parents(pen_workload *w)
{
    const pen_workload_rows *rows = &w->change.rows;
    for (int64_t i = 0; i < rows->count; i++) {
        w->parents[i] = pen_place_map_find(&w->reading->places, rows->parents[i]);
        if (rows->parents[i] >= 0 && w->parents[i] < 0) return wrong(w, "its parent does not exist", rows->gids[i]);
    }
    return PEN_OK;
}

static pen_status leave(pen_workload *w)
{
    for (int64_t i = 0; i < w->change.died_count; i++) {
        PEN_TRY(pen_place_map_leave(&w->reading->places, w->died[i]));
        forget_loads(w, w->died[i]);
        w->nodes--;
    }
    return PEN_OK;
}

static pen_status place_changed(pen_workload *w)
{
    const pen_workload_rows *rows = &w->change.rows;
    for (int64_t i = 0; i < rows->count; i++) {
        if (rows->parents[i] != PEN_WORKLOAD_STAYED) {
            PEN_TRY(enter(w, rows, i));
            continue;
        }
        w->changed[i] = pen_place_map_find(&w->reading->places, rows->gids[i]);
        if (w->changed[i] < 0) return wrong(w, "a row of a node that does not exist", rows->gids[i]);
    }
    return PEN_OK;
}

static void free_change(pen_workload *w)
{
    free(w->change.died);
    pen_workload_rows_free(&w->change.rows);
    PEN_FREE_ALL(w->died, w->changed, w->parents);
    w->change = (pen_workload_change){ .died_count = 0 };
    w->died = w->changed = w->parents = NULL;
}

static pen_status read_change(pen_workload *w)
{
    pen_workload_change *c = &w->change;
    pen_scan scan = scan_of(w);
    int32_t had = w->places;
    free_change(w);
    pen_load_order_free(&w->reading->order);
    w->has_changed = true;
    PEN_TRY(pen_decode_gids(&scan, &c->died_count, &c->died));
    PEN_TRY(pen_decode_rows(&scan, &w->world, true, &c->rows));
    PEN_TRY(check_scan(w, &scan));
    PEN_TRY(PEN_ALLOC(&w->died, c->died_count));
    PEN_TRY(PEN_ALLOC(&w->changed, c->rows.count));
    PEN_TRY(PEN_ALLOC(&w->parents, c->rows.count));
    PEN_TRY(find_died(w));
    PEN_TRY(find_parents(w));
    PEN_TRY(leave(w));
    PEN_TRY(place_changed(w));
    return rewire(w, &c->rows, had);
}

/* ---- The record ------------------------------------------------------------------------------ */

static pen_status read_kind(pen_workload *w, pen_block_kind expected)
{
    pen_block_kind kind;
    PEN_TRY(pen_block_read(&w->reading->source, &kind));
    return kind == expected ? PEN_OK : wrong(w, "a block that does not belong here", -1);
}

static pen_status read_first(pen_workload *w)
{
    PEN_TRY(read_kind(w, PEN_BLOCK_WORLD));
    pen_scan scan = scan_of(w);
    PEN_TRY(pen_code_world(&(pen_coder){ .in = &scan }, &w->world));
    w->dimensions = w->world.dimensions;
    w->step = w->world.first;
    PEN_TRY(check_scan(w, &scan));
    PEN_TRY(read_kind(w, PEN_BLOCK_GRAPH));
    scan = scan_of(w);
    PEN_TRY(pen_decode_rows(&scan, &w->world, false, &w->first));
    PEN_TRY(check_scan(w, &scan));
    PEN_TRY(PEN_ALLOC(&w->changed, w->first.count));
    for (int64_t i = 0; i < w->first.count; i++) PEN_TRY(enter(w, &w->first, i));
    return rewire(w, &w->first, 0);
}

pen_status pen_workload_open(const char *path, pen_workload *w)
{
    *w = (pen_workload){ .step = 0 };
    PEN_TRY(PEN_ALLOC_ZERO(&w->reading, 1));
    pen_status status = pen_place_map_create(&w->reading->places);
    if (status == PEN_OK) status = pen_block_source_open(path, &w->reading->source);
    if (status == PEN_OK) status = read_first(w);
    if (status != PEN_OK) pen_workload_close(w);
    return status;
}

static pen_status read_order(pen_workload *w)
{
    pen_scan scan = scan_of(w);
    pen_load_order *order = &w->reading->order;
    unsigned char *seen;
    PEN_TRY(pen_decode_order(&scan, w->places, order));
    PEN_TRY(check_scan(w, &scan));
    const int64_t count = order->first[order->parts];
    PEN_TRY(PEN_ALLOC_ZERO(&seen, w->places));
    bool right = count == w->nodes;
    for (int64_t i = 0; i < count && right; i++) right = w->gids[order->places[i]] >= 0 && !seen[order->places[i]]++;
    free(seen);
    return right ? PEN_OK : wrong(w, "an order that does not have each node once", -1);
}

static pen_status read_step(pen_workload *w)
{
    pen_scan scan = scan_of(w);
    const int phases = w->world.load_phases;
    const double *of = w->phase_loads;
    pen_decode_loads(&scan, &w->reading->order, w->places, phases, of ? w->phase_loads : w->loads);
    PEN_TRY(check_scan(w, &scan));
    for (int32_t p = 0; of && p < w->places; p++) {
        w->loads[p] = 0.0;
        for (int k = 0; k < phases; k++) w->loads[p] += *of++;
    }
    for (int32_t p = 0; p < w->places; p++)
        if (w->gids[p] < 0 && w->loads[p] > 0.0) return wrong(w, "a load of a place without a node", -1);
    w->step++;
    return PEN_OK;
}

static pen_status read_end(pen_workload *w)
{
    pen_scan scan = scan_of(w);
    int64_t steps = pen_scan_count(&scan, INT64_MAX);
    double reals[7];
    const bool open = scan.end - scan.at > (ptrdiff_t)sizeof reals && pen_scan_count(&scan, 1) == 1;
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) {
        reals[i] = pen_scan_real(&scan);
        scan.wrong = scan.wrong || !(reals[i] >= 0.0 && isfinite(reals[i]));
    }
    PEN_TRY(check_scan(w, &scan));
    if (steps != w->step) return wrong(w, "the end, after a different number of steps", -1);
    w->times = (pen_workload_times){ reals[0], reals[1], reals[2], reals[3], reals[4], reals[5], reals[6], open };
    w->reading->ended = true;
    return pen_block_source_ends(&w->reading->source);
}

pen_status pen_workload_next(pen_workload *w, pen_workload_event *event)
{
    pen_block_kind kind = PEN_BLOCK_END, next;
    *event = PEN_WORKLOAD_END;
    if (w->reading->ended) return PEN_OK;
    pen_workload_rows_free(&w->first);
    PEN_TRY(pen_block_read(&w->reading->source, &kind));
    for (; kind == PEN_BLOCK_ORDER; kind = next) {
        PEN_TRY(read_order(w));
        PEN_TRY(pen_block_read(&w->reading->source, &next));
    }
    switch (kind) {
    case PEN_BLOCK_CHANGE: *event = PEN_WORKLOAD_CHANGE; return read_change(w);
    case PEN_BLOCK_STEP: *event = PEN_WORKLOAD_STEP; return read_step(w);
    case PEN_BLOCK_END: return read_end(w);
    case PEN_BLOCK_WORLD:
    case PEN_BLOCK_GRAPH:
    case PEN_BLOCK_ORDER: break;
    }
    return wrong(w, "a block that does not belong here", -1);
}

void pen_workload_close(pen_workload *w)
{
    if (w->reading) {
        pen_block_source_close(&w->reading->source);
        pen_place_map_free(&w->reading->places);
        pen_load_order_free(&w->reading->order);
    }
    free_change(w);
    pen_workload_rows_free(&w->first);
    pen_workload_world_free(&w->world);
    PEN_FREE_ALL(w->loads, w->phase_loads, w->rows, w->columns, w->edge_weights, w->coordinates, w->reading);
    *w = (pen_workload){ .step = 0 };
}
