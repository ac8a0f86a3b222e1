/* replay_time.h - predicts the time of steps, calls and migrations, in seconds. All Local.
 *
 * A step takes as long as its slowest rank. A rank takes
 * - (`node` x its nodes + `load` x their loads) / its speed;
 * - for each phase with pulls, `message` per rank that it pulls from, `byte` per byte, and `sync` x log2(ranks).
 * If the machine is in seconds, its links give the times of messages and bytes. Otherwise these are multiplied by the
 * links' costs, and a message takes the links' latency x the time of a shadow's bytes in addition.
 *
 * A call takes the processor time of its slowest rank and the messages and bytes of its exchanges and reductions; a
 * reduction is 2 log2(ranks) messages. A migration takes the messages, bytes and synchronisation of the busiest rank.
 */
#pragma once

#include "tools/sim/replay_world.h"

enum { REPLAY_TRANSPORT = 32 };

typedef struct replay_model {
    char transport[REPLAY_TRANSPORT];
    double node, load;          /* seconds of work, per node and per unit of load */
    double message, byte, sync; /* seconds of communication: per message, per byte and per synchronisation */
    const char *work;           /* source of `node` and `load` */
    double misfit;              /* relative root mean square error of the two on the record's times; NAN: unknown */
    /* Cosine of the vectors of nodes and of loads; if it is 1, times cannot distinguish the two; NAN: unknown. */
    double collinearity;
} replay_model;

/* The default model, which pen-comm measured with fence on two ranks of a host. */
replay_model pen_replay_model_default(void);

/* Read a transport's model from a file of pen-comm (--model=FILE, --json=FILE): for the halo that was measured there it
 * predicts the same latency. PEN_ERR_INPUT: not such a file, or the transport is missing; PEN_ERR_UNSUPPORTED: there is
 * no Python; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_model_read(const char *path, const char *transport, replay_model *model);

/* Read an open record to its end, and set `node` and `load`: to 0 and `unit`; or if that is NAN, by a least squares fit
 * to the record's times, both >= 0; or without times so that a measured load is a second, and a declared one 1e-6
 * seconds. Errors: those of reading a record. */
PEN_CHECKED pen_status pen_replay_model_fit(replay_model *model, pen_workload *record, double unit);

/* The depth of a tree of ranks: log2(ranks), rounded up. */
int pen_replay_doublings(int ranks);

/* Compute seconds[ranks], the time of each rank's pulls in a step. The world's halo must be known. */
void pen_replay_pull_seconds(const replay_model *model, const replay_world *world, double *seconds);
