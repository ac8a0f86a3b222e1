/* quality.h - measures of a distribution of nodes.
 *
 * They need views whose neighbours are those that a node reads, also for directed graphs. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

typedef struct pen_quality {
    int64_t cut;            /* weight of the edges (directed: arcs) between parts */
    double total, heaviest; /* load; load of the heaviest node */
    /* A part's time is its load / the speed of its processor, the mean time that of all parts if all took as long. */
    double imbalance;     /* max time / mean time; 1 where there is no load */
    double two_sided;     /* max |time - mean time| / mean time; 0 where there is no load */
    double bound;         /* below which imbalance cannot be: max(1, the heaviest node's least time / mean time) */
    double off_processor; /* the largest share of a part's edges, each once, that is cut, by weight; of directed graphs,
                           * of the arcs that it reads */
    int64_t volume;       /* nodes that parts need of others, each once per part */
    int64_t max_volume;   /* the most of them that a part needs */
    int64_t pieces;       /* connected pieces beyond one per part that is not empty */
    int empty;            /* parts without nodes */
    /* On the view's machine, else 0: */
    double dilation;  /* as the cut, every edge times the cost of the link that it goes over */
    double step_time; /* estimated, of the slowest part: its time, what it reads of other parts times the links' costs,
                       * and a latency for each part that it reads of */
    /* For this rank alone, if parts are ranks: the share of its time for reading from others. */
    double communication;
} pen_quality;

/* Collective. For a distributed graph; parts are ranks. Loads that are not integers are added in no fixed order. Uses
 * the view's owners if it has a machine, and never its gids. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_quality_of_ranks(pen_comm *comm, const pen_load_view *view, bool directed,
                                            pen_quality *quality);

/* Collective. Cut and pieces as a plan will make them: own node i goes to rank to[i], [view->count]. Neighbours are
 * mutual, as in all views that algorithms see. Errors: PEN_ERR_MEMORY, or as the peers fail. */
PEN_CHECKED pen_status pen_quality_of_plan(pen_peers *peers, const pen_load_view *view, const int32_t *to, int64_t *cut,
                                           int64_t *pieces);

/* Collective. For a graph of which each part is complete on one rank: part p on rank p % size, where part[i],
 * [view->count], is p / size; owners of shadows are parts. Memory is linear in a rank's nodes and parts. */
PEN_CHECKED pen_status pen_quality_of_division(pen_comm *comm, const pen_load_view *view, bool directed, int parts,
                                               const int32_t *part, pen_quality *quality);

/* Local. For a whole graph, a view without shadows: part[i] in [0, parts), [view->count]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_quality_of_parts(const pen_load_view *view, bool directed, int parts, const int32_t *part,
                                            pen_quality *quality);

/* Local. The same for a graph that is whole on the one rank of its communicator, with the gids 0, 1, 2, ..., on a
 * machine or NULL. Also PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_quality_of_graph(const pen_graph *graph, const pen_machine *machine, int parts,
                                            const int32_t *part, pen_quality *quality);
