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
#include "tools/graph/picture_graph.h"

/* Local. Write a picture; failures of `out` need no check. Of a graph with areas, SVG and PDF have one image, and the
 * caption as text. Errors: PEN_ERR_INPUT (coordinates that are not finite, or too large to be subtracted),
 * PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes). */
PEN_CHECKED pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, writer *out);

#endif
