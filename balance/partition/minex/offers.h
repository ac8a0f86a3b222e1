/* offers.h - a heap of offers, ordered by key; of equal keys the lowest vertex is first. */
#pragma once

#include "partition/heap.h"

#include <stdbool.h>

typedef struct offer {
    double key;
    int32_t vertex, to;
} offer;

typedef struct offers {
    offer *offers; /* the offers, in the caller's memory, which has room for all */
    int64_t count;
} offers;

static inline bool offer_before(const offer *a, const offer *b)
{
    return a->key < b->key || (a->key == b->key && a->vertex < b->vertex);
}

PEN_HEAP(offer, offer_before)

static inline void offers_push(offers *h, offer o) { heap_push(h->offers, &h->count, o); }
static inline offer offers_pop(offers *h) { return heap_pop(h->offers, &h->count); }
