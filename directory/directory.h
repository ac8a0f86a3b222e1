/* directory.h - who owns a gid: a distributed hash directory.
 *
 * What it does for others is in penumbra_partition.h. Homes keep owners and versions in pages (pages.h).
 * Batches, in any order, travel as pages with a bitmap of the gids meant (batch.h), grouped by home: duplicates fall
 * away, neighbouring gids share a look-up, answers come back in page order without the questions and land in request
 * order. Time and memory are linear in the batch, whatever the number of ranks. */
#pragma once

#include "base/comm.h"
#include <penumbra_partition.h>

/* Collective. As pen_directory_create, on a communicator of ours, which must outlive it; destroying it is
 * Local. */
PEN_CHECKED pen_status pen_directory_create_within(pen_comm *comm, int64_t expected, pen_directory **directory);

/* Collective. As the functions without _with. `mine` is the rank's own status so far: if it is an error, the other
 * arguments are ignored, and the call fails on all ranks. */
PEN_CHECKED pen_status pen_directory_update_with(pen_directory *directory, pen_status mine, int64_t count,
                                                 const pen_gid *gids, const int32_t *owners, const int32_t *versions);
PEN_CHECKED pen_status pen_directory_resolve_with(pen_directory *directory, pen_status mine, int64_t count,
                                                  const pen_gid *gids, int32_t *owners);

/* Local. Whether what is kept here has its home here, an owner among the ranks, and sound pages. */
bool pen_directory_is_valid(const pen_directory *directory);

/* Local. Gids whose home is this rank, and bytes that it holds for them. */
int64_t pen_directory_count(const pen_directory *directory);
int64_t pen_directory_memory_used(const pen_directory *directory);
