/* virtual_world.h - a whole graph in one process, dealt out to virtual ranks: what balancers are tested and
 * measured on. */
#ifndef VIRTUAL_WORLD_H
#define VIRTUAL_WORLD_H

#include "virtual/virtual_peers.h"

/* Node i has gid VIRTUAL_GID(i), so that nobody takes an index for a gid. */
#define VIRTUAL_GID(i) ((pen_gid)(i)*3 + 5)

typedef struct virtual_world {
    int ranks;
    int32_t nodes;
    uint32_t *rows;                /* [nodes+1] */
    int32_t *columns;              /* [rows[nodes]] ascending within a row; symmetric, no loops, no duplicates */
    int64_t *edge_weights;         /* [rows[nodes]], or NULL: all 1 */
    double *loads;                 /* [nodes]; 1 at first */
    int32_t *owners;               /* [nodes]; contiguous blocks of equal size at first */
    int64_t node_bytes, arc_bytes; /* 64 and 8 at first */
    double horizon;                /* 100 at first */
} virtual_world;

/* All fail with PEN_ERR_MEMORY only; virtual_world_free frees the arrays.
 * hex: width x height cells in rows, each with up to 6 neighbours. edges: from `count` pairs of nodes, of which
 * loops and duplicates are left out. rmat: 2^scale nodes, `arcs` draws. random: `arcs` pairs at random. */
pen_status virtual_hex(int ranks, int width, int height, virtual_world *world);
pen_status virtual_edges(int ranks, int32_t nodes, int64_t count, const int32_t (*edges)[2], virtual_world *world);
pen_status virtual_rmat(int ranks, int scale, int64_t arcs, uint64_t seed, virtual_world *world);
pen_status virtual_random(int ranks, int32_t nodes, int64_t arcs, uint64_t seed, virtual_world *world);
void virtual_world_free(virtual_world *world);

/* How well the nodes are dealt out. */
typedef struct virtual_quality {
    double total, heaviest; /* load; load of the heaviest node */
    double imbalance;       /* maximum / mean; 1 where there is no load */
    double two_sided;       /* max |load - mean| / mean; 0 where there is no load */
    double bound;           /* below which imbalance cannot be: max(1, heaviest / mean) */
    int64_t cut;            /* weight of edges between ranks */
    int64_t pieces;         /* connected parts beyond one per rank that has nodes */
    int empty;              /* ranks without nodes */
} virtual_quality;

pen_status virtual_world_measure(const virtual_world *world, virtual_quality *quality);

/* What a call of a balancer did. */
typedef struct virtual_outcome {
    int64_t moved;                   /* nodes */
    int rounds;                      /* of rank 0 */
    double seconds;                  /* CPU, sum over ranks, between calls of peers */
    double slowest;                  /* the same of the slowest rank */
    int64_t exchanges, reductions;   /* of rank 0 */
    int64_t messages, bytes;         /* sum over ranks */
    int64_t max_messages, max_bytes; /* of one rank */
} virtual_outcome;

/* Build every rank's view, call balancer->create and ->plan, check the plans (own nodes, ranks in range, each
 * node once; else PEN_ERR_INTERNAL) and put them into owners, which stay as they were after a failure.
 * `outcome` may be NULL, which is faster. `order` as of virtual_run; own nodes are numbered by ascending gid, or
 * descending where `reversed`. */
pen_status virtual_world_balance(virtual_world *world, const pen_balancer *balancer, const char *settings,
                                 const int *order, bool reversed, virtual_outcome *outcome);

/* The same for a partitioner: parts become owners. */
pen_status virtual_world_partition(virtual_world *world, const pen_partitioner *partitioner, const char *settings,
                                   virtual_outcome *outcome);

#endif
