/* state.h - a computation in progress: what all that is done with it shares. */
#ifndef PEN_STATE_H
#define PEN_STATE_H

#include "halo/halo.h"
#include "observe/history.h"
#include "observe/observation.h"
#include "observe/trace.h"
#include "run/app.h"
#include "view/quality.h"

/* Values of the observables over the steps, on every rank (they are equal): all ints, or reals. */
typedef struct pen_series {
    int64_t steps, room;
    int64_t *ints; /* [steps*observables] */
    double *reals; /* [steps*observables] */
} pen_series;

struct pen_run {
    pen_comm *comm;
    const pen_app *app;
    pen_phase_traits *traits; /* [app->phase_count] */
    pen_store *store;
    pen_halo *halo;
    pen_view view;               /* what node functions get; .slot moves along */
    const void **current;        /* [fields] of the view */
    void **next;                 /* [fields] of the view */
    int64_t step;                /* steps done */
    int64_t steps;               /* that will be run in all; 0: not known */
    struct pen_balance *balance; /* NULL: neither a balancer nor declared loads */
    struct pen_loads *loads;     /* NULL where there is no balance */
    int phase;                   /* that comes next: not the first one where a far read has failed */
    struct pen_reach *reach;     /* what far reads and fetches know, or NULL */
    struct pen_far_state *far;   /* what phases with .far work with, or NULL */
    pen_observation *observation;
    pen_series series;
    pen_quality quality; /* of the first partition */
    int64_t dilation;    /* its cut, every edge times its distance on the partitioner's network; -1: it has none */
    pen_timers timers;
    pen_trace *trace;          /* NULL: none */
    pen_history history;       /* of this rank's load: declared, or the time in node functions */
    int64_t nodes, edges;      /* of the whole graph */
    char *partitioner;         /* as it was named */
    int64_t shipped;           /* bytes, for nodes that left this rank */
    double migration_fraction; /* of the nodes, that move at random before every step */
    uint64_t migration_seed;
    /* Called on every rank after every step; NULL: nobody. */
    void (*after_step)(pen_run *run, void *context);
    void *context;
    FILE *out;  /* what app->output gets */
    bool begun; /* it has had the first state */
};

/* Local. Make what a run has before it knows nodes: traits, arrays and scratch memory of the view, observation.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_run_open(pen_run *run, const pen_app *app);

/* Local. Free all that this file knows; collective, since store and halo have windows. */
void pen_run_close(pen_run *run);

/* Local. Point the view at the store, after it was made or another took its place. */
void pen_run_bind(pen_run *run);

/* Local. Set the view to read the current planes, and to write the other plane of the fields in
 * `writes` (of no other field). */
void pen_run_view(pen_run *run, uint64_t writes);

/* Local. Apply a phase, with the view as it is, to owned slots [first, end). */
void pen_run_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);

#endif
