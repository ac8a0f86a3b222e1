/* replay_mutual.c - makes a directed graph's neighbours mutual. */
#include "base/memory.h"
#include "tools/sim/replay_views.h"

#include <stdlib.h>

/* The nodes that read each node, ascending by gid. */
typedef struct readers {
    uint32_t *first;  /* [places+2] index of each node's first reader */
    int32_t *places;  /* [arcs] places of the readers */
    int64_t *weights; /* [arcs] weights of the arcs */
} readers;

static int64_t weight_of(const pen_workload *w, uint32_t arc) { return w->edge_weights ? w->edge_weights[arc] : 1; }

static pen_status find_readers(const pen_workload *w, readers *r)
{
    const uint32_t arcs = w->rows[w->places];
    int32_t *order = NULL;
    PEN_TRY(PEN_ALLOC_ZERO(&r->first, (int64_t)w->places + 2));
    PEN_TRY(PEN_ALLOC(&r->places, arcs));
    PEN_TRY(PEN_ALLOC(&r->weights, arcs));
    pen_status status = pen_replay_list_by_gid(w, &order);
    for (uint32_t a = 0; a < arcs; a++) r->first[w->columns[a] + 2]++;
    for (int32_t i = 0; i < w->places; i++) r->first[i + 2] += r->first[i + 1];
    for (int32_t k = 0; status == PEN_OK && k < w->nodes; k++)
        for (uint32_t a = w->rows[order[k]]; a < w->rows[order[k] + 1]; a++) {
            uint32_t at = r->first[w->columns[a] + 1]++;
            r->places[at] = order[k];
            r->weights[at] = weight_of(w, a);
        }
    free(order);
    return status;
}

/* Merge the nodes that a node reads and those that read it, both ascending by gid, into one row. */
static uint32_t merge(const pen_workload *w, const readers *r, int32_t place, uint32_t to, replay_mutual *m)
{
    uint32_t a = w->rows[place], b = r->first[place];
    const uint32_t a_end = w->rows[place + 1], b_end = r->first[place + 1];
    for (; a < a_end || b < b_end; to++) {
        bool reads = a < a_end && (b == b_end || w->gids[w->columns[a]] <= w->gids[r->places[b]]);
        bool read = b < b_end && (a == a_end || w->gids[r->places[b]] <= w->gids[w->columns[a]]);
        m->columns[to] = reads ? w->columns[a] : r->places[b];
        m->reads[to] = reads ? weight_of(w, a) : 0;
        m->weights[to] = m->reads[to] + (read ? r->weights[b] : 0);
        a += reads;
        b += read;
    }
    return to;
}

static pen_status make(const pen_workload *w, const readers *r, replay_mutual *m)
{
    const int64_t arcs = 2 * (int64_t)w->rows[w->places];
    if (arcs > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " arcs in both directions, 2^32 - 1 are possible", arcs);
    PEN_TRY(PEN_ALLOC_ZERO(&m->rows, (int64_t)w->places + 1));
    PEN_TRY(PEN_ALLOC(&m->columns, arcs));
    PEN_TRY(PEN_ALLOC(&m->weights, arcs));
    PEN_TRY(PEN_ALLOC(&m->reads, arcs));
    for (int32_t i = 0; i < w->places; i++) m->rows[i + 1] = merge(w, r, i, m->rows[i], m);
    return PEN_OK;
}

pen_status pen_replay_mutual_update(const pen_workload *record, int64_t changes, replay_mutual *mutual)
{
    readers r = { .first = NULL };
    if (mutual->changes == changes) return PEN_OK;
    pen_replay_mutual_free(mutual);
    pen_status status = find_readers(record, &r);
    if (status == PEN_OK) status = make(record, &r, mutual);
    PEN_FREE_ALL(r.first, r.places, r.weights);
    if (status != PEN_OK) pen_replay_mutual_free(mutual);
    else mutual->changes = changes;
    return status;
}

void pen_replay_mutual_free(replay_mutual *mutual)
{
    PEN_FREE_ALL(mutual->rows, mutual->columns, mutual->weights, mutual->reads);
    *mutual = (replay_mutual){ .changes = -1 };
}
