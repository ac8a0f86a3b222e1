/* report.h - gathers the numbers of a run and its ranks, and prints them. */
#pragma once

#include "base/json.h"
#include "run/report.h"

/* Local, on rank 0. Print members of a JSON object: versions, date, hosts, the process's command line, the graph, the
 * application's options with their values. */
void pen_provenance_print(const pen_provenance *provenance, const pen_run *run, json *j);

/* Local, equal on all ranks. Whether the run had its last step before .done or --until would have ended it. */
bool pen_report_cut_off(const pen_run *run);

/* Local, equal on all ranks. Whether the run ended early, since an output could not be written. */
bool pen_report_failed(const pen_run *run);

/* Collective. Gather the report. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_report_create(pen_run *run, pen_report *report);
void pen_report_free(pen_report *report);

/* Local, on rank 0. Print the summary, for a person: the end, partition, balancing, times, last observables and
 * checksum. */
void pen_summary_print(const pen_run *run, const pen_report *report, FILE *out);

/* Collective. Write the metrics, for programs ("penumbra-metrics/2", see tools/package/schema), as JSON.
 * PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path);
