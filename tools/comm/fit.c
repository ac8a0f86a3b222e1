/* fit.c - fits a line to measured times. */
#include "tools/comm/fit.h"

comm_fit pen_fit_line(const double *x, const double *times, int count)
{
    /* With u = 1 / time and v = x / time, minimise the sum of (start * u + slope * v - 1)^2. */
    double uu = 0.0, uv = 0.0, vv = 0.0, u1 = 0.0, v1 = 0.0;
    bool differ = false;
    for (int i = 0; i < count; i++) {
        double u = 1.0 / times[i], v = x[i] / times[i];
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
        differ = differ || x[i] != x[0];
    }
    if (!differ) return (comm_fit){ .known = false };
    double determinant = uu * vv - uv * uv;
    comm_fit fit = { true, (u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant };
    if (fit.slope < 0.0) {
        fit.start = u1 / uu;
        fit.slope = 0.0;
    } else if (fit.start < 0.0) {
        fit.start = 0.0;
        fit.slope = v1 / vv;
    }
    return fit;
}
