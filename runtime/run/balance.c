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
    PEN_TRY(
        pen_agree(run->comm, pen_loads_create(declared, run->store->owned, run->comm->oversubscribed, &run->loads)));
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

/* What steering calls back for (steer.h). */
typedef struct call {
    pen_run *run;
    pen_plan plan;
    uint64_t ticks; /* since when it takes time */
    double start;   /* of planning */
} call;

static pen_status remember(void *context, bool first)
{
    const call *c = context;
    pen_loads_remember(c->run, first);
    return PEN_OK;
}

/* Collective. Estimated times are those of the loads of the step, where the nodes are now. */
static pen_status measure(void *context, bool changed, pen_quality *quality)
{
    pen_run *run = ((const call *)context)->run;
    if (changed) PEN_TRY(pen_run_quality(run, quality));
    return pen_run_step_time(run, run->balance->steer.expected, quality);
}

static pen_status agree(void *context, pen_status mine) { return pen_agree(((const call *)context)->run->comm, mine); }

/* Collective. */
static pen_status plan(void *context, const pen_steer_facts *facts, pen_steer_result *result)
{
    call *c = context;
    pen_balance *b = c->run->balance;
    c->start = pen_seconds_now();
    pen_mark_doing("planning of the balancer");
    pen_status status = pen_plan_make(c->run, &b->balancer, &b->steer, facts, &c->plan, &result->outlook);
    result->failed = status != PEN_OK;
    result->planned = !result->failed;
    result->planning = result->migrated = pen_seconds_now() - c->start;
    result->rounds = c->plan.rounds;
    return complain(c->run, status);
}

/* Collective. */
static pen_status migrate(void *context, pen_steer_result *result)
{
    const call *c = context;
    const int64_t shipped = c->run->shipped;
    pen_status status = pen_run_migrate(c->run, PEN_OK, c->plan.count, c->plan.moves);
    result->applied = status == PEN_OK;
    result->failed = status != PEN_OK;
    result->version = moves_of(c->run);
    result->bytes = c->run->shipped - shipped;
    result->migrated = pen_seconds_now() - c->start;
    return complain(c->run, status);
}

static void note(void *context, const pen_steer_result *result)
{
    const call *c = context;
    const uint64_t end = pen_ticks();
    c->run->timers.ticks[PEN_TIME_BALANCE] += end - c->ticks;
    const char *outcome = result->failed ? "balance: failed" : "balance: kept";
    pen_trace_span(c->run->trace, result->applied ? "balance: migrated" : outcome, "balance", c->run->step, c->ticks,
                   end);
}

/* Collective. After a step, or because a plan is wanted. */
static pen_status steer(pen_run *run, bool wanted)
{
    pen_balance *b = run->balance;
    call c = { .run = run, .ticks = pen_ticks() };
    const pen_steer_calls calls = { &c, remember, measure, agree, plan, migrate, note };
    pen_status status = wanted ? pen_steer_call(&b->steer, &b->peers.peers, &b->facts, &calls)
                               : pen_steer_step(&b->steer, &b->peers.peers, &b->facts, b->balancer.kind, &calls);
    free(c.plan.moves);
    return status;
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
    pen_steer_local mine = { .step = step,
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
    return steer(run, false);
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
    return steer(run, true);
}
