/* pieces.h - parts that are not connected are mended. */
#pragma once

#include "rebalance/diffusive/aim.h"
#include "rebalance/diffusive/proxies.h"

/* Collective. Parts that are not connected: all but the heaviest piece of a rank go where they have most contact,
 * unless the load there would be above `full` times its speed. How many pieces this rank has beyond one: *found (may be
 * NULL) at first, *left when nothing moved any more. PEN_ERR_MEMORY, and as pen_proxies_move. */
PEN_CHECKED pen_status pen_pieces_repair(proxies *p, const diffusive_aim *aim, double full, int64_t *found,
                                         int64_t *left);
