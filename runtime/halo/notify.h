/* notify.h - empty messages between neighbours, as "I have published": they work with every component
 * of every MPI library, and drive the progress of one-sided communication where that needs driving. */
#ifndef PEN_NOTIFY_H
#define PEN_NOTIFY_H

#include "halo/halo.h"

typedef struct pen_notices {
    int *ranks; /* [count] with whom */
    int count;
    MPI_Request *requests; /* [2*count] */
    int request_count;     /* in flight */
} pen_notices;

/* Local. With all neighbours, or with those on other hosts only. */
PEN_CHECKED pen_status pen_notices_create(const pen_halo *halo, bool remote_only, pen_notices *notices);
void pen_notices_free(pen_notices *notices);

/* Local. Tell all neighbours. The tag alternates, so that one that is a publication ahead is not mistaken. */
void pen_notices_send(pen_halo *halo, pen_notices *notices);

/* Collective over neighbours, after pen_notices_send: wait until all have told. */
void pen_notices_wait(pen_notices *notices);

#endif
