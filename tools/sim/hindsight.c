/* hindsight.c - pen-sim hindsight: computes when the balancer should have been called if all loads were known. It
 * compares `auto` with the best period and with the best set of steps that a beam search finds. */
#include "base/memory.h"
#include "tools/common/start_mpi.h"
#include "tools/common/ticker.h"
#include "tools/sim/commands.h"
#include "tools/sim/replay_run.h"
#include "tools/sim/report.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>

/* A state of the beam search: a replay in progress, and the steps after which the balancer was called. */
typedef struct beam_state {
    replay_run run;
    int64_t *calls; /* [call_count] steps with a call */
    int64_t call_count, room;
    double last; /* cost of the last step */
} beam_state;

/* The beam search. After each step that may have a call, the best states get a child: a copy with a call. The `width`
 * best of all states are kept, judged by their estimated cost some strides later if all steps were like the last one. A
 * run could achieve the result; the optimum is between it and the bound, the cost of perfect balance at no cost. */
typedef struct beam {
    beam_state *states; /* [count] states, at most `width` + children */
    int count, width, children;
    int64_t stride; /* number of steps from one possible call to the next */
    double ideal;   /* the bound: the cost of all steps if all ranks were always busy */
} beam;

/* Number of strides ahead for which the cost of a state is estimated. */
static const double FORESIGHT = 2.0;

static void free_state(beam_state *s)
{
    pen_replay_run_free(&s->run);
    free(s->calls);
    *s = (beam_state){ .calls = NULL };
}

/* Begin with one state, *run, which the beam takes over, also after a failure. On failure there is nothing to free. */
static pen_status beam_begin(replay_run *run, int width, int64_t stride, beam *b)
{
    *b = (beam){ .width = width, .children = width, .stride = stride };
    pen_status status = PEN_ALLOC_ZERO(&b->states, b->width + b->children);
    if (status != PEN_OK) {
        pen_replay_run_free(run);
        return status;
    }
    b->states[b->count++].run = *run;
    *run = (replay_run){ .when = NULL };
    return PEN_OK;
}

static void beam_free(beam *b)
{
    for (int i = 0; i < b->count; i++) free_state(&b->states[i]);
    free(b->states);
    *b = (beam){ .count = 0 };
}

/* ---- Steps ------------------------------------------------------------------------------------- */

static double judge(const beam *b, const beam_state *s)
{
    return pen_replay_run_cost(&s->run) + FORESIGHT * (double)b->stride * s->last;
}

static int by_judgement(const beam *b, const beam_state *x, const beam_state *y)
{
    double a = judge(b, x), c = judge(b, y);
    if (a < c || a > c) return a < c ? -1 : 1;
    return (x->call_count > y->call_count) - (x->call_count < y->call_count);
}

/* Sort by insertion: there are few states, and qsort has no context argument. */
static void sort(beam *b)
{
    for (int i = 1; i < b->count; i++)
        for (int k = i; k > 0 && by_judgement(b, &b->states[k], &b->states[k - 1]) < 0; k--) {
            beam_state state = b->states[k];
            b->states[k] = b->states[k - 1];
            b->states[k - 1] = state;
        }
}

static pen_status note_call(beam_state *child, const beam_state *parent, int64_t step)
{
    PEN_TRY(pen_reserve(&child->calls, sizeof *child->calls, parent->call_count + 1, &child->room));
    if (parent->call_count > 0) memcpy(child->calls, parent->calls, (size_t)parent->call_count * sizeof *child->calls);
    child->calls[parent->call_count] = step;
    child->call_count = parent->call_count + 1;
    return PEN_OK;
}

/* Append a copy of a state with a call, unless the call moved nothing. */
static pen_status bear(beam *b, int parent, int64_t remaining)
{
    beam_state *child = &b->states[b->count];
    const beam_state *from = &b->states[parent];
    const int64_t step = from->run.world.record->step;
    PEN_TRY(pen_replay_run_copy(&from->run, &child->run));
    b->count++;
    PEN_TRY(note_call(child, from, step));
    PEN_TRY(pen_replay_run_call(&child->run, remaining));
    if (child->run.world.moves > from->run.world.moves) return pen_replay_run_again(&child->run, &child->last);
    free_state(child);
    b->count--;
    return PEN_OK;
}

static pen_status beam_step(beam *b, int64_t remaining)
{
    for (int i = 0; i < b->count; i++) {
        replay_run *run = &b->states[i].run;
        double before = pen_replay_run_cost(run);
        PEN_TRY(pen_replay_run_step(run, remaining));
        b->states[i].last = pen_replay_run_cost(run) - before;
    }
    b->ideal += pen_replay_run_ideal(&b->states[0].run);
    if (remaining < 1 || b->states[0].run.world.record->step % b->stride != 0) return PEN_OK;
    const int parents = b->count < b->children ? b->count : b->children;
    sort(b);
    for (int i = 0; i < parents; i++) PEN_TRY(bear(b, i, remaining));
    sort(b);
    while (b->count > b->width) free_state(&b->states[--b->count]);
    return PEN_OK;
}

static const beam_state *beam_best(const beam *b)
{
    const beam_state *best = &b->states[0];
    for (int i = 1; i < b->count; i++)
        if (pen_replay_run_cost(&b->states[i].run) < pen_replay_run_cost(&best->run)) best = &b->states[i];
    return best;
}

/* The periods to try, up to half of the steps. */
static const int64_t periods[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 };
enum { NONE, AUTO, FIRST_PERIOD, MOST_RUNS = FIRST_PERIOD + PEN_COUNT_OF(periods) };
/* A condition that is never true, so that only the beam search calls. */
static const char NEVER[] = "every:9223372036854775807:always";

typedef struct choices {
    const char *file, *balancer, *cost, *machine, *partitioner, *format;
    int64_t ranks, width, stride;
    int64_t steps; /* number of steps of the record */
    pen_machine *hardware;
    replay_model costs;
    sim_report report;
} choices;

typedef struct retrospect {
    pen_workload record;
    replay_mutual mutual;
    replay_run runs[MOST_RUNS]; /* [count] replays */
    char whens[MOST_RUNS][32];
    int count;
    beam beam;
} retrospect;

static pen_status survey(choices *c)
{
    pen_workload w;
    pen_workload_event event = PEN_WORKLOAD_STEP;
    PEN_TRY(pen_workload_open(c->file, &w));
    pen_status status = PEN_OK;
    if (c->ranks == 0) c->ranks = w.world.ranks;
    while (status == PEN_OK && event != PEN_WORKLOAD_END) status = pen_workload_next(&w, &event);
    c->steps = w.step;
    if (status == PEN_OK) pen_replay_model_fit(&c->costs, &w.world, &w.times, NAN);
    if (status == PEN_OK && w.step == 0) status = pen_fail(PEN_ERR_INPUT, "%s: it has no steps", c->file);
    pen_workload_close(&w);
    return status;
}

static pen_status begin_run(const choices *c, retrospect *all, const char *balancer, const char *when, replay_run *run)
{
    const bool recorded = c->ranks == all->record.world.ranks && !c->partitioner;
    const char *partitioner = c->partitioner ? c->partitioner : "metis";
    replay_world world;
    PEN_TRY(pen_replay_world_create(&all->record, (int)c->ranks, c->hardware, recorded ? NULL : partitioner, &world));
    return pen_replay_run_begin(&world, &all->mutual, &c->costs, balancer, when, c->cost, false, run);
}

static pen_status begin_all(const choices *c, retrospect *all)
{
    replay_run first;
    for (int i = NONE; i < MOST_RUNS; i++) {
        if (i >= FIRST_PERIOD && 2 * periods[i - FIRST_PERIOD] > c->steps) break;
        if (i < FIRST_PERIOD) snprintf(all->whens[i], sizeof all->whens[i], "auto");
        else snprintf(all->whens[i], sizeof all->whens[i], "every:%" PRId64 ":always", periods[i - FIRST_PERIOD]);
        PEN_TRY(begin_run(c, all, i == NONE ? "none" : c->balancer, all->whens[i], &all->runs[i]));
        all->count++;
    }
    PEN_TRY(begin_run(c, all, c->balancer, NEVER, &first));
    int64_t stride = c->stride > 0 ? c->stride : 1 + c->steps / 40;
    return beam_begin(&first, (int)c->width, stride, &all->beam);
}

static pen_status change_all(retrospect *all)
{
    for (int i = 0; i < all->count; i++) PEN_TRY(pen_replay_run_change(&all->runs[i]));
    for (int i = 0; i < all->beam.count; i++) PEN_TRY(pen_replay_run_change(&all->beam.states[i].run));
    return PEN_OK;
}

static pen_status step_all(const choices *c, retrospect *all)
{
    const pen_workload *w = &all->record;
    int64_t remaining = c->steps - w->step;
    pen_ticker_bytes("looking back at", c->file, w->step, c->steps);
    for (int i = 0; i < all->count; i++) PEN_TRY(pen_replay_run_step(&all->runs[i], remaining));
    return beam_step(&all->beam, remaining);
}

static pen_status go(const choices *c, retrospect *all)
{
    pen_workload_event event = PEN_WORKLOAD_STEP;
    PEN_TRY(begin_all(c, all));
    while (event != PEN_WORKLOAD_END) {
        PEN_TRY(pen_workload_next(&all->record, &event));
        if (event == PEN_WORKLOAD_CHANGE) PEN_TRY(change_all(all));
        if (event == PEN_WORKLOAD_STEP) PEN_TRY(step_all(c, all));
    }
    return PEN_OK;
}

/* ---- Results ----------------------------------------------------------------------------------- */

static void add_row(sim_table *t, const char *what, double cost, double ideal, int64_t calls, int64_t moved)
{
    pen_sim_table_text(t, "%s", what);
    pen_sim_table_number(t, 6, cost);
    pen_sim_table_number(t, 4, cost / ideal);
    pen_sim_table_number(t, 0, calls >= 0 ? (double)calls : NAN);
    pen_sim_table_number(t, 0, moved >= 0 ? (double)moved : NAN);
}

static void add_run(sim_table *t, const char *what, const replay_run *run, double ideal)
{
    const pen_balance_totals *all = &run->steer.all;
    add_row(t, what, pen_replay_run_cost(run), ideal, all->calls, all->moved_nodes);
}

/* The cheapest of runs [first, end); -1: there is none. */
static int cheapest(const retrospect *all, int first, int end)
{
    int best = -1;
    for (int i = first; i < end; i++)
        if (best < 0 || pen_replay_run_cost(&all->runs[i]) < pen_replay_run_cost(&all->runs[best])) best = i;
    return best;
}

/* The run that is cheaper than the beam's best state, or NULL; its calls are a set of steps, too. */
static const replay_run *better_than_beam(const retrospect *all)
{
    const replay_run *run = &all->runs[cheapest(all, NONE, all->count)];
    double found = pen_replay_run_cost(&beam_best(&all->beam)->run);
    return pen_replay_run_cost(run) < found ? run : NULL;
}

static pen_status print_table(choices *c, const retrospect *all)
{
    const beam *b = &all->beam;
    const replay_run *best = better_than_beam(all);
    const int period = cheapest(all, FIRST_PERIOD, all->count);
    char title[400], what[48];
    sim_table t;
    snprintf(title, sizeof title,
             "%.100s on %d ranks, %.60s, in hindsight; a beam of %d states, with calls after multiples of %" PRId64
             " steps",
             c->file, (int)c->ranks, c->balancer, b->width, b->stride);
    pen_sim_table_begin(&t, title);
    pen_sim_table_column(&t, "balanced");
    pen_sim_table_column(&t, all->record.world.declared ? "units" : "seconds");
    pen_sim_table_column(&t, "/ bound");
    pen_sim_table_column(&t, "calls");
    pen_sim_table_column(&t, "moved");
    add_run(&t, "never", &all->runs[NONE], b->ideal);
    add_run(&t, "auto", &all->runs[AUTO], b->ideal);
    if (period >= 0) {
        snprintf(what, sizeof what, "every:%" PRId64 " (best period)", periods[period - FIRST_PERIOD]);
        add_run(&t, what, &all->runs[period], b->ideal);
    }
    add_run(&t, "best set found", best ? best : &beam_best(b)->run, b->ideal);
    add_row(&t, "bound", b->ideal, b->ideal, -1, -1);
    return pen_sim_report_table(&c->report, &t, PEN_OK);
}

static pen_status print_calls(choices *c, const retrospect *all)
{
    const replay_run *run = better_than_beam(all);
    const beam_state *best = beam_best(&all->beam);
    const int64_t count = run ? run->steer.call_count : best->call_count;
    sim_table t;
    pen_sim_table_begin(&t, "The best set: steps after which to call");
    pen_sim_table_column(&t, "step");
    for (int64_t i = 0; i < count; i++)
        pen_sim_table_number(&t, 0, (double)(run ? run->steer.calls[i].step : best->calls[i]));
    return pen_sim_report_table(&c->report, &t, PEN_OK);
}

static pen_status look_back(choices *c)
{
    retrospect *all;
    PEN_TRY(PEN_ALLOC_ZERO(&all, 1));
    all->mutual.changes = -1;
    pen_status status = pen_workload_open(c->file, &all->record);
    if (status == PEN_OK) {
        status = go(c, all);
        pen_ticker_end();
        if (status == PEN_OK) status = print_table(c, all);
        if (status == PEN_OK) status = print_calls(c, all);
        pen_workload_close(&all->record);
    }
    for (int i = 0; i < all->count; i++) pen_replay_run_free(&all->runs[i]);
    beam_free(&all->beam);
    pen_replay_mutual_free(&all->mutual);
    free(all);
    return status;
}

/* ---- The command ------------------------------------------------------------------------------- */

static pen_status carry_out(choices *c)
{
    c->costs = pen_replay_model_default();
    PEN_TRY(survey(c));
    if (c->machine) PEN_TRY(pen_open_machine(c->machine, (int)c->ranks, &c->hardware));
    return look_back(c);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .balancer = "diffusive", .format = "text", .width = 4 };
    const pen_option options[] = {
        { "ranks", "N", "number of ranks (the recorded run's)", PEN_OPTION_INT, &c.ranks, 1, 1 << 20 },
        { "balancer", "NAME", "the balancer (diffusive); for a plug-in its path", PEN_OPTION_TEXT, &c.balancer, 0, 0 },
        { "balance-cost", "BASE[:PER]", "cost of a call, and per moved node, in declared units", PEN_OPTION_TEXT,
          &c.cost, 0, 0 },
        { "partitioner", "NAME",
          "the first partition (default: the recorded run's with its number of ranks, otherwise metis)",
          PEN_OPTION_TEXT, &c.partitioner, 0, 0 },
        { "machine", "NAME", "the ranks' processors and network, as for --machine of a program", PEN_OPTION_TEXT,
          &c.machine, 0, 0 },
        { "beam", "N", "number of states in the beam search (4)", PEN_OPTION_INT, &c.width, 1, 1000 },
        { "stride", "STEPS", "calls come after multiples of STEPS (a fortieth of all steps)", PEN_OPTION_INT, &c.stride,
          1, INT64_MAX },
        { "format", "KIND", "text (default), csv, json or latex", PEN_OPTION_TEXT, &c.format, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    sim_format format;
    (void)exit_status;
    PEN_TRY(pen_command_words(&pen_command_hindsight, argc, argv, options, 1, 1, &line));
    if (line.help) return PEN_OK;
    c.file = line.words[0];
    PEN_TRY(pen_sim_format_parse(c.format, &format));
    PEN_TRY(pen_sim_report_begin(&c.report, format, line.output));
    pen_status status = carry_out(&c);
    pen_ticker_end();
    pen_machine_destroy(&c.hardware);
    return pen_sim_report_end(&c.report, status);
}

const command pen_command_hindsight = { "hindsight", "FILE",
                                        "Find the best times to call a balancer, knowing all loads", "the tables",
                                        run };
