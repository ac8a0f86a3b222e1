/* peers.c - the ranks of a communicator, as algorithms see them. */
#include "view/peers.h"
#include "base/memory.h"

#include <stdlib.h>
#include <time.h>

pen_status pen_grouped_make(pen_grouped *grouped, int64_t count, const int *to, const void *records, size_t size,
                            int64_t *order, const pen_parcels **parcels)
{
    pen_blocks_free(&grouped->blocks);
    PEN_ARGUMENT(count >= 0 && size > 0, "%" PRId64 " records of %zu bytes cannot be grouped", count, size);
    PEN_TRY(pen_blocks_group(count, to, records, size, &grouped->blocks, order));
    grouped->parcels = pen_blocks_parcels(&grouped->blocks);
    *parcels = &grouped->parcels;
    return PEN_OK;
}

int pen_neighbor_ranks(const pen_load_view *view, int *ranks)
{
    int count = 0;
    for (pen_lid i = 0; i < view->shadows; i++) ranks[i] = view->owners[i];
    if (view->shadows > 0) qsort(ranks, (size_t)view->shadows, sizeof *ranks, pen_by_int32);
    for (pen_lid i = 0; i < view->shadows; i++)
        if (i == 0 || ranks[i] != ranks[count - 1]) ranks[count++] = ranks[i];
    return count;
}

enum { TAG_TREE = 61, TAG_BLOCK = 62 };

pen_status pen_peers_check_blocks(const pen_peers *peers, const pen_parcels *send)
{
    if (send->count > 0 && send->offsets[0] != 0)
        return pen_fail(PEN_ERR_INTERNAL, "the first block begins at %" PRId64 ", must be 0", send->offsets[0]);
    for (int i = 0; i < send->count; i++) {
        int rank = send->ranks[i], before = i > 0 ? send->ranks[i - 1] : -1;
        if (rank <= before || rank >= peers->size || send->offsets[i + 1] < send->offsets[i])
            return pen_fail(PEN_ERR_INTERNAL,
                            "blocks to ranks %d and %d of %d: ranks must ascend, and lengths be no less than 0", before,
                            rank, peers->size);
    }
    return PEN_OK;
}

/* The largest numbers of sums and of maxima: both numbers are sent in one word. */
enum { MOST_VALUES = 1 << 26 };

pen_status pen_peers_check_counts(int sums, int maxima)
{
    if (sums >= 0 && sums <= MOST_VALUES && maxima >= 0 && maxima <= MOST_VALUES) return PEN_OK;
    return pen_fail(PEN_ERR_ARGUMENT, "a reduction of %d sums and %d maxima, each must be 0..%d", sums, maxima,
                    MOST_VALUES);
}

/* The call that a rank makes. The words of a reduction begin with the lowest and the highest call of the ranks; equal
 * calls have equal numbers of words. */
enum { CALL_END, CALL_BROKEN, CALL_EXCHANGE, CALL_MUTUAL, CALL_REDUCE };
enum { LOWEST, HIGHEST, HEAD };

/* Initial room, in words. Reductions of the run itself (steer), which no agreement on failures follows, never need
 * more. */
enum { FIRST_ROOM = 64 };

static pen_mpi_peers *of(pen_peers *peers) { return (pen_mpi_peers *)(void *)peers; }

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The reduction -------------------------------------------------------------------------- */

/* The words compare exactly, since they are small integers. */
static bool agreed(const double *words) { return words[LOWEST] == words[HIGHEST]; }

/* Receive a message that cannot be stored, and keep only its first bytes. It must be received, since MPICH ends the
 * program rather than truncate it. */
static pen_status swallow(MPI_Message *message, MPI_Datatype type, int count, int head_bytes, void *head)
{
    void *nowhere = malloc((size_t)count * sizeof(double) + 1); /* no type is wider than a double */
    if (!nowhere) pen_die("out of memory: a message of %d values", count);
    int code = PEN_MARKED(MPI_Mrecv(nowhere, count, type, message, MPI_STATUS_IGNORE));
    if (head_bytes > 0) memcpy(head, nowhere, (size_t)head_bytes);
    free(nowhere);
    return code == MPI_SUCCESS ? PEN_OK : pen_mpi_failed(code, "MPI_Mrecv");
}

/* Receive a message of the expected length, or one of a different call, of which only the head is used. */
static pen_status receive(pen_mpi_peers *p, int from, int count, double *words)
{
    MPI_Message message;
    MPI_Status found;
    int length;
    PEN_MPI(MPI_Mprobe(from, TAG_TREE, p->comm->mpi, &message, &found));
    PEN_MPI(MPI_Get_count(&found, MPI_DOUBLE, &length));
    if (length == count) {
        PEN_MPI(MPI_Mrecv(words, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
        return PEN_OK;
    }
    return swallow(&message, MPI_DOUBLE, length, HEAD * (int)sizeof *words, words);
}

/* Combine the words of another rank with this rank's. If calls differ, only the head is combined. */
static void add(double *mine, const double *theirs, int sums, int count)
{
    if (theirs[LOWEST] < mine[LOWEST]) mine[LOWEST] = theirs[LOWEST];
    if (theirs[HIGHEST] > mine[HIGHEST]) mine[HIGHEST] = theirs[HIGHEST];
    if (!agreed(mine)) return;
    for (int i = HEAD; i < HEAD + sums; i++) mine[i] += theirs[i];
    for (int i = HEAD + sums; i < count; i++)
        if (theirs[i] > mine[i]) mine[i] = theirs[i];
}

/* Reduce along a tree: rank r combines its words with those of rank r + d for d = 1, 2, 4, ... as long as r is a
 * multiple of 2d, then sends them to rank r - d. So the order of additions is fixed, whatever MPI does. The result goes
 * back along the tree. */
static pen_status tree(pen_mpi_peers *p, int sums, int count)
{
    const pen_comm *comm = p->comm;
    double *mine = p->words, *theirs = p->words + count;
    int d = 1;
    for (; d < comm->size && !(comm->rank & d); d *= 2) {
        if (comm->rank + d >= comm->size) continue;
        PEN_TRY(receive(p, comm->rank + d, count, theirs));
        add(mine, theirs, sums, count);
    }
    if (comm->rank > 0) {
        PEN_MPI(MPI_Send(mine, count, MPI_DOUBLE, comm->rank - d, TAG_TREE, comm->mpi));
        PEN_TRY(receive(p, comm->rank - d, count, mine));
    }
    while ((d /= 2) >= 1)
        if (comm->rank + d < comm->size)
            PEN_MPI(MPI_Send(mine, count, MPI_DOUBLE, comm->rank + d, TAG_TREE, comm->mpi));
    return PEN_OK;
}

/* A reduction in shared memory, in the same order as along the tree. A rank whose values do not fit contributes only
 * the head. */
typedef struct meeting_call {
    int sums, count; /* number of sums; number of all words, HEAD if only the head is reduced */
} meeting_call;

static void combine(pen_meeting *m, unsigned char *result, void *context)
{
    const meeting_call *c = (const meeting_call *)context;
    for (int d = 1; d < m->size; d *= 2)
        for (int r = 0; r + d < m->size; r += 2 * d)
            add((double *)(void *)pen_meeting_box_of(m, r), (const double *)(const void *)pen_meeting_box_of(m, r + d),
                c->sums, c->count);
    memcpy(result, pen_meeting_box_of(m, 0), (size_t)c->count * sizeof(double));
}

static pen_status meet(pen_mpi_peers *p, pen_meeting *meeting, int sums, int count)
{
    const bool fits = (size_t)count * sizeof(double) <= PEN_MEETING_BOX;
    meeting_call c = { sums, fits ? count : HEAD };
    memcpy(pen_meeting_box(meeting), p->words, (size_t)c.count * sizeof(double));
    pen_meeting_wait_and(meeting, "a balancer's reduction", combine, &c);
    double head[HEAD];
    memcpy(head, pen_meeting_result(meeting), sizeof head);
    if (agreed(head) && !fits) return tree(p, sums, count);
    memcpy(p->words, pen_meeting_result(meeting), (size_t)(agreed(head) ? c.count : HEAD) * sizeof(double));
    return PEN_OK;
}

/* Collective. Agree on the call, and reduce its values, if it has any. `local` is a failure of this rank that prevents
 * the call: then all ranks fail. */
static pen_status call(pen_mpi_peers *p, pen_status local, int kind, int sum_count, double *sums, int max_count,
                       double *maxima)
{
    if (p->broken != PEN_OK) return p->broken;
    int64_t count = HEAD + (int64_t)sum_count + max_count;
    if (local == PEN_OK && 2 * count > p->room) {
        local = PEN_REALLOC(&p->words, 2 * count);
        if (local == PEN_OK) p->room = 2 * count;
    }
    if (local != PEN_OK) {
        count = HEAD;
        sum_count = 0;
        kind = CALL_BROKEN;
    }
    p->words[LOWEST] = p->words[HIGHEST] = kind;
    if (count > HEAD) { /* different numbers of values make different calls */
        p->words[LOWEST] = p->words[HIGHEST] = kind + 8.0 * sum_count + 0x1p30 * max_count;
        if (sum_count) memcpy(p->words + HEAD, sums, (size_t)sum_count * sizeof *sums);
        if (max_count) memcpy(p->words + HEAD + sum_count, maxima, (size_t)max_count * sizeof *maxima);
    }
    pen_meeting *meeting = pen_meeting_of(p->comm);
    if (meeting) PEN_TRY(meet(p, meeting, sum_count, (int)count));
    else PEN_TRY(tree(p, sum_count, (int)count));
    if (!agreed(p->words) || local != PEN_OK) {
        p->told = local == PEN_OK;
        return p->broken = p->told ? PEN_ERR_INTERNAL : local;
    }
    if (count > HEAD) {
        if (sum_count) memcpy(sums, p->words + HEAD, (size_t)sum_count * sizeof *sums);
        if (max_count) memcpy(maxima, p->words + HEAD + sum_count, (size_t)max_count * sizeof *maxima);
    }
    return PEN_OK;
}

/* End a call of an algorithm. */
static pen_status leave(pen_mpi_peers *p, double entered, pen_status status)
{
    p->mpi_failed = p->mpi_failed || status == PEN_ERR_MPI;
    p->waited += cpu_now() - entered;
    return status;
}

static pen_status reduce(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima)
{
    pen_mpi_peers *p = of(peers);
    double entered = cpu_now();
    const pen_status local = pen_peers_check_counts(sum_count, max_count);
    p->reductions++;
    return leave(p, entered, call(p, local, CALL_REDUCE, sum_count, sums, max_count, maxima));
}

/* ---- Exchange ------------------------------------------------------------------------------- */

static pen_status check_parcels(const pen_peers *peers, bool mutual, const pen_parcels *send)
{
    int length;
    PEN_TRY(pen_peers_check_blocks(peers, send));
    for (int i = 0; mutual && i < send->count; i++)
        PEN_TRY(pen_to_int(send->offsets[i + 1] - send->offsets[i], "bytes of a block", &length));
    return PEN_OK;
}

/* A number whose sum over all ranks is 0 if every rank that gets a block also sends one, because the terms of pairs
 * cancel; otherwise it is 0 only with a probability of 2^-20. The numbers are integers, whose sums are exact. */
static double one_sidedness(const pen_peers *peers, const pen_parcels *send)
{
    double sum = 0.0;
    for (int i = 0; i < send->count; i++) {
        uint64_t me = (uint64_t)peers->rank, other = (uint64_t)send->ranks[i];
        sum += (double)(pen_mix(me << 32 | other) >> 44) - (double)(pen_mix(other << 32 | me) >> 44);
    }
    return sum;
}

/* Append room for a block of `bytes` bytes from the i-th rank. */
static pen_status append(pen_blocks *received, int i, int rank, int bytes)
{
    received->ranks[i] = rank;
    received->offsets[i + 1] = received->offsets[i] + bytes;
    return PEN_REALLOC(&received->data, received->offsets[i + 1]);
}

/* Exchange blocks, after the agreement that every rank of `send` sends a block here, too. The other ranks learn of a
 * failure of this rank at the next call. */
static pen_status exchange_mutual(pen_mpi_peers *p, const pen_parcels *send, MPI_Request *requests)
{
    MPI_Comm mpi = p->comm->mpi;
    pen_status status = PEN_OK;
    for (int i = 0; i < send->count; i++)
        PEN_MPI(MPI_Isend((const unsigned char *)send->data + send->offsets[i],
                          (int)(send->offsets[i + 1] - send->offsets[i]), MPI_BYTE, send->ranks[i], TAG_BLOCK, mpi,
                          &requests[i]));
    for (int i = 0; i < send->count; i++) {
        MPI_Message message;
        MPI_Status found;
        int bytes;
        PEN_MPI(MPI_Mprobe(send->ranks[i], TAG_BLOCK, mpi, &message, &found));
        PEN_MPI(MPI_Get_count(&found, MPI_BYTE, &bytes));
        if (status == PEN_OK) status = append(&p->received, i, send->ranks[i], bytes);
        if (status == PEN_OK)
            PEN_MPI(MPI_Mrecv(p->received.data + p->received.offsets[i], bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE));
        else PEN_TRY(swallow(&message, MPI_BYTE, bytes, 0, NULL));
    }
    PEN_MPI(MPI_Waitall(send->count, requests, MPI_STATUSES_IGNORE));
    if (status == PEN_OK) p->received.count = send->count;
    return status;
}

/* Exchange blocks by the sparse exchange. */
static pen_status exchange_sparse(pen_mpi_peers *p, const pen_parcels *send)
{
    const pen_blocks blocks = { send->count, (int *)(uintptr_t)send->ranks, (int64_t *)(uintptr_t)send->offsets,
                                (unsigned char *)(uintptr_t)send->data };
    return pen_sparse_exchange(p->comm, PEN_OK, &blocks, &p->received);
}

static pen_status exchange(pen_peers *peers, bool mutual, const pen_parcels *send, const pen_blocks **received)
{
    pen_mpi_peers *p = of(peers);
    double entered = cpu_now();
    MPI_Request *requests = NULL;
    pen_blocks_free(&p->received);
    p->exchanges++;
    double lonely = 0.0;
    pen_status status = check_parcels(peers, mutual, send);
    if (status == PEN_OK && mutual) {
        lonely = one_sidedness(peers, send);
        status = PEN_ALLOC(&requests, send->count);
        if (status == PEN_OK) status = PEN_ALLOC(&p->received.ranks, send->count);
        if (status == PEN_OK) status = PEN_ALLOC_ZERO(&p->received.offsets, send->count + 1);
    }
    status = call(p, status, mutual ? CALL_MUTUAL : CALL_EXCHANGE, mutual, &lonely, 0, NULL);
    if (status == PEN_OK && lonely != 0.0) {
        p->told = true;
        status = p->broken = PEN_ERR_INTERNAL;
    }
    if (status == PEN_OK) status = mutual ? exchange_mutual(p, send, requests) : exchange_sparse(p, send);
    free(requests);
    *received = &p->received;
    return leave(p, entered, status);
}

static pen_status group(pen_peers *peers, int64_t count, const int *to, const void *records, size_t size,
                        int64_t *order, const pen_parcels **parcels)
{
    return pen_grouped_make(&of(peers)->grouped, count, to, records, size, order, parcels);
}

/* ---- Begin and end -------------------------------------------------------------------------- */

void pen_peers_free(pen_mpi_peers *p)
{
    free(p->words);
    p->words = NULL;
    pen_blocks_free(&p->received);
    pen_blocks_free(&p->grouped.blocks);
}

pen_status pen_peers_begin(pen_comm *comm, pen_mpi_peers *p)
{
    *p = (pen_mpi_peers){ .peers = { comm->rank, comm->size, exchange, reduce, pen_fail, group, pen_neighbor_ranks },
                          .comm = comm,
                          .room = FIRST_ROOM };
    pen_status status = pen_agree(comm, PEN_ALLOC(&p->words, p->room));
    if (status != PEN_OK) pen_peers_free(p);
    else pen_error_set(""); /* the message of a failure is the algorithm's */
    p->started = cpu_now();
    return status;
}

pen_status pen_peers_status(int rank, bool mpi_failed, pen_status mine)
{
    if (mine == PEN_OK) return PEN_OK;
    const bool impossible = (mine == PEN_ERR_MPI && !mpi_failed) || mine == PEN_ERR_STOPPED;
    const char *said = pen_error_message();
    if (mine > PEN_OK || mine < PEN_ERR_STOPPED)
        return pen_fail(PEN_ERR_INTERNAL, "rank %d: it returned %d, which is not a pen_status%s%s", rank, (int)mine,
                        *said ? ": " : "", said);
    return pen_fail(impossible ? PEN_ERR_INTERNAL : mine, "rank %d: %s", rank,
                    *said ? said : "it failed without a message");
}

/* Collective. Agree on a status. If all ranks have failed, the message does not name a rank. */
static pen_status agree_on_failure(pen_comm *comm, pen_status mine)
{
    int64_t failed = 0;
    pen_status all = pen_agree(comm, mine);
    if (all == PEN_OK) return PEN_OK;
    PEN_TRY(pen_sum_int(comm, mine != PEN_OK, &failed));
    const char *sentence = strchr(pen_error_message(), ' '), *rest = sentence ? strstr(sentence, ": ") : NULL;
    return failed == comm->size && rest ? pen_fail(all, "%s", rest + 2) : all;
}

pen_status pen_peers_end(pen_mpi_peers *p, pen_status mine, pen_peers_use *use)
{
    if (use) *use = (pen_peers_use){ cpu_now() - p->started - p->waited, p->exchanges, p->reductions };
    /* A failure that another rank has caused does not count. */
    pen_status own = p->told && mine == PEN_ERR_INTERNAL ? PEN_OK
                                                         : pen_peers_status(p->peers.rank, p->mpi_failed, mine),
               broken = p->broken, end;
    do {
        p->broken = PEN_OK;
        end = call(p, PEN_OK, CALL_END, 0, NULL, 0, NULL);
        if (end == PEN_ERR_INTERNAL) broken = end;
    } while (end == PEN_ERR_INTERNAL);
    pen_peers_free(p);
    PEN_TRY(agree_on_failure(p->comm, end != PEN_OK ? end : own));
    if (broken == PEN_OK) return PEN_OK;
    return pen_fail(
        broken,
        "its ranks made different calls, one ended before the others, or blocks were called mutual that are not");
}
