/* observation.h - the observables: contributions of all nodes, reduced over all ranks.
 *
 * Observables are evaluated together: those of pen_app.observables.observe after a step (evaluation 0), those of phase
 * p before it (evaluation p + 1). */
#pragma once

#include "base/comm.h"
#include "observe/exact_sum.h"
#include "observe/values.h"

enum { PEN_AFTER_STEP = 0, PEN_NEVER = -1 };

/* The number of values of an observable that wait in its room to be added up or compared. */
enum { PEN_OBSERVABLE_ROOM = 512 };
typedef struct pen_observable_room {
    int64_t *ints; /* [PEN_OBSERVABLE_ROOM] values of an _INT kind, or NULL */
    double *reals; /* [PEN_OBSERVABLE_ROOM] values of a _REAL kind, or NULL */
    int used;      /* number of waiting values, unless .observe counts them in its pen_observation */
} pen_observable_room;

typedef struct pen_observables {
    pen_values values;
    const pen_observable *table; /* [count] the observables, one entry per value */
    int count;
    int *evaluation;   /* [count] the evaluation that sets each value; PEN_NEVER: a member of the globals */
    int now;           /* the evaluation in progress */
    int64_t *extremes; /* [count] minima so far; for maxima the complement, for reals an integer in the same order */
    int64_t *int_sums; /* [count] sums of integers so far */
    pen_exact_sum *real_sums;   /* [count] sums of reals so far */
    pen_observable_room *rooms; /* [count] values that wait to be added up or compared */
    pen_observation given;      /* the argument of .observe in the evaluation in progress */
    int64_t *reduced;           /* send and receive buffers of the reduction */
    MPI_Op combine;             /* operation that combines minima and sums at once */
    MPI_Datatype record;        /* a type of `record_words` words, so that MPI never splits a record */
    int record_words;
    bool failing;  /* this rank has failed; the next reduction tells all ranks */
    bool failed;   /* some rank has failed, as reductions have shown; equal on all ranks */
    int64_t *ints; /* [count] integer results of the last evaluation, 0 before */
    double *reals; /* [count] real results of the last evaluation, 0 before */
} pen_observables;

/* Local. Make the observables of an application whose tables have been checked. */
PEN_CHECKED pen_status pen_observation_create(const pen_app *app, pen_observables **observation);
void pen_observation_destroy(pen_observables **observation);

/* Local. Begin an evaluation without contributions: sums are 0, minima INT64_MAX or +infinity, maxima INT64_MIN or
 * -infinity. */
void pen_observation_begin(pen_observables *observation, int evaluation);

/* Local. Add up all values that wait in rooms, so that the members above have the contributions so far. */
void pen_observation_add_up(pen_observables *observation);

/* Local. The extreme of a minimum or maximum to which nothing has been contributed. */
int64_t pen_observation_none(const pen_observables *observation, int index);

/* Collective. Reduce the contributions of this evaluation over all ranks into ints and reals: one all-reduce, or none
 * without observables. */
PEN_CHECKED pen_status pen_observation_reduce(pen_comm *comm, pen_observables *observation);

static inline bool pen_observable_is_int(pen_observable_kind kind)
{
    return kind == PEN_SUM_INT || kind == PEN_MIN_INT || kind == PEN_MAX_INT;
}

/* Local. The last value: an integer, or the bits of a real. */
int64_t pen_observation_bits(const pen_observables *observation, int index);

/* Local. The last value as text, the same for the same bits ("%.17g" or a decimal integer). */
void pen_observation_text(const pen_observables *observation, int index, char *text, size_t size);
