/* target.h - a rank's target load, and how far from it the load may be. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct diffusive_target {
    double load;    /* of this rank: its share, unless a node is heavier than that */
    double fixed;   /* of this rank: load that it has besides its nodes (phases.h) */
    double mean;    /* load of the ranks */
    double speed;   /* of this rank's processor, as a multiple of the mean one: its share is mean * speed */
    double slowest; /* of all ranks */
    double slack;   /* tolerated deviation from `load`, as a fraction of the share */
    bool clusters;  /* clusters move, not single nodes */
    int64_t away;   /* cost of a node that is not at home, in 16ths of an edge */
    pen_gid pinned; /* a node heavier than the mean stays where it is; -1: none */
} diffusive_target;

/* Values that all ranks know. */
typedef struct diffusive_sums {
    double load, speed, nodes;         /* sums over ranks */
    double heaviest, fastest, slowest; /* node, ranks */
} diffusive_sums;

/* Collective. A node that is heavier than the fastest rank's share stays where it is, and its rank cannot get below its
 * load; the other ranks share the rest. Each step takes more ranks out of the mean, until none is above it. `fixed`,
 * `clusters` and `away` are the caller's to set. Errors: those of peers. */
PEN_CHECKED pen_status pen_target_find(const pen_load_view *view, pen_peers *peers, double tolerance,
                                       const diffusive_sums *of_all, diffusive_target *target);
