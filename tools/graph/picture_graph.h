/* picture_graph.h - what is to be drawn, and how. */
#ifndef PEN_PICTURE_GRAPH_H
#define PEN_PICTURE_GRAPH_H

#include "base/status.h"

/* What nodes' colours say instead of their parts: values, of one time or, in an SVG that moves, of several. */
typedef struct picture_values {
    const char *title;
    double low, high; /* the colours' ends, finite, low <= high; what is beyond has the colour of the end */
    bool missing;     /* some nodes have none, NaN: they are grey */
    int64_t frames;   /* >= 1; more than one for PICTURE_SVG only */
    /* values[nodes] of a frame, and its name or "", which lives until the next call. */
    pen_status (*read)(void *state, int64_t frame, double *values, const char **name);
    void *state;
} picture_values;

typedef struct picture_graph {
    const char *title;
    int64_t nodes;                /* >= 1 */
    const int64_t *rows;          /* [nodes+1], rows[0] = 0 */
    const int64_t *neighbors;     /* [rows[nodes]] in 0..nodes-1 */
    const int64_t *edge_weights;  /* [rows[nodes]], for the cut in the caption; or NULL: all 1 */
    bool directed;                /* else every edge is there twice */
    int dimensions;               /* 1..3 */
    const double *coordinates;    /* [nodes*dimensions] node by node, finite */
    const int32_t *part;          /* [nodes] in 0..parts-1, or NULL: all are one */
    int32_t parts;                /* >= 1 */
    pen_grid grid;                /* where nodes have values, those of grids as they are drawn on paper are cells */
    const picture_values *values; /* or NULL; part is not looked at then */
} picture_graph;

static inline int32_t pen_picture_part(const picture_graph *g, int64_t u) { return g->part ? g->part[u] : 0; }

enum { FRAMES_PER_SECOND = 5 };
enum { PICTURE_SIZE_MIN = 100, PICTURE_SIZE_MAX = 20000 };
enum { PICTURE_MOST_PROCESSORS = 1024, PICTURE_MOST_CLUSTERS = 64 };

typedef enum picture_kind { PICTURE_PNG, PICTURE_SVG, PICTURE_PDF } picture_kind;

typedef struct picture_options {
    int size; /* pixels of the longer side without the caption, PICTURE_SIZE_MIN..MAX */
    picture_kind kind;
    bool has_window;
    double window[4]; /* what of the (projected) plane is shown: x and y of a corner and of the opposite one */
} picture_options;

#endif
