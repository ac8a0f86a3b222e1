/* svg.h - a scene as SVG. All Local. */
#ifndef PEN_SVG_H
#define PEN_SVG_H

#include "tools/common/writer.h"
#include "tools/graph/scene.h"

/* Write it; of nodes with values, all frames, for which the scene takes their values. As pen_picture_draw. */
PEN_CHECKED pen_status pen_svg_write(scene *s, writer *out);

#endif
