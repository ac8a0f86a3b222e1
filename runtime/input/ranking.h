/* ranking.h - nodes, and arcs, in ascending order over all ranks: which is the i-th. */
#ifndef PEN_RANKING_H
#define PEN_RANKING_H

#include "base/comm.h"

/* This rank's nodes between those of the ranks before and behind it. */
typedef struct pen_ranking {
    pen_comm *comm;
    pen_lid count;
    pen_gid *gids;      /* [count] ascending */
    int64_t *arcs;      /* [count+1] how many arcs come before those of each node, over all ranks */
    int64_t *begins[2]; /* [ranks+1] where each rank's nodes begin among all nodes, and their arcs among all arcs */
} pen_ranking;

/* Collective. Of nodes, `count` here with these gids in any order, each with so many arcs, degrees[count]. Sample sort:
 * a rank gets about its part. pen_ranking_free also after a failure. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_ranking_create(pen_comm *comm, pen_lid count, const pen_gid *gids, const int64_t *degrees,
                                          pen_ranking *ranking);
void pen_ranking_free(pen_ranking *ranking);

/* Collective. The nodes that are first, first + 1, ... among all; each rank asks for `count` of its own. With `arcs`:
 * the nodes that have those arcs, and which of their own each is, places[count]. All of them are there. `mine` is this
 * rank's status so far. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_ranking_name(const pen_ranking *ranking, pen_status mine, bool arcs, int64_t first,
                                        int64_t count, pen_gid *gids, int64_t *places);

#endif
