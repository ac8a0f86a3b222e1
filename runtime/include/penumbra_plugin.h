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
 *     PEN_API const pen_plugin penumbra_plugin = { PEN_PLUGIN_ABI, .balancer = &mine };
 *
 * built with `cc -shared -fPIC -o mine.so mine.c` and used with --balancer=./mine.so, or
 * --balancer=./mine.so:settings. It needs no function of the library.
 *
 * What an algorithm returns is checked before anything moves. One that returns nonsense or fails, also on
 * one rank only, costs a message, and the run goes on as it was. Memory that is written out of bounds, and
 * loops that do not end, nobody can check. */
#ifndef PENUMBRA_PLUGIN_H
#define PENUMBRA_PLUGIN_H

#include <penumbra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever something in this header does that an existing plug-in would stumble over. */
#define PEN_PLUGIN_ABI 1

/* Blocks of bytes to or from ranks: block i belongs to ranks[i] and is bytes[offsets[i] .. offsets[i+1]) of
 * data. Ranks are distinct and ascending. Where count is 0 the arrays may be NULL. */
typedef struct pen_blocks {
    int count;
    int *ranks;       /* [count] */
    int64_t *offsets; /* [count+1], offsets[0] = 0 */
    unsigned char *data;
} pen_blocks;

/* The ranks that balance together. All calls but `fail` are collective: every rank makes the same ones in
 * the same order, until its function returns. A call that fails does so on every rank; return its status.
 * A rank that has failed otherwise may return at once: the next call of the others tells them. */
typedef struct pen_peers pen_peers;
struct pen_peers {
    int rank, size;

    /* Deliver blocks. *received, valid until the next exchange, has one block per sender, ranks ascending.
     * Where every rank that gets a block from here sends one here as well, on all ranks, say that they are
     * `mutual`: it is faster, and empty blocks arrive too. Otherwise empty ones do not. Every rank fails with
     * PEN_ERR_INTERNAL where ranks do not ascend or are none, or blocks are called mutual that are not. */
    pen_status (*exchange)(pen_peers *peers, bool mutual, const pen_blocks *send, const pen_blocks **received);

    /* In place, over all ranks: sums of the ones, maxima of the others, [sum_count] and [max_count]. Equal in
     * every bit on all ranks, and for every kind of peers: ranks are added in one fixed order. */
    pen_status (*reduce)(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima);

    /* Local. Record why this rank fails (one line, no newline), and return `status`. */
    pen_status (*fail)(pen_status status, const char *format, ...);
};

/* A rank's nodes and what they weigh. Indices are own nodes, [0, count), and behind them shadows,
 * [count, count + shadows): neighbours that other ranks own. Neighbours are mutual: of a directed graph
 * they are those that a node reads and those that read it. */
typedef struct pen_load_view {
    pen_lid count, shadows;
    const pen_gid *gids;         /* [count+shadows] */
    const int32_t *owners;       /* [shadows] the ranks that own them */
    const double *loads;         /* [count] >= 0, finite: seconds or units of a step */
    const uint32_t *rows;        /* [count+1] offsets into columns */
    const pen_lid *columns;      /* [rows[count]] indices of the neighbours, no loops, no duplicates */
    const int64_t *edge_weights; /* [rows[count]] > 0, equal in both directions; NULL: every weight is 1 */
    int64_t node_bytes;          /* moving a node ships this many bytes ... */
    int64_t arc_bytes;           /* ... and this many per neighbour */
    double horizon;              /* steps that a plan is expected to serve, >= 1 */
} pen_load_view;

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

/* Constant for the life of the process. Texts are one line, settings "" where there are none. */
typedef struct pen_balancer {
    const char *name, *summary, *settings;

    /* Local, before the first plan, with equal settings on all ranks: what stood behind the name, or "".
     * *state is handed to the others. Returns NULL, or a sentence that says what is wrong with the settings.
     * May be NULL: no state, and settings are refused. */
    const char *(*create)(const char *settings, void **state);

    /* Collective. */
    pen_status (*plan)(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan);

    /* Local. May be NULL. */
    void (*destroy)(void *state);
} pen_balancer;

typedef struct pen_partitioner {
    const char *name, *summary, *settings;

    /* Collective. part[i] in [0, parts) for each own node, [graph->count]; where nodes are now means
     * nothing, and parts need not be as many as ranks. Settings as for a balancer. */
    pen_status (*partition)(const char *settings, const pen_load_view *graph, pen_peers *peers, int parts,
                            int32_t *part);
} pen_partitioner;

/* What a plug-in is: `const pen_plugin penumbra_plugin`. What it does not offer is NULL. */
typedef struct pen_plugin {
    int abi; /* PEN_PLUGIN_ABI */
    const pen_balancer *balancer;
    const pen_partitioner *partitioner;
} pen_plugin;

extern PEN_API const pen_plugin penumbra_plugin;

#ifdef __cplusplus
}
#endif

#endif
