/* quality.h - measures of a distribution of nodes.
 *
 * The views must have the neighbours that a node reads, also for directed graphs. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

typedef struct pen_quality {
    int64_t cut;            /* weight of the edges (in directed graphs, arcs) between parts */
    double total, heaviest; /* load of all nodes; load of the heaviest node */
    /* A part's time is its load / the speed of its processor. The mean time is the time of each part if all were
     * equal. */
    double imbalance; /* the largest time / mean time; 1 if there is no load */
    double two_sided; /* the largest |time - mean time| / mean time; 0 if there is no load */
    double bound;     /* the lowest possible imbalance: max(1, the heaviest node's least time / mean time) */
    /* The largest share of cut edges among a part's edges, by weight; in directed graphs, among the arcs that the part
     * reads. */
    double off_processor;
    int64_t volume;     /* number of nodes that parts read from others, each once per part */
    int64_t max_volume; /* the largest number of nodes that a part reads from others */
    int64_t pieces;     /* number of connected pieces beyond one per part that is not empty */
    int empty;          /* number of parts without nodes */
    /* The members from here on need the view's machine; without one they are 0. */
    double dilation; /* the cut, with every edge multiplied by the cost of its link */
    /* Estimated time of a step, which is that of the slowest part: its computation, the edges to other parts times the
     * costs of their links, and a latency for each part from which it reads. */
    double step_time;
    /* For this rank alone, if parts are ranks: the fraction of its time for reading from others. */
    double communication;
} pen_quality;

/* Collective. Measure a distributed graph whose parts are the ranks. Loads that are not integers are added in no fixed
 * order. Uses the view's owners if it has a machine, and never its gids. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_quality_of_ranks(pen_comm *comm, const pen_load_view *view, bool directed,
                                            pen_quality *quality);

/* Collective. Measure cut and pieces after a plan: own node i goes to rank to[i], [view->count]. Neighbours are mutual,
 * as in all views that algorithms see. Errors: PEN_ERR_MEMORY, or as the peers fail. */
PEN_CHECKED pen_status pen_quality_of_plan(pen_peers *peers, const pen_load_view *view, const int32_t *to, int64_t *cut,
                                           int64_t *pieces);

/* Collective. Measure a graph in which each part is complete on one rank: part p on rank p % size, where part[i],
 * [view->count], is p / size; owners of shadows are parts. Memory is linear in a rank's nodes and parts. */
PEN_CHECKED pen_status pen_quality_of_division(pen_comm *comm, const pen_load_view *view, bool directed, int parts,
                                               const int32_t *part, pen_quality *quality);

/* Local. Measure a whole graph, in a view without shadows: part[i] in [0, parts), [view->count]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_quality_of_parts(const pen_load_view *view, bool directed, int parts, const int32_t *part,
                                            pen_quality *quality);

/* Local. Measure a graph that is complete on the single rank of its communicator, with the gids 0, 1, 2, ..., on a
 * machine or NULL. Errors: PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_quality_of_graph(const pen_graph *graph, const pen_machine *machine, int parts,
                                            const int32_t *part, pen_quality *quality);
