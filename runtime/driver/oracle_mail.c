/* oracle_mail.c - mail of a serial computation. */
#include "driver/oracle_mail.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_oracle_post_open(const pen_app *app, pen_oracle_post *post)
{
    *post = (pen_oracle_post){ .mails = app->mails.list, .kinds = app->mails.count };
    if (post->kinds == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&post->of, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->out, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->shown, post->kinds));
    for (int k = 0; k < post->kinds; k++) {
        pen_outbox *box = &post->out[k];
        box->kind = &post->mails[k];
        box->allocated = 3;
        PEN_TRY(PEN_ALLOC(&box->to, box->allocated));
        PEN_TRY(PEN_ALLOC(&box->slots, box->allocated));
        PEN_TRY(pen_alloc(&box->records, box->allocated, post->mails[k].size));
    }
    return PEN_OK;
}

static void free_kind(pen_oracle_kind *kind) { PEN_FREE_ALL(kind->letters, kind->bytes, kind->senders, kind->first); }

void pen_oracle_post_close(pen_oracle_post *post)
{
    for (int k = 0; k < post->kinds; k++) {
        if (post->of) free_kind(&post->of[k]);
        if (post->out) PEN_FREE_ALL(post->out[k].to, post->out[k].slots, post->out[k].records);
    }
    PEN_FREE_ALL(post->of, post->out, post->shown);
}

static void close_outboxes(pen_oracle_post *post)
{
    for (int k = 0; k < post->kinds; k++) post->out[k].count = post->out[k].room = 0;
}

void pen_oracle_post_begin(pen_oracle_post *post, uint64_t sends)
{
    close_outboxes(post);
    for (int k = 0; k < post->kinds; k++)
        if (sends >> k & 1) post->out[k].room = post->out[k].allocated;
}

static int in_order(const void *a, const void *b)
{
    const pen_oracle_letter *x = (const pen_oracle_letter *)a, *y = (const pen_oracle_letter *)b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static bool is_there(pen_gid gid, pen_lid nodes, const pen_gid *gids)
{
    return nodes > 0 && bsearch(&gid, gids, (size_t)nodes, sizeof *gids, pen_by_gid) != NULL;
}

/* List the messages of a kind that stay, with their bytes at bytes[index], and sort them. */
static pen_status list_anew(pen_oracle_post *post, int k, const pen_oracle_kind *list, pen_lid nodes,
                            const pen_gid *gids)
{
    const size_t size = post->mails[k].size;
    pen_oracle_kind next = { .count = 0 };
    pen_status status = PEN_ALLOC(&next.letters, list->count);
    if (status == PEN_OK) status = pen_alloc(&next.bytes, list->count, size);
    if (status == PEN_OK) status = PEN_ALLOC(&next.senders, list->count);
    if (status == PEN_OK) status = PEN_ALLOC(&next.first, (int64_t)nodes + 1);
    if (status != PEN_OK) {
        free_kind(&next);
        return status;
    }
    for (int64_t i = 0; i < list->count; i++)
        if (is_there(list->letters[i].to, nodes, gids)) next.letters[next.count++] = list->letters[i];
    if (next.count > 0) qsort(next.letters, (size_t)next.count, sizeof *next.letters, in_order);
    for (int64_t i = 0; i < next.count; i++) {
        memcpy(next.bytes + (size_t)i * size, list->bytes + (size_t)next.letters[i].index * size, size);
        next.senders[i] = next.letters[i].from;
        next.letters[i].index = i;
    }
    int64_t at = 0;
    for (pen_lid node = 0; node < nodes; node++) {
        next.first[node] = at;
        while (at < next.count && next.letters[at].to == gids[node]) at++;
    }
    next.first[nodes] = at;
    free_kind(&post->of[k]);
    post->of[k] = next;
    post->shown[k] = (pen_mailbox){ next.first, next.bytes, next.senders, size };
    return PEN_OK;
}

pen_status pen_oracle_post_end(pen_oracle_post *post, uint64_t receives, pen_lid nodes, const pen_gid *gids)
{
    for (int k = 0; k < post->kinds; k++) {
        const pen_outbox *box = &post->out[k];
        const pen_oracle_kind *old = &post->of[k];
        const size_t size = post->mails[k].size;
        const int64_t kept = receives >> k & 1 ? 0 : old->count;
        pen_oracle_kind list = { .count = kept + box->count };
        if (box->lacks) return pen_fail(PEN_ERR_MEMORY, "out of memory for mail of kind %s", post->mails[k].name);
        pen_status status = PEN_ALLOC(&list.letters, list.count);
        if (status == PEN_OK) status = pen_alloc(&list.bytes, list.count, size);
        if (status != PEN_OK) {
            free_kind(&list);
            return status;
        }
        if (kept > 0) memcpy(list.letters, old->letters, (size_t)kept * sizeof *list.letters);
        if (kept > 0) memcpy(list.bytes, old->bytes, (size_t)kept * size);
        for (int64_t i = 0; i < box->count; i++)
            list.letters[kept + i] = (pen_oracle_letter){ box->to[i], gids[box->slots[i]], post->sequence++, kept + i };
        if (box->count > 0) memcpy(list.bytes + (size_t)kept * size, box->records, (size_t)box->count * size);
        status = list_anew(post, k, &list, nodes, gids);
        free_kind(&list);
        PEN_TRY(status);
    }
    close_outboxes(post);
    return PEN_OK;
}

pen_status pen_oracle_post_change(pen_oracle_post *post, bool (*gone)(const void *context, pen_gid gid),
                                  const void *context, pen_lid nodes, const pen_gid *gids)
{
    for (int k = 0; k < post->kinds; k++) {
        pen_oracle_kind list = post->of[k];
        post->of[k] = (pen_oracle_kind){ .count = 0 };
        const int64_t count = list.count;
        list.count = 0;
        for (int64_t i = 0; i < count; i++)
            if (!gone(context, list.letters[i].to)) list.letters[list.count++] = list.letters[i];
        const pen_status status = list_anew(post, k, &list, nodes, gids);
        free_kind(&list);
        PEN_TRY(status);
    }
    return PEN_OK;
}
