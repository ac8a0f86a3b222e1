#include "tools/common/order.h"

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
