/* sort.c - sorts messages that have arrived, by the receiver's slot and then by sender, into mailboxes. */
#include "mail/batch.h"
#include "mail/post.h"

#include <stdlib.h>

#define NO_SENDER UINT64_MAX

/* The outbox, if its messages to own nodes are in no batch. */
typedef struct own_mail {
    const pen_outbox *box;
    const pen_lid *by_gid; /* as in pen_post */
    const pen_gid *gids;
    pen_lid at, owned; /* the next sender, and the number of all, ascending by gid */
    int rank;
} own_mail;

/* Messages from one rank, ascending by sender, in the bin in progress. */
typedef struct source {
    uint64_t head;                 /* the next sender; NO_SENDER: none is left */
    const unsigned char *at, *end; /* the next message, and the end of the bin */
    const pen_batch *batch;
    own_mail *own; /* NULL: they are in the batch */
} source;

static pen_lid sender_slot(const own_mail *own) { return own->by_gid ? own->by_gid[own->at] : own->at; }

static void look(source *f)
{
    if (f->own) f->head = f->own->at < f->own->owned ? (uint64_t)f->own->gids[sender_slot(f->own)] : NO_SENDER;
    else f->head = f->at < f->end ? (uint64_t)pen_message_sender(f->at) : NO_SENDER;
}

/* Where messages go: the next place of a slot is next[slot]. */
typedef struct sink {
    int64_t *next;
    unsigned char *records;
    pen_gid *senders;
    size_t size;
} sink;

/* Put the messages of senders below `limit`. */
__attribute__((always_inline)) static inline void put_sized(source *f, uint64_t limit, const sink *to, size_t size)
{
    const unsigned char *m = f->at;
    int64_t *next = to->next;
    pen_gid *senders = to->senders;
    unsigned char *records = to->records;
    for (; m < f->end; m += PEN_MESSAGE_HEAD + size) {
        const pen_gid sender = pen_message_sender(m);
        if ((uint64_t)sender >= limit) break;
        const int64_t at = next[pen_message_slot(m)]++;
        senders[at] = sender;
        memcpy(records + (size_t)at * size, m + PEN_MESSAGE_HEAD, size);
    }
    f->at = m;
    look(f);
}

__attribute__((always_inline)) static inline void put_own_sized(source *f, uint64_t limit, const sink *to, size_t size)
{
    own_mail *own = f->own;
    const pen_outbox *box = own->box;
    int64_t *next = to->next;
    pen_gid *senders = to->senders;
    unsigned char *records = to->records;
    for (; own->at < own->owned; own->at++) {
        const pen_lid slot = sender_slot(own);
        const pen_gid sender = own->gids[slot];
        if ((uint64_t)sender >= limit) break;
        for (int64_t m = box->first[slot], end = box->first[slot + 1]; m < end; m++) {
            const int64_t place = box->to[m];
            if (pen_mail_rank(place) != own->rank) continue;
            const int64_t at = next[pen_mail_slot(place)]++;
            senders[at] = sender;
            memcpy(records + (size_t)at * size, (const char *)box->records + (size_t)m * size, size);
        }
    }
    look(f);
}

static void put_below(source *f, uint64_t limit, const sink *to)
{
#define PUT(size_) put_sized(f, limit, to, (size_))
#define PUT_OWN(size_) put_own_sized(f, limit, to, (size_))
    if (f->own) PEN_FOR_SIZE(to->size, PUT_OWN)
    else PEN_FOR_SIZE(to->size, PUT)
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
static void merge_sources(source **heap, int count, const sink *to)
{
    for (int i = count / 2; i-- > 0;) sink_down(heap, count, i);
    while (heap[0]->head < NO_SENDER) {
        uint64_t limit = count > 1 ? heap[1]->head : NO_SENDER;
        if (count > 2 && heap[2]->head < limit) limit = heap[2]->head;
        put_below(heap[0], limit, to);
        sink_down(heap, count, 0);
    }
}

/* Count the messages in batches for the slots [low, high), and those that first[slot+2] has already. Then first[slot+1]
 * becomes the index of a slot's first message, and first[low+1] is it already. */
static void count_slots(const source *sources, int count, size_t size, int64_t low, int64_t high, int64_t *first)
{
    for (int i = 0; i < count; i++)
        for (const unsigned char *m = sources[i].at; m < sources[i].end; m += PEN_MESSAGE_HEAD + size)
            first[pen_message_slot(m) + 2]++;
    for (int64_t slot = low; slot < high; slot++) first[slot + 2] += first[slot + 1];
}

/* `straight`: first[slot+2] has the number of messages that are in no batch. */
static void sort_bins(source *sources, source **heap, int count, pen_bins bins, pen_lid owned, int64_t *first,
                      const sink *to, bool straight)
{
    first[0] = first[1] = 0;
    for (int bin = 0; bin < bins.count; bin++) {
        const int64_t low = (int64_t)bin << bins.shift, end = low + (INT64_C(1) << bins.shift);
        const int64_t high = end < owned ? end : owned;
        for (int i = 0; i < count; i++) {
            source *f = heap[i] = &sources[i];
            if (f->batch) f->end = f->at + pen_batch_count(f->batch, bin) * pen_message_bytes(to->size);
            look(f);
        }
        for (int64_t slot = low; slot < high && !straight; slot++) first[slot + 2] = 0;
        count_slots(sources, count, to->size, low, high, first);
        if (count > 0) merge_sources(heap, count, to);
    }
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

pen_status pen_mail_sort(const pen_run *run, pen_post *post, int k, int64_t messages, int count,
                         const pen_batch *batches)
{
    const pen_lid owned = run->store->owned;
    const size_t size = post->mails[k].size;
    pen_letters *next = &post->next[k];
    own_mail own = { &post->out[k], post->by_gid, run->store->gids, 0, owned, run->comm->rank };
    source *sources = NULL, **heap = NULL;
    pen_status status = pen_letters_reserve(next, owned, messages, size);
    if (status == PEN_OK) status = PEN_ALLOC(&sources, (int64_t)count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&heap, (int64_t)count + 1);
    for (int i = 0; i < count && status == PEN_OK; i++)
        sources[i] = (source){ .at = batches[i].messages, .batch = &batches[i] };
    if (status == PEN_OK) {
        const sink to = { next->first + 1, next->records, next->senders, size };
        const bool straight = pen_mail_straight(post, k);
        if (straight) sources[count++] = (source){ .own = &own };
        sort_bins(sources, heap, count, post->bins[k], owned, next->first, &to, straight);
    }
    PEN_FREE_ALL(sources, heap);
    if (status != PEN_OK || !pen_mail_adds(post, k, owned)) return status;
    PEN_TRY(merge_earlier(post, k, owned));
    const pen_letters merged = post->spare;
    post->spare = *next;
    *next = merged;
    return PEN_OK;
}
