/* penumbra_types.h - what node functions, balancers and partitioners see: no MPI.
 *
 * penumbra.h includes this header; a source that has node functions only, or a plug-in, needs no more, and is compiled
 * without MPI. */
#ifndef PENUMBRA_TYPES_H
#define PENUMBRA_TYPES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <penumbra_random.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a shared object offers to others: it stands before the one symbol of a plug-in (PEN_API), and what a caller must
 * not ignore (PEN_CHECKED). */
#if defined(__GNUC__)
#define PEN_API __attribute__((visibility("default")))
#define PEN_CHECKED __attribute__((warn_unused_result))
#else
#define PEN_API
#define PEN_CHECKED
#endif

/* ---- Versions ------------------------------------------------------------------------------- */

/* The interface keeps a promise within a major version: programs and plug-ins that were built against an older header
 * work with a newer library. Structures grow at their end only; what an older program does not have reads as
 * zero, which means what was before. Programs ask with the preprocessor what the header has. */
#define PEN_VERSION_MAJOR 1
#define PEN_VERSION_MINOR 4
#define PEN_VERSION_PATCH 0

/* One number to compare: 10203 is 1.2.3. */
#define PEN_VERSION (PEN_VERSION_MAJOR * 10000 + PEN_VERSION_MINOR * 100 + PEN_VERSION_PATCH)

/* Local. The version of the library that is linked, e.g. "1.1.0". Static storage. */
PEN_API const char *pen_version(void);

/* ---- Integers ------------------------------------------------------------------------------- */

/* A node's global id: any non-negative value, possibly sparse. */
typedef int64_t pen_gid;
#define PRIgid PRId64

/* A slot: index of a node in its rank's planes, owned slots first, shadows behind them. */
typedef int32_t pen_lid;
#define PRIlid PRId32

/* ---- Status --------------------------------------------------------------------------------- */

/* What a function that can fail returns, and what has changed then. */
typedef enum pen_status {
    PEN_OK = 0,
    PEN_ERR_ARGUMENT = -1,    /* a caller's argument is out of its legal range; nothing changed */
    PEN_ERR_INPUT = -2,       /* a file or an option is malformed; nothing changed */
    PEN_ERR_MEMORY = -3,      /* out of memory; nothing changed but what the function's description tells */
    PEN_ERR_IO = -4,          /* reading or writing failed; a file under its final name is untouched */
    PEN_ERR_MPI = -5,         /* an MPI call failed; the object is unusable, destroy it */
    PEN_ERR_ENVIRONMENT = -6, /* this MPI set-up cannot do what was asked; the message has the remedy */
    PEN_ERR_UNSUPPORTED = -7, /* not available in this build or for this input; nothing changed */
    PEN_ERR_INTERNAL = -8,    /* a broken invariant of the library: please report it */
    PEN_ERR_CHECK = -9,       /* the application's .check, --verify or the strict mode found it wrong */
    PEN_ERR_STOPPED = -10     /* the run was asked to end; a checkpoint has its state */
} pen_status;

/* Local. The name and the sentence of a status, as "PEN_ERR_INPUT"; never NULL. Static storage. */
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
    pen_lid slot;                 /* this node */
    const uint32_t *rows;         /* [owned+1] offsets into columns */
    const pen_lid *columns;       /* [rows[owned]] slots of the neighbours, ascending by gid */
    const pen_gid *gids;          /* [owned+shadows] */
    const int64_t *node_weights;  /* [owned]; NULL: every weight is 1 */
    const int64_t *edge_weights;  /* [rows[owned]]; NULL: every weight is 1 */
    const void *const *current;   /* [fields] planes that are read: value at the start of the phase */
    void *const *next;            /* [fields] planes that are written; NULL where not in .writes */
    const size_t *sizes;          /* [fields] bytes per record */
    int64_t step;                 /* from 0 */
    const void *params;           /* of the run */
    struct pen_scratch *scratch;  /* for pen_scratch_get */
    const pen_far *far;           /* NULL in a phase without .far */
    const int64_t *observed_ints; /* [observables] last values, of those of an _INT kind */
    const double *observed_reals; /* [observables] of those of a _REAL kind */
    int dimensions;               /* of the coordinates, 1 to 3; 0: the graph has none */
    const double *coordinates;    /* [(owned+shadows)*dimensions] node by node */
    const int32_t *readers;       /* [owned] of a directed graph, else NULL: they are the neighbours */
    uint64_t seed;                /* pen_run_options.seed */
    const void *const *edges;     /* [edge_fields] records of the arcs, [rows[owned]] each */
    void *const *own_edges;       /* [edge_fields] the same, NULL where they are not to be written */
} pen_view;

/* These are Local, and valid inside a node function. i is in [0, pen_degree(v)), in ascending order of the neighbours'
 * gids. */

/* The node's gid. */
static inline pen_gid pen_id(const pen_view *v) { return v->gids[v->slot]; }
/* How many neighbours the node has; of a directed graph, how many nodes it reads from. */
static inline int32_t pen_degree(const pen_view *v) { return (int32_t)(v->rows[v->slot + 1] - v->rows[v->slot]); }
/* The slot of the i-th neighbour on this rank; other on every rank, and after every migration. */
static inline pen_lid pen_neighbor_slot(const pen_view *v, int32_t i)
{
    return v->columns[v->rows[v->slot] + (uint32_t)i];
}
/* The gid of the i-th neighbour. */
static inline pen_gid pen_neighbor_id(const pen_view *v, int32_t i) { return v->gids[pen_neighbor_slot(v, i)]; }
/* The node's weight, that which counts as its load where there are several; 1 where the graph has none. */
static inline int64_t pen_node_weight(const pen_view *v) { return v->node_weights ? v->node_weights[v->slot] : 1; }
/* The weight of the edge to the i-th neighbour; 1 where the graph has none. */
static inline int64_t pen_edge_weight(const pen_view *v, int32_t i)
{
    return v->edge_weights ? v->edge_weights[v->rows[v->slot] + (uint32_t)i] : 1;
}
/* The step in progress, from 0. */
static inline int64_t pen_step(const pen_view *v) { return v->step; }
/* The parameters of this run: pen_run_options.params, or else pen_app.params. */
static inline const void *pen_params(const pen_view *v) { return v->params; }

/* The value that observable k had when it was last evaluated: in a step those of .observe are of the step before, in
 * the first step of the initial state; those that a phase observes are of that phase's beginning, once it has begun.
 * One that was not evaluated yet is 0. k must be an index into pen_app.observables of an _INT or a _REAL kind
 * respectively: this is not checked. This is of an _INT kind. */
static inline int64_t pen_observed_int(const pen_view *v, int k) { return v->observed_ints[k]; }
/* The same of a _REAL kind. */
static inline double pen_observed_real(const pen_view *v, int k) { return v->observed_reals[k]; }

/* The d-th coordinate of this node, and of the i-th neighbour, d in [0, v->dimensions). v->dimensions is 0 where the
 * graph has no coordinates, and there is nothing to ask for then; which graphs have them, see pen_graph_generate and
 * pen_graph_read. */
static inline double pen_coordinates(const pen_view *v, int d)
{
    return v->coordinates[(int64_t)v->slot * v->dimensions + d];
}
static inline double pen_neighbor_coordinate(const pen_view *v, int32_t i, int d)
{
    return v->coordinates[(int64_t)pen_neighbor_slot(v, i) * v->dimensions + d];
}

/* The number of nodes that read this one as a neighbour. That is its degree, or in a directed graph, where a node's
 * neighbours are those that it reads, how many name it among theirs: the out-degree, where data is thought to flow
 * along the arcs. */
static inline int32_t pen_readers(const pen_view *v) { return v->readers ? v->readers[v->slot] : pen_degree(v); }

/* A random word, integer in [0, n), or real in [0, 1), the same for every way of running. It depends on the run's seed
 * (pen_run_options.seed, --seed=N), the node's gid, the step, and `stream` only: equal arguments give equal numbers. A
 * node that needs several, also in several phases of a step, takes a stream for each, of any values. In .init pen_step
 * is 0, as in the first step: to draw others there, take other streams. n > 0.
 *
 * It is made of the first word of Threefry-2x64-20 (pen_threefry) of the counter (gid, step) and the key (seed,
 * stream); a block function calls that. */
static inline uint64_t pen_random(const pen_view *v, uint64_t stream)
{
    const uint64_t counter[2] = { (uint64_t)pen_id(v), (uint64_t)v->step }, key[2] = { v->seed, stream };
    uint64_t random[2];
    pen_threefry(counter, key, random);
    return random[0];
}
static inline int64_t pen_random_below(const pen_view *v, uint64_t stream, int64_t n)
{
    return pen_below(pen_random(v, stream), n);
}
static inline double pen_random_real(const pen_view *v, uint64_t stream)
{
    return pen_unit_real(pen_random(v, stream));
}

/* The node's own record and the i-th neighbour's, as they were at the start of the phase (const),
 * and the node's next record, unspecified on entry: write every member of it (that anybody will read). FIELD is the
 * index into pen_app.fields, type the record's type. */
#define PEN_SELF(v, FIELD, type) (&((const type *)(v)->current[FIELD])[(v)->slot])
#define PEN_NEIGHBOR(v, FIELD, type, i) (&((const type *)(v)->current[FIELD])[pen_neighbor_slot(v, i)])
#define PEN_NEXT(v, FIELD, type) (&((type *)(v)->next[FIELD])[(v)->slot])

/* The same records, for fields whose size .setup settles, so that no type tells it. */
static inline const void *pen_self_record(const pen_view *v, int field)
{
    return (const char *)v->current[field] + (size_t)v->slot * v->sizes[field];
}
static inline const void *pen_neighbor_record(const pen_view *v, int field, int32_t i)
{
    return (const char *)v->current[field] + (size_t)pen_neighbor_slot(v, i) * v->sizes[field];
}
static inline void *pen_next_record(const pen_view *v, int field)
{
    return (char *)v->next[field] + (size_t)v->slot * v->sizes[field];
}

/* The record of the arc to the i-th neighbour, which belongs to this node alone: the neighbour's of the arc back is
 * another one. EFIELD is the index into pen_app.edge_fields, type the record's type. PEN_EDGE reads it (const), also in
 * .far, .observe, .cost and .print; not in .init, before which there is none. PEN_EDGE_OWN writes it in place, in
 * .init_edges, and in phases that name the edge field in .edge_writes: then what is not written stays. A block function
 * finds the record of arc a, rows[s] <= a < rows[s+1] of slot s, at v->edges[EFIELD], or v->own_edges[EFIELD]. */
#define PEN_EDGE(v, EFIELD, type, i) (&((const type *)(v)->edges[EFIELD])[(v)->rows[(v)->slot] + (uint32_t)(i)])
#define PEN_EDGE_OWN(v, EFIELD, type, i) (&((type *)(v)->own_edges[EFIELD])[(v)->rows[(v)->slot] + (uint32_t)(i)])

/* Copy the current record of a written field to the next one. */
#define PEN_KEEP(v, FIELD) pen_keep(v, FIELD)
static inline void pen_keep(const pen_view *v, int field)
{
    size_t size = v->sizes[field], offset = (size_t)v->slot * size;
    memcpy((char *)v->next[field] + offset, (const char *)v->current[field] + offset, size);
}

/* Local, in a phase with .far. The record of the k-th node that this node wanted, as it was at the start of the
 * phase; NULL where no node has that gid. FIELD is one of .far_reads; k is in [0, pen_far_count(v)), in the order of
 * this node's wishes. */
#define PEN_FAR(v, FIELD, type, k) ((const type *)pen_far_record((v), (FIELD), (k)))

/* Local, in a phase with .far. How many gids this node wanted; 0 in other phases. */
static inline int32_t pen_far_count(const pen_view *v)
{
    return v->far ? (int32_t)(v->far->first[v->slot + 1] - v->far->first[v->slot]) : 0;
}
/* Local, in a phase with .far. The k-th gid that this node wanted. */
static inline pen_gid pen_far_id(const pen_view *v, int32_t k) { return v->far->gids[v->far->first[v->slot] + k]; }
/* Local, in a phase with .far. What PEN_FAR gives, without a type. */
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

/* A fixed-size record that every node has. size > 0, or 0 where .setup settles it (pen_world.field_sizes). At most 64
 * fields. */
typedef struct pen_field {
    const char *name;
    size_t size;
} pen_field;

/* A field among those of .reads, .writes or .far_reads: PEN_FIELD(A) | PEN_FIELD(B). */
#define PEN_FIELD(index) (UINT64_C(1) << (index))

/* A fixed-size record that every arc has, that is, each node for each of its neighbours. size > 0. At most 64 edge
 * fields, apart from the fields and from the graph's edge weights. Records are zero until .init_edges and
 * --edge-data=NAME:FILE say what they are. */
typedef struct pen_edge_field {
    const char *name;
    size_t size;
    /* Local. Make a record, which is zero, of what stands behind the two gids in a line of a file; false: it is none,
     * which ends the program with the line's number. May be called on any rank, also twice. NULL: the record is an
     * array of doubles, size a multiple of 8, and the text exactly so many numbers. */
    bool (*parse)(const char *text, void *record);
} pen_edge_field;

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
 * These are errors, PEN_ERR_ARGUMENT from pen_run_steps, which name the gids, and change nothing: to remove a node or
 * an edge that was not there; to add a node that was there and is not removed; an edge from a node to itself, or to a
 * gid that no node has, before or after; a weight for one; two weights for one node or edge; different first records
 * for one node. */
typedef void pen_modify_fn(const pen_view *v, pen_changes *changes);

/* All Local, inside .modify and pen_run_change, about any gids >= 0, not necessarily dense. In a directed graph an edge
 * is an arc: `from` reads `to`. Weights are 1 in a graph that has none, until some request gives another.
 *
 * add_node: weight >= 0. It lives where the node lives that asks for it, of several where that of the lowest gid does,
 *     whose coordinates it has, where the graph has any. The result is never NULL, and valid until the function that
 *     asks returns.
 * add_edge: weight > 0. Where the edge is already there, it gets this weight.
 * set_node_weight: weight >= 0. */
PEN_API pen_newborn *pen_add_node(pen_changes *changes, pen_gid gid, int64_t weight);
PEN_API void pen_remove_node(pen_changes *changes, pen_gid gid);
PEN_API void pen_add_edge(pen_changes *changes, pen_gid from, pen_gid to, int64_t weight);
PEN_API void pen_remove_edge(pen_changes *changes, pen_gid from, pen_gid to);
PEN_API void pen_set_node_weight(pen_changes *changes, pen_gid gid, int64_t weight);

/* The first record of a node that is being added: all bytes are 0 until they are written. Where several nodes add it,
 * their records must be equal byte by byte, padding included: assign members, not structures. */
#define PEN_FIRST(newborn, FIELD, type) ((type *)pen_first_record((newborn), (FIELD)))
PEN_API void *pen_first_record(pen_newborn *newborn, int field);

/* Where .observe puts what a node contributes. */
typedef struct pen_observation pen_observation;

/* Contributes a node's values to observables (pen_observe_int, pen_observe_real): sees its own current records. */
typedef void pen_observe_fn(const pen_view *v, pen_observation *observation);

/* The most nodes that a pen_observe_block_fn is called for at once. */
enum { PEN_OBSERVE_MOST = 1024 };

/* Contributes the values of the nodes of slots [v->slot, v->slot + count) in one call, for the finest grain, as a
 * pen_block_fn computes; count is at most PEN_OBSERVE_MOST, so that values find room in an array for
 * pen_observe_reals. */
typedef void pen_observe_block_fn(const pen_view *v, pen_lid count, pen_observation *observation);

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
 * With .observe or .observe_block, called for every node before the phase (and before .far), the observables in
 * .observes get new values from the records as they then are, after the phases before this one; so sums over all nodes
 * can be used within a step (pen_observed_real). Each such observable belongs to one phase, and to none where
 * pen_app.observe evaluates it; its index is below 64. All ranks synchronise. */
typedef struct pen_phase {
    const char *name;
    pen_node_fn *node;
    uint64_t reads;  /* fields read from neighbours: PEN_FIELD(A) | PEN_FIELD(B) */
    uint64_t writes; /* fields written */
    pen_block_fn *block;
    pen_far_fn *far;                     /* NULL: neighbours are enough */
    uint64_t far_reads;                  /* fields read from what .far names; 0 exactly where far is NULL */
    pen_observe_fn *observe;             /* NULL: .observe_block, or the phase has no observables of its own */
    uint64_t observes;                   /* PEN_OBSERVABLE(A) | PEN_OBSERVABLE(B); 0 exactly where there is neither */
    uint64_t edge_writes;                /* edge fields written by PEN_EDGE_OWN: PEN_FIELD(EA) | PEN_FIELD(EB) */
    pen_observe_block_fn *observe_block; /* in place of .observe */
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

/* An observable of an application, by which it is called in the output. */
typedef struct pen_observable {
    const char *name;
    pen_observable_kind kind;
} pen_observable;

/* Local, inside .observe. Contribute a value to the observable with that index; the kind must be an
 * _INT or a _REAL one respectively, and the observable one of those that are being evaluated (else the program ends
 * with a message). */
PEN_API void pen_observe_int(pen_observation *observation, int index, int64_t value);
PEN_API void pen_observe_real(pen_observation *observation, int index, double value);

/* Local, inside .observe or .observe_block. Contribute [count] values as pen_observe_real does, faster. (Of integers a
 * block function makes one value itself.) */
PEN_API void pen_observe_reals(pen_observation *observation, int index, pen_lid count, const double *values);

/* What the value of an option is. */
typedef enum pen_option_kind {
    PEN_OPTION_FLAG, /* bool:        "--name" */
    PEN_OPTION_INT,  /* int64_t */
    PEN_OPTION_REAL, /* double, finite */
    PEN_OPTION_TEXT  /* const char *: points into argv; where .argument begins with '[' the value may be left out: "" */
} pen_option_kind;

/* An option of the command line, "--name=VALUE". The value stays as it is where the option is not
 * given: initialise it with the default. A table ends with an entry whose name is NULL. */
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
    PEN_GRID_HEX,    /* hexagons in offset rows: hex:..., pen_graph_hex */
    PEN_GRID_TORUS   /* as squares, and opposite sides are joined: torus:... */
} pen_grid;

/* What is known when .setup is called. */
typedef struct pen_world {
    int64_t nodes;         /* of the whole graph, at the start */
    int64_t steps;         /* that will run */
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
} pen_csr;

/* A computation in progress: see pen_run_create. */
typedef struct pen_run pen_run;

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
    /* Local, called on every rank after every step (never on the initial state): true where the run is done, by the
     * observables (pen_run_observed_real) and pen_run_step, which are equal everywhere, and by nothing else; else
     * ranks would wait for each other forever. The run ends behind this step. May be NULL. */
    bool (*done)(const pen_run *run, const void *params);
    const pen_edge_field *edge_fields; /* [edge_field_count], or NULL */
    int edge_field_count;
    /* Writes the first records of a node's arcs (PEN_EDGE_OWN), called once for every node after .init: its own first
     * records, and its neighbours' of the fields that some phase reads from neighbours, are there. What files say of
     * arcs (--edge-data) replaces it afterwards. May be NULL. */
    pen_node_fn *init_edges;
    pen_observe_block_fn *observe_block; /* in place of .observe; may be NULL */
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
    /* Which of .options do not change results, "frames,frames-every": a checkpoint may be resumed with others.
     * "steps" among them tells that .setup does nothing with pen_world.steps that results depend on. NULL: none. */
    const char *indifferent;
    /* What the application holds itself, beside records and what follows from its options, for checkpoints. Local, on
     * rank 0, between steps: print it as text, which must not hold a '\0'. May be NULL. */
    void (*save)(const pen_run *run, const void *params, FILE *out);
    /* Local, called on every rank before .setup of a run that is resumed, in place of .rows: what .save has printed, on
     * some number of ranks. Return NULL, or a sentence that says what is wrong: the run then ends as after a bad
     * option. Given exactly where .save is. */
    const char *(*restore)(void *params, const char *text);
} pen_app;

/* How many elements an array has. */
#define PEN_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* The tables of an application, in its initialiser: { .name = "mine", PEN_FIELDS(fields), PEN_PHASES(phases) }. */
#define PEN_FIELDS(array) .fields = (array), .field_count = PEN_COUNT_OF(array)
#define PEN_PHASES(array) .phases = (array), .phase_count = PEN_COUNT_OF(array)
#define PEN_OBSERVABLES(array) .observables = (array), .observable_count = PEN_COUNT_OF(array)
#define PEN_EDGE_FIELDS(array) .edge_fields = (array), .edge_field_count = PEN_COUNT_OF(array)

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
