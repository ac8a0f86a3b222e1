/* when.c - how good is --balance-when=auto beside the best --balance-when=every:N in hindsight?
 *
 *     when_bench [--set=fitted|held|all] [--case=TEXT] [--ranks=N] [--balancer=NAME|all] [--calls]
 *
 * Loads are declared: an application's .cost says what every node costs in every step, whoever owns it. So the steps
 * are recorded once, on one rank, and replayed on virtual ranks, as by pen-sim, with the steering, the balancers and
 * the declared costs of a run, for every N of the table, without a call (never), and with auto. What comes out is the
 * same on every machine, however busy it is.
 *
 * A row's figures are makespans over the ideal (total load / ranks). Of the columns N and never the least is the best
 * in hindsight, and auto / best is what the row is about; a `*` stands at the best. At the end the geometric mean and
 * the worst of auto / best, for the rows by which the trigger was chosen (fitted: diffusive), and for those by which it
 * was not (held out, and all other balancers). Their limits stand in figures.txt. */
#include "apps/battlefield/battlefield.h"
#include "base/memory.h"
#include "tests/bench/bench.h"
#include "tools/sim/hindsight.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const int64_t periods[] = { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89 };

typedef struct scenario_case {
    const char *name, *grid;
    int64_t steps, seed;
    const char *cost; /* --balance-cost; NULL: the default */
    bool held;
} scenario_case;

/* A scenario of battlefield, what --imbalance is to hex, or "front": a fire of which only active nodes cost. */
static const scenario_case cases[] = {
    { "three-phase:10", "32x32", 90, 1, NULL, false },
    { "disc:10", "32x32", 100, 1, NULL, false },
    { "alternate:10:1", "32x32", 100, 1, NULL, false },
    { "alternate:10:10", "32x32", 100, 1, NULL, false },
    { "meeting", "32x32", 100, 1, NULL, false },
    { "breakthrough", "32x32", 100, 1, NULL, false },
    { "encirclement", "32x32", 100, 1, NULL, false },
    { "scatter", "32x32", 100, 1, NULL, false },
    { "three-phase:3", "32x32", 90, 1, NULL, true },
    { "three-phase:100", "24x40", 25, 1, NULL, true },
    { "three-phase:10", "32x32", 400, 1, "400:2", true },
    { "disc:3", "32x32", 200, 1, NULL, true },
    { "disc:40", "48x48", 60, 1, NULL, true },
    { "disc:10", "32x32", 150, 1, "400:4", true },
    { "alternate:10:2", "32x32", 150, 1, NULL, true },
    { "alternate:10:3", "32x32", 150, 1, NULL, true },
    { "alternate:10:4", "32x32", 150, 1, NULL, true },
    { "alternate:10:6", "32x32", 150, 1, NULL, true },
    { "alternate:10:10", "32x32", 400, 1, NULL, true },
    { "alternate:3:1", "32x32", 150, 1, NULL, true },
    { "alternate:100:2", "32x32", 150, 1, NULL, true },
    { "alternate:3:5", "32x32", 150, 1, NULL, true },
    { "alternate:10:25", "32x32", 200, 1, NULL, true },
    { "alternate:10:2", "32x32", 150, 1, "1500", true },
    { "meeting", "48x32", 150, 5, NULL, true },
    { "breakthrough", "40x40", 200, 6, NULL, true },
    { "encirclement", "24x24", 60, 7, NULL, true },
    { "scatter", "48x48", 120, 8, NULL, true },
    { "meeting", "32x32", 100, 2, "40:4", true },
    { "scatter", "32x32", 100, 3, "10:0.1", true },
    { "front", "100x100", 150, 1, NULL, true },
};

/* ---- Recording -------------------------------------------------------------------------------- */

static double weight(const pen_view *v)
{
    return pen_grain_weight((const grain *)pen_params(v), pen_step(v), pen_id(v));
}
PEN_COST_SWEEP(weight)
static const char *setup(void *params, const pen_world *world) { return pen_grain_setup((grain *)params, world); }

static void record_app(const scenario_case *c, const pen_app *app, const char *path)
{
    char generate[64];
    pen_graph *graph;
    pen_run *run;
    pen_run_options options = {
        .steps = c->steps, .balance.load = PEN_LOAD_DECLARED, .partitioner = "block", .output.record = path
    };
    snprintf(generate, sizeof generate, "hex:%s", c->grid);
    bench_require(pen_graph_generate(MPI_COMM_SELF, generate, &graph), c->name);
    bench_require(pen_run_create(MPI_COMM_SELF, graph, app, &options, &run), c->name);
    bench_require(pen_run_steps(run, c->steps), c->name);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* Writes the file `path`. */
static void record(const scenario_case *c, const char *path)
{
    static const char *const battles[] = { "meeting", "breakthrough", "encirclement", "scatter" };
    for (int i = 0; i < PEN_COUNT_OF(battles); i++) {
        if (strcmp(c->name, battles[i]) != 0) continue;
        battle b = { BATTLE_DEFAULT };
        b.name = c->name;
        b.seed = c->seed;
        pen_app app = pen_battlefield_app(&b);
        record_app(c, &app, path);
        pen_scenario_free(&b.plan);
        return;
    }
    if (strcmp(c->name, "front") == 0) {
        record_app(c, &bench_front_app, path);
        return;
    }
    grain g = { GRAIN_DEFAULT };
    g.load_text = c->name;
    pen_app app = bench_app;
    app.params = &g;
    app.setup = setup;
    pen_phase phase = app.phases.list[0];
    phase.cost = weight_sweep;
    app.phases.list = &phase;
    record_app(c, &app, path);
}

/* ---- The table --------------------------------------------------------------------------------- */

typedef struct total {
    int rows;
    double logarithms, worst;
} total;

/* A case as the table names it. */
static const char *name_of(const scenario_case *c)
{
    static char name[96];
    snprintf(name, sizeof name, "%s %s %" PRId64 " seed %" PRId64 "%s%s", c->name, c->grid, c->steps, c->seed,
             c->cost ? " cost " : "", c->cost ? c->cost : "");
    return name;
}

static void print_calls(const pen_steer *steer)
{
    for (int64_t i = 0; i < steer->call_count; i++)
        printf("    step %" PRId64 " %s imbalance %.3f -> %.3f moved %" PRId64 ", most of a rank %" PRId64 "\n",
               steer->calls[i].step, steer->calls[i].applied ? "applied" : "kept", steer->calls[i].before.imbalance,
               steer->calls[i].after.imbalance, steer->calls[i].evaluation.moved, steer->calls[i].evaluation.max_moved);
}

static double cost_of(const hindsight *h, int run) { return pen_replay_run_cost(&h->runs[run]); }

static void print_cost(const hindsight *h, int run, int best)
{
    printf(" %6.3f%c", cost_of(h, run) / h->bound, run == best ? '*' : ' ');
}

static void print_row(const char *path, const scenario_case *c, int ranks, const char *balancer, bool show_calls,
                      total *t)
{
    hindsight h = { .file = path,
                    .balancer = balancer,
                    .cost = c->cost,
                    .ranks = ranks,
                    .periods = periods,
                    .period_count = PEN_COUNT_OF(periods) };
    bench_require(pen_hindsight_search(&h), c->name);
    int best = pen_hindsight_cheapest(&h, HINDSIGHT_PERIODS, h.count);
    if (cost_of(&h, HINDSIGHT_NEVER) < cost_of(&h, best)) best = HINDSIGHT_NEVER;
    const pen_steer *steer = &h.runs[HINDSIGHT_AUTO].steer;
    const double ratio = cost_of(&h, HINDSIGHT_AUTO) / cost_of(&h, best);
    if (show_calls) print_calls(steer);
    printf("%-44s %2d %-9s", name_of(c), ranks, balancer);
    for (int i = HINDSIGHT_PERIODS; i < h.count; i++) print_cost(&h, i, best);
    print_cost(&h, HINDSIGHT_NEVER, best);
    print_cost(&h, HINDSIGHT_AUTO, best);
    printf(" %7.4f  %3" PRId64 " %3" PRId64 "\n", ratio, steer->all.calls, steer->all.applied);
    fflush(stdout);
    pen_hindsight_free(&h);
    t->rows++;
    t->logarithms += log(ratio);
    t->worst = fmax(t->worst, ratio);
}

static void print_heading(void)
{
    printf("%-44s %2s %-9s", "makespan / ideal", "P", "balancer");
    for (int i = 0; i < PEN_COUNT_OF(periods); i++) printf(" every:%-1" PRId64, periods[i]);
    printf(" %6s  %6s  %7s %8s\n", "never", "auto", "ratio", "calls");
}

int main(int argc, char **argv)
{
    const char *set = "fitted", *filter = "", *only = "diffusive";
    int64_t ranks = 0;
    bool show_calls = false;
    const pen_option options[] = {
        { "set", "SET", "rows: fitted (a minute or two), held (out) or all", PEN_OPTION_TEXT, &set, 0, 0 },
        { "case", "TEXT", "only cases whose names have it", PEN_OPTION_TEXT, &filter, 0, 0 },
        { "ranks", "N", "only on so many: 4, 8 or 16", PEN_OPTION_INT, &ranks, 4, 16 },
        { "balancer", "NAME", "diffusive, metis, rcb or all (diffusive)", PEN_OPTION_TEXT, &only, 0, 0 },
        { "calls", NULL, "print auto's calls", PEN_OPTION_FLAG, &show_calls, 0, 0 },
        { .name = NULL },
    };
    static const char *const balancers[] = { "diffusive", "metis", "rcb" };
    static const int sizes[] = { 4, 8, 16 };
    const char *folder = getenv("TMPDIR");
    char path[4096];
    total totals[2] = { { 0 } };
    bench_start(argc, argv, options);
    snprintf(path, sizeof path, "%s/when_bench.XXXXXX", folder ? folder : "/tmp");
    close(mkstemp(path));
    print_heading();
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        const scenario_case *c = &cases[i];
        if (strcmp(set, "all") != 0 && strcmp(set, c->held ? "held" : "fitted") != 0) continue;
        if (!strstr(name_of(c), filter)) continue;
        record(c, path);
        for (int b = 0; b < PEN_COUNT_OF(balancers); b++)
            for (int p = 0; p < PEN_COUNT_OF(sizes); p++)
                if ((strcmp(only, "all") == 0 || strcmp(only, balancers[b]) == 0) && (ranks == 0 || ranks == sizes[p]))
                    print_row(path, c, sizes[p], balancers[b], show_calls, &totals[c->held || b > 0]);
    }
    unlink(path);
    for (int i = 0; i < 2; i++)
        if (totals[i].rows > 0)
            printf("%s: auto / best in hindsight, %d rows: geometric mean %.4f, worst %.4f\n",
                   i ? "held out" : "fitted", totals[i].rows, exp(totals[i].logarithms / totals[i].rows),
                   totals[i].worst);
    MPI_Finalize();
    return 0;
}
