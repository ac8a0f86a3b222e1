/* penumbra_app.h - the description of an application: its fields, phases, observables and functions. No MPI.
 *
 * penumbra.h includes this header. */
#ifndef PENUMBRA_APP_H
#define PENUMBRA_APP_H

#include <penumbra_mail.h>
#include <penumbra_nodes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A computation in progress, see pen_run_create. */
typedef struct pen_run pen_run;

/* A fixed-size record that every node has, called a field. An application has at most 64 fields. The memory of records
 * is aligned to 16 bytes: their types, also those of edge fields, mail and globals, must not need more. */
typedef struct pen_field {
    const char *name;
    size_t size; /* bytes of the record, > 0; 0 if .setup sets it (pen_world.field_sizes) */
    /* The record consists of values only: no padding and no unused array tail. If all fields are plain, the checksum is
     * computed from records, some hundred times faster than from texts. A field is plain without it if
     * .output.members cover its record. */
    bool plain;
    /* It is used only within a step. After the phases of a step, and after a phase with .modify, its records are
     * undefined. So they are not copied if the graph changes, and not sent if nodes move. It cannot be plain. */
    bool transient;
} pen_field;

/* A fixed-size record that every arc has, called an edge field. Each node has an arc for each of its neighbours. size >
 * 0. An application has at most 64 edge fields, in addition to its fields and the graph's edge weights. Records are
 * zero until .init_edges writes them. */
typedef struct pen_edge_field {
    const char *name;
    size_t size;
} pen_edge_field;

#if defined __GNUC__ && !defined __cplusplus
/* The type of an array without elements, which makes .reads = HEAT an error. Messages show its name. */
struct pen_index_without_PEN_SET {
    __extension__ char none[0];
};
#endif

/* A set of fields, of edge fields or of observables, by their indices from 0 to 63: .writes = PEN_SET(HEAT, COUNT). The
 * empty set is zero. An index in place of a set, .writes = HEAT, is an error of the compiler. */
typedef struct pen_set {
#if defined __GNUC__ && !defined __cplusplus
    __extension__ struct pen_index_without_PEN_SET no_index[0];
#endif
    uint64_t bits; /* UINT64_C(1) << index for each element */
#ifdef __cplusplus
    constexpr pen_set() : bits(0) {}
    static constexpr pen_set of(uint64_t bits) { return pen_set(bits, 0); }

  private:
    constexpr pen_set(uint64_t given, int) : bits(given) {}
#endif
} pen_set;

/* The initialiser of a set of 1 to 16 indices, usually constants; (pen_set)PEN_SET(A) is an expression. The union of
 * two sets is that of their bits. */
#ifdef __cplusplus
#define PEN_SET(...) pen_set::of(PENUMBRA_SET_BITS(__VA_ARGS__))
#else
#define PEN_SET(...)                           \
    {                                          \
        .bits = PENUMBRA_SET_BITS(__VA_ARGS__) \
    }
#endif
#define PENUMBRA_SET_BITS(...)                                                                               \
    PENUMBRA_COUNTED(__VA_ARGS__, PENUMBRA_BITS_16, PENUMBRA_BITS_15, PENUMBRA_BITS_14, PENUMBRA_BITS_13,    \
                     PENUMBRA_BITS_12, PENUMBRA_BITS_11, PENUMBRA_BITS_10, PENUMBRA_BITS_9, PENUMBRA_BITS_8, \
                     PENUMBRA_BITS_7, PENUMBRA_BITS_6, PENUMBRA_BITS_5, PENUMBRA_BITS_4, PENUMBRA_BITS_3,    \
                     PENUMBRA_BITS_2, PENUMBRA_BITS_1, 0)                                                    \
    (__VA_ARGS__)
#define PENUMBRA_COUNTED(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, bits, ...) bits
#define PENUMBRA_BITS_1(index) (UINT64_C(1) << (index))
#define PENUMBRA_BITS_2(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_1(__VA_ARGS__)
#define PENUMBRA_BITS_3(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_2(__VA_ARGS__)
#define PENUMBRA_BITS_4(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_3(__VA_ARGS__)
#define PENUMBRA_BITS_5(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_4(__VA_ARGS__)
#define PENUMBRA_BITS_6(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_5(__VA_ARGS__)
#define PENUMBRA_BITS_7(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_6(__VA_ARGS__)
#define PENUMBRA_BITS_8(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_7(__VA_ARGS__)
#define PENUMBRA_BITS_9(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_8(__VA_ARGS__)
#define PENUMBRA_BITS_10(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_9(__VA_ARGS__)
#define PENUMBRA_BITS_11(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_10(__VA_ARGS__)
#define PENUMBRA_BITS_12(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_11(__VA_ARGS__)
#define PENUMBRA_BITS_13(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_12(__VA_ARGS__)
#define PENUMBRA_BITS_14(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_13(__VA_ARGS__)
#define PENUMBRA_BITS_15(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_14(__VA_ARGS__)
#define PENUMBRA_BITS_16(index, ...) PENUMBRA_BITS_1(index) | PENUMBRA_BITS_15(__VA_ARGS__)

/* One sweep over all owned nodes, called a phase. Exactly one of .node, .sweep and .modify is given, by its name. A
 * field that is not written keeps its value at no cost. Without .modify, at least one of .writes, .edge_writes and
 * .sends is not empty. A phase with .modify should be the last one: balancing follows it.
 *
 * With .far, nodes read records of any nodes, wherever these are. Each is looked up once until nodes move again, and
 * its records are fetched before the first node is computed. All ranks agree in every such phase, and synchronise if
 * anything is to be fetched.
 *
 * With .observe, the observables in .observes get new values before the phase, from the records after the preceding
 * phases; so sums over all nodes can be used within a step (pen_observed_real). Each such observable belongs to one
 * phase; pen_app.observables.observe evaluates those that belong to no phase. All ranks synchronise. */
typedef struct pen_phase {
    const char *name;
    pen_set reads;       /* fields read from neighbours: PEN_SET(A, B) */
    pen_set writes;      /* fields written */
    pen_node_fn *node;   /* computes one node: relax */
    pen_sweep_fn *sweep; /* computes nodes in a loop: relax_sweep of PEN_SWEEP(relax), or one that is written by hand */
    pen_modify_fn *modify; /* computes one node, and may request changes of the graph */
    /* Called for every node before the phase: names the nodes that it reads beyond neighbours. NULL: neighbours are
     * enough. */
    pen_far_fn *far;
    pen_set far_reads;       /* fields read from the nodes that .far requests; empty if and only if far is NULL */
    pen_observe_fn *observe; /* evaluates the observables of the phase before .far: PEN_OBSERVE_SWEEP; or NULL */
    pen_set observes;        /* observables, with indices below 64; empty if and only if observe is NULL */
    pen_set edge_writes;     /* edge fields written by PEN_EDGE_OWN */
    /* Fields of .writes whose next records begin as copies of the current ones, so that nodes write only the members
     * that change. They access all of the record by PEN_NEXT; PEN_SELF of such a field is undefined in the node
     * function. If no phase reads the field from neighbours or far nodes, records are changed in place, at no cost. */
    pen_set updates;
    /* Declared load (PEN_COST_SWEEP): the cost of a node in the last step; nodes that the step has left out cost
     * nothing. Current records and pen_step are those of that step. In units of its own, finite, >= 0. If one phase
     * alone has a cost, it is that of the whole step. If ranks wait for one another between phases that cost different
     * nodes, give each its own. NULL: 0, if another phase has a cost. */
    pen_cost_fn *cost;
    /* The phase runs for every node in every step (pen_run_options.active): its results depend on more than records and
     * the functions of the view, or the program counts its calls. A sweep that is written by hand needs it if it reads
     * the view's step, seed, globals or observables. */
    bool always;
    pen_set sends;    /* kinds of mail that nodes send: PEN_SET(LETTER) (penumbra_mail.h) */
    pen_set receives; /* kinds of mail that nodes receive: they are in mailboxes until this phase ends */
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
    const char *name; /* not step, which is the column of steps; no two have one name */
    pen_observable_kind kind;
    int components; /* number of components, 1 to 1024; 0 counts as 1 */
} pen_observable;

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
    const char *name; /* name in files: letters, digits, '_' and '-'; not gid, owner or load */
    int field;        /* index of the member's field, which is not transient */
    pen_type type;
    size_t offset;
    int components; /* number of components; 0 counts as 1 */
} pen_member;

/* A member of one value that has the same name in files as in its structure: PEN_MEMBER(CELL, cell, heat, PEN_F64). */
#define PEN_MEMBER(FIELD, record, member, type)               \
    {                                                         \
#member, (FIELD), (type), offsetof(record, member), 1 \
    }

/* Values of the whole run: one small record, equal on all ranks, such as the physical time and its step, the previous
 * residual, the initial mass, or what another model gives between steps. Node functions read it by PEN_GLOBALS, all
 * other functions by pen_run_globals. .update computes it, and programs with their own main can set it
 * (pen_run_set_globals). It is part of checkpoints. It does not depend on the number of ranks or on the owners of
 * nodes. All bytes are 0 until the initial state is observed, also in .init and .init_edges. */
typedef struct pen_globals {
    size_t size; /* bytes of the record, > 0 */
    /* NULL: only the program sets the record. Local, called on every rank. Computes the record, in place, from its
     * previous value, the observables (pen_run_observed_real), pen_run_step and *params. These are equal on all ranks,
     * so the record is; it must not depend on anything else. It is called right after observables got new values: on
     * the initial state (phase is PEN_BETWEEN_STEPS and pen_run_step is 0; again, from 0, if pen_run_put changes that
     * state); after every step (phase is PEN_BETWEEN_STEPS); and in a step, before the nodes of each phase that
     * observes (phase is its index). .end.done and .check see the record after the step. The strict mode calls it
     * twice, and refuses members that differ between calls or ranks. */
    void (*update)(const pen_run *run, int phase, const void *params, void *globals);
    /* Named members of the record, with field 0: PEN_MEMBER(0, record, member, type), not of PEN_U64.
     * Their values occur next to the observables in the observables' file, in metrics and in printed lines; `until` can
     * name them, and pen_run_verify compares them. Their names differ from those of observables. May be NULL. */
    struct {
        const pen_member *list; /* [count] the members */
        int count;
    } members;
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
    PEN_SHAPE_HEXAGON /* a hexagon, in two dimensions; like those of a grid it has a corner at the bottom */
} pen_shape;

/* An unstructured mesh, whose cells are the nodes in VTK's files (penumbra_output.h): pen_app_output.mesh.
 * Each rank gives some of its points and cells; those of rank 0 come first, then those of rank 1, and so on. Points and
 * cells are numbered from 0 in that order, and cell i is node i: the graph's gids are 0..n-1. The order of corners is
 * VTK's: around a polygon; of a solid, the corners of the bottom, then those of the top. */
typedef struct pen_mesh {
    int dimensions;         /* coordinates of a point: 2, cells are polygons; 3, cells are solids */
    bool surface;           /* with 3 dimensions: cells are polygons */
    int64_t point_count;    /* number of points of this rank */
    const double *points;   /* [point_count*dimensions] point by point, finite */
    int64_t cell_count;     /* number of cells of this rank */
    const int64_t *rows;    /* [cell_count+1] beginnings of the cells in `corners`, rows[0] = 0 */
    const int64_t *corners; /* [rows[cell_count]] points: 3 or more of a polygon; 4 of a tetrahedron, 5 of a pyramid, 6
                               of a wedge, 8 of a hexahedron */
} pen_mesh;

/* A column of input values from files (pen_run_options.input, --input=FILE): a double for each node, or for each arc.
 * Node functions read them by pen_input and pen_edge_input, from .init on. Files are CSV or NumPy's .npy, also
 * compressed; their columns are found by their names, or assigned to them in the option. penumbra_files(7) describes
 * files, mistakes and options.
 *
 * A row is of a node (column gid) or of an arc (columns source and target). Every node, or arc, needs its row. Columns
 * x, y and optionally z become the nodes' coordinates and replace those of the graph, unless the application has a
 * column x or y. Each rank reads a part of a file and keeps only the values of its own nodes. Mistakes end in
 * PEN_ERR_INPUT: "file:line: reason". */
typedef struct pen_input_column {
    const char *name; /* name in the files; case does not matter; not gid, source or target */
    bool of_edges;    /* a value for each arc, that is, each node for each of its neighbours; otherwise for each node */
    bool nan;         /* values may be NaN, such as an empty field of a CSV file; otherwise NaN is an error */
    /* The column is kept and moves with its node, and all functions may read it; it counts among the 64 fields, or edge
     * fields. Otherwise only .init and .init_edges may read it, and its memory is freed then. */
    bool permanent;
    /* A number as a text, "1.5": the value of all nodes (arcs) if no file has the column; and, with .permanent, that of
     * nodes and arcs that are added to the graph later. "nan" needs .nan. NULL: a file must have the column; added
     * nodes and arcs have 0. */
    const char *otherwise;
    /* With .of_edges: each direction of an undirected edge needs its own row, as of values that differ by direction,
     * such as normals. */
    bool each_direction;
} pen_input_column;

/* A number of steps without limit: the run continues until .end.done or `until` ends it. */
#define PEN_UNLIMITED INT64_MAX

/* The data of a run that .setup gets. */
typedef struct pen_world {
    int64_t nodes; /* number of nodes of the whole graph at the start */
    /* The largest number of steps to run; PEN_UNLIMITED: until .end.done or `until` ends the run; 0: unknown. */
    int64_t steps;
    int64_t width, height; /* sizes of a grid; else 0 */
    int ranks;
    pen_grid grid;
    int64_t depth; /* number of layers of a grid, 1 in two dimensions; 0: not a grid */
    /* [field_count] bytes per record of each field, at first pen_field.size. .setup may change them for this run, to
     * values > 0 that are the same on all ranks; node functions then access such records by pen_self_record and similar
     * functions. */
    size_t *field_sizes;
    uint64_t seed; /* seed of the run, pen_run_options.seed */
} pen_world;

/* A rank's rows of a graph. The arrays are read during the call only. Over all ranks the node weights add up to less
 * than 10^18, and the edge weights likewise. */
typedef struct pen_csr {
    pen_lid count;               /* nodes on this rank, >= 0 */
    const pen_gid *gids;         /* [count] distinct over all ranks, >= 0, any order */
    const int64_t *rows;         /* [count+1] row pointers, rows[0] = 0, ascending */
    const pen_gid *neighbors;    /* [rows[count]] no loops, no duplicates in a row, any order */
    const int64_t *node_weights; /* [count] >= 0, or NULL: all are 1; NULL on all ranks or on no rank */
    const int64_t *edge_weights; /* [rows[count]] > 0, equal in both directions, or NULL likewise */
    bool directed;               /* otherwise every arc needs its reverse, on any rank */
    const int64_t *node_sizes;   /* [count] >= 0, or NULL likewise: vertex sizes, in files and for METIS's volume */
    int dimensions;              /* number of coordinates, 1 to 3, the same on all ranks; 0: there are none */
    const double *coordinates;   /* [count*dimensions] node by node, finite; NULL if dimensions is 0 */
} pen_csr;

/* The graph of an application: pen_app.graph. */
typedef struct pen_app_graph {
    /* The graph if the command line names none, as an option that .options has not removed, e.g. "generate=hex:9x9".
     * NULL: the command line must name one. */
    const char *spec;
    /* The application's own graph, instead of one that the command line names. Local, called on every rank after
     * options are read and before .setup. Sets this rank's rows of it, as for pen_graph_from_csr, in arrays that the
     * application keeps and that are read at once. *mine is zero at first; *world has only ranks, steps and seed.
     * Returns NULL, or a sentence about a mistake: the program ends as after a bad option. pen_options_graph, and so
     * pen_main, calls it. May be NULL. */
    const char *(*rows)(void *params, const pen_world *world, int rank, struct pen_csr *mine);
    /* The graph that --save-graph=FILE writes, instead of the initial one. Collective, called on every rank after the
     * last step, if such a file is requested. Sets this rank's rows of it, as .rows does. For METIS text its gids must
     * be 0..n-1, in contiguous ranges in rank order. Returns NULL, or a sentence about a mistake: no file is written
     * then. pen_options_report, and so pen_main, calls it. May be NULL. */
    const char *(*saved_rows)(pen_run *run, void *params, struct pen_csr *mine);
} pen_app_graph;

/* The end of a run: pen_app.end. */
typedef struct pen_app_end {
    /* Local, called on every rank after every step, never on the initial state. Returns true to end the run after this
     * step. The answer must depend only on the observables (pen_run_observed_real), the globals and pen_run_step, which
     * are equal on all ranks; otherwise ranks would wait for each other without end. May be NULL. */
    bool (*done)(const pen_run *run, const void *params);
    /* End the run when nothing changes any more: after a step, whose number (from 1) is a multiple of 16, in which no
     * byte of a record has changed, and no node has sent or received mail, or asked for a random number, pen_step, an
     * observable or globals. All fields that phases write must be plain; .modify, .edge_writes and .always are
     * impossible. --until=quiet does the same. */
    bool quiet;
    /* The most steps of a run if the command line has neither --steps nor --until. 0: PEN_UNLIMITED if there is .done
     * or .quiet, else 100. With --until and without --steps a run is unlimited. */
    int64_t steps;
} pen_app_end;

/* An application's own output, and its members in result files: pen_app.output. */
typedef struct pen_app_output {
    /* Collective, called on every rank before the first step (step 0) and after every step; in a resumed run also
     * before its first step, if an output of that state has failed in the run that saved it.
     * For the application's own output, such as that of pen_run_gather's records. `out` is the stream for rank 0;
     * NULL on the other ranks and with --quiet. A failure, the same on all ranks, ends the run.
     * May be NULL. */
    pen_status (*write)(pen_run *run, int64_t step, void *params, FILE *out);
    struct {
        const pen_member *list; /* [count] possible members of result files, or NULL */
        int count;
    } members;
    /* Prints the node's text, without newline, for the dump, the checksum and the comparison. NULL: the text has the
     * values of .members, separated by spaces. */
    void (*print)(const pen_view *v, FILE *out);
    pen_shape shape; /* shape of all nodes in result files */
    /* Local, between steps. Sets the length of a box in each dimension, sides[d] > 0, or the width of a hexagon,
     * sides[0]; all are 1 at first. It needs such a shape, and sees the same records as .print. NULL: they stay 1. */
    void (*sides)(const pen_view *v, double sides[3]);
    /* The nodes are cells of a mesh, unless pen_output_options.mesh names another one. Local, called on every rank when
     * the first of VTK's files is due, at the latest. Sets this rank's part of the mesh, in arrays that the application
     * keeps and that are read at once; *mine is zero at first. Returns NULL, or a sentence about a mistake: the run
     * ends as after a bad option. May be NULL. */
    const char *(*mesh)(void *params, const pen_world *world, int rank, pen_mesh *mine);
} pen_app_output;

/* The part of an application in checkpoints: pen_app.checkpoint. */
typedef struct pen_app_checkpoint {
    /* Options of the application that do not change results, "progress,colour": a checkpoint may be resumed with other
     * values. "steps" in this list means that nothing that .setup derives from pen_world.steps changes results. NULL:
     * none. */
    const char *may_differ;
    /* The application's own data for checkpoints: data outside of records that does not follow from its options. Local,
     * on rank 0, between steps: prints it as text without '\0'. May be NULL. */
    void (*save)(const pen_run *run, const void *params, FILE *out);
    /* Reads the text that .save printed, on any number of ranks. Local, called on every rank before .setup of a resumed
     * run, instead of .graph.rows: such a run cannot be verified. Returns NULL, or a sentence about a mistake: the run
     * then ends as after a bad option. Given if and only if .save is. */
    const char *(*restore)(void *params, const char *text);
    /* Whether a node's records are possible results of the node functions. Local, called for every node before anything
     * is computed from records of a checkpoint, which can come from anyone. Return false if a number that is used as an
     * index, a count or a shift is out of range. It sees the node's own records and gid, PEN_GLOBALS and pen_params,
     * but not its neighbours' records. False ends in PEN_ERR_INPUT. May be NULL. */
    bool (*valid)(const pen_view *v);
} pen_app_checkpoint;

/* An application with its records, node functions and results, in the order of a run. It is usually constant. Members
 * may be zero, except name, fields, phases and init. Initialise the tables by PEN_FIELDS(array) and similar macros. */
typedef struct pen_app {
    const char *name;
    struct {
        const pen_field *list; /* [count] the fields */
        int count;
    } fields;
    struct {
        const pen_edge_field *list; /* [count] the edge fields, or NULL */
        int count;
    } edge_fields;
    struct {
        const pen_phase *list; /* [count] the phases, in the order of a step */
        int count;
    } phases;
    struct {
        const pen_observable *list; /* [count] the observables, or NULL */
        int count;
        /* Evaluates those that belong to no phase (PEN_OBSERVE_SWEEP): after a step, with pen_step being that step, and
         * once on the initial state, with pen_step being -1. It may be called for those nodes only whose records, or
         * neighbours' records, have changed: with those before and after the step. NULL if there are no such
         * observables. */
        pen_observe_fn *observe;
    } observables;
    struct {
        const pen_input_column *list; /* [count] values from files, or NULL */
        int count;
    } inputs;
    struct {
        const pen_mail *list; /* [count] the kinds of mail, or NULL */
        int count;
    } mails;
    /* The application's own options, or NULL; they hide the library's of the same names. A file that one of their texts
     * names counts as an input file: no output replaces it. */
    const pen_option *options;
    /* Parameters of a run, for node functions (pen_params) and the functions below; may be NULL. Runs with different
     * parameters have copies of the application. The parameters must not change between .setup and the end of the run,
     * since pen_run_verify recomputes all steps with the last ones. Values that change between steps are globals
     * (pen_run_set_globals). */
    void *params;
    /* Local, called on every rank before .init; may check and complete *params. Returns NULL, or a sentence about a
     * mistake: the run then ends as after a bad option. May be NULL. */
    const char *(*setup)(void *params, const pen_world *world);
    pen_node_fn *init; /* writes the first record of every field (PEN_NEXT) */
    /* Writes the first records of a node's arcs (PEN_EDGE_OWN), called once for every node after .init. It can read the
     * node's own first records, its neighbours' first records of the fields that some phase reads from neighbours, and
     * values from files (pen_edge_input). May be NULL. */
    pen_node_fn *init_edges;
    const pen_globals *globals; /* the globals; NULL: none */
    /* Local, called on every rank after every step, when the observables are known. Returns NULL, or a sentence about a
     * mistake: pen_run_steps then returns PEN_ERR_CHECK. It needs observables or globals, which are equal on all
     * ranks, so the answer is; it must not depend on anything else. May be NULL. */
    const char *(*check)(const pen_run *run, const void *params);
    pen_app_graph graph;
    pen_app_end end;
    pen_app_output output;
    pen_app_checkpoint checkpoint;
} pen_app;

/* The tables of an application in its initialiser: { .name = "mine", PEN_FIELDS(fields), PEN_PHASES(phases) }; the
 * members in those of its output, { PEN_MEMBERS(members) }, and of its globals. The observables stand with the function
 * that evaluates them, or NULL: PEN_OBSERVABLES(observables, observe_sweep). */
#define PEN_TABLE(array)             \
    {                                \
        (array), PEN_COUNT_OF(array) \
    }
#define PEN_FIELDS(array) .fields = PEN_TABLE(array)
#define PEN_EDGE_FIELDS(array) .edge_fields = PEN_TABLE(array)
#define PEN_PHASES(array) .phases = PEN_TABLE(array)
#define PEN_OBSERVABLES(array, observe_function) .observables = { (array), PEN_COUNT_OF(array), observe_function }
#define PEN_INPUTS(array) .inputs = PEN_TABLE(array)
#define PEN_MAILS(array) .mails = PEN_TABLE(array)
#define PEN_MEMBERS(array) .members = PEN_TABLE(array)

#ifdef __cplusplus
}
#endif

#endif
