/* replay_world.h - the state of a replay: where the nodes of a workload record are on so many ranks, and what follows
 * from that. All Local.
 *
 * Nodes are told by their places in the record (workload.h). A world looks at the record as it is at the moment. */
#pragma once

#include "view/quality.h"
#include "workload/workload.h"

/* What ranks read of others in a step. */
typedef struct replay_halo {
    int64_t *first;     /* [ranks+1] */
    int32_t *producers; /* [first[ranks]] whom each rank reads of, */
    int32_t *shadows;   /* and how many nodes */
    double *units;      /* [ranks] what that costs on the machine, in its units of time (pen_quality.communication); 0
                         * where there is none */
} replay_halo;

typedef struct replay_world {
    const pen_workload *record; /* the caller's */
    int ranks;
    const pen_machine *machine; /* the caller's; NULL: none */
    int32_t *owners;            /* [places] -1: a hole */
    int64_t places;             /* that owners are known of, */
    int64_t room;               /* and may be */
    int64_t *counts;            /* [ranks] nodes */
    int64_t changes;            /* of the graph, so far */
    int64_t moves;              /* how often nodes have changed owners */
    replay_halo halo;
    bool halo_is_known;
} replay_world;

/* Of a record that was just opened. Nodes are where they were at first in the run that was recorded, where
 * `partitioner` is NULL; else where that puts them, of nodes that weigh the same. PEN_ERR_INPUT and others as of
 * pen_partition, PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_replay_world_create(const pen_workload *record, int ranks, const pen_machine *machine,
                                               const char *partitioner, replay_world *world);
void pen_replay_world_free(replay_world *world);

/* Another one in the same state. PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_replay_world_copy(const replay_world *world, replay_world *copy);

/* The record's graph has changed. New nodes come to where those were that asked for them, others to the rank of the
 * recorded run, or the last one. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_follow(replay_world *world);

/* Node i goes from where it is to rank to[i], places[i] saying which it is, [count]. */
void pen_replay_world_move(replay_world *world, int64_t count, const int32_t *places, const int32_t *to);

/* Add loads up by rank: sums[ranks]; the heaviest one is returned. */
double pen_replay_world_add(const replay_world *world, const double *loads, double *sums);

/* Find out the halo, where it is not known. Time is linear in nodes and arcs. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_find_halo(replay_world *world);

/* As a run measures it: of nodes that weigh the same. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_measure(const replay_world *world, pen_quality *quality);

static inline double pen_replay_speed(const replay_world *world, int rank)
{
    return world->machine ? world->machine->speeds[rank] : 1.0;
}

/* Places of nodes rank by rank, those of rank r in order[starts[r] .. starts[r+1]), as they follow each other in
 * `places`, [nodes], or NULL: ascending. *starts, [ranks+1], and *order, [nodes], are the caller's. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_sort(const replay_world *world, const int32_t *places, int64_t **starts,
                                             int32_t **order);
