/* steer.c - decides about calls of the balancer, and records them. */
#include "steer/steer.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Default of the declared cost of a call: a fraction of the mean rank's load, and per moved node a fraction of the mean
 * node's load. */
static const double BASE_SHARE = 0.05, PER_NODE_SHARE = 0.5;

/* Times in seconds before the first measurement: to decide, per owned node, and to migrate a node. */
static const double DECIDE_SECONDS = 2e-7, MIGRATE_SECONDS = 1e-6;

/* Limits of the cost that is attributed to one call: for deciding, MOST_TIMES the processor time of all ranks,
 * including DECIDE_SECONDS per node; for migrating, MOST_MIGRATE_SECONDS per node in addition. */
static const double MOST_TIMES = 10.0, MOST_MIGRATE_SECONDS = 1e-4;

/* With measured loads, not every step that is shorter than LOOK_SECONDS is examined; at most MOST_PASSED steps are
 * skipped. */
static const double LOOK_SECONDS = 1e-4, MOST_PASSED = 1e6;

/* Expected number of exchanges and reductions of the first call. */
enum { USUAL_MESSAGES = 16 };

/* Set the latency, and the time of a byte, from all links that a binary tree of the ranks can use: those between ranks
 * that are 1, 2, 4, ... apart. A record from elsewhere may have nodes of 0 bytes. */
static void find_prices(pen_steer *s, const pen_machine *machine)
{
    double costs = 0.0, links = 0.0;
    for (int32_t apart = 1; apart < machine->processors; apart *= 2) {
        double slowest = 0.0;
        for (int32_t r = 0; r + apart < machine->processors; r++) {
            const pen_link link = machine->link(machine, r, r + apart);
            slowest = fmax(slowest, link.latency);
            costs += link.cost;
            links++;
        }
        s->latency += slowest;
    }
    if (s->latency > 0.0) s->byte_time = costs / links / fmax(1.0, (double)s->node_bytes);
}

void pen_steer_start(pen_steer *s, const pen_machine *machine, int64_t node_bytes, double seconds)
{
    s->node_bytes = node_bytes;
    s->latency = s->byte_time = 0.0;
    if (machine) find_prices(s, machine);
    s->expected = -1.0;
    s->looked_at = seconds;
}

void pen_steer_free(pen_steer *s)
{
    free(s->calls);
    s->calls = NULL;
}

void pen_steer_measured(pen_steer *s, const pen_quality *quality)
{
    s->quality = *quality;
    s->stale = false;
}

/* Record the quality of the partition after a plan; its imbalances are known already. */
static void moved(pen_steer *s, const pen_quality *quality)
{
    pen_quality *after = &s->calls[s->call_count - 1].after;
    const double imbalance = after->imbalance, two_sided = after->two_sided, bound = after->bound;
    pen_steer_measured(s, quality);
    *after = *quality;
    after->imbalance = imbalance;
    after->two_sided = two_sided;
    after->bound = bound;
}

/* ---- Facts about a step --------------------------------------------------------------------- */

bool pen_steer_looks(const pen_steer *s, int64_t step, int64_t changes)
{
    if (pen_steer_declared(s)) return true;
    if (s->settings.when == PEN_STEER_CHANGE) return changes != s->changes;
    return s->settings.when == PEN_STEER_EVERY ? step % s->settings.every == 0 : step >= s->next_look;
}

/* Set the expected loads of the next step, and the step to examine next, after `passed` steps that took some rank
 * `seconds`. */
static void remember(pen_steer *s, const pen_steer_local *mine, int64_t passed, double seconds)
{
    double step_seconds = seconds / (double)passed, gap = step_seconds > 0.0 ? LOOK_SECONDS / step_seconds : 1.0;
    s->expected = mine->load;
    s->version = mine->version;
    s->stale = s->stale || mine->changes != s->changes;
    s->changes = mine->changes;
    s->looked = mine->step;
    s->looked_at = mine->seconds;
    s->next_look = mine->step + (gap < 1.0 ? 1 : (int64_t)fmin(gap, MOST_PASSED));
}

/* The declared cost of a call with this number of exchanges and reductions. */
static double price_of_call(const pen_steer *s, const pen_steer_facts *facts, int64_t messages)
{
    if (s->settings.call_cost != 0.0) return fmax(s->settings.call_cost, 0.0);
    return s->latency > 0.0 ? s->latency * (double)messages : BASE_SHARE * facts->load.mean;
}

/* The declared cost of moving a node, if `nodes` nodes ship `bytes` bytes; 0 nodes: the bytes are unknown. */
static double price_of_node(const pen_steer *s, const pen_steer_facts *facts, int64_t nodes, int64_t bytes)
{
    if (s->settings.node_cost != 0.0) return fmax(s->settings.node_cost, 0.0);
    if (s->latency > 0.0) return s->byte_time * (nodes > 0 ? (double)bytes / (double)nodes : (double)s->node_bytes);
    return PER_NODE_SHARE * facts->total / fmax(1.0, (double)facts->nodes) / facts->speed;
}

/* The number of exchanges and reductions of the last call that did not fail. */
static int64_t last_messages(const pen_steer *s)
{
    for (int64_t i = s->call_count - 1; i >= 0; i--)
        if (!s->calls[i].failed) return s->calls[i].exchanges + s->calls[i].reductions;
    return USUAL_MESSAGES;
}

/* Add up the declared work of a step once, even if the step is examined again because the graph has changed since. */
static void count_declared(pen_steer *s, pen_steer_facts *facts)
{
    if (facts->load.steps > 0) {
        s->total += facts->total;
        s->makespan += facts->load.max;
    }
    s->speed = facts->speed;
    facts->base = price_of_call(s, facts, last_messages(s));
    facts->per_node = price_of_node(s, facts, s->all.moved_nodes, s->all.moved_bytes);
}

/* The number of maxima without those of phases, which follow if there are several phases. */
enum { MAXIMA = PEN_STEER_MAXIMA - PEN_LOAD_PHASES };

static int maxima_of(const pen_steer_local *mine) { return MAXIMA + (mine->phases > 1 ? mine->phases : 0); }

void pen_steer_contribute(const pen_steer *s, const pen_steer_local *mine, pen_steer_terms *terms)
{
    double heaviest = 0.0;
    bool wrong = false;
    for (pen_lid i = 0; i < mine->count; i++) {
        double load = mine->loads[i];
        if (load > heaviest) heaviest = load;
        wrong = wrong || !(load >= 0.0 && load <= 1e300);
    }
    bool expects = s->expected >= 0.0 && s->version == mine->version;
    double takes = mine->load / mine->speed;
    const pen_past_sums *past = &mine->past;
    *terms = (pen_steer_terms){
        .sums = { mine->load, expects ? fabs(mine->load - s->expected) : 0.0, expects, mine->speed },
        .maxima = { takes, heaviest, wrong, mine->seconds - s->looked_at, -takes, mine->speed },
    };
    if (s->forecast.keeps) {
        terms->sums[4] = fabs(mine->load - past->last);
        terms->sums[5] = fabs(mine->load - past->average);
        terms->sums[6] = past->next;
        terms->maxima[6] = past->next / mine->speed;
    }
    for (int p = 0; p < maxima_of(mine) - MAXIMA; p++) terms->maxima[MAXIMA + p] = mine->phase_loads[p] / mine->speed;
}

/* Compare both predictors. A plan is for averages if they are better, unless the trigger is in a trial; with several
 * phases it never is, since there are no averages per phase. */
static void predict(pen_steer *s, const pen_steer_local *mine, const pen_steer_terms *all, pen_steer_facts *facts)
{
    if (!s->forecast.keeps) return;
    pen_forecast_step(&s->forecast, all->sums[4], all->sums[5]);
    facts->by_average = s->trigger.mode == PEN_TRIGGER_FOLLOWS && mine->phases <= 1 &&
                        pen_forecast_by_average(&s->forecast);
    facts->average = (pen_step_load){ facts->load.steps, all->maxima[6], all->sums[6] / all->sums[3], 0.0 };
}

/* The loads for which a plan is made. */
static const pen_step_load *planned_load(const pen_steer_facts *facts)
{
    return facts->by_average ? &facts->average : &facts->load;
}

pen_status pen_steer_conclude(pen_steer *s, int ranks, const pen_steer_local *mine, const pen_steer_terms *all,
                              pen_steer_facts *facts)
{
    const double *sums = all->sums, *maxima = all->maxima;
    if (maxima[2] > 0.0)
        return pen_fail(PEN_ERR_ARGUMENT, "after step %" PRId64 " the cost of a node is not a number >= 0", mine->step);
    int64_t passed = mine->step - s->looked;
    double mean = sums[0] / sums[3], phases = 0.0;
    for (int k = MAXIMA; k < maxima_of(mine); k++) phases += maxima[k];
    *facts = (pen_steer_facts){ .step = mine->step,
                                .remaining = mine->remaining,
                                .ranks = ranks,
                                .load = { passed, mine->phases > 1 ? phases : maxima[0], mean, 0.0 },
                                .speed = sums[3] / ranks,
                                .total = sums[0],
                                .heaviest = maxima[1] / maxima[5],
                                .off = fmax(maxima[0] - mean, mean + maxima[4]),
                                .nodes = mine->nodes,
                                .changed = mine->changes != s->changes };
    if (sums[2] >= ranks && sums[0] > 0.0) facts->load.shift = sums[1] / sums[0];
    if (pen_steer_declared(s)) count_declared(s, facts);
    predict(s, mine, all, facts);
    remember(s, mine, passed, maxima[3]);
    return PEN_OK;
}

pen_status pen_steer_look(pen_steer *s, pen_peers *peers, const pen_steer_local *mine, pen_steer_facts *facts)
{
    pen_steer_terms terms;
    pen_steer_contribute(s, mine, &terms);
    PEN_TRY(peers->reduce(peers, PEN_STEER_SUMS, terms.sums, maxima_of(mine), terms.maxima));
    return pen_steer_conclude(s, peers->size, mine, &terms, facts);
}

/* ---- Decisions ------------------------------------------------------------------------------ */

double pen_steer_usual(const double t[PEN_STEER_TIMES])
{
    if (t[1] <= 0.0) return t[0];
    if (t[2] <= 0.0) return fmin(t[0], t[1]);
    return fmax(fmin(t[0], t[1]), fmin(fmax(t[0], t[1]), t[2]));
}

static void note_time(double times[PEN_STEER_TIMES], double seconds)
{
    memmove(times + 1, times, (PEN_STEER_TIMES - 1) * sizeof *times);
    times[0] = seconds;
}

static double first_guess(const pen_steer_facts *facts) { return DECIDE_SECONDS * (double)facts->nodes / facts->ranks; }

static double cost_of_deciding(const pen_steer *s, const pen_steer_facts *facts)
{
    if (pen_steer_declared(s)) return facts->base;
    const double usual = pen_steer_usual(s->decided);
    return usual > 0.0 ? usual : first_guess(facts);
}

/* The cost of a migration in which the busiest rank moves `nodes` nodes. */
static double cost_of_migrating(const pen_steer *s, const pen_steer_facts *facts, double nodes)
{
    if (pen_steer_declared(s)) return facts->per_node * nodes;
    const double usual = pen_steer_usual(s->migrated);
    return usual > 0.0 ? usual : MIGRATE_SECONDS * nodes;
}

/* Whether a call can gain its cost before the next one is due, after as many steps as since the last one was due; or
 * whether more has been lost since the last call. */
static bool can_win(const pen_steer *s, const pen_steer_facts *facts, double cost)
{
    double steps = fmin((double)(facts->step - s->due), (double)facts->remaining);
    return (facts->load.max - facts->load.mean) * steps > cost || s->trigger.lost > cost;
}

/* Whether to make a plan after this step. Advances the trigger: for each examined step once. */
static bool wants_plan(pen_steer *s, const pen_steer_facts *facts)
{
    double node = facts->total / (double)facts->nodes;
    const pen_step_load *load = planned_load(facts);
    double moves = (load->max - load->mean) * facts->speed / node;
    bool fires = pen_trigger_step(&s->trigger, facts->step, &facts->load, facts->by_average ? load : NULL,
                                  facts->remaining, cost_of_deciding(s, facts), cost_of_migrating(s, facts, moves));
    if (s->averages) pen_forecast_decide(&s->forecast, fires);
    if (s->settings.when == PEN_STEER_AUTO) return fires;
    bool due = s->settings.when == PEN_STEER_CHANGE ? facts->changed : facts->step % s->settings.every == 0;
    if (!due || facts->remaining <= 0) return false;
    bool wins = s->settings.always ||
                can_win(s, facts, cost_of_deciding(s, facts) + cost_of_migrating(s, facts, moves));
    s->all.skipped += !wins;
    s->due = facts->step;
    return wins;
}

double pen_steer_horizon(const pen_steer *s, const pen_steer_facts *facts)
{
    return pen_trigger_horizon(&s->trigger, facts->step, facts->remaining, facts->by_average);
}

bool pen_steer_mixes(const pen_steer *s) { return s->settings.when == PEN_STEER_AUTO && s->trigger.mixes; }

/* Compare with tolerance: 1 lower, 0 equal, -1 higher. */
static int compare(double now, double before)
{
    double grain = 1e-9 * before;
    return (now < before - grain) - (now > before + grain);
}

/* The time of a step if no node moves, under the loads of the plan. */
static double stays(const pen_steer *s, const pen_steer_facts *facts)
{
    return pen_steer_mixes(s) ? pen_trigger_stays(&s->trigger, &facts->load) : planned_load(facts)->max;
}

static int compare_maxima(const pen_steer *s, const pen_steer_facts *facts, const pen_evaluation *evaluation)
{
    return compare(evaluation->max, stays(s, facts));
}

/* Whether cut and pieces decide about a plan whose maximum is not lower. */
static bool hesitates(const pen_steer *s, const pen_steer_facts *facts, const pen_evaluation *evaluation)
{
    if (evaluation->moved == 0 || evaluation->regardless || s->settings.when == PEN_STEER_AUTO) return false;
    return compare_maxima(s, facts, evaluation) == 0 && compare(evaluation->off, facts->off) <= 0;
}

pen_status pen_steer_evaluate(const pen_steer *s, pen_peers *peers, const pen_steer_facts *facts,
                              const pen_load_view *view, const double *before, const pen_plan *plan,
                              const pen_lid *places, double cpu_seconds, pen_evaluation *evaluation)
{
    PEN_TRY(pen_evaluation_make(peers, view, plan, places, cpu_seconds, evaluation));
    if (before) {
        pen_load_view then = *view;
        pen_evaluation back;
        then.loads = before;
        then.phase_loads = NULL;
        PEN_TRY(pen_evaluation_make(peers, &then, plan, places, cpu_seconds, &back));
        evaluation->max = 0.5 * (evaluation->max + back.max);
    }
    if (!hesitates(s, facts, evaluation)) return PEN_OK;
    return pen_evaluation_shape(peers, view, plan, places, evaluation);
}

static bool accepts(const pen_steer *s, const pen_steer_facts *facts, const pen_evaluation *evaluation)
{
    if (evaluation->moved == 0) return false;
    if (evaluation->regardless) return true;
    if (hesitates(s, facts, evaluation))
        return evaluation->pieces < s->quality.pieces || evaluation->cut < s->quality.cut;
    int lowers = compare_maxima(s, facts, evaluation);
    if (s->settings.when != PEN_STEER_AUTO) return lowers >= 0;
    if (lowers <= 0) return false;
    return pen_trigger_accepts(&s->trigger, facts->step, planned_load(facts), facts->remaining, facts->by_average,
                               evaluation->max, cost_of_migrating(s, facts, (double)evaluation->max_moved));
}

/* ---- Records of calls ----------------------------------------------------------------------- */

/* Make room for one more record; beyond the limit the oldest of the last ones is dropped. */
static pen_status make_room(pen_steer *s)
{
    if (s->call_count < 2 * PEN_CALLS_KEPT) return PEN_REALLOC(&s->calls, s->call_count + 1);
    pen_balance_call *last = s->calls + PEN_CALLS_KEPT;
    memmove(last, last + 1, (PEN_CALLS_KEPT - 1) * sizeof *last);
    s->call_count--;
    return PEN_OK;
}

static pen_status call_begin(pen_steer *s, const pen_steer_facts *facts)
{
    pen_quality now = s->quality;
    PEN_TRY(make_room(s));
    now.imbalance = stays(s, facts) / planned_load(facts)->mean;
    now.bound = fmax(1.0, facts->heaviest / facts->load.mean);
    now.two_sided = facts->off / facts->load.mean;
    s->calls[s->call_count++] = (pen_balance_call){ facts->step, .nodes = facts->nodes, .before = now, .after = now };
    return PEN_OK;
}

/* Record a plan and its migration; the values are reduced over all ranks. */
static void note_plan(pen_steer *s, const pen_steer_facts *facts, const pen_steer_result *result, double bytes,
                      double planning, double migrated)
{
    pen_balance_call *call = &s->calls[s->call_count - 1];
    call->rounds = result->rounds;
    call->exchanges = result->evaluation.exchanges;
    call->reductions = result->evaluation.reductions;
    call->cpu_seconds = result->evaluation.cpu_seconds;
    memcpy(call->counts, result->evaluation.counts, sizeof call->counts);
    call->seconds = migrated;
    const double most = MOST_TIMES * (call->cpu_seconds + first_guess(facts));
    note_time(s->decided, fmin(planning, most));
    if (!result->applied) return;
    call->applied = true;
    call->after.imbalance = result->evaluation.max / planned_load(facts)->mean;
    call->after.two_sided = result->evaluation.off / facts->load.mean;
    call->moved_nodes = result->evaluation.moved;
    call->max_moved = result->evaluation.max_moved;
    call->moved_bytes = (int64_t)bytes;
    note_time(s->migrated, fmin(migrated - planning, most + MOST_MIGRATE_SECONDS * (double)call->max_moved));
    s->expected = result->evaluation.load;
    /* The sum of averages does not predict the load of the next step. */
    s->version = facts->by_average ? -1 : result->version;
}

static void add_up(pen_balance_totals *all, const pen_balance_call *call)
{
    all->calls++;
    all->applied += call->applied;
    all->moved_nodes += call->moved_nodes;
    all->moved_bytes += call->moved_bytes;
    all->exchanges += call->exchanges;
    all->reductions += call->reductions;
    all->seconds += call->seconds;
    all->cpu_seconds += call->cpu_seconds;
    for (int i = 0; i < PEN_PLAN_COUNTERS; i++) all->counts[i] += call->counts[i];
}

static pen_status call_end(pen_steer *s, pen_peers *peers, const pen_steer_facts *facts, const pen_steer_result *result)
{
    if (result->planned) {
        double bytes = (double)result->bytes, seconds[2] = { result->planning, result->migrated };
        PEN_TRY(peers->reduce(peers, 1, &bytes, 2, seconds));
        note_plan(s, facts, result, bytes, seconds[0], seconds[1]);
    }
    pen_balance_call *call = &s->calls[s->call_count - 1];
    call->failed = result->failed;
    s->failures += result->failed;
    add_up(&s->all, call);
    pen_trigger_planned(&s->trigger, facts->step, result->applied);
    if (!pen_steer_declared(s)) return PEN_OK;
    s->makespan += price_of_call(s, facts, call->exchanges + call->reductions) +
                   price_of_node(s, facts, call->moved_nodes, call->moved_bytes) * (double)call->max_moved;
    return PEN_OK;
}

/* ---- All steps together --------------------------------------------------------------------- */

static pen_status call(pen_steer *s, pen_peers *peers, const pen_steer_facts *facts, const pen_steer_calls *calls)
{
    pen_steer_result result = { .planned = false };
    pen_quality quality = s->quality;
    PEN_TRY(calls->measure(calls->context, s->stale, &quality));
    pen_steer_measured(s, &quality);
    PEN_TRY(calls->agree(calls->context, call_begin(s, facts)));
    PEN_TRY(calls->plan(calls->context, facts, &result));
    if (result.planned && accepts(s, facts, &result.evaluation)) PEN_TRY(calls->migrate(calls->context, &result));
    PEN_TRY(call_end(s, peers, facts, &result));
    calls->note(calls->context, &result);
    if (!result.applied) return PEN_OK;
    PEN_TRY(calls->measure(calls->context, true, &quality));
    moved(s, &quality);
    return PEN_OK;
}

pen_status pen_steer_step(pen_steer *s, pen_peers *peers, const pen_steer_facts *facts, pen_steer_request request,
                          const pen_steer_calls *calls)
{
    const pen_trigger *trigger = &s->trigger;
    const bool can = facts->ranks > 1 && facts->load.max > 0.0, now = request == PEN_STEER_NOW;
    const bool wants = can && (now || (request == PEN_STEER_DECIDES && wants_plan(s, facts)));
    if (!now && s->settings.when == PEN_STEER_AUTO && trigger->mode == PEN_TRIGGER_WAITS)
        PEN_TRY(calls->remember(calls->context, trigger->waited == 1));
    return wants ? call(s, peers, facts, calls) : PEN_OK;
}
