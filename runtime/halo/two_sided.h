/* two_sided.h - what the two-sided transports have in common: a message per neighbour and field, sent
 * from the plane where the consumer's slots are one stretch and from a packed copy where they are not,
 * and received straight into the shadows, where it is contiguous. */
#ifndef PEN_TWO_SIDED_H
#define PEN_TWO_SIDED_H

#include "halo/halo.h"

typedef struct pen_two_sided {
    MPI_Datatype *record;   /* [fields] one record, so that a count is a number of nodes, which fits an int */
    unsigned char **packed; /* [fields] boundary records, consumer after consumer */
    int64_t *first;         /* [consumers] where a consumer's records begin in `packed` */
    bool *contiguous;       /* [consumers] its slots are one stretch: nothing to pack */
    MPI_Request *requests;  /* [fields*(consumers+producers)] */
    int request_count;      /* in flight */
} pen_two_sided;

/* Collective, as a transport's open and close. */
PEN_CHECKED pen_status pen_two_sided_open(pen_halo *halo);
void pen_two_sided_close(pen_halo *halo);

/* Local. Copy what has to be copied of a field's next plane; the time is communication overhead. */
void pen_two_sided_pack(pen_halo *halo, int field);

/* Local. Where the records of a consumer lie, of the plane that is next if plane 0 or 1 is. */
const unsigned char *pen_two_sided_source(const pen_halo *halo, int field, int plane, int consumer);

/* Local. Start the sends, or the receives, of the fields in `pull`; their requests are added to those
 * in flight. */
void pen_two_sided_send(pen_halo *halo, uint64_t pull);
void pen_two_sided_receive(pen_halo *halo, uint64_t pull);

/* Local. Wait for all requests in flight. */
void pen_two_sided_wait(pen_halo *halo);

/* Local. Count what one publication of the fields in `pull` moves here. */
void pen_two_sided_count(pen_halo *halo, uint64_t pull);

#endif
