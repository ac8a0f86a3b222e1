/* penumbra_output.h - files of results: every node's values, for NumPy, pandas, ParaView and their like.
 *
 * An application names members of its records (pen_app.members); pen_run_options.output, or --output, says where they
 * go. The ending of that path says which files there are:
 *
 *     .npy          an array for each member, out/heat-temperature.npy: values ascending by gid, of one dimension, or
 *                   of two where a member has several components; where gids are not 0, 1, 2, ... out/heat-gid.npy,
 *                   too; else a file of that name is removed. numpy.load(path, mmap_mode='r') reads them
 *     .csv          a line of names, then one for each node, ascending by gid, its gid first; components as name_0,
 *                   name_1, ...: for small graphs
 *     .vtu          VTK's unstructured grid, for ParaView and VisIt: the nodes of a grid as cells with values, squares,
 *                   boxes or hexagons (a torus unrolled), those of other graphs with coordinates as points with values,
 *                   and edges as lines between them, or all in the shape that the application gives them
 *                   (pen_app.shape); besides the members gid, owner and load of every node. A graph that may change is
 *                   not drawn as cells of a grid, which it is at first only
 *     .pvtu         the same, but each rank writes its own nodes, out/heat-p000003.vtu, and out/heat.pvtu names these
 *     .pvd          .vtu files, and out/heat.pvd, which names them with their steps: open that
 *
 * With .output_every = N the state before the first step is written, that after every N-th one, and the last one; else
 * the last one alone: when the run is done, by itself or since it has done pen_run_options.steps of them, or by
 * pen_options_report. A run that is asked to end (SIGTERM, --checkpoint-before) has not come to it. {step} in the path
 * becomes the step, with 6 digits or more, {name} in that of a .npy file the member; where they are needed and missing,
 * "-{name}" and "-{step}" are put before the ending: out/heat-000100.vtu. Of .vtu and .pvtu files of several steps,
 * out/heat.pvd is kept up to date; a run that is resumed goes on with it, and writes no state before the next one. The
 * folder is made where the one around it is.
 *
 * Where the application has a physical time (pen_globals.time), that is the time of a state in .vtu and .pvd files, in
 * place of its step, and the last column of .csv files.
 *
 * load is what a node cost in the last step, where the run has a balancer or a record: in seconds, or as declared; 0
 * before the first step. Else it is the node's weight.
 *
 * All ranks write their part of a file at once, and a rank needs little memory for it besides the run's own. A file
 * appears under its name only when it is whole and on the disk; the .vtu files of a series when they are whole, and on
 * the disk is what out/heat.pvd names, which is kept up to date once a second, at the end, and with every checkpoint.
 * But for owner and measured loads, and but for .pvtu, a file is the same, byte by byte, on any number of ranks. */
#ifndef PENUMBRA_OUTPUT_H
#define PENUMBRA_OUTPUT_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, between steps. Write the state as it is now, as pen_run_options.output would: `path` says where and which
 * kind, and .output_fields what. No .pvd is written. Errors: PEN_ERR_INPUT (the
 * path has none of these endings, or would replace a file that the run reads; the application names no members; a .vtu
 * of a graph that has no coordinates and is no grid), PEN_ERR_ARGUMENT (pen_app.sides gives a node sides that are not
 * > 0), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. Nothing has the name of a file that could not be written. */
PEN_API PEN_CHECKED pen_status pen_run_output(pen_run *run, const char *path);

#ifdef __cplusplus
}
#endif

#endif
