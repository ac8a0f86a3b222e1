/* failed_step_test - a run continues after a phase, a cost or a check has failed, as if it had not, also from a
 * checkpoint; and what a step that is counted must leave is there.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "balancing/loads.h"
#include "base/memory.h"
#include "record/record.h"
#include "tests/support/check.h"
#include "tests/support/world.h"
#include "workload/workload.h"

#include <penumbra_checkpoint.h>
#include <unistd.h>

enum { COUNT, OTHER };
enum { ARCS };
enum { DIFFERENCES, LEAST, TURNED };

/* What fails, on all ranks. */
enum { NOTHING, REQUEST, ACCESS, COST, CHECK_OF_STEP, MEMORY, OUTPUT };
static PEN_PER_RANK int failing;

static PEN_PER_RANK int64_t last_written; /* step for which .output.write was called last */

typedef struct counter {
    int64_t count;
} counter;

typedef struct within {
    int64_t phases; /* > 0: a phase has begun in this step */
} within;

static void init(const pen_view *v)
{
    *PEN_NEXT(v, COUNT, int64_t) = 0;
    *PEN_NEXT(v, OTHER, int64_t) = 1;
}

static void turn(const pen_view *v) { *PEN_NEXT(v, OTHER, int64_t) = *PEN_SELF(v, OTHER, int64_t) + 1; }

/* Count steps in the node and in its arcs. */
static void count(const pen_view *v, pen_changes *changes)
{
    for (int32_t i = 0; i < pen_degree(v); i++) *PEN_EDGE_OWN(v, ARCS, int64_t, i) += 1;
    *PEN_NEXT(v, COUNT, int64_t) = *PEN_SELF(v, COUNT, int64_t) + 1;
    if (failing == REQUEST) pen_remove_node(changes, 999); /* there is none */
    if (failing == MEMORY && check_rank() == check_size() - 1) pen_alloc_countdown = 1;
    if (failing == ACCESS && pen_degree(v) > 0) *PEN_NEXT(v, COUNT, int64_t) += *PEN_NEIGHBOR(v, OTHER, int64_t, 0);
}

static double cost(const pen_view *v) { return failing == COST && pen_id(v) == 5 ? -1.0 : (double)(pen_id(v) % 4); }
PEN_COST_SWEEP(cost)

/* Count the arcs that do not have their node's number, and take the least one. */
static void observe(const pen_view *v, pen_observation *o)
{
    const int64_t mine = *PEN_SELF(v, COUNT, int64_t);
    int64_t differences = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) differences += *PEN_EDGE(v, ARCS, int64_t, i) != mine;
    pen_observe_int(o, DIFFERENCES, differences);
    pen_observe_int(o, LEAST, mine);
}
PEN_OBSERVE_SWEEP(observe)

static void observe_turn(const pen_view *v, pen_observation *o) { pen_observe_int(o, TURNED, 1); }
PEN_OBSERVE_SWEEP(observe_turn)

static void update(const pen_run *run, int phase, const void *params, void *record)
{
    ((within *)record)->phases = phase == PEN_BETWEEN_STEPS ? 0 : phase + 1;
}

static bool is_within(const pen_run *run, const void *params)
{
    return ((const within *)pen_run_globals(run))->phases > 0;
}

static const char *complain(const pen_run *run, const void *params)
{
    return failing == CHECK_OF_STEP ? "it has a fault" : NULL;
}

static pen_status note_write(pen_run *run, int64_t step, void *params, FILE *out)
{
    last_written = step;
    return failing == OUTPUT ? PEN_ERR_IO : PEN_OK;
}

static const pen_field fields[] = { { .name = "count", .size = sizeof(int64_t), .plain = true },
                                    { .name = "other", .size = sizeof(int64_t), .plain = true } };
static const pen_edge_field edge_fields[] = { { .name = "arcs", .size = sizeof(int64_t) } };
static const pen_member members[] = { PEN_MEMBER(COUNT, counter, count, PEN_I64) };
static const pen_phase phases[] = {
    { "turn", .node = turn, .reads = PEN_SET(OTHER), .writes = PEN_SET(OTHER), .cost = cost_sweep,
      .observe = observe_turn_sweep, .observes = PEN_SET(TURNED) },
    { "count", .modify = count, .writes = PEN_SET(COUNT), .edge_writes = PEN_SET(ARCS), .cost = cost_sweep },
};
static const pen_observable observables[] = { { "differences", PEN_SUM_INT, 0 },
                                              { "least", PEN_MIN_INT, 0 },
                                              { "turned", PEN_SUM_INT, 0 } };
static const pen_globals globals = { .size = sizeof(within), .update = update };
static const pen_app app = { .name = "failed step",
                             PEN_FIELDS(fields),
                             PEN_EDGE_FIELDS(edge_fields),
                             PEN_PHASES(phases),
                             PEN_OBSERVABLES(observables, observe_sweep),
                             .init = init,
                             .globals = &globals,
                             .check = complain,
                             .end.done = is_within,
                             .output = { PEN_MEMBERS(members), .write = note_write } };

/* Collective. A step fails. */
static void fail_step(pen_run *run, int what, pen_status expected, const char *sentence)
{
    failing = what;
    CHECK_STATUS(pen_run_steps(run, 1), expected);
    CHECK_CONTAINS(pen_error_message(), sentence);
    failing = NOTHING;
}

/* Collective. Do one step more: all nodes and arcs have this number then. */
static void expect_count(pen_run *run, int64_t steps)
{
    CHECK(!pen_run_done(run));
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_INT(pen_run_step(run), steps);
    CHECK_INT(pen_run_observed_int(run, LEAST), steps);
    CHECK_INT(pen_run_observed_int(run, DIFFERENCES), 0);
}

/* The record of loads has all steps, and some load in each. */
static void expect_steps(const char *record, int64_t steps)
{
    pen_workload w;
    pen_workload_event event = PEN_WORKLOAD_STEP;
    const pen_status opened = pen_workload_open(record, &w);
    CHECK_STATUS(opened, PEN_OK);
    if (opened != PEN_OK) return;
    CHECK(w.world.load_phases > 1);
    while (event != PEN_WORKLOAD_END) {
        double sum = 0.0;
        CHECK_STATUS(pen_workload_next(&w, &event), PEN_OK);
        for (int32_t i = 0; i < w.places; i++) sum += w.loads[i];
        if (event == PEN_WORKLOAD_STEP) CHECK(sum > 0.0);
    }
    CHECK_INT(w.step - w.world.first, steps);
    pen_workload_close(&w);
}

/* A phase that writes records of arcs fails after that, and is done again; also from a checkpoint within the step. */
static void test_phase(const pen_graph *graph, bool strict, int what, pen_status status, const char *sentence)
{
    char folder[64];
    make_folder("failed_step", folder);
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .debug.strict = strict });
    if (!run) return;
    expect_count(run, 1);
    fail_step(run, what, status, sentence);
    CHECK_INT(pen_run_step(run), 1);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    expect_count(run, 2);
    pen_run_destroy(&run);
    char record[96];
    snprintf(record, sizeof record, "%s/loads", folder);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, &(pen_run_options){ .output.record = record }, &run),
                 PEN_OK);
    if (!run) return;
    expect_count(run, 2);
    expect_count(run, 3);
    pen_run_destroy(&run);
    if (check_rank() == 0) expect_steps(record, 2);
    remove_folder(folder);
}

/* A rank has no memory to hand over the loads of 64 steps: the step is counted, and the run goes on without a record.
 */
static void test_record(const pen_graph *graph)
{
    char folder[64], record[96];
    make_folder("failed_step", folder);
    snprintf(record, sizeof record, "%s/loads", folder);
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .output.record = record });
    if (!run) return;
    CHECK_STATUS(pen_run_steps(run, 63), PEN_OK);
    failing = MEMORY;
    expect_count(run, 64);
    failing = NOTHING;
    CHECK_INT(pen_alloc_countdown, 0);
    CHECK_STATUS(pen_run_steps(run, 70), PEN_OK);
    CHECK_STATUS(pen_record_end(run), PEN_ERR_MEMORY);
    CHECK_CONTAINS(pen_error_message(), "out of memory");
    pen_run_destroy(&run);
    CHECK(access(record, F_OK) != 0);
    remove_folder(folder);
}

/* A cost is wrong: the step is counted, and no part keeps its costs. */
static void test_cost(const pen_graph *graph)
{
    char folder[64];
    make_folder("failed_step", folder);
    pen_run_options options = { .balance = { .balancer = "diffusive", .load = PEN_LOAD_DECLARED } };
    pen_run *run = run_with(graph, &app, &options);
    if (!run) return;
    expect_count(run, 1);
    fail_step(run, COST, PEN_ERR_ARGUMENT, "failed step: after step 2 the cost of a node is not a number >= 0");
    CHECK_INT(last_written, 2);
    CHECK_STATUS(pen_run_balance(run), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    expect_count(run, 3);
    const double total = pen_loads_of(run)->total;
    fail_step(run, REQUEST, PEN_ERR_ARGUMENT, "999");
    expect_count(run, 4);
    CHECK(pen_loads_of(run)->total == total); /* each phase counts once */
    expect_metrics(run, folder, "\"nodes_over_steps\": {\"stride\": 1, \"nodes\": [16, 16, 16, 16]}");
    if (check_rank() == 0) {
        char path[96];
        snprintf(path, sizeof path, "%s/metrics.json", folder);
        char *metrics = read_file(path);
        CHECK(!strstr(metrics, "nan") && !strstr(metrics, ", inf"));
        free(metrics);
    }
    pen_run_destroy(&run);
    options.balance.load = PEN_LOAD_MEASURED;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, &options, &run), PEN_OK);
    if (!run) return;
    expect_count(run, 3);
    pen_run_destroy(&run);
    remove_folder(folder);
}

/* .check complains about a step that is counted: its outputs are written, and its checkpoint. */
static void test_check(const pen_graph *graph)
{
    char folder[64], path[96];
    make_folder("failed_step", folder);
    snprintf(path, sizeof path, "%s/s{step}.csv", folder);
    const pen_run_options options = { .output = { .path = path, .every = 1 },
                                      .checkpoint = { .folder = folder, .every_steps = 2 } };
    pen_run *run = run_with(graph, &app, &options);
    if (!run) return;
    expect_count(run, 1);
    fail_step(run, CHECK_OF_STEP, PEN_ERR_CHECK, "step 2: it has a fault");
    CHECK_INT(pen_run_step(run), 2);
    CHECK_INT(last_written, 2);
    static const char *const names[] = { "s000002.csv", "step-000000000002.checkpoint" };
    for (int i = 0; i < 2 && check_rank() == 0; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(access(path, F_OK) == 0);
    }
    expect_count(run, 3);
    pen_run_destroy(&run);
    remove_folder(folder);
}

/* A first state that cannot be written has one line of observables all the same, when the run goes on. */
static void test_first_line(const pen_graph *graph)
{
    char folder[64], path[96], *texts[2];
    size_t size;
    make_folder("failed_step", folder);
    snprintf(path, sizeof path, "%s/o.csv", folder);
    FILE *out = open_memstream(&texts[0], &size);
    pen_run *run = run_with(graph, &app,
                            &(pen_run_options){ .out = out,
                                                .output = { .observables = path, .print_observables = true } });
    fail_step(run, OUTPUT, PEN_ERR_IO, "failed step: .output.write failed after step 0");
    expect_count(run, 1);
    pen_run_destroy(&run);
    fclose(out);
    texts[1] = read_file(path);
    for (int i = 0; i < 2; i++) {
        int lines = 0;
        for (const char *c = texts[i]; *c; c++) lines += *c == '\n';
        if (check_rank() == 0) CHECK_INT(lines, 3);
        free(texts[i]);
    }
    remove_folder(folder);
}

CHECKS()
{
    pen_graph *graph = graph_from("mesh:4x4");
    if (!graph) return;
    RUN(test_phase(graph, false, REQUEST, PEN_ERR_ARGUMENT, "999"));
    RUN(test_phase(graph, true, REQUEST, PEN_ERR_ARGUMENT, "999"));
    RUN(test_phase(graph, true, ACCESS, PEN_ERR_CHECK, "other"));
    RUN(test_record(graph));
    RUN(test_cost(graph));
    RUN(test_check(graph));
    RUN(test_first_line(graph));
    pen_graph_destroy(&graph);
}
