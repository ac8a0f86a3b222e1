#include "run/balance.h"
#include "base/memory.h"
#include "base/options.h"
#include "run/plan.h"

#include <math.h>
#include <stdlib.h>

/* Declared cost of a call, of the mean rank's load and the mean node's; BALANCE's figures are measured with it. */
static const double BASE_SHARE = 0.05, PER_NODE_SHARE = 0.5;

/* Until they are measured: seconds to decide, per owned node, and to migrate a node. */
static const double DECIDE_SECONDS = 2e-7, MIGRATE_SECONDS = 1e-6;

/* Shorter steps are not all looked at when loads are measured. */
static const double LOOK_SECONDS = 1e-4;

/* ---- What the user wants -------------------------------------------------------------------- */

static pen_status parse_when(const char *text, int64_t *every)
{
    static const char prefix[] = "every:";
    *every = 0;
    if (!text || strcmp(text, "auto") == 0) return PEN_OK;
    if (strncmp(text, prefix, sizeof prefix - 1) == 0 && pen_parse_int(text + sizeof prefix - 1, every) && *every >= 1)
        return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--balance-when=%s: it is auto or every:N, N at least 1", text);
}

static pen_status parse_load(const char *text, const pen_app *app, bool *declared)
{
    *declared = text && strcmp(text, "declared") == 0;
    if (text && !*declared && strcmp(text, "measured") != 0)
        return pen_fail(PEN_ERR_INPUT, "--load=%s: it is measured or declared", text);
    if (*declared && !app->cost) return pen_fail(PEN_ERR_INPUT, "--load=declared: %s declares no costs", app->name);
    return PEN_OK;
}

static pen_status parse_cost(const char *text, bool declared, pen_balance *b)
{
    if (!text) return PEN_OK;
    if (!declared) return pen_fail(PEN_ERR_INPUT, "--balance-cost is for declared loads: it needs --load=declared");
    char base[64];
    size_t length = strcspn(text, ":");
    bool right = length < sizeof base;
    if (right) {
        memcpy(base, text, length);
        base[length] = '\0';
        right = pen_parse_real(base, &b->base) && b->base >= 0.0 &&
                (text[length] == '\0' || (pen_parse_real(text + length + 1, &b->per_node) && b->per_node >= 0.0));
    }
    return right ? PEN_OK
                 : pen_fail(PEN_ERR_INPUT, "--balance-cost=%s: it is BASE or BASE:PER_NODE, units of load, >= 0", text);
}

static pen_status read_options(const pen_app *app, const pen_run_options *options, pen_balance *b)
{
    const char *name = options->balancer ? options->balancer : "none";
    b->base = b->per_node = -1.0;
    PEN_TRY(parse_load(options->load, app, &b->loads.declared));
    PEN_TRY(parse_when(options->balance_when, &b->every));
    PEN_TRY(parse_cost(options->balance_cost, b->loads.declared, b));
    PEN_TRY(PEN_ALLOC(&b->name, (int64_t)strlen(name) + 1));
    strcpy(b->name, name);
    return pen_balancer_open(name, &b->balancer);
}

pen_status pen_balance_create(const pen_app *app, const pen_run_options *options, pen_balance **balance)
{
    *balance = NULL;
    PEN_TRY(PEN_ALLOC_ZERO(balance, 1));
    pen_status status = read_options(app, options, *balance);
    if (status != PEN_OK || (!(*balance)->balancer.kind && !(*balance)->loads.declared)) pen_balance_destroy(balance);
    return status;
}

pen_status pen_balance_begin(pen_run *run)
{
    pen_balance *b = run->balance;
    b->expected = -1.0;
    b->cut = run->quality.cut;
    b->pieces = run->quality.pieces;
    PEN_TRY(pen_agree(run->comm, pen_loads_open(&b->loads, run->store->owned, run->comm->crowded)));
    if (!b->loads.declared) run->loads = &b->loads;
    b->looked_at = pen_seconds_now();
    return pen_peers_begin(run->comm, &b->peers);
}

void pen_balance_destroy(pen_balance **balance)
{
    pen_balance *b = *balance;
    if (!b) return;
    pen_balancer_close(&b->balancer);
    pen_loads_close(&b->loads);
    pen_peers_free(&b->peers);
    free(b->calls);
    free(b->name);
    free(b);
    *balance = NULL;
}

/* ---- A call --------------------------------------------------------------------------------- */

/* What is known of the step just ended; equal on all ranks. */
typedef struct step_facts {
    pen_step_load load;
    double total, heaviest; /* load of all nodes, and of the heaviest one */
    double base, per_node;  /* declared cost of a call */
} step_facts;

static int64_t remaining_steps(const pen_run *run) { return run->steps > 0 ? run->steps - run->step : INT64_MAX; }

/* Collective. Carry the plan out. Also a failure is no reason to end the run. */
static pen_status migrate(pen_run *run, const pen_plan *plan, const pen_outlook *outlook, pen_balance_call *call)
{
    pen_balance *b = run->balance;
    int64_t before = run->shipped;
    PEN_TRY(pen_run_migrate(run, PEN_OK, plan->count, plan->moves));
    double bytes = (double)(run->shipped - before);
    PEN_TRY(b->peers.peers.reduce(&b->peers.peers, 1, &bytes, 0, NULL));
    call->applied = true;
    call->moved_nodes = outlook->moved;
    call->max_moved = outlook->max_moved;
    call->moved_bytes = (int64_t)bytes;
    b->expected = outlook->load;
    b->migrations = run->store->migrations;
    return PEN_OK;
}

static void complain(pen_run *run)
{
    pen_balance *b = run->balance;
    if (run->comm->rank == 0 && !b->complained)
        pen_warn("balancer %s, after step %" PRId64 ": %s; the run goes on unchanged", b->name, run->step,
                 pen_error_message());
    b->complained = true;
}

static bool acceptable(const pen_run *run, const step_facts *facts, const pen_outlook *outlook)
{
    const pen_balance *b = run->balance;
    if (outlook->moved == 0) return false;
    if (outlook->regardless) return true;
    if (!(outlook->max < facts->load.max * (1.0 - 1e-9))) return false;
    if (b->every > 0) return true;
    double cost = b->loads.declared  ? facts->per_node * (double)outlook->max_moved
                  : b->migrate > 0.0 ? b->migrate
                                     : MIGRATE_SECONDS * (double)outlook->max_moved;
    return pen_trigger_accepts(&b->trigger, run->step, &facts->load, remaining_steps(run), outlook->max, cost);
}

/* Collective. Plan, decide, migrate; *call says what came of it. */
static pen_status plan_and_migrate(pen_run *run, const step_facts *facts, pen_balance_call *call)
{
    pen_balance *b = run->balance;
    pen_plan plan;
    pen_outlook outlook;
    double start = pen_seconds_now(), planned;
    pen_status status = pen_plan_make(run, pen_trigger_horizon(&b->trigger, run->step, remaining_steps(run)), &plan,
                                      &outlook);
    if (status == PEN_ERR_MPI) return status;
    if (status != PEN_OK) {
        complain(run);
        return PEN_OK;
    }
    call->rounds = plan.rounds;
    call->cpu_seconds = outlook.cpu_seconds;
    planned = pen_seconds_now();
    if (acceptable(run, facts, &outlook)) {
        status = migrate(run, &plan, &outlook, call);
        if (status != PEN_OK && status != PEN_ERR_MPI) {
            complain(run);
            status = PEN_OK;
        }
    }
    free(plan.moves);
    PEN_TRY(status);
    if (call->applied) call->imbalance_after = outlook.max / facts->load.mean;
    double times[2] = { planned - start, pen_seconds_now() - start };
    PEN_TRY(b->peers.peers.reduce(&b->peers.peers, 0, NULL, 2, times));
    call->seconds = times[1];
    b->decide = b->decide > 0.0 ? 0.5 * (b->decide + times[0]) : times[0];
    if (call->applied) b->migrate = times[1] - times[0];
    return PEN_OK;
}

/* Collective. */
static pen_status call_balancer(pen_run *run, const step_facts *facts)
{
    pen_balance *b = run->balance;
    uint64_t start = pen_ticks();
    pen_status status = pen_agree(run->comm, PEN_REALLOC(&b->calls, b->call_count + 1));
    if (status != PEN_OK) return status;
    pen_balance_call *call = &b->calls[b->call_count++];
    double imbalance = facts->load.max / facts->load.mean, bound = facts->heaviest / facts->load.mean;
    *call = (pen_balance_call){ .step = run->step,
                                .imbalance_before = imbalance,
                                .imbalance_after = imbalance,
                                .bound = bound > 1.0 ? bound : 1.0,
                                .cut_before = b->cut,
                                .cut_after = b->cut,
                                .pieces = b->pieces };
    PEN_TRY(plan_and_migrate(run, facts, call));
    pen_trigger_planned(&b->trigger, run->step, call->applied);
    b->makespan += facts->base + facts->per_node * (double)call->max_moved;
    uint64_t end = pen_ticks();
    run->timers.ticks[PEN_TIME_BALANCE] += end - start;
    pen_trace_span(run->trace, call->applied ? "balance: migrated" : "balance: kept", "balance", run->step, start, end);
    if (!call->applied) return PEN_OK;
    pen_quality quality;
    PEN_TRY(pen_quality_measure(run->comm, run->store, run->store->directed, &quality));
    call->cut_after = b->cut = quality.cut;
    call->pieces = b->pieces = quality.pieces;
    return PEN_OK;
}

/* ---- After a step --------------------------------------------------------------------------- */

/* Collective. */
static pen_status reduce(pen_run *run, step_facts *facts)
{
    pen_balance *b = run->balance;
    double mine = b->loads.total, heaviest = 0.0, now = pen_seconds_now();
    bool wrong = false;
    for (pen_lid s = 0; s < run->store->owned; s++) {
        double load = b->loads.of[s];
        if (load > heaviest) heaviest = load;
        wrong = wrong || !(load >= 0.0 && load <= 1e300);
    }
    if (b->migrations != run->store->migrations) b->expected = -1.0;
    double sums[3] = { mine, b->expected >= 0.0 ? fabs(mine - b->expected) : 0.0, b->expected >= 0.0 };
    double maxima[4] = { mine, heaviest, wrong, now - b->looked_at };
    pen_peers *peers = &b->peers.peers;
    PEN_TRY(peers->reduce(peers, 3, sums, 4, maxima));
    if (maxima[2] > 0.0)
        return pen_fail(PEN_ERR_ARGUMENT, "%s: after step %" PRId64 " some node's cost is no number >= 0",
                        run->app->name, run->step);
    int64_t passed = run->step - b->looked;
    *facts = (step_facts){ .load = { passed, maxima[0], sums[0] / run->comm->size, 0.0 },
                           .total = sums[0],
                           .heaviest = maxima[1] };
    if (sums[2] >= run->comm->size && sums[0] > 0.0) facts->load.shift = sums[1] / sums[0];
    b->expected = mine;
    b->migrations = run->store->migrations;
    b->looked = run->step;
    b->looked_at = now;
    double step_seconds = maxima[3] / (double)passed, gap = step_seconds > 0.0 ? LOOK_SECONDS / step_seconds : 1.0;
    b->next_look = run->step + (b->loads.declared || gap < 1.0 ? 1 : gap < 1e6 ? (int64_t)gap : 1000000);
    return PEN_OK;
}

static bool wants_plan(pen_run *run, const step_facts *facts)
{
    pen_balance *b = run->balance;
    if (!b->balancer.kind || run->comm->size == 1 || !(facts->load.max > 0.0)) return false;
    int64_t remaining = remaining_steps(run);
    double decide = facts->base, migrate = b->migrate, node = facts->total / (double)run->nodes;
    double moves = (facts->load.max - facts->load.mean) / node;
    if (b->loads.declared) {
        migrate = facts->per_node * moves;
    } else if (b->decide > 0.0) {
        decide = b->decide;
    } else {
        decide = DECIDE_SECONDS * (double)run->nodes / run->comm->size;
    }
    if (!b->loads.declared && b->migrate <= 0.0) migrate = MIGRATE_SECONDS * moves;
    bool fires = pen_trigger_step(&b->trigger, run->step, &facts->load, remaining, decide, migrate);
    return b->every > 0 ? run->step % b->every == 0 && remaining > 0 : fires;
}

pen_status pen_balance_step(pen_run *run)
{
    pen_balance *b = run->balance;
    bool look = b->loads.declared || (b->every > 0 ? run->step % b->every == 0 : run->step >= b->next_look);
    if (!look) return PEN_OK;
    step_facts facts;
    uint64_t start = pen_ticks();
    PEN_TRY(reduce(run, &facts));
    run->timers.ticks[PEN_TIME_BALANCE] += pen_ticks() - start;
    if (b->loads.declared) {
        b->total += facts.total;
        b->makespan += facts.load.max;
        facts.base = b->base >= 0.0 ? b->base : BASE_SHARE * facts.load.mean;
        facts.per_node = b->per_node >= 0.0 ? b->per_node : PER_NODE_SHARE * facts.total / (double)run->nodes;
    }
    return wants_plan(run, &facts) ? call_balancer(run, &facts) : PEN_OK;
}
