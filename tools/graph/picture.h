/* picture.h - a graph whose nodes have places, drawn.
 *
 * A graph of moderate size is drawn as lines and dots in the colours of its parts. Of a large one, dots and lines
 * that would be too near to each other become areas, in which a pixel shows the nearest node. Cut edges are dark
 * lines over all, so that parts are told apart without colours, too; edges that are much longer than others around
 * them are pale. Where there are so many long edges that nothing could be seen they are left out, and the caption
 * says so.
 *
 * Up to eight parts have colours of their own and are named below the picture; beyond, colours repeat, but
 * parts with a common border differ as far as sixteen colours suffice.
 * Three dimensions are seen in parallel projection, from the front, above. The picture is a function of
 * the arguments alone. */
#ifndef PEN_PICTURE_H
#define PEN_PICTURE_H

#include "tools/common/writer.h"

typedef struct picture_graph {
    const char *title;
    int64_t nodes;               /* >= 1 */
    const int64_t *rows;         /* [nodes+1], rows[0] = 0 */
    const int64_t *neighbors;    /* [rows[nodes]] in 0..nodes-1 */
    const int64_t *edge_weights; /* [rows[nodes]], for the cut in the caption; or NULL: all 1 */
    bool directed;               /* else every edge is there twice */
    int dimensions;              /* 1..3 */
    const double *coordinates;   /* [nodes*dimensions] node by node, finite */
    const int32_t *part;         /* [nodes] in 0..parts-1, or NULL: all are one */
    int32_t parts;               /* >= 1 */
} picture_graph;

enum { PICTURE_SIZE_MIN = 100, PICTURE_SIZE_MAX = 20000 };

typedef enum picture_kind { PICTURE_PNG, PICTURE_SVG, PICTURE_PDF } picture_kind;

typedef struct picture_options {
    int size; /* pixels of the longer side without the caption, PICTURE_SIZE_MIN..MAX */
    picture_kind kind;
    bool has_window;
    double window[4]; /* what of the (projected) plane is shown: x and y of a corner and of the opposite one */
} picture_options;

/* Local. Write a picture; failures of `out` need no check. Of a graph with areas, SVG and PDF have one image, and the
 * caption as text. Errors: PEN_ERR_INPUT (coordinates that are not finite, or too large to be subtracted),
 * PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes). */
PEN_CHECKED pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, writer *out);

#endif
