/* penumbra_checkpoint.h - write checkpoints of a run and continue from them, for programs with handles.
 *
 * Programs with a command line have --checkpoint and --resume; any run writes checkpoints if pen_checkpoint_options
 * names a folder.
 *
 * A checkpoint is one file, FOLDER/step-000000000100.checkpoint, which all ranks write together, with checksums. It
 * gets its name when it is complete and on the disk. Its format is in share/penumbra/penumbra-checkpoint-1.txt. It
 * holds all data on which the rest of the run depends: the graph with weights, coordinates and records of arcs; all
 * fields except transient ones; the step; observables, globals and their history; the state of balancing; seeds; the
 * application's options (pen_app.options) and its own data (pen_app.checkpoint.save).
 *
 * A run can continue on any number of ranks, with any transport, partitioner, balancer and order. Results, observables
 * and their file are bit-identical to those of an uninterrupted run. With the same number of ranks and the same
 * partitioner, nodes keep their ranks; with declared loads, the balancer's calls are then the same, too. Not saved are
 * the state of a plug-in balancer, measured times, the trace and the record: these start again.
 *
 * The folder "shm" or "shm:NAME" (letters, digits, ".", "-", "_") means the memory of the hosts. Each host has the data
 * of its ranks in /dev/shm/penumbra-UID-NAME (default NAME: "checkpoint"), and that of the previous host in the
 * subfolder copies/, so that any one host may be lost; a run on one host gets a warning. If another user owns that
 * name, "+" and six letters are appended; files and folders of other users are ignored. The library creates the folder.
 * Two runs on a host need two names. pen_run_destroy removes the checkpoints that pen_checkpoint_options has put
 * there if the run is over (all its steps are done, or it ended by itself) and pen_options_report, if called,
 * succeeded. */
#ifndef PENUMBRA_CHECKPOINT_H
#define PENUMBRA_CHECKPOINT_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, between steps. Write a checkpoint of the run into a folder, and keep the previous one there; other
 * checkpoints there are removed. `folder` must exist unless it is in memory. Errors: PEN_ERR_INPUT (no such folder, its
 * file `lock` is not that of a run, or another run writes there), PEN_ERR_IO, PEN_ERR_UNSUPPORTED (the graph has no
 * nodes left), PEN_ERR_MEMORY, PEN_ERR_MPI; earlier checkpoints remain intact. */
PEN_API PEN_CHECKED pen_status pen_run_save(pen_run *run, const char *folder);

/* Collective. Create a run that continues from a checkpoint. `path` is a checkpoint, or a folder, of which the newest
 * complete one is taken; rank 0 warns of each damaged one. The caller destroys *run. .init and .init_edges are not
 * called. Input files are read only for verification; the checkpoint has the .kept columns. `app` and `options` are as
 * for pen_run_create. Options on which results may depend must be the checkpoint's, unless
 * pen_checkpoint_options.accept ("a,b") names them; metrics report these. They are the application's options outside of
 * pen_app.checkpoint.indifferent, with the contents of the files that they name, those of files of "input" if the
 * resumed run names any, "seed", and, with a .setup, "steps". pen_run_options.steps is the total, at least the number
 * of steps done; 0: as before. A run whose graph had changed, or into which records had been put, cannot be verified.
 * Errors: PEN_ERR_INPUT (no or incomplete or damaged checkpoint; another application, other fields or options; it
 * cannot be verified; another file of observables), PEN_ERR_UNSUPPORTED (another version of the format), and those of
 * pen_run_create. */
static inline PEN_CHECKED pen_status pen_run_load(MPI_Comm comm, const char *path, const pen_app *app,
                                                  const pen_run_options *options, pen_run **run);

/* For binary compatibility, see penumbra.h. */
PEN_API PEN_CHECKED pen_status pen_run_load_abi(uint32_t abi, MPI_Comm comm, const char *path, const pen_app *app,
                                                const pen_run_options *options, pen_run **run);

static inline pen_status pen_run_load(MPI_Comm comm, const char *path, const pen_app *app,
                                      const pen_run_options *options, pen_run **run)
{
    return pen_run_load_abi(PEN_ABI, comm, path, app, options, run);
}

#ifdef __cplusplus
}
#endif

#endif
