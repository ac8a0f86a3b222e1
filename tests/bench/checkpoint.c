/* checkpoint.c - what a checkpoint costs, and going on from it.
 *
 *     checkpoint_bench FOLDER [--grid=WxH] [--repeats=N]     writing; leaves checkpoints in FOLDER, and graph.pen
 *     checkpoint_bench FOLDER --resume ...                   going on from the last one, on any number of ranks
 *
 * A field of hexagons with records of 64 bytes. Writing is compared with write and fsync of as many bytes to the same
 * folder, which is what dd conv=fsync does, going on with reading and partitioning graph.pen, both in pairs, by turns.
 * Memory is what a rank holds at most more while it writes than before it, beside its part of the checkpoint. The
 * highest before it, that of the set-up, is forgotten, as in output.sh: it would hide what writing takes. */
#include "tests/bench/bench.h"

#include <penumbra_checkpoint.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct record {
    double of[8];
} record;

enum { RECORD };

static void init(const pen_view *v)
{
    for (int i = 0; i < 8; i++) PEN_NEXT(v, RECORD, record)->of[i] = (double)((pen_id(v) * (i + 1)) % 1000);
}

static void mix(const pen_view *v)
{
    record *next = PEN_NEXT(v, RECORD, record);
    *next = *PEN_SELF(v, RECORD, record);
    for (int32_t i = 0; i < pen_degree(v); i++) next->of[i] += 0.1 * PEN_NEIGHBOR(v, RECORD, record, i)->of[7 - i];
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, RECORD, record)->of[0]); }

static const char *grid = "1000x1000";
static int64_t repeats = 7;
static bool resumes;

/* What is resident now; from here on the highest is what comes. */
static double forget_highest(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file || fputs("5", file) < 0 || fclose(file) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
    return bench_memory("/proc/self/status", "VmRSS:");
}

/* The most over all ranks. */
static double grown_since(double before)
{
    double mine = bench_memory("/proc/self/status", "VmHWM:") - before, most = 0.0;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void path_in(const char *folder, const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/%s", folder, name);
}

/* Rank 0: seconds to write so many bytes, a MiB a time, and to have them on the disk. */
static double write_plainly(const char *folder, int64_t bytes)
{
    enum { BLOCK = 1 << 20 };
    char path[4096], *block = (char *)malloc(BLOCK);
    path_in(folder, "plain", path);
    for (int i = 0; i < BLOCK; i++) block[i] = (char)(i * 31);
    double begin = MPI_Wtime();
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int64_t left = bytes; left > 0; left -= BLOCK)
        if (write(file, block, (size_t)(left < BLOCK ? left : BLOCK)) < 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (fsync(file) != 0 || close(file) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
    double took = MPI_Wtime() - begin;
    unlink(path);
    free(block);
    return took;
}

static int64_t bytes_of(const char *folder, int64_t step)
{
    char name[64], path[4096];
    snprintf(name, sizeof name, "step-%012" PRId64 ".checkpoint", step);
    path_in(folder, name, path);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
    int64_t bytes = (int64_t)ftell(file);
    fclose(file);
    return bytes;
}

static void print_summary(const char *what, const double *values, const char *unit)
{
    bench_summary s = bench_summarize(values, (int)repeats);
    printf("%-44s %9.4f %9.4f %9.4f %s\n", what, s.min, s.median, s.max, unit);
}

static void measure_writing(const pen_app *app, const char *folder, int rank)
{
    int64_t width, height;
    pen_graph *graph;
    pen_run *run;
    char path[4096];
    double *ours = bench_room(repeats), *plain = bench_room(repeats);
    bench_parse_grid(grid, &width, &height);
    path_in(folder, "graph.pen", path);
    bench_require(generate_hex(MPI_COMM_WORLD, width, height, &graph), "graph");
    bench_require(pen_graph_write(graph, path), path);
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, app, NULL, &run), "run");
    pen_graph_destroy(&graph);
    double grown = 0.0;
    int64_t bytes = 0;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < repeats; i++) {
        bench_require(pen_run_steps(run, 1), "step");
        double before = forget_highest();
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        bench_require(pen_run_save(run, folder), "save");
        ours[i] = bench_slowest(MPI_Wtime() - begin);
        double more = grown_since(before);
        if (more > grown) grown = more;
        if (rank == 0) bytes = bytes_of(folder, i + 1);
        if (rank == 0) plain[i] = write_plainly(folder, bytes);
    }
    if (rank == 0) {
        bench_summary ratio = bench_ratios(plain, ours, (int)repeats);
        printf("%.1f MiB a checkpoint\n", (double)bytes / (1 << 20));
        print_summary("pen_run_save, min median max", ours, "s");
        print_summary("write and fsync of as many bytes", plain, "s");
        printf("%-44s %9.4f %9.4f %9.4f\n", "of the bandwidth of writing plainly", ratio.min, ratio.median, ratio.max);
        printf("%-44s %9.2f\n", "MiB that a rank holds more while it writes", grown / (1 << 20));
        printf("%-44s %9.4f\n", "of its part of the checkpoint", grown * ranks / (double)bytes);
    }
    pen_run_destroy(&run);
    free(ours);
    free(plain);
}

static void measure_resuming(const pen_app *app, const char *folder, int rank)
{
    char path[4096];
    double *ours = bench_room(repeats), *fresh = bench_room(repeats);
    path_in(folder, "graph.pen", path);
    for (int i = 0; i < repeats; i++) {
        pen_graph *graph;
        pen_run *run, *again;
        uint64_t sum, same;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        bench_require(pen_graph_read(MPI_COMM_WORLD, path, NULL, &graph), path);
        bench_require(pen_run_create(MPI_COMM_WORLD, graph, app, NULL, &run), "run");
        fresh[i] = bench_slowest(MPI_Wtime() - begin);
        pen_graph_destroy(&graph);
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        bench_require(pen_run_load(MPI_COMM_WORLD, folder, app, NULL, &again), "load");
        ours[i] = bench_slowest(MPI_Wtime() - begin);
        bench_require(pen_run_steps(again, 1), "step");
        bench_require(pen_run_steps(run, pen_run_step(again)), "step");
        bench_require(pen_run_checksum(run, &sum), "sum");
        bench_require(pen_run_checksum(again, &same), "sum");
        if (sum != same) MPI_Abort(MPI_COMM_WORLD, 1);
        pen_run_destroy(&run);
        pen_run_destroy(&again);
    }
    if (rank == 0) {
        bench_summary ratio = bench_ratios(ours, fresh, (int)repeats);
        print_summary("pen_run_load, min median max", ours, "s");
        print_summary("graph.pen read, and a run created", fresh, "s");
        printf("%-44s %9.4f %9.4f %9.4f\n", "ratio", ratio.min, ratio.median, ratio.max);
    }
    free(ours);
    free(fresh);
}

int main(int argc, char **argv)
{
    static const pen_option options[] = {
        { "grid", "WxH", "hexagons (1000x1000)", PEN_OPTION_TEXT, (void *)&grid, 0, 0 },
        { "repeats", "N", "of everything (7)", PEN_OPTION_INT, &repeats, 1, 1000 },
        { "resume", NULL, "go on from the checkpoint in FOLDER", PEN_OPTION_FLAG, &resumes, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "record", sizeof(record), .plain = true } };
    static const pen_phase phases[] = { { "mix", .node = mix, .reads = PEN_SET(RECORD), .writes = PEN_SET(RECORD) } };
    static const pen_app app = {
        .name = "checkpoint_bench", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
    };
    const char *folder = argc > 1 ? argv[1] : "";
    if (argc > 1) argv[1] = argv[0];
    bench_start(argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv, options);
    if (resumes) measure_resuming(&app, folder, bench_rank);
    else measure_writing(&app, folder, bench_rank);
    MPI_Finalize();
    return 0;
}
