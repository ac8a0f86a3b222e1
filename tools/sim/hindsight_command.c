/* hindsight_command.c - pen-sim hindsight: prints `auto` next to the best period and the best set of calls. */
#include "base/memory.h"
#include "tools/common/ticker.h"
#include "tools/sim/commands.h"
#include "tools/sim/hindsight.h"
#include "tools/sim/report.h"

#include <math.h>
#include <stdlib.h>

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

/* The run that is cheaper than the beam's best state, or NULL; its calls are a set of steps, too. */
static const replay_run *better_than_beam(const hindsight *h)
{
    const replay_run *run = &h->runs[pen_hindsight_cheapest(h, 0, h->count)];
    double found = pen_replay_run_cost(&pen_hindsight_best_state(h)->run);
    return pen_replay_run_cost(run) < found ? run : NULL;
}

static pen_status print_table(const hindsight *h, sim_report *report)
{
    const replay_run *best = better_than_beam(h);
    const int period = pen_hindsight_cheapest(h, HINDSIGHT_PERIODS, h->count);
    char title[400], what[48];
    sim_table t;
    snprintf(title, sizeof title,
             "%.100s on %d ranks, %.60s, in hindsight; a beam of %" PRId64
             " states, with calls after multiples of %" PRId64 " steps",
             h->file, (int)h->ranks, h->balancer, h->width, h->stride);
    pen_sim_table_begin(&t, title,
                        h->record.world.declared ? "balanced,units,/ bound,calls,moved"
                                                 : "balanced,seconds,/ bound,calls,moved");
    add_run(&t, "never", &h->runs[HINDSIGHT_NEVER], h->bound);
    add_run(&t, "auto", &h->runs[HINDSIGHT_AUTO], h->bound);
    if (period >= 0) {
        snprintf(what, sizeof what, "every:%" PRId64 " (best period)", h->periods[period - HINDSIGHT_PERIODS]);
        add_run(&t, what, &h->runs[period], h->bound);
    }
    add_run(&t, "best set found", best ? best : &pen_hindsight_best_state(h)->run, h->bound);
    add_row(&t, "bound", h->bound, h->bound, -1, -1);
    return pen_sim_report_table(report, &t, PEN_OK);
}

static pen_status print_calls(const hindsight *h, sim_report *report)
{
    const replay_run *run = better_than_beam(h);
    const beam_state *best = pen_hindsight_best_state(h);
    const int64_t count = run ? run->steer.call_count : best->call_count;
    char title[128] = "The best set: steps after which to call";
    sim_table t;
    if (run && count < run->steer.all.calls)
        snprintf(title + strlen(title), 64, "; the first and last %d of %" PRId64, PEN_CALLS_KEPT,
                 run->steer.all.calls);
    pen_sim_table_begin(&t, title, "step");
    for (int64_t i = 0; i < count; i++)
        pen_sim_table_number(&t, 0, (double)(run ? run->steer.calls[i].step : best->calls[i]));
    return pen_sim_report_table(report, &t, PEN_OK);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    static const int64_t periods[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 };
    const char *kind = "text";
    hindsight h = { .balancer = "diffusive",
                    .width = 4,
                    .periods = periods,
                    .period_count = PEN_COUNT_OF(periods),
                    .short_periods = true };
    const pen_option options[] = {
        { "ranks", "N", "number of ranks (the recorded run's)", PEN_OPTION_INT, &h.ranks, 1, 1 << 20 },
        { "balancer", "NAME", "the balancer (diffusive); for a plug-in its path", PEN_OPTION_TEXT, &h.balancer, 0, 0 },
        { "balance-cost", "BASE[:PER]", "cost of a call, and per moved node, in declared units", PEN_OPTION_TEXT,
          &h.cost, 0, 0 },
        { "partitioner", "NAME",
          "the first partition (default: the recorded run's with its number of ranks, otherwise metis)",
          PEN_OPTION_TEXT, &h.partitioner, 0, 0 },
        { "machine", "NAME", "the ranks' processors and network, as for --machine of a program", PEN_OPTION_TEXT,
          &h.machine, 0, 0 },
        { "beam", "N", "number of states in the beam search (4)", PEN_OPTION_INT, &h.width, 1, 1000 },
        { "stride", "STEPS", "calls come after multiples of STEPS (a fortieth of all steps)", PEN_OPTION_INT, &h.stride,
          1, INT64_MAX },
        { "format", "KIND", "text (default), csv, json or latex", PEN_OPTION_TEXT, &kind, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    sim_report report;
    PEN_TRY(pen_command_words(&pen_command_hindsight, argc, argv, options, 1, 1, &line));
    if (line.help) return PEN_OK;
    h.file = line.words[0];
    PEN_TRY(pen_sim_report_begin(&report, kind, line.output));
    pen_status status = pen_hindsight_search(&h);
    if (status == PEN_OK) status = print_table(&h, &report);
    if (status == PEN_OK) status = print_calls(&h, &report);
    pen_hindsight_free(&h);
    return pen_sim_report_end(&report, status);
}

const command pen_command_hindsight = { "hindsight", "FILE",
                                        "Find the best times to call a balancer, knowing all loads", "the tables",
                                        run };
