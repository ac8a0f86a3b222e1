/* order.c - medians and their intervals. */
#include "tools/common/order.h"

#include <math.h>
#include <stdlib.h>

int pen_ascending_real(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double pen_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, pen_ascending_real);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

int pen_median_rank(int count)
{
    double outside = 0.0; /* probability that fewer than `rank` samples are below the median */
    for (int rank = 0; rank < count; rank++) {
        const double n = count, k = rank;
        outside += exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) - n * log(2.0));
        if (outside > 0.025) return rank;
    }
    return count;
}
