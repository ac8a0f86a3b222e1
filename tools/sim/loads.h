/* loads.h - loads that move over a graph as those of real programs do: what balancers are tried on. All Local.
 *
 * Places of nodes are their columns and rows in a grid, else their coordinates, else their numbers; x and y are taken
 * from 0 to 1. */
#ifndef PEN_SIM_LOADS_H
#define PEN_SIM_LOADS_H

#include "graph/graph.h"

typedef enum sim_kind {
    SIM_HOT_DISC,    /* a disc of radius 1/8 goes along the middle from x = 0 to 1, and again */
    SIM_FRONT,       /* so does a band, 1/10 wide, across y */
    SIM_WALKERS,     /* walkers, each with a load of its own, go to neighbours at random */
    SIM_ALTERNATING, /* the left half and the right one by turns */
    SIM_HOT_SPOT,    /* the nodes that the rank in the middle has first */
    SIM_HALF,        /* those that the first half of the ranks have */
    SIM_NOISE,       /* every node for itself, around 1 */
    SIM_KINDS
} sim_kind;

/* "hot-disc", ... */
extern const char *const pen_sim_kind_names[SIM_KINDS];

typedef struct sim_loads_settings {
    sim_kind kind;
    double heat;    /* load of a hot node, of others 1; of a walker */
    int64_t period; /* steps from one end to the other; that a half is hot */
    int64_t walkers;
    double spread, memory; /* of noise: standard deviation, and correlation from one step to the next, -1..1 */
    uint64_t seed;
    int ranks;
} sim_loads_settings;

typedef struct sim_loads {
    sim_loads_settings settings;
    const pen_graph *graph; /* of one rank, the caller's; as are */
    const int32_t *owners;  /* [graph->count] first ones */
    double *x, *y;          /* [graph->count] */
    double *noise;          /* [graph->count] */
    pen_lid *walkers;       /* [settings.walkers] where they are */
} sim_loads;

/* PEN_ERR_MEMORY. On failure, too, to be freed. */
PEN_CHECKED pen_status pen_sim_loads_begin(const pen_graph *graph, const int32_t *owners,
                                           const sim_loads_settings *settings, sim_loads *loads);
void pen_sim_loads_free(sim_loads *loads);

/* The loads of the next step, of[graph->count]; steps are asked for one after the other, from 0. Never fails. */
void pen_sim_loads_step(sim_loads *loads, int64_t step, double *of);

#endif
