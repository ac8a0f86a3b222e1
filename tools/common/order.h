/* order.h - sorts numbers, and computes medians with their intervals. All Local. */
#pragma once

/* Compare doubles for qsort and bsearch, in ascending order. */
int pen_ascending_real(const void *a, const void *b);

/* Sort the values, and return their median; count >= 1. */
double pen_median(double *values, int count);

/* The rank of an interval of the median of `count` samples, for any distribution: the range from the r-th smallest to
 * the r-th largest sample contains the true median with a probability of at least 95 % (the number of samples below the
 * median is binomial). Returns r, from 1 on; 0: too few samples, fewer than 6. */
int pen_median_rank(int count);
