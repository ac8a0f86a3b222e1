/* steer_state.c - codes the state of steering for checkpoints. */
#include "steer/steer_state.h"
#include "base/memory.h"

#include <limits.h>

static void code_load(pen_coder *c, pen_step_load *load)
{
    pen_code_int(c, &load->steps);
    pen_code_real(c, &load->max);
    pen_code_real(c, &load->mean);
    pen_code_real(c, &load->shift);
}

static void code_trigger(pen_coder *c, pen_trigger *t)
{
    int mode = c->out ? (int)t->mode : 0;
    pen_code_real(c, &t->lost);
    pen_code_int(c, &t->last_shift);
    for (int i = 0; i < PEN_TRIGGER_MEMORY; i++) pen_code_int(c, &t->lengths[i]);
    pen_code_range(c, &t->shifts, 0, INT_MAX);
    pen_code_int(c, &t->patience);
    pen_code_int(c, &t->resume);
    pen_code_range(c, &mode, PEN_TRIGGER_FOLLOWS, PEN_TRIGGER_RESTS);
    t->mode = (pen_trigger_mode)mode;
    pen_code_bool(c, &t->mixes);
    pen_code_real(c, &t->since_shift);
    pen_code_real(c, &t->between_shifts);
    pen_code_real(c, &t->waited_max);
    pen_code_real(c, &t->waited_lost);
    pen_code_int(c, &t->waited);
    pen_code_real(c, &t->spent);
    pen_code_real(c, &t->bearable);
    pen_code_int(c, &t->trials);
    pen_code_int(c, &t->next_try);
}

static void code_forecast(pen_coder *c, pen_forecast *f)
{
    pen_code_bool(c, &f->keeps);
    pen_code_int(c, &f->quiet);
    pen_code_int(c, &f->steps);
    pen_code_real(c, &f->last_error);
    pen_code_real(c, &f->average_error);
}

static void code_counts(pen_coder *c, double *counts)
{
    for (int i = 0; i < PEN_PLAN_COUNTERS; i++) pen_code_real(c, &counts[i]);
}

static void code_call(pen_coder *c, pen_balance_call *call)
{
    pen_code_int(c, &call->step);
    pen_code_bool(c, &call->applied);
    pen_code_bool(c, &call->failed);
    pen_code_int(c, &call->nodes);
    double *reals[] = { &call->imbalance_before,    &call->imbalance_after, &call->bound,
                        &call->two_sided_before,    &call->two_sided_after, &call->off_processor_before,
                        &call->off_processor_after, &call->dilation_before, &call->dilation_after,
                        &call->step_time_before,    &call->step_time_after, &call->seconds,
                        &call->cpu_seconds };
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) pen_code_real(c, reals[i]);
    int64_t *ints[] = { &call->cut_before, &call->cut_after, &call->moved_nodes, &call->moved_bytes,
                        &call->max_moved,  &call->pieces,    &call->exchanges,   &call->reductions };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    pen_code_range(c, &call->rounds, 0, INT_MAX);
    code_counts(c, call->counts);
}

static pen_status code_calls(pen_coder *c, pen_steer *s)
{
    pen_balance_totals *all = &s->all;
    int64_t *ints[] = { &all->calls,     &all->applied,    &all->moved_nodes, &all->moved_bytes,
                        &all->exchanges, &all->reductions, &s->failures,      &all->skipped };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    pen_code_real(c, &all->seconds);
    pen_code_real(c, &all->cpu_seconds);
    code_counts(c, all->counts);
    int count = (int)s->call_count;
    pen_code_range(c, &count, 0, 2 * PEN_CALLS_KEPT);
    if (c->in) PEN_TRY(PEN_REALLOC(&s->calls, count));
    s->call_count = count;
    for (int i = 0; i < count; i++) code_call(c, &s->calls[i]);
    return PEN_OK;
}

static void code_quality(pen_coder *c, pen_quality *q)
{
    int64_t *ints[] = { &q->cut, &q->max_volume, &q->pieces };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    double *reals[] = { &q->total, &q->heaviest,      &q->imbalance, &q->two_sided,
                        &q->bound, &q->off_processor, &q->dilation,  &q->step_time };
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) pen_code_real(c, reals[i]);
    pen_code_range(c, &q->empty, 0, INT_MAX);
}

pen_status pen_steer_code(pen_coder *c, pen_steer *s, double seconds)
{
    code_trigger(c, &s->trigger);
    code_forecast(c, &s->forecast);
    code_quality(c, &s->quality);
    pen_code_bool(c, &s->stale);
    int64_t *ints[] = { &s->version, &s->looked, &s->next_look, &s->changes, &s->due };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    for (int i = 0; i < PEN_STEER_TIMES; i++) {
        pen_code_real(c, &s->decided[i]);
        pen_code_real(c, &s->migrated[i]);
    }
    double *reals[] = { &s->total, &s->makespan, &s->speed };
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) pen_code_real(c, reals[i]);
    if (c->in) s->looked_at = seconds;
    return code_calls(c, s);
}

void pen_steer_facts_code(pen_coder *c, pen_steer_facts *f)
{
    pen_code_int(c, &f->step);
    pen_code_int(c, &f->remaining);
    pen_code_range(c, &f->ranks, 0, INT_MAX);
    code_load(c, &f->load);
    double *reals[] = { &f->speed, &f->total, &f->heaviest, &f->off, &f->base, &f->per_node };
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) pen_code_real(c, reals[i]);
    pen_code_int(c, &f->nodes);
    pen_code_bool(c, &f->changed);
    pen_code_bool(c, &f->by_average);
    code_load(c, &f->average);
}
