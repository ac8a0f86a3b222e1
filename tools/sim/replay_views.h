/* replay_views.h - what balancers see of a replay: the views of all ranks, node for node as a run of so many ranks
 * would show them. All Local.
 *
 * Own nodes lie in the natural order of a store: first those that other ranks read, by the set of these ranks and then
 * by gid (store/place.c), then the others by gid; shadows of a graph that is not directed owner by owner, and as they
 * lie there; of a directed one, whose readers become neighbours (view/view.h), by gid. */
#pragma once

#include "tools/sim/replay_world.h"

/* A directed graph's neighbours made mutual, by places. */
typedef struct replay_mutual {
    int64_t changes; /* of the graph until it was made; -1: it was not yet */
    uint32_t *rows;  /* [places+1] */
    int32_t *columns;
    int64_t *weights, *reads; /* as of a view */
} replay_mutual;

/* Make it of the record as it is after so many changes, unless it is. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32
 * arcs). */
PEN_CHECKED pen_status pen_replay_mutual_update(const pen_workload *record, int64_t changes, replay_mutual *mutual);
void pen_replay_mutual_free(replay_mutual *mutual);

typedef struct replay_views {
    pen_load_view *views; /* [ranks] */
    int64_t *starts;      /* [ranks+1] */
    int32_t *order;       /* [nodes] places; own node i of rank r is that in order[starts[r] + i] */
    pen_lid *index;       /* [places] which own node of its rank a node is */
    /* What the views' arrays are parts of. */
    pen_gid *gids;
    int32_t *owners;
    double *loads, *phase_loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *weights, *reads;
    double *coordinates;
} replay_views;

/* The views of a world whose nodes have these loads, [places], and in the phases those of the record; for a plan that
 * serves `horizon` steps, made behind `step` of them. `mutual` is looked at where the graph is directed.
 * PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_replay_views_create(const replay_world *world, const replay_mutual *mutual,
                                               const double *loads, double horizon, int64_t step, replay_views *views);
void pen_replay_views_free(replay_views *views);
