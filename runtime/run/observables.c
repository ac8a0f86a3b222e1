/* observables.c - evaluates what nodes observe, before a phase and after a step. */
#include "run/observables.h"
#include "observe/trace.h"
#include "run/calls.h"
#include "run/globals.h"

static void contribute(pen_run *run, int evaluation, pen_observe_fn *observe)
{
    PEN_INSIDE("observables");
    PEN_FOR_PARTS (p, run, contribute)
        if (p->part->contribute(run, p->state, evaluation, observe)) return;
    pen_call_observe(&run->view, observe, run->observation, 0, run->store->owned);
}

/* Collective. Compute the observables of an evaluation in such a step. */
static pen_status evaluate(pen_run *run, int evaluation, pen_observe_fn *observe, int64_t step)
{
    uint64_t start = pen_ticks();
    pen_mark_doing("observables");
    pen_run_view(run, 0, 0);
    run->view.step = step;
    pen_observation_begin(run->observation, evaluation);
    contribute(run, evaluation, observe);
    uint64_t swept = pen_ticks();
    PEN_TRY(pen_observation_reduce(run->comm, run->observation));
    uint64_t reduced = pen_ticks();
    run->timers.ticks[PEN_TIME_COMPUTE_OVERHEAD] += swept - start;
    run->timers.ticks[PEN_TIME_COMMUNICATE] += reduced - swept;
    pen_trace_span(run->timers.trace, "observe", "phase", step, start, swept);
    pen_trace_span(run->timers.trace, "reduce observables", "wait", step, swept, reduced);
    return PEN_OK;
}

pen_status pen_observables_of_step(pen_run *run)
{
    const pen_app *app = run->app;
    return app->observables.observe ? evaluate(run, PEN_AFTER_STEP, app->observables.observe, run->step - 1) : PEN_OK;
}

pen_status pen_observables_of_start(pen_run *run)
{
    PEN_TRY(pen_observables_of_step(run));
    PEN_TRY(pen_globals_update(run, PEN_BETWEEN_STEPS));
    pen_observables_note(run);
    return PEN_OK;
}

pen_status pen_observables_of_phase(pen_run *run, int phase)
{
    const pen_phase *p = &run->app->phases.list[phase];
    return evaluate(run, phase + 1, p->observe, run->step);
}

void pen_observables_note(pen_run *run)
{
    PEN_FOR_PARTS (p, run, observed) p->part->observed(run, p->state);
}

pen_end pen_observables_end(const pen_run *run)
{
    pen_end end = PEN_END_OPEN;
    if (run->app->end.done && run->app->end.done(run, run->app->params)) return PEN_END_DONE;
    PEN_FOR_PARTS (p, run, ends) {
        const pen_end theirs = p->part->ends(run, p->state);
        if (theirs > end) end = theirs;
    }
    return end;
}

static int find_value(const pen_run *run, const char *function, int index, bool is_int)
{
    if (!run) pen_die("%s: the run is NULL", function);
    const pen_observables *o = run->observation;
    const int value = pen_values_find(&o->values, function, index);
    if (pen_observable_is_int(o->table[value].kind) != is_int)
        pen_die("%s: observable \"%s\" is of the other kind (int or real)", function, o->table[value].name);
    return value;
}

int64_t pen_run_observed_int(const pen_run *run, int index)
{
    const int value = find_value(run, "pen_run_observed_int", index, true);
    return run->observation->ints[value];
}

double pen_run_observed_real(const pen_run *run, int index)
{
    const int value = find_value(run, "pen_run_observed_real", index, false);
    return run->observation->reals[value];
}

bool pen_run_done(const pen_run *run) { return run && run->end != PEN_END_OPEN; }

int64_t pen_run_step(const pen_run *run) { return run ? run->step : 0; }
