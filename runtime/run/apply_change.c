/* apply_change.c - moves nodes and carries out requests, and says why requests are refused. */
#include "run/apply_change.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "observe/trace.h"
#include "run/parts.h"
#include "run/reach.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>

/* A request for a change of the graph, as sent to all ranks. */
typedef struct request {
    enum { REMOVE_NODE, ADD_NODE, WEIGH_NODE, REMOVE_EDGE, ADD_EDGE } kind;
    int32_t known; /* bit set of THERE, ... */
    pen_gid by, a, b;
    int64_t weight;
    uint64_t record; /* hash of the first record; ADD_NODE */
    uint64_t place;  /* hash of the coordinates; 0: there are none; ADD_NODE */
} request;

/* The nodes a and b were there, and so was the arc between them. */
enum { THERE = 1, OTHER_THERE = 2, ARC_THERE = 4 };

typedef struct refusal {
    request *all;         /* [count] requests, sorted by subject, then by the requesting node */
    int32_t *known;       /* [count] the members `known` of all requests, to combine them over the ranks */
    int *counts, *begins; /* [ranks] bytes and offsets of each rank's requests */
    int64_t count;
    pen_gid by; /* the lowest gid with a contradictory request; INT64_MAX: none found */
    char text[256];
} refusal;

/* ---- All requests --------------------------------------------------------------------------------- */

static int64_t count_own(const pen_changes *c)
{
    int64_t count = c->edge_count + c->weight_count;
    for (int64_t i = 0; i < c->subject_count; i++) count += c->subjects[i].removed;
    for (const pen_newborn *n = c->newest; n; n = n->previous) count++;
    return count;
}

static void list_own(const pen_changes *c, request *to)
{
    const pen_subject *of = c->subjects;
    for (int64_t i = 0; i < c->subject_count; i++)
        if (of[i].removed) *to++ = (request){ .kind = REMOVE_NODE, .by = of[i].remover, .a = of[i].gid };
    for (pen_newborn *n = c->newest; n; n = n->previous)
        *to++ = (request){ .kind = ADD_NODE,
                           .by = n->by,
                           .a = of[n->subject].gid,
                           .weight = n->weight,
                           .record = pen_hash_bytes(pen_newborn_record(n, 0), (size_t)pen_newborn_bytes(c)),
                           .place = n->dimensions > 0 ? pen_hash_bytes(n->at, sizeof n->at) : 0 };
    for (int64_t i = 0; i < c->edge_count; i++) {
        const pen_edge_request *e = &c->edges[i];
        *to++ = (request){ .kind = e->weight == 0 ? REMOVE_EDGE : ADD_EDGE,
                           .by = e->by,
                           .a = of[e->from].gid,
                           .b = of[e->to].gid,
                           .weight = e->weight };
    }
    for (int64_t i = 0; i < c->weight_count; i++)
        *to++ = (request){ .kind = WEIGH_NODE,
                           .by = c->weights[i].by,
                           .a = of[c->weights[i].subject].gid,
                           .weight = c->weights[i].weight };
}

static bool owns(const pen_store *store, pen_gid gid, pen_lid *slot)
{
    const uint64_t *found = pen_pages_find(store->slot_of, gid);
    if (!found || *found >= (uint64_t)store->owned) return false;
    *slot = (pen_lid)*found;
    return true;
}

/* The nodes of a request that are on this rank before the change, as bits. */
static int32_t look_up(const pen_store *store, const request *r)
{
    pen_lid slot;
    int32_t known = 0;
    if (r->kind >= REMOVE_EDGE && owns(store, r->b, &slot)) known |= OTHER_THERE;
    if (!owns(store, r->a, &slot)) return known;
    known |= THERE;
    for (uint32_t arc = store->rows[slot]; arc < store->rows[slot + 1]; arc++)
        if (r->kind == REMOVE_EDGE && store->gids[store->columns[arc]] == r->b) known |= ARC_THERE;
    return known;
}

/* Collective. Allocate memory for all requests; *enough: all ranks have succeeded. */
static pen_status make_room(const pen_run *run, refusal *r, int64_t own, bool *enough)
{
    int64_t all[2] = { own, 0 };
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, all, 1, MPI_INT64_T, MPI_SUM));
    r->count = all[0];
    bool mine = r->count < INT_MAX / (int64_t)sizeof(request) && PEN_ALLOC(&r->all, r->count) == PEN_OK &&
                PEN_ALLOC(&r->known, r->count) == PEN_OK && PEN_ALLOC(&r->counts, run->comm->size) == PEN_OK &&
                PEN_ALLOC(&r->begins, run->comm->size) == PEN_OK;
    int lacking = !mine;
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX));
    *enough = !lacking;
    return PEN_OK;
}

/* Collective. */
static pen_status share(const pen_run *run, refusal *r, int64_t own)
{
    const pen_comm *comm = run->comm;
    int bytes = (int)(own * (int64_t)sizeof(request)), begin = 0;
    PEN_MPI(MPI_Allgather(&bytes, 1, MPI_INT, r->counts, 1, MPI_INT, comm->mpi));
    for (int rank = 0; rank < comm->size; begin += r->counts[rank++]) r->begins[rank] = begin;
    list_own(run->changed.requests, r->all + (size_t)r->begins[comm->rank] / sizeof(request));
    PEN_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r->all, r->counts, r->begins, MPI_BYTE, comm->mpi));
    for (int64_t i = 0; i < r->count; i++) r->known[i] = look_up(run->store, &r->all[i]);
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, r->known, (int)r->count, MPI_INT32_T, MPI_BOR));
    for (int64_t i = 0; i < r->count; i++) r->all[i].known = r->known[i];
    return PEN_OK;
}

/* ---- Contradictions ------------------------------------------------------------------------------- */

static int by_subject(const void *x, const void *y)
{
    const request *a = (const request *)x, *b = (const request *)y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    if (a->by != b->by) return a->by < b->by ? -1 : 1;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    if (a->record != b->record) return a->record < b->record ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void refuse(refusal *r, pen_gid by, const char *format, ...) PEN_PRINTF(3, 4);
static void refuse(refusal *r, pen_gid by, const char *format, ...)
{
    if (by >= r->by) return;
    r->by = by;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->text, sizeof r->text, format, arguments);
    va_end(arguments);
}

/* The first request of this kind about a node; NULL: there is none. Requests are sorted. */
static const request *find(const refusal *r, pen_gid gid, int kind)
{
    int64_t low = 0, high = r->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const request *at = &r->all[middle];
        if (at->a < gid || (at->a == gid && (int)at->kind < kind)) low = middle + 1;
        else high = middle;
    }
    return low < r->count && r->all[low].a == gid && (int)r->all[low].kind == kind ? &r->all[low] : NULL;
}

/* Refuse a request whose node does not exist before the change and is not added. */
static void need_node(refusal *r, const request *q, pen_gid gid, bool there, const char *what)
{
    if (!there && !find(r, gid, ADD_NODE))
        refuse(r, q->by, "%s of node %" PRIgid ", which exists neither before nor after the change", what, gid);
}

/* Check a request on its own. */
static void check(refusal *r, const request *q)
{
    const bool there = q->known & THERE, other = q->known & OTHER_THERE;
    if (q->kind == REMOVE_NODE && !there)
        refuse(r, q->by, "node %" PRIgid " is to be removed, but does not exist", q->a);
    if (q->kind == ADD_NODE && there && !find(r, q->a, REMOVE_NODE))
        refuse(r, q->by, "node %" PRIgid " is to be added, but exists already", q->a);
    if (q->kind == REMOVE_EDGE && !(q->known & ARC_THERE))
        refuse(r, q->by, "edge %" PRIgid " - %" PRIgid " is to be removed, but does not exist", q->a, q->b);
    if (q->kind == WEIGH_NODE) need_node(r, q, q->a, there, "a weight");
    if (q->kind != ADD_EDGE) return;
    need_node(r, q, q->a, there, "an edge");
    need_node(r, q, q->b, other, "an edge");
}

/* Compare two requests about one subject; the first is from the lower number. */
static void compare(refusal *r, const request *p, const request *q)
{
    const int64_t low = p->weight < q->weight ? p->weight : q->weight, high = p->weight + q->weight - low;
    const bool differ = low != high;
    if (p->kind == ADD_NODE && q->kind == ADD_NODE && differ)
        refuse(r, p->by, "node %" PRIgid " is to be added with two weights, %" PRId64 " and %" PRId64, p->a, low, high);
    else if (p->kind == ADD_NODE && q->kind == ADD_NODE && p->record != q->record)
        refuse(r, p->by, "node %" PRIgid " is to be added with two different initial records", p->a);
    else if (p->kind == ADD_NODE && q->kind == ADD_NODE && p->place != q->place)
        refuse(r, p->by, "node %" PRIgid " is to be added with two different sets of coordinates, or once without any",
               p->a);
    else if (q->kind == WEIGH_NODE && differ)
        refuse(r, p->by < q->by ? p->by : q->by, "node %" PRIgid " is to get two weights, %" PRId64 " and %" PRId64,
               p->a, low, high);
    else if (p->kind == ADD_EDGE && q->kind == ADD_EDGE && differ)
        refuse(r, p->by, "edge %" PRIgid " - %" PRIgid " is to get two weights, %" PRId64 " and %" PRId64, p->a, p->b,
               low, high);
}

/* Name the ends of undirected edges in the same order, since an edge is the same from both ends. */
static void turn_edges(refusal *r)
{
    for (int64_t i = 0; i < r->count; i++) {
        request *q = &r->all[i];
        if (q->kind < REMOVE_EDGE || q->a <= q->b) continue;
        const pen_gid a = q->a;
        q->a = q->b;
        q->b = a;
        const int32_t both = q->known & (THERE | OTHER_THERE);
        q->known = (q->known & ARC_THERE) | (both & THERE ? OTHER_THERE : 0) | (both & OTHER_THERE ? THERE : 0);
    }
}

static void check_all(refusal *r, bool directed)
{
    if (!directed) turn_edges(r);
    if (r->count > 0) qsort(r->all, (size_t)r->count, sizeof *r->all, by_subject);
    const request *first = NULL;
    for (int64_t i = 0; i < r->count; i++) {
        const request *q = &r->all[i];
        check(r, q);
        if (!first || first->a != q->a || first->kind != q->kind || first->b != q->b) first = q;
        else compare(r, first, q);
        const request *added = q->kind == WEIGH_NODE ? find(r, q->a, ADD_NODE) : NULL;
        if (added) compare(r, added, q);
    }
}

/* ---- The message ------------------------------------------------------------------------------------ */

/* Collective. A request that could not be recorded is kept as a message; take the one with the lowest number. */
static pen_status take_failed(const pen_run *run, refusal *r)
{
    const pen_changes *c = run->changed.requests;
    const pen_comm *comm = run->comm;
    pen_gid mine = c->status == PEN_OK ? INT64_MAX : c->failed_by, lowest;
    PEN_TRY(pen_all_reduce(comm, &mine, &lowest, 1, PEN_MPI_GID, MPI_MIN));
    if (lowest == INT64_MAX) return PEN_OK;
    int rank = mine == lowest ? comm->rank : comm->size;
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MIN));
    r->by = lowest;
    if (rank == comm->rank) snprintf(r->text, sizeof r->text, "%s", c->message);
    PEN_TRY(pen_broadcast(comm, r->text, (int)sizeof r->text, rank));
    return PEN_OK;
}

static pen_status find_reason(const pen_run *run, refusal *r)
{
    const int64_t own = count_own(run->changed.requests);
    bool enough = false;
    PEN_TRY(take_failed(run, r));
    PEN_TRY(make_room(run, r, own, &enough));
    if (!enough) return PEN_OK;
    PEN_TRY(share(run, r, own));
    check_all(r, run->store->directed);
    return PEN_OK;
}

/* Collective, after requests were carried out or refused with `status`, which is equal on all ranks, and before they
 * are discarded. Returns it. For PEN_ERR_ARGUMENT it sets the message of the contradiction requested by the node (in
 * pen_run_change: the rank) with the lowest number, and adds that number, phase and step. It needs memory for all
 * requests on every rank; without it, it only adds phase and step. */
static pen_status run_refused(pen_run *run, pen_status status)
{
    const bool by_node = run->changed.requests->adder != PEN_NOBODY_ASKS;
    char asker[64] = "", phase[192] = "";
    refusal r = { .by = INT64_MAX };
    if (status != PEN_ERR_ARGUMENT) return status;
    snprintf(r.text, sizeof r.text, "%s", pen_error_message());
    pen_status found = find_reason(run, &r);
    PEN_FREE_ALL(r.all, r.known, r.counts, r.begins);
    PEN_TRY(found);
    if (r.by < INT64_MAX) snprintf(asker, sizeof asker, "requested by %s %" PRIgid, by_node ? "node" : "rank", r.by);
    if (by_node)
        snprintf(phase, sizeof phase, "%sphase %s, step %" PRId64, *asker ? ", " : "",
                 run->app->phases.list[run->phase].name, run->step);
    if (!*asker && !*phase) return pen_fail(status, "%s", r.text);
    return pen_fail(status, "%s (%s%s)", r.text, asker, phase);
}

/* ---- Carrying out ---------------------------------------------------------------------------- */

/* The new store and halo take the places of the old ones; from here on nothing fails. */
static void adopt(pen_run *run, pen_store *store, pen_halo *halo)
{
    pen_halo_swap(&run->halo, &halo);
    pen_halo_destroy(&halo);
    pen_store_destroy(&run->store);
    run->store = store;
    pen_run_bind(run);
    uint64_t reads = pen_run_carried(run, pen_app_reads(run->app));
    if (reads) {
        run->halo->transport->begin(run->halo, reads);
        run->halo->transport->end(run->halo, reads);
    }
    pen_run_flip(run, pen_app_fields(run->app));
}

static int64_t note_held(pen_run *run)
{
    const int64_t held = pen_store_memory_used(run->store);
    if (held > run->changed.most_held) run->changed.most_held = held;
    return held;
}

/* Local, after a change, when its memory has been freed. The C library keeps freed memory between blocks that are in
 * use. This returns it to the system if this rank's store has shrunk to less than a quarter since the last time. */
static void give_back(pen_run *run)
{
    enum { TIMES = 4, LITTLE = 1 << 16 };
    const int64_t held = note_held(run);
    if (run->changed.most_held <= TIMES * held + LITTLE) return;
    pen_return_freed();
    run->changed.most_held = held;
}

/* Collective. */
static pen_status prepare_parts(pen_run *run, const pen_change *change)
{
    PEN_FOR_PARTS (p, run, prepare_change) PEN_TRY(p->part->prepare_change(run, p->state, change));
    return PEN_OK;
}

/* Collective. Carry out a prepared change, and update all that depends on the store. On failure, the same on all ranks,
 * nothing has changed. Errors: as pen_halo_build and pen_change_announce. */
static pen_status carry_out(pen_run *run, pen_change *change)
{
    pen_halo *halo = NULL;
    pen_store *after = change->after;
    (void)note_held(run);
    pen_status status = pen_halo_build(run->halo, after, &halo);
    if (status == PEN_OK) status = prepare_parts(run, change);
    if (status == PEN_OK) status = pen_change_announce(change);
    if (status != PEN_OK) {
        PEN_FOR_PARTS (p, run, undo_change) p->part->undo_change(run, p->state);
        pen_halo_destroy(&halo);
        pen_change_undo(change);
        return status;
    }
    pen_change_carry(change);
    pen_parts_take(run);
    PEN_FOR_PARTS (p, run, commit_change) p->part->commit_change(run, p->state, change);
    run->changed.shipped += change->bytes;
    pen_change_commit(change);
    pen_reach_destroy(&run->reach);
    adopt(run, after, halo);
    return PEN_OK;
}

pen_status pen_run_migrate(pen_run *run, pen_status mine, int64_t count, const pen_move *moves)
{
    pen_change change;
    pen_parts_describe(run);
    PEN_TRY(pen_change_moves(run->store, mine, count, moves, &change));
    if (!change.after) return PEN_OK; /* then no node moves */
    PEN_TRY(carry_out(run, &change));
    give_back(run);
    return PEN_OK;
}

pen_status pen_app_changes(const pen_app *app, int field_count, const size_t *sizes, pen_changes **changes)
{
    size_t edge_bytes = 0;
    PEN_TRY(pen_changes_create(field_count, sizes, changes));
    for (int e = 0; e < app->edge_fields.count; e++) edge_bytes += app->edge_fields.list[e].size;
    for (int c = 0; c < app->inputs.count; c++) {
        const int field = pen_app_kept_field(app, c), edge_field = pen_app_kept_edge_field(app, c);
        const double *otherwise = &app->inputs.list[c].otherwise;
        size_t at = 0;
        for (int e = 0; e < edge_field; e++) at += app->edge_fields.list[e].size;
        if (field >= 0) PEN_TRY(pen_changes_begin_with(*changes, field, otherwise, sizeof *otherwise));
        if (edge_field >= 0)
            PEN_TRY(pen_changes_begin_arcs_with(*changes, edge_bytes, at, otherwise, sizeof *otherwise));
    }
    return PEN_OK;
}

/* ---- Requests of nodes ----------------------------------------------------------------------- */

pen_status pen_run_asked(pen_run *run, bool *any)
{
    enum { FAILED = 1, ASKED = 2, NODES = 4, EDGES = 8, UNPLACED = 16 };
    pen_changes *changes = run->changed.requests;
    pen_status status = pen_changes_status(changes);
    if (status == PEN_OK) status = pen_changes_settle(changes);
    int mine = (status != PEN_OK ? FAILED : 0) | (pen_changes_any(changes) ? ASKED : 0) |
               (changes->weighs_nodes ? NODES : 0) | (changes->weighs_edges ? EDGES : 0) |
               (changes->unplaced > 0 ? UNPLACED : 0);
    int all;
    uint64_t start = pen_ticks();
    PEN_TRY(pen_all_reduce(run->comm, &mine, &all, 1, MPI_INT, MPI_BOR));
    run->timers.ticks[PEN_TIME_COMMUNICATE] += pen_ticks() - start;
    if (all & FAILED) {
        status = run_refused(run, pen_agree(run->comm, status));
        pen_changes_clear(changes);
        return status;
    }
    *any = all & ASKED;
    changes->weighs_nodes = all & NODES;
    changes->weighs_edges = all & EDGES;
    changes->unplaced = all & UNPLACED;
    return PEN_OK;
}

/* Count the changes over all ranks before they are carried out, since nothing may fail afterwards. */
static pen_status sum_up(const pen_run *run, pen_change_counts *counts)
{
    int64_t sums[] = { counts->added, counts->removed, counts->arcs_added, counts->arcs_removed };
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, sums, PEN_COUNT_OF(sums), MPI_INT64_T, MPI_SUM));
    *counts = (pen_change_counts){ sums[0], sums[1], sums[2], sums[3] };
    return PEN_OK;
}

static void note_changes(pen_run *run, const pen_change_counts *now)
{
    const int64_t ends = run->store->directed ? 1 : 2;
    pen_run_changed *all = &run->changed;
    run->graph.nodes += now->added - now->removed;
    run->graph.edges += (now->arcs_added - now->arcs_removed) / ends;
    all->with_changes++;
    all->added += now->added;
    all->removed += now->removed;
    all->edges_added += now->arcs_added / ends;
    all->edges_removed += now->arcs_removed / ends;
}

static pen_status rewire(pen_run *run)
{
    pen_change change;
    if (run->graph.verifies && !run->graph.first) PEN_TRY(pen_run_graph(run, &run->graph.first));
    pen_parts_describe(run);
    PEN_TRY(pen_change_requests(run->store, PEN_OK, run->changed.requests, &change));
    pen_change_counts counts = change.counts;
    const bool loses = pen_store_dimensions(run->store) > 0 && change.unplaced;
    pen_status status = sum_up(run, &counts);
    if (status != PEN_OK) {
        pen_change_undo(&change);
        return status;
    }
    PEN_TRY(carry_out(run, &change));
    note_changes(run, &counts);
    if (loses && run->comm->rank == 0)
        pen_warn("%s, step %" PRId64 ": nodes are added without coordinates, so that no node has any from now on "
                 "(pen_set_coordinates)",
                 run->app->name, run->step + 1);
    return PEN_OK;
}

pen_status pen_run_rewire(pen_run *run, uint64_t writes)
{
    uint64_t start = pen_ticks();
    pen_run_flip(run, writes);
    pen_status status = rewire(run);
    if (status != PEN_OK) pen_run_flip(run, writes);
    status = run_refused(run, status);
    pen_changes_clear(run->changed.requests);
    give_back(run);
    uint64_t end = pen_ticks();
    run->changed.ticks += end - start;
    run->timers.ticks[PEN_TIME_COMMUNICATION_OVERHEAD] += end - start;
    pen_trace_span(run->timers.trace, "change", "change", run->step, start, end);
    return status;
}

static pen_status prepare_call(pen_run *run, bool asks)
{
    PEN_ARGUMENT(asks, "%s: pen_run_change without a function", run->app->name);
    if (run->changed.requests) return PEN_OK;
    return pen_app_changes(run->app, run->store->field_count, run->store->sizes, &run->changed.requests);
}

static void ask_once(pen_run *run, void (*ask)(pen_changes *changes, void *context), void *context)
{
    PEN_INSIDE("pen_run_change");
    ask(run->changed.requests, context);
}

pen_status pen_run_change(pen_run *run, void (*ask)(pen_changes *changes, void *context), void *context)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_change");
    PEN_TRY(pen_run_ready(run, "pen_run_change"));
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no change within a step", run->app->name);
    bool any = false;
    PEN_TRY(pen_agree(run->comm, prepare_call(run, ask != NULL)));
    pen_changes_begin(run->changed.requests, pen_store_dimensions(run->store));
    pen_changes_by(run->changed.requests, PEN_NOBODY_ASKS, run->comm->rank);
    ask_once(run, ask, context);
    PEN_TRY(pen_run_asked(run, &any));
    if (!any) return PEN_OK;
    PEN_TRY(pen_run_rewire(run, 0));
    run->changed.put = true;
    return PEN_OK;
}

int64_t pen_run_nodes(const pen_run *run) { return run ? run->graph.nodes : 0; }
int64_t pen_run_edges(const pen_run *run) { return run ? run->graph.edges : 0; }
