/* sets.h - the sets of nodes that phases must compute, and what a rank knows to keep them (active.h). */
#pragma once

#include "active/bits.h"
#include "observe/history.h"
#include "run/parts.h"

/* The observables after a step, kept from step to step. A sum loses what those nodes contributed of whose records, or
 * neighbours' records, some have changed, and gains what they contribute now (sums.c). */
typedef struct pen_kept_sums {
    bool valid;               /* the sums and records are those after the last step */
    bool depends;             /* .observe asks for more than records */
    bool arrived;             /* shadows have changed since */
    pen_bits touched;         /* the nodes that can see a record that has changed since */
    unsigned char **records;  /* [fields] kept records of [owned+shadows] slots; NULL: no phase writes the field */
    pen_observables *lost;    /* what touched nodes contributed; NULL: nothing is kept */
    int64_t *ints, *extremes; /* [observables] kept sums and extremes of this rank's nodes */
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
    int whole;                    /* number of phases that compute all nodes in all steps */
    int64_t version;              /* run->renewed when the arrays below were made; -1: there are none */
    int phase_count, field_count; /* numbers of the arrays' entries */
    bool lacks;                   /* there is no memory for them, so all nodes are computed */
    pen_bits *sets;               /* [phases] nodes that a phase must compute when it is next due */
    pen_bits due;                 /* nodes that the present phase computes; empty between phases */
    bool *restless;               /* [owned] as in pen_view */
    bool carries;                 /* nodes that move keep the phases in which they are awake */
    uint64_t *awake;              /* [owned] a column, valid if `carried` is run->renewed: a bit for each such phase */
    int64_t carried;              /* run->renewed after the last moves; -1: a phase has begun since */
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

/* Local. Whether a phase computes all nodes in all steps. */
static inline bool pen_phase_is_whole(const pen_phase *phase)
{
    return phase->always || phase->far || phase->sends.bits || phase->receives.bits;
}

/* Local. Make the arrays for the run's present store. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_sets_make(pen_run *run, pen_active_sets *a);
void pen_sets_free(pen_active_sets *a);
