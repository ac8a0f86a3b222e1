/* checkpoint_test - a run that is saved and resumed, on any number of ranks, with other transports, partitioners,
 * balancers and orders, has the same bits as an uninterrupted one, which a serial computation has verified; including
 * observables, their file and the balancer's calls.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "balancing/balance.h"
#include "balancing/history.h"
#include "balancing/loads.h"
#include "checkpoint/state.h"
#include "tests/mpi/checkpoint_case.h"
#include "tests/support/world.h"

static const char *const graphs[] = { "mesh:9x8,coordinates", "torus:4x3x5,coordinates",
                                      "geometric:nodes=70,coordinates" };

static const pen_run_options begun = { .seed = 3,
                                       .steps = STEPS,
                                       .balance = { "diffusive", "every:2:always", .load = PEN_LOAD_DECLARED },
                                       .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.2 } };

/* Settings of the runs that go on. */
static const pen_run_options ways[] = {
    { .balance = { "diffusive", "every:2:always", .load = PEN_LOAD_DECLARED },
      .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.2 } },
    { .transport = "passive", .partitioner = "block", .order = PEN_ORDER_RCM },
    { .transport = "shared", .partitioner = "random", .balance = { .balancer = "central", .load = PEN_LOAD_DECLARED } },
    { .transport = "overlap", .partitioner = "scotch", .order = PEN_ORDER_HILBERT, .debug.strict = true },
};

/* Rank 0: the files are the same. */
static void compare_files(const char *found, const char *expected)
{
    if (check_rank() > 0) return;
    char *a = read_file(found), *b = read_file(expected);
    CHECK(*b != '\0');
    CHECK(strcmp(a, b) == 0);
    free(a);
    free(b);
}

static void copy_file(const char *from, const char *to)
{
    if (check_rank() == 0) {
        char *text = read_file(from);
        FILE *out = fopen(to, "wb");
        CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0);
        free(text);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_outcome(pen_run *run, const outcome *expected)
{
    outcome found = case_outcome(run);
    CHECK(found.checksum == expected->checksum);
    CHECK(memcmp(&found, expected, sizeof found) == 0);
    CHECK_INT(found.nodes, expected->nodes);
}

/* The calls of the balancer, without times. */
typedef struct calls {
    char text[16384];
} calls;

static void note_calls(const pen_run *run, calls *c)
{
    const pen_steer *s = &pen_balance_of(run)->steer;
    int at = snprintf(c->text, sizeof c->text, "%a %a\n", s->total, s->makespan);
    for (int64_t i = 0; i < s->call_count && at < (int)sizeof c->text; i++) {
        const pen_balance_call *k = &s->calls[i];
        at += snprintf(c->text + at, sizeof c->text - (size_t)at,
                       "%" PRId64 " %d %d %" PRId64 " %a %a %a %a %a %a %a %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                       " %" PRId64 " %" PRId64 " %d\n",
                       k->step, k->applied, k->failed, k->nodes, k->before.imbalance, k->after.imbalance,
                       k->before.bound, k->before.two_sided, k->after.two_sided, k->before.off_processor,
                       k->after.off_processor, k->before.cut, k->after.cut, k->evaluation.moved, k->moved_bytes,
                       k->evaluation.max_moved, k->after.pieces, k->rounds);
    }
}

static pen_run *load(MPI_Comm comm, const char *path, int64_t is_kept, pen_run_options options, const char *csv)
{
    settings s = { 0.25, is_kept, "other", 0 }; /* what is held the checkpoint tells */
    static settings kept[64];
    static pen_option table[64][4];
    static int used;
    pen_run *run = NULL;
    int mine = used++ % 64;
    kept[mine] = s;
    pen_app app = case_app(&kept[mine], table[mine]);
    options.seed = begun.seed;
    options.steps = STEPS;
    options.output.observables = csv;
    CHECK_STATUS(pen_run_load(comm, path, &app, &options, &run), PEN_OK);
    return run;
}

/* On the first `ranks` ranks, from `path` to the end. */
static void go_on(const char *path, int64_t kept, int ranks, const pen_run_options *way, const outcome *expected,
                  const calls *expected_calls, const char *folder)
{
    char csv[96], partial[96], whole[96];
    MPI_Comm some;
    snprintf(csv, sizeof csv, "%s/again.csv", folder);
    snprintf(partial, sizeof partial, "%s/partial.csv", folder);
    snprintf(whole, sizeof whole, "%s/whole.csv", folder);
    copy_file(partial, csv);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() < ranks, 0, &some);
    if (check_rank() < ranks) {
        pen_run *run = load(some, path, kept, *way, csv);
        if (run) {
            CHECK_STATUS(pen_run_steps(run, STEPS - pen_run_step(run)), PEN_OK);
            check_outcome(run, expected);
            calls found;
            if (expected_calls) note_calls(run, &found);
            if (expected_calls) CHECK_CONTAINS(found.text, expected_calls->text);
        }
        pen_run_destroy(&run);
    }
    MPI_Comm_free(&some);
    compare_files(csv, whole);
}

static void test_graph(const char *spec, int64_t kept, int size)
{
    char folder[64], saved[64], csv[96], partial[96];
    settings s = { 0.25, kept, "one", 12345 };
    pen_option table[4];
    pen_app app = case_app(&s, table);
    outcome expected;
    calls all;
    case_folder(folder);
    case_folder(saved);
    snprintf(csv, sizeof csv, "%s/whole.csv", folder);
    snprintf(partial, sizeof partial, "%s/partial.csv", folder);

    pen_run_options options = begun;
    options.output.observables = csv;
    options.debug.verify = true;
    pen_graph *graph = case_graph(MPI_COMM_WORLD, spec);
    pen_run *run = run_with(graph, &app, &options);
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    expect_verified(run);
    expected = case_outcome(run);
    note_calls(run, &all);
    pen_run_destroy(&run);

    options.output.observables = partial;
    options.debug.verify = false;
    run = run_with(graph, &app, &options);
    pen_graph_destroy(&graph);
    CHECK_STATUS(pen_run_steps(run, 5), PEN_OK);
    CHECK_STATUS(pen_run_save(run, saved), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK); /* lines that the resumed run computes again */
    pen_run_destroy(&run);
    for (int w = 0; w < PEN_COUNT_OF(ways); w++) {
        const int some[] = { size, size - 1, 2, 1 };
        for (int i = 0; i < PEN_COUNT_OF(some); i++)
            if (some[i] >= 1 && some[i] <= size && (i == 0 || some[i] < some[i - 1]))
                go_on(saved, kept, some[i], &ways[w], &expected, w == 0 && i == 0 ? &all : NULL, folder);
    }
    case_remove(saved);
    case_remove(folder);
}

/* A run saved before its first step, and within a step; a run resumed twice. */
static void test_moments(void)
{
    char folder[64];
    settings s = { 0.25, 7, "one", 12345 };
    pen_option table[4];
    pen_app app = case_app(&s, table);
    outcome expected;
    case_folder(folder);
    pen_graph *graph = case_graph(MPI_COMM_WORLD, graphs[0]);
    pen_run *run = run_with(graph, &app, &begun);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    expected = case_outcome(run);
    pen_run_destroy(&run);
    for (int part = 0; part < 3; part++) {
        run = load(MPI_COMM_WORLD, folder, SPARSE, ways[part], NULL);
        /* The part before had no balancer: this one looks at loads from here on. */
        if (part == 2) CHECK_INT(pen_balance_of(run)->steer.next_look, pen_run_step(run) + 1);
        CHECK_STATUS(pen_run_steps(run, 4), PEN_OK);
        CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
        if (part == 2) check_outcome(run, &expected);
        pen_run_destroy(&run);
    }
    CHECK_INT(case_empty(folder), check_rank() == 0 ? 3 : 0); /* two checkpoints and the lock */
    pen_graph_destroy(&graph);
    case_remove(folder);
}

/* Nodes so large that those of each rank are several chunks of the file. */
typedef struct large {
    int64_t words[1 << 16];
} large;

static void init_large(const pen_view *v)
{
    large *next = PEN_NEXT(v, 0, large);
    for (int i = 0; i < PEN_COUNT_OF(next->words); i++) next->words[i] = pen_id(v) + i;
}

static void test_chunks(void)
{
    static const pen_field fields[] = { { .name = "large", .size = sizeof(large) } };
    static const pen_phase phases[] = { { "again", .node = init_large, .writes = PEN_SET(0) } };
    const pen_app app = { .name = "chunks", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init_large };
    char folder[64];
    case_folder(folder);
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, "mesh:10x6"), &app, NULL);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, NULL, &run), PEN_OK);
    const pen_local local = pen_run_local(run);
    const large *found = (const large *)local.fields[0];
    for (pen_lid i = 0; i < local.count; i++) {
        CHECK_INT(found[i].words[0], local.gids[i]);
        CHECK_INT(found[i].words[(1 << 16) - 1], local.gids[i] + (1 << 16) - 1);
    }
    pen_run_destroy(&run);
    case_remove(folder);
}

/* A run that takes no step has ended by itself, too, which its lock says: nobody goes on with it. */
static void test_no_step(void)
{
    char folder[64], lock[80];
    settings s = { 0.25, 7, "one", 12345 };
    pen_option table[4];
    const pen_app app = case_app(&s, table);
    case_folder(folder);
    snprintf(lock, sizeof lock, "%s/lock", folder);
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, graphs[0]), &app,
                          &(pen_run_options){ .checkpoint.folder = folder });
    if (check_rank() == 0) {
        char *word = read_file(lock);
        CHECK_CONTAINS(word, "unfinished");
        free(word);
    }
    pen_run_destroy(&run);
    if (check_rank() == 0) {
        char *word = read_file(lock);
        CHECK(*word == '\0');
        free(word);
    }
    case_remove(folder);
}

static double price = 1.0;

/* Loads that fluctuate, so that plans are for averages. */
static double fluctuating_cost(const pen_view *v)
{
    return price * (pen_id(v) % 16 < 4 ? 3.0 : 1.0) * (0.1 + 1.8 * pen_random_real(v, 0));
}
PEN_COST_SWEEP(fluctuating_cost)

static void relax(const pen_view *v)
{
    value *next = PEN_NEXT(v, 0, value);
    *next = *PEN_SELF(v, 0, value);
    for (int32_t i = 0; i < pen_degree(v); i++) next->heat += PEN_NEIGHBOR(v, 0, value, i)->heat / 8.0;
}

static void print_heat(const pen_view *v, FILE *out) { fprintf(out, "%a", PEN_SELF(v, 0, value)->heat); }

static void init_alone(const pen_view *v) { *PEN_NEXT(v, 0, value) = (value){ pen_random_real(v, 1), pen_id(v) }; }

static const pen_field alone[] = { { .name = "value", .size = sizeof(value) } };
static const pen_phase relaxing[] = { { "relax", .node = relax, .reads = PEN_SET(0), .writes = PEN_SET(0),
                                        .cost = fluctuating_cost_sweep } };
static const pen_app fluctuating = {
    .name = "fluctuating", PEN_FIELDS(alone), PEN_PHASES(relaxing), .init = init_alone, .output.print = print_heat
};

/* A run that makes plans for averages goes on as one that keeps none, which goes on as the first. */
static void test_averages(void)
{
    static const struct {
        const char *balancer, *when;
        int steps;
        bool averages;
    } runs[] = { { "diffusive", "auto", 30, true }, { "diffusive", "every:1", 4, false },
                 { "central", "auto", 30, true },   { "none", "auto", 4, false },
                 { "diffusive", "auto", 30, true }, { "central", "change", 4, false } };
    char folder[64];
    pen_run *run = NULL;
    case_folder(folder);
    for (int i = 0; i < PEN_COUNT_OF(runs); i++) {
        check_with("run %d, --balancer=%s --balance-when=%s", i, runs[i].balancer, runs[i].when);
        const pen_run_options options = { .balance = { runs[i].balancer, runs[i].when, .load = PEN_LOAD_DECLARED },
                                          .debug.verify = true };
        if (i == 0) run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &fluctuating, &options);
        else CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &fluctuating, &options, &run), PEN_OK);
        CHECK_STATUS(pen_run_steps(run, runs[i].steps), PEN_OK);
        const pen_steer *steer = &pen_balance_of(run)->steer;
        if (check_size() > 1) CHECK_INT(steer->forecast.keeps, runs[i].averages);
        if (!runs[i].averages) CHECK(!steer->facts.by_average);
        expect_verified(run);
        CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
        pen_run_destroy(&run);
    }
    case_remove(folder);
}

/* Steering goes on where it was, on other numbers of ranks, too; then the partition is another one. */
static void test_steering(void)
{
    const pen_run_options options = { .balance = { "rcb", "every:4:always", .load = PEN_LOAD_DECLARED } };
    const int size = check_size();
    char folder[64];
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &fluctuating, &options);
    case_folder(folder);
    CHECK_STATUS(pen_run_steps(run, 6), PEN_OK);
    const pen_steer saved = pen_balance_of(run)->steer;
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    for (int ranks = size; ranks >= 2; ranks--) {
        MPI_Comm some;
        MPI_Comm_split(MPI_COMM_WORLD, check_rank() < ranks, 0, &some);
        if (check_rank() < ranks) {
            CHECK_STATUS(pen_run_load(some, folder, &fluctuating, &options, &run), PEN_OK);
            const pen_steer *steer = &pen_balance_of(run)->steer;
            CHECK_INT(steer->looked, saved.looked);
            CHECK_INT(steer->next_look, saved.next_look);
            CHECK_INT(steer->stale, saved.stale || ranks < size);
            pen_run_destroy(&run);
        }
        MPI_Comm_free(&some);
    }
    case_remove(folder);
}

/* Where a run goes on with loads of the other kind, those in the checkpoint are forgotten: they have another unit. */
static void test_units(void)
{
    static const struct {
        const char *balancer;
        pen_load_kind load;
        int steps; /* with loads of this unit, before three more */
    } runs[] = { { "diffusive", PEN_LOAD_DECLARED, 0 }, { "diffusive", PEN_LOAD_DECLARED, 3 },
                 { "diffusive", PEN_LOAD_MEASURED, 0 }, { "none", PEN_LOAD_MEASURED, 3 },
                 { "central", PEN_LOAD_DECLARED, 0 },   { "none", PEN_LOAD_MEASURED, 0 } };
    char folder[64];
    pen_run *run = NULL;
    case_folder(folder);
    for (int i = 0; i < PEN_COUNT_OF(runs); i++) {
        check_with("run %d", i);
        const pen_run_options options = { .balance = { runs[i].balancer, .load = runs[i].load }, .debug.verify = true };
        const bool loads = pen_balancing_wanted(&options);
        if (i == 0) run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &fluctuating, &options);
        else CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &fluctuating, &options, &run), PEN_OK);
        CHECK_INT(pen_histories_of(run)->load.count, runs[i].steps);
        if (loads && i > 0) CHECK_INT(pen_loads_of(run)->version >= 0, runs[i].steps > 0);
        if (loads && runs[i].steps == 0) CHECK(pen_balance_of(run)->steer.facts.load.max == 0.0);
        CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
        for (int step = 0; runs[i].load == PEN_LOAD_DECLARED && step < runs[i].steps + 3; step++)
            CHECK(pen_histories_of(run)->load.means[step] >= 1.0);
        expect_verified(run);
        CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
        pen_run_destroy(&run);
    }
    case_remove(folder);
}

/* Measured loads are those of the last step alone, also in the first step of a resumed run. */
static void test_measured(void)
{
    const pen_run_options options = { .balance = { "diffusive", "every:100", .load = PEN_LOAD_MEASURED } };
    char folder[64];
    case_folder(folder);
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &fluctuating, &options);
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(pen_run_steps(run, 2 - i), PEN_OK);
        const pen_loads *loads = pen_loads_of(run);
        double sum = 0.0;
        for (pen_lid slot = 0; slot < pen_run_local(run).count; slot++) sum += loads->of[slot];
        CHECK(fabs(sum - loads->total) <= 1e-9 * loads->total);
        if (i == 0) CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
        if (i == 0) pen_run_destroy(&run);
        if (i == 0) CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &fluctuating, &options, &run), PEN_OK);
    }
    pen_run_destroy(&run);
    case_remove(folder);
}

/* A run is saved after a step with a wrong cost, and goes on. */
static void test_failed_cost(void)
{
    const pen_run_options options = { .balance = { "diffusive", .load = PEN_LOAD_DECLARED }, .debug.verify = true };
    char folder[64];
    pen_run *runs[] = { NULL, NULL };
    case_folder(folder);
    runs[0] = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &fluctuating, &options);
    CHECK_STATUS(pen_run_steps(runs[0], 3), PEN_OK);
    price = -1.0;
    CHECK_STATUS(pen_run_steps(runs[0], 1), PEN_ERR_ARGUMENT);
    price = 1.0;
    CHECK_STATUS(pen_run_save(runs[0], folder), PEN_OK);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &fluctuating, &options, &runs[1]), PEN_OK);
    for (int i = 0; i < PEN_COUNT_OF(runs); i++) {
        CHECK_STATUS(pen_run_steps(runs[i], 2), PEN_OK);
        CHECK_INT(pen_run_step(runs[i]), 6);
        expect_verified(runs[i]);
        pen_run_destroy(&runs[i]);
    }
    case_remove(folder);
}

static int64_t last_written;
static bool is_full;
static const char *saves_in; /* .output.write saves the run in this folder, unless it is NULL */

static pen_status write_or_fail(pen_run *run, int64_t step, void *params, FILE *out)
{
    if (saves_in) CHECK_STATUS(pen_run_save(run, saves_in), PEN_OK);
    if (is_full) return PEN_ERR_IO;
    last_written = step;
    return PEN_OK;
}

/* A state that could not be written is written by the run that is resumed, also if it was only loaded and saved in
 * between. */
static void test_owed(void)
{
    pen_app app = fluctuating;
    char folder[64];
    app.output.write = write_or_fail;
    case_folder(folder);
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &app, NULL);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    is_full = true;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_ERR_IO);
    is_full = false;
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
        pen_run_destroy(&run);
        CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, NULL, &run), PEN_OK);
        last_written = -1;
        if (i > 0) CHECK_STATUS(pen_run_steps(run, 0), PEN_OK);
        CHECK_INT(last_written, i == 1 ? 3 : -1);
    }
    pen_run_destroy(&run);
    case_remove(folder);
}

/* So it is if .output.write has saved the run before it failed. */
static void test_saved_within(void)
{
    pen_app app = fluctuating;
    char folder[64];
    app.output.write = write_or_fail;
    case_folder(folder);
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &app,
                          &(pen_run_options){ .checkpoint.folder = folder });
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    saves_in = folder;
    is_full = true;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_ERR_IO);
    saves_in = NULL;
    is_full = false;
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, NULL, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 0), PEN_OK);
    CHECK_INT(last_written, 3);
    pen_run_destroy(&run);
    case_remove(folder);
}

/* ---- A file of observables that could not be written ---------------------------------------- */

static void observe_heat(const pen_view *v, pen_observation *o) { pen_observe_real(o, 0, PEN_SELF(v, 0, value)->heat); }
PEN_OBSERVE_SWEEP(observe_heat)

static void tick(const pen_run *run, int phase, const void *params, void *globals) { ((progress *)globals)->t += 1.0; }

static pen_status lift_limit(pen_run *run, int64_t step, void *params, FILE *out)
{
    if (check_rank() == 0) limit_files(-1);
    return PEN_OK;
}

/* A checkpoint from which the file cannot go on is not written; and where the run goes on without the file, its later
 * checkpoints are none for this file. The line of step 3 does not fit. */
static void test_lost_line(const pen_app *app, int64_t end)
{
    char folder[64], path[80], whole[80], another[80], warning[512];
    case_folder(folder);
    snprintf(path, sizeof path, "%s/o.csv", folder);
    snprintf(whole, sizeof whole, "%s/whole.csv", folder);
    snprintf(another, sizeof another, "%s/another.csv", folder);
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), app,
                          &(pen_run_options){ .output.observables = whole });
    CHECK_STATUS(pen_run_steps(run, 6), PEN_OK);
    pen_run_destroy(&run);
    pen_run_options options = { .output.observables = path, .checkpoint = { .folder = folder, .every_steps = 1 } };
    run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), app, &options);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    if (check_rank() == 0) {
        char *lines = read_file(path);
        limit_files((int64_t)strlen(lines));
        free(lines);
        catch_stderr();
    }
    CHECK_STATUS(pen_run_steps(run, 3), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "o.csv: cannot write: File too large");
    if (check_rank() == 0) release_stderr(warning, sizeof warning);
    if (check_rank() == 0 && end == 4) CHECK_CONTAINS(warning, "penumbra: no checkpoint after step 3: ");
    CHECK_INT(pen_run_step(run), end);

    pen_run *resumed = NULL;
    options.checkpoint = (pen_checkpoint_options){ .folder = NULL };
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, app, &options, &resumed), PEN_OK);
    CHECK_INT(pen_run_step(resumed), 2);
    CHECK_STATUS(pen_run_steps(resumed, 4), PEN_OK);
    pen_run_destroy(&resumed);
    compare_files(path, whole);

    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, app, &options, &resumed), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "o.csv: its lines differ from those of the resumed run");
    compare_files(path, whole);
    options.output.observables = another;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, app, &options, &resumed), PEN_OK);
    CHECK_INT(pen_run_step(resumed), end + 2);
    pen_run_destroy(&resumed);
    case_remove(folder);
}

static void test_lost_lines(void)
{
    static const pen_observable heat[] = { { "heat", PEN_SUM_REAL, 1 } };
    static const pen_globals time = { sizeof(progress), tick, PEN_MEMBERS(case_progress) };
    pen_app observed = fluctuating, global = fluctuating;
    observed.output.write = global.output.write = lift_limit;
    observed.observables.list = heat;
    observed.observables.count = 1;
    observed.observables.observe = observe_heat_sweep;
    global.globals = &time;
    test_lost_line(&observed, 4); /* all ranks know it after the next step */
    test_lost_line(&global, 3);
}

/* No output replaces the checkpoint that a run has read, under any name; but when that is gone, another file may have
 * its number. */
static void test_gone(void)
{
    char folder[64], read[128], other[128];
    case_folder(folder);
    snprintf(read, sizeof read, "%s/step-000000000001.checkpoint", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    pen_run *run = run_on(case_graph(MPI_COMM_WORLD, "hex:16x12"), &fluctuating, NULL);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &fluctuating, NULL, &run), PEN_OK);
    if (check_rank() == 0) CHECK(link(read, other) == 0);
    CHECK_STATUS(pen_run_dump(run, other), PEN_ERR_INPUT);
    if (check_rank() == 0) CHECK(unlink(read) == 0);
    CHECK_STATUS(pen_run_dump(run, other), PEN_OK);
    pen_run_destroy(&run);
    case_remove(folder);
}

/* What may differ where a run goes on is a list of names. */
static void test_names(void)
{
    CHECK(pen_checkpoint_is_among("steps", "steps,seed") && pen_checkpoint_is_among("steps", "seed,steps"));
    CHECK(!pen_checkpoint_is_among("steps", "step,stepsize,seed") && !pen_checkpoint_is_among("step", "steps"));
    CHECK(!pen_checkpoint_is_among("steps,seed", "steps") && !pen_checkpoint_is_among("steps", NULL));
}

CHECKS()
{
    const int size = check_size();
    for (int g = 0; g < PEN_COUNT_OF(graphs); g++) RUN(test_graph(graphs[g], g == 1 ? DENSE : SPARSE, size));
    RUN(test_moments());
    RUN(test_chunks());
    RUN(test_no_step());
    RUN(test_averages());
    RUN(test_steering());
    RUN(test_units());
    RUN(test_measured());
    RUN(test_failed_cost());
    RUN(test_owed());
    RUN(test_saved_within());
    RUN(test_lost_lines());
    RUN(test_gone());
    RUN(test_names());
}
