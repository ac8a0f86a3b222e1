/* pages.h - a map from gids to 64-bit values that needs little memory for dense gids and not much for sparse ones.
 *
 * Gids are grouped into pages of 64; a uthash table holds the pages, each a cache line. A page with one value holds it
 * in place. A page with more values has a 64-bit bitmap of the gids present and their values, packed in ascending
 * order. The memory per gid is about 10 bytes if gids are dense, and at most 96 if every gid has its own page: 64 for
 * the page, 24 for buckets (more pages per bucket would save 16, but make look-ups slower). Pages that arrive together
 * in the order of their hashes are stored in that order, and so are buckets: look-ups in that order are fastest. All
 * functions are Local. */
#pragma once

#include "base/memory.h"

typedef struct pen_pages pen_pages;

/* Some gids of one page. Bit b of a mask stands for the gid pen_page_gid(page, b). */
typedef struct pen_page_mask {
    uint64_t page, mask;
} pen_page_mask;

/* Create an empty map, which the caller destroys. `expected` >= 0 is a hint: the number of gids that will be added if
 * they are dense (0: unknown). Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pages_create(int64_t expected, pen_pages **pages);

/* Destroy a map. Nulls *pages; NULL and a null handle are legal. */
void pen_pages_destroy(pen_pages **pages);

/* Set or replace the value of gid >= 0. Replacing never fails. Errors: PEN_ERR_MEMORY, with the map unchanged. */
PEN_CHECKED pen_status pen_pages_set(pen_pages *pages, pen_gid gid, uint64_t value);

/* A pointer to the value of gid >= 0, or NULL if it is absent; valid until the next set, add or remove. Consecutive
 * look-ups in one page cost no hashing. */
uint64_t *pen_pages_find(pen_pages *pages, pen_gid gid);

/* Look up the gids[i] >= 0: values[i] becomes their values, or PEN_PAGES_ABSENT; arrays are [count]. For gids in random
 * order this is a few times faster than single look-ups. */
#define PEN_PAGES_ABSENT UINT64_MAX
void pen_pages_find_all(const pen_pages *pages, int64_t count, const pen_gid *gids, uint64_t *values);

/* Remove gid >= 0; if it is absent, nothing happens. Never fails. */
void pen_pages_remove(pen_pages *pages, pen_gid gid);

/* Give memory back if only a small part of it is in use and there is memory for doing so. Never fails. */
void pen_pages_compact(pen_pages *pages);

/* The contents of a page, in the order of gids; valid until the next set, add or remove. */
typedef struct pen_page_walk {
    uint64_t present; /* bit mask of the gids that are still to come */
    uint64_t *next;   /* [gids of present] their values, ascending by gid, writable */
} pen_page_walk;

/* Access many gids of one page at once.
 *
 *     pen_pages_add: the absent gids of `mask` become present, with the values said[gids of mask], ascending by gid;
 *          values of present gids are ignored. *had becomes the mask of the gids that were present before, *walk
 *          begins with all present ones. Errors: PEN_ERR_MEMORY, with the map unchanged.
 *     pen_pages_page: the page's gids; none if there is no page. */
PEN_CHECKED pen_status pen_pages_add(pen_pages *pages, uint64_t page, uint64_t mask, const uint64_t *said,
                                     uint64_t *had, pen_page_walk *walk);
pen_page_walk pen_pages_page(pen_pages *pages, uint64_t page);

/* Hints for many look-ups in a row, which make them several times as fast for sparse gids: there will be `count` pages;
 * the pages of the first PEN_PAGES_TOGETHER of `count` items will be looked up. */
enum { PEN_PAGES_TOGETHER = 32 };
void pen_pages_reserve(pen_pages *pages, int64_t count);
void pen_pages_prefetch(const pen_pages *pages, int64_t count, const pen_page_mask *items);

/* Numbers of gids and pages, and bytes in use: structures, buckets and malloc's own. */
int64_t pen_pages_count(const pen_pages *pages);
int64_t pen_pages_in_use(const pen_pages *pages);
int64_t pen_pages_memory_used(const pen_pages *pages);

/* Whether the invariants hold, and `check` (may be NULL) is true for every page. */
typedef bool pen_page_check_fn(const void *context, uint64_t page, uint64_t present, const uint64_t *values);
bool pen_pages_is_valid(const pen_pages *pages, pen_page_check_fn *check, const void *context);

/* The page of a gid, by which directories choose homes, so that neighbouring gids have the same one; the bit of a gid
 * in its page; the gid of a page's bit. */
static inline uint64_t pen_page_of(pen_gid gid) { return (uint64_t)gid >> 6; }
static inline uint64_t pen_page_bit(pen_gid gid) { return UINT64_C(1) << (gid & 63); }
static inline pen_gid pen_page_gid(uint64_t page, int bit) { return (pen_gid)(page << 6 | (uint64_t)bit); }

/* Population count without branches (the built-in is a library call without a CPU flag); a variant that returns early
 * for one bit, the usual case in a sparse graph; the number of bits below `bit`, i.e. the index of a gid's value in its
 * page. */
static inline int pen_page_bits(uint64_t mask)
{
    mask -= mask >> 1 & UINT64_C(0x5555555555555555);
    mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
    mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(mask * UINT64_C(0x0101010101010101) >> 56);
}
static inline int pen_page_size(uint64_t mask) { return (mask & (mask - 1)) == 0 ? mask != 0 : pen_page_bits(mask); }
static inline int pen_page_index(uint64_t mask, uint64_t bit) { return pen_page_size(mask & (bit - 1)); }

/* Advance to the gid of `bit`: the address of its value, or NULL if it is absent. Bits are requested in ascending
 * order, each once. There is no branch, since the number of skipped bits is unpredictable. */
static inline uint64_t *pen_page_step(pen_page_walk *walk, uint64_t bit)
{
    uint64_t passed = walk->present & (bit - 1);
    walk->next += pen_page_bits(passed);
    walk->present ^= passed;
    if (!(walk->present & bit)) return NULL;
    walk->present ^= bit;
    return walk->next++;
}

/* Local. The version of uthash that this was built with, such as "2.3.0". Static storage. */
const char *pen_uthash_version(void);
