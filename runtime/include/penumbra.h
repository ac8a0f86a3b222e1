/* penumbra.h - the manual for application authors.
 *
 * Penumbra runs graph-structured iterative computations on MPI. You write what one node does from
 * its own state and its neighbours' states; Penumbra distributes the graph, keeps node data in an
 * MPI window, and lets every rank pull the shadows that it needs. A whole program:
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
 *         static const pen_field fields[] = { { "cell", sizeof(cell) } };
 *         static const pen_phase phases[] = {
 *             { "relax", relax, .reads = PEN_FIELD(CELL), .writes = PEN_FIELD(CELL) }
 *         };
 *         static const pen_app app = {
 *             .name = "heat", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .print = print
 *         };
 *         return pen_main(&app, argc, argv);
 *     }
 *
 * The result is bit-identical for every number of ranks, transport and partitioner, provided that
 * the program is compiled as the library is: -std=c11 -ffp-contract=off, no fast-math (linking to
 * the CMake target penumbra sets this).
 *
 * Conventions. Every function that can fail returns a pen_status; 0 is success, and after a failure
 * pen_error_message() has the details. "Collective" functions are called by all ranks of the
 * communicator with equal arguments, and return the same status on all of them: a failure on one rank never leaves
 * another waiting. Unequal options, paths, fields and steps (of pen_run_steps in its first 8 calls and every 64th; in
 * the checking build in all) are PEN_ERR_ARGUMENT. "Local" functions involve nobody else. A handle that is NULL is
 * PEN_ERR_ARGUMENT, or answered by false or 0. So is a Collective call within a node function, .print, .observe or
 * .cost; where it returns no status it ends the program. Nor can .output call pen_run_steps or pen_run_destroy.
 *
 * Threads. One thread per rank calls the library: that which initialised MPI, or any where MPI has
 * MPI_THREAD_SERIALIZED or more; another one gets PEN_ERR_ENVIRONMENT, as do calls before MPI_Init and after
 * MPI_Finalize. pen_main asks for MPI_THREAD_FUNNELED. A block function may compute its nodes with threads of its own,
 * OpenMP's say, which call nothing of the library but the inline functions of the view (each on a copy of its own with
 * .slot set): the results are the same bits. The library itself starts none but that of the watchdog.
 *
 * Numbers are read and written as in the C locale, whatever locale the program has: the thread has that locale while a
 * function of the library runs, and so have the application's functions that it calls.
 */
#ifndef PENUMBRA_H
#define PENUMBRA_H

#include <penumbra_types.h>

/* Programs in C++ call MPI as C does; its old C++ bindings would have to be linked. */
#ifdef __cplusplus
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sizes ---------------------------------------------------------------------------------- */

/* How large the structures of this header are: it travels to the library with every call that hands one over, so
 * that programs which were built against an older header work with a newer library, and the other way round as far
 * as they do not use what the library does not have. Nobody needs to write this: functions that end in _abi
 * are called by those of the same name without it. */
typedef struct pen_abi {
    uint32_t size; /* of this structure */
    uint32_t app, field, phase, observable, option;
    uint32_t run_options, local, read_options, csr, edge_field;
    uint32_t input_column, member, globals;
} pen_abi;

/* ---- The whole program ---------------------------------------------------------------------- */

/* The whole program: reads the command line, sets MPI up, runs, reports, finalises. Returns the
 * exit status: 0 done, 1 --verify, --check or .check found something wrong, 2 usage or input error, 3 the MPI
 * environment cannot run this, 4 the run was asked to end and is saved, 5 the watchdog ended it. MPI must not be
 * initialised. `--help` shows all options. */
static inline int pen_main(const pen_app *app, int argc, char **argv);

/* ---- Set-up for programs that have their own main ------------------------------------------- */

/* Local, before MPI_Init. Puts right in the environment what is known to be broken or slow in the
 * MPI library's defaults for one-sided runs, unless the user has set it (environment, mpirun's
 * command line, ~/.openmpi/mca-params.conf). pen_main does it; other programs should. */
PEN_API void pen_environment_prepare(void);

/* ---- What the library does to its process ---------------------------------------------------- */

/* Nothing happens before a function is called, and nothing is left when graphs and runs are destroyed, but for this.
 *
 * Environment. Only pen_environment_prepare changes it, only under Open MPI 4, and only what is not set:
 * OMPI_MCA_osc (without InfiniBand), OMPI_MCA_mpi_yield_when_idle (more ranks than cores) and
 * OMPI_MCA_btl_vader_single_copy_mechanism (a kernel that forbids it).
 *
 * /dev/shm. MPI keeps windows on one host there; free space is checked first, and they go with the run. While a window
 * is made, launches on one host wait for each other (flock, some milliseconds, 10 seconds at most), so that they do
 * not count the same space. A program that is killed leaves files: Open MPI vader_segment.* (5: sm_segment.*) and
 * osc_sm.*, MPICH sometimes mpich_shar_tmp*, a watchdog penumbra_board.*. pen_environment_prepare removes those of the
 * same user that are 5 seconds old and that no process has open.
 *
 * Memory. pen_run_create calls malloc_trim(0) where there is one (glibc), since partitioners leave much unused, and so
 * does a run whose graph has shrunk to a quarter.
 *
 * MPI. Every graph and every run works on its own duplicate of the communicator that it is given, and on one more of
 * the ranks of each host; these, and windows, return errors (MPI_ERRORS_RETURN). The caller's communicator keeps its
 * error handler and sees no message of ours. The library calls MPI from the thread that calls it, which is checked:
 * MPI_THREAD_SINGLE is enough, or MPI_THREAD_FUNNELED, for which pen_main asks, where the program has threads.
 *
 * Threads. A run with a watchdog (pen_run_options.watchdog) has one, which calls no MPI and takes no signals.
 * It watches the ranks of its host: while one of them is in pen_run_steps, one of them must begin a step in the given
 * time. A rank that computes, is stopped (SIGSTOP, a debugger) or has not called pen_run_steps yet counts like one that
 * waits for ever. Time does not count while all ranks of a host are stopped, and set-ups have no limit. If no rank of a
 * host begins a phase, an MPI call or other work for 10 minutes, one line tells what each of them does or waits for,
 * unless all are in the program's own code, and the run goes on.
 *
 * The end of the process. What can be agreed on is returned. What cannot (MPI fails within a step, or in a call in
 * which ranks wait for each other, so that the others would wait for this one for ever; there is no scratch memory, an
 * observable of the wrong kind) ends in one line on standard error and MPI_Abort(MPI_COMM_WORLD, 3): not the run's
 * communicator alone, since ranks outside it would wait for its ranks for ever. Without MPI it is exit(3). A watchdog
 * ends the processes of its host with _exit(5), after a line on standard error, if a step takes longer than it may, or
 * if the launcher has been gone for 2 seconds. If a process or a host dies, the launcher ends the run.
 *
 * Standard output and error. Nothing is printed but to streams that the caller hands over (.output, explain), and
 * warnings and progress, on standard error, unless pen_set_message_handler says otherwise. While METIS, Scotch or
 * PT-Scotch work, the descriptor that they chatter on is that of /dev/null.
 *
 * Signals keep their handlers, but while a run has checkpoints to write SIGUSR1 and SIGTERM ask for one, and in the
 * strict mode SIGSEGV, SIGBUS and SIGFPE of node functions are caught. pen_main ignores SIGXFSZ if it has no handler:
 * a file beyond the limit (ulimit -f) is then a message and exit status 2. Other programs call signal(SIGXFSZ,
 * SIG_IGN) for that. Random numbers are the library's own, but METIS seeds rand() of the C library on rank 0.
 *
 * Files. No output of a run replaces a file that the run reads, by whatever name: pen_run_create, and the functions
 * that write, return PEN_ERR_INPUT. A file is written as NAME.unfinished-DIGITS, with digits that nobody can guess and
 * never through a symbolic link, and gets its name when it is whole. What a killed program leaves of it is removed by
 * the next run whose options name NAME. */

/* ---- Arrays --------------------------------------------------------------------------------- */

/* Local. Read a NumPy array (.npy) of one or two dimensions, whose elements are booleans, integers or reals:
 * *numbers[*rows * *columns], row after row, which the caller frees; *columns is 1 for one dimension. All of the file
 * is read: values of nodes come from --input (pen_app.inputs), where each rank reads its part. PEN_ERR_INPUT (not such
 * a file), PEN_ERR_IO, PEN_ERR_MEMORY; then nothing is set. */
PEN_API PEN_CHECKED pen_status pen_npy_read(const char *path, int64_t *rows, int64_t *columns, double **numbers);

/* ---- Graphs --------------------------------------------------------------------------------- */

/* A distributed graph: every rank holds the adjacency of some nodes. Immutable. */
typedef struct pen_graph pen_graph;

/* What a 1xx fmt in a Chaco/METIS file means: vertex sizes (METIS) or vertex numbers (Chaco). */
typedef enum pen_dialect { PEN_DIALECT_METIS, PEN_DIALECT_CHACO } pen_dialect;

/* How a file is read. All zero: METIS dialect, undirected, the first weight. */
typedef struct pen_read_options {
    pen_dialect dialect;
    bool directed;   /* neighbours are those that a node reads from; the reverse arc may be missing */
    int load_weight; /* which of several vertex weights is the load, from 0 */
} pen_read_options;

/* Collective. Read a graph file in parallel and validate it: format, ranges, loops, duplicates, weights,
 * symmetry. Which format it has is told by its first bytes.
 *
 * Penumbra's binary format keeps all that a graph has, gids, several weights and coordinates included, and
 * checksums; it is specified in runtime/graph/binary.h. The dialect does not matter; whether the graph is
 * directed the file knows, but an undirected one may be read as directed. A damaged, truncated or foreign
 * file is refused; nothing is allocated that the file's size does not justify.
 *
 * All else is Chaco/METIS text. The gid of a node is its number in the file - 1. options may be
 * NULL (METIS dialect, undirected, first weight). *graph is the caller's to destroy.
 * Strict: what one of the original readers would refuse, or take for another graph than another of
 * them, is refused, with few exceptions; numbers have at most 18 digits. A Chaco file with node numbers
 * stays whole on rank 0, until it is partitioned.
 * Errors: PEN_ERR_INPUT ("file:line: what is wrong", of a binary one "file: what is wrong"), PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                                    pen_graph **graph);

/* Collective. Write a file that pen_graph_read reads back equal: in the binary format where `path` ends in
 * ".pen", else METIS text. Text has weights where the graph has them, but no coordinates, and gids must be
 * 0..n-1, in contiguous ranges in rank order, as reading and generating make them (else
 * PEN_ERR_UNSUPPORTED). The file appears under its name only when complete; an existing one is
 * replaced if it is a regular file. Errors besides: PEN_ERR_INPUT (the name is one of a compressed file), PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_graph_write(const pen_graph *graph, const char *path);

/* Collective. A graph by the name of its kind and settings, in one text, as the command line has it:
 *
 *     hex:WxH               a field of hexagons in offset rows (odd rows shifted right by half a hexagon), up to
 *                           six neighbours; gid = row * W + column; W * H <= 2^62
 *     mesh:WxH, mesh:WxHxD  a grid of 2 or 3 dimensions, up to 4 or 6 neighbours;
 *                           gid = (z * H + y) * W + x
 *     torus:WxH, :WxHxD     the same with opposite sides joined; a ring of two is one edge, of one none
 *     tree:nodes=N,arity=K  a complete tree numbered as a heap: the children of i are K * i + 1 .. K * i + K as
 *                           far as they are below N; arity 2
 *     random:nodes=N,degree=D,seed=S
 *                           a connected random graph of mean degree about D (>= 2 where N > 2; more than N - 1
 *                           counts as that): a random recursive tree and further random edges, without loops and
 *                           duplicates; degree 6, seed 1
 *     geometric:nodes=N,degree=D,radius=R,seed=S
 *                           N random points in the unit square; neighbours are those at distance <= R, by
 *                           default (and with `degree` in its place) the R that gives a point far from the
 *                           border D neighbours on average; degree 6, seed 1. Not connected in general. Near
 *                           nodes have near gids; a rank holds the nodes of some cells no narrower than R, so
 *                           with a large R some ranks have none
 *     rmat:scale=S,factor=F,a=A,b=B,c=C,seed=N
 *                           R-MAT: F * 2^S edges drawn among 2^S nodes, with probabilities A, B, C and 1 - A - B
 *                           - C of the four quadrants; undirected, loops and duplicates dropped, numbers
 *                           scrambled; as in Graph500 by default: factor 16, 0.57, 0.19, 0.19; seed 1
 *
 * The graph is a function of the text only, not of the ranks. With the setting `coordinates`, hex, mesh, torus, tree
 * and geometric know where their nodes are (pen_coordinates), and keep it in a binary file: 8 bytes per node and
 * dimension.
 * Errors: PEN_ERR_INPUT (an unknown kind or setting; a value that is none or out of its range),
 * PEN_ERR_ARGUMENT (a degree out of its range), PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED (more than 2^31 - 1
 * nodes on one rank). */
PEN_API PEN_CHECKED pen_status pen_graph_generate(MPI_Comm comm, const char *spec, pen_graph **graph);

/* Collective. A graph from rows that the caller has, at least one on some rank, fully validated.
 * Errors: PEN_ERR_ARGUMENT where the arrays are no rows, PEN_ERR_INPUT where the rows are no graph (the
 * message names the gids), PEN_ERR_MEMORY, PEN_ERR_MPI. */
static inline PEN_CHECKED pen_status pen_graph_from_csr(MPI_Comm comm, const pen_csr *mine, pen_graph **graph);

/* Local. How many nodes, and edges (undirected: each once; directed: arcs), the whole graph has. */
PEN_API int64_t pen_graph_nodes(const pen_graph *graph);
PEN_API int64_t pen_graph_edges(const pen_graph *graph);

/* Collective. Frees and nulls *graph; NULL and a null handle are legal. */
PEN_API void pen_graph_destroy(pen_graph **graph);

/* ---- Runs ----------------------------------------------------------------------------------- */

/* How a run is made. All zero is the default of everything. Several runs may live at once, also on split
 * communicators. */
typedef struct pen_run_options {
    const char *partitioner;  /* "name[:key=value,...]", NULL: metis */
    const char *transport;    /* NULL: fence, or two-sided where MPI offers no window; "auto": the fastest. Of NULL on
                               * several hosts a warning tells if fences take more than twice as long as messages
                               * there */
    int64_t steps;            /* that will be run in all: what .setup is told; 0: not known; PEN_UNLIMITED: until .done
                               * or `until` ends the run */
    const char *balancer;     /* "name[:settings]", or a plug-in's path; NULL: none */
    const char *balance_when; /* NULL or "auto": when it pays; "every:N": after every N steps; "change": after changes
                               * of the graph; both if it can win what it costs, or ("every:N:always") always */
    const char *load;         /* NULL or "measured"; "declared": by .cost, then runs are reproducible */
    const char *balance_cost; /* "BASE[:PER_NODE]" in declared units: what a call costs, and per node of those that the
                               * busiest rank sends or gets; NULL: 5 % of the mean rank's load, half the mean node's */
    FILE *explain;            /* where rank 0 prints how the transport was chosen and planned; NULL: nowhere */
    const char *until;        /* "OBSERVABLE<VALUE[,...]", also <=, > and >=: the run ends behind the first step after
                               * which all of these hold (a NaN fulfils nothing), also of named globals; NULL: by .done
                               * and steps alone */
    const char *observables;  /* a file that gets observables and named globals as CSV while the run goes: names, then a
                               * line for the initial state (step 0) and for every step, written whole when the step is
                               * done; it is replaced at the start, and only rank 0 sees it; NULL: none */
    uint64_t seed;            /* of pen_random */
    bool strict;              /* find mistakes of node functions, by computing every node twice: see pen_run_steps */
    void *params;             /* what .setup, .output, .check and, by pen_params, node functions of this run get;
                               * NULL: pen_app.params. Runs of one application may have parameters of their own */
    const char *migrate_random; /* "SEED[:PART]": before every step this part (0.1) of the nodes moves to random ranks,
                                 * to try what depends on that; NULL: none */
    bool trace;                 /* keep what every rank does when, for pen_run_trace: 48 bytes an event */
    FILE *out;                  /* what .output gets on rank 0, and where observables are printed; NULL: nowhere */
    bool print_observables;     /* print them to `out`, a line a step */
    const char *progress;       /* of rank 0, PEN_MESSAGE_PROGRESS: "on"; "auto": on a terminal; NULL or "off": none */
    /* How the nodes of a rank that no other one reads follow each other in memory: "natural": ascending by gid; "rcm":
     * by reverse Cuthill-McKee; "hilbert": along that curve, where nodes have coordinates or a grid's; "auto" (NULL):
     * natural where neighbours are near each other as they are numbered, else what is better. Results do not depend on
     * it, nor do balancers' plans; block functions see gids in this order. */
    const char *order;
    bool verify; /* keep what pen_run_verify needs of the graph of the start, should the graph change */
    /* What the ranks' processors are, and what lies between them, as --list=machines tells: a generated machine, or a
     * file's path. Nodes are dealt out, and loads compared, by the time that they take there. NULL: all are equal. */
    const char *machine;
    /* To try a slow network: a file of how much longer messages between ranks of one host take, in lines "FROM TO
     * SECONDS [SECONDS_PER_BYTE]" (ranks, or * for all; # begins a comment; of several lines for a pair the last one
     * holds). Messages are pulls by a two-sided transport, which must be named; results do not change. NULL: none */
    const char *network_delay;
    /* A file that gets what balancers would see of the run, whoever owns the nodes: the graph, its first owners, every
     * step's loads, which are measured for it where nobody else wants them, and changes of the graph
     * (penumbra-workload/1), for pen-sim. Rank 0 writes it, and needs memory for the graph at the start; it gets its
     * name in pen_options_report or, where that is not called, in pen_run_destroy. Where writing fails the run goes on,
     * and there is no record. NULL: none. */
    const char *record;
    /* A folder that gets checkpoints of the run, from which pen_run_load (penumbra_checkpoint.h) goes on: after every
     * step or length of time that checkpoint_every says, on SIGUSR1, and on SIGTERM or before the time that
     * checkpoint_before says, which also end the run; and after the last step. It must be there, for this run alone,
     * which locks it, and hold no checkpoints but those that the run was resumed from; two are kept. "shm", "shm:NAME":
     * in memory, where nothing is left of a run that is over, see penumbra_checkpoint.h. NULL: none. */
    const char *checkpoint;
    const char *checkpoint_every; /* "100", a whole number: after every 100 steps; "10m", "90s", "2h", with a unit: that
                                   * long after the last one; NULL: 10 minutes */
    const char *checkpoint_before; /* "HH:MM[:SS]", "YYYY-MM-DDTHH:MM[:SS]", "@SECONDS" since 1970; NULL: never */
    /* The longest time that a step may take ("30s", "10m", "2h", a number of seconds): see "Threads" above. "report",
     * the default of --watchdog: any time, but 10 minutes without progress are reported. NULL or "off": no watchdog. */
    const char *watchdog;
    const char *input; /* "[NAMES:]FILE[;[NAMES:]FILE...]": values of nodes and edges, and coordinates, see
                        * pen_input_column; NULL: none */
    /* Files of results: penumbra_output.h. */
    const char *output;        /* a path, whose ending says which kind; NULL: none */
    const char *output_fields; /* "a,b": members by name, gid, owner, load; NULL: as fits the kind */
    int64_t output_every;      /* before the first step, and after every so many; 0: the last state alone */
    const char *accept;        /* "a,b": what may differ in a run that is resumed, see pen_run_load; NULL: nothing */
    int64_t
        observables_every; /* `observables` and print_observables: a line after every so many steps; 0 counts as 1 */
} pen_run_options;

/* Collective. Partition the graph, place the nodes, initialise them, pull the first shadows. The tables of `app` are
 * copied; what they point to (names, functions, params) must live as long as the run; the graph, which must live on the
 * same ranks, is not needed any more afterwards. options may be NULL. Errors: PEN_ERR_INPUT (a name, a
 * setting, what files of input have), PEN_ERR_ENVIRONMENT (MPI cannot carry out the transport that was asked for; the
 * default falls back to two-sided with a warning), PEN_ERR_IO (the observables' file, the record, one of input),
 * PEN_ERR_ARGUMENT, _MEMORY, _MPI, _UNSUPPORTED. */
static inline PEN_CHECKED pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                                                    const pen_run_options *options, pen_run **run);

/* Collective. Run `steps` >= 0 more steps, or fewer: a run that .done or `until` has ended does no more (pen_run_done
 * tells it), and with PEN_UNLIMITED it goes on until one of them ends it. An MPI failure inside a step ends the
 * program. That all ranks pass the same `steps` is checked in the first calls of a run and in some later ones: else
 * PEN_ERR_ARGUMENT. Errors behind a whole step: what .output and pen_run_output return; PEN_ERR_CHECK from .check;
 * PEN_ERR_STOPPED, where the run was asked to end (pen_run_options.checkpoint), or PEN_ERR_IO, if it could not be saved
 * then; PEN_ERR_IO, where the observables' file cannot be written, which keeps its whole lines and gets no more (this
 * may be told some steps late, and by the end of the call at the latest). Errors within a step: PEN_ERR_MEMORY (for far
 * reads and changes of the graph), PEN_ERR_ARGUMENT (a declared .cost is negative or not finite; what .modify asks for
 * cannot be), PEN_ERR_CHECK from the strict mode, and for changes of the graph those of pen_run_change. The failed step
 * is not counted: the next call goes on before the phase that failed (behind the last one if .cost failed).
 *
 * The strict mode (pen_run_options.strict, --check) computes every node at least twice, on copies of what it may see,
 * while all that must not matter differs. What it finds, and what it does not detect, see pen_node_fn. .init and
 * .init_edges are checked like phases (pen_run_create fails). Where several nodes are wrong in a phase, that with the
 * lowest gid is told. It takes the time of about ten runs, the memory of the window twice and of six copies of the
 * planes besides, and some TiB of addresses without memory (where there are fewer, a few faults are told without the
 * field); SIGSEGV, SIGBUS and SIGFPE are caught while node functions run; measured loads contain it; block functions
 * get nodes one by one; there may be 32 fields (else PEN_ERR_UNSUPPORTED). Results are the same as without. */
PEN_API PEN_CHECKED pen_status pen_run_steps(pen_run *run, int64_t steps);

/* Local, equal on all ranks. Whether .done or `until` has ended the run. */
PEN_API bool pen_run_done(const pen_run *run);

/* Local, equal on all ranks. How many steps are done. */
PEN_API int64_t pen_run_step(const pen_run *run);

/* This rank's nodes; pointers are valid until the next pen_run_steps, pen_run_change, pen_run_balance or
 * pen_run_destroy. */
typedef struct pen_local {
    pen_lid count;
    const pen_gid *gids;       /* [count], in slot order */
    const void *const *fields; /* [fields] current records, each [count] */
} pen_local;

/* Local. This rank's nodes and their records, as they are between two steps. */
static inline pen_local pen_run_local(const pen_run *run);

/* Collective. The current records of any nodes: each rank asks for its own `count` >= 0 gids, with repetitions
 * or none, of one field, the same on all ranks. records[i], `size of the field` bytes, gets that of gids[i], and
 * found[i] whether there is such a node; without it the record stays as it is. `found` may be NULL on any rank that
 * does not want to know. Nothing is written on failure, the same on all ranks: PEN_ERR_ARGUMENT, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_fetch(pen_run *run, int field, int64_t count, const pen_gid *gids, void *records,
                                             bool *found);

/* Collective. Give nodes their current records, of one field, the same on all ranks: each rank brings its own
 * `count` >= 0, for nodes of any rank, each node once over all ranks. records[i], `size of the field` bytes, becomes
 * that of gids[i]; neighbours see it from the next phase on, and pointers of pen_run_local see it at once. It is
 * as cheap as a pull of that field, and no memory is as long as the run's. Before the first step it changes the
 * initial state. What .cost and observables said of the last step stays as it is. Not inside a node function. Nothing
 * has changed on failure, the same on all ranks: PEN_ERR_ARGUMENT (no such field; a gid that no node has, or that
 * comes twice), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_put(pen_run *run, int field, int64_t count, const pen_gid *gids,
                                           const void *records);

/* Collective. Call the balancer now, whatever .balance_when says: its plan is carried out if it helps, as ever, and
 * the metrics tell. It sees the loads of the last step: where there was none yet, or nodes have moved since, loads are
 * not known, and nothing happens. Errors: PEN_ERR_ARGUMENT (the run has no balancer; a declared cost is no load),
 * PEN_ERR_UNSUPPORTED (a far read has failed, and the step stands in its middle), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_balance(pen_run *run);

/* Collective, between steps. `ask` is called once on every rank, and what it asks for on any of them is changed as by a
 * modify phase (pen_modify_fn); a node that several ranks add lives on the lowest of them. A run that was changed so
 * cannot be verified. Errors: PEN_ERR_ARGUMENT, PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_ENVIRONMENT (no
 * room for a larger window), PEN_ERR_UNSUPPORTED (a rank would get more than 2^31 - 1 nodes and shadows or 2^32 - 1
 * arcs; the step stands in its middle); except after PEN_ERR_MPI nothing has changed. */
PEN_API PEN_CHECKED pen_status pen_run_change(pen_run *run, void (*ask)(pen_changes *changes, void *context),
                                              void *context);

/* Local, equal on all ranks. How many nodes, and edges as pen_graph_edges counts them, the whole graph has now. */
PEN_API int64_t pen_run_nodes(const pen_run *run);
PEN_API int64_t pen_run_edges(const pen_run *run);

/* Collective, between steps. The graph of the run as it is now, distributed as its nodes are, in no order of the gids;
 * *graph is the caller's to destroy, and may outlive the run. Of several weights of a node it has the load only, and no
 * vertex sizes. Errors: PEN_ERR_UNSUPPORTED (it has no nodes), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_graph(pen_run *run, pen_graph **graph);

/* Local. The last value of an observable, or of a component of one that has several: of the initial state, after the
 * last step or before its phase; 0 before. _int or _real must fit its kind: else the program ends with a message. */
PEN_API int64_t pen_run_observed_int(const pen_run *run, int index);
PEN_API double pen_run_observed_real(const pen_run *run, int index);
PEN_API int64_t pen_run_observed_int_of(const pen_run *run, int index, int component);
PEN_API double pen_run_observed_real_of(const pen_run *run, int index, int component);

/* Local, equal on all ranks. The record of pen_app.globals as it is now, valid as long as the run; NULL where the
 * application has none. */
PEN_API const void *pen_run_globals(const pen_run *run);

/* The records of one field, of all nodes. Never grows. */
typedef struct pen_records {
    int64_t count;   /* on rank 0 all nodes, elsewhere 0 */
    pen_gid *gids;   /* [count] ascending */
    int32_t *owners; /* [count] the ranks that hold the nodes */
    void *records;   /* [count] */
} pen_records;

/* Collective. The current records of a field on rank 0, which needs the memory; for pictures and the like.
 * pen_records_free frees the arrays. Errors: PEN_ERR_ARGUMENT (no such field), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_gather(pen_run *run, int field, pen_records *records);
PEN_API void pen_records_free(pen_records *records);

/* Collective. Write a file from `size` bytes at `text`, which count on rank 0 only; NULL there fails with
 * PEN_ERR_MEMORY. The file appears under its name only when complete. Errors besides: PEN_ERR_IO, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_write(pen_run *run, const char *path, const char *text, size_t size);

/* Collective. How much memory the run and its graph have taken, what MPI has for them included: by how much all ranks
 * together have exceeded what was resident before pen_options_graph, or else pen_run_create, each when it had most.
 * What they share counts on each that has touched it. *bytes is equal on all ranks; 0 where the system does not tell.
 * Errors: PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_memory(pen_run *run, int64_t *bytes);

/* Collective. Order-free checksum over all nodes' current records where all fields are plain (pen_app), else over their
 * texts, which takes as long as printing them: equal for every way of running. Errors: PEN_ERR_ARGUMENT (the
 * application neither prints nor are its fields plain), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_checksum(pen_run *run, uint64_t *checksum);

/* Collective. Recompute serially on rank 0, by a plain loop over plain arrays, as many steps as the run has done, and
 * compare every node's text and every observable's last value. *differences is how many are not the same; the
 * first is put into words in `message`, `size` >= 1 bytes, cut where it is longer; both on all ranks. The graph is
 * gathered from where the nodes are now, or were before it first changed, and is found out if it is not the one of the
 * beginning; changes are computed anew as well, and graphs compared. Needs app->print, and pen_run_options.verify where
 * the graph has changed. Errors: PEN_ERR_ARGUMENT; PEN_ERR_UNSUPPORTED: records have been put (pen_run_put), or changes
 * (pen_run_change), which no serial computation knows; that option is lacking; a phase has failed, and the step stands
 * in its middle; 2^32 arcs; PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_verify(pen_run *run, int64_t *differences, char *message, size_t size);

/* Collective, of a run that was created with .trace. Write what every rank did when, up to now, for Perfetto or
 * chrome://tracing. The file appears under its name only when complete. A rank keeps 4 million events, and
 * drops what comes later with a warning. Errors: PEN_ERR_ARGUMENT (there is no trace), PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_trace(pen_run *run, const char *path);

/* Collective. Write "gid text" per line, ascending gid, or the metrics as JSON. The file appears
 * under its name only when complete. */
PEN_API PEN_CHECKED pen_status pen_run_dump(pen_run *run, const char *path);
PEN_API PEN_CHECKED pen_status pen_run_metrics(pen_run *run, const char *path);

/* Collective. Print to rank 0's `out` how the run went: partition, balancing, times, last observables, checksum.
 * Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_summary(pen_run *run, FILE *out);

/* Collective. Frees and nulls *run; NULL and a null handle are legal. Call it before MPI_Finalize. */
PEN_API void pen_run_destroy(pen_run **run);

/* ---- The command line, for programs that have their own main ---------------------------------- */

/* A parsed command line: the options that all Penumbra programs share, and the application's. A whole program, which
 * does what pen_main does, on a communicator of its own choice:
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
 *     }
 */
typedef struct pen_options pen_options;

/* Local, also before MPI_Init; the same on all ranks that will share the graph. Parse argv[1 .. argc-1]: what it sets
 * of the application's own options goes where app->options says; all values stay as they were after a failure. The
 * tables of `app` are copied; argv, names, functions and params must live as long as *options, which is the caller's to
 * destroy. Errors: PEN_ERR_INPUT, PEN_ERR_ARGUMENT (two options of one name), PEN_ERR_MEMORY. */
static inline PEN_CHECKED pen_status pen_options_parse(const pen_app *app, int argc, char **argv,
                                                       pen_options **options);

/* Local. Whether the command line asks for --help, --version or a list instead of a run; it is printed by rank 0 of
 * `comm`. */
PEN_API bool pen_options_answer(const pen_options *options, MPI_Comm comm);

/* Collective. Read or generate the graph that the command line names, after a look at all that can be wrong before
 * that: the application's tables, options that do not go together, files that cannot be written. *graph is the caller's
 * to destroy. Errors: PEN_ERR_ARGUMENT, PEN_ERR_INPUT, with --resume those of reading a checkpoint, and those of
 * pen_graph_read, pen_graph_generate and pen_graph_write (--save-graph without .saved_rows). */
PEN_API PEN_CHECKED pen_status pen_options_graph(pen_options *options, MPI_Comm comm, pen_graph **graph);

/* Local. What the command line says of the run, as pen_options_create_run will use it: to be read, and to be changed
 * before that (params, steps, out). */
PEN_API pen_run_options *pen_options_run(pen_options *options);

/* Collective. pen_run_create, with the application that was parsed, and with all options that the library knows,
 * be there newer ones than the program knows. Where the command line says --resume, the graph was the checkpoint's, the
 * run is as it was then (pen_run_load), and pen_options_run(options)->steps become those that are left. A graph that
 * is named all the same must be equal to that with which the run began. Errors: as pen_run_create and
 * pen_options_graph. */
PEN_API PEN_CHECKED pen_status pen_options_create_run(pen_options *options, MPI_Comm comm, const pen_graph *graph,
                                                      pen_run **run);

/* Collective, at the end. Print and write what the command line asks for: summary, dump, the graph of .saved_rows,
 * metrics, trace, --verify. What is written goes to `out` of pen_options_run. A warning says so if the run did
 * all of its steps before .done or --until would have ended it. Errors: PEN_ERR_CHECK (--verify has found
 * differences), and those of pen_run_dump, pen_graph_from_csr, pen_graph_write, pen_run_metrics, pen_run_trace and
 * pen_run_verify, and of writing the record. */
PEN_API PEN_CHECKED pen_status pen_options_report(pen_options *options, pen_run *run);

/* Local. Frees and nulls *options; NULL and a null handle are legal. Not before the runs that they made. */
PEN_API void pen_options_destroy(pen_options **options);

/* Local. What a program ends with: 0 done, 1 a check found a difference, 2 usage or input error, 3 the MPI environment
 * cannot run this, 4 the run was asked to end, and a checkpoint has its state. */
PEN_API int pen_exit_status(pen_status status);

/* ---- How sizes travel ------------------------------------------------------------------------ */

static const pen_abi pen_abi_here = { sizeof(pen_abi),         sizeof(pen_app),        sizeof(pen_field),
                                      sizeof(pen_phase),       sizeof(pen_observable), sizeof(pen_option),
                                      sizeof(pen_run_options), sizeof(pen_local),      sizeof(pen_read_options),
                                      sizeof(pen_csr),         sizeof(pen_edge_field), sizeof(pen_input_column),
                                      sizeof(pen_member),      sizeof(pen_globals) };

PEN_API int pen_main_abi(const pen_abi *abi, const pen_app *app, int argc, char **argv);
PEN_API PEN_CHECKED pen_status pen_graph_read_abi(const pen_abi *abi, MPI_Comm comm, const char *path,
                                                  const pen_read_options *options, pen_graph **graph);
PEN_API PEN_CHECKED pen_status pen_graph_from_csr_abi(const pen_abi *abi, MPI_Comm comm, const pen_csr *mine,
                                                      pen_graph **graph);
PEN_API PEN_CHECKED pen_status pen_run_create_abi(const pen_abi *abi, MPI_Comm comm, const pen_graph *graph,
                                                  const pen_app *app, const pen_run_options *options, pen_run **run);
PEN_API PEN_CHECKED pen_status pen_options_parse_abi(const pen_abi *abi, const pen_app *app, int argc, char **argv,
                                                     pen_options **options);
PEN_API void pen_run_local_abi(const pen_abi *abi, const pen_run *run, pen_local *local);

static inline int pen_main(const pen_app *app, int argc, char **argv)
{
    return pen_main_abi(&pen_abi_here, app, argc, argv);
}

static inline pen_status pen_graph_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                        pen_graph **graph)
{
    return pen_graph_read_abi(&pen_abi_here, comm, path, options, graph);
}

static inline pen_status pen_graph_from_csr(MPI_Comm comm, const pen_csr *mine, pen_graph **graph)
{
    return pen_graph_from_csr_abi(&pen_abi_here, comm, mine, graph);
}

static inline pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                                        const pen_run_options *options, pen_run **run)
{
    return pen_run_create_abi(&pen_abi_here, comm, graph, app, options, run);
}

static inline pen_status pen_options_parse(const pen_app *app, int argc, char **argv, pen_options **options)
{
    return pen_options_parse_abi(&pen_abi_here, app, argc, argv, options);
}

static inline pen_local pen_run_local(const pen_run *run)
{
    pen_local local;
    pen_run_local_abi(&pen_abi_here, run, &local);
    return local;
}

#ifdef __cplusplus
}
#endif

#endif
