/* virtual_ranks.h - many ranks in one process: a second kind of pen_peers, for balancers that are tested, measured and
 * simulated.
 *
 * Every rank is a fiber with a stack of its own. The ranks of a thread run one after the other until each of them has
 * made a call or returned; when those of all threads have, the call is carried out. So memory and processor time are as
 * those of the ranks together, and everything is checked that real peers would answer with a hang. A run begins and
 * ends cheaply, since stacks are kept (fibers.h).
 */
#pragma once

#include <penumbra_plugin.h>

/* What one rank did. */
typedef struct pen_virtual_counts {
    int64_t exchanges, reductions;
    int64_t messages, bytes; /* sent by exchanges, those to itself and empty ones of mutual exchanges included */
    double seconds;          /* CPU time between the calls: waiting and communication excluded */
} pen_virtual_counts;

/* The function of a rank; `peers` has its number. */
typedef pen_status pen_virtual_function(void *context, pen_peers *peers);

/* Local. Run `function` on `ranks` >= 1 ranks, each with the caller's `context`, on at most `threads` >= 1 threads,
 * each of which keeps its ranks; use more than one only if ranks may run concurrently. The result is the same in every
 * bit. counts may be NULL, [ranks] otherwise. order, too, may be NULL; otherwise it is the ranks' order in every round,
 * a permutation, so that tests can show that it does not matter.
 *
 * Returns PEN_OK if all ranks returned it. A rank that returns a failure makes the next call of the others fail, with
 * the status and the sentence of the lowest such rank; pen_virtual_run returns the same. Ranks get PEN_ERR_INTERNAL if
 * they make different calls, claim `mutual` wrongly, send to ranks that do not exist, or return while others call; so
 * does pen_virtual_run if a rank answered a failed call with PEN_OK. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_virtual_run(int ranks, int threads, pen_virtual_function *function, void *context,
                                       const int *order, pen_virtual_counts *counts);
