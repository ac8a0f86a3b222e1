/* state.c - keeps the times of a partition, and updates them with moves. */
#include "partition/pagrid/state.h"
#include "base/memory.h"

#include <string.h>

enum { DENSE_COSTS = 1024 /* largest number of processors whose links fit in a near cache as a table */ };

/* ---- The machine ------------------------------------------------------------------------------- */

static bool has_latencies(const pen_machine *machine)
{
    for (int32_t p = 0; p < machine->processors; p++)
        for (int32_t q = p + 1; q < machine->processors; q++)
            if (machine->link(machine, p, q).latency > 0.0) return true;
    return false;
}

pen_status pen_pagrid_network_create(const pen_machine *machine, pen_estimate_units units, pagrid_network *network)
{
    int64_t count = machine->processors;
    *network = (pagrid_network){ .machine = machine, .processors = machine->processors };
    network->latency = has_latencies(machine) ? units.latency : 0.0;
    PEN_TRY(PEN_ALLOC(&network->slowness, count));
    for (int32_t p = 0; p < count; p++) network->slowness[p] = 1.0 / machine->speeds[p];
    if (count > DENSE_COSTS) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&network->costs, count * count));
    for (int32_t p = 0; p < count; p++)
        for (int32_t q = 0; q < count; q++)
            network->costs[p * count + q] = p == q ? 0.0 : machine->link(machine, p, q).cost;
    return PEN_OK;
}

void pen_pagrid_network_free(pagrid_network *network)
{
    PEN_FREE_ALL(network->slowness, network->costs);
    *network = (pagrid_network){ .machine = NULL };
}

/* ---- The state --------------------------------------------------------------------------------- */

static double power(const pagrid_state *s, double time)
{
    double x = time * s->unit;
    for (int k = 0; k < s->squarings; k++) x *= x;
    return x;
}

static int32_t *reads_of(pagrid_state *s, int32_t p, int32_t q)
{
    return &s->reads[(int64_t)p * s->network->processors + q];
}

static double latency(const pagrid_state *s, int32_t p, int32_t q)
{
    return s->network->latency * s->network->machine->link(s->network->machine, p, q).latency;
}

static void add_up(pagrid_state *s)
{
    s->objective = 0.0;
    for (int32_t p = 0; p < s->network->processors; p++) s->objective += s->powers[p] = power(s, s->times[p]);
}

void pen_pagrid_recount(pagrid_state *s)
{
    const pagrid_level *l = s->level;
    int64_t processors = s->network->processors;
    memset(s->times, 0, (size_t)processors * sizeof *s->times);
    if (s->reads) memset(s->reads, 0, (size_t)(processors * processors) * sizeof *s->reads);
    for (int32_t v = 0; v < l->count; v++) {
        int32_t p = s->part[v];
        s->times[p] += l->work[v] * s->network->slowness[p];
        for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++) {
            int32_t q = s->part[l->arcs[j].to];
            if (q == p) continue;
            s->times[p] += l->arcs[j].out * pagrid_cost(s->network, p, q);
            if (s->reads && l->arcs[j].reads & 1 && (*reads_of(s, p, q))++ == 0) s->times[p] += latency(s, p, q);
        }
    }
    add_up(s);
}

pen_status pen_pagrid_state_create(const pagrid_level *level, const pagrid_network *network, int32_t *part,
                                   pagrid_state *state)
{
    int64_t processors = network->processors;
    *state = (pagrid_state){ .level = level, .network = network, .part = part };
    PEN_TRY(PEN_ALLOC(&state->times, processors));
    PEN_TRY(PEN_ALLOC(&state->powers, processors));
    PEN_TRY(PEN_ALLOC(&state->near, processors));
    PEN_TRY(PEN_ALLOC(&state->changes, processors + 2));
    PEN_TRY(PEN_ALLOC_ZERO(&state->place, processors));
    if (network->latency > 0.0) PEN_TRY(PEN_ALLOC(&state->reads, processors * processors));
    pen_pagrid_recount(state);
    return PEN_OK;
}

void pen_pagrid_state_free(pagrid_state *state)
{
    PEN_FREE_ALL(state->times, state->powers, state->near, state->changes, state->place, state->reads);
    *state = (pagrid_state){ .level = NULL };
}

double pen_pagrid_longest(const pagrid_state *s, int32_t *processor)
{
    *processor = 0;
    for (int32_t p = 1; p < s->network->processors; p++)
        if (s->times[p] > s->times[*processor]) *processor = p;
    return s->times[*processor];
}

void pen_pagrid_aim(pagrid_state *s, int squarings)
{
    int32_t p;
    double longest = pen_pagrid_longest(s, &p);
    s->unit = longest > 0.0 ? 1.0 / longest : 1.0;
    s->squarings = squarings;
    add_up(s);
}

/* ---- Moves ------------------------------------------------------------------------------------- */

void pen_pagrid_look(pagrid_state *s, int32_t vertex)
{
    const pagrid_level *l = s->level;
    s->near_count = 0;
    for (int64_t j = l->rows[vertex]; j < l->rows[vertex + 1]; j++) {
        const pagrid_arc *arc = &l->arcs[j];
        int32_t q = s->part[arc->to];
        if (s->place[q] == 0) {
            s->near[s->near_count++] = (pagrid_near){ .processor = q };
            s->place[q] = s->near_count;
        }
        pagrid_near *near = &s->near[s->place[q] - 1];
        near->out += arc->out;
        near->in += arc->in;
        near->reads += arc->reads & 1;
        near->read += arc->reads >> 1;
    }
    for (int32_t k = 0; k < s->near_count; k++) s->place[s->near[k].processor] = 0;
}

/* The change of the time for which part p waits for part q if the number of p's arcs from q grows. */
static double waits(pagrid_state *s, int32_t p, int32_t q, int32_t growth)
{
    int32_t before = *reads_of(s, p, q), after = before + growth;
    if ((before > 0) == (after > 0)) return 0.0;
    return after > 0 ? latency(s, p, q) : -latency(s, p, q);
}

/* Add the changes of latencies. changes[0] and [1] are for the processors that a vertex leaves and enters, the others
 * for those of its neighbours. */
static void add_latencies(pagrid_state *s, int32_t from, int32_t to)
{
    int32_t forth = 0, back = 0; /* growth of the number of reads of `from` by `to`, and in the other direction */
    double *leaves = &s->changes[0].time, *enters = &s->changes[1].time;
    for (int32_t k = 0; k < s->near_count; k++) {
        const pagrid_near *near = &s->near[k];
        int32_t r = near->processor;
        if (r == from) {
            forth += near->read;
            back += near->reads;
        } else if (r == to) {
            forth -= near->reads;
            back -= near->read;
        } else {
            *leaves += waits(s, from, r, -near->reads);
            *enters += waits(s, to, r, near->reads);
            s->changes[s->change_count++] = (pagrid_change){ r, waits(s, r, from, -near->read) +
                                                                    waits(s, r, to, near->read) };
        }
    }
    *leaves += waits(s, from, to, forth);
    *enters += waits(s, to, from, back);
}

/* Add the changes of other processors, for which only the price of arcs changes: one entry for each, shared with
 * changes of latencies. */
static void add_others(pagrid_state *s, int32_t from, int32_t to)
{
    int32_t at = 2;
    for (int32_t k = 0; k < s->near_count; k++) {
        const pagrid_near *near = &s->near[k];
        if (near->processor == from || near->processor == to) continue;
        double cost = pagrid_cost(s->network, near->processor, to) - pagrid_cost(s->network, near->processor, from);
        if (!s->reads) s->changes[s->change_count++] = (pagrid_change){ near->processor, 0.0 };
        s->changes[at++].time += near->in * cost;
    }
}

double pen_pagrid_try(pagrid_state *s, int32_t vertex, int32_t to)
{
    int32_t from = s->part[vertex];
    double work = s->level->work[vertex], between = pagrid_cost(s->network, from, to), growth = 0.0;
    double leaves = -work * s->network->slowness[from], enters = work * s->network->slowness[to];
    for (int32_t k = 0; k < s->near_count; k++) {
        const pagrid_near *near = &s->near[k];
        if (near->processor == from) {
            leaves += near->in * between;
            enters += near->out * between;
        } else if (near->processor == to) {
            leaves -= near->out * between;
            enters -= near->in * between;
        } else {
            leaves -= near->out * pagrid_cost(s->network, from, near->processor);
            enters += near->out * pagrid_cost(s->network, to, near->processor);
        }
    }
    s->change_count = 2;
    s->changes[0] = (pagrid_change){ from, leaves };
    s->changes[1] = (pagrid_change){ to, enters };
    if (s->reads) add_latencies(s, from, to);
    add_others(s, from, to);
    for (int32_t k = 0; k < s->change_count; k++) {
        const pagrid_change *change = &s->changes[k];
        growth += power(s, s->times[change->processor] + change->time) - s->powers[change->processor];
    }
    return growth;
}

static void count_reads(pagrid_state *s, int32_t from, int32_t to)
{
    for (int32_t k = 0; k < s->near_count; k++) {
        const pagrid_near *near = &s->near[k];
        int32_t r = near->processor;
        if (r != from) {
            *reads_of(s, from, r) -= near->reads;
            *reads_of(s, r, from) -= near->read;
        }
        if (r != to) {
            *reads_of(s, to, r) += near->reads;
            *reads_of(s, r, to) += near->read;
        }
    }
}

void pen_pagrid_move(pagrid_state *s, int32_t vertex, int32_t to, double growth)
{
    for (int32_t k = 0; k < s->change_count; k++) {
        int32_t p = s->changes[k].processor;
        s->times[p] += s->changes[k].time;
        s->powers[p] = power(s, s->times[p]);
    }
    if (s->reads) count_reads(s, s->part[vertex], to);
    s->part[vertex] = to;
    s->objective += growth;
}
