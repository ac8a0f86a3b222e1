/* replay_views.h - makes the views of a replay's ranks for balancers, equal to those of a run. All Local.
 *
 * Own nodes are in the natural order of a store (store/place.c): first those that other ranks read, by the set of these
 * ranks and then by gid; then the others by gid. Shadows of an undirected graph are in their owners' order, owner by
 * owner. Those of a directed graph, whose readers become neighbours (view/view.h), are sorted by gid. */
#pragma once

#include "tools/sim/replay_world.h"

/* A directed graph whose neighbours were made mutual, by places. */
typedef struct replay_mutual {
    int64_t changes; /* number of changes of the graph when the neighbours were made mutual; -1: not made yet */
    uint32_t *rows;  /* [places+1] row pointers */
    int32_t *columns;
    int64_t *weights, *reads; /* weights of arcs, and weights that are read, as in a view */
} replay_mutual;

/* Make it again if the record's graph has changed since. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_replay_mutual_update(const pen_workload *record, int64_t changes, replay_mutual *mutual);
void pen_replay_mutual_free(replay_mutual *mutual);

/* List the places of all nodes, ascending by gid, which the caller frees; also after a failure; or sort `count` places
 * by gid. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_list_by_gid(const pen_workload *record, int32_t **places);
PEN_CHECKED pen_status pen_replay_sort_by_gid(const pen_workload *record, int64_t count, int32_t *places);

typedef struct replay_views {
    pen_load_view *views; /* [ranks] the views */
    int64_t *starts;      /* [ranks+1] index of each rank's first node in `order` */
    int32_t *order;       /* [nodes] place of each node: own node i of rank r is at order[starts[r] + i] */
    pen_lid *index;       /* [places] a node's index among its rank's own nodes */
    /* The arrays of which the views' arrays are parts. */
    pen_gid *gids;
    int32_t *owners;
    double *loads, *phase_loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *weights, *reads;
    double *coordinates;
} replay_views;

/* Make the views of a world, with loads[places], and the record's loads of phases, for a plan after `step` that serves
 * `horizon` steps. `mutual` is used if the graph is directed. PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_replay_views_create(const replay_world *world, const replay_mutual *mutual,
                                               const double *loads, double horizon, int64_t step, replay_views *views);
void pen_replay_views_free(replay_views *views);
