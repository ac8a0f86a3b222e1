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
    double *of;                     /* [owned] loads in the whole step, by slot */
    double *before;                 /* [owned] sums of the loads of remembered steps */
    double *of_phases;              /* [owned*phases] loads in each phase, node by node; NULL: there is one phase */
    bool told_apart;                /* loads of phases are known; false after a resume until the next step */
    int phases;                     /* number of synchronising phases (pen_load_view) */
    double total;                   /* load of this rank in the last step */
    double totals[PEN_LOAD_PHASES]; /* load of this rank in each phase */
    int64_t steps;                  /* number of remembered steps; 0: `before` is not used */
    pen_lid together;               /* number of nodes between two readings of the clock */
    double spreading;               /* seconds of the last step that went into writing measured loads */
    bool oversubscribed;            /* there are more ranks than cores */
    int waits;                      /* descriptor of the file with the kernel's waiting times; -1: none */
    int64_t nodes;                  /* number of nodes computed since the start of the step, for measured loads */
    int32_t version;                /* store->migrations after the last step; -1: no step yet */
    int64_t begun;                  /* number of steps of the run before the first measured one */
    pen_sweep *sweep;               /* the sweep that is measured */
} pen_loads;

extern const pen_part pen_part_loads;

/* Local. Whether the options name a balancer or declared loads. */
bool pen_balancing_wanted(const pen_run_options *options);

/* Local. The loads of a run; NULL: it has neither a balancer nor a record. */
static inline pen_loads *pen_loads_of(const pen_run *run) { return pen_part_state(run, &pen_part_loads); }

/* Local. Remember this step of a store with so many nodes, and, if it is the first, no other. */
void pen_loads_remember(pen_loads *loads, pen_lid owned, bool first);
