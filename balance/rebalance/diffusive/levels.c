/* levels.c - clusters that grow from their first item, and the graph of them. */
#include "rebalance/diffusive/levels.h"

#include "base/memory.h"
#include "rebalance/diffusive/constants.h"

#include <stdlib.h>

/* ---- Clusters ----------------------------------------------------------------------------------- */

/* A level that is being made. */
typedef struct growth {
    level *below;
    double heaviest;
    int64_t *links;       /* [below->count] weight of an item's edges to the growing cluster; 0: it has none */
    plan_list candidates; /* items next to the growing cluster */
    int32_t *members;     /* [clusters] number of members */
    double *loads;        /* [clusters] load of the members */
    pen_lid clusters;
} growth;

/* Whether a neighbour of an own item is of the same rank. */
static bool is_of_rank(const level *l, pen_lid node, pen_lid next)
{
    return next < l->count && (!l->homes || l->homes[next] == l->homes[node]);
}

static void admit(growth *g, pen_lid node)
{
    g->below->parents[node] = g->clusters;
    g->members[g->clusters]++;
    g->loads[g->clusters] += g->below->loads[node];
}

/* Make the free neighbours of a member candidates. */
static pen_status add_candidates(growth *g, pen_lid node)
{
    const level *b = g->below;
    for (uint32_t a = b->rows[node]; a < b->rows[node + 1]; a++) {
        pen_lid next = b->columns[a];
        if (!is_of_rank(b, node, next) || b->parents[next] >= 0) continue;
        if (g->links[next] == 0) PEN_TRY(pen_list_add(&g->candidates, next));
        g->links[next] += level_weight(b, a);
    }
    return PEN_OK;
}

/* Remove the candidate with most contact, the first of equal ones; -1: none fits in. */
static pen_lid best_candidate(growth *g)
{
    const double room = g->heaviest - g->loads[g->clusters];
    pen_lid *nodes = g->candidates.nodes;
    int64_t best = -1, most = 0;
    for (int64_t k = 0; k < g->candidates.count; k++)
        if (g->links[nodes[k]] > most && g->below->loads[nodes[k]] <= room) {
            best = k;
            most = g->links[nodes[k]];
        }
    if (best < 0) return -1;
    const pen_lid node = nodes[best];
    g->links[node] = 0;
    g->candidates.count--;
    for (int64_t k = best; k < g->candidates.count; k++) nodes[k] = nodes[k + 1];
    return node;
}

/* Let single items join the smallest neighbouring cluster that has room. */
static void join(growth *g, pen_lid node)
{
    level *b = g->below;
    pen_lid best = -1;
    for (uint32_t a = b->rows[node]; a < b->rows[node + 1]; a++) {
        pen_lid next = b->columns[a], cluster = is_of_rank(b, node, next) ? b->parents[next] : -1;
        if (cluster < 0 || g->loads[cluster] + b->loads[node] > g->heaviest || g->members[cluster] >= MOST_MEMBERS)
            continue;
        if (best < 0 || g->members[cluster] < g->members[best]) best = cluster;
    }
    if (best < 0) return;
    g->members[best]++;
    g->loads[best] += b->loads[node];
    b->parents[node] = best;
}

static pen_status grow(growth *g, pen_lid seed)
{
    pen_lid count = 0;
    g->candidates.count = 0;
    g->members[g->clusters] = 0;
    g->loads[g->clusters] = 0.0;
    for (pen_lid node = seed; node >= 0; node = count < MEMBERS ? best_candidate(g) : -1) {
        admit(g, node);
        if (++count < MEMBERS) PEN_TRY(add_candidates(g, node));
    }
    for (int64_t k = 0; k < g->candidates.count; k++) g->links[g->candidates.nodes[k]] = 0;
    if (count == 1) {
        g->below->parents[seed] = -1;
        join(g, seed);
        if (g->below->parents[seed] >= 0) return PEN_OK;
        g->below->parents[seed] = g->clusters;
    }
    g->clusters++;
    return PEN_OK;
}

/* Set the parents of a level's own items. *clusters becomes the number of clusters and *loads their loads, which the
 * caller frees. */
static pen_status make_clusters(level *below, double heaviest, pen_lid *clusters, double **loads)
{
    growth g = { .below = below, .heaviest = heaviest };
    pen_status status = PEN_ALLOC_ZERO(&g.links, below->count);
    if (status == PEN_OK) status = PEN_ALLOC(&g.members, below->count);
    if (status == PEN_OK) status = PEN_ALLOC(&g.loads, below->count);
    for (pen_lid i = 0; i < below->count; i++) below->parents[i] = -1;
    for (pen_lid i = 0; i < below->count && status == PEN_OK; i++)
        if (below->parents[i] < 0) status = grow(&g, i);
    *clusters = g.clusters;
    *loads = g.loads;
    PEN_FREE_ALL(g.links, g.candidates.nodes, g.members);
    return status;
}

/* ---- Levels ----------------------------------------------------------------------------------- */

/* Find the members of clusters from the parents. */
static pen_status list_members(const level *below, level *l)
{
    PEN_TRY(PEN_ALLOC_ZERO(&l->firsts, (int64_t)l->count + 2));
    PEN_TRY(PEN_ALLOC(&l->members, below->count));
    for (pen_lid i = 0; i < below->count; i++) l->firsts[below->parents[i] + 2]++;
    for (pen_lid c = 0; c < l->count; c++) l->firsts[c + 2] += l->firsts[c + 1];
    for (pen_lid i = 0; i < below->count; i++) l->members[l->firsts[below->parents[i] + 1]++] = i;
    return PEN_OK;
}

/* Make the edges between clusters from the edges of their members. */
static pen_status list_edges(const level *below, pen_lid shadows, level *l)
{
    const int64_t most = below->rows[below->count];
    uint32_t *at; /* place + 1 of an edge of this cluster, or of an earlier one */
    uint32_t count = 0;
    PEN_TRY(PEN_ALLOC(&l->rows, (int64_t)l->count + 1));
    PEN_TRY(PEN_ALLOC(&l->columns, most));
    PEN_TRY(PEN_ALLOC(&l->weights, most));
    PEN_TRY(PEN_ALLOC_ZERO(&at, (int64_t)l->count + shadows));
    for (pen_lid c = 0; c < l->count; c++) {
        l->rows[c] = count;
        for (uint32_t m = l->firsts[c]; m < l->firsts[c + 1]; m++)
            for (uint32_t a = below->rows[l->members[m]]; a < below->rows[l->members[m] + 1]; a++) {
                const pen_lid next = below->columns[a],
                              there = next < below->count ? below->parents[next] : l->count + next - below->count;
                if (there == c) continue;
                if (at[there] <= l->rows[c]) {
                    l->columns[count] = there;
                    l->weights[count] = 0;
                    at[there] = ++count;
                }
                l->weights[at[there] - 1] += level_weight(below, a);
            }
    }
    l->rows[l->count] = count;
    free(at);
    PEN_TRY(PEN_REALLOC(&l->columns, count));
    return PEN_REALLOC(&l->weights, count);
}

static pen_status list_items(const level *below, level *l)
{
    PEN_TRY(PEN_ALLOC(&l->gids, l->count));
    PEN_TRY(PEN_ALLOC_ZERO(&l->sizes, l->count));
    if (below->homes) PEN_TRY(PEN_ALLOC(&l->homes, l->count));
    for (pen_lid c = 0; c < l->count; c++) {
        const pen_lid first = l->members[l->firsts[c]];
        l->gids[c] = below->gids[first];
        if (below->homes) l->homes[c] = below->homes[first];
    }
    for (pen_lid i = 0; i < below->count; i++) l->sizes[below->parents[i]] += below->sizes ? below->sizes[i] : 1;
    return PEN_OK;
}

/* Collective. Make the next level; *made: it is small enough to be useful. */
static pen_status add_level(levels *l, double heaviest, bool *made)
{
    level *below = &l->list[l->count - 1], *next = &l->list[l->count];
    PEN_TRY(PEN_ALLOC(&below->parents, below->count));
    l->count++; /* counted at once, so that it is freed with the levels after a failure */
    PEN_TRY(make_clusters(below, heaviest, &next->count, &next->loads));
    double sums[2] = { next->count, below->count };
    PEN_TRY(pen_team_sum(l->team, 2, sums, 0, NULL));
    *made = sums[0] < WORTH * sums[1];
    if (!*made) {
        l->count--;
        PEN_FREE_ALL(below->parents, next->loads);
        below->parents = NULL;
        *next = (level){ 0 };
        return PEN_OK;
    }
    PEN_TRY(list_members(below, next));
    PEN_TRY(list_items(below, next));
    return list_edges(below, l->view->shadows, next);
}

/* Find the nodes that have shadows among their neighbours. */
static pen_status find_border(const pen_load_view *v, plan_list *border)
{
    for (pen_lid i = 0; i < v->count; i++) {
        bool found = false;
        for (uint32_t a = v->rows[i]; a < v->rows[i + 1] && !found; a++) found = v->columns[a] >= v->count;
        if (found) PEN_TRY(pen_list_add(border, i));
    }
    return PEN_OK;
}

pen_status pen_levels_create(const pen_load_view *view, const int32_t *homes, plan_team *team, levels *l)
{
    *l = (levels){ .team = team, .view = view, .count = 1 };
    /* The arrays of the view, which are not written to. */
    l->list[0] = (level){ .count = view->count,
                          .gids = (pen_gid *)(uintptr_t)view->gids,
                          .homes = (int32_t *)(uintptr_t)homes,
                          .loads = (double *)(uintptr_t)view->loads,
                          .rows = (uint32_t *)(uintptr_t)view->rows,
                          .columns = (pen_lid *)(uintptr_t)view->columns,
                          .weights = (int64_t *)(uintptr_t)view->edge_weights };
    return find_border(view, &l->border);
}

pen_status pen_levels_add(levels *l, int64_t coarsest, double heaviest)
{
    for (bool made = true; made && l->count < MOST_LEVELS;) {
        double items = l->list[l->count - 1].count;
        PEN_TRY(pen_team_sum(l->team, 1, &items, 0, NULL));
        if (items <= (double)(coarsest * MEMBERS) * l->team->size) break;
        PEN_TRY(add_level(l, heaviest, &made));
    }
    return PEN_OK;
}

void pen_levels_free(levels *l)
{
    for (int k = 0; k < l->count; k++) {
        level *one = &l->list[k];
        PEN_FREE_ALL(one->parents, one->firsts, one->members, one->sizes);
        if (k > 0) PEN_FREE_ALL(one->gids, one->homes, one->loads, one->rows, one->columns, one->weights);
    }
    free(l->border.nodes);
    *l = (levels){ 0 };
}
