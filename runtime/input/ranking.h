/* ranking.h - the arcs of all ranks in ascending order by node and neighbour: finds the i-th arc. */
#pragma once

#include "base/comm.h"

/* This rank's part of the nodes, sorted by gid over all ranks. */
typedef struct pen_ranking {
    pen_comm *comm;
    pen_lid count;
    pen_gid *gids;   /* [count] gids of the nodes, ascending */
    int64_t *arcs;   /* [count+1] the number of arcs before those of each node, over all ranks */
    int64_t *begins; /* [ranks+1] the number of the first arc of each rank's nodes */
} pen_ranking;

/* Collective. Sort the nodes of all ranks: `count` here, with gids in any order and degrees[count]. It is a sample
 * sort, after which the parts of the ranks are about equal. pen_ranking_free also after a failure. Errors:
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_ranking_create(pen_comm *comm, pen_lid count, const pen_gid *gids, const int64_t *degrees,
                                          pen_ranking *ranking);
void pen_ranking_free(pen_ranking *ranking);

/* Collective. Find the arcs first, first + 1, ..., `count` for this rank: their nodes, gids[count], and their places
 * in the rows of these nodes, places[count]. All these arcs must exist. `mine` is this rank's status so far. Errors:
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_ranking_name(const pen_ranking *ranking, pen_status mine, int64_t first, int64_t count,
                                        pen_gid *gids, int64_t *places);
