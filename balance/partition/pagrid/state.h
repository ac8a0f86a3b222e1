/* state.h - a partition of a level. Its times (estimate.h) are updated with each move, in the time of a visit to the
 * vertex's neighbours. */
#pragma once

#include "partition/pagrid/levels.h"

/* The machine in arrays, used on all levels. */
typedef struct pagrid_network {
    const pen_machine *machine;
    int32_t processors;
    double *slowness; /* [processors] 1 / speed of each processor */
    /* [processors^2] costs of links, or NULL if that is too much memory: then the machine computes them. */
    double *costs;
    double latency; /* factor of the links' latencies; 0: there are none */
} pagrid_network;

/* Local. Make the arrays. Call pen_pagrid_network_free also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_network_create(const pen_machine *machine, pen_estimate_units units,
                                                 pagrid_network *network);
void pen_pagrid_network_free(pagrid_network *network);

static inline double pagrid_cost(const pagrid_network *n, int32_t p, int32_t q)
{
    return n->costs ? n->costs[(int64_t)p * n->processors + q] : n->machine->link(n->machine, p, q).cost;
}

/* A vertex's relation to a processor: sums over its arcs to vertices there. */
typedef struct pagrid_near {
    int32_t processor;
    int32_t reads, read; /* numbers of arcs by which the vertex reads, and by which it is read */
    double out, in;
} pagrid_near;

typedef struct pagrid_change {
    int32_t processor;
    double time;
} pagrid_change;

/* The objective is the sum over processors of (time / unit) ^ (2 ^ squarings). */
typedef struct pagrid_state {
    const pagrid_level *level;
    const pagrid_network *network;
    int32_t *part; /* [level->count] processor of each vertex, owned by the caller */
    int squarings;
    double unit, objective;
    double *times, *powers; /* [processors] time of each processor, and its power */
    int32_t *reads; /* [processors^2] number of arcs by which one processor reads of another, or NULL: no latencies */
    /* [near_count] relations of the examined vertex to processors, including its own if it has neighbours there. */
    pagrid_near *near;
    pagrid_change *changes; /* [change_count] changes of times by the move that was tried */
    int32_t *place;         /* [processors] index + 1 in near, during an examination */
    int32_t near_count, change_count;
} pagrid_state;

/* Local. Make the state of a partition. Call pen_pagrid_state_free also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_state_create(const pagrid_level *level, const pagrid_network *network, int32_t *part,
                                               pagrid_state *state);
void pen_pagrid_state_free(pagrid_state *state);

/* Local. Compute all times again after part[] was changed. */
void pen_pagrid_recount(pagrid_state *state);

/* Local. Change the power of the objective, and make the longest time its unit. */
void pen_pagrid_aim(pagrid_state *state, int squarings);

/* Local. Examine a vertex: find its relations to processors. */
void pen_pagrid_look(pagrid_state *state, int32_t vertex);

/* Local. The growth of the objective if the vertex that was examined last moves to another processor. */
double pen_pagrid_try(pagrid_state *state, int32_t vertex, int32_t to);

/* Local. Carry out the move that was tried last, which changes the objective by `growth`. */
void pen_pagrid_move(pagrid_state *state, int32_t vertex, int32_t to, double growth);

/* Local. The longest time, and the first processor that has it. */
double pen_pagrid_longest(const pagrid_state *state, int32_t *processor);
