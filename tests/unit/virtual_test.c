/* virtual_test.c - the virtual ranks that balancers are tested on, and the worlds that are dealt out to them.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "base/status.h"
#include "rebalance/balancers.h"
#include "tests/support/balance_cases.h"
#include "tests/support/virtual_world.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* A failed check inside a rank must not jump out of its stack: it becomes the rank's failure. */
#define REQUIRE(condition)                                                                                \
    do {                                                                                                  \
        if (!(condition)) return pen_fail(PEN_ERR_ARGUMENT, "line %d: not so: %s", __LINE__, #condition); \
    } while (0)

enum { MOST_THREADS = 4 };

/* Rank r sends r bytes to r + 1 and an empty block to r + 2, and gets what r - 1 sends. */
static pen_status ring(void *context, pen_peers *peers)
{
    int rank = peers->rank, size = peers->size, to[2] = { rank + 1, rank + 2 };
    unsigned char bytes[64];
    memset(bytes, 'a' + rank, sizeof bytes);
    int64_t offsets[3] = { 0, rank, rank };
    const pen_parcels send = { rank + 2 < size ? 2 : rank + 1 < size, to, offsets, bytes };
    const pen_blocks *received;
    for (int round = 0; round < 3; round++) {
        PEN_TRY(peers->exchange(peers, false, &send, &received));
        REQUIRE(received->count == (rank > 1 ? 1 : 0));
        if (rank <= 1) continue;
        REQUIRE(received->ranks[0] == rank - 1);
        REQUIRE(received->offsets[1] == rank - 1);
        for (int i = 0; i < rank - 1; i++) REQUIRE(received->data[i] == 'a' + rank - 1);
    }
    return PEN_OK;
}

TEST(blocks_arrive)
{
    static const int backwards[5] = { 4, 3, 2, 1, 0 };
    pen_virtual_counts counts[5];
    for (int k = 0; k < 2 * MOST_THREADS; k++) {
        assert_ok(pen_virtual_run(5, 1 + k / 2, ring, NULL, k % 2 ? backwards : NULL, counts));
        for (int r = 0; r < 5; r++) {
            assert_int_equal(counts[r].exchanges, 3);
            assert_int_equal(counts[r].messages, r > 0 && r < 4 ? 3 : 0);
            assert_int_equal(counts[r].bytes, r < 4 ? 3 * r : 0);
        }
    }
}

/* Each rank forwards what it has received, without copying it. */
static pen_status pass_on(void *context, pen_peers *peers)
{
    int to = (peers->rank + 1) % peers->size;
    int64_t offsets[2] = { 0, sizeof peers->rank };
    pen_parcels send = { 1, &to, offsets, &peers->rank };
    for (int round = 1; round < 20; round++) {
        const pen_blocks *received;
        int token;
        PEN_TRY(peers->exchange(peers, false, &send, &received));
        memcpy(&token, received->data, sizeof token);
        REQUIRE((token + round) % peers->size == peers->rank);
        send.data = received->data;
    }
    return PEN_OK;
}

TEST(what_has_come_may_be_sent)
{
    for (int threads = 1; threads <= MOST_THREADS; threads++)
        assert_ok(pen_virtual_run(7, threads, pass_on, NULL, NULL, NULL));
}

static pen_status mutual_pairs(void *context, pen_peers *peers)
{
    bool broken = context != NULL;
    int other = peers->rank ^ 1;
    int64_t offsets[2] = { 0, 0 };
    const pen_parcels send = { other < peers->size && !(broken && peers->rank == 3), &other, offsets, NULL };
    const pen_blocks *received;
    PEN_TRY(peers->exchange(peers, true, &send, &received));
    REQUIRE(received->count == send.count);
    if (send.count) REQUIRE(received->ranks[0] == other);
    return PEN_OK;
}

TEST(mutual_exchanges_deliver_empty_blocks)
{
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        assert_ok(pen_virtual_run(5, threads, mutual_pairs, NULL, NULL, NULL));
        assert_int_equal(pen_virtual_run(5, threads, mutual_pairs, "broken", NULL, NULL), PEN_ERR_INTERNAL);
    }
}

/* Sums of three ranks in the fixed order: (a + b) + c. */
static pen_status sums(void *context, pen_peers *peers)
{
    static const double values[3] = { 1e100, 1.0, -1e100 };
    double sum[2] = { values[peers->rank], 1.0 }, maximum = -(double)peers->rank;
    PEN_TRY(peers->reduce(peers, 2, sum, 1, &maximum));
    REQUIRE(sum[0] == 0.0 && sum[1] == 3.0 && maximum == 0.0);
    sum[0] = values[(peers->rank + 1) % 3];
    PEN_TRY(peers->reduce(peers, 1, sum, 0, NULL));
    REQUIRE(sum[0] == 1.0 - 1e100 + 1e100);
    return PEN_OK;
}

TEST(ranks_are_added_in_a_fixed_order)
{
    for (int threads = 1; threads <= MOST_THREADS; threads++)
        assert_ok(pen_virtual_run(3, threads, sums, NULL, NULL, NULL));
}

typedef enum misdeed {
    FAIL_ONE,
    FAIL_TWO,
    LEAVE,
    DIFFER,
    MUTUAL,
    COUNTS,
    MANY,
    TARGET,
    ORDER,
    SWALLOW,
    MISDEEDS
} misdeed;

static atomic_int ignorant; /* ranks that were not told why a call failed */

static pen_status misbehave(void *context, pen_peers *peers)
{
    misdeed what = *(misdeed *)context;
    bool mine = peers->rank == 2, other = mine;
    if (what == FAIL_ONE && mine) return (peers->fail)(PEN_ERR_IO, "rank %d has no disk", peers->rank);
    if (what == FAIL_TWO && peers->rank >= 2) return (peers->fail)(PEN_ERR_IO, "rank %d has no disk", peers->rank);
    if (what == SWALLOW && mine) return (peers->fail)(PEN_ERR_IO, "gone");
    if (what == LEAVE && mine) return PEN_OK;
    int to[2] = { 1, 3 };
    if (other && what == TARGET) to[1] = 4;
    if (other && what == ORDER) to[1] = 0;
    int64_t offsets[3] = { 0, 0, 0 };
    const pen_parcels send = { 2, to, offsets, NULL };
    double values[2] = { 0.0, 0.0 };
    const pen_blocks *received;
    if (what == COUNTS) return peers->reduce(peers, other ? 1 : 2, values, 0, NULL);
    if (what == MANY) return peers->reduce(peers, (1 << 26) + 1, NULL, 0, NULL);
    if (what == DIFFER && other) return peers->reduce(peers, 1, values, 0, NULL);
    pen_status status = peers->exchange(peers, what == MUTUAL && other, &send, &received);
    if (what <= FAIL_TWO && strcmp(pen_error_message(), "rank 2 has no disk") != 0) ignorant++;
    return what == SWALLOW ? PEN_OK : status;
}

/* The other ranks and the caller learn of a failure, whichever thread a rank is on. */
TEST(misbehaviour_fails_on_all_ranks)
{
    static const int backwards[4] = { 3, 2, 1, 0 };
    for (int k = 0; k < MISDEEDS * 2 * MOST_THREADS; k++) {
        misdeed what = (misdeed)(k % MISDEEDS);
        int threads = 1 + k / MISDEEDS / 2;
        const bool disk = what == FAIL_ONE || what == FAIL_TWO;
        pen_status wanted = disk ? PEN_ERR_IO : what == MANY ? PEN_ERR_ARGUMENT : PEN_ERR_INTERNAL;
        if (pen_virtual_run(4, threads, misbehave, &what, k / MISDEEDS % 2 ? backwards : NULL, NULL) != wanted)
            fail_msg("misdeed %d is not noticed on %d threads: %s", (int)what, threads, pen_error_message());
        if (disk) assert_string_equal(pen_error_message(), "rank 2 has no disk");
    }
    assert_int_equal(ignorant, 0);
}

/* Rank 0 works while the others wait, rank 1 without a core. */
static pen_status work_alone(void *context, pen_peers *peers)
{
    const struct timespec pause = { .tv_nsec = 50000000 };
    double wait = 0.0;
    if (peers->rank == 1) nanosleep(&pause, NULL);
    clock_t until = clock() + CLOCKS_PER_SEC / 5;
    while (peers->rank == 0 && clock() < until) wait += 1.0;
    return peers->reduce(peers, 1, &wait, 0, NULL);
}

TEST(seconds_are_those_of_the_rank)
{
    for (int threads = 1; threads <= 2; threads++) {
        pen_virtual_counts counts[4];
        assert_ok(pen_virtual_run(4, threads, work_alone, NULL, NULL, counts));
        assert_true(counts[0].seconds > 0.1);
        for (int r = 1; r < 4; r++) assert_true(counts[r].seconds < 0.04);
    }
}

static pen_status count_only(void *context, pen_peers *peers)
{
    double one = 1.0;
    *(int64_t *)context += 1;
    PEN_TRY(peers->reduce(peers, 1, &one, 0, NULL));
    REQUIRE(one == (double)peers->size);
    return PEN_OK;
}

TEST(thousands_of_ranks_fit)
{
    int64_t ran = 0;
    assert_ok(pen_virtual_run(4096, 1, count_only, &ran, NULL, NULL));
    assert_int_equal(ran, 4096);
}

/* ---- Worlds ---------------------------------------------------------------------------------- */

/* A plan that moves every node to the owner of its neighbour of highest gid; checks its view on the way. */
static pen_status follow(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    double total = 0.0;
    for (pen_lid i = 0; i < view->count; i++) {
        total += view->loads[i];
        pen_lid last = i;
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1]; a++) {
            REQUIRE(view->columns[a] >= 0 && view->columns[a] < view->count + view->shadows);
            if (a > view->rows[i]) REQUIRE(view->gids[last] < view->gids[view->columns[a]]);
            last = view->columns[a];
        }
        if (last < view->count) continue;
        REQUIRE(view->owners[last - view->count] != peers->rank);
        plan->moves[plan->count++] = (pen_move){ view->gids[i], view->owners[last - view->count] };
    }
    PEN_TRY(peers->reduce(peers, 1, &total, 0, NULL));
    REQUIRE(total == 36.0);
    return PEN_OK;
}

TEST(a_world_is_dealt_out_and_put_together)
{
    static const pen_balancer balancer = { .name = "follow", .plan = follow };
    for (int reversed = 0; reversed < 2; reversed++) {
        pen_virtual_world world;
        pen_virtual_outcome outcome;
        pen_quality quality;
        assert_ok(pen_virtual_hex(3, 6, 6, &world));
        assert_int_equal(world.rows[36], 2 * (6 * 5 + 5 * 11)); /* a hex grid's edges */
        assert_ok(pen_virtual_world_measure(&world, &quality));
        assert_int_equal(quality.cut, 2 * 11);
        assert_int_equal(quality.pieces, 0);
        assert_true(quality.imbalance == 1.0 && quality.two_sided == 0.0 && quality.bound == 1.0);
        assert_ok(pen_virtual_world_balance(&world, &balancer, "", NULL, reversed, &outcome));
        assert_int_equal(outcome.moved, 12); /* rows 1 and 3 of the grid follow the rows below them */
        for (int32_t i = 0; i < 36; i++) assert_int_equal(world.owners[i], (i >= 6) + (i >= 18));
        assert_ok(pen_virtual_world_measure(&world, &quality));
        assert_true(quality.imbalance == 1.5 && quality.two_sided == 0.5);
        world.owners[0] = 2;
        world.loads[1] = 14.0;
        assert_ok(pen_virtual_world_measure(&world, &quality));
        assert_int_equal(quality.pieces, 1);
        assert_true(fabs(quality.bound - 14.0 * 3 / 49) < 1e-15 || quality.bound == 1.0);
        pen_virtual_world_free(&world);
    }
}

/* Nodes go anywhere, in clusters; this is foretold of that. */
static struct {
    int64_t cut, pieces;
} foretold;

static pen_status scatter(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    int32_t to[64];
    int64_t cut = -1, pieces = -1;
    for (pen_lid i = 0; i < view->count; i++) {
        to[i] = (int32_t)(pen_mix((uint64_t)view->gids[i] / 9) % (uint64_t)peers->size);
        if (to[i] != peers->rank) plan->moves[plan->count++] = (pen_move){ view->gids[i], to[i] };
    }
    PEN_TRY(pen_quality_of_plan(peers, view, to, &cut, &pieces));
    if (peers->rank == 0) {
        foretold.cut = cut;
        foretold.pieces = pieces;
    }
    REQUIRE(cut >= 0 && cut == foretold.cut && pieces == foretold.pieces);
    return PEN_OK;
}

/* Cut and pieces of a plan are those of the resulting world, for any owners before. */
TEST(quality_is_foretold)
{
    static const pen_balancer balancer = { .name = "scatter", .plan = scatter };
    uint64_t random = 7;
    for (int round = 0; round < 300; round++) {
        pen_virtual_world world;
        pen_quality quality;
        balance_case(&random, &world);
        assert_ok(pen_virtual_world_balance(&world, &balancer, "", NULL, round % 2, NULL));
        assert_ok(pen_virtual_world_measure(&world, &quality));
        assert_int_equal(foretold.cut, quality.cut);
        assert_int_equal(foretold.pieces, quality.pieces);
        pen_virtual_world_free(&world);
    }
}

/* Ranks of libraries that share variables, and of plug-ins, take turns; so do those of unknown balancers. */
static pen_status notice_company(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    static atomic_int inside;
    struct timespec moment = { 0, 1000000 };
    REQUIRE(atomic_fetch_add(&inside, 1) == 0);
    nanosleep(&moment, NULL);
    atomic_fetch_sub(&inside, 1);
    return peers->reduce(peers, 0, NULL, 0, NULL);
}

TEST(who_does_not_bear_threads_has_one)
{
    static const pen_balancer balancer = { .name = "notice", .plan = notice_company };
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(16, 6, 6, &world));
    world.threads = 4;
    assert_ok(pen_virtual_world_balance(&world, &balancer, "", NULL, false, NULL));
    pen_virtual_world_free(&world);
    assert_true(pen_balancer_diffusive.reentrant && pen_partitioner_diffusive.reentrant);
    assert_false(pen_balancer_metis.reentrant || pen_balancer_scotch.reentrant);
}

/* A grid with a hot spot, distributed in blocks: the diffusive balancer's result on so many threads. */
static pen_virtual_outcome balance_hot_spot(int threads, pen_virtual_world *world)
{
    pen_virtual_outcome outcome;
    assert_ok(pen_virtual_hex(25, 50, 50, world));
    for (int32_t i = 0; i < world->nodes; i++) {
        world->owners[i] = i / 50 / 10 * 5 + i % 50 / 10;
        world->loads[i] = world->owners[i] == 12 ? 10.0 : 1.0;
    }
    world->threads = threads;
    assert_ok(pen_virtual_world_balance(world, &pen_balancer_diffusive, "", NULL, false, &outcome));
    return outcome;
}

TEST(threads_change_nothing)
{
    pen_virtual_world one, many;
    pen_virtual_outcome wanted = balance_hot_spot(1, &one);
    for (int threads = 2; threads <= MOST_THREADS; threads++) {
        pen_virtual_outcome o = balance_hot_spot(threads, &many);
        assert_memory_equal(one.owners, many.owners, (size_t)one.nodes * sizeof *one.owners);
        assert_int_equal(o.moved, wanted.moved);
        assert_int_equal(o.rounds, wanted.rounds);
        assert_int_equal(o.exchanges, wanted.exchanges);
        assert_int_equal(o.reductions, wanted.reductions);
        assert_int_equal(o.messages, wanted.messages);
        assert_int_equal(o.bytes, wanted.bytes);
        assert_int_equal(o.max_bytes, wanted.max_bytes);
        pen_virtual_world_free(&many);
    }
    pen_virtual_world_free(&one);
}

static pen_status nonsense(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    if (peers->rank == 1) {
        plan->moves[0] = plan->moves[1] = (pen_move){ view->gids[0], 0 };
        plan->count = 2;
    }
    return PEN_OK;
}

TEST(nonsense_is_refused)
{
    static const pen_balancer balancer = { .name = "nonsense", .plan = nonsense };
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(3, 6, 6, &world));
    world.threads = 3;
    assert_int_equal(pen_virtual_world_balance(&world, &balancer, "", NULL, false, NULL), PEN_ERR_INTERNAL);
    assert_non_null(strstr(pen_error_message(), "twice"));
    for (int32_t i = 0; i < 36; i++) assert_int_equal(world.owners[i], i / 12);
    pen_virtual_world_free(&world);
}
