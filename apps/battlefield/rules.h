/* rules.h - the rules of combat: a hex decides from its own records and those of its six neighbours.
 *
 * Pure functions of their arguments on small structs, independent of Penumbra, of ranks and of phases. All quantities
 * are integers, and chance is a hash of (seed, step, hex, subject), so that results do not depend on the rank that
 * computes them or on the order.
 *
 * A step, as battlefield.c runs it; each phase reads what the neighbours published in earlier ones:
 *
 *     scout      presence of the neighbours           -> report, command
 *     fire       presence, report of the neighbours   -> fire, shells
 *     relay      shells of the neighbours             -> relay
 *     attrition  fire, relay of the neighbours        -> troops, ledger
 *     propose    terrain, presence; command (far)     -> troops, proposals
 *     accept     proposals of the neighbours          -> acceptance
 *     march      acceptance, troops of the neighbours -> troops, presence, ledger
 *
 * Neighbours are given by direction: `around[d]` is the record of the hex in direction d, NULL beyond the border.
 * Directions: 0 east, then counter-clockwise (1 north-east, 2 north-west, ...); OWN is the hex itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RED, BLUE, SIDES };
enum { ARMOUR, INFANTRY, ARTILLERY, TYPES };
enum { CLEAR, ROAD, FOREST, HILL, MARSH, TOWN, WATER, TERRAINS };
enum { DIRECTIONS = 6, OWN = 6, NOWHERE = 7 };
enum { CAPACITY = 6 };        /* largest number of units of one side in one hex */
enum { FORMATIONS = 4 };      /* number of formations of one side; each has its own objective */
enum { MOST_ASSETS = 10000 }; /* largest number of assets of one unit, so that a hex's sum fits 16 bits */
enum { NO_HEX = -1 };

extern const char *const pen_side_names[SIDES], *const pen_type_names[TYPES], *const pen_terrain_names[TERRAINS];

/* ---- Records -------------------------------------------------------------------------------- */

/* The column and row of a hex, hex = y * width + x. Odd rows are shifted right by half a hexagon. */
typedef struct place {
    int32_t x, y;
} place;

typedef struct unit {
    int32_t id;        /* number of the unit, unique */
    int32_t assets;    /* number of assets, > 0 */
    int32_t objective; /* the destination, the nearest hex of the zone that is the objective; or NO_HEX */
    uint8_t type, formation;
    uint8_t points; /* saved movement points */
    uint8_t state;  /* bits ENGAGED and BLOCKED */
} unit;

enum {
    ENGAGED = 1, /* the unit fired in this step, or was hit */
    BLOCKED = 2  /* the unit's proposal in the previous step was not accepted */
};

/* Records with a list, like this one, begin with its length. The rest of the record is not written, so that the many
 * quiet hexes touch little memory, and must not be read. */
typedef struct troops {
    uint8_t count[SIDES];
    unit units[SIDES][CAPACITY]; /* units of each side, ascending by id */
} troops;

typedef struct presence {
    uint16_t assets[SIDES];
    uint8_t units[SIDES];
} presence;

/* The units around a hex, for artillery that is two hexes away. */
typedef struct report {
    uint8_t crowded; /* some neighbour has units */
    uint16_t assets[SIDES][DIRECTIONS];
} report;

/* Assets that unit i destroys in direction j, before cover. */
typedef struct fire {
    uint8_t firing[SIDES]; /* a bit for each unit that fires; entries of other units are not written */
    int16_t destroyed[SIDES][CAPACITY][DIRECTIONS + 1];
} fire;

/* Artillery fire at hexes two away: in direction d and then d again, or d and then d + 1. */
typedef struct shells {
    uint8_t any;
    int16_t destroyed[SIDES][DIRECTIONS][2];
} shells;

/* The shells that fly on in direction d. */
typedef struct relay {
    uint8_t any;
    int16_t destroyed[SIDES][DIRECTIONS];
} relay;

/* The ledger of a hex. */
typedef struct ledger {
    int32_t destroyed[SIDES];  /* assets lost in this hex since the beginning */
    int32_t eliminated[SIDES]; /* units lost in this hex since the beginning */
    uint8_t engaged;           /* number of units engaged in this step */
    uint8_t holder;            /* the side that was last alone in this hex; SIDES: none */
} ledger;

/* A rectangle of hexes, which includes both corners. */
typedef struct zone {
    place from, to;
} zone;

/* The destination of each formation, as its command hex publishes it: as near as possible to a zone. */
typedef struct command {
    uint8_t given[SIDES]; /* a bit for each formation with new orders; others keep their last ones */
    zone objective[SIDES][FORMATIONS];
} command;

/* The direction in which each unit wants to leave; NOWHERE: it stays. */
typedef struct proposals {
    uint8_t count[SIDES]; /* number of units; 0 if all stay */
    uint8_t direction[SIDES][CAPACITY];
} proposals;

/* The units that a hex lets in: bit i of [side][d] is unit i of the neighbour in direction d. */
typedef struct acceptance {
    uint8_t units[SIDES][DIRECTIONS];
} acceptance;

/* ---- Places --------------------------------------------------------------------------------- */

static inline int opposite(int direction) { return (direction + 3) % DIRECTIONS; }

/* The neighbouring hex in a direction; it may be beyond the border. */
place pen_place_next(place from, int direction);

/* The number of steps from one hex to another. */
int32_t pen_place_distance(place a, place b);

/* ---- Rules ---------------------------------------------------------------------------------- */

/* The place and time of a random decision. */
typedef struct dice {
    uint64_t seed;
    int64_t step;
    int32_t hex;
} dice;

/* A random word: a function of place and time, purpose, and a subject that is unique for the purpose in this hex and
 * step, such as a unit's id. */
uint64_t pen_dice_roll(dice at, int purpose, int32_t subject);

void pen_rules_presence(const troops *own, presence *out);

void pen_rules_scout(const presence *const around[DIRECTIONS], report *out);

/* The orders of this hex, for the sides whose command it has (`is_command`): normally the `scheduled` ones. If the
 * enemy is in the hex or next to it, every formation is called back; if only the enemy is in it, there are no
 * orders. */
void pen_rules_command(place here, const bool is_command[SIDES], const presence *own,
                       const presence *const around[DIRECTIONS], const command *scheduled, command *out);

/* Every unit divides its fire among the enemies in its own and the neighbouring hexes by their assets. Artillery
 * without such enemies fires at those that neighbours report two hexes away. */
void pen_rules_fire(dice at, const troops *own, const presence *here, const presence *const around[DIRECTIONS],
                    const report *const reports[DIRECTIONS], fire *out, shells *far_out);

void pen_rules_relay(const shells *const around[DIRECTIONS], relay *out);

/* Arriving fire hits units at random, weakened by the terrain's cover and the type's armour. Removes units without
 * assets, records losses, sets `engaged` of all units and of the ledger. */
void pen_rules_attrition(dice at, int terrain, const fire *here, const fire *const around[DIRECTIONS],
                         const relay *const relays[DIRECTIONS], const troops *own, const ledger *books, troops *out,
                         ledger *books_out);

/* Units take their side's orders (NULL: none) and save up movement. Those with enough for the next hex towards their
 * objective propose to go there; units in combat rarely do. `width` is the field's. */
void pen_rules_propose(dice at, place here, int32_t width, const presence *const around[DIRECTIONS],
                       const uint8_t *const terrains[DIRECTIONS], const command *const orders[SIDES], troops *units,
                       proposals *out);

/* Accept as many proposals as there is room for, drawn by lot. */
void pen_rules_accept(dice at, const troops *own, const proposals *const around[DIRECTIONS], acceptance *out);

/* Remove the accepted units, and add the units that this hex accepted: both hexes read the same acceptance. */
void pen_rules_march(int terrain, const proposals *wishes, const acceptance *here,
                     const acceptance *const around[DIRECTIONS], const troops *own,
                     const troops *const neighbors[DIRECTIONS], troops *out);

/* The side that holds the hex after the march. */
uint8_t pen_rules_holder(const troops *own, uint8_t before);
