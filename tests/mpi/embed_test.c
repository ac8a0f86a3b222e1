/* embed_test - a run inside another program: it has its own parameters and sizes of records; --verify, trace and
 * command line work through handles; and errors are a status on all ranks.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "base/members.h"
#include "debug/parts.h"
#include "tests/support/world.h"

#include <math.h>
#include <unistd.h>

/* As many numbers as the run's parameters say, each the sum of the neighbours' numbers times a factor. */
enum { NUMBERS, PLAIN };

typedef struct parameters {
    int64_t count, factor;
    int64_t unequal;  /* the last rank settles another size */
    int64_t wrong_at; /* > 0: a node function that does not compute the same twice */
    int setups, outputs, checks;
} parameters;

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    int64_t *next = (int64_t *)pen_next_record(v, NUMBERS);
    for (int64_t k = 0; k < p->count; k++) next[k] = pen_id(v) + k;
    *PEN_NEXT(v, PLAIN, char) = 'a';
}

static int64_t calls;

static void add_up(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    int64_t *next = (int64_t *)pen_next_record(v, NUMBERS);
    const int64_t *self = (const int64_t *)pen_self_record(v, NUMBERS);
    for (int64_t k = 0; k < p->count; k++) next[k] = self[k] % 1000;
    for (int32_t i = 0; i < pen_degree(v); i++)
        for (int64_t k = 0; k < p->count; k++)
            next[k] += p->factor * ((const int64_t *)pen_neighbor_record(v, NUMBERS, i))[k] % 1000;
    if (p->wrong_at > 0 && ++calls == p->wrong_at) next[0]++;
    *PEN_NEXT(v, PLAIN, char) = (char)('a' + (*PEN_SELF(v, PLAIN, char) - 'a' + 1) % 26);
}

static void print(const pen_view *v, FILE *out)
{
    const parameters *p = (const parameters *)pen_params(v);
    const int64_t *self = (const int64_t *)pen_self_record(v, NUMBERS);
    for (int64_t k = 0; k < p->count; k++) fprintf(out, "%" PRId64 " ", self[k]);
    fputc(*PEN_SELF(v, PLAIN, char), out);
}

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, 0, *(const int64_t *)pen_self_record(v, NUMBERS));
}
PEN_OBSERVE_SWEEP(observe)

static const char *setup(void *params, const pen_world *world)
{
    parameters *p = (parameters *)params;
    CHECK_INT(world->field_sizes[NUMBERS], 0);
    CHECK_INT(world->field_sizes[PLAIN], 1);
    bool last = check_rank() == world->ranks - 1;
    world->field_sizes[NUMBERS] = (size_t)(p->count + (last ? p->unequal : 0)) * sizeof(int64_t);
    p->setups++;
    return p->factor < 0 ? "a negative factor" : NULL;
}

static const char *check(const pen_run *run, const void *params)
{
    const parameters *p = (const parameters *)params;
    CHECK(pen_run_step(run) > 0 && p->factor > 0);
    return pen_run_step(run) == p->checks ? "enough" : NULL;
}

static pen_status output(pen_run *run, int64_t step, void *params, FILE *out)
{
    CHECK_INT(step, pen_run_step(run));
    CHECK_INT(out != NULL, check_rank() == 0);
    ((parameters *)params)->outputs++;
    return PEN_OK;
}

static const pen_field fields[] = { { .name = "numbers", .size = 0 }, { .name = "plain", .size = 1 } };
static const pen_phase phases[] = {
    { "add up", .node = add_up, .reads = PEN_SET(NUMBERS), .writes = PEN_SET(NUMBERS, PLAIN) },
};
static const pen_observable observables[] = { { "sum", PEN_SUM_INT, 1 } };
static const pen_app app = { .name = "embedded",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             PEN_OBSERVABLES(observables, observe_sweep),
                             .init = init,
                             .output.print = print,
                             .setup = setup };

/* The application with these parameters. */
static pen_app app_with(parameters *p)
{
    pen_app given = app;
    given.params = p;
    return given;
}

static pen_graph *graph;

/* Runs of one application with different parameters and records, at once, step by step in turn. */
static void test_parameters(void)
{
    enum { RUNS = 3 };
    static const char *const transports[RUNS] = { "fence", "passive", "overlap" };
    parameters p[RUNS] = { { .count = 1, .factor = 1 }, { .count = 5, .factor = 3 }, { .count = 40, .factor = 2 } };
    pen_run *runs[RUNS] = { NULL };
    int64_t sums[RUNS];
    pen_app shared = app;
    shared.output.write = output;
    for (int r = 0; r < RUNS; r++) {
        shared.params = &p[r];
        pen_run_options options = { .transport = transports[r],
                                    .debug.tests = &(pen_test_options){ .migrate_seed = 3,
                                                                        .migrate_part = r == 1 ? 0.5 : 0.0 },
                                    .out = stdout };
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &shared, &options, &runs[r]), PEN_OK);
        CHECK_INT(p[r].setups, 1);
    }
    for (int s = 0; s < 6; s++)
        for (int r = 0; r < RUNS; r++) CHECK_STATUS(pen_run_steps(runs[r], 1), PEN_OK);
    for (int r = 0; r < RUNS; r++) {
        CHECK_INT(p[r].outputs, 7);
        expect_verified(runs[r]);
        sums[r] = pen_run_observed_int(runs[r], 0);
        pen_run_destroy(&runs[r]);
    }
    CHECK(sums[0] != sums[1] && sums[1] != sums[2]);

    p[1].checks = 2;
    shared.check = check;
    shared.params = &p[1];
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &shared, &(pen_run_options){ .out = stdout }, &runs[0]), PEN_OK);
    CHECK_STATUS(pen_run_steps(runs[0], 9), PEN_ERR_CHECK);
    CHECK_INT(pen_run_step(runs[0]), 2);
    pen_run_destroy(&runs[0]);
}

static void refuse(parameters p, pen_run_options options, pen_status status, const char *words)
{
    pen_run *run = NULL;
    const pen_app given = app_with(&p);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &given, &options, &run), status);
    CHECK_CONTAINS(pen_error_message(), words);
    CHECK(!run);
    pen_run_destroy(&run);
}

static void refuse_option(const char *option, const char *words)
{
    char text[64];
    pen_options *options = NULL;
    snprintf(text, sizeof text, "%s", option);
    CHECK_STATUS(pen_options_parse(&app, 2, (char *[]){ text, text }, &options), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), words);
}

static void test_refused(int size)
{
    const parameters good = { .count = 2, .factor = 1 };
    refuse((parameters){ .count = 0, .factor = 1 }, (pen_run_options){ .steps = 0 }, PEN_ERR_ARGUMENT,
           "numbers has size 0");
    refuse((parameters){ .count = 2, .factor = -1 }, (pen_run_options){ .steps = 0 }, PEN_ERR_INPUT,
           "a negative factor");
    if (size > 1)
        refuse((parameters){ .count = 2, .factor = 1, .unequal = 1 }, (pen_run_options){ .steps = 0 }, PEN_ERR_ARGUMENT,
               "the application's fields, \"numbers of 16 bytes");
    static pen_test_options many = { .migrate_part = 2.0 };
    static const struct {
        pen_run_options options;
        const char *words;
    } wrong[] = {
        { { .steps = -1 }, "steps -1, must be >= 0" },
        { { .order = (pen_order)4 }, "order 4, must be at most 3" },
        { { .progress = (pen_progress)3 }, "progress 3, must be at most 2" },
        { { .balance.load = (pen_load_kind)2 }, "balance.load 2, must be at most 1" },
        { { .balance.node_cost = 1.0 }, "balance.call_cost and balance.node_cost need PEN_LOAD_DECLARED" },
        { { .balance = { .load = PEN_LOAD_DECLARED, .call_cost = -2.0 } }, "balance.call_cost -2, must be" },
        { { .checkpoint.every_steps = 3 }, "need checkpoint.folder" },
        { { .checkpoint = { .folder = "x", .every_seconds = NAN } }, "checkpoint.every_seconds nan, must be" },
        { { .checkpoint = { .folder = "x", .before = 1 } }, "checkpoint.before 1: this time has passed" },
        { { .output.every = -1 }, "output.every -1, must be >= 0" },
        { { .output.observables_every = -1 }, "output.observables_every -1, must be >= 0" },
        { { .debug.tests = &many }, "debug.migrate_part 2, must be from 0 to 1" },
        { { .debug.watchdog = -2.0 }, "debug.watchdog -2, must be a number of seconds >= 0, or PEN_WATCHDOG_REPORT" },
    };
    for (int i = 0; i < PEN_COUNT_OF(wrong); i++) refuse(good, wrong[i].options, PEN_ERR_ARGUMENT, wrong[i].words);
    /* Without a command line messages name members, and with one options. */
    pen_members_hide(false);
    refuse(good, (pen_run_options){ .until = "highest" }, PEN_ERR_INPUT, "pen_run_options.until: not a condition");
    refuse(good, (pen_run_options){ .balance.when = "often" }, PEN_ERR_INPUT,
           "pen_run_options.balance.when=often: must be auto, change or every:N");
    refuse(good, (pen_run_options){ .output.path = "x.foo" }, PEN_ERR_INPUT, "pen_run_options.output.path=x.foo: must");
    pen_members_hide(true);
    refuse(good, (pen_run_options){ .until = "highest" }, PEN_ERR_INPUT, "--until: not a condition");
    static const struct {
        const char *option, *words;
    } bad[] = {
        { "--migrate-random=7:2", "--migrate-random=7:2: must be SEED or SEED:PART with PART from 0 to 1" },
        { "--progress=perhaps", "--progress=perhaps: must be auto, on or off" },
        { "--checkpoint-every=3", "--checkpoint-every needs --checkpoint=DIR" },
        { "--checkpoint-before=12:00", "--checkpoint-before needs --checkpoint=DIR" },
        { "--output-fields=u", "--output-fields needs --output=PATTERN" },
        { "--accept=seed", "--accept needs --resume" },
        { "--checkpoint=", "--checkpoint needs a folder" },
        { "--order=rmc", "--order=rmc: must be auto, natural, rcm or hilbert" },
    };
    for (int i = 0; i < PEN_COUNT_OF(bad); i++) refuse_option(bad[i].option, bad[i].words);
}

/* ---- Verification and trace -------------------------------------------------------------------------- */

static void test_verify(int size)
{
    parameters p = { .count = 2, .factor = 5 };
    pen_run_options options = { .debug.tests = &(pen_test_options){ .migrate_seed = 1, .migrate_part = 1 } };
    const pen_app given = app_with(&p);
    int64_t differences = 0, value[2] = { 1, 2 };
    char message[80], short_message[4];
    pen_gid first = 0;
    pen_run *run = run_with(graph, &given, &options);
    expect_verified(run);
    CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
    expect_verified(run);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    expect_verified(run);
    CHECK_STATUS(pen_run_verify(run, &differences, message, 0), PEN_ERR_ARGUMENT);

    /* The graph of the beginning is remembered. */
    run->graph.sum += check_rank() == size - 1;
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_OK);
    CHECK_INT(differences, 1);
    CHECK_CONTAINS(message, "the graph: serial \"one graph\"");

    CHECK_STATUS(pen_run_put(run, NUMBERS, check_rank() == 0, &first, value), PEN_OK);
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "were put from outside");
    pen_run_destroy(&run);

    /* What is not the same twice is found. */
    p.wrong_at = check_rank() == 0 ? 2 : INT64_MAX;
    calls = 0;
    run = run_with(graph, &given, &options);
    CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_OK);
    CHECK(differences > 0);
    CHECK_CONTAINS(message, "serial \"");
    CHECK_STATUS(pen_run_verify(run, &differences, short_message, sizeof short_message), PEN_OK);
    CHECK_INT(strlen(short_message), 3);
    pen_run_destroy(&run);

    pen_app silent = given;
    silent.output.print = NULL;
    run = run_with(graph, &silent, &options);
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_trace(run, "unwritten"), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "keeps no trace");
    CHECK(access("unwritten", F_OK) != 0);
    pen_run_destroy(&run);
}

static void name_file(const char *what, char *path, size_t size)
{
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, size, "/tmp/embed_test.%d.%s", process, what);
}

/* Collective. The text of a file that rank 0 has written, which is removed; it stands until the next call. */
static char *take_file(const char *path)
{
    static char text[1 << 20];
    MPI_Barrier(MPI_COMM_WORLD);
    char *read = read_file(path);
    snprintf(text, sizeof text, "%s", read);
    free(read);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) unlink(path);
    return text;
}

/* Records put before the first step belong to the initial state, and are observed. Also in the strict mode. */
static void test_put_first(bool strict)
{
    parameters p = { .count = 1, .factor = 1 };
    char path[64];
    name_file("csv", path, sizeof path);
    pen_run_options options = { .output.observables = path, .debug.strict = strict };
    const pen_app given = app_with(&p);
    pen_run *run = run_with(graph, &given, &options);
    CHECK_INT(pen_run_observed_int(run, 0), 30 * 29 / 2);
    pen_gid last = 29;
    int64_t value = 1000;
    CHECK_STATUS(pen_run_put(run, NUMBERS, check_rank() == 0, &last, &value), PEN_OK);
    CHECK_INT(pen_run_observed_int(run, 0), 30 * 29 / 2 - 29 + 1000);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_put(run, NUMBERS, check_rank() == 0, &last, &value), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    pen_run_destroy(&run);
    const char *text = take_file(path);
    CHECK_INT(strncmp(text, "step,sum\n0,1406\n1,", 18), 0);
}

static void test_trace(void)
{
    parameters p = { .count = 1, .factor = 1 };
    char path[64];
    name_file("trace", path, sizeof path);
    const pen_app given = app_with(&p);
    pen_run *run = run_with(graph, &given, &(pen_run_options){ .debug.trace = true });
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_trace(run, path), PEN_OK);
    const char *text = take_file(path);
    CHECK_CONTAINS(text, "\"name\": \"add up\"");
    CHECK_CONTAINS(text, "\n]}\n");
    pen_run_destroy(&run);
}

/* Rank 0 prints how records are pulled, if all ranks want that. */
static void test_explain(int size)
{
    parameters p = { .count = 1, .factor = 1 };
    const pen_app given = app_with(&p);
    char text[200] = "";
    FILE *own = tmpfile();
    pen_run *run = run_with(graph, &given, &(pen_run_options){ .debug.explain = own });
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    pen_run_destroy(&run);
    rewind(own);
    CHECK_INT(fgets(text, sizeof text, own) != NULL, check_rank() == 0);
    if (check_rank() == 0) CHECK_CONTAINS(text, "comm        ");
    if (size > 1)
        refuse(p, (pen_run_options){ .debug.explain = check_rank() == 0 ? own : NULL }, PEN_ERR_ARGUMENT,
               "debug.explain");
    fclose(own);
}

/* ---- The command line ---------------------------------------------------------------------------------- */

static void test_options(int size)
{
    parameters p = { .count = 2, .factor = 1 };
    int64_t own_record = 0, mode = 0;
    const pen_option own[] = {
        { "factor", "N", "of the neighbours' numbers (1)", PEN_OPTION_INT, &p.factor, 0, 0 },
        { "record", "N", "which the library has as well", PEN_OPTION_INT, &own_record, 0, 0 },
        { "mode", "slow|fast", "a word", PEN_OPTION_WORD, &mode, 0, 0 },
        { .name = NULL },
    };
    pen_app with_options = app;
    with_options.options = own;
    with_options.params = &p;
    with_options.graph.spec = "generate=hex:6x5";
    char dump[64], option[96], *text;
    name_file("dump", dump, sizeof dump);
    snprintf(option, sizeof option, "--dump=%s", dump);
    char *argv[] = { "embedded",          option,       "--steps=4",  "--factor=7",
                     "--comm=pscw",       "--verify",   "--quiet",    "--migrate-random=2:0.5",
                     "--partitioner=row", "--record=5", "--mode=fast" };
    pen_options *options = NULL;
    pen_graph *made = NULL;
    pen_run *run = NULL;
    CHECK_STATUS(pen_options_parse(&with_options, PEN_COUNT_OF(argv), argv, &options), PEN_OK);
    CHECK_INT(p.factor, 7);
    CHECK_INT(own_record, 5);
    CHECK_INT(mode, 1);
    CHECK(pen_options_of_run(options)->output.record == NULL);
    CHECK(!pen_options_answer(options, MPI_COMM_WORLD));
    CHECK_INT(pen_options_of_run(options)->steps, 4);
    CHECK(!strcmp(pen_options_of_run(options)->transport, "pscw") && !pen_options_of_run(options)->out);
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &made), PEN_OK);
    CHECK_INT(pen_graph_nodes(made), 30);
    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, made, &run), PEN_OK);
    pen_graph_destroy(&made);
    CHECK_STATUS(pen_run_steps(run, pen_options_of_run(options)->steps), PEN_OK);
    CHECK(pen_part_state(run, &pen_part_random_migration) && run->world.steps == 4);
    CHECK_STATUS(pen_options_report(options, run), PEN_OK);
    text = take_file(dump);
    CHECK_INT(strncmp(text, "0 ", 2), 0);
    CHECK_CONTAINS(text, "\n29 ");
    CHECK_STATUS(pen_run_metrics(run, dump), PEN_OK);
    CHECK_CONTAINS(take_file(dump), "\"options\": {\n    \"factor\": 7,\n    \"record\": 5,\n    \"mode\": 1\n  }");

    /* --verify comes back as a status. */
    run->graph.sum++;
    CHECK_STATUS(pen_options_report(options, run), PEN_ERR_CHECK);
    CHECK_CONTAINS(pen_error_message(), "--verify: 1 differences, the first: the graph");
    CHECK_INT(pen_exit_status(PEN_ERR_CHECK), 1);
    take_file(dump);
    pen_run_destroy(&run);
    pen_options_destroy(&options);
    pen_options_destroy(&options);
    pen_options_destroy(NULL);

    /* Nothing is kept of what is wrong. */
    char *wrong[] = { "embedded", "--factor=8", "--stepps=3" }, *folder[] = { "embedded", "--dump=/no/such/folder/d" },
         *one[] = { "embedded", "--output=x.foo" };
    CHECK_STATUS(pen_options_parse(&with_options, PEN_COUNT_OF(wrong), wrong, &options), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "did you mean --steps?");
    CHECK(!options && p.factor == 7);
    CHECK_STATUS(pen_options_parse(NULL, 0, NULL, &options), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_options_parse(&with_options, 0, NULL, &options), PEN_OK);
    pen_options_destroy(&options);
    CHECK_STATUS(pen_options_parse(&with_options, PEN_COUNT_OF(folder), folder, &options), PEN_OK);
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &made), PEN_ERR_IO);
    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, graph, &run), PEN_ERR_IO);
    pen_options_destroy(&options);
    CHECK_STATUS(pen_options_parse(&with_options, PEN_COUNT_OF(one), one, &options), PEN_OK);
    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, graph, &run), PEN_ERR_INPUT);
    pen_options_destroy(&options);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &with_options, &(pen_run_options){ .transport = "fens" }, &run),
                 PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "unknown transport fens: did you mean fence?");
    CHECK(!made && !run);

    /* On half of the ranks, with parameters from the program: only they take part. */
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() * 2 < size, 0, &half);
    if (check_rank() * 2 < size) {
        parameters mine = { .count = 9, .factor = 2 };
        char *few[] = { "embedded", "--generate=random:nodes=40", "--steps=3", "--quiet", "--verify" };
        with_options.params = &mine;
        CHECK_STATUS(pen_options_parse(&with_options, PEN_COUNT_OF(few), few, &options), PEN_OK);
        CHECK_STATUS(pen_options_graph(options, half, &made), PEN_OK);
        CHECK_STATUS(pen_options_create_run(options, half, made, &run), PEN_OK);
        CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
        CHECK_STATUS(pen_options_report(options, run), PEN_OK);
        CHECK_STATUS(pen_run_summary(run, NULL), PEN_OK);
        CHECK_INT(mine.setups, 1);
        pen_graph_destroy(&made);
        pen_run_destroy(&run);
        pen_options_destroy(&options);
    }
    MPI_Comm_free(&half);
    with_options.graph.spec = "hex:6x5";
    options = NULL;
    CHECK_STATUS(pen_options_parse(&with_options, 1, argv, &options), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "pen_app.graph.spec \"hex:6x5\" must be a graph option");
    pen_options_destroy(&options);
}

/* What --quiet leaves out is printed to a stream of the program. */
static void test_own_stream(void)
{
    parameters p = { .count = 1, .factor = 1 };
    const pen_app given = app_with(&p);
    char text[100] = "", *argv[] = { "embedded", "--generate=hex:6x5", "--steps=3", "--quiet" };
    pen_options *options = NULL;
    pen_graph *made = NULL;
    pen_run *run = NULL;
    FILE *own = tmpfile();
    CHECK_STATUS(pen_options_parse(&given, PEN_COUNT_OF(argv), argv, &options), PEN_OK);
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &made), PEN_OK);
    pen_options_of_run(options)->out = own;
    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, made, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
    CHECK_STATUS(pen_options_report(options, run), PEN_OK);
    rewind(own);
    CHECK_INT(fgets(text, sizeof text, own) != NULL, check_rank() == 0);
    if (check_rank() == 0) CHECK_CONTAINS(text, "embedded: 30 nodes, ");
    fclose(own);
    pen_run_destroy(&run);
    pen_graph_destroy(&made);
    pen_options_destroy(&options);
}

/* A run that the options did not create has no results to report. */
static void test_other_run(void)
{
    parameters p = { .count = 1, .factor = 1 };
    const pen_app given = app_with(&p);
    char *argv[] = { "embedded", "--output=embed_test.csv", "--quiet" };
    pen_options *options = NULL;
    pen_run *run = run_with(graph, &given, NULL);
    CHECK_STATUS(pen_options_parse(&given, PEN_COUNT_OF(argv), argv, &options), PEN_OK);
    CHECK_STATUS(pen_options_report(options, run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "the run was created without --output");
    pen_run_destroy(&run);
    pen_options_destroy(&options);
}

CHECKS()
{
    const int size = check_size();
    graph = graph_from("hex:6x5");
    RUN(test_parameters());
    RUN(test_refused(size));
    RUN(test_verify(size));
    RUN(test_trace());
    RUN(test_explain(size));
    RUN(test_put_first(false));
    RUN(test_put_first(true));
    RUN(test_options(size));
    RUN(test_own_stream());
    RUN(test_other_run());
    pen_graph_destroy(&graph);
}
