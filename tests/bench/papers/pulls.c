#include "tests/bench/papers/pulls.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct simulation {
    int32_t processors;
    double *computing; /* [processors] seconds of a step */
    double *messages;  /* [processors][processors] to, from: seconds on the way; 0: none */
    double *times;     /* [processors] when its step begins */
    double *sent;      /* [processors] when it has computed */
    int32_t *order;    /* [processors] that in which they send */
} simulation;

static pen_status create(int32_t processors, simulation *s)
{
    *s = (simulation){ .processors = processors };
    PEN_TRY(PEN_ALLOC_ZERO(&s->computing, processors));
    PEN_TRY(PEN_ALLOC_ZERO(&s->messages, (int64_t)processors * processors));
    PEN_TRY(PEN_ALLOC_ZERO(&s->times, processors));
    PEN_TRY(PEN_ALLOC(&s->sent, processors));
    return PEN_ALLOC(&s->order, processors);
}

/* How many records each processor gets of each other one. */
static pen_status count_records(const pen_graph *g, const int32_t *part, simulation *s)
{
    int32_t *told;
    PEN_TRY(PEN_ALLOC(&told, g->count));
    for (pen_lid v = 0; v < g->count; v++) told[v] = -1;
    for (int32_t p = 0; p < s->processors; p++)
        for (pen_lid v = 0; v < g->count; v++) {
            if (part[v] != p) continue;
            for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) {
                pen_gid w = g->neighbors[k];
                if (part[w] == p || told[w] == p) continue;
                told[w] = p;
                s->messages[(int64_t)p * s->processors + part[w]]++;
            }
        }
    free(told);
    return PEN_OK;
}

static void set_times(const pen_graph *g, const pen_machine *m, const int32_t *part, const sim_pulls *pulls,
                      simulation *s)
{
    for (pen_lid v = 0; v < g->count; v++) s->computing[part[v]] += pulls->node / m->speeds[part[v]];
    for (int32_t p = 0; p < s->processors; p++)
        for (int32_t q = 0; q < s->processors; q++) {
            double *message = &s->messages[(int64_t)p * s->processors + q];
            pen_link link = m->link(m, q, p);
            if (*message > 0.0) *message = pulls->record * (link.latency + link.cost * *message);
        }
}

/* Those that are ready first send first, of several the lowest one. */
static void order_senders(simulation *s)
{
    for (int32_t k = 0; k < s->processors; k++) {
        int32_t at = k;
        for (; at > 0 && s->sent[s->order[at - 1]] > s->sent[k]; at--) s->order[at] = s->order[at - 1];
        s->order[at] = k;
    }
}

static void do_step(simulation *s, bool in_turn)
{
    for (int32_t p = 0; p < s->processors; p++) s->sent[p] = s->times[p] + s->computing[p];
    order_senders(s);
    for (int32_t p = 0; p < s->processors; p++) {
        double last = 0.0;
        for (int32_t k = 0; k < s->processors; k++) {
            int32_t q = s->order[k];
            double message = s->messages[(int64_t)p * s->processors + q];
            if (message > 0.0 && in_turn) last = fmax(last, s->sent[q]) + message;
            else if (message > 0.0) last = fmax(last, s->sent[q] + message);
        }
        s->times[p] = fmax(s->sent[p], last);
    }
}

pen_status pen_sim_pulls(const pen_graph *graph, const pen_machine *machine, const int32_t *part,
                         const sim_pulls *pulls, double *seconds)
{
    simulation s;
    pen_status status = create(machine->processors, &s);
    if (status == PEN_OK) status = count_records(graph, part, &s);
    if (status == PEN_OK) {
        set_times(graph, machine, part, pulls, &s);
        for (int64_t k = 0; k < pulls->steps; k++) do_step(&s, pulls->in_turn);
        *seconds = 0.0;
        for (int32_t p = 0; p < s.processors; p++) *seconds = fmax(*seconds, s.times[p]);
    }
    PEN_FREE_ALL(s.computing, s.messages, s.times, s.sent, s.order);
    return status;
}
