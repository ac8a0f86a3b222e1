/* set_globals_test - values that the program sets between steps (pen_run_set_globals): nodes, files and the end of a
 * run follow them, and so do the serial computation and checkpoints.
 * pen_mpi_test(RANKS 1 2 3 4) */
#include "halo/connect.h"
#include "observables/set_globals.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

#include <penumbra_checkpoint.h>

enum { STEPS = 7, MOST_NODES = 80, RANGE = 1024 };
enum { VALUE };

static int64_t wrap(int64_t value) { return (value % RANGE + RANGE) % RANGE; }

/* ---- The application ------------------------------------------------------------------------ */

/* What another program gives before a step. */
typedef struct outside {
    int64_t level, hidden;
} outside;

static void follow(const pen_view *v)
{
    const outside *o = PEN_GLOBALS(v, outside);
    int64_t sum = 3 * *PEN_SELF(v, VALUE, int64_t) + o->level + o->hidden * (pen_id(v) % 5);
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, VALUE, int64_t, i);
    *PEN_NEXT(v, VALUE, int64_t) = wrap(sum + *(const int64_t *)pen_params(v));
}

static void init(const pen_view *v) { *PEN_NEXT(v, VALUE, int64_t) = wrap(pen_id(v) % RANGE * 7); }

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, *PEN_SELF(v, VALUE, int64_t)); }

static int64_t own_params;
static const pen_field fields[] = { { .name = "value", .size = sizeof(int64_t) } };
static const pen_phase following[] = { { "follow", .node = follow, .reads = PEN_SET(VALUE),
                                         .writes = PEN_SET(VALUE) } };
static const pen_member levels[] = { PEN_MEMBER(0, outside, level, PEN_I64) };
static const pen_globals given_globals = { .size = sizeof(outside), PEN_MEMBERS(levels) };
static const pen_app driven = { .name = "driven",
                                PEN_FIELDS(fields),
                                PEN_PHASES(following),
                                .globals = &given_globals,
                                .params = &own_params,
                                .init = init,
                                .output.print = print };

/* ---- With checkpoints ----------------------------------------------------------------------- */

/* In steps 0, 1, 4 and 5: four changes in seven steps. */
static outside outside_of(int step)
{
    static const int changes[STEPS] = { 1, 2, 2, 2, 3, 4, 4 };
    return (outside){ 5 * changes[step], changes[step] - 1 };
}
enum { CHANGES = 4, SAVED_AT = 3 };

static pen_status drive(pen_run *run, int first, int end)
{
    pen_status status = PEN_OK;
    for (int step = first; step < end && status == PEN_OK; step++) {
        const outside now = outside_of(step), other = { -1, -1 };
        status = pen_run_set_globals(run, &other); /* the last one before a step counts */
        if (status == PEN_OK) status = pen_run_set_globals(run, &now);
        if (status == PEN_OK) status = pen_run_steps(run, 1);
    }
    return status;
}

static void follow_reference(const graph_case *g, int64_t *value)
{
    for (int i = 0; i < g->nodes; i++) value[i] = wrap(g->gids[i] % RANGE * 7);
    for (int step = 0; step < STEPS; step++) {
        int64_t before[MOST_NODES];
        const outside o = outside_of(step);
        memcpy(before, value, sizeof before);
        for (int i = 0; i < g->nodes; i++) {
            int64_t sum = 3 * before[i] + o.level + o.hidden * (g->gids[i] % 5);
            for (int j = 0; j < g->degree[i]; j++) sum += before[g->neighbors[i][j]];
            value[i] = wrap(sum);
        }
    }
}

static int64_t count_differences(pen_run *run)
{
    int64_t differences = -1;
    char message[256] = "";
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_OK);
    return differences;
}

/* With a checkpoint and nodes that move, and then perhaps in the strict mode. */
static void test_given(const graph_case *g, const pen_graph *graph, int way)
{
    int64_t value[MOST_NODES];
    char folder[64];
    make_folder("globals_test", folder);
    pen_run_options options = { .transport = pen_transports[way]->name,
                                .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.4 } };
    pen_run *run = run_with(graph, &driven, &options);
    if (!run) return;
    CHECK_STATUS(drive(run, 0, SAVED_AT), PEN_OK);
    expect_verified(run);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    options.partitioner = "random:seed=3";
    options.debug.strict = way % 2 == 0;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &driven, &options, &run), PEN_OK);
    if (!run) return;
    CHECK_INT(((const outside *)pen_run_globals(run))->level, outside_of(SAVED_AT - 1).level);
    CHECK_STATUS(drive(run, SAVED_AT, STEPS), PEN_OK);
    follow_reference(g, value);
    const pen_local local = pen_run_local(run);
    for (pen_lid s = 0; s < local.count; s++)
        for (int i = 0; i < g->nodes; i++)
            if (g->gids[i] == local.gids[s]) CHECK_INT(((const int64_t *)local.fields[VALUE])[s], value[i]);
    expect_verified(run);
    CHECK(((const pen_globals_log *)pen_part_state(run, &pen_part_given_globals))->count >= CHANGES ||
          check_rank() > 0);
    CHECK(((const pen_globals_log *)pen_part_state(run, &pen_part_given_globals))->count <= STEPS &&
          (((const pen_globals_log *)pen_part_state(run, &pen_part_given_globals))->count == 0 || check_rank() == 0));
    pen_run_destroy(&run);
    remove_folder(folder);
}

/* ---- Other cases ---------------------------------------------------------------------------- */

/* Without pen_run_set_globals, parameters that change between steps are what --verify cannot repeat. */
static void test_params(const pen_graph *graph)
{
    own_params = 0;
    pen_run *run = run_with(graph, &driven, NULL);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    own_params = 1;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK(count_differences(run) > 0);
    own_params = 0;
    pen_run_destroy(&run);
}

/* Records that are equal to those before cost nothing; others are refused; the run stays as it was. */
static void test_given_errors(const pen_graph *graph)
{
    pen_app without = driven;
    pen_run *run = NULL, *other = NULL;
    const int size = check_size();
    const outside good_one = { 4, 2 };
    outside mine = { 4, check_rank() };
    run = run_with(graph, &driven, NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(pen_run_set_globals(run, &good_one), PEN_OK);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    }
    CHECK_INT(((const pen_globals_log *)pen_part_state(run, &pen_part_given_globals))->count, check_rank() == 0);
    CHECK_STATUS(pen_run_set_globals(run, check_rank() == size - 1 ? NULL : &good_one), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "the globals are NULL");
    if (size > 1) {
        CHECK_STATUS(pen_run_set_globals(run, &mine), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "unequal on the ranks");
    }
    CHECK(memcmp(pen_run_globals(run), &good_one, sizeof good_one) == 0);
    expect_verified(run);
    without.globals = NULL;
    without.phases.list = &(pen_phase){ "stay", .node = init, .writes = PEN_SET(VALUE) };
    other = run_with(graph, &without, NULL);
    CHECK_STATUS(pen_run_set_globals(other, &good_one), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "it has no globals");
    pen_run_destroy(&other);
    pen_run_destroy(&run);
}

static void count_level(const pen_run *run, int phase, const void *params, void *record)
{
    ((outside *)record)->level++;
}

/* .update continues from the given record, and the end is decided again. */
static void test_given_end(const pen_graph *graph)
{
    pen_app app = driven;
    app.globals = &(pen_globals){ sizeof(outside), count_level, PEN_MEMBERS(levels) };
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .until = "level>=4" });
    if (!run) return;
    CHECK_STATUS(pen_run_steps(run, PEN_UNLIMITED), PEN_OK);
    CHECK_INT(pen_run_step(run), 3);
    outside now = *(const outside *)pen_run_globals(run);
    now.level = 2;
    CHECK(pen_run_done(run));
    CHECK_STATUS(pen_run_set_globals(run, &now), PEN_OK);
    CHECK(!pen_run_done(run));
    CHECK_STATUS(pen_run_steps(run, PEN_UNLIMITED), PEN_OK);
    CHECK_INT(pen_run_step(run), 5);
    expect_verified(run);
    now.level = 4;
    CHECK_STATUS(pen_run_set_globals(run, &now), PEN_OK);
    expect_verified(run);
    pen_run_destroy(&run);
}

CHECKS()
{
    pen_graph *graph = NULL;
    for (int number = 0; number < CASES; number++) {
        graph_case g = case_make(number);
        graph = graph_of(&g, 4);
        RUN(test_given(&g, graph, number % 8));
        pen_graph_destroy(&graph);
        case_free(&g);
    }
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, 4, 3, &graph), PEN_OK);
    RUN(test_params(graph));
    RUN(test_given_errors(graph));
    RUN(test_given_end(graph));
    pen_graph_destroy(&graph);
}
