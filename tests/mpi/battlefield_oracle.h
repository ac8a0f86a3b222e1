/* battlefield_oracle.h - a serial battle, played like a board game: a list of all units, which shoot at hexes and walk
 * from hex to hex, with its own neighbours, distances, dice and tables. It uses the application's scenario and types of
 * records, but neither its rules of a hex (rules.c) nor the library. */
#pragma once

#include "apps/battlefield/scenario.h"

#include <stdlib.h>
#include <string.h>

typedef struct oracle_totals {
    int64_t assets[SIDES], destroyed[SIDES], units[SIDES], eliminated[SIDES], held[SIDES], in_combat, engaged;
} oracle_totals;

typedef struct oracle_unit {
    unit is;
    int side, hex; /* NO_HEX: eliminated */
    int slot;      /* among those of its side and hex, by id */
    int toward;    /* direction in which it wants to leave, or NOWHERE */
    uint64_t lot;  /* for the place it wants */
} oracle_unit;

/* The sources of fire at a hex, in this order: its own units; the units of the neighbour in each direction d; and the
 * artillery behind that neighbour, as one source. */
enum { SOURCES = (1 + DIRECTIONS) * (CAPACITY + 1) };
static inline int oracle_source(int direction, int slot)
{
    return (direction == OWN ? 0 : direction + 1) * (CAPACITY + 1) + slot;
}

typedef struct oracle_hex {
    int32_t x, y;
    uint8_t terrain;
    int32_t next[DIRECTIONS];       /* index, -1 beyond the border */
    int32_t assets[SIDES];          /* when the step begins */
    int number[SIDES], left[SIDES]; /* of units: when the step begins, behind the fire */
    int incoming[SIDES][SOURCES];   /* fire on that side */
    /* How it stands, for comparison. */
    troops own;
    presence here;
    ledger books;
} oracle_hex;

typedef struct oracle {
    const scenario *plan;
    oracle_hex *hexes;
    oracle_unit *units; /* ascending by id */
    int32_t count, unit_count;
    int64_t step;
    oracle_totals totals;
    int most_units; /* of a side in a hex, ever */
} oracle;

/* armour, infantry, artillery */
static const int oracle_fire[TYPES] = { 8, 4, 6 }, oracle_speed[TYPES] = { 4, 2, 2 };
static const int oracle_vulnerable[TYPES] = { 60, 100, 150 }, oracle_press[TYPES] = { 14, 10, 4 };
/* clear, road, forest, hill, marsh, town, water */
static const int oracle_cost[TERRAINS] = { 3, 2, 5, 6, 8, 3, 0 }, oracle_cover[TERRAINS] = { 0, 0, 35, 25, 10, 50, 0 };

/* ---- Dice and distances --------------------------------------------------------------------- */

enum { DICE_LUCK, DICE_POWER, DICE_VICTIM, DICE_DAMAGE, DICE_PRESS, DICE_TASTE, DICE_LOT };

/* SplitMix64's output for a state. */
static inline uint64_t oracle_mix(uint64_t state)
{
    uint64_t z = state + UINT64_C(0x9e3779b97f4a7c15);
    z ^= z >> 30;
    z *= UINT64_C(0xbf58476d1ce4e5b9);
    z ^= z >> 27;
    z *= UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t oracle_roll(const oracle *o, int hex, int purpose, int subject)
{
    uint64_t word = oracle_mix(oracle_mix(oracle_mix(o->plan->seed) ^ (uint64_t)o->step) ^ (uint64_t)hex);
    return oracle_mix(word ^ ((uint64_t)purpose << 32) ^ (uint64_t)subject);
}

/* In columns of half a hex a step along a row is two, a step to another row one. */
static inline int oracle_distance(const oracle_hex *a, int32_t x, int32_t y)
{
    int across = abs(2 * a->x + (a->y & 1) - 2 * x - (y & 1)), down = abs(a->y - y);
    return across > down ? down + (across - down) / 2 : down;
}

/* ---- The beginning -------------------------------------------------------------------------- */

static inline int oracle_by_id(const void *a, const void *b)
{
    int32_t left = ((const oracle_unit *)a)->is.id, right = ((const oracle_unit *)b)->is.id;
    return (left > right) - (left < right);
}

/* The positions of units: slots, sums, and the records in the application's form. */
static inline void oracle_line_up(oracle *o)
{
    for (oracle_hex *h = o->hexes; h < o->hexes + o->count; h++) {
        memset(&h->own, 0, sizeof h->own);
        memset(&h->here, 0, sizeof h->here);
        memset(h->assets, 0, sizeof h->assets);
        memset(h->number, 0, sizeof h->number);
    }
    for (oracle_unit *u = o->units; u < o->units + o->unit_count; u++) {
        if (u->hex == NO_HEX) continue;
        oracle_hex *h = &o->hexes[u->hex];
        u->slot = h->number[u->side]++;
        h->assets[u->side] += u->is.assets;
        if (h->number[u->side] > o->most_units) o->most_units = h->number[u->side];
        if (u->slot >= CAPACITY) continue; /* the test looks at most_units */
        h->own.units[u->side][u->slot] = u->is;
        h->own.count[u->side] = h->here.units[u->side] = (uint8_t)h->number[u->side];
        h->here.assets[u->side] = (uint16_t)h->assets[u->side];
    }
}

static inline oracle oracle_create(const scenario *s)
{
    oracle o = { .plan = s, .count = s->width * s->height };
    o.hexes = calloc((size_t)o.count, sizeof *o.hexes);
    o.units = calloc((size_t)(s->units[RED] + s->units[BLUE]) + 1, sizeof *o.units);
    for (int32_t i = 0; i < o.count; i++) {
        oracle_hex *h = &o.hexes[i];
        int32_t x = h->x = i % s->width, y = h->y = i / s->width, left = y % 2 ? x : x - 1; /* in the rows beside */
        const int32_t around[DIRECTIONS][2] = { { x + 1, y }, { left + 1, y - 1 }, { left, y - 1 },
                                                { x - 1, y }, { left, y + 1 },     { left + 1, y + 1 } };
        for (int d = 0; d < DIRECTIONS; d++) {
            int32_t nx = around[d][0], ny = around[d][1];
            h->next[d] = nx < 0 || ny < 0 || nx >= s->width || ny >= s->height ? -1 : ny * s->width + nx;
        }
        h->terrain = pen_scenario_terrain(s, (place){ x, y });
        troops own;
        pen_scenario_troops(s, (place){ x, y }, &own);
        h->books.holder = pen_scenario_holder(s, (place){ x, y }, &own);
        for (int side = 0; side < SIDES; side++)
            for (int k = 0; k < own.count[side]; k++)
                o.units[o.unit_count++] = (oracle_unit){ .is = own.units[side][k], .side = side, .hex = i };
    }
    qsort(o.units, (size_t)o.unit_count, sizeof *o.units, oracle_by_id);
    oracle_line_up(&o);
    return o;
}

/* ---- Fire ----------------------------------------------------------------------------------- */

/* Hexes to shoot at, how much each draws, and as which source the fire arrives there. */
typedef struct oracle_targets {
    int count, hex[2 * DIRECTIONS], source[2 * DIRECTIONS];
    int64_t weight[2 * DIRECTIONS], total;
} oracle_targets;

static inline void oracle_aim(const oracle *o, oracle_targets *t, int enemy, int hex, int times, int source)
{
    t->hex[t->count] = hex;
    t->source[t->count] = source;
    t->weight[t->count] = (int64_t)times * o->hexes[hex].assets[enemy];
    t->total += t->weight[t->count++];
}

static inline void oracle_shoot(oracle *o, oracle_unit *u)
{
    const oracle_hex *h = &o->hexes[u->hex];
    int enemy = !u->side;
    oracle_targets t = { .count = 0 };
    for (int d = 0; d < DIRECTIONS; d++)
        if (h->next[d] >= 0) oracle_aim(o, &t, enemy, h->next[d], 1, oracle_source((d + 3) % 6, u->slot));
    oracle_aim(o, &t, enemy, u->hex, 4, oracle_source(OWN, u->slot));
    if (t.total == 0 && u->is.type == ARTILLERY) { /* two away: straight on, or once to the left */
        t.count = 0;
        for (int d = 0; d < DIRECTIONS; d++)
            for (int turned = d; turned <= d + 1 && h->next[d] >= 0; turned++) {
                int over = o->hexes[h->next[d]].next[turned % 6];
                if (over >= 0) oracle_aim(o, &t, enemy, over, 1, oracle_source((turned + 3) % 6, CAPACITY));
            }
    }
    if (t.total == 0) return;
    u->is.state |= ENGAGED;
    int64_t power = (int64_t)u->is.assets * oracle_fire[u->is.type];
    power = power * (int64_t)(512 + oracle_roll(o, u->hex, DICE_LUCK, u->is.id) % 1025) / 1024;
    power = (power + (int64_t)(oracle_roll(o, u->hex, DICE_POWER, u->is.id) % 1000)) / 1000;
    int64_t drawn = 0, given = 0;
    for (int k = 0; k < t.count; k++) {
        drawn += t.weight[k];
        int64_t part = power * drawn / t.total - given;
        given += part;
        o->hexes[t.hex[k]].incoming[enemy][t.source[k]] += (int)part;
    }
}

static inline void oracle_hit(oracle *o, int hex, int side, oracle_unit **victims, int count)
{
    oracle_hex *h = &o->hexes[hex];
    for (int source = 0; source < SOURCES; source++) {
        int64_t amount = h->incoming[side][source];
        int subject = side * 1000 + source;
        if (amount == 0) continue;
        uint64_t first = oracle_roll(o, hex, DICE_VICTIM, subject) % (uint64_t)count;
        for (int k = 0; k < count; k++) {
            unit *u = &victims[(first + (uint64_t)k) % (uint64_t)count]->is;
            if (u->assets == 0) continue;
            int64_t loss = amount * (100 - oracle_cover[h->terrain]) * oracle_vulnerable[u->type];
            loss = (loss + (int64_t)(oracle_roll(o, hex, DICE_DAMAGE, subject) % 10000)) / 10000;
            if (loss > u->assets) loss = u->assets;
            u->assets -= (int32_t)loss;
            u->state |= ENGAGED;
            h->books.destroyed[side] += (int32_t)loss;
            break;
        }
    }
}

static inline void oracle_fight(oracle *o)
{
    oracle_unit **stand = malloc((size_t)o->count * SIDES * CAPACITY * sizeof *stand); /* [hex][side][slot] */
    for (int i = 0; i < o->count; i++) {
        memset(o->hexes[i].incoming, 0, sizeof o->hexes[i].incoming);
        o->hexes[i].books.engaged = 0;
    }
    for (oracle_unit *u = o->units; u < o->units + o->unit_count; u++) {
        if (u->hex == NO_HEX) continue;
        u->is.state &= (uint8_t)~ENGAGED;
        stand[(u->hex * SIDES + u->side) * CAPACITY + u->slot] = u;
        oracle_shoot(o, u);
    }
    for (int i = 0; i < o->count; i++)
        for (int side = 0; side < SIDES; side++) {
            oracle_hex *h = &o->hexes[i];
            int standing = h->number[side];
            oracle_unit **victims = &stand[(i * SIDES + side) * CAPACITY];
            if (standing > 0) oracle_hit(o, i, side, victims, standing);
            h->left[side] = 0;
            for (int k = 0; k < standing; k++) {
                oracle_unit *u = victims[k];
                h->books.engaged = (uint8_t)(h->books.engaged + (u->is.state & ENGAGED));
                h->books.eliminated[side] += u->is.assets == 0;
                if (u->is.assets == 0) u->hex = NO_HEX;
                if (u->is.assets > 0) u->slot = h->left[side]++;
            }
        }
    free(stand);
}

/* ---- Movement ------------------------------------------------------------------------------- */

/* The orders of a side's formations, as long as its command hex is not lost. */
static inline void oracle_command(const oracle *o, int side, command *heard)
{
    int hex = o->plan->command[side];
    pen_scenario_command(o->plan, o->step, heard);
    if (hex == NO_HEX) heard->given[side] = 0;
    if (hex == NO_HEX) return;
    const oracle_hex *h = &o->hexes[hex];
    int enemies = h->number[!side];
    for (int d = 0; d < DIRECTIONS; d++)
        if (h->next[d] >= 0) enemies += o->hexes[h->next[d]].number[!side];
    if (h->number[!side] > 0 && h->number[side] == 0) {
        heard->given[side] = 0;
    } else if (enemies > 0) {
        heard->given[side] = (1 << FORMATIONS) - 1;
        for (int f = 0; f < FORMATIONS; f++) heard->objective[side][f] = (zone){ { h->x, h->y }, { h->x, h->y } };
    }
}

static inline int32_t oracle_between(int32_t low, int32_t value, int32_t high)
{
    if (value < low) return low;
    return value > high ? high : value;
}

/* The direction that a unit likes best of those that lead nearer, or at least not away. */
static inline int oracle_way(const oracle *o, const oracle_unit *u, bool not_away)
{
    const oracle_hex *h = &o->hexes[u->hex];
    int32_t x = u->is.objective % o->plan->width, y = u->is.objective / o->plan->width;
    uint64_t taste = oracle_roll(o, u->hex, DICE_TASTE, u->is.id);
    int best = NOWHERE, least = 0;
    for (int d = 0; d < DIRECTIONS; d++, taste >>= 8) {
        if (h->next[d] < 0) continue;
        const oracle_hex *n = &o->hexes[h->next[d]];
        int gain = oracle_distance(h, x, y) - oracle_distance(n, x, y);
        if (n->number[u->side] >= CAPACITY || n->terrain == WATER || gain < (not_away ? 0 : 1)) continue;
        int dislike = 16 * oracle_distance(n, x, y) + oracle_cost[n->terrain] + 4 * n->number[u->side] +
                      (int)(taste % 4);
        if (best != NOWHERE && dislike >= least) continue;
        best = d;
        least = dislike;
    }
    return best;
}

static inline void oracle_wish(const oracle *o, oracle_unit *u, const command *heard)
{
    const oracle_hex *h = &o->hexes[u->hex];
    u->toward = NOWHERE;
    if (heard->given[u->side] & 1 << u->is.formation) {
        const zone *z = &heard->objective[u->side][u->is.formation];
        u->is.objective = oracle_between(z->from.y, h->y, z->to.y) * o->plan->width +
                          oracle_between(z->from.x, h->x, z->to.x);
    }
    u->is.points = (uint8_t)oracle_between(0, u->is.points + oracle_speed[u->is.type], 10);
    if (u->is.objective == NO_HEX || u->is.objective == u->hex) return;
    bool presses_on = (int)(oracle_roll(o, u->hex, DICE_PRESS, u->is.id) % 100) < oracle_press[u->is.type];
    if (u->is.state & ENGAGED && !presses_on) return;
    int way = NOWHERE;
    if (!(u->is.state & BLOCKED)) way = oracle_way(o, u, false);
    if (way == NOWHERE) way = oracle_way(o, u, true);
    if (way == NOWHERE || u->is.points < oracle_cost[o->hexes[h->next[way]].terrain]) return;
    u->toward = way;
    u->lot = oracle_roll(o, h->next[way], DICE_LOT, (u->side * DIRECTIONS + (way + 3) % 6) * CAPACITY + u->slot);
}

static inline void oracle_move(oracle *o)
{
    command heard[SIDES];
    oracle_unit *end = o->units + o->unit_count;
    for (int side = 0; side < SIDES; side++) oracle_command(o, side, &heard[side]);
    for (oracle_unit *u = o->units; u < end; u++)
        if (u->hex != NO_HEX) oracle_wish(o, u, &heard[u->side]);
    int32_t *goes = malloc((size_t)o->unit_count * sizeof *goes + 1);
    for (oracle_unit *u = o->units; u < end; u++) {
        int32_t *to = &goes[u - o->units];
        *to = u->hex == NO_HEX || u->toward == NOWHERE ? NO_HEX : o->hexes[u->hex].next[u->toward];
    }
    for (oracle_unit *u = o->units; u < end; u++) {
        int32_t to = goes[u - o->units];
        if (u->hex == NO_HEX) continue;
        u->is.state &= (uint8_t)~BLOCKED;
        if (to == NO_HEX) continue;
        int before = 0; /* who want the same place, and have the better lot */
        for (const oracle_unit *v = o->units; v < end; v++)
            before += goes[v - o->units] == to && v->side == u->side && v->lot < u->lot;
        if (before < CAPACITY - o->hexes[to].left[u->side]) {
            u->hex = to;
            u->is.points = (uint8_t)(u->is.points - oracle_cost[o->hexes[to].terrain]);
        } else {
            u->is.state |= BLOCKED;
        }
    }
    free(goes);
}

/* ---- A step --------------------------------------------------------------------------------- */

static inline void oracle_step(oracle *o)
{
    oracle_fight(o);
    oracle_move(o);
    oracle_line_up(o);
    o->step++;
    o->totals = (oracle_totals){ .engaged = 0 };
    for (oracle_hex *h = o->hexes; h < o->hexes + o->count; h++) {
        for (int side = 0; side < SIDES; side++) {
            if (h->number[side] > 0 && h->number[!side] == 0) h->books.holder = (uint8_t)side;
            o->totals.assets[side] += h->assets[side];
            o->totals.units[side] += h->number[side];
            o->totals.destroyed[side] += h->books.destroyed[side];
            o->totals.eliminated[side] += h->books.eliminated[side];
        }
        for (int side = 0; side < SIDES; side++) o->totals.held[side] += h->books.holder == side;
        o->totals.in_combat += h->books.engaged > 0;
        o->totals.engaged += h->books.engaged;
    }
}

static inline void oracle_free(oracle *o)
{
    free(o->hexes);
    free(o->units);
}
