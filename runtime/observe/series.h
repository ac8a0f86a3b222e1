/* series.h - the observables over the steps, in limited memory: their values after every stride-th step, which doubles
 * whenever the array is full. */
#pragma once

#include "observe/observation.h"

enum { PEN_SERIES = 512 };

/* Each value is an integer, or the bits of a double. */
typedef struct pen_series {
    int64_t *values; /* [PEN_SERIES*observables] values, moment after moment */
    int64_t *first;  /* [observables] values of the initial state */
    int count;       /* number of moments: after stride, 2 * stride, ... steps. */
    int64_t stride;
} pen_series;

/* Local. Allocate an empty series. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_series_start(const pen_observables *observation, pen_series *series);
void pen_series_free(pen_series *series);

/* Local. Add the values after `step` steps. Call it once for every step from 0 on. */
void pen_series_add(pen_series *series, int64_t step, const pen_observables *observation);

/* The double whose bits are a value of a _REAL kind. */
static inline double pen_series_real(int64_t value)
{
    double real;
    memcpy(&real, &value, sizeof real);
    return real;
}
