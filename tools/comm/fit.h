/* fit.h - a straight line through measured times: time = start + slope * x. */
#pragma once

#include <stdbool.h>

typedef struct comm_fit {
    bool known;    /* else the rest is 0 */
    double start;  /* seconds at x = 0, >= 0: of x in bytes the latency */
    double slope;  /* seconds per unit of x, >= 0: of bytes 1 / bandwidth */
    double misses; /* the largest relative distance of a time from the line: 0.1 where it is off by 10 % */
} comm_fit;

/* Local. The line whose relative distances from the times, (start + slope * x) / time - 1, have the least sum of
 * squares, so that short times count as much as long ones. In plain least squares the longest time would decide, and
 * the latency would be lost in its noise. If the best line has a negative start or slope, the best line without it is
 * taken. times[i] > 0 at x[i] >= 0, i < count; remove disturbances before (medians). Needs two different x. */
comm_fit pen_fit_line(const double *x, const double *times, int count);
