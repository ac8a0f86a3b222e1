/* tables.c - papers_bench minex-tables: the tables of a paper on grids of unequal processors, beside ours. */
#include "base/memory.h"
#include "tests/bench/papers/commands.h"
#include "tests/bench/papers/contenders.h"
#include "tests/bench/papers/execute.h"
#include "tests/bench/papers/paper.h"
#include "tools/common/order.h"
#include "tools/common/ticker.h"
#include "tools/sim/report.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { FEW = 16384, MANY = 262144, PROCESSORS = 64, CLUSTERS = 8, BETWEEN = 10, TITLE = 640 };
static const char *const kinds[PAPER_KINDS] = { "UP", "HO", "DN" };

typedef struct choices {
    int64_t table, bodies, seed, repeats, steps, channels;
    double theta;
    const char *send, *measure, *format, *contenders, *graph;
    bool model, chosen[SIM_CONTENDERS];
    sim_rules rules;
    sim_report report;
} choices;

typedef struct outcome {
    double runtime, imbalance;
} outcome;

static pen_status make_machine(const char *kind, int processors, int clusters, int between, pen_machine **machine)
{
    char spec[64];
    snprintf(spec, sizeof spec, "clusters:%d,between=%d,kind=%s", clusters, between, kind);
    return pen_machine_generate(spec, processors, machine);
}

static pen_minex_settings make_settings(const choices *c, bool diffusive)
{
    pen_minex_settings settings = pen_minex_defaults(diffusive);
    settings.tolerance = pen_minex_overlap;
    settings.context = &c->theta;
    return settings;
}

/* A step on G, in thousands of units. */
static pen_status measure(const choices *c, const sim_case *of, const pen_machine *m, const int32_t *part, outcome *o)
{
    const pen_minex_graph graph = pen_bodies_graph_view(&of->directed);
    if (c->model) {
        pen_minex_settings settings = make_settings(c, true);
        pen_minex_metrics metrics;
        PEN_TRY(pen_minex_measure(&graph, m, &settings, part, &metrics, NULL, NULL));
        *o = (outcome){ metrics.heaviest / 1000.0, metrics.imbalance };
    } else {
        sim_execution e;
        PEN_TRY(pen_sim_execute(&graph, m, c->rules, part, &e));
        *o = (outcome){ e.runtime / 1000.0, e.imbalance };
    }
    return PEN_OK;
}

/* The best of its variants, endless where it is not wanted; part[] is that of the last one. */
static pen_status try_contender(const choices *c, sim_contender who, const sim_case *of, const pen_machine *m,
                                int32_t *part, outcome *best)
{
    *best = (outcome){ HUGE_VAL, 0.0 };
    for (int k = 0; k < pen_sim_variants(who) && c->chosen[who]; k++) {
        outcome o;
        PEN_TRY(pen_sim_partition(who, k, of, m, c->theta, part));
        PEN_TRY(measure(c, of, m, part, &o));
        if (o.runtime < best->runtime) *best = o;
    }
    return PEN_OK;
}

static void set_owners(sim_case *of, int32_t owner)
{
    for (int32_t v = 0; v < of->directed.count; v++) of->directed.owners[v] = of->mutual.owners[v] = owner;
}

/* What a table is made with. */
typedef struct inputs {
    int32_t bodies;
    int size; /* 0 and 1: of the paper's numbers of bodies; -1: of another one, for which it has no results */
    sim_case of;
    int32_t *part; /* [cells] */
} inputs;

/* "WHAT of so many bodies: ...; UNIT": a table's graph, how it differs from the paper's, and its unit. */
static int name_graph(const inputs *in, char *text, const char *what, const char *unit)
{
    const bodies_graph *g = &in->of.directed;
    double work = 0.0;
    for (int32_t v = 0; v < g->count; v++) work += g->work[v];
    int used = snprintf(text, TITLE,
                        "%s; %" PRId32 " bodies: %" PRId32 " cells, %" PRId64 " edges, work %.3g million units", what,
                        in->bodies, g->count, g->rows[g->count] / 2, work / 1e6);
    if (in->size >= 0) {
        const double *paper = pen_paper_graphs[in->size];
        used += snprintf(text + used, (size_t)(TITLE - used),
                         " (paper: %.0f, %.0f, about %.3g; so we have %.1f times the work)", paper[0], paper[1],
                         paper[2] / 1e6, work / paper[2]);
    } else used += snprintf(text + used, (size_t)(TITLE - used), " (the paper has other numbers of bodies)");
    return used + snprintf(text + used, (size_t)(TITLE - used), "; %s", unit);
}

static void title(const choices *c, const inputs *in, char *text, const char *what)
{
    int used = name_graph(in, text, what,
                          "RT in thousands of units, a pair of bodies at speed 1 or a body over a link of cost 1");
    if (c->model) snprintf(text + used, (size_t)(TITLE - used), "; model, theta %g", c->theta);
    else
        snprintf(text + used, (size_t)(TITLE - used),
                 "; simulated, sent once per %s, %d channel%s; MinEX expects theta %g", c->send, c->rules.channels,
                 c->rules.channels == 1 ? "" : "s", c->theta);
}

typedef pen_status table_fn(choices *c, inputs *in);

/* Of few bodies a step takes but some thousands of units. */
static void add_runtime(sim_table *t, double runtime) { pen_sim_table_number(t, runtime < 100.0 ? 2 : 0, runtime); }

static void add_paper(sim_table *t, int decimals, bool there, const double *value)
{
    pen_sim_table_number(t, decimals, there ? *value : NAN);
}

/* ---- Tables 1 and 2 ---------------------------------------------------------------------------- */

/* Data is measured where it is in the end: as the paper's numbers are, which those from scratch equal. */
static pen_status throt_of(const choices *c, inputs *in, const pen_machine *m, double throt, outcome *o)
{
    pen_minex_settings settings = make_settings(c, true);
    settings.throt = throt;
    set_owners(&in->of, 0);
    const pen_minex_graph graph = pen_bodies_graph_view(&in->of.directed);
    PEN_TRY(pen_minex_partition(&graph, m, &settings, in->part, NULL, NULL));
    if (!c->model) set_owners(&in->of, -1);
    return measure(c, &in->of, m, in->part, o);
}

static pen_status table_1(choices *c, inputs *in)
{
    sim_table t;
    char text[TITLE];
    if (in->size > 0) return PEN_OK;
    title(c, in, text, "Table 1: RT by ThroT, UP, 8 clusters, diffusive from all on processor 0");
    pen_sim_table_begin(&t, text, "ThroT");
    for (int g = 0; g < PAPER_THROT_GRIDS; g++) {
        int processors = 32 << g / 2, between = g % 2 ? 100 : 10;
        pen_sim_table_column(&t, "P=%d I=%d", processors, between);
        pen_sim_table_column(&t, "paper %d/%d", processors, between);
    }
    pen_status status = PEN_OK;
    for (int r = 0; r < PAPER_THROTS; r++) {
        pen_sim_table_number(&t, 0, pen_paper_table_1[r].throt);
        for (int g = 0; g < PAPER_THROT_GRIDS && status == PEN_OK; g++) {
            pen_machine *m = NULL;
            outcome o = { 0.0, 0.0 };
            pen_ticker_bytes("simulating", "table 1", r * PAPER_THROT_GRIDS + g, PAPER_THROTS * PAPER_THROT_GRIDS);
            status = make_machine("UP", 32 << g / 2, CLUSTERS, g % 2 ? 100 : 10, &m);
            if (status == PEN_OK) status = throt_of(c, in, m, pen_paper_table_1[r].throt, &o);
            pen_machine_destroy(&m);
            add_runtime(&t, o.runtime);
            add_paper(&t, 0, in->size == 0, &pen_paper_table_1[r].runtimes[g]);
        }
    }
    return pen_sim_report_table(&c->report, &t, status);
}

static pen_status table_2(choices *c, inputs *in)
{
    static const char *const names[] = { "total", "pass", "fail" };
    sim_table t;
    char text[TITLE];
    set_owners(&in->of, 0);
    name_graph(in, text, "Table 2: calls of the filter, UP, 8 clusters, I = 10, diffusive from all on processor 0",
               "calls: ours are of all passes over all levels, the paper does not say what its are of");
    pen_sim_table_begin(&t, text, "bodies,P");
    for (int k = 0; k < 3; k++) {
        pen_sim_table_column(&t, "%s", names[k]);
        pen_sim_table_column(&t, "paper %s", names[k]);
    }
    pen_status status = PEN_OK;
    for (int r = 0; r < PAPER_FILTERS && status == PEN_OK; r++) {
        pen_machine *m = NULL;
        pen_minex_counts n = { 0, 0, 0 };
        pen_minex_settings settings = pen_minex_defaults(true);
        const pen_minex_graph graph = pen_bodies_graph_view(&in->of.directed);
        status = make_machine("UP", pen_paper_table_2[r].processors, CLUSTERS, BETWEEN, &m);
        if (status == PEN_OK) status = pen_minex_partition(&graph, m, &settings, in->part, NULL, &n);
        pen_machine_destroy(&m);
        const int64_t counts[] = { n.total, n.pass, n.fail };
        pen_sim_table_number(&t, 0, in->bodies);
        pen_sim_table_number(&t, 0, pen_paper_table_2[r].processors);
        for (int k = 0; k < 3; k++) {
            pen_sim_table_number(&t, 0, (double)counts[k]);
            add_paper(&t, 0, in->size >= 0, &pen_paper_table_2[r].counts[in->size > 0][k]);
        }
    }
    return pen_sim_report_table(&c->report, &t, status);
}

/* ---- Table 3 ----------------------------------------------------------------------------------- */

/* Bodies that move, and what each contender has made of them so far. */
typedef struct motion {
    int32_t count;
    bodies_body *bodies;
    int32_t *of_bodies[SIM_CONTENDERS]; /* [count] owners; -1: nowhere */
    outcome first[SIM_CONTENDERS], sums[SIM_CONTENDERS];
} motion;

static const sim_contender moved[] = { SIM_MINEX, SIM_MINEX_MUTUAL, SIM_METIS, SIM_METIS_SPEEDS };

static pen_status step_of(const choices *c, const bodies_tree *tree, sim_contender who, const pen_machine *m,
                          sim_case *of, int32_t *part, motion *n)
{
    outcome o;
    PEN_TRY(pen_bodies_graph_own(tree, n->of_bodies[who], &of->directed));
    memcpy(of->mutual.owners, of->directed.owners, (size_t)of->directed.count * sizeof *part);
    PEN_TRY(try_contender(c, who, of, m, part, &o));
    if (n->first[who].runtime == 0.0) n->first[who] = o;
    n->sums[who].runtime += o.runtime;
    n->sums[who].imbalance += o.imbalance;
    for (int32_t i = 0; i < tree->count; i++) {
        const bodies_cell *v = &tree->cells[i];
        for (int32_t k = v->first; v->leaf >= 0 && k < v->first + v->bodies; k++)
            n->of_bodies[who][tree->items[k].body] = part[v->leaf];
    }
    return PEN_OK;
}

static pen_status steps_of_all(const choices *c, const pen_machine *m, int32_t *part, motion *n)
{
    const bodies_case chosen = bodies_case_of(n->count);
    pen_status status = PEN_OK;
    for (int64_t step = 0; step < c->steps && status == PEN_OK; step++) {
        bodies_tree tree;
        sim_case of = { .directed = { 0 } };
        pen_ticker_bytes("simulating", "table 3", step, c->steps);
        status = pen_bodies_tree_create(n->count, n->bodies, chosen.cell_most, &tree);
        if (status == PEN_OK) status = pen_sim_case_of(&tree, chosen.closeness, &of);
        for (int k = 0; k < PEN_COUNT_OF(moved) && status == PEN_OK; k++)
            if (c->chosen[moved[k]]) status = step_of(c, &tree, moved[k], m, &of, part, n);
        pen_sim_case_free(&of);
        pen_bodies_tree_free(&tree);
        if (status == PEN_OK && step + 1 < c->steps)
            status = pen_bodies_move(n->count, n->bodies, chosen.cell_most, chosen.closeness, 0.025);
    }
    return status;
}

static pen_status move_all(const choices *c, motion *n)
{
    pen_machine *m = NULL;
    int32_t *part = NULL;
    PEN_TRY(pen_bodies_place(n->count, (uint64_t)c->seed, &n->bodies));
    for (int k = 0; k < PEN_COUNT_OF(moved); k++) {
        PEN_TRY(PEN_ALLOC(&n->of_bodies[moved[k]], n->count));
        for (int32_t i = 0; i < n->count; i++) n->of_bodies[moved[k]][i] = -1;
    }
    pen_status status = PEN_ALLOC(&part, n->count);
    if (status == PEN_OK) status = make_machine("UP", PROCESSORS, CLUSTERS, BETWEEN, &m);
    if (status == PEN_OK) status = steps_of_all(c, m, part, n);
    pen_machine_destroy(&m);
    free(part);
    return status;
}

static pen_status table_3(choices *c, inputs *in)
{
    motion n = { .count = in->bodies };
    sim_table t;
    char text[TITLE], what[128];
    if (in->size > 0) return PEN_OK;
    pen_status status = move_all(c, &n);
    snprintf(what, sizeof what, "Table 3: P = 64, UP, 8 clusters, I = 10; the first and the mean of %" PRId64 " steps",
             c->steps);
    title(c, in, text, what);
    pen_sim_table_begin(&t, text, "");
    static const char *const names[] = { "contender", "RT 1",     "paper RT 1", "LI 1",    "paper LI 1",
                                         "RT all",    "paper RT", "LI all",     "paper LI" };
    for (int k = 0; k < PEN_COUNT_OF(names); k++) pen_sim_table_column(&t, "%s", names[k]);
    for (int k = 0; k < PEN_COUNT_OF(moved); k++) {
        sim_contender who = moved[k];
        if (!c->chosen[who]) continue;
        const paper_result *paper = pen_paper_table_3[k < PAPER_CONTENDERS ? k : 0];
        const outcome ours[] = { n.first[who],
                                 { n.sums[who].runtime / (double)c->steps, n.sums[who].imbalance / (double)c->steps } };
        pen_sim_table_text(&t, "%s", pen_sim_contender_name(who));
        for (int all = 0; all < 2; all++) {
            add_runtime(&t, ours[all].runtime);
            add_paper(&t, 0, in->size == 0 && k < PAPER_CONTENDERS, &paper[all].runtime);
            pen_sim_table_number(&t, 2, ours[all].imbalance);
            add_paper(&t, 2, in->size == 0 && k < PAPER_CONTENDERS, &paper[all].imbalance);
        }
    }
    for (int k = 0; k < PEN_COUNT_OF(moved); k++) free(n.of_bodies[moved[k]]);
    free(n.bodies);
    return pen_sim_report_table(&c->report, &t, status);
}

/* ---- Tables 4 and 5 ---------------------------------------------------------------------------- */

static pen_status table_4(choices *c, inputs *in)
{
    sim_table t;
    char text[TITLE];
    title(c, in, text, "Table 4: RT, UP, 8 clusters, I = 10");
    set_owners(&in->of, -1);
    pen_sim_table_begin(&t, text, "bodies,contender");
    for (int g = 0; g < PAPER_SIZES; g++) {
        pen_sim_table_column(&t, "P=%d", pen_paper_tables_4_5[g].processors);
        pen_sim_table_column(&t, "paper %d", pen_paper_tables_4_5[g].processors);
    }
    pen_status status = PEN_OK;
    for (int who = 0; who < SIM_CONTENDERS && status == PEN_OK; who++) {
        if (!c->chosen[who]) continue;
        pen_sim_table_number(&t, 0, in->bodies);
        pen_sim_table_text(&t, "%s", pen_sim_contender_name((sim_contender)who));
        for (int g = 0; g < PAPER_SIZES && status == PEN_OK; g++) {
            const paper_size *p = &pen_paper_tables_4_5[g];
            pen_machine *m = NULL;
            outcome o = { 0.0, 0.0 };
            pen_ticker_bytes("simulating", "table 4", who * PAPER_SIZES + g, SIM_CONTENDERS * PAPER_SIZES);
            status = make_machine("UP", p->processors, CLUSTERS, BETWEEN, &m);
            if (status == PEN_OK) status = try_contender(c, (sim_contender)who, &in->of, m, in->part, &o);
            pen_machine_destroy(&m);
            add_runtime(&t, o.runtime);
            bool there = in->size >= 0 && who < PAPER_CONTENDERS;
            add_paper(&t, 0, there, &p->runtimes[in->size > 0][there ? who : 0]);
        }
    }
    return pen_sim_report_table(&c->report, &t, status);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The least of several calls each, in turn, behind one that is not counted. seconds[SIM_CONTENDERS]. */
static pen_status time_all(const choices *c, const sim_case *of, const pen_machine *m, int32_t *part, double *seconds)
{
    for (int who = 0; who < SIM_CONTENDERS; who++) seconds[who] = HUGE_VAL;
    for (int64_t i = 0; i <= c->repeats; i++)
        for (int who = 0; who < SIM_CONTENDERS; who++) {
            if (!c->chosen[who]) continue;
            double start = processor_seconds();
            PEN_TRY(pen_sim_partition((sim_contender)who, 0, of, m, c->theta, part));
            if (i > 0) seconds[who] = fmin(seconds[who], processor_seconds() - start);
        }
    return PEN_OK;
}

static pen_status table_5(choices *c, inputs *in)
{
    double seconds[PAPER_SIZES][SIM_CONTENDERS] = { { 0.0 } };
    sim_table t;
    char text[TITLE];
    set_owners(&in->of, -1);
    name_graph(in, text, "Table 5: processor seconds of a call, UP, 8 clusters, I = 10; / METIS-GM's",
               "seconds: the paper's are of the processors of its time, compare the ratios");
    pen_sim_table_begin(&t, text, "bodies,contender");
    pen_status status = PEN_OK;
    for (int g = 0; g < PAPER_SIZES && status == PEN_OK; g++) {
        pen_machine *m = NULL;
        pen_ticker_bytes("timing", "table 5", g, PAPER_SIZES);
        pen_sim_table_column(&t, "P=%d", pen_paper_tables_4_5[g].processors);
        pen_sim_table_column(&t, "paper %d", pen_paper_tables_4_5[g].processors);
        pen_sim_table_column(&t, "/ METIS %d", pen_paper_tables_4_5[g].processors);
        status = make_machine("UP", pen_paper_tables_4_5[g].processors, CLUSTERS, BETWEEN, &m);
        if (status == PEN_OK) status = time_all(c, &in->of, m, in->part, seconds[g]);
        pen_machine_destroy(&m);
    }
    for (int who = 0; who < SIM_CONTENDERS && status == PEN_OK; who++) {
        if (!c->chosen[who]) continue;
        pen_sim_table_number(&t, 0, in->bodies);
        pen_sim_table_text(&t, "%s", pen_sim_contender_name((sim_contender)who));
        for (int g = 0; g < PAPER_SIZES; g++) {
            bool there = in->size >= 0 && who < PAPER_CONTENDERS;
            const double *paper = pen_paper_tables_4_5[g].seconds[in->size > 0];
            pen_sim_table_number(&t, 3, seconds[g][who]);
            add_paper(&t, 2, there, &paper[there ? who : 0]);
            pen_sim_table_number(&t, 2, seconds[g][who] / seconds[g][SIM_METIS]);
        }
    }
    return pen_sim_report_table(&c->report, &t, status);
}

/* ---- Table 6 ----------------------------------------------------------------------------------- */

/* Of ratios. */
typedef struct summary {
    double logarithms, worst;
    int count;
} summary;

static void add_ratio(summary *s, double ratio)
{
    s->logarithms += log(ratio);
    s->worst = fmax(s->worst, ratio);
    s->count++;
}

/* Times of MinEX / those of the best of METIS with speeds and Scotch, by I. */
typedef struct ratios {
    summary minex[2], rank[2];
} ratios;

static pen_status try_grid(const choices *c, inputs *in, const paper_grid *grid, int kind, outcome o[SIM_CONTENDERS])
{
    pen_machine *m = NULL;
    pen_status status = make_machine(kinds[kind], grid->processors, grid->clusters, grid->between, &m);
    for (int who = 0; who < SIM_CONTENDERS && status == PEN_OK; who++)
        status = try_contender(c, (sim_contender)who, &in->of, m, in->part, &o[who]);
    pen_machine_destroy(&m);
    return status;
}

static void add_grid(const choices *c, sim_table *t, const inputs *in, const paper_grid *grid, int kind,
                     const outcome o[SIM_CONTENDERS], ratios *r)
{
    bool slow = grid->between == 100;
    double best = fmin(o[SIM_METIS_SPEEDS].runtime, o[SIM_SCOTCH].runtime), minex = o[SIM_MINEX].runtime;
    pen_sim_table_number(t, 0, in->bodies);
    pen_sim_table_text(t, "%d/%d/%d", grid->processors, grid->clusters, grid->between);
    pen_sim_table_text(t, "%s", kinds[kind]);
    for (int who = 0; who < SIM_CONTENDERS; who++) {
        if (!c->chosen[who]) continue;
        add_runtime(t, o[who].runtime);
        pen_sim_table_number(t, 2, o[who].imbalance);
        if (who >= PAPER_CONTENDERS) continue;
        add_paper(t, 0, in->size >= 0, &grid->results[in->size > 0][kind][who].runtime);
        add_paper(t, 2, in->size >= 0, &grid->results[in->size > 0][kind][who].imbalance);
    }
    bool rivals = best < HUGE_VAL;
    pen_sim_table_number(t, 3, rivals && minex < HUGE_VAL ? minex / best : NAN);
    if (rivals && c->chosen[SIM_MINEX]) add_ratio(&r->minex[slow], minex / best);
    if (rivals && c->chosen[SIM_MINEX_RANK]) add_ratio(&r->rank[slow], o[SIM_MINEX_RANK].runtime / best);
}

static pen_status summarize(choices *c, const inputs *in, const ratios *r)
{
    sim_table t;
    pen_sim_table_begin(&t, "Table 6: RT / that of the best of METIS with speeds and Scotch, over all its grids", "");
    static const char *const names[] = { "bodies", "I", "contender", "geometric mean", "worst", "grids" };
    for (int k = 0; k < PEN_COUNT_OF(names); k++) pen_sim_table_column(&t, "%s", names[k]);
    for (int slow = 0; slow < 2; slow++)
        for (int rank = 0; rank < 2; rank++) {
            const summary *s = rank ? &r->rank[slow] : &r->minex[slow];
            if (s->count == 0) continue;
            pen_sim_table_number(&t, 0, in->bodies);
            pen_sim_table_number(&t, 0, slow ? 100 : 10);
            pen_sim_table_text(&t, "%s", pen_sim_contender_name(rank ? SIM_MINEX_RANK : SIM_MINEX));
            pen_sim_table_number(&t, 3, exp(s->logarithms / s->count));
            pen_sim_table_number(&t, 3, s->worst);
            pen_sim_table_number(&t, 0, s->count);
        }
    return pen_sim_report_table(&c->report, &t, PEN_OK);
}

static pen_status table_6(choices *c, inputs *in)
{
    ratios r = { .minex = { { 0 } } };
    sim_table t;
    char text[TITLE];
    title(c, in, text, "Table 6: P/C/I");
    set_owners(&in->of, -1);
    pen_sim_table_begin(&t, text, "bodies,P/C/I,kind");
    for (int who = 0; who < SIM_CONTENDERS; who++) {
        if (!c->chosen[who]) continue;
        const char *name = pen_sim_contender_name((sim_contender)who);
        pen_sim_table_column(&t, "%s", name);
        pen_sim_table_column(&t, "%s LI", name);
        if (who >= PAPER_CONTENDERS) continue;
        pen_sim_table_column(&t, "paper %s", name);
        pen_sim_table_column(&t, "paper %s LI", name);
    }
    pen_sim_table_column(&t, "MinEX-G / best");
    pen_status status = PEN_OK;
    for (int i = 0; i < PAPER_GRIDS * PAPER_KINDS && status == PEN_OK; i++) {
        outcome o[SIM_CONTENDERS];
        const paper_grid *grid = &pen_paper_table_6[i / PAPER_KINDS];
        pen_ticker_bytes("simulating", "table 6", i, PAPER_GRIDS * PAPER_KINDS);
        status = try_grid(c, in, grid, i % PAPER_KINDS, o);
        if (status == PEN_OK) add_grid(c, &t, in, grid, i % PAPER_KINDS, o, &r);
    }
    PEN_TRY(pen_sim_report_table(&c->report, &t, status));
    return summarize(c, in, &r);
}

/* ---- The command ------------------------------------------------------------------------------- */

static table_fn *const tables[] = { table_1, table_2, table_3, table_4, table_5, table_6 };

/* `bodies` 0: those of the file. */
static pen_status print_tables_of(choices *c, int32_t bodies)
{
    inputs in = { .bodies = bodies };
    PEN_TRY(c->graph ? pen_sim_case_read(c->graph, &in.of, &in.bodies)
                     : pen_sim_case_create(bodies, (uint64_t)c->seed, &in.of));
    in.size = in.bodies == FEW ? 0 : in.bodies == MANY ? 1 : -1;
    pen_status status = PEN_ALLOC(&in.part, in.of.directed.count);
    for (int k = 0; k < PEN_COUNT_OF(tables) && status == PEN_OK; k++)
        if (!c->table ? !c->graph || tables[k] != table_3 : c->table == k + 1) status = tables[k](c, &in);
    pen_sim_case_free(&in.of);
    free(in.part);
    return status;
}

static pen_status print_tables(choices *c)
{
    if (c->graph || c->bodies > 0) return print_tables_of(c, (int32_t)c->bodies);
    PEN_TRY(print_tables_of(c, FEW));
    return print_tables_of(c, MANY);
}

static pen_status check(choices *c)
{
    static const char *const sends[] = { "rank", "edge" }, *const measures[] = { "simulation", "model" };
    bool edge = strcmp(c->send, sends[1]) == 0;
    c->model = strcmp(c->measure, measures[1]) == 0;
    c->rules = (sim_rules){ edge ? SIM_SEND_EDGE : SIM_SEND_RANK, (int)c->channels };
    if (!edge && strcmp(c->send, sends[0]) != 0) return pen_unknown_name("send", c->send, sends, 2);
    if (!c->model && strcmp(c->measure, measures[0]) != 0) return pen_unknown_name("measure", c->measure, measures, 2);
    if (c->bodies % 2 == 1)
        return pen_fail(PEN_ERR_INPUT, "--bodies=%" PRId64 ": must be even, half of them in each sphere", c->bodies);
    if (c->graph && c->bodies > 0) return pen_fail(PEN_ERR_INPUT, "give one of --bodies and --graph");
    if (c->graph && c->table == 3)
        return pen_fail(PEN_ERR_INPUT, "--table=3: its bodies move, and --graph=FILE has those of one step");
    if (!(c->theta >= 0.0 && c->theta <= 1.0))
        return pen_fail(PEN_ERR_INPUT, "--theta=%g: must be from 0 to 1", c->theta);
    return pen_sim_contenders_parse(c->contenders, c->chosen);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .seed = 1,
                  .repeats = 3,
                  .steps = 50,
                  .channels = 1,
                  .theta = 1.0,
                  .send = "rank",
                  .measure = "simulation",
                  .format = "text" };
    const pen_option options[] = {
        { "table", "N", "only this one, 1 to 6", PEN_OPTION_INT, &c.table, 1, 6 },
        { "bodies", "N", "of so many (the paper's: 16384, then 262144)", PEN_OPTION_INT, &c.bodies, 2, 1 << 26 },
        { "graph", "FILE", "of one step's leaves, as nbody --save-graph=FILE writes them; without table 3",
          PEN_OPTION_TEXT, &c.graph, 0, 0 },
        { "seed", "N", "of the bodies (1)", PEN_OPTION_INT, &c.seed, 0, INT32_MAX },
        { "measure", "KIND", "simulation (default): a step in discrete time; model: MinEX's own metrics",
          PEN_OPTION_TEXT, &c.measure, 0, 0 },
        { "send", "KIND", "rank (default): a cell's bodies once to each processor; edge: for each cell that needs them",
          PEN_OPTION_TEXT, &c.send, 0, 0 },
        { "channels", "N", "of each processor, in and out (1)", PEN_OPTION_INT, &c.channels, 1, 1024 },
        { "theta", "X", "how much of communication MinEX expects to be hidden, and the model does (1)", PEN_OPTION_REAL,
          &c.theta, 0, 0 },
        { "steps", "N", "of table 3 (50)", PEN_OPTION_INT, &c.steps, 1, 100000 },
        { "repeats", "N", "calls of each in table 5 (3)", PEN_OPTION_INT, &c.repeats, 1, 1000 },
        { "contenders", "NAME,...",
          "only these: minex, minex-gm, metis, metis-speeds, scotch, minex-rank, pagrid, "
          "diffusive",
          PEN_OPTION_TEXT, &c.contenders, 0, 0 },
        { "format", "KIND", "text (default), csv, json or latex", PEN_OPTION_TEXT, &c.format, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_minex_tables, argc, argv, options, 0, 0, &line));
    if (line.help) return PEN_OK;
    PEN_TRY(check(&c));
    PEN_TRY(pen_sim_report_begin(&c.report, c.format, line.output));
    pen_status status = print_tables(&c);
    pen_ticker_end();
    return pen_sim_report_end(&c.report, status);
}

const command pen_command_minex_tables = {
    "minex-tables", "", "Partitioners on grids of unequal processors: the tables of the MinEX paper beside ours",
    "the tables", run
};
