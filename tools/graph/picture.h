/* picture.h - a graph whose nodes have places, or a machine, drawn.
 *
 * A graph of moderate size is drawn as lines and dots in the colours of its parts. Of a large one, dots and lines
 * that would be too near to each other become areas, in which a pixel shows the nearest node. Cut edges are dark
 * lines over all, so that parts are told apart without colours, too; edges that are much longer than others around
 * them are pale. Where there are so many long edges that nothing could be seen they are left out, and the caption
 * says so.
 *
 * Up to eight parts have colours of their own and are named below the picture; beyond, colours repeat, but
 * parts with a common border differ as far as sixteen colours suffice.
 * Where nodes have values, these are their colours (colour_map.h), above a bar that says which. The nodes of a grid
 * of two dimensions are cells then, squares or hexagons, those of other graphs larger dots over grey edges. In an SVG,
 * one frame after the other is shown, FRAMES_PER_SECOND, and from the beginning again.
 *
 * Three dimensions are seen in parallel projection, from the front, above. The picture is a function of
 * the arguments alone. */
#ifndef PEN_PICTURE_H
#define PEN_PICTURE_H

#include "tools/common/writer.h"
#include "tools/graph/picture_graph.h"
#include <penumbra_plugin.h>

/* Local. Write a picture; failures of `out` need no check. Of a graph with areas, SVG and PDF have one image, and the
 * caption as text. Errors: PEN_ERR_INPUT (coordinates that are not finite, or too large to be subtracted),
 * PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes); what reading values ends with. */
PEN_CHECKED pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, writer *out);

/* Local. The same to a file. As pen_picture_draw and pen_writer_open. */
PEN_CHECKED pen_status pen_picture_write(const picture_graph *graph, const picture_options *options, const char *path);

/* Local. A machine of at most PICTURE_MOST_PROCESSORS, and, unless it is a torus, PICTURE_MOST_CLUSTERS. Processors are
 * dots, larger and of another colour the faster they are; those of a cluster lie together. Lines are links between
 * clusters, wide ones cheap, but for those that are as dear as a way over other clusters. A torus is a grid, whose
 * edges are joined by what leads out; hypercubes are as usual; of a tree also the switches are drawn, with what two
 * processors are apart whose paths part there. Errors: PEN_ERR_UNSUPPORTED (a larger one), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_picture_draw_machine(const pen_machine *machine, const char *title,
                                                const picture_options *options, writer *out);

#endif
