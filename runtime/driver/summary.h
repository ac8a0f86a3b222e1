/* summary.h - what a run says to a person. */
#ifndef PEN_SUMMARY_H
#define PEN_SUMMARY_H

#include "driver/report.h"

/* Local, after a step. Its observables, a line; and above the first one their names. */
void pen_summary_observables(const pen_run *run, FILE *out);

/* Local, on rank 0: partition, balancing, times and checksum. */
void pen_summary_print(const pen_run *run, const pen_report *report, FILE *out);

#endif
