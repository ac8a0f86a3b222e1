/* filter.h - the reassignment filter of MinEX (Harvey, Das, Biswas, figure 1). */
#pragma once

#include <math.h>
#include <stdbool.h>

/* Local. Whether a vertex may move from a processor of load `from` to one of load `to`; new_from and new_to are their
 * loads afterwards, `mean` is the mean load. *variance_change becomes the change of the variance from both processors,
 * if it is computed. */
static inline bool pen_minex_filter(double from, double to, double new_from, double new_to, double mean, double throt,
                                    double *variance_change)
{
    if (new_from > from || new_to < to) return false;
    double change = (new_from - mean) * (new_from - mean) + (new_to - mean) * (new_to - mean) -
                    (from - mean) * (from - mean) - (to - mean) * (to - mean);
    *variance_change = change;
    if (change >= 0.0) return false;
    double gain = (new_from + new_to) - (from + to);
    if (gain > 0.0 && gain * gain / -change > throt) return false;
    if (fabs(new_from - new_to) > fabs(from - to) && (new_from < to || new_to > from)) return false;
    return true;
}
