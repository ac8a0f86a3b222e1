/* placement.h - the processors of vertices, the resulting loads, and the effect of a move.
 *
 * Each vertex has a table of its neighbours' processors, with the sums of what it reads from there and feeds. So the
 * effect of a move on all loads is known without visiting edges; only an executed move visits them. If data are counted
 * once per processor (PEN_MINEX_RANK), `feeds` counts the neighbours that read, and effects need the edges. */
#pragma once

#include "partition/minex/minex.h"

/* The machine, with tables that are fast to look up. */
typedef struct network {
    int32_t processors, clusters;
    const int32_t *cluster; /* [processors] */
    double *slowdown;       /* [processors] 1 / speed */
    double *cost;           /* [clusters*clusters] of a link; in the diagonal between different ones of a cluster */
    double slowest_share;   /* of the slowest processor in the machine's speed */
} network;

typedef struct table_entry {
    int32_t processor;
    int32_t references; /* neighbours that are on it, or owned by it where that matters */
    double reads, feeds;
    double known; /* what reading would cost there, of data that the old owner still knows */
} table_entry;

/* What a move changes: receiving[i] of processors[i], for `count` of them; first `to`, then `from`, if it is not -1. */
typedef struct effect {
    int32_t vertex, from, to, count;
    int32_t *processors;
    double *receiving;
} effect;

typedef struct placement {
    const pen_minex_graph *graph;
    const double *data; /* [count] of PEN_MINEX_RANK */
    const network *net;
    const pen_minex_settings *settings;
    int32_t *part;            /* [count] -1: nowhere yet; the caller's */
    pen_minex_totals *totals; /* [processors] */
    double *loads;            /* [processors] */
    double total;             /* of the loads */
    int64_t *firsts;          /* [count+1] into entries */
    int32_t *lengths;         /* [count] */
    table_entry *entries;
    effect change;
    int32_t *places; /* [processors] in the change, or of use while tables are made; else -1 */
} placement;

PEN_CHECKED pen_status pen_minex_network_create(const pen_machine *machine, network *net);
void pen_minex_network_free(network *net);

/* Local. From part[], with -1 for a vertex without a processor. pen_minex_placement_free frees it, also after a
 * failure. */
PEN_CHECKED pen_status pen_minex_placement_create(const pen_minex_graph *graph, const double *data, const network *net,
                                                  const pen_minex_settings *settings, int32_t *part, placement *p);
void pen_minex_placement_free(placement *p);

/* Local. p->change becomes the effect of moving v to another processor; on third processors only if requested. */
void pen_minex_change(placement *p, int32_t v, int32_t to, bool thirds);

/* Local. v's entry of a processor, or NULL. */
table_entry *pen_minex_entry(const placement *p, int32_t v, int32_t processor);

/* Local. What a processor pays for what v, if it were there, reads of others; by edges. */
double pen_minex_reading(const placement *p, int32_t v, int32_t at);

/* Local. The load of processor i of the change after it. */
double pen_minex_load_after(const placement *p, int32_t i);

/* Local. Of a change with third processors: Gain, and of Var about a mean. */
double pen_minex_gain(const placement *p);
double pen_minex_variance_change(const placement *p, double mean);

/* Local. Carry out the change, which is one with third processors. */
void pen_minex_commit(placement *p);

static inline double pen_minex_mean(const placement *p) { return p->total / p->net->processors; }

/* Local. The cost of a link; nothing from a processor to itself. */
static inline double pen_minex_link(const network *net, int32_t a, int32_t b)
{
    return a == b ? 0.0 : net->cost[(int64_t)net->cluster[a] * net->clusters + net->cluster[b]];
}

/* Local. The load that totals make. */
static inline double pen_minex_load(const placement *p, const pen_minex_totals *t)
{
    if (p->settings->tolerance) return p->settings->tolerance(t, p->settings->context);
    return t->processing + t->receiving + t->remapping;
}

/* Local. Where v's data cost nothing although it is elsewhere; < 0: nowhere. */
static inline int32_t pen_minex_knowing(const placement *p, int32_t v)
{
    return p->settings->old_owner_free ? p->graph->owners[v] : -1;
}

/* Local. Count v in (1) or out (-1) on a processor, but for receiving. */
static inline void pen_minex_count(const placement *p, pen_minex_totals *t, int32_t v, int by)
{
    const pen_minex_graph *g = p->graph;
    t->vertices += by;
    t->processing += by * g->work[v] * p->net->slowdown[t->processor];
    if (g->owners[v] >= 0) t->remapping += by * g->size[v] * pen_minex_link(p->net, g->owners[v], t->processor);
}
