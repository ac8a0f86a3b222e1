/* battlefield_oracle.h - a battle, serially: plain arrays over the whole field, neighbours by arithmetic of its own,
 * every rule applied in every hex. Of the application it uses the rules of one hex and the scenario, of the library
 * nothing. */
#ifndef BATTLEFIELD_ORACLE_H
#define BATTLEFIELD_ORACLE_H

#include "apps/battlefield/scenario.h"

#include <stdlib.h>
#include <string.h>

typedef struct oracle_totals {
    int64_t assets[SIDES], destroyed[SIDES], units[SIDES], eliminated[SIDES], held[SIDES], in_combat, engaged;
} oracle_totals;

typedef struct oracle_hex {
    int32_t x, y;
    uint8_t terrain;
    presence here, here_next;
    report seen;
    command orders;
    fire fires;
    shells shot;
    relay flying;
    troops own, own_next;
    ledger books, books_next;
    proposals wishes;
    acceptance welcome;
    int32_t next[DIRECTIONS]; /* index, -1 beyond the border */
} oracle_hex;

typedef struct oracle {
    const scenario *plan;
    oracle_hex *hexes;
    int32_t count;
    int64_t step;
    oracle_totals totals;
    int most_units; /* of a side in a hex, ever */
} oracle;

static inline int32_t oracle_index(const scenario *s, int32_t x, int32_t y)
{
    return x < 0 || y < 0 || x >= s->width || y >= s->height ? -1 : y * s->width + x;
}

static inline oracle oracle_create(const scenario *s)
{
    oracle o = { .plan = s, .count = s->width * s->height };
    o.hexes = calloc((size_t)o.count, sizeof *o.hexes);
    for (int32_t i = 0; i < o.count; i++) {
        oracle_hex *h = &o.hexes[i];
        int32_t x = h->x = i % s->width, y = h->y = i / s->width, left = y % 2 ? x : x - 1; /* in the rows beside */
        h->next[0] = oracle_index(s, x + 1, y);
        h->next[1] = oracle_index(s, left + 1, y - 1);
        h->next[2] = oracle_index(s, left, y - 1);
        h->next[3] = oracle_index(s, x - 1, y);
        h->next[4] = oracle_index(s, left, y + 1);
        h->next[5] = oracle_index(s, left + 1, y + 1);
        h->terrain = pen_scenario_terrain(s, (place){ x, y });
        pen_scenario_troops(s, (place){ x, y }, &h->own);
        pen_rules_presence(&h->own, &h->here);
        h->books.holder = pen_scenario_holder(s, (place){ x, y }, &h->own);
    }
    return o;
}

/* name[d]: the neighbour's `member` in direction d, NULL beyond the border. */
#define ORACLE_AROUND(o, h, type, name, member) \
    const type *name[DIRECTIONS];               \
    for (int d_ = 0; d_ < DIRECTIONS; d_++) name[d_] = (h)->next[d_] < 0 ? NULL : &(o)->hexes[(h)->next[d_]].member

#define ORACLE_EACH(o, h) for (oracle_hex *h = (o)->hexes; h < (o)->hexes + (o)->count; h++)

static inline void oracle_fight(oracle *o)
{
    const scenario *s = o->plan;
    ORACLE_EACH (o, h) {
        int32_t hex = (int32_t)(h - o->hexes);
        command scheduled;
        ORACLE_AROUND(o, h, presence, around, here);
        pen_rules_scout(around, &h->seen);
        pen_scenario_command(s, o->step, &scheduled);
        const bool commands[SIDES] = { hex == s->command[RED], hex == s->command[BLUE] };
        pen_rules_command((place){ h->x, h->y }, commands, &h->here, around, &scheduled, &h->orders);
    }
    ORACLE_EACH (o, h) {
        ORACLE_AROUND(o, h, presence, around, here);
        ORACLE_AROUND(o, h, report, reports, seen);
        pen_rules_fire((dice){ s->seed, o->step, (int32_t)(h - o->hexes) }, &h->own, &h->here, around, reports,
                       &h->fires, &h->shot);
    }
    ORACLE_EACH (o, h) {
        ORACLE_AROUND(o, h, shells, around, shot);
        pen_rules_relay(around, &h->flying);
    }
    ORACLE_EACH (o, h) {
        ORACLE_AROUND(o, h, fire, around, fires);
        ORACLE_AROUND(o, h, relay, relays, flying);
        pen_rules_attrition((dice){ s->seed, o->step, (int32_t)(h - o->hexes) }, h->terrain, &h->fires, around, relays,
                            &h->own, &h->books, &h->own_next, &h->books_next);
    }
    ORACLE_EACH (o, h) {
        h->own = h->own_next;
        h->books = h->books_next;
    }
}

static inline void oracle_move(oracle *o)
{
    const scenario *s = o->plan;
    ORACLE_EACH (o, h) {
        const command *orders[SIDES];
        for (int side = 0; side < SIDES; side++)
            orders[side] = s->command[side] == NO_HEX ? NULL : &o->hexes[s->command[side]].orders;
        ORACLE_AROUND(o, h, presence, around, here);
        ORACLE_AROUND(o, h, uint8_t, terrains, terrain);
        pen_rules_propose((dice){ s->seed, o->step, (int32_t)(h - o->hexes) }, (place){ h->x, h->y }, s->width, around,
                          terrains, orders, &h->own, &h->wishes);
    }
    ORACLE_EACH (o, h) {
        ORACLE_AROUND(o, h, proposals, around, wishes);
        pen_rules_accept((dice){ s->seed, o->step, (int32_t)(h - o->hexes) }, &h->own, around, &h->welcome);
    }
    ORACLE_EACH (o, h) {
        ORACLE_AROUND(o, h, acceptance, around, welcome);
        ORACLE_AROUND(o, h, troops, neighbors, own);
        pen_rules_march(h->terrain, &h->wishes, &h->welcome, around, &h->own, neighbors, &h->own_next);
    }
    ORACLE_EACH (o, h) {
        h->own = h->own_next;
        pen_rules_presence(&h->own, &h->here);
        h->books.holder = pen_rules_holder(&h->own, h->books.holder);
    }
}

static inline void oracle_step(oracle *o)
{
    oracle_fight(o);
    oracle_move(o);
    o->step++;
    o->totals = (oracle_totals){ .engaged = 0 };
    ORACLE_EACH (o, h) {
        for (int side = 0; side < SIDES; side++) {
            for (int i = 0; i < h->own.count[side]; i++) o->totals.assets[side] += h->own.units[side][i].assets;
            o->totals.units[side] += h->own.count[side];
            o->totals.destroyed[side] += h->books.destroyed[side];
            o->totals.eliminated[side] += h->books.eliminated[side];
            o->totals.held[side] += h->books.holder == side;
            if (h->own.count[side] > o->most_units) o->most_units = h->own.count[side];
        }
        o->totals.in_combat += h->books.engaged > 0;
        o->totals.engaged += h->books.engaged;
    }
}

static inline void oracle_free(oracle *o) { free(o->hexes); }

#endif
