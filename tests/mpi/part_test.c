/* part_test - a part that one line adds to the table. It counts the steps in which each node was computed. The counts
 * are a node column, which must follow its node through migrations, changes of the graph, and checkpoints. */
#define PEN_MORE_PARTS(part) part(counting)
#include "loop/parts.c"

#include "run/state.h"
#include "tests/support/cases.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <penumbra_checkpoint.h>

/* ---- The part ------------------------------------------------------------------------------- */

typedef struct counting {
    int64_t *counts; /* [owned] */
    int64_t steps;   /* that were counted */
} counting;

/* Its option: the first step that counts; -1: the part is off. */
static int64_t count_from = -1;
static const pen_option options_of_app[] = {
    { "count-from", "N", "the first step that counts", PEN_OPTION_INT, &count_from, 0, 0 }, { .name = NULL }
};

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    (void)app;
    (void)options;
    return count_from >= 0;
}

static pen_status count(pen_run *run, void *state, uint64_t spent)
{
    counting *c = state;
    (void)spent;
    if (run->step < count_from) return PEN_OK;
    for (pen_lid slot = 0; slot < run->store->owned; slot++) c->counts[slot]++;
    c->steps++;
    return PEN_OK;
}

static size_t bytes(const void *state)
{
    (void)state;
    return sizeof(int64_t);
}

static pen_status code(pen_coder *coder, pen_run *run, void *state)
{
    (void)run;
    pen_code_int(coder, &((counting *)state)->steps);
    return PEN_OK;
}

static void metrics(FILE *out, const pen_run *run, const void *state, const struct pen_report *report)
{
    const counting *c = state;
    (void)run;
    (void)report;
    fprintf(out, ",\n  \"counted\": %d", c ? (int)c->steps : -1);
}

static const pen_node_column columns[] = {
    { .name = "computed steps", .bytes = bytes, .at = offsetof(counting, counts), .saved = true }, { .name = NULL }
};

const pen_part pen_part_counting = {
    .name = "counting",
    .state_size = sizeof(counting),
    .columns = columns,
    .wanted = wanted,
    .after_phases = count,
    .code = code,
    .metrics = metrics,
};

/* ---- The application: each node counts, too --------------------------------------------------- */

enum { AGE, FIRST = 2, ADDED = 1000000 };

static void init(const pen_view *v) { *PEN_NEXT(v, AGE, int64_t) = 0; }

static void compute(const pen_view *v)
{
    *PEN_NEXT(v, AGE, int64_t) = *PEN_SELF(v, AGE, int64_t) + (pen_step(v) >= FIRST);
}

static const pen_field fields[] = { { .name = "age", .size = sizeof(int64_t) } };
static const pen_phase phases[] = { { "compute", compute, .reads = PEN_SET(AGE), .writes = PEN_SET(AGE) } };
static const pen_app app = {
    .name = "part", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .options = options_of_app
};

static void check_counts(const pen_run *run, int64_t steps)
{
    const counting *c = pen_part_state(run, &pen_part_counting);
    const int64_t *ages = (const int64_t *)(const void *)pen_store_plane(run->store, AGE, 0);
    CHECK(c != NULL);
    if (!c) return;
    CHECK_INT(c->steps, steps);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) CHECK_INT(c->counts[slot], ages[slot]);
}

static void check_metrics(pen_run *run, const char *folder, const char *expected)
{
    char path[96], text[1 << 15] = "";
    snprintf(path, sizeof path, "%s/metrics.json", folder);
    CHECK_STATUS(pen_run_metrics(run, path), PEN_OK);
    FILE *in = check_rank() == 0 ? fopen(path, "r") : NULL;
    if (in) {
        const size_t size = fread(text, 1, sizeof text - 1, in);
        text[size] = '\0';
        CHECK(strstr(text, expected) != NULL);
        fclose(in);
    }
}

/* One rank adds a node next to another, and removes one. */
static void ask(pen_changes *changes, void *context)
{
    const pen_gid *gids = context;
    if (check_rank() > 0) return;
    pen_add_node(changes, ADDED, 1);
    pen_add_edge(changes, ADDED, gids[0], 1);
    pen_remove_node(changes, gids[1]);
}

static void test_counting(graph_case *g, const pen_graph *graph, const char *folder)
{
    char *argv[] = { "part", "--count-from=2", "--migrate-random=3:0.4", "--quiet" };
    pen_options *options = NULL;
    pen_run *run = NULL;
    CHECK_STATUS(pen_options_parse(&app, PEN_COUNT_OF(argv), argv, &options), PEN_OK);
    const pen_run_options *chosen = pen_options_run(options);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, chosen, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 5), PEN_OK);
    check_counts(run, 3);
    CHECK_STATUS(pen_run_change(run, ask, g->gids), PEN_OK);
    check_counts(run, 3);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    check_counts(run, 5);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, chosen, &run), PEN_OK);
    check_counts(run, 5);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    check_counts(run, 7);
    check_metrics(run, folder, "\"counted\": 7");
    pen_run_destroy(&run);
    pen_options_destroy(&options);
}

static void test_off(const pen_graph *graph, const char *folder)
{
    pen_run *run = NULL;
    count_from = -1;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &run), PEN_OK);
    CHECK(pen_part_state(run, &pen_part_counting) == NULL);
    check_metrics(run, folder, "\"counted\": -1");
    pen_run_destroy(&run);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    char folder[64];
    graph_case g = case_make(5);
    pen_graph *graph = NULL;
    make_folder("part_test", folder);
    CHECK_STATUS(case_distribute(&g, MPI_COMM_WORLD, 11, &graph), PEN_OK);
    test_counting(&g, graph, folder);
    test_off(graph, folder);
    pen_graph_destroy(&graph);
    case_free(&g);
    remove_folder(folder);
    return check_finish();
}
