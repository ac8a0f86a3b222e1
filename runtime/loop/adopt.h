/* adopt.h - the sources of a run, and how it takes them over. */
#pragma once

#include "base/option_values.h"
#include "checkpoint/resume.h"

typedef struct pen_source {
    const pen_graph *graph;
    const pen_app *app;
    pen_resume *resume;         /* the checkpoint that the graph comes from; NULL: a new run */
    const char *graph_settings; /* command-line options that describe the graph; NULL: there are none */
    pen_words words;
} pen_source;

/* Collective. Copy the caller's options and application, check them, call .setup, and open the parts. All ranks must
 * have the same. Each rank passes its status so far; if that is a failure, the run may be NULL. */
PEN_CHECKED pen_status pen_run_adopt(pen_comm *comm, pen_status mine, const pen_source *from,
                                     const pen_run_options *theirs, pen_run_options *options, pen_run *run);
