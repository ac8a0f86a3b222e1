/* settings.h - the options of an N-body run, values derived from them, and the observables. */
#pragma once

#include "apps/nbody/tree.h"

enum { NBODY_MOST = 4096 };
/* The most bodies, and the most that one interacts with, so that the interactions of a leaf fit 64 bits. */
#define NBODY_MOST_COUNT (INT64_C(1) << 40)

/* A rank's rows of a graph, for a pen_csr. */
typedef struct nbody_rows {
    pen_gid *gids, *neighbors; /* neighbors has room for `room` */
    int64_t *first, *weights;
    int64_t *sizes, *reads; /* of nodes, and weights of arcs; or NULL */
    double *places;         /* three coordinates of each node; or NULL */
    int64_t room;
} nbody_rows;

/* The settings; *s must live as long as the runs. NBODY_DEFAULTS are those without options. */
typedef struct nbody {
    const char *bodies; /* --bodies: how many are drawn, or the path of a file */
    int64_t cell_max;   /* --cell-max: bodies in a leaf, 1..NBODY_MOST */
    double delta, dt, softening;
    double cube;          /* --cube: H; 0: the least power of two >= 2 * abs(x) of all coordinates, or 1 if all are 0 */
    int64_t check_forces; /* --check-forces: the number of bodies to check after the last step */
    /* Set by .rows; steps by .setup. */
    bodies_set set; /* at the start */
    nbody_tree tree;
    nbody_rows rows, leaves; /* of the first graph, and of the saved one */
    double half;             /* H */
    bool restored;           /* resumed from a checkpoint: no tree, and of the bodies only their count */
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
