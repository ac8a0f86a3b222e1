/* keep_test - fields that a phase updates (pen_phase.updates) are there before its node writes, changed in place or
 * copied; transient fields (pen_field.transient) are valid within a step; and results are those of a serial loop, with
 * graphs that change, nodes that migrate, and node functions called for a node or a block at a time. The strict mode
 * finds reads of transient records that are no longer valid.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "tests/support/check.h"

enum { NODES = 48, STEPS = 5 };

/* TOTAL: read by its own node only. SHOWN: neighbours read it. WORK: transient. */
enum { TOTAL, SHOWN, WORK };
typedef struct pair {
    uint64_t first, second;
} pair;

static const char *mistake;
static bool makes(const pen_view *v, const char *name) { return pen_id(v) == 5 && strcmp(mistake, name) == 0; }

/* ---- Computation ---------------------------------------------------------------------------- */

/* The order of writes; the serial loop has its own order and its own memory. */
static bool writes(int64_t gid, int64_t step, int every) { return (gid + step) % every == 0; }
static uint64_t mixed(uint64_t a, uint64_t b) { return a * 31 + b + 7; }

static void init(const pen_view *v)
{
    *PEN_NEXT(v, TOTAL, pair) = (pair){ (uint64_t)pen_id(v), 100 };
    *PEN_NEXT(v, SHOWN, pair) = (pair){ (uint64_t)pen_id(v) * 3, 200 };
    *PEN_NEXT(v, WORK, pair) = (pair){ 0, 0 };
}

static void work(const pen_view *v)
{
    pair *next = PEN_NEXT(v, WORK, pair);
    next->first = makes(v, "work") ? PEN_SELF(v, WORK, pair)->second : 0;
    next->second = PEN_SELF(v, TOTAL, pair)->first;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const pair *other = PEN_NEIGHBOR(v, SHOWN, pair, i);
        next->first = mixed(next->first, other->first + other->second);
    }
}

/* In place: WORK and TOTAL; SHOWN is copied. */
static void add(const pen_view *v)
{
    pair *w = PEN_NEXT(v, WORK, pair);
    w->second += w->first + PEN_NEIGHBOR(v, SHOWN, pair, 0)->first;
    if (writes(pen_id(v), pen_step(v), 3)) PEN_NEXT(v, TOTAL, pair)->first += w->second;
    if (writes(pen_id(v), pen_step(v), 2)) PEN_NEXT(v, SHOWN, pair)->first ^= w->second;
}

static void turn(const pen_view *v, pen_lid end)
{
    pair *totals = (pair *)v->next[TOTAL];
    for (pen_lid s = v->slot; s < end; s++)
        if (writes(v->gids[s], v->step, 4)) totals[s].second = mixed(totals[s].second, totals[s].first);
}

/* Every second step the graph gets an edge here and there, and records are kept whether it changes or not. */
static void grow(const pen_view *v, pen_changes *changes)
{
    if (writes(pen_id(v), pen_step(v), 5)) PEN_NEXT(v, TOTAL, pair)->first += 11;
    if (writes(pen_id(v), pen_step(v), 7)) PEN_NEXT(v, SHOWN, pair)->second += 13;
    if (pen_step(v) % 2 == 1 && writes(pen_id(v), pen_step(v), 6))
        pen_add_edge(changes, pen_id(v), (pen_id(v) + 5) % NODES, 1);
}

static void tail(const pen_view *v)
{
    if (makes(v, "tail")) PEN_NEXT(v, TOTAL, pair)->second += PEN_SELF(v, WORK, pair)->first;
    PEN_NEXT(v, TOTAL, pair)->second++;
}

static void print(const pen_view *v, FILE *out)
{
    const pair *t = PEN_SELF(v, TOTAL, pair), *s = PEN_SELF(v, SHOWN, pair);
    fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, t->first, t->second, s->first, s->second);
    if (makes(v, "print")) fprintf(out, " %" PRIu64, PEN_SELF(v, WORK, pair)->first);
}

#define BOTH PEN_SET(TOTAL, SHOWN)
#define ALL PEN_SET(TOTAL, SHOWN, WORK)
static const pen_field fields[] = { { .name = "total", .size = sizeof(pair) },
                                    { .name = "shown", .size = sizeof(pair) },
                                    { "work", sizeof(pair), .transient = true } };
static const pen_phase phases[] = {
    { "work", .node = work, .reads = PEN_SET(SHOWN), .writes = PEN_SET(WORK) },
    { "add", .node = add, .reads = PEN_SET(SHOWN), .writes = ALL, .updates = ALL },
    { "turn", .sweep = turn, .always = true, .writes = PEN_SET(TOTAL), .updates = PEN_SET(TOTAL) },
    { "grow", .modify = grow, .writes = BOTH, .updates = BOTH },
    { "tail", .node = tail, .writes = PEN_SET(TOTAL), .updates = PEN_SET(TOTAL) },
};
static const pen_app app = {
    .name = "keep", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
};

/* ---- Serially ------------------------------------------------------------------------------- */

static void compute_serially(pair totals[NODES], pair shown[NODES])
{
    static bool edge[NODES][NODES];
    memset(edge, 0, sizeof edge);
    for (int i = 0; i < NODES; i++) {
        if (i > 0) edge[i][i - 1] = edge[i - 1][i] = true;
        totals[i] = (pair){ (uint64_t)i, 100 };
        shown[i] = (pair){ 3 * (uint64_t)i, 200 };
    }
    for (int step = 0; step < STEPS; step++) {
        pair before[NODES];
        memcpy(before, shown, sizeof before);
        for (int i = 0; i < NODES; i++) {
            uint64_t sum = 0;
            int lowest = NODES;
            for (int j = NODES - 1; j >= 0; j--)
                if (edge[i][j]) lowest = j;
            for (int j = 0; j < NODES; j++)
                if (edge[i][j]) sum = mixed(sum, before[j].first + before[j].second);
            uint64_t whole = totals[i].first + sum + before[lowest].first;
            if ((i + step) % 3 == 0) totals[i].first += whole;
            if ((i + step) % 2 == 0) shown[i].first ^= whole;
            if ((i + step) % 4 == 0) totals[i].second = mixed(totals[i].second, totals[i].first);
            if ((i + step) % 5 == 0) totals[i].first += 11;
            if ((i + step) % 7 == 0) shown[i].second += 13;
            totals[i].second++;
        }
        for (int i = 0; i < NODES; i++)
            if (step % 2 == 1 && (i + step) % 6 == 0) edge[i][(i + 5) % NODES] = edge[(i + 5) % NODES][i] = true;
    }
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void check_values(const pen_run *run)
{
    pair totals[NODES], shown[NODES];
    pen_local local = pen_run_local(run);
    compute_serially(totals, shown);
    for (pen_lid s = 0; s < local.count; s++) {
        pen_gid i = local.gids[s];
        CHECK(memcmp(&((const pair *)local.fields[TOTAL])[s], &totals[i], sizeof(pair)) == 0);
        CHECK(memcmp(&((const pair *)local.fields[SHOWN])[s], &shown[i], sizeof(pair)) == 0);
    }
}

static void test_run(const char *wrong, const char *sentence, const char *more)
{
    static char graph_name[] = "--generate=hex:48x1", steps[] = "--steps=5", quiet[] = "--quiet", verify[] = "--verify";
    char option[64];
    char *argv[] = { graph_name, graph_name, steps, quiet, verify, option };
    pen_options *options = NULL;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    mistake = wrong;
    snprintf(option, sizeof option, "%s", more);
    CHECK_STATUS(pen_options_parse(&app, 6, argv, &options), PEN_OK);
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), PEN_OK);
    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, graph, &run), PEN_OK);
    pen_graph_destroy(&graph);
    CHECK_STATUS(pen_run_steps(run, STEPS), sentence ? PEN_ERR_CHECK : PEN_OK);
    if (sentence) CHECK_CONTAINS(pen_error_message(), sentence);
    else check_values(run);
    if (!sentence) CHECK_STATUS(pen_options_report(options, run), PEN_OK);
    pen_run_destroy(&run);
    pen_options_destroy(&options);
}

static void refuse(pen_app changed, const char *sentence)
{
    static char graph_name[] = "--generate=hex:48x1";
    char *argv[] = { graph_name, graph_name };
    pen_options *options = NULL;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    mistake = "";
    CHECK_STATUS(pen_options_parse(&changed, 2, argv, &options), PEN_OK);
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), sentence);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "hex:48x1", &graph), PEN_OK);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &changed, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), sentence);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    pen_options_destroy(&options);
}

static void test_refused(void)
{
    static const pen_phase unwritten[] = { { "odd", .node = add, .writes = BOTH, .updates = ALL } };
    pen_app changed = app;
    changed.phases.list = unwritten;
    changed.phases.count = 1;
    refuse(changed, "phase odd updates a field that it does not write");
    pen_field both[PEN_COUNT_OF(fields)];
    memcpy(both, fields, sizeof both);
    both[WORK].plain = true;
    changed = app;
    changed.fields.list = both;
    refuse(changed, "field work is plain and transient");
}

CHECKS()
{
    RUN(test_run("", NULL, "--comm=fence"));
    RUN(test_run("", NULL, "--comm=blocking"));
    RUN(test_run("", NULL, "--comm=pscw"));
    RUN(test_run("", NULL, "--migrate-random=3:0.4"));
    RUN(test_run("", NULL, "--check"));
    RUN(test_run("work", "field work: the next record is not written", "--check"));
    RUN(test_run("tail", "field work: the next record is not written", "--check"));
    RUN(test_run("print", "field work: the next record is not written", "--check"));
    RUN(test_refused());
}
