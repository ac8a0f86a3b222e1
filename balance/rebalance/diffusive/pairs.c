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
    refine_stake stake;
    int to, link; /* the preferred rank, -1: none, and the link to it */
    uint64_t changes;
} offer;

/* A hash of all that the refinement of a pair depends on, the same on both ranks. Not 0. */
static uint64_t hash_pair(const plan_target *target, const offer *one, const offer *other)
{
    const bool low = one->stake.rank < other->stake.rank;
    const struct {
        double slack;
        uint64_t changes[2]; /* numbers of changes of the lower rank and of the higher one */
    } state = { target->slack, { low ? one->changes : other->changes, low ? other->changes : one->changes } };
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

/* Partners are ranks that choose each other. */
static pen_status find_partners(plan_state *s, partners *all)
{
    bool *mine; /* [links] the rank of the link is chosen */
    PEN_TRY(PEN_ALLOC_ZERO(&mine, 2 * s->links + 1));
    bool *theirs = mine + s->links;
    for (int i = 0; i < s->team->count; i++) {
        const plan_part *p = &s->parts[i];
        const int64_t *contact = p->links.contact;
        bool *chosen = mine + p->first_link;
        for (int n = 0; n < MOST_PAIRS; n++) {
            int best = -1;
            for (int k = 0; k < p->links.count; k++)
                if (!chosen[k] && contact[k] > 0 && (best < 0 || contact[k] > contact[best])) best = k;
            if (best < 0) break;
            chosen[best] = true;
        }
    }
    const pen_status status = pen_state_swap(s, sizeof *mine, mine, theirs);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++) {
        const plan_part *p = &s->parts[i];
        all[i].left = 0;
        for (int64_t k = p->first_link; k < p->first_link + p->links.count; k++)
            if (mine[k] && theirs[k]) all[i].ranks[all[i].left++] = p->links.ranks[k - p->first_link];
    }
    free(mine);
    return status;
}

/* The offer of a part to the partner with whom it shares the highest priority. */
static offer make_offer(const plan_part *p, const plan_target *target, int sweep, partners *own)
{
    const double share = target->slack * target->mean * p->share->speed;
    const refine_stake stake = { .rank = p->rank,
                                 .own = p->own.count,
                                 .load = p->load,
                                 .low = p->share->load - share,
                                 .high = p->share->load + share,
                                 .pinned = p->share->pinned };
    offer made = { .stake = stake, .to = -1, .link = -1, .changes = p->changes };
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

/* The part of a rank; NULL: another process has it. */
static plan_part *part_of(const plan_state *s, int rank)
{
    const int part = rank - s->team->first;
    return part >= 0 && part < s->team->count ? &s->parts[part] : NULL;
}

/* Refine the border of a pair, the lower rank first, and give the nodes that change sides. *shown: the band of a part
 * of another process, of which *wanted become the places of such nodes. */
static pen_status meet(plan_state *s, const plan_target *target, const offer *pair[2], const plan_list *shown,
                       refine_side sides[2], plan_list *wanted)
{
    int64_t changed[2], next = 0;
    for (int half = 0; half < 2; half++) {
        const plan_part *p = part_of(s, pair[half]->stake.rank);
        sides[half].stake = pair[half]->stake;
        sides[half].first = half == 0 ? 0 : (int32_t)sides[0].most;
        PEN_TRY(pen_band_begin(&s->graph, p ? &p->border : shown, p ? pen_band_size(p) : shown->count, pair[half]->to,
                               &sides[half]));
    }
    PEN_TRY(pen_refine_pair(&s->graph, sides, target->away, changed));
    for (int half = 0; half < 2; half++) {
        plan_part *p = part_of(s, pair[half]->stake.rank);
        for (int64_t i = 0; i < changed[half] && p; i++)
            PEN_TRY(pen_part_give(p, sides[half].band.nodes[i], pair[half]->to));
    }
    for (int64_t i = 0; i < shown->count && next < changed[1]; i++)
        if (shown->nodes[i] == sides[1].band.nodes[next]) {
            PEN_TRY(pen_list_add(wanted, (pen_lid)i));
            next++;
        }
    return PEN_OK;
}

/* Collective. With a part of another process, or none (`mine` NULL): the higher rank shows its band, the lower one
 * refines for both, and tells which nodes it wants. */
static pen_status meet_there(plan_state *s, const plan_target *target, const offer *mine, const offer *other,
                             refine_side sides[2])
{
    plan_part *p = &s->parts[0];
    const bool refines = mine && p->rank < mine->to, shows = mine && !refines;
    const pen_blocks *received = NULL;
    plan_list shown = { .count = 0 }, wanted = { .count = 0 }, *band = &sides[0].band;
    band->count = 0;
    if (shows) {
        sides[0].stake = mine->stake;
        PEN_TRY(pen_band_begin(&s->graph, &p->border, pen_band_size(p), mine->to, &sides[0]));
        pen_band_grow(&s->graph, &sides[0], -1);
        pen_band_clear(&s->graph, &sides[0]);
    }
    pen_status status = pen_messages_show(s, shows ? mine->link : -1, band->count, band->nodes, &shown);
    if (status == PEN_OK && refines) status = meet(s, target, (const offer *[]){ mine, other }, &shown, sides, &wanted);
    if (status == PEN_OK)
        status = pen_messages_tell(s, refines ? mine->link : -1, wanted.count * (int64_t)sizeof *wanted.nodes,
                                   wanted.nodes, &received);
    for (int64_t at = 0; status == PEN_OK && shows && at < received->offsets[received->count];
         at += (int64_t)sizeof *wanted.nodes)
        status = pen_part_give(p, band->nodes[*(const pen_lid *)(const void *)(received->data + at)], mine->to);
    PEN_FREE_ALL(shown.nodes, wanted.nodes);
    return status;
}

/* One colour: every rank offers itself to a partner, and pairs meet. *waiting: the most partners still to be met. */
static pen_status colour(plan_state *s, const plan_target *target, int sweep, partners *all, offer *offers,
                         refine_side sides[2], double *waiting)
{
    const plan_list none = { .count = 0 };
    uint64_t *hashes; /* [parts] hashes of the pairs that meet; 0: the part meets no other */
    PEN_TRY(PEN_ALLOC_ZERO(&hashes, s->team->count));
    for (int i = 0; i < s->team->count; i++) offers[i] = make_offer(&s->parts[i], target, sweep, &all[i]);
    pen_status status = pen_state_share(s, sizeof *offers, offers);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++) {
        plan_part *p = &s->parts[i];
        offer other;
        const offer *mine = meets(s, p, target, &offers[i], &all[i], &other) ? &offers[i] : NULL;
        if (mine) hashes[i] = hash_pair(target, mine, &other);
        s->team->values[i][0] = all[i].left;
        if (s->team->peers) status = meet_there(s, target, mine, &other, sides);
        else if (mine && p->rank < mine->to)
            status = meet(s, target, (const offer *[]){ mine, &other }, &none, sides, NULL);
    }
    if (status == PEN_OK) status = pen_state_move(s);
    for (int i = 0; i < s->team->count && status == PEN_OK; i++)
        if (hashes[i] != 0 && s->parts[i].changes == offers[i].changes)
            add_vain(&s->parts[i].links.vain[pen_part_link(&s->parts[i], offers[i].to)], hashes[i]);
    if (status == PEN_OK) status = pen_team_reduce(s->team, 0, 1);
    *waiting = s->team->values[0][0];
    free(hashes);
    return status;
}

pen_status pen_refine_pairs(plan_state *s, const plan_target *target, int sweep)
{
    enum { MOST_COLOURS = 64 };
    partners *all = NULL;
    offer *offers = NULL;
    refine_side sides[2] = { { .most = 0 }, { .most = 0 } };
    double waiting = 1.0;
    pen_status status = PEN_ALLOC(&all, s->team->count);
    if (status == PEN_OK) status = PEN_ALLOC(&offers, s->team->count);
    if (status == PEN_OK) status = find_partners(s, all);
    for (int k = 0; k < MOST_COLOURS && status == PEN_OK && waiting > 0.0; k++)
        status = colour(s, target, sweep, all, offers, sides, &waiting);
    for (int half = 0; half < 2; half++) pen_side_free(&sides[half]);
    PEN_FREE_ALL(all, offers);
    return status;
}
