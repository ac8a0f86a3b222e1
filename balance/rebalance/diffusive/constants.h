/* constants.h - the numbers that the diffusive balancer was tuned with. "The mean" is that of the ranks' loads. */
#ifndef PEN_DIFFUSIVE_CONSTANTS_H
#define PEN_DIFFUSIVE_CONSTANTS_H

#define MOST_TRANSFERS 256 /* flows through other ranks go step by step: so many steps at most */
#define SWEEPS 2           /* of refinement, in a round */
#define CARRIED 16         /* items a rank on the coarsest level, at least, where loads go far */
#define SMALL 32768        /* nodes of all ranks: a graph of so few is worked on hard ... */
#define INSIDE 100         /* ... where a rank has so many at least, else shapes do not matter */
#define HARD_ROUNDS 2      /* times as many rounds, on a small graph */
#define HARD_PATIENCE 4    /* rounds in vain before that ends */
#define PROGRESS 0.8       /* a flow that leaves more than this of the imbalance is the last of its round */
#define FULL 1.25          /* of the mean: what a rank may come to by pieces, before loads are balanced */
#define FULLER 0.5         /* and so much more in every further round: a piece that fits nowhere would stay */
#define LOOSE 0.2          /* of the mean: slack in which clumps are traded for a better shape */
#define CLUMP 0.03         /* of the mean: what a clump weighs at most */
#define FAR 5.0            /* of the mean: more than this through a rank is carried in larger clumps first ... */
#define ROUGH 0.06         /* ... to within so much of the mean */
#define GUESS 0.25         /* of the mean: error of the flow that finds out whether loads go far */
#define FREELY 0.5         /* of the mean: a rank that is off by more gets or loses most of its nodes anyway */
#define LONG 40.0          /* steps: a plan that serves so many may move any number of nodes */
#define MOST 0.5           /* weight of the edges of the rank that has most of them cut, times the ranks, in the cost */
#define MANY 2500.0        /* price of moving all nodes at once: keeps a call from moving more than about a tenth */

#endif
