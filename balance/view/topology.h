/* topology.h - the placement of ranks on hosts, and on their packages, caches and cores. */
#pragma once

#include "base/comm.h"
#include "view/binding.h"

/* The host of a rank, and its place on the host. */
typedef struct pen_seat {
    int32_t host;
    pen_binding binding;
} pen_seat;

/* Collective. Get the places of all ranks, [size], which the caller frees. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_topology_seats(pen_comm *comm, pen_seat **seats);

/* Collective. Rank 0 prints a line for each host, and one for each stretch of consecutive ranks with the same binding.
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_topology_explain(pen_comm *comm, FILE *out);

enum { PEN_ADVICE = 320 };

/* Collective. Get a sentence, the same on all ranks, if the placement on a host should be corrected: ranks share cores
 * while others are free; or no rank is bound, each could have a core, and the system moves ranks between several
 * packages or NUMA nodes. Otherwise, and without hwloc, it is "". Costs a small reduction unless there is something to
 * examine. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_topology_advise(pen_comm *comm, char sentence[PEN_ADVICE]);
