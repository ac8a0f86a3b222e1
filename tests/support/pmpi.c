#include "tests/support/pmpi.h"

pmpi_counters pmpi;

#define NAME(call) [CALL_##call] = "MPI_" #call,
const char *const pmpi_names[PMPI_CALLS] = { PMPI_STEP_CALLS(NAME) };

/* ---- Calls of a step ------------------------------------------------------------------------ */

#define STEP_CALL(name, parameters, arguments) \
    int MPI_##name parameters                  \
    {                                          \
        pmpi.calls[CALL_##name]++;             \
        return PMPI_##name arguments;          \
    }

static int64_t bytes_of(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (int64_t)count * size;
}

STEP_CALL(Win_fence, (int assert, MPI_Win win), (assert, win))
STEP_CALL(Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
STEP_CALL(Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
STEP_CALL(Win_complete, (MPI_Win win), (win))
STEP_CALL(Win_wait, (MPI_Win win), (win))
STEP_CALL(Win_sync, (MPI_Win win), (win))
STEP_CALL(Win_flush_all, (MPI_Win win), (win))
STEP_CALL(Recv, (void *to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status),
          (to, count, type, source, tag, comm, status))
STEP_CALL(Startall, (int count, MPI_Request requests[]), (count, requests))
STEP_CALL(Neighbor_alltoallw,
          (const void *from, const int send_counts[], const MPI_Aint send_offsets[], const MPI_Datatype send_types[],
           void *to, const int receive_counts[], const MPI_Aint receive_offsets[], const MPI_Datatype receive_types[],
           MPI_Comm comm),
          (from, send_counts, send_offsets, send_types, to, receive_counts, receive_offsets, receive_types, comm))
STEP_CALL(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
          (source, tag, comm, flag, status))
STEP_CALL(Allreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
          (from, to, count, type, op, comm))
STEP_CALL(Barrier, (MPI_Comm comm), (comm))
STEP_CALL(Sendrecv,
          (const void *from, int send_count, MPI_Datatype send_type, int target, int send_tag, void *to,
           int receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm,
           MPI_Status *status),
          (from, send_count, send_type, target, send_tag, to, receive_count, receive_type, source, receive_tag, comm,
           status))

int MPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint offset, int from_count, MPI_Datatype from_type,
            MPI_Win win)
{
    pmpi.calls[CALL_Get]++;
    pmpi.bytes_got += bytes_of(count, type);
    return PMPI_Get(to, count, type, rank, offset, from_count, from_type, win);
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request)
{
    pmpi.calls[CALL_Isend]++;
    pmpi.bytes_sent += bytes_of(count, type);
    pmpi.open++;
    return PMPI_Isend(from, count, type, rank, tag, comm, request);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request)
{
    pmpi.calls[CALL_Irecv]++;
    pmpi.open++;
    return PMPI_Irecv(to, count, type, rank, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    const int before = *request != MPI_REQUEST_NULL;
    int code = PMPI_Wait(request, status);
    pmpi.open -= before && *request == MPI_REQUEST_NULL;
    return code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    pmpi.calls[CALL_Waitall]++;
    int64_t before = 0, after = 0;
    for (int i = 0; i < count; i++) before += requests[i] != MPI_REQUEST_NULL;
    int code = PMPI_Waitall(count, requests, statuses);
    for (int i = 0; i < count; i++) after += requests[i] != MPI_REQUEST_NULL; /* persistent ones stay */
    pmpi.open -= before - after;
    return code;
}

/* ---- Handles that are made and freed -------------------------------------------------------- */

#define MAKING(name, parameters, arguments) \
    int MPI_##name parameters               \
    {                                       \
        int code = PMPI_##name arguments;   \
        pmpi.open += code == MPI_SUCCESS;   \
        return code;                        \
    }
#define FREEING(name, parameter)      \
    int MPI_##name(parameter *handle) \
    {                                 \
        pmpi.open--;                  \
        return PMPI_##name(handle);   \
    }

MAKING(Send_init,
       (const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request),
       (from, count, type, rank, tag, comm, request))
MAKING(Recv_init, (void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request),
       (to, count, type, rank, tag, comm, request))
FREEING(Request_free, MPI_Request)
MAKING(Type_contiguous, (int count, MPI_Datatype old, MPI_Datatype *type), (count, old, type))
FREEING(Type_free, MPI_Datatype)
MAKING(Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
MAKING(Group_incl, (MPI_Group group, int count, const int ranks[], MPI_Group *part), (group, count, ranks, part))
FREEING(Group_free, MPI_Group)
MAKING(Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
MAKING(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part),
       (comm, type, key, info, part))
MAKING(Dist_graph_create_adjacent,
       (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out, const int targets[],
        const int out_weights[], MPI_Info info, int reorder, MPI_Comm *graph),
       (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, graph))
FREEING(Comm_free, MPI_Comm)
MAKING(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
MAKING(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
FREEING(Win_free, MPI_Win)
