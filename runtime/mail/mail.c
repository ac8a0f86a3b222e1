/* mail.c - the part: outboxes and mailboxes of a run, what phases do with them, and reports. */
#include "base/json.h"
#include "base/memory.h"
#include "mail/post.h"
#include "run/report.h"

#include <stdlib.h>

/* ---- Outboxes ---------------------------------------------------------------------------------- */

/* Enlarge an outbox, an empty one to 64 messages or 1 MiB, but to three at least; on failure it stays as it is. */
static pen_status enlarge(pen_outbox *box)
{
    int64_t few = (1 << 20) / (int64_t)box->kind->size;
    if (few > 64) few = 64;
    if (few < 3) few = 3;
    const int64_t more = box->allocated + box->allocated / 2 + few;
    PEN_TRY(PEN_REALLOC(&box->to, more));
    PEN_TRY(PEN_REALLOC(&box->slots, more));
    PEN_TRY(pen_realloc(&box->records, more, box->kind->size));
    box->allocated = box->room = more;
    return PEN_OK;
}

void pen_outbox_grow(const pen_view *v, int kind)
{
    pen_outbox *box = &v->library.outboxes[kind];
    if (box->room == 0)
        pen_die("node %" PRIgid " sends mail of kind %s in %s, which does not have it in .sends", pen_id(v),
                box->kind->name, pen_inside ? pen_inside : "a function");
    if (!box->lacks && enlarge(box) == PEN_OK) return;
    /* The phase fails, so its messages are not needed. to[0] and to[1] keep the sender and the receiver of this one. */
    if (!box->lacks) box->to[0] = pen_id(v);
    box->count = 1 + box->lacks;
    box->lacks = true;
}

void pen_outbox_misfit(const pen_view *v, int kind, size_t size)
{
    const pen_mail *mail = v->library.outboxes[kind].kind;
    pen_die("node %" PRIgid " sends mail of kind %s in %s with a type of %zu bytes, but its messages have %zu",
            pen_id(v), mail->name, pen_inside ? pen_inside : "a function", size, mail->size);
}

/* ---- The beginning and the end ------------------------------------------------------------------ */

static bool wanted(const pen_app *app, const pen_run_options *options) { return app->mails.count > 0; }

static pen_status allocate(pen_post *post)
{
    PEN_TRY(PEN_ALLOC_ZERO(&post->shown, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->out, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->out_slots, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->now, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->next, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->moved, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->counts, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->coming, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->totals, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->stays, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->bins, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->most, PEN_MOST_SENT + 2 * post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->own, post->kinds));
    PEN_TRY(PEN_ALLOC_ZERO(&post->own_room, post->kinds));
    for (int k = 0; k < post->kinds; k++) {
        post->out[k].kind = &post->mails[k];
        if (enlarge(&post->out[k]) != PEN_OK)
            return pen_fail(PEN_ERR_MEMORY, "out of memory for mail of kind %s", post->mails[k].name);
    }
    return PEN_OK;
}

static void empty(pen_post *post, int k, pen_lid owned)
{
    memset(post->now[k].first, 0, ((size_t)owned + 1) * sizeof *post->now[k].first);
}

/* A phase begins that receives and sends these kinds. */
static void start(pen_post *post, uint64_t receives, uint64_t sends)
{
    post->receives = receives;
    post->made = 0;
    post->in_phase = true;
    pen_mail_count_begin(post);
    pen_mail_open(post, sends);
}

/* Make empty mailboxes. All kinds may be sent by .init. */
static pen_status begin_local(pen_run *run, pen_post *post)
{
    post->kinds = run->app->mails.count;
    post->mails = run->app->mails.list;
    post->version = -1;
    post->shift = 8;
    PEN_TRY(allocate(post));
    PEN_TRY(pen_mail_reserve(post, run->store->owned));
    for (int k = 0; k < post->kinds; k++) {
        PEN_TRY(pen_letters_reserve(&post->now[k], run->store->owned, 0, post->mails[k].size));
        empty(post, k, run->store->owned);
    }
    pen_mail_show(post);
    start(post, 0, pen_app_mails(run->app));
    run->view.library.mailboxes = post->shown;
    run->view.library.outboxes = post->out;
    return PEN_OK;
}

/* Collective. Mail is pulled if the halo is, or if this has to be found out. */
static pen_status choose_side(const pen_run *run, pen_post *post, const char *transport)
{
    post->automatic = transport && strcmp(transport, "auto") == 0;
    post->side = PEN_MAIL_MESSAGES;
    if (!post->automatic && !run->halo->transport->one_sided) return PEN_OK;
    PEN_TRY(pen_pull_open(run->halo, &post->pull));
    if (post->pull.transport) post->side = post->automatic ? PEN_MAIL_MEASURED : PEN_MAIL_PULLED;
    return PEN_OK;
}

static pen_status begin(pen_run *run, void *state, const pen_run_options *options)
{
    PEN_TRY(pen_agree(run->comm, begin_local(run, state)));
    return choose_side(run, state, options->transport);
}

static pen_status finish(pen_run *run, void *state)
{
    pen_post *post = state;
    pen_pull_close(&post->pull);
    post->offered.data = NULL;
    return PEN_OK;
}

static void free_outbox(pen_outbox *box) { PEN_FREE_ALL(box->to, box->records, box->slots, box->first); }

static void destroy(pen_run *run, void *state)
{
    pen_post *post = state;
    for (int k = 0; k < post->kinds; k++) {
        if (post->out) free_outbox(&post->out[k]);
        if (post->now) pen_letters_free(&post->now[k]);
        if (post->next) pen_letters_free(&post->next[k]);
        if (post->moved) pen_letters_free(&post->moved[k]);
        if (post->own) free(post->own[k]);
    }
    pen_letters_free(&post->spare);
    pen_place_table_free(&post->places);
    pen_blocks_free(&post->send);
    pen_blocks_free(&post->received);
    pen_blocks_free(&post->offered);
    PEN_FREE_ALL(post->shown, post->out, post->now, post->next, post->moved, post->counts, post->coming, post->totals,
                 post->by_gid, post->stays, post->bins, post->most, post->own, post->own_room, post->out_slots);
}

/* ---- Phases --------------------------------------------------------------------------------------- */

static void before_phase(pen_run *run, void *state)
{
    const pen_phase *phase = &run->app->phases.list[run->phase];
    start(state, phase->receives.bits, phase->sends.bits);
}

static pen_status exchange(pen_run *run, void *state, const pen_phase *phase)
{
    const pen_post *post = state;
    for (int k = 0; k < post->kinds; k++) {
        const bool received = post->receives >> k & 1 && post->now[k].first[run->store->owned] > 0;
        run->pending = run->pending || received || post->out[k].count > 0;
    }
    return phase->sends.bits ? pen_mail_deliver(run, state, phase) : PEN_OK;
}

/* The next mailboxes replace those of the phase. */
static void finish_phase(pen_run *run, void *state, const pen_phase *phase)
{
    pen_post *post = state;
    for (int k = 0; k < post->kinds; k++) {
        if (post->made >> k & 1) {
            const pen_letters before = post->now[k];
            post->now[k] = post->next[k];
            post->next[k] = before;
        } else if (post->receives >> k & 1) {
            empty(post, k, run->store->owned);
        }
    }
    pen_mail_show(post);
    pen_mail_count_end(post);
    pen_mail_close(post);
}

/* A phase that has failed is not in progress any more: mailboxes are those before it. */
static pen_status leave(pen_run *run, void *state, pen_status status)
{
    pen_mail_close(state);
    return PEN_OK;
}

/* ---- Reports -------------------------------------------------------------------------------------- */

static pen_status gather(pen_run *run, void *state)
{
    pen_post *post = state;
    return pen_all_reduce(run->comm, post->counts, post->totals, 3 * post->kinds, MPI_INT64_T, MPI_SUM);
}

static const char *const sides[] = {
    [PEN_MAIL_MESSAGES] = "two-sided", [PEN_MAIL_PULLED] = "one-sided", [PEN_MAIL_MEASURED] = "both"
};

static void metrics(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_post *post = state;
    if (!post) return;
    fprintf(out, ",\n  \"mail\": {\"seconds\": %.9g, \"delivery\": \"%s\", ", post->seconds, sides[post->side]);
    if (post->side_seconds[PEN_MAIL_PULLED] > 0.0)
        fprintf(out, "\"one_sided_seconds\": %.9g, \"two_sided_seconds\": %.9g, ", post->side_seconds[PEN_MAIL_PULLED],
                post->side_seconds[PEN_MAIL_MESSAGES]);
    fputs("\"kinds\": [", out);
    for (int k = 0; k < post->kinds; k++) {
        fputs(k ? ", {\"name\": " : "{\"name\": ", out);
        pen_json_text(out, post->mails[k].name);
        fprintf(out, ", \"bytes\": %zu, \"sent\": %" PRId64 ", \"remote\": %" PRId64 ", \"dropped\": %" PRId64 "}",
                post->mails[k].size, post->totals[k].sent, post->totals[k].remote, post->totals[k].dropped);
    }
    fprintf(out, "]}");
}

static void summary(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_post *post = state;
    for (int k = 0; k < post->kinds; k++) {
        const pen_mail_counts *all = &post->totals[k];
        fprintf(out, "mail        %s: %" PRId64 " messages, %" PRId64 " to other ranks", post->mails[k].name, all->sent,
                all->remote);
        if (all->dropped > 0) fprintf(out, ", %" PRId64 " dropped", all->dropped);
        fputc('\n', out);
    }
    if (post->side_seconds[PEN_MAIL_PULLED] > 0.0)
        fprintf(out, "mail        delivered %s: the same mail took %.3g s one-sided, %.3g s two-sided\n",
                sides[post->side], post->side_seconds[PEN_MAIL_PULLED], post->side_seconds[PEN_MAIL_MESSAGES]);
}

const pen_part pen_part_mail = {
    .name = "mail",
    .state_size = sizeof(pen_post),
    .wanted = wanted,
    .begin = begin,
    .before_phase = before_phase,
    .exchange = exchange,
    .finish_phase = finish_phase,
    .leave = leave,
    .prepare_change = pen_mail_prepare_change,
    .commit_change = pen_mail_commit_change,
    .list_words = pen_mail_list_words,
    .pack_list = pen_mail_pack_list,
    .take_lists = pen_mail_take_lists,
    .gather = gather,
    .metrics = metrics,
    .summary = summary,
    .finish = finish,
    .destroy = destroy,
};
