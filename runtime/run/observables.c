#include "run/observables.h"
#include "run/calls.h"
#include "run/globals.h"

pen_status pen_observables_check(const pen_app *app, const pen_run_options *options)
{
    pen_values values;
    pen_until until = { .count = 0 };
    pen_status status = pen_values_create(app, &values);
    if (status == PEN_OK && (options->output.observables || options->output.print_observables) && values.count == 0)
        status = pen_fail(PEN_ERR_INPUT, "--observables needs an application with observables");
    if (status == PEN_OK) status = pen_until_read(options->until, values.table, values.count, &until);
    pen_until_free(&until);
    pen_values_free(&values);
    return status;
}

/* Local. Let every node contribute. */
static void sweep(pen_run *run, pen_observe_fn *observe)
{
    PEN_INSIDE("observables");
    pen_call_observe(&run->view, observe, run->observation, 0, run->store->owned);
}

/* Collective. The observables of an evaluation in such a step. */
static pen_status evaluate(pen_run *run, int evaluation, pen_observe_fn *observe, int64_t step)
{
    uint64_t start = pen_ticks();
    pen_mark_doing("observables");
    pen_run_view(run, 0, 0);
    run->view.step = step;
    pen_observation_begin(run->observation, evaluation);
    sweep(run, observe);
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
    return app->observe ? evaluate(run, PEN_AFTER_STEP, app->observe, run->step - 1) : PEN_OK;
}

void pen_observables_write(pen_run *run)
{
    if (run->observed_file && !run->observation->failing && run->step % run->observables_every == 0)
        run->observation->failing = pen_observed_file_add(run->observed_file, run->step, run->observation) != PEN_OK;
}

void pen_observables_keep(pen_run *run)
{
    pen_series_add(&run->series, run->step, run->observation);
    if (run->step > 0) pen_observables_write(run);
}

/* Rank 0. Open the file; continue it if `line` is given. */
static pen_status open_file(pen_run *run, const char *path, const char *line, int64_t bytes)
{
    return line ? pen_observed_file_resume(path, run->observation, line, bytes, &run->observed_file)
                : pen_observed_file_open(path, run->observation, &run->observed_file);
}

pen_status pen_observables_prepare(pen_run *run, const pen_run_options *options)
{
    const pen_observables *o = run->observation;
    run->observables_every = options->output.observables_every > 0 ? options->output.observables_every : 1;
    PEN_TRY(pen_series_start(o, &run->series));
    return pen_until_read(options->until, o->table, o->count, &run->until);
}

pen_status pen_observables_open(pen_run *run, const pen_run_options *options, const char *line, int64_t bytes)
{
    if (!options->output.observables) return PEN_OK;
    pen_status status = run->comm->rank == 0 ? open_file(run, options->output.observables, line, bytes) : PEN_OK;
    run->has_observed_file = true;
    return pen_agree(run->comm, status);
}

pen_status pen_observables_name_file(pen_run *run)
{
    if (!run->has_observed_file) return PEN_OK;
    return pen_agree(run->comm, run->comm->rank == 0 ? pen_observed_file_name(run->observed_file) : PEN_OK);
}

pen_status pen_observables_begin(pen_run *run, const pen_run_options *options)
{
    PEN_TRY(pen_agree(run->comm, pen_observables_prepare(run, options)));
    PEN_TRY(pen_observables_open(run, options, NULL, 0));
    return pen_observables_of_start(run);
}

pen_status pen_observables_of_start(pen_run *run)
{
    PEN_TRY(pen_observables_of_step(run));
    PEN_TRY(pen_globals_update(run, PEN_BETWEEN_STEPS));
    pen_observables_keep(run);
    return PEN_OK;
}

pen_status pen_observables_of_phase(pen_run *run, int phase)
{
    const pen_phase *p = &run->app->phases.list[phase];
    return evaluate(run, phase + 1, p->observe, run->step);
}

pen_status pen_observables_file_agree(pen_run *run)
{
    pen_observables *o = run->observation;
    pen_status mine = PEN_OK;
    if (o->failing) mine = pen_observed_file_add(run->observed_file, run->step, o); /* fails as before */
    pen_status status = pen_agree(run->comm, mine);
    if (status == PEN_OK) return PEN_OK;
    pen_observed_file_close(&run->observed_file);
    run->has_observed_file = o->failing = o->failed = false;
    return status;
}

pen_end pen_observables_end(const pen_run *run)
{
    if (run->app->end.done && run->app->end.done(run, run->app->params)) return PEN_END_DONE;
    return pen_until_holds(&run->until, run->observation) ? PEN_END_UNTIL : PEN_END_OPEN;
}

static int find_value(const pen_run *run, const char *function, int index, int component, bool is_int)
{
    if (!run) pen_die("%s: the run is NULL", function);
    const pen_observables *o = run->observation;
    const int value = pen_values_find(&o->values, function, index, component);
    if (pen_observable_is_int(o->table[value].kind) != is_int)
        pen_die("%s: observable \"%s\" is of the other kind (int or real)", function, o->table[value].name);
    return value;
}

int64_t pen_run_observed_int(const pen_run *run, int index) { return pen_run_observed_int_of(run, index, 0); }

double pen_run_observed_real(const pen_run *run, int index) { return pen_run_observed_real_of(run, index, 0); }

int64_t pen_run_observed_int_of(const pen_run *run, int index, int component)
{
    const int value = find_value(run, "pen_run_observed_int", index, component, true);
    return run->observation->ints[value];
}

double pen_run_observed_real_of(const pen_run *run, int index, int component)
{
    const int value = find_value(run, "pen_run_observed_real", index, component, false);
    return run->observation->reals[value];
}

bool pen_run_done(const pen_run *run) { return run && run->end != PEN_END_OPEN; }

int64_t pen_run_step(const pen_run *run) { return run ? run->step : 0; }
