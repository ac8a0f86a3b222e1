/* place.h - gives each owned node and each shadow its slot, at the start and in each migration. */
#pragma once

#include "store/placing.h"

/* Collective. Fill p->store (slots, adjacency, producers and consumers) from p->old and p->rows, which the caller
 * has set. If rows do not have the owners of neighbours, the directory must know them. The old store does not
 * change, except that slot_of gets entries of fresh gids; pen_place_settle hands slot_of over to the new store,
 * pen_place_undo removes these entries. Errors are agreed. After an error the new store can only be destroyed; it
 * shares slot_of with the old store, if there is one. */
PEN_CHECKED pen_status pen_place_nodes(pen_placing *p);

/* Local, never fails. Enter the new slots in slot_of. */
void pen_place_settle(pen_placing *p);

/* Local, never fails. Restore slot_of. */
void pen_place_undo(pen_placing *p);

/* Local. Frees the memory of the structure, except the stores and rows. */
void pen_placing_free(pen_placing *p);
