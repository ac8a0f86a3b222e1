/* memory.h - allocation with status, checked narrowing, and common comparison functions. */
#pragma once

#include "base/per_rank.h"
#include "base/status.h"

/* Local. Allocate `count` elements of `size` bytes, unspecified (or zero) contents; the caller frees them with free().
 * A count of 0 gives a pointer that may be freed. *memory is NULL on failure. Large blocks use huge pages if the system
 * has them. */
PEN_CHECKED pen_status pen_alloc(void *memory, int64_t count, size_t size);
PEN_CHECKED pen_status pen_alloc_zero(void *memory, int64_t count, size_t size);

/* Local. Resize to `count` elements; on failure *memory stays valid and unchanged. */
PEN_CHECKED pen_status pen_realloc(void *memory, int64_t count, size_t size);

/* Local. Make room for `needed` elements of `size` bytes in a growing array. *room is the number that fits; when it
 * is too small, it at least doubles, so that adding elements one by one is cheap. On failure both are unchanged. */
PEN_CHECKED pen_status pen_reserve(void *memory, size_t size, int64_t needed, int64_t *room);

/* PEN_ALLOC(&array, n) allocates n elements of the type to which the pointer points. */
#define PEN_ALLOC(pointer, count) pen_alloc((pointer), (count), sizeof **(pointer))
#define PEN_ALLOC_ZERO(pointer, count) pen_alloc_zero((pointer), (count), sizeof **(pointer))
#define PEN_REALLOC(pointer, count) pen_realloc((pointer), (count), sizeof **(pointer))

/* Local. Make a copy that the caller frees. */
PEN_CHECKED pen_status pen_copy_text(const char *text, char **copy);

/* Local. PEN_FREE_ALL(a, b, ...) frees the memory at the pointers, which may be NULL. */
void pen_free_all(int count, void *const *blocks);
#define PEN_FREE_ALL(...) pen_free_all(PEN_COUNT_OF(((void *[]){ __VA_ARGS__ })), (void *[]){ __VA_ARGS__ })

/* Local. Return freed memory to the system. Otherwise glibc keeps blocks of up to 32 MiB. */
void pen_return_freed(void);

/* Local. Comparison functions for ascending order by qsort and bsearch. Elements are, or begin with, a gid, a 32-bit
 * integer, two gids, or two 32-bit integers. */
int pen_by_gid(const void *a, const void *b);
int pen_by_int32(const void *a, const void *b);
int pen_by_gids(const void *a, const void *b);
int pen_by_int32s(const void *a, const void *b);

/* Local. Narrow a count. PEN_ERR_UNSUPPORTED, with `what` in the message: the count does not fit. */
PEN_CHECKED pen_status pen_to_int(int64_t value, const char *what, int *narrow);
PEN_CHECKED pen_status pen_to_lid(int64_t value, const char *what, pen_lid *narrow);

/* A countdown that tests set on any rank to n: the n-th allocation from now fails; 0: none fails. */
extern PEN_PER_RANK int64_t pen_alloc_countdown;
