/* series.c - keeps the observables over the steps in limited memory. */
#include "observe/series.h"
#include "base/memory.h"

pen_status pen_series_start(const pen_observables *observation, pen_series *series)
{
    *series = (pen_series){ .stride = 1 };
    PEN_TRY(PEN_ALLOC(&series->first, observation->count));
    return PEN_ALLOC(&series->values, (int64_t)observation->count * PEN_SERIES);
}

void pen_series_free(pen_series *series)
{
    PEN_FREE_ALL(series->values, series->first);
    *series = (pen_series){ .count = 0 };
}

static void copy_values(const pen_observables *o, int64_t *to)
{
    for (int i = 0; i < o->count; i++) to[i] = pen_observation_bits(o, i);
}

/* Keep every second moment. */
static void thin_out(pen_series *series, int observables)
{
    size_t bytes = (size_t)observables * sizeof *series->values;
    series->count = PEN_SERIES / 2;
    series->stride *= 2;
    for (int m = 0; m < series->count; m++)
        memcpy(series->values + (size_t)m * (size_t)observables,
               series->values + (2 * (size_t)m + 1) * (size_t)observables, bytes);
}

void pen_series_add(pen_series *series, int64_t step, const pen_observables *o)
{
    if (o->count == 0) return;
    if (step == 0) copy_values(o, series->first);
    else if (step % series->stride == 0) copy_values(o, series->values + (size_t)series->count++ * (size_t)o->count);
    if (series->count == PEN_SERIES) thin_out(series, o->count);
}
