/* virtual_world.h - a whole graph in one process, distributed to virtual ranks, for tests and benches of balancers. */
#pragma once

#include "tools/sim/virtual_ranks.h"
#include "view/quality.h"

/* Node i has gid PEN_VIRTUAL_GID(i), so that an index cannot be mistaken for a gid. */
#define PEN_VIRTUAL_GID(i) ((pen_gid)(i)*3 + 5)

typedef struct pen_virtual_world {
    int ranks;
    int threads; /* of the virtual ranks, 0 at first: one. Balancers that are not reentrant use one */
    int32_t nodes;
    uint32_t *rows;                /* [nodes+1] */
    int32_t *columns;              /* [rows[nodes]] ascending within a row; symmetric, no loops, no duplicates */
    int64_t *edge_weights;         /* [rows[nodes]], or NULL: all 1 */
    double *loads;                 /* [nodes]; 1 at first */
    int32_t *owners;               /* [nodes]; contiguous blocks of equal size at first */
    int64_t node_bytes, arc_bytes; /* 64 and 8 at first */
    double horizon;                /* 100 at first */
    int dimensions;                /* of the coordinates, 0: there are none; hex has 2 */
    double *coordinates;           /* [nodes*dimensions] or NULL */
    const pen_machine *machine;    /* of the ranks, the caller's; NULL at first: none */
    int phases;                    /* 0 at first: one */
    const double *phase_loads;     /* [nodes*phases] of the phases of a step, the caller's; NULL at first: none */
    const double *before; /* [nodes] the earlier one of two alternating loads (check.h), the caller's; NULL at first:
                             plans are for one load */
} pen_virtual_world;

/* Local. Worlds of `ranks` >= 1. pen_virtual_world_free frees the arrays; the caller may change them, and replace them
 * by others of malloc. On failure, PEN_ERR_MEMORY, there is nothing to free. hex: width x height cells in rows, each
 * with up to 6 neighbours. edges: from pairs of nodes in [0, nodes), [count], without loops and duplicates. rmat:
 * 2^scale nodes, `arcs` draws (Chakrabarti, Zhan and Faloutsos, SDM 2004). random: `arcs` pairs at random. */
PEN_CHECKED pen_status pen_virtual_hex(int ranks, int width, int height, pen_virtual_world *world);
PEN_CHECKED pen_status pen_virtual_edges(int ranks, int32_t nodes, int64_t count, const int32_t (*edges)[2],
                                         pen_virtual_world *world);
PEN_CHECKED pen_status pen_virtual_rmat(int ranks, int scale, int64_t arcs, uint64_t seed, pen_virtual_world *world);
PEN_CHECKED pen_status pen_virtual_random(int ranks, int32_t nodes, int64_t arcs, uint64_t seed,
                                          pen_virtual_world *world);
void pen_virtual_world_free(pen_virtual_world *world);

/* Local. How well the nodes are dealt out. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_virtual_world_measure(const pen_virtual_world *world, pen_quality *quality);

/* What a call of a balancer did. */
typedef struct pen_virtual_outcome {
    int64_t moved;                 /* nodes */
    int rounds;                    /* of rank 0 */
    double seconds;                /* CPU, sum over ranks, between calls of peers */
    double slowest;                /* the same of the slowest rank */
    int64_t exchanges, reductions; /* of rank 0 */
    int64_t messages, bytes;       /* sum over ranks */
    int64_t max_bytes;             /* of one rank */
} pen_virtual_outcome;

/* Local. Build every rank's view, make the balancer's state from its settings, request plans (pen_plan_ask) and apply
 * them to owners, which do not change after a failure: PEN_ERR_INTERNAL (a wrong plan), PEN_ERR_MEMORY, and the
 * balancer's status. The caller owns all arguments. `outcome` may be NULL, which is faster. `order` as in
 * pen_virtual_run; own nodes are numbered by ascending gid, or descending with `reversed`. */
PEN_CHECKED pen_status pen_virtual_world_balance(pen_virtual_world *world, const pen_balancer *balancer,
                                                 const char *settings, const int *order, bool reversed,
                                                 pen_virtual_outcome *outcome);

/* Local. The same for a partitioner: parts become owners. */
PEN_CHECKED pen_status pen_virtual_world_partition(pen_virtual_world *world, const pen_partitioner *partitioner,
                                                   const char *settings, pen_virtual_outcome *outcome);
