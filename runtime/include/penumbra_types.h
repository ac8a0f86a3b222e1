/* penumbra_types.h - what node functions, balancers and partitioners see: no MPI.
 *
 * penumbra.h includes this header; a source that has node functions only, or a plug-in, needs no more, and is compiled
 * without MPI. */
#ifndef PENUMBRA_TYPES_H
#define PENUMBRA_TYPES_H

#include <penumbra_sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ------------------------------------------------------------------------------- */

/* The interface keeps a promise within a major version: programs and plug-ins that were built against an older header
 * work with a newer library. Structures grow at their end only; what an older program does not have reads as
 * zero, which means what was before. Programs ask with the preprocessor what the header has. */
#define PEN_VERSION_MAJOR 1
#define PEN_VERSION_MINOR 6
#define PEN_VERSION_PATCH 0

/* One number to compare: 10203 is 1.2.3. */
#define PEN_VERSION (PEN_VERSION_MAJOR * 10000 + PEN_VERSION_MINOR * 100 + PEN_VERSION_PATCH)

/* Local. The version of the library that is linked, e.g. "1.1.0". Static storage. */
PEN_API const char *pen_version(void);

/* Local, also before MPI_Init. The build of the library that is linked, in lines: compiler, flags, commit ("unknown" if
 * it was built neither in a git checkout nor from an archive of one), and packages with their versions. --version of
 * every program prints them; a report of a fault should have them. Static storage. */
PEN_API const char *pen_build_info(void);

/* ---- Messages ------------------------------------------------------------------------------- */

/* What the library has to say, but cannot return. */
typedef enum pen_message_kind {
    PEN_MESSAGE_WARNING, /* something is not as asked or expected; the program goes on */
    PEN_MESSAGE_PROGRESS /* how far a run is (pen_run_options.progress), at most ten times a second; each message
                          * replaces the one before; "" when pen_run_steps ends */
} pen_message_kind;

/* Who gets messages. `take` gets one line without "penumbra: " and without a newline, valid during the call. It must
 * return soon, and call neither MPI nor the library; it may be called on any thread and by two threads at once: on the
 * thread that calls the library, and on the thread of a run's watchdog, if there is one. */
typedef struct pen_message_handler {
    void (*take)(void *context, pen_message_kind kind, const char *text);
    void *context;
} pen_message_handler;

/* Local, at any time, also before MPI_Init. Hand the messages of this process, of all its runs, to `handler` from now
 * on, instead of printing them on standard error; NULL: print them again. *handler is not copied: it must live until
 * another one is set, and with watchdogs until their runs are destroyed. Each rank sets its own. What all ranks know
 * is told on rank 0, everything else on the rank that knows it. The last words of a process that is about to be ended
 * (see penumbra.h, "The end of the process") are printed on standard error in any case. */
PEN_API void pen_set_message_handler(const pen_message_handler *handler);

/* ---- An application ------------------------------------------------------------------------- */

/* A fixed-size record that every node has. size > 0, or 0 where .setup settles it (pen_world.field_sizes). At most 64
 * fields. */
typedef struct pen_field {
    const char *name;
    size_t size;
} pen_field;

/* A field among those of .reads, .writes or .far_reads: PEN_FIELD(A) | PEN_FIELD(B). */
#define PEN_FIELD(index) (UINT64_C(1) << (index))

/* A fixed-size record that every arc has, that is, each node for each of its neighbours. size > 0. At most 64 edge
 * fields, apart from the fields and from the graph's edge weights. Records are zero until .init_edges writes them. */
typedef struct pen_edge_field {
    const char *name;
    size_t size;
} pen_edge_field;

/* Computes one node: reads its own record of any field and its neighbours' records of the fields in
 * .reads, writes its next records of the fields in .writes, and nothing else.
 *
 * The strict mode (--check, pen_run_options.strict) computes a node twice, while next records, neighbours' and far
 * nodes' fields that are not named, scratch memory, bytes that nodes have not written and the numbers of slots and arcs
 * differ. It names node, field and phase of:
 *
 *     - a next record, or a part of it, that is not written and is read later, by any node, .print, .observe,
 *       .cost or as one of .members (bytes that are never read, such as padding, are not reported);
 *     - a record that is delivered by pen_run_gather or pen_run_fetch, which return PEN_ERR_CHECK, or by
 *       pen_run_local, which ends the program, and of which nothing was written; of a plain field
 *       (pen_app.plain), not all;
 *     - reading a neighbour's record of a field that is not in .reads, on one rank too, or a far node's of one
 *       that is not in .far_reads; in .print, .observe and .cost, a neighbour's of a field that is in no
 *       phase's .reads, or that is out of date then;
 *     - writing what is not in .writes, reading the next record, changing the current one, writing a
 *       neighbour's, reading a current record in .init, reading scratch memory before it is written;
 *     - what would be a segmentation fault: PEN_EDGE_OWN of a field that is not in .edge_writes; PEN_FAR in a
 *       phase without .far; an index of a field, edge field or input column that there is not; a type that has
 *       another size than its field; an input column that is not .kept, after .init; with node and phase alone,
 *       any other fault;
 *     - results that differ from call to call, because of state that is kept, a clock or random numbers, or
 *       that depend on the numbers of slots, as do tables that are filled by slot.
 *
 * It does not detect: results that depend on the rank or the number of ranks, or on what a function keeps by gid from
 * earlier steps (several ranks with --verify --migrate-random do); records of other nodes that are found by their slots
 * in the arrays of the view; observables, neighbours and far nodes beyond their number; and parts of a record that were
 * not written, where only pen_run_gather, pen_run_fetch or pen_run_local deliver it and its field is not plain. */
typedef void pen_node_fn(const pen_view *v);

/* Computes the nodes of slots [v->slot, v->slot + count) in one call, for the finest grain. The
 * arrays of the view are indexed by slot; neighbours of slot s are columns[rows[s] .. rows[s+1]). */
typedef void pen_block_fn(const pen_view *v, pen_lid count);

/* What a node wants to read beyond its neighbours. */
typedef struct pen_wishes pen_wishes;

/* Local, inside .far. Want the node with that gid: any node, also this one, a neighbour, or one that was wanted
 * before; a gid that no node has is no failure. */
PEN_API void pen_want(pen_wishes *wishes, pen_gid gid);

/* Names, before the phase, what the node will read in it by PEN_FAR: sees its own records and those that
 * the phase reads from neighbours, as they are at the start of the phase, and writes nothing. */
typedef void pen_far_fn(const pen_view *v, pen_wishes *wishes);

/* What nodes want changed in the graph, and a node that is being added. */
typedef struct pen_changes pen_changes;
typedef struct pen_newborn pen_newborn;

/* Computes one node, as a pen_node_fn does, and may ask for changes of the graph besides: of any nodes and edges, its
 * own or not. They take effect together, when all nodes have been computed; the next phase sees the new graph.
 *
 * Requests to remove speak of the graph as it was at the start of the phase, all others of the graph as it will be.
 * So what comes of it depends on the set of requests, and not on who asks, in which order, or on which rank:
 *
 *     nodes = (nodes before, less those removed), and those added
 *     edges = (edges before, less those removed and those of removed nodes), and those added whose ends are both there
 *
 * The same request several times is one. A node that is removed and added is a new one, with the edges added in this
 * phase only; an edge that is removed and added is a new one, too. An edge added to a node that is removed (and not
 * added), and a weight for one, are dropped: who asks need not know what others want. Nodes that stay have the records
 * they wrote, and arcs that stay keep theirs; those of new arcs are zero.
 *
 * These are errors, PEN_ERR_ARGUMENT from pen_run_steps, and change nothing: to remove a node or an edge that was not
 * there; to add a node that was there and is not removed; an edge from a node to itself, or to a gid that no node has,
 * before or after; a weight for one; two weights for one node or edge; different first records or coordinates for one
 * node. The message names the gids, phase, step and the node that asks: of several the one with the lowest gid. */
typedef void pen_modify_fn(const pen_view *v, pen_changes *changes);

/* All Local, inside .modify and pen_run_change, about any gids >= 0, not necessarily dense. In a directed graph an edge
 * is an arc: `from` reads `to`. Weights are 1 in a graph that has none, until some request gives another.
 *
 * add_node: weight >= 0. It lives where the node lives that asks for it, of several where that of the lowest gid does.
 *     The result is never NULL, and valid until the function that asks returns.
 * add_edge: weight > 0. Where the edge is already there, it gets this weight.
 * set_node_weight: weight >= 0. */
PEN_API pen_newborn *pen_add_node(pen_changes *changes, pen_gid gid, int64_t weight);
PEN_API void pen_remove_node(pen_changes *changes, pen_gid gid);
PEN_API void pen_add_edge(pen_changes *changes, pen_gid from, pen_gid to, int64_t weight);
PEN_API void pen_remove_edge(pen_changes *changes, pen_gid from, pen_gid to);
PEN_API void pen_set_node_weight(pen_changes *changes, pen_gid gid, int64_t weight);

/* Local. The coordinates [dimensions], finite, of a node that is being added. Where several nodes add it, each gives
 * the same ones, or none does. There are as many as the graph's nodes have. Another number of dimensions, and numbers
 * that are not finite, are refused as other requests are: PEN_ERR_ARGUMENT. A grid that was generated without
 * coordinates has places all the same (see pen_load_view), which become the coordinates of its nodes when it first
 * changes: it has two, or three where it has several layers. In a graph without coordinates they mean nothing.
 *
 * Either all nodes have coordinates, or none has: where one node is added without, the graph has none any more, which
 * is told in one line where it had. Then balancers and drawings that need them refuse. */
PEN_API void pen_set_coordinates(pen_newborn *newborn, int dimensions, const double *coordinates);

/* The first record of a node that is being added: all bytes are 0 until they are written. Where several nodes add it,
 * their records must be equal byte by byte, padding included: assign members, not structures. */
#define PEN_FIRST(newborn, FIELD, type) ((type *)pen_first_record((newborn), (FIELD)))
PEN_API void *pen_first_record(pen_newborn *newborn, int field);

/* Contributes a node's values to observables (pen_observe_int, pen_observe_real): sees its own current records. */
typedef void pen_observe_fn(const pen_view *v, pen_observation *observation);

/* An observable among those of a phase's .observes: PEN_OBSERVABLE(A) | PEN_OBSERVABLE(B). */
#define PEN_OBSERVABLE(index) (UINT64_C(1) << (index))

/* One sweep over all owned nodes. Exactly one of node, block and modify is given. A field that is not
 * written keeps its value at no cost; .writes and .edge_writes are not both empty, but with .modify.
 *
 * With .modify all ranks agree whether anything changes, and do no more where nothing does. A phase that changes the
 * graph is best the last one: balancing comes after it, before the new graph is computed on. What nodes know by place,
 * the i-th neighbour, means another one when edges have changed. .cost is asked of nodes added in that step, too; of
 * measured loads, a new node has that of the one which asked for it.
 *
 * The next records of the fields in .keeps begin as copies of the current ones, so that nodes write what changes alone:
 * all of it is reached by PEN_NEXT, and PEN_SELF of such a field means nothing in the node function. Where no phase
 * reads the field from neighbours or far nodes, it costs nothing: records are changed in place.
 *
 * With .far, called for every node before the phase, nodes read records of nodes of their choice, wherever
 * these are: they are looked up once until nodes next move, and their records got before the first node is
 * computed. All ranks agree in every such phase, and synchronise where anything is to be got. Not with .block.
 *
 * With .observe, called for every node before the phase (and before .far), the observables in
 * .observes get new values from the records as they then are, after the phases before this one; so sums over all nodes
 * can be used within a step (pen_observed_real). Each such observable belongs to one phase, and to none where
 * pen_app.observe evaluates it; its index is below 64. All ranks synchronise. */
typedef struct pen_phase {
    const char *name;
    pen_node_fn *node;
    uint64_t reads;  /* fields read from neighbours: PEN_FIELD(A) | PEN_FIELD(B) */
    uint64_t writes; /* fields written */
    pen_block_fn *block;
    pen_far_fn *far;         /* NULL: neighbours are enough */
    uint64_t far_reads;      /* fields read from what .far names; 0 exactly where far is NULL */
    pen_observe_fn *observe; /* NULL: the phase has no observables of its own */
    uint64_t observes;       /* PEN_OBSERVABLE(A) | PEN_OBSERVABLE(B); 0 exactly where observe is NULL */
    uint64_t edge_writes;    /* edge fields written by PEN_EDGE_OWN: PEN_FIELD(EA) | PEN_FIELD(EB) */
    pen_modify_fn *modify;
    uint64_t keeps; /* fields among .writes whose next records are the current ones, before anything is written */
} pen_phase;

/* A quantity over all nodes, evaluated on the initial state and after every step, or before a phase, and bit-identical
 * for every way of running: sums of doubles are exact before their one rounding. A NaN among the reals makes any of
 * them NaN. */
typedef enum pen_observable_kind {
    PEN_SUM_INT, /* a count is a sum of ones */
    PEN_MIN_INT,
    PEN_MAX_INT,
    PEN_SUM_REAL,
    PEN_MIN_REAL,
    PEN_MAX_REAL
} pen_observable_kind;

/* An observable of an application, by which it is called in the output. One of several components, such as the bins of
 * a histogram or a tensor, is as many values of its kind, which are called name_0, name_1, ... */
typedef struct pen_observable {
    const char *name;
    pen_observable_kind kind;
    int components; /* 1 to 1024; 0 counts as 1 */
} pen_observable;

/* Local, inside .observe. The same as pen_observe_int and pen_observe_real for a component of the observable, from 0;
 * these two are for component 0. One that the observable does not have ends the program with a message. */
PEN_API void pen_observe_int_of(pen_observation *observation, int index, int component, int64_t value);
PEN_API void pen_observe_real_of(pen_observation *observation, int index, int component, double value);

/* What the value of an option is. */
typedef enum pen_option_kind {
    PEN_OPTION_FLAG, /* bool:        "--name" */
    PEN_OPTION_INT,  /* int64_t */
    PEN_OPTION_REAL, /* double, finite */
    PEN_OPTION_TEXT, /* const char *: points into argv; where .argument begins with '[' the value may be left out: "" */
    PEN_OPTION_WORD  /* int64_t: which of the words in .argument, "kway|recursive", counted from 0 */
} pen_option_kind;

/* An option of the command line, "--name=VALUE". The value stays as it is where the option is not
 * given: initialise it with the default. A table ends with an entry whose name is NULL.
 *
 * In pen_app.options, an entry whose value is NULL speaks of the library's option of that name: the help shows this
 * argument and help in place of the library's; where its help is NULL, too, the option does not exist. */
typedef struct pen_option {
    const char *name;     /* without the dashes */
    const char *argument; /* what the help shows behind "=", e.g. "N"; NULL for a flag */
    const char *help;     /* one line */
    pen_option_kind kind;
    void *value;
    int64_t low, high; /* legal range of an _INT, where low < high */
} pen_option;

/* A grid, whose gids count its places: gid = (layer * height + row) * width + column. */
typedef enum pen_grid {
    PEN_GRID_NONE,   /* no grid, or where width says that there is one, a file from before 1.0, which tells no more */
    PEN_GRID_SQUARE, /* neighbours share a side, of 2 or 3 dimensions: mesh:... */
    PEN_GRID_HEX,    /* hexagons in offset rows: hex:... */
    PEN_GRID_TORUS   /* as squares, and opposite sides are joined: torus:... */
} pen_grid;

/* A number of steps: as many as it takes, until .done or `until` ends the run. */
#define PEN_UNLIMITED INT64_MAX

/* What is known when .setup is called. */
typedef struct pen_world {
    int64_t nodes;         /* of the whole graph, at the start */
    int64_t steps;         /* that will run at most; PEN_UNLIMITED: .done or `until` alone ends the run; 0: not known */
    int64_t width, height; /* of a grid; else 0 */
    int ranks;
    pen_grid grid;
    int64_t depth; /* layers of a grid: 1, where it has two dimensions; no grid: 0 */
    /* [field_count] bytes per record of each field, pen_field.size at first. .setup may settle them anew for this run,
     * > 0 and the same on all ranks; node functions then reach such records by pen_self_record and the like. */
    size_t *field_sizes;
    uint64_t seed; /* pen_run_options.seed */
} pen_world;

/* This rank's rows of a graph. Arrays are read during the call only. */
typedef struct pen_csr {
    pen_lid count;               /* nodes on this rank, >= 0 */
    const pen_gid *gids;         /* [count] distinct over all ranks, >= 0, any order */
    const int64_t *rows;         /* [count+1], rows[0] = 0, ascending */
    const pen_gid *neighbors;    /* [rows[count]] no loops, no duplicates in a row, any order */
    const int64_t *node_weights; /* [count] >= 0, or NULL for 1; NULL on all ranks or on none */
    const int64_t *edge_weights; /* [rows[count]] > 0, equal in both directions, or NULL likewise */
    bool directed;               /* else every arc needs its reverse, wherever it lives */
    const int64_t *node_sizes;   /* [count] >= 0, or NULL likewise: METIS's vertex sizes, which are for files alone */
    int dimensions;              /* of the coordinates, 1 to 3, the same on all ranks; 0: there are none */
    const double *coordinates;   /* [count*dimensions] node by node, finite; NULL where dimensions is 0 */
} pen_csr;

/* What a value in a record is, as files know it: reals, integers with and without sign, of so many bits; a C bool. */
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

/* A named member of the records of a field, which is what files of results are made of (penumbra_output.h):
 * `components` values of a type, one behind the other, from `offset` bytes behind the beginning of the record on. */
typedef struct pen_member {
    const char *name; /* letters, digits, '_' and '-'; none is called gid, owner or load */
    int field;        /* none that is transient */
    pen_type type;
    size_t offset;
    int components; /* 0 counts as 1 */
} pen_member;

/* A member of one value that is called in files as in its structure: PEN_MEMBER(CELL, cell, heat, PEN_F64). */
#define PEN_MEMBER(FIELD, record, member, type)               \
    {                                                         \
#member, (FIELD), (type), offsetof(record, member), 1 \
    }

/* A computation in progress: see pen_run_create. */
typedef struct pen_run pen_run;

/* Values of the whole run: one small record, equal on all ranks, such as the physical time and its step, the residual
 * before, or a mass at first. Node functions read it by PEN_GLOBALS, all else by pen_run_globals. It is part of
 * checkpoints, and it does not depend on the number of ranks or on where nodes are. All bytes are 0 until the initial
 * state is observed, so in .init and .init_edges, too. */
typedef struct pen_globals {
    size_t size; /* bytes of the record, > 0 */
    /* Computes the record, in place, from what it was, the observables (pen_run_observed_real), pen_run_step and
     * *params. These are equal everywhere, so the record is; it must not depend on anything else. Local, called on
     * every rank right after observables got new values: on the initial state (phase is PEN_BETWEEN_STEPS and
     * pen_run_step is 0; once more, from 0, where pen_run_put changes that state), after every step (phase is
     * PEN_BETWEEN_STEPS), and in a step before the nodes of each phase that observes, whose index `phase` is. .done
     * and .check see what it has made of a step. The strict mode calls it twice, and refuses members that differ from
     * call to call or from rank to rank. */
    void (*update)(const pen_run *run, int phase, const void *params, void *globals);
    /* [member_count] what is seen of the record, of field 0: PEN_MEMBER(0, record, member, type), not of PEN_U64. These
     * values stand next to the observables in the observables' file, in metrics and in what is printed; `until` can
     * name them, and pen_run_verify compares them. No observable has the name of one. May be NULL. */
    const pen_member *members;
    int member_count;
    /* The member, of one value, that is the physical time of a state in .pvd and .vtu files, and a column of .csv files
     * (penumbra_output.h). NULL: the step is. */
    const char *time;
} pen_globals;

/* `phase` of pen_globals.update where no phase is in progress. */
enum { PEN_BETWEEN_STEPS = -1 };

/* What a node looks like in .vtu and .pvtu files (penumbra_output.h), around its coordinates. */
typedef enum pen_shape {
    PEN_SHAPE_NONE,   /* a cell of a grid, or a point with lines to its neighbours */
    PEN_SHAPE_POINT,  /* a point without lines */
    PEN_SHAPE_BOX,    /* a line, a rectangle or a box, as there are one, two or three coordinates */
    PEN_SHAPE_HEXAGON /* in two dimensions, as those of a grid: it stands on a corner */
} pen_shape;

/* A column of values that files bring (pen_run_options.input, --input=FILE): a double for each node, or for each arc,
 * which is there from .init on, where node functions ask for it by pen_input and pen_edge_input.
 *
 * There are two kinds of files, both also packed by gzip, xz or zstd, with the ending .gz, .xz or .zst. A path has no
 * ';', and no ':' unless one stands before it.
 *
 * CSV (RFC 4180): the first line names the columns; numbers are as strtod reads them, an empty field is NaN; empty
 * lines do not count. Columns that the application does not name do not matter. Where the file calls columns otherwise,
 * pairs before the ':' say which is which, "gid=plz,x=height": each says which of the file's columns is meant by a name
 * (of the application, gid, source or target); the other columns keep their names. Or names without '=' take the places
 * of all those in the first line.
 *
 * NumPy's .npy (1.0 to 3.0), which its first bytes tell: booleans, integers or reals of either byte order, of one or
 * two dimensions in C or Fortran order. It has no names: those before the ':' are its columns', with commas,
 * "gid,x,-,y", and "-" or nothing for one that is not wanted; a single column is called as the file is without ".npy",
 * unless it is named.
 *
 * Rows are of nodes: the column "gid" says of which, in any order. Without it row i is of node i, from 0, which is
 * refused where the graph's gids are not 0..n-1; of CSV, where the column may have been forgotten, a warning tells it.
 * Or rows are of arcs: in the columns "source" and "target" (or src, from; dst, to) stand the node and its neighbour. A
 * row of an undirected edge is for both directions, unless the other one has a row of its own. An array without such
 * columns has a row for each arc: by ascending nodes, and of one node by ascending neighbours, as the data of a CSR
 * matrix with sorted indices are. Every node, or arc, needs its row, and each column is in one file.
 *
 * Columns x and y, and z where it is there, too, are the nodes' coordinates, in place of any that the graph has, unless
 * the application has an x or a y among its columns. They are finite, in one file whose rows are of nodes, and are
 * there for the partitioner. Any application may have them.
 *
 * Every rank reads a part of a file, which all must see, but one that is packed: that rank 0 reads, piece by piece; it
 * is the numbers of one's own nodes that stay. What is wrong ends in PEN_ERR_INPUT, "file:line: what is wrong", or of
 * an array "file: row R: what is wrong", R from 0; of several mistakes the first one in the file is told, on any number
 * of ranks: a column that is missing, no number, a NaN where there shall be none, no such node or arc, one that comes
 * twice, a wrong number of rows or fields.
 *
 * A run that is resumed has what it needs in its checkpoint, and reads no rows of files; but pen_run_verify, which
 * calls .init again, needs those that the run began with, unchanged. */
typedef struct pen_input_column {
    const char *name; /* as the files call it; letters' case does not matter; not gid, source or target */
    bool of_edges;    /* a value for each arc, that is, each node for each of its neighbours; else for each node */
    bool optional;    /* where no file has it all nodes (arcs) have .otherwise; else there is no run without it */
    bool nan;         /* values may be NaN, as an empty field of a CSV file is; else that is refused */
    bool kept;        /* it stays and moves with its node, and all functions may ask for it. It counts among the 64
                       * fields, or edge fields. Else .init and .init_edges alone may ask; then its memory is freed */
    double otherwise; /* the value without a file, and of nodes and arcs that are added to the graph later (.kept) */
} pen_input_column;

/* What is computed: records, node functions and what is seen of them. Constant, as a rule, and zero where nothing is
 * said; name, fields, phases and init it must have. */
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
    /* Evaluates the observables that belong to no phase: after a step, with pen_step being that step's, and once on the
     * initial state, with pen_step being -1. NULL where there are none. */
    pen_observe_fn *observe;
    const char *default_graph; /* where the command line names none, e.g. "grid=32x32"; NULL: it must */
    const pen_option *options; /* the application's own, which hide the library's of the same names; or NULL. A file
                                * that one of their texts names is taken for one that is read: no output replaces it */
    void *params;              /* handed to node functions by pen_params; may be NULL */
    /* Local, called on every rank before .init; may check and complete *params. Return NULL, or a
     * sentence that says what is wrong: the run then ends as after a bad option. May be NULL. */
    const char *(*setup)(void *params, const pen_world *world);
    /* Declared load: what computing this node cost in the step just done, current records and pen_step being
     * that step's; in units of its own, finite, >= 0. May be NULL. */
    double (*cost)(const pen_view *v);
    /* Local, called on every rank after every step, when the observables are known (they are equal everywhere, so
     * the answer is). NULL, or a sentence that says what is wrong: pen_run_steps then returns PEN_ERR_CHECK. Must not
     * depend on anything else. May be NULL. */
    const char *(*check)(const pen_run *run, const void *params);
    /* Collective, called on every rank before the first step (step 0) and after every step; for output of the
     * application's own (pen_run_gather, pen_run_write). `out`: where rank 0 may print; NULL on the other ranks
     * and with --quiet. A failure, the same on all ranks, ends the run. May be NULL. */
    pen_status (*output)(pen_run *run, int64_t step, void *params, FILE *out);
    /* Local, called on every rank after every step (never on the initial state): true where the run is done, by the
     * observables (pen_run_observed_real) and pen_run_step, which are equal everywhere, and by nothing else; else
     * ranks would wait for each other forever. The run ends behind this step. May be NULL. */
    bool (*done)(const pen_run *run, const void *params);
    const pen_edge_field *edge_fields; /* [edge_field_count], or NULL */
    int edge_field_count;
    /* Writes the first records of a node's arcs (PEN_EDGE_OWN), called once for every node after .init: its own first
     * records, and its neighbours' of the fields that some phase reads from neighbours, are there. Values from files:
     * pen_edge_input. May be NULL. */
    pen_node_fn *init_edges;
    /* Fields whose records are nothing but values, PEN_FIELD(A) | PEN_FIELD(B): no padding, no rest of an array that
     * nobody reads. Where all of them are, the checksum is made from records, some hundred times faster than from
     * texts. */
    uint64_t plain;
    /* The graph that the application brings along, in place of one that the command line names. Local, called on every
     * rank once options are read, before .setup: gives this rank's rows of it, as for pen_graph_from_csr, in arrays
     * that stay the application's and are read at once. *mine is zero, and of *world there are the number of ranks,
     * steps and seed only. Return NULL, or a sentence that says what is wrong: the program ends as after a bad option.
     * pen_options_graph calls it, and so pen_main does; may be NULL. */
    const char *(*rows)(void *params, const pen_world *world, int rank, struct pen_csr *mine);
    /* Fields that are worked with within a step only, PEN_FIELD(A) | PEN_FIELD(B): behind its phases, and behind a
     * phase with .modify, their records mean nothing. So they are not copied where the graph changes, and not sent
     * where nodes move. */
    uint64_t transient;
    /* The graph that --save-graph=FILE writes, in place of that which the run begins with. Collective, called on every
     * rank once all steps are done, where such a file is wanted: gives this rank's rows of it, as .rows does. For
     * METIS text its gids must be 0..n-1, in contiguous ranges in rank order. Return NULL, or a sentence that says what
     * is wrong: there is no file then. pen_options_report calls it, and so pen_main does; may be NULL. */
    const char *(*saved_rows)(pen_run *run, void *params, struct pen_csr *mine);
    /* Which of .options do not change results, "progress,colour": a checkpoint may be resumed with others.
     * "steps" among them tells that .setup does nothing with pen_world.steps that results depend on. NULL: none. */
    const char *indifferent;
    /* What the application holds itself, beside records and what follows from its options, for checkpoints. Local, on
     * rank 0, between steps: print it as text, which must not hold a '\0'. May be NULL. */
    void (*save)(const pen_run *run, const void *params, FILE *out);
    /* Local, called on every rank before .setup of a run that is resumed, in place of .rows: what .save has printed, on
     * some number of ranks. Return NULL, or a sentence that says what is wrong: the run then ends as after a bad
     * option. Given exactly where .save is. */
    const char *(*restore)(void *params, const char *text);
    const pen_input_column *inputs; /* [input_count] what files may bring, or NULL */
    int input_count;
    const pen_member *members; /* [member_count] what files of results may have, or NULL */
    int member_count;
    pen_shape shape; /* of all nodes */
    /* Local, between steps: sets how long a box is in each dimension, sides[d] > 0, or how wide a hexagon, sides[0];
     * all are 1 at first. It sees what .print sees. NULL: they stay 1. */
    void (*sides)(const pen_view *v, double sides[3]);
    /* How many steps a run has at most where the command line has neither --steps nor --until. 0: PEN_UNLIMITED where
     * there is .done, else 100. With --until and without --steps a run is unlimited. */
    int64_t default_steps;
    /* Whether a node's records can be what these functions have written. Local, asked of every node before anything is
     * computed from records that a checkpoint has brought, which anybody may have written: where a number in them is an
     * index, a count or a shift, say false of one that is not. Its own records and gid are there, PEN_GLOBALS and
     * pen_params; its neighbours' records are not. False ends in PEN_ERR_INPUT. May be NULL. */
    bool (*valid)(const pen_view *v);
    const pen_globals *globals; /* NULL: none */
} pen_app;

/* How many elements an array has. */
#define PEN_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* The tables of an application, in its initialiser: { .name = "mine", PEN_FIELDS(fields), PEN_PHASES(phases) }. */
#define PEN_FIELDS(array) .fields = (array), .field_count = PEN_COUNT_OF(array)
#define PEN_PHASES(array) .phases = (array), .phase_count = PEN_COUNT_OF(array)
#define PEN_OBSERVABLES(array) .observables = (array), .observable_count = PEN_COUNT_OF(array)
#define PEN_EDGE_FIELDS(array) .edge_fields = (array), .edge_field_count = PEN_COUNT_OF(array)
#define PEN_INPUTS(array) .inputs = (array), .input_count = PEN_COUNT_OF(array)
#define PEN_MEMBERS(array) .members = (array), .member_count = PEN_COUNT_OF(array)

/* ---- List-style node functions (iC2mpi) ----------------------------------------------------- */

/* Sequential code that takes a linked list, the node first and its neighbours behind it, and updates
 * the head moves over unchanged:
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
 * `type` is the field's record, `next` its link (NULL at the end, and in stored records); the
 * elements are copies, neighbours in ascending gid order. */
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
