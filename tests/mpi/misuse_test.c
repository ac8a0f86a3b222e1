/* misuse_test.c - collective calls with unequal arguments; calls at the wrong time, from the wrong thread, or inside a
 * node function; and handles that are NULL: all return a status and a sentence, the same on all ranks, and no rank
 * hangs.
 * pen_mpi_test(ALONE RANKS 1 3) */
#include "tests/support/world.h"

#include <penumbra_checkpoint.h>
#include <penumbra_output.h>
#include <penumbra_partition.h>
#include <pthread.h>

enum { VALUE };

static void init(const pen_view *v) { *PEN_NEXT(v, VALUE, int64_t) = pen_id(v); }
static void observe(const pen_view *v, pen_observation *to) { pen_observe_int(to, 0, pen_id(v)); }
PEN_OBSERVE_SWEEP(observe)
static double cost(const pen_view *v) { return (double)pen_id(v); }
PEN_COST_SWEEP(cost)
static void print(const pen_view *v, FILE *out) { fprintf(out, "%d", (int)pen_id(v)); }
static void keep(const pen_view *v) { pen_keep(v, VALUE); }
static void update(const pen_run *run, int phase, const void *params, void *globals) { *(int64_t *)globals = 1; }
static const char *mesh(void *params, const pen_world *world, int rank, pen_mesh *mine) { return "no mesh"; }
static const char *rows(void *params, const pen_world *world, int rank, pen_csr *mine) { return "no rows"; }

static const pen_field fields[] = { { .name = "value", .size = sizeof(int64_t) } };
static const pen_phase phases[] = { { "keep", .node = keep, .reads = PEN_SET(VALUE), .writes = PEN_SET(VALUE) } };
static const pen_member members[] = { { "value", VALUE, PEN_I64, 0, 1 } };
static const pen_app app = {
    .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .output = { PEN_MEMBERS(members) }, .init = init
};

/* Only some ranks pass an argument that would be refused on all: the others do not wait for them. */
static void refused_on_some(const pen_graph *graph)
{
    bool odd = check_rank() % 2;
    pen_graph *made = NULL;
    pen_run *run = NULL;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "mesh:4x4", odd ? NULL : &made), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, odd ? NULL : "mesh:4x4", &made), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, odd ? NULL : "one.graph", NULL, &made), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, NULL, odd ? NULL : &made), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_write(graph, odd ? NULL : "one.graph"), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, odd ? NULL : graph, &app, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, odd ? NULL : &app, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, odd ? NULL : &run), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, odd ? NULL : "one", &app, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "needs a path");
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, "one", odd ? NULL : &app, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK(!made && !run);
}

/* Ranks have different applications: each change of one rank's is found, and named. */
static void unequal_applications(const pen_graph *graph)
{
    static const pen_field larger[] = { { .name = "value", .size = 2 * sizeof(int64_t) } };
    static const pen_field more[] = { { .name = "value", .size = sizeof(int64_t) }, { .name = "b", .size = 1 } };
    static const pen_phase alone[] = { { "keep", .node = keep, .writes = PEN_SET(VALUE) } };
    static const pen_phase costly[] = { { "keep", .node = keep, .reads = PEN_SET(VALUE), .writes = PEN_SET(VALUE),
                                          .cost = cost_sweep } };
    static const pen_phase twice[] = { { "keep", .node = keep, .reads = PEN_SET(VALUE), .writes = PEN_SET(VALUE) },
                                       { "keep", .node = keep, .reads = PEN_SET(VALUE), .writes = PEN_SET(VALUE) } };
    static const pen_observable observables[] = { { "sum", PEN_SUM_INT, 1 } };
    static const pen_edge_field edges[] = { { .name = "flow", .size = 8 } };
    static const pen_mail mails[] = { { .name = "letter", .size = 8 } };
    static const pen_input_column inputs[] = { { .name = "limit", .otherwise = "0" } };
    static const pen_member other[] = { { "value", VALUE, PEN_I64, 0, 1 }, { "same", VALUE, PEN_I64, 0, 1 } };
    static const pen_globals globals = { .size = 8 };
    static int64_t width;
    static const pen_option options[] = { { "width", "N", "a width", PEN_OPTION_INT, &width, 0, 9 }, { .name = NULL } };
    const struct {
        pen_app app;
        const char *named;
    } cases[] = {
        { { .name = "other", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init }, "name" },
        { { .name = "misuse", PEN_FIELDS(larger), PEN_PHASES(phases), .init = init }, "fields, \"value of 8 bytes" },
        { { .name = "misuse", PEN_FIELDS(more), PEN_PHASES(phases), .init = init }, "fields" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(alone), .init = init }, "phases" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(twice), .init = init }, "phases" },
        { { .name = "misuse",
            PEN_FIELDS(fields),
            PEN_PHASES(phases),
            PEN_OBSERVABLES(observables, observe_sweep),
            .init = init },
          "observables" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, PEN_EDGE_FIELDS(edges) },
          "edge fields" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, PEN_MAILS(mails) }, "mail" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, PEN_INPUTS(inputs) },
          "input columns" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output = { PEN_MEMBERS(other) } },
          "output, \"shape" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .globals = &globals }, "globals" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(costly), .init = init }, "phases" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .options = options }, "options" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print },
          "functions" },
        { { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.mesh = mesh },
          "functions" },
    };
    static const pen_app usual = { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };
    const int ranks = check_size();
    const bool last = check_rank() == ranks - 1;
    pen_run *run = NULL;
    for (int i = 0; i < PEN_COUNT_OF(cases) && ranks > 1; i++) {
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, last ? &cases[i].app : &usual, NULL, &run),
                     PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), cases[i].named);
    }
    pen_input_column flow = { .name = "flow", .of_edges = true, .each_direction = !last, .otherwise = "0" };
    pen_app directed = usual;
    directed.inputs.list = &flow;
    directed.inputs.count = 1;
    const pen_globals computed = { .size = 8, .update = last ? update : NULL };
    pen_app counting = usual;
    counting.globals = &computed;
    if (ranks > 1) {
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &directed, NULL, &run), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), ".each_direction");
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &counting, NULL, &run), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "functions");
    }
    CHECK(!run);
}

/* Only the last rank's application brings its own graph. */
static void unequal_rows(void)
{
    char *words[] = { "misuse", "--quiet" };
    pen_app brings = app;
    pen_options *options = NULL;
    pen_graph *graph = NULL;
    brings.graph.spec = "generate=mesh:4x4";
    if (check_rank() == check_size() - 1) brings.graph.rows = rows;
    CHECK_STATUS(pen_options_parse(&brings, PEN_COUNT_OF(words), words, &options), PEN_OK);
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "functions");
    pen_options_destroy(&options);
}

/* Every rank passes its own number where all should pass the same. */
static void unequal(void)
{
    int rank = check_rank();
    bool odd = rank % 2;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, odd ? "mesh:4x4" : "mesh:4x5", &graph), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "generator");
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, odd ? "one.graph" : "other.graph", NULL, &graph), PEN_ERR_ARGUMENT);
    graph = graph_from("mesh:4x4");
    const pen_run_options unequal[] = { { .partitioner = odd ? "block" : "random" },
                                        { .balance.balancer = odd ? "metis" : NULL },
                                        { .seed = odd ? 1 : 2 },
                                        { .steps = odd ? 1 : 2 },
                                        { .debug.trace = odd } };
    static const char *const names[] = { "partitioner", "balancer", "seed", "steps", "trace" };
    for (int i = 0; i < PEN_COUNT_OF(unequal); i++) {
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &unequal[i], &run), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), names[i]);
    }
    refused_on_some(graph);
    unequal_applications(graph);
    if (check_size() > 1) unequal_rows();
    int32_t parts[16];
    CHECK_STATUS(pen_graph_partition(graph, odd ? "block" : "random", NULL, 2, parts), PEN_ERR_ARGUMENT);
    run = run_with(graph, &app, NULL);
    CHECK_STATUS(pen_run_steps(run, 2 + rank), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "from 2 to");
    CHECK_STATUS(pen_run_steps(run, odd ? -1 : 1), PEN_ERR_ARGUMENT);
    CHECK_INT(pen_run_step(run), 0);
    pen_gid gid = 3;
    int64_t record;
    bool found;
    CHECK_STATUS(pen_run_fetch(run, odd ? 1 : 0, 1, &gid, &record, &found), PEN_ERR_ARGUMENT);
    pen_records records;
    CHECK_STATUS(pen_run_gather(run, odd ? 1 : 0, &records), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_put(run, odd ? 1 : 0, 0, NULL, NULL), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_output(run, odd ? "one.csv" : "other.csv"), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_save(run, odd ? "one" : "other"), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_dump(run, odd ? "one.txt" : "other.txt"), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "path");
    CHECK_STATUS(pen_run_dump(run, odd ? NULL : "one.txt"), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "pen_run_dump: the path is NULL");
    CHECK_STATUS(pen_run_metrics(run, odd ? NULL : "one.json"), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* ---- Inside a node function --------------------------------------------------------------------- */

static pen_run *reentered;
static pen_directory *kept; /* until after MPI_Finalize */
static int refused;

#define REFUSED(call) (refused += (call) == PEN_ERR_ARGUMENT && strstr(pen_error_message(), "inside a node function"))

static void call_within(const pen_view *v)
{
    pen_gid gid = 3;
    int64_t record;
    int32_t owner = 0;
    bool found;
    uint64_t sum;
    pen_graph *graph = NULL;
    pen_keep(v, VALUE);
    if (pen_id(v) != 5) return;
    REFUSED(pen_run_steps(reentered, 1));
    REFUSED(pen_run_fetch(reentered, VALUE, 1, &gid, &record, &found));
    REFUSED(pen_run_put(reentered, VALUE, 1, &gid, &record));
    REFUSED(pen_run_set_globals(reentered, &record));
    REFUSED(pen_run_checksum(reentered, &sum));
    REFUSED(pen_run_dump(reentered, "never"));
    REFUSED(pen_graph_generate(MPI_COMM_WORLD, "hex:2x2", &graph));
    REFUSED(pen_directory_update(kept, 1, &gid, &owner, NULL));
    REFUSED(pen_directory_remove(kept, 1, &gid));
    REFUSED(pen_directory_resolve(kept, 1, &gid, &owner));
}

static pen_status step_again(pen_run *run, int64_t step, void *params, FILE *out)
{
    return step == 1 ? pen_run_steps(run, 1) : PEN_OK;
}

static void inside(void)
{
    static const pen_phase calling[] = { { "calling", .node = call_within, .reads = PEN_SET(VALUE),
                                           .writes = PEN_SET(VALUE) } };
    pen_app within = app;
    int all = 0;
    within.phases.list = calling;
    pen_graph *graph = graph_from("mesh:4x4");
    reentered = run_with(graph, &within, NULL);
    CHECK_STATUS(pen_directory_create(MPI_COMM_WORLD, 1, &kept), PEN_OK);
    CHECK_STATUS(pen_run_steps(reentered, 2), PEN_OK);
    CHECK_INT(pen_run_step(reentered), 2);
    MPI_Allreduce(&refused, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(all, 2 * 10);
    uint64_t sum;
    static const pen_field plain[] = { { "value", sizeof(int64_t), .plain = true } };
    pen_run_destroy(&reentered);
    within.fields.list = plain;
    within.phases.list = phases;
    within.output.write = step_again;
    reentered = run_with(graph, &within, NULL);
    CHECK_STATUS(pen_run_steps(reentered, 2), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "pen_run_steps within pen_run_steps");
    CHECK_STATUS(pen_run_checksum(reentered, &sum), PEN_OK);
    pen_run_destroy(&reentered);
    pen_graph_destroy(&graph);
}

/* ---- Plain fields ---------------------------------------------------------------------------------- */

typedef struct pair {
    int32_t first[2];
    double second;
} pair;

static void init_pair(const pen_view *v) { *PEN_NEXT(v, 0, pair) = (pair){ { 1, (int32_t)pen_id(v) }, 0.5 }; }

/* A field is plain if its members cover the record, in any order; else checksums are of texts. */
static void covered(void)
{
    static const pen_member all[] = { PEN_MEMBER(0, pair, second, PEN_F64),
                                      { "first", 0, PEN_I32, offsetof(pair, first), 2 } },
                            some[] = { PEN_MEMBER(0, pair, second, PEN_F64),
                                       { "first", 0, PEN_I32, offsetof(pair, first), 1 } };
    static const pen_field fields_of[2][1] = { { { .name = "pair", .size = sizeof(pair) } },
                                               { { "pair", sizeof(pair), .plain = true } } };
    uint64_t sums[4];
    pen_graph *graph = graph_from("mesh:4x4");
    for (int i = 0; i < 4; i++) {
        const pen_app pairs = { .name = "pairs",
                                .fields = { fields_of[i / 2], 1 },
                                PEN_PHASES(phases),
                                .init = init_pair,
                                .output.members = { i % 2 ? some : all, 2 } };
        pen_run *run = run_with(graph, &pairs, NULL);
        CHECK_STATUS(pen_run_checksum(run, &sums[i]), PEN_OK);
        pen_run_destroy(&run);
    }
    CHECK(sums[0] == sums[2] && sums[2] == sums[3] && sums[1] != sums[3]);
    pen_graph_destroy(&graph);
}

/* ---- No handle ----------------------------------------------------------------------------------- */

static void no_handle(void)
{
    pen_run *run = NULL;
    pen_graph *graph = NULL;
    pen_gid gid = 3;
    int64_t record, bytes;
    int32_t owner;
    bool found;
    uint64_t sum;
    char message[64];
    pen_records records;
#define NO_HANDLE(call, what)                      \
    do {                                           \
        CHECK_STATUS(call, PEN_ERR_ARGUMENT);      \
        CHECK_CONTAINS(pen_error_message(), what); \
    } while (0)
    NO_HANDLE(pen_run_steps(run, 1), "pen_run_steps: the run is NULL");
    NO_HANDLE(pen_run_fetch(run, 0, 1, &gid, &record, &found), "run is NULL");
    NO_HANDLE(pen_run_put(run, 0, 1, &gid, &record), "run is NULL");
    NO_HANDLE(pen_run_balance(run), "run is NULL");
    NO_HANDLE(pen_run_set_globals(run, &record), "run is NULL");
    NO_HANDLE(pen_run_change(run, NULL, NULL), "run is NULL");
    NO_HANDLE(pen_run_graph(run, &graph), "run is NULL");
    NO_HANDLE(pen_run_gather(run, 0, &records), "run is NULL");
    NO_HANDLE(pen_run_memory(run, &bytes), "run is NULL");
    NO_HANDLE(pen_run_checksum(run, &sum), "run is NULL");
    NO_HANDLE(pen_run_verify(run, &bytes, message, sizeof message), "run is NULL");
    NO_HANDLE(pen_run_trace(run, "never"), "run is NULL");
    NO_HANDLE(pen_run_dump(run, "never"), "run is NULL");
    NO_HANDLE(pen_run_metrics(run, "never"), "run is NULL");
    NO_HANDLE(pen_run_summary(run, NULL), "run is NULL");
    NO_HANDLE(pen_run_output(run, "never.csv"), "run is NULL");
    NO_HANDLE(pen_run_save(run, "never"), "run is NULL");
    NO_HANDLE(pen_options_report(NULL, run), "run is NULL");
    NO_HANDLE(pen_options_graph(NULL, MPI_COMM_WORLD, &graph), "options are NULL");
    NO_HANDLE(pen_options_create_run(NULL, MPI_COMM_WORLD, graph, &run), "options are NULL");
    NO_HANDLE(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &run), "needs a graph");
    NO_HANDLE(pen_graph_write(graph, "never"), "graph is NULL");
    NO_HANDLE(pen_directory_create(MPI_COMM_WORLD, 1, NULL), "pointer to the directory is NULL");
    NO_HANDLE(pen_graph_read(MPI_COMM_NULL, "never", NULL, &graph), "MPI_COMM_NULL");
    NO_HANDLE(pen_graph_partition(graph, "block", NULL, 2, &owner), "needs a graph");
    NO_HANDLE(pen_graph_rebalance(graph, NULL, &owner), "needs a graph");
    NO_HANDLE(pen_directory_resolve(NULL, 0, &gid, &owner), "directory is NULL");
    NO_HANDLE(pen_directory_remove(NULL, 0, &gid), "directory is NULL");
    NO_HANDLE(pen_directory_update(NULL, 0, &gid, &owner, NULL), "directory is NULL");
#undef NO_HANDLE
    CHECK(!pen_run_done(run) && !pen_options_of_run(NULL) && !pen_options_answer(NULL, MPI_COMM_WORLD));
    CHECK_INT(pen_run_step(run) + pen_run_nodes(run) + pen_run_edges(run), 0);
    CHECK_INT(pen_graph_nodes(graph) + pen_graph_edges(graph) + pen_run_local(run).count, 0);
    pen_records_free(NULL);
    pen_run_destroy(&run);
    pen_run_destroy(NULL);
    pen_graph_destroy(&graph);
    pen_directory_destroy(NULL);
    pen_options_destroy(NULL);
}

/* Results that nobody can put anywhere, on some ranks or on all: nothing is written. */
static void no_result(bool here)
{
    pen_graph *graph = NULL, *copy = NULL;
    pen_directory *directory = NULL;
    pen_options *options = NULL;
    pen_records records = { .count = -1 };
    int64_t number = -1;
    uint64_t sum = 1;
    int32_t parts[16];
    char message[64] = "untouched", name[] = "misuse", generate[] = "--generate=mesh:4x4";
    char *words[] = { name, generate, NULL };
    pen_gid gid = 3;
    int32_t owner = -7;
    pen_partition_metrics metrics;
    for (int i = 0; i < 16; i++) parts[i] = 0;
    graph = graph_from("mesh:4x4");
    static const pen_field plain[] = { { "value", sizeof(int64_t), .plain = true } };
    pen_app one = app;
    one.fields.list = plain;
    pen_run *run = run_with(graph, &one, NULL);
#define NO_RESULT(call, what)                                                   \
    do {                                                                        \
        CHECK_STATUS(call, PEN_ERR_ARGUMENT);                                   \
        CHECK_CONTAINS(pen_error_message(), "the pointer to " what " is NULL"); \
    } while (0)
    NO_RESULT(pen_run_gather(run, 0, here ? &records : NULL), "the records");
    NO_RESULT(pen_run_memory(run, here ? &number : NULL), "the number of bytes");
    NO_RESULT(pen_run_checksum(run, here ? &sum : NULL), "the checksum");
    NO_RESULT(pen_run_verify(run, here ? &number : NULL, message, sizeof message), "the number of differences");
    NO_RESULT(pen_run_verify(run, &number, here ? message : NULL, sizeof message), "the message");
    NO_RESULT(pen_run_graph(run, here ? &copy : NULL), "the graph");
    NO_RESULT(pen_graph_partition(graph, "block", NULL, 2, here ? parts : NULL), "the parts");
    NO_RESULT(pen_graph_rebalance(graph, NULL, here ? parts : NULL), "the owners");
    NO_RESULT(pen_partition_quality(graph, NULL, NULL, 2, parts, here ? &metrics : NULL), "the metrics");
    NO_RESULT(pen_partition_quality(graph, NULL, NULL, 2, here ? parts : NULL, &metrics), "the parts");
    CHECK_STATUS(pen_directory_create(MPI_COMM_WORLD, 1, &directory), PEN_OK);
    NO_RESULT(pen_directory_resolve(directory, 1, &gid, here ? &owner : NULL), "the owners");
    NO_RESULT(pen_directory_resolve(directory, 1, here ? &gid : NULL, &owner), "the gids");
    NO_RESULT(pen_directory_update(directory, 1, here ? &gid : NULL, parts, NULL), "the gids");
    NO_RESULT(pen_directory_update(directory, 1, &gid, here ? parts : NULL, NULL), "the owners");
    NO_RESULT(pen_directory_remove(directory, 1, here ? &gid : NULL), "the gids");
    NO_RESULT(pen_options_parse(&app, 2, words, NULL), "the options");
    CHECK_STATUS(pen_options_parse(&app, 2, words, &options), PEN_OK);
    NO_RESULT(pen_options_graph(options, MPI_COMM_WORLD, here ? &copy : NULL), "the graph");
    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, graph, NULL), PEN_ERR_ARGUMENT);
#undef NO_RESULT
    CHECK(records.count == -1 && number == -1 && sum == 1 && owner == -7 && !copy);
    CHECK(strcmp(message, "untouched") == 0);
    pen_options_destroy(&options);
    pen_directory_destroy(&directory);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* From another thread than MPI's. */
static void *elsewhere(void *status)
{
    pen_graph *graph = NULL;
    *(pen_status *)status = pen_graph_generate(MPI_COMM_WORLD, "mesh:4x4", &graph);
    return NULL;
}

static void too_early(void)
{
    pen_graph *graph = NULL;
    if (pen_graph_generate(MPI_COMM_WORLD, "mesh:4x4", &graph) != PEN_ERR_ENVIRONMENT ||
        !strstr(pen_error_message(), "MPI_Init") ||
        pen_graph_read(MPI_COMM_WORLD, "nothing.graph", NULL, &graph) != PEN_ERR_ENVIRONMENT) {
        fprintf(stderr, "before MPI_Init: \"%s\"\n", pen_error_message());
        exit(1);
    }
}

static int too_late(void)
{
    pen_graph *graph = NULL;
    pen_gid gid = 3;
    int32_t owner;
    if (pen_graph_generate(MPI_COMM_WORLD, "mesh:4x4", &graph) == PEN_ERR_ENVIRONMENT &&
        pen_directory_resolve(kept, 1, &gid, &owner) == PEN_ERR_ENVIRONMENT &&
        strstr(pen_error_message(), "MPI_Finalize"))
        return 0;
    fprintf(stderr, "after MPI_Finalize: \"%s\"\n", pen_error_message());
    return 1;
}

int main(int argc, char **argv)
{
    RUN(too_early());
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    pthread_t thread;
    pen_status status = PEN_OK;
    pthread_create(&thread, NULL, elsewhere, &status);
    pthread_join(thread, NULL);
    if (level < MPI_THREAD_SERIALIZED) CHECK_INT(status, PEN_ERR_ENVIRONMENT);
    const int size = check_size();
    if (size > 1) RUN(unequal());
    RUN(inside());
    RUN(covered());
    RUN(no_handle());
    RUN(no_result(false));
    if (size > 1) RUN(no_result(check_rank() % 2 == 0));
    int failures = check_finish();
    return failures ? failures : too_late();
}
