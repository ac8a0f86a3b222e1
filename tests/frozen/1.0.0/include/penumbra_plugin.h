/* penumbra_plugin.h - write balancers and partitioners.
 *
 * An algorithm gets its rank's part of the graph (pen_load_view) and an interface to the other ranks (pen_peers). It
 * returns the ranks or parts of its nodes. It does not use MPI, so that the same code works in a real run and on
 * thousands of virtual ranks in one process. Built-in algorithms use the same interface. The library checks the result
 * before it moves nodes; after a failure it prints a message and the run continues unchanged. A plug-in is a shared
 * object that defines one symbol, and calls no function of the library (cc -shared -fPIC -o mine.so mine.c;
 * --balancer=./mine.so or --balancer=./mine.so:settings):
 *
 *     #include <penumbra_plugin.h>
 *     static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan) { ... }
 *     static const pen_balancer mine = { .name = "mine", .summary = "what it does", .plan = plan };
 *     PEN_PLUGIN(.balancer = &mine); */
#ifndef PENUMBRA_PLUGIN_H
#define PENUMBRA_PLUGIN_H

#include <penumbra_basics.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pen_graph pen_graph;

/* Blocks of bytes received from other ranks. Block i came from ranks[i]; it has the bytes [offsets[i], offsets[i+1]) of
 * data. Ranks are distinct and ascending. If count is 0, the arrays may be NULL. */
typedef struct pen_blocks {
    int count;
    int *ranks;       /* [count] ranks that sent the blocks */
    int64_t *offsets; /* [count+1] offsets of the blocks in data, offsets[0] = 0 */
    unsigned char *data;
} pen_blocks;

/* Blocks of bytes to send to other ranks, described like pen_blocks. Functions that send them do not change them. */
typedef struct pen_parcels {
    int count;
    const int *ranks;       /* [count] ranks that get the blocks, distinct, ascending */
    const int64_t *offsets; /* [count+1] offsets of the blocks in data, offsets[0] = 0 */
    const void *data;
} pen_parcels;

/* A setting of an algorithm: "key=value" after its name. The library reads settings into the algorithm's own structure,
 * and lists them. A table has at most 63 entries and ends with one whose name is NULL:
 *
 *     typedef struct { double share; } my_settings;
 *     static const pen_setting settings[] = {
 *         { "share", "R", "0.5", "of the difference", PEN_OPTION_REAL, offsetof(my_settings, share), 0, 1 }, { 0 } };
 *
 * If the only entry has the name "", its kind must be PEN_OPTION_TEXT; its value is the whole text after the name, and
 * its argument may be NULL. */
typedef struct pen_setting {
    const char *name;     /* key of the setting */
    const char *argument; /* shown after "=" in lists; the words of a PEN_OPTION_WORD; NULL for a flag */
    const char *initial;  /* the default value; NULL: false, -1, NaN or NULL, by kind */
    const char *help;     /* description, one line, or NULL */
    pen_option_kind kind; /* type of the value. A PEN_OPTION_TEXT is valid as long as the structure */
    size_t offset;        /* offset of the value in the structure */
    double low, high;     /* if low < high: legal range of an _INT or a _REAL, ends included */
} pen_setting;

/* The connection of two processors. */
typedef struct pen_link {
    double latency; /* time of a message, >= 0 */
    double cost;    /* time of a unit of data, >= 0 */
} pen_link;

/* The processors of the parts or ranks, and the network between them. The unit of time is unit of load / unit of
 * speed. */
typedef struct pen_machine pen_machine;
struct pen_machine {
    int32_t processors;   /* number of processors, equal to that of parts or ranks */
    const double *speeds; /* [processors] > 0, finite: load per unit of time */
    double total_speed;   /* sum of the speeds */

    /* Processors of a cluster have equal links to each processor outside, and all pairs of them have equal links. */
    int32_t cluster_count;
    const int32_t *clusters; /* [processors] cluster of each processor, in [0, cluster_count) */

    /* Local. Return the link between two processors; equal in both directions; all 0 from a processor to itself. */
    pen_link (*link)(const pen_machine *machine, int32_t from, int32_t to);
};

/* The most phases of a step whose loads are told apart; the last of them includes those of later phases. */
enum { PEN_LOAD_PHASES = 16 };

/* The distributed graph as seen by a rank: its nodes, their loads, and their neighbours, as local CSR. Indices [0,
 * count) are own nodes; [count, count + shadows) are shadows: ghost nodes, neighbours that other ranks own. Neighbours
 * are mutual: in a directed graph they are the nodes that a node reads, and the nodes that read it. */
typedef struct pen_load_view {
    pen_lid count, shadows; /* numbers of own nodes and of shadows, together at most 2^31 - 1 */
    const pen_gid *gids;    /* [count+shadows] gids of own nodes, then of shadows */
    const int32_t *owners;  /* [shadows] ranks that own the shadows */
    /* [count] loads of the nodes, >= 0, finite, in seconds or units per step: of the step just done or, if
     * balancing is automatic, averages over steps if these predict loads better. */
    const double *loads;
    const uint32_t *rows;        /* [count+1] offsets into columns */
    const pen_lid *columns;      /* [rows[count]] indices of neighbours, no loops, no duplicates */
    const int64_t *edge_weights; /* [rows[count]] > 0, equal in both directions; NULL: every weight is 1 */
    int64_t node_bytes;          /* moving a node ships this many bytes ... */
    int64_t arc_bytes;           /* ... and this many per neighbour */
    double horizon;              /* number of steps that the plan will probably serve, >= 1 */

    /* Positions in space. Coordinates are finite, and only of own nodes. In a grid without coordinates, positions
     * follow from gid = (layer * height + row) * width + column; odd rows of hexagons are shifted by half a column to
     * the right. A graph that has changed is not a grid any more. */
    int dimensions;               /* number of coordinates, 1 to 3, or 0 for nodes without; equal on all ranks */
    const double *coordinates;    /* [count*dimensions] node by node; NULL if dimensions is 0 */
    pen_grid grid;                /* PEN_GRID_NONE: no grid, or of unknown kind */
    int64_t width, height, depth; /* size of the grid; depth 1 in two dimensions; all 0: no grid */

    int64_t step; /* steps done; 0 for a partitioner */

    /* This rank's processor. Use `reduce` or `exchange` to obtain the other ranks' values. */
    /* Speed of this rank: load per unit of time, > 0; 1 without a machine. A load is work: loads measured in seconds
     * have been multiplied by the speed of the measuring rank, so that a node has the same load on every rank. */
    double speed;
    int host, hosts; /* number of the host, in [0, hosts), in order of the lowest ranks, and number of hosts */

    /* Data that the node reads from the neighbour in a step, in units of edge weight; 0 if only the neighbour reads the
     * node. NULL: equal to the edge weights, as in all undirected graphs. */
    const int64_t *reads; /* [rows[count]] weights of the arcs that the node reads, >= 0 */

    /* Processors of the ranks, or of the parts for a partitioner. NULL: all have speed 1 and equal links. */
    const pen_machine *machine;

    /* Ranks wait for one another after each synchronising phase of a step: the step takes the sum over these phases of
     * the time of the slowest rank. A node's load is the sum of its loads in them. */
    int phases; /* number of synchronising phases, 1 to PEN_LOAD_PHASES; 0 counts as 1; equal on all ranks */
    /* [count*phases] loads per phase, node by node; NULL if there is only one phase, or if the loads of the phases are
     * not known: on all ranks or none. */
    const double *phase_loads;

    /* History and data of the nodes, if the balancer asks for them (pen_balancer). They move with the nodes. */
    int history; /* number of steps whose loads are known, up to pen_balancer.history; equal on all ranks */
    /* [count*history] past loads, node by node: of the step just done, of the one before, ...; 0 for steps before the
     * node was added. NULL if history is 0. */
    const double *past_loads;
    /* [count*pen_balancer.data_bytes] the balancer's data, node by node, aligned for all types. `plan` may write it.
     * NULL if data_bytes is 0. */
    void *node_data;
} pen_load_view;

/* The ranks that take part in a call, and functions to communicate with them. Functions that are not marked Local are
 * collective: all ranks make the same calls in the same order until their function returns. A call that fails does so
 * on all ranks; return its status. A rank that has failed for another reason may return at once: the next collective
 * call of the other ranks fails. */
typedef struct pen_peers pen_peers;
struct pen_peers {
    int rank, size; /* this rank, and the number of ranks, at most 2^30 */

    /* Send blocks to other ranks, and receive theirs. *received, valid until the next exchange, has one block per
     * sender, ranks ascending. Pass `mutual` = true if, on all ranks, every receiver also sends a block back: this is
     * faster, empty blocks arrive, and the received blocks are of the ranks in send->ranks; otherwise empty ones do
     * not arrive. A mutual block has at most 2^31 - 1 bytes
     * (PEN_ERR_UNSUPPORTED), others any number. Error: PEN_ERR_INTERNAL on all ranks if ranks are invalid or not
     * ascending, or mutual blocks are not mutual. */
    pen_status (*exchange)(pen_peers *peers, bool mutual, const pen_parcels *send, const pen_blocks **received);

    /* Compute sums and maxima over all ranks, in place, in `sums` [sum_count] and `maxima` [max_count]; each count is
     * at most 2^26 (PEN_ERR_ARGUMENT). Results are bit-identical on all ranks and for real and virtual ranks: ranks are
     * added in a fixed order. A maximum must not be NaN. */
    pen_status (*reduce)(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima);

    /* Local. Record the reason why this rank fails (one line, up to 1023 bytes), and return `status`. The library adds
     * the rank to the message. */
    pen_status (*fail)(pen_status status, const char *format, ...);

    /* Local. Sort records by receiving rank into blocks for an exchange. Record i, of `size` > 0 bytes, is for rank
     * to[i]; records for one rank keep their order. *parcels is valid until the next `group` or the end of the
     * algorithm's function. order[i] (order: [count] or NULL) receives the position of record i in the blocks, so that
     * replies in the same blocks can be matched. Time and memory are linear in count. Errors: PEN_ERR_MEMORY,
     * PEN_ERR_ARGUMENT (a rank below 0). */
    pen_status (*group)(pen_peers *peers, int64_t count, const int *to, const void *records, size_t size,
                        int64_t *order, const pen_parcels **parcels);

    /* Local. List the ranks that own shadows of this rank, ascending, each once, in ranks [view->shadows]. Returns
     * their number. They are mutual: each of these ranks lists this one. */
    int (*neighbors)(const pen_load_view *view, int *ranks);
};

/* A change of a node's owner. */
typedef struct pen_move {
    pen_gid gid;
    int32_t to;
} pen_move;

/* The most counters of a balancer. */
enum { PEN_PLAN_COUNTERS = 8 };

/* The result of a balancer: moves of this rank's nodes, each node at most once, to ranks in [0, size). A rank may give
 * away all of its nodes. A plan that does not lower the largest load is not applied, except with .regardless. If calls
 * are not automatic, it may also keep that load, and lower the largest deviation of a load from the mean, the pieces of
 * parts, or the cut. */
typedef struct pen_plan {
    pen_move *moves; /* [view->count] the moves, allocated by the library */
    int64_t count;   /* number of moves; 0 at first */
    int rounds;      /* rounds of the algorithm, >= 0, for the report; 0 if it has none */
    bool regardless; /* apply the plan even if it improves nothing: to reproduce a published heuristic exactly */

    double counts[PEN_PLAN_COUNTERS]; /* this rank's share of pen_balancer.counters, finite; 0 at first */
} pen_plan;

/* The most that a balancer can ask for (pen_balancer): steps of history, and bytes of data of a node. */
enum { PEN_MOST_HISTORY = 64, PEN_MOST_NODE_DATA = 1 << 16 };

/* An algorithm that moves nodes between ranks during a run. The structure is constant for the life of the process.
 * Texts are one line. The thread that runs the steps calls all functions; a function may use more threads, but only its
 * calling thread may call peers.
 *
 * The view, its arrays, peers and the results of peers are valid until the function returns; the function must not free
 * or keep them. It frees the memory that it allocates, or keeps it in *state. The memory of a rank should not grow with
 * the number of ranks or with other ranks' nodes. Do not use global variables: two runs, and in a simulation thousands
 * of ranks, share them. */
typedef struct pen_balancer {
    const char *name, *summary;

    /* Before the first plan, the library gives every rank a state of state_size bytes: the values of the settings,
     * equal on all ranks, and otherwise zeros. plan may keep data there. settings may be NULL, and state_size 0. */
    const pen_setting *settings;
    size_t state_size;

    /* Local. Check the settings. Returns NULL, or a sentence about the mistake. May be NULL. */
    const char *(*check)(void *state);

    /* Collective. Fill *plan. Returns a status; the run continues unchanged after an error. If loads alternate between
     * two patterns, it is called twice in a call: for the nodes that weigh more in the one, and for the others. */
    pen_status (*plan)(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan);

    /* Local. Free the memory that plan keeps in the state, but not the state. May be NULL. */
    void (*destroy)(void *state);

    bool reentrant; /* several ranks may run at once in a process: no global variable is written */

    /* The library keeps loads and data with each node for pen_load_view, if these are not 0. They take this memory, and
     * as many bytes more of a moved node. A new node has zeros. Changes of node_data stay even if the plan is not
     * applied. A checkpoint has neither them nor the state: a run that continues from it begins without history, and
     * with zeros. So does each call of pen_graph_rebalance. */
    int history;       /* number of past steps whose loads it uses, 0 to PEN_MOST_HISTORY */
    size_t data_bytes; /* bytes of data that it keeps with each node, 0 to PEN_MOST_NODE_DATA */

    /* Names of the values in pen_plan.counts, at most PEN_PLAN_COUNTERS, then NULL; or NULL. The metrics and the output
     * of `pen-sim replay` have their sums over all ranks; the trace of a rank has its share. */
    const char *const *counters;
} pen_balancer;

/* An algorithm that assigns nodes to parts before a run. Rules and members are those of pen_balancer. */
typedef struct pen_partitioner {
    const char *name, *summary;
    const pen_setting *settings;
    size_t settings_size;
    const char *(*check)(void *settings);

    /* Collective. Set part[i], [graph->count], to a part in [0, parts) for each own node. parts >= 1 need not be the
     * number of ranks; the nodes' present ranks have no meaning. Error: PEN_ERR_UNSUPPORTED for an unsuitable graph. */
    pen_status (*partition)(const void *settings, const pen_load_view *graph, pen_peers *peers, int parts,
                            int32_t *part);

    bool reentrant;

    /* Replaces `partition` in partitioners of the library, which know the contents of a pen_graph; sets part[i] of each
     * local node. NULL in a plug-in. */
    pen_status (*of_graph)(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                           int32_t *part);
} pen_partitioner;

/* The description of a plug-in: `const pen_plugin penumbra_plugin`. Algorithms that it does not offer are NULL. */
typedef struct pen_plugin {
    uint32_t abi; /* version of the interface, PEN_PLUGIN_ABI */
    const pen_balancer *balancer;
    const pen_partitioner *partitioner;
} pen_plugin;

extern PEN_API const pen_plugin penumbra_plugin;

/* A number that follows from the major version and from the sizes of the structures of this interface. A library with
 * another number refuses the plug-in. */
#define PEN_PLUGIN_ABI                                                                                             \
    ((uint32_t)(PEN_VERSION_MAJOR * 100000 + sizeof(pen_plugin) + sizeof(pen_balancer) + sizeof(pen_partitioner) + \
                sizeof(pen_setting) + sizeof(pen_load_view) + sizeof(pen_machine) + sizeof(pen_link) +             \
                sizeof(pen_peers) + sizeof(pen_plan) + sizeof(pen_move) + sizeof(pen_blocks) + sizeof(pen_parcels)))

/* Define penumbra_plugin: PEN_PLUGIN(.balancer = &mine); in C++, PEN_PLUGIN(&my_balancer, &my_partitioner). */
#define PEN_PLUGIN(...) const pen_plugin penumbra_plugin = { PEN_PLUGIN_ABI, __VA_ARGS__ }

#ifdef __cplusplus
}
#endif

#endif
