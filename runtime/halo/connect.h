/* connect.h - the table of transports, and choosing that of a run. */
#ifndef PEN_CONNECT_H
#define PEN_CONNECT_H

#include "halo/halo.h"

/* All transports, NULL-terminated. */
extern const pen_transport *const pen_transports[];

/* Local. Print the table of --list=comm. */
void pen_transport_list(FILE *out);

/* Local. PEN_ERR_INPUT where the transport of that name is not two-sided, or may not be: NULL, the default, and "auto".
 * `who` needs it, and begins the message. */
PEN_CHECKED pen_status pen_transport_two_sided(const char *who, const char *name);

/* Collective. Open the store with the transport of that name. NULL: the default, or a two-sided one with
 * a line on standard error where MPI offers no window; where ranks are on several hosts, and fences take more than
 * twice as long as messages there, a line says how much longer, and nothing else changes. "auto": the fastest of those
 * that work here, by idle pulls of the fields in `reads` on the real plan. explain: rank 0 prints there what was
 * measured and planned; NULL: nowhere. Errors: PEN_ERR_INPUT (unknown name), PEN_ERR_ENVIRONMENT (MPI cannot provide
 * it; with the reason and the remedy), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_connect(pen_store *store, const char *name, uint64_t reads, pen_timers *timers,
                                   FILE *explain, pen_halo **halo);

#endif
