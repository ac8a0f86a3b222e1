/* binding.h - the part of the host that this thread may run on, as hwloc sees it
 * (https://www.open-mpi.org/projects/hwloc). */
#ifndef PEN_BINDING_H
#define PEN_BINDING_H

#include <stdint.h>

/* Numbers of this host, from 0; -1: it is bound to several of these, or to none, or nobody knows. */
typedef struct pen_binding {
    int32_t package;   /* a socket's processor */
    int32_t numa_node; /* memory that is near */
} pen_binding;

/* Local. Reads the host's topology, which takes some 10 ms. Without hwloc nobody knows. */
pen_binding pen_binding_find(void);

/* Local. ", hwloc 2.8", the version of its interface, or "". */
const char *pen_binding_version(void);

#endif
