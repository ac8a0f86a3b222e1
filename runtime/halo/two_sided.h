/* two_sided.h - the common part of the two-sided transports. They send a message per neighbour and field: directly
 * from the plane if the consumer's slots are one stretch, otherwise from a packed copy. They receive straight into
 * the shadows, which are contiguous. */
#pragma once

#include "halo/halo.h"

typedef struct pen_two_sided {
    MPI_Datatype *record;   /* [fields] type of one record, so that a count is a number of nodes, which fits an int */
    unsigned char **packed; /* [fields] packed boundary records, consumer after consumer */
    int64_t *first;         /* [consumers] place in `packed` of a consumer's first record */
    bool *contiguous;       /* [consumers] whether the slots of a consumer are one stretch, which needs no packing */
    MPI_Request *requests;  /* [fields*(consumers+producers)] requests in flight */
    int receives, request_count; /* numbers of receives, which come first, and of all requests in flight */
} pen_two_sided;

/* Collective, as a transport's open and close. */
PEN_CHECKED pen_status pen_two_sided_open(pen_halo *halo);
void pen_two_sided_close(pen_halo *halo);

/* Local. Copy the records of a field's next plane that need a packed copy. The time counts as communication
 * overhead. */
void pen_two_sided_pack(pen_halo *halo, int field);

/* Local. The records of a consumer, if `plane` is the next plane. */
const unsigned char *pen_two_sided_source(const pen_halo *halo, int field, int plane, int consumer);

/* Local. Start the sends, or the receives, of the fields in `pull`; their requests are added to those
 * in flight. */
void pen_two_sided_send(pen_halo *halo, uint64_t pull);
void pen_two_sided_receive(pen_halo *halo, uint64_t pull);

/* Local, once per publication. Wait for all requests in flight. MPI completes some sends only when their receiver
 * polls. So on a crowded host (event.h) a rank completes its receives first, and its sends when its neighbours have. */
void pen_two_sided_wait(pen_halo *halo);

/* Local. Count the received messages and bytes of one publication of the fields in `pull`. */
void pen_two_sided_count(pen_halo *halo, uint64_t pull);
