/* file_graph.h - a graph in the form of its file, in this process alone. All Local.
 *
 * Nodes are 0 .. nodes-1 in the order of the file. The neighbours of a node keep the order of the file, and every
 * undirected edge is in both rows. A reader delivers the file's contents as closely as possible, including loops,
 * duplicates and edges without reverse. The notes count the entries that a format drops or merges by definition. */
#pragma once

#include "base/memory.h"

/* The weight of an edge that occurs several times in a file. */
typedef enum weight_rule {
    WEIGHT_FIRST, /* the weight of the first occurrence */
    WEIGHT_MIN,
    WEIGHT_MAX,
    /* The sum of weights in the same direction; of the two directions of an undirected edge, the larger sum. */
    WEIGHT_SUM
} weight_rule;

/* Whether a weight replaces an earlier one that is larger (`smaller`) or smaller (`larger`); sums are made before. */
static inline bool pen_weight_replaces(weight_rule rule, bool smaller, bool larger)
{
    return (rule == WEIGHT_MIN && smaller) || ((rule == WEIGHT_MAX || rule == WEIGHT_SUM) && larger);
}

/* Counts of lines or entries of the file that a reader (or a repair) has dropped or merged. */
typedef struct file_notes {
    int64_t loops;      /* loops that were dropped */
    int64_t duplicates; /* entries that were merged with an equal one */
    int64_t conflicts;  /* duplicates and reverses with a different weight; only one of both weights is kept */
    int64_t reversed;   /* edges that the file lists in both directions and that became one undirected edge */
    int64_t one_way;    /* edges that the file lists in one direction and that became undirected */
    int64_t values;     /* weights that no integer can hold, or that the format's reader does not keep */
    int64_t gaps;       /* ids between the smallest and the largest that do not occur; labels have the ids */
    char columns[200];  /* a sentence about the use of a table's columns, or "" */
} file_notes;

typedef struct file_graph {
    int64_t nodes;
    int64_t *rows;         /* [nodes+1] row pointers; never NULL in a graph that was read */
    int64_t *neighbors;    /* [rows[nodes]] neighbours, 0 .. nodes-1. */
    int64_t weight_count;  /* number of weights per node, >= 0 */
    int64_t *node_weights; /* [nodes*weight_count] weights of the nodes, NULL if there are none */
    int64_t *node_sizes;   /* [nodes] sizes of the nodes, or NULL */
    int64_t *edge_weights; /* [rows[nodes]] edge weights, or NULL */
    double *values;        /* [rows[nodes]] edge weights as real numbers, or NULL: they were not requested */
    int64_t base; /* the file's number of the first node, if there are no labels; 1 unless the file has another one */
    int64_t *labels; /* [nodes] distinct labels, or NULL: the file numbers its nodes consecutively */
    /* [nodes] beginnings of the nodes' names, which are distinct texts, in `names`; NULL: there are none. */
    int64_t *name_begins;
    char *names;                  /* all names, each ending in '\0'; a graph with names has no labels */
    int32_t *part;                /* [nodes] part of each node, from 0 on, or NULL: there is no partition */
    pen_grid grid;                /* kind of the grid; PEN_GRID_NONE: no grid, or of unknown kind */
    int64_t width, height, depth; /* sizes of a grid, in which node = (layer * height + row) * width + column; else 0 */
    int dimensions;               /* number of coordinates, 1 to 3; 0: there are none */
    double *coordinates;          /* [nodes*dimensions] coordinates, node by node; NULL if dimensions is 0 */
    bool directed;                /* the graph is directed: a row has the nodes to which the arcs from its node lead */
    weight_rule rule;             /* rule for readers and repairs; set before reading */
    file_notes notes;
} file_graph;

/* Bits of the properties that a graph may have, and that not every format can hold. */
enum {
    HOLDS_NODE_WEIGHT = 1 << 0,  /* one weight per node */
    HOLDS_NODE_WEIGHTS = 1 << 1, /* several weights per node; only with HOLDS_NODE_WEIGHT */
    HOLDS_SIZES = 1 << 2,
    HOLDS_EDGE_WEIGHTS = 1 << 3,
    HOLDS_LABELS = 1 << 4,
    HOLDS_DIRECTED = 1 << 5,
    /* Nodes without arcs. A format without this bit loses them, and labels keep the other nodes' ids. */
    HOLDS_ISOLATED = 1 << 6,
    HOLDS_LOOPS = 1 << 7,
    HOLDS_DUPLICATES = 1 << 8,
    HOLDS_COORDINATES = 1 << 9,
    HOLDS_ZERO_NODE_WEIGHTS = 1 << 10, /* node weights of 0 */
    HOLDS_ANY_EDGE_WEIGHTS = 1 << 11,  /* edge weights below 1 */
    HOLDS_NEGATIVE_NODE_WEIGHTS = 1 << 12,
    HOLDS_NO_NODES = 1 << 13, /* a graph without nodes */
    HOLDS_NO_EDGES = 1 << 14,
    HOLDS_ORDER = 1 << 15, /* the order of neighbours, if it is not ascending */
    HOLDS_GRID = 1 << 16,  /* width and height of a grid */
    HOLDS_NAMES = 1 << 17,
    HOLDS_VALUES = 1 << 18, /* real weights; readers set `values` for such a format */
    HOLDS_PARTS = 1 << 19,
    HOLDS_ANY_NAMES = 1 << 20,                     /* names that XML cannot hold; only with HOLDS_NAMES */
    HOLDS_EMPTY = HOLDS_NO_NODES | HOLDS_NO_EDGES, /* cannot be dropped, not even with --lossy */
    HOLDS_TOLD = HOLDS_ORDER | HOLDS_GRID /* properties that may be dropped without --lossy: no edge depends on them */
};

/* Free the arrays and zero the structure. */
void pen_file_graph_free(file_graph *g);

/* The number of arcs; a loop counts once per entry. */
static inline int64_t pen_file_graph_arcs(const file_graph *g) { return g->rows[g->nodes]; }

/* A node's label or number in the file. */
static inline int64_t pen_file_graph_label(const file_graph *g, int64_t node)
{
    return g->labels ? g->labels[node] : g->base + node;
}

/* A node's name; NULL: nodes have no names. */
static inline const char *pen_file_graph_name(const file_graph *g, int64_t node)
{
    return g->names ? g->names + g->name_begins[node] : NULL;
}

/* The number of edges of an undirected graph (a loop's entry is one edge), or of arcs of a directed one. */
int64_t pen_file_graph_edges(const file_graph *g);

/* Reverse all arcs; rows are ascending afterwards, and equal neighbours stand in the order of their rows. With an
 * order, [nodes], row order[k] counts as the k-th. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_transpose(file_graph *g, const pen_lid *order);
