/* abi.h - adopts structures of programs that were built with another version of the headers. Those of older headers
 * are shorter, those of newer ones longer (see pen_abi in penumbra.h). */
#pragma once

#include "base/status.h"

/* All Local. */

/* The caller's sizes as a complete pen_abi: members that the caller's lacks are 0. */
pen_abi pen_abi_of(const pen_abi *theirs);

/* Copy a structure of `had` bytes into ours of `size` bytes; missing members become zero. `what` names the
 * structure. PEN_ERR_UNSUPPORTED: it uses members that this library does not know. */
PEN_CHECKED pen_status pen_adopt(const char *what, const void *theirs, size_t had, void *ours, size_t size);

/* A group of members, a structure in a structure, that can grow without moving the members after it. */
typedef struct pen_abi_group {
    const char *what; /* its name */
    pen_abi_part theirs, ours;
} pen_abi_group;

/* Copy a structure like pen_adopt. The groups [count] are its last members, in ascending order; every version has the
 * first group, and new members come before it. Each group is copied like a structure of its own. A group that the
 * caller's structure lacks becomes zero. */
PEN_CHECKED pen_status pen_adopt_groups(const char *what, const void *theirs, size_t had, void *ours, size_t size,
                                        int count, const pen_abi_group *groups);

/* pen_adopt for a table of `count` >= 0 of them, in memory that the caller frees; NULL if `theirs` is NULL or count
 * is 0. *table: a pointer to the pointer. PEN_ERR_MEMORY besides. */
PEN_CHECKED pen_status pen_adopt_table(const char *what, const void *theirs, int64_t count, size_t had, void *table,
                                       size_t size);

/* The number of options or settings in a table, which ends with an entry without a name. A table NULL has none. */
int64_t pen_options_count(const void *theirs, size_t had);
