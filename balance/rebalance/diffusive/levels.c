/* levels.c - clusters that grow from their first item, and the graph of them. */
#include "rebalance/diffusive/levels.h"

#include "base/key_table.h"
#include "base/memory.h"
#include "rebalance/diffusive/constants.h"
#include "view/shadows.h"

#include <stdlib.h>

/* ---- Clusters ----------------------------------------------------------------------------------- */

/* A level that is being made. */
typedef struct growth {
    level *below;
    double heaviest;
    int64_t *links;      /* [below->count] weight of an item's edges to the growing cluster; 0: it has none */
    pen_lid *candidates; /* items next to the growing cluster */
    pen_lid candidate_count, candidate_room;
    int32_t *members; /* [clusters] number of members */
    double *loads;    /* [clusters] load of the members */
    pen_lid clusters;
} growth;

/* Whether a neighbour of an own item is of the same rank. */
static bool is_of_rank(const level *l, pen_lid node, pen_lid next)
{
    return next < l->count && (!l->homes || l->homes[next] == l->homes[node]);
}

static pen_status admit(growth *g, pen_lid node)
{
    level *b = g->below;
    b->parents[node] = g->clusters;
    g->members[g->clusters]++;
    g->loads[g->clusters] += b->loads[node];
    for (uint32_t a = b->rows[node]; a < b->rows[node + 1]; a++) {
        pen_lid next = b->columns[a];
        if (!is_of_rank(b, node, next) || b->parents[next] >= 0) continue;
        if (g->links[next] == 0) {
            if (g->candidate_count == g->candidate_room) {
                PEN_TRY(PEN_REALLOC(&g->candidates, (int64_t)g->candidate_room * 2 + 64));
                g->candidate_room = g->candidate_room * 2 + 64;
            }
            g->candidates[g->candidate_count++] = next;
        }
        g->links[next] += level_weight(b, a);
    }
    return PEN_OK;
}

/* Remove the candidate with most contact, the first of equal ones; -1: none fits in. */
static pen_lid best_candidate(growth *g)
{
    const level *b = g->below;
    pen_lid best = -1;
    double room = g->heaviest - g->loads[g->clusters];
    for (pen_lid k = 0; k < g->candidate_count; k++) {
        pen_lid node = g->candidates[k];
        if (b->loads[node] <= room && (best < 0 || g->links[node] > g->links[g->candidates[best]])) best = k;
    }
    if (best < 0) return -1;
    pen_lid node = g->candidates[best];
    g->links[node] = 0;
    g->candidate_count--;
    memmove(g->candidates + best, g->candidates + best + 1, (size_t)(g->candidate_count - best) * sizeof node);
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
    g->candidate_count = 0;
    g->members[g->clusters] = 0;
    g->loads[g->clusters] = 0.0;
    for (pen_lid node = seed; node >= 0; node = count < MEMBERS ? best_candidate(g) : -1) {
        PEN_TRY(admit(g, node));
        count++;
    }
    for (pen_lid k = 0; k < g->candidate_count; k++) g->links[g->candidates[k]] = 0;
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
    PEN_FREE_ALL(g.links, g.candidates, g.members);
    return status;
}

/* ---- Borders ---------------------------------------------------------------------------------- */

pen_status pen_levels_exchange_updates(const level *l, const plan_team *team, const border_update *updates,
                                       border_update *theirs)
{
    if (!team->peers) return PEN_OK; /* there are no shadows */
    const pen_load_view view = { .count = l->count,
                                 .shadows = l->shadows,
                                 .gids = l->gids,
                                 .owners = l->owners,
                                 .rows = l->rows,
                                 .columns = l->columns };
    return pen_shadows_tell(team->peers, &view, l->border_count, l->border, updates, sizeof *updates, theirs);
}

pen_status pen_levels_list_names(const border_update *updates, pen_lid count, pen_lid *places, pen_lid *firsts,
                                 pen_lid *found)
{
    pen_key_table table = { 0 };
    PEN_TRY(pen_key_table_fit(&table, count));
    *found = 0;
    for (pen_lid k = 0; k < count; k++) {
        uint32_t *entry = pen_key_entry(&table, &updates[0].name, sizeof *updates, (uint64_t)updates[k].name);
        if (*entry == 0) {
            *entry = (uint32_t)k + 1;
            firsts[*found] = k;
            places[k] = (*found)++;
        } else {
            places[k] = places[*entry - 1];
        }
    }
    pen_key_table_free(&table);
    return PEN_OK;
}

pen_status pen_levels_find_border(level *l)
{
    pen_lid room = 0;
    for (pen_lid i = 0; i < l->count; i++) {
        bool border = false;
        for (uint32_t a = l->rows[i]; a < l->rows[i + 1] && !border; a++) border = l->columns[a] >= l->count;
        if (!border) continue;
        if (l->border_count == room) {
            room = 2 * room + 64;
            PEN_TRY(PEN_REALLOC(&l->border, room));
        }
        l->border[l->border_count++] = i;
    }
    return PEN_OK;
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
static pen_status list_edges(const level *below, level *l)
{
    uint32_t *at = NULL;
    int64_t room = 0, count = 0;
    pen_status status = PEN_ALLOC_ZERO(&at, (int64_t)l->count + l->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&l->rows, (int64_t)l->count + 1);
    for (pen_lid c = 0; c < l->count && status == PEN_OK; c++) {
        l->rows[c] = (uint32_t)count;
        for (uint32_t m = l->firsts[c]; m < l->firsts[c + 1] && status == PEN_OK; m++) {
            pen_lid i = l->members[m];
            if (count + below->rows[i + 1] - below->rows[i] > room) {
                room = 2 * room + 64 + below->rows[i + 1] - below->rows[i];
                status = PEN_REALLOC(&l->columns, room);
                if (status == PEN_OK) status = PEN_REALLOC(&l->weights, room);
                if (status != PEN_OK) break;
            }
            for (uint32_t a = below->rows[i]; a < below->rows[i + 1]; a++) {
                pen_lid there = below->parents[below->columns[a]];
                if (there == c) continue;
                if (at[there] <= l->rows[c]) { /* `at` has place + 1 of this cluster or of an earlier one */
                    l->columns[count] = there;
                    l->weights[count++] = 0;
                    at[there] = (uint32_t)count;
                }
                l->weights[at[there] - 1] += level_weight(below, a);
            }
        }
    }
    if (status == PEN_OK) l->rows[l->count] = (uint32_t)count;
    free(at);
    return status;
}

static pen_status list_sizes(const level *below, level *l)
{
    PEN_TRY(PEN_ALLOC_ZERO(&l->sizes, l->count));
    if (below->homes) PEN_TRY(PEN_ALLOC(&l->homes, l->count));
    for (pen_lid c = 0; c < l->count && below->homes; c++) l->homes[c] = below->homes[l->members[l->firsts[c]]];
    for (pen_lid i = 0; i < below->count; i++) l->sizes[below->parents[i]] += below->sizes ? below->sizes[i] : 1;
    return PEN_OK;
}

/* Collective. Find the clusters of the shadows of the level below: the shadows of this level, and the gids of all. */
static pen_status find_shadows(const plan_team *team, level *below, level *l)
{
    border_update *updates = NULL, *theirs = NULL;
    pen_lid *firsts = NULL, *places = below->parents + below->count;
    pen_status status = PEN_ALLOC(&updates, below->border_count);
    if (status == PEN_OK) status = PEN_ALLOC(&theirs, below->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&firsts, below->shadows);
    for (pen_lid k = 0; k < below->border_count && status == PEN_OK; k++) {
        pen_lid item = below->border[k], first = l->members[l->firsts[below->parents[item]]];
        updates[k] = (border_update){ .gid = below->gids[item], .name = below->gids[first] };
    }
    if (status == PEN_OK) status = pen_levels_exchange_updates(below, team, updates, theirs);
    if (status == PEN_OK) status = pen_levels_list_names(theirs, below->shadows, places, firsts, &l->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&l->gids, (int64_t)l->count + l->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&l->owners, l->shadows);
    for (pen_lid c = 0; c < l->count && status == PEN_OK; c++) l->gids[c] = below->gids[l->members[l->firsts[c]]];
    for (pen_lid k = 0; k < l->shadows && status == PEN_OK; k++) {
        l->gids[l->count + k] = theirs[firsts[k]].name;
        l->owners[k] = below->owners[firsts[k]];
    }
    for (pen_lid k = 0; k < below->shadows && status == PEN_OK; k++) places[k] += l->count;
    PEN_FREE_ALL(updates, theirs, firsts);
    return status;
}

/* Collective. Make the next level; *made: it is small enough to be useful. */
static pen_status add_level(levels *l, double heaviest, bool *made)
{
    level *below = &l->list[l->count - 1], *next = &l->list[l->count];
    PEN_TRY(PEN_ALLOC(&below->parents, (int64_t)below->count + below->shadows));
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
    PEN_TRY(list_sizes(below, next));
    PEN_TRY(find_shadows(l->team, below, next));
    PEN_TRY(list_edges(below, next));
    return pen_levels_find_border(next);
}

pen_status pen_levels_create(const pen_load_view *view, const int32_t *homes, plan_team *team, levels *l)
{
    *l = (levels){ .team = team, .count = 1 };
    /* The arrays of the view, which are not written to. */
    l->list[0] = (level){ .count = view->count,
                          .shadows = view->shadows,
                          .gids = (pen_gid *)(uintptr_t)view->gids,
                          .owners = (int32_t *)(uintptr_t)view->owners,
                          .homes = (int32_t *)(uintptr_t)homes,
                          .loads = (double *)(uintptr_t)view->loads,
                          .rows = (uint32_t *)(uintptr_t)view->rows,
                          .columns = (pen_lid *)(uintptr_t)view->columns,
                          .weights = (int64_t *)(uintptr_t)view->edge_weights };
    return pen_levels_find_border(&l->list[0]);
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
        PEN_FREE_ALL(one->border, one->parents, one->firsts, one->members, one->sizes);
        if (k > 0) PEN_FREE_ALL(one->gids, one->owners, one->homes, one->loads, one->rows, one->columns, one->weights);
    }
    *l = (levels){ 0 };
}
