/* notes.h - the notes for balancing that are kept with each node: a record of the balancer's own data, padded to whole
 * words, and a ring of the node's loads in the last steps (pen_balancer.data_bytes, .history). The records move with
 * the nodes. A new node's record is zero. All Local. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* The notes of a rank's nodes, or of all nodes of a simulation. */
typedef struct pen_notes {
    unsigned char *records; /* records of pen_notes_bytes each; NULL: there are none, and the balancer sees zeros */
    const int32_t *order;   /* index of the record of each of the view's nodes; NULL: node i has record i */
    int64_t first;          /* the first step whose loads are noted */
} pen_notes;

/* Bytes of a record, a multiple of 8; 0: there is nothing to keep. The balancer may be NULL. */
size_t pen_notes_bytes(const pen_balancer *balancer);

/* Note the loads of `count` nodes, record by record, in a step; `step` is the number of steps before it. */
void pen_notes_add(const pen_balancer *balancer, const pen_notes *notes, int64_t count, int64_t step,
                   const double *loads);

/* Let the view show the nodes' notes, of view->step and the steps before it. pen_notes_hide frees that memory, and
 * stores the data that the balancer has written. PEN_ERR_MEMORY; then there is nothing to hide. */
PEN_CHECKED pen_status pen_notes_show(const pen_balancer *balancer, const pen_notes *notes, pen_load_view *view);
void pen_notes_hide(const pen_balancer *balancer, const pen_notes *notes, pen_load_view *view);
