#include "virtual/ranks.h"
#include "base/memory.h"
#include "view/helpers.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBERS_ARE_ANNOTATED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBERS_ARE_ANNOTATED 1
#endif
#endif
#ifdef FIBERS_ARE_ANNOTATED
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 160 * 1024 };
#else
enum { STACK_BYTES = 128 * 1024 };
#endif

typedef enum call { RUNNING, EXCHANGE, EXCHANGE_MUTUAL, REDUCE, RETURNED } call;

typedef struct world world;

typedef struct rank {
    pen_peers peers; /* first: a pen_peers * is a rank * */
    world *world;
    call call;
    pen_status result; /* of the call, or of the function once it has returned */
    const pen_parcels *send;
    pen_blocks received;
    pen_grouped grouped;
    int sum_count, max_count;
    double *sums, *maxima;
    pen_virtual_counts counts;
    double entered;
    bool told; /* that a call failed */
    unsigned char *stack;
    ucontext_t context;
#ifdef FIBERS_ARE_ANNOTATED
    void *fake_stack;
#endif
} rank;

struct world {
    int size;
    rank *ranks;
    pen_virtual_function *function;
    void *context;
    bool timed; /* the clock is a system call: not where nobody looks */
    ucontext_t scheduler;
    char message[1024]; /* of the lowest rank that returned a failure by itself */
#ifdef FIBERS_ARE_ANNOTATED
    void *fake_stack;
    const void *stack;
    size_t stack_bytes;
#endif
};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void switch_to_scheduler(rank *self)
{
    world *w = self->world;
    if (w->timed) self->counts.seconds += cpu_seconds() - self->entered;
#ifdef FIBERS_ARE_ANNOTATED
    __sanitizer_start_switch_fiber(self->call == RETURNED ? NULL : &self->fake_stack, w->stack, w->stack_bytes);
#endif
    swapcontext(&self->context, &w->scheduler);
#ifdef FIBERS_ARE_ANNOTATED
    __sanitizer_finish_switch_fiber(self->fake_stack, NULL, NULL);
#endif
    if (w->timed) self->entered = cpu_seconds();
}

static void switch_to_rank(rank *r)
{
#ifdef FIBERS_ARE_ANNOTATED
    __sanitizer_start_switch_fiber(&r->world->fake_stack, r->stack, STACK_BYTES);
#endif
    swapcontext(&r->world->scheduler, &r->context);
#ifdef FIBERS_ARE_ANNOTATED
    __sanitizer_finish_switch_fiber(r->world->fake_stack, NULL, NULL);
#endif
}

/* makecontext hands over integers only: the pointer comes in two halves. */
static void fiber(unsigned int high, unsigned int low)
{
    rank *self = (rank *)(((uintptr_t)high << 16 << 16) | low);
#ifdef FIBERS_ARE_ANNOTATED
    __sanitizer_finish_switch_fiber(NULL, &self->world->stack, &self->world->stack_bytes);
#endif
    if (self->world->timed) self->entered = cpu_seconds();
    self->result = self->world->function(self->world->context, &self->peers);
    self->call = RETURNED;
    switch_to_scheduler(self);
}

static pen_status make_call(rank *self, call which)
{
    self->call = which;
    switch_to_scheduler(self);
    if (self->result != PEN_OK) self->told = true;
    return self->result;
}

static pen_status peers_exchange(pen_peers *peers, bool mutual, const pen_parcels *send, const pen_blocks **received)
{
    rank *self = (rank *)peers;
    self->send = send;
    self->counts.exchanges++;
    pen_status status = make_call(self, mutual ? EXCHANGE_MUTUAL : EXCHANGE);
    if (status == PEN_OK) *received = &self->received;
    return status;
}

static pen_status peers_reduce(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima)
{
    rank *self = (rank *)peers;
    self->sum_count = sum_count;
    self->max_count = max_count;
    self->sums = sums;
    self->maxima = maxima;
    self->counts.reductions++;
    return make_call(self, REDUCE);
}

static pen_status check_blocks(const world *w, int r)
{
    const pen_parcels *send = w->ranks[r].send;
    for (int k = 0; k < send->count; k++) {
        int to = send->ranks[k];
        if (to < 0 || to >= w->size || (k > 0 && to <= send->ranks[k - 1]))
            return pen_fail(PEN_ERR_INTERNAL, "rank %d sends block %d to rank %d of %d: not ascending", r, k, to,
                            w->size);
        if ((k == 0 && send->offsets[0] != 0) || send->offsets[k + 1] < send->offsets[k])
            return pen_fail(PEN_ERR_INTERNAL, "rank %d sends block %d of bad offsets", r, k);
    }
    return PEN_OK;
}

static pen_status peers_group(pen_peers *peers, int64_t count, const int *to, const void *records, size_t size,
                              int64_t *order, const pen_parcels **parcels)
{
    return pen_grouped_make(&((rank *)peers)->grouped, count, to, records, size, order, parcels);
}

static bool sends_to(const pen_parcels *blocks, int to)
{
    return blocks->count > 0 && bsearch(&to, blocks->ranks, (size_t)blocks->count, sizeof to, pen_by_int32);
}

/* In two passes over all blocks in the senders' order: room, then bytes. */
static pen_status do_exchange(world *w, bool mutual)
{
    for (int r = 0; r < w->size; r++) {
        PEN_TRY(check_blocks(w, r));
        const pen_parcels *send = w->ranks[r].send;
        if (!mutual) continue;
        for (int k = 0; k < send->count; k++)
            if (!sends_to(w->ranks[send->ranks[k]].send, r))
                return pen_fail(PEN_ERR_INTERNAL, "rank %d calls its exchange with rank %d mutual: it is not", r,
                                send->ranks[k]);
    }
    pen_blocks *fresh;
    int64_t *bytes;
    PEN_TRY(PEN_ALLOC_ZERO(&fresh, w->size));
    pen_status status = PEN_ALLOC_ZERO(&bytes, w->size);
    for (int r = 0; r < w->size && status == PEN_OK; r++) {
        const pen_parcels *send = w->ranks[r].send;
        for (int k = 0; k < send->count; k++) {
            int64_t size = send->offsets[k + 1] - send->offsets[k];
            if (size == 0 && !mutual) continue;
            fresh[send->ranks[k]].count++;
            bytes[send->ranks[k]] += size;
            w->ranks[r].counts.messages++;
            w->ranks[r].counts.bytes += size;
        }
    }
    for (int r = 0; r < w->size && status == PEN_OK; r++) {
        status = PEN_ALLOC(&fresh[r].ranks, fresh[r].count);
        if (status == PEN_OK) status = PEN_ALLOC_ZERO(&fresh[r].offsets, fresh[r].count + 1);
        if (status == PEN_OK) status = PEN_ALLOC(&fresh[r].data, bytes[r]);
        fresh[r].count = 0;
    }
    for (int r = 0; r < w->size && status == PEN_OK; r++) {
        const pen_parcels *send = w->ranks[r].send;
        for (int k = 0; k < send->count; k++) {
            int64_t size = send->offsets[k + 1] - send->offsets[k];
            if (size == 0 && !mutual) continue;
            pen_blocks *to = &fresh[send->ranks[k]];
            int64_t at = to->offsets[to->count];
            if (size > 0) memcpy(to->data + at, (const unsigned char *)send->data + send->offsets[k], (size_t)size);
            to->ranks[to->count++] = r;
            to->offsets[to->count] = at + size;
        }
    }
    for (int r = 0; r < w->size; r++) {
        if (status == PEN_OK) {
            pen_blocks_free(&w->ranks[r].received);
            w->ranks[r].received = fresh[r];
        } else {
            pen_blocks_free(&fresh[r]);
        }
    }
    PEN_FREE_ALL(fresh, bytes);
    return status;
}

/* Adds rank r + d to rank r, for all r that are multiples of 2 d, at d = 1, 2, 4, ... */
static pen_status do_reduce(world *w)
{
    int sums = w->ranks[0].sum_count, maxima = w->ranks[0].max_count, width = sums + maxima;
    for (int r = 1; r < w->size; r++)
        if (w->ranks[r].sum_count != sums || w->ranks[r].max_count != maxima)
            return pen_fail(PEN_ERR_INTERNAL, "rank %d reduces %d sums and %d maxima, rank 0 %d and %d", r,
                            w->ranks[r].sum_count, w->ranks[r].max_count, sums, maxima);
    double *all;
    PEN_TRY(PEN_ALLOC(&all, (int64_t)w->size * width));
    for (int r = 0; r < w->size; r++)
        for (int i = 0; i < width; i++)
            all[r * width + i] = i < sums ? w->ranks[r].sums[i] : w->ranks[r].maxima[i - sums];
    for (int d = 1; d < w->size; d *= 2)
        for (int r = 0; r + d < w->size; r += 2 * d) {
            double *mine = &all[r * width];
            const double *other = &all[(r + d) * width];
            for (int i = 0; i < sums; i++) mine[i] += other[i];
            for (int i = sums; i < width; i++) mine[i] = other[i] > mine[i] ? other[i] : mine[i];
        }
    for (int r = 0; r < w->size; r++) {
        for (int i = 0; i < sums; i++) w->ranks[r].sums[i] = all[i];
        for (int i = 0; i < maxima; i++) w->ranks[r].maxima[i] = all[sums + i];
    }
    free(all);
    return PEN_OK;
}

/* The status of the call that the ranks are in, once all of them have stopped. */
static pen_status do_call(world *w, const rank *failed, int returned)
{
    if (failed) {
        pen_error_set(w->message);
        return failed->result;
    }
    for (int r = 1; r < w->size; r++)
        if (returned > 0 || w->ranks[r].call != w->ranks[0].call)
            return pen_fail(PEN_ERR_INTERNAL, "ranks make different calls, or some have returned");
    return w->ranks[0].call == REDUCE ? do_reduce(w) : do_exchange(w, w->ranks[0].call == EXCHANGE_MUTUAL);
}

static pen_status schedule(world *w, const int *order)
{
    for (;;) {
        int returned = 0;
        for (int k = 0; k < w->size; k++) {
            rank *r = &w->ranks[order ? order[k] : k];
            if (r->call == RETURNED) continue;
            switch_to_rank(r);
            if (r->call == RETURNED && r->result != PEN_OK && !r->told) {
                bool lowest = true;
                for (int i = 0; i < r->peers.rank && lowest; i++)
                    lowest = w->ranks[i].call != RETURNED || w->ranks[i].result == PEN_OK;
                if (lowest) snprintf(w->message, sizeof w->message, "%s", pen_error_message());
            }
        }
        const rank *failed = NULL;
        for (int r = w->size - 1; r >= 0; r--) {
            returned += w->ranks[r].call == RETURNED;
            if (w->ranks[r].call == RETURNED && w->ranks[r].result != PEN_OK) failed = &w->ranks[r];
        }
        if (returned == w->size) {
            for (int r = 0; r < w->size; r++)
                if (w->ranks[r].told && w->ranks[r].result == PEN_OK)
                    return pen_fail(PEN_ERR_INTERNAL, "rank %d returns 0 although a call has failed", r);
            if (failed && w->message[0]) pen_error_set(w->message);
            return failed ? failed->result : PEN_OK;
        }
        pen_status status = do_call(w, failed, returned);
        for (int r = 0; r < w->size; r++)
            if (w->ranks[r].call != RETURNED) w->ranks[r].result = status;
    }
}

static pen_status start_fiber(world *w, int index)
{
    rank *r = &w->ranks[index];
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, guard + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return pen_fail(PEN_ERR_MEMORY, "no memory for the stack of virtual rank %d", index);
    r->stack = (unsigned char *)memory + guard;
    if (mprotect(r->stack, STACK_BYTES, PROT_READ | PROT_WRITE) != 0 || getcontext(&r->context) != 0)
        return pen_fail(PEN_ERR_MEMORY, "no memory for the stack of virtual rank %d", index);
    r->world = w;
    r->peers = (pen_peers){ .rank = index,
                            .size = w->size,
                            .exchange = peers_exchange,
                            .reduce = peers_reduce,
                            .fail = pen_fail,
                            .group = peers_group,
                            .neighbors = pen_neighbor_ranks,
                            .parse = pen_parse_settings };
    r->context.uc_stack.ss_sp = r->stack;
    r->context.uc_stack.ss_size = STACK_BYTES;
    uintptr_t address = (uintptr_t)r;
    makecontext(&r->context, (void (*)(void))fiber, 2, (unsigned int)(address >> 16 >> 16),
                (unsigned int)(address & 0xffffffffu));
    return PEN_OK;
}

pen_status pen_virtual_run(int ranks, int threads, pen_virtual_function *function, void *context, const int *order,
                           pen_virtual_counts *counts)
{
    PEN_ARGUMENT(ranks >= 1, "%d virtual ranks, must be >= 1", ranks);
    PEN_ARGUMENT(threads >= 1, "virtual ranks on %d threads, must be >= 1", threads);
    world w = { .size = ranks, .function = function, .context = context, .timed = counts != NULL };
    PEN_TRY(PEN_ALLOC_ZERO(&w.ranks, ranks));
    pen_status status = PEN_OK;
    for (int r = 0; r < ranks && status == PEN_OK; r++) status = start_fiber(&w, r);
    if (status == PEN_OK) status = schedule(&w, order);
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    for (int r = 0; r < ranks; r++) {
        if (counts) counts[r] = w.ranks[r].counts;
        pen_blocks_free(&w.ranks[r].received);
        pen_blocks_free(&w.ranks[r].grouped.blocks);
        if (w.ranks[r].stack) munmap(w.ranks[r].stack - guard, guard + STACK_BYTES);
    }
    free(w.ranks);
    return status;
}
