/* stage.h - a graph whose items are single nodes of a level near the future borders of ranks, and whole clusters
 * elsewhere.
 *
 * Far from borders a cluster of thousands of nodes serves as well as its nodes, since nothing changes there; so a plan
 * needs few items. Cuts, loads and pieces of a stage are exactly those of the graph, because clusters are connected. */
#pragma once

#include "rebalance/diffusive/levels.h"
#include "rebalance/diffusive/state.h"

typedef struct stage {
    const levels *levels;
    int finest;       /* level of the items near borders */
    plan_items input; /* input of a plan, whose view has only the graph */
    pen_gid *gids;    /* the arrays of the view; shadows are items of other ranks */
    int32_t *owners;
    double *loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *weights;
    unsigned char *of;           /* [input.view.count] level of each item */
    pen_lid *sources;            /* [input.view.count] place of each item in its level */
    pen_lid *items[MOST_LEVELS]; /* of levels from `finest`, [count]: the item that one is, or is in; -1: it is broken
                                  * up */
    pen_lid *shadows;            /* [levels->view->shadows] the item's shadow that has each shadow of the view */
} stage;

/* Collective. Make the stage of the last level, with everything at home. Call pen_stage_free in any case.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_stage_create(const levels *l, stage *s);

/* Collective. Refine the stage by one level: break up the items that will be next to items of another rank.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_stage_refine(const levels *l, stage *s);

void pen_stage_free(stage *s);
