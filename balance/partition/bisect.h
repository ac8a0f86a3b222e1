/* bisect.h - parts of equal load by recursive bisection, of space or of a curve through it, in parallel.
 *
 * Nodes, and what is known of them, stay where they are. Every cut is searched for on all ranks together: a pivot
 * divides what is not decided yet, one reduction adds up the loads below it, for all cuts of a level at once. Ranks
 * that have few nodes of a region have little to do with it. Memory is linear in a rank's nodes and in the parts that
 * have nodes, which travel through the reductions; there are some ten reductions to a level, and log2(parts) levels.
 *
 * Of equal places the one with the smaller gid comes first, so that any number of nodes at one place is divided. */
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
