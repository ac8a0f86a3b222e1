/* arcs.h - makes a graph from a list of its arcs in any order. All Local. */
#pragma once

#include "tools/graph/file_graph.h"

typedef struct arc_list {
    int64_t count, capacity;
    int64_t *ends; /* [2*count] ends of the arcs: from, to, from, to .. */
    /* The list has weights. Set before the first arc; may be cleared at any time, which drops the weights. */
    bool weighted;
    bool valued;      /* the list has values. Set before the first arc. */
    int64_t *weights; /* [count] weights, if weighted */
    double *values;   /* [count] values, if valued */
} arc_list;

void pen_arc_list_free(arc_list *arcs);

/* Make room for more arcs, and add an arc; `weight` is used if the list is weighted, `value` if it is valued.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_arc_list_grow(arc_list *arcs);
static inline pen_status pen_arc_list_add(arc_list *arcs, int64_t from, int64_t to, int64_t weight, double value)
{
    if (arcs->count == arcs->capacity) PEN_TRY(pen_arc_list_grow(arcs));
    arcs->ends[2 * arcs->count] = from;
    arcs->ends[2 * arcs->count + 1] = to;
    if (arcs->weighted) arcs->weights[arcs->count] = weight;
    if (arcs->valued) arcs->values[arcs->count] = value;
    arcs->count++;
    return PEN_OK;
}

/* Replace the ids in the arcs by 0 .. *nodes-1 in ascending order of the ids, and keep the ids in the graph: as its
 * base if they are consecutive and begin at 0 or 1, else as its labels. Counts the gaps in g->notes. At most 16 bytes
 * an arc on top. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_arc_list_take_ids(arc_list *arcs, file_graph *g, int64_t *nodes);

/* Build the adjacency of nodes 0 .. nodes-1 as g->nodes, rows, neighbors, edge_weights and values; empties the list.
 * Loops are dropped and equal arcs become one. Unless g->directed, an arc becomes an undirected edge, together with its
 * reverse if there is one. g->rule chooses the weight, and the value, of merged arcs. All that is counted in g->notes.
 *
 * Neighbours are in the order of the list: an edge's place in a row is that of the first arc out of the row's node, or
 * of the first arc into it if none leads out. Linear in time; at most 32 bytes an arc (48 with weights or values, 64
 * with both), list included, and 16 a node, 32 if weights are added up. PEN_ERR_MEMORY; PEN_ERR_INPUT if a sum of
 * weights has more than 18 digits. */
PEN_CHECKED pen_status pen_arc_list_graph(arc_list *arcs, int64_t nodes, file_graph *g);

/* Build the adjacency, but keep loops and equal arcs; if the graph is undirected, every arc is a separate edge. A loop
 * is in its row once. Errors: as pen_arc_list_graph. */
PEN_CHECKED pen_status pen_arc_list_rows(arc_list *arcs, int64_t nodes, file_graph *g);

/* Merge arc i into the earlier arc `at` of the same nodes: add up weights and values, or else choose them by g->rule
 * and count conflicts in g->notes. PEN_ERR_INPUT if a sum of weights has more than 18 digits. */
PEN_CHECKED pen_status pen_arcs_add(file_graph *g, int64_t at, int64_t i);
void pen_arcs_combine(file_graph *g, int64_t at, int64_t i);

/* Whether a list with every undirected edge once, in the row of its lower node, determines the order of neighbours: in
 * every row the lower neighbours come first, ascending. Otherwise edges must be listed in both rows. */
bool pen_arc_list_once(const file_graph *g);
