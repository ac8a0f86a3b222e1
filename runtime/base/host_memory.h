/* host_memory.h - memory that the ranks of a host share, without a name that a killed process could leave behind. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct pen_host_memory {
    unsigned char *bytes; /* the memory, initially zero; NULL: there is none */
    unsigned char *mapped;
    size_t size;  /* bytes of the mapping */
    bool counted; /* ranks of one process share the mapping, and count themselves in it */
} pen_host_memory;

/* Collective over `host`, ranks that can share memory. Allocate the memory. If the system has no such memory, or one of
 * the ranks cannot open it, no rank gets any (*memory is zeroed). Uses `host` only for small broadcasts and reductions.
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_host_memory_create(MPI_Comm host, size_t size, pen_host_memory *memory);

/* Local. Release the memory, after the last use by this rank. */
void pen_host_memory_free(pen_host_memory *memory);
