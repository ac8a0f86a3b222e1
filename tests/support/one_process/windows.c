/* windows.c - windows, and gets.
 *
 * A get reads in pieces, in calls of its rank between the one that starts it and the one that must complete it. So its
 * target may be anywhere in between. What it reads may be a public copy of the target's memory, which is older: stores
 * of the target come there at its next synchronisation at the latest (MPI 3.1, 11.7). */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

enum { ODD = 8, LINE = 64 }; /* memory is aligned for ODD bytes, and where that is not drawn for LINE */

/* What the ranks of a window share. */
typedef struct memory {
    int size;
    bool shared;
    unsigned char **base, **public; /* [size]; public[r] NULL: the same */
    size_t *bytes;
    int *units;
    uint64_t *fences;             /* [size] that each rank has come to */
    uint32_t *posted, *completed; /* [size*size] target, origin */
    double *posts, *completions;  /* clock.c: [size*size] when the last one comes; NULL: no clock */
    uint64_t common;              /* fences that all ranks have come to */
    int ahead;                    /* ranks that have come to the next one too */
    double fence_times[2];        /* when the last rank came to an even, and to an odd fence */
    unsigned char *block;         /* of all, or NULL */
} memory;

typedef struct get {
    unsigned char *to, *before;
    size_t at, bytes, done; /* at: in the target's window */
    int target;
    double begun, ends; /* by the clock */
    struct get *next;
} get;

typedef struct sim_window {
    sim_object object;
    sim_comm *comm;
    memory *memory;
    void *block;             /* this rank's, or NULL */
    struct sim_window *next; /* of this rank */
    get *gets, **last;
    uint64_t fences;
    bool fenced, locked; /* epochs that are open */
    bool used;           /* there were gets since the last fence: only a fence ends this epoch */
    int *targets, *origins, target_count, origin_count;
    bool exposed, started;
    uint32_t *starts, *waits; /* [size] epochs so far with each rank */
} window;

static window *window_of(MPI_Win win) { return sim_of(SIM_WINDOW, win); }

static size_t pair_at(const memory *m, int target, int origin)
{
    return (size_t)target * (size_t)m->size + (size_t)origin;
}

static uint32_t *pair(uint32_t *of, const memory *m, int target, int origin) { return &of[pair_at(m, target, origin)]; }

/* ---- Making ---------------------------------------------------------------------------------------------- */

static memory *new_memory(int size, bool shared)
{
    memory *m = sim_allocate(sizeof *m);
    const size_t n = (size_t)size;
    *m = (memory){ .size = size, .shared = shared };
    m->base = sim_allocate(n * sizeof *m->base);
    m->public = sim_allocate(n * sizeof *m->public);
    m->bytes = sim_allocate(n * sizeof *m->bytes);
    m->units = sim_allocate(n * sizeof *m->units);
    m->fences = sim_allocate(n * sizeof *m->fences);
    m->posted = sim_allocate(n * n * sizeof *m->posted);
    m->completed = sim_allocate(n * n * sizeof *m->completed);
    if (sim.clock) m->posts = sim_allocate(n * n * sizeof *m->posts);
    if (sim.clock) m->completions = sim_allocate(n * n * sizeof *m->completions);
    return m;
}

static void free_memory(memory *m)
{
    for (int r = 0; r < m->size; r++) free(m->public[r]);
    free(m->base);
    free(m->public);
    free(m->bytes);
    free(m->units);
    free(m->fences);
    free(m->posted);
    free(m->completed);
    free(m->posts);
    free(m->completions);
    free(m->block);
    free(m);
}

static void make(MPI_Aint bytes, int unit, MPI_Comm comm, bool shared, bool contiguous, void *base, MPI_Win *made)
{
    window *w = sim_new(SIM_WINDOW, sizeof *w);
    w->comm = sim_comm_copy(sim_comm_of(comm));
    w->comm->object.call = NULL; /* not the user's */
    sim_comm *c = w->comm;
    const size_t n = (size_t)c->shared->size, mine = (size_t)bytes;
    sim_round *r = sim_come(c, sim_me->call, -1, NULL, 0, &mine, sizeof mine);
    sim_await(c, r, SIM_ALL);
    if (!r->combined) {
        r->combined = true;
        memory *m = new_memory(c->shared->size, shared);
        r->common = sim_allocate(sizeof m);
        memcpy(r->common, &m, sizeof m);
        size_t all = ODD;
        for (size_t i = 0; i < n; i++) {
            memcpy(&m->bytes[i], r->parts[i].bytes, sizeof m->bytes[i]);
            all += m->bytes[i];
        }
        if (contiguous) m->block = sim_allocate(all);
        for (size_t i = 0, at = ODD; contiguous && i < n; at += m->bytes[i++]) m->base[i] = m->block + at;
        if (!shared && (sim_takes(ONE_PROCESS_TWO_COPIES) || sim.settings.separate))
            for (size_t i = 0; i < n; i++) m->public[i] = sim_allocate(m->bytes[i]);
    }
    memcpy(&w->memory, r->common, sizeof w->memory);
    sim_go(c, r);
    if (!contiguous) {
        const size_t odd = sim_takes(ONE_PROCESS_ODD_BASE) ? ODD * (1 + sim_draw(LINE / ODD - 1)) : 0;
        if (posix_memalign(&w->block, LINE, mine + odd + 1) != 0) sim_wrong("out of memory");
        memset(w->block, 0xa5, mine + odd + 1);
        w->memory->base[c->rank] = (unsigned char *)w->block + odd;
    }
    w->memory->units[c->rank] = unit;
    w->last = &w->gets;
    w->targets = sim_allocate(n * sizeof *w->targets);
    w->origins = sim_allocate(n * sizeof *w->origins);
    w->starts = sim_allocate(n * sizeof *w->starts);
    w->waits = sim_allocate(n * sizeof *w->waits);
    w->next = sim_me->windows;
    sim_me->windows = w;
    memcpy(base, &w->memory->base[c->rank], sizeof(void *));
    *made = (MPI_Win)(void *)w;
    r = sim_come(c, sim_me->call, -1, NULL, 0, NULL, 0); /* all have their memory */
    sim_await(c, r, SIM_ALL);
    sim_go(c, r);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made)
{
    SIM_ENTER("MPI_Win_allocate");
    make(bytes, unit, comm, false, false, base, made);
    return SIM_LEAVE();
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made)
{
    SIM_ENTER("MPI_Win_allocate_shared");
    const sim_comm *c = sim_comm_of(comm);
    for (int r = 0; r < c->shared->size; r++)
        if (sim_rank_of(c, r)->host != sim_me->host) sim_wrong("MPI_Win_allocate_shared on several hosts");
    make(bytes, unit, comm, true, !sim_info_says(info, "alloc_shared_noncontig"), base, made);
    return SIM_LEAVE();
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *bytes, int *unit, void *base)
{
    SIM_ENTER("MPI_Win_shared_query");
    const memory *m = window_of(win)->memory;
    if (!m->shared) sim_wrong("MPI_Win_shared_query of a window that is not shared");
    for (int r = 0; rank == MPI_PROC_NULL && r < m->size; r++)
        if (m->bytes[r] > 0) rank = r;
    if (rank == MPI_PROC_NULL) rank = 0;
    *bytes = (MPI_Aint)m->bytes[rank];
    *unit = m->units[rank];
    memcpy(base, &m->base[rank], sizeof(void *));
    return SIM_LEAVE();
}

int MPI_Win_free(MPI_Win *win)
{
    SIM_ENTER("MPI_Win_free");
    window *w = window_of(*win);
    sim_comm *c = w->comm;
    memory *m = w->memory;
    if (!sim.faulted && (w->used || w->locked || w->exposed || w->started)) sim_wrong("MPI_Win_free in an epoch");
    sim_round *r = sim_come(c, "MPI_Win_free", -1, NULL, 0, NULL, 0);
    sim_await(c, r, SIM_ALL);
    const bool last = r->left == m->size - 1;
    sim_go(c, r);
    window **at = &sim_me->windows;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    free(w->block);
    if (last) free_memory(m);
    free(w->targets);
    free(w->origins);
    free(w->starts);
    free(w->waits);
    sim_comm_free(c);
    sim_free(SIM_WINDOW, w);
    *win = MPI_WIN_NULL;
    return SIM_LEAVE();
}

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler) { return MPI_SUCCESS; }

int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *found)
{
    static int unified = MPI_WIN_UNIFIED, separate = MPI_WIN_SEPARATE;
    int *model = sim.settings.separate && !window_of(win)->memory->shared ? &separate : &unified;
    *found = key == MPI_WIN_MODEL;
    memcpy(value, &model, sizeof model);
    return MPI_SUCCESS;
}

/* ---- Public copies ------------------------------------------------------------------------------------------ */

/* Unseen by sanitizers, since a get is what reads the memory; parts may be what gets still write. */
static void publish(const window *w, size_t from, size_t end)
{
    const int rank = w->comm->rank;
    if (w->memory->public[rank] && end > from)
        sim_copy_unseen(w->memory->public[rank] + from, w->memory->base[rank] + from, end - from);
}

static void synchronize(const window *w) { publish(w, 0, w->memory->bytes[w->comm->rank]); }

static void publish_early(const window *w)
{
    const size_t bytes = w->memory->bytes[w->comm->rank];
    if (!w->memory->public[w->comm->rank] || bytes == 0 || !sim_takes(ONE_PROCESS_PUBLISH_EARLY)) return;
    const size_t from = sim_draw((unsigned)bytes);
    publish(w, from, from + sim_draw((unsigned)(bytes - from) + 1));
}

/* ---- Gets ---------------------------------------------------------------------------------------------------------
 */

/* Whether the target has opened the epoch. */
static bool may_read(const window *w, int target)
{
    const memory *m = w->memory;
    if (w->locked) return true;
    if (w->started) return *pair(m->posted, m, target, w->comm->rank) >= w->starts[target];
    return m->fences[target] >= w->fences;
}

static void enter_epoch(const window *w, int target)
{
    const memory *m = w->memory;
    if (w->started) sim_acquire(pair(m->posted, m, target, w->comm->rank));
    else if (!w->locked) sim_acquire(&m->fences[target]);
}

static void read_piece(const window *w, get *g, size_t bytes)
{
    const memory *m = w->memory;
    const unsigned char *from = (m->public[g->target] ? m->public : m->base)[g->target] + g->at + g->done;
    enter_epoch(w, g->target);
    sim_return(g->to, g->bytes);
    sim_copy(g->to + g->done, from, bytes);
    g->done += bytes;
    if (g->done < g->bytes) sim_lend(g->to, g->bytes);
}

static void remove_get(window *w, get **at)
{
    get *g = *at;
    *at = g->next;
    if (w->last == &g->next) w->last = at;
    free(g);
}

void sim_progress_windows(void)
{
    /* With a clock, gets read when they are completed. */
    for (window *w = sim_me->windows; w && !sim.clock; w = w->next) {
        publish_early(w);
        for (get **each = &w->gets; *each;) {
            get *g = *each;
            if (may_read(w, g->target) && !sim_takes(ONE_PROCESS_GET_LATE)) {
                const size_t left = g->bytes - g->done;
                read_piece(w, g, sim_takes(ONE_PROCESS_GET_PIECE) ? 1 + sim_draw((unsigned)left) : left);
            }
            if (g->done == g->bytes) remove_get(w, each);
            else each = &g->next;
        }
    }
}

typedef struct waiting {
    const window *w;
    int rank;
} waiting;

static bool has_opened(void *what)
{
    const waiting *g = what;
    return may_read(g->w, g->rank);
}

/* The clock: whether the processors of targets answer gets. */
static bool answered(void) { return sim.clock && sim.clock->served > 0.0; }

/* Whether the target's processor answers the get. */
static bool is_answered(const window *w, const get *g)
{
    return answered() && sim_rank_of(w->comm, g->target)->host != sim_me->host;
}

/* The clock: where the target's processor answers, its work in the meantime is known only now. A flush asks all targets
 * that have answered once more. */
static void await_gets(const window *w, bool flush)
{
    for (const get *g = w->gets; g; g = g->next)
        sim_arrive(is_answered(w, g) ? sim_get_time(sim_rank_of(w->comm, g->target), g->bytes, g->begun) : g->ends);
    const double all = sim_me->time;
    for (const get *g = w->gets; g && flush; g = g->next)
        if (is_answered(w, g)) sim_arrive(sim_get_time(sim_rank_of(w->comm, g->target), 0, all));
}

static void begin_get(const window *w, get *g)
{
    const sim_rank *target = sim_rank_of(w->comm, g->target);
    sim_spend(sim_overhead());
    g->begun = sim_me->time;
    if (!sim.clock) return;
    if (target->host == sim_me->host) sim_copy_time(target, g->bytes);
    else if (!answered()) g->ends = sim_get_time(target, g->bytes, g->begun);
}

/* Carry out what is left, and let others run between pieces. */
static void complete(window *w, bool flush)
{
    if (sim.clock) await_gets(w, flush);
    while (w->gets) {
        get *g = w->gets;
        waiting one = { w, g->target };
        sim_wait(has_opened, &one);
        const size_t left = g->bytes - g->done;
        read_piece(w, g, sim_takes(ONE_PROCESS_GET_PIECE) ? 1 + sim_draw((unsigned)left) : left);
        if (g->done == g->bytes) remove_get(w, &w->gets);
        if (sim.clock) continue;
        one_process_pause();
        sim_ignore(true);
    }
}

int MPI_Get(void *to, int count, MPI_Datatype type, int target, MPI_Aint at, int its_count, MPI_Datatype its_type,
            MPI_Win win)
{
    SIM_ENTER_FOR("MPI_Get", target, -1);
    window *w = window_of(win);
    const memory *m = w->memory;
    const size_t bytes = (size_t)count * sim_size_of(type);
    (void)sim_rank_of(w->comm, target);
    const size_t first = (size_t)at * (size_t)m->units[target];
    if (bytes != (size_t)its_count * sim_size_of(its_type)) sim_wrong("MPI_Get from %d: unequal sizes", target);
    if (at < 0 || first + bytes > m->bytes[target])
        sim_wrong("MPI_Get of %zu bytes at %lld of rank %d, which has %zu", bytes, (long long)at, target,
                  m->bytes[target]);
    bool is_target = false;
    for (int i = 0; w->started && i < w->target_count; i++) is_target = is_target || w->targets[i] == target;
    if (!w->fenced && !w->locked && !is_target) sim_wrong("MPI_Get from rank %d outside of an epoch", target);
    if (bytes == 0) return SIM_LEAVE();
    get *g = sim_allocate(sizeof *g);
    *g = (get){ .to = to, .at = first, .bytes = bytes, .target = target };
    if (w->fenced) w->used = true;
    begin_get(w, g);
    if (sim_takes(ONE_PROCESS_GARBAGE)) sim_spoil(to, bytes);
    sim_lend(to, bytes);
    *w->last = g;
    w->last = &g->next;
    sim_progress_windows();
    return SIM_LEAVE();
}

/* ---- Epochs ---------------------------------------------------------------------------------------------------------
 */

typedef struct fence {
    const window *w;
    bool all;
} fence_wait;

static bool all_came(void *what)
{
    const window *w = what;
    return w->memory->common >= w->fences;
}

static void come_to_fence(window *w)
{
    memory *m = w->memory;
    double *last = &m->fence_times[(w->fences + 1) % 2];
    m->fences[w->comm->rank] = ++w->fences;
    if (sim_me->time > *last) *last = sim_me->time;
    if (w->fences == m->common + 1) m->ahead++;
    while (m->ahead == m->size) {
        m->common++;
        m->ahead = 0;
        for (int r = 0; r < m->size; r++) m->ahead += m->fences[r] > m->common;
        sim_touch_all(w->comm->shared);
    }
}

int MPI_Win_fence(int assertion, MPI_Win win)
{
    SIM_ENTER("MPI_Win_fence");
    window *w = window_of(win);
    memory *m = w->memory;
    if (w->locked || w->started || w->exposed) sim_wrong("MPI_Win_fence in an epoch of another kind");
    if ((assertion & MPI_MODE_NOPRECEDE) && w->used) sim_wrong("MPI_MODE_NOPRECEDE after MPI_Get");
    complete(w, false);
    synchronize(w);
    sim_release(&m->fences[w->comm->rank]);
    come_to_fence(w);
    sim_happened();
    /* With MPI_MODE_NOPRECEDE no epoch ends: it need not be a barrier. */
    if (!(assertion & MPI_MODE_NOPRECEDE) || !sim_takes(ONE_PROCESS_LEAVE_EARLY)) {
        sim_wait(all_came, w);
        sim_arrive(m->fence_times[w->fences % 2] + (answered() ? 2 : 1) * sim_barrier_time(w->comm));
        for (int r = 0; r < m->size; r++) sim_acquire(&m->fences[r]);
    }
    w->fenced = !(assertion & MPI_MODE_NOSUCCEED);
    w->used = false;
    return SIM_LEAVE();
}

static void read_group(const window *w, MPI_Group group, int *ranks, int *count)
{
    const sim_group *g = sim_of(SIM_GROUP, group);
    *count = 0;
    for (int i = 0; i < g->size; i++)
        for (int r = 0; r < w->memory->size; r++)
            if (w->comm->shared->numbers[r] == g->numbers[i]) ranks[(*count)++] = r;
}

/* By the clock, a message without bytes: the target's post or the origin's completion. */
static void send_notice(const window *w, double *times, int target, int origin, int to)
{
    if (!sim.clock) return;
    sim_spend(sim_overhead());
    sim_touch(sim_rank_of(w->comm, to));
    times[pair_at(w->memory, target, origin)] = sim_transfer(sim_me, sim_rank_of(w->comm, to), 0, sim_me->time, NULL);
}

static void receive_notice(const window *w, const double *times, int target, int origin)
{
    if (!sim.clock) return;
    sim_arrive(times[pair_at(w->memory, target, origin)]);
    sim_spend(sim_overhead());
}

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win)
{
    SIM_ENTER("MPI_Win_post");
    window *w = window_of(win);
    memory *m = w->memory;
    if (w->exposed || w->locked || w->used) sim_wrong("MPI_Win_post in an epoch");
    w->exposed = true;
    w->fenced = false;
    read_group(w, group, w->origins, &w->origin_count);
    synchronize(w);
    for (int i = 0; i < w->origin_count; i++) {
        uint32_t *posted = pair(m->posted, m, w->comm->rank, w->origins[i]);
        sim_release(posted);
        ++*posted;
        send_notice(w, m->posts, w->comm->rank, w->origins[i], w->origins[i]);
    }
    sim_happened();
    return SIM_LEAVE();
}

static void await_post(window *w, int target)
{
    waiting one = { w, target };
    sim_me->peer = target;
    sim_wait(has_opened, &one);
    sim_acquire(pair(w->memory->posted, w->memory, target, w->comm->rank));
}

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win)
{
    SIM_ENTER("MPI_Win_start");
    window *w = window_of(win);
    if (w->started || w->locked || w->used) sim_wrong("MPI_Win_start in an epoch");
    w->started = true;
    w->fenced = false;
    read_group(w, group, w->targets, &w->target_count);
    for (int i = 0; i < w->target_count; i++) w->starts[w->targets[i]]++;
    if (!sim_takes(ONE_PROCESS_START_EARLY))
        for (int i = 0; i < w->target_count; i++) {
            await_post(w, w->targets[i]);
            receive_notice(w, w->memory->posts, w->targets[i], w->comm->rank);
        }
    return SIM_LEAVE();
}

int MPI_Win_complete(MPI_Win win)
{
    SIM_ENTER("MPI_Win_complete");
    window *w = window_of(win);
    memory *m = w->memory;
    if (!w->started) sim_wrong("MPI_Win_complete without MPI_Win_start");
    for (int i = 0; i < w->target_count; i++) await_post(w, w->targets[i]);
    complete(w, false);
    for (int i = 0; i < w->target_count; i++) {
        uint32_t *completed = pair(m->completed, m, w->targets[i], w->comm->rank);
        sim_release(completed);
        ++*completed;
        send_notice(w, m->completions, w->targets[i], w->comm->rank, w->targets[i]);
    }
    w->started = false;
    sim_happened();
    return SIM_LEAVE();
}

static bool has_completed(void *what)
{
    const waiting *g = what;
    return *pair(g->w->memory->completed, g->w->memory, g->w->comm->rank, g->rank) >= g->w->waits[g->rank];
}

int MPI_Win_wait(MPI_Win win)
{
    SIM_ENTER("MPI_Win_wait");
    window *w = window_of(win);
    if (!w->exposed) sim_wrong("MPI_Win_wait without MPI_Win_post");
    for (int i = 0; i < w->origin_count; i++) {
        waiting one = { w, w->origins[i] };
        w->waits[w->origins[i]]++;
        sim_me->peer = w->origins[i];
        sim_wait(has_completed, &one);
        receive_notice(w, w->memory->completions, w->comm->rank, w->origins[i]);
        sim_acquire(pair(w->memory->completed, w->memory, w->comm->rank, w->origins[i]));
    }
    w->exposed = false;
    synchronize(w);
    return SIM_LEAVE();
}

int MPI_Win_lock_all(int assertion, MPI_Win win)
{
    SIM_ENTER("MPI_Win_lock_all");
    window *w = window_of(win);
    if (w->locked || w->started || w->exposed || w->used) sim_wrong("MPI_Win_lock_all in an epoch");
    w->locked = true;
    w->fenced = false;
    return SIM_LEAVE();
}

int MPI_Win_unlock_all(MPI_Win win)
{
    SIM_ENTER("MPI_Win_unlock_all");
    window *w = window_of(win);
    if (!w->locked) sim_wrong("MPI_Win_unlock_all without MPI_Win_lock_all");
    complete(w, false);
    synchronize(w);
    w->locked = false;
    return SIM_LEAVE();
}

int MPI_Win_flush_all(MPI_Win win)
{
    SIM_ENTER("MPI_Win_flush_all");
    window *w = window_of(win);
    if (!w->locked) sim_wrong("MPI_Win_flush_all outside of an epoch");
    complete(w, true);
    return SIM_LEAVE();
}

int MPI_Win_sync(MPI_Win win)
{
    SIM_ENTER("MPI_Win_sync");
    synchronize(window_of(win));
    return SIM_LEAVE();
}
