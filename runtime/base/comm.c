#include "base/comm.h"
#include "base/affinity.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum { MESSAGE_SIZE = 1024 };

/* Cores that the ranks of this host may use together: the union of their affinity masks, since a
 * launcher may have bound each of them to one core. */
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
    int mine[2] = { comm->host_size<comm->size, comm->host_size> cores }, any[2];
    PEN_MPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm->mpi));
    comm->one_host = !any[0];
    comm->crowded = any[1];
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
        return pen_fail(PEN_ERR_ENVIRONMENT, "called from another thread than that which initialised MPI, which "
                                             "needs MPI_Init_thread with MPI_THREAD_SERIALIZED");
    return PEN_OK;
}

void pen_mpi_require(const char *call)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) pen_die("%s after MPI_Finalize: call it before", call);
}

pen_status pen_equal_int(pen_comm *comm, const char *what, int64_t mine)
{
#ifdef PEN_CHECKING
    int64_t range[2] = { ~mine, mine }, all[2]; /* the maximum of the complement is the complement of the minimum */
    PEN_MPI(MPI_Allreduce(range, all, 2, MPI_INT64_T, MPI_MAX, comm->mpi));
    PEN_ARGUMENT(~all[0] == all[1], "unequal on the ranks of a collective call: %s, from %" PRId64 " to %" PRId64, what,
                 ~all[0], all[1]);
#else
    (void)comm;
    (void)what;
    (void)mine;
#endif
    return PEN_OK;
}

pen_status pen_equal_text(pen_comm *comm, const char *what, const char *mine)
{
    uint64_t hash = mine ? pen_hash_bytes(mine, strlen(mine)) : 0;
    pen_status status = pen_equal_int(comm, what, (int64_t)hash);
    if (status != PEN_ERR_ARGUMENT) return status;
    return pen_agree(comm, pen_fail(status, "unequal on the ranks of a collective call: %s, \"%s\" on rank %d", what,
                                    mine ? mine : "(NULL)", comm->rank));
}

/* Collective. Agreed on over `parent`, since there is no duplicate yet; one that only some ranks have got cannot be
 * freed. */
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
    if ((*comm)->host != MPI_COMM_NULL) MPI_Comm_free(&(*comm)->host);
    if ((*comm)->mpi != MPI_COMM_NULL) MPI_Comm_free(&(*comm)->mpi);
    free(*comm);
    *comm = NULL;
}

pen_status pen_agree(pen_comm *comm, pen_status mine)
{
    /* The lowest failing rank, or the number of ranks where all is well. */
    int failing = mine == PEN_OK ? comm->size : comm->rank, lowest;
    PEN_MPI(MPI_Allreduce(&failing, &lowest, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (lowest == comm->size) return PEN_OK;
    struct {
        int status;
        char message[MESSAGE_SIZE];
    } news = { (int)mine, "" };
    if (comm->rank == lowest) snprintf(news.message, sizeof news.message, "%s", pen_error_message());
    PEN_MPI(MPI_Bcast(&news, (int)sizeof news, MPI_BYTE, lowest, comm->mpi));
    pen_error_set(news.message);
    return (pen_status)news.status;
}

pen_status pen_sum_int(pen_comm *comm, int64_t mine, int64_t *all)
{
    PEN_MPI(MPI_Allreduce(&mine, all, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    return PEN_OK;
}

pen_status pen_max_int(pen_comm *comm, int64_t mine, int64_t *all)
{
    PEN_MPI(MPI_Allreduce(&mine, all, 1, MPI_INT64_T, MPI_MAX, comm->mpi));
    return PEN_OK;
}

pen_status pen_prefix_int(pen_comm *comm, int64_t mine, int64_t *before)
{
    *before = 0; /* MPI leaves rank 0's result undefined */
    int64_t sum = 0;
    PEN_MPI(MPI_Exscan(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    if (comm->rank > 0) *before = sum;
    return PEN_OK;
}
