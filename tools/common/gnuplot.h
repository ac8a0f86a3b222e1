/* gnuplot.h - pictures drawn by gnuplot, in a process of its own. All Local. */
#ifndef PEN_GNUPLOT_H
#define PEN_GNUPLOT_H

#include "base/status.h"

/* Draw `script`, which sets no terminal and no output: both ways are streams, so that no file's name is ever quoted.
 * Sizes in mm; fonts are of 7 points, a PNG has 300 dots per inch. *bytes [*size] are the caller's to free (NULL after
 * a failure). PEN_ERR_ENVIRONMENT where gnuplot is missing or cannot draw; PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_gnuplot_draw(const char *script, double width, double height, bool svg, char **bytes,
                                        size_t *size);

/* A text as gnuplot's scripts quote it: between apostrophes nothing but these has a meaning. */
void pen_gnuplot_text(FILE *script, const char *text);

#endif
