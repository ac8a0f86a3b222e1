/* read_graph.c - how long pen_graph_read takes, reading and validation together, and what memory.
 *
 *     read_graph FILE [REPEATS]        prints one line "seconds S" per repeat (maximum over ranks), then
 *                                      "held H peak P" in bytes per node, summed over ranks
 *     read_graph --make FILE WxH       writes the hex field
 *
 * Driven by read_graph.sh, which compares with gpmetis. */
#include "base/status.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

static void make(const char *path, const char *size)
{
    int64_t width, height;
    pen_graph *graph;
    bench_parse_grid(size, &width, &height);
    bench_require(generate_hex(MPI_COMM_WORLD, width, height, &graph), "graph");
    bench_require(pen_graph_write(graph, path), path);
    pen_graph_destroy(&graph);
}

static double resident(const char *field) { return bench_memory("/proc/self/status", field); }

static void measure(const char *path, int repeats)
{
    double before = resident("VmRSS:"), memory[2] = { 0, 0 }, all[2];
    int rank;
    int64_t nodes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < repeats; i++) {
        pen_graph *graph;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        bench_require(pen_graph_read(MPI_COMM_WORLD, path, NULL, &graph), path);
        double slowest = bench_slowest(MPI_Wtime() - begin);
        if (rank == 0) printf("seconds %.6f\n", slowest);
        if (i == 0) {
            memory[0] = resident("VmRSS:") - before;
            memory[1] = resident("VmHWM:") - before;
            nodes = pen_graph_nodes(graph);
        }
        pen_graph_destroy(&graph);
    }
    MPI_Reduce(memory, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("held %.1f peak %.1f\n", all[0] / (double)nodes, all[1] / (double)nodes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc == 4 && strcmp(argv[1], "--make") == 0) make(argv[2], argv[3]);
    else if (argc == 2 || argc == 3) measure(argv[1], argc == 3 ? atoi(argv[2]) : 1);
    else bench_require(pen_fail(PEN_ERR_ARGUMENT, "FILE [REPEATS] or --make FILE WxH"), "read_graph");
    MPI_Finalize();
    return 0;
}
