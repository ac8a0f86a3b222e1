/* hand.h - the averaging step on a field of hexagons as a competent user of MPI writes it by hand:
 * the peer of step.c. Shares no code with the library. */
#pragma once

#include <mpi.h>
#include <stdint.h>

typedef struct hand hand;

/* Collective over MPI_COMM_WORLD. A width x height field in bands of whole rows, height divisible by
 * the number of ranks; the first value of node i is i % 1000. NULL where memory is exhausted. */
hand *hand_create(int width, int height);

/* Collective. Each node becomes the mean of its neighbours, `steps` times. */
void hand_steps(hand *h, int64_t steps);

/* Local. This rank's nodes: the gid of the first one, how many, their values, and the neighbours of local
 * node i: columns[rows[i] .. rows[i+1]), whose gids hand_gid tells, ascending. */
typedef struct hand_view {
    int64_t first;
    int32_t count;
    const int32_t *rows, *columns;
    const double *values;
} hand_view;
hand_view hand_look(const hand *h);

/* Local. The gid of a column. */
int64_t hand_gid(const hand *h, int32_t column);

/* Collective. */
void hand_destroy(hand *h);
