/* places.h - a table of the places of nodes by gid, for very many look-ups in random order. Neighbouring gids share an
 * entry if they are dense. All Local. */
#pragma once

#include "base/memory.h"

/* The place of a node: its owner and its slot there. */
static inline int64_t pen_mail_place(int rank, pen_lid slot) { return (int64_t)rank << 32 | (uint32_t)slot; }
static inline int pen_mail_rank(int64_t place) { return (int)(place >> 32); }
static inline pen_lid pen_mail_slot(int64_t place) { return (pen_lid)(place & UINT32_MAX); }

/* In place of a place, all negative: nothing is known of the gid; no node has it; it is the i-th of the gids that are
 * being looked up. */
#define PEN_PLACE_UNKNOWN INT64_C(-1)
#define PEN_NO_PLACE INT64_MIN
static inline int64_t pen_mail_asked(int64_t i) { return -2 - i; }

/* The places of 1 << shift consecutive gids, whose number is key - 1; key 0: the entry is free. at >= 0: all are known,
 * on one rank, in slots that ascend with the gids, and the first is `at`. Otherwise they are at places[~at << shift].
 */
typedef struct pen_place_page {
    uint64_t key;
    int64_t at;
} pen_place_page;

typedef struct pen_place_table {
    pen_place_page *table; /* [1 << bits] open addressing */
    int bits, shift;
    int64_t pages, room;
    int64_t *places; /* [room] */
} pen_place_table;

/* Begin an empty table for about so many gids. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_place_table_open(pen_place_table *p, int64_t count, int shift);
void pen_place_table_free(pen_place_table *p);

/* Enter the place of gid >= 0, of which nothing is known, or which is being looked up. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_place_table_set(pen_place_table *p, pen_gid gid, int64_t place);

/* The place in the table's entries where the page of a gid is, or would be. The multiplier is 2^64 divided by the
 * golden ratio, so that consecutive pages hardly ever share a place. */
static inline pen_place_page *pen_place_table_entry(const pen_place_table *p, uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << p->bits) - 1;
    for (uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - p->bits);; at = (at + 1) & mask)
        if (p->table[at].key == key || p->table[at].key == 0) return &p->table[at];
}

/* The place of gid >= 0, or why it has none. */
static inline int64_t pen_place_table_find(const pen_place_table *p, pen_gid gid)
{
    const pen_place_page *page = pen_place_table_entry(p, ((uint64_t)gid >> p->shift) + 1);
    const int64_t offset = gid & ((INT64_C(1) << p->shift) - 1);
    if (!page->key) return PEN_PLACE_UNKNOWN;
    return page->at >= 0 ? page->at + offset : p->places[(~page->at << p->shift) + offset];
}
