/* explored.h - a small run, drawn from a seed: its graph, its application, what it does, and its result on one rank. */
#pragma once

#include "tests/support/one_process/one_process.h"
#include "tests/support/world.h"

#include <penumbra.h>

enum { MOST_NODES = 256, MOST_DEGREE = 32, MOST_RANKS = 8 };

typedef enum feature {
    MIGRATES = 1 << 0,  /* random moves before every step */
    FAR = 1 << 1,       /* a phase reads far nodes */
    CHANGES = 1 << 2,   /* a phase changes the graph */
    OBSERVES = 1 << 3,  /* observables and globals, which nodes read */
    BALANCES = 1 << 4,  /* diffusive, after every step */
    OUTPUTS = 1 << 5,   /* result files and a file of observables */
    RESUMES = 1 << 6,   /* a checkpoint, and the rest on another number of ranks */
    DIES = 1 << 7,      /* a rank dies; then as RESUMES, if there is a checkpoint */
    FAILS = 1 << 8,     /* a call of MPI fails on a rank */
    NO_MEMORY = 1 << 9, /* an allocation fails on a rank */
    EDGES = 1 << 10,    /* records of arcs */
    SEPARATE = 1 << 11, /* MPI_WIN_SEPARATE */
    CALLS = 1 << 12,    /* between steps, records are put and the graph is changed */
    ANYTHING = 1 << 13, /* of those that change no result, what the seed says */
    MAILS = 1 << 15,    /* mail to any nodes */
    DRAWN = 1 << 14     /* a drawn program instead (drawn.h) */
} feature;

typedef struct subject {
    const char *name, *transport; /* NULL: any */
    int features;                 /* that it always has */
    const char *summary;
} subject;

extern const subject subjects[];
extern const int subject_count;

/* A case; all members can be set after it was drawn. */
typedef struct explored {
    const subject *subject;
    uint64_t seed;
    int features;
    int ranks, hosts, then_ranks; /* then_ranks: that resume */
    int nodes, steps, stop;       /* stop: the step after which the first run ends, for RESUMES */
    int apart;                    /* the distance of their gids */
    bool directed, cyclic;        /* cyclic: ranks are dealt out to the hosts one by one */
    const char *transport, *partitioner;
    int sparse_radix; /* pen_short_radix */
    int costs;        /* of gets, of case.c; 0: measured */
    bool fetches;     /* all nodes, after each step */
    double moves;     /* the part of the nodes that a step moves */
    int faulty;
    int64_t fault;  /* the number of the call or allocation that fails */
    int fault_step; /* allocations count from this step on; 0: from the beginning */
    char folder[64];

    int degree[MOST_NODES], neighbors[MOST_NODES][MOST_DEGREE];
} explored;

typedef struct explored_result {
    uint64_t sum; /* of all records, and of the observables */
    int64_t nodes;
    uint64_t trace;
    int64_t calls;
} explored_result;

/* Draw a case. A size > 0 replaces what is drawn. */
void explored_draw(const subject *subject, uint64_t seed, int ranks, int hosts, int nodes, int steps, explored *drawn);

/* Run it and compare with a run on one rank. 0: right; else one of the exit statuses below, after a message. What ends
 * the process, such as a deadlock, ends it. */
int explored_run(const explored *e, one_process_result *result);
enum { EXPLORED_WRONG = 1 };
