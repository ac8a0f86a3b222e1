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

/* Whether items travel with entries, which are 0 at first. */
typedef enum pen_batch_kind { PEN_BATCH_GIDS, PEN_BATCH_ENTRIES } pen_batch_kind;

typedef struct pen_batch_item {
    union {
        uint64_t page;
        /* After packing: place of the item's first gid, counted among all gids that are sent, or in words from
         * blocks.data. */
        int64_t first;
    } at;
    uint64_t mask; /* the gids of the item; after packing, of all items with its page */
} pen_batch_item;

typedef struct pen_batch {
    pen_batch_item *items; /* items, in the order in which pages first occur */
    uint32_t *item_of;     /* [gids of the call] item of each gid, in the order of the call */
    int64_t *at; /* [gids of the call] place of each gid, instead of the two other arrays, if most pages have one gid */
    pen_blocks blocks;     /* blocks for the homes, not to be freed */
    unsigned char *memory; /* the memory of all arrays */
} pen_batch;

/* The home of a page, one of `homes` ranks. */
static inline int pen_page_home(uint64_t page, int homes)
{
    return (int)pen_hash_range(pen_mix(page), (uint64_t)homes);
}

/* Local. Build a batch of the gids [count]. Call pen_batch_free also after a failure. Errors: PEN_ERR_ARGUMENT (no
 * gids, or one or their number below 0), PEN_ERR_UNSUPPORTED (count beyond 2^31 - 1), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_batch_build(int homes, pen_batch_kind kind, int64_t count, const pen_gid *gids,
                                       pen_batch *batch);
void pen_batch_free(pen_batch *batch);

/* Get the place of gid number i of the call, counted like `first`. The cursor, which begins as PEN_BATCH_START, makes
 * this cheap if gids ascend. */
typedef struct pen_batch_cursor {
    uint32_t item;
    uint64_t mask, seen; /* bit mask of the item; its bits up to the previous gid */
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

/* A hint that gid number i of a call with entries will be looked up. */
static inline void pen_batch_prefetch(const pen_batch *batch, int64_t i)
{
    __builtin_prefetch(batch->blocks.data + 8 * (batch->at ? batch->at[i] : batch->items[batch->item_of[i]].at.first),
                       1);
}

/* The unread part of a received block. */
typedef struct pen_batch_reader {
    uint64_t *next, *end;
} pen_batch_reader;

/* Begin to read a block; *gids is increased by its number of gids. */
pen_batch_reader pen_batch_open(const pen_blocks *blocks, int block, int64_t *gids);

/* Read the next items, at most PEN_PAGES_TOGETHER. entries[i] becomes the address of the entries of item i; `entries`
 * is NULL if there are none. Returns the number of items; 0: the block has ended. */
int pen_batch_read(pen_batch_reader *reader, pen_page_mask items[PEN_PAGES_TOGETHER],
                   uint64_t *entries[PEN_PAGES_TOGETHER]);
