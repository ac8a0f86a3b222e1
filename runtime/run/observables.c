#include "run/observables.h"
#include "base/memory.h"

static pen_status make_room(pen_series *series, int observables)
{
    if (series->steps < series->room) return PEN_OK;
    int64_t room = series->room ? 2 * series->room : 64;
    PEN_TRY(PEN_REALLOC(&series->ints, room * observables));
    PEN_TRY(PEN_REALLOC(&series->reals, room * observables));
    series->room = room;
    return PEN_OK;
}

pen_status pen_run_observe(pen_run *run)
{
    const pen_app *app = run->app;
    pen_series *series = &run->series;
    PEN_TRY(make_room(series, app->observable_count));
    uint64_t start = pen_ticks();
    pen_run_view(run, 0);
    pen_observation_reset(run->observation);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        run->view.slot = slot;
        app->observe(&run->view, run->observation);
    }
    uint64_t swept = pen_ticks();
    PEN_TRY(pen_observation_reduce(run->comm, run->observation));
    run->timers.ticks[PEN_TIME_COMPUTE_OVERHEAD] += swept - start;
    uint64_t reduced = pen_ticks();
    run->timers.ticks[PEN_TIME_COMMUNICATE] += reduced - swept;
    pen_trace_span(run->trace, "observe", "phase", run->step, start, swept);
    pen_trace_span(run->trace, "reduce observables", "wait", run->step, swept, reduced);
    size_t count = (size_t)app->observable_count, at = (size_t)series->steps++ * count;
    memcpy(series->ints + at, run->observation->ints, count * sizeof *series->ints);
    memcpy(series->reals + at, run->observation->reals, count * sizeof *series->reals);
    return PEN_OK;
}

int64_t pen_run_observed_int(const pen_run *run, int index) { return run->observation->ints[index]; }
double pen_run_observed_real(const pen_run *run, int index) { return run->observation->reals[index]; }
