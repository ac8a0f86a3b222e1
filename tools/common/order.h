/* order.h - numbers in order. All Local. */
#pragma once

/* For qsort and bsearch: doubles, ascending. */
int pen_ascending_real(const void *a, const void *b);

/* Sorts the values; count >= 1. */
double pen_median(double *values, int count);

/* An interval of the median of `count` samples, for any distribution: the range from the r-th smallest to the r-th
 * greatest sample contains the true median with a probability of at least 95 % (the number of samples below the median
 * is binomial). r, from 1 on; 0: too few samples, fewer than 6. */
int pen_median_rank(int count);
