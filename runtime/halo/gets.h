/* gets.h - the common part of the one-sided transports: packing for the consumers that want packed records, and the
 * gets of the plan. The transport synchronises. */
#pragma once

#include "halo/halo.h"

/* Collective. Begin the epoch that lasts as long as the window, unless the lender has begun it. Each rank passes its
 * status so far; after a failure of some rank no rank has an epoch. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_gets_lock(pen_halo *halo, pen_status mine, MPI_Win window);

/* Local, before publishing. Copy the records of the fields in `pull` from the next planes into the export area, for
 * the consumers that pull from there. The time counts as communication overhead. */
void pen_exports_pack(pen_halo *halo, uint64_t pull);

/* Local, after acquiring. Issue the gets of the fields in `pull`; with remote_only, only those from ranks on other
 * hosts. */
void pen_gets_start(pen_halo *halo, uint64_t pull, bool remote_only);

/* Local, inside an epoch. Get `size` bytes at a displacement of a rank's window. */
void pen_get(int rank, MPI_Win window, int64_t displacement, unsigned char *to, int64_t size);

/* Local, when the gets are complete. Scatter records that were fetched together with gaps. */
void pen_gets_finish(pen_halo *halo, uint64_t pull);
