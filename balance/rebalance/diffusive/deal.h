/* deal.h - sends load directly from ranks with too much to ranks with too little, for loads that flows between
 * neighbours do not carry far enough. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. loads[i], [view->count], are loads of nodes; `fixed` is other load of this rank, which stays. A rank with
 * too much load sends nodes to other ranks: to[i], [view->count]. Two exchanges; rank 0 decides how much goes where.
 * PEN_ERR_MEMORY, and what peers return. */
PEN_CHECKED pen_status pen_deal_out(const pen_load_view *view, const double *loads, double fixed, pen_peers *peers,
                                    int32_t *to);
