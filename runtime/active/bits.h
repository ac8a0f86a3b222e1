/* bits.h - a set of owned nodes, by their slots: a bit for each, and a bit for each word that is not zero. */
#pragma once

#include <penumbra_basics.h>

typedef struct pen_bits {
    uint64_t *words;   /* [owned/64+1] a bit for each slot */
    uint64_t *summary; /* [owned/4096+1] a bit for each word that is not zero */
    bool any;          /* false: the set is empty */
    bool all;          /* true: the set has all nodes, whatever the words say */
} pen_bits;

/* The longest run of nodes that is computed and compared at once: its records stay in the cache. */
enum { PEN_RUN_LENGTH = 1024 };

static inline void pen_bits_set(pen_bits *b, pen_lid slot)
{
    b->words[slot >> 6] |= UINT64_C(1) << (slot & 63);
    b->summary[slot >> 12] |= UINT64_C(1) << (slot >> 6 & 63);
    b->any = true;
}

static inline bool pen_bits_has(const pen_bits *b, pen_lid slot)
{
    return b->all || (b->words[slot >> 6] >> (slot & 63) & 1);
}

static inline void pen_bits_fill(pen_bits *b) { b->any = b->all = true; }

/* The first slot from `from` on that is in the set; a slot >= end: there is none before `end`. */
static inline pen_lid pen_bits_next(const pen_bits *b, pen_lid from, pen_lid end)
{
    if (b->all || !b->any || from >= end) return b->all ? from : end;
    pen_lid w = from >> 6;
    uint64_t word = b->words[w] & UINT64_MAX << (from & 63);
    if (!word) {
        pen_lid s = ++w >> 6;
        if (w << 6 >= end) return end;
        uint64_t some = b->summary[s] & UINT64_MAX << (w & 63);
        while (!some) {
            if (++s << 12 >= end) return end;
            some = b->summary[s];
        }
        w = (s << 6) + __builtin_ctzll(some);
        word = b->words[w];
    }
    return (w << 6) + __builtin_ctzll(word);
}

/* The end of the run of nodes in the set that begins at `first`, at most PEN_RUN_LENGTH nodes later. */
static inline pen_lid pen_bits_run(const pen_bits *b, pen_lid first, pen_lid end)
{
    const pen_lid most = end - first < PEN_RUN_LENGTH ? end : first + PEN_RUN_LENGTH;
    if (b->all) return most;
    pen_lid w = first >> 6;
    uint64_t gaps = ~b->words[w] & UINT64_MAX << (first & 63);
    while (!gaps && ++w << 6 < most) gaps = ~b->words[w];
    if (!gaps) return most;
    const pen_lid gap = (w << 6) + __builtin_ctzll(gaps);
    return gap < most ? gap : most;
}

static inline void pen_bits_clear(pen_bits *b, pen_lid owned)
{
    for (pen_lid s = 0; b->any && s <= owned >> 12; s++) {
        for (uint64_t some = b->summary[s]; some; some &= some - 1) b->words[(s << 6) + __builtin_ctzll(some)] = 0;
        b->summary[s] = 0;
    }
    b->any = b->all = false;
}
