/* levels.h - nodes in connected clusters, these in clusters again, and so on.
 *
 * Clusters never cross ranks, and are made by each rank alone. A cluster has the gid of one of its nodes. */
#pragma once

#include "rebalance/diffusive/parts.h"

/* Level 0 has the view's nodes as items; every other level has clusters of items of the level below. */
typedef struct level {
    pen_lid count;
    pen_gid *gids;    /* [count] gids of the items */
    int32_t *homes;   /* [count] ranks of the items; NULL: all are of this rank */
    double *loads;    /* [count] loads of the items */
    int32_t *sizes;   /* [count] number of nodes in each item; NULL: 1 */
    uint32_t *rows;   /* [count+1] CSR row pointers */
    pen_lid *columns; /* [rows[count]] neighbours: items, or count + k: shadow k of the view */
    int64_t *weights; /* [rows[count]] weights of the edges; NULL: 1 */
    pen_lid *parents; /* [count] items of the next level that have these as members; NULL on the last level */
    uint32_t *firsts; /* [count+1] first member of each item in `members`; NULL on level 0 */
    pen_lid *members; /* members, which are items of the level below, item by item */
} level;

enum { MOST_LEVELS = 16 };

typedef struct levels {
    plan_team *team;
    const pen_load_view *view;
    plan_list border; /* the view's nodes that have shadows among their neighbours */
    int count;
    level list[MOST_LEVELS];
} levels;

static inline int64_t level_weight(const level *l, int64_t arc) { return l->weights ? l->weights[arc] : 1; }

/* Local. Make level 0. View and homes, [view->count] or NULL, must outlive it. Call pen_levels_free in any case.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_levels_create(const pen_load_view *view, const int32_t *homes, plan_team *team, levels *l);
void pen_levels_free(levels *l);

/* Collective. Add levels while there are more than 4 * `coarsest` items per rank. Clusters of several nodes weigh at
 * most `heaviest`. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_levels_add(levels *l, int64_t coarsest, double heaviest);
