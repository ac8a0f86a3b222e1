/* penumbra_partition.h - partition and rebalance a graph, measure partitions, and look up owners, in programs that keep
 * their own data.
 *
 * These functions need no application and no run: a program with a graph in its own arrays moves its data itself.
 *
 *     pen_graph_from_csr(comm, &mine, &graph);
 *     pen_graph_partition(graph, "metis", NULL, ranks, part);
 *     ... send each node to rank part[i]; pen_directory_update(directory, count, gids, owners, NULL);
 *     ... compute; the loads change:
 *     const pen_rebalance how = { .balancer = "diffusive", .loads = loads, .owners = owners };
 *     pen_graph_rebalance(graph, &how, owners);
 *     ... send the nodes that have a new owner
 *
 * `machine` is the text of --machine ("name[:settings]" or a path; --list=machines); NULL: all processors have equal
 * speeds and links. */
#ifndef PENUMBRA_PARTITION_H
#define PENUMBRA_PARTITION_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Parts and owners of nodes ---------------------------------------------------------------- */

/* Collective. Compute the part of each node: part[i] in [0, parts) for the i-th node that this rank has passed to
 * pen_graph_from_csr, or, for a graph that was read or generated, of its range of nodes. Ranges follow each other in
 * rank order. The library does not tell their lengths: arrays of pen_graph_nodes elements, also below, are large
 * enough. `partitioner` is "name[:settings]" or the path of a plug-in (--list=partitioners; NULL: metis, or sfc or
 * ptscotch for a graph that is too large for rank 0, as a line on standard error then says). parts >= 1 need not be the
 * number of ranks; some may be empty. The machine has at least `parts` processors; part k is for processor k. part is
 * unspecified after a failure. Errors: PEN_ERR_INPUT (an unknown name, bad settings, a bad machine),
 * PEN_ERR_UNSUPPORTED (the graph does not suit the partitioner), PEN_ERR_ARGUMENT, PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_graph_partition(const pen_graph *graph, const char *partitioner, const char *machine,
                                                   int parts, int32_t *part);

/* Arguments of pen_graph_rebalance. All zero: the balancer diffusive; nodes are on the ranks that have passed them;
 * loads are the graph's node weights. Arrays have one element for each node that this rank has passed. */
typedef struct pen_rebalance {
    const char *balancer;  /* "name[:settings]", or the path of a plug-in (--list=balancers); NULL: diffusive */
    const char *machine;   /* description of the ranks' processors */
    const double *loads;   /* >= 0, finite: work of each node, in any unit; NULL: the node weights */
    const int32_t *owners; /* present ranks of the nodes; NULL: this rank */
    double horizon;        /* number of steps that the plan will probably serve, >= 0; 0: 100 */
    int64_t node_bytes;    /* bytes to send for a moved node; 0: 64 */
    int64_t arc_bytes;     /* further bytes to send for each neighbour of a moved node; 0: 8 */
} pen_rebalance;

/* Collective. Compute new ranks for the nodes with a balancer: owners[i] for the i-th node that this rank has passed.
 * `owners` may be how->owners; it is unchanged after a failure. Most nodes keep their rank. The plan is checked, but
 * not whether it pays. No data is moved. Errors: PEN_ERR_INPUT (as above; an owner that is not a rank; a load that is
 * not a number >= 0), PEN_ERR_INTERNAL (the plan is invalid), the status of a balancer that fails, PEN_ERR_UNSUPPORTED,
 * PEN_ERR_ARGUMENT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_rebalance(const pen_graph *graph, const pen_rebalance *how,
                                                         int32_t *owners);

/* How good a partition is. */
typedef struct pen_partition_metrics {
    int64_t cut; /* sum of the weights of the edges (directed: arcs) between parts */
    /* Communication volume: nodes of other parts that a part reads, each once per part; sum over the parts. */
    int64_t volume;
    int64_t max_volume; /* the largest communication volume of a part */
    int64_t components; /* connected components of all parts: parts - empty if every part is connected */
    int64_t empty;      /* parts without nodes */
    double imbalance; /* largest time of a part / mean time, >= 1; a part's time is its load / its processor's speed */
    double bound;     /* imbalance cannot be lower: max(1, time of the heaviest node on the fastest processor / mean) */
    double dilation;  /* sum of edge weight * cost of the link between the parts' processors; 0 without a machine */
    /* Estimated time of the slowest part: load / speed + for each arc that it reads from another part weight * cost + a
     * latency for each such part; 0 without a machine. */
    double step_time;
} pen_partition_metrics;

/* Collective. Compute how good any partition of the graph is: part[i] in [0, parts) for the i-th node that this rank
 * has passed, from a partitioner, a balancer or the caller. loads: >= 0, finite, of the same nodes, in any unit; NULL:
 * the node weights. `machine` and parts as for pen_graph_partition. Each part is sent to a rank, which needs memory for
 * it; the results are equal on all ranks, and independent of their number if loads are whole numbers. *metrics is
 * unchanged after a failure. Errors: PEN_ERR_INPUT (a part out of range; a load that is not a number >= 0; a bad
 * machine), PEN_ERR_ARGUMENT, PEN_ERR_UNSUPPORTED (more than 2^32 - 1 arcs on a rank), PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_partition_quality(const pen_graph *graph, const double *loads,
                                                           const char *machine, int parts, const int32_t *part,
                                                           pen_partition_metrics *metrics);

/* ---- Directory of owners ---------------------------------------------------------------------- */

/* A distributed hash table of the owners of gids. The home of a gid is a rank; it is the hash of the gid's page (64
 * consecutive gids) and never changes. Homes keep the owner and version of their gids. A version counts the moves of a
 * node: updates are idempotent, the newest version wins, and late updates have no effect. Time and memory are linear in
 * the number of gids that a rank passes and keeps, and independent of the number of ranks. Gids with close numbers are
 * cheapest.
 *
 * After PEN_ERR_MPI a directory can only be destroyed. After any other failure it is unchanged on every rank. */
typedef struct pen_directory pen_directory;

/* The owner of a gid that a directory does not have. */
enum { PEN_OWNER_UNKNOWN = -1 };

/* Collective. Create an empty directory on a duplicate of the communicator comm. The caller destroys *directory.
 * `expected` >= 0 is a hint: the number of gids that this rank will pass to update. Errors: PEN_ERR_ARGUMENT,
 * PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_ENVIRONMENT (MPI is not initialised). */
PEN_API PEN_CHECKED pen_status pen_directory_create(MPI_Comm comm, int64_t expected, pen_directory **directory);

/* Collective. Destroy a directory and set *directory to NULL; NULL and a null handle are legal. */
PEN_API void pen_directory_destroy(pen_directory **directory);

/* Collective; returns the same status on all ranks. Store, remove or look up the owners of gids. A rank may pass any
 * number of gids >= 0, none, or the same one several times.
 *
 * update: stores that rank owners[i] owns gids[i] since the gid's versions[i]-th move (versions NULL: 0 for
 *         all). An update whose version is not newer than the known one has no effect; but an equal version
 *         with another owner is PEN_ERR_INPUT (two owners of one gid), also between updates of one call.
 *         The message names the gid.
 * remove: removes gids and their versions; unknown gids are ignored.
 * resolve: sets owners[i] to the owner of gids[i], or to PEN_OWNER_UNKNOWN; unchanged after a failure.
 *
 * Arrays are [count]. Errors: PEN_ERR_ARGUMENT (a gid, owner or version out of range), PEN_ERR_UNSUPPORTED
 * (count beyond 2^31 - 1), PEN_ERR_MEMORY, PEN_ERR_MPI, and those above. */
PEN_API PEN_CHECKED pen_status pen_directory_update(pen_directory *directory, int64_t count, const pen_gid *gids,
                                                    const int32_t *owners, const int32_t *versions);
PEN_API PEN_CHECKED pen_status pen_directory_remove(pen_directory *directory, int64_t count, const pen_gid *gids);
PEN_API PEN_CHECKED pen_status pen_directory_resolve(pen_directory *directory, int64_t count, const pen_gid *gids,
                                                     int32_t *owners);

/* ---- Binary compatibility --------------------------------------------------------------------- */

/* PEN_ABI with the structures of this header. */
#define PEN_PARTITION_ABI ((uint32_t)(PEN_ABI + sizeof(pen_rebalance) + sizeof(pen_partition_metrics)))

PEN_API PEN_CHECKED pen_status pen_graph_rebalance_abi(uint32_t abi, const pen_graph *graph, const pen_rebalance *how,
                                                       int32_t *owners);
PEN_API PEN_CHECKED pen_status pen_partition_quality_abi(uint32_t abi, const pen_graph *graph, const double *loads,
                                                         const char *machine, int parts, const int32_t *part,
                                                         pen_partition_metrics *metrics);

static inline pen_status pen_graph_rebalance(const pen_graph *graph, const pen_rebalance *how, int32_t *owners)
{
    return pen_graph_rebalance_abi(PEN_PARTITION_ABI, graph, how, owners);
}

static inline pen_status pen_partition_quality(const pen_graph *graph, const double *loads, const char *machine,
                                               int parts, const int32_t *part, pen_partition_metrics *metrics)
{
    return pen_partition_quality_abi(PEN_PARTITION_ABI, graph, loads, machine, parts, part, metrics);
}

#ifdef __cplusplus
}
#endif

#endif
