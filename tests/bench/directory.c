/* directory.c - the directory beside Zoltan's Zoltan_DD, where that is installed.
 *
 *     mpirun -n N directory_bench [PAIRS [GIDS]]     PAIRS >= 1 (default 21), GIDS per rank (default 100000)
 *
 * Gids are announced by the ranks that own them, every second one or so of a range on each, in ascending
 * order, into an empty directory; then random ones are resolved, in batches of several sizes. Dense:
 * 0 .. N*GIDS-1. Sparse: as many of 62 bits, each in a page of its own. Both directories do the same work
 * in turns, the order changing from pair to pair; a time is the slowest rank's. Every answer of every call
 * is checked. Printed: median (and least) over the pairs, in nanoseconds per gid, and the median (least ..
 * greatest) of the pairs' ratios Zoltan_DD / ours. */
#include "directory/directory.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "tests/bench/bench.h"

#include <stdlib.h>
#ifdef BENCH_ZOLTAN
#include <zoltan_dd.h>
#define BENCH_PEER ""
#else
#define BENCH_PEER ", no Zoltan in this build"
#endif

enum { SIZES = 4, MEASURES = SIZES + 1 };

static const int64_t batch_sizes[SIZES] = { 1, 100, 10000, 100000 };

typedef struct work {
    bool sparse;
    int64_t announced;
    pen_gid *gids;   /* [announced] mine */
    int32_t *owners; /* [announced] */
    int64_t asked;
    pen_gid *questions; /* [asked] */
    int32_t *expected;  /* [asked] */
    int32_t *answers;   /* [asked] */
    unsigned *words;    /* [2 * max(announced, asked)] gids as Zoltan wants them */
    double bytes;       /* per gid, ours */
} work;

static pen_comm *comm;

static pen_gid gid_of(bool sparse, int64_t i) { return sparse ? (pen_gid)(pen_mix((uint64_t)i) >> 2) : i; }
static int32_t owner_of(int64_t i)
{
    return (int32_t)pen_hash_range(pen_mix((uint64_t)i + 12345), (uint64_t)comm->size);
}

static work make_work(bool sparse, int64_t per_rank)
{
    work w = { .sparse = sparse, .asked = batch_sizes[SIZES - 1] };
    int64_t all = per_rank * comm->size;
    for (int64_t i = 0; i < all; i++) w.announced += owner_of(i) == comm->rank;
    int64_t most = w.announced > w.asked ? w.announced : w.asked;
    bench_require(PEN_ALLOC(&w.gids, w.announced), "memory");
    bench_require(PEN_ALLOC(&w.owners, w.announced), "memory");
    bench_require(PEN_ALLOC(&w.questions, w.asked), "memory");
    bench_require(PEN_ALLOC(&w.expected, w.asked), "memory");
    bench_require(PEN_ALLOC(&w.answers, w.asked), "memory");
    bench_require(PEN_ALLOC(&w.words, 2 * most), "memory");
    for (int64_t i = 0, k = 0; i < all; i++) {
        if (owner_of(i) != comm->rank) continue;
        w.gids[k] = gid_of(sparse, i);
        w.owners[k++] = comm->rank;
    }
    for (int64_t k = 0; k < w.asked; k++) {
        int64_t i = (int64_t)(pen_mix((uint64_t)(k + 1) << 20 ^ (uint64_t)comm->rank) % (uint64_t)all);
        w.questions[k] = gid_of(sparse, i);
        w.expected[k] = owner_of(i);
    }
    return w;
}

static void free_work(work *w)
{
    free(w->gids);
    free(w->owners);
    free(w->questions);
    free(w->expected);
    free(w->answers);
    free(w->words);
}

static double started;

static void begin(void)
{
    MPI_Barrier(comm->mpi);
    started = MPI_Wtime();
}

/* The slowest rank's time, per gid of this rank's batch. */
static double end(int64_t gids)
{
    double mine = MPI_Wtime() - started, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm->mpi);
    return slowest * 1e9 / (double)gids;
}

static int64_t repeats(int64_t size) { return size < 10000 ? 2000 / size + 10 : 1; }

static void check_answers(const work *w, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (w->answers[k] != w->expected[k]) bench_require(PEN_ERR_INTERNAL, "wrong answer");
    memset(w->answers, 0x55, (size_t)count * sizeof *w->answers);
}

static void measure_ours(work *w, double times[MEASURES])
{
    pen_directory *directory;
    begin();
    bench_require(pen_directory_create(comm, w->announced, &directory), "directory");
    bench_require(pen_directory_update(directory, PEN_OK, w->announced, w->gids, w->owners, NULL), "directory");
    times[SIZES] = end(w->announced);
    for (int s = 0; s < SIZES; s++) {
        begin();
        for (int64_t r = 0; r < repeats(batch_sizes[s]); r++)
            bench_require(pen_directory_resolve(directory, PEN_OK, batch_sizes[s], w->questions, w->answers),
                          "directory");
        times[s] = end(batch_sizes[s] * repeats(batch_sizes[s]));
        check_answers(w, batch_sizes[s]);
    }
    int64_t bytes, count;
    bench_require(pen_sum_int(comm, pen_directory_memory_used(directory), &bytes), "directory");
    bench_require(pen_sum_int(comm, pen_directory_count(directory), &count), "directory");
    w->bytes = (double)bytes / (double)count;
    pen_directory_destroy(&directory);
}

#ifdef BENCH_ZOLTAN
/* Zoltan's gids are arrays of unsigned: one for dense gids, two for sparse ones. */
static unsigned *words_of(work *w, const pen_gid *gids, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (w->sparse) {
            w->words[2 * i] = (unsigned)gids[i];
            w->words[2 * i + 1] = (unsigned)(gids[i] >> 32);
        } else {
            w->words[i] = (unsigned)gids[i];
        }
    }
    return w->words;
}

static void measure_zoltan(work *w, double times[MEASURES])
{
    Zoltan_DD_Directory *directory;
    unsigned *gids = words_of(w, w->gids, w->announced);
    begin();
    int code = Zoltan_DD_Create(&directory, comm->mpi, w->sparse ? 2 : 1, 0, 0, 0, 0);
    if (code == ZOLTAN_OK) code = Zoltan_DD_Update(directory, gids, NULL, NULL, NULL, (int)w->announced);
    times[SIZES] = end(w->announced);
    gids = words_of(w, w->questions, w->asked);
    for (int s = 0; s < SIZES; s++) {
        begin();
        for (int64_t r = 0; r < repeats(batch_sizes[s]) && code == ZOLTAN_OK; r++)
            code = Zoltan_DD_Find(directory, gids, NULL, NULL, NULL, (int)batch_sizes[s], w->answers);
        times[s] = end(batch_sizes[s] * repeats(batch_sizes[s]));
        if (code != ZOLTAN_OK) bench_require(PEN_ERR_INTERNAL, "Zoltan_DD");
        check_answers(w, batch_sizes[s]);
    }
    Zoltan_DD_Destroy(&directory);
}
#else
static void measure_zoltan(work *w, double times[MEASURES])
{
    (void)w;
    for (int m = 0; m < MEASURES; m++) times[m] = 0;
}
#endif

static void print_line(bool sparse, int measure, const double *ours, const double *zoltan, int pairs)
{
    char name[64] = "announce all";
    if (measure < SIZES) snprintf(name, sizeof name, "resolve %" PRId64, batch_sizes[measure]);
    bench_summary o = bench_summarize(ours, pairs), z = bench_summarize(zoltan, pairs);
    printf("%-6s %-14s ours %8.1f ns (%.1f)", sparse ? "sparse" : "dense", name, o.median, o.min);
    if (z.max > 0) {
        bench_summary ratio = bench_ratios(zoltan, ours, pairs);
        printf("  Zoltan_DD %8.1f ns (%.1f)  ratio %5.2f (%.2f .. %.2f)", z.median, z.min, ratio.median, ratio.min,
               ratio.max);
    }
    printf("\n");
}

static void compare(bool sparse, int pairs, int64_t per_rank)
{
    work w = make_work(sparse, per_rank);
    double *ours[MEASURES], *zoltan[MEASURES];
    for (int m = 0; m < MEASURES; m++) {
        bench_require(PEN_ALLOC(&ours[m], pairs), "memory");
        bench_require(PEN_ALLOC(&zoltan[m], pairs), "memory");
    }
    for (int p = -1; p < pairs; p++) { /* -1: to warm up */
        double mine[MEASURES], theirs[MEASURES];
        if (p % 2) measure_zoltan(&w, theirs);
        measure_ours(&w, mine);
        if (p % 2 == 0) measure_zoltan(&w, theirs);
        for (int m = 0; m < MEASURES && p >= 0; m++) {
            ours[m][p] = mine[m];
            zoltan[m][p] = theirs[m];
        }
    }
    for (int m = 0; m < MEASURES; m++) {
        if (comm->rank == 0) print_line(sparse, m, ours[m], zoltan[m], pairs);
        free(ours[m]);
        free(zoltan[m]);
    }
    if (comm->rank == 0) printf("%-6s %.1f bytes per gid\n", sparse ? "sparse" : "dense", w.bytes);
    free_work(&w);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bench_require(pen_comm_create(MPI_COMM_WORLD, &comm), "communicator");
    int64_t pairs = 21, per_rank = 100000;
    if ((argc > 1 && !pen_parse_int(argv[1], &pairs)) || (argc > 2 && !pen_parse_int(argv[2], &per_rank)) ||
        pairs < 1 || per_rank < 1)
        bench_require(pen_fail(PEN_ERR_ARGUMENT, "usage: directory_bench [PAIRS [GIDS]]"), "arguments");
    if (comm->rank == 0) {
        bench_print_setting("directory_bench", comm->size);
        printf("%" PRId64 " gids announced and up to %" PRId64 " resolved per rank, %" PRId64 " pairs%s\n", per_rank,
               batch_sizes[SIZES - 1], pairs, BENCH_PEER);
    }
    compare(false, (int)pairs, per_rank);
    compare(true, (int)pairs, per_rank);
    pen_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
