/* file_graph.h - a graph in the form of its file, in this process alone. All Local.
 *
 * Nodes are 0 .. nodes-1 in the order of the file. The neighbours of a node keep the order of the file, and every
 * undirected edge is in both rows. A reader delivers the file's contents as closely as possible, including loops,
 * duplicates and edges without reverse. What a format drops or merges by definition is counted in the notes. */
#pragma once

#include "base/memory.h"

/* The weight of an edge that occurs several times in a file. */
typedef enum weight_rule {
    WEIGHT_FIRST, /* of the first of them */
    WEIGHT_MIN,
    WEIGHT_MAX,
    WEIGHT_SUM /* of those in the same direction; of the two directions of an undirected edge, the larger one */
} weight_rule;

/* Whether a weight replaces an earlier one that is larger (`smaller`) or smaller (`larger`); sums are made before. */
static inline bool pen_weight_replaces(weight_rule rule, bool smaller, bool larger)
{
    return (rule == WEIGHT_MIN && smaller) || ((rule == WEIGHT_MAX || rule == WEIGHT_SUM) && larger);
}

/* Add to a weight another one, both of at most 18 digits. PEN_ERR_INPUT where the sum has more. */
PEN_CHECKED pen_status pen_weight_add(int64_t *weight, int64_t more);

/* What a reader (or a repair) left out of the graph, in lines or entries of the file. */
typedef struct file_notes {
    int64_t loops;      /* dropped */
    int64_t duplicates; /* merged with an equal entry */
    int64_t conflicts;  /* duplicates and reverses with another weight; only one of both is kept */
    int64_t reversed;   /* edges that the file lists in both directions and that became one undirected edge */
    int64_t one_way;    /* edges that the file lists in one direction and that became undirected */
    int64_t values;     /* weights that no integer can hold, or that the format's reader does not keep */
    int64_t gaps;       /* ids between the smallest and the largest that do not occur; the labels have the ids */
    char columns[200];  /* what became of a table's columns, a sentence, or "" */
} file_notes;

typedef struct file_graph {
    int64_t nodes;
    int64_t *rows;         /* [nodes+1]; never NULL in a graph that was read */
    int64_t *neighbors;    /* [rows[nodes]] 0 .. nodes-1 */
    int64_t weight_count;  /* weights per node, 0 or more */
    int64_t *node_weights; /* [nodes*weight_count], NULL where there are none */
    int64_t *node_sizes;   /* [nodes] or NULL */
    int64_t *edge_weights; /* [rows[nodes]] or NULL */
    double *values;        /* [rows[nodes]] the weights as real numbers, or NULL: they were not asked for */
    int64_t base;          /* the file's number of the first node where there are no labels; 1 unless it says so */
    int64_t *labels;       /* [nodes] distinct, or NULL: the file numbers its nodes consecutively */
    int64_t *name_begins;  /* [nodes] of the nodes' names, which are texts and distinct, in `names`; NULL: none */
    char *names;           /* all of them, each ending in '\0'; without labels then */
    int32_t *part;         /* [nodes] from 0 on, or NULL: there is no partition */
    pen_grid grid;         /* PEN_GRID_NONE also where its kind is not known */
    int64_t width, height, depth; /* of a grid, node = (layer * height + row) * width + column; else 0 */
    int dimensions;               /* of the coordinates, 1 to 3; 0: there are none */
    double *coordinates;          /* [nodes*dimensions] node by node, NULL where dimensions is 0 */
    bool directed;                /* a row has the nodes that the arcs from its node lead to */
    weight_rule rule;             /* for readers and repairs; set before */
    file_notes notes;
} file_graph;

/* What a graph may have that not every format can hold. */
enum {
    HOLDS_NODE_WEIGHT = 1 << 0,  /* one per node */
    HOLDS_NODE_WEIGHTS = 1 << 1, /* several per node; only beside HOLDS_NODE_WEIGHT */
    HOLDS_SIZES = 1 << 2,
    HOLDS_EDGE_WEIGHTS = 1 << 3,
    HOLDS_LABELS = 1 << 4,
    HOLDS_DIRECTED = 1 << 5,
    HOLDS_ISOLATED = 1 << 6, /* nodes without any arc; without it they are lost, and labels keep the rest */
    HOLDS_LOOPS = 1 << 7,
    HOLDS_DUPLICATES = 1 << 8,
    HOLDS_COORDINATES = 1 << 9,
    HOLDS_ZERO_NODE_WEIGHTS = 1 << 10, /* node weights of 0 */
    HOLDS_ANY_EDGE_WEIGHTS = 1 << 11,  /* edge weights below 1 */
    HOLDS_NEGATIVE_NODE_WEIGHTS = 1 << 12,
    HOLDS_NO_NODES = 1 << 13, /* the empty graph */
    HOLDS_NO_EDGES = 1 << 14,
    HOLDS_ORDER = 1 << 15, /* of the neighbours, where that is not the ascending one */
    HOLDS_GRID = 1 << 16,  /* width and height */
    HOLDS_NAMES = 1 << 17,
    HOLDS_VALUES = 1 << 18, /* real weights; readers fill in `values` for such a format */
    HOLDS_PARTS = 1 << 19,
    HOLDS_TOLD = HOLDS_ORDER | HOLDS_GRID /* may be dropped without --lossy: no edge depends on it */
};

/* Free the arrays and zero the structure. */
void pen_file_graph_free(file_graph *g);

/* The arrays of a graph while it is read: rows, neighbors, g->weight_count node weights, and those that `has` names:
 * HOLDS_LABELS, HOLDS_SIZES, HOLDS_EDGE_WEIGHTS. */
typedef struct graph_room {
    file_graph *g;
    unsigned has;
    int64_t rows, arcs; /* for which there is room */
} graph_room;

PEN_CHECKED pen_status pen_graph_room_resize(graph_room *room, int64_t rows, int64_t arcs);

/* On the first call, allocate for `rows` rows, and for as many arcs as fit in that many bytes of text. */
PEN_CHECKED pen_status pen_graph_room_reserve(graph_room *room, int64_t rows, int64_t arcs, int64_t bytes);

/* Make room for one more arc. */
PEN_CHECKED static inline pen_status pen_graph_room_for_arc(graph_room *room, int64_t arcs)
{
    return arcs < room->arcs ? PEN_OK : pen_graph_room_resize(room, room->rows, arcs + arcs / 2 + 1024);
}

/* Arcs, loops counted once per entry. */
static inline int64_t pen_file_graph_arcs(const file_graph *g) { return g->rows[g->nodes]; }

/* A node's label or number in the file. */
static inline int64_t pen_file_graph_label(const file_graph *g, int64_t node)
{
    return g->labels ? g->labels[node] : g->base + node;
}

/* Its name, NULL where the nodes have none. */
static inline const char *pen_file_graph_name(const file_graph *g, int64_t node)
{
    return g->names ? g->names + g->name_begins[node] : NULL;
}

/* Edges of an undirected graph (a loop's entry is one edge), arcs of a directed one. */
int64_t pen_file_graph_edges(const file_graph *g);

/* Whether something of the file was lost: loops, conflicting weights, values. Merging equal entries loses nothing. */
bool pen_file_notes_lossy(const file_notes *notes);

/* Reverse all arcs of a directed graph; rows ascend then. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_transpose(file_graph *g);

/* HOLDS_... bits of the graph's contents. */
unsigned pen_file_graph_needs(const file_graph *g);
