/* clock_bench TRANSPORT,... BYTES,... [STEPS] - times of steps of a ring, to compare clocks of the simulation with real
 * ones (validation.py). Each rank has two nodes, whose records have so many bytes. A node copies its record, and takes
 * the mean of its neighbours' first numbers; its load is the number of bytes. Prints for each transport and size the
 * time of a step on the slowest rank in microseconds: the least of 30 samples, which other work disturbs least. */
#include <mpi.h>
#include <penumbra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 30, NODES = 2 };

static void init(const pen_view *v)
{
    double *next = PEN_NEXT(v, 0, double);
    memset(next, 0, *(const size_t *)pen_params(v));
    *next = (double)pen_id(v);
}

static void copy(const pen_view *v)
{
    double *next = PEN_NEXT(v, 0, double), sum = 0.0;
    const size_t size = *(const size_t *)pen_params(v);
    memcpy(next, PEN_SELF(v, 0, double), size);
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, 0, double, i);
    *next = pen_degree(v) ? sum / pen_degree(v) : *next;
}

static double cost(const pen_view *v) { return (double)*(const size_t *)pen_params(v); }
PEN_COST_SWEEP(cost)

static void must(pen_status status)
{
    if (status == PEN_OK) return;
    fprintf(stderr, "clock_bench: %s\n", pen_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static pen_graph *make_ring(int rank, int ranks)
{
    int64_t rows[NODES + 1] = { 0 };
    pen_gid gids[NODES], neighbors[2 * NODES];
    const pen_gid all = (pen_gid)NODES * ranks;
    pen_graph *graph;
    for (int i = 0; i < NODES; i++) {
        const pen_gid g = gids[i] = (pen_gid)rank * NODES + i;
        neighbors[rows[i]] = (g + 1) % all;
        if (all > 2) neighbors[rows[i] + 1] = (g + all - 1) % all;
        rows[i + 1] = rows[i] + (all > 2 ? 2 : 1);
    }
    const pen_csr csr = { .count = NODES, .gids = gids, .rows = rows, .neighbors = neighbors };
    must(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &graph));
    return graph;
}

/* The least time of a step in microseconds. */
static double take_time(const pen_graph *graph, const char *transport, size_t size, int64_t steps)
{
    const pen_field fields[] = { { .name = "record", .size = size } };
    const pen_phase phases[] = { { "copy", .node = copy, .reads = PEN_SET(0), .writes = PEN_SET(0),
                                   .cost = cost_sweep } };
    const pen_app app = { .name = "ring", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .params = &size };
    const pen_run_options options = { .partitioner = "block", .transport = transport };
    pen_run *run;
    double least = 0.0;
    must(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run));
    must(pen_run_steps(run, steps));
    for (int i = 0; i < SAMPLES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        must(pen_run_steps(run, steps));
        double mine = (MPI_Wtime() - begin) / (double)steps;
        MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (i == 0 || mine < least) least = mine;
    }
    pen_run_destroy(&run);
    return 1e6 * least;
}

int main(int argc, char **argv)
{
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3) {
        fprintf(stderr, "clock_bench TRANSPORT,... BYTES,... [STEPS]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    pen_graph *graph = make_ring(rank, ranks);
    char *rest; /* ranks in one process share what strtok has */
    for (char *transport = strtok_r(argv[1], ",", &rest); transport; transport = strtok_r(NULL, ",", &rest))
        for (char *next = argv[2]; *next; next += *next == ',') {
            const size_t size = strtoul(next, &next, 10);
            const double time = take_time(graph, transport, size, argc > 3 ? atol(argv[3]) : 100);
            if (rank == 0) printf("%s %zu %.3f\n", transport, size, time);
        }
    pen_graph_destroy(&graph);
    MPI_Finalize();
    return 0;
}
