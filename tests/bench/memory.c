/* memory.c - what a run holds after its set-up and at the worst moment of it, and how long that takes.
 *
 *     mpirun -n 2 memory_bench [--grid=WxH] [--partitioner=SPEC] [--comm=NAME] [--samples=N]
 *
 * Held: the proportional set size of all ranks (so what they share counts once), graph destroyed as pen_main
 * does, over that of the same processes just after MPI_Init. Peak: the largest sum over the ranks of their
 * resident sizes, read every millisecond by a thread of each, over that sum just after MPI_Init (pages that
 * two ranks touch count twice); beside it the sum of the kernel's own highest resident sizes, an upper bound,
 * since ranks need not peak together. All are taken from the first set-up, times from the others. The
 * last run makes two steps and prints the checksum, which must be equal for every way of running.
 * The threads need processor time: where a real-time priority keeps it from them, only the bound is told. */
#include "run/state.h"
#include "tests/bench/bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct setting {
    int64_t width, height, samples;
    const char *partitioner, *transport;
} setting;

/* ---- Memory ----------------------------------------------------------------------------------- */

static double all_ranks(const char *path, const char *field)
{
    double bytes = bench_memory(path, field);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return bytes;
}

static double proportional(void) { return all_ranks("/proc/self/smaps_rollup", "Pss:"); }
static double resident(void) { return all_ranks("/proc/self/status", "VmRSS:"); }
static double highest(void) { return all_ranks("/proc/self/status", "VmHWM:"); }

/* What a sampling thread saw: the highest resident size in each millisecond since `origin`, in pages, or 0. */
enum { MOMENTS = 60000 };
typedef struct sampler {
    pthread_t thread;
    double origin; /* seconds, the same on all ranks of a host */
    atomic_bool stop;
    int64_t pages[MOMENTS];
} sampler;

static void *sample(void *context)
{
    sampler *s = context;
    const struct timespec pause = { 0, 500000 };
    while (!atomic_load(&s->stop)) {
        char text[128] = "";
        FILE *file = fopen("/proc/self/statm", "r");
        double moment = 1000 * (pen_seconds_now() - s->origin);
        char *resident = file && fgets(text, sizeof text, file) ? strchr(text, ' ') : NULL;
        if (file) fclose(file);
        int64_t pages = resident ? strtoll(resident, NULL, 10) : 0;
        if (moment < MOMENTS && pages > s->pages[(int)moment]) s->pages[(int)moment] = pages;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* Collective. */
static sampler *sampler_start(void)
{
    sampler *s = calloc(1, sizeof *s);
    bench_require(s ? PEN_OK : PEN_ERR_MEMORY, "sampler");
    s->origin = pen_seconds_now();
    MPI_Bcast(&s->origin, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (pthread_create(&s->thread, NULL, sample, s) != 0)
        bench_require(pen_fail(PEN_ERR_ENVIRONMENT, "no thread"), "sampler");
    return s;
}

/* Collective. The largest sum over the ranks, in bytes; where a rank saw nothing in a moment, it is as it was. */
static double sampler_stop(sampler *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
    for (int i = 1; i < MOMENTS; i++)
        if (s->pages[i] == 0) s->pages[i] = s->pages[i - 1];
    MPI_Allreduce(MPI_IN_PLACE, s->pages, MOMENTS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int64_t most = 0;
    for (int i = 0; i < MOMENTS; i++) most = s->pages[i] > most ? s->pages[i] : most;
    free(s);
    return (double)most * (double)sysconf(_SC_PAGESIZE);
}

/* Bytes over those of the empty processes. */
typedef struct footprint {
    double peak, bound; /* of the peak */
    double with_graph, held;
} footprint;

/* ---- Set-up ----------------------------------------------------------------------------------- */

static double seconds_since(double start) { return bench_slowest(MPI_Wtime() - start); }

/* seconds[0] gets the time for the graph, seconds[1] that for the run. */
static pen_run *set_up(const setting *s, double seconds[2])
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    bench_require(generate_hex(MPI_COMM_WORLD, s->width, s->height, &graph), "graph");
    seconds[0] = seconds_since(start);
    start = MPI_Wtime();
    pen_run_options options = { .partitioner = s->partitioner, .transport = s->transport };
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &bench_app, &options, &run), "run");
    seconds[1] = seconds_since(start);
    pen_graph_destroy(&graph);
    return run;
}

/* The first set-up, watched. */
static footprint watch(const setting *s)
{
    double unused[2], pss = proportional();
    sampler *watcher = sampler_start();
    double rss = resident();
    pen_run *run = set_up(s, unused);
    double bound = highest(), peak = sampler_stop(watcher);
    footprint f = { .peak = peak - rss, .bound = bound - rss, .held = proportional() - pss };
    pen_run_destroy(&run);
    return f;
}

static void report(const setting *s, const footprint *memory, double counted, const double *graph_seconds,
                   const double *run_seconds)
{
    double nodes = (double)s->width * (double)s->height;
    bench_summary graph = bench_summarize(graph_seconds, (int)s->samples),
                  run = bench_summarize(run_seconds, (int)s->samples);
    printf("hex %" PRId64 "x%" PRId64 ", one double per node, --partitioner=%s --comm=%s; %" PRId64 " set-ups timed\n",
           s->width, s->height, s->partitioner, s->transport, s->samples);
    printf("bytes per node   held %.1f (counted by the run: %.1f)   peak ", memory->held / nodes, counted / nodes);
    if (memory->peak >= memory->held) printf("%.1f, ", memory->peak / nodes);
    printf("at most %.1f\n", memory->bound / nodes);
    printf("seconds          %10s %10s %10s\n", "min", "median", "max");
    printf("  graph          %10.4f %10.4f %10.4f\n", graph.min, graph.median, graph.max);
    printf("  run            %10.4f %10.4f %10.4f\n", run.min, run.median, run.max);
}

static void measure(const setting *s)
{
    footprint memory = watch(s);
    double *seconds = bench_room(2 * s->samples), counted = 0;
    uint64_t checksum = 0;
    for (int64_t i = 0; i < s->samples; i++) {
        double pair[2];
        pen_run *run = set_up(s, pair);
        seconds[i] = pair[0];
        seconds[s->samples + i] = pair[1];
        counted = (double)pen_store_memory_used(run->store);
        if (i == s->samples - 1) {
            bench_require(pen_run_steps(run, 2), "steps");
            bench_require(pen_run_checksum(run, &checksum), "checksum");
        }
        pen_run_destroy(&run);
    }
    MPI_Allreduce(MPI_IN_PLACE, &counted, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (bench_rank == 0) {
        report(s, &memory, counted, seconds, seconds + s->samples);
        printf("checksum after 2 steps %016" PRIx64 "\n", checksum);
    }
    free(seconds);
}

int main(int argc, char **argv)
{
    setting s = { .samples = 21, .partitioner = "block", .transport = "fence" };
    const char *grid = "1000x1000";
    const pen_option options[] = {
        { "grid", "WxH", "the field (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "partitioner", "SPEC", "how nodes are given to ranks (block)", PEN_OPTION_TEXT, &s.partitioner, 0, 0 },
        { "comm", "NAME", "the transport (fence)", PEN_OPTION_TEXT, &s.transport, 0, 0 },
        { "samples", "N", "timed set-ups (21)", PEN_OPTION_INT, &s.samples, 1, 1000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bench_parse_grid(grid, &s.width, &s.height);
    measure(&s);
    MPI_Finalize();
    return 0;
}
