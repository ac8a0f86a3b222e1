#include "rebalance/diffusive/refine.h"
#include "base/hash.h"
#include "base/memory.h"
#include "rebalance/diffusive/candidates.h"

#include <math.h>
#include <stdlib.h>

enum {
    SHARE = 16,     /* the fraction of this rank's nodes, those nearest to the border, that takes part, */
    FEWEST = 256,   /* but at least so many nodes */
    PATIENCE = 150, /* moves without improvement before a pass ends (see also is_hopeless) */
    MOST_PASSES = 3,
    MOST_PAIRS = 8, /* per rank: the ranks with most contact, if the choice is mutual */
    MOST_COLOURS = 64
};

/* Side 0 is this rank, side 1 the other one. */
typedef struct duel {
    proxies *p;
    int other;           /* rank */
    int64_t price;       /* of an edge between the two */
    pen_lid count, own;  /* band: own nodes first */
    const pen_lid *band; /* [count]; scratch holds place + 1 */
    unsigned char *side; /* [count] */
    bool *locked;        /* [count] */
    bool *known;         /* [count] whether .gain is */
    int64_t *gain;       /* [count] */
    candidates heaps[2];
    pen_lid *moves; /* [count] in order */
    double load[2], low[2], high[2];
    int64_t nodes[2], away;
    int64_t arcs, weights; /* of the nodes whose gain was found: how many, and the sum of the edges' weights */
} duel;

/* How far loads are out of bounds, squared, so that equal shares are best. */
static double violation(const duel *d, double load0, double load1)
{
    double sum = 0.0;
    const double loads[2] = { load0, load1 };
    for (int s = 0; s < 2; s++) {
        const double above = loads[s] - d->high[s], below = d->low[s] - loads[s];
        const double over = above > below ? above : below;
        if (over > 0.0) sum += over * over;
    }
    return sum;
}

/* How much more an edge to a third rank costs from here than from the other rank. */
static int64_t dearer(const duel *d, int here, int there, pen_lid node)
{
    const diffusive_network *network = &d->p->network;
    if (!network->machine) return 0;
    int third = d->p->where[node];
    return price_between(network, here, third) - price_between(network, there, third);
}

/* 0 or 1; -1: a third rank has the node. */
static int side_of(const duel *d, pen_lid node)
{
    int64_t place = d->p->scratch[node];
    if (place > 0) return d->side[place - 1];
    if (proxy_is_mine(d->p, node)) return 0;
    return d->p->where[node] == d->other ? 1 : -1;
}

static pen_status add_candidate(duel *d, pen_lid place)
{
    return candidates_push(&d->heaps[d->side[place]], d->gain[place], place);
}

/* Find the gain of a node's change of sides. Returns whether the node touches the other side. */
static bool find_gain(duel *d, pen_lid place)
{
    const proxies *p = d->p;
    const pen_lid node = d->band[place];
    const int own_side = d->side[place], here = own_side ? d->other : p->peers->rank,
              there = own_side ? p->peers->rank : d->other;
    bool touches = false;
    int64_t gain = d->away * p->sizes[node] * ((there == p->homes[node]) - (here == p->homes[node]));
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
        const int side = side_of(d, p->columns[a]);
        const int64_t price = side < 0 ? dearer(d, here, there, p->columns[a]) : d->price;
        gain += side == own_side ? -price * proxy_weight(p, a) : price * proxy_weight(p, a);
        touches |= side >= 0 && side != own_side;
        d->weights += proxy_weight(p, a);
    }
    d->arcs += p->degrees[node];
    d->gain[place] = gain;
    d->known[place] = true;
    return touches;
}

/* The candidates are the nodes that touch the other side: in the first pass those that begin the two parts of the band,
 * later some of those whose gain was found. */
static pen_status begin_pass(duel *d, bool first)
{
    const pen_lid begins[3] = { 0, d->own, d->count };
    d->heaps[0].count = d->heaps[1].count = 0;
    for (pen_lid i = 0; i < d->count; i++) d->locked[i] = false;
    for (int part = 0; part < 2; part++)
        for (pen_lid i = begins[part]; i < begins[part + 1]; i++) {
            if (!first && !d->known[i]) continue;
            if (find_gain(d, i)) PEN_TRY(add_candidate(d, i));
            else if (first) break;
        }
    return PEN_OK;
}

/* The best node of a side that may change sides; it stays in its heap. -1: none. */
static pen_lid best_of(duel *d, int side, double now)
{
    candidates *h = &d->heaps[side];
    while (h->count > 0) {
        candidate top = h->entries[0];
        double load = d->p->loads[d->band[top.node]], sign = side == 0 ? -load : load;
        if (!d->locked[top.node] && d->side[top.node] == side && d->gain[top.node] == top.key && d->nodes[side] > 1 &&
            violation(d, d->load[0] + sign, d->load[1] - sign) <= now)
            return top.node;
        candidates_pop(h);
    }
    return -1;
}

/* The side of the better of two nodes, the best_of each side. */
static int better_side(const duel *d, const pen_lid places[2])
{
    if (places[0] < 0 || places[1] < 0) return places[0] < 0;
    if (d->gain[places[0]] != d->gain[places[1]]) return d->gain[places[1]] > d->gain[places[0]];
    return d->load[1] - d->high[1] > d->load[0] - d->high[0];
}

static void turn(duel *d, pen_lid place)
{
    int from = d->side[place];
    double load = d->p->loads[d->band[place]];
    d->side[place] = (unsigned char)(1 - from);
    d->load[from] -= load;
    d->load[1 - from] += load;
    d->nodes[from]--;
    d->nodes[1 - from]++;
}

static pen_status change_over(duel *d, pen_lid place)
{
    const proxies *p = d->p;
    turn(d, place);
    d->locked[place] = true;
    pen_lid node = d->band[place];
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
        int64_t next = p->scratch[p->columns[a]] - 1;
        if (next < 0 || d->locked[next]) continue;
        if (!d->known[next]) {
            find_gain(d, (pen_lid)next);
            PEN_TRY(add_candidate(d, (pen_lid)next));
            continue;
        }
        int64_t change = 2 * d->price * proxy_weight(p, a);
        d->gain[next] += d->side[next] == d->side[place] ? -change : change;
        PEN_TRY(add_candidate(d, (pen_lid)next));
    }
    return PEN_OK;
}

/* The moves since the best state, and their gains. */
typedef struct vain_moves {
    pen_lid count;
    double sum, squares;
} vain_moves;

/* Whether a better state is unlikely, if the next gains are like those since the best one: a random walk, as in V.
 * Osipov and P. Sanders, n-Level graph partitioning, ESA 2010. [Hot disc, 8 ranks: the cut changes by -0.07 % on 18
 * fields 180 to 520 wide, by -0.01 % on 8 fields 40 to 180 wide; with LEAST 3 by -0.07 and +0.19 %, and by 0.3 % either
 * way in a case] */
static bool is_hopeless(const duel *d, const vain_moves *since)
{
    const double SPREAD = 4.0, LEAST = 8.0, count = since->count;
    if (since->count == 0) return false;
    const double unit = (double)d->price * (double)d->weights / (double)d->arcs; /* the gain of a mean edge */
    const double mean = since->sum / unit / count, variance = since->squares / (unit * unit) / count - mean * mean;
    return mean < 0.0 && count * mean * mean > SPREAD * variance + LEAST;
}

/* One pass: the best move again and again; moves after the best state are undone. *better: whether that state is not
 * the first. While loads are out of bounds, gains do not tell whether a better state is near. */
static pen_status make_pass(duel *d, bool first, bool *better)
{
    pen_lid best = 0;
    vain_moves since = { .count = 0 };
    double now = violation(d, d->load[0], d->load[1]), best_now = now, grain = 1e-12 * now;
    PEN_TRY(begin_pass(d, first));
    while (since.count < PATIENCE && (best_now > 0.0 || !is_hopeless(d, &since))) {
        pen_lid places[2] = { best_of(d, 0, now), best_of(d, 1, now) };
        if (places[0] < 0 && places[1] < 0) break;
        const pen_lid place = places[better_side(d, places)];
        const double gain = (double)d->gain[place];
        d->moves[best + since.count++] = place;
        since.sum += gain;
        since.squares += gain * gain;
        PEN_TRY(change_over(d, place));
        now = violation(d, d->load[0], d->load[1]);
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

static pen_lid band_size(const proxies *p)
{
    pen_lid share = p->own / SHARE > FEWEST ? p->own / SHARE : FEWEST;
    return share < p->own ? share : p->own;
}

/* The `most` own nodes that are nearest to those of a rank, those that touch them first; scratch is 0 again afterwards.
 */
static pen_status find_band(proxies *p, const diffusive_target *target, int rank, pen_lid most, pen_lid **band,
                            pen_lid *count)
{
    PEN_TRY(PEN_ALLOC(band, most));
    for (pen_lid b = 0; b < p->border_count && *count < most; b++) {
        pen_lid node = p->border[b];
        bool touches = false;
        for (int64_t a = p->starts[node]; a < proxy_end(p, node) && !touches; a++)
            touches = p->where[p->columns[a]] == rank;
        if (!touches || p->gids[node] == target->pinned) continue;
        p->scratch[node] = 1;
        (*band)[(*count)++] = node;
    }
    for (pen_lid k = 0; k < *count && *count < most; k++) {
        pen_lid node = (*band)[k];
        for (int64_t a = p->starts[node]; a < proxy_end(p, node) && *count < most; a++) {
            pen_lid next = p->columns[a];
            if (!proxy_is_mine(p, next) || p->scratch[next] != 0 || p->gids[next] == target->pinned) continue;
            p->scratch[next] = 1;
            (*band)[(*count)++] = next;
        }
    }
    for (pen_lid k = 0; k < *count; k++) p->scratch[(*band)[k]] = 0;
    return PEN_OK;
}

/* What a rank sends to its neighbours to find a partner. */
typedef struct proposal {
    int64_t meant; /* whether it is for the receiver */
    int64_t nodes;
    double load, target, share;
    uint64_t changes; /* of proxies */
} proposal;

/* A hash of all that the refinement with a rank depends on, the same on both. Not 0. */
static uint64_t hash_duel(const proxies *p, const diffusive_target *target, int other, uint64_t other_changes)
{
    const bool low = p->peers->rank < other;
    const struct {
        double slack;
        int64_t away;
        uint64_t changes[2]; /* of the lower rank, of the higher one */
    } state = { target->slack, target->away, { low ? p->changes : other_changes, low ? other_changes : p->changes } };
    return pen_hash_bytes(&state, sizeof state) | 1;
}

/* Whether refinement in the same state, with the same settings, changed nothing before. */
static bool is_vain(const proxy_vain *vain, uint64_t hash)
{
    for (int k = 0; k < PROXY_VAIN; k++)
        if (vain->hashes[k] == hash) return true;
    return false;
}

static void add_vain(proxy_vain *vain, uint64_t hash)
{
    vain->hashes[vain->next] = hash;
    vain->next = (vain->next + 1) % PROXY_VAIN;
}

/* This rank refines for both: band[0 .. own) has its own nodes, the rest of band those that the other rank has shown.
 * The first *leaving nodes of band become the own ones that leave; coming[*coming_count]: which of those shown come. */
static pen_status play(proxies *p, const diffusive_target *target, const proposal *other, int rank, pen_lid *band,
                       pen_lid own, pen_lid count, pen_lid *leaving, pen_lid *coming, int64_t *coming_count)
{
    duel d = { .p = p,
               .other = rank,
               .price = price_between(&p->network, p->peers->rank, rank),
               .count = count,
               .own = own,
               .band = band,
               .away = target->away,
               .load = { p->load, other->load },
               .nodes = { p->own, other->nodes } };
    const double targets[2] = { target->load, other->target };
    const double shares[2] = { target->mean * target->speed, other->share };
    for (int s = 0; s < 2; s++) {
        d.low[s] = targets[s] - target->slack * shares[s];
        d.high[s] = targets[s] + target->slack * shares[s];
    }
    pen_status status = PEN_ALLOC_ZERO(&d.side, count);
    if (status == PEN_OK) status = PEN_ALLOC(&d.locked, count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&d.known, count);
    if (status == PEN_OK) status = PEN_ALLOC(&d.gain, count);
    if (status == PEN_OK) status = PEN_ALLOC(&d.moves, count);
    bool better = status == PEN_OK;
    for (pen_lid i = 0; i < count && status == PEN_OK; i++) {
        p->scratch[band[i]] = i + 1;
        d.side[i] = i >= own;
    }
    for (int k = 0; k < MOST_PASSES && better && status == PEN_OK; k++) status = make_pass(&d, k == 0, &better);
    pen_lid kept = 0;
    for (pen_lid i = 0; i < count && status == PEN_OK; i++) {
        p->scratch[band[i]] = 0;
        if (i < own && d.side[i] == 1) band[kept++] = band[i];
        if (i >= own && d.side[i] == 0) coming[(*coming_count)++] = i - own;
    }
    *leaving = kept;
    PEN_FREE_ALL(d.side, d.locked, d.known, d.gain, d.moves, d.heaps[0].entries, d.heaps[1].entries);
    return status;
}

/* The work of one colour on this rank, with the rank of `link`; -1: with no rank. */
static pen_status work(proxies *p, const diffusive_target *target, int link, const proposal *other)
{
    int rank = link < 0 ? -1 : p->links.ranks[link];
    bool plays = link >= 0 && p->peers->rank < rank;
    pen_lid *band = NULL, own = 0, *seen = NULL, seen_count = 0, leaving = 0;
    pen_lid *coming = NULL;
    int64_t coming_count = 0;
    int *to = NULL;
    const pen_blocks *received = NULL;
    pen_status status = PEN_OK;
    if (link >= 0) status = find_band(p, target, rank, band_size(p), &band, &own);
    if (status == PEN_OK) status = pen_proxies_show(p, plays ? -1 : link, own, band, &seen, &seen_count);
    if (status == PEN_OK && plays) {
        status = PEN_REALLOC(&band, (int64_t)own + seen_count);
        if (status == PEN_OK) status = PEN_ALLOC(&coming, seen_count);
        if (status == PEN_OK && seen_count > 0) memcpy(band + own, seen, (size_t)seen_count * sizeof *seen);
        if (status == PEN_OK)
            status = play(p, target, other, rank, band, own, own + seen_count, &leaving, coming, &coming_count);
    }
    if (status == PEN_OK)
        status = pen_proxies_tell(p, plays ? link : -1, coming_count * (int64_t)sizeof *coming, coming, &received);
    if (status == PEN_OK && link >= 0 && !plays) {
        for (int64_t at = 0; at < received->offsets[received->count]; at += (int64_t)sizeof *coming) {
            pen_lid shown;
            memcpy(&shown, received->data + at, sizeof shown);
            band[leaving++] = band[shown]; /* shown nodes ascend */
        }
    }
    if (status == PEN_OK && leaving > 0) status = PEN_ALLOC(&to, leaving);
    for (pen_lid k = 0; k < leaving && status == PEN_OK; k++) to[k] = link;
    const uint64_t before = p->changes;
    if (status == PEN_OK) status = pen_proxies_move(p, leaving, band, to);
    if (status == PEN_OK && link >= 0 && p->changes == before)
        add_vain(&p->links.vain[pen_proxies_link(p, rank)], hash_duel(p, target, rank, other->changes));
    PEN_FREE_ALL(band, seen, coming, to);
    return status;
}

/* The partners of this rank in a sweep: both ranks choose each other, and at least one of them is active. */
static pen_status find_partners(proxies *p, bool active, int *partners, int *count)
{
    int links = p->links.count;
    const int64_t *contact = p->links.contact;
    int64_t *mine = NULL, *theirs = NULL; /* 0: not chosen; 1: chosen; 2: chosen by an active rank */
    pen_status status = PEN_ALLOC_ZERO(&mine, links);
    if (status == PEN_OK) status = PEN_ALLOC(&theirs, links);
    for (int n = 0; n < MOST_PAIRS && status == PEN_OK; n++) {
        int best = -1;
        for (int k = 0; k < links; k++)
            if (!mine[k] && contact[k] > 0 && (best < 0 || contact[k] > contact[best])) best = k;
        if (best >= 0) mine[best] = active ? 2 : 1;
    }
    if (status == PEN_OK) status = pen_proxies_swap(p, sizeof *mine, mine, theirs);
    for (int k = 0; k < links && status == PEN_OK; k++)
        if (mine[k] && theirs[k] && mine[k] + theirs[k] > 2) partners[(*count)++] = p->links.ranks[k];
    PEN_FREE_ALL(mine, theirs);
    return status;
}

/* One colour: every rank proposes to the partner with whom it shares the highest priority, and ranks that propose to
 * each other meet. *left: number of partners still to be met. */
static pen_status colour(proxies *p, const diffusive_target *target, int sweep, int *partners, int *left)
{
    int rank = p->peers->rank, links = p->links.count, best = -1, at = -1;
    uint64_t highest = 0;
    proposal *mine, *theirs = NULL;
    for (int i = *left - 1; i >= 0; i--) {
        int link = pen_proxies_link(p, partners[i]), other = partners[i];
        if (link < 0 || p->links.contact[link] == 0) { /* they are no longer neighbours */
            partners[i] = partners[--*left];
            if (at == *left) at = i;
            continue;
        }
        uint64_t pair = (uint64_t)(rank < other ? rank : other) << 32 | (uint64_t)(rank < other ? other : rank);
        uint64_t priority = pen_mix(pen_mix(pair) + (uint64_t)sweep);
        if (best >= 0 && priority < highest) continue;
        highest = priority;
        best = link;
        at = i;
    }
    pen_status status = PEN_ALLOC(&mine, 2 * links);
    if (status == PEN_OK) theirs = mine + links;
    for (int k = 0; k < links && status == PEN_OK; k++)
        mine[k] = (proposal){ k == best, p->own, p->load, target->load, target->mean * target->speed, p->changes };
    if (status == PEN_OK) status = pen_proxies_swap(p, sizeof *mine, mine, theirs);
    bool meet = status == PEN_OK && best >= 0 && theirs[best].meant;
    if (meet) partners[at] = partners[--*left];
    if (meet) meet = !is_vain(&p->links.vain[best], hash_duel(p, target, p->links.ranks[best], theirs[best].changes));
    if (status == PEN_OK) status = work(p, target, meet ? best : -1, meet ? &theirs[best] : NULL);
    free(mine);
    return status;
}

pen_status pen_refine_pairs(proxies *p, const diffusive_target *target, int sweep, bool active)
{
    int *partners, left = 0;
    PEN_TRY(PEN_ALLOC(&partners, p->links.count));
    pen_status status = find_partners(p, active, partners, &left);
    double waiting = 1.0;
    for (int k = 0; k < MOST_COLOURS && status == PEN_OK && waiting > 0.0; k++) {
        status = colour(p, target, sweep, partners, &left);
        waiting = left;
        if (status == PEN_OK) status = p->peers->reduce(p->peers, 0, NULL, 1, &waiting);
    }
    free(partners);
    return status;
}
