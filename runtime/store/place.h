/* place.h - giving every owned node and shadow its slot, at the start and after every migration. */
#pragma once

#include "store/placing.h"

/* Collective. Fill p->store: slots, adjacency, producers and consumers, from p->old and p->rows, which
 * the caller has set; the directory must know the owners where rows do not tell them. The old store is
 * as it was but for entries of fresh gids in slot_of, which the new store takes over with
 * pen_place_settle, or pen_place_undo removes. Errors are agreed; the new store can then only be
 * destroyed (its slot_of is the old one's, unless there is no old one). */
PEN_CHECKED pen_status pen_location(pen_placing *p);

/* Local, never fails. Make slot_of tell the new slots. */
void pen_place_settle(pen_placing *p);

/* Local, never fails. Make slot_of what it was. */
void pen_place_undo(pen_placing *p);

/* Local. Frees what the structure holds, but the stores and rows. */
void pen_placing_free(pen_placing *p);
