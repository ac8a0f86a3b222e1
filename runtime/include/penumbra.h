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
 *         static const pen_phase phases[] = { { "relax", relax, .reads = PEN_FIELD(CELL), .writes = PEN_FIELD(CELL) }
 * }; static const pen_app app = { .name = "heat", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .print = print
 * }; return pen_main(&app, argc, argv);
 *     }
 *
 * The result is bit-identical for every number of ranks, transport and partitioner, provided that
 * the program is compiled as the library is: -std=c11 -ffp-contract=off, no fast-math (linking to
 * the CMake target penumbra sets this).
 *
 * Conventions. Every function that can fail returns a pen_status; 0 is success, and after a failure
 * pen_error_message() has the details. "Collective" functions are called by all ranks of the
 * communicator with equal arguments, and return the same status on all of them: a failure on one
 * rank never leaves another waiting. "Local" functions involve nobody else. One thread per rank.
 */
#ifndef PENUMBRA_H
#define PENUMBRA_H

#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PEN_API __attribute__((visibility("default")))
#define PEN_CHECKED __attribute__((warn_unused_result))
#else
#define PEN_API
#define PEN_CHECKED
#endif

/* ---- Integers ------------------------------------------------------------------------------- */

/* A node's global id: any non-negative value, possibly sparse. */
typedef int64_t pen_gid;
#define PRIgid PRId64

/* A slot: index of a node in its rank's planes, owned slots first, shadows behind them. */
typedef int32_t pen_lid;
#define PRIlid PRId32

/* ---- Status --------------------------------------------------------------------------------- */

typedef enum pen_status {
    PEN_OK = 0,
    PEN_ERR_ARGUMENT = -1,    /* a caller's argument is out of its legal range; nothing changed */
    PEN_ERR_INPUT = -2,       /* a file or an option is malformed; nothing changed */
    PEN_ERR_MEMORY = -3,      /* out of memory; nothing changed */
    PEN_ERR_IO = -4,          /* reading or writing failed; a file under its final name is untouched */
    PEN_ERR_MPI = -5,         /* an MPI call failed; the object is unusable, destroy it */
    PEN_ERR_ENVIRONMENT = -6, /* this MPI set-up cannot do what was asked; the message has the remedy */
    PEN_ERR_UNSUPPORTED = -7, /* not available in this build or for this input; nothing changed */
    PEN_ERR_INTERNAL = -8,    /* a broken invariant of the library: please report it */
    PEN_ERR_CHECK = -9        /* the application's .check found its computation wrong */
} pen_status;

/* Local. The name ("PEN_ERR_INPUT") and the sentence of a status; never NULL. Static storage. */
PEN_API const char *pen_status_name(pen_status status);
PEN_API const char *pen_status_text(pen_status status);

/* Local. What the last failing call on this thread had to say: one line, no newline. Never NULL;
 * valid until the next failing call. After a collective failure it is the same on every rank. */
PEN_API const char *pen_error_message(void);

/* ---- The view of one node ------------------------------------------------------------------- */

/* What the nodes of a phase with .far wanted; the library's business. */
typedef struct pen_far {
    const int64_t *first; /* [owned+1] where a node's wishes begin */
    const pen_gid *gids;  /* [first[owned]] the wishes */
    const pen_lid *slots; /* [first[owned]] below `known`: a slot; from there on: a place in records; -1: no node */
    pen_lid known;        /* owned + shadows */
    const void *const *records; /* [fields] of nodes without a slot here */
} pen_far;

/* What a node function sees. The members are the library's business, except in a block function,
 * which may index the arrays directly (see pen_block_fn). */
typedef struct pen_view {
    pen_lid slot;                /* this node */
    const uint32_t *rows;        /* [owned+1] offsets into columns */
    const pen_lid *columns;      /* [rows[owned]] slots of the neighbours, ascending by gid */
    const pen_gid *gids;         /* [owned+shadows] */
    const int64_t *node_weights; /* [owned]; NULL: every weight is 1 */
    const int64_t *edge_weights; /* [rows[owned]]; NULL: every weight is 1 */
    const void *const *current;  /* [fields] planes that are read: value at the start of the phase */
    void *const *next;           /* [fields] planes that are written; NULL where not in .writes */
    const size_t *sizes;         /* [fields] bytes per record */
    int64_t step;                /* from 0 */
    const void *params;          /* pen_app.params */
    struct pen_scratch *scratch; /* for pen_scratch_get */
    const pen_far *far;          /* NULL in a phase without .far */
} pen_view;

/* All Local, valid inside a node function. i is in [0, pen_degree(v)). */
static inline pen_gid pen_id(const pen_view *v) { return v->gids[v->slot]; }
static inline int32_t pen_degree(const pen_view *v) { return (int32_t)(v->rows[v->slot + 1] - v->rows[v->slot]); }
static inline pen_lid pen_neighbor_slot(const pen_view *v, int32_t i)
{
    return v->columns[v->rows[v->slot] + (uint32_t)i];
}
static inline pen_gid pen_neighbor_id(const pen_view *v, int32_t i) { return v->gids[pen_neighbor_slot(v, i)]; }
static inline int64_t pen_node_weight(const pen_view *v) { return v->node_weights ? v->node_weights[v->slot] : 1; }
static inline int64_t pen_edge_weight(const pen_view *v, int32_t i)
{
    return v->edge_weights ? v->edge_weights[v->rows[v->slot] + (uint32_t)i] : 1;
}
static inline int64_t pen_step(const pen_view *v) { return v->step; }
static inline const void *pen_params(const pen_view *v) { return v->params; }

/* The node's own record and the i-th neighbour's, as they were at the start of the phase (const),
 * and the node's next record, unspecified on entry: write every member of it. FIELD is the index
 * into pen_app.fields, type the record's type. */
#define PEN_SELF(v, FIELD, type) (&((const type *)(v)->current[FIELD])[(v)->slot])
#define PEN_NEIGHBOR(v, FIELD, type, i) (&((const type *)(v)->current[FIELD])[pen_neighbor_slot(v, i)])
#define PEN_NEXT(v, FIELD, type) (&((type *)(v)->next[FIELD])[(v)->slot])

/* Copy the current record of a written field to the next one. */
#define PEN_KEEP(v, FIELD) pen_keep(v, FIELD)
static inline void pen_keep(const pen_view *v, int field)
{
    size_t size = v->sizes[field], offset = (size_t)v->slot * size;
    memcpy((char *)v->next[field] + offset, (const char *)v->current[field] + offset, size);
}

/* In a phase with .far: how many gids this node wanted, the k-th of them in its own order, and the record of
 * that node as it was at the start of the phase; NULL where no node has that gid. FIELD is one of .far_reads;
 * k is in [0, pen_far_count(v)). */
#define PEN_FAR(v, FIELD, type, k) ((const type *)pen_far_record((v), (FIELD), (k)))
static inline int32_t pen_far_count(const pen_view *v)
{
    return v->far ? (int32_t)(v->far->first[v->slot + 1] - v->far->first[v->slot]) : 0;
}
static inline pen_gid pen_far_id(const pen_view *v, int32_t k) { return v->far->gids[v->far->first[v->slot] + k]; }
static inline const void *pen_far_record(const pen_view *v, int field, int32_t k)
{
    const pen_far *far = v->far;
    pen_lid slot = far->slots[far->first[v->slot] + k];
    if (slot < 0) return NULL;
    return slot < far->known ? (const char *)v->current[field] + (size_t)slot * v->sizes[field]
                             : (const char *)far->records[field] + (size_t)(slot - far->known) * v->sizes[field];
}

/* Local. Scratch memory for one call of a node function: at least `bytes`, aligned for any type,
 * owned by the run, contents unspecified, valid until the node function returns or asks again.
 * Never NULL: where memory is exhausted the program ends with a message. */
PEN_API void *pen_scratch_get(const pen_view *v, size_t bytes);

/* ---- An application ------------------------------------------------------------------------- */

/* A fixed-size record that every node has. size > 0. At most 64 fields. */
typedef struct pen_field {
    const char *name;
    size_t size;
} pen_field;

#define PEN_FIELD(index) (UINT64_C(1) << (index))

/* Computes one node: reads its own record of any field and its neighbours' records of the fields in
 * .reads, writes its next records of the fields in .writes, and nothing else. */
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

/* One sweep over all owned nodes. Exactly one of node and block is given. A field that is not
 * written keeps its value at no cost; .writes is not empty.
 *
 * With .far, called for every node before the phase, nodes read records of nodes of their choice, wherever
 * these are: they are looked up once until nodes next move, and their records got before the first node is
 * computed. All ranks agree in every such phase, and synchronise where anything is to be got. Needs .node. */
typedef struct pen_phase {
    const char *name;
    pen_node_fn *node;
    uint64_t reads;  /* fields read from neighbours: PEN_FIELD(A) | PEN_FIELD(B) */
    uint64_t writes; /* fields written */
    pen_block_fn *block;
    pen_far_fn *far;    /* NULL: neighbours are enough */
    uint64_t far_reads; /* fields read from what .far names; 0 exactly where far is NULL */
} pen_phase;

/* A quantity over all nodes, evaluated after every step and bit-identical for every way of running:
 * sums of doubles are exact before their one rounding. A NaN among the reals makes any of them NaN. */
typedef enum pen_observable_kind {
    PEN_SUM_INT, /* a count is a sum of ones */
    PEN_MIN_INT,
    PEN_MAX_INT,
    PEN_SUM_REAL,
    PEN_MIN_REAL,
    PEN_MAX_REAL
} pen_observable_kind;

typedef struct pen_observable {
    const char *name;
    pen_observable_kind kind;
} pen_observable;

typedef struct pen_observation pen_observation;

/* Local, inside .observe. Contribute a value to the observable with that index; the kind must be an
 * _INT or a _REAL one respectively (else the program ends with a message). */
PEN_API void pen_observe_int(pen_observation *observation, int index, int64_t value);
PEN_API void pen_observe_real(pen_observation *observation, int index, double value);

/* An option of the command line, "--name=VALUE". The value stays as it is where the option is not
 * given: initialise it with the default. A table ends with an entry whose name is NULL. */
typedef enum pen_option_kind {
    PEN_OPTION_FLAG, /* bool:        "--name" */
    PEN_OPTION_INT,  /* int64_t */
    PEN_OPTION_REAL, /* double, finite */
    PEN_OPTION_TEXT  /* const char *: points into argv */
} pen_option_kind;

typedef struct pen_option {
    const char *name;     /* without the dashes */
    const char *argument; /* what the help shows behind "=", e.g. "N"; NULL for a flag */
    const char *help;     /* one line */
    pen_option_kind kind;
    void *value;
    int64_t low, high; /* legal range of an _INT, where low < high */
} pen_option;

/* What is known when .setup is called. */
typedef struct pen_world {
    int64_t nodes;         /* of the whole graph */
    int64_t steps;         /* that will run */
    int64_t width, height; /* of a grid of two dimensions, where gid = row * width + column; else 0 */
    int ranks;
} pen_world;

typedef struct pen_run pen_run;

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
    void (*observe)(const pen_view *v, pen_observation *observation); /* current records after a step */
    const char *default_graph; /* where the command line names none, e.g. "grid=32x32"; NULL: it must */
    const pen_option *options; /* the application's own, or NULL */
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
} pen_app;

#define PEN_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PEN_FIELDS(array) .fields = (array), .field_count = PEN_COUNT_OF(array)
#define PEN_PHASES(array) .phases = (array), .phase_count = PEN_COUNT_OF(array)
#define PEN_OBSERVABLES(array) .observables = (array), .observable_count = PEN_COUNT_OF(array)

/* The whole program: reads the command line, sets MPI up, runs, reports, finalises. Returns the
 * exit status: 0 done, 1 --verify or .check found the results wrong, 2 usage or input error, 3 the MPI
 * environment cannot run this. MPI must not be initialised. `--help` shows all options. */
PEN_API int pen_main(const pen_app *app, int argc, char **argv);

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

/* ---- Set-up for programs that have their own main ------------------------------------------- */

/* Local, before MPI_Init. Puts right in the environment what is known to be broken or slow in the
 * MPI library's defaults for one-sided runs, unless the user has set it (environment, mpirun's
 * command line, ~/.openmpi/mca-params.conf). pen_main does it; other programs should. */
PEN_API void pen_environment_prepare(void);

/* ---- Graphs --------------------------------------------------------------------------------- */

/* A distributed graph: every rank holds the adjacency of some nodes. Immutable. */
typedef struct pen_graph pen_graph;

/* What a 1xx fmt in a Chaco/METIS file means: vertex sizes (METIS) or vertex numbers (Chaco). */
typedef enum pen_dialect { PEN_DIALECT_METIS, PEN_DIALECT_CHACO } pen_dialect;

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
PEN_API PEN_CHECKED pen_status pen_graph_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                              pen_graph **graph);

/* Collective. Write a file that pen_graph_read reads back equal: in the binary format where `path` ends in
 * ".pen", else METIS text. Text has weights where the graph has them, but no coordinates, and gids must be
 * 0..n-1, in contiguous ranges in rank order, as reading and generating make them (else
 * PEN_ERR_UNSUPPORTED). The file appears under its name only when complete; an existing one is
 * replaced if it is a regular file. Errors besides: PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_graph_write(const pen_graph *graph, const char *path);

/* Collective. A width x height field of hexagons in offset rows (odd rows shifted right by half a
 * hexagon), up to six neighbours; gid = row * width + column. width, height >= 1, product <= 2^62. */
PEN_API PEN_CHECKED pen_status pen_graph_hex(MPI_Comm comm, int64_t width, int64_t height, pen_graph **graph);

/* Collective. A connected random graph of mean degree about `degree` (>= 2 where nodes > 2; what exceeds
 * nodes - 1 counts as that): a random recursive tree and random edges besides, loops and duplicates
 * dropped; a function of the arguments only, not of the ranks. nodes >= 1. */
PEN_API PEN_CHECKED pen_status pen_graph_random(MPI_Comm comm, int64_t nodes, double degree, uint64_t seed,
                                                pen_graph **graph);

/* Collective. A graph by the name of its kind and settings, in one text, as the command line has it:
 *
 *     hex:WxH               what pen_graph_hex makes
 *     mesh:WxH, mesh:WxHxD  a grid of 2 or 3 dimensions, up to 4 or 6 neighbours;
 *                           gid = (z * H + y) * W + x
 *     torus:WxH, :WxHxD     the same with opposite sides joined; a ring of two is one edge, of one none
 *     tree:nodes=N,arity=K  a complete tree numbered as a heap: the children of i are K * i + 1 .. K * i + K as
 *                           far as they are below N; arity 2
 *     random:nodes=N,degree=D,seed=S
 *                           what pen_graph_random makes; degree 6, seed 1
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
 * The graph is a function of the text only, not of the ranks. With the setting `coordinates`, hex, mesh, torus
 * and geometric know where their nodes are, for whoever draws the graph, and keep it in a binary file: 8 bytes
 * per node and dimension.
 * Errors: PEN_ERR_INPUT (an unknown kind or setting; a value that is none or out of its range),
 * PEN_ERR_ARGUMENT (as pen_graph_random), PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED (more than 2^31 - 1
 * nodes on one rank). */
PEN_API PEN_CHECKED pen_status pen_graph_generate(MPI_Comm comm, const char *spec, pen_graph **graph);

/* This rank's rows of a graph. Arrays are read during the call only. */
typedef struct pen_csr {
    pen_lid count;               /* nodes on this rank, >= 0 */
    const pen_gid *gids;         /* [count] distinct over all ranks, >= 0, any order */
    const int64_t *rows;         /* [count+1], rows[0] = 0, ascending */
    const pen_gid *neighbors;    /* [rows[count]] no loops, no duplicates in a row, any order */
    const int64_t *node_weights; /* [count] >= 0, or NULL for 1; NULL on all ranks or on none */
    const int64_t *edge_weights; /* [rows[count]] > 0, equal in both directions, or NULL likewise */
    bool directed;               /* else every arc needs its reverse, wherever it lives */
} pen_csr;

/* Collective. A graph from rows that the caller has, at least one on some rank, fully validated.
 * Errors: PEN_ERR_ARGUMENT where the arrays are no rows, PEN_ERR_INPUT where the rows are no graph (the
 * message names the gids), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_graph_from_csr(MPI_Comm comm, const pen_csr *mine, pen_graph **graph);

/* Local. Nodes, and edges (undirected: each once; directed: arcs), of the whole graph. */
PEN_API int64_t pen_graph_nodes(const pen_graph *graph);
PEN_API int64_t pen_graph_edges(const pen_graph *graph);

/* Collective. Frees and nulls *graph; NULL and a null handle are legal. */
PEN_API void pen_graph_destroy(pen_graph **graph);

/* ---- Runs ----------------------------------------------------------------------------------- */

/* A pen_run is a computation in progress. Several may live at once, also on split communicators. */

typedef struct pen_run_options {
    const char *partitioner;  /* "name[:key=value,...]", NULL: metis */
    const char *transport;    /* NULL: fence, or two-sided where MPI offers no window; "auto": the fastest */
    int64_t steps;            /* that will be run in all: what .setup is told; 0: not known */
    const char *balancer;     /* "name[:settings]", or a plug-in's path; NULL: none */
    const char *balance_when; /* NULL or "auto": when it pays; "every:N": after every N steps, if it gains at all */
    const char *load;         /* NULL or "measured"; "declared": by .cost, then runs are reproducible */
    const char *balance_cost; /* "BASE[:PER_NODE]" in declared units: what a call costs, and per node of those that the
                               * busiest rank sends or gets; NULL: 5 % of the mean rank's load, half the mean node's */
    FILE *explain;            /* where rank 0 prints how the transport was chosen and planned; NULL: nowhere */
} pen_run_options;

/* Collective. Partition the graph, place the nodes, initialise them, pull the first shadows. `app`
 * must live as long as the run; the graph, which must live on the same ranks, is not needed any more
 * afterwards. options may be NULL. Errors: PEN_ERR_INPUT (a name or a setting), PEN_ERR_ENVIRONMENT
 * (MPI cannot carry out the transport that was asked for; the default falls back to two-sided with
 * one line on standard error), PEN_ERR_ARGUMENT, _MEMORY, _MPI, _UNSUPPORTED. */
PEN_API PEN_CHECKED pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                                              const pen_run_options *options, pen_run **run);

/* Collective. Run `steps` >= 0 more steps. An MPI failure inside a step ends the program. Errors: what .output
 * returns, and PEN_ERR_CHECK from .check, both behind a whole step; PEN_ERR_MEMORY, where there is no memory for
 * far reads: some steps are done, and the one in progress stands before the phase that failed; the next call
 * goes on from there, and that step counts as its first. */
PEN_API PEN_CHECKED pen_status pen_run_steps(pen_run *run, int64_t steps);

/* This rank's nodes; pointers are valid until the next pen_run_steps or pen_run_destroy. */
typedef struct pen_local {
    pen_lid count;
    const pen_gid *gids;       /* [count], in slot order */
    const void *const *fields; /* [fields] current records, each [count] */
} pen_local;

/* Local. */
PEN_API pen_local pen_run_local(const pen_run *run);

/* Collective. The current records of any nodes: each rank asks for its own `count` >= 0 gids, with repetitions
 * or none, of one field, the same on all ranks. records[i], `size of the field` bytes, gets that of gids[i], and
 * found[i] whether there is such a node; where there is none the record stays as it is. Nothing is written
 * on failure, the same on all ranks: PEN_ERR_ARGUMENT, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_API PEN_CHECKED pen_status pen_run_fetch(pen_run *run, int field, int64_t count, const pen_gid *gids, void *records,
                                             bool *found);

/* Local. The value of an observable after the last step: exactly one of the two fits its kind. */
PEN_API int64_t pen_run_observed_int(const pen_run *run, int index);
PEN_API double pen_run_observed_real(const pen_run *run, int index);

/* The records of one field, of all nodes. */
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

/* Collective. Order-free checksum over all nodes' texts: equal for every way of running. Needs
 * app->print (else PEN_ERR_ARGUMENT). */
PEN_API PEN_CHECKED pen_status pen_run_checksum(pen_run *run, uint64_t *checksum);

/* Collective. Write "gid text" per line, ascending gid, or the metrics as JSON. The file appears
 * under its name only when complete. */
PEN_API PEN_CHECKED pen_status pen_run_dump(pen_run *run, const char *path);
PEN_API PEN_CHECKED pen_status pen_run_metrics(pen_run *run, const char *path);

/* Collective. Frees and nulls *run; NULL and a null handle are legal. Call it before MPI_Finalize. */
PEN_API void pen_run_destroy(pen_run **run);

#ifdef __cplusplus
}
#endif

#endif
