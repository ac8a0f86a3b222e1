/* battlefield.c - a combat on a field of hexagons as an application of Penumbra. Most hexes are quiet: they have no
 * units in or around them, which phases see from the hex's own records. */
#include "apps/battlefield/battlefield.h"

#include <stdlib.h>

/* Print the numbers of hexes of a zone that each side holds. */
static void print_zone(FILE *out, const scenario *plan, const ledger *ledgers, const char *side, const char *what,
                       const zone *z)
{
    int64_t held[SIDES + 1] = { 0 };
    for (int32_t y = z->from.y; y <= z->to.y; y++)
        for (int32_t x = z->from.x; x <= z->to.x; x++) held[ledgers[y * plan->width + x].holder]++;
    fprintf(out, "    %s %s at %d,%d", side, what, z->from.x, z->from.y);
    if (z->from.x != z->to.x || z->from.y != z->to.y) fprintf(out, " to %d,%d", z->to.x, z->to.y);
    if (held[SIDES] == 1 && held[RED] + held[BLUE] == 0) fprintf(out, ": held by neither side\n");
    else if (held[RED] + held[BLUE] + held[SIDES] == 1)
        fprintf(out, ": held by %s\n", pen_side_names[held[RED] ? RED : BLUE]);
    else
        fprintf(out, ": red holds %" PRId64 " hexes, blue %" PRId64 ", neither %" PRId64 "\n", held[RED], held[BLUE],
                held[SIDES]);
}

static void print_summary(FILE *out, const pen_run *run, const scenario *plan, const ledger *ledgers)
{
    command orders;
    pen_scenario_command(plan, pen_run_step(run) - 1, &orders);
    for (int side = 0; side < SIDES; side++) {
        fprintf(out,
                "%-11s %" PRId64 " of %" PRId64 " units, %" PRId64 " of %" PRId64 " assets left; holds %" PRId64
                " of %" PRId64 " hexes\n",
                pen_side_names[side], pen_run_observed_int(run, UNITS + side), plan->units[side],
                pen_run_observed_int(run, ASSETS + side), plan->assets[side], pen_run_observed_int(run, HELD + side),
                (int64_t)plan->width * plan->height);
        if (plan->command[side] != NO_HEX) {
            place at = { plan->command[side] % plan->width, plan->command[side] / plan->width };
            print_zone(out, plan, ledgers, pen_side_names[side], "command", &(zone){ at, at });
        }
        for (int f = 0; f < FORMATIONS; f++) {
            const zone *z = &orders.objective[side][f];
            bool told = !(orders.given[side] >> f & 1);
            for (int before = 0; !told && before < f; before++)
                told = orders.given[side] >> before & 1 && memcmp(&orders.objective[side][before], z, sizeof *z) == 0;
            if (!told) print_zone(out, plan, ledgers, pen_side_names[side], "objective", z);
        }
    }
}

/* Collective. Print a summary after the last step; for pen_app.output.write. */
static pen_status battle_show(pen_run *run, int64_t step, void *params, FILE *out)
{
    const battle *b = (const battle *)params;
    pen_records ledgers = { .count = 0 };
    if (step == 0 || !(step == b->steps || pen_run_done(run))) return PEN_OK;
    pen_status status = pen_run_gather(run, LEDGER, &ledgers);
    if (status == PEN_OK && out) print_summary(out, run, &b->plan, (const ledger *)ledgers.records);
    pen_records_free(&ledgers);
    return status;
}

/* Declare name[DIRECTIONS], the neighbours' records of a field by direction. */
#define AROUND(v, FIELD, type, name)                                                    \
    const type *name[DIRECTIONS] = { NULL };                                            \
    for (int32_t i_ = 0; i_ < pen_degree(v) && i_ < DIRECTIONS; i_++) {                 \
        uint8_t direction_ = PEN_SELF(v, GROUND, ground)->direction[i_];                \
        if (direction_ != NOWHERE) name[direction_] = PEN_NEIGHBOR(v, FIELD, type, i_); \
    }

static const battle *the_battle(const pen_view *v) { return (const battle *)pen_params(v); }

static dice dice_of(const pen_view *v)
{
    return (dice){ (uint64_t)the_battle(v)->seed, pen_step(v), (int32_t)pen_id(v) };
}

static bool empty(const troops *t) { return t->count[RED] == 0 && t->count[BLUE] == 0; }

/* ---- The first state ------------------------------------------------------------------------ */

static uint8_t direction_to(place here, place there)
{
    for (uint8_t d = 0; d < DIRECTIONS; d++) {
        place next = pen_place_next(here, d);
        if (next.x == there.x && next.y == there.y) return d;
    }
    return NOWHERE;
}

static place place_of(const scenario *plan, pen_gid hex)
{
    return (place){ (int32_t)(hex % plan->width), (int32_t)(hex / plan->width) };
}

static void init(const pen_view *v)
{
    const scenario *plan = &the_battle(v)->plan;
    place here = place_of(plan, pen_id(v));
    ground *g = PEN_NEXT(v, GROUND, ground);
    troops *t = PEN_NEXT(v, TROOPS, troops);
    g->x = here.x;
    g->y = here.y;
    g->terrain = pen_scenario_terrain(plan, here);
    g->marks = pen_scenario_marks(plan, here);
    for (int32_t i = 0; i < DIRECTIONS; i++)
        g->direction[i] = i < pen_degree(v) ? direction_to(here, place_of(plan, pen_neighbor_id(v, i))) : NOWHERE;
    pen_scenario_troops(plan, here, t);
    pen_rules_presence(t, PEN_NEXT(v, PRESENCE, presence));
    *PEN_NEXT(v, LEDGER, ledger) = (ledger){ .holder = pen_scenario_holder(plan, here, t) };
    memset(PEN_NEXT(v, COMMAND, command)->given, 0, SIDES);
    PEN_NEXT(v, REPORT, report)->crowded = 0;
    memset(PEN_NEXT(v, FIRE, fire)->firing, 0, SIDES);
    PEN_NEXT(v, SHELLS, shells)->any = 0;
    PEN_NEXT(v, RELAY, relay)->any = 0;
    memset(PEN_NEXT(v, PROPOSALS, proposals)->count, 0, SIDES);
    memset(PEN_NEXT(v, ACCEPTANCE, acceptance), 0, sizeof(acceptance));
}

/* ---- Phases, which apply the rules (rules.h) ------------------------------------------------ */

static void scout(const pen_view *v)
{
    const scenario *plan = &the_battle(v)->plan;
    const bool commands[SIDES] = { pen_id(v) == plan->command[RED], pen_id(v) == plan->command[BLUE] };
    command scheduled;
    AROUND(v, PRESENCE, presence, around);
    pen_rules_scout(around, PEN_NEXT(v, REPORT, report));
    if (!commands[RED] && !commands[BLUE]) return; /* without commands, no hex reads the orders */
    pen_scenario_command(plan, pen_step(v), &scheduled);
    pen_rules_command(place_of(plan, pen_id(v)), commands, PEN_SELF(v, PRESENCE, presence), around, &scheduled,
                      PEN_NEXT(v, COMMAND, command));
}
PEN_SWEEP(scout)

static void shoot(const pen_view *v)
{
    const troops *own = PEN_SELF(v, TROOPS, troops);
    fire *out = PEN_NEXT(v, FIRE, fire);
    shells *far_out = PEN_NEXT(v, SHELLS, shells);
    if (empty(own)) {
        out->firing[RED] = out->firing[BLUE] = 0;
        far_out->any = 0;
        return;
    }
    AROUND(v, PRESENCE, presence, around);
    AROUND(v, REPORT, report, reports);
    pen_rules_fire(dice_of(v), own, PEN_SELF(v, PRESENCE, presence), around, reports, out, far_out);
}
PEN_SWEEP(shoot)

static void pass_on(const pen_view *v)
{
    relay *out = PEN_NEXT(v, RELAY, relay);
    out->any = 0;
    if (!PEN_SELF(v, REPORT, report)->crowded) return;
    AROUND(v, SHELLS, shells, around);
    pen_rules_relay(around, out);
}
PEN_SWEEP(pass_on)

static void suffer(const pen_view *v)
{
    const troops *own = PEN_SELF(v, TROOPS, troops);
    const ledger *books = PEN_SELF(v, LEDGER, ledger);
    troops *out = PEN_NEXT(v, TROOPS, troops);
    ledger *books_out = PEN_NEXT(v, LEDGER, ledger);
    if (empty(own)) {
        out->count[RED] = out->count[BLUE] = 0;
        *books_out = *books;
        books_out->engaged = 0;
        return;
    }
    AROUND(v, FIRE, fire, around);
    AROUND(v, RELAY, relay, relays);
    pen_rules_attrition(dice_of(v), PEN_SELF(v, GROUND, ground)->terrain, PEN_SELF(v, FIRE, fire), around, relays, own,
                        books, out, books_out);
    pen_grain_spend(&the_battle(v)->work, books_out->engaged);
}
PEN_SWEEP(suffer)

/* A hex with units reads the orders of its side's command hex, which may be anywhere. */
static bool listens(const pen_view *v, int side)
{
    return PEN_SELF(v, PRESENCE, presence)->units[side] > 0 && the_battle(v)->plan.command[side] != NO_HEX;
}

static void listen(const pen_view *v, pen_requests *requests)
{
    for (int side = 0; side < SIDES; side++)
        if (listens(v, side)) pen_request(requests, the_battle(v)->plan.command[side]);
}

static void propose(const pen_view *v)
{
    const troops *own = PEN_SELF(v, TROOPS, troops);
    troops *out = PEN_NEXT(v, TROOPS, troops);
    proposals *wishes = PEN_NEXT(v, PROPOSALS, proposals);
    if (empty(own)) {
        out->count[RED] = out->count[BLUE] = wishes->count[RED] = wishes->count[BLUE] = 0;
        return;
    }
    const command *orders[SIDES] = { NULL };
    for (int side = 0, heard = 0; side < SIDES; side++)
        if (listens(v, side)) orders[side] = PEN_FAR(v, COMMAND, command, heard++);
    AROUND(v, PRESENCE, presence, around);
    AROUND(v, GROUND, ground, grounds);
    const uint8_t *terrains[DIRECTIONS] = { NULL };
    for (int d = 0; d < DIRECTIONS; d++)
        if (grounds[d]) terrains[d] = &grounds[d]->terrain;
    const ground *here = PEN_SELF(v, GROUND, ground);
    for (int side = 0; side < SIDES; side++) {
        out->count[side] = own->count[side];
        memcpy(out->units[side], own->units[side], own->count[side] * sizeof(unit));
    }
    pen_rules_propose(dice_of(v), (place){ here->x, here->y }, the_battle(v)->plan.width, around, terrains, orders, out,
                      wishes);
}
PEN_SWEEP(propose)

static void accept(const pen_view *v)
{
    acceptance *out = PEN_NEXT(v, ACCEPTANCE, acceptance);
    if (!PEN_SELF(v, REPORT, report)->crowded) {
        memset(out, 0, sizeof *out);
        return;
    }
    AROUND(v, PROPOSALS, proposals, around);
    pen_rules_accept(dice_of(v), PEN_SELF(v, TROOPS, troops), around, out);
}
PEN_SWEEP(accept)

static void march(const pen_view *v)
{
    static const acceptance nobody;
    const troops *own = PEN_SELF(v, TROOPS, troops);
    const acceptance *here = PEN_SELF(v, ACCEPTANCE, acceptance);
    troops *out = PEN_NEXT(v, TROOPS, troops);
    out->count[RED] = out->count[BLUE] = 0;
    if (!empty(own) || memcmp(here, &nobody, sizeof nobody) != 0) {
        AROUND(v, ACCEPTANCE, acceptance, around);
        AROUND(v, TROOPS, troops, neighbors);
        pen_rules_march(PEN_SELF(v, GROUND, ground)->terrain, PEN_SELF(v, PROPOSALS, proposals), here, around, own,
                        neighbors, out);
    }
    pen_rules_presence(out, PEN_NEXT(v, PRESENCE, presence));
    *PEN_NEXT(v, LEDGER, ledger) = *PEN_SELF(v, LEDGER, ledger);
    PEN_NEXT(v, LEDGER, ledger)->holder = pen_rules_holder(out, PEN_SELF(v, LEDGER, ledger)->holder);
}
PEN_SWEEP(march)

/* ---- Observables and texts of nodes --------------------------------------------------------- */

static void observe(const pen_view *v, pen_observation *o)
{
    const presence *here = PEN_SELF(v, PRESENCE, presence);
    const ledger *books = PEN_SELF(v, LEDGER, ledger);
    for (int side = 0; side < SIDES; side++) {
        pen_observe_int(o, ASSETS + side, here->assets[side]);
        pen_observe_int(o, DESTROYED + side, books->destroyed[side]);
        pen_observe_int(o, UNITS + side, here->units[side]);
        pen_observe_int(o, ELIMINATED + side, books->eliminated[side]);
        pen_observe_int(o, HELD + side, books->holder == side);
    }
    pen_observe_int(o, IN_COMBAT, books->engaged > 0);
    pen_observe_int(o, UNITS_ENGAGED, books->engaged);
}
PEN_OBSERVE_SWEEP(observe)

/* Check that units disappear only by destruction, and never appear. */
static const char *check(const pen_run *run, const void *params)
{
    static char message[256];
    const scenario *plan = &((const battle *)params)->plan;
    for (int side = 0; side < SIDES; side++) {
        int64_t assets = pen_run_observed_int(run, ASSETS + side),
                destroyed = pen_run_observed_int(run, DESTROYED + side);
        int64_t units = pen_run_observed_int(run, UNITS + side),
                eliminated = pen_run_observed_int(run, ELIMINATED + side);
        if (assets + destroyed == plan->assets[side] && units + eliminated == plan->units[side]) continue;
        snprintf(message, sizeof message,
                 "not conserved: %s began with %" PRId64 " assets in %" PRId64 " units, and has %" PRId64 " + %" PRId64
                 " destroyed in %" PRId64 " + %" PRId64 " eliminated",
                 pen_side_names[side], plan->assets[side], plan->units[side], assets, destroyed, units, eliminated);
        return message;
    }
    return NULL;
}

/* Print terrain, holder, ledger, then of every unit: side, id, type, formation, assets, objective, points, state. */
static void print(const pen_view *v, FILE *out)
{
    const troops *own = PEN_SELF(v, TROOPS, troops);
    const ledger *books = PEN_SELF(v, LEDGER, ledger);
    fprintf(out, "%s %s %d %d %d %d", pen_terrain_names[PEN_SELF(v, GROUND, ground)->terrain],
            books->holder == SIDES ? "nobody" : pen_side_names[books->holder], books->destroyed[RED],
            books->destroyed[BLUE], books->eliminated[RED], books->eliminated[BLUE]);
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < own->count[side]; i++) {
            const unit *u = &own->units[side][i];
            fprintf(out, " %s:%d:%s:%d:%d:%d:%d:%d", pen_side_names[side], u->id, pen_type_names[u->type], u->formation,
                    u->assets, u->objective, u->points, u->state);
        }
}

/* The costs of a hex and of a fight, in units of a quiet hex. */
static double cost_of_hex(const pen_view *v) { return 1.0; }
PEN_COST_SWEEP(cost_of_hex)

static double cost_of_fight(const pen_view *v) { return 4.0 * PEN_SELF(v, LEDGER, ledger)->engaged; }
PEN_COST_SWEEP(cost_of_fight)

/* ---- The application ------------------------------------------------------------------------ */

static const char *setup(void *params, const pen_world *world)
{
    battle *b = (battle *)params;
    char *text = NULL;
    bool squares = world->grid == PEN_GRID_SQUARE || world->grid == PEN_GRID_TORUS;
    if (world->width == 0 || squares || world->width > INT32_MAX || world->height > INT32_MAX)
        return "a battlefield is a field of hexagons: give --generate=hex:WxH";
    b->steps = world->steps;
    pen_scenario_free(&b->plan);
    const char *wrong = pen_grain_setup(&b->work, world);
    if (b->restored) text = b->restored;
    else if (!wrong) wrong = pen_scenario_load(b->name, &text);
    b->restored = NULL;
    if (!wrong)
        wrong = pen_scenario_parse(b->name, text, (int32_t)world->width, (int32_t)world->height, (uint64_t)b->seed,
                                   &b->plan);
    b->plan.text = text;
    return wrong;
}

/* A checkpoint has the scenario's text, since its file may have changed when the run is resumed. */
static void save(const pen_run *run, const void *params, FILE *out) { fputs(((const battle *)params)->plan.text, out); }

static const char *restore(void *params, const char *text)
{
    battle *b = (battle *)params;
    free(b->restored);
    b->restored = strdup(text);
    return b->restored ? NULL : "no memory for the scenario";
}

static bool is_unit(const unit *u)
{
    return u->type < TYPES && u->formation < FORMATIONS && u->assets > 0 && u->assets <= MOST_ASSETS &&
           u->objective >= NO_HEX;
}

/* Check the records that a step reads before it writes them. */
static bool valid(const pen_view *v)
{
    const ground *here = PEN_SELF(v, GROUND, ground);
    const troops *own = PEN_SELF(v, TROOPS, troops);
    bool good = here->terrain < TERRAINS && PEN_SELF(v, LEDGER, ledger)->holder <= SIDES;
    for (int d = 0; d < DIRECTIONS; d++) good = good && here->direction[d] <= NOWHERE;
    for (int side = 0; side < SIDES; side++) {
        good = good && own->count[side] <= CAPACITY && PEN_SELF(v, PRESENCE, presence)->units[side] <= CAPACITY;
        for (int i = 0; good && i < own->count[side]; i++) good = is_unit(&own->units[side][i]);
    }
    return good;
}

pen_app pen_battlefield_app(battle *b)
{
#define RECORD(type) .name = #type, .size = sizeof(type)
    static const pen_field fields[FIELDS] = {
        { RECORD(ground) }, { RECORD(presence) },  { RECORD(report) },     { RECORD(command) },
        { RECORD(fire) },   { RECORD(shells) },    { RECORD(relay) },      { RECORD(troops) },
        { RECORD(ledger) }, { RECORD(proposals) }, { RECORD(acceptance) },
    };
    static const pen_phase phases[] = {
        { "scout", .sweep = scout_sweep, .reads = PEN_SET(PRESENCE), .writes = PEN_SET(REPORT, COMMAND),
          .cost = cost_of_hex_sweep },
        { "fire", .sweep = shoot_sweep, .reads = PEN_SET(PRESENCE, REPORT), .writes = PEN_SET(FIRE, SHELLS) },
        { "relay", .sweep = pass_on_sweep, .reads = PEN_SET(SHELLS), .writes = PEN_SET(RELAY) },
        { "attrition", .sweep = suffer_sweep, .reads = PEN_SET(FIRE, RELAY), .writes = PEN_SET(TROOPS, LEDGER),
          .cost = cost_of_fight_sweep },
        { "propose", .sweep = propose_sweep, .reads = PEN_SET(GROUND, PRESENCE), .writes = PEN_SET(TROOPS, PROPOSALS),
          .far = listen, .far_reads = PEN_SET(COMMAND) },
        { "accept", .sweep = accept_sweep, .reads = PEN_SET(PROPOSALS), .writes = PEN_SET(ACCEPTANCE) },
        { "march", .sweep = march_sweep, .reads = PEN_SET(ACCEPTANCE, TROOPS),
          .writes = PEN_SET(TROOPS, PRESENCE, LEDGER) },
    };
    static const pen_member members[] = {
        PEN_MEMBER(GROUND, ground, terrain, PEN_U8),
        PEN_MEMBER(GROUND, ground, marks, PEN_U8),
        { "red", PRESENCE, PEN_U16, offsetof(presence, assets[RED]), 1 },
        { "blue", PRESENCE, PEN_U16, offsetof(presence, assets[BLUE]), 1 },
        { "red_units", PRESENCE, PEN_U8, offsetof(presence, units[RED]), 1 },
        { "blue_units", PRESENCE, PEN_U8, offsetof(presence, units[BLUE]), 1 },
        PEN_MEMBER(LEDGER, ledger, engaged, PEN_U8),
        PEN_MEMBER(LEDGER, ledger, holder, PEN_U8),
        { "destroyed", LEDGER, PEN_I32, offsetof(ledger, destroyed), SIDES },
    };
    static const pen_observable observables[OBSERVABLES] = {
        [ASSETS + RED] = { "red assets", PEN_SUM_INT, 1 },   [ASSETS + BLUE] = { "blue assets", PEN_SUM_INT, 1 },
        [DESTROYED + RED] = { "red lost", PEN_SUM_INT, 1 },  [DESTROYED + BLUE] = { "blue lost", PEN_SUM_INT, 1 },
        [UNITS + RED] = { "red units", PEN_SUM_INT, 1 },     [UNITS + BLUE] = { "blue units", PEN_SUM_INT, 1 },
        [ELIMINATED + RED] = { "red gone", PEN_SUM_INT, 1 }, [ELIMINATED + BLUE] = { "blue gone", PEN_SUM_INT, 1 },
        [HELD + RED] = { "red holds", PEN_SUM_INT, 1 },      [HELD + BLUE] = { "blue holds", PEN_SUM_INT, 1 },
        [IN_COMBAT] = { "in combat", PEN_SUM_INT, 1 },       [UNITS_ENGAGED] = { "engaged", PEN_SUM_INT, 1 },
    };
    return (pen_app){ "battlefield",
                      PEN_FIELDS(fields),
                      PEN_PHASES(phases),
                      PEN_OBSERVABLES(observables, observe_sweep),
                      .output = { .print = print, PEN_MEMBERS(members), .write = battle_show },
                      .check = check,
                      .init = init,
                      .params = b,
                      .setup = setup,
                      .checkpoint.save = save,
                      .checkpoint.restore = restore,
                      .checkpoint.valid = valid,
                      .checkpoint.may_differ = "steps," GRAIN_MAY_DIFFER };
}
