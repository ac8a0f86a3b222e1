/* steer.c - decides about calls of the balancer, and records them. */
#include "steer/steer.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Declared costs of a call (pen_steer_start), as shares of the mean rank's load and of the mean node's; and the
 * expected number of exchanges and reductions of the first call. */
static const double BASE_SHARE = 0.05, PER_NODE_SHARE = 0.5;
enum { USUAL_MESSAGES = 16 };

/* Times in seconds before the first measurement: to decide, per owned node, and to migrate a node. */
static const double DECIDE_SECONDS = 2e-7, MIGRATE_SECONDS = 1e-6;

/* Limits of the cost that is attributed to one call: for deciding, MOST_TIMES the processor time of all ranks,
 * including DECIDE_SECONDS per node; for migrating, MOST_MIGRATE_SECONDS per node in addition. */
static const double MOST_TIMES = 10.0, MOST_MIGRATE_SECONDS = 1e-4;

/* With measured loads, a step is examined about every LOOK_SECONDS, and at least every MOST_PASSED steps. */
static const double LOOK_SECONDS = 1e-4, MOST_PASSED = 1e6;

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

void pen_steer_start(pen_steer *s, const pen_machine *machine, int64_t node_bytes, const pen_quality *quality,
                     double seconds)
{
    s->node_bytes = node_bytes;
    if (machine) find_prices(s, machine);
    s->expected = -1.0;
    s->looked_at = seconds;
    s->quality = *quality;
}

void pen_steer_skip(pen_steer *s, int64_t step, int64_t changes)
{
    s->looked = s->due = s->trigger.last_shift = step;
    s->next_look = step + 1;
    s->changes = changes;
}

void pen_steer_restart(pen_steer *s)
{
    *s = (pen_steer){ .settings = s->settings,
                      .latency = s->latency,
                      .byte_time = s->byte_time,
                      .node_bytes = s->node_bytes,
                      .expected = -1.0,
                      .looked_at = s->looked_at,
                      .quality = s->quality,
                      .stale = true,
                      .calls = s->calls,
                      .call_count = s->call_count,
                      .all = s->all };
}

/* ---- Facts about a step --------------------------------------------------------------------- */

bool pen_steer_looks(const pen_steer *s, int64_t step, int64_t changes)
{
    if (pen_steer_declared(s)) return true;
    if (s->settings.when == PEN_STEER_CHANGE) return changes != s->changes;
    return s->settings.when == PEN_STEER_EVERY ? step % s->settings.every == 0 : step >= s->next_look;
}

/* The declared cost of a call with this number of exchanges and reductions. */
static double price_of_call(const pen_steer *s, int64_t messages)
{
    if (s->settings.call_cost != 0.0) return fmax(s->settings.call_cost, 0.0);
    return s->latency > 0.0 ? s->latency * (double)messages : BASE_SHARE * s->facts.load.mean;
}

/* The declared cost of moving a node, if `nodes` nodes ship `bytes` bytes; 0 nodes: the bytes are unknown. */
static double price_of_node(const pen_steer *s, int64_t nodes, int64_t bytes)
{
    if (s->settings.node_cost != 0.0) return fmax(s->settings.node_cost, 0.0);
    if (s->latency > 0.0) return s->byte_time * (nodes > 0 ? (double)bytes / (double)nodes : (double)s->node_bytes);
    return PER_NODE_SHARE * s->facts.total / fmax(1.0, (double)s->facts.nodes) / s->facts.speed;
}

/* Add up the declared work of a step once, even if the step is examined again because the graph has changed since. And
 * set the cost of a call like the last one that did not fail. */
static void count_declared(pen_steer *s)
{
    pen_steer_facts *f = &s->facts;
    int last = s->call_count - 1;
    if (f->load.steps > 0) {
        s->total += f->total;
        s->makespan += f->load.max;
    }
    while (last >= 0 && s->calls[last].failed) last--;
    const pen_evaluation *e = last >= 0 ? &s->calls[last].evaluation : NULL;
    f->base = price_of_call(s, e ? e->exchanges + e->reductions : USUAL_MESSAGES);
    f->per_node = price_of_node(s, s->all.moved_nodes, s->all.moved_bytes);
}

/* What ranks reduce; the maxima of the phases follow, if there are several. */
enum { LOAD, SHIFTED, EXPECTING, SPEED, LAST_ERROR, AVERAGE_ERROR, NEXT, SUMS };
enum { TIME, HEAVIEST, WRONG, SECONDS, MINUS_TIME, FASTEST, NEXT_TIME, MAXIMA };

static int phases_of(const pen_steer_local *mine) { return mine->phases > 1 ? mine->phases : 0; }

static void contribute(const pen_steer *s, const pen_steer_local *mine, double *sums, double *maxima)
{
    sums[LOAD] = mine->load;
    sums[EXPECTING] = s->expected >= 0.0 && s->version == mine->version;
    sums[SHIFTED] = sums[EXPECTING] > 0.0 ? fabs(mine->load - s->expected) : 0.0;
    sums[SPEED] = mine->speed;
    sums[LAST_ERROR] = fabs(mine->load - mine->past.last);
    sums[AVERAGE_ERROR] = fabs(mine->load - mine->past.average);
    sums[NEXT] = mine->past.next;
    maxima[TIME] = mine->load / mine->speed;
    maxima[HEAVIEST] = 0.0;
    maxima[WRONG] = mine->wrong;
    for (pen_lid i = 0; i < mine->count; i++) {
        double load = mine->loads[i];
        if (load > maxima[HEAVIEST]) maxima[HEAVIEST] = load;
        if (!(load >= 0.0 && load <= 1e300)) maxima[WRONG] = 1.0;
    }
    maxima[SECONDS] = mine->seconds - s->looked_at;
    maxima[MINUS_TIME] = -maxima[TIME];
    maxima[FASTEST] = mine->speed;
    maxima[NEXT_TIME] = mine->past.next / mine->speed;
    for (int p = 0; p < phases_of(mine); p++) maxima[MAXIMA + p] = mine->phase_loads[p] / mine->speed;
}

/* Compare both predictors, for each step once. A plan is for averages if they are better, unless the trigger is in a
 * trial; with several phases it never is, since there are no averages per phase. */
static void predict(pen_steer *s, const pen_steer_local *mine, const double *sums, const double *maxima)
{
    pen_steer_facts *f = &s->facts;
    f->planned = f->load;
    if (!s->forecast.keeps || f->load.steps == 0) return;
    pen_forecast_step(&s->forecast, sums[LAST_ERROR], sums[AVERAGE_ERROR]);
    if (s->trigger.mode != PEN_TRIGGER_FOLLOWS || phases_of(mine) > 0) return;
    f->by_average = pen_forecast_by_average(&s->forecast);
    if (f->by_average) f->planned = (pen_step_load){ f->load.steps, maxima[NEXT_TIME], sums[NEXT] / sums[SPEED], 0.0 };
}

static void conclude(pen_steer *s, int ranks, const pen_steer_local *mine, const double *sums, const double *maxima)
{
    const double mean = sums[LOAD] / sums[SPEED];
    double time = phases_of(mine) > 0 ? 0.0 : maxima[TIME];
    for (int p = 0; p < phases_of(mine); p++) time += maxima[MAXIMA + p];
    s->facts = (pen_steer_facts){ .step = mine->step,
                                  .remaining = mine->remaining,
                                  .ranks = ranks,
                                  .load = { mine->step - s->looked, time, mean, 0.0 },
                                  .speed = sums[SPEED] / ranks,
                                  .total = sums[LOAD],
                                  .heaviest = maxima[HEAVIEST] / maxima[FASTEST],
                                  .longest = maxima[TIME],
                                  .off = fmax(maxima[TIME] - mean, mean + maxima[MINUS_TIME]),
                                  .nodes = mine->nodes,
                                  .changed = mine->changes != s->changes };
    if (sums[EXPECTING] >= ranks && sums[LOAD] > 0.0) s->facts.load.shift = sums[SHIFTED] / sums[LOAD];
    if (pen_steer_declared(s)) count_declared(s);
    predict(s, mine, sums, maxima);
}

/* Set what to expect of the next step, and the step to examine next. The steps since the last examination took some
 * rank `seconds`. */
static void look_ahead(pen_steer *s, const pen_steer_local *mine, double seconds)
{
    const double each = seconds / (double)s->facts.load.steps, gap = each > 0.0 ? LOOK_SECONDS / each : 1.0;
    s->expected = mine->load;
    s->version = mine->version;
    s->stale = s->stale || s->facts.changed;
    s->changes = mine->changes;
    s->looked = mine->step;
    s->looked_at = mine->seconds;
    s->next_look = mine->step + (gap < 1.0 ? 1 : (int64_t)fmin(gap, MOST_PASSED));
}

pen_status pen_steer_look(pen_steer *s, pen_peers *peers, const pen_steer_local *mine)
{
    double sums[SUMS], maxima[MAXIMA + PEN_LOAD_PHASES];
    contribute(s, mine, sums, maxima);
    PEN_TRY(peers->reduce(peers, SUMS, sums, MAXIMA + phases_of(mine), maxima));
    if (maxima[WRONG] > 0.0)
        return pen_fail(PEN_ERR_ARGUMENT, "after step %" PRId64 " the cost of a node is not a number >= 0", mine->step);
    conclude(s, peers->size, mine, sums, maxima);
    look_ahead(s, mine, maxima[SECONDS]);
    return PEN_OK;
}

/* ---- Decisions ------------------------------------------------------------------------------ */

double pen_steer_usual(const double t[PEN_STEER_TIMES], double guess)
{
    if (t[0] <= 0.0) return guess;
    if (t[1] <= 0.0) return t[0];
    if (t[2] <= 0.0) return fmin(t[0], t[1]);
    return fmax(fmin(t[0], t[1]), fmin(fmax(t[0], t[1]), t[2]));
}

static void note_time(double times[PEN_STEER_TIMES], double seconds)
{
    memmove(times + 1, times, (PEN_STEER_TIMES - 1) * sizeof *times);
    times[0] = seconds;
}

static double first_guess(const pen_steer_facts *f) { return DECIDE_SECONDS * (double)f->nodes / f->ranks; }

static double cost_of_deciding(const pen_steer *s)
{
    return pen_steer_declared(s) ? s->facts.base : pen_steer_usual(s->decided, first_guess(&s->facts));
}

/* The cost of a migration in which the busiest rank moves `nodes` nodes. */
static double cost_of_migrating(const pen_steer *s, double nodes)
{
    return pen_steer_declared(s) ? s->facts.per_node * nodes : pen_steer_usual(s->migrated, MIGRATE_SECONDS * nodes);
}

/* Whether to make a plan after this step. Advances the trigger: for each examined step once. Plans for two loads are
 * only for PEN_STEER_AUTO. */
static bool wants_plan(pen_steer *s)
{
    pen_steer_facts *f = &s->facts;
    double moves = (f->planned.max - f->planned.mean) * f->speed / (f->total / (double)f->nodes);
    double cost = cost_of_deciding(s) + cost_of_migrating(s, moves);
    bool fires = pen_trigger_step(&s->trigger, f, cost);
    if (s->settings.when == PEN_STEER_AUTO) {
        pen_forecast_decide(&s->forecast, fires);
        return fires;
    }
    s->trigger.mixes = false;
    bool due = s->settings.when == PEN_STEER_CHANGE ? f->changed : f->step % s->settings.every == 0;
    if (!due || f->remaining <= 0) return false;
    /* It can gain its cost before the next call is due, after as many steps as since the last one was due; or more has
     * been lost since the last call. */
    double steps = fmin((double)(f->step - s->due), (double)f->remaining);
    bool wins = (f->load.max - f->load.mean) * steps > cost || s->trigger.lost > cost || s->settings.always;
    s->all.skipped += !wins;
    s->due = f->step;
    return wins;
}

static bool accepts(const pen_steer *s, const pen_evaluation *e)
{
    if (e->moved == 0 || e->regardless) return e->moved > 0;
    if (s->settings.when == PEN_STEER_AUTO)
        return pen_trigger_accepts(&s->facts, e->max, cost_of_migrating(s, (double)e->max_moved));
    if (e->hesitates) return e->pieces < s->quality.pieces || e->cut < s->quality.cut;
    return e->max <= (1.0 + PEN_SAME_TIME) * s->facts.stays;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* Set the imbalances of a partition, in which a step takes `max`. */
static pen_quality under_loads(pen_quality quality, const pen_steer_facts *f, double max, double two_sided)
{
    quality.imbalance = max / f->planned.mean;
    quality.two_sided = two_sided;
    quality.bound = fmax(1.0, f->heaviest / f->load.mean);
    return quality;
}

/* Make room for one more record; beyond the limit the oldest of the last ones is dropped. */
static pen_status make_room(pen_steer *s)
{
    if (s->call_count < 2 * PEN_CALLS_KEPT) return PEN_REALLOC(&s->calls, s->call_count + 1);
    pen_balance_call *last = s->calls + PEN_CALLS_KEPT;
    memmove(last, last + 1, (PEN_CALLS_KEPT - 1) * sizeof *last);
    s->call_count--;
    return PEN_OK;
}

/* Collective. Make room for the record, and take note of how long it took to make a plan, if there is one, and to carry
 * it out. */
static pen_status note_times(pen_steer *s, pen_peers *peers, pen_balance_call *call, bool planned, double planning)
{
    const pen_status room = make_room(s);
    double bytes = (double)call->moved_bytes, maxima[3] = { planning, call->seconds, room != PEN_OK };
    PEN_TRY(peers->reduce(peers, 1, &bytes, 3, maxima));
    if (maxima[2] > 0.0) return room == PEN_OK ? pen_fail(PEN_ERR_MEMORY, "another rank is out of memory") : room;
    call->moved_bytes = (int64_t)bytes;
    call->seconds = maxima[1];
    if (!planned) return PEN_OK;
    const double most = MOST_TIMES * (call->evaluation.cpu_seconds + first_guess(&s->facts));
    note_time(s->decided, fmin(maxima[0], most));
    if (call->applied)
        note_time(s->migrated,
                  fmin(maxima[1] - maxima[0], most + MOST_MIGRATE_SECONDS * (double)call->evaluation.max_moved));
    return PEN_OK;
}

/* Add a call to all sums. */
static void call_end(pen_steer *s, pen_balance_call *call)
{
    pen_balance_totals *all = &s->all;
    pen_evaluation *e = &call->evaluation;
    if (!call->applied) e->moved = e->max_moved = 0;
    all->calls++;
    all->failed += call->failed;
    all->applied += call->applied;
    all->moved_nodes += e->moved;
    all->moved_bytes += call->moved_bytes;
    all->exchanges += e->exchanges;
    all->reductions += e->reductions;
    all->seconds += call->seconds;
    all->cpu_seconds += e->cpu_seconds;
    for (int i = 0; i < PEN_PLAN_COUNTERS; i++) all->counts[i] += e->counts[i];
    if (pen_steer_declared(s))
        s->makespan += price_of_call(s, e->exchanges + e->reductions) +
                       price_of_node(s, e->moved, call->moved_bytes) * (double)e->max_moved;
    pen_trigger_planned(&s->trigger, call->step, call->applied);
}

static pen_status make_call(pen_steer *s, pen_peers *peers, const pen_steer_calls *calls)
{
    const pen_steer_facts *f = &s->facts;
    pen_trigger_foresee(&s->trigger, &s->facts);
    PEN_TRY(calls->measure(calls->context, s->stale, &s->quality));
    s->stale = false;
    const pen_quality before = under_loads(s->quality, f, f->stays, f->off / f->load.mean);
    pen_balance_call call = { f->step, .nodes = f->nodes, .before = before, .after = before };
    const pen_evaluation *e = &call.evaluation;
    PEN_TRY(calls->plan(calls->context, &call));
    const bool planned = !call.failed;
    const double planning = call.seconds;
    if (planned && accepts(s, e)) PEN_TRY(calls->migrate(calls->context, &call, &s->version));
    PEN_TRY(note_times(s, peers, &call, planned, planning));
    call_end(s, &call);
    if (call.applied) {
        s->expected = e->load;
        if (f->by_average) s->version = -1; /* the sum of averages does not predict the load of the next step */
        PEN_TRY(calls->measure(calls->context, true, &s->quality));
        call.after = under_loads(s->quality, f, e->max, e->off / f->planned.mean);
    }
    s->calls[s->call_count++] = call;
    return PEN_OK;
}

pen_status pen_steer_step(pen_steer *s, pen_peers *peers, bool now, const pen_steer_calls *calls)
{
    const bool can = calls->plan && s->facts.ranks > 1 && s->facts.load.max > 0.0;
    const bool wants = can && (now || wants_plan(s));
    if (!now && s->settings.when == PEN_STEER_AUTO && s->trigger.mode == PEN_TRIGGER_WAITS)
        PEN_TRY(calls->remember(calls->context, s->trigger.waited == 1));
    return wants ? make_call(s, peers, calls) : PEN_OK;
}
