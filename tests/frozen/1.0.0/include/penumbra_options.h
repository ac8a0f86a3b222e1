/* penumbra_options.h - the options of a run. No MPI.
 *
 * penumbra.h includes this header. */
#ifndef PENUMBRA_OPTIONS_H
#define PENUMBRA_OPTIONS_H

#include <penumbra_basics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order in memory of a rank's nodes that no other rank reads. Results and balancers' plans do not depend on it;
 * sweeps see gids in this order. */
typedef enum pen_order {
    PEN_ORDER_AUTO,    /* the natural order if neighbours have near numbers, otherwise the better one of the others */
    PEN_ORDER_NATURAL, /* ascending by gid */
    PEN_ORDER_RCM,     /* reverse Cuthill-McKee */
    PEN_ORDER_HILBERT  /* along a Hilbert curve; nodes need coordinates or the positions of a grid */
} pen_order;

/* Whether rank 0 shows the progress of a run (PEN_MESSAGE_PROGRESS). */
typedef enum pen_progress {
    PEN_PROGRESS_OFF,
    PEN_PROGRESS_ON,
    PEN_PROGRESS_AUTO /* progress is shown if standard error is a terminal */
} pen_progress;

/* Whether steps leave out nodes whose result cannot change. */
typedef enum pen_active {
    PEN_ACTIVE_AUTO, /* where it pays */
    PEN_ACTIVE_OFF   /* every step computes every node */
} pen_active;

/* The load of a node in a step. */
typedef enum pen_load_kind {
    PEN_LOAD_MEASURED, /* the seconds that the functions of a node take */
    PEN_LOAD_DECLARED  /* what .cost returns, in units of the application: then runs are reproducible */
} pen_load_kind;

/* A cost of 0 in pen_balance_options, where 0 stands for the default. */
#define PEN_NO_COST (-1.0)

/* Balancing during the run. */
typedef struct pen_balance_options {
    const char *balancer; /* balancer and its settings, "name[:settings]", or a plug-in's path; NULL: none */
    /* When the run calls it. "auto": when it pays; "every:N": after every N steps; "change": after steps that have
     * changed the graph. "every:N" and "change" skip calls that cost more than they can gain, unless ":always" is
     * appended. NULL: "auto". */
    const char *when;
    pen_load_kind load; /* kind of loads; default: PEN_LOAD_MEASURED */
    /* Cost of a call, in declared units, > 0, or PEN_NO_COST; 0: with a machine that has latencies, the time of a
     * call's messages on it, otherwise 5 % of the mean rank's load. */
    double call_cost;
    /* Cost per node that the busiest rank sends or gets, in declared units, > 0, or PEN_NO_COST; 0: with a machine that
     * has latencies, the time of its bytes on it, otherwise half the mean node's load. */
    double node_cost;
} pen_balance_options;

/* Checkpoints of the run: pen_run_load (penumbra_checkpoint.h) continues from them. They are written when they are due,
 * on SIGUSR1, and after the last step, if that is known (pen_run_options.steps); also on SIGTERM or before a given
 * time, which both end the run. */
typedef struct pen_checkpoint_options {
    /* Folder of the checkpoints. It must exist, for this run alone, which locks it. It must contain no checkpoints
     * except those that the run was resumed from; the two newest are kept. Its file `lock` is the run's; a file of that
     * name with other contents is refused. If the state after the last step cannot be written, a warning says so,
     * pen_options_report fails, and the lock says that the run is unfinished. "shm", "shm:NAME": in memory; nothing
     * remains there after the end of the run. NULL: no checkpoints. */
    const char *folder;
    int64_t every_steps; /* write a checkpoint after every N steps, >= 1; 0: not by steps */
    /* Write a checkpoint so many seconds after the last one, > 0; 0: not by time, but if every_steps is 0, too, after
     * 10 minutes. */
    double every_seconds;
    int64_t before;     /* write a checkpoint and end the run before that time, in seconds since 1970; 0: never */
    const char *accept; /* options that may differ in a resumed run, "a,b", see pen_run_load; NULL: none */
} pen_checkpoint_options;

/* Files and lines that the run writes. */
typedef struct pen_output_options {
    const char *path;   /* path of result files (penumbra_output.h), whose ending selects the kind; NULL: none */
    const char *fields; /* columns of result files: "a,b", members by name, gid, owner, load; NULL: the usual ones */
    /* The nodes are the cells of an unstructured mesh in VTK's files: "POINTS:CELLS", two NumPy arrays, or
     * "POINTS:CELLS:surface" for polygons in three dimensions. POINTS has a row of 2 or 3 coordinates for each point.
     * CELLS has a row for each node, gids being 0..n-1, of integers: the numbers of the corners, from 0, in VTK's
     * order; -1 fills the rows of cells with fewer corners. The number of corners gives the kind (pen_mesh). `path`, if
     * given, is then of VTK's kinds, unless the application has .output.write. NULL: the application's mesh
     * (pen_app_output.mesh), if it has one. */
    const char *mesh;
    /* Write these files before the first step, after every N-th and after the last; 0: the last state alone. If the
     * last step is not known (pen_run_options.steps), pen_run_output can write its state. */
    int64_t every;
    /* A file for observables and named globals as CSV during the run: a line of names, then a line for the initial
     * state (step 0) and for steps, written whole when the step is done. An old file is replaced when the run is
     * created, but not by a resumed run that would not write its lines again (PEN_ERR_INPUT). Only rank 0 uses it.
     * NULL: none. */
    const char *observables;
    /* Add a line of observables after every N-th step, to the file and to printed ones; 0 counts as 1. */
    int64_t observables_every;
    bool print_observables; /* print observables to `out` (pen_run_options) */
    /* A file for pen-sim (penumbra-workload/2) with all that balancers would see of the run, whichever ranks own the
     * nodes: the graph, its first owners, every step's loads (measured for it if necessary), and changes of the graph.
     * Rank 0 writes it, and needs memory for the graph at the start. It gets its name in pen_options_report or, if that
     * is not called, in pen_run_destroy. If writing fails, the run continues without a record. NULL: none. */
    const char *record;
} pen_output_options;

/* A watchdog without a limit of time: it reports when no rank of a host has made progress for 10 minutes. */
#define PEN_WATCHDOG_REPORT (-1.0)

/* Checks and explanations. */
typedef struct pen_debug_options {
    bool strict; /* find mistakes of node functions by computing every node several times: pen_node_fn */
    bool verify; /* keep the initial graph if the graph changes, for pen_run_verify */
    bool trace;  /* keep the times of all ranks' activities for pen_run_trace: 48 bytes an event */
    /* Seconds that a step may take, > 0 (penumbra_process(7)), or PEN_WATCHDOG_REPORT; 0: no watchdog. */
    double watchdog;
    /* Stream to which rank 0 prints the choice and the plan of the transport, given on all ranks; NULL: none. */
    FILE *explain;
    struct pen_test_options *tests; /* settings of the library's own tests; NULL: none */
} pen_debug_options;

/* Options of a run, in the order of use; groups of options stand last. All zero: the defaults. Several runs may exist
 * at once, also on split communicators. */
typedef struct pen_run_options {
    /* Total number of steps, for .setup and for the files of the last state. PEN_UNLIMITED: until .end.done,
     * .end.quiet or `until` ends the run. 0: not known; the last step is then the one with which these end the run, if
     * they do. */
    int64_t steps;
    /* Conditions "OBSERVABLE<VALUE[,...]", also <=, > and >=: the run ends after the first step after which all of
     * these hold (a NaN fulfils none), also of named globals; "quiet" is the condition of pen_app.end.quiet; NULL: by
     * .end.done, .end.quiet and steps alone. */
    const char *until;
    /* Input files "[NAMES:]FILE[;[NAMES:]FILE...]" with values of nodes and edges, and coordinates, see
     * pen_input_column; NULL: none. */
    const char *input;
    uint64_t seed; /* seed of pen_random */
    /* Steps may leave out a node if no byte of its own records has changed since it was computed, nor of its
     * neighbours' records of the fields in .reads, and if it asked for nothing else that changes: its result would be
     * the same. Default: PEN_ACTIVE_AUTO; then each rank decides from counts of nodes, and computes all of them where
     * many change. Node functions then must not count their calls (pen_phase.always). Applications in which a phase has
     * .modify or .edge_writes, or writes a field that is not plain, compute all nodes. Phases with .far or
     * .always do so, too, and only let others sleep. */
    pen_active active;
    FILE *out;             /* stream for .output.write on rank 0, and for printed observables; NULL: none */
    pen_progress progress; /* how progress is shown; default: PEN_PROGRESS_OFF */
    pen_order order;       /* order of the nodes in memory; default: PEN_ORDER_AUTO */
    /* Partitioner and its settings, "name[:key=value,...]"; NULL: metis, or sfc or ptscotch for a graph that is too
     * large for rank 0, as a line on standard error then says. */
    const char *partitioner;
    /* The ranks' processors and the network between them: a generated machine (see --list=machines), or a file's path.
     * Nodes are distributed, and loads compared, by the time that they take there. NULL: all are equal. */
    const char *machine;
    /* Transport; NULL: fence, or two-sided if MPI offers no window; "auto": the fastest. Mail takes the same side. With
     * NULL on several hosts, a warning is printed if fences take more than twice as long as messages there. */
    const char *transport;
    pen_balance_options balance;
    pen_checkpoint_options checkpoint;
    pen_output_options output;
    pen_debug_options debug;
} pen_run_options;

#ifdef __cplusplus
}
#endif

#endif
