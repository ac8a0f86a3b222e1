/* pairs.c - chooses the pairs of ranks that refine their border, and lets them meet. */
#include "base/hash.h"
#include "base/memory.h"
#include "rebalance/diffusive/constants.h"
#include "rebalance/diffusive/messages.h"
#include "rebalance/diffusive/refine.h"

#include <stdlib.h>

enum {
    MOST_PAIRS = 8
}; /* largest number of partners of a rank: the ranks with most contact, if the choice is mutual */

/* The partners of a rank in a sweep that are still to be met. */
typedef struct partners {
    int left, ranks[MOST_PAIRS];
} partners;

/* The offer that a rank sends to its neighbours to find a partner. */
typedef struct offer {
    int rank, to, link; /* the rank that makes it, the preferred one, -1: none, and the link to it */
    uint64_t changes;
    int64_t own;
    double load, low, high; /* as in refine_side */
    pen_gid pinned;
} offer;

/* A hash of all that the refinement of a pair depends on, the same on both ranks. Not 0. */
static uint64_t hash_pair(const plan_target *target, const offer *one, const offer *other)
{
    const bool low = one->rank < other->rank;
    const struct {
        double slack;
        int64_t away;
        uint64_t changes[2]; /* numbers of changes of the lower rank and of the higher one */
    } state = { target->slack,
                target->away,
                { low ? one->changes : other->changes, low ? other->changes : one->changes } };
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
    offer made = { .rank = p->rank,
                   .to = -1,
                   .link = -1,
                   .changes = p->changes,
                   .own = p->own.count,
                   .load = p->load,
                   .pinned = p->share->pinned,
                   .low = p->share->load - share,
                   .high = p->share->load + share };
    uint64_t highest = 0;
    for (int i = own->left - 1; i >= 0; i--) {
        const int other = own->ranks[i], link = pen_part_link(p, other);
        if (link < 0 || p->links.contact[link] == 0) { /* the ranks are no longer neighbours */
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
static bool meets(const plan_state *s, const plan_part *p, const plan_target *target, const offer *mine, partners *own,
                  offer *other)
{
    if (mine->to < 0) return false;
    *other = *(const offer *)pen_shared(s, p, mine->link);
    if (other->to != p->rank) return false;
    for (int i = 0; i < own->left; i++)
        if (own->ranks[i] == mine->to) own->ranks[i] = own->ranks[--own->left];
    return !is_vain(&p->links.vain[mine->link], hash_pair(target, mine, other));
}

/* ---- Meeting ---------------------------------------------------------------------------------- */

static void set_side(const offer *from, refine_side *side)
{
    side->rank = from->rank;
    side->own = from->own;
    side->load = from->load;
    side->pinned = from->pinned;
    side->low = from->low;
    side->high = from->high;
}

/* A pair of parts of this team. */
static pen_status meet_here(plan_state *s, plan_part *p, const plan_target *target, const offer *mine,
                            const offer *other, refine_side sides[2])
{
    plan_part *q = &s->parts[mine->to];
    int64_t changed[2];
    set_side(mine, &sides[0]);
    set_side(other, &sides[1]);
    PEN_TRY(pen_band_begin(p, q->rank, 0, &sides[0]));
    PEN_TRY(pen_band_begin(q, p->rank, (int32_t)sides[0].most, &sides[1]));
    PEN_TRY(pen_refine_pair(&s->graph, sides, target->away, changed));
    for (int64_t i = 0; i < changed[0]; i++) PEN_TRY(pen_part_give(p, sides[0].band.nodes[i], q->rank));
    for (int64_t i = 0; i < changed[1]; i++) PEN_TRY(pen_part_give(q, sides[1].band.nodes[i], p->rank));
    return PEN_OK;
}

/* This rank refines for both, with the nodes that the other one has shown: gives its own ones, and tells which come. */
static pen_status refine_shown(plan_state *s, const plan_target *target, refine_side sides[2], pen_gid *coming,
                               int64_t *count)
{
    int64_t changed[2];
    PEN_TRY(pen_refine_pair(&s->graph, sides, target->away, changed));
    for (int64_t i = 0; i < changed[0]; i++)
        PEN_TRY(pen_part_give(&s->parts[0], sides[0].band.nodes[i], sides[1].rank));
    for (*count = 0; *count < changed[1]; ++*count) coming[*count] = s->graph.gids[sides[1].band.nodes[*count]];
    return PEN_OK;
}

/* This rank gives the nodes that the other one, which refined for both, wants. */
static pen_status give_wanted(plan_state *s, const pen_blocks *received, const refine_side *side, int to)
{
    int64_t at = 0;
    for (int64_t i = 0; i < side->band.count && at < received->offsets[received->count]; i++) {
        pen_gid gid;
        memcpy(&gid, received->data + at, sizeof gid);
        if (s->graph.gids[side->band.nodes[i]] != gid) continue;
        PEN_TRY(pen_part_give(&s->parts[0], side->band.nodes[i], to));
        at += (int64_t)sizeof gid;
    }
    return PEN_OK;
}

/* The band of nodes that another rank has shown begins with those that touch this rank; it grows in the same order. */
static void begin_shown(plan_graph *g, int rank, refine_side *side)
{
    bool touches = true;
    side->most = side->band.count;
    side->next = side->band.count = 0;
    while (side->band.count < side->most && touches) {
        const pen_lid node = side->band.nodes[side->band.count];
        touches = false;
        for (int64_t a = g->starts[node]; a < graph_end(g, node) && !touches; a++)
            touches = g->where[g->columns[a]] == rank;
        if (touches) g->scratch[node] = side->first + (int32_t)++side->band.count;
    }
}

/* This rank and that of a link, or none: the higher one shows its nodes, the lower one refines. */
static pen_status meet_there(plan_state *s, const plan_target *target, const offer *mine, const offer *other,
                             refine_side sides[2])
{
    plan_part *p = &s->parts[0];
    const int link = other ? mine->link : -1;
    const bool refines = other && p->rank < mine->to;
    const pen_blocks *received = NULL;
    pen_gid *coming = NULL;
    int64_t count = 0;
    if (other) {
        set_side(mine, &sides[0]);
        set_side(other, &sides[1]);
        PEN_TRY(pen_band_begin(p, mine->to, 0, &sides[0]));
        if (!refines) pen_band_grow(&s->graph, &sides[0], -1);
        if (!refines) pen_band_clear(&s->graph, &sides[0]);
    }
    sides[1].band.count = 0;
    PEN_TRY(pen_messages_show(s, refines ? -1 : link, sides[0].band.count, sides[0].band.nodes, &sides[1].band));
    pen_status status = PEN_OK;
    if (refines) {
        sides[1].first = (int32_t)sides[0].most;
        begin_shown(&s->graph, mine->rank, &sides[1]);
        status = PEN_ALLOC(&coming, sides[1].most);
        if (status == PEN_OK) status = refine_shown(s, target, sides, coming, &count);
    }
    if (status == PEN_OK)
        status = pen_messages_tell(s, refines ? link : -1, count * (int64_t)sizeof *coming, coming, &received);
    if (status == PEN_OK && link >= 0 && !refines) status = give_wanted(s, received, &sides[0], mine->to);
    free(coming);
    return status;
}

/* One colour: every rank offers itself to a partner, and pairs meet. *waiting: the most partners still to be met. */
static pen_status colour(plan_state *s, const plan_target *target, int sweep, partners *all, offer *offers,
                         double *waiting)
{
    refine_side sides[2] = { { .rank = -1 }, { .rank = -1 } };
    uint64_t *hashes; /* [parts] hashes of the pairs that meet; 0: the part meets no other */
    PEN_TRY(PEN_ALLOC_ZERO(&hashes, s->team->count));
    for (int i = 0; i < s->team->count; i++) offers[i] = make_offer(&s->parts[i], target, sweep, &all[i]);
    pen_status status = pen_state_share(s, sizeof *offers, offers);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++) {
        plan_part *p = &s->parts[i];
        offer other;
        const bool meet = meets(s, p, target, &offers[i], &all[i], &other);
        if (meet) hashes[i] = hash_pair(target, &offers[i], &other);
        s->team->values[i][0] = all[i].left;
        if (s->team->peers) status = meet_there(s, target, &offers[i], meet ? &other : NULL, sides);
        else if (meet && i < other.rank) status = meet_here(s, p, target, &offers[i], &other, sides);
    }
    if (status == PEN_OK) status = pen_state_move(s);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++)
        if (hashes[i] != 0 && s->parts[i].changes == offers[i].changes)
            add_vain(&s->parts[i].links.vain[pen_part_link(&s->parts[i], offers[i].to)], hashes[i]);
    if (status == PEN_OK) status = pen_team_reduce(s->team, 0, 1);
    *waiting = s->team->values[0][0];
    PEN_FREE_ALL(sides[0].band.nodes, sides[1].band.nodes, hashes);
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
