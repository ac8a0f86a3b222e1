/* rules.c - the rules of combat. */
#include "apps/battlefield/rules.h"

#include <penumbra_random.h>
#include <stdlib.h>
#include <string.h>

const char *const pen_side_names[SIDES] = { "red", "blue" };
const char *const pen_type_names[TYPES] = { "armour", "infantry", "artillery" };
const char *const pen_terrain_names[TERRAINS] = { "clear", "road", "forest", "hill", "marsh", "town", "water" };

static const struct {
    int fire;       /* assets that 1000 assets of the type destroy in a step, on average */
    int speed;      /* movement points that a unit saves up in a step */
    int vulnerable; /* percentage of the fire at the unit that takes effect */
    int press;      /* percentage of steps in which an engaged unit moves */
} types[TYPES] = {
    [ARMOUR] = { 8, 4, 60, 14 },
    [INFANTRY] = { 4, 2, 100, 10 },
    [ARTILLERY] = { 6, 2, 150, 4 },
};

static const struct {
    int cost;  /* movement points needed to enter; 0: impassable */
    int cover; /* percentage of the fire that has no effect */
} terrains_table[TERRAINS] = {
    [CLEAR] = { 3, 0 },  [ROAD] = { 2, 0 },  [FOREST] = { 5, 35 }, [HILL] = { 6, 25 },
    [MARSH] = { 8, 10 }, [TOWN] = { 3, 50 }, [WATER] = { 0, 0 },
};

enum { MOST_POINTS = 10 }; /* the largest number of saved points, enough for any terrain */
enum { MELEE = 4 };        /* the weight of enemies in the same hex, relative to those in neighbouring hexes */

/* ---- Places --------------------------------------------------------------------------------- */

place pen_place_next(place from, int direction)
{
    int odd = from.y & 1;
    switch (direction) {
    case 0: return (place){ from.x + 1, from.y };
    case 1: return (place){ from.x + odd, from.y - 1 };
    case 2: return (place){ from.x + odd - 1, from.y - 1 };
    case 3: return (place){ from.x - 1, from.y };
    case 4: return (place){ from.x + odd - 1, from.y + 1 };
    default: return (place){ from.x + odd, from.y + 1 };
    }
}

/* The distance in axial coordinates, q = x - floor(y / 2), r = y. */
int32_t pen_place_distance(place a, place b)
{
    int32_t q = (a.x - (a.y >> 1)) - (b.x - (b.y >> 1)), r = a.y - b.y;
    int32_t across = abs(q + r), longest = abs(q) > abs(r) ? abs(q) : abs(r);
    return across > longest ? across : longest;
}

/* ---- Random numbers ------------------------------------------------------------------------- */

enum { LUCK, ROUND_POWER, VICTIM, ROUND_DAMAGE, PRESS, CHOOSE, LOT };

uint64_t pen_dice_roll(dice at, int purpose, int32_t subject)
{
    uint64_t moment = pen_mix(pen_mix(at.seed) ^ (uint64_t)at.step);
    return pen_mix(pen_mix(moment ^ (uint64_t)at.hex) ^ ((uint64_t)purpose << 32 | (uint32_t)subject));
}

/* Compute numerator / denominator, rounded up or down at random, so that the mean is exact. */
static int divide(int64_t numerator, int64_t denominator, uint64_t chance)
{
    return (int)((numerator + (int64_t)(chance % (uint64_t)denominator)) / denominator);
}

/* ---- Presence and reports ------------------------------------------------------------------- */

void pen_rules_presence(const troops *own, presence *out)
{
    for (int side = 0; side < SIDES; side++) {
        int32_t sum = 0;
        for (int i = 0; i < own->count[side]; i++) sum += own->units[side][i].assets;
        out->assets[side] = (uint16_t)sum;
        out->units[side] = own->count[side];
    }
}

void pen_rules_scout(const presence *const around[DIRECTIONS], report *out)
{
    out->crowded = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        out->crowded |= around[d] && (around[d]->units[RED] || around[d]->units[BLUE]);
        for (int side = 0; side < SIDES; side++) out->assets[side][d] = around[d] ? around[d]->assets[side] : 0;
    }
}

void pen_rules_command(place here, const bool is_command[SIDES], const presence *own,
                       const presence *const around[DIRECTIONS], const command *scheduled, command *out)
{
    for (int side = 0; side < SIDES; side++) {
        int enemy = 1 - side;
        bool threatened = own->units[enemy] > 0;
        for (int d = 0; d < DIRECTIONS; d++) threatened = threatened || (around[d] && around[d]->units[enemy] > 0);
        bool lost = own->units[enemy] > 0 && own->units[side] == 0;
        out->given[side] = 0;
        if (!is_command[side] || lost) continue;
        out->given[side] = threatened ? (1 << FORMATIONS) - 1 : scheduled->given[side];
        for (int f = 0; f < FORMATIONS; f++) {
            if (threatened) out->objective[side][f] = (zone){ here, here };
            else if (scheduled->given[side] >> f & 1) out->objective[side][f] = scheduled->objective[side][f];
        }
    }
}

/* ---- Fire ----------------------------------------------------------------------------------- */

/* Divide `power` among `count` targets by their weights; `total` > 0 is the sum of the weights. */
static void share(int power, const int64_t *weights, int count, int64_t total, int *parts)
{
    int64_t before = 0;
    for (int i = 0; i < count; i++) {
        int64_t begin = power * before / total;
        before += weights[i];
        parts[i] = (int)(power * before / total - begin);
    }
}

static int64_t sum(const int64_t *weights, int count)
{
    int64_t total = 0;
    for (int i = 0; i < count; i++) total += weights[i];
    return total;
}

static int fire_power(dice at, const unit *u)
{
    int64_t power = (int64_t)u->assets * types[u->type].fire;
    int64_t lucky = power * (int64_t)(512 + pen_dice_roll(at, LUCK, u->id) % 1025) /
                    1024; /* the factor is between a half and one and a half */
    return divide(lucky, 1000, pen_dice_roll(at, ROUND_POWER, u->id));
}

void pen_rules_fire(dice at, const troops *own, const presence *here, const presence *const around[DIRECTIONS],
                    const report *const reports[DIRECTIONS], fire *out, shells *far_out)
{
    out->firing[RED] = out->firing[BLUE] = 0;
    far_out->any = 0;
    for (int side = 0; side < SIDES; side++) {
        if (own->count[side] == 0) continue;
        int enemy = 1 - side, parts[2 * DIRECTIONS];
        int64_t near[DIRECTIONS + 1], far[2 * DIRECTIONS];
        for (int d = 0; d < DIRECTIONS; d++) {
            near[d] = around[d] ? around[d]->assets[enemy] : 0;
            for (int turn = 0; turn < 2; turn++)
                far[2 * d + turn] = reports[d] ? reports[d]->assets[enemy][(d + turn) % DIRECTIONS] : 0;
        }
        near[OWN] = MELEE * (int64_t)here->assets[enemy];
        int64_t near_total = sum(near, DIRECTIONS + 1), far_total = near_total > 0 ? 0 : sum(far, 2 * DIRECTIONS);
        for (int i = 0; i < own->count[side]; i++) {
            const unit *u = &own->units[side][i];
            bool shells_fly = far_total > 0 && u->type == ARTILLERY;
            if (near_total == 0 && !shells_fly) continue;
            int power = fire_power(at, u);
            out->firing[side] |= (uint8_t)(1 << i);
            memset(out->destroyed[side][i], 0, sizeof out->destroyed[side][i]);
            if (!shells_fly) {
                share(power, near, DIRECTIONS + 1, near_total, parts);
                for (int d = 0; d <= DIRECTIONS; d++) out->destroyed[side][i][d] = (int16_t)parts[d];
                continue;
            }
            if (!far_out->any) memset(far_out->destroyed, 0, sizeof far_out->destroyed);
            far_out->any = 1;
            share(power, far, 2 * DIRECTIONS, far_total, parts);
            for (int k = 0; k < 2 * DIRECTIONS; k++)
                far_out->destroyed[side][k / 2][k % 2] = (int16_t)(far_out->destroyed[side][k / 2][k % 2] + parts[k]);
        }
    }
}

void pen_rules_relay(const shells *const around[DIRECTIONS], relay *out)
{
    out->any = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (!around[d] || !around[d]->any) continue;
        if (!out->any) memset(out->destroyed, 0, sizeof out->destroyed);
        out->any = 1;
        int flying = opposite(d); /* direction in which shells from the neighbour in direction d fly */
        for (int side = 0; side < SIDES; side++)
            for (int turn = 0; turn < 2; turn++) {
                int16_t *onward = &out->destroyed[side][(flying + turn) % DIRECTIONS];
                *onward = (int16_t)(*onward + around[d]->destroyed[side][flying][turn]);
            }
    }
}

/* ---- Attrition ------------------------------------------------------------------------------ */

/* The units of one side of a hex under fire. */
typedef struct victims {
    unit *units;
    int count, cover;
    int32_t destroyed;
} victims;

/* Let fire from one source hit one unit that still has assets; the sources of a hex and step are numbered. */
static void hit(dice at, victims *v, int amount, int32_t source)
{
    if (amount == 0) return;
    int first = v->count ? (int)(pen_dice_roll(at, VICTIM, source) % (uint64_t)v->count) : 0;
    for (int k = 0; k < v->count; k++) {
        unit *u = &v->units[(first + k) % v->count];
        if (u->assets == 0) continue;
        int64_t effect = (int64_t)amount * (100 - v->cover) * types[u->type].vulnerable;
        int loss = divide(effect, 10000, pen_dice_roll(at, ROUND_DAMAGE, source));
        if (loss > u->assets) loss = u->assets;
        u->assets -= loss;
        u->state |= ENGAGED;
        v->destroyed += loss;
        return;
    }
}

static void hit_by_units(dice at, victims *v, const fire *from, int enemy, int direction, int32_t source)
{
    for (int i = 0; i < CAPACITY; i++)
        if (from->firing[enemy] >> i & 1) hit(at, v, from->destroyed[enemy][i][direction], source + i);
}

void pen_rules_attrition(dice at, int terrain, const fire *here, const fire *const around[DIRECTIONS],
                         const relay *const relays[DIRECTIONS], const troops *own, const ledger *books, troops *out,
                         ledger *books_out)
{
    *books_out = *books;
    books_out->engaged = 0;
    for (int side = 0; side < SIDES; side++) {
        int enemy = 1 - side, count = own->count[side];
        unit *units = out->units[side];
        for (int i = 0; i < count; i++) {
            units[i] = own->units[side][i];
            units[i].state = (uint8_t)((units[i].state & ~ENGAGED) | (here->firing[side] >> i & 1 ? ENGAGED : 0));
        }
        victims v = { units, count, terrains_table[terrain].cover, 0 };
        int32_t source = side * 1000;
        hit_by_units(at, &v, here, enemy, OWN, source);
        for (int d = 0; d < DIRECTIONS; d++) {
            source += CAPACITY + 1;
            if (around[d]) hit_by_units(at, &v, around[d], enemy, opposite(d), source);
            if (relays[d] && relays[d]->any) hit(at, &v, relays[d]->destroyed[enemy][opposite(d)], source + CAPACITY);
        }
        int left = 0;
        for (int i = 0; i < count; i++) {
            books_out->engaged = (uint8_t)(books_out->engaged + (units[i].state & ENGAGED ? 1 : 0));
            if (units[i].assets > 0) units[left++] = units[i];
        }
        out->count[side] = (uint8_t)left;
        books_out->destroyed[side] += v.destroyed;
        books_out->eliminated[side] += count - left;
    }
}

/* ---- Movement ------------------------------------------------------------------------------- */

/* Choose the best direction that leads nearer to the objective; sideways if none is open, or if the unit was
 * blocked. */
static int choose_direction(dice at, const unit *u, int side, place here, place goal,
                            const presence *const around[DIRECTIONS], const uint8_t *const terrains[DIRECTIONS])
{
    int32_t distance = pen_place_distance(here, goal), best = INT32_MAX;
    int direction = NOWHERE;
    uint64_t taste = pen_dice_roll(at, CHOOSE, u->id);
    for (int sideways = u->state & BLOCKED ? 1 : 0; sideways < 2 && direction == NOWHERE; sideways++)
        for (int d = 0; d < DIRECTIONS; d++) {
            if (!around[d] || around[d]->units[side] >= CAPACITY || terrains_table[*terrains[d]].cost == 0) continue;
            int32_t then = pen_place_distance(pen_place_next(here, d), goal);
            int32_t score = 16 * then + terrains_table[*terrains[d]].cost + 4 * around[d]->units[side] +
                            (int32_t)(taste >> (8 * d) & 3);
            if (then >= distance + sideways || score >= best) continue;
            best = score;
            direction = d;
        }
    return direction;
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    if (value < low) return low;
    return value > high ? high : value;
}

void pen_rules_propose(dice at, place here, int32_t width, const presence *const around[DIRECTIONS],
                       const uint8_t *const terrains[DIRECTIONS], const command *const orders[SIDES], troops *units,
                       proposals *out)
{
    for (int side = 0; side < SIDES; side++) {
        out->count[side] = 0;
        for (int i = 0; i < units->count[side]; i++) {
            unit *u = &units->units[side][i];
            if (orders[side] && orders[side]->given[side] >> u->formation & 1) {
                const zone *there = &orders[side]->objective[side][u->formation];
                u->objective = clamp(here.y, there->from.y, there->to.y) * width +
                               clamp(here.x, there->from.x, there->to.x);
            }
            int points = u->points + types[u->type].speed;
            u->points = (uint8_t)(points < MOST_POINTS ? points : MOST_POINTS);
            out->direction[side][i] = NOWHERE;
            if (u->objective == NO_HEX || u->objective == at.hex) continue;
            if (u->state & ENGAGED && (int)(pen_dice_roll(at, PRESS, u->id) % 100) >= types[u->type].press) continue;
            place goal = { u->objective % width, u->objective / width };
            int direction = choose_direction(at, u, side, here, goal, around, terrains);
            if (direction == NOWHERE || u->points < terrains_table[*terrains[direction]].cost) continue;
            out->direction[side][i] = (uint8_t)direction;
            out->count[side] = units->count[side];
        }
    }
}

/* A candidate for a place, and its random lot. */
typedef struct candidate {
    uint64_t lot;
    int direction, slot;
} candidate;

void pen_rules_accept(dice at, const troops *own, const proposals *const around[DIRECTIONS], acceptance *out)
{
    memset(out, 0, sizeof *out);
    for (int side = 0; side < SIDES; side++) {
        candidate candidates[DIRECTIONS * CAPACITY];
        int count = 0, room = CAPACITY - own->count[side];
        for (int d = 0; d < DIRECTIONS; d++)
            for (int i = 0; around[d] && i < around[d]->count[side]; i++)
                if (around[d]->direction[side][i] == opposite(d))
                    candidates[count++] = (candidate){ pen_dice_roll(at, LOT, (side * DIRECTIONS + d) * CAPACITY + i),
                                                       d, i };
        for (; room > 0 && count > 0; room--) {
            int first = 0;
            for (int k = 1; k < count; k++)
                if (candidates[k].lot < candidates[first].lot) first = k;
            out->units[side][candidates[first].direction] |= (uint8_t)(1 << candidates[first].slot);
            candidates[first] = candidates[--count];
        }
    }
}

static void arrive(troops *out, int side, unit u)
{
    int at = out->count[side]++;
    for (; at > 0 && out->units[side][at - 1].id > u.id; at--) out->units[side][at] = out->units[side][at - 1];
    out->units[side][at] = u;
}

void pen_rules_march(int terrain, const proposals *wishes, const acceptance *here,
                     const acceptance *const around[DIRECTIONS], const troops *own,
                     const troops *const neighbors[DIRECTIONS], troops *out)
{
    for (int side = 0; side < SIDES; side++) {
        out->count[side] = 0;
        for (int i = 0; i < own->count[side]; i++) {
            unit u = own->units[side][i];
            int d = wishes->count[side] > 0 ? wishes->direction[side][i] : NOWHERE;
            if (d != NOWHERE && around[d]->units[side][opposite(d)] >> i & 1) continue;
            u.state = (uint8_t)((u.state & ~BLOCKED) | (d != NOWHERE ? BLOCKED : 0));
            out->units[side][out->count[side]++] = u;
        }
        for (int d = 0; d < DIRECTIONS; d++)
            for (int i = 0; i < CAPACITY; i++) {
                if (!(here->units[side][d] >> i & 1)) continue;
                unit u = neighbors[d]->units[side][i];
                u.points = (uint8_t)(u.points - terrains_table[terrain].cost);
                u.state &= (uint8_t)~BLOCKED;
                arrive(out, side, u);
            }
    }
}

uint8_t pen_rules_holder(const troops *own, uint8_t before)
{
    if (own->count[RED] > 0 && own->count[BLUE] == 0) return RED;
    if (own->count[BLUE] > 0 && own->count[RED] == 0) return BLUE;
    return before;
}
