/* The directory against a table that every rank keeps: every rank draws the same history from the same
 * seed, does its own share of each call, and replays everybody's on its table.
 * pen_mpi_test() */
#include "base/hash.h"
#include "base/sparse.h"
#include "directory/directory.h"
#include "directory/pages.h"
#include "tests/support/check.h"

enum { GIDS = 700, BATCH = 300, ROUNDS = 120 };

/* How gids look. The table is indexed by i in [0, GIDS). */
typedef pen_gid gid_fn(int i);
static pen_gid dense(int i) { return i; }
static pen_gid paged(int i) { return (pen_gid)(i / 5) * 64 + i % 5; }
static pen_gid sparse(int i) { return (pen_gid)(pen_mix((uint64_t)i) >> 1); } /* distinct: the test checks */

typedef struct table {
    int32_t owner[GIDS], version[GIDS]; /* version -1: unknown */
} table;

typedef struct share {
    int count;
    int index[BATCH];
    pen_gid gids[BATCH];
    int32_t owners[BATCH], versions[BATCH];
} share;

static pen_comm *comm;

/* The entries that a rank passes in a round: a function of the arguments only. Repetitions are frequent. The owner is a
 * function of gid and version, so that equal versions never conflict. */
static void draw(share *s, gid_fn *gid, uint64_t seed, int round, int rank)
{
    uint64_t dice = pen_mix(seed ^ ((uint64_t)round << 20) ^ (uint64_t)rank);
    s->count = dice % 4 == 0 ? 0 : (int)pen_hash_range(dice, BATCH);
    for (int k = 0; k < s->count; k++) {
        uint64_t d = pen_mix(dice + (uint64_t)k);
        int i = (int)pen_hash_range(d, (dice & 16) ? GIDS : GIDS / 20);
        s->index[k] = i;
        s->gids[k] = gid(i);
        /* Versions around the round's number, so that some are stale. */
        s->versions[k] = round + (int32_t)(d & 31);
        s->owners[k] = (int32_t)pen_hash_range(pen_mix(pen_mix((uint64_t)i) ^ (uint64_t)s->versions[k]),
                                               (uint64_t)comm->size);
    }
}

static void check_resolve(pen_directory *directory, const table *expected, gid_fn *gid, int first, int count,
                          int stride)
{
    static pen_gid gids[2 * GIDS];
    static int32_t owners[2 * GIDS];
    for (int k = 0; k < count; k++) gids[k] = gid((first + k * stride) % GIDS);
    const bool any = count > 0; /* who asks nothing has no arrays */
    CHECK_STATUS(pen_directory_resolve(directory, count, any ? gids : NULL, any ? owners : NULL), PEN_OK);
    for (int k = 0; k < count; k++) {
        int i = (first + k * stride) % GIDS;
        CHECK_INT(owners[k], expected->version[i] < 0 ? PEN_OWNER_UNKNOWN : expected->owner[i]);
    }
}

static void check_whole(pen_directory *directory, const table *expected)
{
    int64_t known = 0, all = 0;
    for (int i = 0; i < GIDS; i++) known += expected->version[i] >= 0;
    CHECK_STATUS(pen_sum_int(comm, pen_directory_count(directory), &all), PEN_OK);
    CHECK_INT(all, known);
    CHECK(pen_directory_is_valid(directory));
}

static void forget_all(table *t)
{
    for (int i = 0; i < GIDS; i++) t->owner[i] = t->version[i] = -1;
}

static void history(gid_fn *gid, uint64_t seed)
{
    static table expected;
    static share mine, theirs;
    pen_directory *directory;
    check_with("seed %" PRIu64, seed);
    forget_all(&expected);
    CHECK_STATUS(pen_directory_create_within(comm, 100, &directory), PEN_OK);
    check_resolve(directory, &expected, gid, 0, GIDS, 1);
    for (int round = 0; round < ROUNDS; round++) {
        bool remove = round % 7 == 6;
        draw(&mine, gid, seed, round, comm->rank);
        if (remove) CHECK_STATUS(pen_directory_remove(directory, mine.count, mine.gids), PEN_OK);
        else CHECK_STATUS(pen_directory_update(directory, mine.count, mine.gids, mine.owners, mine.versions), PEN_OK);
        for (int r = 0; r < comm->size; r++) {
            draw(&theirs, gid, seed, round, r);
            for (int k = 0; k < theirs.count; k++) {
                int i = theirs.index[k];
                if (remove) {
                    expected.owner[i] = expected.version[i] = -1;
                } else if (theirs.versions[k] > expected.version[i]) {
                    expected.owner[i] = theirs.owners[k];
                    expected.version[i] = theirs.versions[k];
                }
            }
        }
        /* Everybody asks for something else, some for nothing, with repetitions. */
        check_resolve(directory, &expected, gid, comm->rank * 13 + round, (comm->rank + round) % 3 * GIDS, 11);
        if (round % 20 == 0) check_whole(directory, &expected);
    }
    check_whole(directory, &expected);
    check_resolve(directory, &expected, gid, 0, GIDS, 1);
    pen_directory_destroy(&directory);
    CHECK(directory == NULL);
}

/* All orders of a batch: gids of pages that are full, have a few or one, and repeated ones. */
static void order_batch(share *s, gid_fn *gid, int order, int round)
{
    s->count = BATCH;
    for (int k = 0; k < BATCH; k++) {
        int i = (comm->rank * 31 + round * 17 + k) % GIDS, half = k < BATCH / 2;
        uint64_t dice = pen_mix((uint64_t)(round * 1000 + k) << 8 ^ (uint64_t)comm->rank);
        if (order == 1 || (order == 4 && half)) i = (comm->rank * 31 + round * 17 + BATCH - k) % GIDS;
        if (order == 2 || (order == 4 && k % 3 == 0)) i = (int)pen_hash_range(dice, GIDS);
        if (order == 3 || (order == 4 && k % 7 == 0)) i = (i / 4 * 4 + round) % GIDS;
        s->index[k] = i;
        s->gids[k] = gid(i);
        s->versions[k] = round * 8 + (int32_t)(dice & 15);
        s->owners[k] = (int32_t)pen_hash_range(pen_mix(pen_mix((uint64_t)i) ^ (uint64_t)s->versions[k]),
                                               (uint64_t)comm->size);
    }
}

static void check_order(pen_directory *directory, const table *expected, const share *s)
{
    static int32_t owners[BATCH];
    CHECK_STATUS(pen_directory_resolve(directory, s->count, s->gids, owners), PEN_OK);
    for (int k = 0; k < s->count; k++)
        CHECK_INT(owners[k], expected->version[s->index[k]] < 0 ? PEN_OWNER_UNKNOWN : expected->owner[s->index[k]]);
}

static void orders(gid_fn *gid)
{
    enum { ASCENDING, DESCENDING, RANDOM, REPEATED, MIXED, EACH };
    static table expected;
    static share s;
    pen_directory *directory;
    forget_all(&expected);
    CHECK_STATUS(pen_directory_create(comm->mpi, 0, &directory), PEN_OK); /* as users do */
    for (int round = 0; round < 8 * EACH; round++) {
        order_batch(&s, gid, round % EACH, round);
        check_order(directory, &expected, &s);
        CHECK_STATUS(pen_directory_update(directory, s.count, s.gids, s.owners, s.versions), PEN_OK);
        static table newest; /* of all ranks: versions, and owners with them */
        for (int i = 0; i < GIDS; i++) newest.version[i] = expected.version[i];
        for (int k = 0; k < s.count; k++)
            if (s.versions[k] > newest.version[s.index[k]]) newest.version[s.index[k]] = s.versions[k];
        MPI_Allreduce(MPI_IN_PLACE, newest.version, GIDS, MPI_INT32_T, MPI_MAX, comm->mpi);
        for (int i = 0; i < GIDS; i++) {
            if (newest.version[i] > expected.version[i])
                expected.owner[i] = (int32_t)pen_hash_range(pen_mix(pen_mix((uint64_t)i) ^ (uint64_t)newest.version[i]),
                                                            (uint64_t)comm->size);
            expected.version[i] = newest.version[i];
        }
        check_order(directory, &expected, &s);
        order_batch(&s, gid, (round + 2) % EACH, round + 50);
        check_order(directory, &expected, &s);
        check_whole(directory, &expected);
    }
    pen_directory_destroy(&directory);
}

/* Versions left out count as 0, and everybody's first announcement stays while it is not moved. */
static void announcement(void)
{
    pen_directory *directory;
    enum { EACH = 1000 };
    static pen_gid gids[EACH], ask[EACH];
    static int32_t owners[EACH], found[EACH];
    CHECK_STATUS(pen_directory_create_within(comm, EACH, &directory), PEN_OK);
    for (int k = 0; k < EACH; k++) {
        gids[k] = (pen_gid)comm->rank * EACH + k;
        owners[k] = comm->rank;
        ask[k] = (pen_gid)(pen_mix((uint64_t)(k + comm->rank)) % (uint64_t)(comm->size * EACH));
    }
    for (int twice = 0; twice < 2; twice++) {
        CHECK_STATUS(pen_directory_update(directory, EACH, gids, owners, NULL), PEN_OK);
        CHECK_STATUS(pen_directory_resolve(directory, EACH, ask, found), PEN_OK);
        for (int k = 0; k < EACH; k++) CHECK_INT(found[k], ask[k] / EACH);
    }
    /* Balanced over the homes as far as a few pages allow, and within the promised bytes. */
    int64_t count = pen_directory_count(directory), bytes = pen_directory_memory_used(directory);
    if (count > EACH / 2) CHECK(bytes <= 16 * count + 4096);
    pen_directory_destroy(&directory);
}

/* A failure on one rank, of the caller or of its arguments, is everybody's, and nothing has changed. */
static void failures(void)
{
    static table expected;
    pen_directory *directory;
    forget_all(&expected);
    CHECK_STATUS(pen_directory_create_within(comm, 0, &directory), PEN_OK);
    pen_gid gids[3] = { 5, 6, 7 };
    int32_t owners[3] = { 0, comm->size - 1, 0 }, versions[3] = { 3, 3, 3 }, found[3] = { 77, 77, 77 };
    CHECK_STATUS(pen_directory_update(directory, 3, gids, owners, versions), PEN_OK);
    for (int i = 0; i < 3; i++) {
        expected.owner[gids[i]] = owners[i];
        expected.version[gids[i]] = versions[i];
    }
    for (int bad = 0; bad < comm->size; bad++) {
        bool here = bad == comm->rank;
        int32_t later[3] = { 9, 9, 9 }, other[3] = { comm->size - 1, 0, 0 };
        pen_gid more[3] = { 5, 100, 101 };
        const char *words = "rank that failed";
        pen_status mine = here ? pen_fail(PEN_ERR_IO, "the %s", words) : PEN_OK;
        CHECK_STATUS(pen_directory_update_with(directory, mine, 3, more, other, later), PEN_ERR_IO);
        CHECK_CONTAINS(pen_error_message(), words);
        mine = here ? pen_fail(PEN_ERR_IO, "the %s", words) : PEN_OK;
        CHECK_STATUS(pen_directory_resolve_with(directory, mine, 3, gids, found), PEN_ERR_IO);
        CHECK_INT(found[1], 77);

        /* Arguments out of range on that rank only. */
        pen_gid negative[3] = { 5, -4, 101 };
        int32_t nobody[3] = { 0, comm->size, 0 }, before[3] = { 9, -1, 9 };
        CHECK_STATUS(pen_directory_update(directory, 3, here ? negative : more, other, later), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "gid -4");
        CHECK_STATUS(pen_directory_update(directory, 3, more, here ? nobody : other, later), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "gid 100: owner");
        CHECK_STATUS(pen_directory_update(directory, 3, more, other, here ? before : later), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "gid 100: version -1");
        CHECK_STATUS(pen_directory_resolve(directory, 3, here ? negative : gids, found), PEN_ERR_ARGUMENT);
        CHECK_STATUS(pen_directory_resolve(directory, here ? -3 : 3, gids, found), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "-3 gids");
        CHECK_INT(found[0], 77);
        check_whole(directory, &expected);
        check_resolve(directory, &expected, dense, 0, GIDS, 1);
    }
    CHECK_STATUS(pen_directory_create_within(comm, comm->rank == comm->size - 1 ? -1 : 0, &directory),
                 PEN_ERR_ARGUMENT);
    pen_directory *none = NULL;
    CHECK_STATUS(pen_directory_create_within(comm, INT64_MAX, &none), PEN_ERR_MEMORY);
    CHECK_CONTAINS(pen_error_message(), "out of memory: 144115188075855873 elements of 64 bytes");
    pen_directory_destroy(&directory);
    pen_directory_destroy(&directory);
    pen_directory_destroy(NULL);
}

/* Two owners since the same move: against the known entry, within a batch, and between ranks. Other updates of every
 * rank in the same call must not take effect. */
static void conflicts(gid_fn *gid)
{
    if (comm->size < 2) return; /* there is one owner only */
    static table expected;
    pen_directory *directory;
    enum { NEWS = 200 };
    static pen_gid gids[NEWS + 2];
    static int32_t owners[NEWS + 2], versions[NEWS + 2];
    forget_all(&expected);
    CHECK_STATUS(pen_directory_create_within(comm, 0, &directory), PEN_OK);
    for (int k = 0; k < NEWS; k += 2) {
        expected.owner[k] = k % comm->size;
        expected.version[k] = 1;
        gids[k / 2] = gid(k);
        owners[k / 2] = k % comm->size;
        versions[k / 2] = 1;
    }
    CHECK_STATUS(pen_directory_update(directory, NEWS / 2, gids, owners, versions), PEN_OK);
    for (int kind = 0; kind < 3; kind++) {
        for (int bad = 0; bad < comm->size; bad++) {
            /* Known gids get newer owners, some of them from all ranks with different versions; unknown gids appear. */
            for (int k = 0; k < NEWS; k++) {
                gids[k] = gid((k * 7) % NEWS);
                versions[k] = 2 + comm->rank;
                owners[k] = (k + comm->rank) % comm->size;
            }
            int count = NEWS;
            pen_gid disputed = gid(kind == 0 ? 42 : 555);
            if (kind == 0 && comm->rank == bad)
                gids[count] = disputed, owners[count] = (42 + 1) % comm->size, versions[count++] = 1;
            /* Version 1 of gid 42 must meet the known entry, not another rank's newer one. */
            if (kind == 0)
                for (int k = 0; k < NEWS; k++)
                    if (gids[k] == disputed) gids[k] = gid(600);
            if (kind == 1 && comm->rank == bad)
                for (int twice = 0; twice < 2; twice++)
                    gids[count] = disputed, owners[count] = twice, versions[count++] = 4;
            if (kind == 2) gids[count] = disputed, owners[count] = comm->rank == bad, versions[count++] = 4;
            CHECK_STATUS(pen_directory_update(directory, count, gids, owners, versions), PEN_ERR_INPUT);
            char words[64];
            snprintf(words, sizeof words, "gid %" PRIgid " has two owners", disputed);
            CHECK_CONTAINS(pen_error_message(), words);
            check_whole(directory, &expected);
            check_resolve(directory, &expected, gid, 0, GIDS, 1);
        }
    }
    pen_directory_destroy(&directory);
}

/* Large enough for the exchanges' long way: many pages, beyond what the first table of a batch holds. */
static void large(void)
{
    enum { EACH = 20000 };
    pen_directory *directory;
    pen_gid *gids = malloc(EACH * sizeof *gids);
    int32_t *owners = malloc(EACH * sizeof *owners);
    CHECK_STATUS(pen_directory_create_within(comm, EACH, &directory), PEN_OK);
    for (int k = 0; k < EACH; k++) {
        gids[k] = (pen_gid)(pen_mix((uint64_t)comm->rank * EACH + (uint64_t)k) >> 2);
        owners[k] = (int32_t)(gids[k] % comm->size);
    }
    CHECK_STATUS(pen_directory_update(directory, EACH, gids, owners, NULL), PEN_OK);
    int next = (comm->rank + 1) % comm->size;
    for (int k = 0; k < EACH; k++) gids[k] = (pen_gid)(pen_mix((uint64_t)next * EACH + (uint64_t)k) >> 2);
    CHECK_STATUS(pen_directory_resolve(directory, EACH, gids, owners), PEN_OK);
    for (int k = 0; k < EACH; k++) CHECK_INT(owners[k], gids[k] % comm->size);
    CHECK(pen_directory_is_valid(directory));
    CHECK(pen_directory_memory_used(directory) <= 96 * pen_directory_count(directory));
    CHECK_STATUS(pen_directory_remove(directory, EACH, gids), PEN_OK);
    CHECK_INT(pen_directory_count(directory), 0);
    CHECK_STATUS(pen_directory_update(directory, 1, gids, owners, NULL), PEN_OK);
    CHECK(pen_directory_memory_used(directory) < 1 << 14);
    pen_directory_destroy(&directory);
    free(gids);
    free(owners);
}

CHECKS()
{
    CHECK_STATUS(pen_comm_create(MPI_COMM_WORLD, &comm), PEN_OK);
    for (int i = 0; i < GIDS; i++)
        for (int k = 0; k < i; k++) CHECK(sparse(i) != sparse(k));
    for (uint64_t seed = 1; seed <= 2; seed++) {
        RUN(history(dense, seed));
        RUN(history(paged, seed));
        RUN(history(sparse, seed));
    }
    RUN(orders(dense));
    RUN(orders(paged));
    RUN(orders(sparse));
    pen_short_radix = 2; /* as among many ranks */
    RUN(history(paged, 3));
    pen_short_radix = 0;
    RUN(announcement());
    RUN(failures());
    RUN(conflicts(dense));
    RUN(conflicts(paged));
    RUN(large());
    pen_comm_destroy(&comm);
}
