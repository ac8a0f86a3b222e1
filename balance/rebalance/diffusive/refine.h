/* refine.h - improves the borders of pairs of ranks. */
#pragma once

#include "rebalance/diffusive/proxies.h"
#include "rebalance/diffusive/target.h"

/* Collective. Pairs of neighbouring ranks exchange nodes along their border so that the cut falls, and loads come
 * or stay within the slack (Fiduccia and Mattheyses 1982): each pair once, if it has an `active` rank. `sweep` decides
 * about the order. PEN_ERR_MEMORY, and as pen_proxies_move. */
PEN_CHECKED pen_status pen_refine_pairs(proxies *p, const diffusive_target *target, int sweep, bool active);
