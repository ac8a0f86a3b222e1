/* select.c - grows the nodes for each link from the border, the link whose demand is met least first. */
#include "rebalance/diffusive/select.h"

#include "rebalance/diffusive/candidates.h"
#include "rebalance/diffusive/constants.h"

#include <stdlib.h>

/* scratch[node]: link + 1 if the node is assigned to that link; < 0 if a search has reached it; otherwise 0. */
typedef struct growth {
    plan_part *part;
    plan_graph *graph;
    candidates *heaps;     /* [links] */
    double *demand, *left; /* [links] load to assign, and the remaining part of it */
    bool *seeded;          /* [links] */
    pen_lid *queue;        /* [own] queue of a search; NULL before the first search */
    pen_lid *seeds;        /* [links] */
    int seed_count;
    int32_t searches;
    int64_t cursor, loose; /* places at which the search for the next unreached node continues */
    double out;
} growth;

static bool is_free(const plan_part *p, pen_lid node)
{
    return part_has(p, node) && p->graph->scratch[node] <= 0 && p->graph->gids[node] != p->share->pinned;
}

/* The saving in cost of the node's edges if it goes to the rank of a link. */
static int64_t gain_of(const plan_part *p, pen_lid node, int link)
{
    const plan_graph *g = p->graph;
    const diffusive_network *network = g->network;
    const int to = p->links.ranks[link];
    int64_t gain = 0, price = price_between(network, p->rank, to);
    if (g->degrees[node] > HUB) return -price * g->degrees[node];
    for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
        const pen_lid next = g->columns[a];
        const int32_t assigned = part_has(p, next) ? g->scratch[next] : 0;
        const int there = assigned > 0 ? p->links.ranks[assigned - 1] : g->where[next];
        if (there == to) gain += price * g->weights[a];
        else if (there == p->rank) gain -= price * g->weights[a];
        else if (network->machine)
            gain += (price_between(network, p->rank, there) - price_between(network, to, there)) * g->weights[a];
    }
    return gain;
}

static pen_status start(growth *s)
{
    const plan_part *p = s->part;
    const plan_graph *g = s->graph;
    for (int64_t b = 0; b < p->border.count; b++) {
        const pen_lid node = p->border.nodes[b];
        if (!is_free(p, node)) continue;
        for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
            const int32_t there = g->where[g->columns[a]];
            if (there == p->rank) continue;
            const int link = pen_part_link(p, there);
            candidates *h = &s->heaps[link];
            if (!(s->left[link] > 0.0) || (h->count > 0 && h->entries[h->count - 1].node == node)) continue;
            PEN_TRY(candidates_push(h, gain_of(p, node, link), node));
        }
    }
    return PEN_OK;
}

/* Search from `sources`. Returns the last free node found, -1: none. */
static pen_lid farthest(growth *s, const pen_lid *sources, int count)
{
    const plan_part *p = s->part;
    plan_graph *g = s->graph;
    const int32_t mark = -++s->searches;
    pen_lid found = 0, last = -1;
    for (int k = 0; k < count; k++) s->queue[found++] = sources[k];
    for (pen_lid k = 0; k < found; k++) {
        const pen_lid node = s->queue[k];
        if (is_free(p, node)) last = node;
        for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
            const pen_lid next = g->columns[a];
            if (!part_has(p, next) || g->scratch[next] > 0 || g->scratch[next] == mark) continue;
            g->scratch[next] = mark;
            s->queue[found++] = next;
        }
    }
    return last;
}

static pen_lid next_free(growth *s)
{
    const plan_list *own = &s->part->own;
    while (s->cursor < own->count && !is_free(s->part, own->nodes[s->cursor])) s->cursor++;
    return s->cursor < own->count ? own->nodes[s->cursor++] : -1;
}

/* Start the cluster for a rank that has no border with this one: as far as possible from the clusters for other ranks;
 * when that cluster is used up, anywhere. */
static pen_status plant(growth *s, int link)
{
    pen_lid seed = next_free(s);
    if (!s->seeded[link] && seed >= 0) {
        if (!s->queue) PEN_TRY(PEN_ALLOC(&s->queue, s->part->own.count + s->part->links.count));
        s->cursor--;
        if (s->seed_count == 0) seed = farthest(s, &seed, 1);
        pen_lid last = -1;
        if (seed >= 0) last = s->seed_count > 0 ? farthest(s, s->seeds, s->seed_count) : farthest(s, &seed, 1);
        if (last >= 0) seed = last;
        if (seed >= 0) s->seeds[s->seed_count++] = seed;
        s->seeded[link] = true;
    }
    return seed >= 0 ? candidates_push(&s->heaps[link], 0, seed) : PEN_OK;
}

/* The next node for a link; -1: there is none. */
static pen_status next_node(growth *s, int link, pen_lid *node)
{
    const plan_part *p = s->part;
    candidates *h = &s->heaps[link];
    while (s->loose < p->loose.count) {
        *node = p->loose.nodes[s->loose++];
        if (is_free(p, *node)) return PEN_OK;
    }
    for (;;) {
        if (h->count == 0 && p->links.contact[link] == 0) PEN_TRY(plant(s, link));
        if (h->count == 0) break;
        *node = candidates_pop(h).node;
        if (is_free(p, *node)) return PEN_OK;
    }
    *node = -1;
    return PEN_OK;
}

static pen_status assign(growth *s, int link, pen_lid node)
{
    plan_part *p = s->part;
    plan_graph *g = s->graph;
    PEN_TRY(pen_part_give(p, node, p->links.ranks[link]));
    g->scratch[node] = link + 1;
    p->links.flow[link] -= g->loads[node];
    s->left[link] -= g->loads[node];
    s->out += g->loads[node];
    for (int64_t a = g->starts[node]; a < graph_end(g, node); a++)
        if (is_free(p, g->columns[a]))
            PEN_TRY(candidates_push(&s->heaps[link], gain_of(p, g->columns[a], link), g->columns[a]));
    return PEN_OK;
}

/* The link whose demand is met least; -1: all demands are met. */
static int neediest(const growth *s)
{
    int best = -1;
    for (int k = 0; k < s->part->links.count; k++)
        if (s->left[k] > 0.0 && (best < 0 || s->left[k] * s->demand[best] > s->left[best] * s->demand[k])) best = k;
    return best;
}

/* Flows below the load of a node are joined, until the sum is worth a node, and then go to one link. */
static void join_flows(plan_part *p, double worth)
{
    double owed = 0.0;
    for (int i = 0; i < p->links.count; i++) {
        const int k = (int)(((int64_t)p->rank + i) %
                            p->links.count); /* begin at different links, so that ranks do not all choose the same */
        const double flow = p->links.flow[k];
        if (!(flow > 0.0) || flow >= worth) continue;
        owed += flow;
        p->links.flow[k] = owed >= worth ? owed : 0.0;
        if (owed >= worth) owed = 0.0;
    }
}

/* If all ranks are neighbours, the flow over each link can be below the load of a node, so that much load would stay:
 * then small flows are joined, and some of these links get at least the load of a node. */
static void set_demands(growth *s, const plan_target *target, double least)
{
    plan_part *p = s->part;
    const double node = p->own.count > 0 ? p->load / (double)p->own.count : 0.0, worth = node > least ? node : least;
    double small = 0.0;
    for (int k = 0; k < p->links.count; k++)
        if (p->links.flow[k] > 0.0 && p->links.flow[k] < worth) small += p->links.flow[k];
    if (p->links.count > MANY_LINKS && small > MATTERS * target->slack * target->mean * p->share->speed)
        join_flows(p, worth);
    for (int k = 0; k < p->links.count; k++)
        s->left[k] = s->demand[k] = p->links.flow[k] > least ? p->links.flow[k] : 0.0;
}

static pen_status grow(growth *s, const plan_target *target)
{
    const plan_part *p = s->part;
    const double share = target->mean * p->share->speed, least = SMALLEST * target->slack * share,
                 keep = RESERVE * share;
    set_demands(s, target, least);
    PEN_TRY(start(s));
    for (int link; p->move_count + 1 < p->own.count && (link = neediest(s)) >= 0;) {
        pen_lid node;
        PEN_TRY(next_node(s, link, &node));
        if (node < 0) {
            s->left[link] = 0.0;
        } else if (2.0 * s->left[link] >= s->graph->loads[node] && p->load - s->out - s->graph->loads[node] >= keep) {
            PEN_TRY(assign(s, link, node));
            if (s->left[link] <= least) s->left[link] = 0.0;
        }
    }
    return PEN_OK;
}

pen_status pen_select_nodes(plan_part *p, const plan_target *target, double *moved)
{
    growth s = { .part = p, .graph = p->graph };
    const int links = p->links.count;
    bool gives = false;
    *moved = 0.0;
    for (int k = 0; k < links && !gives; k++) gives = p->links.flow[k] > 0.0;
    if (!gives) return PEN_OK;
    pen_status status = PEN_ALLOC_ZERO(&s.heaps, links);
    if (status == PEN_OK) status = PEN_ALLOC(&s.demand, 2 * (int64_t)links);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&s.seeded, links);
    if (status == PEN_OK) status = PEN_ALLOC(&s.seeds, links);
    if (status == PEN_OK) {
        s.left = s.demand + links;
        status = grow(&s, target);
    }
    for (int64_t i = 0; i < p->move_count; i++) p->graph->scratch[p->moves[i].node] = 0;
    for (int64_t i = 0; i < p->own.count && s.searches > 0; i++) p->graph->scratch[p->own.nodes[i]] = 0;
    *moved = s.out;
    for (int k = 0; s.heaps && k < links; k++) free(s.heaps[k].entries);
    PEN_FREE_ALL(s.heaps, s.demand, s.seeded, s.seeds, s.queue);
    return status;
}
