/* state.h - a partition of a level. Its times (estimate.h) are updated with each move, in the time of a visit to the
 * vertex's neighbours. */
#pragma once

#include "partition/pagrid/levels.h"

/* The machine in arrays, for all levels. */
typedef struct pagrid_network {
    const pen_machine *machine;
    int32_t processors;
    double *slowness; /* [processors] 1 / speed */
    double *costs;    /* [processors^2] of links, or NULL where that is too much: ask the machine */
    double latency;   /* factor of the links' ones; 0: there are none */
} pagrid_network;

/* Local. pen_pagrid_network_free frees, also after a failure. PEN_ERR_MEMORY. */
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
    int32_t reads, read; /* arcs by which the vertex reads, and is read */
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
    int32_t *part; /* [level->count], the caller's */
    int squarings;
    double unit, objective;
    double *times, *powers; /* [processors] */
    int32_t *reads;         /* [processors^2] arcs by which one reads of another, or NULL: no latencies */
    pagrid_near *near;      /* [near_count] of the vertex that was looked at, its own processor among them if near */
    pagrid_change *changes; /* [change_count] of times, by the move that was tried */
    int32_t *place;         /* [processors] index + 1 in near, while looking */
    int32_t near_count, change_count;
} pagrid_state;

/* Local. The state of a partition. pen_pagrid_state_free frees, also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_state_create(const pagrid_level *level, const pagrid_network *network, int32_t *part,
                                               pagrid_state *state);
void pen_pagrid_state_free(pagrid_state *state);

/* Local. Compute all times again after part[] was changed. */
void pen_pagrid_recount(pagrid_state *state);

/* Local. Take another power, with the longest time as unit. */
void pen_pagrid_aim(pagrid_state *state, int squarings);

/* Local. Find what is near a vertex. */
void pen_pagrid_look(pagrid_state *state, int32_t vertex);

/* Local. By how much the objective grows when the vertex, which was looked at last, moves to another processor. */
double pen_pagrid_try(pagrid_state *state, int32_t vertex, int32_t to);

/* Local. Carry out the move that was tried last; it grows the objective by `growth`. */
void pen_pagrid_move(pagrid_state *state, int32_t vertex, int32_t to, double growth);

/* Local. The longest time, and the first processor that has it. */
double pen_pagrid_longest(const pagrid_state *state, int32_t *processor);
