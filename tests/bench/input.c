/* input.c - how long values of nodes from files take: opened, read on all ranks, shipped to the owners.
 *
 *     input_bench [NAMES:]FILE WxH [REPEATS]     columns x, y, z of a field of hexagons; x = gid, y = sqrt(gid + 1),
 *                                                z = 1 / (gid + 1), which is checked; prints "seconds S" per repeat
 *
 * Driven by input.sh, which compares with NumPy and pandas. */
#include "base/status.h"
#include "inputs/inputs.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdlib.h>

static const pen_input_column columns[] = { { .name = "x", .otherwise = "0" },
                                            { .name = "y", .otherwise = "0" },
                                            { .name = "z", .otherwise = "0" } };

static void check(const pen_run *run)
{
    const pen_store *store = run->store;
    for (pen_lid s = 0; s < store->owned; s++) {
        double gid = (double)store->gids[s], x = run->shown.inputs[0][s], y = run->shown.inputs[1][s],
               z = run->shown.inputs[2][s];
        if (x != gid || y != sqrt(gid + 1.0) || z != 1.0 / (gid + 1.0))
            bench_require(pen_fail(PEN_ERR_CHECK, "node %.17g has %.17g, %.17g, %.17g", gid, x, y, z), "values");
    }
}

static void measure(pen_run *run, const char *files)
{
    const pen_run_options options = { .input = files };
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    pen_input_files **opened = pen_part_state(run, &pen_part_inputs);
    pen_input_files_destroy(opened);
    bench_require(pen_input_files_create(run->app, options.input, true, opened), files);
    bench_require(pen_inputs_begin(run), files);
    double slowest = bench_slowest(MPI_Wtime() - begin);
    check(run);
    pen_run_end_inputs(run);
    if (rank == 0) printf("seconds %.6f\n", slowest);
}

int main(int argc, char **argv)
{
    pen_app app = bench_app;
    const pen_run_options options = { .partitioner = "metis" };
    int64_t width, height;
    pen_graph *graph;
    pen_run *run;
    MPI_Init(&argc, &argv);
    if (argc < 3) bench_require(pen_fail(PEN_ERR_ARGUMENT, "[NAMES:]FILE WxH [REPEATS]"), "input_bench");
    app.inputs.list = columns;
    app.inputs.count = PEN_COUNT_OF(columns);
    bench_parse_grid(argv[2], &width, &height);
    bench_require(generate_hex(MPI_COMM_WORLD, width, height, &graph), "graph");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), "run");
    pen_graph_destroy(&graph);
    for (int i = argc > 3 ? atoi(argv[3]) : 1; i > 0; i--) measure(run, argv[1]);
    pen_run_destroy(&run);
    MPI_Finalize();
    return 0;
}
