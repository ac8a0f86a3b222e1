/* heap.h - offers in the order in which they are to be taken: the least key first, of equal ones the first vertex. */
#ifndef PEN_MINEX_HEAP_H
#define PEN_MINEX_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct offer {
    double key;
    int32_t vertex, to;
} offer;

typedef struct heap {
    offer *offers; /* the caller's, with room for all */
    int64_t count;
} heap;

static inline bool heap_before(const offer *a, const offer *b)
{
    return a->key < b->key || (a->key == b->key && a->vertex < b->vertex);
}

static inline void heap_push(heap *h, offer o)
{
    int64_t at = h->count++;
    for (; at > 0 && heap_before(&o, &h->offers[(at - 1) / 2]); at = (at - 1) / 2)
        h->offers[at] = h->offers[(at - 1) / 2];
    h->offers[at] = o;
}

static inline offer heap_pop(heap *h)
{
    offer top = h->offers[0], last = h->offers[--h->count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && heap_before(&h->offers[child + 1], &h->offers[child])) child++;
        if (!heap_before(&h->offers[child], &last)) break;
        h->offers[at] = h->offers[child];
    }
    h->offers[at] = last;
    return top;
}

#endif
