/* run.h - a computation in progress, as the driver and the reports see it. */
#ifndef PEN_RUN_H
#define PEN_RUN_H

#include "halo/halo.h"
#include "observe/history.h"
#include "observe/observation.h"
#include "observe/trace.h"
#include "store/migrate.h"

/* What a phase means for the halo, settled once. */
typedef struct phase_plan {
    bool publishes;   /* it writes a field that some phase reads from neighbours */
    uint64_t pull;    /* of the fields written, those read from neighbours before they are rewritten */
    uint64_t shadows; /* fields whose shadows are current when the phase begins */
} pen_phase_plan;

/* How good the partition is, as the application sees it. Equal on all ranks. */
typedef struct pen_quality {
    int64_t cut;        /* weight of the edges between parts */
    int64_t dilation;   /* the same with every edge times its distance on the partitioner's network; -1: it has none */
    double imbalance;   /* max load / mean load; 1 where there is no load */
    double bound;       /* the least imbalance that any partition has, by its heaviest node */
    int64_t max_volume; /* most nodes pulled by a rank */
    int64_t pieces;     /* connected parts beyond one per non-empty rank */
} pen_quality;

/* Values of the observables over the steps, on every rank (they are equal): all ints, or reals. */
typedef struct pen_series {
    int64_t steps, room;
    int64_t *ints; /* [steps*observables] */
    double *reals; /* [steps*observables] */
} pen_series;

struct pen_loads;
struct pen_balance;

struct pen_run {
    pen_comm *comm;
    const pen_app *app;
    pen_store *store;
    pen_halo *halo;
    pen_phase_plan *phases;      /* [app->phase_count] */
    pen_view view;               /* what node functions get; .slot moves along */
    const void **current;        /* [fields] of the view */
    void **next;                 /* [fields] of the view */
    int64_t step;                /* steps done */
    int64_t steps;               /* that will be run in all; 0: not known */
    struct pen_balance *balance; /* NULL: neither a balancer nor declared loads */
    struct pen_loads *loads;     /* the balance's, NULL where nothing is to be measured */
    int phase;                   /* that comes next: not the first one where a far read has failed */
    struct pen_reach *reach;     /* what far reads and fetches know, or NULL */
    struct pen_far_state *far;   /* what phases with .far work with, or NULL */
    pen_observation *observation;
    pen_series series;
    pen_quality quality;
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

/* Local. Set the view to read the current planes, and to write the other plane of the fields in
 * `writes` (of no other field). */
void pen_run_view(pen_run *run, uint64_t writes);

/* Local. Apply a node function, with the view as it is, to owned slots [first, end). */
void pen_run_sweep(pen_run *run, pen_node_fn *node, pen_lid first, pen_lid end);

/* Local. Apply a phase, with the view as it is, to owned slots [first, end). */
void pen_run_sweep_phase(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);

/* Local. Point the view at the store, after it was made or another took its place. */
void pen_run_bind(pen_run *run);

/* Local. The fields that some phase reads from neighbours. */
uint64_t pen_app_reads(const pen_app *app);

/* Collective, between steps. Carry out moves of this rank's nodes (migrate.h). On failure, the same on all
 * ranks, nothing has changed. Errors: as pen_migration_prepare and pen_halo_succeed. */
PEN_CHECKED pen_status pen_run_migrate(pen_run *run, pen_status mine, int64_t count, const pen_move *moves);

/* Collective, between steps. Move about this part of all nodes to random ranks; which, is a function of
 * seed, step and gid. */
PEN_CHECKED pen_status pen_run_migrate_random(pen_run *run, uint64_t seed, double fraction);

/* Collective. */
PEN_CHECKED pen_status pen_quality_measure(pen_comm *comm, const pen_store *store, bool directed, pen_quality *quality);

#endif
