/* abi.h - structures of callers that were built against another header: shorter ones of older headers, longer ones of
 * newer headers (see pen_abi in penumbra.h). */
#pragma once

#include "base/status.h"

/* All Local. */

/* The caller's sizes, whole: what its pen_abi does not have is 0. */
pen_abi pen_abi_of(const pen_abi *theirs);

/* Copy a structure of `had` bytes into ours of `size` bytes: what it does not have is zero. PEN_ERR_UNSUPPORTED where
 * it has, and uses, what this library does not know; `what` names the structure. */
PEN_CHECKED pen_status pen_adopt(const char *what, const void *theirs, size_t had, void *ours, size_t size);

/* The same for a table of `count` >= 0 of them, in memory that the caller frees; NULL where `theirs` is, or count is 0.
 * *table: a pointer to the pointer. PEN_ERR_MEMORY besides. */
PEN_CHECKED pen_status pen_adopt_table(const char *what, const void *theirs, int64_t count, size_t had, void *table,
                                       size_t size);

/* How many options or settings stand in a table before the entry without a name; NULL: none. */
int64_t pen_options_count(const void *theirs, size_t had);
