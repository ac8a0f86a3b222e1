/* stage.h - a graph whose items are nodes of a level where borders between ranks are to be, and whole clusters
 * elsewhere.
 *
 * Far from borders nothing changes any more, and there a cluster of thousands of nodes is as good as they are; so a
 * plan is made on few items. Cuts and loads of a stage are exactly those of the graph with its items' nodes in their
 * places, and its pieces are the graph's, because clusters are connected. */
#pragma once

#include "rebalance/diffusive/levels.h"

typedef struct stage {
    int finest;         /* level that items near borders are of */
    pen_load_view view; /* what is at home here; owners: where shadows are to be. Only the graph is filled in */
    int32_t *homes;     /* [view.shadows] the ranks that really have them */
    int32_t *sizes;     /* [view.count] nodes in an item */
    int32_t *to;        /* [view.count] where it is to be */
    unsigned char *of;  /* [view.count] its level */
    pen_lid *items[MOST_LEVELS]; /* of levels from `finest`, [count+shadows]: the item that one is, or is in; -1: it is
                                  * broken up */
} stage;

/* Collective. The stage of the last level, with everything at home. pen_stage_free in any case. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_stage_create(const levels *l, stage *s);

/* Collective. The stage becomes that of the next finer level: items that are to be beside another rank's are broken
 * up. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_stage_refine(const levels *l, stage *s);

void pen_stage_free(stage *s);
