/* when.c - how good is --balance-when=auto beside the best --balance-when=every:N in hindsight?
 *
 *     when_bench [--set=fitted|held|all] [--case=TEXT] [--ranks=N] [--balancer=NAME|all] [--calls]
 *
 * Loads are declared: an application's .cost says what every node costs in every step, whoever owns it. So the steps
 * are recorded once, on one rank, and lived through again on virtual ranks with the steering, the balancers and the
 * declared costs of a run, for every N of the table, without a call (never), and with auto. What comes out is the same
 * on every machine, however busy it is.
 *
 * A row's figures are makespans over the ideal (total load / ranks). Of the columns N and never the least is the best
 * in hindsight, and auto / best is what the row is about; a `*` stands at the best. At the end the geometric mean and
 * the worst of auto / best, for the rows by which the trigger was chosen (fitted: diffusive), and for those by which it
 * was not (held out, and all other balancers). Their limits stand in figures.txt.
 *
 * Every makespan is added up a second time, from the owners of nodes and the recorded loads, and both must agree; as
 * must the ranks' steering, the sum of their loads and the recorded one, and the number of nodes of a migration. */
#include "apps/battlefield/battlefield.h"
#include "balance/partitioners.h"
#include "balance/registry.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "steer/steer.h"
#include "tests/bench/bench.h"
#include "tests/support/virtual_world.h"
#include "view/check.h"

#include <math.h>
#include <stdlib.h>

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

/* A scenario of battlefield, or what --imbalance is to hex. */
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
};

/* What every node costs in every step. */
typedef struct recording {
    pen_graph *graph;
    int64_t steps;
    double *loads; /* [steps*nodes] */
} recording;

/* ---- Recording -------------------------------------------------------------------------------- */

static double weight(const pen_view *v)
{
    return pen_grain_weight((const grain *)pen_params(v), pen_step(v), pen_id(v));
}
static const char *setup(void *params, const pen_world *world) { return pen_grain_setup((grain *)params, world); }

static recording record_app(const scenario_case *c, const pen_app *app)
{
    char generate[64];
    pen_run *run;
    recording r = { .steps = c->steps };
    pen_run_options options = { .steps = c->steps, .balance.load = PEN_LOAD_DECLARED, .partitioner = "block" };
    snprintf(generate, sizeof generate, "hex:%s", c->grid);
    bench_require(pen_graph_generate(MPI_COMM_SELF, generate, &r.graph), c->name);
    bench_require(pen_run_create(MPI_COMM_SELF, r.graph, app, &options, &run), c->name);
    r.loads = bench_room(r.steps * r.graph->nodes);
    for (int64_t step = 0; step < r.steps; step++) {
        bench_require(pen_run_steps(run, 1), c->name);
        for (pen_lid s = 0; s < run->store->owned; s++)
            r.loads[step * r.graph->nodes + run->store->gids[s]] = pen_loads_of(run)->of[s];
    }
    pen_run_destroy(&run);
    return r;
}

static recording record(const scenario_case *c)
{
    static const char *const battles[] = { "meeting", "breakthrough", "encirclement", "scatter" };
    for (int i = 0; i < PEN_COUNT_OF(battles); i++) {
        if (strcmp(c->name, battles[i]) != 0) continue;
        battle b = { BATTLE_DEFAULT };
        b.name = c->name;
        b.seed = c->seed;
        pen_app app = pen_battlefield_app(&b);
        recording r = record_app(c, &app);
        pen_scenario_free(&b.plan);
        return r;
    }
    grain g = { GRAIN_DEFAULT };
    g.load_text = c->name;
    pen_app app = bench_app;
    app.params = &g;
    app.setup = setup;
    app.cost = weight;
    return record_app(c, &app);
}

static void forget(recording *r)
{
    pen_graph_destroy(&r->graph);
    free(r->loads);
}

/* ---- Living through it ------------------------------------------------------------------------- */

/* A run on virtual ranks; the arrays are by rank. */
typedef struct life {
    pen_virtual_world world;
    const pen_balancer *balancer;
    const recording *recording;
    int64_t step; /* done */
    int32_t version;
    pen_steer *steers;
    pen_steer_facts *facts;
    pen_steer_result *results;
    double **loads; /* of own nodes, [counts[rank]] each, within */
    double *all;    /* [nodes] */
    pen_past *past; /* [nodes] */
    double *before; /* [nodes] remembered: sums over so many steps */
    int64_t steps_before;
    double *totals;
    pen_lid *counts;
    double makespan;
} life;

static void require(bool right, const char *what)
{
    if (!right) bench_require(pen_fail(PEN_ERR_INTERNAL, "it does not agree"), what);
}

static bool agree(double a, double b) { return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)); }

/* Add the loads of the step to what is kept of a rank's nodes. */
static void add_to_past(const life *l, int rank, pen_past_sums *sums)
{
    const pen_virtual_world *w = &l->world;
    const pen_forecast *forecast = &l->steers[rank].forecast;
    for (int32_t i = 0; forecast->keeps && i < w->nodes; i++)
        if (w->owners[i] == rank) pen_forecast_add(&l->past[i], w->loads[i], pen_forecast_weight(forecast), sums);
}

/* The same graph, in the order of gids, and the owners that a run of so many ranks begins with. */
static void settle(life *l, int ranks)
{
    const pen_graph *g = l->recording->graph;
    pen_virtual_world *w = &l->world;
    int width = (int)g->width, height = (int)g->height;
    bench_require(pen_virtual_hex(ranks, width, height, w), "grid");
    require(w->rows[w->nodes] == (uint32_t)g->rows[g->count], "arcs");
    for (int64_t a = 0; a < g->rows[g->count]; a++) require(w->columns[a] == g->neighbors[a], "neighbours");
    bench_require(pen_partition(g, "metis", NULL, ranks, w->owners), "partition");
}

static void deal(life *l)
{
    const pen_virtual_world *w = &l->world;
    double *at = l->all;
    for (int r = 0; r < w->ranks; r++) {
        l->loads[r] = at;
        l->totals[r] = 0.0;
        for (int32_t i = 0; i < w->nodes; i++) {
            if (w->owners[i] != r) continue;
            *at++ = w->loads[i];
            l->totals[r] += w->loads[i];
        }
        l->counts[r] = (pen_lid)(at - l->loads[r]);
    }
}

static pen_status look(void *context, pen_peers *peers)
{
    life *l = context;
    int r = peers->rank;
    pen_steer_local mine = { .step = l->step,
                             .remaining = l->recording->steps - l->step,
                             .seconds = (double)l->step,
                             .count = l->counts[r],
                             .loads = l->loads[r],
                             .load = l->totals[r],
                             .speed = 1.0,
                             .version = l->version,
                             .nodes = l->world.nodes };
    add_to_past(l, r, &mine.past);
    return pen_steer_look(&l->steers[r], peers, &mine, &l->facts[r]);
}

static pen_status end_call(void *context, pen_peers *peers)
{
    life *l = context;
    return pen_steer_call_end(&l->steers[peers->rank], peers, &l->facts[peers->rank], &l->results[peers->rank]);
}

static pen_quality measure(const pen_virtual_world *w)
{
    pen_quality q;
    bench_require(pen_virtual_world_measure(w, &q), "measuring");
    return q;
}

/* What comes of new owners: of every rank and of all of them. */
static void foresee(const life *l, const double *loads, int32_t *owners, double *max, pen_steer_result *results)
{
    const pen_virtual_world *w = &l->world;
    pen_virtual_world planned = *w;
    double least = HUGE_VAL, total = 0.0;
    planned.owners = owners;
    const pen_quality q = measure(&planned);
    int64_t *in, *out, moved = 0, most = 0;
    *max = 0.0;
    bench_require(PEN_ALLOC_ZERO(&in, w->ranks), "memory");
    bench_require(PEN_ALLOC_ZERO(&out, w->ranks), "memory");
    for (int r = 0; r < w->ranks; r++) results[r] = (pen_steer_result){ .planned = true, .version = l->version };
    for (int32_t i = 0; i < w->nodes; i++) {
        results[owners[i]].evaluation.load += loads[i];
        if (owners[i] == w->owners[i]) continue;
        in[owners[i]]++;
        out[w->owners[i]]++;
        moved++;
    }
    for (int r = 0; r < w->ranks; r++) {
        *max = fmax(*max, results[r].evaluation.load);
        least = fmin(least, results[r].evaluation.load);
        total += results[r].evaluation.load;
        if (in[r] > most) most = in[r];
        if (out[r] > most) most = out[r];
    }
    for (int r = 0; r < w->ranks; r++) {
        results[r].evaluation.max = *max;
        results[r].evaluation.off = fmax(*max - total / w->ranks, total / w->ranks - least);
        results[r].evaluation.cut = q.cut;
        results[r].evaluation.pieces = q.pieces;
        results[r].evaluation.moved = moved;
        results[r].evaluation.max_moved = most;
    }
    PEN_FREE_ALL(in, out);
}

static void balance(life *l)
{
    pen_virtual_world *w = &l->world, planned = *w;
    pen_virtual_outcome outcome;
    double max;
    bench_require(PEN_ALLOC(&planned.owners, w->nodes), "memory");
    memcpy(planned.owners, w->owners, (size_t)w->nodes * sizeof *w->owners);
    planned.horizon = pen_steer_horizon(&l->steers[0], &l->facts[0]);
    bool mixes = pen_steer_mixes(&l->steers[0]);
    for (int32_t i = 0; l->facts[0].by_average && i < w->nodes; i++) w->loads[i] = l->past[i].average;
    for (int32_t i = 0; mixes && i < w->nodes; i++) l->before[i] /= (double)l->steps_before;
    planned.before = mixes ? l->before : NULL;
    bench_require(pen_virtual_world_balance(&planned, l->balancer, "", NULL, false, &outcome), l->balancer->name);
    double max_before = 0.0;
    if (mixes) foresee(l, l->before, planned.owners, &max_before, l->results);
    foresee(l, w->loads, planned.owners, &max, l->results);
    for (int r = 0; mixes && r < w->ranks; r++) l->results[r].evaluation.max = 0.5 * (max + max_before);
    require(outcome.moved == l->results[0].evaluation.moved, "moved nodes");
    bool applied = pen_steer_accepts(&l->steers[0], &l->facts[0], &l->results[0].evaluation);
    const pen_steer_facts *facts = &l->facts[0];
    l->makespan += facts->base + (applied ? facts->per_node * (double)l->results[0].evaluation.max_moved : 0.0);
    l->version += applied;
    for (int r = 0; r < w->ranks; r++) {
        bench_require(pen_steer_call_begin(&l->steers[r], &l->facts[r]), "memory");
        l->results[r].applied = applied;
        l->results[r].version = l->version;
    }
    bench_require(pen_virtual_run(w->ranks, 1, end_call, l, NULL, NULL), "the end of a call");
    if (applied) {
        memcpy(w->owners, planned.owners, (size_t)w->nodes * sizeof *w->owners);
        const pen_quality now = measure(w);
        for (int r = 0; r < w->ranks; r++) pen_steer_moved(&l->steers[r], &now);
    }
    free(planned.owners);
}

static void live_step(life *l)
{
    pen_virtual_world *w = &l->world;
    double sum = 0.0, max = 0.0;
    memcpy(w->loads, l->recording->loads + l->step * w->nodes, (size_t)w->nodes * sizeof *w->loads);
    l->step++;
    deal(l);
    for (int r = 0; r < w->ranks; r++) {
        sum += l->totals[r];
        max = fmax(max, l->totals[r]);
    }
    l->makespan += max;
    bench_require(pen_virtual_run(w->ranks, 1, look, l, NULL, NULL), "a look");
    require(agree(l->facts[0].total, sum) && agree(l->facts[0].load.max, max), "the sum of loads");
    bool wants = false;
    for (int r = 0; r < w->ranks; r++) {
        bool mine = l->balancer && pen_steer_wants_plan(&l->steers[r], &l->facts[r]);
        require(r == 0 || mine == wants, "the ranks' decisions");
        wants = mine;
    }
    pen_steer_memory memory = pen_steer_remembers(&l->steers[0]);
    if (memory == PEN_STEER_BEGIN) l->steps_before = 0;
    for (int32_t i = 0; memory != PEN_STEER_NONE && i < w->nodes; i++)
        l->before[i] = w->loads[i] + (memory == PEN_STEER_ADD ? l->before[i] : 0.0);
    l->steps_before += memory != PEN_STEER_NONE;
    if (wants) balance(l);
}

typedef struct outcome {
    double ratio; /* makespan / ideal */
    int64_t calls, applied;
} outcome;

static outcome live(const recording *r, int ranks, const pen_balancer *balancer, int when, const char *cost,
                    bool show_calls)
{
    char text[32];
    pen_steer_settings settings;
    life l = { .recording = r, .balancer = when == NEVER ? NULL : balancer };
    snprintf(text, sizeof text, when == AUTO ? "auto" : "every:%d:always", when == NEVER ? 1 : when);
    bench_require(pen_steer_settings_read("declared", text, cost, &settings), text);
    settle(&l, ranks);
    bench_require(PEN_ALLOC_ZERO(&l.steers, ranks), "memory");
    bench_require(PEN_ALLOC(&l.facts, ranks), "memory");
    bench_require(PEN_ALLOC(&l.results, ranks), "memory");
    bench_require(PEN_ALLOC(&l.loads, ranks), "memory");
    bench_require(PEN_ALLOC(&l.all, l.world.nodes), "memory");
    bench_require(PEN_ALLOC(&l.before, l.world.nodes), "memory");
    bench_require(PEN_ALLOC_ZERO(&l.past, l.world.nodes), "memory");
    bench_require(PEN_ALLOC(&l.totals, ranks), "memory");
    bench_require(PEN_ALLOC(&l.counts, ranks), "memory");
    const pen_quality first = measure(&l.world);
    for (int rank = 0; rank < ranks; rank++) {
        l.steers[rank].settings = settings;
        l.steers[rank].averages = l.balancer && when == AUTO;
        pen_steer_start(&l.steers[rank], NULL, 1, 0.0);
        pen_steer_measured(&l.steers[rank], &first);
    }
    while (l.step < r->steps) live_step(&l);
    const pen_steer *steer = &l.steers[0];
    require(agree(steer->makespan, l.makespan), "the makespan");
    outcome o = { l.makespan * ranks / steer->total, steer->all.calls, steer->all.applied };
    for (int64_t i = 0; show_calls && i < steer->call_count; i++)
        printf("    step %" PRId64 " %s imbalance %.3f -> %.3f moved %" PRId64 ", most of a rank %" PRId64 "\n",
               steer->calls[i].step, steer->calls[i].applied ? "applied" : "kept", steer->calls[i].imbalance_before,
               steer->calls[i].imbalance_after, steer->calls[i].moved_nodes, steer->calls[i].max_moved);
    for (int rank = 0; rank < ranks; rank++) pen_steer_free(&l.steers[rank]);
    PEN_FREE_ALL(l.steers, l.facts, l.results, l.loads, l.all, l.before, l.past, l.totals, l.counts);
    pen_virtual_world_free(&l.world);
    return o;
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

static void print_row(const scenario_case *c, const recording *r, int ranks, const pen_balancer *balancer,
                      bool show_calls, total *t)
{
    outcome o[WHENS];
    int best = 0;
    for (int i = 0; i < WHENS; i++) {
        o[i] = live(r, ranks, balancer, whens[i], c->cost, show_calls && whens[i] == AUTO);
        if (i < HINDSIGHTS && o[i].ratio < o[best].ratio) best = i;
    }
    double ratio = o[HINDSIGHTS].ratio / o[best].ratio;
    printf("%-44s %2d %-9s", name_of(c), ranks, balancer->name);
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
    total totals[2] = { { 0 } };
    if (!bench_start(argc, argv, options)) return MPI_Finalize();
    bench_print_setting("when_bench", 1);
    print_heading();
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        const scenario_case *c = &cases[i];
        if (strcmp(set, "all") != 0 && strcmp(set, c->held ? "held" : "fitted") != 0) continue;
        if (!strstr(name_of(c), filter)) continue;
        recording r = record(c);
        for (int b = 0; b < PEN_COUNT_OF(balancers); b++) {
            pen_chosen_balancer chosen;
            if (strcmp(only, "all") != 0 && strcmp(only, balancers[b]) != 0) continue;
            bench_require(pen_balancer_open(balancers[b], &chosen), balancers[b]);
            for (int p = 0; p < PEN_COUNT_OF(sizes); p++)
                if (ranks == 0 || ranks == sizes[p])
                    print_row(c, &r, sizes[p], chosen.kind, show_calls, &totals[c->held || b > 0]);
            pen_balancer_close(&chosen);
        }
        forget(&r);
    }
    for (int i = 0; i < 2; i++)
        if (totals[i].rows > 0)
            printf("%s: auto / best in hindsight, %d rows: geometric mean %.4f, worst %.4f\n",
                   i ? "held out" : "fitted", totals[i].rows, exp(totals[i].logarithms / totals[i].rows),
                   totals[i].worst);
    MPI_Finalize();
    return 0;
}
