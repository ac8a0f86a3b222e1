/* target.h - a rank's target load, and how far from it the load may be. */
#pragma once

#include <penumbra.h>

typedef struct diffusive_target {
    double load;    /* of this rank: its share, unless a node is heavier than that */
    double mean;    /* load of the ranks */
    double speed;   /* of this rank's processor, as a multiple of the mean one: its share is mean * speed */
    double slowest; /* of all ranks */
    double slack;   /* tolerated deviation from `load`, as a fraction of the share */
    bool clusters;  /* clusters move, not single nodes */
    int64_t away;   /* cost of a node that is not at home, in 16ths of an edge */
    pen_gid pinned; /* a node heavier than the mean stays where it is; -1: none */
} diffusive_target;
