/* hindsight.c - computes when the balancer should have been called if all loads were known. */
#include "tools/sim/hindsight.h"
#include "base/memory.h"
#include "tools/common/start_mpi.h"
#include "tools/common/ticker.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>

/* Number of strides ahead for which the cost of a state is estimated. */
static const double FORESIGHT = 2.0;

/* A condition that is never true, so that only the beam search calls. */
static const char NEVER[] = "every:9223372036854775807:always";

static void free_state(beam_state *s)
{
    pen_replay_run_free(&s->run);
    free(s->calls);
    *s = (beam_state){ .calls = NULL };
}

/* ---- The beam search --------------------------------------------------------------------------- */

static double judge(const hindsight *h, const beam_state *s)
{
    return pen_replay_run_cost(&s->run) + FORESIGHT * (double)h->stride * s->last;
}

static int by_judgement(const hindsight *h, const beam_state *x, const beam_state *y)
{
    double a = judge(h, x), c = judge(h, y);
    if (a < c || a > c) return a < c ? -1 : 1;
    return (x->call_count > y->call_count) - (x->call_count < y->call_count);
}

/* Sort by insertion: there are few states, and qsort has no context argument. */
static void sort(hindsight *h)
{
    for (int i = 1; i < h->state_count; i++)
        for (int k = i; k > 0 && by_judgement(h, &h->states[k], &h->states[k - 1]) < 0; k--) {
            beam_state state = h->states[k];
            h->states[k] = h->states[k - 1];
            h->states[k - 1] = state;
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

/* Append a copy of a state with a call, unless the call moved nothing. */
static pen_status bear(hindsight *h, int parent, int64_t remaining)
{
    beam_state *child = &h->states[h->state_count];
    beam_state *from = &h->states[parent];
    PEN_TRY(pen_replay_run_copy(&from->run, &child->run));
    h->state_count++;
    PEN_TRY(note_call(child, from, h->record.step));
    PEN_TRY(pen_replay_run_call(&child->run, remaining));
    from->run.complained = child->run.complained;
    if (child->run.world.moves > from->run.world.moves) return pen_replay_run_again(&child->run, &child->last);
    free_state(child);
    h->state_count--;
    return PEN_OK;
}

static pen_status beam_step(hindsight *h, int64_t remaining)
{
    for (int i = 0; i < h->state_count; i++) {
        replay_run *run = &h->states[i].run;
        double before = pen_replay_run_cost(run);
        PEN_TRY(pen_replay_run_step(run, remaining));
        h->states[i].last = pen_replay_run_cost(run) - before;
    }
    if (remaining < 1 || h->record.step % h->stride != 0) return PEN_OK;
    const int parents = h->state_count;
    sort(h);
    for (int i = 0; i < parents; i++) PEN_TRY(bear(h, i, remaining));
    sort(h);
    while (h->state_count > h->width) free_state(&h->states[--h->state_count]);
    return PEN_OK;
}

const beam_state *pen_hindsight_best_state(const hindsight *h)
{
    const beam_state *best = h->state_count > 0 ? &h->states[0] : NULL;
    for (int i = 1; i < h->state_count; i++)
        if (pen_replay_run_cost(&h->states[i].run) < pen_replay_run_cost(&best->run)) best = &h->states[i];
    return best;
}

/* ---- All replays ------------------------------------------------------------------------------- */

/* Read the record once: its number of steps, and the model of times. */
static pen_status survey(hindsight *h)
{
    pen_workload w;
    PEN_TRY(pen_workload_open(h->file, &w));
    if (h->ranks == 0) h->ranks = w.world.ranks;
    h->model = pen_replay_model_default();
    pen_status status = pen_replay_model_fit(&h->model, &w, NAN);
    h->steps = w.step - w.world.first;
    if (h->stride == 0) h->stride = 1 + h->steps / 40;
    if (status == PEN_OK && h->steps == 0) status = pen_fail(PEN_ERR_INPUT, "%s: it has no steps", h->file);
    pen_workload_close(&w);
    return status;
}

static pen_status begin_run(hindsight *h, const char *balancer, const char *when, replay_run *run)
{
    replay_world world;
    PEN_TRY(pen_replay_world_create(&h->record, (int)h->ranks, h->hardware, h->partitioner, &world));
    return pen_replay_run_begin(&world, &h->mutual, &h->model, balancer, when, h->cost, false, run);
}

static pen_status begin_all(hindsight *h)
{
    const int all = HINDSIGHT_PERIODS + h->period_count;
    PEN_TRY(PEN_ALLOC_ZERO(&h->runs, all));
    PEN_TRY(PEN_ALLOC(&h->whens, all));
    for (int i = 0; i < all; i++) {
        const int64_t period = i < HINDSIGHT_PERIODS ? 0 : h->periods[i - HINDSIGHT_PERIODS];
        if (h->short_periods && 2 * period > h->steps) break;
        snprintf(h->whens[i], sizeof h->whens[i], period ? "every:%" PRId64 ":always" : "auto", period);
        PEN_TRY(begin_run(h, i == HINDSIGHT_NEVER ? "none" : h->balancer, h->whens[i], &h->runs[i]));
        h->count++;
    }
    if (h->width == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&h->states, 2 * h->width));
    PEN_TRY(begin_run(h, h->balancer, NEVER, &h->states[0].run));
    h->state_count = 1;
    return PEN_OK;
}

static pen_status change_all(hindsight *h)
{
    for (int i = 0; i < h->count; i++) PEN_TRY(pen_replay_run_change(&h->runs[i]));
    for (int i = 0; i < h->state_count; i++) PEN_TRY(pen_replay_run_change(&h->states[i].run));
    return PEN_OK;
}

static pen_status step_all(hindsight *h)
{
    const int64_t done = h->record.step - h->record.world.first, remaining = h->steps - done;
    pen_ticker_bytes("looking back at", h->file, done, h->steps);
    for (int i = 0; i < h->count; i++) PEN_TRY(pen_replay_run_step(&h->runs[i], remaining));
    h->bound += pen_replay_run_ideal(&h->runs[HINDSIGHT_NEVER]);
    return beam_step(h, remaining);
}

static pen_status search(hindsight *h)
{
    pen_workload_event event = PEN_WORKLOAD_STEP;
    PEN_TRY(begin_all(h));
    while (event != PEN_WORKLOAD_END) {
        PEN_TRY(pen_workload_next(&h->record, &event));
        if (event == PEN_WORKLOAD_CHANGE) PEN_TRY(change_all(h));
        if (event == PEN_WORKLOAD_STEP) PEN_TRY(step_all(h));
    }
    return PEN_OK;
}

pen_status pen_hindsight_search(hindsight *h)
{
    h->mutual.changes = -1;
    PEN_TRY(survey(h));
    if (h->machine) PEN_TRY(pen_open_machine(h->machine, (int)h->ranks, &h->hardware));
    PEN_TRY(pen_workload_open(h->file, &h->record));
    pen_status status = search(h);
    pen_ticker_end();
    return status;
}

void pen_hindsight_free(hindsight *h)
{
    for (int i = 0; i < h->count; i++) pen_replay_run_free(&h->runs[i]);
    for (int i = 0; i < h->state_count; i++) free_state(&h->states[i]);
    PEN_FREE_ALL(h->runs, h->whens, h->states);
    pen_replay_mutual_free(&h->mutual);
    pen_workload_close(&h->record);
    pen_machine_destroy(&h->hardware);
}

int pen_hindsight_cheapest(const hindsight *h, int first, int end)
{
    int best = -1;
    for (int i = first; i < end; i++)
        if (best < 0 || pen_replay_run_cost(&h->runs[i]) < pen_replay_run_cost(&h->runs[best])) best = i;
    return best;
}
