/* strict.c - the strict mode of a run. */
#include "strict/strict.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "output/columns.h"
#include "run/calls.h"
#include "store/requests.h"
#include "strict/checker.h"

#include <stdlib.h>

struct pen_strict {
    pen_field *fields; /* [2*fields] the application's fields, then fields that mark unwritten bits */
    pen_checker checker;
    const pen_phase *phase; /* the phase that is being checked; NULL: a function that belongs to no phase */
    pen_changes *changes;   /* the changes that a node requests in a replica */
    pen_observables *observation;
    FILE *out; /* stream for .print, into `text`; NULL: not open */
    char *text;
    size_t text_size;
};

static pen_status double_fields(const pen_app *app, pen_field **fields)
{
    int count = app->fields.count;
    if (count > 32) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: the strict mode has 32 fields at most", app->name);
    PEN_TRY(PEN_ALLOC(fields, 2 * count));
    for (int f = 0; f < 2 * count; f++) (*fields)[f] = app->fields.list[f % count];
    return PEN_OK;
}

pen_status pen_strict_create(pen_run *run)
{
    const pen_app *app = run->app;
    PEN_TRY(PEN_ALLOC_ZERO(&run->strict, 1));
    run->sweep = pen_strict_sweep;
    struct pen_strict *s = run->strict;
    PEN_TRY(double_fields(app, &s->fields));
    for (int p = 0; p < app->phases.count; p++) {
        run->traits[p].pull = pen_run_carried(run, run->traits[p].pull);
        run->traits[p].in_place = 0;
    }
    PEN_TRY(pen_checker_create(run, &s->checker));
    size_t sizes[PEN_MOST_FIELDS];
    for (int f = 0; f < app->fields.count; f++) sizes[f] = app->fields.list[f].size;
    PEN_TRY(pen_changes_create(app->fields.count, sizes, &s->changes));
    return pen_observation_create(app, &s->observation);
}

/* ---- Output of nodes as words --------------------------------------------------------------- */

static const struct pen_strict *of(const pen_replicas *replicas) { return replicas->run->strict; }

/* Output the changes of the graph that a node requests as words. */
static void modify(pen_replicas *replicas, const pen_view *v, pen_requests *words)
{
    pen_changes *changes = of(replicas)->changes;
    pen_changes_begin(changes, pen_store_dimensions(replicas->run->store));
    pen_changes_by(changes, v->slot, pen_id(v));
    of(replicas)->phase->modify(v, changes);
    for (int64_t i = 0; i < changes->subject_count; i++) {
        pen_request(words, changes->subjects[i].gid);
        pen_request(words, changes->subjects[i].removed);
    }
    for (int64_t i = 0; i < changes->edge_count; i++) {
        pen_request(words, (pen_gid)changes->edges[i].from << 32 | changes->edges[i].to);
        pen_request(words, changes->edges[i].weight);
    }
    for (int64_t i = 0; i < changes->weight_count; i++) {
        pen_request(words, changes->weights[i].subject);
        pen_request(words, changes->weights[i].weight);
    }
    for (pen_new_node *n = changes->newest; n; n = n->previous) {
        pen_request(words, n->subject);
        pen_request(words, n->weight);
        pen_request(words, n->dimensions);
        pen_request(words, (pen_gid)pen_hash_bytes(n->at, sizeof n->at));
        pen_request(words, (pen_gid)pen_hash_bytes(pen_newborn_record(n, 0), (size_t)pen_newborn_bytes(changes)));
    }
}

/* Output the mail that a node has sent as words, and take it back. */
static void take_mail(const pen_app *app, const pen_view *v, const int64_t *before, pen_requests *words)
{
    for (int k = 0; k < app->mails.count; k++) {
        pen_outbox *box = &v->library.outboxes[k];
        const size_t size = app->mails.list[k].size;
        for (int64_t m = before[k]; m < box->count; m++) {
            pen_request(words, k);
            pen_request(words, box->to[m]);
            pen_request(words, (pen_gid)pen_hash_bytes((const char *)box->records + (size_t)m * size, size));
        }
        if (!box->lacks) box->count = before[k];
    }
}

static void compute(pen_replicas *replicas, const pen_view *v, pen_requests *words)
{
    const pen_phase *phase = of(replicas)->phase;
    const pen_app *app = replicas->run->app;
    int64_t before[PEN_MOST_FIELDS];
    pen_view view = *v;
    for (int k = 0; k < app->mails.count; k++) before[k] = v->library.outboxes[k].count;
    for (int f = 0; f < replicas->run->app->fields.count; f++)
        if (phase->updates.bits >> f & 1) pen_keep(v, f);
    if (phase->modify) modify(replicas, v, words);
    else pen_call_nodes(&view, phase, v->slot, v->slot + 1);
    take_mail(app, v, before, words);
}

static void want_far(pen_replicas *replicas, const pen_view *v, pen_requests *words)
{
    of(replicas)->phase->far(v, words);
}

static void close_text(struct pen_strict *s)
{
    if (s->out) fclose(s->out);
    s->out = NULL;
    free(s->text);
    s->text = NULL;
}

static void print(pen_replicas *replicas, const pen_view *v, pen_requests *words)
{
    struct pen_strict *s = replicas->run->strict;
    close_text(s); /* a call that faulted may have left the stream open */
    s->out = pen_memory_stream(&s->text, &s->text_size);
    if (s->out) replicas->run->app->output.print(v, s->out);
    if (!s->out || fflush(s->out) != 0) pen_die("out of memory in the strict mode");
    pen_request(words, (pen_gid)pen_hash_bytes(s->text, s->text_size));
    close_text(s);
}

static void want_real(pen_requests *words, double value)
{
    pen_gid bits;
    memcpy(&bits, &value, sizeof bits);
    pen_request(words, bits);
}

/* Output the observables of a phase, or of the step, as words. */
static void observe(pen_replicas *replicas, const pen_view *v, pen_requests *words)
{
    const struct pen_strict *s = of(replicas);
    const pen_app *app = replicas->run->app;
    pen_observe_fn *observe_node = s->phase ? s->phase->observe : app->observables.observe;
    pen_comm self = { .mpi = MPI_COMM_SELF };
    pen_view view = *v;
    pen_observation_begin(s->observation, s->phase ? replicas->run->phase + 1 : PEN_AFTER_STEP);
    pen_call_observe(&view, observe_node, s->observation, v->slot, v->slot + 1);
    if (pen_observation_reduce(&self, s->observation) != PEN_OK) return;
    for (int i = 0; i < s->observation->count; i++) pen_request(words, s->observation->ints[i]);
    for (int i = 0; i < s->observation->count; i++) want_real(words, s->observation->reals[i]);
}

static void want_cost(const pen_view *v, pen_cost_fn *cost, pen_requests *words)
{
    pen_view view = *v;
    double one;
    if (!cost) return;
    pen_call_cost(&view, cost, v->slot, v->slot + 1, &one);
    want_real(words, one);
}

static void cost(pen_replicas *replicas, const pen_view *v, pen_requests *words)
{
    const pen_app *app = replicas->run->app;
    for (int p = 0; p < app->phases.count; p++) want_cost(v, app->phases.list[p].cost, words);
}

/* ---- A phase -------------------------------------------------------------------------------- */

pen_status pen_strict_begin(pen_run *run, const pen_phase *phase, bool none_yet)
{
    struct pen_strict *s = run->strict;
    s->phase = phase;
    s->checker.replicas.traps.mails = phase->receives.bits;
    s->checker.reader = false;
    snprintf(s->checker.where, sizeof s->checker.where, "phase %s", phase->name);
    return pen_agree(run->comm, pen_replicas_make(&s->checker.replicas, phase->reads.bits, none_yet));
}

pen_status pen_strict_far(pen_run *run)
{
    struct pen_strict *s = run->strict;
    return pen_agree(run->comm, pen_replicas_add_far(&s->checker.replicas, s->phase->far_reads.bits));
}

void pen_strict_want(pen_run *run, pen_lid slot, pen_requests *requests)
{
    pen_checker *checker = &run->strict->checker;
    pen_guard_begin();
    bool whole = pen_checker_node(checker, slot, want_far, 0);
    pen_guard_end();
    if (checker->plain.restless) run->view.library.restless[slot] = true;
    for (int64_t i = 0; whole && i < checker->plain.said; i++) pen_request(requests, checker->plain.words.gids[i]);
}

/* Copy a node's next records, and the marks of unwritten bits, to the run's planes. Unwritten bits are set to those of
 * the current record, which readers without this mode often find; in init to zero. */
static void take_over(pen_run *run, const pen_phase *phase, pen_lid slot)
{
    const pen_checker *checker = &run->strict->checker;
    int fields = run->app->fields.count;
    if (run->view.library.restless && checker->plain.restless) run->view.library.restless[slot] = true;
    if (phase->edge_writes.bits) pen_replicas_swap_edges(&checker->replicas, slot, checker->plain.edges);
    for (int f = 0; f < fields; f++) {
        const size_t size = run->store->sizes[f], offset = (size_t)slot * size;
        const unsigned char *bits = checker->unwritten + checker->replicas.at[f],
                            *found = checker->plain.next + checker->replicas.at[f],
                            *current = pen_store_plane(run->store, f, 0) + offset;
        unsigned char *next = pen_store_plane(run->store, f, 1) + offset;
        if (!(phase->writes.bits >> f & 1)) continue;
        for (size_t b = 0; b < size; b++) {
            const unsigned char before = checker->replicas.none_yet ? 0 : current[b];
            next[b] = (unsigned char)((found[b] & ~bits[b]) | (before & bits[b]));
        }
        memcpy(pen_store_plane(run->store, fields + f, 1) + offset, bits, size);
    }
}

void pen_strict_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    pen_guard_begin();
    for (pen_lid slot = first; slot < end; slot++) {
        if (!pen_checker_node(&run->strict->checker, slot, compute, phase->writes.bits)) continue;
        /* The requests and the mail of the node enter the run here, once. */
        if (phase->modify || phase->sends.bits) pen_run_sweep(run, phase, slot, slot + 1);
        take_over(run, phase, slot);
    }
    pen_guard_end();
}

void pen_strict_sleeper(pen_run *run, pen_lid slot)
{
    pen_checker_report(&run->strict->checker, slot,
                       "no record has changed that it reads, but its result depends on the step, the seed, an "
                       "observable or globals, for which it does not ask by the functions of the view: its phase needs "
                       ".always");
}

pen_status pen_strict_end(pen_run *run) { return pen_checker_end(&run->strict->checker); }

void pen_strict_forget(const pen_run *run, uint64_t fields)
{
    const pen_store *store = run->store;
    for (int f = 0; f < run->app->fields.count; f++)
        if (fields >> f & 1)
            memset(pen_store_plane(store, run->app->fields.count + f, 0), 0xff, (size_t)store->owned * store->sizes[f]);
}

pen_status pen_strict_init_edges(pen_run *run)
{
    const pen_phase phase = { ".init_edges", .node = run->app->init_edges, .reads.bits = pen_app_reads(run->app) };
    struct pen_strict *s = run->strict;
    PEN_TRY(pen_strict_begin(run, &phase, false));
    snprintf(s->checker.where, sizeof s->checker.where, ".init_edges");
    pen_guard_begin();
    for (pen_lid slot = 0; slot < run->store->owned; slot++) (void)pen_checker_node(&s->checker, slot, compute, 0);
    pen_guard_end();
    s->phase = NULL;
    return pen_strict_end(run);
}

/* ---- Functions other than phases ------------------------------------------------------------ */

/* Check a function that reads all nodes and has this name. */
static void check_reader(pen_run *run, pen_call *call, const char *name)
{
    pen_checker *checker = &run->strict->checker;
    snprintf(checker->where, sizeof checker->where, "%s", name);
    checker->reader = true;
    checker->replicas.traps.mails = pen_app_mails(run->app);
    pen_guard_begin();
    for (pen_lid slot = 0; slot < run->store->owned; slot++) (void)pen_checker_node(checker, slot, call, 0);
    pen_guard_end();
}

/* Check that bytes first..end of a node's current record may be delivered in the way that `way` names. */
static void deliver(pen_run *run, pen_lid slot, int field, int64_t first, int64_t end, const char *way, bool all)
{
    const pen_gap gap = { field, slot, -1, first, end };
    pen_checker_delivery(&run->strict->checker, run->store->gids[slot], &gap,
                         pen_replicas_unwritten(&run->strict->checker.replicas, field, slot, -1), way, all);
}

/* Check whole records that are delivered to a user of which it is unknown which parts it uses. So it is a mistake if no
 * part of a record was written; for fields without padding, if some part was not. */
static void deliver_records(pen_run *run, int field, const char *way)
{
    const bool all = run->app->fields.list[field].plain;
    for (pen_lid slot = 0; slot < run->store->owned; slot++)
        deliver(run, slot, field, 0, (int64_t)run->store->sizes[field], way, all);
}

/* Check the members of records that files of results are made of. */
static void deliver_members(pen_run *run)
{
    const pen_app *app = run->app;
    for (int m = 0; m < app->output.members.count; m++) {
        const pen_member *member = &app->output.members.list[m];
        const int64_t first = (int64_t)member->offset, count = member->components > 0 ? member->components : 1;
        char way[96];
        snprintf(way, sizeof way, "member %s", member->name);
        for (pen_lid slot = 0; slot < run->store->owned; slot++)
            deliver(run, slot, member->field, first, first + count * (int64_t)pen_type_size(member->type), way, true);
    }
}

/* Make replicas in which neighbours' current records of these fields may be read. */
static pen_status begin_readers(pen_run *run, uint64_t reads)
{
    pen_run_view(run, 0, 0);
    return pen_agree(run->comm, pen_replicas_make(&run->strict->checker.replicas, reads, false));
}

static void check_observe(pen_run *run, int64_t step)
{
    run->view.step = step;
    if (run->app->observables.observe) check_reader(run, observe, ".observe");
    run->view.step = run->step;
}

pen_status pen_strict_start(pen_run *run)
{
    run->strict->phase = NULL;
    PEN_TRY(begin_readers(run, run->traits[0].shadows));
    check_observe(run, -1);
    return pen_strict_end(run);
}

pen_status pen_strict_deliver(pen_run *run)
{
    deliver_members(run);
    return pen_strict_end(run);
}

pen_status pen_strict_step(pen_run *run)
{
    run->strict->phase = NULL;
    PEN_TRY(begin_readers(run, run->traits[0].shadows));
    if (run->app->output.print) check_reader(run, print, ".print");
    check_observe(run, run->step);
    if (pen_app_declares(run->app)) check_reader(run, cost, ".cost");
    deliver_members(run);
    for (int f = 0; f < run->app->fields.count && pen_app_is_plain(run->app); f++) deliver_records(run, f, "checksum");
    return pen_strict_end(run);
}

pen_status pen_strict_observe(pen_run *run, const pen_phase *phase)
{
    char name[96];
    run->strict->phase = phase;
    PEN_TRY(begin_readers(run, run->traits[run->phase].shadows));
    snprintf(name, sizeof name, ".observe of phase %s", phase->name);
    check_reader(run, observe, name);
    return pen_strict_end(run);
}

pen_status pen_strict_gather(pen_run *run, int field)
{
    deliver_records(run, field, "pen_run_gather");
    return pen_strict_end(run);
}

void pen_strict_fetched(pen_run *run, int field, pen_gid gid, const unsigned char *unwritten)
{
    const pen_gap gap = { field, 0, -1, 0, (int64_t)run->store->sizes[field] };
    pen_checker_delivery(&run->strict->checker, gid, &gap, unwritten, "pen_run_fetch",
                         run->app->fields.list[field].plain);
}

void pen_strict_local(const pen_run *run)
{
    pen_run *mine = run->strict->checker.replicas.run;
    for (int f = 0; f < pen_app_own_fields(run->app); f++)
        if (!run->app->fields.list[f].transient) deliver_records(mine, f, "pen_run_local");
    const char *mistake = pen_checker_take(&run->strict->checker);
    if (mistake) pen_die("%s: %s", run->app->name, mistake);
}

void pen_strict_destroy(struct pen_strict **strict)
{
    struct pen_strict *s = *strict;
    if (!s) return;
    close_text(s);
    pen_checker_free(&s->checker);
    pen_changes_destroy(&s->changes);
    pen_observation_destroy(&s->observation);
    PEN_FREE_ALL(s->fields, s);
    *strict = NULL;
}

const pen_field *pen_strict_fields(const pen_run *run) { return run->strict->fields; }
