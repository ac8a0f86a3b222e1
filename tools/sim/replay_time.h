/* replay_time.h - what a replay believes that things take, in seconds. All Local.
 *
 * A rank's step takes `node` for each of its nodes and `load` for each unit of their loads, over its speed; then, for
 * each phase behind which something is pulled, `message` for each rank that it pulls from, `byte` for each byte, and
 * `sync`, once for each doubling of the ranks from one to as many as there are. On a machine in seconds its links say
 * what messages and bytes take. On another one they take the links' costs times as long, and a message also takes the
 * links' latency times as long as the bytes of a shadow. A step takes as long as its slowest rank. Calls of a balancer
 * take the processor time of its slowest rank, and for its exchanges and reductions what their messages and bytes do: a
 * reduction is a message up and one down for each doubling. A migration takes the messages, bytes and synchronisation
 * of the rank that sends or gets most. */
#pragma once

#include "tools/sim/replay_world.h"

enum { REPLAY_TRANSPORT = 32 };

typedef struct replay_model {
    char transport[REPLAY_TRANSPORT];
    double node, load;          /* of work */
    double message, byte, sync; /* of communication */
    const char *work; /* where `node` and `load` are from; `misfit` is the error of the record's times by them,
                       * root mean square, as a part of these, and `collinearity` the cosine of nodes and
                       * loads, at 1 of which no times tell one from the other. NAN: not known */
    double misfit, collinearity;
} replay_model;

/* What fence took on two ranks of a host of 2026 (pen-comm --generate=hex:64x64, Open MPI 4.1 in shared memory): a
 * message 0.7 us, a byte 0.26 ns, synchronisation 2.1 us. */
replay_model pen_replay_model_default(void);

/* From what pen-comm writes (--model=FILE, --json=FILE): of that transport. PEN_ERR_IO; PEN_ERR_INPUT: it is no such
 * file, or does not have the transport; PEN_ERR_UNSUPPORTED: this build reads no JSON; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_model_read(const char *path, const char *transport, replay_model *model);

/* Work: `unit` seconds per load, or (NAN) as a record's times say, by least squares, neither part negative; without
 * times a measured load is a second, and a declared one 1e-6 seconds. */
void pen_replay_model_fit(replay_model *model, const pen_workload_world *world, const pen_workload_times *times,
                          double unit);

/* Synchronisation, or another thing that is done in a tree, of so many ranks. */
int pen_replay_doublings(int ranks);

/* What each rank of a world, whose halo is known, pulls in a step: seconds[ranks]. */
void pen_replay_pull_seconds(const replay_model *model, const replay_world *world, double *seconds);
