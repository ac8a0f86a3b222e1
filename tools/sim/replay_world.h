/* replay_world.h - the state of a replay: the owners of a workload record's nodes, the halo, and quality. All Local.
 *
 * Nodes are known by their places in the record (workload.h). A world uses the record's present state. */
#pragma once

#include "view/quality.h"
#include "workload/workload.h"

/* What a rank reads from another one in a step. */
typedef struct replay_reading {
    int32_t producer, shadows; /* the other rank, and the number of its nodes that are read */
} replay_reading;

/* The reads between ranks in a step. */
typedef struct replay_halo {
    int64_t *first;           /* [ranks+1] index of each rank's first reading */
    replay_reading *readings; /* [first[ranks]] */
    double *units;            /* [ranks] cost on the machine, in its units of time (pen_quality.communication), or 0 */
} replay_halo;

typedef struct replay_world {
    const pen_workload *record; /* the record, owned by the caller */
    int ranks;
    int hosts;                  /* number of hosts of the ranks, in blocks of the same size; 1 at first */
    const pen_machine *machine; /* the machine, owned by the caller; NULL: none */
    const char *partitioner; /* partitioner of the first owners, owned by the caller; "recorded": the recorded run's */
    int32_t *owners;         /* [places] owner of each place's node; -1: a hole */
    int64_t places;          /* number of places with known owners */
    int64_t room;            /* allocated places */
    int64_t *counts;         /* [ranks] number of each rank's nodes */
    int64_t changes;         /* number of changes of the graph so far */
    int64_t moves;           /* number of times that nodes have changed owners */
    replay_halo halo;
    bool halo_is_known;
} replay_world;

/* Create the world of a record that was just opened. The first owners are the partitioner's for nodes of
 * equal weight; if it is NULL those of the recorded run, or with another number of ranks metis's. Errors: those of
 * pen_partition, PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_replay_world_create(const pen_workload *record, int ranks, const pen_machine *machine,
                                               const char *partitioner, replay_world *world);
void pen_replay_world_free(replay_world *world);

/* Copy the state. PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_replay_world_copy(const replay_world *world, replay_world *copy);

/* Follow a change of the record's graph. A new node gets the owner of the node that requested it; otherwise the rank of
 * the recorded run, or the last rank if there are fewer. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_follow(replay_world *world);

/* Move the nodes at places[count] to ranks to[count]. */
void pen_replay_world_move(replay_world *world, int64_t count, const int32_t *places, const int32_t *to);

/* Compute the halo, unless it is known. Time is linear in nodes and arcs. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_find_halo(replay_world *world);

/* Measure the quality like a run, with equal node weights. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_measure(const replay_world *world, pen_quality *quality);

static inline double pen_replay_speed(const replay_world *world, int rank)
{
    return world->machine ? world->machine->speeds[rank] : 1.0;
}

/* Sort places by rank: those of rank r become order[starts[r] .. starts[r+1]), in the order of places[nodes], or
 * ascending if that is NULL. The caller frees *starts [ranks+1] and *order [nodes]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_sort(const replay_world *world, const int32_t *places, int64_t **starts,
                                             int32_t **order);
