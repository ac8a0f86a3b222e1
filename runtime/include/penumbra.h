/* penumbra.h - the manual for application authors.
 *
 * Penumbra runs graph-structured iterative computations on MPI. You write a function that computes one node from its
 * own state and its neighbours' states. Penumbra distributes the graph and keeps node data in an MPI window; every rank
 * pulls the shadows (ghost nodes: copies of neighbours on other ranks) that it needs. A whole program:
 *
 *     typedef struct { double heat; } cell;
 *     enum { CELL };
 *     static void init(const pen_view *v)  { PEN_NEXT(v, CELL, cell)->heat = pen_id(v) == 0 ? 100.0 : 0.0; }
 *     static void relax(const pen_view *v)
 *     {
 *         double sum = 0.0;
 *         for (int32_t i = 0; i < pen_degree(v); i++)
 *             sum += PEN_NEIGHBOR(v, CELL, cell, i)->heat;
 *         PEN_NEXT(v, CELL, cell)->heat = pen_degree(v) ? sum / pen_degree(v) : PEN_SELF(v, CELL, cell)->heat;
 *     }
 *     static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, CELL, cell)->heat); }
 *     int main(int argc, char **argv)
 *     {
 *         static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
 *         static const pen_phase phases[] = {
 *             { "relax", relax, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) }
 *         };
 *         static const pen_app app = {
 *             .name = "heat", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .print = print
 *         };
 *         return pen_main(&app, argc, argv);
 *     }
 *
 * The result is bit-identical for every number of ranks, transport and partitioner, if the program is compiled like the
 * library: -std=c11 -ffp-contract=off, no fast-math (linking to the CMake target penumbra sets this).
 *
 * Conventions. Every function that can fail returns a pen_status: 0 is success; after a failure pen_error_message() has
 * the details. "Collective" functions are called by all ranks of the communicator with equal arguments, and return the
 * same status on all of them: a failure on one rank never leaves another waiting. Unequal options, paths, fields and
 * steps (pen_run_steps compares them in its first 8 calls and every 64th, in the checking build in all) are
 * PEN_ERR_ARGUMENT. "Local" functions involve no other rank. For a handle that is NULL, functions return
 * PEN_ERR_ARGUMENT, false or 0; pen_run_globals and pen_run_observed_* end the program. A Collective call within a node
 * function, .print, .observe or .cost is PEN_ERR_ARGUMENT; if it returns no status, it ends the program. .output.write
 * cannot call pen_run_steps or pen_run_destroy either.
 *
 * Threads. One thread per rank calls the library: the one that initialised MPI, or any thread if MPI has at least
 * MPI_THREAD_SERIALIZED. Calls on other threads, before MPI_Init or after MPI_Finalize return PEN_ERR_ENVIRONMENT.
 * pen_main requests MPI_THREAD_FUNNELED. A block function may compute its nodes with its own threads, such as OpenMP's.
 * They may call only the inline functions of the view, each thread on its own copy of the view with .slot set; the
 * results are bit-identical. The library starts no thread except that of the watchdog.
 *
 * Numbers are read and written as in the C locale, whatever the program's locale is. The thread has the C locale while
 * a function of the library runs, and so have the functions of the application that it calls. */
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

/* ---- Binary compatibility ------------------------------------------------------------------- */

/* A number that follows from the major version and from the sizes of this header's structures. Functions that take
 * structures compare it with that of the library, and return PEN_ERR_UNSUPPORTED if they differ: the program must be
 * compiled again. Programs do not call functions that end in _abi: the functions of the same name without it do. */
#define PEN_ABI                                                                                                       \
    ((uint32_t)(PEN_VERSION_MAJOR * 100000 + sizeof(pen_app) + sizeof(pen_field) + sizeof(pen_edge_field) +           \
                sizeof(pen_phase) + sizeof(pen_observable) + sizeof(pen_member) + sizeof(pen_globals) +               \
                sizeof(pen_input_column) + sizeof(pen_option) + sizeof(pen_world) + sizeof(pen_csr) +                 \
                sizeof(pen_view) + sizeof(pen_mail) + sizeof(pen_mailbox) + sizeof(pen_outbox) + sizeof(pen_far) +    \
                sizeof(pen_sweeping) + sizeof(pen_observation) + sizeof(pen_run_options) + sizeof(pen_read_options) + \
                sizeof(pen_local) + sizeof(pen_records)))

/* ---- The whole program ---------------------------------------------------------------------- */

/* Run the whole program: read the command line, set up MPI, run, report, finalise. MPI must not be initialised.
 * `--help` shows all options. Returns the exit status: 0 done; 1 --verify, --check or .check found a fault; 2 usage or
 * input error; 3 the MPI environment cannot run this; 4 the run was asked to end and is saved; 5 the watchdog ended
 * it. */
static inline int pen_main(const pen_app *app, int argc, char **argv);

/* ---- Set-up for programs that have their own main ------------------------------------------- */

/* Local, before MPI_Init. Set environment variables that replace broken or slow defaults of the MPI library for
 * one-sided runs, unless the user has set them (environment, mpirun's command line, ~/.openmpi/mca-params.conf). Also
 * remove files that killed programs have left in /dev/shm (see below). pen_main calls it; other programs should call
 * it, too. */
PEN_API void pen_environment_prepare(void);

/* ---- What the library does to its process ---------------------------------------------------- */

/* Nothing happens before a function is called, and nothing remains when graphs and runs are destroyed, with these
 * exceptions.
 *
 * Environment. Only pen_environment_prepare changes it, only under Open MPI 4, and only variables that are not set:
 * OMPI_MCA_osc (without InfiniBand), OMPI_MCA_mpi_yield_when_idle (more ranks than cores) and
 * OMPI_MCA_btl_vader_single_copy_mechanism (a kernel that forbids it).
 *
 * /dev/shm. On one host MPI keeps windows there. The library checks the free space first; the windows are removed with
 * the run. While a window is created, its launch claims the space by a read lock on the folder, so that launches do not
 * count the same space. No launch waits for a lock; where only claims of others are in the way, it looks again for a
 * second in all. A program that is killed leaves files: Open MPI vader_segment.* (5: sm_segment.*) and osc_sm.*, MPICH
 * sometimes mpich_shar_tmp*, a watchdog penumbra_board.*. pen_environment_prepare removes those of the same user that
 * are at least 5 seconds old and that no process has open.
 *
 * Memory. With glibc, pen_run_create calls malloc_trim(0), since partitioners leave much unused memory; a run whose
 * graph has shrunk to a quarter does so, too.
 *
 * MPI. Every graph and every run uses its own duplicate of its communicator, and one more communicator of the ranks of
 * each host. These and windows return errors (MPI_ERRORS_RETURN). The caller's communicator keeps its error handler and
 * carries no messages of the library. The library calls MPI only on the thread that calls it, and checks this.
 * MPI_THREAD_SINGLE is enough; a program with threads needs MPI_THREAD_FUNNELED, which pen_main requests.
 *
 * Threads. A run with a watchdog (pen_debug_options.watchdog) has one thread, which calls no MPI and takes no signals.
 * It watches the ranks of its host: while one of them is in pen_run_steps, one of them must begin a step in the given
 * time. A rank that computes, is stopped (SIGSTOP, a debugger) or has not called pen_run_steps yet counts like one that
 * hangs. Time does not count while all ranks of a host are stopped, and set-ups have no limit. The thread exists in
 * pen_options_graph and from pen_run_create on, when all ranks have called them: a rank that is stopped before, as in
 * MPI_Init, is waited for without limit and without a report. If no rank of a host begins a phase, an MPI call or other
 * work for 10 minutes, one line reports the activity of each, unless all are in the program's own code; the run
 * continues.
 *
 * The end of the process. Errors on which the ranks can agree are returned. Others end the process with one line on
 * standard error and MPI_Abort(MPI_COMM_WORLD, 3), or exit(3) without MPI: an MPI failure within a step, or in a call
 * in which ranks wait for each other, so that the others would wait without end; lack of scratch memory; an observable
 * of the wrong kind. MPI_COMM_WORLD is aborted, not the run's communicator, since ranks outside it would wait for its
 * ranks. A watchdog ends the processes of its host with _exit(5), after a line on standard error, if a step exceeds its
 * time, or if the launcher has been gone for 2 seconds. If a process or a host dies, the launcher ends the run.
 *
 * Standard output and error. The library prints only to streams of the caller (.output.write, explain), and warnings
 * and progress to standard error, unless pen_set_message_handler changes this. While METIS, Scotch or PT-Scotch run,
 * the descriptor of their own messages leads to /dev/null.
 *
 * Signals keep their handlers, with these exceptions: while a run with checkpoints (pen_checkpoint_options) exists,
 * SIGUSR1 and SIGTERM request a checkpoint; pen_main catches SIGUSR1 from its beginning, also without checkpoints; in
 * the strict mode SIGSEGV, SIGBUS and SIGFPE of node functions are caught, on an alternate stack (sigaltstack).
 * pen_main ignores SIGXFSZ if it has no handler: a file beyond the limit (ulimit -f) then gives a message and exit
 * status 2. Other programs call signal(SIGXFSZ, SIG_IGN) for this. Random numbers are the library's own, but METIS
 * seeds rand() of the C library on rank 0.
 *
 * Files. No output of a run replaces a file that the run reads, under any name: pen_run_create and functions that write
 * return PEN_ERR_INPUT. So they do if a name is empty or ends in a slash. A file gets its name when it is complete, and
 * is never written through a symbolic link. Until then it has no name (O_TMPFILE), so that a killed program leaves
 * none. Where that is not possible (NFS, ranks on several hosts), it is NAME.unfinished-DIGITS, with unpredictable
 * digits. The library never removes what a killed program has left; a run whose options name NAME warns of it in one
 * line. The file of observables replaces an old one when pen_run_create returns, and grows from then on. */

/* ---- Arrays --------------------------------------------------------------------------------- */

/* Local. Read a NumPy array (.npy) of one or two dimensions, whose elements are booleans, integers or reals.
 * *numbers[*rows * *columns] gets them row by row; the caller frees it. *columns is 1 for one dimension. The whole file
 * is read: for values of nodes use --input (pen_app.inputs), with which each rank reads its part. Errors: PEN_ERR_INPUT
 * (not such a file, or an integer that no double has), PEN_ERR_IO, PEN_ERR_MEMORY; nothing is set then. */
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
 * first bytes of the file tell its format. options may be NULL (METIS dialect, undirected, first weight). The caller
 * destroys *graph. A damaged, truncated or foreign file is an error; memory is allocated only as the file's size
 * justifies.
 *
 * Penumbra's binary format (runtime/graph/binary.h) stores the whole graph, including gids, several weights and
 * coordinates, with checksums. All other files are Chaco/METIS text. A node's gid is its number in the file - 1.
 * Reading is strict: files that one of the original readers would refuse, or that two of them would understand
 * differently, are errors, with few exceptions. Numbers have at most 18 digits. A Chaco file with node numbers stays on
 * rank 0 until it is partitioned. Errors: PEN_ERR_INPUT ("file:line: reason", of a binary file "file: reason"),
 * PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                                    pen_graph **graph);

/* Collective. Write a graph file that pen_graph_read reads back equal: binary if `path` ends in ".pen", otherwise METIS
 * text. Text contains weights if the graph has them, but no coordinates. For text, gids must be 0..n-1, in contiguous
 * ranges in rank order, as after reading and generating (else PEN_ERR_UNSUPPORTED). The file gets its name when it is
 * complete. It replaces an existing regular file. Errors: PEN_ERR_UNSUPPORTED, PEN_ERR_INPUT (the name is one of a
 * compressed file, or ends in .PEN), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_graph_write(const pen_graph *graph, const char *path);

/* Collective. Generate a graph. `spec` has the name of its kind and its settings, as on the command line; the caller
 * destroys *graph:
 *
 *     hex:WxH               a field of hexagons in offset rows (odd rows shifted right by half a hexagon), up to
 *                           six neighbours; gid = row * W + column; W * H <= 2^62
 *     mesh:WxH, mesh:WxHxD  a grid of 2 or 3 dimensions, up to 4 or 6 neighbours;
 *                           gid = (z * H + y) * W + x
 *     torus:WxH, :WxHxD     the same with opposite sides joined; a ring of two nodes has one edge, of one node none
 *     tree:nodes=N,arity=K  a complete tree, numbered like a heap: the children of i are K * i + 1 .. K * i + K, if
 *                           < N; arity 2
 *     random:nodes=N,degree=D,seed=S
 *                           a connected random graph of mean degree about D (>= 2 if N > 2; more than N - 1
 *                           counts as that): a random recursive tree and further random edges, without loops and
 *                           duplicates; degree 6, seed 1
 *     geometric:nodes=N,degree=D,radius=R,seed=S
 *                           N random points in the unit square; neighbours are at distance <= R. With `degree`
 *                           instead (default: 6), R is such that a point far from the border has D neighbours on
 *                           average; seed 1. Not connected in general. Near nodes have near gids. A rank holds
 *                           the nodes of some cells that are at least R wide; with a large R some have none
 *     rmat:scale=S,factor=F,a=A,b=B,c=C,seed=N
 *                           R-MAT: F * 2^S edges drawn among 2^S nodes, with probabilities A, B, C, 1 - A - B - C
 *                           of the four quadrants; undirected, loops and duplicates dropped, numbers scrambled;
 *                           as in Graph500 by default: factor 16, 0.57, 0.19, 0.19; seed 1
 *
 * The graph depends only on the text, not on the ranks. With the setting `coordinates`, nodes of hex, mesh, torus, tree
 * and geometric have coordinates (pen_coordinates), which binary files keep: 8 bytes per node and dimension. Errors:
 * PEN_ERR_INPUT (an unknown kind or setting; a value that is malformed or out of its range), PEN_ERR_ARGUMENT (a degree
 * out of its range), PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes on one rank). */
PEN_API PEN_CHECKED pen_status pen_graph_generate(MPI_Comm comm, const char *spec, pen_graph **graph);

/* Collective. Create a graph from rows in memory, and validate it fully. At least one rank must have a row. The caller
 * destroys *graph. Errors: PEN_ERR_ARGUMENT (the arrays are not valid CSR rows), PEN_ERR_INPUT (the rows are not a
 * valid graph; the message names the gids), PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_from_csr(MPI_Comm comm, const pen_csr *mine, pen_graph **graph);

/* Local. Return the number of nodes, or of edges, of the whole graph. Undirected edges count once; in a directed graph
 * arcs count. */
PEN_API int64_t pen_graph_nodes(const pen_graph *graph);
PEN_API int64_t pen_graph_edges(const pen_graph *graph);

/* Collective. Destroy a graph: free *graph and set it to NULL. NULL and a null handle are legal. */
PEN_API void pen_graph_destroy(pen_graph **graph);

/* ---- Runs ----------------------------------------------------------------------------------- */

/* Collective. Create a run: partition the graph, place and initialise the nodes, pull the first shadows. The tables of
 * `app` are copied; names, functions and params to which they point must live as long as the run, unchanged. The
 * graph must be distributed over the same ranks; it is not needed any more afterwards. options may be NULL. The caller
 * destroys *run. Errors: PEN_ERR_INPUT (a name, a setting, contents of input files), PEN_ERR_ENVIRONMENT (MPI cannot
 * run the requested transport; the default falls back to two-sided with a warning), PEN_ERR_IO (the observables' file,
 * the record, an input file), PEN_ERR_ARGUMENT (a number out of its range; an application or options that differ
 * between ranks, except functions and params, which are not compared), PEN_ERR_CHECK (the strict mode),
 * PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED. */
static inline PEN_CHECKED pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                                                    const pen_run_options *options, pen_run **run);

/* Collective. Run more steps: `steps` >= 0. The run does fewer if .end.done or `until` ends it (see pen_run_done),
 * and none afterwards; with PEN_UNLIMITED it continues until then. An MPI failure inside a step ends the program. All
 * ranks must pass the same `steps`. The first 8 calls and then every 64th compare it; a comparison in every call would
 * cost as much as a short step. In the other calls a rank with more steps waits for the others without end.
 *
 * Errors: After a whole step: those of .output.write and pen_run_output, also PEN_ERR_INPUT after the step in which
 * added nodes made it impossible to draw the state that .output.path names; then the state is in a checkpoint, if the
 * run has any, and pen_options_report writes the other outputs; PEN_ERR_CHECK from .check, or in the strict mode from
 * pen_globals.update (the globals are those before the step, and no file has its values); PEN_ERR_STOPPED (the run was
 * asked to end, pen_checkpoint_options), or PEN_ERR_IO if it could not be saved then; PEN_ERR_IO if writing the
 * observables' file fails (it keeps its whole lines and gets no more; reported some steps later, at the latest at the
 * end of the call). Within a step: PEN_ERR_MEMORY (far reads, mail, changes of the graph), PEN_ERR_ARGUMENT (a declared
 * .cost is negative or not finite; an impossible request of .modify; mail to a node that does not exist or is removed,
 * penumbra_mail.h), PEN_ERR_CHECK from the strict mode, and for changes of the graph those of pen_run_change. The
 * failed step is not counted: the run stays before the failing phase, or after the last phase if .cost failed, and the
 * next call continues there. */
PEN_API PEN_CHECKED pen_status pen_run_steps(pen_run *run, int64_t steps);

/* Local, equal on all ranks. Return whether .end.done or `until` has ended the run. */
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
 * Before the first step it changes the initial state. Costs and observables of the last step do not change. On failure,
 * the same on all ranks, nothing has changed. Errors: PEN_ERR_ARGUMENT (no such field; a gid that no node has, or that
 * occurs twice), PEN_ERR_MEMORY, PEN_ERR_MPI; before the first step, in the strict mode, PEN_ERR_CHECK from
 * pen_globals.update: the records are put then, and the globals are 0. */
PEN_API PEN_CHECKED pen_status pen_run_put(pen_run *run, int field, int64_t count, const pen_gid *gids,
                                           const void *records);

/* Collective. Call the balancer now, independently of pen_balance_options.when. Its plan is carried out if it helps, as
 * usual; metrics report it. It uses the loads of the last step, or with PEN_BALANCE_AUTO perhaps averages
 * (pen_load_view); if there was no step yet, or nodes have moved since, loads are not known, and nothing happens.
 * Errors: PEN_ERR_ARGUMENT (the run has no balancer; a declared cost is not a valid load), PEN_ERR_UNSUPPORTED (within
 * a step, after a phase that failed), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_balance(pen_run *run);

/* Collective, between steps. Change the graph: `ask` is called once on every rank, and all its requests are carried out
 * like those of a modify phase (pen_modify_fn). A node that several ranks add is placed on the lowest of them.
 * Afterwards the run cannot be verified. Except after PEN_ERR_MPI, nothing has changed on failure. Errors:
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
 * step, or before its phase; 0 before. `index` is that in pen_app.observables. The kind must be _INT or _REAL as the
 * function's name says, and `index` and `component` must exist: otherwise the program ends with a message. */
PEN_API int64_t pen_run_observed_int(const pen_run *run, int index);
PEN_API double pen_run_observed_real(const pen_run *run, int index);
PEN_API int64_t pen_run_observed_int_of(const pen_run *run, int index, int component);
PEN_API double pen_run_observed_real_of(const pen_run *run, int index, int component);

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

/* Collective. Gather the current records of a field on rank 0, which needs the memory for them; for pictures and the
 * like. pen_records_free frees the arrays. Errors: PEN_ERR_ARGUMENT (no such field), PEN_ERR_CHECK (the strict mode: a
 * record was not written), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_gather(pen_run *run, int field, pen_records *records);
PEN_API void pen_records_free(pen_records *records);

/* Collective. Write a text to a file: `size` bytes at `text`. Only rank 0's `text` and `size` count; NULL there fails
 * with PEN_ERR_MEMORY. The file gets its name when it is complete. Errors: PEN_ERR_INPUT (the run reads a file of that
 * name), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_write(pen_run *run, const char *path, const char *text, size_t size);

/* Collective. Measure the memory of the run and its graph, including MPI's, in bytes: the sum over all ranks of each
 * one's largest resident memory, less that before pen_options_graph (or before pen_run_create if that was not called).
 * Shared memory counts on each rank that has touched it. *bytes is equal on all ranks; 0 if the system does not report
 * it. Errors: PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_memory(pen_run *run, int64_t *bytes);

/* Collective. Compute a checksum over all nodes that does not depend on their order, equal for every way of running:
 * over their current records if all fields are plain (pen_app), otherwise over their texts, which takes as long as
 * printing them. Errors: PEN_ERR_ARGUMENT (not all fields are plain, and there is no .print), PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_checksum(pen_run *run, uint64_t *checksum);

/* Collective. Verify a run: recompute its steps serially on rank 0, by a plain loop over plain arrays, and compare
 * every node's text, every observable's last value, the graph with its changes, and the end of the run. *differences is
 * their number; `message` (`size` >= 1 bytes) gets the first one in words, cut if necessary; both on all ranks. It
 * starts from the run's graph or, if that has changed, from copies made before; if this is not the graph at the start
 * of the run, that is a difference, too. It uses the present *params, and the globals that were set after each step
 * (pen_run_set_globals). Needs app->print, and pen_debug_options.verify if the graph has changed.
 * Errors: PEN_ERR_ARGUMENT; PEN_ERR_UNSUPPORTED (pen_run_put or pen_run_change was used, which a serial computation
 * cannot repeat; that option is missing; within a step, after a phase that failed; 2^32 arcs), PEN_ERR_INPUT or
 * PEN_ERR_IO (input files), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_verify(pen_run *run, int64_t *differences, char *message, size_t size);

/* Collective, of a run created with pen_debug_options.trace. Write the times of all ranks' activities until now, for
 * Perfetto or chrome://tracing. The file gets its name when it is complete. A rank keeps 4 million events, and drops
 * later ones with a warning. Errors: PEN_ERR_ARGUMENT (there is no trace), PEN_ERR_INPUT (the run reads a file of that
 * name), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_trace(pen_run *run, const char *path);

/* Collective. Write "gid text" per line, in ascending order of gids, or the metrics as JSON. The file gets its name
 * when it is complete. Errors: PEN_ERR_ARGUMENT (a dump without .print), PEN_ERR_INPUT (the run reads a file of that
 * name), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_dump(pen_run *run, const char *path);
PEN_API PEN_CHECKED pen_status pen_run_metrics(pen_run *run, const char *path);

/* Collective. Print a summary of the run to rank 0's `out`: partition, balancing, times, last observables, checksum.
 * Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_summary(pen_run *run, FILE *out);

/* Collective, before MPI_Finalize. Destroy a run: free *run and set it to NULL. NULL and a null handle are legal. */
PEN_API void pen_run_destroy(pen_run **run);

/* ---- The command line, for programs that have their own main ---------------------------------- */

/* A parsed command line: the options that all Penumbra programs share, and the application's. This program does the
 * same as pen_main, on any communicator:
 *
 *     int main(int argc, char **argv)
 *     {
 *         pen_options *options = NULL;
 *         pen_graph *graph = NULL;
 *         pen_run *run = NULL;
 *         int rank;
 *         pen_environment_prepare();
 *         MPI_Init(&argc, &argv);
 *         MPI_Comm comm = MPI_COMM_WORLD;
 *         MPI_Comm_rank(comm, &rank);
 *         pen_status status = pen_options_parse(&app, argc, argv, &options);
 *         if (status == PEN_OK && !pen_options_answer(options, comm)) {
 *             status = pen_options_graph(options, comm, &graph);
 *             if (status == PEN_OK) status = pen_options_create_run(options, comm, graph, &run);
 *             pen_graph_destroy(&graph);
 *             if (status == PEN_OK) status = pen_run_steps(run, pen_options_run(options)->steps);
 *             if (status == PEN_OK) status = pen_options_report(options, run);
 *         }
 *         if (status != PEN_OK && rank == 0) fprintf(stderr, "%s: %s\n", app.name, pen_error_message());
 *         pen_run_destroy(&run);
 *         pen_options_destroy(&options);
 *         MPI_Finalize();
 *         return pen_exit_status(status);
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

/* Collective. Read or generate the graph of the command line. First everything else is checked: the application's
 * tables, options that conflict, files that cannot be written. The caller destroys *graph. Errors: PEN_ERR_ARGUMENT,
 * PEN_ERR_INPUT, with --resume those of reading a checkpoint, and those of pen_graph_read, pen_graph_generate and
 * pen_graph_write (--save-graph without .graph.saved_rows). */
PEN_API PEN_CHECKED pen_status pen_options_graph(pen_options *options, MPI_Comm comm, pen_graph **graph);

/* Local. Return the run options of the command line. pen_options_create_run uses them: a program may read them, and
 * change params, steps and out before that call. */
PEN_API pen_run_options *pen_options_run(pen_options *options);

/* Collective. Create a run like pen_run_create, with the parsed application and options. With --resume, the graph is
 * the checkpoint's, the run continues from it (pen_run_load), and pen_options_run(options)->steps becomes the number of
 * remaining steps. A graph that is named in addition must equal the run's initial graph. Errors: as pen_run_create and
 * pen_options_graph. */
PEN_API PEN_CHECKED pen_status pen_options_create_run(pen_options *options, MPI_Comm comm, const pen_graph *graph,
                                                      pen_run **run);

/* Collective, at the end. Print and write the outputs of the command line: summary, dump, the graph of
 * .graph.saved_rows, metrics, trace, --verify. Printed lines go to `out` of pen_options_run. A warning is printed if
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
    const char
        *type; /* a boolean or number of so many bytes, as NumPy writes it: "b1", "i4", "u8", "f8"; for pointers "i8" */
    uint32_t offset, size;
} pen_layout;

/* Local. Return the table of members that programs in Python use, and this library's PEN_ABI. */
PEN_API const pen_layout *pen_layouts(uint32_t *abi);

#ifdef __cplusplus
}
#endif

#endif
