/* ordering.c - chooses and keeps the order of interior nodes in memory. */
#include "store/ordering.h"
#include "base/memory.h"
#include "partition/places.h"

#include <math.h>
#include <stdlib.h>

enum {
    NONE = -1,
    /* The order is measured again when one node in SHARE is a newcomer: measuring costs as much as placing ten
     * nodes. */
    SHARE = 8
};

/* A new order must have at most BETTER times the misses if the user named no order. An order may become WORSE times as
 * bad. */
#define BETTER 0.75
#define WORSE 1.5

static const char *const names[] = {
    [PEN_ORDER_AUTO] = "auto", [PEN_ORDER_NATURAL] = "natural", [PEN_ORDER_RCM] = "rcm", [PEN_ORDER_HILBERT] = "hilbert"
};

const char *pen_ordering_name(pen_order order) { return names[order]; }

/* ---- Choosing an order ----------------------------------------------------------------------- */

/* The nodes whose order is chosen. */
typedef struct subject {
    const pen_store *store; /* the store of the nodes, at least with the sizes of fields and the dimensions of places */
    pen_order_graph graph;
    const pen_gid *gids;       /* [graph.count] gids of the nodes */
    const double *coordinates; /* [graph.count*store->dimensions] coordinates of the nodes, or NULL */
} subject;

static pen_status measure(const subject *s, const pen_lid *sequence, pen_locality *locality)
{
    size_t largest = 0;
    for (int f = 0; f < s->store->field_count; f++)
        if (s->store->sizes[f] > largest) largest = s->store->sizes[f];
    return pen_order_measure(&s->graph, sequence, largest, locality);
}

/* Order nodes along a Hilbert curve through the bounding box of this rank's nodes. */
static pen_status order_by_place(const subject *s, pen_lid *order)
{
    const pen_world *grid = &s->store->grid;
    const pen_load_view view = { .count = s->graph.count,
                                 .gids = s->gids,
                                 .dimensions = s->store->dimensions,
                                 .coordinates = s->coordinates,
                                 .grid = grid->grid,
                                 .width = grid->width,
                                 .height = grid->height,
                                 .depth = grid->depth };
    return pen_places_order(&view, order);
}

static pen_status order_as(const subject *s, pen_order order, pen_lid *sequence)
{
    return order == PEN_ORDER_HILBERT ? order_by_place(s, sequence) : pen_order_rcm(&s->graph, sequence);
}

/* Replace *sequence by `order` if `order` has fewer misses than `most`; the replaced one is returned in *other. */
static pen_status try_order(const subject *s, pen_order order, double most, pen_ordering *ordering, pen_lid **sequence,
                            pen_lid **other)
{
    pen_locality locality;
    if (!*other) PEN_TRY(PEN_ALLOC(other, s->graph.count));
    PEN_TRY(order_as(s, order, *other));
    PEN_TRY(measure(s, *other, &locality));
    if (locality.misses >= most) return PEN_OK;
    pen_lid *taken = *other;
    *other = *sequence;
    *sequence = taken;
    ordering->is = order;
    ordering->now = locality;
    return PEN_OK;
}

/* Choose the sequence of the nodes; *sequence is NULL if the present one stays. */
static pen_status choose(const subject *s, pen_ordering *o, pen_lid **sequence)
{
    pen_lid *other = NULL;
    *sequence = NULL;
    o->worse = false;
    PEN_TRY(measure(s, NULL, &o->now));
    if (o->is == PEN_ORDER_AUTO) {
        o->is = PEN_ORDER_NATURAL;
        o->natural = o->now;
    }
    pen_status status = PEN_OK;
    bool open = o->asked == PEN_ORDER_AUTO && o->now.misses > PEN_ORDER_GOOD;
    double most = open ? BETTER * o->now.misses : HUGE_VAL;
    if (open || o->asked == PEN_ORDER_RCM) status = try_order(s, PEN_ORDER_RCM, most, o, sequence, &other);
    open = open && o->now.misses > PEN_ORDER_GOOD;
    if (open) most = fmin(most, o->now.misses);
    if (status == PEN_OK && ((open && pen_store_dimensions(s->store) > 0) || o->asked == PEN_ORDER_HILBERT))
        status = try_order(s, PEN_ORDER_HILBERT, most, o, sequence, &other);
    o->chosen = o->now.misses;
    free(other);
    if (status == PEN_OK) return PEN_OK;
    free(*sequence);
    *sequence = NULL;
    return status;
}

/* ---- The first order, and renewed ones ------------------------------------------------------- */

/* Coordinates of the rows' nodes; the caller frees *coordinates. */
static pen_status copy_coordinates(const pen_placing *p, double **coordinates)
{
    const int dimensions = p->rows->format.dimensions;
    if (dimensions == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(coordinates, (int64_t)p->rows->count * dimensions));
    for (pen_lid i = 0; i < p->rows->count; i++) {
        const int64_t *record = p->rows->records[i];
        memcpy(*coordinates + (int64_t)i * dimensions,
               record + pen_row_coordinates_at(&p->rows->format, pen_row_degree(record)),
               (size_t)dimensions * sizeof **coordinates);
    }
    return PEN_OK;
}

pen_status pen_ordering_first(pen_placing *p)
{
    const pen_rows *rows = p->rows;
    int64_t arcs = 0;
    uint32_t *starts = NULL;
    pen_lid *columns = NULL;
    double *coordinates = NULL;
    for (pen_lid i = 0; i < rows->count; i++) arcs += pen_row_degree(rows->records[i]);
    pen_status status = PEN_ALLOC_ZERO(&starts, (int64_t)rows->count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&columns, arcs);
    if (status == PEN_OK) status = copy_coordinates(p, &coordinates);
    if (status == PEN_OK) {
        uint32_t at = 0;
        for (pen_lid i = 0; i < rows->count; i++) {
            const int64_t *record = rows->records[i];
            for (int64_t j = 0; j < pen_row_degree(record); j++)
                columns[at++] = (pen_lid)pen_row_neighbor_ids(record)[j];
            starts[i + 1] = at;
        }
        const subject s = { p->store, { rows->count, starts, columns }, p->fresh_gid, coordinates };
        status = choose(&s, &p->store->ordering, &p->sequence);
    }
    PEN_FREE_ALL(starts, columns, coordinates);
    return status;
}

static subject subject_of(const pen_store *store)
{
    return (subject){ store, { store->owned, store->rows, store->columns }, store->gids, store->coordinates };
}

pen_status pen_ordering_renew(pen_placing *p)
{
    const subject s = subject_of(p->old.store);
    return choose(&s, &p->store->ordering, &p->sequence);
}

void pen_ordering_without_places(pen_ordering *o)
{
    if (o->asked == PEN_ORDER_HILBERT) o->asked = PEN_ORDER_AUTO;
}

/* ---- Newcomers ------------------------------------------------------------------------------- */

static int compare_newcomers(const void *a, const void *b)
{
    const pen_newcomer *x = a, *y = b;
    /* Compared as unsigned numbers, so that -1 (no anchor) comes last. */
    uint32_t at = (uint32_t)x->anchor, than = (uint32_t)y->anchor;
    if (at != than) return at < than ? -1 : 1;
    return (x->gid > y->gid) - (x->gid < y->gid);
}

/* Encode a newcomer's index as a negative slot while anchors are searched. */
static pen_lid mark_of(int64_t newcomer) { return (pen_lid)(-2 - newcomer); }

typedef struct anchoring {
    pen_placing *p;
    const pen_lid *place; /* [old.store->owned] place of each slot in the order; NULL: places are the slots */
    pen_newcomer *newcomers;
    pen_lid *queue; /* newcomers that have an anchor, in the order in which it was found */
    int64_t found;
} anchoring;

/* Take the newcomer's anchor from a neighbour that has one; or pass the newcomer's anchor to a neighbour without
 * one. */
static void meet(anchoring *a, pen_newcomer *newcomer, pen_node_id neighbor, bool spread)
{
    const pen_placing *p = a->p;
    if (spread) {
        if (p->slot[neighbor] >= NONE) return;
        pen_newcomer *other = &a->newcomers[-2 - p->slot[neighbor]];
        if (other->anchor != NONE) return;
        other->anchor = newcomer->anchor;
        a->queue[a->found++] = -2 - p->slot[neighbor];
    } else if (neighbor < p->first_other && pen_placing_stays_interior(p, neighbor)) {
        pen_lid place = a->place ? a->place[neighbor] : neighbor;
        if (newcomer->anchor == NONE || place < newcomer->anchor) newcomer->anchor = place;
    }
}

static void meet_neighbors(anchoring *a, pen_newcomer *newcomer, bool spread)
{
    const pen_placing *p = a->p;
    const pen_store *old = p->old.store;
    if (pen_placing_has_row(p, newcomer->id)) {
        const int64_t *record = p->rows->records[pen_placing_row_of(p, newcomer->id)];
        for (int64_t j = 0; j < pen_row_degree(record); j++)
            meet(a, newcomer, (pen_node_id)pen_row_neighbor_ids(record)[j], spread);
    } else {
        for (uint32_t j = old->rows[newcomer->id]; j < old->rows[newcomer->id + 1]; j++)
            meet(a, newcomer, old->columns[j], spread);
    }
}

pen_status pen_ordering_anchor(pen_placing *p, pen_newcomer *newcomers, int64_t count)
{
    anchoring a = { .p = p, .newcomers = newcomers };
    pen_lid *place = NULL;
    PEN_TRY(PEN_ALLOC(&a.queue, count));
    if (p->sequence) {
        pen_status status = PEN_ALLOC(&place, p->first_other);
        if (status != PEN_OK) {
            free(a.queue);
            return status;
        }
        for (pen_lid k = 0; k < p->first_other; k++) place[p->sequence[k]] = k;
    }
    a.place = place;
    for (int64_t i = 0; i < count; i++) p->slot[newcomers[i].id] = mark_of(i);
    for (int64_t i = 0; i < count; i++) {
        meet_neighbors(&a, &newcomers[i], false);
        if (newcomers[i].anchor != NONE) a.queue[a.found++] = (pen_lid)i;
    }
    for (int64_t i = 0; i < a.found; i++) meet_neighbors(&a, &newcomers[a.queue[i]], true);
    for (int64_t i = 0; i < count; i++) p->slot[newcomers[i].id] = NONE;
    if (count > 0) qsort(newcomers, (size_t)count, sizeof *newcomers, compare_newcomers);
    PEN_FREE_ALL(a.queue, place);
    return PEN_OK;
}

pen_status pen_ordering_follow(pen_store *store, int64_t newcomers)
{
    pen_ordering *o = &store->ordering;
    o->strangers += newcomers;
    if (o->asked == PEN_ORDER_NATURAL || o->strangers * SHARE < store->owned) return PEN_OK;
    o->strangers = 0;
    const subject s = subject_of(store);
    PEN_TRY(measure(&s, NULL, &o->now));
    o->worse = o->now.misses > PEN_ORDER_GOOD && o->now.misses > WORSE * o->chosen;
    return PEN_OK;
}

/* ---- Orders for algorithms ------------------------------------------------------------------- */

typedef struct labelled_slot {
    pen_gid gid; /* the node's gid; the first member, because it is the sort key */
    pen_lid slot;
} labelled_slot;

pen_status pen_ordering_natural(const pen_store *store, pen_lid *slots)
{
    labelled_slot *interior;
    pen_lid count = store->owned - store->boundary;
    bool sorted = true; /* false if interior nodes are not ascending by gid */
    for (pen_lid s = 0; s < store->owned; s++) slots[s] = s;
    for (pen_lid s = store->boundary + 1; s < store->owned && sorted; s++) sorted = store->gids[s - 1] < store->gids[s];
    if (sorted) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&interior, count));
    for (pen_lid i = 0; i < count; i++)
        interior[i] = (labelled_slot){ store->gids[store->boundary + i], store->boundary + i };
    qsort(interior, (size_t)count, sizeof *interior, pen_by_gid);
    for (pen_lid i = 0; i < count; i++) slots[store->boundary + i] = interior[i].slot;
    free(interior);
    return PEN_OK;
}

/* Boundary nodes are grouped by their readers: they are sorted separately and merged with the interior ones, which are
 * sorted already. */
pen_status pen_ordering_by_gid(const pen_store *store, pen_lid *slots)
{
    labelled_slot *boundary;
    pen_lid b = 0, i = store->boundary, to = 0;
    PEN_TRY(pen_ordering_natural(store, slots));
    PEN_TRY(PEN_ALLOC(&boundary, store->boundary));
    for (pen_lid k = 0; k < store->boundary; k++) boundary[k] = (labelled_slot){ store->gids[slots[k]], slots[k] };
    if (store->boundary > 0) qsort(boundary, (size_t)store->boundary, sizeof *boundary, pen_by_gid);
    while (b < store->boundary) {
        bool next = i == store->owned || boundary[b].gid < store->gids[slots[i]];
        slots[to++] = next ? boundary[b++].slot : slots[i++];
    }
    free(boundary);
    return PEN_OK;
}
