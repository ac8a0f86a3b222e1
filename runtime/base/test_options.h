/* test_options.h - settings of a run that only tests and the command line have. No installed header has them. */
#pragma once

#include <stdint.h>

/* pen_debug_options.tests. All zero: nothing. */
typedef struct pen_test_options {
    uint64_t migrate_seed; /* seed of the random moves of migrate_part */
    double migrate_part;   /* part of the nodes, from 0 to 1, that moves to random ranks before every step; 0: none */
    /* A file with delays, to emulate a slow network: by how much longer messages between ranks of one host take, in
     * lines "FROM TO SECONDS [SECONDS_PER_BYTE]" (ranks, or * for all; # begins a comment; the last line for a pair
     * counts). It applies to the pulls of a two-sided transport, which pen_run_options.transport must name; results do
     * not change. NULL: none. */
    const char *network_delay;
} pen_test_options;
