/* penumbra_checkpoint.h - write checkpoints of a run and continue from them, for programs with handles.
 *
 * Programs with a command line have --checkpoint and --resume; any run writes checkpoints if pen_checkpoint_options
 * names a folder. A checkpoint is one file, FOLDER/step-000000000100.checkpoint, with all data on which the rest of
 * the run depends; "shm" and "shm:NAME" are folders in the memory of the hosts. A run can continue on any number of
 * ranks, with any transport, partitioner, balancer and order; results, observables and their file are bit-identical to
 * those of an uninterrupted run. penumbra_files(7) describes all this. */
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

/* Collective. Create a run that continues from a checkpoint, on the ranks of comm. `path` is a checkpoint, or a
 * folder, of which the newest complete one is taken; rank 0 warns of each damaged one. The caller destroys *run. .init
 * and .init_edges are not called. Input files that are named must exist and have the contents that the first run read;
 * their rows are read only for verification; the checkpoint has the .permanent columns. `app` and `options` are as for
 * pen_run_create. Options on which results may depend must be the checkpoint's, unless pen_checkpoint_options.accept
 * names them (penumbra_files(7)). pen_run_options.steps is the total, at least the number of steps done; 0: as before.
 * A run whose graph had changed, or into which records had been put, cannot be verified. Errors: PEN_ERR_INPUT (no or
 * incomplete or damaged checkpoint; another application, other fields or options; it cannot be verified; another file
 * of observables), PEN_ERR_UNSUPPORTED (another version of the format), and those of pen_run_create. */
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
