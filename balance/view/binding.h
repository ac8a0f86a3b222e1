/* binding.h - the part of the host that a thread may run on, as hwloc reports it
 * (https://www.open-mpi.org/projects/hwloc). All Local; they read the host's topology, which takes some 10 ms. Without
 * hwloc it is unknown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of this host to which a thread is bound, by their numbers from 0; -1: it is bound to several of them, or to
 * none, or this is unknown. */
typedef struct pen_binding {
    int32_t package;   /* number of the package, a socket's processor */
    int32_t numa_node; /* number of the NUMA node, the near memory */
    int32_t cache;     /* number of the outermost cache that several cores share */
    int32_t core;
} pen_binding;

/* The binding of this thread. */
pen_binding pen_binding_find(void);

/* Describe the binding ("package 0, core 5"; "bound to no core") and the host ("2 packages, 16 cores, ..."), cut to
 * `size` bytes; both are "" if unknown. */
void pen_binding_describe(char *mine, char *host, size_t size);

/* The distribution of ranks over this host's cores. */
typedef struct pen_crowding {
    /* Number of ranks that may run only on cores that are fewer than these ranks; 0 unless there are free cores. */
    int32_t sharing;
    int32_t shared; /* number of the cores that they share */
    int32_t free;   /* number of available cores on which no rank may run */
    /* Number of ranks that may run anywhere; 0 unless there are several packages or NUMA nodes, and a core for each
     * rank. */
    int32_t unbound;
    int32_t packages, numa_nodes;
} pen_crowding;

/* Judge ranks by the processors on which they may run: masks[ranks * PEN_AFFINITY_BYTES] (base/affinity.h). False:
 * unknown. */
bool pen_binding_judge(const unsigned char *masks, int ranks, pen_crowding *found);

/* The version of hwloc's interface, as in ", hwloc 2.8", or "". */
const char *pen_binding_version(void);
