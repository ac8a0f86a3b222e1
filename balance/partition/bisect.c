/* bisect.c - parts of equal load by recursive bisection. */
#include "partition/bisect.h"
#include "base/memory.h"
#include "graph/order.h"
#include "partition/places.h"
#include "view/shares.h"

#include <math.h>
#include <stdlib.h>

/* The keys by which nodes are ordered, one after the other: the place, which is a coordinate or the high half of a
 * curve position; the low half of the curve position; the two halves of the gid. Every key is exact in a double. */
enum { PLACE, PLACE_LOW, GID, GID_LOW, KEYS };

/* A region that is cut. Its nodes on this rank are order[begin .. end), those of the left half first. */
typedef struct cut {
    int32_t first, parts; /* the region becomes the parts [first, first + parts) */
    pen_lid begin, end;
    pen_lid low, high;      /* the nodes order[low .. high) are undecided. */
    int axis, key;          /* coordinate, and index of the key, by which the region is cut */
    double nodes;           /* number of nodes in the region, over all ranks */
    double least, greatest; /* range of the key of undecided nodes, over all ranks; NAN: unknown */
    double below, upto;     /* load of the nodes decided left; and that load plus the undecided nodes */
    double target, slack;   /* load of the left half that is aimed at, and the allowed deviation */
    int tries;
    bool done;
} cut;

typedef struct bisector {
    const pen_load_view *view;
    pen_peers *peers; /* the peers; NULL: this rank has all nodes of the regions */
    pen_places places;
    uint64_t *curve; /* [count] positions of the nodes on the curve, or NULL */
    pen_lid *order;  /* [count] own nodes, region after region */
    pen_shares shares;
    double mean; /* load of a part of speed 1 */
    bool unit;   /* each node has the load 1 */
    double tolerance;
    int levels;
    cut *cuts; /* [count] the cuts of a level */
    int64_t count;
    double *sums, *maxima;
} bisector;

static double load_of(const bisector *b, pen_lid node) { return b->unit ? 1.0 : b->view->loads[node]; }

static double key_of(const bisector *b, int key, int axis, pen_lid node)
{
    uint64_t gid = (uint64_t)b->view->gids[node];
    switch (key) {
    case PLACE:
        if (!b->curve) return b->places.at[(int64_t)node * b->places.dimensions + axis];
        return (double)(b->curve[node] >> 32);
    case PLACE_LOW: return b->curve ? (double)(b->curve[node] & UINT32_MAX) : 0.0;
    case GID: return (double)(gid >> 32);
    default: return (double)(gid & UINT32_MAX);
    }
}

static pen_status reduce(const bisector *b, int64_t sums, int64_t maxima)
{
    return b->peers ? b->peers->reduce(b->peers, (int)sums, b->sums, (int)maxima, b->maxima) : PEN_OK;
}

/* ---- One level ------------------------------------------------------------------------------- */

/* Collective. Measure loads, nodes and extents of all regions; every cut gets its axis, its ends and its target. */
static pen_status measure(bisector *b)
{
    int axes = b->curve ? 1 : b->places.dimensions, ends = 2 * axes;
    PEN_TRY(PEN_REALLOC(&b->sums, 2 * b->count));
    PEN_TRY(PEN_REALLOC(&b->maxima, b->count * (ends > 2 ? ends : 2)));
    for (int64_t c = 0; c < b->count; c++) {
        const cut *one = &b->cuts[c];
        double *most = b->maxima + c * ends;
        b->sums[c] = 0.0;
        b->sums[b->count + c] = one->end - one->begin;
        for (int k = 0; k < ends; k++) most[k] = -HUGE_VAL;
        for (pen_lid i = one->begin; i < one->end; i++) {
            b->sums[c] += load_of(b, b->order[i]);
            for (int d = 0; d < axes; d++) {
                double key = key_of(b, PLACE, d, b->order[i]);
                if (key > most[2 * d]) most[2 * d] = key;
                if (-key > most[2 * d + 1]) most[2 * d + 1] = -key;
            }
        }
    }
    PEN_TRY(reduce(b, 2 * b->count, b->count * ends));
    for (int64_t c = 0; c < b->count; c++) {
        cut *one = &b->cuts[c];
        const double *most = b->maxima + c * ends;
        int32_t left = one->parts / 2;
        for (int d = 1; d < axes; d++)
            if (most[2 * d] + most[2 * d + 1] > most[2 * one->axis] + most[2 * one->axis + 1]) one->axis = d;
        one->greatest = most[2 * one->axis];
        one->least = -most[2 * one->axis + 1];
        one->upto = b->sums[c];
        one->nodes = b->sums[b->count + c];
        double mine = pen_shares_of(&b->shares, one->first, left),
               rest = pen_shares_of(&b->shares, one->first + left, one->parts - left);
        one->target = one->upto * mine / (mine + rest);
        one->slack = b->tolerance * b->mean * fmin(mine, rest) / b->levels;
    }
    return PEN_OK;
}

/* Convert a double to a word, so that words have the order of the doubles. */
static uint64_t word_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t word)
{
    uint64_t bits = word >> 63 ? word & ~(UINT64_C(1) << 63) : ~word;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A pivot in [least, greatest): the middle. After PATIENCE tries, which happens only if places are very uneven, it is
 * the middle of the doubles in between, which needs at most 64 more tries. */
static double pivot_of(const cut *one)
{
    enum { PATIENCE = 40 };
    double middle = 0.5 * one->least + 0.5 * one->greatest;
    if (one->tries > PATIENCE) {
        uint64_t low = word_of(one->least), high = word_of(one->greatest);
        middle = value_of(low + (high - low) / 2);
    }
    return middle >= one->least && middle < one->greatest ? middle : one->least;
}

/* Divide the undecided nodes of this rank: those up to the pivot come first. Returns the first one beyond the pivot. */
static pen_lid divide(bisector *b, const cut *one, double pivot, double *load, double most[2])
{
    pen_lid low = one->low, high = one->high;
    while (low < high) {
        pen_lid node = b->order[low];
        double key = key_of(b, one->key, one->axis, node);
        if (key <= pivot) {
            *load += load_of(b, node);
            if (key > most[0]) most[0] = key;
            low++;
        } else {
            if (-key > most[1]) most[1] = -key;
            b->order[low] = b->order[--high];
            b->order[high] = node;
        }
    }
    return low;
}

/* Raise most[0] to the greatest key of the undecided nodes, and most[1] to the negated least one. */
static void span(const bisector *b, const cut *one, double most[2])
{
    for (pen_lid i = one->low; i < one->high; i++) {
        double key = key_of(b, one->key, one->axis, b->order[i]);
        if (key > most[0]) most[0] = key;
        if (-key > most[1]) most[1] = -key;
    }
}

static void cut_at(cut *one, pen_lid at)
{
    one->low = one->high = at;
    one->done = true;
}

/* If all undecided nodes have the same key, the next key decides. After the last key one node is left. */
static void deepen(const bisector *b, cut *one)
{
    if (one->done || !(one->least == one->greatest)) return;
    one->key += one->key == PLACE && !b->curve ? GID - PLACE : 1;
    one->least = one->greatest = NAN;
    one->tries = 0;
    if (one->key == KEYS) cut_at(one, one->target - one->below < one->upto - one->target ? one->low : one->high);
}

/* Decide after the reductions for the pivot that has divided this rank's nodes at `middle`. */
static void conclude(const bisector *b, cut *one, pen_lid middle, double load, const double most[2])
{
    double left = one->below + load;
    if (isnan(one->least)) {
        one->greatest = most[0];
        one->least = -most[1];
    } else if (fabs(left - one->target) <= one->slack) {
        cut_at(one, middle);
    } else if (left < one->target) {
        one->below = left;
        one->least = -most[1];
        one->low = middle;
    } else {
        one->upto = left;
        one->greatest = most[0];
        one->high = middle;
    }
    deepen(b, one);
}

/* Collective. Try a pivot for every cut that is not done. */
static pen_status try_all(bisector *b, pen_lid *middles, int *undone)
{
    int open = 0;
    for (int64_t c = 0; c < b->count; c++) {
        cut *one = &b->cuts[c];
        if (one->done) continue;
        double *most = b->maxima + 2 * open;
        b->sums[open] = 0.0;
        most[0] = most[1] = -HUGE_VAL;
        if (isnan(one->least)) span(b, one, most);
        else middles[c] = divide(b, one, pivot_of(one), &b->sums[open], most);
        one->tries++;
        open++;
    }
    *undone = open;
    if (open == 0) return PEN_OK;
    PEN_TRY(reduce(b, open, 2 * open));
    open = 0;
    for (int64_t c = 0; c < b->count; c++) {
        if (b->cuts[c].done) continue;
        conclude(b, &b->cuts[c], middles[c], b->sums[open], b->maxima + 2 * open);
        open++;
    }
    return PEN_OK;
}

/* Collective. Find the positions of all cuts of a level. */
static pen_status cut_level(bisector *b)
{
    pen_lid *middles;
    int undone = 1;
    PEN_TRY(PEN_ALLOC(&middles, b->count));
    pen_status status = PEN_OK;
    for (int64_t c = 0; c < b->count; c++) {
        b->cuts[c].done = !(b->cuts[c].least <= b->cuts[c].greatest); /* the region has no nodes */
        deepen(b, &b->cuts[c]);
    }
    while (status == PEN_OK && undone > 0) status = try_all(b, middles, &undone);
    free(middles);
    return status;
}

/* ---- All levels ------------------------------------------------------------------------------ */

static cut region(int32_t first, int32_t parts, pen_lid begin, pen_lid end)
{
    return (cut){ .first = first, .parts = parts, .begin = begin, .end = end, .low = begin, .high = end };
}

/* Continue with the halves of each region. Halves that are single parts are finished, the others are cut in the next
 * level, except halves of regions without any nodes, so that there are no more regions than nodes. */
static pen_status descend(bisector *b, int32_t *part)
{
    cut *next;
    int64_t count = 0;
    PEN_TRY(PEN_ALLOC(&next, 2 * b->count));
    for (int64_t c = 0; c < b->count; c++) {
        const cut *one = &b->cuts[c];
        int32_t left = one->parts / 2;
        bool empty = !(one->least <= one->greatest) && one->key == PLACE;
        const cut halves[2] = { region(one->first, left, one->begin, one->low),
                                region(one->first + left, one->parts - left, one->low, one->end) };
        for (int k = 0; k < 2; k++) {
            for (pen_lid i = halves[k].begin; i < halves[k].end; i++) part[b->order[i]] = halves[k].first;
            if (halves[k].parts > 1 && !empty) next[count++] = halves[k];
        }
    }
    free(b->cuts);
    b->cuts = next;
    b->count = count;
    return PEN_OK;
}

/* ---- Small regions --------------------------------------------------------------------------- */

/* The data of a node that is sent to the rank that cuts its small region. */
typedef struct sent {
    int64_t region;
    pen_gid gid;
    double load, at[3];
    uint64_t curve;
} sent;

PEN_PER_RANK double pen_bisect_small = 16384.0;

/* The small regions of a level, which are removed from b->cuts. */
typedef struct handover {
    cut *cuts; /* [count] the small regions */
    int *to;   /* [count] rank that cuts each region, ascending */
    int64_t count;
} handover;

static pen_status select_small(bisector *b, handover *h)
{
    double nodes = 0.0, before = 0.0;
    int64_t stay = 0;
    PEN_TRY(PEN_ALLOC(&h->cuts, b->count));
    PEN_TRY(PEN_ALLOC(&h->to, b->count));
    for (int64_t c = 0; c < b->count; c++) {
        const bool goes = b->cuts[c].nodes <= pen_bisect_small;
        nodes += goes ? b->cuts[c].nodes : 0.0;
        if (goes) h->cuts[h->count++] = b->cuts[c];
        else b->cuts[stay++] = b->cuts[c];
    }
    b->count = stay;
    for (int64_t k = 0; k < h->count; k++) {
        h->to[k] = nodes > 0.0 ? (int)fmin(before / nodes * b->peers->size, b->peers->size - 1) : 0;
        before += h->cuts[k].nodes;
    }
    return PEN_OK;
}

static sent describe(const bisector *b, int64_t region, pen_lid node)
{
    sent s = { .region = region, .gid = b->view->gids[node], .load = b->view->loads[node] };
    const int axes = b->places.dimensions;
    if (b->curve) s.curve = b->curve[node];
    else memcpy(s.at, b->places.at + (int64_t)node * axes, (size_t)axes * sizeof *s.at);
    return s;
}

/* Collective. Send the nodes of small regions; *received: those that this rank cuts. Nodes go to ascending ranks,
 * region after region, and parts come back in this order. */
static pen_status send_small(const bisector *b, const handover *h, const pen_blocks **received)
{
    const pen_parcels *send;
    sent *nodes = NULL;
    int *to = NULL;
    int64_t count = 0, i = 0;
    for (int64_t k = 0; k < h->count; k++) count += h->cuts[k].end - h->cuts[k].begin;
    pen_status status = PEN_ALLOC(&nodes, count);
    if (status == PEN_OK) status = PEN_ALLOC(&to, count);
    for (int64_t k = 0; status == PEN_OK && k < h->count; k++)
        for (pen_lid n = h->cuts[k].begin; n < h->cuts[k].end; n++, i++) {
            nodes[i] = describe(b, k, b->order[n]);
            to[i] = h->to[k];
        }
    if (status == PEN_OK) status = b->peers->group(b->peers, count, to, nodes, sizeof *nodes, NULL, &send);
    if (status == PEN_OK) status = b->peers->exchange(b->peers, false, send, received);
    PEN_FREE_ALL(nodes, to);
    return status;
}

/* The nodes of the regions that this rank cuts alone. */
typedef struct portion {
    pen_load_view view;
    pen_gid *gids;
    double *loads, *at;
    uint64_t *regions;
} portion;

static pen_status create_portion(const handover *h, const sent *nodes, bool curve, portion *p, bisector *alone)
{
    const pen_lid count = p->view.count;
    const int axes = alone->places.dimensions;
    PEN_TRY(PEN_ALLOC(&p->gids, count));
    PEN_TRY(PEN_ALLOC(&p->loads, count));
    PEN_TRY(PEN_ALLOC(&p->regions, count));
    PEN_TRY(PEN_ALLOC(&p->at, (int64_t)count * axes));
    if (curve) PEN_TRY(PEN_ALLOC(&alone->curve, count));
    PEN_TRY(PEN_ALLOC(&alone->order, count));
    PEN_TRY(PEN_ALLOC(&alone->cuts, h->count));
    for (pen_lid i = 0; i < count; i++) {
        p->gids[i] = nodes[i].gid;
        p->loads[i] = nodes[i].load;
        p->regions[i] = (uint64_t)nodes[i].region;
        memcpy(p->at + (int64_t)i * axes, nodes[i].at, (size_t)axes * sizeof *p->at);
        if (curve) alone->curve[i] = nodes[i].curve;
    }
    p->view.gids = p->gids;
    p->view.loads = p->loads;
    alone->view = &p->view;
    alone->places.at = p->at;
    PEN_TRY(pen_order_by_key(count, p->regions, alone->order));
    for (pen_lid begin = 0, end = 0; begin < count; begin = end) {
        const uint64_t k = p->regions[alone->order[begin]];
        while (end < count && p->regions[alone->order[end]] == k) end++;
        alone->cuts[alone->count++] = region(h->cuts[k].first, h->cuts[k].parts, begin, end);
    }
    return PEN_OK;
}

/* Local. Cut the regions that were sent to this rank, which has all of their nodes. The caller frees part[count]. */
static pen_status cut_alone(const bisector *b, const handover *h, pen_lid count, const sent *nodes, int32_t **part)
{
    portion p = { .view.count = count };
    bisector alone = { .places.dimensions = b->places.dimensions,
                       .shares = b->shares,
                       .mean = b->mean,
                       .unit = b->unit,
                       .tolerance = b->tolerance,
                       .levels = b->levels };
    pen_status status = PEN_ALLOC(part, count);
    if (status == PEN_OK) status = create_portion(h, nodes, b->curve, &p, &alone);
    while (status == PEN_OK && alone.count > 0) {
        status = measure(&alone);
        if (status == PEN_OK) status = cut_level(&alone);
        if (status == PEN_OK) status = descend(&alone, *part);
    }
    PEN_FREE_ALL(p.gids, p.loads, p.regions, p.at, alone.curve, alone.order, alone.cuts, alone.sums, alone.maxima);
    return status;
}

/* Collective. Cut the received regions, and send the parts back; *parts becomes the parts of the nodes that this rank
 * sent. */
static pen_status answer(const bisector *b, const handover *h, const pen_blocks *received, const pen_blocks **parts)
{
    const pen_parcels *send;
    const pen_lid count = received->count ? (pen_lid)(received->offsets[received->count] / (int64_t)sizeof(sent)) : 0;
    const sent *nodes = count > 0 ? (const sent *)(const void *)received->data : NULL;
    int *from = NULL;
    int32_t *part = NULL;
    pen_status status = PEN_ALLOC(&from, count);
    for (int k = 0; status == PEN_OK && k < received->count; k++)
        for (int64_t at = received->offsets[k]; at < received->offsets[k + 1]; at += (int64_t)sizeof(sent))
            from[at / (int64_t)sizeof(sent)] = received->ranks[k];
    if (status == PEN_OK) status = cut_alone(b, h, count, nodes, &part);
    if (status == PEN_OK) status = b->peers->group(b->peers, count, from, part, sizeof *part, NULL, &send);
    if (status == PEN_OK) status = b->peers->exchange(b->peers, false, send, parts);
    PEN_FREE_ALL(from, part);
    return status;
}

/* Collective. Finish small regions on one rank each, and remove them from b->cuts. */
static pen_status finish_small(bisector *b, int32_t *part)
{
    const pen_blocks *received;
    handover h = { .count = 0 };
    int64_t i = 0;
    pen_status status = select_small(b, &h);
    if (status == PEN_OK && h.count > 0) {
        status = send_small(b, &h, &received);
        if (status == PEN_OK) status = answer(b, &h, received, &received);
        for (int64_t k = 0; status == PEN_OK && k < h.count; k++)
            for (pen_lid n = h.cuts[k].begin; n < h.cuts[k].end; n++, i++)
                memcpy(&part[b->order[n]], received->data + i * (int64_t)sizeof *part, sizeof *part);
    }
    PEN_FREE_ALL(h.cuts, h.to);
    return status;
}

static pen_status prepare(bisector *b, bool curve)
{
    PEN_TRY(PEN_ALLOC(&b->order, b->view->count));
    for (pen_lid i = 0; i < b->view->count; i++) b->order[i] = i;
    PEN_TRY(PEN_ALLOC(&b->cuts, 1));
    PEN_TRY(pen_places_find(b->view, &b->places));
    if (!curve) return PEN_OK;
    double low[3], high[3];
    PEN_TRY(pen_places_box(&b->places, b->view->count, b->peers, low, high));
    PEN_TRY(PEN_ALLOC(&b->curve, b->view->count));
    for (pen_lid i = 0; i < b->view->count; i++) b->curve[i] = pen_places_hilbert(&b->places, i, low, high);
    return PEN_OK;
}

/* Collective. Cut all levels. */
static pen_status bisect(bisector *b, int parts, int32_t *part)
{
    double sums[2] = { 0.0, b->view->count };
    for (pen_lid i = 0; i < b->view->count; i++) sums[0] += b->view->loads[i];
    for (pen_lid i = 0; i < b->view->count; i++) part[i] = 0;
    PEN_TRY(b->peers->reduce(b->peers, 2, sums, 0, NULL));
    b->unit = !(sums[0] > 0.0);
    b->mean = sums[b->unit] / pen_shares_of(&b->shares, 0, parts);
    while ((parts - 1) >> b->levels > 0) b->levels++;
    b->cuts[0] = region(0, parts, 0, b->view->count);
    b->count = parts > 1;
    while (b->count > 0) {
        PEN_TRY(measure(b));
        if (b->peers->size > 1) PEN_TRY(finish_small(b, part));
        PEN_TRY(cut_level(b));
        PEN_TRY(descend(b, part));
    }
    return PEN_OK;
}

pen_status pen_bisect(const pen_bisection *how, const pen_load_view *view, pen_peers *peers, int parts, int32_t *part)
{
    bisector b = { .view = view, .peers = peers, .tolerance = how->tolerance };
    pen_status status = pen_shares_create(view->machine, parts, &b.shares);
    if (status == PEN_OK) status = prepare(&b, how->curve);
    if (status == PEN_OK) status = bisect(&b, parts, part);
    pen_places_free(&b.places);
    pen_shares_free(&b.shares);
    PEN_FREE_ALL(b.curve, b.order, b.cuts, b.sums, b.maxima);
    return status;
}
