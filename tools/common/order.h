/* order.h - numbers in order. All Local. */
#pragma once

/* For qsort and bsearch: doubles, ascending. */
int pen_ascending_real(const void *a, const void *b);

/* Sorts the values; count >= 1. */
double pen_median(double *values, int count);
