/* order.h - numbers in order. All Local. */
#pragma once

/* For qsort and bsearch: doubles, ascending. */
int pen_ascending_real(const void *a, const void *b);

/* Sorts the values; count >= 1. */
double pen_median(double *values, int count);

/* An interval of the median of `count` samples, whatever their distribution: from the r-th least one to the r-th
 * greatest one it has the median of all possible samples in at least 95 of 100 cases (an order statistic is on one side
 * of it as often as a coin says). r, from 1 on; 0: there are too few samples, fewer than 6. */
int pen_median_rank(int count);
