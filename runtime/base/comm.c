/* comm.c - duplicates communicators, reduces over them, and agrees on failures. */
#include "base/comm.h"
#include "base/affinity.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum { MESSAGE_SIZE = 1024 };

/* Count the cores that the ranks of this host may use together: the union of their affinity masks, since a launcher may
 * have bound each of them to one core. */
static pen_status host_cores(MPI_Comm host, int *cores)
{
    unsigned char mine[PEN_AFFINITY_BYTES], all[PEN_AFFINITY_BYTES];
    pen_affinity_mine(mine);
    PEN_MPI(MPI_Allreduce(mine, all, PEN_AFFINITY_BYTES, MPI_BYTE, MPI_BOR, host));
    *cores = pen_affinity_count(all);
    return PEN_OK;
}

static pen_status number_hosts(pen_comm *comm)
{
    int first = comm->host_rank == 0;
    MPI_Comm mpi = comm->mpi;
    PEN_MPI(MPI_Scan(&first, &comm->host_number, 1, MPI_INT, MPI_SUM, mpi));
    PEN_MPI(MPI_Allreduce(&first, &comm->hosts, 1, MPI_INT, MPI_SUM, mpi));
    comm->host_number--;
    PEN_MPI(MPI_Bcast(&comm->host_number, 1, MPI_INT, 0, comm->host));
    return PEN_OK;
}

static pen_status find_host(pen_comm *comm)
{
    PEN_MPI(MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &comm->host));
    PEN_MPI(MPI_Comm_set_errhandler(comm->host, MPI_ERRORS_RETURN));
    PEN_MPI(MPI_Comm_rank(comm->host, &comm->host_rank));
    PEN_MPI(MPI_Comm_size(comm->host, &comm->host_size));
    return PEN_OK;
}

static pen_status describe(pen_comm *comm)
{
    PEN_TRY(pen_agree(comm, find_host(comm)));
    PEN_TRY(number_hosts(comm));
    int cores = 0;
    PEN_TRY(host_cores(comm->host, &cores));
    int mine[2] = { (comm->host_size < comm->size), (comm->host_size > cores) }, any[2];
    PEN_MPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm->mpi));
    comm->one_host = !any[0];
    comm->oversubscribed = any[1];
    return pen_agree(comm, pen_meeting_create(comm->host, comm->mpi, any[1], any[0], &comm->meeting));
}

pen_status pen_all_reduce(const pen_comm *comm, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op)
{
    pen_meeting *meeting = pen_meeting_of(comm);
    int item = 0;
    if (meeting) PEN_MPI(MPI_Type_size(type, &item));
    const size_t bytes = (size_t)count * (size_t)item;
    if (meeting && bytes <= PEN_MEETING_BOX)
        return pen_meeting_reduce(meeting, in == MPI_IN_PLACE ? out : in, out, bytes, count, type, op);
    if (meeting) pen_meeting_wait(meeting, "a reduction");
    PEN_MPI(MPI_Allreduce(in, out, count, type, op, comm->mpi));
    return PEN_OK;
}

pen_status pen_broadcast(const pen_comm *comm, void *bytes, int count, int root)
{
    pen_meeting *meeting = pen_meeting_of(comm);
    const bool small = meeting && count <= PEN_MEETING_BOX;
    if (small && comm->rank == root && count > 0) memcpy(pen_meeting_box(meeting), bytes, (size_t)count);
    if (meeting) pen_meeting_wait(meeting, "a broadcast");
    if (!small) PEN_MPI(MPI_Bcast(bytes, count, MPI_BYTE, root, comm->mpi));
    else if (comm->rank != root && count > 0) memcpy(bytes, pen_meeting_box_of(meeting, root), (size_t)count);
    return PEN_OK;
}

pen_status pen_barrier(const pen_comm *comm)
{
    pen_meeting *meeting = pen_meeting_of(comm);
    if (meeting) pen_meeting_wait(meeting, "a barrier");
    else PEN_MPI(MPI_Barrier(comm->mpi));
    return PEN_OK;
}

pen_status pen_mpi_ready(void)
{
    int initialized = 0, finalized = 0, level = MPI_THREAD_SINGLE, is_main = 0;
    MPI_Initialized(&initialized);
    if (!initialized)
        return pen_fail(PEN_ERR_ENVIRONMENT, "MPI is not initialised: call MPI_Init first, or use pen_main");
    MPI_Finalized(&finalized);
    if (finalized) return pen_fail(PEN_ERR_ENVIRONMENT, "MPI is finalised: nothing can be done after MPI_Finalize");
    PEN_MPI(MPI_Query_thread(&level));
    PEN_MPI(MPI_Is_thread_main(&is_main));
    if (level < MPI_THREAD_SERIALIZED && !is_main)
        return pen_fail(
            PEN_ERR_ENVIRONMENT,
            "called from a thread that did not initialise MPI: this needs MPI_Init_thread with MPI_THREAD_SERIALIZED");
    PEN_ARGUMENT(
        !pen_inside,
        "called inside a node function (of %s), where the ranks do not call it together: call it between steps",
        pen_inside);
    return PEN_OK;
}

void pen_mpi_require(const char *call)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) pen_die("%s after MPI_Finalize: call it before", call);
    if (pen_inside) pen_die("%s inside a node function (of %s)", call, pen_inside);
}

/* Collective. The agreement uses `parent`, since there is no duplicate yet. A duplicate that only some ranks have
 * cannot be freed. */
static pen_status duplicate(MPI_Comm parent, pen_comm *c)
{
    MPI_Comm copy = MPI_COMM_NULL;
    int code = PEN_MARKED(MPI_Comm_dup(parent, &copy)), failed = code != MPI_SUCCESS, any = 0;
    PEN_MPI(MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, parent));
    if (failed) return pen_fail_mpi(code, "MPI_Comm_dup");
    if (any) return pen_fail(PEN_ERR_MPI, "MPI_Comm_dup failed on another rank");
    c->mpi = copy;
    PEN_MPI(MPI_Comm_set_errhandler(c->mpi, MPI_ERRORS_RETURN));
    PEN_MPI(MPI_Comm_rank(c->mpi, &c->rank));
    PEN_MPI(MPI_Comm_size(c->mpi, &c->size));
    return PEN_OK;
}

pen_status pen_comm_create(MPI_Comm parent, pen_comm **comm)
{
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(parent != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
    pen_comm *c;
    pen_status status = PEN_ALLOC_ZERO(&c, 1);
    int failed = status != PEN_OK, any = 0;
    PEN_MPI(MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, parent));
    if (any) {
        free(c);
        return pen_fail(PEN_ERR_MEMORY, "out of memory for a communicator");
    }
    c->mpi = c->host = MPI_COMM_NULL;
    status = duplicate(parent, c);
    if (status == PEN_OK) status = describe(c);
    if (status != PEN_OK) {
        pen_comm_destroy(&c);
        return status;
    }
    *comm = c;
    return PEN_OK;
}

void pen_comm_destroy(pen_comm **comm)
{
    if (!comm || !*comm) return;
    pen_meeting_destroy(&(*comm)->meeting);
    if ((*comm)->host != MPI_COMM_NULL) MPI_Comm_free(&(*comm)->host);
    if ((*comm)->mpi != MPI_COMM_NULL) MPI_Comm_free(&(*comm)->mpi);
    free(*comm);
    *comm = NULL;
}

/* Collective. Give the failure of that rank to all ranks. */
static pen_status take_failure(pen_comm *comm, pen_status mine, int failing)
{
    struct {
        int status;
        char message[MESSAGE_SIZE];
    } news = { (int)mine, "" };
    if (comm->rank == failing) snprintf(news.message, sizeof news.message, "%s", pen_error_message());
    PEN_TRY(pen_broadcast(comm, &news, (int)sizeof news, failing));
    pen_error_set(news.message);
    return (pen_status)news.status;
}

pen_status pen_agree(pen_comm *comm, pen_status mine)
{
    /* The lowest failing rank, or the number of ranks if no rank fails. */
    int failing = mine == PEN_OK ? comm->size : comm->rank, lowest;
    PEN_TRY(pen_all_reduce(comm, &failing, &lowest, 1, MPI_INT, MPI_MIN));
    return lowest == comm->size ? PEN_OK : take_failure(comm, mine, lowest);
}

static int64_t hash_argument(const pen_argument *a)
{
    return a->text ? (int64_t)pen_hash_bytes(a->text, strlen(a->text)) : a->number;
}

/* Collective. Report which argument differs between ranks. Of several ranks with another text, only the lowest is
 * named. */
static pen_status name_unequal(pen_comm *comm, const pen_argument *a)
{
    int64_t hash = hash_argument(a), mine[2] = { hash, ~hash }, most[2];
    PEN_TRY(pen_all_reduce(comm, mine, most, 2, MPI_INT64_T, MPI_MAX));
    if (most[0] == ~most[1]) return PEN_OK;
    int texts = a->text != NULL, any = 0;
    PEN_TRY(pen_all_reduce(comm, &texts, &any, 1, MPI_INT, MPI_MAX));
    PEN_ARGUMENT(any, "unequal on the ranks of a collective call: %s, from %" PRId64 " to %" PRId64, a->name, ~most[1],
                 most[0]);
    return pen_agree(comm,
                     pen_fail(PEN_ERR_ARGUMENT, "unequal on the ranks of a collective call: %s, \"%s\" on rank %d",
                              a->name, a->text ? a->text : "(NULL)", comm->rank));
}

enum { MOST_WORDS = 8 };

pen_status pen_agree_with(pen_comm *comm, pen_status mine, const pen_argument *arguments, int count, int64_t *words,
                          int more)
{
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) hash = pen_mix(hash ^ (uint64_t)hash_argument(&arguments[i]));
    /* The maximum of the complement is the complement of the minimum. */
    int64_t said[3 + MOST_WORDS] = { mine == PEN_OK ? 0 : comm->size - comm->rank, (int64_t)hash, ~(int64_t)hash };
    int64_t most[3 + MOST_WORDS];
    PEN_INVARIANT(more <= MOST_WORDS);
    for (int i = 0; i < more; i++) said[3 + i] = comm->rank == 0 ? words[i] : INT64_MIN;
    PEN_TRY(pen_all_reduce(comm, said, most, 3 + more, MPI_INT64_T, MPI_MAX));
    if (most[0] > 0) return take_failure(comm, mine, (int)(comm->size - most[0]));
    if (most[1] != ~most[2])
        for (int i = 0; i < count; i++) PEN_TRY(name_unequal(comm, &arguments[i]));
    for (int i = 0; i < more; i++) words[i] = most[3 + i];
    return PEN_OK;
}

pen_status pen_agree_equal(pen_comm *comm, pen_status mine, const pen_argument *arguments, int count)
{
    return pen_agree_with(comm, mine, arguments, count, NULL, 0);
}

pen_status pen_sum_int(pen_comm *comm, int64_t mine, int64_t *all)
{
    return pen_all_reduce(comm, &mine, all, 1, MPI_INT64_T, MPI_SUM);
}

pen_status pen_max_int(pen_comm *comm, int64_t mine, int64_t *all)
{
    return pen_all_reduce(comm, &mine, all, 1, MPI_INT64_T, MPI_MAX);
}

pen_status pen_prefix_int(pen_comm *comm, int64_t mine, int64_t *before)
{
    pen_meeting *meeting = pen_meeting_of(comm);
    int64_t sum = 0, its;
    *before = 0; /* MPI leaves rank 0's result undefined */
    if (meeting) {
        memcpy(pen_meeting_box(meeting), &mine, sizeof mine);
        pen_meeting_wait(meeting, "a prefix sum");
        for (int r = 0; r < comm->rank; r++) {
            memcpy(&its, pen_meeting_box_of(meeting, r), sizeof its);
            *before += its;
        }
        return PEN_OK;
    }
    PEN_MPI(MPI_Exscan(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    if (comm->rank > 0) *before = sum;
    return PEN_OK;
}
