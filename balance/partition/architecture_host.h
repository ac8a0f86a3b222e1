/* architecture_host.h - the hosts that the ranks are on as one of Scotch's architectures (architecture.h), in its text:
 * a tree of hosts, packages, shared caches and ranks. */
#pragma once

#include "view/topology.h"

/* How far two ranks are apart that have the same cache; another one, in the same package; another package; another
 * host. The last three are to each other as in machine.h's host. */
enum { PEN_APART_CORES = 1, PEN_APART_CACHES = 2, PEN_APART_PACKAGES = 4, PEN_APART_HOSTS = 20 };

int pen_seats_apart(const pen_seat *a, const pen_seat *b);

/* Local. The text, which the caller frees: processor r is rank r. A complete graph, where all ranks are in one place; a
 * tree (tleaf, ltleaf) where all parts of a level have the same number of parts; else what Scotch calls a
 * decomposition, of halves, with all distances. PEN_ERR_UNSUPPORTED: that would have too many domains; PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_seats_architecture(const pen_seat *seats, int ranks, char **text);

/* Collective. The same for the ranks of `comm`, on rank 0; elsewhere *text stays NULL. PEN_ERR_INPUT: `parts` is
 * neither 0 nor their number; PEN_ERR_UNSUPPORTED: there is no hwloc; PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_host_architecture(pen_comm *comm, int parts, char **text);
