/* series.h - the observables over the steps, in limited memory: their values after every stride-th step, which doubles
 * whenever the array is full. */
#pragma once

#include "run/parts.h"

enum { PEN_SERIES = 512 };

/* Each value is an integer, or the bits of a double. */
typedef struct pen_series {
    int64_t *values; /* [PEN_SERIES*observables] values, moment after moment */
    int64_t *first;  /* [observables] values of the initial state */
    int count;       /* number of moments: after stride, 2 * stride, ... steps */
    int64_t stride;
} pen_series;

extern const pen_part pen_part_series;

/* Local. The series of a run; NULL: the application has neither observables nor globals. */
static inline pen_series *pen_series_of(const pen_run *run) { return pen_part_state(run, &pen_part_series); }
