/* penumbra_nodes.h - the functions of nodes: the view that they get, and what they read, write and request. No MPI.
 *
 * penumbra.h includes this header. A source that contains only node functions needs no other header, except
 * penumbra_mail.h for mail, and is compiled without MPI. */
#ifndef PENUMBRA_NODES_H
#define PENUMBRA_NODES_H

#include <penumbra_basics.h>
#include <penumbra_random.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* The data of a view that only functions and macros of the headers use; for the library only. */
typedef struct pen_view_library {
    struct pen_scratch *scratch;  /* memory for pen_scratch_get */
    const pen_far *far;           /* the far nodes; NULL in a phase without .far */
    const int64_t *observed_ints; /* [observables] last values of those of an _INT kind */
    const double *observed_reals; /* [observables] last values of those of a _REAL kind */
    const int *components; /* [observables] component c > 0 of an observable is components[k] + c in observed_* */
    const void *globals;   /* the record of pen_app.globals; NULL: the application has none */
    /* [owned] whether the node has asked for a value that can change although no record does; NULL: it is not noted */
    bool *restless;
    const struct pen_mailbox *mailboxes; /* [mails] mail that the nodes have (penumbra_mail.h) */
    struct pen_outbox *outboxes;         /* [mails] mail that they send */
} pen_view_library;

/* The view of one node, as a node function gets it: functions and macros read it. A sweep that is written by hand may
 * read its members and index its arrays (pen_sweep_fn), except those of `library`. */
typedef struct pen_view {
    pen_lid slot;                         /* slot of this node */
    const uint32_t *rows;                 /* [owned+1] offsets into columns */
    const pen_lid *columns;               /* [rows[owned]] slots of the neighbours, ascending by gid */
    const pen_gid *gids;                  /* [owned+shadows] gids by slot */
    const int64_t *node_weights;          /* [owned] node weights; NULL: every weight is 1 */
    const int64_t *edge_weights;          /* [rows[owned]] edge weights; NULL: every weight is 1 */
    const void *current[PEN_MOST_FIELDS]; /* [fields] current records: values at the start of the phase */
    void *next[PEN_MOST_FIELDS]; /* [fields] next records, to be written; NULL if the field is not in .writes */
    const size_t *sizes;         /* [fields] bytes per record */
    int64_t step;                /* number of finished steps */
    const void *params;          /* parameters of the run */
    int dimensions;              /* number of coordinates, 1 to 3; 0: the graph has none */
    const double *coordinates;   /* [(owned+shadows)*dimensions] coordinates, node by node */
    /* [owned] number of nodes that read each node of a directed graph; NULL: every neighbour reads the node. */
    const int32_t *readers;
    uint64_t seed;            /* seed of the run, pen_run_options.seed */
    const void *const *edges; /* [edge_fields] records of the arcs, [rows[owned]] each */
    void *const *own_edges;   /* [edge_fields] records of the arcs that are written; NULL: read-only */
    /* [inputs] values from files, [owned] by slot or [rows[owned]] by arc; NULL: not available now. */
    const double *const *inputs;
    pen_view_library library; /* for functions and macros of the headers only */
} pen_view;

/* Note that this node asks for a value that can change from step to step, so that the next step computes it, too; for
 * the library only. A node that never asks is computed again only when a record changes that it can read: its own, or a
 * neighbour's of a field in .reads (pen_run_options.active). */
static inline void pen_is_restless(const pen_view *v)
{
    if (v->library.restless) v->library.restless[v->slot] = true;
}

/* ---- Node functions ------------------------------------------------------------------------- */

/* A function that computes one node. It reads its own record of any field and its neighbours' records of the fields in
 * .reads. It writes its next records of the fields in .writes, and nothing else.
 *
 * The strict mode (--check, pen_debug_options.strict) finds functions that do something else: it computes a node
 * several times, changes everything between the calls that must not matter, and reports node, field and phase.
 * penumbra_nodes(7) lists what it finds, and what not. */
typedef void pen_node_fn(const pen_view *v);

/* A function that computes several nodes in one call: those of the slots [v->slot, end), in any order. PEN_SWEEP makes
 * it of a node function. If it is written by hand, such as for threads, it may index the arrays of the view by slot;
 * the neighbours of slot s are columns[rows[s] .. rows[s+1]). Functions of the view see the node of v->slot: they get a
 * copy of the view whose slot is another one. If it reads the view's step, seed, globals or observables, its phase
 * needs .always: otherwise steps leave out nodes whose results change; --check finds that. */
typedef void pen_sweep_fn(const pen_view *v, pen_lid end);

/* ---- The node and its neighbours ------------------------------------------------------------ */

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

/* ---- Records -------------------------------------------------------------------------------- */

/* These are Local, too, and valid inside a node function. */

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

/* The values of the whole run (pen_app.globals), const. They are those of the last call of .update: in a phase that
 * observes, the call after its observables were evaluated; in other phases the latest one before. `type` is the
 * record's type. */
#define PEN_GLOBALS(v, type) ((const type *)pen_globals_record(v))
static inline const void *pen_globals_record(const pen_view *v)
{
    pen_is_restless(v);
    return v->library.globals;
}

/* Local. Return scratch memory for one call of a node function: at least `bytes` bytes, aligned for any type, with
 * unspecified contents. The run owns it. It is valid until the node function returns or calls this again. Never NULL:
 * if memory is exhausted, the program ends with a message. */
PEN_API void *pen_scratch_get(const pen_view *v, size_t bytes);

/* ---- Far nodes ------------------------------------------------------------------------------ */

/* The far nodes that a node requests to read, in addition to its neighbours. */
typedef struct pen_requests pen_requests;

/* Local, inside .far, which has got `requests`. Request the node with that gid: any node, also this one, a neighbour,
 * or one that was requested before. If no node has that gid, it is not an error: PEN_FAR gives NULL. */
PEN_API void pen_request(pen_requests *requests, pen_gid gid);

/* A function that requests, by pen_request(requests, gid), the nodes that a node will read by PEN_FAR. It is called
 * before the phase. It sees its own records, and those that the phase reads from neighbours, as they are at the start
 * of the phase. It writes nothing. */
typedef void pen_far_fn(const pen_view *v, pen_requests *requests);

/* Local, in a phase with .far. The record of the k-th node that this node requested, at the start of the phase; NULL if
 * no node has that gid. FIELD is one of .far_reads. k is in [0, pen_far_count(v)), in the order of this node's
 * requests. */
#define PEN_FAR(v, FIELD, type, k) ((const type *)pen_far_record((v), (FIELD), (k)))

/* Local. Return the number of nodes that this node requested in .far; 0 in a phase without .far. */
static inline int32_t pen_far_count(const pen_view *v)
{
    return v->library.far ? (int32_t)(v->library.far->first[v->slot + 1] - v->library.far->first[v->slot]) : 0;
}
/* Local, in a phase with .far. Return the gid of the k-th node that this node requested. */
static inline pen_gid pen_far_id(const pen_view *v, int32_t k)
{
    return v->library.far->gids[v->library.far->first[v->slot] + k];
}
/* Local, in a phase with .far. Return the record of PEN_FAR of a field (field) and the k-th node without a type. */
static inline const void *pen_far_record(const pen_view *v, int field, int32_t k)
{
    const pen_far *far = v->library.far;
    pen_lid slot = far->slots[far->first[v->slot] + k];
    if (slot < 0) return NULL;
    return slot < far->known ? (const char *)v->current[field] + (size_t)slot * v->sizes[field]
                             : (const char *)far->records[field] + (size_t)(slot - far->known) * v->sizes[field];
}

/* ---- Sweeps --------------------------------------------------------------------------------- */

/* Unroll the loop over nodes that follows, four nodes at a time: if a node contributes one number, that takes a fifth
 * less time. */
#if defined(__clang__)
#define PEN_UNROLLED _Pragma("unroll(4)")
#elif defined(__GNUC__)
#define PEN_UNROLLED _Pragma("GCC unroll 4")
#else
#define PEN_UNROLLED
#endif

/* A sweep is a loop over nodes into which the compiler inlines a node function: then a node costs what it costs in a
 * loop that is written by hand. The macro follows the function, in the same file:
 *
 *     static void relax(const pen_view *v) { ... }
 *     PEN_SWEEP(relax)
 *     ... { "relax", .sweep = relax_sweep, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) }
 *
 * PEN_SWEEP(function) defines function_sweep (pen_sweep_fn). Against .node = relax nothing else changes: results, the
 * strict mode, measured loads and .far are the same. PEN_OBSERVE_SWEEP makes the functions of .observe, PEN_COST_SWEEP
 * those of .cost.
 *
 * Compile with -O2. A compiler inlines a function that is used once; so name the sweep in the tables, not the function.
 * If a node function hands its view to a function of another file, the loop must read the view again for every node:
 * hand over pen_id(v) or pen_step(v) instead where nodes take a few nanoseconds. */
#define PEN_SWEEP(function)                                                    \
    PEN_ALIGNED static void function##_sweep(const pen_view *v_, pen_lid end_) \
    {                                                                          \
        pen_view view_ = *v_;                                                  \
        for (pen_lid slot_ = v_->slot; slot_ < end_; slot_++) {                \
            view_.slot = slot_;                                                \
            function(&view_);                                                  \
        }                                                                      \
    }

/* Define function_sweep, for .observe of a phase or of the application, of a function that contributes the values of
 * one node by pen_observe_int and pen_observe_real: void observe(const pen_view *v, pen_observation *observation). */
#define PEN_OBSERVE_SWEEP(function)                                                                           \
    PEN_ALIGNED static void function##_sweep(const pen_view *v_, pen_lid end_, pen_observation *observation_) \
    {                                                                                                         \
        pen_view view_ = *v_;                                                                                 \
        pen_observation near_ = *observation_;                                                                \
        PEN_UNROLLED                                                                                          \
        for (pen_lid slot_ = v_->slot; slot_ < end_; slot_++) {                                               \
            view_.slot = slot_;                                                                               \
            function(&view_, &near_);                                                                         \
        }                                                                                                     \
        *observation_ = near_;                                                                                \
    }

/* Define function_sweep, for .cost, of a function that returns the load of one node: double cost(const pen_view *v). */
#define PEN_COST_SWEEP(function)                                                              \
    PEN_ALIGNED static void function##_sweep(const pen_view *v_, pen_lid end_, double *cost_) \
    {                                                                                         \
        pen_view view_ = *v_;                                                                 \
        for (pen_lid slot_ = v_->slot; slot_ < end_; slot_++) {                               \
            view_.slot = slot_;                                                               \
            *cost_++ = function(&view_);                                                      \
        }                                                                                     \
    }

/* ---- Observables ---------------------------------------------------------------------------- */

/* Functions of observables take an index into pen_app.observables. PEN_COMPONENT(index, component) in its place means a
 * component, from 0, of an observable that has several; the index alone means the first one. */
#define PEN_COMPONENT(index, component) ((index) | PENUMBRA_OBSERVABLES * (component))
enum { PENUMBRA_OBSERVABLES = 1 << 20 }; /* the largest number of observables */

/* Return where the value of k stands, an index or a PEN_COMPONENT; for the library only. */
static inline int pen_observed_place(const pen_view *v, int k)
{
    return k < PENUMBRA_OBSERVABLES ? k : v->library.components[k % PENUMBRA_OBSERVABLES] + k / PENUMBRA_OBSERVABLES;
}

/* Local, inside a node function. Return the last value of the observable k, which has an _INT kind or a _REAL kind
 * respectively. An observable that belongs to no phase has its value after the previous step, or in the first step, of
 * the initial state. An observable of a phase is evaluated at the beginning of that phase. Before its first evaluation
 * a value is 0. k is an index or a PEN_COMPONENT; neither k nor the kind is checked. */
static inline int64_t pen_observed_int(const pen_view *v, int k)
{
    pen_is_restless(v);
    return v->library.observed_ints[pen_observed_place(v, k)];
}
static inline double pen_observed_real(const pen_view *v, int k)
{
    pen_is_restless(v);
    return v->library.observed_reals[pen_observed_place(v, k)];
}

/* The number of observables, from the first, whose values are buffered without a call. */
enum { PEN_OBSERVABLES_NEAR = 16 };

/* Where .observe puts the values of a node; for the library only. Each of the first observables of this evaluation
 * has a next place and the end of its room, those of an _INT kind in the first two arrays, of a _REAL kind in the
 * others. For all else both are NULL. */
typedef struct pen_observation {
    struct pen_observables *all;
    int64_t *ints[PEN_OBSERVABLES_NEAR];
    const int64_t *int_ends[PEN_OBSERVABLES_NEAR];
    double *reals[PEN_OBSERVABLES_NEAR];
    const double *real_ends[PEN_OBSERVABLES_NEAR];
} pen_observation;

/* Local. Contribute a value to the observable `index` of `all`, for which there is no room, or refuse it. The result is
 * where the next value goes, if the observable is one of the first. For the library only. */
PEN_API int64_t *pen_observables_take_int(struct pen_observables *all, int index, int64_t value);
PEN_API double *pen_observables_take_real(struct pen_observables *all, int index, double value);

/* Local, inside .observe, which has got `observation`. Contribute a value to the observable with that index, or to one
 * of its components (PEN_COMPONENT). The kind must be an _INT or a _REAL one respectively, and the observable one of
 * those that are being evaluated: otherwise, or if there is no such component, the program ends with a message. */
static inline void pen_observe_int(pen_observation *observation, int index, int64_t value)
{
    if (index < 0 || index >= PEN_OBSERVABLES_NEAR) pen_observables_take_int(observation->all, index, value);
    else if (observation->ints[index] != observation->int_ends[index]) *observation->ints[index]++ = value;
    else observation->ints[index] = pen_observables_take_int(observation->all, index, value);
}
static inline void pen_observe_real(pen_observation *observation, int index, double value)
{
    if (index < 0 || index >= PEN_OBSERVABLES_NEAR) pen_observables_take_real(observation->all, index, value);
    else if (observation->reals[index] != observation->real_ends[index]) *observation->reals[index]++ = value;
    else observation->reals[index] = pen_observables_take_real(observation->all, index, value);
}

/* A function that contributes the values of the nodes of slots [v->slot, end) to observables (observation); and one
 * that stores their declared loads in costs [end - v->slot]. PEN_OBSERVE_SWEEP and PEN_COST_SWEEP make them of
 * functions of one node, which sees its own current records, and its neighbours' if they are up to date. */
typedef void pen_observe_fn(const pen_view *v, pen_lid end, pen_observation *observation);
typedef void pen_cost_fn(const pen_view *v, pen_lid end, double *costs);

/* ---- Changes of the graph ------------------------------------------------------------------- */

/* The changes of the graph that nodes request, and a node that is being added. */
typedef struct pen_changes pen_changes;
typedef struct pen_new_node pen_new_node;

/* A function that computes one node and may request changes of the graph, of any nodes and edges, its own or not. It
 * computes like a pen_node_fn. All changes take effect together, when all nodes have been computed; the next phase
 * sees the new graph. Requests to remove refer to the graph as it was at the start of the phase, all others to the
 * graph as it will be; so the result does not depend on their order. Nodes and arcs that stay keep their records; the
 * records of new arcs are zero.
 *
 * Requests that contradict the graph or one another, such as to remove a node that does not exist or to give two
 * weights to one edge, are errors: pen_run_steps returns PEN_ERR_ARGUMENT, and nothing changes. The message names the
 * gids, phase, step and requesting node. So are weights that add up to 10^18. penumbra_nodes(7) has the rules. */
typedef void pen_modify_fn(const pen_view *v, pen_changes *changes);

/* All Local, inside .modify and pen_run_change, whose function has got `changes`. Request a change of the graph, of any
 * gids >= 0; these need not be dense. In a directed graph an edge is an arc: `from` reads `to`. In a graph without
 * weights all weights are 1, until a request gives another one.
 *
 * pen_add_node: weight >= 0. The new node is on the rank of the node that requests it; of several, of the one with the
 * lowest gid. The result is never NULL; it is valid until the calling function returns.
 *
 * pen_add_edge: weight > 0. If the edge exists, it gets this weight.
 *
 * pen_set_node_weight: weight >= 0. */
PEN_API pen_new_node *pen_add_node(pen_changes *changes, pen_gid gid, int64_t weight);
PEN_API void pen_remove_node(pen_changes *changes, pen_gid gid);
PEN_API void pen_add_edge(pen_changes *changes, pen_gid from, pen_gid to, int64_t weight);
PEN_API void pen_remove_edge(pen_changes *changes, pen_gid from, pen_gid to);
PEN_API void pen_set_node_weight(pen_changes *changes, pen_gid gid, int64_t weight);

/* Local, inside .modify and pen_run_change. Set the coordinates [dimensions] of a node that is being added. They must
 * be finite, and as many as the graph's nodes have; otherwise the change fails with PEN_ERR_ARGUMENT, like other wrong
 * requests. If several nodes add the node, all of them give it the same coordinates, or none does. In a
 * graph with neither coordinates nor places of a grid they have no effect. If a node is added without coordinates, the
 * graph loses them; one line reports it (penumbra_nodes(7)). */
PEN_API void pen_set_coordinates(pen_new_node *node, int dimensions, const double *coordinates);

/* The first record of a node that is being added. All bytes are 0 until they are written. If several nodes
 * add it, their records must be equal byte by byte, including padding: assign members, not structures. FIELD is the
 * index into pen_app.fields; `type` is the record's type. pen_first_record returns that of `field` without a type. */
#define PEN_FIRST(node, FIELD, type) ((type *)pen_first_record((node), (FIELD)))
PEN_API void *pen_first_record(pen_new_node *node, int field);

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
