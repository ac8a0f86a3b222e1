/* refine.c - moves vertices to reduce loads. */
#include "partition/minex/refine.h"
#include "base/memory.h"
#include "partition/minex/filter.h"
#include "partition/minex/gain_cache.h"
#include "partition/minex/offers.h"

/* Move vertices to neighbours' processors if that reduces the total. Returns whether a vertex moved. */
static bool smooth(gain_cache *s)
{
    placement *p = s->p;
    double heaviest = 0.0;
    bool moved = false;
    for (int32_t q = 0; q < p->net->processors; q++) heaviest = fmax(heaviest, p->loads[q]);
    for (int32_t v = 0; v < p->graph->count; v++) {
        const table_entry *entries = p->entries + p->firsts[v];
        int32_t best = -1;
        double least = 0.0;
        pen_minex_gains_begin(s, v, true, (pen_minex_mean(p) + heaviest) / 2);
        for (int32_t i = 0; i < p->lengths[v]; i++) {
            if (entries[i].processor == p->part[v]) continue;
            double worth = pen_minex_gains_worth(s, entries[i].processor, &entries[i]);
            if (worth >= least) continue;
            least = worth;
            best = entries[i].processor;
        }
        if (best < 0) continue;
        pen_minex_change(p, v, best, true);
        pen_minex_commit(p);
        moved = true;
    }
    return moved;
}

typedef struct balancing {
    placement *p;
    gain_cache gains;
    pen_minex_counts *counts;
    int32_t *heads, *nexts, *previous; /* lists of the vertices of each processor */
    unsigned char *moves;              /* [count] number of moves that each vertex has made in this pass */
    bool *done;                        /* [processors] whether the processor has been handled */
    int32_t idlest;
    offers offers; /* possible moves, ordered by the change of Var */
} balancing;

enum { MOST_MOVES = 2 };

static void list(balancing *b, int32_t v, int32_t at)
{
    b->previous[v] = -1;
    b->nexts[v] = b->heads[at];
    if (b->heads[at] >= 0) b->previous[b->heads[at]] = v;
    b->heads[at] = v;
}

static void unlist(balancing *b, int32_t v, int32_t from)
{
    if (b->previous[v] >= 0) b->nexts[b->previous[v]] = b->nexts[v];
    else b->heads[from] = b->nexts[v];
    if (b->nexts[v] >= 0) b->previous[b->nexts[v]] = b->previous[v];
}

static void ask_filter(balancing *b, int32_t v, int32_t to, const table_entry *there, double mean, offer *best)
{
    const placement *p = b->p;
    double change = 0.0, new_from, new_to;
    pen_minex_gains_loads(&b->gains, to, there, &new_from, &new_to);
    b->counts->total++;
    if (!pen_minex_filter(p->loads[p->part[v]], p->loads[to], new_from, new_to, mean, p->settings->throt, &change))
        return;
    b->counts->pass++;
    if (best->to < 0 || change < best->key) *best = (offer){ change, v, to };
}

/* Find the best move of v that passes the filter; `to` is -1 if there is none. */
static offer make_offer(balancing *b, int32_t v)
{
    const placement *p = b->p;
    const table_entry *entries = p->entries + p->firsts[v], *idlest = NULL;
    const double mean = pen_minex_mean(p);
    offer best = { 0.0, v, -1 };
    pen_minex_gains_begin(&b->gains, v, false, INFINITY);
    for (int32_t i = 0; i < p->lengths[v]; i++) {
        int32_t q = entries[i].processor;
        if (q == b->idlest) idlest = &entries[i];
        else if (q != p->part[v] && p->loads[q] < mean) ask_filter(b, v, q, &entries[i], mean, &best);
    }
    if (b->idlest != p->part[v]) ask_filter(b, v, b->idlest, idlest, mean, &best);
    return best;
}

static void find_idlest(balancing *b)
{
    b->idlest = 0;
    for (int32_t q = 1; q < b->p->net->processors; q++)
        if (b->p->loads[q] < b->p->loads[b->idlest]) b->idlest = q;
}

/* Move vertices from a processor until it is not overloaded, or no processor takes one. Returns whether any moved. */
static bool give_away(balancing *b, int32_t from)
{
    placement *p = b->p;
    bool moved = false;
    b->offers.count = 0;
    for (int32_t v = b->heads[from]; v >= 0; v = b->nexts[v]) {
        if (b->moves[v] >= MOST_MOVES) continue;
        offer o = make_offer(b, v);
        if (o.to >= 0) offers_push(&b->offers, o);
    }
    while (b->offers.count > 0 && p->loads[from] > pen_minex_mean(p)) {
        double mean = pen_minex_mean(p);
        offer o = make_offer(b, offers_pop(&b->offers).vertex); /* computed again, since loads have changed */
        if (o.to < 0) continue;
        if (b->offers.count > 0 && offer_before(&b->offers.offers[0], &o)) {
            offers_push(&b->offers, o);
            continue;
        }
        pen_minex_change(p, o.vertex, o.to, true);
        if (pen_minex_variance_change(p, mean) >= -1e-12 * mean * mean) {
            b->counts->fail++;
            continue;
        }
        pen_minex_commit(p);
        unlist(b, o.vertex, from);
        list(b, o.vertex, o.to);
        b->moves[o.vertex]++;
        find_idlest(b);
        moved = true;
    }
    return moved;
}

static bool balance(balancing *b)
{
    const placement *p = b->p;
    bool moved = false;
    for (int32_t q = 0; q < p->net->processors; q++) {
        b->heads[q] = -1;
        b->done[q] = false;
    }
    for (int32_t v = p->graph->count - 1; v >= 0; v--) {
        list(b, v, p->part[v]);
        b->moves[v] = 0;
    }
    find_idlest(b);
    for (;;) {
        int32_t heaviest = -1;
        for (int32_t q = 0; q < p->net->processors; q++)
            if (!b->done[q] && (heaviest < 0 || p->loads[q] > p->loads[heaviest])) heaviest = q;
        if (heaviest < 0 || p->loads[heaviest] <= pen_minex_mean(p)) return moved;
        moved |= give_away(b, heaviest);
        b->done[heaviest] = true;
    }
}

pen_status pen_minex_refine(placement *p, int passes, pen_minex_counts *counts)
{
    int32_t nodes = p->graph->count;
    balancing b = { .p = p, .counts = counts };
    pen_status status = pen_minex_gains_create(p, &b.gains);
    if (status == PEN_OK) status = PEN_ALLOC(&b.heads, p->net->processors);
    if (status == PEN_OK) status = PEN_ALLOC(&b.done, p->net->processors);
    if (status == PEN_OK) status = PEN_ALLOC(&b.nexts, nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&b.previous, nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&b.moves, nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&b.offers.offers, nodes);
    for (bool moved = true; status == PEN_OK && moved && passes > 0; passes--) {
        moved = smooth(&b.gains);
        moved |= balance(&b);
    }
    pen_minex_gains_free(&b.gains);
    PEN_FREE_ALL(b.heads, b.done, b.nexts, b.previous, b.moves, b.offers.offers);
    return status;
}
