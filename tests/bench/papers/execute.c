#include "tests/bench/papers/execute.h"
#include "base/memory.h"
#include "partition/minex/offers.h"

#include <stdlib.h>

typedef struct message {
    int32_t from, to;
    double bodies, work; /* work: what the receiver can compute then */
    bool moves;
} message;

/* A set of processors: bits. */
static void include(uint64_t *set, int32_t p) { set[p / 64] |= UINT64_C(1) << p % 64; }

/* The lowest from `first` on, which is taken out; `none` where there is none. */
static int32_t take(uint64_t *set, int32_t first, int32_t none)
{
    uint64_t above = ~UINT64_C(0) << first % 64;
    for (int32_t w = first / 64; w <= (none - 1) / 64 && first < none; w++, above = ~UINT64_C(0)) {
        if (!(set[w] & above)) continue;
        int32_t p = w * 64 + __builtin_ctzll(set[w] & above);
        set[w] &= ~(UINT64_C(1) << p % 64);
        return p;
    }
    return none;
}

typedef struct simulation {
    const pen_minex_graph *graph;
    const pen_machine *machine;
    const int32_t *part;
    sim_rules rules;
    int32_t processors;

    message *messages; /* [count] by sender, in the order in which it sends them */
    int64_t count, room;
    int64_t *next, *end; /* [processors] the sender's next message, and behind its last one */

    double *ends;             /* [processors] when it has computed all that it could so far */
    double *work;             /* [processors] that it does in all */
    int32_t *awaited;         /* [processors] messages of cells that move there */
    int32_t *sending, *taken; /* [processors] channels in use, out and in */
    uint64_t *ready;          /* set of senders whose next message might start */
    uint64_t *waiting;        /* [processors] sets: senders that wait for a channel of the receiver */
    int64_t words;            /* of a set */
    offer *offers;
    offers arrivals; /* messages on their way, by their time of arrival */
} simulation;

static void free_simulation(simulation *s)
{
    PEN_FREE_ALL(s->messages, s->next, s->end, s->ends, s->work, s->awaited, s->sending, s->taken, s->ready, s->waiting,
                 s->offers);
}

static pen_status prepare(simulation *s)
{
    int64_t p = s->processors;
    s->words = (p + 63) / 64;
    PEN_TRY(PEN_ALLOC_ZERO(&s->next, p));
    PEN_TRY(PEN_ALLOC_ZERO(&s->end, p));
    PEN_TRY(PEN_ALLOC_ZERO(&s->ends, p));
    PEN_TRY(PEN_ALLOC_ZERO(&s->work, p));
    PEN_TRY(PEN_ALLOC_ZERO(&s->awaited, p));
    PEN_TRY(PEN_ALLOC_ZERO(&s->sending, p));
    PEN_TRY(PEN_ALLOC_ZERO(&s->taken, p));
    PEN_TRY(PEN_ALLOC_ZERO(&s->ready, s->words));
    PEN_TRY(PEN_ALLOC_ZERO(&s->waiting, p * s->words));
    PEN_TRY(PEN_ALLOC(&s->offers, p * s->rules.channels));
    s->arrivals.offers = s->offers;
    return PEN_OK;
}

/* ---- Messages ---------------------------------------------------------------------------------- */

/* What one sender has for each receiver. */
typedef struct outbox {
    double *bodies, *work; /* [processors] */
    int32_t *mark;         /* [processors] the last cell that was added for it; -1: none */
} outbox;

/* Cells by a processor: cells[starts[p] .. starts[p+1]). */
typedef struct dealt {
    int32_t *starts, *cells;
} dealt;

static pen_status deal(int32_t count, const int32_t *of, int32_t processors, dealt *d)
{
    PEN_TRY(PEN_ALLOC_ZERO(&d->starts, (int64_t)processors + 2));
    PEN_TRY(PEN_ALLOC(&d->cells, count));
    for (int32_t v = 0; v < count; v++) d->starts[of[v] + 2]++;
    for (int32_t p = 0; p < processors; p++) d->starts[p + 2] += d->starts[p + 1];
    for (int32_t v = 0; v < count; v++) d->cells[d->starts[of[v] + 1]++] = v;
    return PEN_OK;
}

static bool has_moved(const simulation *s, int32_t v)
{
    return s->graph->owners[v] >= 0 && s->graph->owners[v] != s->part[v];
}

/* Whether p, which reads cell w, has to be sent its bodies. */
static bool is_sent(const simulation *s, int32_t w, int32_t p)
{
    return s->part[w] != p && !(has_moved(s, w) && s->graph->owners[w] == p);
}

/* What v computes without data that is sent. */
static double own_work(const simulation *s, int32_t v)
{
    const pen_minex_graph *g = s->graph;
    double work = g->work[v];
    for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++)
        if (g->reads[k] > 0.0 && is_sent(s, g->columns[k], s->part[v])) work -= g->size[v] * g->size[g->columns[k]];
    return work;
}

static void add(outbox *box, int32_t cell, int32_t to, double bodies, bool each, double work)
{
    if (each || box->mark[to] != cell) box->bodies[to] += bodies;
    box->work[to] += work;
    box->mark[to] = cell;
}

/* What cell w has for those that read it. */
static void add_data(const simulation *s, int32_t w, outbox *box)
{
    const pen_minex_graph *g = s->graph;
    for (int64_t k = g->rows[w]; k < g->rows[w + 1]; k++) {
        int32_t v = g->columns[k], to = s->part[v];
        if (g->feeds[k] > 0.0 && is_sent(s, w, to))
            add(box, w, to, g->size[w], s->rules.send == SIM_SEND_EDGE, g->size[v] * g->size[w]);
    }
}

/* The messages in the box, in turn; it is empty afterwards. */
static pen_status post(simulation *s, int32_t from, bool moves, outbox *box)
{
    for (int32_t k = 1; k < s->processors; k++) {
        int32_t to = (int32_t)(((int64_t)from + k) % s->processors);
        if (box->mark[to] < 0) continue;
        if (s->count == INT32_MAX) return pen_fail(PEN_ERR_UNSUPPORTED, "more than %d messages in a step", INT32_MAX);
        PEN_TRY(pen_reserve(&s->messages, sizeof *s->messages, s->count + 1, &s->room));
        s->messages[s->count++] = (message){ from, to, box->bodies[to], box->work[to], moves };
        if (moves) s->awaited[to]++;
        box->bodies[to] = box->work[to] = 0.0;
        box->mark[to] = -1;
    }
    return PEN_OK;
}

static pen_status post_all(simulation *s, const dealt *old, const dealt *new, outbox *box)
{
    for (int32_t p = 0; p < s->processors; p++) {
        s->next[p] = s->count;
        for (int32_t i = old->starts[p]; i < old->starts[p + 1]; i++) {
            int32_t v = old->cells[i];
            if (has_moved(s, v)) add(box, v, s->part[v], s->graph->size[v], true, own_work(s, v));
        }
        PEN_TRY(post(s, p, true, box));
        for (int32_t i = new->starts[p]; i < new->starts[p + 1]; i++) add_data(s, new->cells[i], box);
        PEN_TRY(post(s, p, false, box));
        s->end[p] = s->count;
        include(s->ready, p);
    }
    return PEN_OK;
}

/* Where cells come from: from where they are if from nowhere. */
static pen_status deal_old(const simulation *s, dealt *old)
{
    int32_t *from;
    PEN_TRY(PEN_ALLOC(&from, s->graph->count));
    for (int32_t v = 0; v < s->graph->count; v++) from[v] = has_moved(s, v) ? s->graph->owners[v] : s->part[v];
    pen_status status = deal(s->graph->count, from, s->processors, old);
    free(from);
    return status;
}

static pen_status make_messages(simulation *s)
{
    outbox box = { NULL, NULL, NULL };
    dealt old = { NULL, NULL }, new = { NULL, NULL };
    pen_status status = PEN_ALLOC_ZERO(&box.bodies, s->processors);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&box.work, s->processors);
    if (status == PEN_OK) status = PEN_ALLOC(&box.mark, s->processors);
    for (int32_t p = 0; status == PEN_OK && p < s->processors; p++) box.mark[p] = -1;
    if (status == PEN_OK) status = deal_old(s, &old);
    if (status == PEN_OK) status = deal(s->graph->count, s->part, s->processors, &new);
    if (status == PEN_OK) status = post_all(s, &old, &new, &box);
    PEN_FREE_ALL(box.bodies, box.work, box.mark, old.starts, old.cells, new.starts, new.cells);
    return status;
}

/* ---- Time -------------------------------------------------------------------------------------- */

static void compute(simulation *s, int32_t p, double from, double work)
{
    if (s->ends[p] < from) s->ends[p] = from;
    s->ends[p] += work / s->machine->speeds[p];
    s->work[p] += work;
}

/* Start what q can send now. */
static void start(simulation *s, int32_t q, double now)
{
    for (; s->next[q] < s->end[q] && s->sending[q] < s->rules.channels; s->next[q]++) {
        const message *m = &s->messages[s->next[q]];
        if (!m->moves && s->awaited[q] > 0) return; /* the last one that arrives makes it ready */
        if (s->taken[m->to] == s->rules.channels) {
            include(s->waiting + m->to * s->words, q);
            return;
        }
        pen_link link = s->machine->link(s->machine, q, m->to);
        s->sending[q]++;
        s->taken[m->to]++;
        offers_push(&s->arrivals,
                    (offer){ .key = now + link.latency + m->bodies * link.cost, .vertex = (int32_t)s->next[q] });
    }
}

/* Its channels are free again: the sender's next message, and the first sender that waits, may start. */
static void arrive(simulation *s, const message *m, double now)
{
    compute(s, m->to, now, m->work);
    s->sending[m->from]--;
    s->taken[m->to]--;
    include(s->ready, m->from);
    int32_t first = take(s->waiting + m->to * s->words, 0, s->processors);
    if (first < s->processors) include(s->ready, first);
    if (m->moves && --s->awaited[m->to] == 0) include(s->ready, m->to);
}

static void run(simulation *s)
{
    double now = 0.0;
    for (;;) {
        for (int32_t q = -1; (q = take(s->ready, q + 1, s->processors)) < s->processors;) start(s, q, now);
        if (s->arrivals.count == 0) return;
        now = s->arrivals.offers[0].key;
        while (s->arrivals.count > 0 && s->arrivals.offers[0].key == now)
            arrive(s, &s->messages[offers_pop(&s->arrivals).vertex], now);
    }
}

static void sum_up(const simulation *s, sim_execution *e)
{
    double sum = 0.0;
    *e = (sim_execution){ .messages = s->count, .imbalance = 1.0 };
    for (int32_t p = 0; p < s->processors; p++) {
        double computing = s->work[p] / s->machine->speeds[p];
        sum += s->ends[p];
        if (s->ends[p] > e->runtime) e->runtime = s->ends[p];
        if (computing > e->computing) e->computing = computing;
    }
    for (int64_t k = 0; k < s->count; k++) e->bodies += s->messages[k].bodies;
    if (sum > 0.0) e->imbalance = e->runtime / (sum / s->processors);
}

pen_status pen_sim_execute(const pen_minex_graph *graph, const pen_machine *machine, sim_rules rules,
                           const int32_t *part, sim_execution *execution)
{
    simulation s = {
        .graph = graph, .machine = machine, .part = part, .rules = rules, .processors = machine->processors
    };
    pen_status status = prepare(&s);
    if (status == PEN_OK) status = make_messages(&s);
    if (status == PEN_OK) {
        for (int32_t v = 0; v < graph->count; v++)
            if (!has_moved(&s, v)) compute(&s, part[v], 0.0, own_work(&s, v));
        run(&s);
        sum_up(&s, execution);
    }
    free_simulation(&s);
    return status;
}
