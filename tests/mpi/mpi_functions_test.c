/* mpi_functions_test - the MPI functions that the library calls, each on a tiny case: what the standard says, of the
 * MPI library and of the one in one process (support/one_process).
 * pen_mpi_test() */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static int rank, size, left, right;

static void try_environment(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0, flag = 0;
    CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS && length > 0);
    CHECK(MPI_Get_processor_name(text, &length) == MPI_SUCCESS && length > 0);
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag);
    CHECK(MPI_Query_thread(&flag) == MPI_SUCCESS);
    CHECK(MPI_Error_string(MPI_ERR_OTHER, text, &length) == MPI_SUCCESS && length > 0);
    CHECK(MPI_Wtime() <= MPI_Wtime());
}

/* ---- Communicators ----------------------------------------------------------------------------------- */

static void try_communicators(void)
{
    MPI_Comm copy, part, host;
    int result, its_rank, its_size;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
    CHECK_INT(result, MPI_CONGRUENT);
    MPI_Comm_compare(copy, copy, &result);
    CHECK_INT(result, MPI_IDENT);
    CHECK(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    MPI_Comm_split(copy, rank % 2, -rank, &part); /* in descending order */
    MPI_Comm_size(part, &its_size);
    MPI_Comm_rank(part, &its_rank);
    CHECK_INT(its_size, (size + 1 - rank % 2) / 2);
    CHECK_INT(its_rank, (size - 1 - rank) / 2);
    MPI_Comm_compare(part, MPI_COMM_WORLD, &result);
    CHECK(size == 1 || result == MPI_UNEQUAL);
    MPI_Comm_free(&part);
    CHECK(part == MPI_COMM_NULL);
    MPI_Comm_split(copy, rank == 0 ? MPI_UNDEFINED : 1, 0, &part);
    CHECK((part == MPI_COMM_NULL) == (rank == 0));
    if (rank > 0) MPI_Comm_free(&part);
    MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &its_size);
    CHECK(its_size >= 1 && its_size <= size);
    MPI_Comm_free(&host);
    MPI_Comm_size(MPI_COMM_SELF, &its_size);
    CHECK_INT(its_size, 1);
    MPI_Comm_free(&copy);
}

static void try_groups(void)
{
    MPI_Group all, some;
    const int ranks[] = { size - 1, 0 }, count = size > 1 ? 2 : 1;
    int translated[2];
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, count, ranks, &some);
    MPI_Group_translate_ranks(all, count, ranks, some, translated);
    for (int i = 0; i < count; i++) CHECK_INT(translated[i], i);
    if (size > 2) {
        MPI_Group_translate_ranks(all, 1, (const int[]){ 1 }, some, translated);
        CHECK_INT(translated[0], MPI_UNDEFINED);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    CHECK(all == MPI_GROUP_NULL);
}

/* ---- Collectives --------------------------------------------------------------------------------------- */

static void try_gathers(void)
{
    int mine[2] = { rank, 10 * rank }, *all = calloc((size_t)size * 2, sizeof *all);
    int *counts = calloc((size_t)size, sizeof *counts), *begins = calloc((size_t)size, sizeof *begins), n = 0;
    for (int r = 0; r < size; r++) { /* each rank has r % 3 items; a gap of one between ranks */
        counts[r] = r % 3;
        begins[r] = n;
        n += counts[r] + 1;
    }
    int *many = calloc((size_t)n, sizeof *many), few[2] = { rank + 1, rank + 2 };
    MPI_Bcast(rank == size - 1 ? few : mine, 2, MPI_INT, size - 1, MPI_COMM_WORLD);
    CHECK_INT((rank == size - 1 ? few : mine)[1], size + 1);
    mine[0] = rank;
    mine[1] = 10 * rank;
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) CHECK(all[2 * r] == r && all[2 * r + 1] == 10 * r);
    memset(all, 0, (size_t)size * 2 * sizeof *all);
    MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, size - 1, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) CHECK_INT(all[2 * r + 1], rank == size - 1 ? 10 * r : 0);
    MPI_Scatter(all, 2, MPI_INT, mine, 2, MPI_INT, size - 1, MPI_COMM_WORLD);
    CHECK(mine[0] == rank && mine[1] == 10 * rank);
    few[0] = rank + 1;
    few[1] = rank + 2;
    MPI_Gatherv(few, rank % 3, MPI_INT, many, counts, begins, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < size && rank == 0; r++)
        for (int i = 0; i < counts[r]; i++) CHECK_INT(many[begins[r] + i], r + 1 + i);
    few[0] = few[1] = -1;
    MPI_Scatterv(many, counts, begins, MPI_INT, few, rank % 3, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) CHECK_INT(few[i], i < rank % 3 ? rank + 1 + i : -1);
    memset(many, 0, (size_t)n * sizeof *many);
    for (int i = 0; i < rank % 3; i++) many[begins[rank] + i] = rank + 7 * i;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, counts, begins, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < counts[r]; i++) CHECK_INT(many[begins[r] + i], r + 7 * i);
    free(all);
    free(counts);
    free(begins);
    free(many);
}

/* The composition of x -> a x + b modulo 2^32, which does not commute. */
static void compose(void *first, void *second, int *count, MPI_Datatype *type)
{
    const uint32_t *f = first;
    uint32_t *g = second;
    for (int i = 0; i < *count; i++, f += 2, g += 2) {
        g[1] += g[0] * f[1];
        g[0] *= f[0];
    }
}

static void expect_composed(const uint32_t *found, int end)
{
    uint32_t a = 1, b = 0;
    for (int r = 0; r < end; r++) {
        b = b * (uint32_t)(2 * r + 3) + (uint32_t)r;
        a *= (uint32_t)(2 * r + 3);
    }
    CHECK_INT(found[0], a);
    CHECK_INT(found[1], b);
}

static void try_reductions(void)
{
    int64_t mine[2] = { rank + 1, -rank }, sum[2] = { 0 };
    const int64_t all = (int64_t)size * (size + 1) / 2;
    MPI_Allreduce(mine, sum, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum[0] == all && sum[1] == size - all);
    MPI_Allreduce(MPI_IN_PLACE, mine, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    CHECK(mine[0] == 1 && mine[1] == 1 - size);
    double real = 0.5 * rank, most = -1.0;
    MPI_Reduce(&real, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    CHECK(rank == 0 ? most == 0.5 * (size - 1) : most == -1.0);
    int32_t bits = 1 << rank % 8;
    MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_INT32_T, MPI_BOR, MPI_COMM_WORLD);
    CHECK_INT(bits, size < 8 ? (1 << size) - 1 : 255);
    int one = 1, up_to = 0, before = -5;
    MPI_Scan(&one, &up_to, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(up_to, rank + 1);
    MPI_Exscan(&one, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(before, rank == 0 ? -5 : rank);
    int *parts = calloc((size_t)size, sizeof *parts), part = 0;
    for (int r = 0; r < size; r++) parts[r] = r + rank;
    MPI_Reduce_scatter_block(parts, &part, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(part, size * rank + size * (size - 1) / 2);
    free(parts);

    MPI_Datatype pair;
    MPI_Op op;
    uint32_t function[2] = { (uint32_t)(2 * rank + 3), (uint32_t)rank }, composed[2] = { 0 };
    int bytes = 0;
    MPI_Type_contiguous(2, MPI_INT32_T, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_size(pair, &bytes);
    CHECK_INT(bytes, 8);
    MPI_Op_create(compose, 0, &op);
    MPI_Allreduce(function, composed, 1, pair, op, MPI_COMM_WORLD);
    expect_composed(composed, size);
    MPI_Scan(function, composed, 1, pair, op, MPI_COMM_WORLD);
    expect_composed(composed, rank + 1);
    uint32_t two[4] = { 3, 1, 5, 2 };
    MPI_Reduce_local(two, two + 2, 1, pair, op); /* 5 (3 x + 1) + 2 */
    CHECK(two[2] == 15 && two[3] == 7);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
}

/* ---- Messages ------------------------------------------------------------------------------------------- */

static void try_messages(void)
{
    int sent[2] = { rank, 1 }, got[3] = { -1, -1, -1 }, count = 0, flag = 0;
    MPI_Status status;
    MPI_Request requests[4];
    MPI_Sendrecv(sent, 2, MPI_INT, right, 3, got, 3, MPI_INT, left, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(got[0] == left && got[1] == 1 && got[2] == -1 && count == 2);
    CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 3);

    /* The first of two messages with a tag is received first; the order of tags is the receiver's. */
    int numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = 10 * rank + i;
        MPI_Isend(&numbers[i], 1, MPI_INT, right, i / 2, MPI_COMM_WORLD, &requests[i]);
    }
    for (int k = 0; k < 4; k++) {
        MPI_Recv(got, 3, MPI_INT, left, k < 2, MPI_COMM_WORLD, &status);
        CHECK_INT(got[0], 10 * left + (k < 2 ? 2 + k : k - 2));
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    /* Probes. */
    int found = 0, value = 7 * rank;
    MPI_Message message;
    MPI_Issend(&value, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[0]);
    while (!found) MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, &message, &status);
    CHECK_INT(status.MPI_SOURCE, left);
    MPI_Mrecv(got, 3, MPI_INT, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && got[0] == 7 * left);
    while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Isend(&value, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    CHECK_INT(status.MPI_TAG, 6);
    MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);

    /* The message of a receive that was started before is not for probes. */
    MPI_Irecv(got, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[1]);
    for (flag = 0; !flag;) {
        MPI_Iprobe(left, 8, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        CHECK(!found);
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

    /* Any source: one message of each. */
    int seen = 0;
    MPI_Request *all = calloc((size_t)size, sizeof(MPI_Request));
    for (int r = 0; r < size; r++) MPI_Isend(&rank, 1, MPI_INT, r, 9, MPI_COMM_WORLD, &all[r]);
    for (int r = 0; r < size; r++) {
        MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
        CHECK_INT(got[0], status.MPI_SOURCE);
        seen |= 1 << got[0];
    }
    CHECK_INT(seen, (1 << size) - 1);
    for (flag = 0; !flag;) MPI_Testall(size, all, &flag, MPI_STATUSES_IGNORE);
    free(all);

    /* Persistent ones, and a barrier that is begun. */
    MPI_Send_init(&value, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(got, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        value = rank + 100 * i;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK_INT(got[0], left + 100 * i);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void try_neighbors(void)
{
    if (size < 3) return; /* left and right differ */
    const int neighbors[] = { left, right }, counts[] = { 1, 2 }, its_counts[] = { 2, 1 };
    int sent[3] = { rank, 10 * rank, 20 * rank }, got[3] = { -1, -1, -1 };
    MPI_Aint begins[2], its_begins[2];
    const MPI_Datatype types[] = { MPI_INT, MPI_INT };
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbors, its_counts, 2, neighbors, counts, MPI_INFO_NULL, 0,
                                   &graph);
    for (int i = 0; i < 2; i++) {
        MPI_Get_address(&sent[i], &begins[i]);
        MPI_Get_address(&got[2 * i], &its_begins[i]);
    }
    MPI_Neighbor_alltoallw(MPI_BOTTOM, counts, begins, types, MPI_BOTTOM, its_counts, its_begins, types, graph);
    CHECK(got[0] == 10 * left && got[1] == 20 * left && got[2] == right);
    MPI_Comm_free(&graph);
}

/* ---- Windows ----------------------------------------------------------------------------------------------- */

static void try_windows(void)
{
    enum { COUNT = 40 };
    MPI_Win window;
    MPI_Group all, group;
    int *base = NULL, got[COUNT], found = 0, *model;
    MPI_Win_allocate(COUNT * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    CHECK(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &found);
    CHECK(found && (*model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE));
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < COUNT; i++) base[i] = 1000 * rank + 100 * step + i;
        MPI_Win_fence(step == 0 ? MPI_MODE_NOPRECEDE : 0, window);
        MPI_Get(got, COUNT - 3, MPI_INT, right, 3, COUNT - 3, MPI_INT, window);
        MPI_Win_fence(step == 2 ? MPI_MODE_NOSUCCEED : 0, window);
        for (int i = 0; i < COUNT - 3; i++) CHECK_INT(got[i], 1000 * right + 100 * step + i + 3);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < COUNT; i++) base[i] = 2000 * rank + 100 * step + i;
        MPI_Group_incl(all, 1, &left, &group);
        MPI_Win_post(group, 0, window);
        MPI_Group_free(&group);
        MPI_Group_incl(all, 1, &right, &group);
        MPI_Win_start(group, 0, window);
        MPI_Group_free(&group);
        MPI_Get(got, COUNT, MPI_INT, right, 0, COUNT, MPI_INT, window);
        MPI_Win_complete(window);
        for (int i = 0; i < COUNT; i++) CHECK_INT(got[i], 2000 * right + 100 * step + i);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&all);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < COUNT; i++) base[i] = 3000 * rank + i;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    MPI_Get(got, COUNT, MPI_INT, right, 0, COUNT, MPI_INT, window);
    MPI_Win_flush_all(window);
    for (int i = 0; i < COUNT; i++) CHECK_INT(got[i], 3000 * right + i);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    CHECK(window == MPI_WIN_NULL);

    MPI_Comm host;
    MPI_Info info;
    MPI_Aint bytes;
    int its_size, its_rank, unit, *its;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &its_size);
    MPI_Comm_rank(host, &its_rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared((MPI_Aint)sizeof(int) * (its_rank + 1), sizeof(int), info, host, &base, &window);
    MPI_Info_free(&info);
    MPI_Win_fence(0, window);
    base[its_rank] = 5 * its_rank;
    MPI_Win_fence(0, window);
    const int next = (its_rank + 1) % its_size;
    MPI_Win_shared_query(window, next, &bytes, &unit, &its);
    CHECK(unit == sizeof(int) && bytes >= (MPI_Aint)sizeof(int) * (next + 1));
    CHECK_INT(its[next], 5 * next);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&host);
}

CHECKS()
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    RUN(try_environment());
    RUN(try_communicators());
    RUN(try_groups());
    RUN(try_gathers());
    RUN(try_reductions());
    RUN(try_messages());
    RUN(try_neighbors());
    RUN(try_windows());
}
