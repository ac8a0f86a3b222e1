/* refine.h - moves of vertices between processors, as long as they are of use. */
#ifndef PEN_PAGRID_REFINE_H
#define PEN_PAGRID_REFINE_H

#include "partition/pagrid/state.h"

/* Local. Vertices at borders move to the processor of a neighbour, or, `everywhere`, any vertex to any processor,
 * where that makes the objective smaller most; until no move does. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_refine(pagrid_state *state, bool everywhere);

#endif
