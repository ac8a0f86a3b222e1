/* history.h - the load of this rank and the number of all nodes over the steps, in limited memory. */
#pragma once

#include "observe/history.h"
#include "run/parts.h"

typedef struct pen_histories {
    pen_history load;  /* load of this rank: declared, or the ticks in node functions */
    pen_history nodes; /* number of nodes of the graph, if it may change */
    double *loads;     /* rank 0: [size*load.count] the same of all ranks, rank by rank, in seconds or declared units */
    bool other_unit;   /* the run is resumed, and the loads in its checkpoint are not in the unit that --load chooses */
} pen_histories;

extern const pen_part pen_part_history;

static inline pen_histories *pen_histories_of(const pen_run *run) { return pen_part_state(run, &pen_part_history); }
