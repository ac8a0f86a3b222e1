/* team.h - the ranks that a process plans for, and what each of them shall get.
 *
 * A process plans for itself, in messages with the other ranks (decentralised), or for all ranks, whose graph it has
 * gathered. The algorithm is the same: it works on the parts of the team's ranks, one after another, and what ranks
 * must know of each other goes through a few functions (here and in state.h), which send messages only if other
 * processes plan, too. Reductions add up in the same order, so plans are the same in every bit. */
#pragma once

#include "base/status.h"
#include "rebalance/diffusive/price.h"

/* The share of a rank. */
typedef struct plan_share {
    double speed;    /* speed of its processor, as a multiple of the mean speed */
    double fixed;    /* load of the rank that does not come from its nodes */
    double load;     /* target: its share of the load, unless one of its nodes is heavier than that */
    double heaviest; /* load of its heaviest node */
    pen_gid pinned;  /* a node heavier than the mean, which stays where it is; -1: none */
} plan_share;

/* The goal of a plan, the same for all ranks. */
typedef struct plan_target {
    double mean;     /* mean load of the ranks */
    double slowest;  /* lowest speed of a rank */
    double heaviest; /* least time of the heaviest node, as a load of a rank of mean speed */
    double slack;    /* tolerated deviation from share.load, as a fraction of mean * share.speed */
    bool clusters;   /* clusters move, not single nodes */
    int64_t away;    /* cost of a node that is not at home, in 16ths of an edge */
} plan_target;

enum { TEAM_VALUES = 8 };

typedef struct plan_team {
    pen_peers *peers;              /* NULL: this process plans for all ranks */
    int size, first, count;        /* number of ranks; this process plans for first ... first + count - 1 */
    plan_share *shares;            /* [count] shares of the team's ranks */
    double (*values)[TEAM_VALUES]; /* [count] operands of the next reduction */
    diffusive_network network;
} plan_team;

/* Local. Make a team of this rank, or, with peers NULL, of all `size` ranks. The caller sets shares and network. Call
 * pen_team_free in any case. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_team_create(pen_peers *peers, int size, plan_team *team);
void pen_team_free(plan_team *team);

/* Collective. Reduce over all ranks: values[k] of rank first + k begins with so many sums, and then maxima; results are
 * in values[0]. Errors: those of peers. */
PEN_CHECKED pen_status pen_team_reduce(plan_team *team, int sums, int maxima);

/* Collective. Reduce likewise one value per process instead of one per rank. */
PEN_CHECKED pen_status pen_team_sum(const plan_team *team, int sum_count, double *sums, int max_count, double *maxima);

/* Collective. Set targets: a node heavier than the fastest rank's share stays where it is, and its rank cannot get
 * below its load; the other ranks share the rest. `load` is of all ranks; share.load of each rank, and share.pinned is
 * its heaviest node, -1: none. They become the targets. *off: the largest deviation from them on the team's ranks.
 * Needs target->mean, ->heaviest. Errors: those of peers. */
PEN_CHECKED pen_status pen_team_find_targets(plan_team *team, double load, double fastest, const plan_target *target,
                                             double *off);
