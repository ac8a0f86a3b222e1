/* penumbra_output.h - write result files with every node's values, for NumPy, pandas and ParaView.
 *
 * An application names members of its records (pen_app.output.members). pen_output_options.path, or --output, is the
 * path of the files; its ending selects their kind: .npy is an array per member, .csv a table with a line per node,
 * .vtu and .pvtu are VTK's unstructured grid, .pvd is a series of them. With pen_output_options.every = N, the states
 * before the first step, after every N-th step and after the last step are written; otherwise only the last state. In
 * the path, {step} stands for the step, and {name}, in a .npy path, for the member. A file gets its name when it is
 * complete and on the disk. Except for owners, loads of steps and .pvtu, it is identical, byte by byte, on any number
 * of ranks. penumbra_files(7) describes the files. */
#ifndef PENUMBRA_OUTPUT_H
#define PENUMBRA_OUTPUT_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, between steps. Write the present state of the run to result files. `path` is a path like that of
 * pen_output_options.path; .fields there selects the members. No .pvd is written. Errors: PEN_ERR_INPUT (the path has
 * none of these endings, or would replace an input file of the run; the application names no members; a .vtu of a graph
 * without coordinates that is neither a grid nor a mesh; a mesh that is wrong, or whose cells are not the graph's
 * nodes), PEN_ERR_ARGUMENT (pen_app.output.sides gives a side that is not > 0), PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. After a failure no incomplete file has a final name. */
PEN_API PEN_CHECKED pen_status pen_run_output(pen_run *run, const char *path);

#ifdef __cplusplus
}
#endif

#endif
