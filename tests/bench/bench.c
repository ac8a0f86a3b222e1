#include "tests/bench/bench.h"
#include "base/options.h"
#include "base/status.h"

#include <stdlib.h>
#include <time.h>

/* ---- The application -------------------------------------------------------------------------- */

static void init(const pen_view *v) { *PEN_NEXT(v, 0, double) = (double)(pen_id(v) % 1000); }

static void average(const pen_view *v, pen_lid end)
{
    const uint32_t *rows = v->rows;
    const pen_lid *columns = v->columns;
    const double *restrict in = (const double *)v->current[0];
    double *restrict out = (double *)v->next[0];
    for (pen_lid s = v->slot; s < end; s++) {
        double sum = 0.0;
        for (uint32_t k = rows[s]; k < rows[s + 1]; k++) sum += in[columns[k]];
        out[s] = rows[s + 1] > rows[s] ? sum / (int32_t)(rows[s + 1] - rows[s]) : in[s];
    }
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", *PEN_SELF(v, 0, double)); }

static const pen_field fields[] = { { .name = "cell", .size = sizeof(double) } };
static const pen_phase phases[] = { { "average", .reads = PEN_SET(0), .writes = PEN_SET(0), .sweep = average } };
const pen_app bench_app = {
    .name = "block", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
};

/* A tree burns for three steps. */
typedef struct tree {
    int32_t burns, fuel;
} tree;
static void light(const pen_view *v) { *PEN_NEXT(v, 0, tree) = (tree){ pen_id(v) == 0, 3 }; }
static void burn(const pen_view *v)
{
    tree own = *PEN_SELF(v, 0, tree);
    if (own.burns && --own.fuel == 0) own.burns = 0;
    for (int32_t i = 0; own.fuel == 3 && !own.burns && i < pen_degree(v); i++)
        own.burns = PEN_NEIGHBOR(v, 0, tree, i)->burns;
    *PEN_NEXT(v, 0, tree) = own;
}
static double one(const pen_view *v) { return 1.0; }
PEN_COST_SWEEP(one)
static const pen_field trees[] = { { "tree", sizeof(tree), .plain = true } };
static const pen_phase burns[] = { { "burn", .node = burn, .reads = PEN_SET(0), .writes = PEN_SET(0),
                                     .cost = one_sweep } };
const pen_app bench_front_app = { .name = "front", PEN_FIELDS(trees), PEN_PHASES(burns), .init = light };

/* ---- Summaries -------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bench_summary summarize_in_place(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    double median = count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    return (bench_summary){ values[0], median, values[count - 1] };
}

double *bench_room(int64_t count)
{
    double *values = malloc((size_t)count * sizeof *values);
    bench_require(values ? PEN_OK : PEN_ERR_MEMORY, "memory");
    return values;
}

bench_summary bench_summarize(const double *values, int count)
{
    double *copy = bench_room(count);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    bench_summary summary = summarize_in_place(copy, count);
    free(copy);
    return summary;
}

bench_summary bench_ratios(const double *a, const double *b, int count)
{
    double *ratios = bench_room(count);
    for (int i = 0; i < count; i++) ratios[i] = a[i] / b[i];
    bench_summary summary = summarize_in_place(ratios, count);
    free(ratios);
    return summary;
}

bench_summary bench_differences(const double *a, const double *b, int count)
{
    double *differences = bench_room(count);
    for (int i = 0; i < count; i++) differences[i] = a[i] - b[i];
    bench_summary summary = summarize_in_place(differences, count);
    free(differences);
    return summary;
}

/* ---- Measures --------------------------------------------------------------------------------- */

double bench_slowest(double mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return mine;
}

double bench_steps(pen_run *run, int64_t steps, const char *name)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    bench_require(pen_run_steps(run, steps), name);
    return bench_slowest((MPI_Wtime() - start) / (double)steps);
}

double bench_memory(const char *path, const char *field)
{
    FILE *file = fopen(path, "r");
    char line[256];
    double kib = -1;
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0) kib = strtod(line + strlen(field), NULL);
    if (file) fclose(file);
    if (kib < 0) bench_require(pen_fail(PEN_ERR_IO, "no %s in %s", field, path), "memory");
    return 1024 * kib;
}

/* ---- Programs --------------------------------------------------------------------------------- */

int bench_rank, bench_ranks = 1;

static void print_setting(const char *path)
{
    const char *slash = strrchr(path, '/');
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", now[64];
    int length;
    time_t seconds = time(NULL);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    strftime(now, sizeof now, "%Y-%m-%d %H:%M", localtime(&seconds));
    printf("%s, %s\n%s, %d rank%s\n%s\n", slash ? slash + 1 : path, now, library, bench_ranks,
           bench_ranks == 1 ? "" : "s", pen_build_info());
}

void bench_start(int argc, char **argv, const pen_option *options)
{
    const pen_option_group group = { "Options", options };
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench_ranks);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            if (bench_rank == 0) pen_option_groups_print(stdout, &group, 1);
            MPI_Finalize();
            exit(0);
        }
    bench_require(pen_option_groups_parse(argc, argv, &group, 1), argv[0]);
    if (bench_rank == 0) print_setting(argv[0]);
}

void bench_parse_grid(const char *text, int64_t *width, int64_t *height)
{
    int64_t most = 1 << 20;
    char end;
    if (sscanf(text, "%" SCNd64 "x%" SCNd64 "%c", width, height, &end) != 2 || *width < 1 || *height < 1 ||
        *width > most || *height > most)
        bench_require(pen_fail(PEN_ERR_ARGUMENT, "--grid=%s: WxH, each from 1 to %" PRId64, text, most), "options");
}

void bench_parse_bands(const char *text, int64_t *width, int64_t *height)
{
    bench_parse_grid(text, width, height);
    if (*width * *height > 1 << 28 || *height % bench_ranks != 0)
        bench_require(pen_fail(PEN_ERR_ARGUMENT, "--grid=%s: H divisible by %d ranks, at most 2^28 nodes", text,
                               bench_ranks),
                      "options");
}

void bench_require(pen_status status, const char *what)
{
    if (status == PEN_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, pen_status_name(status), pen_error_message());
    MPI_Abort(MPI_COMM_WORLD, 2);
}
