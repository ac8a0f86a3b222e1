/* figures.h - the pictures that pen-plot knows. All Local.
 *
 * Dashes, points and steps of brightness say the same as colours, on paper without these. Heat is viridis (van der Walt
 * and Smith, 2015), perceptually uniform. */
#ifndef PEN_PLOT_FIGURES_H
#define PEN_PLOT_FIGURES_H

#include "tools/plot/runs.h"

typedef struct figure {
    const char *name;
    /* Write gnuplot's script for a picture that is `width` mm wide, and set *height, in mm. PEN_ERR_INPUT where these
     * runs do not have what it shows. */
    pen_status (*script)(const run_set *set, double width, FILE *script, double *height);
} figure;

extern const figure pen_figure_speedup, pen_figure_categories, pen_figure_balance, pen_figure_loads,
    pen_figure_observables;

/* Have gnuplot draw it. *bytes [*size] are the caller's to free (NULL after a failure). As figure.script and
 * pen_gnuplot_draw. */
PEN_CHECKED pen_status pen_figure_draw(const figure *f, const run_set *set, double width, bool svg, char **bytes,
                                       size_t *size);

#endif
