/* active.h - active sets: steps leave out nodes whose result cannot change.
 *
 * Let a phase have computed node i, and let no byte have changed since of what it can read: the node's own records, its
 * neighbours' records of the fields in .reads, arcs, weights, inputs. Then it would compute the same again. The own
 * written records are among these bytes; so the result was equal to the current record, both planes hold it, and they
 * may be swapped as if the node had been computed. Node functions that ask for anything else (the step, random numbers,
 * observables, globals) mark their node as restless: it is computed in the next step, too.
 *
 * Each rank has a set of nodes per phase: those that the phase must compute when it is next due. In a step that tracks,
 * a rank compares the records of each node that it computes with those before. A node that has changed enters the sets
 * of all phases, and its readers enter those of the phases that read the field. Shadows are pulled whole, as always;
 * they are compared with what arrived last, and enter their readers into the sets likewise.
 *
 * In other steps a rank computes all nodes, and compares nothing, except for a sample from time to time. Ranks decide
 * for themselves, by numbers of nodes only. A rank begins to track with all nodes in all sets; so it does if its store
 * has been replaced, or records were put. */
#pragma once

#include "active/bits.h"
#include "observe/history.h"
#include "run/parts.h"

/* The observables after a step, kept from step to step: a sum loses what a node contributed before it is computed, and
 * gains what it contributes afterwards (sums.c). */
typedef struct pen_kept_sums {
    bool valid;               /* `kept` has the contributions of this rank's nodes after the last step */
    bool depends;             /* .observe asks for more than records */
    pen_bits lifted;          /* the nodes whose contributions are in `lost` */
    pen_observables *lost;    /* what nodes contributed that this step has computed; NULL: nothing is kept */
    int64_t *ints, *extremes; /* [observables] kept sums and extremes */
    pen_exact_sum *reals;     /* [observables] kept sums */
} pen_kept_sums;

/* A field that a phase writes, while a run of its nodes is compared. */
typedef struct pen_compared {
    uint64_t bit;
    size_t size;
    const unsigned char *before, *after; /* records of slot 0 */
} pen_compared;

typedef struct pen_active_sets {
    bool off;     /* no step leaves out nodes */
    bool watches; /* the run can end because nothing changes */
    pen_sweep *sweep;
    pen_contribute *contribute;
    int whole;                    /* number of phases that compute all nodes in all steps */
    int64_t version;              /* run->renewed when the arrays below were made; -1: there are none */
    int phase_count, field_count; /* numbers of the arrays' entries */
    bool lacks;                   /* there is no memory for them, so all nodes are computed */
    pen_bits *sets;               /* [phases] nodes that a phase must compute when it is next due */
    pen_bits due;                 /* nodes that the present phase computes; empty between phases */
    bool *restless;               /* [owned] as in pen_view */
    void *other;                  /* in the strict mode: other observables and globals than those of the run */
    pen_lid first;                /* the table of readers begins with this slot */
    uint32_t *rows;               /* [owned+shadows-first+1] offsets into readers */
    pen_lid *readers;             /* the owned nodes that read a slot */
    unsigned char **arrived;      /* [fields] shadows as they arrived last; NULL: the field is not pulled */
    unsigned char **in_place;     /* [fields] records before they are changed in place, PEN_RUN_LENGTH each, or NULL */
    bool tracks;                  /* this step tracks */
    bool fresh;                   /* it is the first one that does */
    bool samples;                 /* this step does not track, but looks at a sample */
    bool open;                    /* a phase has begun and has not ended */
    bool changed;                 /* in this step a record has changed, or a node was restless */
    int64_t wait, patience;       /* steps until the next sample; steps between the next two */
    int64_t calm;                 /* number of consecutive steps in which tracking has paid */
    int64_t hits, looks;          /* nodes of the sample that are active, and all */
    int64_t computed; /* nodes computed in this step, phase by phase, without those of phases that are whole */
    pen_kept_sums sums;
    pen_history nodes;     /* active nodes of this rank, over the steps */
    double ran, could_run; /* sums of active nodes, and of all nodes, over all steps */
    double *course;        /* [PEN_HISTORY] rank 0: the same of all ranks, when metrics are gathered */
    double totals[2];
} pen_active_sets;

extern const pen_part pen_part_active;

/* Local. Whether a phase computes all nodes in all steps. */
static inline bool pen_phase_is_whole(const pen_phase *phase) { return phase->always || phase->block || phase->far; }

/* ---- Memory (sets.c); all Local --------------------------------------------------------------- */

/* Make the arrays for the run's present store. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_active_make(pen_run *run, pen_active_sets *a);
void pen_active_free(pen_active_sets *a);

/* ---- Sweeps (sweep.c); all Local -------------------------------------------------------------- */

/* Let all nodes be in all sets, and note the present shadows. */
void pen_active_wake_all(pen_run *run, pen_active_sets *a);

/* The run's sweep: computes the nodes that are due, compares them, and wakes. */
void pen_active_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);

/* Wake the readers of shadows that have changed, after the pull of a phase. */
void pen_active_arrive(pen_run *run, pen_active_sets *a, uint64_t pulled);

/* Look at a sample of the nodes that a phase has computed. */
void pen_active_sample(pen_run *run, pen_active_sets *a, const pen_phase *phase);

/* ---- Observables (sums.c); all Local ---------------------------------------------------------- */

PEN_CHECKED pen_status pen_sums_make(const pen_run *run, pen_kept_sums *sums);
void pen_sums_free(pen_kept_sums *sums);

/* The nodes of slots [first, end) are about to be computed: their contributions are lost. */
void pen_sums_lift(pen_run *run, pen_kept_sums *sums, pen_lid first, pen_lid end);

/* The run's pen_contribute. */
void pen_active_contribute(pen_run *run, int evaluation, pen_observe_fn *observe);
