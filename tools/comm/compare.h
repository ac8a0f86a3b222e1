/* compare.h - measures every transport, on every size of records and number of neighbours, in many short rounds. */
#pragma once

#include "graph/graph.h"
#include "tools/comm/table.h"

enum { COMM_MOST_RECORDS = 32 };

typedef struct comm_settings {
    const char *partitioner;
    const char *machine;                /* machine for which the graph is partitioned, or NULL */
    int64_t records[COMM_MOST_RECORDS]; /* [record_count] sizes of records in bytes, ascending */
    int record_count;
    /* 0: the halo is that of the graph; else each rank pulls one record from each of so many neighbours. */
    int64_t neighbors;
    bool mail;         /* the records of a halo are delivered as mail, one-sided and two-sided */
    int64_t rounds;    /* largest number of rounds */
    double seconds;    /* seconds after which no sample begins, once each contender has one */
    const char *eager; /* eager limit, as in the rows of two-sided transports */
} comm_settings;

/* A transport that could not run, and the reason. */
typedef struct comm_refusal {
    const char *transport;
    int64_t record; /* the smallest size of records with which the transport could not run */
    char reason[512];
} comm_refusal;

typedef struct comm_comparison {
    comm_row *rows; /* [row_count] the table */
    int row_count;
    comm_refusal *refusals; /* [refusal_count] the transports that could not run */
    int refusal_count;
    int64_t rounds; /* number of rounds that were taken */
} comm_comparison;

/* Collective. Measure. Opens every contender on the graph's halo with every record size, and on rings of 1, 2, ...
 * neighbours (256 nodes of 8 bytes each), and checks the records that they pull. Then it runs rounds until the
 * intervals of all medians are narrow: in each round every contender gets one sample of 0.3 ms (at least 4 steps) in
 * turn, so that disturbances hit all alike. Then it checks again. The same result on all ranks. Errors:
 * PEN_ERR_INTERNAL (wrong data); as pen_graph_partition and pen_connect. */
PEN_CHECKED pen_status pen_compare(pen_comm *comm, const pen_graph *graph, const comm_settings *settings,
                                   comm_comparison *comparison);

/* Local. Free a comparison. */
void pen_comparison_free(comm_comparison *comparison);
