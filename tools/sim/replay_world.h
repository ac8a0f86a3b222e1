/* replay_world.h - the state of a replay: the owners of a workload record's nodes, the halo, and quality. All Local.
 *
 * Nodes are known by their places in the record (workload.h). A world uses the record's present state. */
#pragma once

#include "view/quality.h"
#include "workload/workload.h"

/* What ranks read from others in a step. */
typedef struct replay_halo {
    int64_t *first;     /* [ranks+1] */
    int32_t *producers; /* [first[ranks]] the ranks that each rank reads from */
    int32_t *shadows;   /* [first[ranks]] and how many nodes */
    double *units;      /* [ranks] the cost on the machine, in its units of time (pen_quality.communication), or 0 */
} replay_halo;

typedef struct replay_world {
    const pen_workload *record; /* the caller's */
    int ranks;
    int hosts;                  /* that the ranks are on, in blocks of the same size; 1 at first */
    const pen_machine *machine; /* the caller's; NULL: none */
    int32_t *owners;            /* [places] -1: a hole */
    int64_t places;             /* with known owners */
    int64_t room;               /* allocated */
    int64_t *counts;            /* [ranks] nodes */
    int64_t changes;            /* of the graph, so far */
    int64_t moves;              /* how often nodes have changed owners */
    replay_halo halo;
    bool halo_is_known;
} replay_world;

/* For a record that was just opened. The first owners are those of the recorded run or, if `partitioner` is not NULL,
 * the partitioner's for nodes of equal weight. Errors: those of pen_partition, PEN_ERR_MEMORY. On failure there is
 * nothing to free. */
PEN_CHECKED pen_status pen_replay_world_create(const pen_workload *record, int ranks, const pen_machine *machine,
                                               const char *partitioner, replay_world *world);
void pen_replay_world_free(replay_world *world);

/* Copy the state. PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_replay_world_copy(const replay_world *world, replay_world *copy);

/* The record's graph has changed. A new node gets the owner of the node that asked for it; otherwise the rank of the
 * recorded run, or the last rank if there are fewer. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_follow(replay_world *world);

/* Move the nodes at places[count] to ranks to[count]. */
void pen_replay_world_move(replay_world *world, int64_t count, const int32_t *places, const int32_t *to);

/* Add up loads by rank: sums[ranks]; returns the heaviest load. */
double pen_replay_world_add(const replay_world *world, const double *loads, double *sums);

/* Compute the halo, unless it is known. Time is linear in nodes and arcs. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_find_halo(replay_world *world);

/* The quality as a run measures it, with equal node weights. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_measure(const replay_world *world, pen_quality *quality);

static inline double pen_replay_speed(const replay_world *world, int rank)
{
    return world->machine ? world->machine->speeds[rank] : 1.0;
}

/* Sort places by rank: those of rank r become order[starts[r] .. starts[r+1]), in the order of places[nodes], or if
 * that is NULL ascending. The caller frees *starts [ranks+1] and *order [nodes]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_world_sort(const replay_world *world, const int32_t *places, int64_t **starts,
                                             int32_t **order);
