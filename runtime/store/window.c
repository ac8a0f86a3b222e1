/* window.c - allocates the window with the node data of a run. */
#include "store/window.h"
#include "base/memory.h"
#include "base/shm_capacity.h"

#include <stdlib.h>
#include <unistd.h>

static int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

/* Bytes of the segment in whole pages: payload and room for aligning the base. Never 0, since osc/rdma leaves
 * the base pointer unset for a size of 0. */
static int64_t segment_bytes(int64_t bytes) { return round_up(PEN_CACHE_LINE + bytes, sysconf(_SC_PAGESIZE)); }

static pen_status allocate_private(pen_comm *comm, int64_t bytes, pen_window *window, void **raw)
{
    PEN_TRY(pen_agree(comm, pen_alloc(&window->private_memory, segment_bytes(bytes), 1)));
    *raw = window->private_memory;
    return PEN_OK;
}

/* With "blocking_fence", ranks that wait in Open MPI's fences sleep; by default they poll, which is far slower where
 * ranks share cores. */
static pen_status make_info(const pen_comm *comm, MPI_Info *info)
{
    *info = MPI_INFO_NULL;
    PEN_MPI(MPI_Info_create(info));
    PEN_MPI(MPI_Info_set(*info, "alloc_shared_noncontig", "true"));
    if (comm->sleeping_fences) PEN_MPI(MPI_Info_set(*info, "blocking_fence", "true"));
    return PEN_OK;
}

/* Collective. Allocate the window. If only some ranks got one, it is never freed, since freeing is collective. A
 * refusal of MPI is PEN_ERR_ENVIRONMENT: there may be a smaller window, or none. */
static pen_status call_mpi(pen_comm *comm, int64_t bytes, MPI_Info info, pen_window *window, void **raw)
{
    bool shared = window->kind != PEN_WINDOW_ALLOCATED;
    MPI_Comm ranks = window->kind == PEN_WINDOW_HOSTS ? comm->host : comm->mpi;
    MPI_Aint size = (MPI_Aint)segment_bytes(bytes);
    MPI_Win made = MPI_WIN_NULL;
    int code = shared ? PEN_MARKED(MPI_Win_allocate_shared(size, 1, info, ranks, raw, &made))
                      : PEN_MARKED(MPI_Win_allocate(size, 1, info, ranks, raw, &made));
    /* A window does not inherit the communicator's handler. */
    if (code == MPI_SUCCESS) code = MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN);
    if (code != MPI_SUCCESS) (void)pen_fail_mpi(code, shared ? "MPI_Win_allocate_shared" : "MPI_Win_allocate");
    PEN_TRY(pen_agree(comm, code == MPI_SUCCESS ? PEN_OK : PEN_ERR_ENVIRONMENT));
    window->mpi = made;
    return PEN_OK;
}

/* Allocate the memory, and touch every page before another process can take the memory. */
static pen_status allocate(pen_comm *comm, int64_t bytes, pen_window *window, void **raw)
{
    MPI_Info info;
    pen_shm_capacity capacity;
    bool shared = window->kind != PEN_WINDOW_ALLOCATED || comm->one_host;
    pen_status status = pen_shm_capacity_check(comm, make_info(comm, &info), shared, segment_bytes(bytes), &capacity);
    if (status == PEN_OK) {
        status = call_mpi(comm, bytes, info, window, raw);
        if (status == PEN_OK) status = pen_agree(comm, pen_shm_capacity_touch(*raw, segment_bytes(bytes)));
        pen_shm_capacity_release(&capacity);
    }
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    return status;
}

pen_status pen_window_create(pen_comm *comm, pen_window_kind kind, int64_t bytes, pen_window *window)
{
    *window = (pen_window){
        .kind = kind, .mpi = MPI_WIN_NULL, .bytes = bytes, .sleeping_fences = comm->sleeping_fences
    };
    void *raw = NULL;
    pen_status status = kind == PEN_WINDOW_NONE ? allocate_private(comm, bytes, window, &raw)
                                                : allocate(comm, bytes, window, &raw);
    if (status != PEN_OK) {
        pen_window_destroy(window);
        return status;
    }
    window->shift = (PEN_CACHE_LINE - (int64_t)((uintptr_t)raw % PEN_CACHE_LINE)) % PEN_CACHE_LINE;
    window->base = (unsigned char *)raw + window->shift;
    memset(window->base, 0, (size_t)bytes);
    return PEN_OK;
}

void pen_window_destroy(pen_window *window)
{
    if (window->mpi != MPI_WIN_NULL) (void)PEN_MARKED(MPI_Win_free(&window->mpi));
    free(window->private_memory);
    *window = (pen_window){ .kind = PEN_WINDOW_NONE, .mpi = MPI_WIN_NULL };
}

pen_status pen_window_direct(const pen_window *window, int rank, int64_t shift, unsigned char **payload)
{
    MPI_Aint bytes;
    int unit;
    unsigned char *raw;
    PEN_MPI(MPI_Win_shared_query(window->mpi, rank, &bytes, &unit, &raw));
    *payload = raw + shift;
    return PEN_OK;
}
