/* refine.h - borders of pairs of ranks are bettered. */
#pragma once

#include "rebalance/diffusive/aim.h"
#include "rebalance/diffusive/proxies.h"

/* Collective. Pairs of neighbouring ranks exchange nodes along their border so that the cut becomes less, and loads get
 * or stay within the slack (Fiduccia and Mattheyses 1982), every pair once of which one rank `wants` it. `sweep`
 * decides about their turn. PEN_ERR_MEMORY, and as pen_proxies_move. */
PEN_CHECKED pen_status pen_refine_pairs(proxies *p, const diffusive_aim *aim, int sweep, bool wants);
