/* penumbra_minex.h - partition a graph with MinEX in the model of its papers, in programs that keep their own data.
 *
 * This header is experimental: it may change in any version. The partitioner and the balancer "minex" need no header;
 * this function has the papers' quantities as arguments and results, and uses loads and edge weights unscaled. */
#ifndef PENUMBRA_MINEX_H
#define PENUMBRA_MINEX_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The components of a processor's load, in units of time. */
typedef struct pen_minex_totals {
    int32_t processor;
    int64_t vertices;  /* QLen: its nodes; while the graph is contracted, a group of nodes counts as one */
    double processing; /* Pproc: sum of load / speed */
    double receiving;  /* Crcv: sum over the arcs that it reads from elsewhere of edge weight * cost of the link */
    double remapping;  /* Rrcv: sum over the nodes with another owner of node_size * cost of the link from there */
} pen_minex_totals;

/* Local. The caller's latency tolerance, with pen_minex.context: return the load (QWgt), >= 0 and finite, of a
 * processor with these totals: its time, if the application overlaps a part of the communication with computation. It
 * is called very often, must not have side effects, and should grow with each total. The papers' for N-body: processing
 * + max(0, receiving + remapping
 * - processing). */
typedef double pen_minex_tolerance(const pen_minex_totals *totals, const void *context);

/* Properties of a partition in MinEX's model; loads are those that the tolerance function returns. */
typedef struct pen_minex_metrics {
    double total, mean;                      /* sum and mean of the processors' loads; the mean is WSysLL */
    double heaviest, imbalance;              /* RT, the largest load; LI, it / the mean, 1 if the mean is 0 */
    double variance;                         /* Var: sum of (load - mean)^2 */
    double processing, receiving, remapping; /* sums over all processors */
} pen_minex_metrics;

/* Arguments of pen_graph_minex. All zero: a partition from scratch by node weights, with the papers' settings. Arrays
 * have one element for each node that this rank has passed. */
typedef struct pen_minex {
    const char *machine; /* description of the parts' processors. Latencies of links are not in the model. */
    const double *loads; /* PWgt >= 0, finite: work of each node, time * speed; NULL: the node weights; all 0: all 1 */
    const int32_t *owners; /* vown: present processor of each node, -1: none; NULL: none for all */
    double node_size;      /* RWgt >= 0: data to send for a moved node, in units of edge weight */
    bool diffusive;        /* balance: start from `owners`; false: start from scratch (`owners` count for remapping) */
    bool measure;          /* do not partition: `part` is an input; compute its metrics only */
    /* A node's data counts once per processor that reads it, and both processors pay; false, as in the papers: once per
     * arc, the receiver pays. */
    bool cost_by_rank;
    /* ThroT >= 0: a larger one accepts more moves that increase the total; 0: 32 (for the papers' 0, pass DBL_MIN). */
    double throt;
    int64_t coarsest; /* contraction ends at this number of nodes; at least max(8 * parts, 400) */
    int64_t seed;     /* seed for the order of contraction */
    /* Tolerance of imbalance; NULL: processing + receiving + remapping. Only rank 0 calls it. */
    pen_minex_tolerance *tolerance;
    const void *context; /* argument for tolerance */
} pen_minex;

/* Collective. Partition or rebalance a graph with MinEX, which minimises the largest load of a processor: part[i] in
 * [0, parts) for the i-th node that this rank has passed. Rank 0 gathers the graph and computes; the result does not
 * depend on the number of ranks. All arguments but the arrays, and tolerance and context of `how`, are equal on all
 * ranks. metrics may be NULL; `part` and *metrics are unchanged after a failure. No data is moved. Errors:
 * PEN_ERR_INPUT (a bad machine; an owner, part or load out of range; a tolerance that returns a negative or infinite
 * number or NaN), PEN_ERR_ARGUMENT (parts < 1; a setting out of range), PEN_ERR_UNSUPPORTED (2^31 nodes or arcs),
 * PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI.
 *
 * Algorithm: Harvey, Das, Biswas, Performance of a heterogeneous grid partitioner for N-body applications. */
static inline PEN_CHECKED pen_status pen_graph_minex(const pen_graph *graph, const pen_minex *how, int parts,
                                                     int32_t *part, pen_minex_metrics *metrics);

/* ---- Binary compatibility --------------------------------------------------------------------- */

/* PEN_ABI with the structures of this header. */
#define PEN_MINEX_ABI ((uint32_t)(PEN_ABI + sizeof(pen_minex) + sizeof(pen_minex_metrics)))

PEN_API PEN_CHECKED pen_status pen_graph_minex_abi(uint32_t abi, const pen_graph *graph, const pen_minex *how,
                                                   int parts, int32_t *part, pen_minex_metrics *metrics);

static inline pen_status pen_graph_minex(const pen_graph *graph, const pen_minex *how, int parts, int32_t *part,
                                         pen_minex_metrics *metrics)
{
    return pen_graph_minex_abi(PEN_MINEX_ABI, graph, how, parts, part, metrics);
}

#ifdef __cplusplus
}
#endif

#endif
