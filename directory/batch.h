/* batch.h - the gids of one directory call, grouped by the homes of their pages.
 *
 * Gids in any order become items: one for each page, or, if most pages have one gid, at first one for each gid. Items
 * are sorted by home and then by the hash of the page. A home stores pages that came together in the same order
 * (pages.h). So both sides of a call walk through memory sequentially instead of jumping, which takes most of the time
 * of sparse gids. All functions are Local; time and memory are linear in the batch, whatever the number of ranks.
 *
 * A block for a home consists of words: the number of gids, then the items. An item is the page and a bitmap of its
 * gids. For a single gid, the usual case in a sparse graph, it is PEN_BATCH_ONE with the gid. In an update an item is
 * followed by the entries of its gids, ascending. */
#pragma once

#include "base/hash.h"
#include "base/sparse.h"
#include "directory/pages.h"

#define PEN_BATCH_ONE (UINT64_C(1) << 63)

/* Whether items travel with entries, 0 at first. */
typedef enum pen_batch_kind { PEN_BATCH_GIDS, PEN_BATCH_ENTRIES } pen_batch_kind;

typedef struct pen_batch_item {
    union {
        uint64_t page;
        int64_t first; /* once packed: where its gids begin, among all gids sent or in words from blocks.data on */
    } at;
    uint64_t mask; /* where several items are of one page, the gids of all */
} pen_batch_item;

typedef struct pen_batch {
    pen_batch_item *items; /* as pages first occur */
    uint32_t *item_of;     /* [gids of the call], in the order of the call */
    int64_t *at;           /* [gids of the call] their places, in place of the two, where most pages have one gid */
    pen_blocks blocks;     /* for the homes; not to be freed */
    unsigned char *memory; /* all of it */
} pen_batch;

/* The home of a page among so many ranks. */
static inline int pen_page_home(uint64_t page, int homes)
{
    return (int)pen_hash_range(pen_mix(page), (uint64_t)homes);
}

/* count from 0. On failure, too, pen_batch_free. Errors: PEN_ERR_ARGUMENT (a gid below 0), PEN_ERR_UNSUPPORTED (count
 * beyond 2^31 - 1), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_batch_build(int homes, pen_batch_kind kind, int64_t count, const pen_gid *gids,
                                       pen_batch *batch);
void pen_batch_free(pen_batch *batch);

/* Where gid number i of the call has its place, counted as `first`. The cursor, which begins as PEN_BATCH_START, makes
 * it cheap where gids ascend. */
typedef struct pen_batch_cursor {
    uint32_t item;
    uint64_t mask, seen; /* the item's; the bits up to that of the gid before */
    int64_t at;
} pen_batch_cursor;
#define PEN_BATCH_START ((pen_batch_cursor){ UINT32_MAX, 0, 0, 0 })

static inline int64_t pen_batch_find(const pen_batch *batch, pen_batch_cursor *cursor, int64_t i, pen_gid gid)
{
    if (batch->at) return batch->at[i];
    uint32_t item = batch->item_of[i];
    uint64_t below = pen_page_bit(gid) - 1;
    if (item == cursor->item && (cursor->mask & (below ^ cursor->seen)) == 0) {
        cursor->at++;
    } else {
        cursor->item = item;
        cursor->mask = batch->items[item].mask;
        cursor->at = batch->items[item].at.first + pen_page_size(cursor->mask & below);
    }
    cursor->seen = below << 1 | 1;
    return cursor->at;
}

/* A hint: gid number i of a call with entries will be looked for. */
static inline void pen_batch_prefetch(const pen_batch *batch, int64_t i)
{
    __builtin_prefetch(batch->blocks.data + 8 * (batch->at ? batch->at[i] : batch->items[batch->item_of[i]].at.first),
                       1);
}

/* A received block: the part that is not read yet. */
typedef struct pen_batch_reader {
    uint64_t *next, *end;
} pen_batch_reader;

/* Begin; *gids is increased by how many there are. */
pen_batch_reader pen_batch_open(const pen_blocks *blocks, int block, int64_t *gids);

/* The next items, PEN_PAGES_TOGETHER at most; where there are entries, entries[i] is where those of item i are, else
 * NULL is passed. 0: that was all. */
int pen_batch_read(pen_batch_reader *reader, pen_page_mask items[PEN_PAGES_TOGETHER],
                   uint64_t *entries[PEN_PAGES_TOGETHER]);
