/* battle.h - the fields of a battle's hexes, its observables, and its settings. */
#pragma once

#include "apps/battlefield/scenario.h"
#include "apps/grain.h"

#include <penumbra.h>

enum { GROUND, PRESENCE, REPORT, COMMAND, FIRE, SHELLS, RELAY, TROOPS, LEDGER, PROPOSALS, ACCEPTANCE, FIELDS };

/* The observables. Those of both sides are adjacent, red first. */
enum {
    ASSETS,
    DESTROYED = ASSETS + SIDES,
    UNITS = DESTROYED + SIDES,
    ELIMINATED = UNITS + SIDES,
    HELD = ELIMINATED + SIDES,
    IN_COMBAT = HELD + SIDES,
    UNITS_ENGAGED,
    OBSERVABLES
};

/* The constant properties of a hex. */
typedef struct ground {
    int32_t x, y;
    uint8_t terrain, marks; /* bits of pen_scenario_marks */
    /* Direction of the i-th neighbour; NOWHERE: it is not a neighbour on a field of hexagons. */
    uint8_t direction[DIRECTIONS];
} ground;

typedef struct battle {
    const char *name; /* the option --scenario */
    int64_t seed;     /* the option --battle-seed, >= 0 */
    grain work;       /* additional work per engaged unit and step */
    scenario plan;    /* the scenario, set by .setup */
    char *restored;   /* the scenario's text from a checkpoint, for the next .setup; NULL: load it by name */
    int64_t steps;    /* number of steps of the run */
} battle;

/* The defaults: `static battle b = { BATTLE_DEFAULT };` */
#define BATTLE_DEFAULT .name = "meeting", .seed = 1, .work = { GRAIN_DEFAULT }
