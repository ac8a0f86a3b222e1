/* node_time.h - what a node takes: a run of nodes that become the mean of their neighbours, as `hex` computes it, on
 * every rank by itself and on all at once. */
#ifndef COMM_NODE_TIME_H
#define COMM_NODE_TIME_H

#include "base/comm.h"

enum { COMM_MOST_DEGREE = 64 };

typedef struct comm_node_time {
    double seconds; /* of a node, the function and the loop over nodes: the least sample */
    double spread;  /* how much longer, as a part of that, nine of ten samples took at most: what else goes on */
} comm_node_time;

/* Collective. This rank's time, of 60 samples of 1 ms, which all ranks begin together. Nodes read `degree` others each
 * on average; more than COMM_MOST_DEGREE are taken for so many, and the time grows in proportion. Errors: as
 * pen_run_create. */
PEN_CHECKED pen_status pen_node_time(pen_comm *comm, double degree, comm_node_time *time);

#endif
