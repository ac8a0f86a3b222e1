/* bisect.h - parts of equal load by recursive bisection, of space or of a space-filling curve, in parallel.
 *
 * Nodes and their data stay on their ranks. All ranks search for every cut together: a pivot divides the undecided
 * nodes, and one reduction adds up the loads below it, for all cuts of a level at once. A rank with few nodes of a
 * region does little work for it. Memory is linear in a rank's nodes and in the number of parts, which the reductions
 * contain. A level takes about ten reductions, and there are log2(parts) levels.
 *
 * Of equal places the one with the smaller gid comes first, so that any number of nodes at one place can be divided. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_bisection {
    bool curve;       /* cut Hilbert's curve; else space, across the longest side of each region's box */
    double tolerance; /* how far loads of parts may be from the mean, beyond what the heaviest node makes unavoidable */
} pen_bisection;

/* Collective. part[i] in [0, parts), [view->count], numbered along the cuts: no part's load is above (1 + tolerance) *
 * its share (shares.h) + 1.2 * the heaviest node's. Where all loads are 0 nodes count. The same on any number of ranks,
 * and wherever nodes are, where sums of loads are exact. PEN_ERR_UNSUPPORTED (no coordinates), PEN_ERR_MEMORY, those of
 * peers. */
PEN_CHECKED pen_status pen_bisect(const pen_bisection *how, const pen_load_view *view, pen_peers *peers, int parts,
                                  int32_t *part);
