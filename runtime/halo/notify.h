/* notify.h - empty messages between neighbours, as "I have published": they work with every component
 * of every MPI library, and drive the progress of one-sided communication where that needs driving. */
#ifndef PEN_NOTIFY_H
#define PEN_NOTIFY_H

#include "halo.h"

typedef struct pen_notices {
    int *ranks;             /* [count] with whom */
    MPI_Request *requests;  /* [2*count] */
    int count;
} pen_notices;

/* Local. With all neighbours, or with those on other hosts only. */
PEN_CHECKED pen_status pen_notices_create(const pen_halo *halo, bool far_only, pen_notices *notices);
void pen_notices_free(pen_notices *notices);

/* Collective over neighbours: tell all, and wait until all have told. The tag alternates, so that a
 * neighbour that is one publication ahead is not mistaken. */
void pen_notices_exchange(pen_halo *halo, pen_notices *notices);

#endif
