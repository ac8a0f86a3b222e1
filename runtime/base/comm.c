#define _GNU_SOURCE /* sched_getaffinity */
#include "base/comm.h"
#include "base/memory.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 1024 };

/* Cores that the ranks of this host may use together: the union of their affinity masks, since a
 * launcher may have bound each of them to one core. */
static pen_status host_cores(MPI_Comm host, int *cores)
{
    enum { MASK_BYTES = 1024 };
    unsigned char mine[MASK_BYTES] = { 0 }, all[MASK_BYTES];
#ifdef __linux__
    if (sched_getaffinity(0, sizeof mine, (cpu_set_t *)(void *)mine) != 0)
#endif
    {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        for (long i = 0; i < online && i < MASK_BYTES * 8; i++)
            mine[i / 8] = (unsigned char)(mine[i / 8] | 1u << (i % 8));
    }
    PEN_MPI(MPI_Allreduce(mine, all, MASK_BYTES, MPI_BYTE, MPI_BOR, host));
    *cores = 0;
    for (int i = 0; i < MASK_BYTES * 8; i++) *cores += all[i / 8] >> (i % 8) & 1;
    return PEN_OK;
}

static pen_status describe(pen_comm *comm)
{
    PEN_MPI(MPI_Comm_rank(comm->mpi, &comm->rank));
    PEN_MPI(MPI_Comm_size(comm->mpi, &comm->size));
    PEN_MPI(MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &comm->host));
    PEN_MPI(MPI_Comm_set_errhandler(comm->host, MPI_ERRORS_RETURN));
    PEN_MPI(MPI_Comm_rank(comm->host, &comm->host_rank));
    PEN_MPI(MPI_Comm_size(comm->host, &comm->host_size));
    int cores = 0;
    PEN_TRY(host_cores(comm->host, &cores));
    int mine[2] = { comm->host_size<comm->size, comm->host_size> cores }, any[2];
    PEN_MPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm->mpi));
    comm->one_host = !any[0];
    comm->crowded = any[1];
    return PEN_OK;
}

pen_status pen_comm_create(MPI_Comm parent, pen_comm **comm)
{
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
    int code = MPI_Comm_dup(parent, &c->mpi);
    if (code != MPI_SUCCESS) {
        free(c);
        return pen_fail_mpi(code, "MPI_Comm_dup");
    }
    MPI_Comm_set_errhandler(c->mpi, MPI_ERRORS_RETURN);
    status = describe(c);
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
