/* move.c - carries undelivered mail through changes of the store: mailboxes move with their nodes.
 *
 * In a phase that changes the graph, the mailboxes of the kinds that it sends are those that it has made, and the kinds
 * that it receives and does not send have none any more. */
#include "base/memory.h"
#include "mail/mail.h"
#include "store/change.h"

#include <stdlib.h>

/* The mailboxes of a kind as they are after the phase in progress. */
static pen_letters *present(pen_post *post, int k) { return post->made >> k & 1 ? &post->next[k] : &post->now[k]; }

static bool is_over(const pen_post *post, int k) { return (post->receives & ~post->made) >> k & 1; }

static int64_t count_at(pen_post *post, int k, pen_lid slot)
{
    const int64_t *first = present(post, k)->first + slot;
    return is_over(post, k) ? 0 : first[1] - first[0];
}

/* ---- A parcel: the mailboxes of a node that moves ---------------------------------------------- */

/* Its words: gid, then for each kind the number of messages, their senders, the messages. */
static int64_t parcel_words(pen_post *post, pen_lid slot)
{
    int64_t words = 1;
    for (int k = 0; k < post->kinds; k++) {
        const int64_t count = count_at(post, k, slot);
        words += 1 + count + (count * (int64_t)post->mails[k].size + 7) / 8;
    }
    return words;
}

static void pack_parcel(pen_post *post, pen_gid gid, pen_lid slot, int64_t *to)
{
    *to++ = gid;
    for (int k = 0; k < post->kinds; k++) {
        const pen_letters *from = present(post, k);
        const size_t size = post->mails[k].size;
        const int64_t count = count_at(post, k, slot), first = from->first[slot];
        *to++ = count;
        if (count == 0) continue;
        memcpy(to, from->senders + first, (size_t)count * sizeof *from->senders);
        to += count;
        memcpy(to, from->records + (size_t)first * size, (size_t)count * size);
        to += (count * (int64_t)size + 7) / 8;
    }
}

static pen_status pack(pen_run *run, pen_post *post, const pen_change *c, pen_blocks *send)
{
    int64_t *bytes;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, run->comm->size));
    for (pen_lid i = 0; i < c->left; i++) bytes[c->owner[c->leaving[i]]] += 8 * parcel_words(post, c->leaving[i]);
    const pen_status status = pen_blocks_open(run->comm->size, bytes, send);
    for (pen_lid i = 0; i < c->left && status == PEN_OK; i++) {
        const pen_lid slot = c->leaving[i];
        int64_t *at = &bytes[c->owner[slot]];
        pack_parcel(post, run->store->gids[slot], slot, (int64_t *)(void *)(send->data + *at));
        *at += 8 * parcel_words(post, slot);
    }
    free(bytes);
    return status;
}

/* ---- The mailboxes after the change --------------------------------------------------------------- */

/* Where the mail of a node comes from: a parcel, or an old slot. */
typedef struct origins {
    const int64_t **parcels; /* [owned after] NULL: the node was here, or it is new */
    pen_lid *slots;          /* [owned after] -1: it was not here */
} origins;

/* The kinds of a parcel one by one: from the word after the gid on. */
static const int64_t *next_kind(const int64_t *at, size_t size) { return at + 1 + *at + (*at * (int64_t)size + 7) / 8; }

static pen_status find_origins(const pen_post *post, const pen_change *c, const pen_blocks *arrived, origins *o)
{
    const pen_placing *p = &c->placing;
    const pen_lid owned = c->after->owned;
    PEN_TRY(PEN_ALLOC_ZERO(&o->parcels, owned));
    PEN_TRY(PEN_ALLOC(&o->slots, owned));
    for (pen_lid slot = 0; slot < owned; slot++) {
        const pen_node_id id = p->id[slot];
        const bool stays = id < c->before->owned && !(c->died && c->died[id]);
        o->slots[slot] = stays ? id : -1;
    }
    const int64_t *at = (const int64_t *)(const void *)arrived->data,
                  *end = arrived->data ? at + pen_blocks_bytes(arrived) / 8 : at;
    while (at < end) {
        o->parcels[p->slot[pen_placing_find(p, *at)]] = at + 1;
        at++;
        for (int k = 0; k < post->kinds; k++) at = next_kind(at, post->mails[k].size);
    }
    return PEN_OK;
}

static int64_t count_new(pen_post *post, int k, const origins *o, pen_lid slot)
{
    if (o->parcels[slot]) return *o->parcels[slot];
    return o->slots[slot] < 0 ? 0 : count_at(post, k, o->slots[slot]);
}

/* Make the mailboxes of a kind. The parcels are at this kind, and advance to the next one. */
static pen_status fill(pen_post *post, int k, origins *o, pen_lid owned, pen_letters *to)
{
    const pen_letters *from = present(post, k);
    const size_t size = post->mails[k].size;
    int64_t count = 0;
    for (pen_lid slot = 0; slot < owned; slot++) count += count_new(post, k, o, slot);
    PEN_TRY(pen_letters_reserve(to, owned, count, size));
    count = 0;
    for (pen_lid slot = 0; slot < owned; slot++) {
        const int64_t *parcel = o->parcels[slot], more = count_new(post, k, o, slot);
        const int64_t first = parcel || o->slots[slot] < 0 ? 0 : from->first[o->slots[slot]];
        to->first[slot] = count;
        if (more > 0) {
            memcpy(to->senders + count, parcel ? parcel + 1 : from->senders + first,
                   (size_t)more * sizeof *to->senders);
            memcpy(to->records + (size_t)count * size,
                   parcel ? (const unsigned char *)(parcel + 1 + more) : from->records + (size_t)first * size,
                   (size_t)more * size);
        }
        if (parcel) o->parcels[slot] = next_kind(parcel, size);
        count += more;
    }
    to->first[owned] = count;
    return PEN_OK;
}

/* Note mail of nodes that are removed. */
static void note_removed(pen_run *run, pen_post *post, const pen_change *c)
{
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        if (c->owner[slot] != PEN_OWNER_UNKNOWN && !c->died[slot]) continue;
        for (int k = 0; k < post->kinds; k++) {
            const int64_t first = present(post, k)->first[slot], count = count_at(post, k, slot);
            for (int64_t i = 0; i < count; i++)
                pen_mail_astray(post, k, present(post, k)->senders[first + i], run->store->gids[slot]);
        }
    }
}

static pen_status make_moved(pen_run *run, pen_post *post, const pen_change *c, const pen_blocks *arrived)
{
    origins o = { NULL, NULL };
    pen_status status = find_origins(post, c, arrived, &o);
    for (int k = 0; k < post->kinds && status == PEN_OK; k++)
        status = fill(post, k, &o, c->after->owned, &post->moved[k]);
    PEN_FREE_ALL(o.parcels, o.slots);
    return status;
}

pen_status pen_mail_prepare_change(pen_run *run, void *state, const pen_change *change)
{
    pen_post *post = state;
    pen_blocks send = { 0 }, arrived = { 0 };
    pen_status status = PEN_OK;
    if (!post->in_phase) pen_mail_count_begin(post);
    if (change->rewired) {
        note_removed(run, post, change);
        PEN_TRY(pen_mail_check(run, post, NULL, "is removed"));
    } else {
        status = pack(run, post, change, &send);
        status = pen_sparse_exchange(run->comm, status, &send, &arrived);
    }
    if (status == PEN_OK) status = pen_agree(run->comm, make_moved(run, post, change, &arrived));
    pen_blocks_free(&send);
    pen_blocks_free(&arrived);
    return status;
}

void pen_mail_commit_change(pen_run *run, void *state, const pen_change *change)
{
    pen_post *post = state;
    for (int k = 0; k < post->kinds; k++) {
        pen_letters *at = present(post, k), before = *at;
        *at = post->moved[k];
        post->moved[k] = before;
    }
    if (post->in_phase) return; /* the phase shows and counts */
    pen_mail_show(post);
    pen_mail_count_end(post);
}
