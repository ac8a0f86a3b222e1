/* network.h - how a machine stores the links between its processors. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

enum { PEN_MOST_CLUSTERS = 1024, PEN_CLUSTER_NAME = 32 };
#define PEN_MOST_MEASURE 1e290 /* the largest given speed, cost or latency, so that sums are finite */

typedef enum pen_network_kind { PEN_NETWORK_TABLE, PEN_NETWORK_TORUS, PEN_NETWORK_TREE } pen_network_kind;

enum { PEN_NETWORK_LEVELS = 30 };

typedef struct pen_network {
    /* The public part. It is the first member, since a pointer to it is a pointer to the whole; its arrays are
     * owned. */
    pen_machine machine;
    pen_network_kind kind;
    int64_t record; /* bytes of a unit of data, if the machine's times are seconds; 0: times are relative */
    int levels;     /* number of dimensions of a torus, or of levels of a tree */
    int32_t sizes[PEN_NETWORK_LEVELS]; /* [levels] sizes of the dimensions, or of the levels from the top */
    /* The links, owned. Table: [cluster_count][cluster_count], with links between processors of the same cluster on the
     * diagonal; torus: [1] a hop; tree: [levels] links of paths that part at each level. */
    pen_link *links;
    /* [cluster_count] given names, cut off if longer, owned; NULL: clusters have no names. */
    char (*names)[PEN_CLUSTER_NAME];
} pen_network;

/* Local. The network of a machine. */
static inline const pen_network *pen_network_of(const pen_machine *machine)
{
    return (const pen_network *)(const void *)machine;
}

/* Local. Create a machine of `processors`, of which the first `parts` are used (0: all). All have speed 1 and are in
 * one cluster, and there is room for `links`. `name` begins messages. PEN_ERR_INPUT (too few processors, or none),
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_network_create(const char *name, int64_t processors, int parts, pen_network_kind kind,
                                          int64_t links, pen_network **network);

/* Local. Complete the machine: compute its sums. */
pen_machine *pen_network_finish(pen_network *network);

/* Local. Create a machine of clusters: cluster c has sizes[c] >= 1 processors of speed speeds[c], connected by
 * inner[c]; between[c * count + d] connects those of c and d, as seen from the lower of the two. Arguments are copied.
 * Errors: as pen_network_create. */
PEN_CHECKED pen_status pen_machine_of_clusters(const char *name, int32_t count, const int32_t *sizes,
                                               const double *speeds, const pen_link *inner, const pen_link *between,
                                               int parts, pen_machine **machine);

/* Local. Free the machine. */
void pen_network_destroy(pen_network *network);
