/* still.c - a program that makes no progress, for watch_test.sh: still WAY SECONDS TRANSPORT [report]. A step may take
 * so many seconds; with `report` it may take any time, and is reported after that. By the way,
 *
 *     absent    rank 1 does not call pen_run_steps at all: all others wait for it
 *     crossed   rank 1 calls pen_run_checksum between two steps, and the others go on
 *     lost      the seventh message of rank 1 to a neighbour does not get there (blocking)
 *     computes  a node function of rank 1 takes three times as long
 *     paused    so do .init of rank 1, and all ranks between two calls of pen_run_steps: that is in no step
 *     stopped   rank 1 stops in a node function, as by SIGSTOP; or "frozen": all ranks do
 *     endless   there are steps for an hour
 *     apart     two halves of the ranks have a run each, and that of the second one stands still (the first one does
 *               not wait in MPI_Finalize: Open MPI 4's launcher sometimes hangs or crashes if ranks are killed there)
 *     moves     nothing at all is wrong, for that long
 */
#include "debug/watchdog.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

typedef struct cell {
    double heat;
} cell;
enum { CELL };

static const char *way;
static double patience;
static int rank, ranks;

static bool is_way(const char *name) { return strcmp(way, name) == 0; }

static void sleep_for(double seconds)
{
    nanosleep(&(struct timespec){ (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) }, NULL);
}

/* MPI's, with which a transport sends records. */
int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    static int messages;
    if (is_way("lost") && rank == 1 && count > 0 && ++messages == 7) {
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    return PMPI_Isend(from, count, type, to, tag, comm, request);
}

static void init(const pen_view *v)
{
    static bool done;
    if (is_way("paused") && rank == 1 && !done) sleep_for(3.0 * patience);
    done = true;
    PEN_NEXT(v, CELL, cell)->heat = (double)pen_id(v);
}

/* The first node of rank 1, or of the only one, in the third step. */
static void misbehave(const pen_view *v)
{
    static bool done;
    if ((rank != (ranks > 1) && !is_way("frozen")) || pen_step(v) != 2 || done) return;
    done = true;
    if (is_way("stopped") || is_way("frozen")) raise(SIGSTOP);
    if (is_way("computes")) sleep_for(3.0 * patience);
}

static void relax(const pen_view *v)
{
    misbehave(v);
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, CELL, cell, i)->heat;
    PEN_NEXT(v, CELL, cell)->heat = sum / pen_degree(v);
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, CELL, cell)->heat); }

static pen_status between_steps(pen_run *run, int64_t step, void *params, FILE *out)
{
    uint64_t sum;
    if (rank == 1 && step == 4 && is_way("crossed")) return pen_run_checksum(run, &sum);
    if (is_way("endless")) sleep_for(0.01);
    if (is_way("moves")) sleep_for(patience / 4.0);
    return PEN_OK;
}

static pen_status go(pen_run *run)
{
    int64_t differences = 0;
    char message[200];
    PEN_TRY(pen_run_steps(run, 2));
    if (is_way("paused")) sleep_for(3.0 * patience);
    if (rank == 1 && is_way("absent")) sleep_for(1000.0);
    if (rank == 1 && is_way("apart")) sleep_for(1000.0);
    PEN_TRY(pen_run_steps(run, is_way("endless") ? 360000 : 10));
    PEN_TRY(pen_run_verify(run, &differences, message, sizeof message));
    return differences == 0 ? PEN_OK : PEN_ERR_CHECK;
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    way = argv[1];
    patience = atof(argv[2]);
    if (argc > 4) pen_watchdog_report_after = (int64_t)(1e3 * patience);
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
    static const pen_phase phases[] = { { "relax", .node = relax, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) } };
    const pen_app app = { .name = "still",
                          PEN_FIELDS(fields),
                          PEN_PHASES(phases),
                          .init = init,
                          .output.print = print,
                          .output.write = between_steps };
    const pen_run_options options = { .partitioner = "block",
                                      .debug.watchdog = argc > 4 ? PEN_WATCHDOG_REPORT : patience,
                                      .transport = argv[3] };
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, is_way("apart") && rank % 2, rank, &comm);
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_status status = pen_graph_generate(comm, "hex:12x12", &graph);
    if (status == PEN_OK) status = pen_run_create(comm, graph, &app, &options, &run);
    if (status == PEN_OK) status = go(run);
    if (is_way("apart") && rank % 2 == 0) sleep_for(1000.0);
    if (status != PEN_OK) fprintf(stderr, "rank %d: %s\n", rank, pen_error_message());
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return pen_exit_status(status);
}
