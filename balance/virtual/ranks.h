/* ranks.h - many ranks in one process: a second kind of pen_peers, for balancers that are tested, measured and
 * simulated.
 *
 * Every rank is a fiber with a stack of its own. The ranks of a thread run one after the other until each of them has
 * made a call or returned; when those of all threads have, the call is carried out. So memory and processor time are as
 * those of the ranks together, and everything is checked that real peers would answer with a hang. A run begins and
 * ends cheaply (fibers.h): 1024 ranks of two reductions took 10 us a rank and reduction with fresh stacks, and 0.6 now.
 */
#pragma once

#include <penumbra_plugin.h>

/* What one rank did. */
typedef struct pen_virtual_counts {
    int64_t exchanges, reductions;
    int64_t messages, bytes; /* sent by exchanges, those to itself and empty ones of mutual exchanges included */
    double seconds;          /* CPU time between the calls: waiting and communication excluded */
} pen_virtual_counts;

/* What a rank does; `peers` says which it is. */
typedef pen_status pen_virtual_function(void *context, pen_peers *peers);

/* Local. Run `function` on `ranks` >= 1 ranks, each with `context`, which is the caller's, on at most `threads` >= 1
 * threads, of which each keeps its ranks; more than one only where ranks may run at once. What comes out is the same in
 * every bit. counts may be NULL, [ranks] otherwise; order too: the ranks' turn in every round, a permutation, so that
 * tests can show that it does not matter.
 * Returns PEN_OK where all ranks returned it. A rank that returns a failure makes the next call of the others fail,
 * with the status and the sentence of the lowest such rank, which is also what pen_virtual_run returns. Ranks that make
 * different calls, say `mutual` of what is not, send to ranks that are none, or return while others call, get
 * PEN_ERR_INTERNAL, as does pen_virtual_run where a rank answered a failed call with PEN_OK. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_virtual_run(int ranks, int threads, pen_virtual_function *function, void *context,
                                       const int *order, pen_virtual_counts *counts);
