/* handles_test - mistakes and special requests of a caller with its own MPI program: every mistake is a status on all
 * ranks, and all that was made is freed.
 * pen_mpi_test(ALONE TIMEOUT 180) */
#include "tests/support/held.h"
#include "tests/support/world.h"

enum { VALUE, COPY };

static void init(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, double) = (double)pen_id(v);
    *PEN_NEXT(v, COPY, double) = 0.0;
}
static void copy(const pen_view *v) { *PEN_NEXT(v, COPY, double) = *PEN_SELF(v, VALUE, double); }
static void copy_all(const pen_view *v, pen_lid end)
{
    memcpy((double *)v->next[COPY] + v->slot, (const double *)v->current[VALUE] + v->slot,
           (size_t)(end - v->slot) * sizeof(double));
}
static void want_all(const pen_view *v, pen_requests *requests) { pen_request(requests, pen_id(v)); }
static void observe(const pen_view *v, pen_observation *o) { pen_observe_real(o, 0, *PEN_SELF(v, COPY, double)); }
PEN_OBSERVE_SWEEP(observe)
static void print(const pen_view *v, FILE *out) { fprintf(out, "%g", *PEN_SELF(v, COPY, double)); }

static const pen_field fields[65] = { { .name = "value", .size = sizeof(double) },
                                      { .name = "copy", .size = sizeof(double) } };
static const pen_phase phases[] = { { "copy", .node = copy, .reads = PEN_SET(VALUE), .writes = PEN_SET(COPY) } };
static const pen_observable observables[] = { { "sum", PEN_SUM_REAL, 1 } };
static const pen_app good = { .name = "good",
                              .fields = { fields, 2 },
                              PEN_PHASES(phases),
                              .init = init,
                              .output.print = print,
                              PEN_OBSERVABLES(observables, observe_sweep) };

static int64_t nodes;
static pen_graph *graph;

static void expect_refused(const pen_app *app, const char *why)
{
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, app, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), why);
    CHECK(run == NULL);
    pen_run_destroy(&run);
}

static void test_bad_applications(void)
{
    static const pen_phase no_function[] = { { "idle", .writes = PEN_SET(0) } };
    static const pen_phase two_functions[] = { { "both", .node = copy, .writes = PEN_SET(0), .sweep = copy_all } };
    static const pen_phase no_writes[] = { { "reader", .node = copy, .reads = PEN_SET(0) } };
    static const pen_phase unknown_read[] = { { "reader", .node = copy, .reads = PEN_SET(2), .writes = PEN_SET(0) } };
    static const pen_phase unknown_write[] = { { "writer", .node = copy, .writes = PEN_SET(63) } };
    static const pen_phase far_nothing[] = { { "distant", .node = copy, .writes = PEN_SET(0), .far = want_all } };
    static const pen_phase far_nobody[] = { { "distant", .node = copy, .writes = PEN_SET(0),
                                              .far_reads = PEN_SET(0) } };
    static const pen_phase far_unknown[] = { { "distant", .node = copy, .writes = PEN_SET(0), .far = want_all,
                                               .far_reads = PEN_SET(2) } };
    static const pen_phase unnamed_phase[] = { { NULL, .node = copy, .writes = PEN_SET(0) } };
    static const pen_field empty_field[] = { { .name = "nothing", .size = 0 },
                                             { .name = "copy", .size = sizeof(double) } };
    static const pen_field unnamed_field[] = { { .name = NULL, .size = 8 },
                                               { .name = "copy", .size = sizeof(double) } };
    static const pen_observable unnamed_observable[] = { { NULL, PEN_SUM_INT, 1 } };
    static const pen_observable equal[] = { { "sum", PEN_SUM_INT, 1 }, { "sum", PEN_MAX_INT, 1 } };
    static const pen_observable component[] = { { "sum", PEN_SUM_INT, 2 }, { "sum_1", PEN_MAX_INT, 1 } };
    static const pen_observable step[] = { { "step", PEN_SUM_INT, 1 } };
#define EXPECT_REFUSED(why, change) \
    do {                            \
        pen_app app = good;         \
        app.change;                 \
        expect_refused(&app, why);  \
    } while (0)
    EXPECT_REFUSED("name", name = NULL);
    EXPECT_REFUSED("init", init = NULL);
    EXPECT_REFUSED("0 fields", fields.count = 0);
    EXPECT_REFUSED("65 fields", fields.count = 65);
    EXPECT_REFUSED("-1 fields", fields.count = -1);
    EXPECT_REFUSED("fields", fields.list = NULL);
    EXPECT_REFUSED("nothing", fields.list = empty_field);
    EXPECT_REFUSED("field 0", fields.list = unnamed_field);
    EXPECT_REFUSED("phases", phases.count = 0);
    EXPECT_REFUSED("phases", phases.list = NULL);
    EXPECT_REFUSED("phase idle needs exactly one of .node, .sweep and .modify", phases.list = no_function);
    EXPECT_REFUSED("phase both needs exactly one of .node, .sweep and .modify", phases.list = two_functions);
    EXPECT_REFUSED("reader", phases.list = no_writes);
    EXPECT_REFUSED("unknown field", phases.list = unknown_read);
    EXPECT_REFUSED("unknown field", phases.list = unknown_write);
    EXPECT_REFUSED("distant needs both", phases.list = far_nothing);
    EXPECT_REFUSED("distant needs both", phases.list = far_nobody);
    EXPECT_REFUSED("unknown field", phases.list = far_unknown);
    EXPECT_REFUSED("phase 0", phases.list = unnamed_phase);
    EXPECT_REFUSED("observe", observables.observe = NULL);
    EXPECT_REFUSED("1 observables", observables.list = NULL);
    EXPECT_REFUSED("-1 observables", observables.count = -1);
    EXPECT_REFUSED("observable 0", observables.list = unnamed_observable);
    EXPECT_REFUSED("good: observable sum: that name is taken", observables.list = (app.observables.count = 2, equal));
    EXPECT_REFUSED("good: observable sum_1: that name is taken",
                   observables.list = (app.observables.count = 2, component));
    EXPECT_REFUSED("good: observable step: that name is taken", observables.list = step);
    /* Globals may have a step. */
    static const pen_member members[] = { { .name = "step", .type = PEN_I64 } };
    static const pen_globals globals = { .size = sizeof(int64_t), .members = { members, 1 } };
    pen_app app = good;
    pen_run *run = NULL;
    app.globals = &globals;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &run), PEN_OK);
    pen_run_destroy(&run);
}

static void test_bad_arguments(void)
{
    pen_run *run = NULL;
    const int size = check_size();
    expect_refused(NULL, "application");
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, NULL, &good, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_create(MPI_COMM_NULL, graph, &good, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_create(MPI_COMM_SELF, graph, &good, NULL, &run), size > 1 ? PEN_ERR_ARGUMENT : PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &good, &(pen_run_options){ .transport = "fenced" }, &run),
                 PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "did you mean fence?");
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &good, &(pen_run_options){ .partitioner = "mets" }, &run),
                 PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "did you mean metis?");
    CHECK(run == NULL);

    /* Nulled handles, and none, may be destroyed. */
    pen_graph *nothing = NULL;
    pen_run_destroy(&run);
    pen_run_destroy(NULL);
    pen_graph_destroy(&nothing);
    pen_graph_destroy(NULL);
}

static const char *complain_on_last(void *params, const pen_world *world)
{
    const int *size = (const int *)params;
    CHECK_INT(world->ranks, *size);
    CHECK_INT(world->nodes, nodes);
    CHECK_INT(world->steps, 12);
    return check_rank() == *size - 1 ? "the last rank is not amused" : NULL;
}

static void test_setup(void)
{
    pen_run *run = NULL;
    int size = check_size();
    pen_app app = good;
    app.setup = complain_on_last;
    app.params = &size;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .steps = 12 }, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "good: the last rank is not amused");
    CHECK(run == NULL);
}

static void test_steps(void)
{
    pen_run *run = run_with(graph, &good, NULL);
    CHECK_STATUS(pen_run_steps(run, -1), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "-1");
    CHECK_STATUS(pen_run_steps(run, 0), PEN_OK);
    pen_local local = pen_run_local(run);
    for (pen_lid i = 0; i < local.count; i++) CHECK(((const double *)local.fields[COPY])[i] == 0.0);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    local = pen_run_local(run);
    for (pen_lid i = 0; i < local.count; i++) CHECK_INT(((const double *)local.fields[COPY])[i], local.gids[i]);
    double sum = pen_run_observed_real(run, 0);
    CHECK_INT(sum, nodes * (nodes - 1) / 2);
    CHECK_STATUS(pen_run_steps(run, 0), PEN_OK);
    CHECK(pen_run_observed_real(run, 0) == sum);

    uint64_t checksum = 0;
    CHECK_STATUS(pen_run_dump(run, "/dev/null"), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "/dev/null: cannot write: not a regular file");
    CHECK_STATUS(pen_run_metrics(run, "/no/such/folder/m.json"), PEN_ERR_IO);
    CHECK_STATUS(pen_run_checksum(run, &checksum), PEN_OK);
    pen_run_destroy(&run);

    pen_app silent = good;
    silent.output.print = NULL;
    run = run_with(graph, &silent, NULL);
    CHECK_STATUS(pen_run_checksum(run, &checksum), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_dump(run, "unwritten"), PEN_ERR_ARGUMENT);
    CHECK(access("unwritten", F_OK) != 0);
    pen_run_destroy(&run);

    /* Members are the text of an application that prints none. */
    static const pen_member members[] = { { "copy", COPY, PEN_F64, 0, 1 } };
    uint64_t of_members = 0;
    silent.output.members.list = members;
    silent.output.members.count = PEN_COUNT_OF(members);
    run = run_with(graph, &silent, NULL);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_STATUS(pen_run_checksum(run, &of_members), PEN_OK);
    CHECK(of_members == checksum);
    expect_verified(run);
    pen_run_destroy(&run);
}

/* Output of the application's own: called before the first step and after every one, wherever a call ends. */
typedef struct outputs {
    int64_t calls, fail_at;
} outputs;

static pen_status count_output(pen_run *run, int64_t step, void *params, FILE *out)
{
    outputs *o = (outputs *)params;
    pen_records all;
    CHECK_INT(step, o->calls++);
    CHECK(!out);
    if (step == o->fail_at) return pen_run_dump(run, "/no/such/folder/picture");
    CHECK_STATUS(pen_run_gather(run, 2, &all), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_gather(run, -1, &all), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_gather(run, COPY, &all), PEN_OK);
    CHECK_INT(all.count, check_rank() == 0 ? nodes : 0);
    int64_t own = 0;
    for (int64_t i = 0; i < all.count; i++) {
        CHECK_INT(all.gids[i], i);
        CHECK_INT(((const double *)all.records)[i], step > 0 ? i : 0);
        own += all.owners[i] == 0;
    }
    if (check_rank() == 0) CHECK_INT(own, pen_run_local(run).count);
    pen_records_free(&all);
    pen_records_free(&all);
    return PEN_OK;
}

static void test_output(void)
{
    outputs o = { 0, 4 };
    pen_app app = good;
    app.output.write = count_output;
    app.params = &o;
    pen_run *run = run_with(graph, &app, NULL);
    CHECK_INT(o.calls, 0);
    CHECK_STATUS(pen_run_steps(run, 0), PEN_OK);
    CHECK_INT(o.calls, 1);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_INT(o.calls, 3);
    CHECK_STATUS(pen_run_steps(run, 5), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "/no/such/folder/picture");
    CHECK_INT(o.calls, 5);
    pen_run_destroy(&run);

    /* Such an application may draw states itself, whatever the files of the run are. */
    static const pen_member members[] = { { "copy", COPY, PEN_F64, 0, 1 } };
    pen_app drawn = good;
    drawn.output.members.list = app.output.members.list = members;
    drawn.output.members.count = app.output.members.count = PEN_COUNT_OF(members);
    const pen_run_options meshed = { .output = { .path = "never.csv", .mesh = "points.npy:cells.npy" } };
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &meshed, &run), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &drawn, &meshed, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "output.mesh needs pen_run_options.output.path=FILE.vtu");
    CHECK(access("never.csv", F_OK) != 0);
}

/* A run on a slow network ends after the transport that it wraps; the address sanitizer would notice otherwise. */
static void test_delays(void)
{
    char path[64];
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/tmp/handles_test.%d", process);
    write_text(path, "* * 0.0001\n");
    const pen_run_options options = { .transport = "overlap",
                                      .debug.tests = &(pen_test_options){ .network_delay = path } };
    pen_run *run = run_with(graph, &good, &options);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    pen_run_destroy(&run);
    if (check_rank() == 0) unlink(path);
}

/* Handles that all ranks take are reported on all of them, also after they were given back. */
static void test_memory(void)
{
    enum { BLOCK = 24 << 20, SLACK = 8 << 20 };
    int64_t before = -1, after = -1, most;
    const int size = check_size();
    pen_run *run = run_with(graph, &good, NULL);
    CHECK_STATUS(pen_run_memory(run, &before), PEN_OK);
    CHECK(before >= 0);
    volatile char *block = (char *)malloc(BLOCK);
    CHECK(block);
    for (int i = 0; block && i < BLOCK; i += 1024) block[i] = 1;
    free((void *)block);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_STATUS(pen_run_memory(run, &after), PEN_OK);
    CHECK(after > before && after >= size * (int64_t)(BLOCK - SLACK) && after < before + size * (int64_t)(2 * BLOCK));
    MPI_Allreduce(&after, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK_INT(after, most);
    pen_run_destroy(&run);
}

/* A check that is not content after the third step ends the run there, on all ranks. */
static const char *check_sum(const pen_run *run, const void *params)
{
    int64_t *calls = *(int64_t *const *)params;
    CHECK_INT(pen_run_observed_real(run, 0), nodes * (nodes - 1) / 2);
    return ++*calls == 3 ? "three are enough" : NULL;
}

static void test_check(void)
{
    int64_t calls = 0, *counter = &calls;
    pen_app app = good;
    app.check = check_sum;
    app.params = &counter;
    pen_run *run = run_with(graph, &app, NULL);
    CHECK_STATUS(pen_run_steps(run, 10), PEN_ERR_CHECK);
    CHECK_CONTAINS(pen_error_message(), "step 3: three are enough");
    CHECK_INT(calls, 3);
    pen_run_destroy(&run);
    app.observables.observe = NULL;
    app.observables.count = 0;
    expect_refused(&app, "check");
}

/* Fields that no two runs share, stepped in turn, destroyed in another order. */
static void test_several(void)
{
    enum { RUNS = 5 };
    static const char *const transports[RUNS] = { "blocking", NULL, "blocking", NULL, NULL };
    pen_run *runs[RUNS] = { NULL };
    for (int i = 0; i < RUNS; i++)
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &good, &(pen_run_options){ .transport = transports[i] },
                                    &runs[i]),
                     PEN_OK);
    for (int i = 0; i < RUNS; i++) CHECK_STATUS(pen_run_steps(runs[i], i), PEN_OK);
    for (int i = 0; i < RUNS; i++) CHECK_INT(pen_run_observed_real(runs[i], 0), i ? nodes * (nodes - 1) / 2 : 0);
    for (int i = 0; i < RUNS; i++) pen_run_destroy(&runs[(i * 3 + 1) % RUNS]);
}

/* ---- Nothing is left ------------------------------------------------------------------------ */

static void create_and_destroy(int times)
{
    for (int i = 0; i < times; i++) {
        pen_graph *g = graph_from("hex:20x20");
        pen_run *run = run_with(g, &good, NULL);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        pen_run_destroy(&run);
        pen_graph_destroy(&g);
    }
}

static void test_nothing_is_left(int cycles)
{
    enum { PARTS = 3 };
    create_and_destroy(100); /* pools of MPI and of malloc fill up; later they may grow in one part, but not in all */
    int files = held_files(), mappings = held_mappings();
    int64_t least_heap = INT64_MAX, least_resident = INT64_MAX;
    for (int i = 0; i < PARTS; i++) {
        int64_t heap = held_heap(), resident = held_bytes();
        create_and_destroy(cycles);
        heap = held_heap() - heap;
        resident = held_bytes() - resident;
        if (heap < least_heap) least_heap = heap;
        if (resident < least_resident) least_resident = resident;
    }
    int64_t most = (128 << 10) + cycles * 512; /* one array of a cycle takes more */
    CHECK(least_heap <= most);
    CHECK(least_resident <= most);
    if (least_heap > most || least_resident > most)
        fprintf(stderr, "    %d cycles: %" PRId64 " bytes allocated, %" PRId64 " resident\n", cycles, least_heap,
                least_resident);
    CHECK_INT(held_files(), files);
    CHECK_INT(held_mappings(), mappings);
}

CHECKS()
{
    graph = graph_from("hex:5x4");
    nodes = pen_graph_nodes(graph);
    RUN(test_bad_applications());
    RUN(test_bad_arguments());
    RUN(test_setup());
    RUN(test_steps());
    RUN(test_output());
    RUN(test_delays());
    RUN(test_memory());
    RUN(test_check());
    RUN(test_several());
    pen_graph_destroy(&graph);
    const int size = check_size();
    RUN(test_nothing_is_left(size <= 2 ? 100 : 20)); /* more ranks than cores learn as much, but later */
}
