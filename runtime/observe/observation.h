/* observation.h - the observables of one step: contributions of all nodes, reduced over all ranks. */
#ifndef PEN_OBSERVATION_H
#define PEN_OBSERVATION_H

#include "base/comm.h"
#include "observe/exact_sum.h"

struct pen_observation {
    const pen_observable *table; /* [count], the application's */
    int count;
    int64_t *extremes;        /* [count] minima; of maxima the complement, of reals an ordered image */
    int64_t *int_sums;        /* [count] */
    pen_exact_sum *real_sums; /* [count] */
    int64_t *reduced;         /* [count*PEN_EXACT_WORDS] room for the reduction */
    int64_t *ints;            /* [count] results */
    double *reals;            /* [count] results */
};

/* Local. */
PEN_CHECKED pen_status pen_observation_create(const pen_observable *table, int count, pen_observation **observation);
void pen_observation_destroy(pen_observation **observation);

/* Local. Forget all contributions: sums become 0; minima INT64_MAX or +infinity, maxima INT64_MIN or
 * -infinity, which is what they are over no contributions. */
void pen_observation_reset(pen_observation *observation);

/* Collective. Results over all ranks into ints and reals: two all-reduces. */
PEN_CHECKED pen_status pen_observation_reduce(pen_comm *comm, pen_observation *observation);

static inline bool pen_observable_is_int(pen_observable_kind kind)
{
    return kind == PEN_SUM_INT || kind == PEN_MIN_INT || kind == PEN_MAX_INT;
}

/* Local. The result as text, the same for the same bits ("%.17g" or a decimal integer). */
void pen_observation_text(const pen_observation *observation, int index, char *text, size_t size);

#endif
