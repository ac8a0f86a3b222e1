/* deliver.c - delivers the messages of a phase. */
#include "base/memory.h"
#include "base/numbers.h"
#include "mail/post.h"
#include "store/ordering.h"

#include <stdlib.h>

/* ---- Senders in ascending order of their gids ------------------------------------------------------ */

/* The messages of one kind that this rank sends, by the senders' gids. */
typedef struct sorted {
    const pen_store *store;
    const pen_outbox *box;
    const pen_lid *by_gid; /* [owned] slots; NULL: ascending */
    int64_t *start;        /* [owned+1] index of a slot's first message */
} sorted;

static pen_lid slot_at(const sorted *s, pen_lid place) { return s->by_gid ? s->by_gid[place] : place; }

static pen_status sort_slots(const pen_run *run, pen_post *post)
{
    const pen_store *store = run->store;
    pen_lid at = 1;
    free(post->by_gid);
    post->by_gid = NULL;
    while (at < store->owned && store->gids[at - 1] < store->gids[at]) at++;
    if (at >= store->owned) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&post->by_gid, store->owned));
    return pen_ordering_by_gid(store, post->by_gid);
}

/* Index an outbox, in which slots ascend. */
static pen_status index_senders(sorted *s)
{
    const pen_outbox *box = s->box;
    const pen_lid owned = s->store->owned;
    int64_t m = 0;
    PEN_TRY(PEN_ALLOC(&s->start, (int64_t)owned + 1));
    for (pen_lid slot = 0; slot < owned; slot++) {
        s->start[slot] = m;
        while (m < box->count && box->from[m] == slot) m++;
    }
    s->start[owned] = m;
    PEN_INVARIANT(m == box->count);
    return PEN_OK;
}

/* ---- Blocks: what a rank sends to another one, kind after kind ------------------------------------ */

/* Messages of one kind in a block: their number, the gids of the senders, the receivers' slots, the messages. */
typedef struct batch {
    int64_t count;
    pen_gid *senders;
    pen_lid *slots;
    unsigned char *records;
} batch;

static int64_t whole_words(int64_t bytes) { return (bytes + 7) / 8 * 8; }

static int64_t batch_bytes(int64_t count, size_t size)
{
    return 8 + 8 * count + whole_words(4 * count) + whole_words(count * (int64_t)size);
}

/* A batch at an address, and the address after it. */
static unsigned char *lay_batch(unsigned char *at, int64_t count, size_t size, batch *b)
{
    b->count = count;
    b->senders = (pen_gid *)(void *)(at + 8);
    b->slots = (pen_lid *)(void *)(b->senders + count);
    b->records = (unsigned char *)b->slots + whole_words(4 * count);
    return at + batch_bytes(count, size);
}

typedef struct delivery {
    pen_run *run;
    pen_post *post;
    uint64_t kinds;  /* set of the kinds that are sent */
    int64_t *counts; /* [kinds*ranks] messages of a kind to a rank */
    sorted *sorted;  /* [kinds] */
} delivery;

#define EACH_KIND(k, d)                        \
    for (int k = 0; k < (d)->post->kinds; k++) \
        if ((d)->kinds >> k & 1)

static int64_t *count_of(const delivery *d, int kind, int rank)
{
    return &d->counts[(int64_t)kind * d->run->comm->size + rank];
}

static void count_messages(delivery *d)
{
    EACH_KIND(k, d)
    {
        const pen_outbox *box = &d->post->out[k];
        int64_t *counts = count_of(d, k, 0), lost = 0;
        for (int64_t m = 0; m < box->count; m++) {
            if (box->to[m] == PEN_NO_PLACE) lost++;
            else counts[pen_mail_rank(box->to[m])]++;
        }
        d->post->coming[k].sent += box->count;
        d->post->coming[k].remote += box->count - lost - counts[d->run->comm->rank];
    }
}

/* Fill the batches for other ranks. */
__attribute__((always_inline)) static inline void pack_sized(const delivery *d, const sorted *s, batch *batches,
                                                             size_t size)
{
    const pen_outbox *box = s->box;
    const int me = d->run->comm->rank;
    for (pen_lid i = 0; i < s->store->owned; i++) {
        const pen_lid slot = slot_at(s, i);
        const pen_gid sender = s->store->gids[slot];
        for (int64_t m = s->start[slot]; m < s->start[slot + 1]; m++) {
            const int rank = pen_mail_rank(box->to[m]);
            if (rank == me || rank < 0) continue;
            batch *b = &batches[rank];
            const int64_t at = b->count++;
            b->senders[at] = sender;
            b->slots[at] = pen_mail_slot(box->to[m]);
            memcpy(b->records + (size_t)at * size, (const char *)box->records + (size_t)m * size, size);
        }
    }
}

/* Let the compiler make a loop for each usual size of messages. */
#define FOR_SIZE(size, call)  \
    switch (size) {           \
    case 4: call(4); break;   \
    case 8: call(8); break;   \
    case 16: call(16); break; \
    case 24: call(24); break; \
    case 32: call(32); break; \
    default: call(size);      \
    }

static void pack(const delivery *d, int k, batch *batches)
{
#define PACK(size_) pack_sized(d, &d->sorted[k], batches, (size_))
    FOR_SIZE(d->post->mails[k].size, PACK)
}

static pen_status make_blocks(delivery *d)
{
    const int ranks = d->run->comm->size, me = d->run->comm->rank;
    int64_t *bytes = NULL;
    batch *batches = NULL;
    pen_status status = PEN_ALLOC_ZERO(&bytes, ranks);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&batches, ranks);
    for (int r = 0; r < ranks && status == PEN_OK; r++) {
        int64_t any = 0;
        EACH_KIND(k, d) any += r == me ? 0 : *count_of(d, k, r);
        EACH_KIND(k, d) if (any) bytes[r] += batch_bytes(*count_of(d, k, r), d->post->mails[k].size);
    }
    if (status == PEN_OK) status = pen_blocks_open_into(ranks, bytes, &d->post->send, &d->post->send_room);
    for (int k = 0; k < d->post->kinds && status == PEN_OK; k++) {
        if (!(d->kinds >> k & 1)) continue;
        for (int i = 0; i < d->post->send.count; i++) {
            const int r = d->post->send.ranks[i];
            unsigned char *at = d->post->send.data + bytes[r];
            const int64_t count = *count_of(d, k, r);
            memcpy(at, &count, sizeof count);
            bytes[r] = lay_batch(at, count, d->post->mails[k].size, &batches[r]) - d->post->send.data;
            batches[r].count = 0;
        }
        pack(d, k, batches);
    }
    PEN_FREE_ALL(bytes, batches);
    return status;
}

/* ---- Sorting: messages that arrive, ascending by sender, and then by the receiver's slot ---------- */

#define NO_SENDER UINT64_MAX

/* Messages of one kind from one rank, ascending by sender. */
typedef struct source {
    uint64_t head; /* the next sender; NO_SENDER: none is left */
    int64_t at;    /* the next message; of this rank: the next place among its sorted senders */
    batch arrived; /* from another rank */
    bool own;      /* from this rank: messages are in the outbox */
} source;

static void advance_own(source *f, const sorted *s)
{
    const pen_lid owned = s->store->owned;
    for (; f->at < owned; f->at++) {
        const pen_lid slot = slot_at(s, (pen_lid)f->at);
        if (s->start[slot] < s->start[slot + 1]) break;
    }
    f->head = f->at < owned ? (uint64_t)s->store->gids[slot_at(s, (pen_lid)f->at)] : NO_SENDER;
}

/* Where messages go: the next place of a slot is first[slot+1]. */
typedef struct sink {
    int64_t *next;
    unsigned char *records;
    pen_gid *senders;
    size_t size;
} sink;

__attribute__((always_inline)) static inline void put(const sink *to, pen_lid slot, pen_gid sender,
                                                      const unsigned char *record, size_t size)
{
    const int64_t at = to->next[slot]++;
    to->senders[at] = sender;
    memcpy(to->records + (size_t)at * size, record, size);
}

/* Messages go to random places: say so some messages before. */
enum { AHEAD = 12 };
__attribute__((always_inline)) static inline void prefetch(const sink *to, pen_lid slot, size_t size)
{
    const int64_t at = to->next[slot];
    __builtin_prefetch(to->senders + at, 1);
    __builtin_prefetch(to->records + (size_t)at * size, 1);
}

/* Put the messages of senders below `limit`. */
__attribute__((always_inline)) static inline void put_own(source *f, const sorted *s, int me, uint64_t limit,
                                                          const sink *to, size_t size)
{
    while (f->head < limit) {
        const pen_lid slot = slot_at(s, (pen_lid)f->at++);
        for (int64_t m = s->start[slot]; m < s->start[slot + 1]; m++) {
            const int64_t place = s->box->to[m];
            if (m + AHEAD < s->box->count && pen_mail_rank(s->box->to[m + AHEAD]) == me)
                prefetch(to, pen_mail_slot(s->box->to[m + AHEAD]), size);
            if (pen_mail_rank(place) == me)
                put(to, pen_mail_slot(place), (pen_gid)f->head,
                    (const unsigned char *)s->box->records + (size_t)m * size, size);
        }
        advance_own(f, s);
    }
}

__attribute__((always_inline)) static inline void put_arrived(source *f, uint64_t limit, const sink *to, size_t size)
{
    const batch *b = &f->arrived;
    int64_t m = f->at;
    for (; m < b->count && (uint64_t)b->senders[m] < limit; m++) {
        if (m + AHEAD < b->count) prefetch(to, b->slots[m + AHEAD], size);
        put(to, b->slots[m], b->senders[m], b->records + (size_t)m * size, size);
    }
    f->at = m;
    f->head = m < b->count ? (uint64_t)b->senders[m] : NO_SENDER;
}

static void put_below(source *f, const sorted *s, int me, uint64_t limit, const sink *to)
{
#define PUT_OWN(size_) put_own(f, s, me, limit, to, (size_))
#define PUT_ARRIVED(size_) put_arrived(f, limit, to, (size_))
    if (f->own) FOR_SIZE(to->size, PUT_OWN)
    else FOR_SIZE(to->size, PUT_ARRIVED)
}

/* Restore the order of a heap of sources, by their heads, below its i-th. */
static void sink_down(source **heap, int count, int i)
{
    for (int child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child + 1]->head < heap[child]->head) child++;
        if (heap[i]->head <= heap[child]->head) return;
        source *up = heap[child];
        heap[child] = heap[i];
        heap[i] = up;
        i = child;
    }
}

/* Put the messages of all sources, ascending by sender. A node has one owner, so that no two sources have a sender. */
static void merge_sources(source **heap, int count, const sorted *s, int me, const sink *to)
{
    for (int i = count / 2; i-- > 0;) sink_down(heap, count, i);
    while (heap[0]->head < NO_SENDER) {
        uint64_t limit = count > 1 ? heap[1]->head : NO_SENDER;
        if (count > 2 && heap[2]->head < limit) limit = heap[2]->head;
        put_below(heap[0], s, me, limit, to);
        sink_down(heap, count, 0);
    }
}

/* Count the messages for each slot, at first[slot+2], and let first[slot+1] be the index of its first one. */
static void count_slots(const sorted *s, int me, const source *sources, int count, int64_t *first)
{
    const pen_lid owned = s->store->owned;
    const pen_outbox *box = s->box;
    memset(first, 0, ((size_t)owned + 2) * sizeof *first);
    for (int64_t m = 0; m < box->count; m++)
        if (pen_mail_rank(box->to[m]) == me) first[pen_mail_slot(box->to[m]) + 2]++;
    for (int i = 1; i < count; i++)
        for (int64_t m = 0; m < sources[i].arrived.count; m++) first[sources[i].arrived.slots[m] + 2]++;
    for (pen_lid slot = 0; slot < owned; slot++) first[slot + 2] += first[slot + 1];
}

/* Add the messages of earlier phases: of equal senders they come first. */
static pen_status merge_earlier(pen_post *post, int k, pen_lid owned)
{
    const pen_letters *early = &post->now[k], *late = &post->next[k];
    pen_letters *to = &post->spare;
    const size_t size = post->mails[k].size;
    int64_t at = 0;
    PEN_TRY(pen_letters_reserve(to, owned, early->first[owned] + late->first[owned], size));
    for (pen_lid slot = 0; slot < owned; slot++) {
        int64_t e = early->first[slot], l = late->first[slot];
        to->first[slot] = at;
        while (e < early->first[slot + 1] || l < late->first[slot + 1]) {
            const bool takes_early = l == late->first[slot + 1] ||
                                     (e < early->first[slot + 1] && early->senders[e] <= late->senders[l]);
            const pen_letters *from = takes_early ? early : late;
            const int64_t m = takes_early ? e++ : l++;
            to->senders[at] = from->senders[m];
            memcpy(to->records + (size_t)at++ * size, from->records + (size_t)m * size, size);
        }
    }
    to->first[owned] = at;
    return PEN_OK;
}

/* All messages of this rank are for their senders, and no others have come: the outbox becomes the mailboxes. */
static pen_status keep_all(delivery *d, int k)
{
    pen_post *post = d->post;
    pen_outbox *box = &post->out[k];
    pen_letters *next = &post->next[k];
    const pen_store *store = d->run->store;
    const size_t size = post->mails[k].size;
    PEN_TRY(pen_letters_reserve(next, store->owned, box->allocated, size));
    memcpy(next->first, d->sorted[k].start, ((size_t)store->owned + 1) * sizeof *next->first);
    for (int64_t m = 0; m < box->count; m++) next->senders[m] = store->gids[box->from[m]];
    void *records = next->records;
    next->records = box->records;
    next->bytes_room = box->allocated * (int64_t)size;
    box->records = records;
    return PEN_OK;
}

static pen_status sort_kind(delivery *d, int k, const batch *arrived, source *sources, source **heap)
{
    pen_post *post = d->post;
    const sorted *s = &d->sorted[k];
    const int me = d->run->comm->rank, count = d->post->received.count + 1;
    const size_t size = post->mails[k].size;
    const bool adds = !(post->receives >> k & 1) && post->now[k].first[s->store->owned] > 0;
    pen_letters *next = &post->next[k];
    int64_t messages = *count_of(d, k, me), came = 0;
    sources[0] = (source){ .own = true };
    advance_own(&sources[0], s);
    for (int i = 1; i < count; i++) {
        sources[i] = (source){ .arrived = arrived[i - 1] };
        sources[i].head = sources[i].arrived.count > 0 ? (uint64_t)sources[i].arrived.senders[0] : NO_SENDER;
        came += sources[i].arrived.count;
    }
    if (post->stays[k] && came == 0 && !adds) return keep_all(d, k);
    for (int i = 0; i < count; i++) heap[i] = &sources[i];
    PEN_TRY(pen_letters_reserve(next, s->store->owned, messages + came, size));
    count_slots(s, me, sources, count, next->first);
    const sink to = { next->first + 1, next->records, next->senders, size };
    merge_sources(heap, count, s, me, &to);
    if (!adds) return PEN_OK;
    PEN_TRY(merge_earlier(post, k, s->store->owned));
    const pen_letters merged = post->spare;
    post->spare = *next;
    *next = merged;
    return PEN_OK;
}

static pen_status sort_arrived(delivery *d)
{
    const int count = d->post->received.count;
    batch *arrived = NULL;
    source *sources = NULL, **heap = NULL;
    int64_t *at = NULL; /* [count] the next batch of each block */
    pen_status status = PEN_ALLOC(&arrived, count);
    if (status == PEN_OK) status = PEN_ALLOC(&sources, (int64_t)count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&heap, (int64_t)count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&at, count);
    for (int i = 0; i < count && status == PEN_OK; i++) at[i] = d->post->received.offsets[i];
    for (int k = 0; k < d->post->kinds && status == PEN_OK; k++) {
        if (!(d->kinds >> k & 1)) continue;
        for (int i = 0; i < count; i++) {
            unsigned char *begin = d->post->received.data + at[i];
            int64_t messages;
            memcpy(&messages, begin, sizeof messages);
            at[i] = lay_batch(begin, messages, d->post->mails[k].size, &arrived[i]) - d->post->received.data;
        }
        status = sort_kind(d, k, arrived, sources, heap);
    }
    PEN_FREE_ALL(arrived, sources, heap, at);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------------ */

/* Local. Group this rank's messages by owner. */
static pen_status prepare(delivery *d)
{
    pen_post *post = d->post;
    PEN_TRY(PEN_ALLOC_ZERO(&d->counts, (int64_t)post->kinds * d->run->comm->size));
    EACH_KIND(k, d)
    {
        d->sorted[k] = (sorted){ d->run->store, &post->out[k], post->by_gid, NULL };
        PEN_TRY(index_senders(&d->sorted[k]));
    }
    count_messages(d);
    return make_blocks(d);
}

static pen_status lacks_memory(const pen_post *post, uint64_t kinds, const pen_phase *phase)
{
    for (int k = 0; k < post->kinds; k++)
        if (kinds >> k & 1 && post->out[k].lacks)
            return pen_fail(PEN_ERR_MEMORY, "out of memory for mail of kind %s (phase %s)", post->mails[k].name,
                            phase->name);
    return PEN_OK;
}

static pen_status deliver(delivery *d, const pen_phase *phase)
{
    pen_post *post = d->post;
    pen_run *run = d->run;
    pen_status status = lacks_memory(post, d->kinds, phase);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&d->sorted, post->kinds);
    if (status == PEN_OK && post->version != run->renewed) status = sort_slots(run, post);
    PEN_TRY(pen_mail_find(run, post, status, phase));
    status = prepare(d);
    PEN_TRY(pen_sparse_exchange_into(run->comm, status, &post->send, &post->received, &post->received_room));
    return pen_agree(run->comm, sort_arrived(d));
}

pen_status pen_mail_deliver(pen_run *run, pen_post *post, const pen_phase *phase)
{
    delivery d = { run, post, .kinds = phase->sends.bits };
    const double start = pen_seconds_now();
    const uint64_t begun = pen_ticks();
    pen_mark_doing("delivering mail");
    const pen_status status = deliver(&d, phase);
    if (status == PEN_OK) post->made = d.kinds;
    for (int k = 0; d.sorted && k < post->kinds; k++) free(d.sorted[k].start);
    PEN_FREE_ALL(d.counts, d.sorted);
    run->timers.ticks[PEN_TIME_COMMUNICATE] += pen_ticks() - begun;
    post->seconds += pen_seconds_now() - start;
    return status;
}
