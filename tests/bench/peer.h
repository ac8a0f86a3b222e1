/* peer.h - the applications as they are written by hand for one or two ranks: loops over rows of neighbours, records
 * in place where that is possible, and messages during the rest of a loop. Shares no code with the library. */
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

enum { PEER_PLANES = 6 };

/* This rank's nodes, those that the other rank wants first, and behind them copies of the other rank's. */
typedef struct peer {
    int rank, size;
    int32_t owned, boundary, shadows;
    const uint32_t *rows;
    const int32_t *columns;
    int32_t sends, *send; /* slots that the other rank wants */
    double *buffer;
    double *planes[PEER_PLANES]; /* [owned+shadows] values or records */
    double sum;                  /* r.r, of conjugate gradients */
} peer;

/* Collective. gids are [owned+shadows]; the arrays must live as long as the peer. Planes are zero, of so many doubles a
 * record. NULL where memory is exhausted. */
peer *peer_create(peer graph, const int64_t *gids, int doubles);
void peer_destroy(peer *p);

/* Collective, once all values of a plane are there. */
void peer_exchange(peer *p, double *plane, int doubles);

/* Collective. One step. Planes: the mean of values, in 0; of records of 8 doubles, in 0; displacement 0 and velocity 1;
 * x 0, r 1, p 2. */
void peer_mean(peer *p);
void peer_mean_of_records(peer *p);
void peer_wave(peer *p);
void peer_cg(peer *p);

#endif
