#include "rebalance/diffusive/select.h"
#include "rebalance/diffusive/candidates.h"

#include <stdlib.h>

enum {
    HUB = 64,       /* neighbours: the gain of a node with more is not updated when one of them leaves */
    MANY_LINKS = 12 /* more than ranks usually have in two or three dimensions */
};
#define RESERVE 0.34 /* of the share */
#define SMALLEST 0.1 /* of the slack: smaller flows do not justify a border */
#define MATTERS 0.25 /* of the slack: smaller remainders may stay */

/* scratch[node]: link + 1 if the node is assigned to that link; < 0 if a search has reached it; otherwise 0. */
typedef struct growth {
    proxies *p;
    candidates *heaps;      /* [links] */
    double *demand, *left;  /* [links] load to assign, and how much of it is left */
    bool *seeded;           /* [links] */
    pen_lid *chosen, count; /* [own] */
    int *to;                /* [own] */
    pen_lid *queue;         /* [own] of a search; NULL before the first one */
    pen_lid *seeds;         /* [links] */
    int seed_count;
    int64_t searches;
    pen_lid cursor, loose; /* where to look for the next unreached node */
    double out;
} growth;

static bool is_free(const proxies *p, pen_lid node, const diffusive_target *target)
{
    return proxy_is_mine(p, node) && p->scratch[node] <= 0 && p->gids[node] != target->pinned;
}

/* How much less the node's edges would cost if it went to the rank of a link. */
static int64_t gain_of(const proxies *p, pen_lid node, int link)
{
    const diffusive_network *network = &p->network;
    int rank = p->peers->rank, to = p->links.ranks[link];
    int64_t gain = 0, price = price_between(network, rank, to);
    if (p->degrees[node] > HUB) return -price * p->degrees[node];
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
        pen_lid next = p->columns[a];
        int64_t assigned = proxy_is_mine(p, next) ? p->scratch[next] : 0;
        int there = assigned > 0 ? p->links.ranks[assigned - 1] : p->where[next];
        if (there == to) gain += price * proxy_weight(p, a);
        else if (there == rank) gain -= price * proxy_weight(p, a);
        else if (network->machine)
            gain += (price_between(network, rank, there) - price_between(network, to, there)) * proxy_weight(p, a);
    }
    return gain;
}

static pen_status start(growth *g, const diffusive_target *target)
{
    proxies *p = g->p;
    int link = -1;
    for (pen_lid b = 0; b < p->border_count; b++) {
        pen_lid node = p->border[b];
        if (!is_free(p, node, target)) continue;
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

/* Search from `sources`. Returns the last free node found, -1: none. */
static pen_lid farthest(growth *g, const diffusive_target *target, const pen_lid *sources, int count)
{
    proxies *p = g->p;
    pen_lid found = 0, last = -1;
    int64_t mark = -++g->searches;
    for (int k = 0; k < count; k++) g->queue[found++] = sources[k];
    for (pen_lid k = 0; k < found; k++) {
        pen_lid node = g->queue[k];
        if (is_free(p, node, target)) last = node;
        for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
            pen_lid next = p->columns[a];
            if (!proxy_is_mine(p, next) || p->scratch[next] > 0 || p->scratch[next] == mark) continue;
            p->scratch[next] = mark;
            g->queue[found++] = next;
        }
    }
    return last;
}

static pen_lid next_free(growth *g, const diffusive_target *target)
{
    while (g->cursor < g->p->count && !is_free(g->p, g->cursor, target)) g->cursor++;
    return g->cursor < g->p->count ? g->cursor++ : -1;
}

/* Start the cluster for a rank that has no border with this one: as far as possible from the clusters for other ranks;
 * when that cluster is used up, anywhere. */
static pen_status plant(growth *g, const diffusive_target *target, int link)
{
    pen_lid seed = next_free(g, target);
    if (!g->seeded[link] && seed >= 0) {
        if (!g->queue) PEN_TRY(PEN_ALLOC(&g->queue, (int64_t)g->p->own + g->p->links.count));
        g->cursor--;
        if (g->seed_count == 0) seed = farthest(g, target, &seed, 1);
        pen_lid last = -1;
        if (seed >= 0)
            last = g->seed_count > 0 ? farthest(g, target, g->seeds, g->seed_count) : farthest(g, target, &seed, 1);
        if (last >= 0) seed = last;
        if (seed >= 0) g->seeds[g->seed_count++] = seed;
        g->seeded[link] = true;
    }
    return seed >= 0 ? candidates_push(&g->heaps[link], 0, seed) : PEN_OK;
}

/* The next node for a link; -1: none. */
static pen_status next_node(growth *g, const diffusive_target *target, int link, pen_lid *node)
{
    proxies *p = g->p;
    candidates *h = &g->heaps[link];
    while (g->loose < p->loose_count) {
        *node = p->loose[g->loose++];
        if (is_free(p, *node, target)) return PEN_OK;
    }
    for (;;) {
        if (h->count == 0 && p->links.contact[link] == 0) PEN_TRY(plant(g, target, link));
        if (h->count == 0) break;
        *node = candidates_pop(h).node;
        if (is_free(p, *node, target)) return PEN_OK;
    }
    *node = -1;
    return PEN_OK;
}

static pen_status assign(growth *g, const diffusive_target *target, int link, pen_lid node)
{
    proxies *p = g->p;
    p->scratch[node] = link + 1;
    g->chosen[g->count] = node;
    g->to[g->count++] = link;
    g->left[link] -= p->loads[node];
    g->out += p->loads[node];
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++)
        if (is_free(p, p->columns[a], target))
            PEN_TRY(candidates_push(&g->heaps[link], gain_of(p, p->columns[a], link), p->columns[a]));
    return PEN_OK;
}

/* The link whose demand is met least; -1: all demands are met. */
static int neediest(const growth *g)
{
    int best = -1;
    for (int k = 0; k < g->p->links.count; k++)
        if (g->left[k] > 0.0 && (best < 0 || g->left[k] * g->demand[best] > g->left[best] * g->demand[k])) best = k;
    return best;
}

/* Flows below the load of a node are joined, until the sum is worth a node, and then go to one link. */
static void join_flows(proxies *p, double worth)
{
    double owed = 0.0;
    for (int i = 0; i < p->links.count; i++) {
        int k = (int)(((int64_t)p->peers->rank + i) % p->links.count); /* not all ranks choose the same links */
        double flow = p->links.flow[k];
        if (!(flow > 0.0) || flow >= worth) continue;
        owed += flow;
        p->links.flow[k] = owed >= worth ? owed : 0.0;
        if (owed >= worth) owed = 0.0;
    }
}

/* If all ranks are neighbours, the flow over each link can be below the load of a node, so that much load would stay:
 * then small flows are joined, and some of these links get at least the load of a node. */
static void set_demands(growth *g, const diffusive_target *target, double least)
{
    proxies *p = g->p;
    double node = p->own > 0 ? p->load / p->own : 0.0, worth = node > least ? node : least, small = 0.0;
    for (int k = 0; k < p->links.count; k++)
        if (p->links.flow[k] > 0.0 && p->links.flow[k] < worth) small += p->links.flow[k];
    bool thin = p->links.count > MANY_LINKS && small > MATTERS * target->slack * target->mean * target->speed;
    if (thin) join_flows(p, worth);
    for (int k = 0; k < p->links.count; k++)
        g->left[k] = g->demand[k] = p->links.flow[k] > least ? p->links.flow[k] : 0.0;
}

static pen_status grow(growth *g, const diffusive_target *target)
{
    proxies *p = g->p;
    double share = target->mean * target->speed, least = SMALLEST * target->slack * share, keep = RESERVE * share;
    set_demands(g, target, least);
    PEN_TRY(start(g, target));
    for (int link; g->count + 1 < p->own && (link = neediest(g)) >= 0;) {
        pen_lid node;
        PEN_TRY(next_node(g, target, link, &node));
        if (node < 0) {
            g->left[link] = 0.0;
        } else if (2.0 * g->left[link] >= p->loads[node] && p->load - g->out - p->loads[node] >= keep) {
            p->links.flow[link] -= p->loads[node];
            PEN_TRY(assign(g, target, link, node));
            if (g->left[link] <= least) g->left[link] = 0.0;
        }
    }
    return PEN_OK;
}

pen_status pen_select_nodes(proxies *p, const diffusive_target *target, double *moved)
{
    growth g = { .p = p };
    int links = p->links.count;
    pen_status status = PEN_ALLOC_ZERO(&g.heaps, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.demand, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.left, links);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&g.seeded, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.seeds, links);
    if (status == PEN_OK) status = PEN_ALLOC(&g.chosen, p->own);
    if (status == PEN_OK) status = PEN_ALLOC(&g.to, p->own);
    if (status == PEN_OK) status = grow(&g, target);
    for (pen_lid i = 0; i < g.count; i++) p->scratch[g.chosen[i]] = 0;
    if (g.searches > 0) memset(p->scratch, 0, (size_t)p->count * sizeof *p->scratch);
    if (status == PEN_OK) status = pen_proxies_move(p, g.count, g.chosen, g.to);
    *moved = g.out;
    if (g.heaps)
        for (int k = 0; k < links; k++) free(g.heaps[k].entries);
    PEN_FREE_ALL(g.heaps, g.demand, g.left, g.seeded, g.seeds, g.chosen, g.to, g.queue);
    return status;
}
