/* battle.h - the fields of a battle's hexes, its observables, and its settings. */
#pragma once

#include "apps/battlefield/scenario.h"
#include "apps/grain.h"

#include <penumbra.h>

enum { GROUND, PRESENCE, REPORT, COMMAND, FIRE, SHELLS, RELAY, TROOPS, LEDGER, PROPOSALS, ACCEPTANCE, FIELDS };

/* Observables. Those of both sides are next to each other, red first. */
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
    uint8_t terrain, marks;        /* marks: pen_scenario_marks */
    uint8_t direction[DIRECTIONS]; /* of the i-th neighbour; NOWHERE: no neighbour on a field of hexagons */
} ground;

typedef struct battle {
    const char *name; /* --scenario */
    int64_t seed;     /* --battle-seed, >= 0 */
    grain work;       /* per engaged unit and step */
    scenario plan;    /* set by .setup */
    char *restored;   /* the text from a checkpoint for the next .setup; NULL: load it by name */
    int64_t steps;    /* of the run */
} battle;

/* The defaults: `static battle b = { BATTLE_DEFAULT };` */
#define BATTLE_DEFAULT .name = "meeting", .seed = 1, .work = { GRAIN_DEFAULT }
