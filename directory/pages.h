/* pages.h - a map from gids to 64-bit values that costs little where gids are dense and not much
 * where they are sparse.
 *
 * Gids are grouped into pages of 64; a uthash table holds, per page, a 64-bit bitmap of the gids
 * present and their values packed in order. A page with one value holds it in place. Dense: about
 * 10 bytes per gid; one gid per page: at most 96 bytes per gid, all included. */
#ifndef PEN_PAGES_H
#define PEN_PAGES_H

#include "memory.h"

typedef struct pen_pages pen_pages;

/* Local, all of them. `expected` is a hint: how many gids will come (0: unknown). */
PEN_CHECKED pen_status pen_pages_create(int64_t expected, pen_pages **pages);
void pen_pages_destroy(pen_pages **pages);

/* Set or replace the value of gid >= 0. */
PEN_CHECKED pen_status pen_pages_set(pen_pages *pages, pen_gid gid, uint64_t value);

/* A pointer to the value of gid, or NULL where it is absent; valid until the next set or remove.
 * Consecutive look-ups in one page cost no hashing. */
uint64_t *pen_pages_find(pen_pages *pages, pen_gid gid);

/* Remove gid; nothing happens where it is absent. */
void pen_pages_remove(pen_pages *pages, pen_gid gid);

int64_t pen_pages_count(const pen_pages *pages);
int64_t pen_pages_memory_used(const pen_pages *pages);

/* The page of a gid: directory homes are chosen by page, so that neighbouring gids share one. */
static inline uint64_t pen_page_of(pen_gid gid) { return (uint64_t)gid >> 6; }

#endif
