/* network.h - how a machine stores the links between its processors. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

enum { PEN_MOST_CLUSTERS = 1024, PEN_CLUSTER_NAME = 32 };
#define PEN_MOST_MEASURE 1e290 /* of a given speed, cost or latency, so that sums are finite */

typedef enum pen_network_kind { PEN_NETWORK_TABLE, PEN_NETWORK_TORUS, PEN_NETWORK_TREE } pen_network_kind;

enum { PEN_NETWORK_LEVELS = 30 };

typedef struct pen_network {
    pen_machine machine; /* the first member: what others get points to it; its arrays are owned */
    pen_network_kind kind;
    int64_t record; /* bytes of a unit of data, if the machine's times are seconds; 0: times are relative */
    int levels;     /* dimensions of a torus, levels of a tree from the top */
    int32_t sizes[PEN_NETWORK_LEVELS]; /* [levels] */
    pen_link *links;                   /* owned. Table: [cluster_count][cluster_count], two processors of one cluster on
                                        * the diagonal; torus: [1] a hop; tree: [levels] if paths part at that level */
    char (*names)[PEN_CLUSTER_NAME];   /* owned, [cluster_count] as given, but cut; NULL: clusters have no names */
} pen_network;

/* Local. The network of a machine. */
static inline const pen_network *pen_network_of(const pen_machine *machine)
{
    return (const pen_network *)(const void *)machine;
}

/* Local. A machine of `processors`, of which the first `parts` are used, or all if that is 0; each of speed 1 in
 * cluster 0 of 1, with room for `links`. `name` begins messages. PEN_ERR_INPUT (too few, none), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_network_create(const char *name, int64_t processors, int parts, pen_network_kind kind,
                                          int64_t links, pen_network **network);

/* Local. The machine is complete: adds up. */
pen_machine *pen_network_finish(pen_network *network);

/* Local. A machine of clusters: cluster c has sizes[c] >= 1 processors of speed speeds[c], connected by inner[c];
 * between[c * count + d] connects those of c and d, as seen from the lower of the two. Arguments are copied. Errors: as
 * pen_network_create. */
PEN_CHECKED pen_status pen_machine_of_clusters(const char *name, int32_t count, const int32_t *sizes,
                                               const double *speeds, const pen_link *inner, const pen_link *between,
                                               int parts, pen_machine **machine);

/* Local. Frees the machine. */
void pen_network_destroy(pen_network *network);
