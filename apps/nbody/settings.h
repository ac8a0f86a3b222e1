/* settings.h - the options of an N-body run, values derived from them, and the observables. */
#pragma once

#include "apps/nbody/tree.h"

enum { NBODY_MOST = 4096 };
/* The largest number of bodies, and of bodies that one interacts with, so that the interactions of a leaf fit 64
 * bits. */
#define NBODY_MOST_COUNT (INT64_C(1) << 40)

/* A rank's rows of a graph, for a pen_csr. */
typedef struct nbody_rows {
    pen_gid *gids, *neighbors; /* gids of the nodes and of their neighbours; neighbors has space for `room` */
    int64_t *first, *weights;
    int64_t *sizes, *reads; /* sizes of nodes, and weights of arcs; or NULL */
    double *places;         /* three coordinates of each node; or NULL */
    int64_t room;
} nbody_rows;

/* The settings; *s must live as long as the runs. NBODY_DEFAULTS has the values without options. */
typedef struct nbody {
    const char *bodies; /* --bodies: the number of drawn bodies, or the path of a file */
    int64_t cell_max;   /* --cell-max: the largest number of bodies in a leaf, 1..NBODY_MOST */
    double delta, dt, softening;
    double cube;          /* --cube: H; 0: the least power of two >= 2 * abs(x) of all coordinates, or 1 if all are 0 */
    int64_t check_forces; /* --check-forces: the number of bodies to check after the last step */
    /* The members from here on are set by .rows; steps by .setup. */
    bodies_set set; /* the initial bodies */
    nbody_tree tree;
    nbody_rows rows, leaves; /* rows of the first graph, and of the saved graph of leaves */
    double half;             /* h, half of the side of the root */
    /* The run continues from a checkpoint: it has no tree, and of the initial bodies only their number. */
    bool restored;
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
