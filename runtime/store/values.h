/* values.h - memory and rows for the values that callers keep of each node (pen_node_values) in a change of the store.
 * All Local. */
#pragma once

#include "store/placing.h"

/* The 64-bit words of values in the row of a node that moves. */
int64_t pen_values_words(const pen_store *store);

/* Make the arrays of p->store, zeros at first, as far as values do not stay where they are. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_prepare(pen_placing *p);

/* Pack the values of the node in a slot. */
void pen_values_pack(const pen_store *store, pen_lid slot, int64_t *to);
