/* penumbra_output.h - write result files with every node's values, for NumPy, pandas and ParaView.
 *
 * An application names members of its records (pen_app.output.members). pen_output_options.path, or --output, is the
 * path of the files; its ending selects their kind:
 *
 *     .npy    an array per member, out/heat-temperature.npy: values in ascending order of gids, one-dimensional, or
 *             two-dimensional if the member has several components. If gids are not 0, 1, 2, ..., or there is a file
 *             out/heat-gid.npy of an earlier run, that file gets the gids. Read with numpy.load(path, mmap_mode='r')
 *     .csv    a line of names, then a line per node in ascending order of gids: gid, and members, with components as
 *             name_0, name_1, ...; for small graphs
 *     .vtu    VTK's unstructured grid, for ParaView and VisIt. Nodes are the cells of an unstructured mesh, if there is
 *             one (pen_app.output.mesh, --output-mesh=POINTS.npy:CELLS.npy). Otherwise nodes of a grid are cells
 *             (squares, boxes or hexagons; a torus is unrolled), nodes of other graphs with coordinates are points,
 * with edges as lines; or all have the shape that the application gives them (pen_app.output.shape). A grid that may
 * change is not drawn as cells. Every node has its members, gid, owner and load .pvtu   the same, but each rank writes
 * its own nodes, out/heat-p000003.vtu, and out/heat.pvtu lists these files; not for a mesh .pvd    .vtu files, and
 * out/heat.pvd, which lists them with their steps or times: open this one
 *
 * With pen_output_options.every = N, the states before the first step, after every N-th step and after the last step
 * are written; otherwise only the last state: when the run has done pen_run_options.steps or has ended by itself, or in
 * pen_options_report. No last state is written if the run is interrupted (SIGTERM, --checkpoint-before). In the path,
 * {step} stands for the step, with 6 digits or more, and {name}, in a .npy path, for the member. If they are needed and
 * missing, "-{name}" and "-{step}" are added before the ending: out/heat-000100.vtu. For .vtu and .pvtu files of
 * several steps out/heat.pvd is kept up to date. A resumed run continues it, and writes no state before its next one.
 * The folder is created if its parent exists.
 *
 * If the application has a physical time (pen_globals.time), .vtu and .pvd files have that time of a state instead of
 * its step, and .csv files have it in the last column.
 *
 * load is the node's load in the last step if the run has a balancer or a record, in seconds or declared units (0
 * before the first step); otherwise it is the node's weight.
 *
 * All ranks write their parts of a file at once, and need little additional memory. A file gets its name when it is
 * complete and on the disk. The .vtu files of a series get theirs when they are complete; those that out/heat.pvd lists
 * are on the disk, and the list is updated once a second, at the end, and with every checkpoint. Except for owners,
 * measured loads and .pvtu, a file is identical, byte by byte, on any number of ranks. */
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
