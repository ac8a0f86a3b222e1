/* deal.h - loads that are dealt out from the ranks that have too much to those that have too little, wherever these
 * are: for what flows between neighbours do not reach. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. Nodes have loads[], [view->count], and ranks `fixed` besides. Nodes with a load that are too much here go
 * to other ranks, to[i], [view->count]; all others stay. Two exchanges; rank 0 learns what every rank has too much or
 * too little of. PEN_ERR_MEMORY, and what peers return. */
PEN_CHECKED pen_status pen_deal_out(const pen_load_view *view, const double *loads, double fixed, pen_peers *peers,
                                    int32_t *to);
