/* levels.h - nodes in connected clusters, these in clusters again, and so on.
 *
 * Clusters never cross ranks, and are made by each rank alone. A cluster has the gid of one of its nodes. */
#pragma once

#include "rebalance/diffusive/team.h"

/* Level 0 has the view's nodes as items; every other level has clusters of items of the level below. Shadows are items
 * of other ranks that are neighbours, as in views. */
typedef struct level {
    pen_lid count, shadows;
    pen_gid *gids;    /* [count+shadows] gids of the items */
    int32_t *owners;  /* [shadows] owners of the shadows */
    int32_t *homes;   /* [count] ranks of own items; NULL: all are of this rank */
    double *loads;    /* [count] loads of own items */
    int32_t *sizes;   /* [count] number of nodes in each item; NULL: 1 */
    uint32_t *rows;   /* [count+1] CSR row pointers */
    pen_lid *columns; /* [rows[count]] neighbours */
    int64_t *weights; /* [rows[count]] weights of the edges; NULL: 1 */
    pen_lid *border;  /* [border_count] own items that have shadows among their neighbours */
    pen_lid border_count;
    pen_lid *parents; /* [count+shadows] items of the next level that have these as members; NULL on the last level */
    uint32_t *firsts; /* [count+1] first member of each item in `members`; NULL on level 0 */
    pen_lid *members; /* members, which are items of the level below, item by item */
} level;

enum { MOST_LEVELS = 16 };

typedef struct levels {
    plan_team *team;
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

/* The data about a border item that a rank sends to neighbouring ranks. */
typedef struct border_update {
    pen_gid gid, name; /* gid of the item; and of the item of a higher level that contains it */
    int32_t where, of; /* future rank of the containing item, and its level */
} border_update;

/* Collective. updates[k] of border item k, [border_count], go to the ranks that have it as a shadow; theirs[k],
 * [shadows], are those of shadow k. */
PEN_CHECKED pen_status pen_levels_exchange_updates(const level *l, const plan_team *team, const border_update *updates,
                                                   border_update *theirs);

/* Local. Distinct names in updates, [count]: places[i], [count], in [0, *found), of the name in updates[i]; firsts[k]
 * is the first of the updates that have name k. */
PEN_CHECKED pen_status pen_levels_list_names(const border_update *updates, pen_lid count, pen_lid *places,
                                             pen_lid *firsts, pen_lid *found);

/* Local. Find the border from the columns. */
PEN_CHECKED pen_status pen_levels_find_border(level *l);
