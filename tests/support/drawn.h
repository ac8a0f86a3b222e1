/* drawn.h - programs that are drawn from a seed, whose nodes stall, wake and oscillate: what they are made of. */
#pragma once

#include "tests/support/world.h"

#include <penumbra.h>

enum { DRAWN_NODES = 64, DRAWN_FIELDS = 4, DRAWN_PHASES = 4, DRAWN_BYTES = 200, DRAWN_REQUESTS = 8 };

/* A record has a state of 0 to 7, in a byte or as one of 8 reals, perhaps a number that depends on all earlier changes
 * of the state, and bytes that never change. */
typedef struct drawn_field {
    int size, at, past; /* `at`: of the state; `past`: of the number, -1: none */
    bool real;          /* 0.0, -0.0, two NaNs, infinity, ... */
} drawn_field;

typedef struct drawn_phase {
    pen_set reads, writes, keeps, far_reads;
    int kinds[DRAWN_FIELDS][8]; /* rules of the written fields, for nodes of 8 classes */
    bool writes_roads, modifies;
} drawn_phase;

typedef struct drawn_request {
    enum { DRAWN_ADD_NODE, DRAWN_REMOVE_NODE, DRAWN_ADD_EDGE, DRAWN_REMOVE_EDGE } kind;
    int a, b, asker; /* the node that asks, of a phase that modifies */
} drawn_request;

/* Observables: components of a histogram of states; of the sum of all records' numbers before a phase. */
enum { DRAWN_STATES, DRAWN_LEAST, DRAWN_MOST, DRAWN_SUM, DRAWN_LOW, DRAWN_HIGH, DRAWN_BEFORE, DRAWN_OBSERVABLES };
enum { DRAWN_COMPONENTS = 4 };

typedef struct drawn_globals {
    int64_t total;
} drawn_globals;

typedef struct drawn_program {
    uint64_t seed;
    int nodes, fields, phases;
    bool directed, sparse, observes, has_roads, has_input, costs;
    bool loose;    /* some fields are not plain */
    int observing; /* the phase that observes; -1: none */
    uint32_t table;
    drawn_field field[DRAWN_FIELDS];
    drawn_phase phase[DRAWN_PHASES];
    drawn_request requests[DRAWN_REQUESTS]; /* that the phase that modifies makes in this step */
    int request_count;
    pen_field field_list[DRAWN_FIELDS];
    pen_phase phase_list[DRAWN_PHASES];
    pen_app app; /* whose params are this program */
} drawn_program;
