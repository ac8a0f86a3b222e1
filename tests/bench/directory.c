/* directory.c - the directory beside Zoltan's Zoltan_DD, where that is installed.
 *
 *     mpirun -n N directory_bench [--pairs=N] [--gids=N]
 *
 * Every rank announces the gids that it owns, every second one or so of a range on each, to an empty directory; random
 * ones are resolved, in batches of several sizes; then each rank says that it owns those of the rank before, and at
 * last that it owns its own ones again; once more in batches of several sizes. Announcements, updates of what is known,
 * and the largest look-ups are made in ascending and in random order, what is small in random order. Dense gids: 0 ..
 * N*GIDS-1; sparse: as many of 62 bits, each in a page of its own. Both directories do the same work in turns, the
 * order changing from pair to pair; a time is the slowest rank's. Answers are checked after every change. Printed:
 * median (and least) over the pairs, in nanoseconds per gid, and the median (least .. greatest) of the pairs' ratios
 * Zoltan_DD / ours. */
#include "directory/directory.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tests/bench/bench.h"

#include <stdlib.h>
#ifdef BENCH_ZOLTAN
#include <zoltan_dd.h>
#endif

enum {
    ANNOUNCE,
    ANNOUNCE_RANDOM,
    UPDATE,
    UPDATE_RANDOM,
    UPDATE_SMALL,
    RESOLVE_ASCENDING = UPDATE_SMALL + 3,
    RESOLVE,
    SIZES = 4,
    MEASURES = RESOLVE + SIZES
};

static const int64_t batch_sizes[SIZES] = { 1, 100, 10000, 100000 };

static const char *const names[MEASURES] = {
    "announce, ascending", "announce, random",      "update, ascending",         "update, random", "update 1",
    "update 100",          "update 10000",          "resolve 100000, ascending", "resolve 1",      "resolve 100",
    "resolve 10000",       "resolve 100000, random"
};

/* Gids of which this rank says that it owns them. */
typedef struct claim {
    int64_t count;
    pen_gid *gids;
    int32_t *owners, *versions;
} claim;

/* Gids that are looked up, and whose they are at first. */
typedef struct query {
    pen_gid gid;
    int32_t owner;
} query;

typedef struct work {
    bool sparse;
    claim mine, mine_shuffled;
    claim taken, taken_back; /* the rank before's; my own ones, shuffled */
    int64_t asked;
    query *random, *ascending; /* [asked] */
    pen_gid *questions;        /* [asked] */
    int32_t *answers;          /* [asked] */
    unsigned *words;           /* gids as Zoltan wants them */
    double bytes;              /* per gid, ours */
} work;

static pen_comm *comm;

static pen_gid gid_of(bool sparse, int64_t i) { return sparse ? (pen_gid)(pen_mix((uint64_t)i) >> 2) : i; }
static int32_t owner_of(int64_t i)
{
    return (int32_t)pen_hash_range(pen_mix((uint64_t)i + 12345), (uint64_t)comm->size);
}

/* A query begins with a gid, too. */
static int by_gid(const void *a, const void *b)
{
    pen_gid x = *(const pen_gid *)a, y = *(const pen_gid *)b;
    return (x > y) - (x < y);
}

static void shuffle(pen_gid *gids, int64_t count)
{
    for (int64_t k = count - 1; k > 0; k--) {
        int64_t other = (int64_t)(pen_mix((uint64_t)k) % (uint64_t)(k + 1));
        pen_gid gid = gids[k];
        gids[k] = gids[other];
        gids[other] = gid;
    }
}

/* All gids that `owner` has at first, ascending. */
static claim make_claim(bool sparse, int64_t all, int owner, int32_t version)
{
    claim c = { 0 };
    for (int64_t i = 0; i < all; i++) c.count += owner_of(i) == owner;
    bench_require(PEN_ALLOC(&c.gids, c.count), "memory");
    bench_require(PEN_ALLOC(&c.owners, c.count), "memory");
    bench_require(PEN_ALLOC(&c.versions, c.count), "memory");
    for (int64_t i = 0, k = 0; i < all; i++)
        if (owner_of(i) == owner) c.gids[k++] = gid_of(sparse, i);
    qsort(c.gids, (size_t)c.count, sizeof *c.gids, by_gid);
    for (int64_t k = 0; k < c.count; k++) {
        c.owners[k] = comm->rank;
        c.versions[k] = version;
    }
    return c;
}

static work make_work(bool sparse, int64_t per_rank)
{
    work w = { .sparse = sparse, .asked = batch_sizes[SIZES - 1] };
    int64_t all = per_rank * comm->size;
    w.mine = make_claim(sparse, all, comm->rank, 0);
    w.mine_shuffled = make_claim(sparse, all, comm->rank, 0);
    w.taken = make_claim(sparse, all, (comm->rank + comm->size - 1) % comm->size, 1);
    w.taken_back = make_claim(sparse, all, comm->rank, 2);
    shuffle(w.mine_shuffled.gids, w.mine_shuffled.count);
    shuffle(w.taken_back.gids, w.taken_back.count);
    bench_require(PEN_ALLOC(&w.random, w.asked), "memory");
    bench_require(PEN_ALLOC(&w.ascending, w.asked), "memory");
    bench_require(PEN_ALLOC(&w.questions, w.asked), "memory");
    bench_require(PEN_ALLOC(&w.answers, w.asked), "memory");
    bench_require(PEN_ALLOC(&w.words, 2 * (all > w.asked ? all : w.asked)), "memory");
    for (int64_t k = 0; k < w.asked; k++) {
        int64_t i = (int64_t)(pen_mix((uint64_t)(k + 1) << 20 ^ (uint64_t)comm->rank) % (uint64_t)all);
        w.random[k] = w.ascending[k] = (query){ gid_of(sparse, i), owner_of(i) };
    }
    qsort(w.ascending, (size_t)w.asked, sizeof *w.ascending, by_gid);
    return w;
}

static void free_work(work *w)
{
    claim *claims[] = { &w->mine, &w->mine_shuffled, &w->taken, &w->taken_back };
    for (int i = 0; i < PEN_COUNT_OF(claims); i++) {
        free(claims[i]->gids);
        free(claims[i]->owners);
        free(claims[i]->versions);
    }
    free(w->random);
    free(w->ascending);
    free(w->questions);
    free(w->answers);
    free(w->words);
}

/* ---- The directories ---------------------------------------------------------------------------- */

typedef struct rival {
    void (*prepare)(work *w, int64_t count, const pen_gid *gids); /* for the next call, not timed; may be NULL */
    void (*create)(const work *w);
    void (*update)(work *w, const claim *c);
    void (*resolve)(work *w, int64_t count); /* questions into answers */
    void (*destroy)(work *w);
} rival;

static pen_directory *directory;

static void our_create(const work *w)
{
    bench_require(pen_directory_create_within(comm, w->mine.count, &directory), "directory");
}

static void our_update(work *w, const claim *c)
{
    bench_require(pen_directory_update(directory, c->count, c->gids, c->owners, c->versions), "directory");
}

static void our_resolve(work *w, int64_t count)
{
    bench_require(pen_directory_resolve(directory, count, w->questions, w->answers), "directory");
}

static void our_destroy(work *w)
{
    int64_t bytes, count;
    bench_require(pen_sum_int(comm, pen_directory_memory_used(directory), &bytes), "directory");
    bench_require(pen_sum_int(comm, pen_directory_count(directory), &count), "directory");
    w->bytes = (double)bytes / (double)count;
    pen_directory_destroy(&directory);
}

static const rival ours = { NULL, our_create, our_update, our_resolve, our_destroy };

#ifdef BENCH_ZOLTAN
static Zoltan_DD_Directory *zoltan_directory;

/* Zoltan's gids are arrays of unsigned: one for dense gids, two for sparse ones. */
static void zoltan_prepare(work *w, int64_t count, const pen_gid *gids)
{
    for (int64_t i = 0; i < count; i++) {
        if (w->sparse) {
            w->words[2 * i] = (unsigned)gids[i];
            w->words[2 * i + 1] = (unsigned)(gids[i] >> 32);
        } else {
            w->words[i] = (unsigned)gids[i];
        }
    }
}

static void zoltan_require(int code)
{
    if (code != ZOLTAN_OK) bench_require(pen_fail(PEN_ERR_INTERNAL, "Zoltan_DD failed with %d", code), "Zoltan_DD");
}

static void zoltan_create(const work *w)
{
    zoltan_require(Zoltan_DD_Create(&zoltan_directory, comm->mpi, w->sparse ? 2 : 1, 0, 0, 0, 0));
}

static void zoltan_update(work *w, const claim *c)
{
    zoltan_require(Zoltan_DD_Update(zoltan_directory, w->words, NULL, NULL, NULL, (int)c->count));
}

static void zoltan_resolve(work *w, int64_t count)
{
    zoltan_require(Zoltan_DD_Find(zoltan_directory, w->words, NULL, NULL, NULL, (int)count, w->answers));
}

static void zoltan_destroy(work *w) { Zoltan_DD_Destroy(&zoltan_directory); }

static const rival zoltan_rival = { zoltan_prepare, zoltan_create, zoltan_update, zoltan_resolve, zoltan_destroy };
static const rival *const zoltan = &zoltan_rival;
#else
static const rival *const zoltan = NULL;
#endif

/* ---- Measuring ---------------------------------------------------------------------------------- */

static double started;

static void begin(void)
{
    MPI_Barrier(comm->mpi);
    started = MPI_Wtime();
}

/* The slowest rank's time, in nanoseconds per gid of this rank's. */
static double end(int64_t gids) { return bench_slowest(MPI_Wtime() - started) * 1e9 / (double)(gids > 0 ? gids : 1); }

static int64_t repeats_of(int64_t count) { return count < 10000 ? 2000 / count + 10 : 1; }

/* Look up the first ones; owners are `later` ranks behind the first ones. */
static double resolve(const rival *r, work *w, const query *queries, int64_t count, int later)
{
    int64_t repeats = repeats_of(count);
    for (int64_t k = 0; k < count; k++) w->questions[k] = queries[k].gid;
    if (r->prepare) r->prepare(w, count, w->questions);
    memset(w->answers, 0x55, (size_t)count * sizeof *w->answers);
    begin();
    for (int64_t i = 0; i < repeats; i++) r->resolve(w, count);
    double time = end(count * repeats);
    for (int64_t k = 0; k < count; k++)
        if (w->answers[k] != (queries[k].owner + later) % comm->size) bench_require(PEN_ERR_INTERNAL, "wrong answer");
    return time;
}

static double update(const rival *r, work *w, const claim *c, bool into_empty)
{
    if (r->prepare) r->prepare(w, c->count, c->gids);
    begin();
    if (into_empty) r->create(w);
    r->update(w, c);
    return end(c->count);
}

/* The first gids of a claim once more, in a row. */
static double update_small(const rival *r, work *w, const claim *c, int64_t count)
{
    claim some = *c;
    some.count = count < c->count ? count : c->count;
    int64_t repeats = repeats_of(count);
    if (r->prepare) r->prepare(w, some.count, c->gids);
    begin();
    for (int64_t i = 0; i < repeats; i++) r->update(w, &some);
    return end(some.count * repeats);
}

static void measure(const rival *r, work *w, double times[MEASURES])
{
    times[ANNOUNCE] = update(r, w, &w->mine, true);
    for (int s = 0; s < SIZES; s++) times[RESOLVE + s] = resolve(r, w, w->random, batch_sizes[s], 0);
    times[RESOLVE_ASCENDING] = resolve(r, w, w->ascending, w->asked, 0);
    times[UPDATE] = update(r, w, &w->taken, false);
    (void)resolve(r, w, w->random, w->asked, 1);
    times[UPDATE_RANDOM] = update(r, w, &w->taken_back, false);
    for (int s = 0; s < RESOLVE_ASCENDING - UPDATE_SMALL; s++)
        times[UPDATE_SMALL + s] = update_small(r, w, &w->taken_back, batch_sizes[s]);
    (void)resolve(r, w, w->random, w->asked, 0);
    r->destroy(w);
    times[ANNOUNCE_RANDOM] = update(r, w, &w->mine_shuffled, true);
    (void)resolve(r, w, w->random, w->asked, 0);
    r->destroy(w);
}

static void print_line(bool sparse, int measure, const double *mine, const double *theirs, int pairs)
{
    bench_summary o = bench_summarize(mine, pairs);
    printf("%-6s %-26s ours %8.1f ns (%.1f)", sparse ? "sparse" : "dense", names[measure], o.median, o.min);
    if (zoltan) {
        bench_summary z = bench_summarize(theirs, pairs), ratio = bench_ratios(theirs, mine, pairs);
        printf("  Zoltan_DD %8.1f ns (%.1f)  ratio %5.2f (%.2f .. %.2f)", z.median, z.min, ratio.median, ratio.min,
               ratio.max);
    }
    printf("\n");
}

static void compare(bool sparse, int pairs, int64_t per_rank)
{
    work w = make_work(sparse, per_rank);
    double *mine[MEASURES], *theirs[MEASURES];
    for (int m = 0; m < MEASURES; m++) {
        bench_require(PEN_ALLOC(&mine[m], pairs), "memory");
        bench_require(PEN_ALLOC_ZERO(&theirs[m], pairs), "memory");
    }
    for (int p = -1; p < pairs; p++) { /* -1: to warm up */
        double our_times[MEASURES], zoltan_times[MEASURES] = { 0 };
        if (zoltan && p % 2) measure(zoltan, &w, zoltan_times);
        measure(&ours, &w, our_times);
        if (zoltan && p % 2 == 0) measure(zoltan, &w, zoltan_times);
        for (int m = 0; m < MEASURES && p >= 0; m++) {
            mine[m][p] = our_times[m];
            theirs[m][p] = zoltan_times[m];
        }
    }
    for (int m = 0; m < MEASURES; m++) {
        if (comm->rank == 0) print_line(sparse, m, mine[m], theirs[m], pairs);
        free(mine[m]);
        free(theirs[m]);
    }
    if (comm->rank == 0) printf("%-6s %.1f bytes per gid\n", sparse ? "sparse" : "dense", w.bytes);
    free_work(&w);
}

int main(int argc, char **argv)
{
    int64_t pairs = 21, per_rank = 100000;
    const pen_option options[] = {
        { "pairs", "N", "rounds (21)", PEN_OPTION_INT, &pairs, 1, 100000 },
        { "gids", "N", "announced by each rank (100000)", PEN_OPTION_INT, &per_rank, 1, INT64_C(1) << 28 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bench_require(pen_comm_create(MPI_COMM_WORLD, &comm), "communicator");
    if (comm->rank == 0) {
        printf("%" PRId64 " gids announced and up to %" PRId64 " resolved per rank, %" PRId64 " pairs%s\n", per_rank,
               batch_sizes[SIZES - 1], pairs, zoltan ? "" : ", no Zoltan in this build");
    }
    compare(false, (int)pairs, per_rank);
    compare(true, (int)pairs, per_rank);
    pen_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
