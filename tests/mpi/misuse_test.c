/* misuse_test.c - collective calls whose arguments are unequal, which the checking build finds, and calls at the wrong
 * time or from the wrong thread, which every build finds; the same on all ranks, and nobody waits. */
#include "tests/support/check.h"

#include <pthread.h>

enum { VALUE };

static void init(const pen_view *v) { *PEN_NEXT(v, VALUE, int64_t) = pen_id(v); }
static void keep(const pen_view *v) { PEN_KEEP(v, VALUE); }

static const pen_field fields[] = { { "value", sizeof(int64_t) } };
static const pen_phase phases[] = { { "keep", keep, .reads = PEN_FIELD(VALUE), .writes = PEN_FIELD(VALUE) } };
static const pen_app app = { .name = "misuse", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* Every rank passes its own number where all should pass one. */
static void unequal(void)
{
    int rank = check_rank();
    bool odd = rank % 2;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, odd ? "mesh:4x4" : "mesh:4x5", &graph), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "generator");
    CHECK_STATUS(pen_graph_hex(MPI_COMM_WORLD, 4, odd ? 4 : 5, &graph), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "mesh:4x4", &graph), PEN_OK);
    const pen_run_options options = { .partitioner = odd ? "block" : "random" };
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "partitioner");
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 2 + rank), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "from 2 to");
    pen_gid gid = 3;
    int64_t record;
    bool found;
    CHECK_STATUS(pen_run_fetch(run, odd ? 1 : 0, 1, &gid, &record, &found), PEN_ERR_ARGUMENT);
    pen_records records;
    CHECK_STATUS(pen_run_gather(run, odd ? 1 : 0, &records), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_put(run, odd ? 1 : 0, 0, NULL, NULL), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_write(run, odd ? "one.txt" : "other.txt", "text", 4), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "path");
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
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
    if (pen_graph_generate(MPI_COMM_WORLD, "mesh:4x4", &graph) == PEN_ERR_ENVIRONMENT &&
        strstr(pen_error_message(), "MPI_Finalize"))
        return 0;
    fprintf(stderr, "after MPI_Finalize: \"%s\"\n", pen_error_message());
    return 1;
}

int main(int argc, char **argv)
{
    too_early();
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    pthread_t thread;
    pen_status status = PEN_OK;
    pthread_create(&thread, NULL, elsewhere, &status);
    pthread_join(thread, NULL);
    if (level < MPI_THREAD_SERIALIZED) CHECK_INT(status, PEN_ERR_ENVIRONMENT);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef PEN_CHECKING
    if (size > 1) unequal();
#else
    (void)unequal;
    if (size > 1 && check_rank() == 0) check_leave_out("unequal arguments, which the checking build finds");
#endif
    int failures = check_finish();
    return failures ? failures : too_late();
}
