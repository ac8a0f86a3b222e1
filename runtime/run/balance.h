/* balance.h - balancing between steps: loads of the step just ended, whether to make a plan, whether it is
 * better than doing nothing, and the migration. */
#ifndef PEN_BALANCE_H
#define PEN_BALANCE_H

#include "balance/registry.h"
#include "run/loads.h"
#include "steer/trigger.h"
#include "view/peers.h"

/* One call of the balancer. Equal on all ranks. */
typedef struct pen_balance_call {
    int64_t step; /* after how many steps */
    bool applied;
    double imbalance_before, imbalance_after, bound;
    int64_t cut_before, cut_after;
    int64_t moved_nodes, moved_bytes, max_moved; /* the last: in or out of one rank */
    int64_t pieces;                              /* connected parts beyond one per non-empty rank, afterwards */
    int rounds;
    double seconds;     /* maximum over ranks */
    double cpu_seconds; /* the algorithm's own, over all ranks, without waiting */
} pen_balance_call;

typedef struct pen_balance {
    char *name;                   /* as the balancer was named */
    pen_chosen_balancer balancer; /* may be none: declared loads are summed up all the same */
    int64_t every;                /* balance after every so many steps; 0: by the trigger */
    double base, per_node;        /* declared cost of a call, and of the most nodes moved, in units; < 0: the default */
    pen_loads loads;
    pen_mpi_peers peers; /* for a step's reduction */
    pen_trigger trigger;
    double expected;           /* load of this rank, if nothing shifts; < 0: unknown */
    int32_t migrations;        /* of the store, when that was known */
    int64_t looked, next_look; /* steps: the last one and the next one that is looked at */
    double looked_at;          /* and when that was */
    double decide, migrate;    /* seconds: what a call and a migration are expected to take */
    bool complained;           /* about a plan */
    int64_t cut, pieces;       /* of the partition as it is now */
    double total, makespan;    /* declared work so far, and the time that it took, in units */
    pen_balance_call *calls;   /* [call_count] */
    int64_t call_count;
} pen_balance;

/* Local. Find the balancer, and read the other options, before anything else is done; *balance is NULL where
 * there is neither a balancer nor declared loads. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_balance_create(const pen_app *app, const pen_run_options *options, pen_balance **balance);
void pen_balance_destroy(pen_balance **balance);

/* Collective. Begin, when nodes have their owners. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_balance_begin(pen_run *run);

/* Collective, after a step. A plan that is refused, or a migration that fails, leaves everything as it was,
 * with one line on standard error, and is no failure. PEN_ERR_ARGUMENT (a declared cost is no load),
 * PEN_ERR_MPI, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_balance_step(pen_run *run);

#endif
