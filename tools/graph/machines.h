/* machines.h - machines that are looked at, and not partitioned for. All Local. */
#ifndef PEN_MACHINES_H
#define PEN_MACHINES_H

#include "base/status.h"
#include <penumbra_plugin.h>

/* Whether a file is of a machine, by its ending: .machine, as balance/view/machine.h has it, or Scotch's .tgt. */
bool pen_names_machine(const char *path);

/* Open a machine by name or path, of so many processors, or 0: of all that it has. As pen_machine_open; MPI has begun
 * then. The caller destroys it. */
PEN_CHECKED pen_status pen_machine_look(const char *spec, int64_t parts, pen_machine **machine);

/* Processors of one cluster. */
typedef struct machine_cluster {
    char name[32]; /* its number, where it has none */
    int32_t first, last, count;
    double slowest, fastest; /* speed */
    pen_link inner;          /* between two of them, where there are two */
} machine_cluster;

/* The clusters that have processors: (*list)[*count], which the caller frees whatever the status. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_machine_clusters(const pen_machine *machine, machine_cluster **list, int32_t *count);

/* "processor 7", "processors 0-3", or "4 processors" where others are between them. */
void pen_machine_cluster_text(const machine_cluster *cluster, char *text, size_t size);

#endif
