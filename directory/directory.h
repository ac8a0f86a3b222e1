/* directory.h - who owns a gid: a distributed hash directory.
 *
 * penumbra_partition.h has its public functions. Homes store owners and versions in pages (pages.h). Batches, in any
 * order, travel as pages with bitmaps of gids (batch.h), grouped by home. Duplicates are dropped, and neighbouring gids
 * share a look-up. Replies come in page order, without the questions, and are stored in request order. Time and memory
 * are linear in the batch, whatever the number of ranks. */
#pragma once

#include "base/comm.h"
#include <penumbra_partition.h>

/* Collective. Like pen_directory_create, on one of the library's communicators, which must outlive the directory;
 * destroying the directory is Local. */
PEN_CHECKED pen_status pen_directory_create_within(pen_comm *comm, int64_t expected, pen_directory **directory);

/* Collective. Like the functions without _with. `mine` is the rank's own status so far: if it is an error, the other
 * arguments are ignored, and the call fails on all ranks. */
PEN_CHECKED pen_status pen_directory_update_with(pen_directory *directory, pen_status mine, int64_t count,
                                                 const pen_gid *gids, const int32_t *owners, const int32_t *versions);
PEN_CHECKED pen_status pen_directory_resolve_with(pen_directory *directory, pen_status mine, int64_t count,
                                                  const pen_gid *gids, int32_t *owners);

/* Local. Whether all entries on this rank have their home here, an owner among the ranks, and valid pages. */
bool pen_directory_is_valid(const pen_directory *directory);

/* Local. The number of gids whose home is this rank, and the bytes of memory for them. */
int64_t pen_directory_count(const pen_directory *directory);
int64_t pen_directory_memory_used(const pen_directory *directory);
