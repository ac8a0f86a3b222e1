/* notify.h - empty messages between neighbours that mean "I have published". They work with every component of every
 * MPI library, and drive the progress of one-sided communication where necessary. */
#pragma once

#include "halo/halo.h"

typedef struct pen_notices {
    int *ranks; /* [count] ranks of the neighbours */
    int count;
    MPI_Request *requests; /* [2*count] requests of the messages */
    int request_count;     /* number of requests in flight */
} pen_notices;

/* Local. Prepare notices with all neighbours, or only with neighbours on other hosts. */
PEN_CHECKED pen_status pen_notices_create(const pen_halo *halo, bool remote_only, pen_notices *notices);
void pen_notices_free(pen_notices *notices);

/* Local. Send a notice to all neighbours. The tag alternates, so that a neighbour one publication ahead is not
 * mistaken. */
void pen_notices_send(pen_halo *halo, pen_notices *notices);

/* Collective over neighbours, after pen_notices_send: wait for the notices of all of them. */
void pen_notices_wait(pen_notices *notices);
