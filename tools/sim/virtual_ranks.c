/* virtual_ranks.c - runs many ranks as fibers in one process, and implements pen_peers for them. */
#include "tools/sim/virtual_ranks.h"
#include "base/memory.h"
#include "tools/sim/fibers.h"
#include "view/peers.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

enum { MOST_THREADS = 64 };
#define LONG_TURN 20e-6 /* seconds; a thread that loses its core does so for longer */

typedef enum call { EXCHANGE, EXCHANGE_MUTUAL, REDUCE } call;

typedef struct world world;
typedef struct share share;

/* What an exchange delivers; its arrays have room for so much. */
typedef struct inbox {
    pen_blocks blocks;
    int64_t rank_room, offset_room, data_room;
} inbox;

typedef struct rank {
    pen_peers peers; /* first: a pen_peers * is a rank * */
    share *share;
    bool returned, told; /* that a call failed */
    pen_status result;   /* once it has returned */
    pen_parcels send;    /* sent in this call; stored near the other members */
    inbox inboxes[2];    /* in turn: it may send from the one what comes into the other */
    pen_grouped grouped;
    int sum_count, max_count;
    double *sums, *maxima;
    pen_virtual_counts counts;
    pen_fiber fiber;
} rank;

/* Neighbouring ranks that a thread carries. */
struct share {
    world *world;
    int first, end;    /* its ranks; and where they are among the turns */
    int turn;          /* of the next rank */
    int returned;      /* how many */
    unsigned calls;    /* that were made in this round, a bit for each kind */
    double began;      /* when the one that runs did */
    double clock;      /* the thread's processor time when it was read last, */
    double told;       /* and the part of the time since then that ranks have been charged */
    int failed;        /* the lowest rank that failed by itself, if `status` is a failure */
    pen_status status; /* its own, and its sentence */
    char message[1024];
    pen_fiber thread;
};

struct world {
    int size, threads;
    rank *ranks;
    int *turns; /* [size] the ranks, share by share */
    share *shares;
    pen_stacks stacks;
    pen_virtual_function *function;
    void *context;
    bool timed; /* reading the clock is a system call: only if needed */

    /* Between rounds, while all ranks have stopped. */
    bool over;
    call call;
    int box; /* which of a rank's inboxes is the new one */
    double *values;
    int64_t value_room;
    pen_status status; /* of the first call that failed, and of all from then on */
    char message[1024];

    pthread_mutex_t lock;
    pthread_cond_t all_met;
    int arrived;
    int64_t meetings;
};

/* ---- Turns ----------------------------------------------------------------------------------- */

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void start_clocks(share *s)
{
    s->clock = seconds(CLOCK_THREAD_CPUTIME_ID);
    s->began = seconds(CLOCK_MONOTONIC);
    s->told = 0.0;
}

/* The time of the turn that ends. Processor time needs a system call, which takes as long as most turns. So turns are
 * timed by the time of day; only after a long turn is processor time read, since the thread may have waited for a core.
 */
static double end_turn(share *s)
{
    double now = seconds(CLOCK_MONOTONIC), took = now - s->began;
    if (took > LONG_TURN) {
        double clock = seconds(CLOCK_THREAD_CPUTIME_ID);
        took = fmax(clock - s->clock - s->told, 0.0);
        s->clock = clock;
        s->told = 0.0;
    } else {
        s->told += took;
    }
    s->began = now;
    return took;
}

/* The lowest rank's failure is the one that counts, whichever comes first. */
static void note_failure(share *s, int who, pen_status status)
{
    if (s->status != PEN_OK && s->failed < who) return;
    s->failed = who;
    s->status = status;
    snprintf(s->message, sizeof s->message, "%s", pen_error_message());
}

/* The next rank of a share in this round; after the last one the thread. */
static pen_fiber *next_fiber(share *s)
{
    while (s->turn < s->end) {
        rank *r = &s->world->ranks[s->world->turns[s->turn++]];
        if (!r->returned) return &r->fiber;
    }
    return &s->thread;
}

static void stop(rank *self)
{
    share *s = self->share;
    if (s->world->timed) self->counts.seconds += end_turn(s);
    pen_fiber_switch(&self->fiber, next_fiber(s), self->returned);
}

static void live(void *argument)
{
    rank *self = argument;
    const world *w = self->share->world;
    self->result = w->function(w->context, &self->peers);
    if (self->result != PEN_OK && !self->told) note_failure(self->share, self->peers.rank, self->result);
    self->returned = true;
    self->share->returned++;
    stop(self);
}

static pen_status make_call(rank *self, call which)
{
    self->share->calls |= 1u << which;
    stop(self);
    self->told = self->share->world->status != PEN_OK;
    return self->share->world->status;
}

/* Until each rank of the share has made a call or returned. */
static void run(share *s)
{
    s->turn = s->first;
    s->calls = 0;
    if (s->world->timed) start_clocks(s);
    if (s->returned < s->end - s->first) pen_fiber_switch(&s->thread, next_fiber(s), false);
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

/* The position of rank `to` among the receivers of blocks, or where it would be inserted. */
static int find_block(const pen_parcels *blocks, int to)
{
    int low = 0, high = blocks->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (blocks->ranks[middle] < to) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int64_t block_bytes(const pen_parcels *blocks, int k) { return blocks->offsets[k + 1] - blocks->offsets[k]; }

static void free_inbox(inbox *box)
{
    pen_blocks_free(&box->blocks);
    *box = (inbox){ .rank_room = 0 };
}

/* A malformed call fails on its rank at once, and on other ranks with their own call; what it passes is not read. */
static pen_status refuse(rank *self, pen_status status)
{
    if (status == PEN_OK) return PEN_OK;
    note_failure(self->share, self->peers.rank, status);
    self->told = true;
    return status;
}

static pen_status peers_exchange(pen_peers *peers, bool mutual, const pen_parcels *send, const pen_blocks **received)
{
    rank *self = (rank *)peers;
    PEN_TRY(refuse(self, pen_peers_check_blocks(peers, send)));
    self->send = *send;
    self->counts.exchanges++;
    for (int k = 0; k < send->count; k++) {
        self->counts.messages += mutual || block_bytes(send, k) > 0;
        self->counts.bytes += block_bytes(send, k);
    }
    PEN_TRY(make_call(self, mutual ? EXCHANGE_MUTUAL : EXCHANGE));
    int box = self->share->world->box;
    if (PEN_FIBERS_ARE_ANNOTATED) free_inbox(&self->inboxes[!box]); /* a later access to it is detected */
    *received = &self->inboxes[box].blocks;
    return PEN_OK;
}

/* Room for another block, of so many bytes; the last offset is set. */
static pen_status make_room(inbox *box, int64_t bytes)
{
    pen_blocks *b = &box->blocks;
    PEN_TRY(pen_reserve(&b->ranks, sizeof *b->ranks, b->count + 1, &box->rank_room));
    PEN_TRY(pen_reserve(&b->offsets, sizeof *b->offsets, b->count + 2, &box->offset_room));
    if (b->count == 0) b->offsets[0] = 0;
    return pen_reserve(&b->data, 1, b->offsets[b->count] + bytes, &box->data_room);
}

/* Block k of what rank `from` sends. */
static pen_status deliver(const world *w, int from, int k, rank *to)
{
    const pen_parcels *send = &w->ranks[from].send;
    pen_blocks *b = &to->inboxes[w->box].blocks;
    int64_t bytes = block_bytes(send, k);
    PEN_TRY(make_room(&to->inboxes[w->box], bytes));
    int64_t at = b->offsets[b->count];
    if (bytes > 0) memcpy(b->data + at, (const unsigned char *)send->data + send->offsets[k], (size_t)bytes);
    b->ranks[b->count++] = from;
    b->offsets[b->count] = at + bytes;
    return PEN_OK;
}

/* A rank's partners are those that it sends to. */
static pen_status deliver_mutual(const world *w, rank *to)
{
    for (int k = 0; k < to->send.count; k++) {
        int from = to->send.ranks[k];
        const pen_parcels *send = &w->ranks[from].send;
        int there = find_block(send, to->peers.rank);
        if (there == send->count || send->ranks[there] != to->peers.rank)
            return pen_fail(PEN_ERR_INTERNAL, "rank %d calls its exchange with rank %d mutual: it is not",
                            to->peers.rank, from);
        PEN_TRY(deliver(w, from, there, to));
    }
    return PEN_OK;
}

/* Everybody's blocks for ranks of the share, in the senders' order. */
static pen_status deliver_any(const share *s)
{
    const world *w = s->world;
    for (int r = 0; r < w->size; r++) {
        const pen_parcels *send = &w->ranks[r].send;
        for (int k = find_block(send, s->first); k < send->count && send->ranks[k] < s->end; k++)
            if (block_bytes(send, k) > 0) PEN_TRY(deliver(w, r, k, &w->ranks[send->ranks[k]]));
    }
    return PEN_OK;
}

static void exchange(share *s)
{
    const world *w = s->world;
    pen_status status = PEN_OK;
    for (int r = s->first; r < s->end && status == PEN_OK; r++) {
        inbox *box = &w->ranks[r].inboxes[w->box];
        box->blocks.count = 0;
        status = make_room(box, 1); /* no array is NULL */
        if (status == PEN_OK && w->call == EXCHANGE_MUTUAL) status = deliver_mutual(w, &w->ranks[r]);
        if (status != PEN_OK) note_failure(s, r, status);
    }
    if (status == PEN_OK && w->call == EXCHANGE) status = deliver_any(s);
    if (status != PEN_OK) note_failure(s, s->first, status);
}

/* ---- Reductions ------------------------------------------------------------------------------ */

static pen_status peers_reduce(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima)
{
    rank *self = (rank *)peers;
    PEN_TRY(refuse(self, pen_peers_check_counts(sum_count, max_count)));
    self->sum_count = sum_count;
    self->max_count = max_count;
    self->sums = sums;
    self->maxima = maxima;
    self->counts.reductions++;
    PEN_TRY(make_call(self, REDUCE));
    const double *values = self->share->world->values;
    for (int i = 0; i < sum_count; i++) sums[i] = values[i];
    for (int i = 0; i < max_count; i++) maxima[i] = values[sum_count + i];
    return PEN_OK;
}

static void gather(share *s)
{
    const world *w = s->world;
    int sums = w->ranks[0].sum_count, maxima = w->ranks[0].max_count;
    for (int r = s->first; r < s->end; r++) {
        const rank *own = &w->ranks[r];
        double *values = w->values + (int64_t)r * (sums + maxima);
        if (own->sum_count != sums || own->max_count != maxima) {
            note_failure(s, r,
                         pen_fail(PEN_ERR_INTERNAL, "rank %d reduces %d sums and %d maxima, rank 0 %d and %d", r,
                                  own->sum_count, own->max_count, sums, maxima));
            return;
        }
        for (int i = 0; i < sums; i++) values[i] = own->sums[i];
        for (int i = 0; i < maxima; i++) values[sums + i] = own->maxima[i];
    }
}

/* Adds rank r + d to rank r, for all r that are multiples of 2 d, at d = 1, 2, 4, ... */
static void add_up(const world *w)
{
    int sums = w->ranks[0].sum_count, width = sums + w->ranks[0].max_count;
    for (int64_t d = 1; d < w->size; d *= 2)
        for (int64_t r = 0; r + d < w->size; r += 2 * d) {
            double *mine = &w->values[r * width];
            const double *other = &w->values[(r + d) * width];
            for (int i = 0; i < sums; i++) mine[i] += other[i];
            for (int i = sums; i < width; i++) mine[i] = other[i] > mine[i] ? other[i] : mine[i];
        }
}

static pen_status peers_group(pen_peers *peers, int64_t count, const int *to, const void *records, size_t size,
                              int64_t *order, const pen_parcels **parcels)
{
    return pen_grouped_make(&((rank *)peers)->grouped, count, to, records, size, order, parcels);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Wait for all threads; then the last one does something for all of them. */
static void meet(world *w, void (*alone)(world *))
{
    pthread_mutex_lock(&w->lock);
    int64_t meeting = w->meetings;
    w->arrived++;
    if (w->arrived == w->threads) {
        alone(w);
        w->arrived = 0;
        w->meetings++;
        pthread_cond_broadcast(&w->all_met);
    }
    while (w->meetings == meeting) pthread_cond_wait(&w->all_met, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

static void fail_all(world *w, pen_status status, const char *message)
{
    if (w->status == PEN_OK) snprintf(w->message, sizeof w->message, "%s", message);
    if (w->status == PEN_OK) w->status = status;
}

static void look_for_failures(world *w)
{
    for (int t = 0; t < w->threads; t++)
        if (w->shares[t].status != PEN_OK) fail_all(w, w->shares[t].status, w->shares[t].message);
}

static pen_status prepare_call(world *w, unsigned calls, int returned)
{
    if (returned > 0 || (calls & (calls - 1)) != 0)
        return pen_fail(PEN_ERR_INTERNAL, "ranks make different calls, or some have returned");
    w->call = calls >> REDUCE ? REDUCE : (call)(calls >> EXCHANGE_MUTUAL);
    if (w->call != REDUCE) w->box = !w->box;
    int64_t width = (int64_t)w->ranks[0].sum_count + w->ranks[0].max_count;
    return w->call == REDUCE ? pen_reserve(&w->values, sizeof *w->values, w->size * width, &w->value_room) : PEN_OK;
}

/* All have stopped: what have they called? */
static void judge(world *w)
{
    unsigned calls = 0;
    int returned = 0;
    for (int t = 0; t < w->threads; t++) {
        calls |= w->shares[t].calls;
        returned += w->shares[t].returned;
    }
    look_for_failures(w);
    w->over = returned == w->size;
    if (w->over || w->status != PEN_OK) return;
    pen_status status = prepare_call(w, calls, returned);
    if (status != PEN_OK) fail_all(w, status, pen_error_message());
}

static void conclude(world *w)
{
    look_for_failures(w);
    if (w->status == PEN_OK && w->call == REDUCE) add_up(w);
}

static void carry_out(share *s)
{
    if (s->world->call == REDUCE) gather(s);
    else exchange(s);
    meet(s->world, conclude);
}

static void start_rank(share *s, int index)
{
    world *w = s->world;
    rank *r = &w->ranks[index];
    r->share = s;
    r->peers = (pen_peers){ .rank = index,
                            .size = w->size,
                            .exchange = peers_exchange,
                            .reduce = peers_reduce,
                            .fail = pen_fail,
                            .group = peers_group,
                            .neighbors = pen_neighbor_ranks };
    pen_fiber_start(&r->fiber, &w->stacks, index, live, r);
}

/* What a thread does. */
static void *carry(void *argument)
{
    share *s = argument;
    world *w = s->world;
    pthread_mutex_lock(&w->lock); /* until the shares are dealt out */
    pthread_mutex_unlock(&w->lock);
    for (int r = s->first; r < s->end; r++) start_rank(s, r);
    for (;;) {
        run(s);
        meet(w, judge);
        if (w->over) return NULL;
        if (w->status == PEN_OK) carry_out(s);
        if (w->status != PEN_OK) pen_error_set(w->message);
    }
}

/* ---- Together -------------------------------------------------------------------------------- */

/* Neighbouring ranks to each thread, in the order that was asked for. */
static void deal_out(world *w, const int *order)
{
    for (int t = 0; t < w->threads; t++) {
        share *s = &w->shares[t];
        s->first = (int)((int64_t)w->size * t / w->threads);
        s->end = (int)((int64_t)w->size * (t + 1) / w->threads);
        int turn = s->first;
        for (int k = 0; k < w->size; k++) {
            int r = order ? order[k] : k;
            if (r >= s->first && r < s->end) w->turns[turn++] = r;
        }
    }
}

/* On as many threads as there are; this thread is the first. */
static void carry_all(world *w, int threads, const int *order)
{
    pthread_t others[MOST_THREADS];
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->all_met, NULL);
    pthread_mutex_lock(&w->lock);
    for (int t = 0; t < threads; t++) w->shares[t].world = w;
    w->threads = 1;
    while (w->threads < threads && pthread_create(&others[w->threads], NULL, carry, &w->shares[w->threads]) == 0)
        w->threads++;
    deal_out(w, order);
    pthread_mutex_unlock(&w->lock);
    carry(&w->shares[0]);
    for (int t = 1; t < w->threads; t++) pthread_join(others[t], NULL);
    pthread_cond_destroy(&w->all_met);
    pthread_mutex_destroy(&w->lock);
}

static pen_status result_of(const world *w)
{
    for (int r = 0; r < w->size; r++)
        if (w->ranks[r].told && w->ranks[r].result == PEN_OK)
            return pen_fail(PEN_ERR_INTERNAL, "rank %d returns 0 although a call has failed", r);
    if (w->status != PEN_OK) pen_error_set(w->message);
    return w->status;
}

pen_status pen_virtual_run(int ranks, int threads, pen_virtual_function *function, void *context, const int *order,
                           pen_virtual_counts *counts)
{
    PEN_ARGUMENT(ranks >= 1, "%d virtual ranks, must be >= 1", ranks);
    PEN_ARGUMENT(threads >= 1, "virtual ranks on %d threads, must be >= 1", threads);
    if (threads > ranks) threads = ranks;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    world w = { .size = ranks, .function = function, .context = context, .timed = counts != NULL };
    pen_status status = PEN_ALLOC_ZERO(&w.ranks, ranks);
    if (status == PEN_OK) status = PEN_ALLOC(&w.turns, ranks);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&w.shares, threads);
    if (status == PEN_OK) status = pen_stacks_take(ranks, &w.stacks);
    if (status == PEN_OK) {
        carry_all(&w, threads, order);
        pen_stacks_give(&w.stacks);
        status = result_of(&w);
    }
    for (int r = 0; w.ranks && r < ranks; r++) {
        if (counts) counts[r] = w.ranks[r].counts;
        for (int box = 0; box < 2; box++) pen_blocks_free(&w.ranks[r].inboxes[box].blocks);
        pen_blocks_free(&w.ranks[r].grouped.blocks);
    }
    PEN_FREE_ALL(w.ranks, w.turns, w.shares, w.values);
    return status;
}
