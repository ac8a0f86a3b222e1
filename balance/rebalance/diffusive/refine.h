/* refine.h - improves the borders of pairs of ranks. */
#pragma once

#include "rebalance/diffusive/state.h"

/* Collective. Pairs of neighbouring ranks exchange nodes along their border so that the cut falls, and loads come
 * or stay within the slack (Fiduccia and Mattheyses 1982): each pair once, if it has an `active` part. `sweep` decides
 * about the order. PEN_ERR_MEMORY, and as pen_state_move. */
PEN_CHECKED pen_status pen_refine_pairs(plan_state *state, const plan_target *target, int sweep);

/* A rank of a pair. */
typedef struct refine_side {
    int rank;
    int64_t nodes;
    double load, low, high; /* of the rank; what it shall be within */
} refine_side;

/* Local. Refine the border between two ranks. band[0 .. own), nodes of sides[0], and band[own .. count), of sides[1],
 * may change sides; changed[i], [count], becomes whether node i does. `away` as in plan_target. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_refine_pair(plan_graph *graph, const refine_side sides[2], int64_t away, const pen_lid *band,
                                       pen_lid own, pen_lid count, bool *changed);
