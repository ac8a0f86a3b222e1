/* gets.h - what the one-sided transports have in common: packing for the consumers that want it, and
 * the gets that the plan says. Synchronisation is the transport's business. */
#ifndef PEN_GETS_H
#define PEN_GETS_H

#include "halo/halo.h"

/* Local, before publishing. Copy the next planes' records of the fields in `pull` into the export area
 * for the consumers that pull from there; the time is communication overhead. */
void pen_exports_pack(pen_halo *halo, uint64_t pull);

/* Local, after acquiring. Issue the gets of the fields in `pull`; with remote_only, from ranks on other
 * hosts only. */
void pen_gets_start(pen_halo *halo, uint64_t pull, bool remote_only);

/* Local, inside an epoch. Get `size` bytes at a displacement of a rank's window. */
void pen_get(int rank, MPI_Win window, int64_t displacement, unsigned char *to, int64_t size);

/* Local, when the gets are complete. Scatter what was fetched with gaps. */
void pen_gets_finish(pen_halo *halo, uint64_t pull);

#endif
