/* memory.h - allocation that reports, narrowing that is checked, and the usual orders of arrays. */
#pragma once

#include "base/status.h"

/* Local. `count` elements of `size` bytes, unspecified (or zero) contents; the caller frees with
 * free(). A count of 0 gives a pointer that may be freed. *memory is NULL on failure. Huge pages are asked for where
 * they fit in. */
PEN_CHECKED pen_status pen_alloc(void *memory, int64_t count, size_t size);
PEN_CHECKED pen_status pen_alloc_zero(void *memory, int64_t count, size_t size);

/* Local. Resize to `count` elements; on failure *memory stays valid and unchanged. */
PEN_CHECKED pen_status pen_realloc(void *memory, int64_t count, size_t size);

/* Local. Room for `needed` elements of `size` bytes in an array that grows: *room is how many fit in, and becomes twice
 * as many at least, so that adding one after the other is cheap. On failure both stay as they are. */
PEN_CHECKED pen_status pen_reserve(void *memory, size_t size, int64_t needed, int64_t *room);

/* PEN_ALLOC(&array, n): n elements of what the pointer points to. */
#define PEN_ALLOC(pointer, count) pen_alloc((pointer), (count), sizeof **(pointer))
#define PEN_ALLOC_ZERO(pointer, count) pen_alloc_zero((pointer), (count), sizeof **(pointer))
#define PEN_REALLOC(pointer, count) pen_realloc((pointer), (count), sizeof **(pointer))

/* Local. A copy that the caller frees. */
PEN_CHECKED pen_status pen_copy_text(const char *text, char **copy);

/* Local. PEN_FREE_ALL(a, b, ...) frees what the pointers point to, each of which may be NULL. */
void pen_free_all(int count, void *const *blocks);
#define PEN_FREE_ALL(...) pen_free_all(PEN_COUNT_OF(((void *[]){ __VA_ARGS__ })), (void *[]){ __VA_ARGS__ })

/* Local. Give the system back what was freed, which glibc would keep for good, up to 32 MiB a block. */
void pen_return_freed(void);

/* Local. Ascending, for qsort and bsearch: elements are or begin with a gid, a 32-bit integer, two of one kind. */
int pen_by_gid(const void *a, const void *b);
int pen_by_int32(const void *a, const void *b);
int pen_by_gids(const void *a, const void *b);
int pen_by_int32s(const void *a, const void *b);

/* Local. Narrow a count; what does not fit ends in PEN_ERR_UNSUPPORTED with `what` in the message. */
PEN_CHECKED pen_status pen_to_int(int64_t value, const char *what, int *narrow);
PEN_CHECKED pen_status pen_to_lid(int64_t value, const char *what, pen_lid *narrow);

/* Tests set this, on any rank: the how-manieth allocation from now fails; 0: none does. */
extern int64_t pen_alloc_countdown;
