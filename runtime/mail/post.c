/* post.c - what deliveries and changes share: mailboxes, outboxes, messages without a receiver. */
#include "mail/post.h"
#include "base/memory.h"

#include <stdlib.h>

PEN_PER_RANK int64_t pen_mail_bin_bytes = 256 << 10;

/* ---- Mailboxes -------------------------------------------------------------------------------- */

pen_status pen_letters_reserve(pen_letters *l, pen_lid owned, int64_t count, size_t size)
{
    PEN_TRY(pen_reserve(&l->first, sizeof *l->first, (int64_t)owned + 2, &l->slots_room));
    PEN_TRY(pen_reserve(&l->records, 1, count * (int64_t)size, &l->bytes_room));
    return pen_reserve(&l->senders, sizeof *l->senders, count, &l->senders_room);
}

pen_status pen_mail_reserve(pen_post *post, pen_lid owned)
{
    for (int k = 0; k < post->kinds; k++)
        PEN_TRY(pen_reserve(&post->out[k].first, sizeof *post->out[k].first, (int64_t)owned + 2, &post->out_slots[k]));
    return PEN_OK;
}

void pen_letters_free(pen_letters *l)
{
    PEN_FREE_ALL(l->first, l->records, l->senders);
    *l = (pen_letters){ .first = NULL };
}

/* ---- Messages without a receiver ---------------------------------------------------------------- */

void pen_mail_astray(pen_post *post, int kind, pen_gid sender, pen_gid to)
{
    const pen_stray *s = &post->stray;
    const bool first = s->kind < 0 || sender < s->sender || (sender == s->sender && to < s->to);
    if (post->mails[kind].drop) post->coming[kind].dropped++;
    else if (first) post->stray = (pen_stray){ sender, to, kind };
}

pen_status pen_mail_check(pen_run *run, pen_post *post, const pen_phase *phase, const char *why)
{
    const pen_stray *s = &post->stray;
    /* The greatest one is that of the lowest sender, and of its lowest receiver, which one rank has: also if that is
     * negative, as only the sender's rank refuses those. MPICH 4.0 compares MPI_UINT64_T as if it had a sign. */
    int64_t mine = s->kind < 0 ? -1 : INT64_MAX - s->sender, greatest;
    PEN_TRY(pen_all_reduce(run->comm, &mine, &greatest, 1, MPI_INT64_T, MPI_MAX));
    if (greatest < 0) return PEN_OK;
    const pen_gid to = s->to > 0 ? s->to : 0;
    mine = mine == greatest ? INT64_MAX - to : -1;
    PEN_TRY(pen_all_reduce(run->comm, &mine, &greatest, 1, MPI_INT64_T, MPI_MAX));
    if (mine != greatest) return pen_agree(run->comm, PEN_OK);
    char phase_text[192] = "";
    if (phase) snprintf(phase_text, sizeof phase_text, " (phase %s, step %" PRId64 ")", phase->name, run->step);
    return pen_agree(run->comm,
                     pen_fail(PEN_ERR_ARGUMENT, "mail of kind %s from node %" PRIgid " to node %" PRIgid ", which %s%s",
                              post->mails[s->kind].name, s->sender, s->to, why, phase_text));
}

/* ---- The view, and counts ----------------------------------------------------------------------- */

void pen_mail_show(pen_post *post)
{
    for (int k = 0; k < post->kinds; k++) {
        const pen_letters *now = &post->now[k];
        post->shown[k] = (pen_mailbox){ now->first, now->records, now->senders, post->mails[k].size };
    }
}

void pen_mail_count_begin(pen_post *post)
{
    post->stray.kind = -1;
    memset(post->coming, 0, (size_t)post->kinds * sizeof *post->coming);
}

void pen_mail_count_end(pen_post *post)
{
    for (int k = 0; k < post->kinds; k++) {
        post->counts[k].sent += post->coming[k].sent;
        post->counts[k].remote += post->coming[k].remote;
        post->counts[k].dropped += post->coming[k].dropped;
    }
}

void pen_mail_open(pen_post *post, uint64_t kinds)
{
    for (int k = 0; k < post->kinds; k++) {
        pen_outbox *box = &post->out[k];
        box->count = 0;
        box->room = kinds >> k & 1 ? box->allocated : 0;
        box->lacks = false;
    }
}

void pen_mail_close(pen_post *post)
{
    post->in_phase = false;
    post->receives = post->made = 0;
    pen_mail_open(post, 0);
}
