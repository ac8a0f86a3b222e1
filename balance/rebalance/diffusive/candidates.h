/* candidates.h - a heap of nodes that may be chosen: highest key first, the oldest of equal ones. */
#pragma once

#include "base/memory.h"
#include "partition/heap.h"

typedef struct candidate {
    int64_t key;
    uint32_t age;
    pen_lid node;
} candidate;

/* Zero at first; free(entries). */
typedef struct candidates {
    candidate *entries;
    int64_t count, room;
    uint32_t pushed;
} candidates;

static inline bool candidate_before(const candidate *a, const candidate *b)
{
    return a->key != b->key ? a->key > b->key : a->age < b->age;
}

PEN_HEAP(candidate, candidate_before)

static inline pen_status candidates_push(candidates *h, int64_t key, pen_lid node)
{
    if (h->count == h->room) PEN_TRY(pen_reserve(&h->entries, sizeof *h->entries, h->count + 1, &h->room));
    heap_push(h->entries, &h->count, (candidate){ key, h->pushed++, node });
    return PEN_OK;
}

static inline candidate candidates_pop(candidates *h) { return heap_pop(h->entries, &h->count); }
