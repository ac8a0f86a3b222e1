/* scenario.h - terrain and order of battle: four built-in scenarios, and a user's own from a text file.
 *
 * A scenario is a list of statements, one per line. Blanks separate words; # begins a comment.
 *
 *     size 40x24
 *         number of hexes across and down; must precede all other statements. Default: the size of --generate
 *     terrain KIND at X,Y [to X,Y] [chance P]
 *         KIND is clear (the default), road, forest, hill, marsh, town or water (impassable); the last statement
 *         for a hex counts
 *     SIDE TYPE N assets A at X,Y [to X,Y] [chance P] [formation F]
 *         puts N units of A assets into every hex of the area except water; SIDE is red or blue, TYPE armour,
 *         infantry or artillery; a side has at most 6 units in a hex; A 1..10000, F 0..3 (default 0)
 *     SIDE command at X,Y
 *         the side's command; at most one per side. A side without a command does not move
 *     SIDE objective at X,Y [to X,Y] [formation F] [from STEP]
 *         from this step on (default 0), formation F (default: all) goes to the area, each unit to the nearest hex;
 *         the objective that has begun last counts
 *
 * X counts from 0 in the west, Y from 0 in the north. Both are numbers, or percentages of the field ("50%,100%": the
 * middle of the southern border). "to" makes a rectangle that includes both corners; "chance P" selects P percent of
 * its hexes, by the seed of the dice. The built-in scenarios (scenario_text.c) use percentages. */
#pragma once

#include "apps/battlefield/rules.h"

/* The hexes of a rectangle, or a random part of them. */
typedef struct area {
    zone zone;
    int chance; /* percentage of the hexes that are selected */
    int line;   /* line of the statement, which also determines the random selection */
} area;

typedef struct ground_area {
    area where;
    uint8_t terrain;
} ground_area;

typedef struct force {
    area where;
    int side, type, count, assets, formation;
} force;

enum { ALL_FORMATIONS = -1 };

typedef struct order {
    int side, formation;
    int64_t from;
    zone objective;
} order;

typedef struct scenario {
    int32_t width, height;
    uint64_t seed;
    ground_area *grounds;
    force *forces;
    order *orders;
    int ground_count, force_count, order_count;
    int32_t command[SIDES];              /* command hex of each side, or NO_HEX */
    int64_t assets[SIDES], units[SIDES]; /* total assets and units of each side */
    char *text;                          /* the parsed text, if it is stored here; owned */
} scenario;

/* Get the text of a scenario: a built-in one by its name, else a file's. The caller frees *text. Returns NULL, or
 * a sentence about an error, valid until the next call. */
const char *pen_scenario_load(const char *name, char **text);

/* Get the size in a text, or 0 x 0 if it has none. pen_scenario_parse reports errors. */
void pen_scenario_size(const char *text, int32_t *width, int32_t *height);

/* Parse the text for a field of this size, and check it: messages begin with "name:line: ". The caller frees the
 * scenario, also after a failure. Returns like pen_scenario_load. */
const char *pen_scenario_parse(const char *name, const char *text, int32_t width, int32_t height, uint64_t seed,
                               scenario *s);
void pen_scenario_free(scenario *s);

bool pen_scenario_covers(const scenario *s, const area *a, place at);

/* Contents of a hex at the beginning, as functions of scenario and place. pen_scenario_troops returns 0, or the line of
 * the statement whose units do not fit. */
uint8_t pen_scenario_terrain(const scenario *s, place at);
int pen_scenario_troops(const scenario *s, place at, troops *out);

/* The marks of a hex, for pictures: bits for the command of each side, and for objectives of each side at any time. */
enum { MARK_COMMAND = 1 << 0, MARK_OBJECTIVE = 1 << SIDES }; /* marks of RED; shifted left by BLUE, marks of BLUE */
uint8_t pen_scenario_marks(const scenario *s, place at);

/* The owner of a hex before the first step: the side whose units or command are there, if there is exactly one. */
uint8_t pen_scenario_holder(const scenario *s, place at, const troops *own);

/* Get the orders of a step, for both sides. */
void pen_scenario_command(const scenario *s, int64_t step, command *out);

/* Names and texts [SCENARIOS] of the built-in scenarios. */
enum { SCENARIOS = 4 };
extern const struct scenario_text {
    const char *name, *text;
} pen_scenario_texts[SCENARIOS];
