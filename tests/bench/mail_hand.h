/* mail_hand.h - messages and agents as they are programmed by hand: messages between nodes in blocks of ranks, by
 * counting sorts and MPI_Alltoallv; and the example travellers on one core, as a loop over an array of people. */
#pragma once

#include <penumbra.h>

enum { LETTERS = 10 }; /* messages of a node in a step */
typedef struct letter {
    double value;
    int64_t number;
} letter;

/* Where messages go. */
typedef enum goal {
    ANYWHERE,   /* to any node */
    MOSTLY_OWN, /* nine of ten to nodes of the own rank, the others to any */
    ITSELF
} goal;

/* The nodes of a rank: [first, first + count) of all. */
typedef struct span {
    int64_t all, first, count;
} span;

/* The target of the k-th message of a node in a step. */
static inline int64_t letter_target(goal where, const span *mine, int64_t node, int64_t k, int64_t step)
{
    uint64_t x = (uint64_t)(node * LETTERS + k + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)step;
    if (where == ITSELF) return node;
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    if (where == MOSTLY_OWN && k > 0) return mine->first + (int64_t)((x >> 32) * (uint64_t)mine->count >> 32);
    return (int64_t)((x >> 32) * (uint64_t)mine->all >> 32);
}

/* A node's value, which depends on the order of its mail, and the value of its k-th message. */
static inline double letter_sum(double value, double added) { return 0.75 * value + added; }
static inline double letter_value(double sum, int64_t k) { return 1e-3 * sum + (double)k; }

/* Collective. Messages by hand. Ranks have equal blocks of nodes. */
typedef struct hand_mail hand_mail;
hand_mail *hand_mail_create(goal where, span mine);
void hand_mail_steps(hand_mail *h, int64_t steps);
const double *hand_mail_values(const hand_mail *h); /* [mine.count] */
void hand_mail_destroy(hand_mail *h);

/* The example travellers, with its default parameters, on a graph of hexagons. */
typedef struct hand_town hand_town;
hand_town *hand_town_create(int64_t width, int64_t height, uint64_t seed);
void hand_town_steps(hand_town *t, int64_t steps);
int64_t hand_town_people(const hand_town *t);
const int32_t *hand_town_infections(const hand_town *t); /* [width*height] */
void hand_town_destroy(hand_town *t);
