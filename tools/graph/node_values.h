/* node_values.h - a value for every node of a graph, from a file of another program's or of a run's. All Local.
 *
 *     .npy      NumPy's array of one dimension, or of two, a row a node, with a column by its number from 0; rows are
 *               in the order of ascending gids
 *     .csv      a table with a header and a column by its name; where there is a column gid, it says whose a row is,
 *               else rows are in the order of ascending gids
 *     others    what --dump=FILE of a run writes: "gid text" a line; the column is the number of a word behind the
 *               gid, from 1
 *
 * A graph without labels has the gids 0 .. nodes-1. Where a file has one column only, it need not be said which; of a
 * dump, it is the first. A node that a file with gids does not name has no value, and neither has one whose value is
 * empty or nan; both become NaN. */
#ifndef PEN_NODE_VALUES_H
#define PEN_NODE_VALUES_H

#include "tools/graph/labels.h"

/* The nodes of a graph by their gids. */
typedef struct node_order {
    const file_graph *graph;
    label_index index; /* by gid */
} node_order;

PEN_CHECKED pen_status pen_node_order_create(const file_graph *g, node_order *order);
void pen_node_order_free(node_order *order);

/* Read values[0 .. nodes-1], node by node; `column` NULL: see above. PEN_ERR_INPUT where the file is damaged, has more
 * or fewer rows than the graph has nodes, an unknown gid, one twice, not that column, or text instead of a number;
 * PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_node_values_read(const node_order *order, const char *path, const char *column,
                                            double *values);

#endif
