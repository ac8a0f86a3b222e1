/* pieces.c - finds the connected pieces of parts, and gives all but the heaviest away. */
#include "rebalance/diffusive/pieces.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct piece {
    int64_t first, count; /* first node of the piece in `nodes`, and number of nodes */
    double load;
} piece;

/* The pieces of a part. */
typedef struct pieces {
    pen_lid *nodes; /* [found] nodes, piece by piece */
    int64_t found, count, room, main;
    piece *list; /* [count] the pieces */
} pieces;

static pen_status find_pieces(plan_part *p, pieces *s)
{
    plan_graph *g = p->graph;
    PEN_TRY(PEN_ALLOC(&s->nodes, p->own.count));
    for (int64_t i = 0; i < p->own.count; i++) {
        if (g->scratch[p->own.nodes[i]] != 0) continue;
        piece next = { .first = s->found };
        g->scratch[p->own.nodes[i]] = 1;
        s->nodes[s->found++] = p->own.nodes[i];
        for (int64_t k = next.first; k < s->found; k++) {
            const pen_lid node = s->nodes[k];
            next.load += g->loads[node];
            for (int64_t a = g->starts[node]; a < graph_end(g, node) && s->found < p->own.count; a++) {
                const pen_lid there = g->columns[a];
                if (!part_has(p, there) || g->scratch[there] != 0) continue;
                g->scratch[there] = 1;
                s->nodes[s->found++] = there;
            }
        }
        next.count = s->found - next.first;
        PEN_TRY(pen_reserve(&s->list, sizeof *s->list, s->count + 1, &s->room));
        const piece *heaviest = s->count > 0 ? &s->list[s->main] : &next;
        if (next.load > heaviest->load || (next.load >= heaviest->load && next.count > heaviest->count))
            s->main = s->count;
        s->list[s->count++] = next;
    }
    return PEN_OK;
}

/* The load and speed of a rank. */
typedef struct standing {
    double load, speed;
} standing;

/* The link with which a piece has most contact; -1: there is none. */
static int best_link(const plan_part *p, const pen_lid *nodes, int64_t count, int64_t *contact)
{
    const plan_graph *g = p->graph;
    int best = -1;
    for (int64_t k = 0; k < count; k++)
        for (int64_t a = g->starts[nodes[k]]; a < graph_end(g, nodes[k]); a++) {
            const int32_t there = g->where[g->columns[a]];
            if (there == p->rank) continue;
            contact[pen_part_link(p, there)] += g->weights[a];
        }
    for (int k = 0; k < p->links.count; k++)
        if (contact[k] > 0 && (best < 0 || contact[k] > contact[best])) best = k;
    memset(contact, 0, (size_t)p->links.count * sizeof *contact);
    return best;
}

/* Give away the nodes of pieces that have contact to a rank with room. links: the ranks' standings. */
static pen_status give(plan_part *p, const pieces *s, double full, standing *links, int64_t *contact)
{
    for (int64_t i = 0; i < s->count; i++) {
        const piece *one = &s->list[i];
        const pen_lid *nodes = s->nodes + one->first;
        if (i == s->main || p->graph->degrees[nodes[0]] == 0) continue;
        const int link = best_link(p, nodes, one->count, contact);
        if (link < 0 || links[link].load + one->load > full * links[link].speed) continue;
        links[link].load += one->load;
        for (int64_t k = 0; k < one->count; k++)
            if (p->graph->gids[nodes[k]] != p->share->pinned) PEN_TRY(pen_part_give(p, nodes[k], p->links.ranks[link]));
    }
    return PEN_OK;
}

/* Choose the nodes that a part gives away; *left: pieces beyond one. */
static pen_status choose(const plan_state *state, plan_part *p, double full, int64_t *left)
{
    pieces s = { 0 };
    standing *links = NULL;
    int64_t *contact = NULL;
    if (p->whole == p->changes + 1) return PEN_OK;
    pen_status status = find_pieces(p, &s);
    p->whole = s.count > 1 ? 0 : p->changes + 1;
    for (int64_t k = 0; k < s.found; k++) p->graph->scratch[s.nodes[k]] = 0;
    *left += s.count > 0 ? s.count - 1 : 0;
    if (status == PEN_OK && s.count > 1) {
        status = PEN_ALLOC(&links, p->links.count);
        if (status == PEN_OK) status = PEN_ALLOC_ZERO(&contact, p->links.count);
        for (int k = 0; k < p->links.count && status == PEN_OK; k++)
            links[k] = *(const standing *)pen_shared(state, p, k);
        if (status == PEN_OK) status = give(p, &s, full, links, contact);
    }
    PEN_FREE_ALL(s.nodes, s.list, links, contact);
    return status;
}

/* One pass; *moved: whether nodes were given away. Of neighbours that have nodes to give, only the one of highest
 * priority gives: pieces of two ranks must not change places. */
static pen_status pass(plan_state *s, double full, int number, int64_t *left, bool *moved)
{
    const int parts = s->team->count;
    standing *standings = NULL;
    uint64_t *priorities = NULL;
    pen_status status = PEN_ALLOC(&standings, parts);
    if (status == PEN_OK) status = PEN_ALLOC(&priorities, parts);
    for (int i = 0; i < parts && status == PEN_OK; i++)
        standings[i] = (standing){ s->parts[i].load, s->parts[i].share->speed };
    if (status == PEN_OK) status = pen_state_share(s, sizeof *standings, standings);
    *left = 0;
    for (int i = 0; i < parts && status == PEN_OK; i++) {
        plan_part *p = &s->parts[i];
        status = choose(s, p, full, left);
        priorities[i] = p->move_count > 0 ? pen_mix((uint64_t)number << 32 | (uint64_t)p->rank) | 1 : 0;
    }
    if (status == PEN_OK) status = pen_state_share(s, sizeof *priorities, priorities);
    for (int i = 0; i < parts && status == PEN_OK; i++) {
        plan_part *p = &s->parts[i];
        for (int k = 0; k < p->links.count && p->move_count > 0; k++)
            if (p->links.contact[k] > 0 && *(const uint64_t *)pen_shared(s, p, k) > priorities[i]) p->move_count = 0;
        s->team->values[i][0] = p->move_count > 0;
    }
    if (status == PEN_OK) status = pen_team_reduce(s->team, 0, 1);
    *moved = s->team->values[0][0] > 0.0;
    if (status == PEN_OK && *moved) status = pen_state_move(s);
    PEN_FREE_ALL(standings, priorities);
    return status;
}

pen_status pen_pieces_repair(plan_state *s, double full, int64_t *found, int64_t *left)
{
    enum { MOST_PASSES = 4 };
    bool moved = true;
    for (int number = 0; number < MOST_PASSES && moved; number++) {
        PEN_TRY(pass(s, full, number, left, &moved));
        if (number == 0 && found) *found = *left;
    }
    return PEN_OK;
}
