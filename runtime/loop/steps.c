/* steps.c - computes the phases of a step, and calls the hooks of parts around them. */
#include "loop/steps.h"
#include "base/numbers.h"
#include "observe/trace.h"
#include "run/apply_change.h"
#include "run/calls.h"
#include "run/far.h"
#include "run/globals.h"
#include "run/observables.h"
#include "run/reach.h"
#include "strict/strict.h"

static void sweep_phase(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    PEN_INSIDE(phase->name);
    run->sweep(run, phase, first, end);
}

/* In the checking build, fill with NaN the records from a slot on: shadows that a pull must fill, and records that have
 * no meaning any more. Plane 0 is the current one. */
static void poison(pen_run *run, uint64_t fields, int plane, pen_lid first)
{
#ifdef PEN_CHECKING
    for (int f = 0; f < run->app->fields.count; f++)
        if (fields >> f & 1)
            memset(pen_store_plane(run->store, f, plane) + (size_t)first * run->store->sizes[f], 0xff,
                   (size_t)(run->store->capacity - first) * run->store->sizes[f]);
#endif
}

/* Mark transient records, which have no meaning after the step. Neighbours may still pull those of boundary nodes. */
static void forget(pen_run *run)
{
    const uint64_t transient = pen_app_transient(run->app);
    poison(run, transient, 0, run->store->boundary);
    if (run->strict) pen_strict_forget(run, transient);
}

/* Publish and pull the fields that a phase has written. In between, compute the slots from `early` on. `computed` is
 * the time at which the slots before `early` were finished. */
static void pull(pen_run *run, const pen_phase *phase, const pen_phase_traits *traits, pen_lid early, uint64_t computed)
{
    uint64_t *spent = run->timers.ticks, overhead = spent[PEN_TIME_COMMUNICATION_OVERHEAD];
    pen_lid owned = run->store->owned;
    pen_mark_doing("publishing and acquiring");
    run->halo->transport->begin(run->halo, traits->pull);
    uint64_t begun = pen_ticks();
    pen_mark_doing("node functions");
    sweep_phase(run, phase, early, owned);
    uint64_t swept = pen_ticks();
    pen_mark_doing("completing pulls");
    run->halo->transport->end(run->halo, traits->pull);
    uint64_t ended = pen_ticks();
    overhead = spent[PEN_TIME_COMMUNICATION_OVERHEAD] - overhead;
    spent[PEN_TIME_COMPUTE] += swept - begun;
    spent[PEN_TIME_COMMUNICATE] += begun - computed + (ended - swept) - overhead;
    pen_trace_span(run->timers.trace, "publish and acquire", "wait", run->step, computed, begun);
    if (early < owned) pen_trace_span(run->timers.trace, phase->name, "phase", run->step, begun, swept);
    pen_trace_span(run->timers.trace, "complete pulls", "pull", run->step, swept, ended);
}

/* Compute a phase and pull its fields. Four readings of the clock divide the time into categories. If the phase may
 * change the graph, pulls wait until the requests are known. */
static void sweep_and_pull(pen_run *run, const pen_phase *phase, const pen_phase_traits *traits)
{
    uint64_t *spent = run->timers.ticks;
    bool pulls = traits->publishes && !phase->modify;
    pen_lid boundary = run->store->boundary, owned = run->store->owned;
    pen_lid early = run->halo->transport->overlaps && pulls ? boundary : owned;

    uint64_t start = pen_ticks();
    pen_mark_doing("node functions");
    pen_run_view(run, phase->writes.bits, traits->in_place);
    pen_run_open_edges(run, phase->edge_writes.bits);
    poison(run, phase->writes.bits & ~traits->in_place, 1, run->store->owned);
    uint64_t ready = pen_ticks();
    sweep_phase(run, phase, 0, early);
    uint64_t computed = pen_ticks();
    spent[PEN_TIME_COMPUTE_OVERHEAD] += ready - start;
    spent[PEN_TIME_COMPUTE] += computed - ready;
    pen_trace_span(run->timers.trace, phase->name, "phase", run->step, ready, computed);
    if (pulls) pull(run, phase, traits, early, computed);
}

/* Carry out the requests of nodes, if there are any. */
static pen_status modify(pen_run *run, const pen_phase *phase, const pen_phase_traits *traits)
{
    bool any = false;
    pen_mark_doing("changes of the graph");
    run->changed.phases++;
    PEN_TRY(pen_run_asked(run, &any));
    if (any) {
        PEN_TRY(pen_run_rewire(run, phase->writes.bits));
    } else {
        if (traits->publishes) pull(run, phase, traits, run->store->owned, pen_ticks());
        pen_run_flip(run, phase->writes.bits);
    }
    forget(run);
    return PEN_OK;
}

/* End the program if observing has failed: observables depend on all nodes, so no rank can continue. */
static void must_observe(const pen_run *run, pen_status status)
{
    if (status != PEN_OK) pen_die("observables of step %" PRId64 ": %s", run->step, pen_error_message());
}

/* Collective. Compute the observables of the phase, and then the globals. */
static pen_status observe(pen_run *run, const pen_phase *phase)
{
    if (run->strict) PEN_TRY(pen_strict_observe(run, phase));
    must_observe(run, pen_observables_of_phase(run, run->phase));
    return pen_globals_update(run, run->phase);
}

/* Compute a phase. `first`: there are no current records yet. */
static pen_status compute(pen_run *run, const pen_phase *phase, const pen_phase_traits *traits, bool first)
{
    if (run->strict) PEN_TRY(pen_strict_begin(run, phase, first));
    if (phase->far) {
        uint64_t start = pen_ticks();
        pen_mark_doing("far reads");
        PEN_TRY(pen_far_read(run, phase, traits->shadows, run->strict ? pen_strict_want : NULL));
        pen_trace_span(run->timers.trace, "far reads", "pull", run->step, start, pen_ticks());
        if (run->strict) PEN_TRY(pen_strict_far(run));
    }
    if (phase->modify) pen_changes_begin(run->changed.requests, pen_store_dimensions(run->store));
    if (!first)
        PEN_FOR_PARTS (p, run, before_phase) p->part->before_phase(run, p->state);
    sweep_and_pull(run, phase, traits);
    run->view.library.far = NULL;
    if (run->strict) PEN_TRY(pen_strict_end(run));
    if (!first)
        PEN_FOR_PARTS (p, run, after_phase) p->part->after_phase(run, p->state);
    PEN_FOR_PARTS (p, run, exchange) PEN_TRY(p->part->exchange(run, p->state, phase));
    if (phase->modify) PEN_TRY(modify(run, phase, traits));
    else pen_run_flip(run, phase->writes.bits & ~traits->in_place);
    PEN_FOR_PARTS (p, run, finish_phase) p->part->finish_phase(run, p->state, phase);
    return PEN_OK;
}

/* Copy the records of arcs that a phase writes in place, one field after the other, from the store or back. */
static void copy_arcs(const pen_store *store, uint64_t fields, unsigned char *kept, bool back)
{
    for (int e = 0; e < store->edge_field_count; e++) {
        const size_t bytes = (size_t)store->rows[store->owned] * store->edge_sizes[e];
        if (!(fields >> e & 1) || bytes == 0) continue;
        memcpy(back ? store->edges[e] : kept, back ? kept : store->edges[e], bytes);
        kept += bytes;
    }
}

/* Compute a phase that writes records of arcs in place, and may fail when it has computed its nodes. */
static pen_status compute_arcs(pen_run *run, const pen_phase *phase, const pen_phase_traits *traits)
{
    unsigned char *kept = NULL;
    const size_t most = pen_store_edge_bytes(run->store);
    pen_status status = pen_agree(run->comm, pen_alloc(&kept, run->store->rows[run->store->owned], most));
    if (status == PEN_OK) {
        copy_arcs(run->store, phase->edge_writes.bits, kept, false);
        status = compute(run, phase, traits, false);
        /* after a failure of MPI the graph may be another one */
        if (status != PEN_OK && status != PEN_ERR_MPI) copy_arcs(run->store, phase->edge_writes.bits, kept, true);
    }
    free(kept);
    return status;
}

static pen_status do_phase(pen_run *run, const pen_phase *phase, const pen_phase_traits *traits, bool first)
{
    PEN_MARK(phase, phase->name);
    if (phase->observes.bits) PEN_TRY(observe(run, phase));
    const bool keeps_arcs = phase->edge_writes.bits && (phase->modify || run->strict);
    const pen_status status = keeps_arcs ? compute_arcs(run, phase, traits) : compute(run, phase, traits, first);
    if (status != PEN_OK && phase->observes.bits) pen_globals_undo(run);
    return status;
}

static pen_status init_edges(pen_run *run)
{
    PEN_INSIDE(".init_edges");
    pen_run_view(run, 0, 0);
    pen_run_open_edges(run, UINT64_MAX);
    if (run->strict) PEN_TRY(pen_strict_init_edges(run));
    pen_call_nodes(&run->view, &(pen_phase){ .node = run->app->init_edges }, 0, run->store->owned);
    return PEN_OK;
}

pen_status pen_run_initialize(pen_run *run)
{
    const pen_app *app = run->app;
    pen_phase phase = { "init", .node = app->init, .writes.bits = pen_app_fields(app) & ~pen_app_permanent_fields(app),
                        .sends.bits = pen_app_mails(app) };
    uint64_t reads = pen_run_carried(run, pen_app_reads(app));
    pen_phase_traits traits = { .publishes = reads != 0, .pull = reads };
    PEN_TRY(do_phase(run, &phase, &traits, true));
    if (app->init_edges) PEN_TRY(init_edges(run));
    pen_run_end_inputs(run);
    if (run->strict) PEN_TRY(pen_strict_start(run));
    PEN_TRY(pen_observables_of_start(run));
    memset(run->timers.ticks, 0, sizeof run->timers.ticks); /* the ticks so far belong to the initialisation */
    run->halo->gets = run->halo->syncs = run->halo->bytes = 0;
    return PEN_OK;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Let the application write its own output. Its time is not part of the steps. If it fails, the sentence is that of a
 * function of the library that it has called, or says so. */
static pen_status write_state(pen_run *run)
{
    if (!run->app->output.write) return PEN_OK;
    double start = pen_seconds_now();
    pen_mark_doing("output of the application");
    pen_error_set("");
    pen_status status = run->app->output.write(run, run->step, run->app->params, run->files.out);
    run->timers.loop -= pen_seconds_now() - start;
    if (status != PEN_OK && !*pen_error_message())
        return pen_fail(status, "%s: .output.write failed after step %" PRId64, run->app->name, run->step);
    return status;
}

/* Collective. Write the outputs that are due, before the first step and after each step. A failure ends the call of
 * pen_run_steps; the run keeps its state, so that nothing else is lost. The first failure is returned. */
static pen_status write_outputs(pen_run *run)
{
    pen_status status = write_state(run);
    pen_failure_keep(&run->files.unwritten, status);
    PEN_FOR_PARTS (p, run, write) {
        if (status == PEN_ERR_MPI) return status;
        const pen_status written = p->part->write(run, p->state);
        if (status == PEN_OK || written == PEN_ERR_MPI) status = written;
    }
    return run->files.unwritten.status != PEN_OK && status != PEN_ERR_MPI ? pen_failure_again(&run->files.unwritten)
                                                                          : status;
}

static pen_status follow_crowd(pen_run *run)
{
    bool renewed = false;
    const uint64_t begun = pen_ticks();
    PEN_TRY(pen_halo_follow_crowd(&run->halo, run->step, &renewed));
    if (renewed) {
        pen_reach_destroy(&run->reach); /* it has addresses in the window */
        pen_run_bind(run);
    }
    run->timers.ticks[PEN_TIME_COMMUNICATION_OVERHEAD] += pen_ticks() - begun;
    return PEN_OK;
}

/* Collective. Write the first state, or the state that a resumed run begins with and that was not written. Only now,
 * since records may have been put since the run was created. A run that cannot write it has no results. */
static pen_status write_first(pen_run *run)
{
    const pen_status status = write_outputs(run);
    if (status != PEN_OK) pen_failure_forget(&run->files.unwritten);
    return status;
}

/* Collective. Count a step whose phases are done, and call all that follows it. The first failure is kept, or that of
 * MPI. */
static void conclude(pen_run *run, pen_failure *failure)
{
    run->phase = 0;
    run->step++;
    must_observe(run, pen_observables_of_step(run));
    pen_failure_keep(failure, pen_globals_update(run, PEN_BETWEEN_STEPS));
    pen_observables_note(run);
    run->end = pen_observables_end(run);
    PEN_FOR_PARTS (p, run, after_step) {
        const pen_status status = p->part->after_step(run, p->state);
        if (status == PEN_ERR_MPI) pen_failure_forget(failure);
        pen_failure_keep(failure, status);
        if (status == PEN_ERR_MPI) return;
    }
    const char *complaint = run->app->check ? run->app->check(run, run->app->params) : NULL;
    if (complaint) pen_failure_keep(failure, pen_fail(PEN_ERR_CHECK, "step %" PRId64 ": %s", run->step, complaint));
}

/* Collective. End a step. Its outputs are written even if it is complained about; if they fail then, a line says so. */
static pen_status end_step(pen_run *run)
{
    pen_failure failure = { .status = PEN_OK };
    conclude(run, &failure);
    const pen_status written = failure.status == PEN_ERR_MPI ? PEN_ERR_MPI : write_outputs(run);
    const bool both = failure.status != PEN_OK && written != PEN_OK && written != PEN_ERR_MPI;
    if (both && run->comm->rank == 0) pen_warn("%s", pen_error_message());
    const pen_status status = failure.status == PEN_OK ? written : pen_failure_again(&failure);
    pen_failure_forget(&failure);
    return status;
}

static pen_status do_steps(pen_run *run, int64_t steps)
{
    pen_failure_forget(&run->files.unwritten);
    if (!run->calls.begun || run->files.owed) PEN_TRY(write_first(run));
    run->calls.begun = true;
    run->files.owed = false;
    for (int64_t i = 0; i < steps && run->end == PEN_END_OPEN; i++) {
        uint64_t computed = run->timers.ticks[PEN_TIME_COMPUTE];
        pen_mark_step(run->step);
        if (run->phase == 0) PEN_TRY(follow_crowd(run));
        if (run->phase == 0)
            PEN_FOR_PARTS (p, run, before_step) PEN_TRY(p->part->before_step(run, p->state));
        for (; run->phase < run->app->phases.count; run->phase++)
            PEN_TRY(do_phase(run, &run->app->phases.list[run->phase], &run->traits[run->phase], false));
        forget(run);
        PEN_MARK(phase, NULL);
        if (run->strict) PEN_TRY(pen_strict_step(run));
        computed = run->timers.ticks[PEN_TIME_COMPUTE] - computed;
        PEN_FOR_PARTS (p, run, after_phases) PEN_TRY(p->part->after_phases(run, p->state, computed));
        PEN_TRY(end_step(run));
        if (run->observation->failed) break;
    }
    return PEN_OK;
}

/* Collective. Compare the arguments of all ranks. So that many calls of one short step stay cheap, do this only in the
 * first calls, which show most mistakes, and in some later ones; in the checking build in all calls. */
static pen_status agree_on_steps(pen_run *run, int64_t steps)
{
    enum { FIRST = 8, THEN_EACH = 64 };
    const pen_argument arguments[] = { { "steps", NULL, steps }, { "steps done before", NULL, run->step } };
    pen_status status = PEN_OK;
#ifdef PEN_CHECKING
    const bool looks = true;
#else
    const bool looks = run->calls.count < FIRST || run->calls.count % THEN_EACH == 0;
#endif
    run->calls.count++;
    if (steps < 0) status = pen_fail(PEN_ERR_ARGUMENT, "steps %" PRId64 ", must be >= 0", steps);
    return looks ? pen_agree_equal(run->comm, status, arguments, PEN_COUNT_OF(arguments)) : status;
}

pen_status pen_run_steps(pen_run *run, int64_t steps)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_steps");
    PEN_TRY(pen_run_ready(run, "pen_run_steps"));
    PEN_ARGUMENT(!run->calls.inside, "%s: pen_run_steps within pen_run_steps", run->app->name);
    pen_mark_step(run->step);
    PEN_TRY(agree_on_steps(run, steps));
    double start = pen_seconds_now();
    PEN_FOR_PARTS (p, run, enter) p->part->enter(run, p->state, steps);
    run->calls.inside = true;
    pen_status status = do_steps(run, steps);
    run->calls.inside = false;
    PEN_FOR_PARTS (p, run, leave) {
        const pen_status left = p->part->leave(run, p->state, status);
        if (status == PEN_OK) status = left;
    }
    run->timers.loop += pen_seconds_now() - start;
    return status;
}
