/* part_test - a part that one line adds to the table. It counts the steps in which each node was computed. The counts
 * are a node column, which must follow its node through migrations, changes of the graph, and checkpoints.
 * pen_mpi_test(ALONE RANKS 1 3) */
#define PEN_MORE_PARTS(part) part(counting)
#include "loop/parts.c"

#include "run/parts.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

#include <penumbra_checkpoint.h>

/* ---- The part ------------------------------------------------------------------------------- */

typedef struct counting {
    int64_t *counts; /* [owned] */
    int64_t steps;   /* that were counted */
    int64_t from;    /* the first step that counts */
    double share;    /* not used, as `file` */
    const char *file;
} counting;

static const pen_part_option options_of_counting[] = {
    { "count-from", "N", "count from this step on", PEN_OPTION_AT(counting, from) },
    { "count-share", "X", "weight of a step", PEN_OPTION_AT(counting, share), .high = 1.0, .range = "from 0 to 1",
      .compared = true },
    { "count-file", "FILE", "write the counts", PEN_OPTION_AT(counting, file), .writes = true },
    { .name = NULL },
};

static pen_status count(pen_run *run, void *state, uint64_t spent)
{
    counting *c = state;
    if (run->step < c->from) return PEN_OK;
    for (pen_lid slot = 0; slot < run->store->owned; slot++) c->counts[slot]++;
    c->steps++;
    return PEN_OK;
}

static size_t node_bytes = sizeof(int64_t);

static size_t bytes(const void *state) { return node_bytes; }

static pen_status code(pen_coder *coder, pen_run *run, void *state)
{
    pen_code_int(coder, &((counting *)state)->steps);
    return PEN_OK;
}

static void metrics(FILE *out, const pen_run *run, const void *state, const struct pen_report *report)
{
    const counting *c = state;
    fprintf(out, ",\n  \"counted\": %d", c ? (int)c->steps : -1);
}

static const pen_node_column columns[] = {
    { .name = "computed steps", .bytes = bytes, .at = offsetof(counting, counts), .saved = true }, { .name = NULL }
};

const pen_part pen_part_counting = {
    .name = "counting",
    .state_size = sizeof(counting),
    .columns = columns,
    .options = options_of_counting,
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
static const pen_phase phases[] = { { "compute", .node = compute, .reads = PEN_SET(AGE), .writes = PEN_SET(AGE) } };
static pen_app app = { .name = "part", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

static char *share, *accept; /* further words of the command line, or NULL */

/* Create a run by a command line: of this graph; NULL: from the checkpoint in the folder. */
static pen_status start(const pen_graph *graph, const char *folder, pen_run **run)
{
    char resume[96];
    snprintf(resume, sizeof resume, "--resume=%s", folder);
    char *argv[7] = { "part", "--count-from=2", "--migrate-random=3:0.4", "--quiet" };
    int words = 4;
    if (!graph) argv[words++] = resume;
    if (share) argv[words++] = share;
    if (accept) argv[words++] = accept;
    pen_options *options = NULL;
    pen_graph *saved = NULL;
    CHECK_STATUS(pen_options_parse(&app, words, argv, &options), PEN_OK);
    if (!graph) CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &saved), PEN_OK);
    pen_status status = pen_options_create_run(options, MPI_COMM_WORLD, graph ? graph : saved, run);
    pen_graph_destroy(&saved);
    pen_options_destroy(&options);
    return status;
}

static void check_counts(const pen_run *run, int64_t steps)
{
    const counting *c = pen_part_state(run, &pen_part_counting);
    const int64_t *ages = (const int64_t *)(const void *)pen_store_plane(run->store, AGE, 0);
    CHECK(c != NULL);
    if (!c) return;
    CHECK_INT(c->steps, steps);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) CHECK_INT(c->counts[slot], ages[slot]);
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
    pen_run *run = NULL;
    CHECK_STATUS(start(graph, folder, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 5), PEN_OK);
    check_counts(run, 3);
    CHECK_STATUS(pen_run_change(run, ask, g->gids), PEN_OK);
    check_counts(run, 3);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    check_counts(run, 5);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(start(NULL, folder, &run), PEN_OK);
    check_counts(run, 5);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    check_counts(run, 7);
    expect_metrics(run, folder, "\"counted\": 7");
    expect_metrics(run, folder, "\"debug.migrate_part\": 0.40000000000000002, \"debug.migrate_seed\": 3, ");
    expect_metrics(run, folder, "\"count-from\": 2}");
    pen_run_destroy(&run);
}

/* A resumed run must have the checkpoint's value of an option that is compared, unless it is accepted. */
static void test_compared(const pen_graph *graph, const char *folder)
{
    pen_run *run = NULL;
    share = "--count-share=0.5";
    CHECK_STATUS(start(graph, folder, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(start(NULL, folder, &run), PEN_OK);
    pen_run_destroy(&run);
    share = "--count-share=0.25";
    CHECK_STATUS(start(NULL, folder, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "other settings: count-share=0.5, but this run has count-share=0.25");
    accept = "--accept=count-share";
    CHECK_STATUS(start(NULL, folder, &run), PEN_OK);
    pen_run_destroy(&run);
    share = accept = NULL;
}

/* A file that a part writes replaces neither an input nor another output. */
static void test_file(const char *folder)
{
    char path[96], file[128], machine[128], metrics_file[128];
    snprintf(path, sizeof path, "%s/machine", folder);
    snprintf(file, sizeof file, "--count-file=%s", path);
    snprintf(machine, sizeof machine, "--machine=%s", path);
    snprintf(metrics_file, sizeof metrics_file, "--metrics=%s", path);
    FILE *out = check_rank() == 0 ? fopen(path, "w") : NULL;
    if (out) fclose(out);
    char *const others[] = { machine, metrics_file };
    for (int i = 0; i < PEN_COUNT_OF(others); i++) {
        char *argv[] = { "part", "--generate=hex:3x3", file, others[i] };
        pen_options *options = NULL;
        pen_graph *graph = NULL;
        CHECK_STATUS(pen_options_parse(&app, PEN_COUNT_OF(argv), argv, &options), PEN_OK);
        CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), i == 0 ? "--count-file would replace" : "are the same file");
        pen_options_destroy(&options);
    }
}

/* The range of a part's own option is checked before the graph is made. */
static void test_range(void)
{
    char *argv[] = { "part", "--count-share=2" };
    pen_options *options = NULL;
    CHECK_STATUS(pen_options_parse(&app, PEN_COUNT_OF(argv), argv, &options), PEN_ERR_INPUT);
    CHECK(strcmp(pen_error_message(), "--count-share 2, must be from 0 to 1") == 0);
}

/* An application's option hides the part's. */
static void test_hidden(const pen_graph *graph, const char *folder)
{
    int64_t own = 0;
    pen_run *run = NULL;
    app.options = (pen_option[]){ { "count-from", "N", "mine", PEN_OPTION_INT, &own, 0, 0 }, { .name = NULL } };
    CHECK_STATUS(start(graph, folder, &run), PEN_OK);
    CHECK(pen_part_state(run, &pen_part_counting) == NULL);
    CHECK_INT(own, 2);
    pen_run_destroy(&run);
    app.options = NULL;
}

static void test_off(const pen_graph *graph, const char *folder)
{
    pen_run *run = run_with(graph, &app, NULL);
    CHECK(pen_part_state(run, &pen_part_counting) == NULL);
    expect_metrics(run, folder, "\"counted\": -1");
    pen_run_destroy(&run);
}

/* A checkpoint with a part and a column that the run does not have; with other bytes of a node; and without them. */
static void test_another(const pen_graph *graph, const char *folder)
{
    const pen_run_options options = { .seed = 1 }; /* as the command line's */
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, &options, &run), PEN_OK);
    CHECK(pen_part_state(run, &pen_part_counting) == NULL);
    pen_run_destroy(&run);
    node_bytes = 2 * sizeof(int64_t);
    CHECK_STATUS(start(NULL, folder, &run), PEN_ERR_INPUT);
    CHECK(strstr(pen_error_message(), "8 bytes of each node for the computed steps, but this run has 16") != NULL);
    node_bytes = sizeof(int64_t);
    run = run_with(graph, &app, &options);
    CHECK_STATUS(pen_run_steps(run, FIRST), PEN_OK);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(start(NULL, folder, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
    check_counts(run, 3);
    pen_run_destroy(&run);
}

CHECKS()
{
    char folder[64];
    graph_case g = case_make(5);
    make_folder("part_test", folder);
    pen_graph *graph = graph_of(&g, 11);
    RUN(test_counting(&g, graph, folder));
    RUN(test_another(graph, folder));
    RUN(test_off(graph, folder));
    RUN(test_hidden(graph, folder));
    RUN(test_range());
    RUN(test_compared(graph, folder));
    RUN(test_file(folder));
    pen_graph_destroy(&graph);
    case_free(&g);
    remove_folder(folder);
}
