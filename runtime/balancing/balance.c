/* balance.c - calls steering and the balancer between the steps of a run. */
#include "balancing/balance.h"
#include "balancing/balance_report.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "observe/trace.h"
#include "run/apply_change.h"
#include "run/quality.h"

#include <stdlib.h>

/* ---- Average loads -------------------------------------------------------------------------- */

/* Local. Add the loads of the step to the averages of this rank's nodes, unless they have been added. */
static pen_past_sums add_to_past(const pen_run *run, const pen_balance *b)
{
    pen_past_sums sums = { 0.0, 0.0, 0.0 };
    const pen_forecast *forecast = &b->steer.forecast;
    if (!forecast->keeps || !b->past || b->steer.looked == run->step) return sums;
    const double weight = pen_forecast_weight(forecast), *of = pen_loads_of(run)->of;
    for (pen_lid slot = 0; slot < run->store->owned; slot++) pen_forecast_add(&b->past[slot], of[slot], weight, &sums);
    return sums;
}

/* Collective. With a machine, update the estimated step time of a partition for other loads: `load` is the sum over
 * this rank's nodes. */
static pen_status estimate_step_time(const pen_run *run, double load, pen_quality *quality)
{
    if (!run->partition.machine) return PEN_OK;
    double time = load / pen_run_speed(run) + quality->communication;
    PEN_TRY(pen_all_reduce(run->comm, &time, &quality->step_time, 1, MPI_DOUBLE, MPI_MAX));
    return PEN_OK;
}

/* ---- A call --------------------------------------------------------------------------------- */

/* Warn about a wrong plan or a failed migration, which do not end the run; an error of MPI does. */
static pen_status complain(const pen_run *run, pen_balance *b, pen_status status)
{
    if (status == PEN_OK || status == PEN_ERR_MPI) return status;
    if (run->comm->rank == 0 && !b->complained)
        pen_warn("balancer %s, after step %" PRId64 ": %s; the run goes on unchanged", b->name, run->step,
                 pen_error_message());
    b->complained = true;
    return PEN_OK;
}

/* The number of changes of the graph, and the number of migrations. */
static int64_t changes_of(const pen_run *run) { return run->changed.with_changes; }
static int64_t moves_of(const pen_run *run) { return run->store->migrations - changes_of(run); }

/* The context of steering's callbacks (steer.h). */
typedef struct call {
    pen_run *run;
    pen_balance *balance;
    pen_plan plan;
    uint64_t begin, end; /* clock when steering began, and when there was a plan or it was carried out; 0: no plan */
    double start;        /* time in seconds when planning began */
} call;

static pen_status remember(void *context, bool first)
{
    const call *c = context;
    pen_loads_remember(pen_loads_of(c->run), c->run->store->owned, first);
    return PEN_OK;
}

/* Collective. Measure the partition. Estimated times are for the loads of the last plan and the present owners. */
static pen_status measure(void *context, bool changed, pen_quality *quality)
{
    const call *c = context;
    if (changed) PEN_TRY(pen_run_quality(c->run, quality));
    return estimate_step_time(c->run, c->balance->steer.expected, quality);
}

/* Collective. */
static pen_status plan(void *context, pen_balance_call *made)
{
    call *c = context;
    c->start = pen_seconds_now();
    pen_mark_doing("planning of the balancer");
    pen_status status = pen_balance_plan(c->run, c->balance, &c->plan, &made->evaluation);
    made->failed = status != PEN_OK;
    if (status == PEN_OK) {
        made->rounds = c->plan.rounds;
        made->seconds = pen_seconds_now() - c->start;
    }
    c->end = pen_ticks();
    return complain(c->run, c->balance, status);
}

/* Collective. */
static pen_status migrate(void *context, pen_balance_call *made, int64_t *version)
{
    call *c = context;
    const int64_t shipped = c->run->changed.shipped;
    pen_status status = pen_run_migrate(c->run, PEN_OK, c->plan.count, c->plan.moves);
    made->applied = status == PEN_OK;
    made->failed = status != PEN_OK;
    made->moved_bytes = c->run->changed.shipped - shipped;
    made->seconds = pen_seconds_now() - c->start;
    *version = moves_of(c->run);
    c->end = pen_ticks();
    return complain(c->run, c->balance, status);
}

/* Local. Add a call to the timers and to the trace. */
static void note(const call *c, const pen_balance_call *made)
{
    pen_trace *trace = c->run->timers.trace;
    const char *outcome = made->failed ? "balance: failed" : "balance: kept";
    const char *const *counters = c->balance->balancer.kind->counters;
    c->run->timers.ticks[PEN_TIME_BALANCE] += c->end - c->begin;
    pen_trace_span(trace, made->applied ? "balance: migrated" : outcome, "balance", c->run->step, c->begin, c->end);
    for (int i = 0; trace && c->plan.moves && counters && counters[i]; i++)
        pen_trace_record(trace,
                         &(pen_trace_event){
                             .name = counters[i], .begin = c->end, .step = c->run->step, .value = c->plan.counts[i] });
}

/* Collective. Let steering decide after a step, or make a plan now. */
static pen_status steer(pen_run *run, pen_balance *b, bool now)
{
    call c = { .run = run, .balance = b, .begin = pen_ticks() };
    const pen_steer_calls calls = { &c, remember, measure, b->balancer.kind ? plan : NULL, migrate };
    pen_status status = pen_steer_step(&b->steer, &b->peers.peers, now, &calls);
    if (status == PEN_OK && c.end > 0) note(&c, &b->steer.calls[b->steer.call_count - 1]);
    free(c.plan.moves);
    return status;
}

/* The number of remaining steps; INT64_MAX: unknown. */
static int64_t remaining_steps(const pen_run *run)
{
    if (run->end != PEN_END_OPEN) return 0;
    return run->world.steps > 0 ? run->world.steps - run->step : INT64_MAX;
}

/* Collective. Compare the loads of the ranks after a step. */
static pen_status look(pen_run *run, pen_balance *b)
{
    const pen_loads *loads = pen_loads_of(run);
    uint64_t start = pen_ticks();
    pen_mark_doing("comparing loads");
    pen_steer_local mine = { .step = run->step,
                             .remaining = remaining_steps(run),
                             .seconds = pen_seconds_now(),
                             .count = run->store->owned,
                             .loads = loads->of,
                             .load = loads->total,
                             .wrong = loads->wrong,
                             .phases = loads->told_apart ? loads->phases : 1,
                             .phase_loads = loads->totals,
                             .speed = pen_run_speed(run),
                             .version = moves_of(run),
                             .nodes = run->graph.nodes,
                             .changes = changes_of(run) };
    mine.past = add_to_past(run, b);
    pen_status status = pen_steer_look(&b->steer, &b->peers.peers, &mine);
    if (status == PEN_ERR_ARGUMENT) return pen_fail(status, "%s: %s", run->app->name, pen_error_message());
    PEN_TRY(status);
    run->timers.ticks[PEN_TIME_BALANCE] += pen_ticks() - start;
    return PEN_OK;
}

static pen_status balance_after_step(pen_run *run, void *state)
{
    pen_balance *b = state;
    const pen_notes notes = { .records = b->notes };
    pen_notes_add(b->balancer.kind, &notes, run->store->owned, run->step - 1, pen_loads_of(run)->of);
    if (!pen_steer_looks(&b->steer, run->step, changes_of(run))) return PEN_OK;
    PEN_TRY(look(run, b));
    return steer(run, b, false);
}

pen_status pen_run_balance(pen_run *run)
{
    PEN_WITHIN("pen_run_balance");
    PEN_TRY(pen_run_ready(run, "pen_run_balance"));
    pen_balance *b = pen_balance_of(run);
    PEN_ARGUMENT(b && b->balancer.kind, "%s: the run has no balancer", run->app->name);
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no balancing within a step", run->app->name);
    if (pen_loads_of(run)->version != run->store->migrations) return PEN_OK;
    if (b->steer.facts.step != run->step || b->steer.changes != changes_of(run)) PEN_TRY(look(run, b));
    return steer(run, b, true);
}

/* ---- Checkpoints ---------------------------------------------------------------------------- */

static pen_status code(pen_coder *c, pen_run *run, void *state)
{
    pen_balance *b = state;
    return pen_steer_code(c, &b->steer, b->balancer.kind ? b->balancer.kind->counters : NULL, pen_seconds_now());
}

static pen_status code_rank(pen_coder *c, pen_run *run, void *state)
{
    pen_balance *b = state;
    pen_code_real(c, &b->steer.expected);
    return PEN_OK;
}

static size_t past_bytes(const void *state)
{
    const pen_balance *b = state;
    return b->balancer.kind && b->steer.settings.when == PEN_STEER_AUTO ? sizeof *b->past : 0;
}

/* Adapt steering to the checkpoint. If it had no data, steering has not seen the loads of the steps so far. If nodes do
 * not stay, the partition is a different one. The run that saved it may have kept averages where this one has none, or
 * loads in another unit, from which nothing follows here. */
static void resumed(pen_run *run, void *state, bool found, bool stays)
{
    pen_steer *steer = &((pen_balance *)state)->steer;
    const bool other_unit = pen_loads_of(run)->other_unit;
    if (other_unit) pen_steer_restart(steer);
    if (past_bytes(state) == 0) {
        steer->forecast = (pen_forecast){ .keeps = false };
        steer->facts.by_average = false;
        steer->facts.planned = steer->facts.load;
    }
    if (!found || other_unit) pen_steer_skip(steer, run->step, changes_of(run));
    if (stays) return;
    steer->stale = true;
    pen_trigger_end_trial(&steer->trigger);
}

/* ---- Columns -------------------------------------------------------------------------------- */

static size_t notes_bytes(const void *state) { return pen_notes_bytes(((const pen_balance *)state)->balancer.kind); }

static bool past_ships(const void *state) { return ((const pen_balance *)state)->steer.forecast.steps > 0; }

static bool past_is_kept(const pen_run *run, const void *state)
{
    return ((const pen_balance *)state)->steer.forecast.keeps;
}

static const pen_node_column columns[] = {
    { .name = "balancer's notes", .of_balancer = true, .bytes = notes_bytes, .at = offsetof(pen_balance, notes) },
    { .name = "average load and load before",
      .of_balancer = true,
      .bytes = past_bytes,
      .at = offsetof(pen_balance, past),
      .ships = past_ships,
      .saved = true,
      .useful = past_is_kept },
    { .name = NULL }
};

/* ---- The part ------------------------------------------------------------------------------- */

static bool wanted(const pen_app *app, const pen_run_options *options) { return pen_balancing_wanted(options); }

static pen_status open_balance(pen_run *run, void *state, const pen_run_options *options)
{
    pen_balance *b = state;
    const char *name = options->balance.balancer ? options->balance.balancer : "none";
    const pen_balance_options *o = &options->balance;
    b->steer.settings = (pen_steer_settings){ .load = o->load, .call_cost = o->call_cost, .node_cost = o->node_cost };
    PEN_TRY(pen_steer_settings_read(o->when, NULL, &b->steer.settings));
    if (pen_steer_declared(&b->steer) && !pen_app_declares(run->app))
        return pen_fail(PEN_ERR_INPUT, "--load=declared: %s declares no costs", run->app->name);
    PEN_TRY(pen_copy_text(name, &b->name));
    return pen_balancer_open(name, &b->balancer);
}

static pen_status begin(pen_run *run, void *state, const pen_run_options *options)
{
    pen_balance *b = state;
    const pen_row_format format = pen_run_row_format(run);
    pen_steer_start(&b->steer, run->partition.machine, 8 * pen_row_words(&format, 0), &run->partition.quality,
                    pen_seconds_now());
    return pen_peers_begin(run->comm, &b->peers);
}

static void destroy(pen_run *run, void *state)
{
    pen_balance *b = state;
    pen_balancer_close(&b->balancer);
    pen_steer_free(&b->steer);
    pen_peers_free(&b->peers);
    free(b->name);
}

static pen_status read_balance_when(char *text, pen_run_options *o)
{
    pen_steer_settings settings = { .load = o->balance.load };
    o->balance.when = text;
    return pen_steer_settings_read(text, NULL, &settings);
}

/* The part of the loads stands before in the table of parts: --load has been read. */
static pen_status read_balance_cost(char *text, pen_run_options *o)
{
    pen_steer_settings settings = { .load = o->balance.load };
    PEN_TRY(pen_steer_settings_read(NULL, text, &settings));
    o->balance.call_cost = settings.call_cost;
    o->balance.node_cost = settings.node_cost;
    return PEN_OK;
}

#define COST_RANGE .special = PEN_NO_COST, .range = "a number >= 0, or PEN_NO_COST"

static const pen_part_option options_of_balance[] = {
    { "balancer", "NAME[:SETTINGS]",
      "the algorithm that moves nodes to ranks with less load during the run (none); a path: a plug-in",
      PEN_OPTION_SETS(balance.balancer), .reads = true },
    { "balance-when", "WHEN",
      "auto (default): when it pays; every:N: after every N steps; change: after changes of the graph; every "
      "and change skip calls that cost more than they can gain, unless :always is appended",
      PEN_OPTION_SETS(balance.when), .read = read_balance_when },
    { "balance-cost", "BASE[:PER_NODE]",
      "cost of a balancer's call, in declared units, and per node that the busiest rank sends or gets (with a "
      "--machine with latencies, from messages and bytes; else 5% of the mean rank's load, half the mean node's)",
      PEN_OPTION_SETS(balance.call_cost), COST_RANGE, .read = read_balance_cost },
    { PEN_OPTION_SETS(balance.node_cost), COST_RANGE },
    { .name = NULL },
};

const pen_part pen_part_balance = {
    .name = "balance",
    .state_size = sizeof(pen_balance),
    .options = options_of_balance,
    .columns = columns,
    .moves = true,
    .wanted = wanted,
    .open = open_balance,
    .begin = begin,
    .after_step = balance_after_step,
    .code = code,
    .code_rank = code_rank,
    .resumed = resumed,
    .metrics = pen_balance_metrics,
    .summary = pen_balance_summary,
    .destroy = destroy,
};
