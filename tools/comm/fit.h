/* fit.h - fits a straight line to measured times: time = start + slope * x. */
#pragma once

#include <stdbool.h>

typedef struct comm_fit {
    bool known;   /* whether there is a line; false: the other members are 0 */
    double start; /* seconds at x = 0, >= 0; the latency if x is in bytes */
    double slope; /* seconds per unit of x, >= 0; 1 / bandwidth if x is in bytes */
} comm_fit;

/* Local. Fit the line with the least sum of squares of relative errors, (start + slope * x) / time - 1, so that short
 * times count as much as long ones. (With absolute errors the longest time would decide, and the latency would be lost
 * in its noise.) start and slope are at least 0. Needs times[i] > 0 at x[i] >= 0, i < count, with two different x;
 * remove disturbances before, by medians. comparison.py, for tables, does the same in Python. */
comm_fit pen_fit_line(const double *x, const double *times, int count);
