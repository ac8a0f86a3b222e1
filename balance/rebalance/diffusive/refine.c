/* refine.c - Fiduccia and Mattheyses on the border between two ranks. */
#include "rebalance/diffusive/refine.h"

#include "base/memory.h"
#include "rebalance/diffusive/constants.h"

#include <stdlib.h>

/* Bits of a node's state. */
enum { SIDE = 1, LOCKED = 2, KNOWN = 4 }; /* KNOWN: the gain of the node is known */

/* A refinement between two ranks. Arrays have both bands; the second begins at sides[1].first. */
typedef struct duel {
    plan_graph *g;
    refine_side *sides;  /* [2] the two ranks */
    int64_t away, price; /* cost of a node that is not at home; and of an edge between the two ranks */
    unsigned char *bits;
    int64_t *gain, *key; /* gain of each node; and the key with which it was last pushed, if it is still in the heap */
    pen_lid *moves;      /* moved nodes, in the order of their moves */
    double room[2];      /* the most load that may leave each side while all loads are within their bounds */
    int64_t arcs, weights; /* number of arcs, and sum of their weights, of the nodes whose gain was found */
} duel;

/* ---- Bands ------------------------------------------------------------------------------------- */

static void add_to_band(plan_graph *g, refine_side *side, pen_lid node)
{
    if (g->scratch[node] != 0 || g->gids[node] == side->stake.pinned || side->band.count == side->most) return;
    side->band.nodes[side->band.count++] = node;
    g->scratch[node] = side->first + (int32_t)side->band.count;
}

int64_t pen_band_size(const plan_part *p)
{
    const int64_t share = p->own.count / SHARE > FEWEST ? p->own.count / SHARE : FEWEST;
    return share < p->own.count ? share : p->own.count;
}

pen_status pen_band_begin(plan_graph *g, const plan_list *near, int64_t most, int other, refine_side *side)
{
    side->next = side->band.count = 0;
    side->most = most;
    PEN_TRY(pen_reserve(&side->band.nodes, sizeof *side->band.nodes, most, &side->band.room));
    for (int64_t b = 0; b < near->count && side->band.count < most; b++) {
        const pen_lid node = near->nodes[b];
        bool touches = false;
        for (int64_t a = g->starts[node]; a < graph_end(g, node) && !touches; a++)
            touches = g->where[g->columns[a]] == other;
        if (touches) add_to_band(g, side, node);
    }
    return PEN_OK;
}

void pen_band_grow(plan_graph *g, refine_side *side, pen_lid until)
{
    while (side->next < side->band.count && side->band.count < side->most && (until < 0 || g->scratch[until] == 0)) {
        const pen_lid node = side->band.nodes[side->next++];
        for (int64_t a = g->starts[node]; a < graph_end(g, node); a++)
            if (g->where[g->columns[a]] == side->stake.rank) add_to_band(g, side, g->columns[a]);
    }
}

void pen_band_clear(plan_graph *g, refine_side *side)
{
    for (int64_t i = 0; i < side->band.count; i++) g->scratch[side->band.nodes[i]] = 0;
}

void pen_side_free(refine_side *side) { PEN_FREE_ALL(side->heap.entries, side->band.nodes); }

static pen_lid node_at(const duel *d, pen_lid place)
{
    const refine_side *side = &d->sides[place >= d->sides[1].first];
    return side->band.nodes[place - side->first];
}

/* The place in the bands of a node of the two ranks, after growing its band as far as the node; -1: it takes no part.
 */
static int32_t place_of(duel *d, pen_lid node)
{
    if (d->g->scratch[node] == 0)
        for (int k = 0; k < 2; k++) {
            refine_side *side = &d->sides[k];
            if (d->g->where[node] != side->stake.rank) continue;
            const int64_t before = side->band.count;
            pen_band_grow(d->g, side, node);
            for (int64_t i = before; i < side->band.count; i++) d->bits[side->first + i] = (unsigned char)k;
        }
    return d->g->scratch[node] - 1;
}

/* ---- Gains ------------------------------------------------------------------------------------- */

/* The squared deviation of loads from their bounds after `load` goes from side 0 to side 1. Squares make equal shares
 * best. */
static double violation(const duel *d, double load)
{
    double sum = 0.0;
    for (int s = 0; s < 2; s++) {
        const double now = d->sides[s].stake.load + (s == 0 ? -load : load);
        const double above = now - d->sides[s].stake.high, below = d->sides[s].stake.low - now;
        const double over = above > below ? above : below;
        if (over > 0.0) sum += over * over;
    }
    return sum;
}

/* Find `room`. Returns the violation. */
static double find_room(duel *d)
{
    for (int s = 0; s < 2; s++) {
        const double gives = d->sides[s].stake.load - d->sides[s].stake.low;
        const double takes = d->sides[1 - s].stake.high - d->sides[1 - s].stake.load;
        d->room[s] = gives < takes ? gives : takes;
    }
    return violation(d, 0.0);
}

static pen_status add_candidate(duel *d, pen_lid place)
{
    d->key[place] = d->gain[place];
    return candidates_push(&d->sides[d->bits[place] & SIDE].heap, d->gain[place], place);
}

/* Find the gain of a node's change of sides. Returns whether the node touches the other side. */
static bool find_gain(duel *d, pen_lid place)
{
    const plan_graph *g = d->g;
    const pen_lid node = node_at(d, place);
    const int side = d->bits[place] & SIDE, here = d->sides[side].stake.rank, there = d->sides[1 - side].stake.rank;
    const bool machine = g->network->machine != NULL;
    bool touches = false;
    int64_t weights = 0, saved = 0,
            gain = d->away * g->sizes[node] * ((there == g->homes[node]) - (here == g->homes[node]));
    for (int64_t a = g->starts[node], end = graph_end(g, node); a < end; a++) {
        const int its = g->where[g->columns[a]];
        const int64_t weight = g->weights[a];
        weights += weight;
        if (its == here) {
            saved -= weight;
        } else if (its == there) {
            saved += weight;
            touches = true;
        } else if (machine) {
            gain += (price_between(g->network, here, its) - price_between(g->network, there, its)) * weight;
        }
    }
    d->arcs += g->degrees[node];
    d->weights += weights;
    d->gain[place] = gain + d->price * saved;
    d->bits[place] |= KNOWN;
    return touches;
}

/* ---- Passes ------------------------------------------------------------------------------------ */

/* Candidates touch the other side. In the first pass they are the leading nodes of both bands; in later ones, nodes
 * whose gain is known. */
static pen_status begin_pass(duel *d, bool first)
{
    d->sides[0].heap.count = d->sides[1].heap.count = 0;
    for (int half = 0; half < 2; half++) {
        const refine_side *side = &d->sides[half];
        for (pen_lid i = side->first; i < side->first + side->band.count; i++) {
            d->bits[i] &= (unsigned char)~LOCKED;
            if (!first && !(d->bits[i] & KNOWN)) continue;
            d->key[i] = INT64_MIN;
            if (find_gain(d, i)) PEN_TRY(add_candidate(d, i));
        }
    }
    return PEN_OK;
}

/* Whether a load may leave a side: the violation, which is `now`, does not grow. */
static bool does_fit(const duel *d, int side, double load, double now)
{
    if (now > 0.0) return violation(d, side == 0 ? load : -load) <= now;
    return load <= d->room[side];
}

/* The best node of a side that may change sides; it stays in its heap; -1: there is none. */
static pen_lid best_of(duel *d, int side, double now)
{
    candidates *h = &d->sides[side].heap;
    while (h->count > 0) {
        const candidate top = h->entries[0];
        const pen_lid place = top.node;
        if ((d->bits[place] & (LOCKED | SIDE)) == side && d->key[place] == top.key) {
            const double load = d->g->loads[node_at(d, place)];
            const bool fits = d->sides[side].stake.own > 1 && does_fit(d, side, load, now);
            if (fits && d->gain[place] == top.key) return place;
            d->key[place] = INT64_MIN;
            candidates_pop(h);
            if (fits && candidates_push(h, d->key[place] = d->gain[place], place) != PEN_OK) return -1;
        } else {
            candidates_pop(h);
        }
    }
    return -1;
}

/* The side of the better of two nodes, which are the best_of each side. */
static int better_side(const duel *d, const pen_lid places[2])
{
    if (places[0] < 0 || places[1] < 0) return places[0] < 0;
    if (d->gain[places[0]] != d->gain[places[1]]) return d->gain[places[1]] > d->gain[places[0]];
    return d->sides[1].stake.load - d->sides[1].stake.high > d->sides[0].stake.load - d->sides[0].stake.high;
}

static void turn(duel *d, pen_lid place)
{
    const int from = d->bits[place] & SIDE;
    const pen_lid node = node_at(d, place);
    const double load = d->g->loads[node];
    d->bits[place] ^= SIDE;
    d->g->where[node] = d->sides[1 - from].stake.rank;
    d->sides[from].stake.load -= load;
    d->sides[1 - from].stake.load += load;
    d->sides[from].stake.own--;
    d->sides[1 - from].stake.own++;
}

static pen_status change_over(duel *d, pen_lid place)
{
    const plan_graph *g = d->g;
    const pen_lid node = node_at(d, place);
    turn(d, place);
    d->bits[place] |= LOCKED;
    for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
        const int32_t next = place_of(d, g->columns[a]);
        if (next < 0 || (d->bits[next] & LOCKED)) continue;
        if (!(d->bits[next] & KNOWN)) {
            find_gain(d, next);
            d->key[next] = INT64_MIN;
        } else {
            const int64_t change = 2 * d->price * g->weights[a];
            d->gain[next] += ((d->bits[next] ^ d->bits[place]) & SIDE) == 0 ? -change : change;
        }
        if (d->gain[next] > d->key[next])
            PEN_TRY(add_candidate(d, next)); /* otherwise it is pushed again when it is popped */
    }
    return PEN_OK;
}

/* The moves since the best state, and the sum of their gains. */
typedef struct vain_moves {
    pen_lid count;
    double sum;
} vain_moves;

/* Whether a better state is improbable, if the next gains are like those since the best one: a random walk, as in V.
 * Osipov and P. Sanders, n-Level graph partitioning, ESA 2010, but with the variance of unit gains. */
static bool is_hopeless(const duel *d, const vain_moves *since)
{
    const double unit = (double)d->price * (double)d->weights / (double)d->arcs; /* the gain of a mean edge */
    return since->sum < 0.0 && since->sum * since->sum > LEAST * since->count * unit * unit;
}

/* Make one pass: repeat the best move, then undo the moves after the best state. *better: the best state is not the
 * first one. While loads are out of bounds, gains do not show whether a better state is near. */
static pen_status make_pass(duel *d, bool first, bool *better)
{
    pen_lid best = 0;
    vain_moves since = { .count = 0 };
    double now = find_room(d), best_now = now, grain = 1e-12 * now;
    PEN_TRY(begin_pass(d, first));
    while (since.count < PATIENCE && (best_now > 0.0 || !is_hopeless(d, &since))) {
        const pen_lid places[2] = { best_of(d, 0, now), best_of(d, 1, now) };
        if (places[0] < 0 && places[1] < 0) break;
        const pen_lid place = places[better_side(d, places)];
        d->moves[best + since.count++] = place;
        since.sum += (double)d->gain[place];
        PEN_TRY(change_over(d, place));
        now = find_room(d);
        if (now < best_now - grain || (now <= best_now && since.sum > 0.0)) {
            best_now = now;
            best += since.count;
            since = (vain_moves){ .count = 0 };
        }
    }
    for (pen_lid k = best + since.count; k > best; k--) turn(d, d->moves[k - 1]);
    *better = best > 0;
    return PEN_OK;
}

/* List the nodes of a band that are on the other side now, in the order of the band. They return: moving them is up to
 * the caller. */
static int64_t list_changes(const duel *d, int half)
{
    refine_side *side = &d->sides[half];
    int64_t count = 0;
    pen_band_clear(d->g, side);
    for (int64_t i = 0; i < side->band.count; i++)
        if ((d->bits[side->first + i] & SIDE) != half) {
            d->g->where[side->band.nodes[i]] = side->stake.rank;
            side->band.nodes[count++] = side->band.nodes[i];
        }
    return count;
}

pen_status pen_refine_pair(plan_graph *g, refine_side sides[2], int64_t away, int64_t changed[2])
{
    enum { MOST_PASSES = 3 };
    const int64_t most = sides[0].most + sides[1].most;
    duel d = { .g = g,
               .sides = sides,
               .away = away,
               .price = price_between(g->network, sides[0].stake.rank, sides[1].stake.rank) };
    unsigned char *block;
    pen_status status = pen_alloc(&block, most, 2 * sizeof *d.gain + sizeof *d.moves + sizeof *d.bits);
    if (status == PEN_OK) {
        d.gain = (int64_t *)(void *)block;
        d.key = d.gain + most;
        d.moves = (pen_lid *)(void *)(d.key + most);
        d.bits = (unsigned char *)(d.moves + most);
        for (int half = 0; half < 2; half++)
            for (int64_t i = 0; i < sides[half].band.count; i++) d.bits[sides[half].first + i] = (unsigned char)half;
    }
    bool better = true;
    for (int k = 0; k < MOST_PASSES && better && status == PEN_OK; k++) status = make_pass(&d, k == 0, &better);
    for (int half = 0; half < 2 && status == PEN_OK; half++) changed[half] = list_changes(&d, half);
    free(block);
    return status;
}
