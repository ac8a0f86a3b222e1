/* place.h - giving every owned node and shadow its slot. */
#ifndef PEN_PLACE_H
#define PEN_PLACE_H

#include "store.h"

/* Collective. Fill the store from the rows that this rank owns: directory, slots, adjacency,
 * producers and consumers. On failure (the same on all ranks) the store holds what was made so far
 * and can only be destroyed. */
PEN_CHECKED pen_status pen_place(pen_store *store, const pen_rows *rows);

#endif
