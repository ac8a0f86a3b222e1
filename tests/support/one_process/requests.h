/* requests.h - messages and requests, for messages.c and probes.c. */
#pragma once

#include "tests/support/one_process/sim.h"

typedef struct sim_message {
    struct sim_message *next;
    int from, tag;
    size_t size;
    unsigned char *bytes;     /* NULL: not read yet */
    struct sim_request *send; /* that waits for the receipt or is to be read; or NULL */
    unsigned late;            /* looks at it that find nothing yet */
    bool reserved;            /* for a receive that was started before the present one */
    const sim_rank *by;       /* its sender */
    double comes;             /* clock.c: when it is there; a long one: when the receiver knows of it */
    bool long_one;
} message;

typedef struct sim_request {
    sim_object object;
    enum { SENDS, RECEIVES, BARRIER } what;
    bool persistent, active, done;
    bool synchronous, waits; /* of sends; waits: for the receipt */
    bool read, received;
    sim_comm *c;
    unsigned char *bytes;
    const unsigned char *source;
    size_t size;
    int peer, tag;
    message *found;        /* of receives: its message; of sends: while it is needed */
    unsigned char *before; /* what the buffer had */
    sim_round *round;
    double begun, ends;       /* clock.c: when it was started; when it is done */
    struct sim_request *next; /* of the rank's unread sends, or unfinished receives */
    int its_source, its_tag;
    size_t its_size;
} request;

/* Whether a receive with these arguments may get the message. */
bool sim_matches(const message *m, int source, int tag);

/* The link to a message that a receive with these arguments may get now: of each sender only the first that matches
 * counts. NULL: there is none yet. By the clock, it comes before a time. */
message **sim_look(sim_comm *c, int source, int tag, double before);

/* Take it out of the inbox. */
message *sim_take(message **at);

/* The clock: a receive that began at a time has its message. Returns when the bytes are there. */
double sim_arrival(message *m, double begun);

/* The end of a message, which has been read. `before`: what the buffer had, or NULL. Returns its bytes. */
size_t sim_receive(message *m, unsigned char *bytes, size_t size, unsigned char *before);
