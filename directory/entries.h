/* entries.h - the data that a directory keeps for a gid: for the sources of this box only. */
#pragma once

#include "base/comm.h"
#include "directory/pages.h"

struct pen_directory {
    pen_comm *comm, *own; /* the communicator, and the same if it is owned; own is NULL if the caller owns it */
    pen_pages *pages;     /* entries of the gids whose home is this rank */
    struct pen_tentative_update *tentative; /* the tentative update; NULL: there is none */
};

/* An entry has version + 1 in the high half and the owner in the low half. 0 means no entry; it is older than any
 * version. */
static inline uint64_t pen_entry_of(int32_t owner, int32_t version)
{
    return ((uint64_t)version + 1) << 32 | (uint32_t)owner;
}
static inline int32_t pen_entry_owner(uint64_t entry) { return (int32_t)(entry & UINT32_MAX); }
