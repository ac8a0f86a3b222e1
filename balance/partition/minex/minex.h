/* minex.h - MinEX: parts of a graph for the processors of a machine, by the time that each of them needs. Its functions
 * are in multilevel.c.
 *
 * The algorithm is that of Harvey, Das and Biswas: Performance of a heterogeneous grid partitioner for N-body
 * applications (sections 2 and 3). Vertex v on processor p costs it
 *
 *     processing   work[v] / speed of p
 *     receiving    for each neighbour w elsewhere: what v reads of w, times the link's cost
 *     remapping    size[v] times the cost of the link from its owner, if that is another processor
 *
 * A processor's load, QWgt, is the sum of the three, or the result of the caller's function for the three sums. Total,
 * mean (WSysLL), heaviest load (RT), imbalance (LI) and variance (Var) are those of the loads of all processors; Gain
 * is the change of the total by a move. The paper leaves some details open; the choices here are:
 *
 *   - The model has no latency: only the cost of a machine's links counts.
 *   - Contraction: rounds of matching, in an order drawn from the seed. Each vertex is paired with the free
 *     neighbour of the largest (reads + feeds) / the smaller size. Only vertices of one owner are paired, so that
 *     every metric is the same on all levels; and no pair may be heavier than half the share of the slowest
 *     processor, or a quarter of the mean. It ends with max(`coarsest`, 8 * processors, 400) vertices, or after a
 *     round that saves less than 5 %.
 *   - From scratch there are two starts, and the better result on the coarsest level is kept. In one, vertices are
 *     placed heaviest first, each where the sum of its new load and the change of the others' is least. In the
 *     other, regions grow one after the other, in proportion to their processors' speeds. Diffusive: only vertices
 *     without a processor are placed, heaviest first.
 *   - Then on every level, up to 6 times on the coarsest and 3 on the others: (a) each vertex goes to the processor
 *     of a neighbour where Gain + 0.001 * the change of all receiving is least and negative, unless that raises a
 *     processor above its own load and (mean + heaviest) / 2. (b) The heaviest overloaded processor, until it is no
 *     longer overloaded, gives away the vertex that lowers Var most and passes the filter, to an underloaded
 *     processor, which is a neighbour's or the least loaded; the change of Var over all processors, about the mean
 *     before the move, must be below -1e-12 * mean^2. Then the next one follows. A vertex moves at most twice a
 *     pass.
 *   - The filter gets the exact new loads of both processors. ThroT compares Gain^2 / -dVar, which has no unit. It
 *     has an effect only if load must go from fast processors to slow ones. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* The components of a processor's load, in units of time. */
typedef struct pen_minex_totals {
    int32_t processor;
    int64_t vertices;  /* QLen: its nodes; while the graph is contracted, a group of nodes counts as one */
    double processing; /* Pproc: sum of load / speed */
    double receiving;  /* Crcv: sum over the arcs that it reads from elsewhere of edge weight * cost of the link */
    double remapping;  /* Rrcv: sum over the nodes with another owner of node_size * cost of the link from there */
} pen_minex_totals;

/* Local. Latency tolerance: return the load (QWgt), >= 0 and finite, of a processor with these totals: its time, if the
 * application overlaps a part of the communication with computation. It is called very often, must not have side
 * effects, and should grow with each total. */
typedef double pen_minex_tolerance(const pen_minex_totals *totals, const void *context);

/* Properties of a partition in MinEX's model; loads are those that the tolerance function returns. */
typedef struct pen_minex_metrics {
    double total, mean;                      /* sum and mean of the processors' loads; the mean is WSysLL */
    double heaviest, imbalance;              /* RT, the largest load; LI, it / the mean, 1 if the mean is 0 */
    double variance;                         /* Var: sum of (load - mean)^2 */
    double processing, receiving, remapping; /* sums over all processors */
} pen_minex_metrics;

/* The caller's graph, which is not changed. Edges are mutual: if w is in v's row, v is in w's. */
typedef struct pen_minex_graph {
    int32_t count;
    const int64_t *rows;    /* [count+1] row pointers */
    const int32_t *columns; /* [rows[count]] neighbours, ascending, no loops */
    const double *work;     /* [count] PWgt >= 0, the work of each vertex */
    const double *size;     /* [count] RWgt >= 0, the data shipped with a vertex */
    const double *reads;    /* [rows[count]] CWgt(v,w) >= 0: data that v's processor reads of w; may be 0 */
    const double *feeds;    /* [rows[count]] CWgt(w,v), the entry of `reads` in w's row */
    const int32_t *owners;  /* [count] vown, the owner in [0, processors), or -1: none, which costs no remapping */
} pen_minex_graph;

/* Local. The tolerance function of the N-body application: processing + max(0, receiving + remapping - theta *
 * processing); context: a double, theta in [0, 1]. With theta 1 all except the last message is hidden. */
double pen_minex_overlap(const pen_minex_totals *totals, const void *theta);

/* The kind of cost of receiving. RANK, which is not in the paper: a vertex's data, which is the most that a neighbour
 * reads of it, counts once per processor that reads it, and both ends of the link pay. */
typedef enum pen_minex_cost { PEN_MINEX_EDGE, PEN_MINEX_RANK } pen_minex_cost;

/* A move that was made, of a vertex of the graph or of a contracted graph, from either start. */
typedef struct pen_minex_step {
    const pen_minex_graph *graph;
    const int32_t *part; /* [graph->count] processors of the vertices after the move */
    int32_t vertex, from;
    double gain, variance_change;
} pen_minex_step;

typedef struct pen_minex_settings {
    double throt; /* limit of the filter, >= 0: 0 passes no move that increases the total, a large value passes all */
    int64_t coarsest;               /* number of vertices at which contraction may end, >= 0 */
    pen_minex_tolerance *tolerance; /* load of a processor; NULL: the sum of processing, receiving and remapping */
    const void *context;            /* argument of `tolerance` */
    bool diffusive;                 /* begin with the owners; else from scratch */
    bool old_owner_free;            /* the old owner of a vertex still knows its data, without cost */
    pen_minex_cost cost;
    uint64_t seed;
    void (*watch)(const pen_minex_step *step, void *context); /* called after every move; may be NULL */
    void *watch_context;
} pen_minex_settings;

/* Numbers of calls of the filter; of moves that it passed; of moves that would not have made Var smaller. */
typedef struct pen_minex_counts {
    int64_t total, pass, fail;
} pen_minex_counts;

/* Local. The paper's settings: ThroT 32, load as the sum of the three costs, cost by edges. Old owners know the data if
 * `diffusive`. */
pen_minex_settings pen_minex_defaults(bool diffusive);

/* Local. Partition a graph: part[v] in [0, machine->processors), [count]; the result is the same for equal graphs,
 * machines and settings. *metrics and *counts describe the result; each may be NULL. Time is about linear in the edges,
 * plus processors times vertices of the coarsest graph. Errors: PEN_ERR_ARGUMENT (an invalid graph or settings; the
 * sentence says where), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_minex_partition(const pen_minex_graph *graph, const pen_machine *machine,
                                           const pen_minex_settings *settings, int32_t *part,
                                           pen_minex_metrics *metrics, pen_minex_counts *counts);

/* Local. Compute the metrics of any partition, whose parts are in [0, machine->processors); totals[processors] and
 * loads[processors] become those of each processor, and may be NULL. Of the settings only cost, tolerance and
 * old_owner_free are used. Errors: as pen_minex_partition. */
PEN_CHECKED pen_status pen_minex_measure(const pen_minex_graph *graph, const pen_machine *machine,
                                         const pen_minex_settings *settings, const int32_t *part,
                                         pen_minex_metrics *metrics, pen_minex_totals *totals, double *loads);
