/* clock.c - virtual time: each rank has a clock. Calls of MPI and declared work advance it; a rank that waits gets the
 * time of what it waits for. The rank with the earliest clock runs first, so that hosts carry messages in their order.
 *
 * Messages follow LogGP (Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995). The processor spends `overhead` on
 * each message, on both sides. A message takes the latency of its link and its time per byte. A host sends one message
 * at a time to other hosts, and receives one at a time; those without bytes wait for none. Before more than `eager`
 * bytes the sender sends a question; the bytes follow when the receive has begun and its answer has come back.
 *
 * A get within a host is a copy by the caller. Between hosts it is a question, and the bytes back. The target's adapter
 * answers at once. Posts and completions of MPI_Win_post, start, complete and wait are messages without bytes. A flush
 * waits for the gets; MPI_Win_fence is a barrier after the gets; locks and MPI_Win_sync are free.
 *
 * With `served`, windows are as Open MPI makes them of messages (osc/pt2pt): the target's processor answers a get when
 * it is in MPI, after that time; a flush then asks the target once more; and a fence is a reduction and a barrier.
 *
 * Collectives follow formulas. When all ranks have come that a rank needs, it goes on after log2(ranks of a host)
 * messages within a host and log2(hosts) between hosts, and the bytes: all parts, twice that of a reduction, that of
 * the root. */
#include "tests/support/one_process/sim.h"

#include <math.h>
#include <stdlib.h>

enum { INTERVALS = 256 };

/* When a host sends to other hosts, or receives from them: the last intervals in their order. */
typedef struct port {
    int count;
    sim_interval busy[INTERVALS];
} port;

static port *leaves, *comes;
static sim_rank **added; /* [hosts] the last rank that added to a count in shared memory */

static int host_count(void) { return sim.settings.hosts > 0 ? sim.settings.hosts : sim.clock->machine->cluster_count; }

void sim_clock_begin(void)
{
    const size_t hosts = (size_t)host_count();
    leaves = sim_allocate(hosts * sizeof *leaves);
    comes = sim_allocate(hosts * sizeof *comes);
    added = sim_allocate(hosts * sizeof(sim_rank *));
}

void sim_clock_end(void)
{
    free(leaves);
    free(comes);
    free(added);
}

static double later(double a, double b) { return a > b ? a : b; }

void one_process_work(double load)
{
    if (!sim.clock) return;
    const double begin = sim_me->time;
    sim_me->time += load * sim.clock->work / sim.clock->machine->speeds[sim_me->number];
    /* Pieces of work without a break are one interval. */
    sim_interval *last = &sim_me->works[(sim_me->next_work - 1) % SIM_WORKS];
    if (last->end < begin) {
        last = &sim_me->works[sim_me->next_work++ % SIM_WORKS];
        last->begin = begin;
    }
    last->end = sim_me->time;
}

/* ---- Messages and gets -------------------------------------------------------------------------------- */

typedef struct link {
    double latency, per_byte;
} link;

static link link_of(const sim_rank *from, const sim_rank *to)
{
    const pen_link its = sim.clock->machine->link(sim.clock->machine, from->number, to->number);
    return (link){ its.latency, its.cost / sim.clock->record };
}

/* The beginning of the first gap of that length, not before `at`, which the message takes. A message that is computed
 * later may be sent earlier. */
static double take_port(port *p, double at, double lasts)
{
    int i = p->count;
    while (i > 0 && p->busy[i - 1].end > at) i--;
    for (; i < p->count && p->busy[i].begin < at + lasts; i++) at = later(at, p->busy[i].end);
    if (p->count == INTERVALS) {
        if (i == 0) return at; /* long before all that is known */
        memmove(p->busy, p->busy + 1, (size_t)--p->count * sizeof *p->busy);
        i--;
    }
    memmove(p->busy + i + 1, p->busy + i, (size_t)(p->count++ - i) * sizeof *p->busy);
    p->busy[i] = (sim_interval){ at, at + lasts };
    return at;
}

double sim_transfer(const sim_rank *from, const sim_rank *to, size_t bytes, double at, double *left)
{
    if (!sim.clock) return 0.0;
    const link l = link_of(from, to);
    const double lasts = (double)bytes * l.per_byte;
    const bool waits = from->host != to->host && bytes > 0;
    const double begin = waits ? take_port(&leaves[from->host], at, lasts) : at;
    if (left) *left = begin + lasts;
    return (waits ? take_port(&comes[to->host], begin + l.latency, lasts) : begin + l.latency) + lasts;
}

/* When its processor is in MPI: it works in some intervals. */
static double in_mpi(const sim_rank *rank, double at)
{
    for (int i = 0; i < SIM_WORKS; i++)
        if (at >= rank->works[i].begin && at < rank->works[i].end) return rank->works[i].end;
    return at;
}

void sim_copy_time(const sim_rank *from, size_t bytes)
{
    if (!sim.clock) return;
    const link l = link_of(from, sim_me);
    sim_me->time += l.latency + (double)bytes * l.per_byte;
}

double sim_get_time(const sim_rank *target, size_t bytes, double at)
{
    if (!sim.clock) return 0.0;
    at = sim_transfer(sim_me, target, 0, at, NULL);
    if (sim.clock->served > 0.0) at = in_mpi(target, at) + sim.clock->served;
    return sim_transfer(target, sim_me, bytes, at, NULL);
}

/* ---- Collectives ------------------------------------------------------------------------------------------- */

static double log2_above(int count) { return ceil(log2(count)); }

/* The seconds of a collective without bytes, and of each byte. Links of the first rank stand for those of all. */
static void know_levels(sim_shared *s)
{
    int *count = sim_allocate((size_t)host_count() * sizeof *count), hosts = 0, most = 0;
    link inner = { 0.0, 0.0 }, outer = inner;
    const sim_rank *first = &sim.ranks[s->numbers[0]];
    for (int i = 0; i < s->size; i++) {
        const sim_rank *r = &sim.ranks[s->numbers[i]];
        hosts += count[r->host]++ == 0;
        if (count[r->host] > most) most = count[r->host];
        link *l = r->host == first->host ? &inner : &outer;
        const link its = link_of(first, r);
        if (r != first) *l = (link){ later(l->latency, its.latency), later(l->per_byte, its.per_byte) };
    }
    const double both = 2 * sim.clock->overhead;
    s->depth = log2_above(most) * (inner.latency + both) + log2_above(hosts) * (outer.latency + both);
    s->per_byte = hosts > 1 ? outer.per_byte : inner.per_byte;
    s->known = true;
    free(count);
}

double sim_barrier_time(sim_comm *c)
{
    if (!sim.clock) return 0.0;
    if (!c->shared->known) know_levels(c->shared);
    return c->shared->depth;
}

/* When the last of some ranks has come; and what they all bring. */
static double last_of(const sim_round *r, int ranks, double *bytes)
{
    double last = 0.0;
    *bytes = 0.0;
    for (int i = 0; i < ranks; i++) {
        last = later(last, r->parts[i].time);
        *bytes += (double)r->parts[i].size;
    }
    return last;
}

double sim_round_time(sim_comm *c, sim_round *r)
{
    if (!sim.clock) return 0.0;
    if (r->ends > 0.0) return r->ends;
    double bytes, last = last_of(r, c->shared->size, &bytes);
    if (r->key) bytes = (double)r->size * (c->shared->size > 2 ? 2 : c->shared->size - 1);
    else if (strcmp(r->call, "MPI_Alltoall") == 0) bytes /= c->shared->size;
    last += sim_barrier_time(c);
    return r->ends = last + bytes * c->shared->per_byte;
}

void sim_round_wait(sim_comm *c, sim_round *r, sim_need need)
{
    if (!sim.clock) return;
    const double depth = sim_barrier_time(c);
    double bytes;
    switch (need) {
    case SIM_ALL: sim_arrive(sim_round_time(c, r)); break;
    case SIM_ROOT:
        sim_arrive(r->parts[r->root].time + depth + (double)r->parts[r->root].size * c->shared->per_byte);
        break;
    case SIM_LOWER:
        if (c->rank > 0) sim_arrive(last_of(r, c->rank, &bytes) + depth + (double)r->size * c->shared->per_byte);
        break;
    default: sim_spend(sim.clock->overhead);
    }
}

/* ---- Counts in shared memory ------------------------------------------------------------------------------- */

/* Ranks add in the order of their clocks. So a count that is reached when a rank comes to wait was reached before; else
 * it is the last addition on this host that ends the wait. */
void sim_added(void)
{
    one_process_pause();
    if (!sim.clock) return;
    added[sim_me->host] = sim_me;
    sim_me->added = sim_me->time;
    for (int i = 0; i < sim.settings.ranks; i++)
        if (sim.ranks[i].host == sim_me->host) sim_touch(&sim.ranks[i]);
}

void sim_event_came(void)
{
    const sim_rank *by = sim.clock ? added[sim_me->host] : NULL;
    if (by && by != sim_me) sim_arrive(by->added + link_of(by, sim_me).latency);
}
