#include "run/balance.h"
#include "base/memory.h"
#include "run/loads.h"
#include "run/migrate.h"
#include "run/plan.h"
#include "run/quality.h"

#include <stdlib.h>

static pen_status read_options(const pen_app *app, const pen_run_options *options, pen_balance *b)
{
    const char *name = options->balancer ? options->balancer : "none";
    PEN_TRY(pen_steer_settings_read(options->load, options->balance_when, options->balance_cost, &b->steer.settings));
    if (b->steer.settings.declared && !app->cost)
        return pen_fail(PEN_ERR_INPUT, "--load=declared: %s declares no costs", app->name);
    PEN_TRY(pen_copy_text(name, &b->name));
    return pen_balancer_open(name, &b->balancer);
}

pen_status pen_balance_create(const pen_app *app, const pen_run_options *options, pen_balance **balance)
{
    *balance = NULL;
    PEN_TRY(PEN_ALLOC_ZERO(balance, 1));
    pen_status status = read_options(app, options, *balance);
    bool needed = (*balance)->balancer.kind || (*balance)->steer.settings.declared;
    if (status != PEN_OK || !needed) pen_balance_destroy(balance);
    return status;
}

pen_status pen_balance_begin(pen_run *run)
{
    pen_balance *b = run->balance;
    bool declared = b->steer.settings.declared;
    PEN_TRY(pen_agree(run->comm, pen_loads_create(declared, run->store->owned, run->comm->crowded, &run->loads)));
    pen_steer_start(&b->steer, pen_seconds_now());
    pen_steer_measured(&b->steer, &run->quality);
    return pen_peers_begin(run->comm, &b->peers);
}

void pen_balance_destroy(pen_balance **balance)
{
    pen_balance *b = *balance;
    if (!b) return;
    pen_balancer_close(&b->balancer);
    pen_steer_free(&b->steer);
    pen_peers_free(&b->peers);
    PEN_FREE_ALL(b->name, b);
    *balance = NULL;
}

/* ---- A call --------------------------------------------------------------------------------- */

/* Neither a plan that is none, nor a migration that fails, is a reason to end the run; MPI is. */
static pen_status complain(pen_run *run, pen_status status)
{
    pen_balance *b = run->balance;
    if (status == PEN_OK || status == PEN_ERR_MPI) return status;
    if (run->comm->rank == 0 && !b->complained)
        pen_warn("balancer %s, after step %" PRId64 ": %s; the run goes on unchanged", b->name, run->step,
                 pen_error_message());
    b->complained = true;
    return PEN_OK;
}

/* How often the graph has changed, and how often nodes have changed owners. */
static int64_t changes_of(const pen_run *run) { return run->changed.with_changes; }
static int64_t moves_of(const pen_run *run) { return run->store->migrations - changes_of(run); }

/* Collective. Plan, decide, migrate; *result says what came of it. */
static pen_status plan_and_migrate(pen_run *run, const pen_steer_facts *facts, pen_steer_result *result)
{
    const pen_steer *steer = &run->balance->steer;
    int64_t shipped = run->shipped;
    double start = pen_seconds_now();
    pen_plan plan;
    pen_mark_doing("planning of the balancer");
    pen_status status = pen_plan_make(run, &run->balance->balancer, steer, facts, &plan, &result->outlook);
    result->failed = status != PEN_OK;
    if (status != PEN_OK) return complain(run, status);
    result->planned = true;
    result->planning = pen_seconds_now() - start;
    result->rounds = plan.rounds;
    if (pen_steer_accepts(steer, facts, &result->outlook)) {
        status = pen_run_migrate(run, PEN_OK, plan.count, plan.moves);
        result->applied = status == PEN_OK;
        result->failed = status != PEN_OK;
    }
    free(plan.moves);
    PEN_TRY(complain(run, status));
    result->version = moves_of(run);
    result->bytes = run->shipped - shipped;
    result->migrated = pen_seconds_now() - start;
    return PEN_OK;
}

/* Collective. How good the partition is, after the graph or owners have changed, or as it was; estimated times are
 * those of the loads of the step, where the nodes are now. */
static pen_status measure(pen_run *run, bool changed, pen_quality *quality)
{
    *quality = run->balance->steer.quality;
    if (changed) PEN_TRY(pen_run_quality(run, quality));
    return pen_run_step_time(run, run->balance->steer.expected, quality);
}

/* Collective. */
static pen_status call_balancer(pen_run *run, const pen_steer_facts *facts)
{
    pen_balance *b = run->balance;
    pen_steer_result result = { .planned = false };
    pen_quality quality;
    uint64_t start = pen_ticks();
    PEN_TRY(measure(run, b->steer.stale, &quality));
    pen_steer_measured(&b->steer, &quality);
    PEN_TRY(pen_agree(run->comm, pen_steer_call_begin(&b->steer, facts)));
    PEN_TRY(plan_and_migrate(run, facts, &result));
    PEN_TRY(pen_steer_call_end(&b->steer, &b->peers.peers, facts, &result));
    uint64_t end = pen_ticks();
    run->timers.ticks[PEN_TIME_BALANCE] += end - start;
    const char *outcome = result.failed ? "balance: failed" : "balance: kept";
    pen_trace_span(run->trace, result.applied ? "balance: migrated" : outcome, "balance", run->step, start, end);
    if (!result.applied) return PEN_OK;
    PEN_TRY(measure(run, true, &quality));
    pen_steer_moved(&b->steer, &quality);
    return PEN_OK;
}

/* As far as anybody knows. */
static int64_t remaining_steps(const pen_run *run, int64_t step)
{
    if (run->end != PEN_END_OPEN) return 0;
    return run->world.steps > 0 ? run->world.steps - step : INT64_MAX;
}

/* Collective. What all ranks know when so many steps are done. */
static pen_status look(pen_run *run, int64_t step)
{
    pen_balance *b = run->balance;
    uint64_t start = pen_ticks();
    pen_mark_doing("comparing loads");
    pen_steer_step mine = { .step = step,
                            .remaining = remaining_steps(run, step),
                            .seconds = pen_seconds_now(),
                            .count = run->store->owned,
                            .loads = run->loads->of,
                            .load = run->loads->total,
                            .speed = pen_run_speed(run),
                            .version = moves_of(run),
                            .nodes = run->nodes,
                            .changes = changes_of(run) };
    pen_status status = pen_steer_look(&b->steer, &b->peers.peers, &mine, &b->facts);
    if (status == PEN_ERR_ARGUMENT) return pen_fail(status, "%s: %s", run->app->name, pen_error_message());
    PEN_TRY(status);
    run->timers.ticks[PEN_TIME_BALANCE] += pen_ticks() - start;
    return PEN_OK;
}

pen_status pen_balance_look(pen_run *run)
{
    pen_balance *b = run->balance;
    b->looked = pen_steer_looks(&b->steer, run->step + 1, changes_of(run));
    return b->looked ? look(run, run->step + 1) : PEN_OK;
}

pen_status pen_balance_step(pen_run *run)
{
    pen_balance *b = run->balance;
    if (!b->looked) return PEN_OK;
    b->facts.remaining = remaining_steps(run, run->step);
    bool wants = b->balancer.kind && pen_steer_wants_plan(&b->steer, &b->facts);
    pen_steer_memory memory = pen_steer_remembers(&b->steer);
    if (memory != PEN_STEER_NONE) pen_loads_remember(run, memory == PEN_STEER_BEGIN);
    return wants ? call_balancer(run, &b->facts) : PEN_OK;
}

pen_status pen_run_balance(pen_run *run)
{
    PEN_WITHIN("pen_run_balance");
    PEN_TRY(pen_run_ready(run, "pen_run_balance"));
    pen_balance *b = run->balance;
    PEN_ARGUMENT(b && b->balancer.kind, "%s: the run has no balancer", run->app->name);
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no balancing within a step", run->app->name);
    if (run->loads->version != run->store->migrations) return PEN_OK;
    if (b->facts.step != run->step || b->steer.changes != changes_of(run)) PEN_TRY(look(run, run->step));
    if (run->comm->size == 1 || !(b->facts.load.max > 0.0)) return PEN_OK;
    return call_balancer(run, &b->facts);
}
