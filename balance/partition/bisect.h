/* bisect.h - parts of equal load by recursive bisection, of space or of a space-filling curve, in parallel.
 *
 * All ranks search for the first cuts together: a pivot divides the undecided nodes, and one reduction adds up the
 * loads below it, for all cuts of a level at once. A level takes about ten reductions. A region with few nodes goes to
 * one rank, which cuts it alone: places, loads and gids are sent there, and parts back. Different regions go to
 * different ranks. So memory is linear in a rank's nodes, in the number of larger regions and, if there is a machine,
 * in the number of parts.
 *
 * Of equal places the one with the smaller gid comes first, so that any number of nodes at one place can be divided. */
#pragma once

#include "base/per_rank.h"
#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_bisection {
    bool curve; /* cut a Hilbert curve; false: cut space, across the longest side of each region's box */
    /* Allowed deviation of parts' loads from the mean, as a fraction, in addition to what the heaviest node makes
     * unavoidable. */
    double tolerance;
} pen_bisection;

/* Largest number of nodes of a region that goes to one rank. Tests make it smaller. */
extern PEN_PER_RANK double pen_bisect_small;

/* Collective. Set part[i] in [0, parts), [view->count], numbered along the cuts: no part's load is above (1 +
 * tolerance) * its share (shares.h) + 1.2 * the heaviest node's. If all loads are 0, nodes are counted. If sums of
 * loads are exact, the result is the same on any number of ranks and for any distribution. PEN_ERR_UNSUPPORTED (no
 * coordinates), PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_bisect(const pen_bisection *how, const pen_load_view *view, pen_peers *peers, int parts,
                                  int32_t *part);
