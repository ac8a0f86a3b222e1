/* heap.h - nodes in the order in which they are to be chosen: highest key first, the oldest of equal ones. */
#ifndef PEN_DIFFUSIVE_HEAP_H
#define PEN_DIFFUSIVE_HEAP_H

#include "base/memory.h"

typedef struct heap_entry {
    int64_t key;
    uint32_t age;
    pen_lid node;
} heap_entry;

/* Zero at first; free(entries). */
typedef struct heap {
    heap_entry *entries;
    int64_t count, room;
    uint32_t pushed;
} heap;

static inline bool heap_before(const heap_entry *a, const heap_entry *b)
{
    return a->key != b->key ? a->key > b->key : a->age < b->age;
}

static inline pen_status heap_push(heap *h, int64_t key, pen_lid node)
{
    if (h->count == h->room) {
        PEN_TRY(PEN_REALLOC(&h->entries, 2 * h->room + 64));
        h->room = 2 * h->room + 64;
    }
    heap_entry entry = { key, h->pushed++, node };
    int64_t at = h->count++;
    for (; at > 0 && heap_before(&entry, &h->entries[(at - 1) / 2]); at = (at - 1) / 2)
        h->entries[at] = h->entries[(at - 1) / 2];
    h->entries[at] = entry;
    return PEN_OK;
}

/* The heap is not empty. */
static inline heap_entry heap_pop(heap *h)
{
    heap_entry top = h->entries[0], last = h->entries[--h->count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && heap_before(&h->entries[child + 1], &h->entries[child])) child++;
        if (!heap_before(&h->entries[child], &last)) break;
        h->entries[at] = h->entries[child];
    }
    h->entries[at] = last;
    return top;
}

#endif
