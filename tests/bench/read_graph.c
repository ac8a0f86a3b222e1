/* read_graph.c - how long pen_graph_read takes, reading and validation together, and what memory.
 *
 *     read_graph FILE [REPEATS]        prints one line "seconds S" per repeat (maximum over ranks), then
 *                                      "held H peak P" in bytes per node, summed over ranks
 *     read_graph --make FILE WxH       writes the hex field
 *
 * Driven by read_graph.sh, which compares with gpmetis. */
#include <penumbra.h>

#include <stdlib.h>

/* Resident memory or its peak of this process so far, in bytes; -1 where the system does not tell. */
static double resident(const char *field)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kib = -1;
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0) kib = strtod(line + strlen(field) + 1, NULL);
    if (file) fclose(file);
    return kib * 1024;
}

static int fail(pen_status status)
{
    fprintf(stderr, "read_graph: %s: %s\n", pen_status_name(status), pen_error_message());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
}

static int make(const char *path, const char *size)
{
    long long width = 0, height = 0;
    pen_graph *graph;
    if (sscanf(size, "%lldx%lld", &width, &height) != 2) return fail(PEN_ERR_ARGUMENT);
    pen_status status = pen_graph_hex(MPI_COMM_WORLD, width, height, &graph);
    if (status == PEN_OK) status = pen_graph_write(graph, path);
    if (status != PEN_OK) return fail(status);
    pen_graph_destroy(&graph);
    return 0;
}

static int measure(const char *path, int repeats)
{
    double before = resident("VmRSS:"), memory[2] = { 0, 0 }, all[2];
    int rank;
    int64_t nodes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < repeats; i++) {
        pen_graph *graph;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime(), seconds, slowest;
        pen_status status = pen_graph_read(MPI_COMM_WORLD, path, NULL, &graph);
        seconds = MPI_Wtime() - begin;
        if (status != PEN_OK) return fail(status);
        MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
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
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int result = 2;
    if (argc == 4 && strcmp(argv[1], "--make") == 0)
        result = make(argv[2], argv[3]);
    else if (argc == 2 || argc == 3)
        result = measure(argv[1], argc == 3 ? atoi(argv[2]) : 1);
    else
        fprintf(stderr, "usage: read_graph FILE [REPEATS] | read_graph --make FILE WxH\n");
    MPI_Finalize();
    return result;
}
