/* loads.h - what every node cost in the last step, in each synchronising phase: measured while the node functions run,
 * in seconds, or declared by the application, in units. */
#pragma once

#include "run/state.h"
#include <penumbra_plugin.h>

/* Measured loads are time, less the time a rank waits for a core that others use. With more ranks than cores the kernel
 * reports that (/proc, Linux), else processor time is used instead. If a node takes less time than reading the clock,
 * the clock is read once for several nodes. */
typedef struct pen_loads {
    bool declared;
    double *of;     /* [owned] by slot, of the whole step */
    double *before; /* [owned] sums of the loads of remembered steps; in the same block of memory */
    double
        *of_phases; /* [phases*owned] phase by phase, in the same block; NULL: one phase, or unknown after a resume */
    int phases;     /* synchronising phases (pen_load_view) */
    double total;   /* of this rank, in the last step */
    double totals[PEN_LOAD_PHASES]; /* the same in each phase */
    int64_t steps;                  /* remembered; 0: none, and `before` is not used */
    pen_lid together;               /* nodes between two readings of the clock */
    double spreading;               /* seconds of the last step that went into writing measured loads */
    bool oversubscribed;            /* more ranks than cores */
    int waits;                      /* the file with the kernel's waiting times; -1: none */
    int64_t nodes;                  /* computed since the start of the step; of measured loads */
    int32_t version;                /* store->migrations after the last step; -1: no step yet */
    int64_t begun;                  /* after how many steps of the run these loads began */
} pen_loads;

/* Local. A run gets those of its nodes. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_loads_create(pen_run *run, bool declared);
void pen_loads_destroy(pen_loads **loads);

/* Local. Zeroed memory for the loads of so many nodes, the caller's to free until it is handed over; and hand it over,
 * when the nodes are those of that store: what was remembered is forgotten. `carried`: the loads are there, and are as
 * good as those before; else nothing is known of them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_loads_room(const pen_loads *loads, pen_lid owned, double **room);
void pen_loads_moved(pen_loads *loads, const pen_store *store, bool carried, double *room);

/* Local. The part of such memory that holds the loads of phases, [phases*owned]; NULL if there is one phase. */
double *pen_loads_of_phases(const pen_loads *loads, pen_lid owned, double *room);

/* Local. A node's loads in the phases, to[phases]; of a run that has `of_phases`. */
static inline void pen_loads_in_phases(const pen_loads *loads, pen_lid owned, pen_lid slot, double *to)
{
    for (int p = 0; p < loads->phases; p++) to[p] = loads->of_phases[(size_t)p * (size_t)owned + (size_t)slot];
}

/* Local. Remember this step, and, if it is the first, no other. */
void pen_loads_remember(pen_run *run, bool first);

/* Local, of a run that has loads. Before a step; and after its phases. */
void pen_loads_start(pen_run *run);
void pen_loads_end(pen_run *run);

/* Local. Apply a phase, with the view as it is, to owned slots [first, end), by that sweep, and measure. */
void pen_loads_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end, pen_sweep *sweep);
