/* penumbra_view.h - integers, status, and the view of one node: no MPI.
 *
 * penumbra_types.h includes this header. */
#ifndef PENUMBRA_VIEW_H
#define PENUMBRA_VIEW_H

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

/* Attributes of functions and symbols. PEN_API exports a symbol from a shared object; it precedes the one symbol of a
 * plug-in. PEN_CHECKED makes the compiler warn if a caller ignores the result. PEN_ALIGNED begins a function at a cache
 * line, so that the speed of its loop does not depend on where the linker puts it. */
#if defined(__GNUC__)
#define PEN_API __attribute__((visibility("default")))
#define PEN_CHECKED __attribute__((warn_unused_result))
#define PEN_ALIGNED __attribute__((aligned(64)))
#else
#define PEN_API
#define PEN_CHECKED
#define PEN_ALIGNED
#endif

/* ---- Integers ------------------------------------------------------------------------------- */

/* A node's global id: any non-negative value; ids need not be dense. */
typedef int64_t pen_gid;
#define PRIgid PRId64

/* A slot: the index of a node in the arrays of its rank. Owned nodes come first, then the shadows (ghost nodes:
 * neighbours that other ranks own). */
typedef int32_t pen_lid;
#define PRIlid PRId32

/* ---- Status --------------------------------------------------------------------------------- */

/* The status of a function that can fail, and the changes that it has made then. */
typedef enum pen_status {
    PEN_OK = 0,
    PEN_ERR_ARGUMENT = -1,    /* an argument is out of its legal range; nothing changed */
    PEN_ERR_INPUT = -2,       /* a file or an option is malformed; nothing changed */
    PEN_ERR_MEMORY = -3,      /* out of memory; nothing changed except as the function's description says */
    PEN_ERR_IO = -4,          /* reading or writing failed; a file under its final name is untouched */
    PEN_ERR_MPI = -5,         /* an MPI call failed; the object is unusable, destroy it */
    PEN_ERR_ENVIRONMENT = -6, /* this MPI set-up cannot do that; the message has the remedy */
    PEN_ERR_UNSUPPORTED = -7, /* not available in this build or for this input; nothing changed */
    PEN_ERR_INTERNAL = -8,    /* a broken invariant of the library: please report it */
    PEN_ERR_CHECK = -9,       /* the application's .check, --verify or the strict mode found a fault */
    PEN_ERR_STOPPED = -10     /* the run was asked to end; a checkpoint has its state */
} pen_status;

/* Local. Return the name of a status, such as "PEN_ERR_INPUT", and a sentence about it. Never NULL. Static storage. */
PEN_API const char *pen_status_name(pen_status status);
PEN_API const char *pen_status_text(pen_status status);

/* Local. Return the message of the last failed call on this thread: one line, without newline. Never NULL. Valid until
 * the next failing call. After a collective failure it is the same on every rank. */
PEN_API const char *pen_error_message(void);

/* ---- The view of one node ------------------------------------------------------------------- */

/* The far nodes that the nodes of a phase with .far have requested; for the library only. */
typedef struct pen_far {
    const int64_t *first;       /* [owned+1] index of a node's first request */
    const pen_gid *gids;        /* [first[owned]] the requested nodes */
    const pen_lid *slots;       /* [first[owned]] a slot, if < known; known + index in records; -1: no node */
    pen_lid known;              /* number of slots with records here, owned + shadows */
    const void *const *records; /* [fields] records of nodes that have no slot on this rank */
} pen_far;

/* The largest number of fields: phases name the fields that they read and write by the bits of a word. */
enum { PEN_MOST_FIELDS = 64 };

/* The view of one node, as a node function gets it. Its members are for the library only, but a sweep that is
 * written by hand may index the arrays (pen_sweep_fn). */
typedef struct pen_view {
    pen_lid slot;                         /* slot of this node */
    const uint32_t *rows;                 /* [owned+1] offsets into columns */
    const pen_lid *columns;               /* [rows[owned]] slots of the neighbours, ascending by gid */
    const pen_gid *gids;                  /* [owned+shadows] gids by slot */
    const int64_t *node_weights;          /* [owned] node weights; NULL: every weight is 1 */
    const int64_t *edge_weights;          /* [rows[owned]] edge weights; NULL: every weight is 1 */
    const void *current[PEN_MOST_FIELDS]; /* [fields] current records: values at the start of the phase */
    void *next[PEN_MOST_FIELDS];  /* [fields] next records, to be written; NULL if the field is not in .writes */
    const size_t *sizes;          /* [fields] bytes per record */
    int64_t step;                 /* number of finished steps */
    const void *params;           /* parameters of the run */
    struct pen_scratch *scratch;  /* memory for pen_scratch_get */
    const pen_far *far;           /* the far nodes; NULL in a phase without .far */
    const int64_t *observed_ints; /* [observables] last values of those of an _INT kind */
    const double *observed_reals; /* [observables] last values of those of a _REAL kind */
    int dimensions;               /* number of coordinates, 1 to 3; 0: the graph has none */
    const double *coordinates;    /* [(owned+shadows)*dimensions] coordinates, node by node */
    /* [owned] number of nodes that read each node of a directed graph; NULL: every neighbour reads the node. */
    const int32_t *readers;
    uint64_t seed;            /* seed of the run, pen_run_options.seed */
    const void *const *edges; /* [edge_fields] records of the arcs, [rows[owned]] each */
    void *const *own_edges;   /* [edge_fields] records of the arcs that are written; NULL: read-only */
    /* [inputs] values from files, [owned] by slot or [rows[owned]] by arc; NULL: not available now. */
    const double *const *inputs;
    const int *components; /* [observables] component c > 0 of an observable is components[k] + c in observed_* */
    const void *globals;   /* the record of pen_app.globals; NULL: the application has none */
    /* [owned] whether the node has asked for a value that can change although no record does; NULL: it is not noted */
    bool *restless;
    const struct pen_mailbox *mailboxes; /* [mails] mail that the nodes have (penumbra_mail.h) */
    struct pen_outbox *outboxes;         /* [mails] mail that they send */
} pen_view;

/* Note that this node asks for a value that can change from step to step, so that the next step computes it, too; for
 * the library only. A node that never asks is computed again only when a record changes that it can read: its own, or a
 * neighbour's of a field in .reads (pen_run_options.active). */
static inline void pen_is_restless(const pen_view *v)
{
    if (v->restless) v->restless[v->slot] = true;
}

/* These functions are Local, and valid inside a node function. i is in [0, pen_degree(v)); neighbours are in ascending
 * order of their gids. */

/* Return the node's gid. */
static inline pen_gid pen_id(const pen_view *v) { return v->gids[v->slot]; }
/* Return the number of neighbours; in a directed graph, the number of nodes that this node reads. */
static inline int32_t pen_degree(const pen_view *v)
{
    const int32_t degree = (int32_t)(v->rows[v->slot + 1] - v->rows[v->slot]);
#if defined(__GNUC__) && !defined(__clang__)
    /* The compiler may use the test for neighbours as the first test of a loop over them. */
    if (degree < 0) __builtin_unreachable();
#endif
    return degree;
}
/* Return the slot of the i-th neighbour on this rank. It differs between ranks, and changes with every migration. */
static inline pen_lid pen_neighbor_slot(const pen_view *v, int32_t i)
{
    const pen_lid *first = v->columns + v->rows[v->slot]; /* a pointer, which a loop over i advances */
    return first[i];
}
/* Return the gid of the i-th neighbour. */
static inline pen_gid pen_neighbor_id(const pen_view *v, int32_t i) { return v->gids[pen_neighbor_slot(v, i)]; }
/* Return the node's weight; 1 if the graph has no weights. If nodes have several weights, it is the one that counts as
 * load. */
static inline int64_t pen_node_weight(const pen_view *v) { return v->node_weights ? v->node_weights[v->slot] : 1; }
/* Return the weight of the edge to the i-th neighbour; 1 if the graph has no edge weights. */
static inline int64_t pen_edge_weight(const pen_view *v, int32_t i)
{
    return v->edge_weights ? v->edge_weights[v->rows[v->slot] + (uint32_t)i] : 1;
}
/* Return the number of the step in progress, from 0. */
static inline int64_t pen_step(const pen_view *v)
{
    pen_is_restless(v);
    return v->step;
}
/* Return the parameters of this run, pen_app.params. */
static inline const void *pen_params(const pen_view *v) { return v->params; }

/* Functions of observables take an index into pen_app.observables. PEN_COMPONENT(index, component) in its place means a
 * component, from 0, of an observable that has several; the index alone means the first one. */
#define PEN_COMPONENT(index, component) ((index) | PENUMBRA_OBSERVABLES * (component))
enum { PENUMBRA_OBSERVABLES = 1 << 20 }; /* the largest number of observables */

/* Return where the value of k stands, an index or a PEN_COMPONENT; for the library only. */
static inline int pen_observed_place(const pen_view *v, int k)
{
    return k < PENUMBRA_OBSERVABLES ? k : v->components[k % PENUMBRA_OBSERVABLES] + k / PENUMBRA_OBSERVABLES;
}

/* Return the last value of the observable k, which has an _INT kind or a _REAL kind respectively. An observable that
 * belongs to no phase has its value after the previous step, or in the first step, of the initial state. An observable
 * of a phase is evaluated at the beginning of that phase. Before its first evaluation a value is 0. k is an index or a
 * PEN_COMPONENT; neither k nor the kind is checked. */
static inline int64_t pen_observed_int(const pen_view *v, int k)
{
    pen_is_restless(v);
    return v->observed_ints[pen_observed_place(v, k)];
}
static inline double pen_observed_real(const pen_view *v, int k)
{
    pen_is_restless(v);
    return v->observed_reals[pen_observed_place(v, k)];
}

/* The values of the whole run (pen_app.globals), const. They are those of the last call of .update: in a phase that
 * observes, the call after its observables were evaluated; in other phases the latest one before. `type` is the
 * record's type. */
#define PEN_GLOBALS(v, type) ((const type *)pen_globals_record(v))
static inline const void *pen_globals_record(const pen_view *v)
{
    pen_is_restless(v);
    return v->globals;
}

/* Return the d-th coordinate of this node, or of the i-th neighbour; NaN if d is not in [0, v->dimensions). In a graph
 * without coordinates v->dimensions is 0. Coordinates come from pen_graph_generate,
 * pen_graph_read, pen_csr or pen_input_column. v->dimensions can change with the graph: see pen_set_coordinates. */
static inline double pen_coordinate(const pen_view *v, int d)
{
    const bool exists = d >= 0 && d < v->dimensions;
    return exists ? v->coordinates[(int64_t)v->slot * v->dimensions + d] : __builtin_nan("");
}
static inline double pen_neighbor_coordinate(const pen_view *v, int32_t i, int d)
{
    const bool exists = d >= 0 && d < v->dimensions;
    return exists ? v->coordinates[(int64_t)pen_neighbor_slot(v, i) * v->dimensions + d] : __builtin_nan("");
}

/* Return the number of nodes that read this one as a neighbour. It is the node's degree; in a directed graph, the
 * number of nodes that have this one among their neighbours (the out-degree if data is thought to flow along the
 * arcs). */
static inline int32_t pen_reader_count(const pen_view *v) { return v->readers ? v->readers[v->slot] : pen_degree(v); }

/* Return a random word, a random integer in [0, n), or a random real in [0, 1). n must be > 0. The number depends only
 * on the run's seed (pen_run_options.seed, --seed=N), the node's gid, the step and `stream`; so it is the same for
 * every way of running, and equal arguments give equal numbers. A node that needs several numbers, also in several
 * phases of a step, uses a different `stream` for each; any values will do. In .init pen_step is 0, as in the first
 * step: use other streams there. pen_random_of returns the number that the node `gid` gets from pen_random in this
 * step, whether it is a neighbour or not: so two nodes can agree on a draw without a message. pen_below and
 * pen_unit_real make an integer or a real of it.
 *
 * The number is made of the first word of Threefry-2x64-20 (pen_threefry) with the counter (gid, step) and the key
 * (seed, stream). A sweep that is written by hand calls pen_threefry. */
static inline uint64_t pen_random_of(const pen_view *v, pen_gid gid, uint64_t stream)
{
    const uint64_t counter[2] = { (uint64_t)gid, (uint64_t)v->step }, key[2] = { v->seed, stream };
    uint64_t random[2];
    pen_is_restless(v);
    pen_threefry(counter, key, random);
    return random[0];
}
static inline uint64_t pen_random(const pen_view *v, uint64_t stream) { return pen_random_of(v, pen_id(v), stream); }
static inline int64_t pen_random_below(const pen_view *v, uint64_t stream, int64_t n)
{
    return pen_below(pen_random(v, stream), n);
}
static inline double pen_random_real(const pen_view *v, uint64_t stream)
{
    return pen_unit_real(pen_random(v, stream));
}

/* The node's own record, the i-th neighbour's record, and the node's next record. The first two are const, and have the
 * values at the start of the phase. The contents of the next record are unspecified at first: write every member that
 * is read later. FIELD is the index into pen_app.fields; `type` is the record's type. */
#define PEN_SELF(v, FIELD, type) (&((const type *)(v)->current[FIELD])[(v)->slot])
#define PEN_NEIGHBOR(v, FIELD, type, i) (&((const type *)(v)->current[FIELD])[pen_neighbor_slot(v, i)])
#define PEN_NEXT(v, FIELD, type) (&((type *)(v)->next[FIELD])[(v)->slot])

/* Return a record without a type, for fields whose size .setup determines: the same record as PEN_SELF, PEN_NEXT or, of
 * the i-th neighbour, PEN_NEIGHBOR. `field` is the index into pen_app.fields. */
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

/* The record of the arc to the i-th neighbour. It belongs to this node alone: the neighbour has another record for the
 * arc back. EFIELD is the index into pen_app.edge_fields; `type` is the record's type. PEN_EDGE reads it (const), also
 * in .far, .observe, .cost and .print, but not in .init, which runs before the record exists. PEN_EDGE_OWN writes it in
 * place, in .init_edges and in phases that name the edge field in .edge_writes; bytes that are not written keep their
 * values. A sweep that is written by hand finds the record of arc a, rows[s] <= a < rows[s+1] of slot s, in
 * v->edges[EFIELD] or v->own_edges[EFIELD]. */
#define PEN_EDGE(v, EFIELD, type, i) (&((const type *)(v)->edges[EFIELD])[(v)->rows[(v)->slot] + (uint32_t)(i)])
#define PEN_EDGE_OWN(v, EFIELD, type, i) (&((type *)(v)->own_edges[EFIELD])[(v)->rows[(v)->slot] + (uint32_t)(i)])

/* Return the value from files of this node, or of the arc to the i-th neighbour. `column` is an index into
 * pen_app.inputs, of a column of nodes or of edges respectively; this is not checked. In .init and .init_edges all
 * columns are available; afterwards, and in every function, those that are .permanent. */
static inline double pen_input(const pen_view *v, int column) { return v->inputs[column][v->slot]; }
static inline double pen_edge_input(const pen_view *v, int column, int32_t i)
{
    return v->inputs[column][v->rows[v->slot] + (uint32_t)i];
}

/* Copy the current record of a written field (field) to the next one. */
static inline void pen_keep(const pen_view *v, int field)
{
    size_t size = v->sizes[field], offset = (size_t)v->slot * size;
    memcpy((char *)v->next[field] + offset, (const char *)v->current[field] + offset, size);
}

/* Local, in a phase with .far. The record of the k-th node that this node requested, at the start of the phase; NULL if
 * no node has that gid. FIELD is one of .far_reads. k is in [0, pen_far_count(v)), in the order of this node's
 * requests. */
#define PEN_FAR(v, FIELD, type, k) ((const type *)pen_far_record((v), (FIELD), (k)))

/* Local. Return the number of nodes that this node requested in .far; 0 in a phase without .far. */
static inline int32_t pen_far_count(const pen_view *v)
{
    return v->far ? (int32_t)(v->far->first[v->slot + 1] - v->far->first[v->slot]) : 0;
}
/* Local, in a phase with .far. Return the gid of the k-th node that this node requested. */
static inline pen_gid pen_far_id(const pen_view *v, int32_t k) { return v->far->gids[v->far->first[v->slot] + k]; }
/* Local, in a phase with .far. Return the record of PEN_FAR of a field (field) and the k-th node without a type. */
static inline const void *pen_far_record(const pen_view *v, int field, int32_t k)
{
    const pen_far *far = v->far;
    pen_lid slot = far->slots[far->first[v->slot] + k];
    if (slot < 0) return NULL;
    return slot < far->known ? (const char *)v->current[field] + (size_t)slot * v->sizes[field]
                             : (const char *)far->records[field] + (size_t)(slot - far->known) * v->sizes[field];
}

/* Local. Return scratch memory for one call of a node function: at least `bytes` bytes, aligned for any type, with
 * unspecified contents. The run owns it. It is valid until the node function returns or calls this again. Never NULL:
 * if memory is exhausted, the program ends with a message. */
PEN_API void *pen_scratch_get(const pen_view *v, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
