/* penumbra_checkpoint.h - checkpoints of runs, for programs with handles; those with a command line have them by
 * --checkpoint and --resume, and any run writes them by pen_run_options.checkpoint.
 *
 * A checkpoint has all that the rest of a run depends on: the graph as it is, with weights, coordinates and records of
 * arcs, all fields but transient ones, the step, observables and what they were, globals, what balancing has learnt,
 * seeds, the application's options (pen_app.options) and what it holds itself (pen_app.save). It is one file, written
 * by all ranks at once, with checksums, specified in share/penumbra/penumbra-checkpoint-1.txt; it appears under its
 * name, FOLDER/step-000000000100.checkpoint, when it is on the disk, and that before it stays, too.
 *
 * It is resumed on any number of ranks, with any transport, partitioner, balancer and order: results, observables and
 * their file are the bits of a run that was never stopped. On as many ranks, with the same partitioner, nodes stay
 * where they were, and with declared loads the balancer's calls are the same, too. What a plug-in balancer keeps in its
 * state from call to call is not saved. Measured times, the trace and the record (.record) begin anew.
 *
 * A folder called "shm", or "shm:NAME" (letters, digits, ".", "-", "_"), is the memory of the hosts: each has in
 * /dev/shm/penumbra-UID-NAME, NAME being "checkpoint" where there is none, what its ranks wrote, and in the folder
 * copies/ there what those of the host before it wrote. Where another user has taken that name, "+" and six letters
 * follow it; folders and files of other users there do not count. Nothing needs to be made before; two runs on a host
 * need two names. Any one host may be lost; a run on one host is warned. What pen_run_options.checkpoint has put there
 * is removed by the pen_run_destroy of a run that is over: all steps that it was to do are done, or it ended before by
 * itself, and pen_options_report, where it was called, has not failed. */
#ifndef PENUMBRA_CHECKPOINT_H
#define PENUMBRA_CHECKPOINT_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, between steps. Write a checkpoint into a folder, which must be there unless it is memory; two stay, this
 * one and that before it. Errors: PEN_ERR_INPUT (no such folder; another run holds it), PEN_ERR_IO, PEN_ERR_UNSUPPORTED
 * (the graph has no nodes left), PEN_ERR_MEMORY, PEN_ERR_MPI; then those that were there before are. */
PEN_API PEN_CHECKED pen_status pen_run_save(pen_run *run, const char *folder);

/* Collective. Go on from the newest checkpoint of a folder that is whole (rank 0 warns of
 * each that is not), or from the checkpoint that `path` names itself: *run is as it was then, and .init and
 * .init_edges are not called, nor are files of input read (columns that are .kept are in it, and no
 * others are asked for any more; to be verified, the run needs the files). `app` and `options` are as for
 * pen_run_create, and as they were, but for what results do not depend on. What they may depend on is refused where it
 * has changed, and pen_run_options.accept ("a,b", of their names, "seed" and "steps") does not name it: options of the
 * application that are not in pen_app.indifferent, the seed, and pen_run_options.steps, in all, where the application
 * has a .setup and is not indifferent to them. Metrics tell what has changed so. Steps must not be fewer than are done;
 * 0: as before. A run whose graph had changed, or into which records had been put, cannot be verified any more. Errors:
 * PEN_ERR_INPUT (there is no checkpoint, or parts of it are on none of these hosts; it is of another application, or of
 * other fields or options, of which the first is told; it is to be verified (pen_run_options.verify), and cannot be; it
 * is damaged; the observables' file is another one), PEN_ERR_UNSUPPORTED (another version of the format), and those of
 * pen_run_create. */
static inline PEN_CHECKED pen_status pen_run_load(MPI_Comm comm, const char *path, const pen_app *app,
                                                  const pen_run_options *options, pen_run **run);

/* How sizes travel, see penumbra.h. */
PEN_API PEN_CHECKED pen_status pen_run_load_abi(const pen_abi *abi, MPI_Comm comm, const char *path, const pen_app *app,
                                                const pen_run_options *options, pen_run **run);

static inline pen_status pen_run_load(MPI_Comm comm, const char *path, const pen_app *app,
                                      const pen_run_options *options, pen_run **run)
{
    return pen_run_load_abi(&pen_abi_here, comm, path, app, options, run);
}

#ifdef __cplusplus
}
#endif

#endif
