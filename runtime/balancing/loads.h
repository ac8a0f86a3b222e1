/* loads.h - what every node cost in the last step, in each synchronising phase: measured while the node functions run,
 * in seconds, or declared by the application, in units. */
#pragma once

#include "run/parts.h"
#include <penumbra_plugin.h>

/* Measured loads are time, less the time a rank waits for a core that others use. With more ranks than cores the kernel
 * reports that (/proc, Linux), else processor time is used instead. If a node takes less time than reading the clock,
 * the clock is read once for several nodes. */
/* Consecutive slots of which a phase has computed the nodes. */
typedef struct pen_computed {
    pen_lid first, end; /* sorted by `first`, the first member */
    int phase;          /* the phase; -1: all phases */
} pen_computed;

typedef struct pen_loads {
    bool declared;                  /* by the application, else measured */
    bool other_unit;                /* the run is resumed, and the loads in its checkpoint were not so */
    double *of;                     /* [owned] by slot, of the whole step */
    double *before;                 /* [owned] sums of the loads of remembered steps */
    double *of_phases;              /* [owned*phases] node by node; NULL: there is one phase */
    bool told_apart;                /* of_phases is known; false after a resume, until the next step */
    int phases;                     /* number of synchronising phases (pen_load_view) */
    double total;                   /* the sum over this rank's nodes in the last step */
    bool wrong;                     /* a cost of the last step is negative, infinite or NaN; all loads here are 0 */
    double totals[PEN_LOAD_PHASES]; /* the same sum for each phase */
    int64_t steps;                  /* number of remembered steps; 0: `before` is not used */
    pen_lid together;               /* nodes between two readings of the clock */
    double spreading;               /* seconds of the last step that went into writing measured loads */
    bool oversubscribed;            /* more ranks than cores */
    int waits;                      /* descriptor of the file with the kernel's waiting times; -1: none */
    int64_t nodes;                  /* nodes whose time was measured since the start of the step */
    int32_t version;                /* store->migrations after the last step; -1: no step yet */
    /* [computed_count] the nodes that the last step has computed; all others have load 0. After the phases they are
     * sorted, each once. */
    pen_computed *computed;
    int64_t computed_count, computed_room;
    int64_t begun;    /* steps of the run that were done when these loads began */
    pen_sweep *sweep; /* the sweep that is measured */
} pen_loads;

extern const pen_part pen_part_loads;

/* Local. Whether the options name a balancer or declared loads. */
bool pen_balancing_wanted(const pen_run_options *options);

/* Local. The loads of a run; NULL: it has neither a balancer nor a record. */
static inline pen_loads *pen_loads_of(const pen_run *run) { return pen_part_state(run, &pen_part_loads); }

/* Local. Remember this step of a store with so many nodes, and, if it is the first, no other. */
void pen_loads_remember(pen_loads *loads, pen_lid owned, bool first);
