/* drawn_rules.h - the records and rules of drawn programs (drawn.h). A rule sees the library's view or the
 * arrays of the serial computation through one table of functions. */
#pragma once

#include "tests/support/drawn.h"

/* What a node sees in a phase, from whichever side. */
typedef enum question { RANDOM, STEP, OBSERVED, TOTAL_SO_FAR } question;
typedef struct sight {
    const drawn_program *program;
    int phase, index, degree;
    const uint8_t *own[DRAWN_FIELDS];
    uint8_t *next[DRAWN_FIELDS]; /* of the written fields */
    double input;
    const uint8_t *(*neighbor)(const struct sight *, int field, int i);
    uint8_t (*road)(const struct sight *, int i);
    void (*set_road)(const struct sight *, int i, uint8_t value);
    uint64_t (*ask)(const struct sight *, question what);
    const uint8_t *(*far)(const struct sight *, int field); /* NULL: there is no such node */
    const void *from;                                       /* for these functions */
} sight;

/* The next state by a rule. Nodes that ask do it only in some states. */
#define RULES(X)                                                                                   \
    X(STAYS, own)                                                                                  \
    X(LARGEST, g->highest > own ? g->highest : own)                                                \
    X(EXCITED, own == 0 ? g->ones > 0 : own == 1 ? 2 : 0)                                          \
    X(COUNTS, (int)(p->table >> (2 * (g->odd < 8 ? g->odd : 8) + own % 2) & 1))                    \
    X(TURNS, g->odd > 0 ? own ^ 1 : own)                                                           \
    X(BLINKS, own == 3 || own == 4 ? 7 - own : own)                                                \
    X(CIRCLES, g->odd > 0 && own < 3 ? (own + 1) % 3 : own)                                        \
    X(CIRCLES_ALONE, own < 5 ? own : own < 7 ? own + 1 : 5)                                        \
    X(FOLLOWS, g->others % STATES)                                                                 \
    X(SINKS, own > 0 ? own - 1 : g->ones > 1 ? 5 : 0)                                              \
    X(LIMITED, g->odd > 0 && own < (int)s->input ? own + 1 : own)                                  \
    X(CATCHES, own == 0 && g->ones > 0                  ? s->ask(s, RANDOM) % 4 == 0               \
               : own == 1 && s->ask(s, RANDOM) % 8 == 0 ? 2                                        \
                                                        : own)                                     \
    X(WAITS, own == 6 ? (s->ask(s, STEP) % 7 == 0 ? 1 : 6) : g->ones > 1 ? 6 : own == 1 ? 0 : own) \
    X(OBEYS, own == 1 ? s->ask(s, OBSERVED) % 3 != 0 : g->ones > 0 ? 1 : own)                      \
    X(HEARS, own == 1 && s->ask(s, TOTAL_SO_FAR) % 2 == 0 ? 3 : own)

#define RULE_NAME(name, next) name,
typedef enum rule { RULES(RULE_NAME) } rule;

/* A node's contributions to the observables. In some programs that of state 7 depends on the step. */
typedef struct contribution {
    int component; /* of the histogram; -1: none */
    int64_t number;
    int64_t weight;
    bool adds; /* to the sum, the least and the highest real */
    double real;
} contribution;

/* Compute a node's next records. */
void drawn_compute(const sight *s);

contribution drawn_contribute(const sight *s);

/* The state of a record of the program's field; at the start; the node of which another one reads from afar. */
int drawn_state(const drawn_field *f, const uint8_t *record);
int drawn_first_state(const drawn_program *p, int field, int i);
int drawn_distant(const drawn_program *p, int i);

/* A record with a state, as at the start; of the node i. */
void drawn_record(const drawn_program *p, int field, int i, int state, uint8_t *record);

pen_gid drawn_gid(const drawn_program *p, int i);
int drawn_index(const drawn_program *p, pen_gid gid);

static inline bool has(pen_set set, int k) { return set.bits >> k & 1; }
