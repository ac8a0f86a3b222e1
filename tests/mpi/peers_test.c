/* peers_test - the communication of algorithms over MPI: sums have an exact order, blocks arrive, and no rank hangs if
 * any other rank leaves or calls something else at any time.
 * pen_mpi_test() */
#include "base/memory.h"
#include "tests/support/world.h"
#include "view/peers.h"

static pen_comm *comm;

/* Numbers whose sum depends on the order. */
static double number(int rank, int i)
{
    uint64_t bits = scramble((uint64_t)(rank * 100 + i), 0);
    return ((double)(bits % 1000) - 500.0) * (bits & 1024 ? 1e12 : 1e-9);
}

static void test_reduce(void)
{
    pen_mpi_peers p;
    CHECK_STATUS(pen_peers_begin(comm, &p), PEN_OK);
    CHECK_INT(p.peers.rank, comm->rank);
    CHECK_INT(p.peers.size, comm->size);
    for (int count = 0; count < 40; count += 13) {
        double sums[40], maxima[40], expected[64];
        for (int i = 0; i < count; i++) {
            sums[i] = number(comm->rank, i);
            maxima[i] = number(comm->rank, i + 50);
        }
        CHECK_STATUS(p.peers.reduce(&p.peers, count, sums, count, maxima), PEN_OK);
        for (int i = 0; i < count; i++) {
            double most = -1e300;
            for (int r = 0; r < comm->size; r++) {
                expected[r] = number(r, i);
                if (number(r, i + 50) > most) most = number(r, i + 50);
            }
            for (int d = 1; d < comm->size; d *= 2)
                for (int r = 0; r + d < comm->size; r += 2 * d) expected[r] += expected[r + d];
            CHECK(memcmp(&sums[i], &expected[0], sizeof sums[i]) == 0);
            CHECK(maxima[i] == most);
        }
    }
    pen_peers_use use;
    CHECK_STATUS(pen_peers_end(&p, PEN_OK, &use), PEN_OK);
    CHECK(use.cpu_seconds >= 0.0 && use.exchanges == 0 && use.reductions == 4);
}

/* Bytes from a rank to another one; with some empty, and some pairs that have none. */
static int64_t length(int from, int to, bool mutual)
{
    if (mutual) return (from + to) % 3 ? ((from * 7 + to * 3) % 5) * 1000 : 0;
    return (from * 5 + to) % 4 * 333;
}

static bool connected(int a, int b) { return (a + b) % 2 == 1 || a == b; }

static void test_exchange(bool mutual)
{
    pen_mpi_peers p;
    CHECK_STATUS(pen_peers_begin(comm, &p), PEN_OK);
    for (int round = 0; round < 3; round++) {
        pen_parcels send = { 0 };
        int ranks[64];
        int64_t offsets[65] = { 0 };
        unsigned char *data = malloc(64 * 4000);
        for (int to = 0; to < comm->size; to++) {
            if (mutual ? !connected(comm->rank, to) : length(comm->rank, to, false) == 0) continue;
            ranks[send.count] = to;
            offsets[send.count + 1] = offsets[send.count] + length(comm->rank, to, mutual);
            memset(data + offsets[send.count], comm->rank * 16 + to + round, (size_t)length(comm->rank, to, mutual));
            send.count++;
        }
        send.ranks = ranks;
        send.offsets = offsets;
        send.data = data;
        const pen_blocks *received = NULL;
        CHECK_STATUS(p.peers.exchange(&p.peers, mutual, &send, &received), PEN_OK);
        int block = 0;
        for (int from = 0; from < comm->size; from++) {
            int64_t bytes = length(from, comm->rank, mutual);
            if (mutual ? !connected(from, comm->rank) : bytes == 0) continue;
            CHECK(block < received->count);
            CHECK_INT(received->ranks[block], from);
            CHECK_INT(received->offsets[block + 1] - received->offsets[block], bytes);
            for (int64_t i = 0; i < bytes; i += 50)
                CHECK_INT(received->data[received->offsets[block] + i],
                          (unsigned char)(from * 16 + comm->rank + round));
            block++;
        }
        CHECK_INT(received->count, block);
        free(data);
    }
    CHECK_STATUS(pen_peers_end(&p, PEN_OK, NULL), PEN_OK);
}

/* Calls in turn; rank `odd` deviates before the `when`-th one. */
enum { LEAVES, FAILS, OTHER_CALL, OTHER_COUNT, ONE_SIDED, NO_RANK, LATE_START, WAYS };

static pen_status work(pen_mpi_peers *p, int odd, int when, int way)
{
    for (int i = 0; i < 6; i++) {
        double numbers[3] = { 1.0, 2.0, 3.0 };
        const pen_parcels nothing = { 0 };
        const pen_blocks *received;
        int kind = i % 3;
        if (comm->rank == odd && i == when) {
            if (way == LEAVES) return PEN_OK;
            if (way == FAILS) return pen_fail(PEN_ERR_MEMORY, "rank %d fails at %d", odd, when);
            if (way == OTHER_CALL) kind = (kind + 1) % 3;
            if (way == ONE_SIDED || way == NO_RANK || way == LATE_START) {
                int to = way == NO_RANK ? comm->size : (odd + 1) % comm->size;
                int64_t offsets[2] = { way == LATE_START, way == LATE_START };
                const pen_parcels block = { 1, &to, offsets, NULL };
                PEN_TRY(p->peers.exchange(&p->peers, kind == 2, &block, &received));
                continue;
            }
            if (way == OTHER_COUNT) {
                PEN_TRY(p->peers.reduce(&p->peers, 3, numbers, 0, NULL));
                continue;
            }
        }
        if (kind == 0) PEN_TRY(p->peers.reduce(&p->peers, 1, numbers, 1, numbers + 1));
        else PEN_TRY(p->peers.exchange(&p->peers, kind == 2, &nothing, &received));
    }
    return PEN_OK;
}

static void test_disagreement(void)
{
    for (int odd = 0; odd < comm->size; odd++)
        for (int when = 0; when < 6; when++)
            for (int way = 0; way < WAYS; way++) {
                pen_mpi_peers p;
                if (way == ONE_SIDED && when % 3 != 2) continue; /* if calls are not mutual, it is -1 */
                CHECK_STATUS(pen_peers_begin(comm, &p), PEN_OK);
                pen_status mine = work(&p, odd, when, way);
                if (comm->size > 1 && comm->rank != odd && way != FAILS) CHECK_STATUS(mine, PEN_ERR_INTERNAL);
                if (mine != PEN_OK && comm->rank != odd) { /* it stays so, without a deadlock */
                    double one = 1.0;
                    CHECK(p.peers.reduce(&p.peers, 1, &one, 0, NULL) != PEN_OK);
                }
                pen_status all = pen_peers_end(&p, mine, NULL);
                if (comm->size == 1 && way != FAILS && way != NO_RANK && way != LATE_START) continue;
                CHECK_STATUS(all, way == FAILS ? PEN_ERR_MEMORY : PEN_ERR_INTERNAL);
                char text[64];
                snprintf(text, sizeof text, "rank %d fails at %d", odd, when);
                const char *refused = way == LATE_START ? "begins at 1, must be 0" : "ranks must ascend";
                const char *expected = way == NO_RANK || way == LATE_START ? refused : "different calls";
                CHECK_CONTAINS(pen_error_message(), way == FAILS ? text : expected);
            }
}

/* Memory that one rank does not get. */
static void test_memory(void)
{
    for (int odd = 0; odd < comm->size; odd++)
        for (int nth = 1; nth < 6; nth++) {
            pen_mpi_peers p;
            CHECK_STATUS(pen_peers_begin(comm, &p), PEN_OK);
            double many[50] = { 0.0 };
            pen_alloc_countdown = comm->rank == odd ? nth : 0;
            pen_status mine = p.peers.reduce(&p.peers, 50, many, 0, NULL);
            int neighbor = comm->rank ^ 1;
            int64_t offsets[2] = { 0, sizeof many };
            const pen_parcels send = { neighbor < comm->size, &neighbor, offsets, many };
            const pen_blocks *received;
            if (mine == PEN_OK) mine = p.peers.exchange(&p.peers, true, &send, &received);
            if (mine == PEN_OK) mine = p.peers.reduce(&p.peers, 1, many, 0, NULL);
            bool untouched = pen_alloc_countdown > 0;
            pen_alloc_countdown = 0;
            pen_status all = pen_peers_end(&p, mine, NULL);
            int64_t spared = comm->rank == odd && untouched;
            MPI_Allreduce(MPI_IN_PLACE, &spared, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
            CHECK_STATUS(all, spared ? PEN_OK : PEN_ERR_MEMORY);
        }
}

CHECKS()
{
    CHECK_STATUS(pen_comm_create(MPI_COMM_WORLD, &comm), PEN_OK);
    RUN(test_reduce());
    RUN(test_exchange(false));
    RUN(test_exchange(true));
    RUN(test_disagreement());
    RUN(test_memory());
    pen_comm_destroy(&comm);
}
