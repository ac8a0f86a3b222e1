/* move.c - mailboxes move with their nodes, and are in checkpoints.
 *
 * In a phase that changes the graph, the mailboxes of the kinds that it sends are those that it has made, and the kinds
 * that it receives and does not send have none any more. */
#include "base/memory.h"
#include "mail/post.h"
#include "store/change.h"

#include <stdlib.h>

/* The mailboxes of a kind as they are after the phase in progress. */
static pen_letters *present(const pen_post *post, int k)
{
    return post->made >> k & 1 ? &post->next[k] : &post->now[k];
}

static int64_t count_at(const pen_post *post, int k, pen_lid slot)
{
    const int64_t *first = present(post, k)->first + slot;
    return (post->receives & ~post->made) >> k & 1 ? 0 : first[1] - first[0];
}

/* ---- Lists: the mailboxes of a node, one after the other ------------------------------------------ */

static int64_t whole_words(int64_t count, size_t size) { return (count * (int64_t)size + 7) / 8; }

/* The words of a mailbox: the number of messages, their senders, the messages. */
static int64_t box_words(int64_t count, size_t size) { return 1 + count + whole_words(count, size); }

int64_t pen_mail_list_words(const void *state, pen_lid slot)
{
    const pen_post *post = state;
    int64_t words = 0, any = 0;
    for (int k = 0; k < post->kinds; k++) {
        const int64_t count = count_at(post, k, slot);
        words += box_words(count, post->mails[k].size);
        any += count;
    }
    return any ? words : 0;
}

void pen_mail_pack_list(const void *state, pen_lid slot, int64_t *to)
{
    const pen_post *post = state;
    for (int k = 0; k < post->kinds; k++) {
        const pen_letters *from = present(post, k);
        const size_t size = post->mails[k].size;
        const int64_t count = count_at(post, k, slot), first = from->first[slot], words = whole_words(count, size);
        *to++ = count;
        if (count == 0) continue;
        memcpy(to, from->senders + first, (size_t)count * sizeof *from->senders);
        to[count + words - 1] = 0;
        memcpy(to + count, from->records + (size_t)first * size, (size_t)count * size);
        to += count + words;
    }
}

/* Whether a list has mailboxes of all kinds, and nothing else. */
static bool is_list(const pen_post *post, const pen_node_list *list)
{
    const int64_t *at = list->words, *end = at + list->count;
    for (int k = 0; k < post->kinds; k++) {
        if (at == end || *at < 0 || *at > end - at - 1) return false;
        if (*at > (end - at) * 8 / (int64_t)post->mails[k].size) return false;
        const int64_t words = box_words(*at, post->mails[k].size);
        if (words > end - at) return false;
        for (int64_t i = 0; i < *at; i++)
            if (at[1 + i] < (i > 0 ? at[i] : 0)) return false;
        at += words;
    }
    return at == end;
}

/* ---- Mailboxes from lists and old slots ----------------------------------------------------------- */

/* Where the mail of a node comes from: a list, or an old slot. */
typedef struct origins {
    const int64_t **lists; /* [owned] the list, from the kind in progress on; NULL: no list */
    pen_lid *slots;        /* [owned] the old slot; -1: none */
    pen_lid owned;
} origins;

static pen_status origins_new(pen_lid owned, origins *o)
{
    o->owned = owned;
    PEN_TRY(PEN_ALLOC_ZERO(&o->lists, owned));
    PEN_TRY(PEN_ALLOC(&o->slots, owned));
    for (pen_lid slot = 0; slot < owned; slot++) o->slots[slot] = -1;
    return PEN_OK;
}

static void origins_free(origins *o) { PEN_FREE_ALL(o->lists, o->slots); }

static int64_t count_new(const pen_post *post, int k, const origins *o, pen_lid slot)
{
    if (o->lists[slot]) return *o->lists[slot];
    return o->slots[slot] < 0 ? 0 : count_at(post, k, o->slots[slot]);
}

/* Make the mailboxes of a kind. Lists advance to the next kind. */
static pen_status fill(pen_post *post, int k, const origins *o)
{
    const pen_letters *from = present(post, k);
    const size_t size = post->mails[k].size;
    pen_letters *to = &post->moved[k];
    int64_t at = 0;
    for (pen_lid slot = 0; slot < o->owned; slot++) at += count_new(post, k, o, slot);
    PEN_TRY(pen_letters_reserve(to, o->owned, at, size));
    at = 0;
    for (pen_lid slot = 0; slot < o->owned; slot++) {
        const int64_t *list = o->lists[slot], count = count_new(post, k, o, slot);
        const int64_t first = list || o->slots[slot] < 0 ? 0 : from->first[o->slots[slot]];
        const void *senders = list ? list + 1 : from->senders + first;
        const void *records = list ? (const unsigned char *)(list + 1 + count) : from->records + (size_t)first * size;
        to->first[slot] = at;
        if (count > 0) memcpy(to->senders + at, senders, (size_t)count * sizeof *to->senders);
        if (count > 0) memcpy(to->records + (size_t)at * size, records, (size_t)count * size);
        if (list) o->lists[slot] += box_words(count, size);
        at += count;
    }
    to->first[o->owned] = at;
    return PEN_OK;
}

static pen_status fill_all(pen_post *post, const origins *o)
{
    for (int k = 0; k < post->kinds; k++) PEN_TRY(fill(post, k, o));
    return pen_mail_reserve(post, o->owned);
}

static void take_over(pen_post *post)
{
    for (int k = 0; k < post->kinds; k++) {
        pen_letters *at = present(post, k);
        pen_letters_free(at);
        *at = post->moved[k];
        post->moved[k] = (pen_letters){ .first = NULL };
    }
}

pen_status pen_mail_take_lists(pen_run *run, void *state, int64_t count, const pen_node_list *lists)
{
    pen_post *post = state;
    origins o = { .owned = 0 };
    pen_mail_close(post);
    for (int64_t i = 0; i < count; i++)
        if (!is_list(post, &lists[i])) return pen_fail(PEN_ERR_INPUT, "damaged: impossible mail of a node");
    pen_status status = origins_new(run->store->owned, &o);
    for (int64_t i = 0; i < count && status == PEN_OK; i++) o.lists[lists[i].slot] = lists[i].words;
    if (status == PEN_OK) status = fill_all(post, &o);
    origins_free(&o);
    PEN_TRY(status);
    take_over(post);
    pen_mail_show(post);
    return PEN_OK;
}

/* ---- Changes of the store --------------------------------------------------------------------------- */

/* The mail of the nodes that leave: for each with any, gid, number of words, list. */
static pen_status pack(const pen_run *run, const pen_post *post, const pen_change *c, pen_blocks *send)
{
    int64_t *bytes;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, run->comm->size));
    for (pen_lid i = 0; i < c->left; i++) {
        const int64_t words = pen_mail_list_words(post, c->leaving[i]);
        bytes[c->owner[c->leaving[i]]] += words > 0 ? 8 * (2 + words) : 0;
    }
    const pen_status status = pen_blocks_open(run->comm->size, bytes, send);
    for (pen_lid i = 0; i < c->left && status == PEN_OK; i++) {
        const pen_lid slot = c->leaving[i];
        const int64_t words = pen_mail_list_words(post, slot);
        int64_t *to = (int64_t *)(void *)(send->data + bytes[c->owner[slot]]);
        if (words == 0) continue;
        to[0] = run->store->gids[slot];
        to[1] = words;
        pen_mail_pack_list(post, slot, to + 2);
        bytes[c->owner[slot]] += 8 * (2 + words);
    }
    free(bytes);
    return status;
}

static pen_status make_moved(pen_post *post, const pen_change *c, const pen_blocks *arrived)
{
    const pen_placing *p = &c->placing;
    const int64_t *at = (const int64_t *)(const void *)arrived->data,
                  *end = arrived->data ? at + pen_blocks_bytes(arrived) / 8 : at;
    origins o = { .owned = 0 };
    pen_status status = origins_new(c->after->owned, &o);
    for (pen_lid slot = 0; slot < c->after->owned && status == PEN_OK; slot++) {
        const pen_node_id id = p->id[slot];
        if (id < c->before->owned && !(c->died && c->died[id])) o.slots[slot] = id;
    }
    for (; at < end && status == PEN_OK; at += 2 + at[1]) o.lists[p->slot[pen_placing_find(p, at[0])]] = at + 2;
    if (status == PEN_OK) status = fill_all(post, &o);
    origins_free(&o);
    return status;
}

/* Note mail of nodes that are removed. */
static void note_removed(const pen_run *run, pen_post *post, const pen_change *c)
{
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        if (c->owner[slot] != PEN_OWNER_UNKNOWN && !c->died[slot]) continue;
        for (int k = 0; k < post->kinds; k++) {
            const pen_letters *box = present(post, k);
            for (int64_t i = 0; i < count_at(post, k, slot); i++)
                pen_mail_astray(post, k, box->senders[box->first[slot] + i], run->store->gids[slot]);
        }
    }
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
    if (status == PEN_OK) status = pen_agree(run->comm, make_moved(post, change, &arrived));
    if (status == PEN_OK) post->shipped = pen_blocks_bytes(&send);
    pen_blocks_free(&send);
    pen_blocks_free(&arrived);
    return status;
}

void pen_mail_commit_change(pen_run *run, void *state, const pen_change *change)
{
    pen_post *post = state;
    take_over(post);
    run->changed.shipped += post->shipped;
    if (post->in_phase) return; /* the phase shows and counts */
    pen_mail_show(post);
    pen_mail_count_end(post);
}
