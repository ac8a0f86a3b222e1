/* report.h - everything about some runs on one page. */
#ifndef PEN_PLOT_REPORT_H
#define PEN_PLOT_REPORT_H

#include "tools/plot/runs.h"

/* Local. Write a page to `path`, beside it and renamed when complete: every picture that these runs have something for,
 * each with its numbers in a table. The page is HTML and well-formed XML, and needs nothing from elsewhere.
 * PEN_ERR_IO, PEN_ERR_ENVIRONMENT (as pen_gnuplot_draw), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_page_write(const run_set *set, const char *path);

#endif
