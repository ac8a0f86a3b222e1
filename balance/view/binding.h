/* binding.h - the part of the host that a thread may run on, as hwloc reports it
 * (https://www.open-mpi.org/projects/hwloc). All Local; they read the host's topology, which takes some 10 ms. Without
 * hwloc it is unknown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of this host, from 0; -1: it is bound to several of these, or to none, or this is unknown. */
typedef struct pen_binding {
    int32_t package;   /* a socket's processor */
    int32_t numa_node; /* memory that is near */
    int32_t cache;     /* of the outermost that several cores share */
    int32_t core;
} pen_binding;

/* That of this thread. */
pen_binding pen_binding_find(void);

/* The same in words ("package 0, core 5"; "bound to no core"), and the host ("2 packages, 16 cores, ..."), cut to
 * `size` bytes; both are "" if unknown. */
void pen_binding_describe(char *mine, char *host, size_t size);

/* How well ranks are spread over this host's cores. */
typedef struct pen_crowding {
    int32_t sharing; /* ranks that may run on the same few cores only, which are fewer; 0 unless there are free ones */
    int32_t shared;  /* on so many */
    int32_t free;    /* cores that are ours, and that no rank may run on */
    int32_t unbound; /* ranks that may run anywhere; 0 unless there are several packages or NUMA nodes, and a core for
                      * each rank */
    int32_t packages, numa_nodes;
} pen_crowding;

/* Judge ranks by the processors that they may run on: masks[ranks * PEN_AFFINITY_BYTES] (base/affinity.h). False:
 * unknown. */
bool pen_binding_judge(const unsigned char *masks, int ranks, pen_crowding *found);

/* ", hwloc 2.8", the version of its interface, or "". */
const char *pen_binding_version(void);
