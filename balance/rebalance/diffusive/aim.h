/* aim.h - what a rank aims at while it balances. */
#pragma once

#include <penumbra.h>

typedef struct diffusive_aim {
    double target;  /* load of this rank: its share, where no node is heavier than that */
    double mean;    /* load of all ranks */
    double speed;   /* of this rank's processor, as a multiple of the mean one: its share is mean * speed */
    double slowest; /* of all ranks */
    double slack;   /* how far from the target is good enough, as a fraction of the share */
    bool clusters;  /* that move, not single nodes */
    int64_t away;   /* what a node costs that is not at home, in 16ths of an edge */
    pen_gid pinned; /* a node heavier than the mean stays where it is; -1: none */
} diffusive_aim;
