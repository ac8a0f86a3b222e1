/* find.c - finds the owners and slots of receivers: among known places, those of own nodes and of shadows too, and
 * otherwise by the directory, which knows the owner, and the owner, which knows the slot. */
#include "base/memory.h"
#include "mail/post.h"

#include <stdlib.h>

/* Pages are of 256, 16 or 1 gids, of which a quarter are used at least. */
enum { SHIFT_LESS = 4, ROOMY = 4 };

/* The gids that are looked up. */
typedef struct question {
    int64_t count, room;
    pen_gid *gids; /* [count] */
} question;

/* ---- What this rank knows -------------------------------------------------------------------- */

static int64_t known_gids(const pen_store *store) { return (int64_t)store->owned + store->shadows; }

/* Whether too few of the gids in its pages are used, for so many gids. */
static bool is_roomy(const pen_place_table *p, int64_t gids)
{
    return p->shift > 0 && p->pages << p->shift > ROOMY * gids;
}

/* Note the places of own nodes and shadows, until it turns out that pages are too long. */
static pen_status note_known(const pen_store *store, pen_place_table *places)
{
    for (pen_lid slot = 0; slot < store->owned; slot++) {
        if (is_roomy(places, known_gids(store))) return PEN_OK;
        PEN_TRY(pen_place_table_set(places, store->gids[slot], pen_mail_place(store->comm->rank, slot)));
    }
    pen_lid slot = store->owned;
    for (int p = 0; p < store->producer_count; p++)
        for (pen_lid i = 0; i < store->producers[p].count; i++) {
            if (is_roomy(places, known_gids(store))) return PEN_OK;
            const int64_t place = pen_mail_place(store->producers[p].rank, store->producers[p].slots[i]);
            PEN_TRY(pen_place_table_set(places, store->gids[slot++], place));
        }
    return PEN_OK;
}

/* Begin again if nodes have got other places: with pages as long as gids are dense enough to fill them. */
static pen_status renew(const pen_run *run, pen_post *post)
{
    const pen_store *store = run->store;
    pen_place_table *places = &post->places;
    if (post->version == run->renewed) return PEN_OK;
    for (int shift = post->shift;; shift -= SHIFT_LESS) {
        PEN_TRY(pen_place_table_open(places, store->owned, shift));
        PEN_TRY(note_known(store, places));
        if (!is_roomy(places, known_gids(store))) break;
    }
    post->known = known_gids(store);
    post->version = run->renewed;
    return PEN_OK;
}

/* If few of the gids in a page are used, use shorter pages from now on. Gids of earlier deliveries are forgotten. */
static pen_status shorten_pages(const pen_run *run, pen_post *post, const question *q)
{
    pen_place_table *places = &post->places;
    if (places->shift == 0 || places->pages << places->shift <= 4 * ROOMY * (post->known + q->count)) return PEN_OK;
    post->shift = places->shift - SHIFT_LESS;
    post->version = -1;
    PEN_TRY(renew(run, post));
    for (int64_t i = 0; i < q->count; i++) PEN_TRY(pen_place_table_set(places, q->gids[i], pen_mail_asked(i)));
    return PEN_OK;
}

/* Ask for a gid of which nothing is known. *to becomes its number among those that are looked up. */
static pen_status ask(const pen_run *run, pen_post *post, question *q, pen_gid gid, int64_t *to)
{
    *to = pen_mail_asked(q->count);
    PEN_TRY(pen_place_table_set(&post->places, gid, *to));
    PEN_TRY(pen_reserve(&q->gids, sizeof *q->gids, q->count + 1, &q->room));
    q->gids[q->count++] = gid;
    return shorten_pages(run, post, q);
}

/* Sort the messages of an outbox by their senders' slots, each of which has its messages from first[slot] on. */
static pen_status sort_by_slots(pen_outbox *box, pen_lid owned)
{
    const size_t size = box->kind->size;
    int64_t *next = NULL;
    pen_outbox sorted = *box;
    sorted.to = NULL;
    sorted.records = NULL;
    pen_status status = PEN_ALLOC(&next, owned);
    if (status == PEN_OK) status = PEN_ALLOC(&sorted.to, box->allocated);
    if (status == PEN_OK) status = pen_alloc(&sorted.records, box->allocated, size);
    if (status != PEN_OK) {
        PEN_FREE_ALL(next, sorted.to, sorted.records);
        return status;
    }
    memcpy(next, box->first, (size_t)owned * sizeof *next);
    for (int64_t m = 0; m < box->count; m++) {
        const int64_t at = next[box->slots[m]]++;
        sorted.to[at] = box->to[m];
        memcpy((char *)sorted.records + (size_t)at * size, (const char *)box->records + (size_t)m * size, size);
    }
    for (pen_lid slot = 0; slot < owned; slot++)
        for (int64_t m = box->first[slot]; m < box->first[slot + 1]; m++) box->slots[m] = slot;
    PEN_FREE_ALL(next, box->to, box->records);
    *box = sorted;
    return PEN_OK;
}

/* Let first[slot] be the index of a slot's first message in an outbox, also if it sends none. Sweeps that are written
 * by hand can compute nodes in any order. */
static pen_status index_senders(pen_outbox *box, pen_lid owned)
{
    bool sorted = true;
    memset(box->first, 0, ((size_t)owned + 1) * sizeof *box->first);
    for (int64_t m = 0; m < box->count; m++) {
        box->first[box->slots[m] + 1]++;
        sorted = sorted && (m == 0 || box->slots[m - 1] <= box->slots[m]);
    }
    for (pen_lid slot = 0; slot < owned; slot++) box->first[slot + 1] += box->first[slot];
    return sorted ? PEN_OK : sort_by_slots(box, owned);
}

/* Whether all messages of an outbox are for their senders. */
static bool all_stay(const pen_store *store, const pen_outbox *box)
{
    for (pen_lid slot = 0; slot < store->owned; slot++)
        for (int64_t m = box->first[slot]; m < box->first[slot + 1]; m++)
            if (box->to[m] != store->gids[slot]) return false;
    return true;
}

/* The number of consecutive slots whose messages fit into a bin, about. */
static int64_t near_slots(const pen_store *store, const pen_outbox *box)
{
    return pen_mail_bin_bytes * store->owned / (box->count * pen_message_bytes(box->kind->size) + 1);
}

/* Find the places of the receivers of an outbox, as far as they are known. If all messages stay, there is no need.
 * Count those that are not near the one before. */
static pen_status find_known(const pen_run *run, pen_post *post, int kind, question *q)
{
    const pen_store *store = run->store;
    pen_outbox *box = &post->out[kind];
    const int64_t near = near_slots(store, box);
    int64_t far = 0, before = 0;
    PEN_TRY(index_senders(box, store->owned));
    post->most[PEN_MOST_SENT + post->kinds + kind] = 0;
    post->stays[kind] = all_stay(store, box);
    if (post->stays[kind]) return PEN_OK;
    for (int64_t m = 0; m < box->count; m++) {
        const pen_gid gid = box->to[m];
        int64_t place = gid < 0 ? PEN_NO_PLACE : pen_place_table_find(&post->places, gid);
        if (place == PEN_NO_PLACE) pen_mail_astray(post, kind, store->gids[box->slots[m]], gid);
        if (place == PEN_PLACE_UNKNOWN) PEN_TRY(ask(run, post, q, gid, &place));
        box->to[m] = place;
        if (place < 0) continue;
        far += place - before > near || before - place > near;
        before = place;
    }
    post->most[PEN_MOST_SENT + post->kinds + kind] = far;
    return PEN_OK;
}

/* ---- Looking up -------------------------------------------------------------------------------- */

static int64_t reply_bytes(int64_t gids) { return (gids + gids % 2) * (int64_t)sizeof(pen_lid); }

/* Reply with slots. This rank owns the nodes, since nodes change owners only between look-ups. */
static void reply_slots(const pen_store *store, pen_inquiry *inquiry)
{
    for (int b = 0; b < inquiry->received.count; b++) {
        const int64_t first = inquiry->received.offsets[b];
        const pen_gid *gids = (const pen_gid *)(const void *)(inquiry->received.data + first);
        const int64_t count = (inquiry->received.offsets[b + 1] - first) / (int64_t)sizeof *gids;
        pen_lid *slots = (pen_lid *)(void *)(inquiry->outgoing.data + inquiry->outgoing.offsets[b]);
        for (int64_t i = 0; i < count; i++) {
            slots[i] = pen_store_slot(store, gids[i]);
            if (slots[i] >= 0) continue;
            pen_store_not_owner(store, gids[i]);
            pen_die("%s", pen_error_message());
        }
    }
}

/* The owners of the gids, and the requests to them. */
typedef struct inquiry {
    int32_t *owners; /* [count] */
    pen_gid *gids;   /* [known] gids that have an owner, by request */
    int *ranks;      /* [known] their owners */
    int64_t known;
    int64_t *order; /* [known] position of each among all that are requested */
    int64_t *lengths;
    pen_blocks requests;
} inquiry;

static void inquiry_free(inquiry *i)
{
    PEN_FREE_ALL(i->owners, i->gids, i->ranks, i->order, i->lengths);
    pen_blocks_free(&i->requests);
}

/* Group the gids by owner. Those without an owner are known not to exist. */
static pen_status address(pen_post *post, const question *q, inquiry *i)
{
    PEN_TRY(PEN_ALLOC(&i->gids, q->count));
    PEN_TRY(PEN_ALLOC(&i->ranks, q->count));
    PEN_TRY(PEN_ALLOC(&i->order, q->count));
    for (int64_t k = 0; k < q->count; k++) {
        if (i->owners[k] == PEN_OWNER_UNKNOWN) {
            PEN_TRY(pen_place_table_set(&post->places, q->gids[k], PEN_NO_PLACE));
            continue;
        }
        i->gids[i->known] = q->gids[k];
        i->ranks[i->known++] = i->owners[k];
    }
    PEN_TRY(pen_blocks_group(i->known, i->ranks, i->gids, sizeof *i->gids, &i->requests, i->order));
    PEN_TRY(PEN_ALLOC(&i->lengths, i->requests.count));
    for (int b = 0; b < i->requests.count; b++)
        i->lengths[b] = reply_bytes((i->requests.offsets[b + 1] - i->requests.offsets[b]) / (int64_t)sizeof *i->gids);
    return PEN_OK;
}

/* Note the places from the replies, which are in the order of the requests. */
static pen_status note_places(pen_post *post, const inquiry *i, const pen_blocks *replies)
{
    for (int b = 0; b < replies->count; b++) {
        const pen_gid *gids = (const pen_gid *)(const void *)(i->requests.data + i->requests.offsets[b]);
        const pen_lid *slots = (const pen_lid *)(const void *)(replies->data + replies->offsets[b]);
        const int64_t count = (i->requests.offsets[b + 1] - i->requests.offsets[b]) / (int64_t)sizeof *gids;
        for (int64_t k = 0; k < count; k++)
            PEN_TRY(pen_place_table_set(&post->places, gids[k], pen_mail_place(replies->ranks[b], slots[k])));
    }
    return PEN_OK;
}

/* Collective. Find the places of the gids. */
static pen_status look_up(pen_store *store, pen_post *post, const question *q)
{
    inquiry i = { .known = 0 };
    pen_inquiry exchange = { 0 };
    pen_status status = PEN_ALLOC(&i.owners, q->count);
    status = pen_directory_resolve_with(store->directory, status, q->count, q->gids, i.owners);
    if (status == PEN_OK) {
        status = address(post, q, &i);
        status = pen_sparse_request(store->comm, status, &i.requests, i.lengths, &exchange);
    }
    if (status == PEN_OK) {
        reply_slots(store, &exchange);
        status = pen_sparse_reply(store->comm, &exchange);
    }
    if (status == PEN_OK) status = note_places(post, &i, &exchange.replies);
    pen_inquiry_free(&exchange);
    inquiry_free(&i);
    return status;
}

/* Enter the places that were looked up, and note receivers that do not exist. */
static void enter(const pen_store *store, pen_post *post, int kind, const question *q)
{
    pen_outbox *box = &post->out[kind];
    for (int64_t m = 0; m < box->count && !post->stays[kind]; m++) {
        if (box->to[m] >= 0 || box->to[m] == PEN_NO_PLACE) continue;
        const pen_gid gid = q->gids[pen_mail_asked(box->to[m])];
        box->to[m] = pen_place_table_find(&post->places, gid);
        if (box->to[m] == PEN_NO_PLACE) pen_mail_astray(post, kind, store->gids[box->slots[m]], gid);
    }
}

/* Collective. Agree on whether some rank has failed, on what has been noted, and on the largest numbers of nodes and
 * messages of a rank; *asks: some rank looks up gids. */
static pen_status agree(pen_run *run, pen_post *post, const pen_phase *phase, pen_status mine, const question *q,
                        bool *asks)
{
    int64_t *most = post->most;
    most[PEN_MOST_FAILED] = mine != PEN_OK;
    most[PEN_MOST_ASKED] = q->count > 0;
    most[PEN_MOST_ASTRAY] = post->stray.kind >= 0;
    most[PEN_MOST_OWNED] = run->store->owned;
    for (int k = 0; k < post->kinds; k++) most[PEN_MOST_SENT + k] = post->out[k].count;
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, most, PEN_MOST_SENT + 2 * post->kinds, MPI_INT64_T, MPI_MAX));
    if (most[PEN_MOST_FAILED]) return pen_agree(run->comm, mine);
    *asks = most[PEN_MOST_ASKED];
    return *asks || !most[PEN_MOST_ASTRAY] ? PEN_OK : pen_mail_check(run, post, phase, "does not exist");
}

static pen_status find(pen_run *run, pen_post *post, pen_status mine, const pen_phase *phase, question *q)
{
    const uint64_t kinds = phase->sends.bits;
    bool asks = false;
    if (mine == PEN_OK) mine = renew(run, post);
    for (int k = 0; k < post->kinds && mine == PEN_OK; k++)
        if (kinds >> k & 1) mine = find_known(run, post, k, q);
    PEN_TRY(agree(run, post, phase, mine, q, &asks));
    if (!asks) return PEN_OK;
    PEN_TRY(look_up(run->store, post, q));
    post->known += q->count;
    for (int k = 0; k < post->kinds; k++)
        if (kinds >> k & 1 && q->count > 0) enter(run->store, post, k, q);
    return pen_mail_check(run, post, phase, "does not exist");
}

pen_status pen_mail_find(pen_run *run, pen_post *post, pen_status mine, const pen_phase *phase)
{
    question q = { .count = 0 };
    const pen_status status = find(run, post, mine, phase, &q);
    if (status != PEN_OK) post->version = -1; /* some gids may not have been looked up */
    free(q.gids);
    return status;
}
