/* refuse.c - says why requests for changes of the graph contradict each other. */
#include "run/refuse.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/requests.h"

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
    for (const pen_new_node *n = c->newest; n; n = n->previous) count++;
    return count;
}

static void list_own(const pen_changes *c, request *to)
{
    const pen_subject *of = c->subjects;
    for (int64_t i = 0; i < c->subject_count; i++)
        if (of[i].removed) *to++ = (request){ .kind = REMOVE_NODE, .by = of[i].remover, .a = of[i].gid };
    for (pen_new_node *n = c->newest; n; n = n->previous)
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

/* The nodes of a request that are on this rank before the change, as bits. */
static int32_t look_up(const pen_store *store, const request *r)
{
    const pen_lid slot = pen_store_slot(store, r->a);
    int32_t known = r->kind >= REMOVE_EDGE && pen_store_slot(store, r->b) >= 0 ? OTHER_THERE : 0;
    if (slot < 0) return known;
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
    const int64_t low = p->weight < q->weight ? p->weight : q->weight,
                  high = p->weight < q->weight ? q->weight : p->weight;
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

pen_status pen_run_refused(pen_run *run, pen_status status)
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
