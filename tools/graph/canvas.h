/* canvas.h - a raster image: anti-aliased lines, discs and text, and PNG.
 *
 * What is drawn is a function of the arguments alone: it uses no font and no graphics library of the
 * machine. Coordinates are in pixels, x to the right and y downwards from the upper left corner; what lies
 * outside is not drawn. A colour is 0xRRGGBB. Everything here is Local. */
#ifndef PEN_CANVAS_H
#define PEN_CANVAS_H

#include "base/status.h"

typedef struct canvas {
    int width, height;
    unsigned char *pixels; /* [height][width][3] red, green, blue; owned */
} canvas;

/* A white canvas; width, height in 1..32767. pen_canvas_free frees it. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_canvas_create(int width, int height, canvas *c);
void pen_canvas_free(canvas *c);

static inline void pen_canvas_set(canvas *c, int x, int y, uint32_t colour)
{
    unsigned char *p = c->pixels + 3 * ((int64_t)y * c->width + x);
    p[0] = (unsigned char)(colour >> 16);
    p[1] = (unsigned char)(colour >> 8);
    p[2] = (unsigned char)colour;
}

/* Clear the rows from `y` on to white. */
void pen_canvas_clear(canvas *c, int y);

/* A line with round ends, `width` > 0; one without length is a disc. */
void pen_canvas_line(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour);

/* Text in capitals of height `height` that stand on y, from x on; what is not printable ASCII is drawn as a box.
 * Returns the x behind it. Without a canvas (NULL) that is all that happens. */
double pen_canvas_text(canvas *c, double x, double y, double height, uint32_t colour, const char *text);

/* The image as a PNG file in memory, *bytes for the caller to free. PEN_ERR_MEMORY;
 * PEN_ERR_UNSUPPORTED where there is no libpng. */
PEN_CHECKED pen_status pen_canvas_png(const canvas *c, unsigned char **bytes, int64_t *size);

#endif
