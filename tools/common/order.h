/* order.h - numbers in order. All Local. */
#ifndef PEN_ORDER_H
#define PEN_ORDER_H

#include <stdint.h>

/* For qsort and bsearch: int64_t and double, ascending. */
int pen_ascending_int(const void *a, const void *b);
int pen_ascending_real(const void *a, const void *b);

/* Sorts the values; count >= 1. */
double pen_median(double *values, int count);

#endif
