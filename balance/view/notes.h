/* notes.h - what is kept for balancing with each node: a record of the balancer's own data, padded to whole words, and
 * a ring of the node's loads in the last steps (pen_balancer.data_bytes, .history). The records move with the nodes. A
 * record of zeros is that of a new node. All Local. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* The records of a rank's nodes, or of all nodes of a simulation. */
typedef struct pen_notes {
    unsigned char *records; /* of pen_notes_bytes each; NULL: there are none, and the balancer sees zeros */
    const int32_t *order;   /* the record of the view's node i is order[i]; NULL: i */
    int64_t first;          /* the first step whose loads they have */
} pen_notes;

/* Bytes of a record, whole words; 0: there is nothing to keep. The balancer may be NULL. */
size_t pen_notes_bytes(const pen_balancer *balancer);

/* Note the loads of `count` nodes, record by record, in a step: the steps done before it, from 0. */
void pen_notes_add(const pen_balancer *balancer, const pen_notes *notes, int64_t count, int64_t step,
                   const double *loads);

/* Show the view's nodes their notes, of view->step and the steps before it: pen_notes_hide frees that, and takes over
 * what the balancer has written. PEN_ERR_MEMORY; then there is nothing to hide. */
PEN_CHECKED pen_status pen_notes_show(const pen_balancer *balancer, const pen_notes *notes, pen_load_view *view);
void pen_notes_hide(const pen_balancer *balancer, const pen_notes *notes, pen_load_view *view);
