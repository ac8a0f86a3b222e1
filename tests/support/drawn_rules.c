/* drawn_rules.c - how a drawn program's nodes follow rules, and what they contribute to observables (drawn_rules.h). */
#include "tests/support/drawn_rules.h"

#include <math.h>

/* ---- Records ------------------------------------------------------------------------------------- */

enum { STATES = 8 };

/* Reals that comparisons of numbers confuse: the zeros are equal, and NaNs differ from themselves. */
static const uint64_t reals[STATES] = { UINT64_C(0),                  /* 0.0 */
                                        UINT64_C(0x8000000000000000), /* -0.0 */
                                        UINT64_C(0x7ff8000000000000), /* NaNs */
                                        UINT64_C(0x7ff8000000000001),
                                        UINT64_C(0xfff8000000000001),
                                        UINT64_C(0x7ff0000000000000), /* infinity */
                                        UINT64_C(0x3ff0000000000000), /* 1.0, and the next one */
                                        UINT64_C(0x3ff0000000000001) };

int drawn_state(const drawn_field *f, const uint8_t *record)
{
    uint64_t bits = record[f->at];
    if (!f->real) return (int)(bits % STATES);
    memcpy(&bits, record + f->at, sizeof bits);
    for (int s = 0; s < STATES; s++)
        if (reals[s] == bits) return s;
    return STATES; /* of a record that is none */
}

static void set_state(const drawn_field *f, uint8_t *record, int state)
{
    if (f->real) memcpy(record + f->at, &reals[state], sizeof reals[state]);
    else record[f->at] = (uint8_t)state;
}

static uint32_t past_of(const drawn_field *f, const uint8_t *record)
{
    uint32_t past = 0;
    if (f->past >= 0) memcpy(&past, record + f->past, sizeof past);
    return past;
}

void drawn_record(const drawn_program *p, int field, int i, int state, uint8_t *record)
{
    const drawn_field *f = &p->field[field];
    for (int k = 0; k < f->size; k++) record[k] = (uint8_t)scramble((uint64_t)(i * DRAWN_BYTES + k), p->seed);
    if (f->past >= 0) memset(record + f->past, 0, sizeof(uint32_t));
    set_state(f, record, state);
}

int drawn_first_state(const drawn_program *p, int field, int i)
{
    const uint64_t chance = scramble(p->seed + (uint64_t)field, (uint64_t)i);
    return chance % (p->table & 4 ? 5 : 20) == 0 ? (int)((chance >> 20) % STATES) : 0;
}

pen_gid drawn_gid(const drawn_program *p, int i) { return p->sparse ? (pen_gid)i * 1000003 + 11 : i; }
int drawn_index(const drawn_program *p, pen_gid gid) { return (int)(p->sparse ? (gid - 11) / 1000003 : gid); }

/* ---- Rules ------------------------------------------------------------------------------------------ */

typedef struct heard {
    int ones, odd, highest, others; /* others: states of the node's other fields */
    uint32_t past;
} heard;

static heard listen(const sight *s)
{
    const drawn_program *p = s->program;
    const drawn_phase *phase = &p->phase[s->phase];
    heard g = { 0 };
    for (int f = 0; f < p->fields; f++) {
        g.others += drawn_state(&p->field[f], s->own[f]);
        for (int i = 0; has(phase->reads, f) && i < s->degree; i++) {
            const uint8_t *record = s->neighbor(s, f, i);
            const int state = drawn_state(&p->field[f], record), road = p->has_roads ? s->road(s, i) % 4 : 0;
            g.ones += state == 1;
            g.odd += state % 2;
            if (state - road % 2 > g.highest) g.highest = state - road % 2;
            g.past += past_of(&p->field[f], record) * (uint32_t)(2 * i + 1);
        }
        const uint8_t *far = has(phase->far_reads, f) ? s->far(s, f) : NULL;
        if (far && drawn_state(&p->field[f], far) == 1) g.ones++;
    }
    return g;
}

static int follow(rule which, const sight *s, int own, const heard *g)
{
    const drawn_program *p = s->program;
    switch (which) {
#define RULE_CASE(name, next) \
    case name: return (next);
        RULES(RULE_CASE)
    }
    return own;
}

void drawn_compute(const sight *s)
{
    const drawn_program *p = s->program;
    const drawn_phase *phase = &p->phase[s->phase];
    const heard g = listen(s);
    int states[DRAWN_FIELDS];
    uint32_t pasts[DRAWN_FIELDS];
    for (int f = 0; f < p->fields; f++) {
        if (!has(phase->writes, f)) continue;
        const int own = drawn_state(&p->field[f], s->own[f]) % STATES;
        const int class = (int)(scramble((uint64_t)s->index, p->seed) >> (3 * f) & 7);
        states[f] = follow((rule)phase->kinds[f][class], s, own, &g) % STATES;
        pasts[f] = past_of(&p->field[f], s->own[f]);
        if (states[f] != own) pasts[f] = (uint32_t)scramble(pasts[f] + g.past, (uint64_t)(8 * own + states[f]));
    }
    for (int i = 0; phase->writes_roads && i < s->degree; i++)
        if (g.ones > 0) s->set_road(s, i, (uint8_t)((s->road(s, i) + g.ones) % 4));
    for (int f = 0; f < p->fields; f++) {
        if (!has(phase->writes, f)) continue;
        if (!has(phase->keeps, f)) memcpy(s->next[f], s->own[f], (size_t)p->field[f].size);
        set_state(&p->field[f], s->next[f], states[f]);
        if (p->field[f].past >= 0) memcpy(s->next[f] + p->field[f].past, &pasts[f], sizeof pasts[f]);
    }
}

contribution drawn_contribute(const sight *s)
{
    static const double plain[STATES] = { 0, 0.125, -0.375, 3.0, 0x1p40, -0x1p40, 0x3p-14, -17.0 };
    const drawn_program *p = s->program;
    const int state = drawn_state(&p->field[0], s->own[0]),
              last = drawn_state(&p->field[p->fields - 1], s->own[p->fields - 1]);
    contribution c = { .component = state < 7 ? state % (DRAWN_COMPONENTS + 1) - 1 : 0,
                       .number = (int64_t)(s->index % 5) + 5 * state + last,
                       .weight = state == 7 && p->table % 5 == 0 ? (int64_t)s->ask(s, STEP) + 2 : 1,
                       .adds = state > 0,
                       .real = plain[state % STATES] };
    if (p->table % 3 == 0 && state == 5) c.real = NAN;
    if (p->table % 3 == 1 && state == 5) c.real = INFINITY;
    if (p->table % 3 == 1 && state == 6) c.real = -INFINITY;
    return c;
}

int drawn_distant(const drawn_program *p, int i) { return (int)(scramble((uint64_t)i, 12) % (uint64_t)p->nodes); }
