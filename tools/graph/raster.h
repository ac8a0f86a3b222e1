/* raster.h - a scene as pixels, or as a page, by cairo. All Local. */
#ifndef PEN_RASTER_H
#define PEN_RASTER_H

#include "tools/common/writer.h"
#include "tools/graph/scene.h"

/* Write it as PNG, or as PDF; without labels, where it is a part of something else. PEN_ERR_MEMORY; failures of `out`
 * need no check. */
PEN_CHECKED pen_status pen_png_write(const scene *s, bool labels, writer *out);
PEN_CHECKED pen_status pen_pdf_write(const scene *s, writer *out);

#endif
