/* affinity.h - the processors that the scheduler lets a thread run on. */
#pragma once

enum { PEN_AFFINITY_BYTES = 1024 };

/* Local. Those that this thread may run on, a bit each, as the system numbers them: all that are online where it does
 * not say. */
void pen_affinity_mine(unsigned char mask[PEN_AFFINITY_BYTES]);

/* Local. How many there are; and whether there is processor `number`, from 0. */
int pen_affinity_count(const unsigned char mask[PEN_AFFINITY_BYTES]);
int pen_affinity_has(const unsigned char mask[PEN_AFFINITY_BYTES], int number);
