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
#include "tools/sim/replay_run.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* --balance-when; 0: never; AUTO. */
enum { NEVER = 0, AUTO = -1 };
static const int whens[] = { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, NEVER, AUTO };
enum { WHENS = PEN_COUNT_OF(whens), HINDSIGHTS = WHENS - 1 };

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
    app.cost = weight;
    record_app(c, &app, path);
}

/* ---- Replaying --------------------------------------------------------------------------------- */

typedef struct outcome {
    double ratio; /* makespan / ideal */
    int64_t calls, applied;
} outcome;

static void print_calls(const pen_steer *steer)
{
    for (int64_t i = 0; i < steer->call_count; i++)
        printf("    step %" PRId64 " %s imbalance %.3f -> %.3f moved %" PRId64 ", most of a rank %" PRId64 "\n",
               steer->calls[i].step, steer->calls[i].applied ? "applied" : "kept", steer->calls[i].before.imbalance,
               steer->calls[i].after.imbalance, steer->calls[i].moved_nodes, steer->calls[i].max_moved);
}

/* Replays the record once for each of whens[WHENS], all at the same time. */
static void replay(const char *path, const scenario_case *c, int ranks, const char *balancer, bool show_calls,
                   outcome outcomes[WHENS])
{
    const replay_model model = pen_replay_model_default();
    replay_mutual mutual = { .changes = -1 };
    replay_run runs[WHENS];
    char texts[WHENS][32];
    pen_workload w;
    pen_workload_event event = PEN_WORKLOAD_STEP;
    bench_require(pen_workload_open(path, &w), path);
    for (int i = 0; i < WHENS; i++) {
        replay_world world;
        snprintf(texts[i], sizeof texts[i], whens[i] > 0 ? "every:%d:always" : "auto", whens[i]);
        bench_require(pen_replay_world_create(&w, ranks, NULL, "metis", &world), c->name);
        bench_require(pen_replay_run_begin(&world, &mutual, &model, whens[i] == NEVER ? "none" : balancer, texts[i],
                                           c->cost, false, &runs[i]),
                      texts[i]);
    }
    while (event != PEN_WORKLOAD_END) {
        bench_require(pen_workload_next(&w, &event), path);
        for (int i = 0; event == PEN_WORKLOAD_STEP && i < WHENS; i++)
            bench_require(pen_replay_run_step(&runs[i], c->steps - w.step), texts[i]);
    }
    for (int i = 0; i < WHENS; i++) {
        const pen_steer *steer = &runs[i].steer;
        outcomes[i] = (outcome){ 1.0 / pen_replay_run_efficiency(&runs[i]), steer->all.calls, steer->all.applied };
        if (show_calls && whens[i] == AUTO) print_calls(steer);
        pen_replay_run_free(&runs[i]);
    }
    pen_replay_mutual_free(&mutual);
    pen_workload_close(&w);
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

static void print_row(const char *path, const scenario_case *c, int ranks, const char *balancer, bool show_calls,
                      total *t)
{
    outcome o[WHENS];
    int best = 0;
    replay(path, c, ranks, balancer, show_calls, o);
    for (int i = 0; i < HINDSIGHTS; i++)
        if (o[i].ratio < o[best].ratio) best = i;
    double ratio = o[HINDSIGHTS].ratio / o[best].ratio;
    printf("%-44s %2d %-9s", name_of(c), ranks, balancer);
    for (int i = 0; i < WHENS; i++) printf(" %6.3f%c", o[i].ratio, i == best ? '*' : ' ');
    printf(" %7.4f  %3" PRId64 " %3" PRId64 "\n", ratio, o[HINDSIGHTS].calls, o[HINDSIGHTS].applied);
    fflush(stdout);
    t->rows++;
    t->logarithms += log(ratio);
    t->worst = fmax(t->worst, ratio);
}

static void print_heading(void)
{
    printf("%-44s %2s %-9s", "makespan / ideal", "P", "balancer");
    for (int i = 0; i < WHENS; i++)
        if (whens[i] > 0) printf(" every:%-1d", whens[i]);
        else printf(" %6s ", whens[i] == NEVER ? "never" : "auto");
    printf(" %7s %8s\n", "ratio", "calls");
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
    if (!bench_start(argc, argv, options)) return MPI_Finalize();
    bench_print_setting("when_bench", 1);
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
