/* sparse_test.c - sparse exchange, through shared memory and on routes, against contents that the
 * receiver can recompute: byte k of what `from` sends `to` in a round is a function of all four.
 * pen_mpi_test() */
#include "base/hash.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "tests/support/check.h"

static pen_comm *comm;

enum { MOST = 4096 }; /* ranks */

/* 0 where `from` sends nothing to `to` in that round, else a length; now and then an empty block. */
static int64_t planned(uint64_t round, int from, int to, int64_t longest, bool *present)
{
    uint64_t hash = pen_mix(round * 4096 + (uint64_t)from * 64 + (uint64_t)to);
    *present = hash % 3 != 0;
    return *present && hash % 7 != 0 ? (int64_t)(pen_mix(hash) % (uint64_t)longest) + 1 : 0;
}

static unsigned char content(uint64_t round, int from, int to, int64_t k)
{
    return (unsigned char)(pen_mix(round + (uint64_t)(from * 64 + to)) + (uint64_t)k * 31 + (uint64_t)(k >> 8));
}

static pen_blocks build(uint64_t round, int64_t longest)
{
    pen_blocks send = { 0 };
    int64_t bytes = 0;
    CHECK_STATUS(PEN_ALLOC(&send.ranks, comm->size), PEN_OK);
    CHECK_STATUS(PEN_ALLOC_ZERO(&send.offsets, comm->size + 1), PEN_OK);
    for (int to = 0; to < comm->size; to++) {
        bool present;
        int64_t length = planned(round, comm->rank, to, longest, &present);
        if (!present) continue;
        bytes += length;
        send.ranks[send.count++] = to;
        send.offsets[send.count] = bytes;
    }
    CHECK_STATUS(PEN_ALLOC(&send.data, bytes), PEN_OK);
    for (int i = 0; i < send.count; i++)
        for (int64_t k = send.offsets[i]; k < send.offsets[i + 1]; k++)
            send.data[k] = content(round, comm->rank, send.ranks[i], k - send.offsets[i]);
    return send;
}

static void check_received(uint64_t round, int64_t longest, const pen_blocks *received)
{
    int i = 0;
    for (int from = 0; from < comm->size; from++) {
        bool present;
        int64_t length = planned(round, from, comm->rank, longest, &present);
        if (length == 0) continue;
        CHECK(i < received->count);
        if (i >= received->count) return;
        CHECK_INT(received->ranks[i], from);
        CHECK_INT(received->offsets[i + 1] - received->offsets[i], length);
        for (int64_t k = 0; k < length && check_failures == 0; k++)
            CHECK_INT(received->data[received->offsets[i] + k], content(round, from, comm->rank, k));
        i++;
    }
    CHECK_INT(received->count, i);
}

static void exchange_rounds(uint64_t first, int rounds, int64_t longest)
{
    for (uint64_t round = first; round < first + (uint64_t)rounds; round++) {
        check_with("round %" PRIu64, round);
        pen_blocks send = build(round, longest), received;
        CHECK_STATUS(pen_sparse_exchange(comm, PEN_OK, &send, &received), PEN_OK);
        check_received(round, longest, &received);
        pen_blocks_free(&send);
        pen_blocks_free(&received);
        CHECK(received.data == NULL && received.count == 0);
    }
}

/* Memory of an exchange serves the next one, and is freed if one fails. */
static void kept_memory(void)
{
    pen_blocks send = build(5000, 300000), few = build(5001, 40), received = { 0 };
    int64_t room = 0;
    CHECK_STATUS(pen_sparse_exchange_into(comm, PEN_OK, &send, &received, &room), PEN_OK);
    check_received(5000, 300000, &received);
    const unsigned char *data = received.data;
    const int64_t before = room;
    CHECK_STATUS(pen_sparse_exchange_into(comm, PEN_OK, &few, &received, &room), PEN_OK);
    check_received(5001, 40, &received);
    CHECK(received.data == data && room == before);
    const pen_status mine = comm->rank == 0 ? pen_fail(PEN_ERR_INPUT, "no blocks") : PEN_OK;
    CHECK_STATUS(pen_sparse_exchange_into(comm, mine, &few, &received, &room), PEN_ERR_INPUT);
    CHECK(received.data == NULL && received.count == 0 && room == 0);
    pen_blocks_free(&send);
    pen_blocks_free(&few);
}

/* One rank fails before the exchange; every rank gets its status and sentence, and the next works. */
static void failing_rank(void)
{
    for (int bad = 0; bad < comm->size; bad++) {
        pen_blocks send = build(1, 100), received = { .count = 5 };
        pen_status mine = comm->rank == bad ? pen_fail(PEN_ERR_INPUT, "rank %d has no blocks", bad) : PEN_OK;
        CHECK_STATUS(pen_sparse_exchange(comm, mine, mine == PEN_OK ? &send : NULL, &received), PEN_ERR_INPUT);
        char expected[64];
        snprintf(expected, sizeof expected, "rank %d has no blocks", bad);
        CHECK_CONTAINS(pen_error_message(), expected);
        CHECK(received.count == 0 && received.ranks == NULL && received.data == NULL);
        pen_blocks_free(&send);
        exchange_rounds(50, 1, 100);
    }
    /* A block for a rank that does not exist is found before anything is sent. */
    int nobody = comm->size;
    int64_t offsets[2] = { 0, 1 };
    unsigned char byte = 0;
    pen_blocks wrong = { 1, &nobody, offsets, &byte }, none = { 0 }, received;
    CHECK_STATUS(pen_sparse_exchange(comm, PEN_OK, comm->rank == comm->size - 1 ? &wrong : &none, &received),
                 PEN_ERR_INTERNAL);
}

/* The last rank runs out of memory, at each allocation in turn, while rank 0 sends to it: the same status everywhere,
 * and the next exchange is as usual. */
static void exhausted_rank(void)
{
    enum { BYTES = 100 << 10 };
    int last = comm->size - 1, failed = 0;
    int64_t offsets[2] = { 0, BYTES };
    pen_blocks send = { 0 };
    if (comm->rank == 0) {
        send = (pen_blocks){ 1, &last, offsets, NULL };
        CHECK_STATUS(PEN_ALLOC_ZERO(&send.data, BYTES), PEN_OK);
    }
    for (int64_t point = 1, left = 0; left == 0; point++) {
        pen_blocks received;
        if (comm->rank == last) pen_alloc_countdown = point;
        pen_status status = pen_sparse_exchange(comm, PEN_OK, &send, &received);
        left = pen_alloc_countdown;
        pen_alloc_countdown = 0;
        MPI_Bcast(&left, 1, MPI_INT64_T, last, comm->mpi);
        CHECK_STATUS(status, left ? PEN_OK : PEN_ERR_MEMORY);
        if (status == PEN_OK) pen_blocks_free(&received);
        if (status != PEN_OK) CHECK_CONTAINS(pen_error_message(), "out of memory");
        failed += status != PEN_OK;
    }
    CHECK(failed >= 2);
    free(send.data);
    exchange_rounds(60, 2, 100);
}

/* Records return, through two exchanges, to the place given by `order`. */
static void round_trip(int64_t count)
{
    int *to = NULL;
    int64_t *records = NULL, *order = NULL;
    CHECK_STATUS(PEN_ALLOC(&to, count), PEN_OK);
    CHECK_STATUS(PEN_ALLOC(&records, count), PEN_OK);
    CHECK_STATUS(PEN_ALLOC(&order, count), PEN_OK);
    for (int64_t i = 0; i < count; i++) {
        to[i] = (int)(pen_mix((uint64_t)(i * MOST + comm->rank)) % (uint64_t)comm->size);
        records[i] = i * MOST + comm->rank;
    }
    pen_blocks ask, asked, answer;
    pen_status status = pen_blocks_group(count, to, records, sizeof *records, &ask, order);
    CHECK_STATUS(pen_sparse_exchange(comm, status, &ask, &asked), PEN_OK);
    for (int i = 0; i < asked.count; i++)
        for (int64_t k = asked.offsets[i]; k < asked.offsets[i + 1]; k += 8) {
            int64_t value;
            memcpy(&value, asked.data + k, 8);
            CHECK_INT(value % MOST, asked.ranks[i]);
            value = -value - comm->rank * INT64_C(1000000);
            memcpy(asked.data + k, &value, 8);
        }
    CHECK_STATUS(pen_sparse_exchange(comm, PEN_OK, &asked, &answer), PEN_OK);
    for (int64_t i = 0; i < count; i++) {
        int64_t value;
        memcpy(&value, answer.data + order[i] * 8, 8);
        CHECK_INT(value, -records[i] - to[i] * INT64_C(1000000));
    }
    pen_blocks_free(&ask);
    pen_blocks_free(&asked);
    pen_blocks_free(&answer);
    free(to);
    free(records);
    free(order);
}

/* Each rank asks some others, also itself; a reply is longer or shorter than its request, and names both. If point is
 * not 0, the last rank runs out of memory at that allocation. Returns whether it did. */
static bool inquire(uint64_t round, int64_t longest, int64_t point)
{
    pen_blocks questions = build(round, longest);
    int n = 0;
    for (int i = 0; i < questions.count; i++) /* without the empty blocks */
        if (questions.offsets[i + 1] > questions.offsets[i]) {
            questions.ranks[n] = questions.ranks[i];
            questions.offsets[n++] = questions.offsets[i];
        }
    questions.offsets[n] = questions.offsets[questions.count];
    questions.count = n;
    int64_t *lengths = NULL, left = 0;
    CHECK_STATUS(PEN_ALLOC(&lengths, n), PEN_OK);
    for (int i = 0; i < n; i++) lengths[i] = (questions.offsets[i + 1] - questions.offsets[i]) * (1 + i % 3) / 2 + 2;
    pen_inquiry inquiry;
    if (comm->rank == comm->size - 1) pen_alloc_countdown = point;
    pen_status status = pen_sparse_request(comm, PEN_OK, &questions, lengths, &inquiry);
    if (comm->rank == comm->size - 1) left = pen_alloc_countdown;
    pen_alloc_countdown = 0;
    MPI_Bcast(&left, 1, MPI_INT64_T, comm->size - 1, comm->mpi);
    bool failed = point > 0 && left == 0;
    CHECK_STATUS(status, failed ? PEN_ERR_MEMORY : PEN_OK);
    if (status == PEN_OK) {
        CHECK_INT(inquiry.received.count, inquiry.outgoing.count);
        for (int b = 0; b < inquiry.outgoing.count; b++) {
            CHECK_INT(inquiry.received.ranks[b], inquiry.outgoing.ranks[b]);
            unsigned char mark = (unsigned char)(comm->rank * 7 + inquiry.outgoing.ranks[b]);
            for (int64_t k = inquiry.outgoing.offsets[b]; k < inquiry.outgoing.offsets[b + 1]; k++)
                inquiry.outgoing.data[k] = (unsigned char)(mark + k - inquiry.outgoing.offsets[b]);
        }
        CHECK_STATUS(pen_sparse_reply(comm, &inquiry), PEN_OK);
        CHECK_INT(inquiry.replies.count, n);
        for (int b = 0; b < n; b++) {
            CHECK_INT(inquiry.replies.ranks[b], questions.ranks[b]);
            CHECK_INT(inquiry.replies.offsets[b + 1] - inquiry.replies.offsets[b], lengths[b]);
            unsigned char mark = (unsigned char)(inquiry.replies.ranks[b] * 7 + comm->rank);
            int64_t wrong = 0;
            for (int64_t k = 0; k < lengths[b]; k++)
                wrong += inquiry.replies.data[inquiry.replies.offsets[b] + k] != (unsigned char)(mark + k);
            CHECK_INT(wrong, 0);
        }
    }
    pen_inquiry_free(&inquiry);
    pen_blocks_free(&questions);
    free(lengths);
    return failed;
}

static void inquiries(void)
{
    for (uint64_t round = 9000; round < 9300; round++) (void)inquire(round, 40, 0);
    for (uint64_t round = 9300; round < 9303; round++) (void)inquire(round, 300000, 0);
    int failed = 0;
    for (int64_t point = 1; inquire(9301, 300000, point); point++) failed++;
    CHECK(failed >= 4);
    (void)inquire(9303, 100, 0);
    /* An empty question. */
    int to = 0;
    int64_t offsets[2] = { 0, 0 }, length = 5;
    pen_blocks none = { 0 }, empty = { 1, &to, offsets, NULL };
    pen_inquiry inquiry;
    CHECK_STATUS(pen_sparse_request(comm, PEN_OK, comm->rank == comm->size - 1 ? &empty : &none, &length, &inquiry),
                 PEN_ERR_INTERNAL);
    pen_inquiry_free(&inquiry);
}

/* Grouping alone, with ranks of one, two and three digits of its radix sort, and odd record sizes. */
static void grouping(int ranks)
{
    enum { COUNT = 500, SIZE = 5 };
    int to[COUNT];
    unsigned char records[COUNT][SIZE];
    int64_t order[COUNT];
    for (int i = 0; i < COUNT; i++) {
        to[i] = (int)(pen_mix((uint64_t)i % 300) % (uint64_t)ranks);
        memset(records[i], i % 251, SIZE);
    }
    to[0] = ranks - 1;
    pen_blocks blocks;
    CHECK_STATUS(pen_blocks_group(COUNT, to, records, SIZE, &blocks, order), PEN_OK);
    CHECK_INT(blocks.offsets[0], 0);
    CHECK_INT(blocks.offsets[blocks.count], COUNT * SIZE);
    for (int b = 0; b < blocks.count; b++) {
        CHECK(b == 0 || blocks.ranks[b] > blocks.ranks[b - 1]);
        CHECK(blocks.offsets[b + 1] > blocks.offsets[b]);
        int64_t position = blocks.offsets[b] / SIZE;
        for (int i = 0; i < COUNT; i++)
            if (to[i] == blocks.ranks[b]) {
                CHECK_INT(order[i], position);
                CHECK(memcmp(blocks.data + position * SIZE, records[i], SIZE) == 0);
                position++;
            }
        CHECK_INT(position * SIZE, blocks.offsets[b + 1]);
    }
    pen_blocks_free(&blocks);
    to[COUNT / 2] = -1;
    CHECK_STATUS(pen_blocks_group(COUNT, to, records, SIZE, &blocks, order), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_blocks_group(0, NULL, NULL, SIZE, &blocks, NULL), PEN_OK);
    CHECK_INT(blocks.count, 0);
    pen_blocks_free(&blocks);
}

/* More ranks than a rank can be pointed to in a round, or than have arrays on the stack; routes of several stages. */
static void many_ranks(void)
{
    exchange_rounds(0, 4, 40);
    exchange_rounds(4000, 2, 1500); /* some are too long for routes */
    exchange_rounds(5000, 1, 9000);
    for (uint64_t round = 9000; round < 9003; round++) (void)inquire(round, 40, 0);
    (void)inquire(9303, 1500, 0);
    round_trip(2000);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK_STATUS(pen_comm_create(MPI_COMM_WORLD, &comm), PEN_OK);
    RUN(grouping(1));
    RUN(grouping(5));
    RUN(grouping(100000));
    RUN(grouping(INT32_MAX));
    if (comm->size > 16) {
        RUN(many_ranks());
        pen_comm_destroy(&comm);
        return check_finish();
    }
    int64_t usual = pen_sparse_message_bytes;
    static const int radixes[] = { 0, 2, 3, 64 };
    for (int way = 0; way < 4; way++) {
        pen_short_radix = radixes[way];
        RUN(exchange_rounds(0, comm->size < 8 ? 2000 : 40, 40));
        exchange_rounds(4000, 200, 9000); /* some come with their lengths, some do not */
        exchange_rounds(5000, 3, 300000); /* beyond the reserve */
        pen_sparse_message_bytes = 1;     /* one message per byte */
        RUN(exchange_rounds(6000, 5, 500));
        pen_sparse_message_bytes = 4096;
        RUN(exchange_rounds(7000, 3, 300000));
        pen_sparse_message_bytes = usual;
        RUN(kept_memory());
        RUN(failing_rank());
        RUN(exhausted_rank());
        RUN(round_trip(0));
        RUN(round_trip(1));
        RUN(round_trip(20000));
        RUN(inquiries());
    }
    pen_comm_destroy(&comm);
    return check_finish();
}
