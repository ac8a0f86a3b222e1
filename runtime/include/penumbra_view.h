/* penumbra_view.h - what a node function sees: integers, status, and the view of one node; no MPI.
 *
 * penumbra_types.h includes it. */
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

/* What a shared object offers to others: it stands before the one symbol of a plug-in (PEN_API); what a caller must not
 * ignore (PEN_CHECKED); a function that begins at a line of the cache, so that the speed of its loop does not depend on
 * where the linker puts it (PEN_ALIGNED). */
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

/* How many fields a node has at most: phases read and write them by the bits of a word. */
enum { PEN_MOST_FIELDS = 64 };

/* What a sweep (PEN_SWEEP) does in one call; the library's business. */
typedef struct pen_sweeping {
    pen_lid end;   /* computes the nodes of slots [pen_view.slot, end) */
    bool done;     /* it has; a node function leaves this alone, and has computed one node */
    double *costs; /* of these nodes, where a sweep of .cost puts them */
} pen_sweeping;

/* What a node function sees. The members are the library's business, except in a block function,
 * which may index the arrays directly (see pen_block_fn). */
typedef struct pen_view {
    pen_lid slot;                         /* this node */
    const uint32_t *rows;                 /* [owned+1] offsets into columns */
    const pen_lid *columns;               /* [rows[owned]] slots of the neighbours, ascending by gid */
    const pen_gid *gids;                  /* [owned+shadows] */
    const int64_t *node_weights;          /* [owned]; NULL: every weight is 1 */
    const int64_t *edge_weights;          /* [rows[owned]]; NULL: every weight is 1 */
    const void *current[PEN_MOST_FIELDS]; /* planes that are read: value at the start of the phase */
    void *next[PEN_MOST_FIELDS];          /* planes that are written; NULL where not in .writes */
    const size_t *sizes;                  /* [fields] bytes per record */
    int64_t step;                         /* from 0 */
    const void *params;                   /* of the run */
    struct pen_scratch *scratch;          /* for pen_scratch_get */
    const pen_far *far;                   /* NULL in a phase without .far */
    const int64_t *observed_ints;         /* [observables] last values, of those of an _INT kind */
    const double *observed_reals;         /* [observables] of those of a _REAL kind */
    int dimensions;                       /* of the coordinates, 1 to 3; 0: the graph has none */
    const double *coordinates;            /* [(owned+shadows)*dimensions] node by node */
    const int32_t *readers;               /* [owned] of a directed graph, else NULL: they are the neighbours */
    uint64_t seed;                        /* pen_run_options.seed */
    const void *const *edges;             /* [edge_fields] records of the arcs, [rows[owned]] each */
    void *const *own_edges;               /* [edge_fields] the same, NULL where they are not to be written */
    const double *const *inputs; /* [inputs] values by slot, [owned], or by arc, [rows[owned]]; NULL: not there now */
    const int *components;       /* [observables] component c > 0 of an observable is components[k] + c in observed_* */
    const void *globals;         /* the record of pen_app.globals; NULL: there is none */
    pen_sweeping *sweeping;      /* where a sweep may be called, else NULL */
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
    const pen_lid *first = v->columns + v->rows[v->slot]; /* an address, which a loop over i advances */
    return first[i];
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
/* The same of a component of an observable that has several, c in [0, pen_observable.components). */
static inline int64_t pen_observed_int_of(const pen_view *v, int k, int c)
{
    return v->observed_ints[c > 0 ? v->components[k] + c : k];
}
static inline double pen_observed_real_of(const pen_view *v, int k, int c)
{
    return v->observed_reals[c > 0 ? v->components[k] + c : k];
}

/* The values of the whole run (pen_app.globals), const, as they were when .update was last called: in a phase that
 * observes by what it observed, else after the step before. `type` is the record's type. */
#define PEN_GLOBALS(v, type) ((const type *)(v)->globals)

/* The d-th coordinate of this node, and of the i-th neighbour, d in [0, v->dimensions). v->dimensions is 0 where the
 * graph has no coordinates, and all are NaN then; which graphs have them, see pen_graph_generate,
 * pen_graph_read, pen_csr and pen_input_column. It may change with the graph: see pen_set_coordinates. */
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

/* The value that files gave this node, and the arc to the i-th neighbour, in a column of pen_app.inputs, by its index:
 * of nodes and of edges respectively, which is not checked. In .init and .init_edges all columns are there; after that
 * those that are .kept, for every function. */
static inline double pen_input(const pen_view *v, int column) { return v->inputs[column][v->slot]; }
static inline double pen_edge_input(const pen_view *v, int column, int32_t i)
{
    return v->inputs[column][v->rows[v->slot] + (uint32_t)i];
}

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

#ifdef __cplusplus
}
#endif

#endif
