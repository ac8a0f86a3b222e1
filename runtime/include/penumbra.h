/* penumbra.h - the manual for application authors.
 *
 * Penumbra runs graph-structured iterative computations on MPI. You write a function that computes one node from its
 * own state and its neighbours' states. Penumbra distributes the graph and keeps node data in an MPI window; every
 * rank pulls the shadows (ghost nodes: copies of neighbours on other ranks) that it needs.
 *
 * The result is bit-identical for every number of ranks, transport and partitioner, if the program is compiled like
 * the library: -std=c11 -ffp-contract=off, no fast-math (linking to the CMake target penumbra sets this). */
#ifndef PENUMBRA_H
#define PENUMBRA_H

#include <penumbra_app.h>
#include <penumbra_options.h>

/* C++ programs call MPI's C interface; the old C++ bindings would have to be linked. */
#ifdef __cplusplus
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A whole program ------------------------------------------------------------------------ */

/* The records of nodes, and the functions that compute one node:
 *
 *     typedef struct { double heat; } cell;
 *     enum { CELL };
 *     static void init(const pen_view *v) { PEN_NEXT(v, CELL, cell)->heat = pen_id(v) == 0 ? 100.0 : 0.0; }
 *     static void relax(const pen_view *v)
 *     {
 *         double sum = 0.0;
 *         for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, CELL, cell, i)->heat;
 *         PEN_NEXT(v, CELL, cell)->heat = pen_degree(v) ? sum / pen_degree(v) : PEN_SELF(v, CELL, cell)->heat;
 *     }
 *     PEN_SWEEP(relax) // relax_sweep: relax, inlined into a loop over nodes */

/* The tables that describe the application to the library, and the command line:
 *
 *     int main(int argc, char **argv)
 *     {
 *         const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
 *         const pen_phase phases[] = { { "relax", .sweep = relax_sweep,
 *                                        .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) } };
 *         const pen_member members[] = { PEN_MEMBER(CELL, cell, heat, PEN_F64) };
 *         const pen_app app = { .name = "heat", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init,
 *                               .output = { PEN_MEMBERS(members) } };
 *         return pen_main(&app, argc, argv);
 *     } */

/* ---- Conventions ---------------------------------------------------------------------------- */

/* Every function that can fail returns a pen_status: 0 is success; after a failure pen_error_message() has the
 * details. "Collective" functions are called by all ranks of the communicator with equal arguments, and return the
 * same status on all of them: a failure on one rank never leaves another waiting. Unequal options, paths, fields and
 * steps (pen_run_steps compares them in its first 8 calls and every 64th, in the checking build in all) are
 * PEN_ERR_ARGUMENT. "Local" functions involve no other rank. For a handle that is NULL, functions return
 * PEN_ERR_ARGUMENT, false or 0; pen_run_globals and pen_run_observed_* end the program.
 *
 * A Collective call within a node function, .print, .observe or .cost is PEN_ERR_ARGUMENT; if it returns no status, it
 * ends the program. .output.write cannot call pen_run_steps or pen_run_destroy either.
 *
 * One thread per rank calls the library. penumbra_process(7) describes the effects on the process: environment,
 * /dev/shm, threads, signals, files, and how a process ends. */

/* ---- Binary compatibility ------------------------------------------------------------------- */

/* A number that follows from the major version and from the sizes of this header's structures. Functions that take
 * structures compare it with that of the library, and return PEN_ERR_UNSUPPORTED if they differ: the program must be
 * compiled again. Programs do not call functions that end in _abi: the functions of the same name without it do. */
#define PEN_ABI                                                                                                    \
    ((uint32_t)(PEN_VERSION_MAJOR * 100000 + sizeof(pen_app) + sizeof(pen_field) + sizeof(pen_edge_field) +        \
                sizeof(pen_phase) + sizeof(pen_observable) + sizeof(pen_member) + sizeof(pen_globals) +            \
                sizeof(pen_input_column) + sizeof(pen_option) + sizeof(pen_world) + sizeof(pen_csr) +              \
                sizeof(pen_view) + sizeof(pen_mail) + sizeof(pen_mailbox) + sizeof(pen_outbox) + sizeof(pen_far) + \
                sizeof(pen_observation) + sizeof(pen_run_options) + sizeof(pen_read_options) + sizeof(pen_local) + \
                sizeof(pen_records) + sizeof(pen_mesh)))

/* ---- The whole program ---------------------------------------------------------------------- */

/* Run the whole program of an application, app: read the command line (argc, argv), set up MPI, run, report, finalise.
 * MPI must not be initialised. `--help` shows all options. Returns the exit status: 0 done; 1 --verify, --check or
 * .check found a fault; 2 usage or input error; 3 the MPI environment cannot run this; 4 the run was asked to end and
 * is saved; 5 the watchdog ended it. */
static inline int pen_main(const pen_app *app, int argc, char **argv);

/* ---- Set-up for programs that have their own main ------------------------------------------- */

/* Local, before MPI_Init. Set environment variables that replace broken or slow defaults of the MPI library for
 * one-sided runs, unless the user has set them (environment, mpirun's command line, ~/.openmpi/mca-params.conf). Also
 * remove files that killed programs have left in /dev/shm (penumbra_process(7)). pen_main calls it; other programs
 * should call it, too. */
PEN_API void pen_environment_prepare(void);

/* ---- Arrays --------------------------------------------------------------------------------- */

/* Local. Read the NumPy array (.npy) at `path`, of one or two dimensions, whose elements are booleans, integers or
 * reals. *numbers[*rows * *columns] gets them row by row; the caller frees it. *columns is 1 for one dimension. The
 * whole file is read: for values of nodes use --input (pen_app.inputs), with which each rank reads its part. Errors:
 * PEN_ERR_INPUT (not such a file, or an integer that no double has), PEN_ERR_IO, PEN_ERR_MEMORY; nothing is set then.
 */
PEN_API PEN_CHECKED pen_status pen_npy_read(const char *path, int64_t *rows, int64_t *columns, double **numbers);

/* ---- Graphs --------------------------------------------------------------------------------- */

/* A distributed graph: every rank holds the adjacency of some nodes. Immutable. */
typedef struct pen_graph pen_graph;

/* The meaning of a 1xx fmt in a Chaco/METIS file: vertex sizes (METIS) or vertex numbers (Chaco). */
typedef enum pen_dialect { PEN_DIALECT_METIS, PEN_DIALECT_CHACO } pen_dialect;

/* Options for reading a graph. All zero: METIS dialect, undirected, the first weight. For a binary file the dialect
 * does not matter, and the file knows whether the graph is directed; an undirected graph may be read as directed. */
typedef struct pen_read_options {
    pen_dialect dialect;
    bool directed;   /* a node's neighbours are those that it reads; the reverse arc may be missing */
    int load_weight; /* index, from 0, of the vertex weight that is the load */
} pen_read_options;

/* Collective. Read a graph file in parallel and validate it: format, ranges, loops, duplicates, weights, symmetry. The
 * first bytes of the file at `path` tell its format: Penumbra's own (.pen), or Chaco/METIS text, whose nodes get the
 * gids 0..n-1. penumbra_graphs(7) describes both. options may be NULL (METIS dialect, undirected, first weight). The
 * graph is distributed over the ranks of comm. The caller destroys *graph. Errors: PEN_ERR_INPUT ("file:line: reason",
 * of a binary file "file: reason"), PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes on one rank), PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                                    pen_graph **graph);

/* Collective. Write a graph file that pen_graph_read reads back equal: binary if `path` ends in ".pen", otherwise METIS
 * text. Text contains weights if the graph has them, but no coordinates. For text, gids must be 0..n-1, in contiguous
 * ranges in rank order, as after reading and generating (else PEN_ERR_UNSUPPORTED). The file gets its name when it is
 * complete. It replaces an existing regular file. Errors: PEN_ERR_UNSUPPORTED, PEN_ERR_INPUT (the name is one of a
 * compressed file, or ends in .PEN), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_graph_write(const pen_graph *graph, const char *path);

/* Collective. Generate a graph over the ranks of comm. `spec` has the name of its kind and its settings, as on the
 * command line. penumbra_graphs(7) describes each:
 *
 *     hex:WxH    mesh:WxH[xD]    torus:WxH[xD]    tree:nodes=N,arity=K    random:nodes=N,degree=D,seed=S
 *     geometric:nodes=N,degree=D,radius=R,seed=S    rmat:scale=S,factor=F,a=A,b=B,c=C,seed=N
 *
 * The graph depends only on the text, not on the ranks. With the setting `coordinates`, nodes of hex, mesh, torus,
 * tree and geometric have coordinates (pen_coordinate). The caller destroys *graph. Errors: PEN_ERR_INPUT (an unknown
 * kind or setting; a value that is malformed or out of its range), PEN_ERR_ARGUMENT (a degree out of its range),
 * PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes on one rank). */
PEN_API PEN_CHECKED pen_status pen_graph_generate(MPI_Comm comm, const char *spec, pen_graph **graph);

/* Collective. Create a graph on the ranks of comm from rows in memory, `mine` on this rank, and validate it fully. At
 * least one rank must have a row. The caller destroys *graph. Errors: PEN_ERR_ARGUMENT (the arrays are not valid CSR
 * rows), PEN_ERR_INPUT (the rows are not a valid graph; the message names the gids), PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_from_csr(MPI_Comm comm, const pen_csr *mine, pen_graph **graph);

/* Local. Return the number of nodes, or of edges, of the whole graph. Undirected edges count once; in a directed graph
 * arcs count. */
PEN_API int64_t pen_graph_nodes(const pen_graph *graph);
PEN_API int64_t pen_graph_edges(const pen_graph *graph);

/* Collective. Destroy a graph: free *graph and set it to NULL. NULL and a null handle are legal. */
PEN_API void pen_graph_destroy(pen_graph **graph);

/* ---- Runs ----------------------------------------------------------------------------------- */

/* Collective. Create a run on the ranks of comm: partition the graph, place and initialise the nodes, pull the first
 * shadows. The tables of `app` are copied; names, functions and params to which they point must live as long as the
 * run, unchanged. The graph must be distributed over the same ranks; it is not needed any more afterwards. options may
 * be NULL. The caller destroys *run. Errors: PEN_ERR_INPUT (a name, a setting, contents of input files),
 * PEN_ERR_ENVIRONMENT (MPI cannot run the requested transport; the default falls back to two-sided with a warning),
 * PEN_ERR_IO (the observables' file, the record, an input file), PEN_ERR_ARGUMENT (a number out of its range; an
 * application or options that differ between ranks, except functions and params, which are not compared), PEN_ERR_CHECK
 * (the strict mode), PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED. */
static inline PEN_CHECKED pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                                                    const pen_run_options *options, pen_run **run);

/* Collective. Run more steps: `steps` >= 0, equal on all ranks (the first 8 calls and then every 64th compare it). The
 * run does fewer if .end.done, .end.quiet or `until` ends it (pen_run_done), and none afterwards; with PEN_UNLIMITED it
 * continues until then. An MPI failure inside a step ends the program.
 *
 * Errors: After a whole step, whose outputs are written: those of .output.write and pen_run_output; PEN_ERR_INPUT after
 * the step in which added nodes made it impossible to draw the state that .output.path names; PEN_ERR_CHECK (.check; in
 * the strict mode pen_globals.update); PEN_ERR_ARGUMENT (a .cost that is negative or not finite: in this step all loads
 * of its rank are 0); PEN_ERR_STOPPED (the run was asked to end, pen_checkpoint_options); PEN_ERR_IO (it could not be
 * saved then; the observables' file, which keeps its whole lines and gets no more). Errors within a step, which is not
 * counted: PEN_ERR_MEMORY (far reads, mail, changes), PEN_ERR_ARGUMENT (an impossible request of .modify; mail that
 * cannot be delivered), PEN_ERR_CHECK (the strict mode), and for changes of the graph those of pen_run_change. The run
 * stays before the failing phase, or in the strict mode after the last one, and the next call continues there. */
PEN_API PEN_CHECKED pen_status pen_run_steps(pen_run *run, int64_t steps);

/* Local, equal on all ranks. Return whether .end.done, .end.quiet or `until` has ended the run. pen_run_put and
 * pen_run_change do not reopen it; after pen_run_set_globals they decide again. */
PEN_API bool pen_run_done(const pen_run *run);

/* Local, equal on all ranks. Return the number of steps that are done. */
PEN_API int64_t pen_run_step(const pen_run *run);

/* This rank's nodes. The pointers are valid until the next pen_run_steps, pen_run_change, pen_run_balance or
 * pen_run_destroy. */
typedef struct pen_local {
    pen_lid count;
    const pen_gid *gids;       /* [count] gids, in slot order */
    const void *const *fields; /* [fields] current records, each [count] */
} pen_local;

/* Local, between steps. Return this rank's nodes and their current records. */
PEN_API pen_local pen_run_local(const pen_run *run);

/* Collective. Get the current records of any nodes. Each rank passes its own `count` >= 0 gids, with or without
 * repetitions; `field` is the same on all ranks. records[i], `size of the field` bytes, gets the record of gids[i];
 * found[i] gets whether that node exists. If it does not, records[i] does not change. `found` may be NULL on any rank.
 * On failure, the same on all ranks, nothing is written. Errors: PEN_ERR_ARGUMENT, PEN_ERR_MEMORY, PEN_ERR_MPI;
 * PEN_ERR_CHECK (the strict mode: a record was not written). */
PEN_API PEN_CHECKED pen_status pen_run_fetch(pen_run *run, int field, int64_t count, const pen_gid *gids, void *records,
                                             bool *found);

/* Collective, not inside a node function. Set the current records of any nodes. Each rank passes its own `count` >= 0
 * nodes, which any ranks may own; each node occurs once over all ranks. `field` is the same on all ranks. records[i],
 * `size of the field` bytes, becomes the record of gids[i]. Neighbours see it from the next phase on; pointers of
 * pen_run_local see it at once. It costs as much as a pull of that field; no rank needs memory for the whole run.
 * Before the first step it changes the initial state, but not what pen_run_steps(run, 0) has written of it. Costs and
 * observables of the last step do not change. On failure, the same on all ranks, nothing has changed. Errors:
 * PEN_ERR_ARGUMENT (no such field; a gid that no node has, or that occurs twice), PEN_ERR_MEMORY, PEN_ERR_MPI; before
 * the first step, in the strict mode, PEN_ERR_CHECK from pen_globals.update: the records are put then, and the globals
 * are 0. */
PEN_API PEN_CHECKED pen_status pen_run_put(pen_run *run, int field, int64_t count, const pen_gid *gids,
                                           const void *records);

/* Collective. Call the balancer now, independently of pen_balance_options.when. Its plan is carried out if it helps, as
 * usual; metrics report it. It uses the loads of the last step, or when balancing is automatic perhaps averages
 * (pen_load_view); if there was no step yet, or nodes have moved since, loads are not known, and nothing happens.
 * Errors: PEN_ERR_ARGUMENT (the run has no balancer; a declared cost is not a valid load), PEN_ERR_UNSUPPORTED (within
 * a step, after a phase that failed), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_balance(pen_run *run);

/* Collective, between steps. Change the graph: `ask` is called once on every rank, with `context`, and all its requests
 * are carried out like those of a modify phase (pen_modify_fn). A node that several ranks add is placed on the lowest
 * of them. Afterwards the run cannot be verified. Before the first step it changes the initial state, as pen_run_put
 * does, also in the strict mode. Else, except after PEN_ERR_MPI, nothing has changed on failure. Errors:
 * PEN_ERR_ARGUMENT (an impossible request; a removed node has undelivered mail, penumbra_mail.h), PEN_ERR_MEMORY,
 * PEN_ERR_MPI, PEN_ERR_ENVIRONMENT (no room for a larger window), PEN_ERR_UNSUPPORTED (a rank would get more than 2^31
 * - 1 nodes and shadows or 2^32 - 1 arcs; within a step, after a phase that failed). */
PEN_API PEN_CHECKED pen_status pen_run_change(pen_run *run, void (*ask)(pen_changes *changes, void *context),
                                              void *context);

/* Local, equal on all ranks. Return the present number of nodes, or of edges (as in pen_graph_edges), of the whole
 * graph. */
PEN_API int64_t pen_run_nodes(const pen_run *run);
PEN_API int64_t pen_run_edges(const pen_run *run);

/* Collective, between steps. Create a copy of the run's present graph. It is distributed like the run's nodes, in any
 * order of the gids. The caller destroys *graph, which may outlive the run. If nodes have several weights, it has only
 * the load; it has no vertex sizes. Errors: PEN_ERR_UNSUPPORTED (it has no nodes), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_graph(pen_run *run, pen_graph **graph);

/* Local. Return the last value of an observable, or of one of its components: that of the initial state, after the last
 * step, or before its phase; 0 before. `index` is that in pen_app.observables, or a PEN_COMPONENT. The kind must be
 * _INT or _REAL as the function's name says, and the observable must exist: otherwise the program ends with a message.
 */
PEN_API int64_t pen_run_observed_int(const pen_run *run, int index);
PEN_API double pen_run_observed_real(const pen_run *run, int index);

/* Local, equal on all ranks. Return the present record of pen_app.globals; NULL if the application has none. The
 * pointer is valid as long as the run. */
PEN_API const void *pen_run_globals(const pen_run *run);

/* Collective, between steps. Set the record of pen_app.globals: `size` bytes of it at `globals`, equal on all ranks,
 * padding included; so begin with a copy of pen_run_globals. Node functions read it from the next step on, and .update
 * continues from it. Checkpoints have it. pen_run_verify uses the same records after the same steps; for that, rank 0
 * and checkpoints keep a copy for each step after which the record was changed. After at least one step, .end.done and
 * `until` decide again whether the run has ended. Files have the values of the steps that follow. Before the first
 * step, set the record after pen_run_put, with which .update starts from 0. On failure nothing has changed. Errors:
 * PEN_ERR_ARGUMENT (the application has no globals; NULL; other bytes on another rank), PEN_ERR_UNSUPPORTED (within a
 * step, after a phase that failed), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_set_globals(pen_run *run, const void *globals);

/* The records of one field, of all nodes. This structure never grows. */
typedef struct pen_records {
    int64_t count;   /* number of nodes: all of them on rank 0, 0 elsewhere */
    pen_gid *gids;   /* [count] gids, ascending */
    int32_t *owners; /* [count] ranks that own the nodes */
    void *records;   /* [count] records */
} pen_records;

/* Collective. Gather the current records of a field on rank 0, which needs the memory for them; for an application's
 * own output. pen_records_free frees the arrays. Errors: PEN_ERR_ARGUMENT (no such field), PEN_ERR_CHECK (the strict
 * mode: a record was not written), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_gather(pen_run *run, int field, pen_records *records);
PEN_API void pen_records_free(pen_records *records);

/* Collective. Measure the memory of the run and its graph, including MPI's, in bytes: the sum over all ranks of each
 * one's largest resident memory, less that before pen_options_graph (or before pen_run_create if that was not called).
 * Shared memory counts on each rank that has touched it. *bytes is equal on all ranks; 0 if the system does not report
 * it. Errors: PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_memory(pen_run *run, int64_t *bytes);

/* Collective. Compute a checksum over all nodes that does not depend on their order, equal for every way of running:
 * over their current records if all fields are plain (pen_app), otherwise over their texts, which takes as long as
 * printing them. Errors: PEN_ERR_ARGUMENT (not all fields are plain, and there are neither members nor .print),
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_checksum(pen_run *run, uint64_t *checksum);

/* Collective. Verify a run: recompute its steps serially on rank 0, by a plain loop over plain arrays, and compare
 * every node's text, every observable's last value, the graph with its changes, and the end of the run. *differences is
 * their number; `message` (`size` >= 1 bytes) gets the first one in words, cut if necessary; both on all ranks. It
 * starts from the run's graph or, if that has changed, from copies made before; if this is not the graph at the start
 * of the run, that is a difference, too. It uses the present *params, and the globals that were set after each step
 * (pen_run_set_globals). Needs members or .print, and pen_debug_options.verify if the graph has changed.
 * Errors: PEN_ERR_ARGUMENT; PEN_ERR_UNSUPPORTED (pen_run_put or pen_run_change was used, which a serial computation
 * cannot repeat; that option is missing; within a step, after a phase that failed; 2^32 arcs), PEN_ERR_INPUT or
 * PEN_ERR_IO (input files), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_verify(pen_run *run, int64_t *differences, char *message, size_t size);

/* Collective, of a run created with pen_debug_options.trace. Write the times of all ranks' activities until now, for
 * Perfetto or chrome://tracing. The file `path` gets its name when it is complete. A rank keeps 4 million events, and
 * drops later ones with a warning. Errors: PEN_ERR_ARGUMENT (there is no trace), PEN_ERR_INPUT (the run reads a file of
 * that name), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_trace(pen_run *run, const char *path);

/* Collective. Write "gid text" per line, in ascending order of gids, or the metrics as JSON. The file `path` gets its
 * name when it is complete. Errors: PEN_ERR_ARGUMENT (a dump without members and .print), PEN_ERR_INPUT (the run reads
 * a file of that name), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_dump(pen_run *run, const char *path);
PEN_API PEN_CHECKED pen_status pen_run_metrics(pen_run *run, const char *path);

/* Collective. Print a summary of the run to rank 0's `out`: partition, balancing, times, last observables, checksum.
 * Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_summary(pen_run *run, FILE *out);

/* Collective, before MPI_Finalize. Destroy a run: free *run and set it to NULL. NULL and a null handle are legal. */
PEN_API void pen_run_destroy(pen_run **run);

/* ---- The command line, for programs that have their own main ---------------------------------- */

/* A parsed command line: the options that all Penumbra programs share, and the application's. Errors apart, this does
 * the same as pen_main, on any communicator; halves.c of the examples is a whole program:
 *
 *     pen_environment_prepare();
 *     MPI_Init(&argc, &argv);
 *     pen_options_parse(&app, argc, argv, &options);
 *     if (!pen_options_answer(options, comm)) {
 *         pen_options_graph(options, comm, &graph);
 *         pen_options_create_run(options, comm, graph, &run);
 *         pen_run_steps(run, pen_options_of_run(options)->steps);
 *         pen_options_report(options, run);
 *     } */
typedef struct pen_options pen_options;

/* Local, also before MPI_Init, the same on all ranks that will share the graph. Parse argv[1 .. argc-1]. Values of the
 * application's own options are stored as app->options says; after a failure they may have changed. The tables of `app`
 * are copied; argv, names, functions and params must live as long as *options. The caller destroys *options. Errors:
 * PEN_ERR_INPUT, PEN_ERR_ARGUMENT (two options of one name), PEN_ERR_MEMORY. */
static inline PEN_CHECKED pen_status pen_options_parse(const pen_app *app, int argc, char **argv,
                                                       pen_options **options);

/* Local. Return whether the command line asks for no run (--help, --version or --list). Rank 0 of `comm` prints the
 * answer. */
PEN_API bool pen_options_answer(const pen_options *options, MPI_Comm comm);

/* Collective. Read or generate the graph of the command line on the ranks of comm. First everything else is checked:
 * the application's tables, options that conflict, files that cannot be written. The caller destroys *graph. Errors:
 * PEN_ERR_ARGUMENT, PEN_ERR_INPUT, with --resume those of reading a checkpoint, and those of pen_graph_read,
 * pen_graph_generate and pen_graph_write (--save-graph without .graph.saved_rows). */
PEN_API PEN_CHECKED pen_status pen_options_graph(pen_options *options, MPI_Comm comm, pen_graph **graph);

/* Local. Return the run options of the command line. pen_options_create_run uses them: a program may read them, and
 * change steps and out before that call. */
PEN_API pen_run_options *pen_options_of_run(pen_options *options);

/* Collective. Create a run like pen_run_create on the ranks of comm, with the parsed application and options. With
 * --resume, the graph is the checkpoint's, the run continues from it (pen_run_load), and
 * pen_options_of_run(options)->steps becomes the number of remaining steps. A graph that is named in addition must
 * equal the run's initial graph. Errors: PEN_ERR_INPUT, PEN_ERR_UNSUPPORTED, and the others of pen_run_create and
 * pen_options_graph. */
PEN_API PEN_CHECKED pen_status pen_options_create_run(pen_options *options, MPI_Comm comm, const pen_graph *graph,
                                                      pen_run **run);

/* Collective, at the end. Print and write the outputs of the command line: summary, dump, the graph of
 * .graph.saved_rows, metrics, trace, --verify. Printed lines go to `out` of pen_options_of_run. A warning is printed if
 * all steps were done before .end.done or --until could end the run. An output that fails does not take the others with
 * it: all are tried, and the first failure is returned. That may be one of the last pen_run_steps; a program can call
 * this function after such a failure, too. Errors: PEN_ERR_IO (also if standard output is full), PEN_ERR_IO or
 * PEN_ERR_MEMORY if the last checkpoint could not be written, PEN_ERR_CHECK (--verify has found differences), those of
 * pen_run_dump, pen_graph_from_csr, pen_graph_write, pen_run_metrics, pen_run_trace and pen_run_verify, and of writing
 * the record. */
PEN_API PEN_CHECKED pen_status pen_options_report(pen_options *options, pen_run *run);

/* Local, after all runs made from them are destroyed. Destroy options: free *options and set it to NULL. NULL and a
 * null handle are legal. */
PEN_API void pen_options_destroy(pen_options **options);

/* Local. Return the exit status for a program: 0 done; 1 a check found a difference; 2 usage or input error; 3 the MPI
 * environment cannot run this; 4 the run was asked to end, and a checkpoint has its state. */
PEN_API int pen_exit_status(pen_status status);

/* ---- How PEN_ABI reaches the library --------------------------------------------------------- */

PEN_API int pen_main_abi(uint32_t abi, const pen_app *app, int argc, char **argv);
PEN_API PEN_CHECKED pen_status pen_graph_read_abi(uint32_t abi, MPI_Comm comm, const char *path,
                                                  const pen_read_options *options, pen_graph **graph);
PEN_API PEN_CHECKED pen_status pen_graph_from_csr_abi(uint32_t abi, MPI_Comm comm, const pen_csr *mine,
                                                      pen_graph **graph);
PEN_API PEN_CHECKED pen_status pen_run_create_abi(uint32_t abi, MPI_Comm comm, const pen_graph *graph,
                                                  const pen_app *app, const pen_run_options *options, pen_run **run);
PEN_API PEN_CHECKED pen_status pen_options_parse_abi(uint32_t abi, const pen_app *app, int argc, char **argv,
                                                     pen_options **options);

static inline int pen_main(const pen_app *app, int argc, char **argv) { return pen_main_abi(PEN_ABI, app, argc, argv); }

static inline pen_status pen_graph_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                        pen_graph **graph)
{
    return pen_graph_read_abi(PEN_ABI, comm, path, options, graph);
}

static inline pen_status pen_graph_from_csr(MPI_Comm comm, const pen_csr *mine, pen_graph **graph)
{
    return pen_graph_from_csr_abi(PEN_ABI, comm, mine, graph);
}

static inline pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                                        const pen_run_options *options, pen_run **run)
{
    return pen_run_create_abi(PEN_ABI, comm, graph, app, options, run);
}

static inline pen_status pen_options_parse(const pen_app *app, int argc, char **argv, pen_options **options)
{
    return pen_options_parse_abi(PEN_ABI, app, argc, argv, options);
}

/* The place of a member of a structure, for languages that do not read this header. */
typedef struct pen_layout {
    const char *structure;
    const char *member; /* "fields.count"; "": the structure itself; NULL: the end of the table */
    /* A boolean or number of so many bytes, as NumPy writes it: "b1", "i4", "u8", "f8"; for pointers "i8". */
    const char *type;
    uint32_t offset, size;
} pen_layout;

/* Local. Return the table of members that programs in Python use, and set *abi to this library's PEN_ABI. */
PEN_API const pen_layout *pen_layouts(uint32_t *abi);

#ifdef __cplusplus
}
#endif

#endif
