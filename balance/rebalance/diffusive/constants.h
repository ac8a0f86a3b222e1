/* constants.h - the numbers that the diffusive balancer was tuned with. "The mean" is that of the ranks' loads.
 *
 * In brackets: what half and double the value do to cut and exchanges, in percent over all cases, and the cut of the
 * worst case, as tests/bench/constants.py prints it. Imbalance differs by 0.2 % at most, moved nodes by 2 %. */
#pragma once

/* Flows through other ranks go step by step: so many steps at most. [no effect: a bound that no case comes to] */
#define MOST_TRANSFERS 256

/* Of refinement, in a round. [cut +1.2 +0.8, exchanges -45 +72, worst +6 +5] */
#define SWEEPS 2

/* Items a rank on the coarsest level, at least, where loads go far. [cut +0.2 +0.2, exchanges +3 -8, worst +2 +3] */
#define CARRIED 16

/* Nodes of all ranks: a graph of so few is worked on hard ... [cut 0 -0.4, exchanges 0 +48, worst 0 +1.5] */
#define SMALL 32768

/* ... where a rank has so many at least, else shapes do not matter. [cut -1.8 +2.0, exchanges +7 -10, worst 0 +17; the
 * half moves 1.7 % more nodes] */
#define INSIDE 100

/* Times as many rounds, on a small graph. [cut +0.4 +1.1, exchanges -41 +33, worst +1 +5] */
#define HARD_ROUNDS 2

/* Rounds in vain before that ends. [cut +0.4 +0.1, exchanges -24 +14, worst +2 0] */
#define HARD_PATIENCE 4

/* A flow that leaves more than this of the imbalance is the last of its round. [cut +0.4 +0.5, exchanges -4 -1, worst
 * +4 +2] */
#define PROGRESS 0.8

/* Of the mean: what a rank may come to by pieces, before loads are balanced ... [cut +1.1 +0.1, exchanges -9 0, worst
 * +6 +1] */
#define FULL 1.25

/* ... and so much more in every further round: a piece that fits nowhere would stay. [no effect; but 0 leaves pieces in
 * diffusive_test, and cuts 3 % more in a case] */
#define FULLER 0.5

/* Of the mean: slack in which clusters are traded for a better shape. [cut +1.6 +0.5, exchanges 0 -4, worst +12 +7] */
#define LOOSE 0.2

/* Of the mean: what a cluster weighs at most. [cut +2.2 +0.5, exchanges -11 -1, worst +13 +4] */
#define CLUSTER 0.03

/* Of the mean: more than this through a rank is carried in larger clusters first. [cut +0.1 -0.6, exchanges 0 +2, worst
 * +0.5 0] */
#define FAR 5.0

/* Of the mean: a rank that is off by more gets or loses most of its nodes anyway. [cut 0 +0.3, exchanges +7 -1, worst
 * +0.2 +1.4] */
#define FREELY 0.5

/* Steps: a plan that serves so many may move any number of nodes. [no effect: no case's plans serve 20 to 80 steps] */
#define LONG 40.0

/* Weight of the edges of the rank that has most of them cut, times the ranks, in the cost. [cut 0 +0.1, exchanges +2
 * +2, worst +0.1 +1] */
#define MOST 0.5

/* Of all nodes: where more move, parts may change names among the ranks. [Half of 256 ranks loaded: 45 % of the nodes
 * move in place of 88. At 0.55 a step of machine_bench's clusters takes 2 % longer] */
#define RENAMES 0.6

/* They change names if this share of the moves remains, or less. [At 0.75, a step of machine_bench's clusters takes 10
 * % longer; at 0.85 and 1, `auto` is worse by up to 8 % where loads alternate or a disc moves] */
#define KEEPS 0.67

/* Cosine of the loads of two phases, as vectors of all nodes: above, they are balanced as one. */
#define ALIKE 0.9

/* Of the time that a step of several phases would take if all ranks were equally busy: good enough. */
#define BALANCED 1.05

/* Of the mean, of a group of phases: a rank that has more is one that flows have not reached. */
#define REACHED 1.1

/* Of the time of a step: a plan for each phase makes more pieces, and is worth that if a step is so much shorter. */
#define SHORTER 0.97

/* Price of moving all nodes at once: keeps a call from moving more than about a tenth. [cut 0 0, exchanges -0.3 +0.9,
 * worst 0 +0.3, where plans serve 1 or 10 steps] */
#define MANY 2500.0
