/* penumbra_types.h - what node functions, balancers and partitioners see: no MPI.
 *
 * penumbra.h includes this header. A source that contains only node functions, or a plug-in, needs no other header and
 * is compiled without MPI. */
#ifndef PENUMBRA_TYPES_H
#define PENUMBRA_TYPES_H

#include <penumbra_mail.h>
#include <penumbra_sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ------------------------------------------------------------------------------- */

/* Version of this header. Within a major version, members of structures keep their places and meaning. A program or a
 * plug-in works with a newer library until a structure grows that they share; then the library refuses it with one
 * sentence, and it must be compiled again (PEN_ABI, PEN_PLUGIN_ABI). Programs can test the version with the
 * preprocessor. */
#define PEN_VERSION_MAJOR 1
#define PEN_VERSION_MINOR 0
#define PEN_VERSION_PATCH 0

/* The version as one number to compare: 10203 is 1.2.3. */
#define PEN_VERSION (PEN_VERSION_MAJOR * 10000 + PEN_VERSION_MINOR * 100 + PEN_VERSION_PATCH)

/* Local. Return the version of the linked library, such as "1.0.0". Static storage. */
PEN_API const char *pen_version(void);

/* Local, also before MPI_Init. Return a description of the linked library's build, in lines: compiler, flags, commit
 * ("unknown" if it was built neither in a git checkout nor from an archive of one), and the versions of packages.
 * --version of every program prints it; include it in bug reports. Static storage. */
PEN_API const char *pen_build_info(void);

/* ---- Messages ------------------------------------------------------------------------------- */

/* Kinds of messages of the library other than errors, which functions return. */
typedef enum pen_message_kind {
    PEN_MESSAGE_WARNING, /* something is not as requested or expected; the program continues */
    /* The progress of a run (pen_run_options.progress), at most ten times a second; each message replaces the previous
     * one; "" when pen_run_steps ends. */
    PEN_MESSAGE_PROGRESS
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
 * always printed on standard error (penumbra_process(7)). */
PEN_API void pen_set_message_handler(const pen_message_handler *handler);

/* ---- Options ---------------------------------------------------------------------------------- */

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
    const char *name;     /* name without the dashes */
    const char *argument; /* shown after "=" in the help, e.g. "N"; NULL for a flag */
    const char *help;     /* description, one line */
    pen_option_kind kind;
    void *value;
    int64_t low, high; /* legal range of an _INT, if low < high */
} pen_option;

/* ---- Node functions ------------------------------------------------------------------------- */

/* A function that computes one node. It reads its own record of any field and its neighbours' records of the fields in
 * .reads. It writes its next records of the fields in .writes, and nothing else.
 *
 * The strict mode (--check, pen_debug_options.strict) finds functions that do something else: it computes a node
 * several times, changes everything between the calls that must not matter, and reports node, field and phase.
 * penumbra_nodes(7) lists what it finds, and what not. */
typedef void pen_node_fn(const pen_view *v);

/* A function that computes several nodes in one call: those of the slots [v->slot, end). PEN_SWEEP makes it of a node
 * function. If it is written by hand, such as for threads, it may index the arrays of the view by slot; the neighbours
 * of slot s are columns[rows[s] .. rows[s+1]). Functions of the view see the node of v->slot: they get a copy of the
 * view whose slot is another one. */
typedef void pen_sweep_fn(const pen_view *v, pen_lid end);

/* The far nodes that a node requests to read, in addition to its neighbours. */
typedef struct pen_requests pen_requests;

/* Local, inside .far, which has got `requests`. Request the node with that gid: any node, also this one, a neighbour,
 * or one that was requested before. If no node has that gid, it is not an error: PEN_FAR gives NULL. */
PEN_API void pen_request(pen_requests *requests, pen_gid gid);

/* A function that requests, by pen_request(requests, gid), the nodes that a node will read by PEN_FAR. It is called
 * before the phase. It sees its own records, and those that the phase reads from neighbours, as they are at the start
 * of the phase. It writes nothing. */
typedef void pen_far_fn(const pen_view *v, pen_requests *requests);

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
 * gids, phase, step and requesting node. penumbra_nodes(7) has the rules. */
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
 * requests. If several nodes add the node (newborn), all of them give it the same coordinates, or none does. In a
 * graph without coordinates they have no effect. If a node is added without coordinates, the graph loses them; one
 * line reports it (penumbra_nodes(7)). */
PEN_API void pen_set_coordinates(pen_new_node *newborn, int dimensions, const double *coordinates);

/* The first record of a node that is being added (newborn). All bytes are 0 until they are written. If several nodes
 * add it, their records must be equal byte by byte, including padding: assign members, not structures. FIELD is the
 * index into pen_app.fields; `type` is the record's type. pen_first_record returns that of `field` without a type. */
#define PEN_FIRST(newborn, FIELD, type) ((type *)pen_first_record((newborn), (FIELD)))
PEN_API void *pen_first_record(pen_new_node *newborn, int field);

/* A function that contributes the values of the nodes of slots [v->slot, end) to observables (observation); and one
 * that stores their declared loads in costs [end - v->slot]. PEN_OBSERVE_SWEEP and PEN_COST_SWEEP make them of
 * functions of one node, which sees its own current records. */
typedef void pen_observe_fn(const pen_view *v, pen_lid end, pen_observation *observation);
typedef void pen_cost_fn(const pen_view *v, pen_lid end, double *costs);

/* ---- Graphs and runs ------------------------------------------------------------------------ */

/* The kind of a grid. Its gids number its places: gid = (layer * height + row) * width + column. */
typedef enum pen_grid {
    PEN_GRID_NONE,   /* not a grid; or if width > 0, a grid of unknown kind */
    PEN_GRID_SQUARE, /* neighbours share a side, in 2 or 3 dimensions: mesh:... */
    PEN_GRID_HEX,    /* hexagons in offset rows: hex:... */
    PEN_GRID_TORUS   /* like squares, with opposite sides joined: torus:... */
} pen_grid;

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

/* A rank's rows of a graph. The arrays are read during the call only. */
typedef struct pen_csr {
    pen_lid count;               /* nodes on this rank, >= 0 */
    const pen_gid *gids;         /* [count] distinct over all ranks, >= 0, any order */
    const int64_t *rows;         /* [count+1] row pointers, rows[0] = 0, ascending */
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

/* A computation in progress, see pen_run_create. */
typedef struct pen_run pen_run;

/* The number of elements of an array. */
#define PEN_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

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
