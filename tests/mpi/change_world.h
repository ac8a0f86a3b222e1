/* change_world.h - a graph that changes by random requests, whole on every rank, as plain tables: what a run is
 * compared with. Nothing of the library's but its types. */
#pragma once

#include "tests/support/world.h"

#include <penumbra_basics.h>

#include <stdlib.h>

enum { UNIVERSE = 36, ASKERS = 3 };

/* A request, and the nodes that make it: indices into the universe, ASKERS of them, with repetitions. */
typedef enum wish_kind { ADD_NODE, REMOVE_NODE, ADD_EDGE, REMOVE_EDGE, SET_WEIGHT } wish_kind;
typedef struct wish {
    wish_kind kind;
    int a, b;
    int64_t weight;
    int askers[ASKERS];
} wish;

typedef struct world {
    bool directed, weighs; /* weights other than 1 are given */
    int dimensions;        /* of coordinates (world_place); 0: nodes have none */
    int64_t step;
    pen_gid gid[UNIVERSE]; /* ascending */
    bool there[UNIVERSE];
    int64_t weight[UNIVERSE];
    int64_t edge[UNIVERSE][UNIVERSE];   /* weight of the arc, row by row; 0: there is none */
    int64_t record[UNIVERSE][UNIVERSE]; /* of the arc */
    int64_t born[UNIVERSE];             /* in which step; -1 at the start */
    uint64_t hash[UNIVERSE];
    uint64_t small[UNIVERSE]; /* 24 bits */
    wish wishes[4 * UNIVERSE * UNIVERSE];
    int wish_count;
    int64_t added, removed, edges_added, edges_removed; /* by the last wishes */
} world;

static inline uint64_t first_hash(pen_gid gid, int64_t step) { return scramble((uint64_t)gid, 1000 + (uint64_t)step); }
static inline uint64_t first_small(pen_gid gid) { return scramble((uint64_t)gid, 5) & 0xffffff; }

/* Where a node is that was born in that step. */
static inline void world_place(pen_gid gid, int64_t step, double at[3])
{
    for (int d = 0; d < 3; d++) at[d] = (double)(first_hash(gid, step + d) >> 40) - 1e6;
}

static inline bool world_chance(uint64_t *state, int percent) { return draw_below(state, 100) < percent; }

static inline int world_nodes(const world *w)
{
    int nodes = 0;
    for (int i = 0; i < UNIVERSE; i++) nodes += w->there[i];
    return nodes;
}

static inline int64_t world_arcs(const world *w)
{
    int64_t arcs = 0;
    for (int i = 0; i < UNIVERSE * UNIVERSE; i++) arcs += w->edge[i / UNIVERSE][i % UNIVERSE] > 0;
    return arcs;
}

static inline int world_find(const world *w, pen_gid gid)
{
    for (int i = 0; i < UNIVERSE; i++)
        if (w->gid[i] == gid) return i;
    return -1;
}

static inline void world_link(world *w, int a, int b, int64_t weight)
{
    w->edge[a][b] = weight;
    if (!w->directed) w->edge[b][a] = weight;
}

/* Dense gids, then sparse ones up to the largest. */
static inline void world_begin(world *w, uint64_t seed, bool directed, bool weighs)
{
    memset(w, 0, sizeof *w);
    w->directed = directed;
    w->weighs = weighs;
    for (int i = 0; i < UNIVERSE; i++)
        w->gid[i] = i < 20 ? i : INT64_MAX - (pen_gid)(UNIVERSE - 1 - i) * (i % 3 ? 70 : 1);
    for (int i = 20; i < UNIVERSE; i++) /* in order */
        for (int j = i; j > 20 && w->gid[j] < w->gid[j - 1]; j--) {
            pen_gid gid = w->gid[j];
            w->gid[j] = w->gid[j - 1];
            w->gid[j - 1] = gid;
        }
    for (int i = 0; i < UNIVERSE; i++) {
        w->there[i] = i == 0 || world_chance(&seed, 60);
        w->weight[i] = weighs ? 1 + i % 5 : 1;
        w->born[i] = -1;
        w->hash[i] = first_hash(w->gid[i], -1);
        w->small[i] = first_small(w->gid[i]);
    }
    for (int i = 0; i < UNIVERSE; i++)
        for (int j = 0; j < UNIVERSE; j++)
            if (i != j && (directed || i < j) && w->there[i] && w->there[j] && world_chance(&seed, 10))
                world_link(w, i, j, weighs ? 1 + (i + j) % 4 : 1);
}

/* ---- Requests ------------------------------------------------------------------------------- */

static inline void world_wish(world *w, uint64_t *state, wish_kind kind, int a, int b, int64_t weight)
{
    wish *new = &w->wishes[w->wish_count++];
    bool turned = !w->directed && (kind == ADD_EDGE || kind == REMOVE_EDGE) && world_chance(state, 50);
    *new = (wish){ kind, turned ? b : a, turned ? a : b, weight, { -1, -1, -1 } };
    for (int k = 0; k < ASKERS && world_nodes(w) > 0; k++) {
        int asker = (int)(scramble(*state, (uint64_t)k) % UNIVERSE);
        while (!w->there[asker]) asker = (asker + 1) % UNIVERSE;
        new->askers[k] = k > 0 && world_chance(state, 50) ? new->askers[0] : asker;
    }
}

/* How likely things are, in percent. */
typedef struct mood {
    int remove, add, again, link, unlink, weigh;
} mood;

static inline void world_ask(world *w, uint64_t seed, mood m)
{
    bool gone[UNIVERSE], comes[UNIVERSE];
    uint64_t state = scramble(seed, (uint64_t)w->step);
    w->wish_count = 0;
    for (int i = 0; i < UNIVERSE; i++) {
        gone[i] = w->there[i] && world_chance(&state, m.remove);
        comes[i] = w->there[i] ? gone[i] && world_chance(&state, m.again) : world_chance(&state, m.add);
        int64_t weight = w->weighs ? 1 + (i + w->step) % 4 : 1;
        if (gone[i]) world_wish(w, &state, REMOVE_NODE, i, i, 0);
        if (comes[i]) world_wish(w, &state, ADD_NODE, i, i, weight);
        if ((w->there[i] || comes[i]) && world_chance(&state, m.weigh)) world_wish(w, &state, SET_WEIGHT, i, i, weight);
    }
    for (int i = 0; i < UNIVERSE; i++)
        for (int j = 0; j < UNIVERSE; j++) {
            bool known = (w->there[i] || comes[i]) && (w->there[j] || comes[j]);
            if (i == j || !known || (!w->directed && i > j)) continue;
            if (w->edge[i][j] && world_chance(&state, m.unlink)) world_wish(w, &state, REMOVE_EDGE, i, j, 0);
            if (world_chance(&state, m.link))
                world_wish(w, &state, ADD_EDGE, i, j, w->weighs ? 1 + (i + j + w->step) % 7 : 1);
        }
}

/* ---- Results: the rule on sets -------------------------------------------------------------- */

static inline void world_drop_arc(world *w, int i, int j)
{
    if (w->edge[i][j]) w->edges_removed++;
    w->edge[i][j] = w->record[i][j] = 0;
}

static inline void world_change(world *w)
{
    w->added = w->removed = w->edges_added = w->edges_removed = 0;
    for (int k = 0; k < w->wish_count; k++) {
        const wish *x = &w->wishes[k];
        if (x->kind == REMOVE_EDGE) {
            world_drop_arc(w, x->a, x->b);
            if (!w->directed) world_drop_arc(w, x->b, x->a);
        }
        if (x->kind != REMOVE_NODE) continue;
        w->there[x->a] = false;
        w->removed++;
        for (int i = 0; i < UNIVERSE; i++) {
            world_drop_arc(w, x->a, i);
            world_drop_arc(w, i, x->a);
        }
    }
    for (int k = 0; k < w->wish_count; k++) {
        const wish *x = &w->wishes[k];
        if (x->kind != ADD_NODE) continue;
        w->there[x->a] = true;
        w->weight[x->a] = x->weight;
        w->born[x->a] = w->step;
        w->hash[x->a] = first_hash(w->gid[x->a], w->step);
        w->small[x->a] = first_small(w->gid[x->a]);
        w->added++;
    }
    for (int k = 0; k < w->wish_count; k++) {
        const wish *x = &w->wishes[k];
        if (x->kind == SET_WEIGHT && w->there[x->a]) w->weight[x->a] = x->weight;
        if (x->kind != ADD_EDGE || !w->there[x->a] || !w->there[x->b]) continue;
        w->edges_added += (w->edge[x->a][x->b] == 0) * (w->directed ? 1 : 2);
        world_link(w, x->a, x->b, x->weight);
    }
    if (w->directed) return;
    w->edges_added /= 2;
    w->edges_removed /= 2;
}

/* ---- Computation of nodes ------------------------------------------------------------------- */

static inline int world_far(pen_gid gid, int64_t step)
{
    return (int)(scramble((uint64_t)gid, (uint64_t)step) % UNIVERSE);
}

static inline void world_mix(world *w)
{
    uint64_t next[UNIVERSE] = { 0 };
    for (int i = 0; i < UNIVERSE; i++) {
        if (!w->there[i]) continue;
        int far = world_far(w->gid[i], w->step);
        next[i] = scramble(w->hash[i], (uint64_t)w->weight[i]);
        if (w->directed) {
            uint64_t readers = 0;
            for (int j = 0; j < UNIVERSE; j++) readers += w->edge[j][i] > 0;
            next[i] = scramble(next[i], readers);
        }
        for (int j = 0; j < UNIVERSE; j++) {
            if (!w->edge[i][j]) continue;
            next[i] = scramble(next[i], w->hash[j] + (uint64_t)w->edge[i][j]);
            next[i] = scramble(next[i], (uint64_t)w->record[i][j]);
            w->record[i][j] = w->record[i][j] * 3 + w->gid[j] % 1000 + 1;
        }
        next[i] = scramble(next[i], w->there[far] ? w->hash[far] : 7);
    }
    memcpy(w->hash, next, sizeof next);
}

/* Beside asking. */
static inline void world_turn(world *w)
{
    uint64_t next[UNIVERSE];
    for (int i = 0; i < UNIVERSE; i++) {
        int far = world_far(w->gid[i], w->step + 77);
        next[i] = scramble(w->small[i], w->hash[i]);
        for (int j = 0; j < UNIVERSE; j++)
            if (w->there[i] && w->edge[i][j]) next[i] = scramble(next[i], w->hash[j]);
        next[i] = scramble(next[i], w->there[far] ? w->hash[far] : 3) & 0xffffff;
    }
    memcpy(w->small, next, sizeof next);
}

static inline void world_close(world *w)
{
    uint64_t next[UNIVERSE];
    for (int i = 0; i < UNIVERSE; i++) {
        next[i] = w->hash[i];
        for (int j = 0; j < UNIVERSE; j++)
            if (w->there[i] && w->edge[i][j]) next[i] = scramble(next[i], w->small[j] + w->hash[j]);
    }
    memcpy(w->hash, next, sizeof next);
    w->step++;
}
