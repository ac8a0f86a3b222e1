#include "rebalance/diffusive/select.h"
#include "rebalance/diffusive/candidates.h"

#include <stdlib.h>

enum {
    HUB = 64,       /* neighbours: a node with more is not looked at again whenever one of them goes */
    MANY_LINKS = 12 /* more than the ranks of a field or a body have, as a rule */
};
#define RESERVE 0.34 /* of the share */
#define SMALLEST 0.1 /* of the slack: less is not worth a border */
#define MATTERS 0.25 /* of the slack: less may stay where it is */

/* scratch[node]: 0, or link + 1 for which the node is claimed, or less than 0 where a search has come. */
typedef struct growth {
    proxies *p;
    candidates *heaps;      /* [links] */
    double *wanted, *left;  /* [links] */
    bool *seeded;           /* [links] */
    pen_lid *chosen, count; /* [own] */
    int *to;                /* [own] */
    pen_lid *queue;         /* [own] of a search, or NULL */
    pen_lid *seeds;         /* [links] */
    int seed_count;
    int64_t searches;
    pen_lid cursor, loose; /* where to look for the next node that nothing leads to */
    double out;
} growth;

static bool is_free(const proxies *p, pen_lid node, const diffusive_aim *aim)
{
    return proxy_is_mine(p, node) && p->scratch[node] <= 0 && p->gids[node] != aim->pinned;
}

/* What a node's edges would cost less if it went to the rank of a link. */
static int64_t gain_of(const proxies *p, pen_lid node, int link)
{
    const diffusive_network *network = &p->network;
    int rank = p->peers->rank, to = p->links.ranks[link];
    int64_t gain = 0, price = price_between(network, rank, to);
    if (p->degrees[node] > HUB) return -price * p->degrees[node];
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
        pen_lid next = p->columns[a];
        int64_t claim = proxy_is_mine(p, next) ? p->scratch[next] : 0;
        int there = claim > 0 ? p->links.ranks[claim - 1] : p->where[next];
        if (there == to) gain += price * proxy_weight(p, a);
        else if (there == rank) gain -= price * proxy_weight(p, a);
        else if (network->machine)
            gain += (price_between(network, rank, there) - price_between(network, to, there)) * proxy_weight(p, a);
    }
    return gain;
}

static pen_status start(growth *g, const diffusive_aim *aim)
{
    proxies *p = g->p;
    int link = -1;
    for (pen_lid b = 0; b < p->border_count; b++) {
        pen_lid node = p->border[b];
        if (!is_free(p, node, aim)) continue;
        for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
            int32_t there = p->where[p->columns[a]];
            if (there == p->peers->rank) continue;
            if (link < 0 || p->links.ranks[link] != there) link = pen_proxies_link(p, there);
            candidates *h = &g->heaps[link];
            if (!(g->left[link] > 0.0) || (h->count > 0 && h->entries[h->count - 1].node == node)) continue;
            PEN_TRY(candidates_push(h, gain_of(p, node, link), node));
        }
    }
    return PEN_OK;
}

/* Search from `sources` and return the last node found that may go, -1: none. */
static pen_lid farthest(growth *g, const diffusive_aim *aim, const pen_lid *sources, int count)
{
    proxies *p = g->p;
    pen_lid found = 0, last = -1;
    int64_t mark = -++g->searches;
    for (int k = 0; k < count; k++) g->queue[found++] = sources[k];
    for (pen_lid k = 0; k < found; k++) {
        pen_lid node = g->queue[k];
        if (is_free(p, node, aim)) last = node;
        for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
            pen_lid next = p->columns[a];
            if (!proxy_is_mine(p, next) || p->scratch[next] > 0 || p->scratch[next] == mark) continue;
            p->scratch[next] = mark;
            g->queue[found++] = next;
        }
    }
    return last;
}

static pen_lid next_free(growth *g, const diffusive_aim *aim)
{
    while (g->cursor < g->p->count && !is_free(g->p, g->cursor, aim)) g->cursor++;
    return g->cursor < g->p->count ? g->cursor++ : -1;
}

/* Where the cluster for a rank begins that has no border with this one: as far as can be from the clusters of
 * others; once that is used up, anywhere. */
static pen_status plant(growth *g, const diffusive_aim *aim, int link)
{
    pen_lid seed = next_free(g, aim);
    if (!g->seeded[link] && seed >= 0) {
        if (!g->queue) PEN_TRY(PEN_ALLOC(&g->queue, (int64_t)g->p->own + g->p->links.count));
        g->cursor--;
        if (g->seed_count == 0) seed = farthest(g, aim, &seed, 1);
        pen_lid last = -1;
        if (seed >= 0)
            last = g->seed_count > 0 ? farthest(g, aim, g->seeds, g->seed_count) : farthest(g, aim, &seed, 1);
        if (last >= 0) seed = last;
        if (seed >= 0) g->seeds[g->seed_count++] = seed;
        g->seeded[link] = true;
    }
    return seed >= 0 ? candidates_push(&g->heaps[link], 0, seed) : PEN_OK;
}

/* The next node for a link; -1: none. */
static pen_status next_node(growth *g, const diffusive_aim *aim, int link, pen_lid *node)
{
    proxies *p = g->p;
    candidates *h = &g->heaps[link];
    while (g->loose < p->loose_count) {
        *node = p->loose[g->loose++];
        if (is_free(p, *node, aim)) return PEN_OK;
    }
    for (;;) {
        if (h->count == 0 && p->links.contact[link] == 0) PEN_TRY(plant(g, aim, link));
        if (h->count == 0) break;
        *node = candidates_pop(h).node;
        if (is_free(p, *node, aim)) return PEN_OK;
    }
    *node = -1;
    return PEN_OK;
}

static pen_status claim(growth *g, const diffusive_aim *aim, int link, pen_lid node)
{
    proxies *p = g->p;
    p->scratch[node] = link + 1;
    g->chosen[g->count] = node;
    g->to[g->count++] = link;
    g->left[link] -= p->loads[node];
    g->out += p->loads[node];
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++)
        if (is_free(p, p->columns[a], aim))
            PEN_TRY(candidates_push(&g->heaps[link], gain_of(p, p->columns[a], link), p->columns[a]));
    return PEN_OK;
}

/* The link that has got the least of what it shall get; -1: all are served. */
static int neediest(const growth *g)
{
    int best = -1;
    for (int k = 0; k < g->p->links.count; k++)
        if (g->left[k] > 0.0 && (best < 0 || g->left[k] * g->wanted[best] > g->left[best] * g->wanted[k])) best = k;
    return best;
}

/* Flows that are less than a node is worth go where that much has come together. */
static void join_flows(proxies *p, double worth)
{
    double owed = 0.0;
    for (int i = 0; i < p->links.count; i++) {
        int k = (int)(((int64_t)p->peers->rank + i) % p->links.count); /* not all ranks choose the same ones */
        double flow = p->links.flow[k];
        if (!(flow > 0.0) || flow >= worth) continue;
        owed += flow;
        p->links.flow[k] = owed >= worth ? owed : 0.0;
        if (owed >= worth) owed = 0.0;
    }
}

/* Where all ranks are neighbours, a flow is spread so thin that no link gets a node's worth, and much stays where it
 * is: what small flows amount to together goes to some of these links, each getting a node's worth at least. */
static void want(growth *g, const diffusive_aim *aim, double least)
{
    proxies *p = g->p;
    double node = p->own > 0 ? p->load / p->own : 0.0, worth = node > least ? node : least, small = 0.0;
    for (int k = 0; k < p->links.count; k++)
        if (p->links.flow[k] > 0.0 && p->links.flow[k] < worth) small += p->links.flow[k];
    bool thin = p->links.count > MANY_LINKS && small > MATTERS * aim->slack * aim->mean * aim->speed;
    if (thin) join_flows(p, worth);
    for (int k = 0; k < p->links.count; k++)
        g->left[k] = g->wanted[k] = p->links.flow[k] > least ? p->links.flow[k] : 0.0;
}

static pen_status grow(growth *g, const diffusive_aim *aim)
{
    proxies *p = g->p;
    double share = aim->mean * aim->speed, least = SMALLEST * aim->slack * share, keep = RESERVE * share;
    want(g, aim, least);
    PEN_TRY(start(g, aim));
    for (int link; g->count + 1 < p->own && (link = neediest(g)) >= 0;) {
        pen_lid node;
        PEN_TRY(next_node(g, aim, link, &node));
        if (node < 0) {
            g->left[link] = 0.0;
        } else if (2.0 * g->left[link] >= p->loads[node] && p->load - g->out - p->loads[node] >= keep) {
            p->links.flow[link] -= p->loads[node];
            PEN_TRY(claim(g, aim, link, node));
            if (g->left[link] <= least) g->left[link] = 0.0;
        }
    }
    return PEN_OK;
}

pen_status pen_select_nodes(proxies *p, const diffusive_aim *aim, double *moved)
{
    growth g = { .p = p };
    int links = p->links.count;
    pen_status status = PEN_ALLOC_ZERO(&g.heaps, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.wanted, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.left, links);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&g.seeded, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.seeds, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.chosen, p->own);
    if (status == PEN_OK) status = PEN_ALLOC(&g.to, p->own);
    if (status == PEN_OK) status = grow(&g, aim);
    for (pen_lid i = 0; i < g.count; i++) p->scratch[g.chosen[i]] = 0;
    if (g.searches > 0) memset(p->scratch, 0, (size_t)p->count * sizeof *p->scratch);
    if (status == PEN_OK) status = pen_proxies_move(p, g.count, g.chosen, g.to);
    *moved = g.out;
    if (g.heaps)
        for (int k = 0; k < links; k++) free(g.heaps[k].entries);
    PEN_FREE_ALL(g.heaps, g.wanted, g.left, g.seeded, g.seeds, g.chosen, g.to, g.queue);
    return status;
}
