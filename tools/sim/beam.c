#include "tools/sim/beam.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* A state is judged by what it would have cost after so many strides more. */
static const double FORESIGHT = 2.0;

static void free_state(beam_state *s)
{
    pen_replay_run_free(&s->run);
    free(s->calls);
    *s = (beam_state){ .calls = NULL };
}

pen_status pen_beam_begin(replay_run *run, int width, int64_t stride, beam *b)
{
    *b = (beam){ .width = width, .children = width, .stride = stride };
    pen_status status = PEN_ALLOC_ZERO(&b->states, b->width + b->children);
    if (status != PEN_OK) {
        pen_replay_run_free(run);
        return status;
    }
    b->states[b->count++].run = *run;
    *run = (replay_run){ .when = NULL };
    return PEN_OK;
}

void pen_beam_free(beam *b)
{
    for (int i = 0; i < b->count; i++) free_state(&b->states[i]);
    free(b->states);
    *b = (beam){ .count = 0 };
}

pen_status pen_beam_change(beam *b)
{
    for (int i = 0; i < b->count; i++) PEN_TRY(pen_replay_run_change(&b->states[i].run));
    return PEN_OK;
}

/* ---- Steps ------------------------------------------------------------------------------------- */

static double judge(const beam *b, const beam_state *s)
{
    return pen_replay_run_cost(&s->run) + FORESIGHT * (double)b->stride * s->last;
}

static int by_judgement(const beam *b, const beam_state *x, const beam_state *y)
{
    double a = judge(b, x), c = judge(b, y);
    if (a < c || a > c) return a < c ? -1 : 1;
    return (x->call_count > y->call_count) - (x->call_count < y->call_count); /* rather fewer calls */
}

/* Few states: by insertion, which needs no context. */
static void sort(beam *b)
{
    for (int i = 1; i < b->count; i++)
        for (int k = i; k > 0 && by_judgement(b, &b->states[k], &b->states[k - 1]) < 0; k--) {
            beam_state state = b->states[k];
            b->states[k] = b->states[k - 1];
            b->states[k - 1] = state;
        }
}

static pen_status note_call(beam_state *child, const beam_state *parent, int64_t step)
{
    PEN_TRY(pen_reserve(&child->calls, sizeof *child->calls, parent->call_count + 1, &child->room));
    if (parent->call_count > 0) memcpy(child->calls, parent->calls, (size_t)parent->call_count * sizeof *child->calls);
    child->calls[parent->call_count] = step;
    child->call_count = parent->call_count + 1;
    return PEN_OK;
}

/* The same state, with a call, at the end; unless that moved nothing. */
static pen_status bear(beam *b, int parent, int64_t remaining)
{
    beam_state *child = &b->states[b->count];
    const beam_state *from = &b->states[parent];
    const int64_t step = from->run.world.record->step;
    PEN_TRY(pen_replay_run_copy(&from->run, &child->run));
    b->count++;
    PEN_TRY(note_call(child, from, step));
    PEN_TRY(pen_replay_run_call(&child->run, remaining));
    if (child->run.world.moves > from->run.world.moves) return pen_replay_run_again(&child->run, &child->last);
    free_state(child);
    b->count--;
    return PEN_OK;
}

pen_status pen_beam_step(beam *b, int64_t remaining)
{
    for (int i = 0; i < b->count; i++) {
        replay_run *run = &b->states[i].run;
        double before = pen_replay_run_cost(run);
        PEN_TRY(pen_replay_run_step(run, remaining));
        b->states[i].last = pen_replay_run_cost(run) - before;
    }
    b->ideal += pen_replay_run_ideal(&b->states[0].run);
    if (remaining < 1 || b->states[0].run.world.record->step % b->stride != 0) return PEN_OK;
    const int parents = b->count < b->children ? b->count : b->children;
    sort(b);
    for (int i = 0; i < parents; i++) PEN_TRY(bear(b, i, remaining));
    sort(b);
    while (b->count > b->width) free_state(&b->states[--b->count]);
    return PEN_OK;
}

const beam_state *pen_beam_best(const beam *b)
{
    const beam_state *best = &b->states[0];
    for (int i = 1; i < b->count; i++)
        if (pen_replay_run_cost(&b->states[i].run) < pen_replay_run_cost(&best->run)) best = &b->states[i];
    return best;
}
