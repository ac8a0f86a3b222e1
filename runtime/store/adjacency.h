/* adjacency.h - fills the arrays of a store whose nodes have slots: adjacency and other data of nodes and arcs. */
#pragma once

#include "store/placing.h"

/* Local. The number of nodes, from this new slot on, that stay on this rank and were contiguous before; 0: the node
 * arrives. */
pen_lid pen_placing_stretch(const pen_placing *p, pen_lid slot);

/* Local. Fill the arrays of p->store, whose gids and coordinates of shadows are set, from the old store and the rows
 * that arrive. If nothing changes (p->kept), take over the old store's arrays. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_adjacency_build(pen_placing *p);
