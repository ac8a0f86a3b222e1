/* replay_run.c - replays the steps of a record, with balancing. */
#include "tools/sim/replay_run.h"
#include "tools/common/copy.h"
#include "tools/sim/virtual_ranks.h"

#include <math.h>
#include <stdlib.h>

static int phases_of(const replay_run *run) { return run->world.record->world.load_phases; }

static pen_status allocate(replay_run *run, bool histories)
{
    const int ranks = run->world.ranks;
    PEN_TRY(PEN_ALLOC(&run->expected, ranks));
    PEN_TRY(PEN_ALLOC(&run->past, ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&run->loads, ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&run->phase_loads, (int64_t)ranks * phases_of(run)));
    PEN_TRY(PEN_ALLOC(&run->pulls, ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&run->work_of, ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&run->pull_of, ranks));
    if (histories) PEN_TRY(PEN_ALLOC(&run->histories, ranks));
    for (int r = 0; r < ranks; r++) {
        run->expected[r] = -1.0;
        if (histories) pen_history_start(&run->histories[r]);
    }
    return PEN_OK;
}

static pen_status begin(replay_run *run, const char *balancer, const char *cost, bool histories)
{
    const pen_workload *w = run->world.record;
    run->steer.settings.load = w->world.declared ? PEN_LOAD_DECLARED : PEN_LOAD_MEASURED;
    PEN_TRY(pen_steer_settings_read(run->when, cost, &run->steer.settings));
    PEN_TRY(pen_replay_balancer_open(balancer, run->world.ranks, &run->balancer));
    run->balancer.notes.first = w->step;
    run->balancer.averages = run->balancer.chosen.kind && run->steer.settings.when == PEN_STEER_AUTO;
    PEN_TRY(allocate(run, histories));
    PEN_TRY(pen_replay_world_measure(&run->world, &run->first));
    int64_t arcs = w->rows[w->places];
    run->first_nodes = w->nodes;
    run->first_edges = w->world.directed ? arcs : arcs / 2;
    pen_steer_start(&run->steer, run->world.machine, pen_replay_node_bytes(&run->balancer, w), &run->first, 0.0);
    pen_steer_skip(&run->steer, w->step, run->world.changes);
    return PEN_OK;
}

pen_status pen_replay_run_begin(replay_world *world, replay_mutual *mutual, const replay_model *model,
                                const char *balancer, const char *when, const char *cost, bool histories,
                                replay_run *run)
{
    *run = (replay_run){ .world = *world, .mutual = mutual, .model = model, .when = when };
    *world = (replay_world){ .record = NULL };
    pen_status status = begin(run, balancer, cost, histories);
    if (status != PEN_OK) pen_replay_run_free(run);
    return status;
}

void pen_replay_run_free(replay_run *run)
{
    pen_replay_balancer_close(&run->balancer);
    pen_steer_free(&run->steer);
    pen_replay_world_free(&run->world);
    PEN_FREE_ALL(run->expected, run->past, run->averages, run->loads, run->phase_loads, run->pulls, run->work_of,
                 run->pull_of, run->histories);
    *run = (replay_run){ .when = NULL };
}

/* ---- Predicted times --------------------------------------------------------------------------- */

static pen_status know_pulls(replay_run *run)
{
    if (run->pulls_are_known) return PEN_OK;
    PEN_TRY(pen_replay_world_find_halo(&run->world));
    pen_replay_pull_seconds(run->model, &run->world, run->pulls);
    run->pulls_are_known = true;
    return PEN_OK;
}

/* Add up the loads of the step by rank. Returns the heaviest node's load. */
static double add_loads(replay_run *run)
{
    const replay_world *world = &run->world;
    const pen_workload *w = world->record;
    const int phases = phases_of(run);
    double heaviest = 0.0;
    memset(run->loads, 0, (size_t)world->ranks * sizeof *run->loads);
    memset(run->phase_loads, 0, (size_t)world->ranks * (size_t)phases * sizeof *run->phase_loads);
    for (int64_t i = 0; i < world->places; i++) {
        const int64_t owner = world->owners[i];
        if (owner < 0) continue;
        run->loads[owner] += w->loads[i];
        if (w->loads[i] > heaviest) heaviest = w->loads[i];
        for (int p = 0; w->phase_loads && p < phases; p++)
            run->phase_loads[owner * phases + p] += w->phase_loads[i * phases + p];
    }
    if (phases == 1) memcpy(run->phase_loads, run->loads, (size_t)world->ranks * sizeof *run->loads);
    return heaviest;
}

/* Seconds of a rank's step without pulls; or of a phase, if `phase` >= 0. The cost per node is the same in all
 * phases. */
static double work_of(const replay_run *run, int rank, int phase)
{
    const replay_model *m = run->model;
    const int phases = phases_of(run);
    double nodes = m->node * (double)run->world.counts[rank], load = run->loads[rank];
    if (phase >= 0) nodes /= phases;
    if (phase >= 0) load = run->phase_loads[(int64_t)rank * phases + phase];
    return (nodes + m->load * load) / pen_replay_speed(&run->world, rank);
}

typedef struct phase_time {
    double max;            /* the largest load / speed of a rank */
    double slowest, pulls; /* predicted seconds of the slowest rank, and its part for pulls */
} phase_time;

static phase_time time_of(const replay_run *run, int phase)
{
    const int phases = phases_of(run);
    phase_time t = { 0.0, 0.0, run->pulls[0] / phases };
    for (int r = 0; r < run->world.ranks; r++) {
        const double pulls = run->pulls[r] / phases, work = work_of(run, r, phase);
        t.max = fmax(t.max, run->phase_loads[(int64_t)r * phases + phase] / pen_replay_speed(&run->world, r));
        if (!(work + pulls > t.slowest)) continue;
        t.slowest = work + pulls;
        t.pulls = pulls;
    }
    return t;
}

/* Add the predicted time of the step to all sums. */
static void predict(replay_run *run)
{
    replay_totals *t = &run->totals;
    double total = 0.0, speeds = 0.0, max = 0.0;
    for (int r = 0; r < run->world.ranks; r++) {
        total += run->loads[r];
        speeds += pen_replay_speed(&run->world, r);
        run->work_of[r] += work_of(run, r, -1);
        run->pull_of[r] += run->pulls[r];
        if (run->histories) pen_history_add(&run->histories[r], run->loads[r]);
    }
    for (int p = 0; p < phases_of(run); p++) {
        const phase_time phase = time_of(run, p);
        max += phase.max;
        t->seconds += phase.slowest;
        t->work += phase.slowest - phase.pulls;
        t->pulls += phase.pulls;
        run->clock += phase.slowest;
    }
    double mean = total / speeds;
    t->steps++;
    t->max += max;
    t->mean += mean;
    t->imbalance += mean > 0.0 ? max / mean : 1.0;
    t->most = fmax(t->most, mean > 0.0 ? max / mean : 1.0);
}

/* ---- Callbacks of the steering (steer.h) -------------------------------------------------------- */

typedef struct call {
    replay_run *run;
    replay_plan plan;
    double seconds; /* predicted seconds of planning and migrating */
} call;

/* Add the loads of the step to the nodes' averages. */
static void add_to_past(replay_run *run)
{
    const replay_world *world = &run->world;
    const pen_workload *w = world->record;
    const double weight = pen_forecast_weight(&run->steer.forecast);
    memset(run->past, 0, (size_t)world->ranks * sizeof *run->past);
    for (int32_t i = 0; run->steer.forecast.keeps && i < w->places; i++)
        if (world->owners[i] >= 0)
            pen_forecast_add(&run->balancer.past[i], w->loads[i], weight, &run->past[world->owners[i]]);
}

/* What all ranks know of a step. */
typedef struct looking {
    replay_run *run;
    pen_steer_local step;
} looking;

/* Look at the step as one of the ranks, which share the state of steering except `expected`. All ranks have a copy of
 * it when rank 0 changes it. */
static pen_status look_as_rank(void *context, pen_peers *peers)
{
    const looking *l = context;
    replay_run *run = l->run;
    const int rank = peers->rank;
    pen_steer steer = run->steer;
    pen_steer_local mine = l->step;
    mine.load = run->loads[rank];
    mine.past = run->past[rank];
    mine.phase_loads = run->phase_loads + (int64_t)rank * mine.phases;
    mine.speed = pen_replay_speed(&run->world, rank);
    steer.expected = run->expected[rank];
    PEN_TRY(pen_steer_look(&steer, peers, &mine));
    run->expected[rank] = steer.expected;
    if (rank == 0) run->steer = steer;
    return PEN_OK;
}

static pen_status look(replay_run *run, double heaviest, int64_t remaining)
{
    const replay_world *world = &run->world;
    looking l = { run,
                  { .step = world->record->step,
                    .remaining = remaining,
                    .seconds = run->clock,
                    .count = 1, /* the only load that is passed is that of the heaviest node */
                    .loads = &heaviest,
                    .phases = phases_of(run),
                    .version = world->moves,
                    .nodes = world->record->nodes,
                    .changes = world->changes } };
    add_to_past(run);
    return pen_virtual_run(world->ranks, 1, look_as_rank, &l, NULL, NULL);
}

static pen_status remember(void *context, bool first)
{
    replay_run *run = ((const call *)context)->run;
    replay_balancer *b = &run->balancer;
    const pen_workload *w = run->world.record;
    if (first) b->remembered_steps = 0;
    PEN_TRY(pen_reserve(&b->remembered, sizeof *b->remembered, w->places, &b->remembered_room));
    for (int32_t i = 0; i < w->places; i++)
        b->remembered[i] = w->loads[i] + (b->remembered_steps > 0 ? b->remembered[i] : 0.0);
    b->remembered_steps++;
    return PEN_OK;
}

static pen_status measure(void *context, bool changed, pen_quality *quality)
{
    replay_run *run = ((const call *)context)->run;
    const replay_world *world = &run->world;
    if (changed) PEN_TRY(pen_replay_world_measure(world, quality));
    if (!world->machine) return PEN_OK;
    PEN_TRY(pen_replay_world_find_halo(&run->world));
    quality->step_time = 0.0;
    for (int r = 0; r < world->ranks; r++) {
        double time = run->expected[r] / pen_replay_speed(world, r) + world->halo.units[r];
        quality->step_time = fmax(quality->step_time, time);
    }
    return PEN_OK;
}

/* ---- Calls of the balancer --------------------------------------------------------------------- */

/* Report a failed plan; only a lack of memory ends the replay. */
static pen_status complain(replay_run *run, pen_status status)
{
    if (status == PEN_ERR_MEMORY) return status;
    if (!run->complained)
        fprintf(stderr, "pen-sim: balancer %s on %d ranks, after step %" PRId64 ": %s; the replay goes on unchanged\n",
                run->balancer.name, run->world.ranks, run->world.record->step, pen_error_message());
    run->complained = true;
    return PEN_OK;
}

/* Choose the loads for which a plan is made. */
static pen_status choose_loads(replay_run *run, const double **loads)
{
    const pen_workload *w = run->world.record;
    *loads = w->loads;
    if (!run->steer.facts.by_average) return PEN_OK;
    PEN_TRY(pen_reserve(&run->averages, sizeof *run->averages, w->places, &run->averages_room));
    for (int32_t i = 0; i < w->places; i++) run->averages[i] = run->balancer.past[i].average;
    *loads = run->averages;
    return PEN_OK;
}

static pen_status make_plan(replay_run *run, replay_plan *plan)
{
    const pen_workload *w = run->world.record;
    const double *loads;
    if (w->world.directed) PEN_TRY(pen_replay_mutual_update(w, run->world.changes, run->mutual));
    run->balancer.averages_move = run->steer.forecast.steps > 0;
    PEN_TRY(choose_loads(run, &loads));
    return pen_replay_plan_make(&run->world, run->mutual, &run->balancer, run->model, loads, run->steer.trigger.mixes,
                                &run->steer.facts, plan);
}

static void note_plan(replay_totals *t, const replay_plan *plan)
{
    t->planned++;
    t->rounds += plan->rounds;
    t->exchanges += plan->evaluation.exchanges;
    t->reductions += plan->evaluation.reductions;
    t->bytes += plan->bytes;
    if (plan->max_bytes > t->max_bytes) t->max_bytes = plan->max_bytes;
}

static pen_status plan(void *context, pen_balance_call *made)
{
    call *c = context;
    pen_status status = make_plan(c->run, &c->plan);
    made->failed = status != PEN_OK;
    if (status != PEN_OK) return complain(c->run, status);
    made->seconds = c->seconds = c->plan.seconds;
    made->rounds = c->plan.rounds;
    made->evaluation = c->plan.evaluation;
    note_plan(&c->run->totals, &c->plan);
    return PEN_OK;
}

static pen_status migrate(void *context, pen_balance_call *made, int64_t *version)
{
    call *c = context;
    replay_run *run = c->run;
    PEN_TRY(pen_replay_plan_carry_out(&run->world, &run->balancer, run->model, &c->plan, made));
    made->applied = true;
    c->seconds = made->seconds;
    *version = run->world.moves;
    for (int r = 0; r < run->world.ranks; r++) run->expected[r] = c->plan.loads[r];
    run->pulls_are_known = false;
    run->balancer.remembered_steps = 0;
    return PEN_OK;
}

/* A reduction with one rank: values stay as they are. */
static pen_status keep(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima) { return PEN_OK; }

static pen_status steer(replay_run *run, bool now)
{
    pen_peers peers = { .rank = 0, .size = run->world.ranks, .reduce = keep };
    call c = { .run = run };
    const pen_steer_calls calls = { &c, remember, measure, run->balancer.chosen.kind ? plan : NULL, migrate };
    pen_status status = pen_steer_step(&run->steer, &peers, now, &calls);
    run->totals.calls += c.seconds;
    run->clock += c.seconds;
    pen_replay_plan_free(&c.plan);
    return status;
}

/* ---- Events of the record ----------------------------------------------------------------------- */

pen_status pen_replay_run_change(replay_run *run)
{
    run->pulls_are_known = false;
    PEN_TRY(pen_replay_balancer_change(&run->balancer, run->world.record));
    return pen_replay_world_follow(&run->world);
}

pen_status pen_replay_run_step(replay_run *run, int64_t remaining)
{
    const pen_workload *w = run->world.record;
    double heaviest = add_loads(run);
    PEN_TRY(pen_replay_balancer_step(&run->balancer, w));
    PEN_TRY(know_pulls(run));
    predict(run);
    if (!pen_steer_looks(&run->steer, w->step, run->world.changes)) return PEN_OK;
    PEN_TRY(look(run, heaviest, remaining));
    return steer(run, false);
}

pen_status pen_replay_run_call(replay_run *run, int64_t remaining)
{
    PEN_TRY(look(run, add_loads(run), remaining));
    return steer(run, true);
}

/* ---- Copies of a replay ------------------------------------------------------------------------ */

static pen_status copy_all(const replay_run *run, replay_run *copy)
{
    const size_t bytes = (size_t)run->world.ranks * sizeof(double);
    PEN_TRY(pen_replay_world_copy(&run->world, &copy->world));
    copy->steer = run->steer;
    copy->steer.calls = NULL;
    PEN_TRY(PEN_COPY(&copy->steer.calls, run->steer.calls, run->steer.call_count));
    PEN_TRY(pen_replay_balancer_copy(&run->balancer, &copy->balancer));
    PEN_TRY(allocate(copy, false));
    memcpy(copy->expected, run->expected, bytes);
    memcpy(copy->loads, run->loads, bytes);
    memcpy(copy->phase_loads, run->phase_loads, bytes * (size_t)phases_of(run));
    memcpy(copy->work_of, run->work_of, bytes);
    memcpy(copy->pull_of, run->pull_of, bytes);
    return PEN_OK;
}

pen_status pen_replay_run_copy(const replay_run *run, replay_run *copy)
{
    *copy = (replay_run){ .mutual = run->mutual,
                          .model = run->model,
                          .when = run->when,
                          .first = run->first,
                          .first_nodes = run->first_nodes,
                          .first_edges = run->first_edges,
                          .clock = run->clock,
                          .complained = run->complained,
                          .totals = run->totals };
    pen_status status = copy_all(run, copy);
    if (status != PEN_OK) pen_replay_run_free(copy);
    return status;
}

/* ---- Results ----------------------------------------------------------------------------------- */

static double speed_of_all(const replay_world *world)
{
    return world->machine ? world->machine->total_speed : world->ranks;
}

double pen_replay_run_busy(const replay_run *run)
{
    double work = 0.0;
    for (int r = 0; r < run->world.ranks; r++) work += run->work_of[r] * pen_replay_speed(&run->world, r);
    return run->totals.seconds > 0.0 ? work / speed_of_all(&run->world) / run->totals.seconds : 1.0;
}

double pen_replay_run_efficiency(const replay_run *run)
{
    const pen_steer *s = &run->steer;
    if (!pen_steer_declared(s)) return run->totals.max > 0.0 ? run->totals.mean / run->totals.max : 1.0;
    return s->makespan > 0.0 ? s->total / speed_of_all(&run->world) / s->makespan : 1.0;
}

double pen_replay_run_cost(const replay_run *run)
{
    return pen_steer_declared(&run->steer) ? run->steer.makespan : run->clock;
}

pen_status pen_replay_run_again(replay_run *run, double *cost)
{
    (void)add_loads(run);
    PEN_TRY(know_pulls(run));
    *cost = 0.0;
    for (int p = 0; p < phases_of(run); p++) {
        const phase_time phase = time_of(run, p);
        *cost += pen_steer_declared(&run->steer) ? phase.max : phase.slowest;
    }
    return PEN_OK;
}

double pen_replay_run_ideal(const replay_run *run)
{
    const replay_model *m = run->model;
    double total = 0.0;
    for (int r = 0; r < run->world.ranks; r++) total += run->loads[r];
    if (!pen_steer_declared(&run->steer)) total = m->node * run->world.record->nodes + m->load * total;
    return total / speed_of_all(&run->world);
}

pen_status pen_replay_run_cut(replay_run *run, int64_t *cut)
{
    pen_quality quality = run->steer.quality;
    if (run->steer.stale) PEN_TRY(pen_replay_world_measure(&run->world, &quality));
    *cut = quality.cut;
    return PEN_OK;
}
