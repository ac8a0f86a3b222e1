/* gather.h - the whole graph and its loads on rank 0, through peers, for balancers that are sequential. */
#ifndef PEN_GATHER_H
#define PEN_GATHER_H

#include "partition/serial.h"
#include <penumbra_plugin.h>

typedef struct pen_gathered {
    pen_serial_graph graph; /* rows in rank order. Its loads are >= 1 and add up to at most 2^30: they are `loads`,
                               scaled, where the lightest weigh too much by less than 2^-30 of the whole */
    double *loads;          /* [nodes] */
    int32_t *owners;        /* [nodes] ascending */
} pen_gathered;

/* Collective. *g gets the graph on rank 0, and stays empty elsewhere; pen_gathered_free frees it on all ranks,
 * also after a failure. Not for views whose loads are all 0. Errors: PEN_ERR_UNSUPPORTED (nodes, arcs or edge
 * weights beyond 31 bits, on all ranks; `owner` begins the sentence), PEN_ERR_MEMORY, PEN_ERR_INTERNAL
 * (neighbours that are not mutual), and those of peers. */
PEN_CHECKED pen_status pen_gather(const pen_load_view *view, pen_peers *peers, const char *owner, pen_gathered *g);

/* Collective. The moves of this rank's nodes to where rank 0 wants them: part[row] is a rank, [nodes], or `part`
 * is NULL where all nodes stay. On other ranks `g` and `part` mean nothing. Errors: those of peers. */
PEN_CHECKED pen_status pen_gathered_plan(const pen_load_view *view, pen_peers *peers, const pen_gathered *g,
                                         const int32_t *part, pen_plan *plan);

/* Local. Frees the arrays and zeroes the structure. */
void pen_gathered_free(pen_gathered *g);

#endif
