/* mpi_threads_windows.c - the windows of mpi_threads.h. */
#include "tests/support/mpi_threads.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = MPI_THREADS_MOST };

/* What the ranks of a window share. */
typedef struct memory {
    unsigned char *base[MOST];
    MPI_Aint bytes[MOST];
    atomic_int posted[MOST][MOST];    /* [target][origin] how often */
    atomic_int completed[MOST][MOST]; /* [target][origin] likewise */
} memory;

typedef struct get {
    void *to;
    const void *from;
    size_t bytes;
} get;

typedef struct window {
    MPI_Comm comm;
    int rank;
    memory *shared;
    get *late; /* [late_count] issued, and not carried out yet */
    int late_count, late_room;
    int started[MOST], exposed[MOST]; /* epochs with each rank so far */
    int producers[MOST], consumers[MOST];
    int producer_count, consumer_count; /* of the epochs that are open */
} window;

static window *of(MPI_Win win) { return (window *)(void *)win; }

/* Memory is no better aligned than with MPI. */
enum { ODD = 8 };

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made)
{
    (void)unit;
    (void)info;
    window *w = calloc(1, sizeof *w);
    unsigned char *mine = calloc(1, (size_t)bytes + ODD);
    if (!w || !mine) abort();
    MPI_Comm_dup(comm, &w->comm);
    MPI_Comm_rank(comm, &w->rank);
    if (w->rank == 0 && !(w->shared = calloc(1, sizeof *w->shared))) abort();
    MPI_Bcast(&w->shared, (int)sizeof w->shared, MPI_BYTE, 0, w->comm);
    w->shared->base[w->rank] = mine + ODD;
    w->shared->bytes[w->rank] = bytes;
    memcpy(base, &w->shared->base[w->rank], sizeof w->shared->base[w->rank]);
    MPI_Barrier(w->comm);
    *made = (MPI_Win)(void *)w;
    return MPI_SUCCESS;
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made)
{
    return MPI_Win_allocate(bytes, unit, info, comm, base, made);
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *bytes, int *unit, void *base)
{
    const memory *shared = of(win)->shared;
    *bytes = shared->bytes[rank];
    *unit = 1;
    memcpy(base, &shared->base[rank], sizeof shared->base[rank]);
    return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *win)
{
    window *w = of(*win);
    if (w->late_count || w->producer_count || w->consumer_count) abort(); /* an epoch is open */
    MPI_Barrier(w->comm);
    free(w->shared->base[w->rank] - ODD);
    MPI_Barrier(w->comm);
    if (w->rank == 0) free(w->shared);
    MPI_Comm_free(&w->comm);
    free(w->late);
    free(w);
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler)
{
    (void)win;
    (void)handler;
    return MPI_SUCCESS;
}

int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *found)
{
    static int unified = MPI_WIN_UNIFIED;
    int *model = &unified;
    (void)win;
    *found = key == MPI_WIN_MODEL;
    memcpy(value, &model, sizeof model);
    return MPI_SUCCESS;
}

/* ---- Gets ------------------------------------------------------------------------------------------- */

int MPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint displacement, int its_count,
            MPI_Datatype its_type, MPI_Win win)
{
    window *w = of(win);
    (void)its_count;
    (void)its_type;
    get g = { to, w->shared->base[rank] + displacement, (size_t)count * (type == MPI_INT ? sizeof(int) : 1) };
    if (displacement < 0 || displacement + (MPI_Aint)g.bytes > w->shared->bytes[rank]) abort();
    if (mpi_threads_draw(2)) {
        memcpy(g.to, g.from, g.bytes);
        return MPI_SUCCESS;
    }
    if (w->late_count == w->late_room) {
        w->late_room = 2 * w->late_room + 16;
        w->late = realloc(w->late, (size_t)w->late_room * sizeof *w->late);
        if (!w->late) abort();
    }
    w->late[w->late_count++] = g;
    return MPI_SUCCESS;
}

static void carry_out(window *w)
{
    for (int i = 0; i < w->late_count; i++) {
        mpi_threads_dawdle();
        memcpy(w->late[i].to, w->late[i].from, w->late[i].bytes);
    }
    w->late_count = 0;
}

/* ---- Epochs ----------------------------------------------------------------------------------------- */

int MPI_Win_fence(int assertion, MPI_Win win)
{
    (void)assertion;
    carry_out(of(win));
    return MPI_Barrier(of(win)->comm);
}

int MPI_Win_lock_all(int assertion, MPI_Win win)
{
    (void)assertion;
    (void)win;
    return MPI_SUCCESS;
}

int MPI_Win_unlock_all(MPI_Win win)
{
    carry_out(of(win));
    return MPI_SUCCESS;
}

int MPI_Win_flush_all(MPI_Win win) { return MPI_Win_unlock_all(win); }

int MPI_Win_sync(MPI_Win win)
{
    (void)win;
    return MPI_SUCCESS;
}

static void ranks_of(const window *w, MPI_Group group, int *ranks, int *count)
{
    MPI_Group all;
    int rank[MOST], its[MOST], size;
    if (*count) abort(); /* such an epoch is open */
    MPI_Comm_size(w->comm, &size);
    MPI_Comm_group(w->comm, &all);
    for (int i = 0; i < size; i++) rank[i] = i;
    MPI_Group_translate_ranks(all, size, rank, group, its);
    for (int i = 0; i < size; i++)
        if (its[i] != MPI_UNDEFINED) ranks[(*count)++] = i;
    MPI_Group_free(&all);
}

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win)
{
    window *w = of(win);
    (void)assertion;
    ranks_of(w, group, w->consumers, &w->consumer_count);
    for (int i = 0; i < w->consumer_count; i++)
        atomic_fetch_add_explicit(&w->shared->posted[w->rank][w->consumers[i]], 1, memory_order_release);
    return MPI_SUCCESS;
}

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win)
{
    window *w = of(win);
    (void)assertion;
    ranks_of(w, group, w->producers, &w->producer_count);
    for (int i = 0; i < w->producer_count; i++) {
        int rank = w->producers[i], before = w->started[rank]++;
        while (atomic_load_explicit(&w->shared->posted[rank][w->rank], memory_order_acquire) <= before) sched_yield();
    }
    return MPI_SUCCESS;
}

int MPI_Win_complete(MPI_Win win)
{
    window *w = of(win);
    carry_out(w);
    for (int i = 0; i < w->producer_count; i++)
        atomic_fetch_add_explicit(&w->shared->completed[w->producers[i]][w->rank], 1, memory_order_release);
    w->producer_count = 0;
    return MPI_SUCCESS;
}

int MPI_Win_wait(MPI_Win win)
{
    window *w = of(win);
    for (int i = 0; i < w->consumer_count; i++) {
        int rank = w->consumers[i], before = w->exposed[rank]++;
        while (atomic_load_explicit(&w->shared->completed[w->rank][rank], memory_order_acquire) <= before)
            sched_yield();
    }
    w->consumer_count = 0;
    return MPI_SUCCESS;
}
