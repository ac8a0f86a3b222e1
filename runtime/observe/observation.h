/* observation.h - the observables: contributions of all nodes, reduced over all ranks.
 *
 * Observables are evaluated together: those of pen_app.observe after a step (evaluation 0), those of phase p before it
 * (evaluation p + 1). */
#pragma once

#include "base/comm.h"
#include "observe/exact_sum.h"
#include "observe/values.h"

enum { PEN_AFTER_STEP = 0, PEN_NEVER = -1 };

/* Values of an observable that are yet to be added up or compared. */
enum { PEN_OBSERVABLE_ROOM = 512 };
typedef struct pen_observable_room {
    int64_t *ints; /* [PEN_OBSERVABLE_ROOM], of an _INT kind, or NULL */
    double *reals; /* of a _REAL kind, or NULL */
    int used;      /* of an observable that is none of the first, whose place is in the pen_observation */
} pen_observable_room;

typedef struct pen_observables {
    pen_values values;
    const pen_observable *table; /* [count] of the values */
    int count;
    int *evaluation;            /* [count] in which each is evaluated; PEN_NEVER: a member of the globals */
    int now;                    /* the evaluation in progress */
    int64_t *extremes;          /* [count] minima; of maxima the complement, of reals an ordered image */
    int64_t *int_sums;          /* [count] */
    pen_exact_sum *real_sums;   /* [count] */
    pen_observable_room *rooms; /* [count] */
    pen_observation given;      /* to .observe, in the evaluation in progress */
    int64_t *reduced;           /* room for the reduction */
    MPI_Op combine;             /* of minima and sums at once */
    MPI_Datatype record;        /* of `record_words` words, which are never taken apart */
    int record_words;
    bool failing;  /* this rank has failed: the next reduction carries it to all */
    bool failed;   /* some rank has failed, as known from reductions; equal on all ranks */
    int64_t *ints; /* [count] results of the last evaluation, 0 before */
    double *reals; /* [count] likewise */
} pen_observables;

/* Local. Of an application whose tables have been checked. */
PEN_CHECKED pen_status pen_observation_create(const pen_app *app, pen_observables **observation);
void pen_observation_destroy(pen_observables **observation);

/* Local. Begin an evaluation without contributions: sums are 0, minima INT64_MAX or +infinity, maxima INT64_MIN or
 * -infinity. */
void pen_observation_begin(pen_observables *observation, int evaluation);

/* Collective. Results of this evaluation over all ranks into ints and reals: one all-reduce, or none without
 * observables. */
PEN_CHECKED pen_status pen_observation_reduce(pen_comm *comm, pen_observables *observation);

static inline bool pen_observable_is_int(pen_observable_kind kind)
{
    return kind == PEN_SUM_INT || kind == PEN_MIN_INT || kind == PEN_MAX_INT;
}

/* Local. The last value: an integer, or the bits of a real. */
int64_t pen_observation_bits(const pen_observables *observation, int index);

/* Local. The last value as text, the same for the same bits ("%.17g" or a decimal integer). */
void pen_observation_text(const pen_observables *observation, int index, char *text, size_t size);
