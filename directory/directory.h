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

/* Local. Whether what is kept here has its home here, an owner among the ranks, and sound pages. */
bool pen_directory_is_valid(const pen_directory *directory);

/* Local. Gids whose home is this rank, and bytes that it holds for them. */
int64_t pen_directory_count(const pen_directory *directory);
int64_t pen_directory_memory_used(const pen_directory *directory);
