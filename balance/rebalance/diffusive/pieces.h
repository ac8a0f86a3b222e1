/* pieces.h - repairs parts that are not connected. */
#pragma once

#include "rebalance/diffusive/proxies.h"
#include "rebalance/diffusive/target.h"

/* Collective. Repair parts that are not connected: each piece of a rank except the heaviest goes to the rank with most
 * contact, unless that rank's load would exceed `full` times its speed. *found (may be NULL) and *left become the
 * number of pieces beyond one that this rank has before and after. PEN_ERR_MEMORY, and as pen_proxies_move. */
PEN_CHECKED pen_status pen_pieces_repair(proxies *p, const diffusive_target *target, double full, int64_t *found,
                                         int64_t *left);
