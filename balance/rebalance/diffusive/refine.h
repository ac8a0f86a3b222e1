/* refine.h - improves the borders of pairs of ranks. */
#pragma once

#include "rebalance/diffusive/candidates.h"
#include "rebalance/diffusive/state.h"

/* Collective. Pairs of neighbouring ranks exchange nodes along their border so that the cut falls, and loads come
 * or stay within the slack (Fiduccia and Mattheyses 1982): each pair once, unless that was in vain before. `sweep`
 * decides about the order. PEN_ERR_MEMORY, and as pen_state_move. */
PEN_CHECKED pen_status pen_refine_pairs(plan_state *state, const plan_target *target, int sweep);

/* A rank of a pair. */
typedef struct refine_stake {
    int rank;
    int64_t own;            /* number of nodes of the rank */
    double load, low, high; /* load of the rank, and its bounds */
    pen_gid pinned;
} refine_stake;

/* A rank of a pair, and its nodes that may change sides. */
typedef struct refine_side {
    refine_stake stake;
    candidates heap;    /* nodes of the side, by gain, during a refinement */
    plan_list band;     /* the first band.count nodes, nearest to the border first; scratch holds first + place + 1 */
    int64_t most, next; /* largest number of nodes in the band; place of the node whose neighbours are added next */
    int32_t first;
} refine_side;

/* Local. The largest number of nodes in the band of a part: SHARE-th of its nodes, and FEWEST at least. */
int64_t pen_band_size(const plan_part *part);

/* Local. The band of a side, `most` nodes, whose stake and place `first` are set, begins with those of `near` that
 * touch the other rank; it grows as far as node `until` (-1: until it is full), and is cleared. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_band_begin(plan_graph *graph, const plan_list *near, int64_t most, int other,
                                      refine_side *side);
void pen_band_grow(plan_graph *graph, refine_side *side, pen_lid until);
void pen_band_clear(plan_graph *graph, refine_side *side);
void pen_side_free(refine_side *side);

/* Local. Refine the border between two ranks with begun bands, sides[1].first = sides[0].most. The nodes that change
 * sides are left at the beginning of each band, *changed[i] of them; the bands are cleared. `away` as in plan_target.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_refine_pair(plan_graph *graph, refine_side sides[2], int64_t away, int64_t changed[2]);
