/* observation.h - the observables: contributions of all nodes, reduced over all ranks.
 *
 * Observables are evaluated together: those of pen_app.observe after a step (evaluation 0), those of phase p before it
 * (evaluation p + 1). */
#pragma once

#include "base/comm.h"
#include "observe/exact_sum.h"
#include "observe/values.h"

enum { PEN_AFTER_STEP = 0, PEN_NEVER = -1 };

struct pen_observation {
    pen_values values;
    const pen_observable *table; /* [count] of the values */
    int count;
    int *evaluation;          /* [count] in which each is evaluated; PEN_NEVER: a member of the globals */
    int now;                  /* the evaluation in progress */
    int64_t *extremes;        /* [count] minima; of maxima the complement, of reals an ordered image */
    int64_t *int_sums;        /* [count] */
    pen_exact_table **tables; /* [count] of sums of reals; NULL elsewhere */
    pen_exact_table **open;   /* [count] the same of the evaluation in progress */
    int8_t *open_kinds;       /* [count] pen_observable_kind in the evaluation in progress, -1 elsewhere */
    int64_t *reduced;         /* room for the reduction */
    MPI_Op combine;           /* of minima and sums at once */
    MPI_Datatype record;      /* of `record_words` words, which are never taken apart */
    int record_words;
    bool failing;  /* this rank has failed: the next reduction carries it to all */
    bool failed;   /* some rank has, as reductions have told; equal on all ranks */
    int64_t *ints; /* [count] results of the last evaluation, 0 before */
    double *reals; /* [count] likewise */
};

/* Local. Of an application whose tables have been checked. */
PEN_CHECKED pen_status pen_observation_create(const pen_app *app, pen_observation **observation);
void pen_observation_destroy(pen_observation **observation);

/* Local. Begin an evaluation without contributions: sums are 0; minima INT64_MAX or +infinity, maxima INT64_MIN or
 * -infinity, which is what they are over no contributions. */
void pen_observation_begin(pen_observation *observation, int evaluation);

/* Collective. Results of this evaluation over all ranks into ints and reals: one all-reduce, none where there is
 * nothing. */
PEN_CHECKED pen_status pen_observation_reduce(pen_comm *comm, pen_observation *observation);

static inline bool pen_observable_is_int(pen_observable_kind kind)
{
    return kind == PEN_SUM_INT || kind == PEN_MIN_INT || kind == PEN_MAX_INT;
}

/* Local. The last value as text, the same for the same bits ("%.17g" or a decimal integer). */
void pen_observation_text(const pen_observation *observation, int index, char *text, size_t size);
