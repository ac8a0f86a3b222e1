/* mapped.c - minex and pagrid: partitioners and balancers that minimise the time of a step on a machine, work and
 * communication together, with the whole graph on rank 0. Without a machine all processors are next to each other.
 *
 * Work is counted in mean nodes and data in mean arcs, so that any graph, with loads in any unit, can be put on a
 * machine. `ratio` is the time of a mean arc over a link of cost 1, in mean nodes on a processor of speed 1. Its
 * default is 1 for a partitioner. A balancer sees the present owners, and takes the ratio at which reading over the
 * network takes SHARE of the work: a run whose communication took as long as its work, or longer, would not profit from
 * more ranks. With `units`, loads and edge weights are used as they are, in the units of the machine. */
#include "base/memory.h"
#include "partition/gather.h"
#include "partition/minex/minex.h"
#include "partition/pagrid/pagrid.h"
#include "rebalance/balancers.h"
#include "rebalance/move_cost.h"
#include "view/check.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>

/* The graph on rank 0, in the units of the machine; empty on other ranks. */
typedef struct mapped_graph {
    pen_gathered gathered;
    int32_t count;
    int64_t *rows;                       /* [count+1] row pointers */
    double *work, *reads, *feeds, *size; /* work [count], data that is read and fed [rows[count]], and size [count] */
    const pen_machine *machine;          /* the view's machine, or `flat` */
    pen_machine *flat;
} mapped_graph;

#define SHARE 0.1
#define MOST_TIME 1e300 /* the longest time of all work and data, so that sums of times are finite */

typedef struct mapped_settings {
    double ratio; /* ratio of communication to work; NaN: not given */
    bool units, scratch;
    int64_t seed;
    /* Settings of minex: */
    double throt, theta;
    int64_t coarsest;
    int64_t cost; /* kind of cost, a pen_minex_cost */
} mapped_settings;

/* A function that calls one of the two algorithms: it sets the new owner of each row. `owners` are the rows' present
 * owners, or NULL for a partition from scratch. *gains: a step takes less time than with `owners`. */
typedef pen_status map_fn(const mapped_settings *s, const mapped_graph *m, const int32_t *owners, int32_t *part,
                          bool *gains);

typedef struct method {
    const char *owner; /* beginning of messages, such as "balancer minex" */
    map_fn *map;
    const mapped_settings *settings;
} method;

static void free_graph(mapped_graph *m)
{
    pen_gathered_free(&m->gathered);
    PEN_FREE_ALL(m->rows, m->work, m->reads, m->feeds, m->size);
    pen_machine_destroy(&m->flat);
}

/* ---- The graph --------------------------------------------------------------------------------- */

/* On rank 0. Find what neighbours read of a row. Rows are visited in ascending order, in which they are in their
 * neighbours' rows. */
static pen_status find_feeds(const pen_serial_graph *s, mapped_graph *m)
{
    int64_t *next;
    PEN_TRY(PEN_ALLOC(&next, s->nodes));
    memcpy(next, m->rows, (size_t)s->nodes * sizeof *next);
    for (int32_t v = 0; v < s->nodes; v++)
        for (int64_t a = m->rows[v]; a < m->rows[v + 1]; a++) m->feeds[next[s->neighbors[a]]++] = m->reads[a];
    free(next);
    return PEN_OK;
}

/* On rank 0. Find the ratio: the given one, or its default; with `balances`, computed from the owners. */
static double find_ratio(const mapped_settings *settings, const mapped_graph *m, bool balances, const int64_t *reads)
{
    const pen_serial_graph *s = &m->gathered.graph;
    const int64_t arcs = s->rows[s->nodes];
    const int32_t *owners = m->gathered.owners;
    double all = 0.0, far = 0.0;
    int64_t read = 0;
    if (settings->ratio >= 0.0 || !balances) return settings->ratio >= 0.0 ? settings->ratio : 1.0;
    for (int32_t v = 0; v < s->nodes; v++)
        for (int64_t a = s->rows[v]; a < s->rows[v + 1]; a++) {
            all += (double)reads[a];
            read += reads[a] > 0;
            far += (double)reads[a] * m->machine->link(m->machine, owners[v], owners[s->neighbors[a]]).cost;
        }
    /* The mean is over the arcs that are read. */
    double mean_speed = m->machine->total_speed / m->machine->processors;
    return arcs > 0 && far > 0.0 ? SHARE * s->nodes / mean_speed * all / ((double)read * far) : 1.0;
}

/* On rank 0. Convert the graph to the units of the machine. If `loaded` is false there are no loads: each node has the
 * load 1. */
static pen_status fill(const mapped_settings *settings, const pen_load_view *view, const int64_t *reads, bool loaded,
                       bool balances, mapped_graph *m)
{
    const pen_serial_graph *s = &m->gathered.graph;
    int64_t arcs = s->rows[s->nodes];
    m->count = s->nodes;
    PEN_TRY(PEN_ALLOC(&m->rows, (int64_t)s->nodes + 1));
    PEN_TRY(PEN_ALLOC(&m->work, s->nodes));
    PEN_TRY(PEN_ALLOC(&m->size, s->nodes));
    PEN_TRY(PEN_ALLOC(&m->reads, arcs));
    PEN_TRY(PEN_ALLOC(&m->feeds, arcs));
    for (int32_t v = 0; v <= s->nodes; v++) m->rows[v] = s->rows[v];
    for (int32_t v = 0; v < s->nodes; v++) m->work[v] = loaded ? m->gathered.loads[v] : 1.0;
    for (int64_t a = 0; a < arcs; a++) m->reads[a] = (double)reads[a];
    const double ratio = find_ratio(settings, m, balances, reads);
    const pen_pagrid_graph plain = { m->count, m->rows, s->neighbors, m->work, m->reads };
    pen_estimate_units units = pen_estimate_units_of(&plain, settings->units ? -1.0 : ratio);
    for (int32_t v = 0; v < s->nodes; v++) {
        m->work[v] *= units.work;
        m->size[v] = pen_move_cost(view, s->rows[v + 1] - s->rows[v]) * (settings->units ? 1.0 : ratio);
    }
    for (int64_t a = 0; a < arcs; a++) m->reads[a] *= units.data;
    return find_feeds(s, m);
}

static double dearest_link(const pen_machine *machine)
{
    double dearest = 0.0;
    for (int32_t p = 0; p < machine->processors; p++) {
        if (p > 0 && machine->clusters[p] == machine->clusters[p - 1]) continue; /* it has the same links */
        for (int32_t q = 0; q < machine->processors; q++) dearest = fmax(dearest, machine->link(machine, p, q).cost);
    }
    return dearest;
}

/* On rank 0. Refuse a graph whose times on the machine may be infinite: none would be the least. */
static pen_status check_times(const char *owner, const mapped_graph *m)
{
    double work = 1.0, data = 1.0, slowest = m->machine->speeds[0];
    for (int32_t p = 1; p < m->machine->processors; p++) slowest = fmin(slowest, m->machine->speeds[p]);
    for (int32_t v = 0; v < m->count; v++) work += m->work[v];
    for (int32_t v = 0; v < m->count; v++) data += m->size[v];
    for (int64_t a = 0; a < m->rows[m->count]; a++) data += m->reads[a];
    const double time = work / slowest + data * dearest_link(m->machine);
    if (time <= MOST_TIME) return PEN_OK;
    return pen_fail(PEN_ERR_UNSUPPORTED,
                    "%s: a step may take %.4g units of time on this machine, at most %g are possible", owner, time,
                    MOST_TIME);
}

/* Collective. Gather the graph. Call free_graph also after a failure. */
static pen_status gather(const method *how, const pen_load_view *view, pen_peers *peers, int parts, bool balances,
                         mapped_graph *m)
{
    double loads = 0.0;
    int64_t *reads = NULL;
    for (pen_lid i = 0; i < view->count; i++) loads += view->loads[i];
    PEN_TRY(peers->reduce(peers, 1, &loads, 0, NULL));
    PEN_TRY(pen_gather(view, peers, how->owner, true, &m->gathered));
    if (loads > 0.0) PEN_TRY(pen_gather_loads(view, peers, how->owner, loads, &m->gathered));
    pen_status status = pen_gather_reads(view, peers, &m->gathered, &reads);
    if (status == PEN_OK && peers->rank == 0) {
        m->machine = view->machine;
        if (!m->machine) {
            status = pen_machine_generate("flat", parts, &m->flat);
            m->machine = m->flat;
        }
        if (status == PEN_OK) status = fill(how->settings, view, reads, loads > 0.0, balances, m);
        if (status == PEN_OK) status = check_times(how->owner, m);
    }
    free(reads);
    return status;
}

/* ---- Partitioners and balancers of both algorithms --------------------------------------------- */

static pen_status plan(const method *how, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    mapped_graph m = { .count = 0 };
    int32_t *part = NULL;
    const int32_t *to = NULL;
    bool gains = false;
    pen_status status = gather(how, view, peers, peers->size, true, &m);
    if (status == PEN_OK && peers->rank == 0) {
        status = PEN_ALLOC(&part, m.count);
        if (status == PEN_OK) status = how->map(how->settings, &m, m.gathered.owners, part, &gains);
    }
    if (status == PEN_OK) status = pen_gathered_scatter(peers, &m.gathered, gains ? part : NULL, &to);
    if (status == PEN_OK && to) pen_plan_fill(plan, view, peers->rank, to);
    /* With a machine, a plan may lower the time of a step, which includes communication, even if some rank computes
     * longer. */
    plan->regardless = status == PEN_OK && to && view->machine;
    free_graph(&m);
    free(part);
    return status;
}

static pen_status partition_with(const method *how, const pen_load_view *graph, pen_peers *peers, int parts,
                                 int32_t *part)
{
    mapped_graph m = { .count = 0 };
    int32_t *all = NULL;
    const int32_t *mine = NULL;
    bool unused;
    pen_status status = gather(how, graph, peers, parts, false, &m);
    if (status == PEN_OK && peers->rank == 0) {
        status = PEN_ALLOC(&all, m.count);
        if (status == PEN_OK) status = how->map(how->settings, &m, NULL, all, &unused);
    }
    if (status == PEN_OK) status = pen_gathered_scatter(peers, &m.gathered, all, &mine);
    if (status == PEN_OK && mine) memcpy(part, mine, (size_t)graph->count * sizeof *part);
    free_graph(&m);
    free(all);
    return status;
}

/* ---- minex ------------------------------------------------------------------------------------- */

static pen_status map_minex(const mapped_settings *s, const mapped_graph *m, const int32_t *owners, int32_t *part,
                            bool *gains)
{
    int32_t *nowhere = NULL;
    pen_minex_settings settings = pen_minex_defaults(owners && !s->scratch);
    pen_minex_metrics before = { .heaviest = HUGE_VAL }, after;
    settings.throt = s->throt;
    settings.coarsest = s->coarsest;
    settings.cost = (pen_minex_cost)s->cost;
    settings.seed = (uint64_t)s->seed;
    /* A partition is kept for many steps, so the data of a moved node is not known at its old owner. */
    settings.old_owner_free = false;
    if (s->theta > 0.0) {
        settings.tolerance = pen_minex_overlap;
        settings.context = &s->theta;
    }
    if (!owners) {
        PEN_TRY(PEN_ALLOC(&nowhere, m->count));
        for (int32_t v = 0; v < m->count; v++) nowhere[v] = -1;
    }
    const pen_minex_graph graph = { m->count, m->rows,  m->gathered.graph.neighbors, m->work, m->size,
                                    m->reads, m->feeds, owners ? owners : nowhere };
    pen_status status = pen_minex_partition(&graph, m->machine, &settings, part, &after, NULL);
    if (status == PEN_OK && owners)
        status = pen_minex_measure(&graph, m->machine, &settings, owners, &before, NULL, NULL);
    *gains = status == PEN_OK && after.heaviest < before.heaviest * (1 - 1e-12);
    free(nowhere);
    return status;
}

/* ---- pagrid ------------------------------------------------------------------------------------ */

static pen_status map_pagrid(const mapped_settings *s, const mapped_graph *m, const int32_t *owners, int32_t *part,
                             bool *gains)
{
    const pen_pagrid_settings settings = { .ratio = -1.0, .seed = (uint64_t)s->seed };
    const pen_pagrid_graph graph = { m->count, m->rows, m->gathered.graph.neighbors, m->work, m->reads };
    const int32_t *start = s->scratch ? NULL : owners;
    double after, before = HUGE_VAL;
    PEN_TRY(pen_pagrid_partition(&graph, m->machine, &settings, start, part, &after));
    if (owners) PEN_TRY(pen_estimate_longest(&graph, m->machine, settings.ratio, owners, &before));
    *gains = after < before * (1 - 1e-12);
    return PEN_OK;
}

/* ---- The tables -------------------------------------------------------------------------------- */

#define SETTING(name, argument, initial, help, kind, member, low, high)                                \
    {                                                                                                  \
        name, argument, initial, help, PEN_OPTION_##kind, offsetof(mapped_settings, member), low, high \
    }
#define RATIO(initial, unknown)                                                                                    \
    SETTING("ratio", "R", initial, "time of a mean arc over a link of cost 1 / time of a mean node" unknown, REAL, \
            ratio, 0, HUGE_VAL)
#define SCRATCH SETTING("scratch", NULL, NULL, "ignore the nodes' present ranks", FLAG, scratch, 0, 0)
#define COMMON                                                                                               \
    SETTING("units", NULL, NULL, "use loads and edge weights unscaled, without a ratio", FLAG, units, 0, 0), \
        SETTING("seed", "N", "1", NULL, INT, seed, 0, HUGE_VAL)
#define MINEX                                                                                       \
    SETTING("throt", "T", "32", NULL, REAL, throt, 0, HUGE_VAL),                                    \
        SETTING("theta", "X", "0", "share of the communication that is hidden", REAL, theta, 0, 1), \
        SETTING("cost", "edge|rank", "edge", NULL, WORD, cost, 0, 0),                               \
        SETTING("coarsest", "N", "400", NULL, INT, coarsest, 0, INT32_MAX)
#define TENTH "; default: reading takes a tenth of the time of the work"

static const pen_setting balancer_minex[] = { RATIO(NULL, TENTH), COMMON, SCRATCH, MINEX, { .name = NULL } };
static const pen_setting balancer_pagrid[] = { RATIO(NULL, TENTH), COMMON, SCRATCH, { .name = NULL } };
static const pen_setting partitioner_minex[] = { RATIO("1", ""), COMMON, MINEX, { .name = NULL } };
static const pen_setting partitioner_pagrid[] = { RATIO("1", ""), COMMON, { .name = NULL } };

static pen_status plan_minex(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *to)
{
    return plan(&(const method){ "balancer minex", map_minex, state }, view, peers, to);
}

static pen_status plan_pagrid(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *to)
{
    return plan(&(const method){ "balancer pagrid", map_pagrid, state }, view, peers, to);
}

static pen_status partition_minex(const void *settings, const pen_load_view *graph, pen_peers *peers, int parts,
                                  int32_t *part)
{
    return partition_with(&(const method){ "partitioner minex", map_minex, settings }, graph, peers, parts, part);
}

static pen_status partition_pagrid(const void *settings, const pen_load_view *graph, pen_peers *peers, int parts,
                                   int32_t *part)
{
    return partition_with(&(const method){ "partitioner pagrid", map_pagrid, settings }, graph, peers, parts, part);
}

const pen_balancer pen_balancer_minex = {
    .name = "minex",
    .summary = "MinEX: reduces the estimated time of a step on a machine, from the nodes' present ranks, on rank 0",
    .settings = balancer_minex,
    .state_size = sizeof(mapped_settings),
    .plan = plan_minex,
    .reentrant = true,
};

const pen_balancer pen_balancer_pagrid = {
    .name = "pagrid",
    .summary =
        "PaGrid: reduces the longest estimated time of a step on a machine, from the nodes' present ranks, on rank 0",
    .settings = balancer_pagrid,
    .state_size = sizeof(mapped_settings),
    .plan = plan_pagrid,
    .reentrant = true,
};

const pen_partitioner pen_partitioner_minex = {
    .name = "minex",
    .summary = "MinEX: reduces the estimated time of a step on a machine; rank 0 gathers the graph",
    .settings = partitioner_minex,
    .settings_size = sizeof(mapped_settings),
    .partition = partition_minex,
    .reentrant = true,
};

const pen_partitioner pen_partitioner_pagrid = {
    .name = "pagrid",
    .summary = "PaGrid: reduces the longest estimated time of a step on a machine; rank 0 gathers the graph",
    .settings = partitioner_pagrid,
    .settings_size = sizeof(mapped_settings),
    .partition = partition_pagrid,
    .reentrant = true,
};
