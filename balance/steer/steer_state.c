/* steer_state.c - codes the state of steering for checkpoints. */
#include "base/hash.h"
#include "base/memory.h"
#include "steer/steer.h"

#include <limits.h>

/* Code integers or reals, of which the addresses are given. */
#define INTS(...) \
    for (int64_t *const *value = (int64_t *const[]){ __VA_ARGS__, NULL }; *value; value++) pen_code_int(c, *value)
#define REALS(...) \
    for (double *const *value = (double *const[]){ __VA_ARGS__, NULL }; *value; value++) pen_code_real(c, *value)

static void code_trigger(pen_coder *c, pen_trigger *t)
{
    int mode = c->out ? (int)t->mode : 0;
    for (int i = 0; i < PEN_TRIGGER_MEMORY; i++) pen_code_int(c, &t->lengths[i]);
    pen_code_range(c, &t->shifts, 0, INT_MAX);
    pen_code_range(c, &mode, PEN_TRIGGER_FOLLOWS, PEN_TRIGGER_RESTS);
    t->mode = (pen_trigger_mode)mode;
    pen_code_bool(c, &t->mixes);
    INTS(&t->last_shift, &t->patience, &t->resume, &t->waited, &t->trials, &t->next_try);
    REALS(&t->lost, &t->since_shift, &t->between_shifts, &t->waited_max, &t->waited_lost, &t->spent, &t->bearable);
}

static void code_quality(pen_coder *c, pen_quality *q)
{
    INTS(&q->cut, &q->max_volume, &q->pieces);
    REALS(&q->total, &q->heaviest, &q->imbalance, &q->two_sided, &q->bound, &q->off_processor, &q->dilation,
          &q->step_time);
    pen_code_range(c, &q->empty, 0, INT_MAX);
}

static void code_call(pen_coder *c, pen_balance_call *call)
{
    pen_evaluation *e = &call->evaluation;
    pen_code_bool(c, &call->applied);
    pen_code_bool(c, &call->failed);
    pen_code_range(c, &call->rounds, 0, INT_MAX);
    INTS(&call->step, &call->nodes, &e->moved, &call->moved_bytes, &e->max_moved, &e->exchanges, &e->reductions);
    REALS(&call->seconds, &e->cpu_seconds);
    pen_code_reals(c, e->counts, PEN_PLAN_COUNTERS);
    code_quality(c, &call->before);
    code_quality(c, &call->after);
}

static pen_status code_calls(pen_coder *c, pen_steer *s)
{
    pen_balance_totals *all = &s->all;
    INTS(&all->calls, &all->applied, &all->moved_nodes, &all->moved_bytes, &all->exchanges, &all->reductions,
         &all->failed, &all->skipped);
    REALS(&all->seconds, &all->cpu_seconds);
    pen_code_reals(c, all->counts, PEN_PLAN_COUNTERS);
    pen_code_range(c, &s->call_count, 0, 2 * PEN_CALLS_KEPT);
    if (c->in) PEN_TRY(PEN_REALLOC(&s->calls, s->call_count));
    for (int i = 0; i < s->call_count; i++) code_call(c, &s->calls[i]);
    return PEN_OK;
}

static uint64_t hash_names(const char *const *names)
{
    uint64_t hash = 0;
    for (; names && *names; names++) hash = pen_mix(hash ^ pen_hash_bytes(*names, strlen(*names)));
    return hash;
}

/* Code which counters there are. If reading finds others, their counts are forgotten. */
static void code_names(pen_coder *c, pen_steer *s, const char *const *names)
{
    const uint64_t mine = hash_names(names);
    uint64_t coded = mine;
    pen_code_word(c, &coded);
    if (coded == mine) return;
    memset(s->all.counts, 0, sizeof s->all.counts);
    for (int i = 0; i < s->call_count; i++)
        memset(s->calls[i].evaluation.counts, 0, sizeof s->calls[i].evaluation.counts);
}

pen_status pen_steer_code(pen_coder *c, pen_steer *s, const char *const *counters, double seconds)
{
    pen_steer_facts *f = &s->facts;
    code_trigger(c, &s->trigger);
    pen_code_bool(c, &s->forecast.keeps);
    INTS(&s->forecast.quiet, &s->forecast.steps);
    REALS(&s->forecast.last_error, &s->forecast.average_error);
    code_quality(c, &s->quality);
    pen_code_bool(c, &s->stale);
    INTS(&s->version, &s->looked, &s->next_look, &s->changes, &s->due);
    pen_code_reals(c, s->decided, PEN_STEER_TIMES);
    pen_code_reals(c, s->migrated, PEN_STEER_TIMES);
    REALS(&s->total, &s->makespan, &f->speed);
    if (c->in) s->looked_at = seconds;
    PEN_TRY(code_calls(c, s));
    code_names(c, s, counters);
    INTS(&f->step, &f->remaining, &f->nodes, &f->load.steps, &f->planned.steps);
    pen_code_range(c, &f->ranks, 0, INT_MAX);
    pen_code_bool(c, &f->changed);
    pen_code_bool(c, &f->by_average);
    REALS(&f->load.max, &f->load.mean, &f->load.shift, &f->planned.max, &f->planned.mean);
    REALS(&f->speed, &f->total, &f->heaviest, &f->off, &f->base, &f->per_node);
    if (!f->by_average) f->planned = f->load;
    return PEN_OK;
}
