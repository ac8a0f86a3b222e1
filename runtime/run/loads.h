/* loads.h - what every node cost in the last step: measured while the node functions run, in seconds, or
 * declared by the application, in units. */
#pragma once

#include "run/state.h"

/* Measured loads are time, less the time a rank waits for a core that others use. With more ranks than cores the kernel
 * reports that (/proc, Linux), else processor time is used instead. If a node takes less time than reading the clock,
 * the clock is read once for several nodes. */
typedef struct pen_loads {
    bool declared;
    double *of;          /* [owned] by slot */
    double *before;      /* [owned] sums of what nodes cost in steps that are remembered; in the same block of memory */
    int64_t steps;       /* that are; 0: none, and `before` is not looked at */
    double total;        /* of this rank, in the last step */
    pen_lid together;    /* nodes between two readings of the clock */
    bool oversubscribed; /* more ranks than cores */
    int waits;           /* the kernel's file of waiting times; -1: none */
    int64_t nodes;       /* computed since the start of the step; of measured loads */
    int32_t version;     /* store->migrations when the last step was done; -1: none was */
} pen_loads;

/* Local. Those of so many nodes. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_loads_create(bool declared, pen_lid owned, bool oversubscribed, pen_loads **loads);
void pen_loads_destroy(pen_loads **loads);

/* Local. Zeroed memory for the loads of so many nodes, which the caller frees until it is handed over; and hand it
 * over, when that store's nodes are the run's. Remembered loads are discarded. `carried`: the new loads are as valid as
 * the old ones; else loads are unknown. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_loads_room(pen_lid owned, double **room);
void pen_loads_moved(pen_loads *loads, const pen_store *store, bool carried, double *room);

/* Local. Remember this step, and, if it is the first, no other. */
void pen_loads_remember(pen_run *run, bool first);

/* Local, of a run that has loads. Before a step; and after its phases. */
void pen_loads_start(pen_run *run);
void pen_loads_end(pen_run *run);

/* Local. Apply a phase, with the view as it is, to owned slots [first, end), by that sweep, and measure. */
void pen_loads_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end, pen_sweep *sweep);
