/* plot.h - pictures of a comparison, drawn by gnuplot: time against halo size, and against neighbours. */
#ifndef COMM_PLOT_H
#define COMM_PLOT_H

#include "tools/comm/table.h"

/* Collective. Before anything is measured: the file's name ends in .svg or .png, gnuplot is there (on rank 0), and the
 * file can be written. PEN_ERR_INPUT, PEN_ERR_UNSUPPORTED, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_comparison_plot_check(pen_comm *comm, const char *path);

/* Collective. `table` and `title` are rank 0's. The file appears under its name when it is complete. Errors besides:
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_comparison_plot(pen_comm *comm, const comm_table *table, const char *title,
                                           const char *path);

#endif
