/* sums.h - the phases in which cells follow from their children: sum, once for each level, the deepest first; merge:
 * cells with few bodies become leaves. */
#ifndef NBODY_SUMS_H
#define NBODY_SUMS_H

#include "apps/nbody/records.h"

/* All Local. */
void pen_nbody_want_small(const pen_view *v, pen_wishes *wishes);
void pen_nbody_sum(const pen_view *v);
void pen_nbody_want_below(const pen_view *v, pen_wishes *wishes);
void pen_nbody_merge(const pen_view *v);

#endif
