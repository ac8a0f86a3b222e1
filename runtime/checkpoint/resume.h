/* resume.h - resumes a run from a checkpoint, on any number of ranks: first its graph and, once that is distributed,
 * its state. */
#pragma once

#include "checkpoint/state.h"
#include "graph/graph.h"
#include "run/reads.h"

typedef struct pen_resume {
    pen_checkpoint file;
    pen_checkpoint_state saved;
    pen_scan state;      /* the part of file.about that has not been read yet */
    bool named;          /* the caller named the file, not its folder */
    bool stays;          /* nodes stay on their ranks; set when the run is created */
    const char *accept;  /* "a,b": the settings that may differ from the checkpoint's; NULL: none */
    char accepted[1024]; /* the settings among them that do differ */
} pen_resume;

/* Collective. Read a checkpoint: the given file, or the newest intact one of a folder. Rank 0 prints a line for each
 * damaged one. Errors: PEN_ERR_INPUT (there is none, or none is intact), PEN_ERR_IO, PEN_ERR_UNSUPPORTED,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_open(pen_comm *comm, const char *path, pen_resume **resume);
void pen_resume_free(pen_resume **resume);

/* Collective. The graph of the checkpoint. With as many ranks as wrote it, each rank gets its former nodes. The
 * caller destroys *graph. Errors: PEN_ERR_INPUT, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_graph(MPI_Comm comm, const pen_resume *resume, pen_graph **graph);

/* Collective. Checks by its contents that a graph is the one that the run of the checkpoint began with.
 * PEN_ERR_INPUT, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_compare(pen_comm *comm, const pen_resume *resume, const pen_graph *graph);

/* Local. Set what may differ: "a,b", names of options of the application, or those of a run that are compared. The
 * string stays the caller's. NULL: nothing may differ. PEN_ERR_INPUT: an unknown name, or `resume` is NULL. */
PEN_CHECKED pen_status pen_resume_accept(pen_resume *resume, const pen_app *app, const char *accept,
                                         pen_option_at *option_at);

/* Local. Checks whether a run can continue from the checkpoint. PEN_ERR_INPUT: something differs that is not
 * accepted; the message names it. Before .restore and .setup, pen_resume_belongs compares the application and the
 * seed, and pen_resume_steps the total number of steps; if *steps is 0, it becomes the checkpoint's. After .setup,
 * pen_resume_check compares fields, phases and settings, of parts those in `more` (state.h). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_resume_belongs(pen_resume *resume, const pen_app *app, uint64_t seed);
PEN_CHECKED pen_status pen_resume_steps(pen_resume *resume, const pen_app *app, int64_t *steps);
PEN_CHECKED pen_status pen_resume_check(pen_resume *resume, const pen_app *app, const char *more);

/* Local, on rank 0. The contents of the files from which results come, those of options that are compared and of the
 * application's own: *contents, which the caller frees. If a run is resumed, it checks that the files have the contents
 * that the first run read, and keeps that run's list. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_resume_contents(pen_resume *resume, const pen_reads *reads, const pen_app *app,
                                           pen_option_at *at, char **contents);

/* Local, on rank 0. pen_reads_find, then pen_reads_check, with the checkpoint or the folder of checkpoints that a run
 * is resumed from (or NULL) among the files that are read. Nor may a file that is read or written have a name that the
 * folder for checkpoints needs. pen_reads_free also after a failure. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_resume_files(const pen_app *app, pen_option_at *at, const pen_run_options *options,
                                        const char *graph, const char *resume, const pen_written *files, int count,
                                        pen_reads *reads);

/* Local. Checks whether a resumed run can be verified. PEN_ERR_INPUT: its application has restored data in the place of
 * .graph.rows, its graph had changed, or records were put into it that are not known any more. */
PEN_CHECKED pen_status pen_resume_verifies(const pen_resume *resume, const pen_app *app);

/* Collective, in place of the initialisation of a run. Each node's state is sent to its owner, and the state of the
 * run to all ranks. Errors: PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_state(pen_run *run, pen_resume *resume);
