/* places.c - finds the owners and slots of receivers: among own nodes, shadows and known places, and otherwise by the
 * directory, which knows the owner, and the owner, which knows the slot. */
#include "base/memory.h"
#include "mail/mail.h"

#include <stdlib.h>

/* Values of post->places that are no places: the gid is being looked up; no node has it. */
enum { TOGETHER = 64 };
#define LOOKED_UP (UINT64_MAX - 1)
#define NOWHERE (UINT64_MAX - 2)

/* The gids that are looked up. */
typedef struct question {
    int64_t count, room;
    pen_gid *gids; /* [count] */
} question;

/* ---- What this rank knows -------------------------------------------------------------------- */

/* The place of a shadow, by its slot. */
static int64_t place_of_shadow(const pen_store *store, pen_lid slot)
{
    pen_lid first = store->owned;
    const pen_partner *p = store->producers;
    while (slot - first >= p->count) first += p++->count;
    return pen_mail_place(p->rank, p->slots[slot - first]);
}

/* The place of a node that this rank does not own, or ~gid while it is looked up. */
static pen_status place_of_other(pen_post *post, question *q, pen_gid gid, uint64_t known, int64_t *place)
{
    *place = known == NOWHERE ? PEN_NO_PLACE : (int64_t)known;
    if (known < NOWHERE) return PEN_OK;
    if (known == PEN_PAGES_ABSENT) {
        uint64_t *there = pen_pages_find(post->places, gid); /* a message before may have asked for it */
        if (there) return place_of_other(post, q, gid, *there, place);
        PEN_TRY(pen_reserve(&q->gids, sizeof *q->gids, q->count + 1, &q->room));
        PEN_TRY(pen_pages_set(post->places, gid, LOOKED_UP));
        q->gids[q->count++] = gid;
    }
    if (known != NOWHERE) *place = ~gid;
    return PEN_OK;
}

/* Find the places of some receivers that are not their senders, at[count] in `to`. */
static pen_status find_some(const pen_store *store, pen_post *post, question *q, pen_gid *to, int count,
                            const int64_t *at)
{
    pen_gid gids[TOGETHER] = { 0 };
    uint64_t found[TOGETHER];
    int64_t others[TOGETHER];
    int other_count = 0;
    for (int i = 0; i < count; i++) gids[i] = to[at[i]];
    pen_pages_find_all(store->slot_of, count, gids, found);
    for (int i = 0; i < count; i++) {
        if (found[i] < (uint64_t)store->owned) {
            to[at[i]] = pen_mail_place(store->comm->rank, (pen_lid)found[i]);
        } else if (found[i] != PEN_PAGES_ABSENT) {
            to[at[i]] = place_of_shadow(store, (pen_lid)found[i]);
        } else {
            gids[other_count] = gids[i];
            others[other_count++] = at[i];
        }
    }
    pen_pages_find_all(post->places, other_count, gids, found);
    for (int i = 0; i < other_count; i++) PEN_TRY(place_of_other(post, q, gids[i], found[i], &to[others[i]]));
    return PEN_OK;
}

/* Find the places of the receivers of an outbox, as far as they are known. */
static pen_status find_known(const pen_store *store, pen_post *post, int kind, question *q)
{
    pen_outbox *box = &post->out[kind];
    int64_t at[TOGETHER];
    int count = 0;
    for (int64_t m = 0; m < box->count; m++) {
        if (box->to[m] == store->gids[box->from[m]]) {
            box->to[m] = pen_mail_place(store->comm->rank, box->from[m]);
            continue;
        }
        if (box->to[m] < 0) {
            pen_mail_astray(post, kind, store->gids[box->from[m]], box->to[m]);
            box->to[m] = PEN_NO_PLACE;
            continue;
        }
        at[count++] = m;
        if (count < TOGETHER) continue;
        PEN_TRY(find_some(store, post, q, box->to, count, at));
        count = 0;
    }
    return find_some(store, post, q, box->to, count, at);
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
            const uint64_t *slot = pen_pages_find(store->slot_of, gids[i]);
            if (!slot || *slot >= (uint64_t)store->owned) {
                pen_store_not_owner(store, gids[i]);
                pen_die("%s", pen_error_message());
            }
            slots[i] = (pen_lid)*slot;
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
            *pen_pages_find(post->places, q->gids[k]) = NOWHERE;
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
static void note_places(pen_post *post, const inquiry *i, const pen_blocks *replies)
{
    for (int b = 0; b < replies->count; b++) {
        const pen_gid *gids = (const pen_gid *)(const void *)(i->requests.data + i->requests.offsets[b]);
        const pen_lid *slots = (const pen_lid *)(const void *)(replies->data + replies->offsets[b]);
        const int64_t count = (i->requests.offsets[b + 1] - i->requests.offsets[b]) / (int64_t)sizeof *gids;
        for (int64_t k = 0; k < count; k++)
            *pen_pages_find(post->places, gids[k]) = (uint64_t)pen_mail_place(replies->ranks[b], slots[k]);
    }
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
    if (status == PEN_OK) note_places(post, &i, &exchange.replies);
    pen_inquiry_free(&exchange);
    inquiry_free(&i);
    return status;
}

/* Enter the places that were looked up, and note receivers that do not exist. */
static void enter(const pen_store *store, pen_post *post, int kind)
{
    pen_outbox *box = &post->out[kind];
    for (int64_t m = 0; m < box->count; m++) {
        if (box->to[m] >= 0 || box->to[m] == PEN_NO_PLACE) continue;
        const pen_gid gid = ~box->to[m];
        const uint64_t found = *pen_pages_find(post->places, gid);
        box->to[m] = found == NOWHERE ? PEN_NO_PLACE : (int64_t)found;
        if (found == NOWHERE) pen_mail_astray(post, kind, store->gids[box->from[m]], gid);
    }
}

/* Begin again without known places if nodes have got others. */
static pen_status renew(const pen_run *run, pen_post *post)
{
    if (post->version == run->renewed) return PEN_OK;
    pen_pages_destroy(&post->places);
    post->version = run->renewed;
    const pen_status status = pen_pages_create(0, &post->places);
    if (status != PEN_OK) post->version = -1;
    return status;
}

pen_status pen_mail_find(pen_run *run, pen_post *post, pen_status mine, uint64_t kinds)
{
    enum { FAILED = 1, ASKS = 2 };
    question q = { .count = 0 };
    if (mine == PEN_OK) mine = renew(run, post);
    for (int k = 0; k < post->kinds && mine == PEN_OK; k++)
        if (kinds >> k & 1) mine = find_known(run->store, post, k, &q);
    int flags = (mine != PEN_OK ? FAILED : 0) | (q.count > 0 ? ASKS : 0);
    pen_status status = pen_all_reduce(run->comm, MPI_IN_PLACE, &flags, 1, MPI_INT, MPI_BOR);
    if (status == PEN_OK && flags & FAILED) status = pen_agree(run->comm, mine);
    else if (status == PEN_OK && flags & ASKS) status = look_up(run->store, post, &q);
    if (status != PEN_OK) post->version = -1; /* some gids were not looked up */
    for (int k = 0; k < post->kinds && status == PEN_OK; k++)
        if (kinds >> k & 1 && q.count > 0) enter(run->store, post, k);
    free(q.gids);
    return status;
}
