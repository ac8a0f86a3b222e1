/* connect.h - the table of transports, and the choice of a transport for a run. */
#pragma once

#include "halo/halo.h"

/* All transports, NULL-terminated. */
extern const pen_transport *const pen_transports[];

/* Local. Print the table of --list=comm. */
void pen_transport_list(FILE *out);

/* Local. Check that the transport of this name is certainly two-sided; NULL (the default) and "auto" are not.
 * PEN_ERR_INPUT, with a message that begins with `who`, which needs a two-sided transport. */
PEN_CHECKED pen_status pen_transport_two_sided(const char *who, const char *name);

/* Collective. Open the store with the transport of that name. NULL means the default; if MPI offers no window, a
 * two-sided transport replaces it, or what "auto" has found, and a line on standard error says so. On several hosts a
 * line also reports by how much fences are slower than messages, if they take more than twice as long. "auto" measures
 * idle pulls of the fields in `reads` on the actual plan, and takes the fastest transport that works. explain: rank 0
 * prints measurements and the plan there; NULL: not at all. Errors: PEN_ERR_INPUT (unknown name), PEN_ERR_ENVIRONMENT
 * (MPI cannot provide it; the message has the reason and the remedy), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_connect(pen_store *store, const char *name, uint64_t reads, pen_timers *timers,
                                   FILE *explain, pen_halo **halo);

/* Seconds of an idle pull: with the present transport, and with the fastest of the others; NULL: no other was timed. */
typedef struct pen_transport_times {
    double now, least;
    const pen_transport *fastest;
} pen_transport_times;

/* Collective, of a store without a halo, whose records are lost. Time idle pulls as "auto" does, with the transport
 * `now` and then with others, until so many seconds (`budget`) are over. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_transport_compare(pen_store *store, const pen_transport *now, uint64_t reads,
                                             pen_timers *timers, double budget, pen_transport_times *times);
