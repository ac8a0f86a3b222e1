/* settings.h - the options of an N-body run, values derived from them, and the observables. */
#pragma once

#include "apps/nbody/tree.h"

enum { NBODY_MOST = 4096 };
/* Limits of the bodies in all, and of those that one body interacts with: then the interactions of a leaf fit 64 bits.
 */
#define NBODY_MOST_COUNT (INT64_C(1) << 40)

/* A rank's rows of a graph, as pen_csr has them. */
typedef struct nbody_rows {
    pen_gid *gids, *neighbors; /* neighbors has room for `room` */
    int64_t *first, *weights;
    int64_t *sizes, *reads; /* of nodes, and weights of arcs; NULL: there are none */
    double *places;         /* three coordinates of each node; NULL likewise */
    int64_t room;
} nbody_rows;

/* The settings; *s must live as long as the runs. NBODY_DEFAULTS are those without options. */
typedef struct nbody {
    const char *bodies; /* --bodies: how many are drawn, or the path of a file */
    int64_t cell_max;   /* --cell-max: bodies in a leaf, 1..NBODY_MOST */
    double delta, dt, softening;
    double cube; /* --cube: H; 0: the least >= 2 * abs(x) of all bodies in all directions, 1 where these are 0 */
    int64_t check_forces; /* --check-forces: of so many bodies, after the last step; 0: none */
    /* These follow from them: from .rows on, and steps from .setup on. */
    bodies_set set; /* at the start */
    nbody_tree tree;
    nbody_rows rows, leaves; /* of the first graph, and of the one that is saved */
    double half;             /* H */
    bool restored;           /* it goes on from a checkpoint: there are no bodies, but their count, and no tree */
    cell_window window;
    int64_t steps;
} nbody;
#define NBODY_DEFAULTS                                                                  \
    {                                                                                   \
        .bodies = "16384", .cell_max = 16, .delta = 0.7, .dt = 0.025, .softening = 0.05 \
    }

enum {
    BODIES,
    LEAVES,
    ARCS,
    INTERACTIONS,
    OUTSIDE,
    CROWDED,
    KINETIC,
    POTENTIAL,
    MOMENTUM_X,
    MOMENTUM_Y,
    MOMENTUM_Z,
    MOMENTA,
    NBODY_OBSERVABLES
};
