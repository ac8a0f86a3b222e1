/* penumbra_partition.h - partitioners, balancers and the directory for programs that keep their data themselves.
 *
 * Nothing here needs an application or a run: a program that has a graph in arrays of its own hands its rows over
 * (pen_graph_from_csr), asks where nodes shall live, moves its data itself, and may let a directory know who owns what:
 *
 *     pen_graph_from_csr(comm, &mine, &graph);
 *     pen_graph_partition(graph, "metis", NULL, ranks, part);
 *     ... ship what part[i] says; pen_directory_update(directory, PEN_OK, count, gids, owners, NULL);
 *     ... compute; loads have changed:
 *     const pen_rebalance how = { .balancer = "diffusive", .loads = loads, .owners = owners };
 *     pen_graph_rebalance(graph, &how, owners);
 *     ... ship what has a new owner
 *
 * A machine (`machine`, NULL: all processors are equal, and next to each other) is named as programs name it by
 * --machine; --list=machines tells how. */
#ifndef PENUMBRA_PARTITION_H
#define PENUMBRA_PARTITION_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Where nodes shall live ------------------------------------------------------------------ */

/* Collective. Which part each node shall be in: part[i] in [0, parts) for the i-th node that this rank has handed over,
 * or of its range where the graph was read or generated. `partitioner` is "name[:settings]" or a plug-in's path
 * (--list=partitioners; NULL: metis); parts need not be as many as ranks; some may be empty. A machine has at least as
 * many processors as there are parts, and part k is for processor k. part is unspecified after a failure. Errors:
 * PEN_ERR_INPUT (an unknown name, bad settings, a machine that is none), PEN_ERR_UNSUPPORTED (the graph does not suit
 * the partitioner), PEN_ERR_ARGUMENT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_graph_partition(const pen_graph *graph, const char *partitioner, const char *machine,
                                                   int parts, int32_t *part);

/* What a balancer is told. All zero: diffusive, nodes are on the ranks that have handed them over and weigh what the
 * graph says. Arrays are [nodes that this rank has handed over]. */
typedef struct pen_rebalance {
    const char *balancer;  /* "name[:settings]", or a plug-in's path (--list=balancers); NULL: diffusive */
    const char *machine;   /* the ranks' processors */
    const double *loads;   /* >= 0, finite: work, in any unit; NULL: the node weights */
    const int32_t *owners; /* ranks that nodes are on now; NULL: this one */
    double horizon;        /* steps that the answer shall serve; 0: 100 */
    int64_t node_bytes;    /* moving a node ships so many bytes, 0: 64, */
    int64_t arc_bytes;     /* and so many for each neighbour */
} pen_rebalance;

/* Collective. On which ranks nodes shall be from now on: owners[i], [nodes that this rank has handed over], may be
 * how->owners. Most stay where they are. Nothing is moved, and nothing is said about whether it pays: a balancer's plan
 * is checked, and that is all. owners are as they were after a failure. Errors: PEN_ERR_INPUT (as above; an owner that
 * is no rank; a load that is no number >= 0), PEN_ERR_INTERNAL (the balancer failed, or planned what cannot be),
 * PEN_ERR_UNSUPPORTED, PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_rebalance(const pen_graph *graph, const pen_rebalance *how,
                                                         int32_t *owners);

/* ---- Who owns what --------------------------------------------------------------------------- */

/* A distributed hash directory: who owns a gid. The home of a gid is the hash of its page (64 consecutive gids) over
 * the ranks and never changes; homes keep owner and version of their gids. A version counts a node's moves: updates are
 * idempotent, the newest version wins, stale updates that arrive late do nothing. Time and memory are linear in what a
 * rank asks and keeps, whatever the number of ranks; gids that are near each other in number cost least.
 *
 * After PEN_ERR_MPI a directory can only be destroyed; after any other failure it is, on every rank, as it was before
 * the call. */
typedef struct pen_directory pen_directory;

enum { PEN_OWNER_UNKNOWN = -1 };

/* Collective. An empty directory, on a duplicate of the communicator; the caller destroys it. `expected` >= 0 is a
 * hint: how many gids this rank will announce. Errors: PEN_ERR_ARGUMENT, PEN_ERR_MEMORY, PEN_ERR_MPI,
 * PEN_ERR_ENVIRONMENT (MPI is not initialised). */
PEN_API PEN_CHECKED pen_status pen_directory_create(MPI_Comm comm, int64_t expected, pen_directory **directory);

/* Collective. Nulls *directory; NULL and a null handle are legal. */
PEN_API void pen_directory_destroy(pen_directory **directory);

/* Collective, and all return the same status. A rank may pass any number of gids >= 0, also none and with repetitions,
 * and passes its status so far in `mine`: a failure there, too, is returned on all ranks (its other arguments are then
 * not looked at).
 *
 * update: gids[i] is owned by owners[i] (a rank) since its versions[i]-th move (versions NULL: 0 for
 *         all). An update whose version is not newer than the known one does nothing, except that an
 *         equal version with another owner is PEN_ERR_INPUT (two owners of one gid), naming the gid;
 *         so for updates within one call, wherever they come from.
 * remove: forget gids and their versions; unknown ones are ignored.
 * resolve: owners[i] gets the owner of gids[i], or PEN_OWNER_UNKNOWN; untouched on failure.
 *
 * Arrays are [count]. Errors: PEN_ERR_ARGUMENT (a gid, owner or version out of range), PEN_ERR_UNSUPPORTED
 * (count beyond 2^31 - 1), PEN_ERR_MEMORY, PEN_ERR_MPI, and those said above. */
PEN_API PEN_CHECKED pen_status pen_directory_update(pen_directory *directory, pen_status mine, int64_t count,
                                                    const pen_gid *gids, const int32_t *owners,
                                                    const int32_t *versions);
PEN_API PEN_CHECKED pen_status pen_directory_remove(pen_directory *directory, pen_status mine, int64_t count,
                                                    const pen_gid *gids);
PEN_API PEN_CHECKED pen_status pen_directory_resolve(pen_directory *directory, pen_status mine, int64_t count,
                                                     const pen_gid *gids, int32_t *owners);

/* ---- How sizes travel ------------------------------------------------------------------------ */

PEN_API PEN_CHECKED pen_status pen_graph_rebalance_abi(uint32_t size, const pen_graph *graph, const pen_rebalance *how,
                                                       int32_t *owners);

static inline pen_status pen_graph_rebalance(const pen_graph *graph, const pen_rebalance *how, int32_t *owners)
{
    return pen_graph_rebalance_abi(sizeof *how, graph, how, owners);
}

#ifdef __cplusplus
}
#endif

#endif
