/* clusters.h - a machine's clusters, as they are told and drawn. All Local. */
#ifndef PEN_CLUSTERS_H
#define PEN_CLUSTERS_H

#include "base/status.h"
#include <penumbra_plugin.h>

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
