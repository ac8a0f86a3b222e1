/* entries.h - what a directory keeps of a gid: for the sources of this box only. */
#pragma once

#include "base/comm.h"
#include "directory/pages.h"

struct pen_directory {
    pen_comm *comm, *own;                   /* NULL: it is the caller's */
    pen_pages *pages;                       /* entries of the gids whose home is here */
    struct pen_tentative_update *tentative; /* NULL: there is none */
};

/* An entry: version + 1 in the high half, owner in the low one. 0, older than all, is no entry. */
static inline uint64_t pen_entry_of(int32_t owner, int32_t version)
{
    return ((uint64_t)version + 1) << 32 | (uint32_t)owner;
}
static inline int32_t pen_entry_owner(uint64_t entry) { return (int32_t)(entry & UINT32_MAX); }
