/* architecture_host.h - describes the hosts of the ranks as one of Scotch's architectures (architecture.h), in its
 * text: a tree of hosts, packages, shared caches and ranks. */
#pragma once

#include "view/topology.h"

/* Distances of two ranks: with the same cache; with different caches of the same package; in different packages; on
 * different hosts. The last three have the ratios of the machine "host" in machine.h. */
enum { PEN_APART_CORES = 1, PEN_APART_CACHES = 2, PEN_APART_PACKAGES = 4, PEN_APART_HOSTS = 20 };

int pen_seats_apart(const pen_seat *a, const pen_seat *b);

/* Local. Make the text, which the caller frees; processor r is rank r. It is a complete graph if all ranks are in one
 * place; a tree (tleaf, ltleaf) if all parts of a level have the same number of parts; else what Scotch calls a
 * decomposition, of halves, with all distances. PEN_ERR_UNSUPPORTED: that would have too many domains;
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_seats_architecture(const pen_seat *seats, int ranks, char **text);

/* Collective. Make the text for the ranks of `comm`, on rank 0; on other ranks *text stays NULL. PEN_ERR_INPUT: `parts`
 * is neither 0 nor their number; PEN_ERR_UNSUPPORTED: there is no hwloc; PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_host_architecture(pen_comm *comm, int parts, char **text);
