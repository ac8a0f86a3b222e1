/* penumbra_plugin.h - the manual for authors of balancers and partitioners.
 *
 * An algorithm sees its rank's part of the graph (pen_load_view) and the other ranks (pen_peers), and says
 * where nodes shall live. It knows nothing of MPI, so that the same code runs in a real run, and on thousands
 * of virtual ranks in one process. Built-in algorithms and plug-ins are the same kind of thing. A plug-in is
 * a shared object that defines one symbol:
 *
 *     #include <penumbra_plugin.h>
 *     static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan) { ... }
 *     static const pen_balancer mine = { .name = "mine", .summary = "what it does", .plan = plan };
 *     PEN_PLUGIN(.balancer = &mine);
 *
 * built with `cc -shared -fPIC -o mine.so mine.c` and used with --balancer=./mine.so, or
 * --balancer=./mine.so:settings. It needs no function of the library.
 *
 * What an algorithm returns is checked before anything moves. One that returns nonsense or fails, also on
 * one rank only, costs a message, and the run goes on as it was. Memory that is written out of bounds, and
 * loops that do not end, nobody can check. */
#ifndef PENUMBRA_PLUGIN_H
#define PENUMBRA_PLUGIN_H

#include <penumbra_types.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pen_graph pen_graph;

/* Changes with the major version: when something in this header does that an existing plug-in would stumble over.
 * Structures may grow at their end without it, but for pen_blocks, pen_parcels and pen_move, which stay as they are. */
#define PEN_PLUGIN_ABI 3

/* Blocks of bytes that have come from ranks: block i is of ranks[i] and is bytes[offsets[i] .. offsets[i+1]) of
 * data. Ranks are distinct and ascending. Where count is 0 the arrays may be NULL. */
typedef struct pen_blocks {
    int count;
    int *ranks;       /* [count] */
    int64_t *offsets; /* [count+1], offsets[0] = 0 */
    unsigned char *data;
} pen_blocks;

/* Blocks of bytes for ranks, described in the same way; whoever sends them only reads them. */
typedef struct pen_parcels {
    int count;
    const int *ranks;       /* [count] distinct, ascending */
    const int64_t *offsets; /* [count+1], offsets[0] = 0 */
    const void *data;
} pen_parcels;

/* A setting, "key=value" behind a name. The library reads settings into a structure of the algorithm's own, and lists
 * them. A table ends with an entry whose name is NULL and has 63 others at most:
 *
 *     typedef struct { double share; } my_settings;
 *     static const pen_setting settings[] = {
 *         { "share", "R", "0.5", "of the difference", PEN_OPTION_REAL, offsetof(my_settings, share), 0, 1 }, { 0 } };
 *
 * Where the only entry has the name "", its kind is PEN_OPTION_TEXT, and its value all that stands behind the name. */
typedef struct pen_setting {
    const char *name;     /* the key */
    const char *argument; /* what lists show behind "="; the words of a PEN_OPTION_WORD; NULL for a flag */
    const char *initial;  /* the value where none is given; NULL: false, -1, NaN, NULL, by its kind */
    const char *help;     /* one line, or NULL */
    pen_option_kind kind; /* what the value is. A PEN_OPTION_TEXT lives as long as the structure */
    size_t offset;        /* of the value, in the structure */
    double low, high;     /* legal range of an _INT or a _REAL, ends included, where low < high */
} pen_setting;

/* What lies between two processors. */
typedef struct pen_link {
    double latency; /* time of a message, >= 0 */
    double cost;    /* time of a unit of data, >= 0 */
} pen_link;

/* The processors that parts or ranks stand for, and the network between them. Its unit of time is that of the loads
 * over the speed. */
typedef struct pen_machine pen_machine;
struct pen_machine {
    int32_t processors;   /* as many as parts or ranks */
    const double *speeds; /* [processors] > 0, finite: load that is worked off in a unit of time */
    double total_speed;   /* their sum */

    /* Processors of one cluster have the same links to all others, and each pair of them the same one. */
    int32_t cluster_count;
    const int32_t *clusters; /* [processors] in [0, cluster_count) */

    /* Local. From one processor to another, the same in both directions; nothing from one to itself. */
    pen_link (*link)(const pen_machine *machine, int32_t from, int32_t to);
};

/* A rank's nodes and what they weigh. Indices are own nodes, [0, count), and behind them shadows,
 * [count, count + shadows): neighbours that other ranks own. Neighbours are mutual: of a directed graph
 * they are those that a node reads and those that read it. */
typedef struct pen_load_view {
    pen_lid count, shadows;      /* together at most 2^31 - 1 */
    const pen_gid *gids;         /* [count+shadows] */
    const int32_t *owners;       /* [shadows] the ranks that own them */
    const double *loads;         /* [count] >= 0, finite: seconds or units of a step */
    const uint32_t *rows;        /* [count+1] offsets into columns */
    const pen_lid *columns;      /* [rows[count]] indices of the neighbours, no loops, no duplicates */
    const int64_t *edge_weights; /* [rows[count]] > 0, equal in both directions; NULL: every weight is 1 */
    int64_t node_bytes;          /* moving a node ships this many bytes ... */
    int64_t arc_bytes;           /* ... and this many per neighbour */
    double horizon;              /* steps that a plan is expected to serve, >= 1 */

    /* Where nodes are in space. Coordinates are finite, and of own nodes only. A grid that was generated without them
     * has places all the same: gid = (layer * height + row) * width + column; of hexagons odd rows are shifted by
     * half a column to the right. A graph that has changed is no grid: its nodes have coordinates, or no places. */
    int dimensions;               /* 1 to 3; 0: there are none, equal on all ranks */
    const double *coordinates;    /* [count*dimensions] node by node; NULL where there are none */
    pen_grid grid;                /* PEN_GRID_NONE: no grid, or nobody knows of which kind */
    int64_t width, height, depth; /* of a grid; depth 1 in two dimensions; all 0: no grid */

    int64_t step; /* steps done; 0 for a partitioner */

    /* This rank's processor. Who wants those of the others asks them: `reduce` and `exchange`. */
    double speed;    /* load that it works off in a unit of time, > 0: 1 where there is no machine. A load is work: what
                      * was measured in seconds has been multiplied with the speed of the rank that it was measured
                      * on, so that a node weighs as much wherever it is */
    int host, hosts; /* the host's number, in [0, hosts), in order of the lowest ranks, and how many there are */

    /* What the node of the row reads of the neighbour in a step, in units of edge weight; where a neighbour reads the
     * node, and not the other way around, it is 0. NULL: the edge weights, as of all graphs that are not directed. */
    const int64_t *reads; /* [rows[count]] >= 0 */

    const pen_machine *machine; /* of the ranks, for a partitioner of the parts; NULL: none was given, all processors
                                 * are of speed 1 and next to each other */
} pen_load_view;

/* The ranks that balance together. Calls that are not said to be Local are collective: every rank makes the same ones
 * in the same order, until its function returns. A call that fails does so on every rank; return its status.
 * A rank that has failed otherwise may return at once: the next call of the others tells them. */
typedef struct pen_peers pen_peers;
struct pen_peers {
    int rank, size; /* size is at most 2^30 */

    /* Deliver blocks. *received, valid until the next exchange, has one block per sender, ranks ascending.
     * Where every rank that gets a block from here sends one here as well, on all ranks, say that they are
     * `mutual`: it is faster, and empty blocks arrive too. Otherwise empty ones do not. Every rank fails with
     * PEN_ERR_INTERNAL where ranks do not ascend or are none, or blocks are called mutual that are not. A mutual
     * block has at most 2^31 - 1 bytes (PEN_ERR_UNSUPPORTED), others any number. */
    pen_status (*exchange)(pen_peers *peers, bool mutual, const pen_parcels *send, const pen_blocks **received);

    /* In place, over all ranks: sums of the ones, maxima of the others, [sum_count] and [max_count], each at most
     * 2^26 (PEN_ERR_ARGUMENT). Equal in every bit on all ranks, and for every kind of peers: ranks are added in one
     * fixed order. No maximum is NaN. */
    pen_status (*reduce)(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima);

    /* Local. Record why this rank fails (one line, up to 1023 bytes), and return `status`. The rank's number is
     * told by who reports it. */
    pen_status (*fail)(pen_status status, const char *format, ...);

    /* Local. What an exchange sends, made of records in any order: record i, `size` > 0 bytes, is for rank to[i];
     * records for one rank become one block and keep their order. *parcels is valid until the next `group` or the
     * end of the algorithm's function. order[i], where order is not NULL, [count], becomes the place of record i among
     * all of them, so that answers that come back in the same blocks find it. PEN_ERR_MEMORY, PEN_ERR_ARGUMENT (a
     * rank below 0); time and memory are linear in count. */
    pen_status (*group)(pen_peers *peers, int64_t count, const int *to, const void *records, size_t size,
                        int64_t *order, const pen_parcels **parcels);

    /* Local. The ranks that own shadows of this rank, ascending, each once: ranks[view->shadows] has room for them.
     * Returns how many. They are mutual: each of them has this one among its own. */
    int (*neighbors)(const pen_load_view *view, int *ranks);
};

/* A node changes owner. */
typedef struct pen_move {
    pen_gid gid;
    int32_t to;
} pen_move;

/* What a balancer wants: moves of this rank's nodes, each at most once, to ranks in [0, size). */
typedef struct pen_plan {
    pen_move *moves; /* [view->count] room for them */
    int64_t count;   /* 0 at first */
    int rounds;      /* of the algorithm, for the report; 0 where it has none */
    bool regardless; /* carry it out even if it helps nobody: for heuristics reproduced to the letter */
} pen_plan;

/* A way to move nodes between ranks while a run goes on. Constant for the life of the process. Texts are one line. All
 * functions are called by the one thread that runs the steps; a function may use more threads itself, but only the one
 * that called it calls peers.
 *
 * What a function gets, the view, its arrays, peers and what peers hand out, is valid until it returns, and nothing of
 * it may be freed or kept. What it allocates it frees, or keeps in *state. Memory of a rank should not grow with the
 * number of ranks or the nodes of the others. Variables of the process are a trap: two runs, and in a simulation
 * thousands of ranks, share them. */
typedef struct pen_balancer {
    const char *name, *summary;

    /* Before the first plan every rank gets a state of so many bytes, the library's, zero but for the settings; plan
     * may keep there what it likes. Settings are equal on all ranks. Both may be NULL and 0. */
    const pen_setting *settings;
    size_t state_size;

    /* Local. NULL, or a sentence that says what is wrong with the settings. May be NULL. */
    const char *(*check)(void *state);

    /* Collective. */
    pen_status (*plan)(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan);

    /* Local. Frees what plan keeps in the state, not the state. May be NULL. */
    void (*destroy)(void *state);

    bool reentrant; /* ranks of one process may run at once: no variable of the process is written */
} pen_balancer;

/* A way to give nodes to ranks before a run. As a balancer. */
typedef struct pen_partitioner {
    const char *name, *summary;
    const pen_setting *settings;
    size_t settings_size;
    const char *(*check)(void *settings);

    /* Collective. part[i] in [0, parts) for each own node, [graph->count]; where nodes are now means
     * nothing, and parts >= 1 need not be as many as ranks. A graph that does not suit is PEN_ERR_UNSUPPORTED. */
    pen_status (*partition)(const void *settings, const pen_load_view *graph, pen_peers *peers, int parts,
                            int32_t *part);

    bool reentrant;

    /* In place of `partition`, for the library's own, which know what is in a pen_graph; part[i] of each local node.
     * NULL in a plug-in. */
    pen_status (*of_graph)(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                           int32_t *part);
} pen_partitioner;

/* What a plug-in is: `const pen_plugin penumbra_plugin`. What it does not offer is NULL. */
typedef struct pen_plugin {
    int abi; /* PEN_PLUGIN_ABI */
    /* How large the structures were when the plug-in was built: a later library knows what it does not have. */
    uint32_t plugin_size, balancer_size, partitioner_size, setting_size;
    const pen_balancer *balancer;
    const pen_partitioner *partitioner;
} pen_plugin;

extern PEN_API const pen_plugin penumbra_plugin;

/* Defines it: PEN_PLUGIN(.balancer = &mine); in C++ before C++20, PEN_PLUGIN(&my_balancer, &my_partitioner). */
#define PEN_PLUGIN(...)                                                                                      \
    const pen_plugin penumbra_plugin = { PEN_PLUGIN_ABI,          sizeof(pen_plugin),  sizeof(pen_balancer), \
                                         sizeof(pen_partitioner), sizeof(pen_setting), __VA_ARGS__ }

#ifdef __cplusplus
}
#endif

#endif
