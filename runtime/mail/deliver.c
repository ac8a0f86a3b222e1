/* deliver.c - delivers the messages of a phase. */
#include "base/memory.h"
#include "base/numbers.h"
#include "mail/batch.h"
#include "mail/post.h"
#include "store/ordering.h"

#include <stdlib.h>

/* ---- Senders in ascending order of their gids ------------------------------------------------------ */

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

/* ---- Batches that this rank sends ------------------------------------------------------------------ */

typedef struct delivery {
    pen_run *run;
    pen_post *post;
    uint64_t kinds;   /* set of the kinds that are sent */
    int64_t **counts; /* [kinds][ranks*bins] messages for each bin of each rank; NULL: all stay */
    int64_t *bytes;   /* [ranks] bytes for each other rank, and then where the next batch for it goes */
    bool pulled;      /* what has come was pulled */
} delivery;

#define EACH_KIND(k, d)                        \
    for (int k = 0; k < (d)->post->kinds; k++) \
        if ((d)->kinds >> k & 1)

/* Divide slots into bins, on all ranks in the same way. Messages of a bin, and its mailboxes, fit into a cache; and the
 * bins of all ranks, which are filled at the same time, are not too many. If most messages go near the one before,
 * one bin is faster. */
static pen_bins divide(const delivery *d, int k)
{
    enum { MOST_BINS = 1024, FEW = 8 };
    const pen_post *post = d->post;
    const int64_t owned = post->most[PEN_MOST_OWNED], sent = post->most[PEN_MOST_SENT + k];
    int64_t bins = sent * pen_message_bytes(post->mails[k].size) / pen_mail_bin_bytes;
    if (bins > MOST_BINS / d->run->comm->size) bins = MOST_BINS / d->run->comm->size;
    if (bins < 1 || FEW * post->most[PEN_MOST_SENT + post->kinds + k] <= sent) bins = 1;
    int shift = 0;
    while (owned > bins << shift) shift++;
    const int64_t used = (owned + (INT64_C(1) << shift) - 1) >> shift;
    return (pen_bins){ shift, used > 0 ? (int)used : 1 };
}

static int64_t sum(const int64_t *counts, int count)
{
    int64_t total = 0;
    for (int i = 0; i < count; i++) total += counts[i];
    return total;
}

static int64_t bin_of(pen_bins bins, int64_t place)
{
    return (int64_t)pen_mail_rank(place) * bins.count + (pen_mail_slot(place) >> bins.shift);
}

/* Count the messages to other ranks, and those to own nodes for each slot. */
static pen_status count_straight(const delivery *d, int k)
{
    const pen_outbox *box = &d->post->out[k];
    pen_letters *next = &d->post->next[k];
    const pen_lid owned = d->run->store->owned;
    const int me = d->run->comm->rank;
    int64_t own = 0;
    PEN_TRY(pen_letters_reserve(next, owned, 0, box->kind->size));
    memset(next->first, 0, ((size_t)owned + 2) * sizeof *next->first);
    for (int64_t m = 0; m < box->count; m++) {
        const int64_t place = box->to[m];
        if (pen_mail_rank(place) == me) {
            next->first[pen_mail_slot(place) + 2]++;
            own++;
        } else if (place != PEN_NO_PLACE) d->counts[k][pen_mail_rank(place)]++;
    }
    d->counts[k][me] = own;
    return PEN_OK;
}

static pen_status count_messages(delivery *d, int k)
{
    const pen_outbox *box = &d->post->out[k];
    const int ranks = d->run->comm->size;
    const pen_bins bins = d->post->bins[k];
    PEN_TRY(PEN_ALLOC_ZERO(&d->counts[k], (int64_t)ranks * bins.count));
    if (pen_mail_straight(d->post, k)) return count_straight(d, k);
    for (int64_t m = 0; m < box->count; m++)
        if (box->to[m] != PEN_NO_PLACE) d->counts[k][bin_of(bins, box->to[m])]++;
    return PEN_OK;
}

/* The number of messages of a kind to a rank. */
static int64_t messages_to(const delivery *d, int k, int rank)
{
    const int bins = d->post->bins[k].count;
    return d->counts[k] ? sum(d->counts[k] + (int64_t)rank * bins, bins) : 0;
}

static int64_t bytes_to(const delivery *d, int k, int rank)
{
    return pen_batch_bytes(d->post->bins[k], messages_to(d, k, rank), d->post->mails[k].size);
}

static void count_kind(const delivery *d, int k)
{
    pen_mail_counts *counts = &d->post->coming[k];
    counts->sent += d->post->out[k].count;
    for (int r = 0; r < d->run->comm->size; r++) counts->remote += r == d->run->comm->rank ? 0 : messages_to(d, k, r);
}

/* Begin the batch for a rank at an address: its counts, and where each bin's next message goes. */
static void begin_batch(const delivery *d, int k, int rank, unsigned char *at, unsigned char **next)
{
    const int bins = d->post->bins[k].count;
    const int64_t *counts = d->counts[k] + (int64_t)rank * bins;
    memcpy(at, counts, (size_t)bins * sizeof *counts);
    at += (size_t)bins * sizeof *counts;
    for (int bin = 0; bin < bins; bin++) {
        next[(int64_t)rank * bins + bin] = at;
        at += counts[bin] * pen_message_bytes(d->post->mails[k].size);
    }
}

__attribute__((always_inline)) static inline void fill_sized(const delivery *d, int k, unsigned char **next,
                                                             size_t size)
{
    const pen_post *post = d->post;
    const pen_store *store = d->run->store;
    const pen_outbox *box = &post->out[k];
    const pen_bins bins = post->bins[k];
    const int none = pen_mail_straight(post, k) ? d->run->comm->rank : -1; /* the rank without a batch */
    for (pen_lid i = 0; i < store->owned; i++) {
        const pen_lid slot = post->by_gid ? post->by_gid[i] : i;
        const pen_gid sender = store->gids[slot];
        for (int64_t m = box->first[slot], end = box->first[slot + 1]; m < end; m++) {
            const int64_t place = box->to[m];
            if (pen_mail_rank(place) == none || place == PEN_NO_PLACE) continue;
            unsigned char **at = &next[bin_of(bins, place)];
            pen_message_write(*at, sender, pen_mail_slot(place), (const char *)box->records + (size_t)m * size, size);
            *at += PEN_MESSAGE_HEAD + size;
        }
    }
}

/* Write the messages of a kind into the batches. */
static void fill(const delivery *d, int k, unsigned char **next)
{
#define FILL(size_) fill_sized(d, k, next, (size_))
    PEN_FOR_SIZE(d->post->mails[k].size, FILL)
}

/* Write the batches of a kind: that for this rank, if it needs one, and those for others at d->bytes in `send`, unless
 * that is NULL. */
static pen_status write_batches(delivery *d, int k, const pen_blocks *send)
{
    pen_post *post = d->post;
    const int me = d->run->comm->rank;
    const bool straight = pen_mail_straight(post, k);
    unsigned char **next; /* [ranks*bins] where the next message goes */
    if (straight && (!send || send->count == 0)) return PEN_OK;
    if (!straight) PEN_TRY(pen_reserve(&post->own[k], 1, bytes_to(d, k, me), &post->own_room[k]));
    PEN_TRY(PEN_ALLOC(&next, (int64_t)d->run->comm->size * post->bins[k].count));
    if (!straight) begin_batch(d, k, me, post->own[k], next);
    for (int i = 0; send && i < send->count; i++) {
        const int r = send->ranks[i];
        begin_batch(d, k, r, send->data + d->bytes[r], next);
        d->bytes[r] += bytes_to(d, k, r);
    }
    fill(d, k, next);
    free(next);
    return PEN_OK;
}

/* Find the bytes for each other rank; returns their sum. */
static int64_t count_bytes(delivery *d)
{
    const int ranks = d->run->comm->size, me = d->run->comm->rank;
    for (int r = 0; r < ranks; r++) {
        int64_t any = 0;
        d->bytes[r] = 0;
        EACH_KIND(k, d) any += r == me ? 0 : messages_to(d, k, r);
        EACH_KIND(k, d) if (any) d->bytes[r] += bytes_to(d, k, r);
    }
    return sum(d->bytes, ranks);
}

/* Write all batches; those for other ranks into `send`. */
static pen_status make_blocks(delivery *d, pen_blocks *send, int64_t *room)
{
    (void)count_bytes(d);
    PEN_TRY(pen_blocks_open_into(d->run->comm->size, d->bytes, send, room));
    EACH_KIND(k, d)
    {
        if (d->counts[k]) PEN_TRY(write_batches(d, k, send));
        for (int i = 0; !d->counts[k] && i < send->count; i++) {
            const int r = send->ranks[i];
            memset(send->data + d->bytes[r], 0, (size_t)bytes_to(d, k, r));
            d->bytes[r] += bytes_to(d, k, r);
        }
    }
    return PEN_OK;
}

/* ---- Messages on their way -------------------------------------------------------------------------- */

/* Collective. The same status on all ranks. */
static pen_status send_messages(delivery *d, pen_status mine)
{
    pen_post *post = d->post;
    if (mine == PEN_OK) mine = make_blocks(d, &post->send, &post->send_room);
    d->pulled = false;
    return pen_sparse_exchange_into(d->run->comm, mine, &post->send, &post->received, &post->received_room);
}

/* Collective. The status may differ between ranks. If no window can be made, the side changes. */
static pen_status pull_messages(delivery *d, pen_status mine)
{
    pen_post *post = d->post;
    pen_pull *pull = &post->pull;
    int64_t most;
    PEN_TRY(pen_pull_reserve(d->run->halo, pull, mine, mine == PEN_OK ? count_bytes(d) : 0, &most));
    if (!pull->transport) {
        if (d->run->comm->rank == 0) pen_warn("%s; mail is delivered by messages", pen_error_message());
        post->side = PEN_MAIL_MESSAGES;
        return PEN_OK;
    }
    int64_t room = pull->window.bytes;
    post->offered.data = pull->window.base;
    d->pulled = true;
    mine = make_blocks(d, &post->offered, &room);
    if (most > 0) return pen_pull_blocks(d->run->halo, pull, mine, &post->offered);
    pull->heads.count = 0;
    return mine;
}

/* Bytes of all messages of the rank that sends the most, about. */
static int64_t most_bytes(const delivery *d)
{
    int64_t bytes = 0;
    EACH_KIND(k, d) bytes += d->post->most[PEN_MOST_SENT + k] * pen_message_bytes(d->post->mails[k].size);
    return bytes;
}

/* Whether the sides should be compared: in the first deliveries, and again with far more mail. */
static bool should_measure(const delivery *d)
{
    enum { FAR_MORE = 16 };
    const pen_post *post = d->post;
    if (!post->automatic || !post->pull.transport) return false;
    return most_bytes(d) > (post->side == PEN_MAIL_MEASURED ? 0 : FAR_MORE * post->measured_bytes);
}

/* Collective. Deliver on both sides, and choose after some deliveries. The first one, which makes room, does not count.
 */
static pen_status measure(delivery *d, pen_status mine)
{
    enum { DELIVERIES = 4 };
    pen_post *post = d->post;
    const double start = pen_seconds_now();
    if (post->side != PEN_MAIL_MEASURED) post->measured = 0;
    post->side = PEN_MAIL_MEASURED;
    mine = pull_messages(d, mine);
    const double between = pen_seconds_now();
    PEN_TRY(send_messages(d, mine));
    double seconds[] = { pen_seconds_now() - between, between - start };
    if (post->side == PEN_MAIL_MESSAGES) return PEN_OK;
    PEN_TRY(pen_all_reduce(d->run->comm, MPI_IN_PLACE, seconds, PEN_COUNT_OF(seconds), MPI_DOUBLE, MPI_MAX));
    for (int side = 0; side < PEN_COUNT_OF(seconds); side++)
        post->side_seconds[side] = (post->measured > 1 ? post->side_seconds[side] : 0.0) + seconds[side];
    if (most_bytes(d) > post->measured_bytes) post->measured_bytes = most_bytes(d);
    if (++post->measured < DELIVERIES) return PEN_OK;
    const bool pulls = post->side_seconds[PEN_MAIL_PULLED] <= post->side_seconds[PEN_MAIL_MESSAGES];
    post->side = pulls ? PEN_MAIL_PULLED : PEN_MAIL_MESSAGES;
    return PEN_OK;
}

PEN_PER_RANK int64_t pen_mail_short_bytes = 1024;

/* Collective. The status may differ between ranks. */
static pen_status exchange(delivery *d, pen_status mine)
{
    const pen_post *post = d->post;
    if (most_bytes(d) <= pen_mail_short_bytes) return send_messages(d, mine);
    if (should_measure(d)) return measure(d, mine);
    if (post->side == PEN_MAIL_PULLED) mine = pull_messages(d, mine);
    return post->side == PEN_MAIL_PULLED ? mine : send_messages(d, mine);
}

/* ---- Messages that arrive --------------------------------------------------------------------------- */

/* All messages of this rank are for their senders, and no others have come: the outbox becomes the mailboxes. */
static pen_status keep_all(delivery *d, int k)
{
    pen_post *post = d->post;
    pen_outbox *box = &post->out[k];
    pen_letters *next = &post->next[k];
    const pen_store *store = d->run->store;
    const size_t size = post->mails[k].size;
    PEN_TRY(pen_letters_reserve(next, store->owned, box->allocated, size));
    const pen_letters before = *next;
    *next = (pen_letters){ .first = box->first,
                           .slots_room = post->out_slots[k],
                           .records = box->records,
                           .bytes_room = box->allocated * (int64_t)size,
                           .senders = box->to, /* the receivers are the senders */
                           .senders_room = box->allocated };
    box->first = before.first;
    post->out_slots[k] = before.slots_room;
    box->records = before.records;
    box->to = before.senders;
    return PEN_OK;
}

/* Write the batch of a kind of which all messages are for their senders. */
static pen_status write_own(delivery *d, int k)
{
    pen_outbox *box = &d->post->out[k];
    for (pen_lid slot = 0; slot < d->run->store->owned; slot++)
        for (int64_t m = box->first[slot]; m < box->first[slot + 1]; m++)
            box->to[m] = pen_mail_place(d->run->comm->rank, slot);
    PEN_TRY(count_messages(d, k));
    return write_batches(d, k, NULL);
}

/* Sort a kind; the last of the batches becomes this rank's own, if it has one. */
static pen_status sort_kind(delivery *d, int k, int count, pen_batch *batches)
{
    pen_post *post = d->post;
    const pen_bins bins = post->bins[k];
    const pen_lid owned = d->run->store->owned;
    int64_t came = 0;
    for (int i = 0; i < count; i++) came += pen_batch_total(&batches[i], bins);
    if (!d->counts[k] && came == 0 && !pen_mail_adds(post, k, owned)) return keep_all(d, k);
    if (!d->counts[k]) PEN_TRY(write_own(d, k));
    came += messages_to(d, k, d->run->comm->rank);
    if (!pen_mail_straight(post, k)) batches[count++] = (pen_batch){ post->own[k], post->own[k] + 8 * bins.count };
    return pen_mail_sort(d->run, post, k, came, count, batches);
}

static pen_status sort_arrived(delivery *d)
{
    pen_post *post = d->post;
    const int count = d->pulled ? post->pull.heads.count : post->received.count;
    pen_batch *batches = NULL;
    const unsigned char **at = NULL; /* [count] the next batch of each block */
    pen_status status = PEN_ALLOC(&batches, (int64_t)count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&at, count);
    for (int i = 0; i < count && status == PEN_OK; i++)
        at[i] = d->pulled ? post->pull.at[i] : post->received.data + post->received.offsets[i];
    for (int k = 0; k < post->kinds && status == PEN_OK; k++) {
        if (!(d->kinds >> k & 1)) continue;
        const pen_bins bins = post->bins[k];
        for (int i = 0; i < count; i++) {
            batches[i] = (pen_batch){ at[i], at[i] + 8 * bins.count };
            at[i] += pen_batch_bytes(bins, pen_batch_total(&batches[i], bins), post->mails[k].size);
        }
        status = sort_kind(d, k, count, batches);
    }
    PEN_FREE_ALL(batches, at);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------------ */

/* Local. Count this rank's messages by owner. */
static pen_status prepare(delivery *d)
{
    PEN_TRY(PEN_ALLOC(&d->bytes, d->run->comm->size));
    PEN_TRY(PEN_ALLOC_ZERO(&d->counts, d->post->kinds));
    EACH_KIND(k, d)
    {
        d->post->bins[k] = divide(d, k);
        if (!d->post->stays[k]) PEN_TRY(count_messages(d, k));
        count_kind(d, k);
    }
    return PEN_OK;
}

static pen_status lacks_memory(const pen_run *run, const pen_post *post, const pen_phase *phase)
{
    for (int k = 0; k < post->kinds; k++)
        if (phase->sends.bits >> k & 1 && post->out[k].lacks)
            return pen_fail(PEN_ERR_MEMORY,
                            "out of memory for mail of kind %s from node %" PRIgid " to node %" PRIgid
                            " (phase %s, step %" PRId64 ")",
                            post->mails[k].name, post->out[k].to[0], post->out[k].to[1], phase->name, run->step);
    return PEN_OK;
}

static pen_status deliver(delivery *d, const pen_phase *phase)
{
    pen_post *post = d->post;
    pen_run *run = d->run;
    pen_status status = lacks_memory(run, post, phase);
    if (status == PEN_OK && post->version != run->renewed) status = sort_slots(run, post);
    PEN_TRY(pen_mail_find(run, post, status, phase));
    status = exchange(d, prepare(d));
    if (status == PEN_OK) status = sort_arrived(d);
    return pen_agree(run->comm, status);
}

pen_status pen_mail_deliver(pen_run *run, pen_post *post, const pen_phase *phase)
{
    delivery d = { run, post, .kinds = phase->sends.bits };
    const double start = pen_seconds_now();
    const uint64_t begun = pen_ticks();
    pen_mark_doing("delivering mail");
    const pen_status status = deliver(&d, phase);
    if (status == PEN_OK) post->made = d.kinds;
    for (int k = 0; d.counts && k < post->kinds; k++) free(d.counts[k]);
    PEN_FREE_ALL(d.counts, d.bytes);
    run->timers.ticks[PEN_TIME_COMMUNICATE] += pen_ticks() - begun;
    post->seconds += pen_seconds_now() - start;
    return status;
}
