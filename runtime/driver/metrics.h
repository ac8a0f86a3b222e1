/* metrics.h - what a run says to programs, as JSON. */
#ifndef PEN_METRICS_H
#define PEN_METRICS_H

#include "driver/report.h"

/* Collective. Write the metrics ("penumbra-metrics/1"). PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path);

#endif
