/* resume.h - a run from a checkpoint, on any number of ranks: its graph, and, once that is distributed, its state. */
#ifndef PEN_RESUME_H
#define PEN_RESUME_H

#include "graph/graph.h"
#include "resume/checkpoint_state.h"

typedef struct pen_resume {
    pen_checkpoint file;
    pen_checkpoint_state saved;
    pen_scan state;      /* what of file.about has not been looked at yet */
    bool stays;          /* nodes stay on the ranks that they were on; the run's creation sets it */
    const char *accept;  /* "a,b": in what the run may differ from that of the checkpoint; NULL: in nothing */
    char accepted[1024]; /* in which of these it does */
} pen_resume;

/* Collective. Read a checkpoint: that file, or the newest one of a folder that is whole; of each that is not, rank 0
 * prints a line. Errors: PEN_ERR_INPUT (there is none, or none is whole), PEN_ERR_IO, PEN_ERR_UNSUPPORTED,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_open(pen_comm *comm, const char *path, pen_resume **resume);
void pen_resume_free(pen_resume **resume);

/* Collective. The graph as it was; as many ranks as wrote the checkpoint have the nodes that they had. *graph is the
 * caller's to destroy. Errors: PEN_ERR_INPUT, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_graph(MPI_Comm comm, const pen_resume *resume, pen_graph **graph);

/* Collective. Whether a graph, by what is in it, is the one that the run of the checkpoint began with. PEN_ERR_INPUT,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_compare(pen_comm *comm, const pen_resume *resume, const pen_graph *graph);

/* Local. Take what may differ, "a,b" of the application's options, steps and seed, which stays the caller's; NULL:
 * nothing. PEN_ERR_INPUT: an unknown name, or `resume` is NULL. */
PEN_CHECKED pen_status pen_resume_accept(pen_resume *resume, const pen_app *app, const char *accept);

/* Local. Can a run go on from there? PEN_ERR_INPUT, with what differs and is not accepted. Before .restore and .setup:
 * is it of that application, with that seed; and may there be so many steps in all, *steps, which become those of
 * before where they are 0? After .setup: has it the same fields, phases and settings? PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_resume_belongs(pen_resume *resume, const pen_app *app, uint64_t seed);
PEN_CHECKED pen_status pen_resume_steps(pen_resume *resume, const pen_app *app, int64_t *steps);
PEN_CHECKED pen_status pen_resume_check(pen_resume *resume, const pen_app *app);

/* Local. Can a run that goes on from there be verified? PEN_ERR_INPUT: its graph had changed, or what was put into it
 * is not known. */
PEN_CHECKED pen_status pen_resume_verifies(const pen_resume *resume);

/* Collective, in place of what initialises a run. The state of each node comes to its owner, and that of the run to all
 * ranks. Errors: PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_state(pen_run *run, pen_resume *resume, const pen_run_options *options);

#endif
