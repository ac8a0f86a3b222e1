/* constants.h - the tuned numbers of the diffusive balancer. "The mean" is that of the ranks' loads.
 *
 * In brackets: the effect of half and double the value on cut and exchanges, in percent over all cases, and on the cut
 * of the worst case, as printed by tests/bench/constants.py. Imbalance differs by at most 0.2 %, moved nodes by 4 %. */
#pragma once

/* Sweeps of refinement in a round. [cut +0.9 +0.5, exchanges -31 +41, worst +5 +4] */
#define SWEEPS 2
/* A search ends after so many rounds in a row without improvement; that of a large graph's nodes after one round.
 * [+0.1 -0.2, 0 0, +3 +2; with half, discs on 40,000 nodes have a cut of 2 % more, and a step of machine_bench's
 * clusters on 256 ranks takes 1 % longer] */
#define VAIN 2
/* Least items per rank on the coarsest level if most nodes of a small graph may move. [+0.1 +0.1, 0 0, +1 +3] */
#define CARRIED 16

/* A graph of at most so many nodes is improved with more effort ... [0 -0.1, 0 +99, 0 +5] */
#define SMALL 32768
/* ... if each rank has so many; otherwise shapes do not matter ... [-0.7 +0.8, 0 0, 0 +17; half moves 0.9 % more] */
#define INSIDE 100
/* ... and nodes have at most so many neighbours in the mean. The time of a call grows with them. [nbody, 3992 nodes of
 * 74 neighbours, 8 ranks: with 1000, a plan takes 3 times as long, and moves 2.7 times as many nodes for a cut of 5 %
 * more] */
#define DENSE 48

/* Weight in the cost of the most cut edges of a rank, times the ranks. [0 -0.1, 0 0, 0 0; without it the worst rank of
 * a shock touches 8 % more] */
#define MOST 0.5
/* If a flow leaves more than this fraction of the imbalance, it is the last of its round. [-0.4 +0.3, 0 +1, 0 +6] */
#define PROGRESS 0.8
/* Of the mean: the most load of a rank that receives pieces, before loads are balanced ... [-0.6 +0.1, 0 0, +1 +3] */
#define FULL 1.25
/* ... and its growth per round, so that every piece fits in the end. [0 -0.2, 0 0, +1 0; but 0 leaves pieces in
 * diffusive_test, and cuts 3 % more in a case] */
#define FULLER 0.5
/* Of the mean: slack in which clusters are exchanged for a better shape. [+1.1 +0.6, 0 0, +17 +5] */
#define LOOSE 0.2
/* Of the mean: the largest load of a cluster. [+0.3 +1.5, 0 0, +3 +9] */
#define CLUSTER 0.03
/* Of the mean: a rank with a larger deviation exchanges most of its nodes anyway. [-0.1 +0.1, 0 0, 0 +1] */
#define FREELY 0.5
/* A plan that serves so many steps may move any number of nodes. [no effect: no case's plans serve 20 to 80 steps] */
#define LONG 40.0

/* Fraction of all nodes: if more move, parts may be renamed among the ranks. [Half of 256 ranks loaded: 45 % of the
 * nodes move instead of 88. At 0.55 a step of machine_bench's clusters takes 2 % longer] */
#define RENAMES 0.6
/* Parts are renamed if at most this fraction of the moves remains. [At 0.75, a step of machine_bench's clusters takes
 * 10 % longer; at 0.85 and 1, `auto` is worse by up to 8 % where loads alternate or a disc moves] */
#define KEEPS 0.67

/* ---- Phases: opposite halves ---- */

/* Phases whose loads, as vectors over all nodes, have a larger cosine are balanced as one. [no effect: in all cases
 * loads are alike or opposite] */
#define ALIKE 0.9
/* A step is good enough below this multiple of its time with all ranks equally busy. [no effect with half; with double
 * the halves stay as they are, and a step takes 1.25 times as long] */
#define BALANCED 1.05
/* Of the mean of a group of phases: flows have not reached a rank with more load. [cut +12 0, moved -40 0; without, a
 * step on 256 ranks takes twice as long] */
#define REACHED 1.1
/* A plan per phase makes more pieces; it is used if it shortens the step to this fraction. [with half it is not used,
 * and a step takes 1.25 times as long; no effect with double] */
#define SHORTER 0.97

/* From here on: the effect of half and double the value on cut, moved nodes and processor time, in percent, over hot
 * discs on 64x64 and 200x200 hexagons, 8 ranks. Moved nodes differ by 5 to 10 with any change.
 * Where no time is given: over discs, fronts, three-phase, dense and random graphs on 2 to 256 ranks. */

/* ---- Flows and the choice of nodes for them ---- */

/* Conductance of the tree, of a link's mean: so weak that even over the paths of a million ranks almost nothing takes
 * the tree if there is another way. [cut +0.1 +0.1, moved 0 0, worst cut +2 +5] */
#define TREE_CONDUCTANCE 1e-6
/* Of the usual density of load at borders: load also flows where nodes have none. [cut +0.4 -1.1, moved -10 -8] */
#define LEAST_DENSITY 0.01
/* Of a rank's share: it keeps so much for loads that pass through it. [cut 0 -0.7, moved 0 -2] */
#define RESERVE 0.34
/* Of the slack: smaller flows do not justify a border. [cut -0.5 +0.8, moved -9 -5] */
#define SMALLEST 0.1
/* Of the slack: smaller remainders of many flows may stay. [no effect on these; without joining such flows a random
 * graph on 64 ranks ends with imbalance 1.046 instead of 1.019] */
#define MATTERS 0.25
/* Neighbours: the gain of a node with more is not updated when one of them leaves. [cut +1.1 -0.1, moved +2 +2; nodes
 * of 75 neighbours: cut +28 +11, moved +50 +55] */
#define HUB 64
/* More links than ranks usually have in 2 or 3 dimensions. [cut -0.1 0, moved +1 +0.5; moved, worst case: +17 +13] */
#define MANY_LINKS 12

/* ---- Refinement of a pair ---- */

/* The fraction of a rank's nodes, those nearest to the border, that takes part ... [no effect on these, where parts
 * have at most 5000 nodes] */
#define SHARE 16
/* ... but at least so many. [cut -0.7 0, time -2 -1; with 64, cut +2 to +5 on 128x128 and on the shock] */
#define FEWEST 256
/* Moves without improvement before a pass ends. [cut +0.3 +0.1, time -4 0] */
#define PATIENCE 150
/* It also ends if an improvement is improbable: the more so, the less this is. [cut -0.6 -1.2, time -14 +9] */
#define LEAST 4.0

/* ---- Clusters ---- */

/* Items of the level below in a cluster, as a rule ... [cut -0.4 +1.8, time +38 -6] */
#define MEMBERS 4
/* ... and with those that join it later. [cut +0.5 0, moved 0 -0.2; moved in the worst case +39 0] */
#define MOST_MEMBERS 6
/* A level has fewer than this fraction of the items below. [cut +0.1 -0.1, moved +0.7 -0.2] */
#define WORTH 0.75

/* ---- Where plans are made. Seconds ---- */

#define RANK_TIME 0.25e-6
#define ITEM_TIME 0.1e-9
#define HOP_TIME 5e-6
