/* decode.c - decodes the blocks of a record. */
#include "workload/decode.h"
#include "workload/runs.h"
#include <penumbra_plugin.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Code a number from 0 to `most`; it is shorter than by pen_code_int. */
static void code_count(pen_coder *c, int64_t *value, int64_t most)
{
    if (c->out) pen_bytes_put_number(c->out, (uint64_t)*value);
    else *value = pen_scan_count(c->in, most);
}

static void code_small(pen_coder *c, int *value, int most)
{
    int64_t number = *value;
    code_count(c, &number, most);
    *value = (int)number;
}

static void code_flag(pen_coder *c, bool *value)
{
    int number = *value;
    code_small(c, &number, 1);
    *value = number != 0;
}

static pen_status code_name(pen_coder *c, char **name)
{
    if (!c->out) return pen_scan_text(c->in, name);
    pen_bytes_put_text(c->out, *name);
    return PEN_OK;
}

pen_status pen_code_world(pen_coder *c, pen_workload_world *w)
{
    enum { MOST_DIMENSIONS = 3 };
    int64_t *sizes[] = { &w->width, &w->height, &w->depth, &w->node_bytes, &w->arc_bytes };
    if (c->in) *w = (pen_workload_world){ .load_phases = 1 };
    PEN_TRY(code_name(c, &w->application));
    code_small(c, &w->ranks, INT_MAX);
    code_count(c, &w->steps, INT64_MAX);
    code_flag(c, &w->declared);
    code_flag(c, &w->directed);
    code_small(c, &w->dimensions, MOST_DIMENSIONS);
    code_small(c, &w->grid, PEN_GRID_TORUS);
    for (int i = 0; i < PEN_COUNT_OF(sizes); i++) code_count(c, sizes[i], INT64_MAX);
    if (c->in && w->ranks < 1) c->in->wrong = true;
    if (c->in && c->in->wrong) return PEN_OK;
    code_small(c, &w->phase_count, c->in && c->in->end - c->in->at < INT_MAX ? (int)(c->in->end - c->in->at) : INT_MAX);
    if (c->in) PEN_TRY(PEN_ALLOC_ZERO(&w->phases, w->phase_count));
    for (int p = 0; p < w->phase_count && !(c->in && c->in->wrong); p++) {
        PEN_TRY(code_name(c, &w->phases[p].name));
        code_count(c, &w->phases[p].bytes, INT64_MAX);
    }
    /* One phase, and no steps before, are not written. */
    if (c->in ? c->in->at == c->in->end : w->load_phases <= 1 && w->first == 0) return PEN_OK;
    code_small(c, &w->load_phases, PEN_LOAD_PHASES);
    if (c->in && w->load_phases < 1) c->in->wrong = true;
    if (c->in ? c->in->at < c->in->end : w->first > 0) code_count(c, &w->first, INT64_MAX / 2);
    return PEN_OK;
}

void pen_workload_world_free(pen_workload_world *w)
{
    for (int p = 0; w->phases && p < w->phase_count; p++) free(w->phases[p].name);
    PEN_FREE_ALL(w->application, w->phases);
    *w = (pen_workload_world){ .application = NULL };
}

/* Decode a count of numbers. A block cannot contain more numbers than bytes. */
static int64_t scan_room(pen_scan *s) { return pen_scan_count(s, s->end - s->at); }

/* Decode a gid that is greater than `before`, which may be -1. */
static pen_gid scan_next(pen_scan *s, pen_gid before)
{
    int64_t between = pen_scan_count(s, INT64_MAX);
    s->wrong = s->wrong || (before >= 0 && between >= INT64_MAX - before);
    return s->wrong ? 0 : between + (before + 1);
}

/* Decode a gid from its difference to another gid. */
static pen_gid scan_near(pen_scan *s, pen_gid gid)
{
    int64_t distance = pen_scan_signed(s);
    s->wrong = s->wrong || distance < -gid || distance > INT64_MAX - gid;
    return s->wrong ? 0 : gid + distance;
}

pen_status pen_decode_gids(pen_scan *s, int64_t *count, pen_gid **gids)
{
    pen_gid before = -1;
    *count = scan_room(s);
    PEN_TRY(PEN_ALLOC(gids, *count));
    for (int64_t i = 0; i < *count; i++) before = (*gids)[i] = scan_next(s, before);
    return PEN_OK;
}

/* Decode the requester of node i of a change (write.c has the coding). */
static bool decode_origin(pen_scan *s, const pen_workload_world *w, pen_workload_rows *r, int64_t i)
{
    enum { STAYED, NOBODY, SOMEBODY };
    int64_t kind = pen_scan_count(s, SOMEBODY);
    r->owners[i] = kind == NOBODY ? (int32_t)pen_scan_count(s, w->ranks - 1) : -1;
    r->parents[i] = kind == STAYED ? PEN_WORKLOAD_STAYED : PEN_WORKLOAD_NOBODY;
    if (kind == SOMEBODY) r->parents[i] = scan_near(s, r->gids[i]);
    return kind != STAYED;
}

static void decode_owner(pen_scan *s, const pen_workload_world *w, pen_workload_rows *r, int64_t i)
{
    int64_t owner = (i > 0 ? r->owners[i - 1] : 0) + pen_scan_signed(s);
    s->wrong = s->wrong || owner < 0 || owner >= w->ranks;
    r->owners[i] = s->wrong ? 0 : (int32_t)owner;
}

static void decode_weights(pen_scan *s, int64_t first, int64_t end, int64_t *weights)
{
    for (int64_t a = first; a < end; a++) {
        weights[a] = pen_scan_count(s, INT64_MAX);
        s->wrong = s->wrong || weights[a] < 1;
    }
}

static pen_status decode_row(pen_scan *s, pen_workload_rows *r, int64_t i, int64_t *room)
{
    int64_t first = r->rows[i], end = r->rows[i + 1] = first + scan_room(s), weight_room = *room;
    PEN_TRY(pen_reserve(&r->edge_weights, sizeof *r->edge_weights, end, &weight_room));
    PEN_TRY(pen_reserve(&r->neighbors, sizeof *r->neighbors, end, room));
    for (int64_t a = first; a < end; a++) {
        r->neighbors[a] = a == first ? scan_near(s, r->gids[i]) : scan_next(s, r->neighbors[a - 1]);
        s->wrong = s->wrong || r->neighbors[a] == r->gids[i];
    }
    decode_weights(s, first, end, r->edge_weights);
    return PEN_OK;
}

/* Decode coordinates. They may be NaN for nodes that a change adds. */
static void decode_coordinates(pen_scan *s, int dimensions, bool change, double *coordinates)
{
    for (int d = 0; d < dimensions; d++) {
        coordinates[d] = pen_scan_real(s);
        s->wrong = s->wrong || !(isfinite(coordinates[d]) || (change && isnan(coordinates[d])));
    }
}

pen_status pen_decode_rows(pen_scan *s, const pen_workload_world *w, bool change, pen_workload_rows *r)
{
    int64_t room = 0;
    *r = (pen_workload_rows){ .count = 0 };
    PEN_TRY(pen_decode_gids(s, &r->count, &r->gids));
    PEN_TRY(PEN_ALLOC(&r->owners, r->count));
    if (change) PEN_TRY(PEN_ALLOC(&r->parents, r->count));
    PEN_TRY(PEN_ALLOC_ZERO(&r->rows, r->count + 1));
    if (w->dimensions > 0) PEN_TRY(PEN_ALLOC_ZERO(&r->coordinates, r->count * w->dimensions));
    for (int64_t i = 0; i < r->count && !s->wrong; i++) {
        bool comes = true;
        if (change) comes = decode_origin(s, w, r, i);
        else decode_owner(s, w, r, i);
        PEN_TRY(decode_row(s, r, i, &room));
        if (comes && w->dimensions > 0)
            decode_coordinates(s, w->dimensions, change, r->coordinates + i * w->dimensions);
    }
    return PEN_OK;
}

void pen_workload_rows_free(pen_workload_rows *r)
{
    PEN_FREE_ALL(r->gids, r->owners, r->parents, r->rows, r->neighbors, r->edge_weights, r->coordinates);
    *r = (pen_workload_rows){ .count = 0 };
}

void pen_decode_loads(pen_scan *s, const pen_load_order *order, int32_t places, int phases, double *loads)
{
    s->wrong = pen_scan_count(s, PEN_LOADS_IN_RUNS) != PEN_LOADS_IN_RUNS || s->wrong;
    if (!s->wrong && order->parts == 0) pen_runs_get(s, places, phases, NULL, loads);
    for (int64_t i = 0; i < order->parts && !s->wrong; i++)
        pen_runs_get(s, order->first[i + 1] - order->first[i], phases, order->places + order->first[i], loads);
}

/* ---- The order of loads ---------------------------------------------------------------------- */

pen_status pen_decode_order(pen_scan *s, int32_t places, pen_load_order *order)
{
    int64_t place = -1;
    pen_load_order_free(order);
    const int64_t parts = scan_room(s);
    PEN_TRY(PEN_ALLOC_ZERO(&order->first, parts + 1));
    for (int64_t i = 0; i < parts; i++) order->first[i + 1] = order->first[i] + pen_scan_count(s, places);
    order->parts = s->wrong ? 0 : parts;
    const int64_t count = order->first[order->parts];
    s->wrong = s->wrong || parts < 1 || count > places;
    if (s->wrong) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&order->places, count));
    for (int64_t i = 0; i < count && !s->wrong; i++) {
        const int64_t more = pen_scan_signed(s);
        s->wrong = s->wrong || more < -1 - place || more >= places - 1 - place;
        place += s->wrong ? 0 : 1 + more;
        order->places[i] = (int32_t)place;
    }
    return PEN_OK;
}

void pen_load_order_free(pen_load_order *order)
{
    PEN_FREE_ALL(order->first, order->places);
    *order = (pen_load_order){ .parts = 0 };
}
