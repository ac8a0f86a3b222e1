/* arcs.h - a graph from a list of its arcs in any order. All Local. */
#ifndef PEN_ARCS_H
#define PEN_ARCS_H

#include "tools/graph/file_graph.h"

typedef struct arc_list {
    int64_t count, capacity;
    int64_t *ends;    /* [2*count] from, to, from, to ... */
    bool weighted;    /* set before the first arc, or cleared any time, which drops the weights */
    int64_t *weights; /* [count] where weighted */
} arc_list;

void pen_arc_list_free(arc_list *arcs);

/* Add an arc; `weight` counts where the list is weighted. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_arc_list_grow(arc_list *arcs);
static inline pen_status pen_arc_list_add(arc_list *arcs, int64_t from, int64_t to, int64_t weight)
{
    if (arcs->count == arcs->capacity) PEN_TRY(pen_arc_list_grow(arcs));
    arcs->ends[2 * arcs->count] = from;
    arcs->ends[2 * arcs->count + 1] = to;
    if (arcs->weighted) arcs->weights[arcs->count] = weight;
    arcs->count++;
    return PEN_OK;
}

/* Replace the ids in the arcs by 0 .. *nodes-1 in ascending order of the ids; (*ids)[0 .. *nodes-1] become the ids, for
 * the caller to free. At most 16 bytes an arc on top. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_arc_list_number(arc_list *arcs, int64_t **ids, int64_t *nodes);

/* The adjacency of nodes 0 .. nodes-1 as g->nodes, rows, neighbors and edge_weights; empties the list. Loops go,
 * equal arcs become one, and, unless g->directed, an arc and its reverse become one undirected edge, or an arc alone
 * one; of different weights the first in the list holds. All that is counted in g->notes.
 * Neighbours are in the order of the list: an edge counts, for each end, where an arc first leads from there, or where
 * none does, where it first leads there. So rows that are listed one behind the other come back in their order.
 * Linear in time, at most 32 bytes an arc (48 with weights), list included, and 16 a node. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_arc_list_graph(arc_list *arcs, int64_t nodes, file_graph *g);

/* Whether a list that has every undirected edge once, in the row of its lower node, says in which order the neighbours
 * are: in every row the lower ones come first, ascending. Otherwise edges must be listed in both rows. */
bool pen_arc_list_once(const file_graph *g);

#endif
