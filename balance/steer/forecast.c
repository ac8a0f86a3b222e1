/* forecast.c - decides whether plans use average loads. */
#include "steer/forecast.h"

#include <math.h>

/* An average covers about ten steps, and so do the sums of errors. */
static const double LEAST_WEIGHT = 0.1, KEPT = 0.9;
enum { MOST_QUIET = 50 }; /* number of steps without use after which averages are not kept any more */

double pen_forecast_weight(const pen_forecast *f) { return fmax(LEAST_WEIGHT, 1.0 / ((double)f->steps + 1.0)); }

void pen_forecast_step(pen_forecast *f, double last_error, double average_error)
{
    if (f->steps++ == 0) return;
    f->last_error = KEPT * f->last_error + last_error;
    f->average_error = KEPT * f->average_error + average_error;
}

void pen_forecast_decide(pen_forecast *f, bool wanted)
{
    if (wanted && !f->keeps) *f = (pen_forecast){ .keeps = true };
    else if (wanted || pen_forecast_by_average(f)) f->quiet = 0;
    else if (f->keeps && ++f->quiet >= MOST_QUIET) *f = (pen_forecast){ .keeps = false };
}
