/* trace_file.h - the trace of all ranks in a file, for Perfetto or chrome://tracing: a row per rank, spans for phases,
 * pulls, waiting and balancing, a counter for the time in node functions.
 *
 * Format: "Trace Event Format", JSON object with complete ("X"), counter ("C") and metadata ("M") events. */
#ifndef PEN_TRACE_FILE_H
#define PEN_TRACE_FILE_H

#include "run/state.h"

/* Collective, of a run that has a trace. Warns of missing events. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_trace_write(const pen_run *run, const char *path);

#endif
