/* mail.h - delivers the records that a halo pulls as mail is delivered: in blocks whose receivers do not know who sends
 * to them. */
#pragma once

#include "halo/pull_blocks.h"

typedef struct comm_mail {
    pen_pull pull;             /* open if the transport is one-sided */
    pen_blocks send, received; /* blocks for the consumers; those from the producers, where messages delivered them */
    int64_t send_room, received_room;
    int64_t *bytes; /* [ranks] */
} comm_mail;

/* Collective. *mail is zeroed. PEN_ERR_ENVIRONMENT: blocks cannot be pulled here; PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_comm_mail_open(const pen_halo *halo, comm_mail *mail);

/* Collective. Move the records of the only field from their owners' next planes to the shadows in those of their
 * consumers. Returns the ticks without copying from and to planes. A failure ends the program. */
uint64_t pen_comm_mail_deliver(pen_halo *halo, comm_mail *mail);

/* Collective. A zeroed one is legal. */
void pen_comm_mail_close(comm_mail *mail);
