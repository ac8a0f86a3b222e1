/* create_run.h - what a run is made from. */
#ifndef PEN_CREATE_RUN_H
#define PEN_CREATE_RUN_H

#include "resume/resume.h"

typedef struct pen_source {
    const pen_abi *abi; /* of the caller's structures */
    const pen_graph *graph;
    const pen_app *app;
    pen_resume *resume;         /* the checkpoint that the graph is of; NULL: the run begins */
    const char *graph_settings; /* options of a command line that tell the graph (saved.h); NULL: there is none */
} pen_source;

/* Collective. As pen_run_create and pen_run_load; the checkpoint is the caller's to free afterwards. */
PEN_CHECKED pen_status pen_run_make(MPI_Comm comm, const pen_source *from, const pen_run_options *options,
                                    pen_run **run);

#endif
