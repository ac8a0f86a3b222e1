/* ranking.h - arcs in ascending order over all ranks, by node and neighbour: which is the i-th. */
#pragma once

#include "base/comm.h"

/* This rank's nodes between those of the ranks before and after it. */
typedef struct pen_ranking {
    pen_comm *comm;
    pen_lid count;
    pen_gid *gids;   /* [count] ascending */
    int64_t *arcs;   /* [count+1] how many arcs come before those of each node, over all ranks */
    int64_t *begins; /* [ranks+1] where the arcs of each rank's nodes begin among all arcs */
} pen_ranking;

/* Collective. Of nodes, `count` here with these gids in any order, each with so many arcs, degrees[count]. Sample sort:
 * a rank gets about its part. pen_ranking_free also after a failure. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_ranking_create(pen_comm *comm, pen_lid count, const pen_gid *gids, const int64_t *degrees,
                                          pen_ranking *ranking);
void pen_ranking_free(pen_ranking *ranking);

/* Collective. Of the arcs first, first + 1, ... among all, the nodes that have them, gids[count], and which of their
 * own each is, places[count]; each rank asks for `count` of its own. All of them are there. `mine` is this rank's
 * status so far. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_ranking_name(const pen_ranking *ranking, pen_status mine, int64_t first, int64_t count,
                                        pen_gid *gids, int64_t *places);
