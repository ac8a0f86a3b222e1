/* outlook.h - what would come of a plan: found out before anything moves. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Equal on all ranks but for what is said to be this rank's. */
typedef struct pen_outlook {
    double load;              /* of this rank */
    double max;               /* over ranks, of load / speed: the time that a step takes */
    double off;               /* the most that a rank's differs from what it were if all took as long */
    int64_t cut, pieces;      /* as of pen_quality, where they have been found (pen_outlook_shape) */
    int64_t moved, max_moved; /* nodes; in or out of one rank */
    bool regardless;          /* some rank wants it carried out even if it helps nobody */
    double cpu_seconds;       /* of the algorithm, over all ranks, without waiting */
} pen_outlook;

/* Collective. Of a plan that was checked: move i is that of node places[i] of the view, [plan->count]. `load` is the
 * sum of the view's loads, cpu_seconds what the algorithm took here. A failure is one of the peers, or of this rank:
 * the next call of the others tells them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_outlook_make(pen_peers *peers, const pen_load_view *view, double load, const pen_plan *plan,
                                        const pen_lid *places, double cpu_seconds, pen_outlook *outlook);

/* Collective. Find out cut and pieces, too, which takes a look at all arcs: the view has edges and shadows. Errors: as
 * above. */
PEN_CHECKED pen_status pen_outlook_shape(pen_peers *peers, const pen_load_view *view, const pen_plan *plan,
                                         const pen_lid *places, pen_outlook *outlook);
