/* rival.h - repartitioners of others, each in a file of its own, which is built where the library is found. All
 * Collective over MPI_COMM_WORLD. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Rows of a graph that lie on ranks, numbered anew: rank r has [firsts[r], firsts[r+1]). */
typedef struct rival_rows {
    int rank, size, parts;
    int32_t *firsts;         /* [size+1] */
    int32_t count;           /* of this rank */
    int32_t *rows, *columns; /* [count+1], [rows[count]] */
    int32_t *loads, *owners; /* [count] */
} rival_rows;

/* The next owners, in [0, parts), to next[], [count]; *seconds is this rank's processor time. `settings` is
 * "KEY=VALUE,...", the rival's own, which is cut up. A failure ends the program. */
typedef void rival_balance(const rival_rows *r, char *settings, int32_t *next, double *seconds);
rival_balance rival_parmetis, rival_zoltan;
#ifndef BENCH_PARMETIS
#define rival_parmetis NULL
#endif
#ifndef BENCH_ZOLTAN
#define rival_zoltan NULL
#endif
