/* pairs.c - which pairs of ranks refine their border, and when. */
#include "base/hash.h"
#include "base/memory.h"
#include "rebalance/diffusive/constants.h"
#include "rebalance/diffusive/messages.h"
#include "rebalance/diffusive/refine.h"

#include <stdlib.h>

enum { MOST_PAIRS = 8 }; /* per rank: the ranks with most contact, if the choice is mutual */

/* The partners of a rank in a sweep that are still to be met. */
typedef struct partners {
    int left, ranks[MOST_PAIRS];
} partners;

/* What a rank tells its neighbours to find a partner. */
typedef struct offer {
    int to, link; /* the preferred rank, -1: none; and the link to it */
    uint64_t changes;
    refine_side side;
} offer;

/* Nodes that may change sides: the first part's, then the other one's; the other part's link. */
typedef struct pair {
    plan_list band;
    pen_lid own;
    bool *changed;
} pair;

/* Append the own nodes that are nearest to those of a rank, those that touch them first: a SHARE-th of the part, and
 * FEWEST at least. */
static pen_status add_band(const plan_part *p, int rank, plan_list *band)
{
    plan_graph *g = p->graph;
    const int64_t share = p->own.count / SHARE > FEWEST ? p->own.count / SHARE : FEWEST, begin = band->count,
                  end = begin + (share < p->own.count ? share : p->own.count);
    PEN_TRY(pen_reserve(&band->nodes, sizeof *band->nodes, end, &band->room));
    for (int64_t b = 0; b < p->border.count && band->count < end; b++) {
        const pen_lid node = p->border.nodes[b];
        bool touches = false;
        for (int64_t a = g->starts[node]; a < graph_end(g, node) && !touches; a++)
            touches = g->where[g->columns[a]] == rank;
        if (!touches || g->gids[node] == p->share->pinned) continue;
        g->scratch[node] = 1;
        band->nodes[band->count++] = node;
    }
    for (int64_t k = begin; k < band->count && band->count < end; k++) {
        const pen_lid node = band->nodes[k];
        for (int64_t a = g->starts[node]; a < graph_end(g, node) && band->count < end; a++) {
            const pen_lid next = g->columns[a];
            if (!part_has(p, next) || g->scratch[next] != 0 || g->gids[next] == p->share->pinned) continue;
            g->scratch[next] = 1;
            band->nodes[band->count++] = next;
        }
    }
    for (int64_t k = begin; k < band->count; k++) g->scratch[band->nodes[k]] = 0;
    return PEN_OK;
}

/* A hash of all that the refinement of a pair depends on, the same on both ranks. Not 0. */
static uint64_t hash_pair(const plan_target *target, const offer *one, const offer *other)
{
    const bool low = one->side.rank < other->side.rank;
    const struct {
        double slack;
        int64_t away;
        uint64_t changes[2]; /* of the lower rank, of the higher one */
    } state = { target->slack, target->away, { low ? one->changes : other->changes, low ? other->changes : one->changes } };
    return pen_hash_bytes(&state, sizeof state) | 1;
}

/* Whether refinement in the same state, with the same settings, changed nothing before. */
static bool is_vain(const link_vain *vain, uint64_t hash)
{
    for (int k = 0; k < LINK_VAIN; k++)
        if (vain->hashes[k] == hash) return true;
    return false;
}

static void add_vain(link_vain *vain, uint64_t hash)
{
    vain->hashes[vain->next] = hash;
    vain->next = (vain->next + 1) % LINK_VAIN;
}

/* ---- Partners -------------------------------------------------------------------------------- */

/* Both ranks choose each other, and at least one of them is active. */
static pen_status find_partners(plan_state *s, partners *all)
{
    unsigned char *mine; /* 0: not chosen; 1: chosen; 2: chosen by an active rank */
    PEN_TRY(PEN_ALLOC_ZERO(&mine, 2 * s->links + 1));
    unsigned char *theirs = mine + s->links;
    for (int i = 0; i < s->team->count; i++) {
        const plan_part *p = &s->parts[i];
        const int64_t *contact = p->links.contact;
        unsigned char *chosen = mine + p->first_link;
        for (int n = 0; n < MOST_PAIRS; n++) {
            int best = -1;
            for (int k = 0; k < p->links.count; k++)
                if (!chosen[k] && contact[k] > 0 && (best < 0 || contact[k] > contact[best])) best = k;
            if (best < 0) break;
            chosen[best] = p->active ? 2 : 1;
        }
    }
    const pen_status status = pen_state_swap(s, 1, mine, theirs);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++) {
        const plan_part *p = &s->parts[i];
        all[i].left = 0;
        for (int64_t k = p->first_link; k < p->first_link + p->links.count; k++)
            if (mine[k] && theirs[k] && mine[k] + theirs[k] > 2)
                all[i].ranks[all[i].left++] = p->links.ranks[k - p->first_link];
    }
    free(mine);
    return status;
}

/* The offer of a part to the partner with whom it shares the highest priority. */
static offer make_offer(const plan_part *p, const plan_target *target, int sweep, partners *own)
{
    const double share = target->slack * target->mean * p->share->speed;
    offer made = { .to = -1, .link = -1, .changes = p->changes };
    uint64_t highest = 0;
    made.side = (refine_side){ p->rank, p->own.count, p->load, p->share->load - share, p->share->load + share };
    for (int i = own->left - 1; i >= 0; i--) {
        const int other = own->ranks[i], link = pen_part_link(p, other);
        if (link < 0 || p->links.contact[link] == 0) { /* they are no longer neighbours */
            own->ranks[i] = own->ranks[--own->left];
            continue;
        }
        const uint64_t both = (uint64_t)(p->rank < other ? p->rank : other) << 32 |
                              (uint64_t)(p->rank < other ? other : p->rank);
        const uint64_t priority = pen_mix(pen_mix(both) + (uint64_t)sweep);
        if (made.to >= 0 && priority < highest) continue;
        highest = priority;
        made.to = other;
        made.link = link;
    }
    return made;
}

/* Ranks that offer themselves to each other meet: *other is the offer to part p. They do not refine in vain. */
static bool meets(const plan_state *s, const plan_part *p, const plan_target *target, const offer *mine,
                  partners *own, offer *other)
{
    if (mine->to < 0) return false;
    *other = *(const offer *)pen_shared(s, p, mine->link);
    if (other->to != p->rank) return false;
    for (int i = 0; i < own->left; i++)
        if (own->ranks[i] == mine->to) own->ranks[i] = own->ranks[--own->left];
    return !is_vain(&p->links.vain[mine->link], hash_pair(target, mine, other));
}

/* ---- Meeting ---------------------------------------------------------------------------------- */

static pen_status refine(plan_graph *g, const plan_target *target, const offer *low, const offer *high, pair *two)
{
    const refine_side sides[2] = { low->side, high->side };
    PEN_TRY(PEN_REALLOC(&two->changed, two->band.count));
    return pen_refine_pair(g, sides, target->away, two->band.nodes, two->own, (pen_lid)two->band.count, two->changed);
}

/* A pair of parts of this team. */
static pen_status meet_here(plan_state *s, plan_part *p, const plan_target *target, const offer *mine,
                            const offer *other, pair *two)
{
    plan_part *q = &s->parts[mine->to];
    two->band.count = 0;
    PEN_TRY(add_band(p, q->rank, &two->band));
    two->own = (pen_lid)two->band.count;
    PEN_TRY(add_band(q, p->rank, &two->band));
    PEN_TRY(refine(&s->graph, target, mine, other, two));
    for (pen_lid i = 0; i < two->band.count; i++)
        if (two->changed[i])
            PEN_TRY(pen_part_give(i < two->own ? p : q, two->band.nodes[i], i < two->own ? q->rank : p->rank));
    return PEN_OK;
}

/* This rank and that of a link, or none: the higher one shows its nodes, the lower one refines and tells which come. */
static pen_status meet_there(plan_state *s, const plan_target *target, const offer *mine, const offer *other, pair *two)
{
    plan_part *p = &s->parts[0];
    const int link = other ? mine->link : -1;
    const bool refines = other && p->rank < mine->to;
    pen_lid *coming = NULL;
    int64_t coming_count = 0;
    const pen_blocks *received = NULL;
    if (other) PEN_TRY(add_band(p, mine->to, &two->band));
    two->own = (pen_lid)two->band.count;
    PEN_TRY(pen_messages_show(s, refines ? -1 : link, two->own, two->band.nodes, &two->band));
    if (refines) PEN_TRY(refine(&s->graph, target, mine, other, two));
    pen_status status = PEN_ALLOC(&coming, two->band.count);
    for (pen_lid i = 0; refines && status == PEN_OK && i < two->band.count; i++) {
        if (i >= two->own && two->changed[i]) coming[coming_count++] = i - two->own;
        else if (two->changed[i]) status = pen_part_give(p, two->band.nodes[i], mine->to);
    }
    if (status == PEN_OK)
        status = pen_messages_tell(s, refines ? link : -1, coming_count * (int64_t)sizeof *coming, coming, &received);
    const int64_t end = status == PEN_OK && link >= 0 && !refines ? received->offsets[received->count] : 0;
    for (int64_t at = 0; at < end && status == PEN_OK; at += (int64_t)sizeof *coming) {
        pen_lid shown;
        memcpy(&shown, received->data + at, sizeof shown);
        status = pen_part_give(p, two->band.nodes[shown], mine->to);
    }
    free(coming);
    return status;
}

/* One colour: every rank offers itself to a partner, and pairs meet. *waiting: the most partners still to be met. */
static pen_status colour(plan_state *s, const plan_target *target, int sweep, partners *all, offer *offers,
                         double *waiting)
{
    pair two = { .own = 0 };
    uint64_t *hashes; /* [parts] of the pairs that meet; 0: none */
    PEN_TRY(PEN_ALLOC_ZERO(&hashes, s->team->count));
    for (int i = 0; i < s->team->count; i++) offers[i] = make_offer(&s->parts[i], target, sweep, &all[i]);
    pen_status status = pen_state_share(s, sizeof *offers, offers);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++) {
        plan_part *p = &s->parts[i];
        offer other;
        const bool meet = meets(s, p, target, &offers[i], &all[i], &other);
        if (meet) hashes[i] = hash_pair(target, &offers[i], &other);
        s->team->values[i][0] = all[i].left;
        if (s->team->peers) status = meet_there(s, target, &offers[i], meet ? &other : NULL, &two);
        else if (meet && i < other.side.rank) status = meet_here(s, p, target, &offers[i], &other, &two);
    }
    if (status == PEN_OK) status = pen_state_move(s);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++)
        if (hashes[i] != 0 && s->parts[i].changes == offers[i].changes)
            add_vain(&s->parts[i].links.vain[pen_part_link(&s->parts[i], offers[i].to)], hashes[i]);
    if (status == PEN_OK) status = pen_team_reduce(s->team, 0, 1);
    *waiting = s->team->values[0][0];
    PEN_FREE_ALL(two.band.nodes, two.changed, hashes);
    return status;
}

pen_status pen_refine_pairs(plan_state *s, const plan_target *target, int sweep)
{
    enum { MOST_COLOURS = 64 };
    partners *all = NULL;
    offer *offers = NULL;
    double waiting = 1.0;
    pen_status status = PEN_ALLOC(&all, s->team->count);
    if (status == PEN_OK) status = PEN_ALLOC(&offers, s->team->count);
    if (status == PEN_OK) status = find_partners(s, all);
    for (int k = 0; k < MOST_COLOURS && status == PEN_OK && waiting > 0.0; k++)
        status = colour(s, target, sweep, all, offers, &waiting);
    PEN_FREE_ALL(all, offers);
    return status;
}
