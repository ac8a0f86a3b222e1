/* costs.h - measures the cost of a get, so that plans suit the machine. */
#pragma once

#include "base/comm.h"
#include "base/environment.h"
#include "base/per_rank.h"

/* The cost of one get: seconds to issue and complete it, and seconds per byte. Equal on all ranks. */
typedef struct pen_get_cost {
    double latency, per_byte;
} pen_get_cost;

typedef struct pen_costs {
    pen_get_cost local, remote; /* cost of a get from a rank on the same host, and on another host; 0: there is none */
    double copy_record;         /* seconds to copy a record to or from a packed block */
    double fences, messages;    /* seconds of a small pull from another host: between two fences, and by a message;
                                 * 0: not compared */
} pen_costs;

/* Collective. Measure the costs, which takes some hundred microseconds on one host. `kind` is the kind of the window.
 * With several hosts and `compares`, which is equal on all ranks, fences are also compared with messages. */
PEN_CHECKED pen_status pen_costs_measure(pen_comm *comm, pen_window_kind kind, bool compares, pen_costs *costs);

/* Costs to assume instead of measuring. Tests set it, equally on all ranks. */
extern PEN_PER_RANK const pen_costs *pen_costs_assumed;
