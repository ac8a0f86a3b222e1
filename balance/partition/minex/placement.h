/* placement.h - the processors of vertices, the resulting loads, and the effect of a move.
 *
 * Each vertex has a table of its neighbours' processors, with the sums of what it reads from there and feeds. So the
 * effect of a move on all loads is known without visiting edges; only an executed move visits them. If data are counted
 * once per processor (PEN_MINEX_RANK), `feeds` is the number of neighbours that read, and effects need the edges. */
#pragma once

#include "partition/minex/minex.h"

/* The machine, with tables that are fast to look up. */
typedef struct network {
    int32_t processors, clusters;
    const int32_t *cluster; /* [processors] cluster of each processor */
    double *slowdown;       /* [processors] 1 / speed of each processor */
    double *cost; /* [clusters*clusters] cost of a link; the diagonal is for different processors of a cluster */
    double slowest_share; /* fraction of the machine's speed that the slowest processor has */
} network;

typedef struct table_entry {
    int32_t processor;
    int32_t references; /* number of neighbours of the vertex on this processor, or owned by it where that matters */
    double reads, feeds;
    double known; /* cost that reading on this processor would have, for data that the old owner still knows */
} table_entry;

/* The effect of a move: change receiving[i] for each of processors[i], [count]; the first one is `to`, the second
 * `from`, unless that is -1. */
typedef struct effect {
    int32_t vertex, from, to, count;
    int32_t *processors;
    double *receiving;
} effect;

typedef struct placement {
    const pen_minex_graph *graph;
    const double *data; /* [count] data of each vertex for PEN_MINEX_RANK */
    const network *net;
    const pen_minex_settings *settings;
    int32_t *part;            /* [count] processor of each vertex, -1: none yet; owned by the caller */
    pen_minex_totals *totals; /* [processors] totals of each processor */
    double *loads;            /* [processors] load of each processor */
    double total;             /* sum of the loads */
    int64_t *firsts;          /* [count+1] index of each vertex's first entry */
    int32_t *lengths;         /* [count] number of each vertex's entries */
    table_entry *entries;
    effect change;
    /* [processors] index of the processor in `change`, or scratch data while tables are made; else -1. */
    int32_t *places;
} placement;

PEN_CHECKED pen_status pen_minex_network_create(const pen_machine *machine, network *net);
void pen_minex_network_free(network *net);

/* Local. Compute the placement of part[], with -1 for a vertex without a processor. Call pen_minex_placement_free also
 * after a failure. */
PEN_CHECKED pen_status pen_minex_placement_create(const pen_minex_graph *graph, const double *data, const network *net,
                                                  const pen_minex_settings *settings, int32_t *part, placement *p);
void pen_minex_placement_free(placement *p);

/* Local. Set p->change to the effect of moving v to another processor; third processors are included only if
 * requested. */
void pen_minex_change(placement *p, int32_t v, int32_t to, bool thirds);

/* Local. The entry of a processor in v's table, or NULL. */
table_entry *pen_minex_entry(const placement *p, int32_t v, int32_t processor);

/* Local. The cost that processor `at` would pay for what v reads of others, with cost by edges. */
double pen_minex_reading(const placement *p, int32_t v, int32_t at);

/* Local. The load of processor i of the change after the change. */
double pen_minex_load_after(const placement *p, int32_t i);

/* Local. Gain of the change; change of Var about a mean. The change must include third processors. */
double pen_minex_gain(const placement *p);
double pen_minex_variance_change(const placement *p, double mean);

/* Local. Carry out the change, which must include third processors. */
void pen_minex_commit(placement *p);

static inline double pen_minex_mean(const placement *p) { return p->total / p->net->processors; }

/* Local. The cost of a link; 0 from a processor to itself. */
static inline double pen_minex_link(const network *net, int32_t a, int32_t b)
{
    return a == b ? 0.0 : net->cost[(int64_t)net->cluster[a] * net->clusters + net->cluster[b]];
}

/* Local. The load that follows from totals. */
static inline double pen_minex_load(const placement *p, const pen_minex_totals *t)
{
    if (p->settings->tolerance) return p->settings->tolerance(t, p->settings->context);
    return t->processing + t->receiving + t->remapping;
}

/* Local. The processor that knows v's data without cost although v is elsewhere; < 0: none. */
static inline int32_t pen_minex_knowing(const placement *p, int32_t v)
{
    return p->settings->old_owner_free ? p->graph->owners[v] : -1;
}

/* Local. Add v to a processor's totals (1) or subtract it (-1), without receiving. */
static inline void pen_minex_count(const placement *p, pen_minex_totals *t, int32_t v, int by)
{
    const pen_minex_graph *g = p->graph;
    t->vertices += by;
    t->processing += by * g->work[v] * p->net->slowdown[t->processor];
    if (g->owners[v] >= 0) t->remapping += by * g->size[v] * pen_minex_link(p->net, g->owners[v], t->processor);
}
