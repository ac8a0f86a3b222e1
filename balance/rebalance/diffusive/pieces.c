#include "rebalance/diffusive/pieces.h"
#include "base/memory.h"

#include <stdlib.h>

enum { MOST_PASSES = 4 };

typedef struct piece {
    pen_lid first, count; /* in `nodes` */
    double load;
} piece;

typedef struct pieces {
    pen_lid *nodes; /* [own] piece by piece; the first `found` are filled in */
    pen_lid found;
    piece *list;
    pen_lid count, room, main;
} pieces;

static pen_status find(proxies *p, pieces *s)
{
    PEN_TRY(PEN_ALLOC(&s->nodes, p->own));
    for (pen_lid i = 0; i < p->count; i++) {
        if (!proxy_is_mine(p, i) || p->scratch[i] != 0) continue;
        piece next = { .first = s->found };
        p->scratch[i] = 1;
        s->nodes[s->found++] = i;
        for (pen_lid k = next.first; k < s->found; k++) {
            pen_lid node = s->nodes[k];
            next.load += p->loads[node];
            for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
                pen_lid there = p->columns[a];
                if (!proxy_is_mine(p, there) || p->scratch[there] != 0) continue;
                p->scratch[there] = 1;
                s->nodes[s->found++] = there;
            }
        }
        next.count = s->found - next.first;
        if (s->count == s->room) {
            PEN_TRY(PEN_REALLOC(&s->list, (int64_t)s->room * 2 + 8));
            s->room = s->room * 2 + 8;
        }
        const piece *heaviest = s->count > 0 ? &s->list[s->main] : &next;
        if (next.load > heaviest->load || (next.load >= heaviest->load && next.count > heaviest->count))
            s->main = s->count;
        s->list[s->count++] = next;
    }
    return PEN_OK;
}

/* Load and speed of a rank. */
typedef struct standing {
    double load, speed;
} standing;

/* The link that a piece has most contact with; -1: none. */
static int best_link(const proxies *p, const pieces *s, const piece *one, int64_t *contact)
{
    int link = -1, best = -1;
    for (pen_lid k = one->first; k < one->first + one->count; k++)
        for (int64_t a = p->starts[s->nodes[k]]; a < proxy_end(p, s->nodes[k]); a++) {
            int32_t there = p->where[p->columns[a]];
            if (there == p->peers->rank) continue;
            if (link < 0 || p->links.ranks[link] != there) link = pen_proxies_link(p, there);
            contact[link] += proxy_weight(p, a);
        }
    for (int k = 0; k < p->links.count; k++) {
        if (contact[k] > 0 && (best < 0 || contact[k] > contact[best])) best = k;
    }
    for (int k = 0; k < p->links.count; k++) contact[k] = 0;
    return best;
}

/* Which nodes go where: those of pieces that have contact to a rank with room. */
static pen_status choose(const proxies *p, const pieces *s, const diffusive_target *target, double full,
                         standing *links, pen_lid *nodes, int *to, pen_lid *count)
{
    int64_t *contact;
    PEN_TRY(PEN_ALLOC_ZERO(&contact, p->links.count));
    for (pen_lid i = 0; i < s->count; i++) {
        const piece *one = &s->list[i];
        if (i == s->main || p->degrees[s->nodes[one->first]] == 0) continue;
        int link = best_link(p, s, one, contact);
        if (link < 0 || links[link].load + one->load > full * links[link].speed) continue;
        links[link].load += one->load;
        for (pen_lid k = 0; k < one->count; k++) {
            if (p->gids[s->nodes[one->first + k]] == target->pinned) continue;
            nodes[*count] = s->nodes[one->first + k];
            to[(*count)++] = link;
        }
    }
    free(contact);
    return PEN_OK;
}

/* One pass; *moved: whether this rank gave nodes away. Of neighbours that have nodes to give, only the one of highest
 * priority gives: pieces of two ranks must not change places. */
static pen_status pass(proxies *p, const diffusive_target *target, double full, int number, int64_t *left,
                       double *moved)
{
    pieces s = { 0 };
    int links = p->links.count;
    standing *mine = NULL, *theirs = NULL;
    uint64_t *priorities = NULL;
    pen_lid *nodes = NULL, count = 0;
    int *to = NULL;
    pen_status status = find(p, &s);
    for (pen_lid k = 0; k < s.found; k++) p->scratch[s.nodes[k]] = 0;
    *left = s.count > 0 ? s.count - 1 : 0;
    if (status == PEN_OK) status = PEN_ALLOC(&mine, links);
    if (status == PEN_OK) status = PEN_ALLOC(&theirs, links);
    if (status == PEN_OK) status = PEN_ALLOC(&priorities, 2 * links);
    if (status == PEN_OK) status = PEN_ALLOC(&nodes, s.count > 1 ? p->own : 0);
    if (status == PEN_OK) status = PEN_ALLOC(&to, s.count > 1 ? p->own : 0);
    for (int k = 0; k < links && status == PEN_OK; k++) mine[k] = (standing){ p->load, target->speed };
    if (status == PEN_OK) status = pen_proxies_swap(p, sizeof *mine, mine, theirs);
    if (status == PEN_OK && s.count > 1) status = choose(p, &s, target, full, theirs, nodes, to, &count);
    uint64_t priority = count > 0 ? pen_mix((uint64_t)number << 32 | (uint64_t)p->peers->rank) | 1 : 0;
    for (int k = 0; k < links && status == PEN_OK; k++) priorities[k] = priority;
    if (status == PEN_OK) status = pen_proxies_swap(p, sizeof *priorities, priorities, priorities + links);
    for (int k = 0; k < links && status == PEN_OK; k++)
        if (p->links.contact[k] > 0 && priorities[links + k] > priority) count = 0;
    if (status == PEN_OK) status = pen_proxies_move(p, count, nodes, to);
    *moved = count > 0;
    PEN_FREE_ALL(s.nodes, s.list, mine, theirs, priorities, nodes, to);
    return status;
}

pen_status pen_pieces_repair(proxies *p, const diffusive_target *target, double full, int64_t *found, int64_t *left)
{
    double moved = 1.0;
    for (int number = 0; number < MOST_PASSES && moved > 0.0; number++) {
        PEN_TRY(pass(p, target, full, number, left, &moved));
        if (number == 0 && found) *found = *left;
        PEN_TRY(p->peers->reduce(p->peers, 0, NULL, 1, &moved));
    }
    return PEN_OK;
}
