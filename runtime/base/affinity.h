/* affinity.h - the processors on which a thread may run. */
#pragma once

enum { PEN_AFFINITY_BYTES = 1024 };

/* Local. Get the processors of this thread, one bit each, by the system's numbers. If the system does not know them,
 * these are all processors that are online. */
void pen_affinity_mine(unsigned char mask[PEN_AFFINITY_BYTES]);

/* Local. The number of processors in the mask; and whether processor `number`, from 0, is in it. */
int pen_affinity_count(const unsigned char mask[PEN_AFFINITY_BYTES]);
int pen_affinity_has(const unsigned char mask[PEN_AFFINITY_BYTES], int number);
