#include "run/refusal.h"
#include "base/hash.h"
#include "base/memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>

/* A request, as all ranks know it. */
typedef struct request {
    enum { REMOVE_NODE, ADD_NODE, WEIGH_NODE, REMOVE_EDGE, ADD_EDGE } kind;
    int32_t known; /* THERE, ... */
    pen_gid by, a, b;
    int64_t weight;
    uint64_t record; /* hash of the first record; ADD_NODE */
    uint64_t place;  /* hash of the coordinates; 0: there are none; ADD_NODE */
} request;

/* The nodes a and b were there, and so was the arc between them. */
enum { THERE = 1, OTHER_THERE = 2, ARC_THERE = 4 };

typedef struct refusal {
    request *all;         /* [count] sorted by what they are about, then by who asks */
    int32_t *known;       /* [count] while ranks put together what they know */
    int *counts, *begins; /* [ranks] bytes of each rank's */
    int64_t count;
    pen_gid by; /* who asks for what cannot be; INT64_MAX: nobody was found */
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

/* What this rank knows of the nodes of a request, as they were. */
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

/* Collective. Memory for all of them, where there is enough on all ranks; *enough is equal. */
static pen_status make_room(const pen_run *run, refusal *r, int64_t own, bool *enough)
{
    int64_t all[2] = { own, 0 };
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, all, 1, MPI_INT64_T, MPI_SUM, run->comm->mpi));
    r->count = all[0];
    bool mine = r->count < INT_MAX / (int64_t)sizeof(request) && PEN_ALLOC(&r->all, r->count) == PEN_OK &&
                PEN_ALLOC(&r->known, r->count) == PEN_OK && PEN_ALLOC(&r->counts, run->comm->size) == PEN_OK &&
                PEN_ALLOC(&r->begins, run->comm->size) == PEN_OK;
    int lacking = !mine;
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX, run->comm->mpi));
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
    list_own(run->changes, r->all + (size_t)r->begins[comm->rank] / sizeof(request));
    PEN_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r->all, r->counts, r->begins, MPI_BYTE, comm->mpi));
    for (int64_t i = 0; i < r->count; i++) r->known[i] = look_up(run->store, &r->all[i]);
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, r->known, (int)r->count, MPI_INT32_T, MPI_BOR, comm->mpi));
    for (int64_t i = 0; i < r->count; i++) r->all[i].known = r->known[i];
    return PEN_OK;
}

/* ---- What cannot be ------------------------------------------------------------------------------- */

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

/* The first request of that kind about a node; NULL: there is none. They are sorted. */
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

/* A node that was there, or will be. */
static void need_node(refusal *r, const request *q, pen_gid gid, bool there, const char *what)
{
    if (!there && !find(r, gid, ADD_NODE))
        refuse(r, q->by, "%s of node %" PRIgid ", which is not there, before or after", what, gid);
}

/* By itself. */
static void check(refusal *r, const request *q)
{
    const bool there = q->known & THERE, other = q->known & OTHER_THERE;
    if (q->kind == REMOVE_NODE && !there) refuse(r, q->by, "node %" PRIgid " is to be removed, and is not there", q->a);
    if (q->kind == ADD_NODE && there && !find(r, q->a, REMOVE_NODE))
        refuse(r, q->by, "node %" PRIgid " is to be added, and is there already", q->a);
    if (q->kind == REMOVE_EDGE && !(q->known & ARC_THERE))
        refuse(r, q->by, "edge %" PRIgid " - %" PRIgid " is to be removed, and is not there", q->a, q->b);
    if (q->kind == WEIGH_NODE) need_node(r, q, q->a, there, "a weight");
    if (q->kind != ADD_EDGE) return;
    need_node(r, q, q->a, there, "an edge");
    need_node(r, q, q->b, other, "an edge");
}

/* Two requests about the same, the first of which has the lower number. */
static void compare(refusal *r, const request *p, const request *q)
{
    const int64_t low = p->weight < q->weight ? p->weight : q->weight, high = p->weight + q->weight - low;
    const bool differ = low != high;
    if (p->kind == ADD_NODE && q->kind == ADD_NODE && differ)
        refuse(r, p->by, "node %" PRIgid " is to be added with weights %" PRId64 " and %" PRId64, p->a, low, high);
    else if (p->kind == ADD_NODE && q->kind == ADD_NODE && p->record != q->record)
        refuse(r, p->by, "node %" PRIgid " is to be added with two different first records", p->a);
    else if (p->kind == ADD_NODE && q->kind == ADD_NODE && p->place != q->place)
        refuse(r, p->by, "node %" PRIgid " is to be added with two different sets of coordinates, or once without any",
               p->a);
    else if (q->kind == WEIGH_NODE && differ)
        refuse(r, p->by < q->by ? p->by : q->by, "node %" PRIgid " is to get weights %" PRId64 " and %" PRId64, p->a,
               low, high);
    else if (p->kind == ADD_EDGE && q->kind == ADD_EDGE && differ)
        refuse(r, p->by, "edge %" PRIgid " - %" PRIgid " is to get weights %" PRId64 " and %" PRId64, p->a, p->b, low,
               high);
}

/* In an undirected graph both ends are the same to an edge. */
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

/* Collective. A request that could not even be noted is known by its words; of those the one with the lowest number. */
static pen_status take_failed(const pen_run *run, refusal *r)
{
    const pen_changes *c = run->changes;
    const pen_comm *comm = run->comm;
    pen_gid mine = c->status == PEN_OK ? INT64_MAX : c->failed_by, lowest;
    PEN_MPI(MPI_Allreduce(&mine, &lowest, 1, PEN_MPI_GID, MPI_MIN, comm->mpi));
    if (lowest == INT64_MAX) return PEN_OK;
    int rank = mine == lowest ? comm->rank : comm->size;
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MIN, comm->mpi));
    r->by = lowest;
    if (rank == comm->rank) snprintf(r->text, sizeof r->text, "%s", c->message);
    PEN_MPI(MPI_Bcast(r->text, (int)sizeof r->text, MPI_CHAR, rank, comm->mpi));
    return PEN_OK;
}

static pen_status find_reason(const pen_run *run, refusal *r)
{
    const int64_t own = count_own(run->changes);
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
    const bool by_node = run->changes->adder != PEN_NOBODY_ASKS;
    char asker[64] = "", phase[192] = "";
    refusal r = { .by = INT64_MAX };
    if (status != PEN_ERR_ARGUMENT) return status;
    snprintf(r.text, sizeof r.text, "%s", pen_error_message());
    pen_status found = find_reason(run, &r);
    PEN_FREE_ALL(r.all, r.known, r.counts, r.begins);
    PEN_TRY(found);
    if (r.by < INT64_MAX) snprintf(asker, sizeof asker, "asked for by %s %" PRIgid, by_node ? "node" : "rank", r.by);
    if (by_node)
        snprintf(phase, sizeof phase, "%sphase %s, step %" PRId64, *asker ? ", " : "",
                 run->app->phases[run->phase].name, run->step);
    if (!*asker && !*phase) return pen_fail(status, "%s", r.text);
    return pen_fail(status, "%s (%s%s)", r.text, asker, phase);
}
