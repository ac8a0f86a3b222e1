/* quality.h - how good a partition is. */
#ifndef PEN_PART_QUALITY_H
#define PEN_PART_QUALITY_H

#include "graph/graph.h"

/* What the runtime measures of a run's partition, of any number of parts (runtime/loop/run.h has the same). */
typedef struct part_quality {
    int64_t cut;        /* weight of the edges (directed: arcs) between parts */
    double imbalance;   /* max load / mean load; 1 where there is no load */
    double bound;       /* the least imbalance that any partition has, by its heaviest node */
    int64_t max_volume; /* most nodes that a part needs of others, each once */
    int64_t pieces;     /* connected pieces beyond one per part that is not empty */
} part_quality;

/* Local. Of a graph that is whole on this rank with gids 0, 1, ...; part[i] in 0..parts-1. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status part_quality_measure(const pen_graph *graph, int parts, const int32_t *part,
                                            part_quality *quality);

#endif
