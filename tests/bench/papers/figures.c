/* figures.c - papers_bench pagrid-figures: METIS and PaGrid on a hypercube, the figures of two documents beside ours.
 *
 * They are of Botadra, iC2mpi: a platform for parallel execution of graph-structured iterative computation (thesis,
 * 2006; figures 12 and 17), and of Botadra, Cheng, Prasad, Aubanel and Bhavsar, the same (IPDPS 2007; 6 and 7):
 * speed-ups of 20 steps on 1 to 16 processors of an Origin 2000, a hypercube, where a node takes 0.3 ms (fine) or 3 ms
 * (coarse), in the paper 3 and 30 ms. Of its network they tell PaGrid's R_ref alone, 0.45, of what node they do not
 * say: here it is a fine one of the thesis, so that a record takes 0.135 ms a hop. */
#include "balance/partitioners.h"
#include "base/memory.h"
#include "tests/bench/papers/commands.h"
#include "tests/bench/papers/pulls.h"
#include "tools/common/start_mpi.h"
#include "tools/common/ticker.h"
#include "tools/sim/report.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>

enum { CUBES = 4, STEPS = 20, VARIANTS = 2 }; /* 2, 4, 8 and 16 processors */

typedef enum contender { METIS, PAGRID, PAGRID_TRUE, SCOTCH, MINEX, CONTENDERS } contender;
typedef enum grain { FINE, COARSE, GRAINS } grain;
static const char *const grain_names[GRAINS] = { "fine", "coarse" };

/* Partitioners as --partitioner has them; "%g" becomes a ratio of times, of a record over a link and of a node: for
 * PaGrid what the documents gave it, for others that of the network. METIS and Scotch get the better of two. */
static const struct {
    const char *name, *specs[VARIANTS];
} contenders[CONTENDERS] = {
    [METIS] = { "METIS", { "metis:method=recursive", "metis:method=kway" } },
    [PAGRID] = { "PaGrid", { "pagrid:ratio=%.17g" } },
    [PAGRID_TRUE] = { "PaGrid, ratio of the network", { "pagrid:ratio=%.17g" } },
    [SCOTCH] = { "Scotch", { "scotch:imbalance=0.01", "scotch:imbalance=0.1" } },
    [MINEX] = { "MinEX", { "minex:cost=rank,ratio=%.17g" } },
};

typedef struct figure {
    int number;
    const char *where, *what, *printed; /* what is told in numbers */
    int width, height, nodes;           /* hexagons, or random nodes */
    double seconds[GRAINS];             /* of a node; 0: not in the figure */
    double metis[1 + CUBES];            /* seconds of METIS's fine run on 1, 2, ... processors, where they are told */
} figure;

static const figure figures[] = {
    { 6, "paper", "160 hexagons", "the figure is a picture without numbers", 16, 10, 0, { 0.0, 30e-3 }, { 0.0 } },
    { 7,
      "paper",
      "random graphs of 64 nodes",
      "the figure is a picture without numbers",
      0,
      0,
      64,
      { 3e-3, 30e-3 },
      { 0.0 } },
    { 12,
      "thesis",
      "64 hexagons",
      "of the picture table 3 tells METIS's fine line",
      8,
      8,
      0,
      { 0.3e-3, 3e-3 },
      { 0.458, 0.236, 0.136, 0.0829, 0.0638 } },
    { 17,
      "thesis",
      "random graphs of 64 nodes",
      "of the picture table 6 tells METIS's fine line",
      0,
      0,
      64,
      { 0.3e-3, 3e-3 },
      { 0.434, 0.221, 0.126, 0.073, 0.083 } },
};

/* What the texts say of a figure: one line is above another. */
static const struct {
    int figure;
    contender above;
    grain above_grain;
    contender below;
    grain below_grain;
} claims[] = {
    { 6, METIS, COARSE, PAGRID, COARSE },  { 7, PAGRID, FINE, METIS, FINE },     { 7, PAGRID, COARSE, METIS, COARSE },
    { 12, METIS, COARSE, METIS, FINE },    { 12, PAGRID, COARSE, PAGRID, FINE }, { 17, PAGRID, FINE, METIS, FINE },
    { 17, PAGRID, COARSE, METIS, COARSE }, { 17, PAGRID, FINE, METIS, COARSE },
};

typedef struct choices {
    int64_t figure, seed, graphs;
    double hop, ratio;
    const char *receive, *format;
    bool in_turn;
    sim_report report;
} choices;

typedef double speedups[GRAINS][CONTENDERS][CUBES];

/* ---- Runs -------------------------------------------------------------------------------------- */

/* The best of a contender's variants. */
static pen_status run_contender(const choices *c, const pen_graph *graph, const pen_machine *machine, double node,
                                contender who, int32_t *part, double *speedup)
{
    const sim_pulls pulls = { node, c->hop, c->in_turn, STEPS };
    double least = HUGE_VAL;
    for (int k = 0; k < VARIANTS && contenders[who].specs[k]; k++) {
        char spec[80];
        double seconds;
        snprintf(spec, sizeof spec, "%.40s", contenders[who].specs[k]);
        const char *ratio = strstr(spec, "%");
        if (ratio) snprintf(spec + (ratio - spec), 32, "%.17g", who == PAGRID ? c->ratio : c->hop / node);
        PEN_TRY(pen_partition(graph, spec, machine, machine->processors, part));
        PEN_TRY(pen_sim_pulls(graph, machine, part, &pulls, &seconds));
        least = fmin(least, seconds);
    }
    *speedup = (double)STEPS * (double)graph->nodes * node / least;
    return PEN_OK;
}

static pen_status run_graph(const choices *c, const figure *f, const pen_graph *graph, speedups sums)
{
    int32_t *part;
    PEN_TRY(PEN_ALLOC(&part, graph->count));
    pen_status status = PEN_OK;
    for (int cube = 0; cube < CUBES && status == PEN_OK; cube++) {
        pen_machine *machine = NULL;
        char name[32];
        snprintf(name, sizeof name, "hypercube:%d", cube + 1);
        status = pen_machine_generate(name, 2 << cube, &machine);
        for (int k = 0; k < GRAINS * CONTENDERS && status == PEN_OK; k++) {
            double one = 0.0;
            int g = k / CONTENDERS, who = k % CONTENDERS;
            if (f->seconds[g] > 0.0)
                status = run_contender(c, graph, machine, f->seconds[g], (contender)who, part, &one);
            sums[g][who][cube] += one;
        }
        pen_machine_destroy(&machine);
    }
    free(part);
    return status;
}

/* The mean over the graphs; there is one field of hexagons only. */
static pen_status run_figure(const choices *c, const figure *f, speedups means)
{
    int64_t graphs = f->nodes > 0 ? c->graphs : 1;
    memset(means, 0, sizeof(speedups));
    for (int64_t k = 0; k < graphs; k++) {
        pen_graph *graph = NULL;
        char spec[64];
        pen_ticker_bytes("simulating", f->what, k, graphs);
        if (f->nodes > 0)
            snprintf(spec, sizeof spec, "random:nodes=%" PRId64 ",seed=%" PRId64, (int64_t)f->nodes, c->seed + k);
        else snprintf(spec, sizeof spec, "hex:%" PRId64 "x%" PRId64, (int64_t)f->width, (int64_t)f->height);
        PEN_TRY(pen_graph_generate(MPI_COMM_SELF, spec, &graph));
        pen_status status = run_graph(c, f, graph, means);
        pen_graph_destroy(&graph);
        PEN_TRY(status);
    }
    for (int k = 0; k < GRAINS * CONTENDERS * CUBES; k++)
        means[k / (CONTENDERS * CUBES)][k / CUBES % CONTENDERS][k % CUBES] /= (double)graphs;
    return PEN_OK;
}

/* ---- Tables ------------------------------------------------------------------------------------ */

static void add_line(sim_table *t, const char *who, grain g, const double *values)
{
    pen_sim_table_text(t, "%s", who);
    pen_sim_table_text(t, "%s", grain_names[g]);
    for (int cube = 0; cube < CUBES; cube++) pen_sim_table_number(t, 2, values[cube]);
}

static pen_status print_figure(choices *c, const figure *f, speedups means)
{
    sim_table t;
    char text[256];
    snprintf(text, sizeof text, "Figure %d (%s): speed-ups of %d steps, %s; %.3g ms a record and hop, messages %s; %s",
             f->number, f->where, STEPS, f->what, 1e3 * c->hop, c->in_turn ? "in turn" : "together", f->printed);
    pen_sim_table_begin(&t, text, "partitioner,grain");
    for (int cube = 0; cube < CUBES; cube++) pen_sim_table_column(&t, "P=%d", 2 << cube);
    for (grain g = FINE; g < GRAINS; g++) {
        double told[CUBES];
        if (f->seconds[g] <= 0.0) continue;
        for (int cube = 0; cube < CUBES; cube++) told[cube] = f->metis[0] / f->metis[1 + cube];
        if (g == FINE && f->metis[0] > 0.0) add_line(&t, "printed: METIS", g, told);
        for (int who = 0; who < CONTENDERS; who++) add_line(&t, contenders[who].name, g, means[g][who]);
    }
    return pen_sim_report_table(&c->report, &t, PEN_OK);
}

/* The line of PaGrid, or that of PaGrid which was told the ratio of the network. */
static const double *line_of(speedups means, grain g, contender who, bool truly)
{
    return means[g][who == PAGRID && truly ? PAGRID_TRUE : who];
}

/* By how much the one line is above the other. */
static void add_claims(sim_table *t, const figure *f, speedups means)
{
    for (int k = 0; k < PEN_COUNT_OF(claims); k++) {
        double logarithms[2] = { 0.0, 0.0 }, least = HUGE_VAL, most = 0.0;
        if (claims[k].figure != f->number) continue;
        for (int i = 0; i < 2 * CUBES; i++) {
            bool truly = i >= CUBES;
            double ratio = line_of(means, claims[k].above_grain, claims[k].above, truly)[i % CUBES] /
                           line_of(means, claims[k].below_grain, claims[k].below, truly)[i % CUBES];
            logarithms[truly] += log(ratio) / CUBES;
            if (!truly) least = fmin(least, ratio);
            if (!truly) most = fmax(most, ratio);
        }
        pen_sim_table_number(t, 0, f->number);
        pen_sim_table_text(t, "%s, %s", contenders[claims[k].above].name, grain_names[claims[k].above_grain]);
        pen_sim_table_text(t, "%s, %s", contenders[claims[k].below].name, grain_names[claims[k].below_grain]);
        pen_sim_table_number(t, 3, exp(logarithms[0]));
        pen_sim_table_number(t, 3, least);
        pen_sim_table_number(t, 3, most);
        pen_sim_table_number(t, 3, exp(logarithms[1]));
    }
}

static pen_status print_all(choices *c)
{
    static const char *const names[] = {
        "figure", "above", "below", "ours: mean", "least", "most", "mean, ratio of the network"
    };
    pen_status status = PEN_OK;
    sim_table said;
    pen_sim_table_begin(&said, "What the texts say is above what, and ours over these processors (above 1: so it is)",
                        "");
    for (int k = 0; k < PEN_COUNT_OF(names); k++) pen_sim_table_column(&said, "%s", names[k]);
    for (int k = 0; k < PEN_COUNT_OF(figures) && status == PEN_OK; k++) {
        speedups means;
        if (c->figure && c->figure != figures[k].number) continue;
        status = run_figure(c, &figures[k], means);
        if (status == PEN_OK) status = print_figure(c, &figures[k], means);
        add_claims(&said, &figures[k], means);
    }
    return pen_sim_report_table(&c->report, &said, status);
}

/* ---- The command ------------------------------------------------------------------------------- */

static pen_status check(choices *c)
{
    static const char *const receives[] = { "in-turn", "together" };
    c->in_turn = strcmp(c->receive, receives[0]) == 0;
    if (!c->in_turn && strcmp(c->receive, receives[1]) != 0)
        return pen_unknown_name("receive", c->receive, receives, PEN_COUNT_OF(receives));
    if (!(c->hop >= 0.0 && c->hop <= 1.0)) return pen_fail(PEN_ERR_INPUT, "--hop=%g: must be from 0 to 1", c->hop);
    if (!(c->ratio >= 0.0)) return pen_fail(PEN_ERR_INPUT, "--ratio=%g: must be at least 0", c->ratio);
    bool known = c->figure == 0;
    for (int k = 0; k < PEN_COUNT_OF(figures); k++) known = known || c->figure == figures[k].number;
    return known ? PEN_OK : pen_fail(PEN_ERR_INPUT, "--figure=%" PRId64 ": must be 6, 7, 12 or 17", c->figure);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .seed = 1, .graphs = 5, .hop = 0.135e-3, .ratio = 0.45, .receive = "in-turn", .format = "text" };
    const pen_option options[] = {
        { "figure", "N", "only this one: 6, 7 (the paper's), 12 or 17 (the thesis's)", PEN_OPTION_INT, &c.figure, 1,
          INT32_MAX },
        { "hop", "SECONDS", "of a node's record over a link (0.000135: 0.45 of a fine node of the thesis)",
          PEN_OPTION_REAL, &c.hop, 0, 0 },
        { "ratio", "R", "what PaGrid is told, a record's time over a link / a node's (0.45, as the documents have it)",
          PEN_OPTION_REAL, &c.ratio, 0, 0 },
        { "receive", "KIND",
          "in-turn (default): a processor's messages come one after the other; together: at the same time",
          PEN_OPTION_TEXT, &c.receive, 0, 0 },
        { "graphs", "N", "random graphs, of which the mean counts (5)", PEN_OPTION_INT, &c.graphs, 1, 10000 },
        { "seed", "N", "of the first of them (1)", PEN_OPTION_INT, &c.seed, 0, INT32_MAX },
        { "format", "KIND", "text (default), csv, json or latex", PEN_OPTION_TEXT, &c.format, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_pagrid_figures, argc, argv, options, 0, 0, &line));
    if (line.help) return PEN_OK;
    PEN_TRY(check(&c));
    PEN_TRY(pen_start_mpi());
    PEN_TRY(pen_sim_report_begin(&c.report, c.format, line.output));
    pen_status status = print_all(&c);
    pen_ticker_end();
    return pen_sim_report_end(&c.report, status);
}

const command pen_command_pagrid_figures = {
    "pagrid-figures", "", "METIS and PaGrid on a hypercube: the figures of the iC2mpi documents beside ours",
    "the tables", run
};
