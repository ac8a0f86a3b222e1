/* penumbra_types.h - what node functions, balancers and partitioners see: no MPI.
 *
 * penumbra.h includes this header. A source that contains only node functions, or a plug-in, needs no other header and
 * is compiled without MPI. */
#ifndef PENUMBRA_TYPES_H
#define PENUMBRA_TYPES_H

#include <penumbra_sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ------------------------------------------------------------------------------- */

/* Version of this header. Within a major version, programs and plug-ins that were built with an older header work with
 * a newer library. Structures grow only at their end. A member that an older program does not have counts as zero,
 * which means the behaviour before that member existed. Programs can test the version with the preprocessor. */
#define PEN_VERSION_MAJOR 1
#define PEN_VERSION_MINOR 6
#define PEN_VERSION_PATCH 0

/* The version as one number to compare: 10203 is 1.2.3. */
#define PEN_VERSION (PEN_VERSION_MAJOR * 10000 + PEN_VERSION_MINOR * 100 + PEN_VERSION_PATCH)

/* Local. Return the version of the linked library, such as "1.1.0". Static storage. */
PEN_API const char *pen_version(void);

/* Local, also before MPI_Init. Return a description of the linked library's build, in lines: compiler, flags, commit
 * ("unknown" if it was built neither in a git checkout nor from an archive of one), and the versions of packages.
 * --version of every program prints it; include it in bug reports. Static storage. */
PEN_API const char *pen_build_info(void);

/* ---- Messages ------------------------------------------------------------------------------- */

/* Kinds of messages of the library other than errors, which functions return. */
typedef enum pen_message_kind {
    PEN_MESSAGE_WARNING, /* something is not as requested or expected; the program continues */
    PEN_MESSAGE_PROGRESS /* the progress of a run (pen_run_options.progress), at most ten times a second; each message
                          * replaces the previous one; "" when pen_run_steps ends */
} pen_message_kind;

/* A receiver of messages. `take` gets one line, without "penumbra: " and without newline, valid during the call. It
 * must return soon, and must call neither MPI nor the library. It is called on the thread that calls the library, and
 * on the thread of a run's watchdog, if there is one; so two threads can call it at once. */
typedef struct pen_message_handler {
    void (*take)(void *context, pen_message_kind kind, const char *text);
    void *context;
} pen_message_handler;

/* Local, at any time, also before MPI_Init. Set the receiver of this process's messages, for all its runs; each rank
 * sets its own. NULL: print messages on standard error, as at first. *handler is not copied: it must live until another
 * one is set and, if it is used with watchdogs, until their runs are destroyed. Rank 0 gets the messages that all ranks
 * know; any other message goes to the rank that knows it. The last message of a process that is about to be ended is
 * always printed on standard error (see penumbra.h, "The end of the process"). */
PEN_API void pen_set_message_handler(const pen_message_handler *handler);

/* ---- An application ------------------------------------------------------------------------- */

/* A fixed-size record that every node has, called a field. size > 0, or 0 if .setup sets it (pen_world.field_sizes). An
 * application has at most 64 fields. */
typedef struct pen_field {
    const char *name;
    size_t size;
} pen_field;

/* The bit of a field in .reads, .writes or .far_reads: PEN_FIELD(A) | PEN_FIELD(B). */
#define PEN_FIELD(index) (UINT64_C(1) << (index))

/* A fixed-size record that every arc has, called an edge field. Each node has an arc for each of its neighbours. size >
 * 0. An application has at most 64 edge fields, in addition to its fields and the graph's edge weights. Records are
 * zero until .init_edges writes them. */
typedef struct pen_edge_field {
    const char *name;
    size_t size;
} pen_edge_field;

/* A function that computes one node. It reads its own record of any field and its neighbours' records of the fields in
 * .reads. It writes its next records of the fields in .writes, and nothing else.
 *
 * The strict mode (--check, pen_debug_options.strict) computes a node at least twice. Between the calls it changes
 * everything that must not matter: next records, fields of neighbours and far nodes that are not named, scratch memory,
 * bytes that nodes have not written, and the numbers of slots and arcs. It reports, with node, field and phase:
 *
 *     - a next record, or a part of it, that is not written and is read later, by any node, .print, .observe,
 *       .cost or as one of .members (bytes that are never read, such as padding, are not reported);
 *     - a record that pen_run_gather or pen_run_fetch delivers (they return PEN_ERR_CHECK), or pen_run_local (it
 *       ends the program), if no byte of it was written, or in a plain field (pen_app.plain), not all bytes;
 *     - reading a neighbour's record of a field that is not in .reads, also of a neighbour on the same rank, or a
 *       far node's of a field that is not in .far_reads; in .print, .observe and .cost, a neighbour's record of a
 *       field that is in no phase's .reads, or that is out of date;
 *     - writing a record that is not in .writes, reading the next record, changing the current one, writing a
 *       neighbour's, reading a current record in .init, reading scratch memory before it is written;
 *     - a fault that would otherwise be a segmentation fault: PEN_EDGE_OWN of a field that is not in .edge_writes;
 *       PEN_FAR in a phase without .far; an invalid index of a field, edge field or input column; a type whose size
 *       differs from its field's; an input column that is not .kept, after .init; any other fault, with node and
 *       phase only;
 *     - results that differ between calls, because of static data, a clock or random numbers, or that depend
 *       on the numbers of slots, such as tables that are indexed by slot.
 *
 * The strict mode does not detect: results that depend on the rank or the number of ranks, or on data that a function
 * keeps per gid from earlier steps (several ranks with --verify --migrate-random show these); records of other nodes
 * that are accessed by their slots in the arrays of the view; observables, neighbours and far nodes beyond their
 * number; unwritten parts of a record that is only delivered by pen_run_gather, pen_run_fetch or pen_run_local, if its
 * field is not plain.
 *
 * Results are the same as without the strict mode. .init and .init_edges are checked like phases (pen_run_create
 * fails). Of several nodes with faults in a phase, the one with the lowest gid is reported. It takes about ten times
 * the time, twice the memory of the window and that of six more copies of the records, and some TiB of addresses
 * without memory (with fewer, a few faults are reported without the field). SIGSEGV, SIGBUS and SIGFPE are caught while
 * node functions run. Measured loads include the additional time. Block functions get single nodes. At most 32 fields
 * are possible (else PEN_ERR_UNSUPPORTED). */
typedef void pen_node_fn(const pen_view *v);

/* A function that computes several nodes in one call, for the finest grain: those of the slots [v->slot, v->slot +
 * count). The arrays of the view are indexed by slot; the neighbours of slot s are columns[rows[s] .. rows[s+1]). */
typedef void pen_block_fn(const pen_view *v, pen_lid count);

/* The far nodes that a node requests to read, in addition to its neighbours. */
typedef struct pen_wishes pen_wishes;

/* Local, inside .far. Request the node with that gid: any node, also this one, a neighbour, or one that was requested
 * before. If no node has that gid, it is not an error: PEN_FAR gives NULL. */
PEN_API void pen_want(pen_wishes *wishes, pen_gid gid);

/* A function that requests the nodes that a node will read by PEN_FAR. It is called before the phase. It sees its own
 * records, and those that the phase reads from neighbours, as they are at the start of the phase. It writes nothing. */
typedef void pen_far_fn(const pen_view *v, pen_wishes *wishes);

/* The changes of the graph that nodes request, and a node that is being added. */
typedef struct pen_changes pen_changes;
typedef struct pen_newborn pen_newborn;

/* A function that computes one node and may request changes of the graph. It computes like a pen_node_fn. Requests may
 * be of any nodes and edges, its own or not. All changes take effect together, when all nodes have been computed; the
 * next phase sees the new graph.
 *
 * Requests to remove refer to the graph as it was at the start of the phase, all others to the graph as it will be. So
 * the result depends only on the set of requests, not on their order, nor on the nodes or ranks that make them:
 *
 *     nodes = (nodes before, less those removed), and those added
 *     edges = (edges before, less those removed and those of removed nodes), and those added whose ends both exist then
 *
 * Equal requests count as one. A node that is removed and added is a new one, whose only edges are those added in this
 * phase; an edge that is removed and added is a new one, too. An edge added to a node that is removed (and not added),
 * and a weight for such a node, are silently dropped, so that callers need not coordinate. Nodes that stay have the
 * records that they wrote, and arcs that stay keep theirs; the records of new arcs are zero.
 *
 * These requests are errors, PEN_ERR_ARGUMENT from pen_run_steps, and nothing changes: to remove a node or an edge that
 * did not exist; to add a node that existed and is not removed; to add an edge from a node to itself; to add an edge of
 * a node, or to give a weight to one, that exists neither before nor after; to give two weights to one node or edge, or
 * different first records or coordinates to one node. The message names the gids, phase, step and requesting node; of
 * several errors it reports that of the node with the lowest gid. */
typedef void pen_modify_fn(const pen_view *v, pen_changes *changes);

/* All Local, inside .modify and pen_run_change. Request a change of the graph, of any gids >= 0; these need not be
 * dense. In a directed graph an edge is an arc: `from` reads `to`. In a graph without weights all weights are 1, until
 * a request gives another one.
 *
 * pen_add_node: weight >= 0. The new node is on the rank of the node that requests it; of several, of the one with the
 * lowest gid. The result is never NULL; it is valid until the calling function returns.
 *
 * pen_add_edge: weight > 0. If the edge exists, it gets this weight.
 *
 * pen_set_node_weight: weight >= 0. */
PEN_API pen_newborn *pen_add_node(pen_changes *changes, pen_gid gid, int64_t weight);
PEN_API void pen_remove_node(pen_changes *changes, pen_gid gid);
PEN_API void pen_add_edge(pen_changes *changes, pen_gid from, pen_gid to, int64_t weight);
PEN_API void pen_remove_edge(pen_changes *changes, pen_gid from, pen_gid to);
PEN_API void pen_set_node_weight(pen_changes *changes, pen_gid gid, int64_t weight);

/* Local, inside .modify and pen_run_change. Set the coordinates [dimensions] of a node that is being added. They must
 * be finite, and as many as the graph's nodes have; otherwise the change fails with PEN_ERR_ARGUMENT, like other wrong
 * requests. If several nodes add the node, all of them give it the same coordinates, or none does. In a graph without
 * coordinates they have no effect. A grid that was generated without coordinates still has positions (see
 * pen_load_view); when the grid first changes, these become the coordinates of its nodes: two, or three if it has
 * several layers.
 *
 * Either all nodes have coordinates, or no node has. If a node is added without coordinates, the graph loses them; one
 * line reports it. Afterwards balancers and drawings that need coordinates refuse. */
PEN_API void pen_set_coordinates(pen_newborn *newborn, int dimensions, const double *coordinates);

/* The first record of a node that is being added. All bytes are 0 until they are written. If several nodes add it,
 * their records must be equal byte by byte, including padding: assign members, not structures. FIELD is the index into
 * pen_app.fields; `type` is the record's type. */
#define PEN_FIRST(newborn, FIELD, type) ((type *)pen_first_record((newborn), (FIELD)))
PEN_API void *pen_first_record(pen_newborn *newborn, int field);

/* A function that contributes a node's values to observables (pen_observe_int, pen_observe_real). It sees the node's
 * own current records. */
typedef void pen_observe_fn(const pen_view *v, pen_observation *observation);

/* The bit of an observable in .observes of a phase: PEN_OBSERVABLE(A) | PEN_OBSERVABLE(B). */
#define PEN_OBSERVABLE(index) (UINT64_C(1) << (index))

/* One sweep over all owned nodes, called a phase. Exactly one of .node, .block and .modify is given. A field that is
 * not written keeps its value at no cost. Without .modify, at least one of .writes and .edge_writes is not empty.
 *
 * With .modify, all ranks first agree whether anything changes; if nothing does, there is no further cost. A phase that
 * changes the graph should be the last one: balancing follows it, before the new graph is computed. If edges have
 * changed, the i-th neighbour can be another node. .cost is also called for nodes added in that step; a measured load
 * of a new node is that of the node that requested it.
 *
 * The next records of the fields in .keeps begin as copies of the current ones, so that nodes write only the members
 * that change. They access all of the record by PEN_NEXT; PEN_SELF of such a field is undefined in the node function.
 * If no phase reads the field from neighbours or far nodes, this costs nothing: records are changed in place.
 *
 * .far is called for every node before the phase. With it, nodes read records of any nodes, wherever these are. Each is
 * looked up once until nodes move again, and its records are fetched before the first node is computed. All ranks agree
 * in every such phase, and synchronise if anything is to be fetched. .far cannot be used with .block.
 *
 * .observe is called for every node before the phase, and before .far. It gives the observables in .observes new
 * values, from the records after the preceding phases; so sums over all nodes can be used within a step
 * (pen_observed_real). Each such observable belongs to one phase; pen_app.observe evaluates those that belong to no
 * phase. Its index is below 64. All ranks synchronise. */
typedef struct pen_phase {
    const char *name;
    pen_node_fn *node;
    uint64_t reads;  /* fields read from neighbours: PEN_FIELD(A) | PEN_FIELD(B) */
    uint64_t writes; /* fields written */
    pen_block_fn *block;
    pen_far_fn *far;         /* NULL: neighbours are enough */
    uint64_t far_reads;      /* fields read from the nodes that .far requests; 0 if and only if far is NULL */
    pen_observe_fn *observe; /* NULL: the phase has no observables of its own */
    uint64_t observes;       /* PEN_OBSERVABLE(A) | PEN_OBSERVABLE(B); 0 if and only if observe is NULL */
    uint64_t edge_writes;    /* edge fields written by PEN_EDGE_OWN: PEN_FIELD(EA) | PEN_FIELD(EB) */
    pen_modify_fn *modify;
    uint64_t keeps; /* fields of .writes whose next records begin as copies of the current ones */
} pen_phase;

/* The kind of an observable: a quantity over all nodes. It is evaluated on the initial state and after every step, or
 * before a phase. It is bit-identical for every way of running: sums of doubles are exact, and rounded once. If one of
 * the reals is NaN, the result is NaN. */
typedef enum pen_observable_kind {
    PEN_SUM_INT, /* a count is a sum of ones */
    PEN_MIN_INT,
    PEN_MAX_INT,
    PEN_SUM_REAL,
    PEN_MIN_REAL,
    PEN_MAX_REAL
} pen_observable_kind;

/* An observable of an application, with its name in the output. An observable with several components, such as the bins
 * of a histogram or a tensor, has that number of values of its kind; they are called name_0, name_1, ... */
typedef struct pen_observable {
    const char *name;
    pen_observable_kind kind;
    int components; /* 1 to 1024; 0 counts as 1 */
} pen_observable;

/* Local, inside .observe. Contribute a value to a component, from 0, of an observable; pen_observe_int and
 * pen_observe_real do the same for component 0. A component that does not exist ends the program with a message. */
PEN_API void pen_observe_int_of(pen_observation *observation, int index, int component, int64_t value);
PEN_API void pen_observe_real_of(pen_observation *observation, int index, int component, double value);

/* The type of an option's value. */
typedef enum pen_option_kind {
    PEN_OPTION_FLAG, /* bool:        "--name" */
    PEN_OPTION_INT,  /* int64_t */
    PEN_OPTION_REAL, /* double, finite */
    PEN_OPTION_TEXT, /* const char *: points into argv; if .argument begins with '[', the value may be left out: "" */
    PEN_OPTION_WORD  /* int64_t: the index, from 0, of one of the words in .argument, "kway|recursive" */
} pen_option_kind;

/* An option of the command line, "--name=VALUE". If the option is not given, the value does not change: initialise it
 * with the default. A table ends with an entry whose name is NULL.
 *
 * In pen_app.options, an entry whose value is NULL changes the library's option of that name: the help shows this
 * argument and this help. If its help is NULL, too, the option does not exist. */
typedef struct pen_option {
    const char *name;     /* without the dashes */
    const char *argument; /* shown after "=" in the help, e.g. "N"; NULL for a flag */
    const char *help;     /* one line */
    pen_option_kind kind;
    void *value;
    int64_t low, high; /* legal range of an _INT, if low < high */
} pen_option;

/* The kind of a grid. Its gids number its places: gid = (layer * height + row) * width + column. */
typedef enum pen_grid {
    PEN_GRID_NONE,   /* not a grid; or if width > 0, a grid from a file before 1.0, of unknown kind */
    PEN_GRID_SQUARE, /* neighbours share a side, in 2 or 3 dimensions: mesh:... */
    PEN_GRID_HEX,    /* hexagons in offset rows: hex:... */
    PEN_GRID_TORUS   /* like squares, with opposite sides joined: torus:... */
} pen_grid;

/* A number of steps without limit: the run continues until .done or `until` ends it. */
#define PEN_UNLIMITED INT64_MAX

/* The data of a run that .setup gets. */
typedef struct pen_world {
    int64_t nodes;         /* of the whole graph, at the start */
    int64_t steps;         /* the most steps to run; PEN_UNLIMITED: until .done or `until` ends the run; 0: not known */
    int64_t width, height; /* of a grid; else 0 */
    int ranks;
    pen_grid grid;
    int64_t depth; /* layers of a grid: 1 if it has two dimensions; not a grid: 0 */
    /* [field_count] bytes per record of each field, at first pen_field.size. .setup may change them for this run, to
     * values > 0 that are the same on all ranks; node functions then access such records by pen_self_record and similar
     * functions. */
    size_t *field_sizes;
    uint64_t seed; /* pen_run_options.seed */
} pen_world;

/* A rank's rows of a graph. The arrays are read during the call only. */
typedef struct pen_csr {
    pen_lid count;               /* nodes on this rank, >= 0 */
    const pen_gid *gids;         /* [count] distinct over all ranks, >= 0, any order */
    const int64_t *rows;         /* [count+1], rows[0] = 0, ascending */
    const pen_gid *neighbors;    /* [rows[count]] no loops, no duplicates in a row, any order */
    const int64_t *node_weights; /* [count] >= 0, or NULL: all are 1; NULL on all ranks or on no rank */
    const int64_t *edge_weights; /* [rows[count]] > 0, equal in both directions, or NULL likewise */
    bool directed;               /* otherwise every arc needs its reverse, on any rank */
    const int64_t *node_sizes;   /* [count] >= 0, or NULL likewise: METIS's vertex sizes, used only in files */
    int dimensions;              /* number of coordinates, 1 to 3, the same on all ranks; 0: there are none */
    const double *coordinates;   /* [count*dimensions] node by node, finite; NULL if dimensions is 0 */
} pen_csr;

/* The type of a value in a record: reals, integers with and without sign, of so many bits; a C bool. */
typedef enum pen_type {
    PEN_F64,
    PEN_F32,
    PEN_I64,
    PEN_I32,
    PEN_I16,
    PEN_I8,
    PEN_U64,
    PEN_U32,
    PEN_U16,
    PEN_U8,
    PEN_BOOL
} pen_type;

/* A named member of the records of a field, for result files (penumbra_output.h): `components` consecutive values of a
 * type, which begin `offset` bytes after the beginning of the record. */
typedef struct pen_member {
    const char *name; /* letters, digits, '_' and '-'; not gid, owner or load */
    int field;        /* not a transient one */
    pen_type type;
    size_t offset;
    int components; /* 0 counts as 1 */
} pen_member;

/* A member of one value that has the same name in files as in its structure: PEN_MEMBER(CELL, cell, heat, PEN_F64). */
#define PEN_MEMBER(FIELD, record, member, type)               \
    {                                                         \
#member, (FIELD), (type), offsetof(record, member), 1 \
    }

/* A computation in progress, see pen_run_create. */
typedef struct pen_run pen_run;

/* Values of the whole run: one small record, equal on all ranks, such as the physical time and its step, the previous
 * residual, or the initial mass. Node functions read it by PEN_GLOBALS, all other functions by pen_run_globals. It is
 * part of checkpoints. It does not depend on the number of ranks or on the owners of nodes. All bytes are 0 until the
 * initial state is observed, also in .init and .init_edges. */
typedef struct pen_globals {
    size_t size; /* bytes of the record, > 0 */
    /* Local, called on every rank. Computes the record, in place, from its previous value, the observables
     * (pen_run_observed_real), pen_run_step and *params. These are equal on all ranks, so the record is; it must not
     * depend on anything else. It is called right after observables got new values: on the initial state (phase is
     * PEN_BETWEEN_STEPS and pen_run_step is 0; again, from 0, if pen_run_put changes that state); after every step
     * (phase is PEN_BETWEEN_STEPS); and in a step, before the nodes of each phase that observes (phase is its index).
     * .done and .check see the record after the step. The strict mode calls it twice, and refuses members that differ
     * between calls or ranks. */
    void (*update)(const pen_run *run, int phase, const void *params, void *globals);
    /* [member_count] named members of the record, with field 0: PEN_MEMBER(0, record, member, type), not of PEN_U64.
     * Their values occur next to the observables in the observables' file, in metrics and in printed lines; `until` can
     * name them, and pen_run_verify compares them. Their names differ from those of observables. May be NULL. */
    const pen_member *members;
    int member_count;
    /* The name of a member of one value that is the physical time: .pvd and .vtu files have it as the time of a state,
     * .csv files as a column (penumbra_output.h). NULL: files have the step. */
    const char *time;
} pen_globals;

/* `phase` of pen_globals.update if no phase is in progress. */
enum { PEN_BETWEEN_STEPS = -1 };

/* The shape of a node in .vtu and .pvtu files (penumbra_output.h), around its coordinates. */
typedef enum pen_shape {
    PEN_SHAPE_NONE,   /* a cell of a grid, or a point with lines to its neighbours */
    PEN_SHAPE_POINT,  /* a point without lines */
    PEN_SHAPE_BOX,    /* a line, a rectangle or a box for one, two or three coordinates */
    PEN_SHAPE_HEXAGON /* in two dimensions, like those of a grid: a corner is at the bottom */
} pen_shape;

/* A column of input values from files (pen_run_options.input, --input=FILE): a double for each node, or for each arc.
 * Node functions read them by pen_input and pen_edge_input, from .init on. There are two kinds of files; both may be
 * compressed by gzip, xz or zstd (ending .gz, .xz or .zst). A path must not contain ';', and may contain ':' only if
 * another ':' precedes the path.
 *
 * CSV (RFC 4180): the first line names the columns. Numbers are read as by strtod; an empty field is NaN; empty lines
 * are ignored. Columns that the application does not name are ignored. If the file has other names, pairs before the
 * ':' assign them: in "gid=plz,x=height" each pair gives the file's column for a name (of the application, gid, source
 * or target); other columns keep their names. A list of names without '=' replaces all names of the first line.
 *
 * NumPy's .npy (1.0 to 3.0), recognised by its first bytes: booleans, integers or reals of either byte order, of one or
 * two dimensions in C or Fortran order. The names of its columns precede the ':', "gid,x,-,y"; "-" or an empty name
 * skips a column. A single column without a name has that of the file, without ".npy".
 *
 * A row is of a node or of an arc. For nodes, an optional column "gid" gives each row's node, in any order. Without it
 * row i is of node i, from 0; the graph's gids must be 0..n-1 then, and a CSV file gets a warning, since the column may
 * have been forgotten. For arcs, the columns "source" and "target" (or src, from; dst, to) give the node and its
 * neighbour. A row of an undirected edge is for both directions, unless the other direction has its own row. An array
 * without such columns has a row per arc: nodes ascending, and neighbours of a node ascending, like the data of a CSR
 * matrix with sorted indices. Every node, or arc, needs its row. Each column is in one file.
 *
 * Columns x, y and optionally z become the nodes' coordinates and replace those of the graph, unless the application
 * has a column x or y. They must be finite and in one file with rows of nodes; the partitioner can use them. Any
 * application may have them. A grid is still drawn as cells at its own places in .vtu files.
 *
 * All ranks must be able to read the files. Each rank reads a part of a file; rank 0 reads a compressed file piece by
 * piece. Every rank keeps only the values of its own nodes. Mistakes end in PEN_ERR_INPUT: "file:line: reason", or for
 * an array "file: row R: reason", R from 0. Of several mistakes the first one in the file is reported, on any number of
 * ranks: a missing column, not a number, a NaN that is not allowed, a node or arc that does not exist or occurs twice,
 * a wrong number of rows or fields.
 *
 * A resumed run has its values in the checkpoint, and reads no rows of files. But pen_run_verify, which calls .init
 * again, needs the original files, unchanged. */
typedef struct pen_input_column {
    const char *name; /* in the files; case does not matter; not gid, source or target */
    bool of_edges;    /* a value for each arc, that is, each node for each of its neighbours; otherwise for each node */
    bool optional;    /* if no file has it, all nodes (arcs) have .otherwise; else a file must have it */
    bool nan;         /* values may be NaN, such as an empty field of a CSV file; otherwise NaN is an error */
    bool kept;        /* it is kept and moves with its node, and all functions may read it; it counts among the 64
                       * fields, or edge fields. Otherwise only .init and .init_edges may read it, and its memory is
                       * freed then */
    double otherwise; /* the value if no file has it, and (.kept) of nodes and arcs that are added to the graph later */
} pen_input_column;

/* An application with its records, node functions and results. It is usually constant. Members may be zero, except
 * name, fields, phases and init. */
typedef struct pen_app {
    const char *name;
    const pen_field *fields; /* [field_count] */
    int field_count;
    const pen_phase *phases; /* [phase_count] */
    int phase_count;
    pen_node_fn *init;                           /* writes the first record of every field (PEN_NEXT) */
    void (*print)(const pen_view *v, FILE *out); /* the node's text, without newline: dump, checksum, comparison */
    const pen_observable *observables;           /* [observable_count] */
    int observable_count;
    /* Evaluates the observables that belong to no phase: after a step, with pen_step being that step, and once on the
     * initial state, with pen_step being -1. NULL if there are no such observables. */
    pen_observe_fn *observe;
    const char *default_graph; /* the graph if the command line names none, e.g. "grid=32x32"; NULL: it must name one */
    const pen_option *options; /* the application's own, or NULL; they hide the library's of the same names. A file that
                                * one of their texts names counts as an input file: no output replaces it */
    void *params;              /* for node functions (pen_params); may be NULL */
    /* Local, called on every rank before .init; may check and complete *params. Returns NULL, or a sentence about a
     * mistake: the run then ends as after a bad option. May be NULL. */
    const char *(*setup)(void *params, const pen_world *world);
    /* Declared load: the cost of this node in the last step. Current records and pen_step are those of that step. In
     * units of its own, finite, >= 0. May be NULL. */
    double (*cost)(const pen_view *v);
    /* Local, called on every rank after every step, when the observables are known. Returns NULL, or a sentence about a
     * mistake: pen_run_steps then returns PEN_ERR_CHECK. The observables and globals are equal on all ranks, so the
     * answer is; it must not depend on anything else. May be NULL. */
    const char *(*check)(const pen_run *run, const void *params);
    /* Collective, called on every rank before the first step (step 0) and after every step, for the application's own
     * output (pen_run_gather, pen_run_write). `out` is the stream for rank 0; NULL on the other ranks and with --quiet.
     * A failure, the same on all ranks, ends the run. May be NULL. */
    pen_status (*output)(pen_run *run, int64_t step, void *params, FILE *out);
    /* Local, called on every rank after every step, never on the initial state. Returns true to end the run after this
     * step. The answer must depend only on the observables (pen_run_observed_real), the globals and pen_run_step, which
     * are equal on all ranks; otherwise ranks would wait for each other without end. May be NULL. */
    bool (*done)(const pen_run *run, const void *params);
    const pen_edge_field *edge_fields; /* [edge_field_count], or NULL */
    int edge_field_count;
    /* Writes the first records of a node's arcs (PEN_EDGE_OWN), called once for every node after .init. It can read the
     * node's own first records, its neighbours' first records of the fields that some phase reads from neighbours, and
     * values from files (pen_edge_input). May be NULL. */
    pen_node_fn *init_edges;
    /* Fields whose records consist of values only, PEN_FIELD(A) | PEN_FIELD(B): no padding and no unused array tail. If
     * all fields are plain, the checksum is computed from records, some hundred times faster than from texts. */
    uint64_t plain;
    /* The application's own graph, instead of one that the command line names. Local, called on every rank after
     * options are read and before .setup. Sets this rank's rows of it, as for pen_graph_from_csr, in arrays that the
     * application keeps and that are read at once. *mine is zero at first; *world has only ranks, steps and seed.
     * Returns NULL, or a sentence about a mistake: the program ends as after a bad option. pen_options_graph, and so
     * pen_main, calls it. May be NULL. */
    const char *(*rows)(void *params, const pen_world *world, int rank, struct pen_csr *mine);
    /* Fields that are used only within a step, PEN_FIELD(A) | PEN_FIELD(B). After the phases of a step, and after a
     * phase with .modify, their records are undefined. So they are not copied if the graph changes, and not sent if
     * nodes move. */
    uint64_t transient;
    /* The graph that --save-graph=FILE writes, instead of the initial one. Collective, called on every rank after the
     * last step, if such a file is requested. Sets this rank's rows of it, as .rows does. For METIS text its gids must
     * be 0..n-1, in contiguous ranges in rank order. Returns NULL, or a sentence about a mistake: no file is written
     * then. pen_options_report, and so pen_main, calls it. May be NULL. */
    const char *(*saved_rows)(pen_run *run, void *params, struct pen_csr *mine);
    /* Those of .options that do not change results, "progress,colour": a checkpoint may be resumed with other values.
     * "steps" in this list means that nothing that .setup derives from pen_world.steps changes results. NULL: none. */
    const char *indifferent;
    /* The application's own data for checkpoints: data outside of records that does not follow from its options. Local,
     * on rank 0, between steps: prints it as text without '\0'. May be NULL. */
    void (*save)(const pen_run *run, const void *params, FILE *out);
    /* Reads the text that .save printed, on any number of ranks. Local, called on every rank before .setup of a resumed
     * run, instead of .rows. Returns NULL, or a sentence about a mistake: the run then ends as after a bad option.
     * Given if and only if .save is. */
    const char *(*restore)(void *params, const char *text);
    const pen_input_column *inputs; /* [input_count] values from files, or NULL */
    int input_count;
    const pen_member *members; /* [member_count] possible members of result files, or NULL */
    int member_count;
    pen_shape shape; /* of all nodes */
    /* Local, between steps. Sets the length of a box in each dimension, sides[d] > 0, or the width of a hexagon,
     * sides[0]; all are 1 at first. It sees the same records as .print. NULL: they stay 1. */
    void (*sides)(const pen_view *v, double sides[3]);
    /* The most steps of a run if the command line has neither --steps nor --until. 0: PEN_UNLIMITED if there is .done,
     * else 100. With --until and without --steps a run is unlimited. */
    int64_t default_steps;
    /* Whether a node's records are possible results of these functions. Local, called for every node before anything is
     * computed from records of a checkpoint, which can come from anyone. Return false if a number that is used as an
     * index, a count or a shift is out of range. It sees the node's own records and gid, PEN_GLOBALS and pen_params,
     * but not its neighbours' records. False ends in PEN_ERR_INPUT. May be NULL. */
    bool (*valid)(const pen_view *v);
    const pen_globals *globals; /* NULL: none */
} pen_app;

/* The number of elements of an array. */
#define PEN_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* The tables of an application in its initialiser: { .name = "mine", PEN_FIELDS(fields), PEN_PHASES(phases) }. */
#define PEN_FIELDS(array) .fields = (array), .field_count = PEN_COUNT_OF(array)
#define PEN_PHASES(array) .phases = (array), .phase_count = PEN_COUNT_OF(array)
#define PEN_OBSERVABLES(array) .observables = (array), .observable_count = PEN_COUNT_OF(array)
#define PEN_EDGE_FIELDS(array) .edge_fields = (array), .edge_field_count = PEN_COUNT_OF(array)
#define PEN_INPUTS(array) .inputs = (array), .input_count = PEN_COUNT_OF(array)
#define PEN_MEMBERS(array) .members = (array), .member_count = PEN_COUNT_OF(array)

/* ---- List-style node functions (iC2mpi) ----------------------------------------------------- */

/* A pen_node_fn from sequential code that takes a linked list (the node, then its neighbours) and updates the head:
 *
 *     struct node_data { int id, data, most_recent_data; struct node_data *next; };
 *     static void average(struct node_data *head)                     // existing code
 *     {
 *         int sum = 0, n = 0;
 *         for (struct node_data *p = head->next; p != NULL; p = p->next, n++) sum += p->data;
 *         head->most_recent_data = n ? sum / n : head->data;
 *     }
 *     static void step(struct node_data *head) { average(head); head->data = head->most_recent_data; }
 *     PEN_LIST_FUNCTION(relax, CELL, struct node_data, next, step)    // relax is a pen_node_fn
 *
 * `type` is the field's record, and `link` its pointer (NULL at the end, and in stored records). The elements are
 * copies; neighbours are in ascending order of gids. The code needs no change. */
#define PEN_LIST_FUNCTION(name, FIELD, type, link, function)                          \
    static void name(const pen_view *v)                                               \
    {                                                                                 \
        int32_t degree = pen_degree(v);                                               \
        type *list = (type *)pen_scratch_get(v, ((size_t)degree + 1) * sizeof(type)); \
        list[0] = *PEN_SELF(v, FIELD, type);                                          \
        for (int32_t i = 0; i < degree; i++) {                                        \
            list[i].link = &list[i + 1];                                              \
            list[i + 1] = *PEN_NEIGHBOR(v, FIELD, type, i);                           \
        }                                                                             \
        list[degree].link = NULL;                                                     \
        function(&list[0]);                                                           \
        list[0].link = NULL;                                                          \
        *PEN_NEXT(v, FIELD, type) = list[0];                                          \
    }

#ifdef __cplusplus
}
#endif

#endif
