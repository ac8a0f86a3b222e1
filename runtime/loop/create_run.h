/* create_run.h - creates a run from its sources. */
#pragma once

#include "checkpoint/resume.h"

typedef struct pen_source {
    const pen_graph *graph;
    const pen_app *app;
    pen_resume *resume;         /* the checkpoint that the graph comes from; NULL: a new run */
    const char *graph_settings; /* command-line options that describe the graph; NULL: there are none */
    char *const *words;         /* [word_count] the command line, for options that only a part knows */
    int word_count;
} pen_source;

/* Collective. Like pen_run_create and pen_run_load. The caller frees the checkpoint afterwards. */
PEN_CHECKED pen_status pen_run_make(MPI_Comm comm, const pen_source *from, const pen_run_options *options,
                                    pen_run **run);

/* Local. Copy the caller's options and application, check them, call .setup, and open the parts. */
PEN_CHECKED pen_status pen_run_adopt(pen_run *run, const pen_source *from, const pen_run_options *theirs,
                                     pen_run_options *options);

/* Collective, after pen_run_adopt. Give the nodes of the graph their owners, slots and halos. */
PEN_CHECKED pen_status pen_run_distribute(pen_run *run, const pen_graph *graph, const pen_run_options *options);
