/* battlefield_rules_test - the rules of one hex by themselves, and scenarios that are malformed.
 * pen_test(LINK pen_battlefield) */
#include "tests/support/unit.h"

#include "apps/battlefield/scenario.h"
#include "tests/support/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;
static int draw(int n) { return draw_below(&state, n); }

static troops random_troops(int32_t hex)
{
    troops t;
    for (int side = 0; side < SIDES; side++) {
        t.count[side] = (uint8_t)draw(CAPACITY + 1);
        for (int i = 0; i < t.count[side]; i++) {
            const int assets = 1 + draw(MOST_ASSETS), type = draw(TYPES);
            t.units[side][i] = (unit){ .id = hex * 12 + side * 6 + i,
                                       .assets = assets,
                                       .objective = NO_HEX,
                                       .type = (uint8_t)type,
                                       .points = 10 };
        }
    }
    return t;
}

/* A hex and its neighbours. */
TEST(test_places)
{
    for (int32_t y = 1; y < 5; y++)
        for (int32_t x = 1; x < 5; x++)
            for (int d = 0; d < DIRECTIONS; d++) {
                place here = { x, y }, next = pen_place_next(here, d), back = pen_place_next(next, opposite(d));
                assert_int_equal(back.x, x);
                assert_int_equal(back.y, y);
                assert_int_equal(pen_place_distance(here, next), 1);
                assert_int_equal(pen_place_distance(here, pen_place_next(next, d)), 2);
                assert_int_equal(pen_place_distance(here, pen_place_next(next, (d + 1) % DIRECTIONS)), 2);
                place side = pen_place_next(next, (d + 2) % DIRECTIONS),
                      other = pen_place_next(here, (d + 1) % DIRECTIONS);
                assert_true(side.x == other.x && side.y == other.y); /* directions turn one way */
            }
    assert_int_equal(pen_place_distance((place){ 0, 0 }, (place){ 7, 4 }), 9);
    assert_int_equal(pen_place_distance((place){ 7, 4 }, (place){ 0, 0 }), 9);
}

/* All fire hits a hex, and all destroyed units are missing. */
TEST(test_fire_and_attrition)
{
    int64_t fired = 0, hit = 0;
    for (int round = 0; round < 2000; round++) {
        dice at = { 1, round, 3 };
        troops own = random_troops(3), left;
        presence here, near[DIRECTIONS];
        report reports[DIRECTIONS];
        const presence *around[DIRECTIONS] = { NULL };
        const report *seen[DIRECTIONS] = { NULL };
        pen_rules_presence(&own, &here);
        for (int d = 0; d < DIRECTIONS; d++) {
            troops there = random_troops(4 + d);
            if (draw(2)) there.count[RED] = there.count[BLUE] = 0;
            pen_rules_presence(&there, &near[d]);
            memset(&reports[d], 0, sizeof reports[d]);
            reports[d].assets[RED][d] = (uint16_t)draw(1000);
            reports[d].assets[BLUE][d] = (uint16_t)draw(1000);
            if (draw(4)) around[d] = &near[d], seen[d] = &reports[d];
        }
        fire out;
        shells far_out;
        relay flying;
        pen_rules_fire(at, &own, &here, around, seen, &out, &far_out);
        for (int side = 0; side < SIDES; side++)
            for (int i = 0; i < own.count[side]; i++)
                for (int j = 0; j <= OWN && out.firing[side] >> i & 1; j++) {
                    int16_t assets = out.destroyed[side][i][j];
                    bool enemy = j == OWN ? here.assets[1 - side] > 0 : around[j] && around[j]->assets[1 - side] > 0;
                    assert_true(assets >= 0 && (assets == 0 || enemy));
                    fired += assets;
                }
        /* The hex to the east passes on what flies there. */
        const shells *from[DIRECTIONS] = { [3] = &far_out };
        pen_rules_relay(from, &flying);
        for (int side = 0; side < SIDES && far_out.any; side++) {
            assert_int_equal(flying.destroyed[side][0], far_out.destroyed[side][0][0]);
            assert_int_equal(flying.destroyed[side][1], far_out.destroyed[side][0][1]);
        }
        const fire *fires[DIRECTIONS] = { &out, NULL, &out };
        const relay *relays[DIRECTIONS] = { NULL, &flying };
        ledger books = { .destroyed = { 5, 6 }, .eliminated = { 7, 8 } }, after;
        pen_rules_attrition(at, draw(TERRAINS - 1), &out, fires, relays, &own, &books, &left, &after);
        presence then;
        pen_rules_presence(&left, &then);
        for (int side = 0; side < SIDES; side++) {
            assert_int_equal(then.assets[side] + after.destroyed[side], here.assets[side] + books.destroyed[side]);
            assert_int_equal(left.count[side] + after.eliminated[side], own.count[side] + books.eliminated[side]);
            for (int i = 0; i < left.count[side]; i++) assert_true(left.units[side][i].assets > 0);
            hit += after.destroyed[side] - books.destroyed[side];
        }
    }
    assert_true(fired > 100000 && hit > 10000);
}

/* As many units are accepted as there is room for, no more, and each arrives once. */
TEST(test_acceptance_and_march)
{
    for (int round = 0; round < 2000; round++) {
        dice at = { 2, round, 9 };
        troops own = random_troops(9), there[DIRECTIONS], out;
        proposals wishes[DIRECTIONS], none = { .count = { 0, 0 } };
        const proposals *around[DIRECTIONS] = { NULL };
        const troops *neighbors[DIRECTIONS] = { NULL };
        acceptance here, nobody = { .units = { { 0 } } };
        const acceptance *others[DIRECTIONS] = { &nobody, &nobody, &nobody, &nobody, &nobody, &nobody };
        int wanted[SIDES] = { 0, 0 };
        for (int d = 0; d < DIRECTIONS; d++) {
            there[d] = random_troops(10 + d);
            if (!draw(5)) continue;
            for (int side = 0; side < SIDES; side++) {
                wishes[d].count[side] = there[d].count[side];
                for (int i = 0; i < there[d].count[side]; i++) {
                    wishes[d].direction[side][i] = (uint8_t)opposite(d);
                    if (draw(2)) wishes[d].direction[side][i] = (uint8_t)(draw(2) ? NOWHERE : d);
                    wanted[side] += wishes[d].direction[side][i] == opposite(d);
                }
            }
            around[d] = &wishes[d];
            neighbors[d] = &there[d];
        }
        pen_rules_accept(at, &own, around, &here);
        pen_rules_march(CLEAR, &none, &here, others, &own, neighbors, &out);
        for (int side = 0; side < SIDES; side++) {
            int room = CAPACITY - own.count[side], arrived = out.count[side] - own.count[side];
            assert_int_equal(arrived, wanted[side] < room ? wanted[side] : room);
            for (int i = 1; i < out.count[side]; i++) assert_true(out.units[side][i - 1].id < out.units[side][i].id);
        }
    }
}

static void expect(const char *text, int32_t width, int32_t height, const char *sentence)
{
    scenario s;
    const char *wrong = pen_scenario_parse("s", text, width, height, 1, &s);
    if (!wrong || strncmp(wrong, sentence, strlen(sentence)) != 0)
        print_error("\"%s\": says \"%s\", expected \"%s\"\n", text, wrong ? wrong : "nothing", sentence);
    assert_non_null(wrong);
    assert_int_equal(strncmp(wrong, sentence, strlen(sentence)), 0);
    pen_scenario_free(&s);
}

TEST(test_malformed)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        { "size 5", "s:1: the size must be WIDTHxHEIGHT" },
        { "size 0x5", "s:1: width is \"0\", must be 1.." },
        { "size 5x5x5", "s:1: height is \"5x5\"" },
        { "size 20000x20000", "s:1: 400000000 hexes, at most" },
        { "size 9x9", "s:1: made for 9x9 hexes, but the field has 8x6" },
        { "terrain hill at 0,0\nsize 8x6", "s:2: \"size\" must precede" },
        { "\n# nothing\ngreen armour 1 assets 1 at 0,0",
          "s:3: a statement must begin with size, terrain, red or blue, not \"green\"" },
        { "terrain", "s:1: terrain must be clear, road" },
        { "terrain sand at 0,0", "s:1: terrain must be clear, road" },
        { "terrain hill", "s:1: the place is missing" },
        { "terrain hill at", "s:1: \"at\" needs a value" },
        { "terrain hill at 3", "s:1: \"3\" is not a place X,Y" },
        { "terrain hill at 8,0", "s:1: \"8\" is not a coordinate on this field: 0..7" },
        { "terrain hill at 0,101%", "s:1: \"101%\" is not a coordinate" },
        { "terrain hill at -1,0", "s:1: \"-1\" is not a coordinate" },
        { "terrain hill at a,0", "s:1: \"a\" is not a coordinate" },
        { "terrain hill at ,", "s:1: \"\" is not a coordinate" },
        { "terrain hill at 3,3 to 2,4", "s:1: \"to 2,4\" lies west or north" },
        { "terrain hill at 3,3 at 2,4", "s:1: \"at\" occurs twice" },
        { "terrain hill at 3,3 chance 0", "s:1: chance is \"0\", must be 1..100" },
        { "terrain hill at 3,3 assets 5", "s:1: \"assets\" is not expected here" },
        { "terrain hill at 3,3 # here\nterrain hill at 3,3 there", "s:2: \"there\" is not expected here" },
        { "red", "s:1: red must be followed by command, objective" },
        { "blue cavalry 1 assets 1 at 0,0",
          "s:1: blue must be followed by command, objective, armour, infantry or artillery, not \"cavalry\"" },
        { "red armour", "s:1: the number of units is missing" },
        { "red armour 7 assets 1 at 0,0", "s:1: the number of units is \"7\", must be 1..6" },
        { "red armour x assets 1 at 0,0", "s:1: the number of units is \"x\"" },
        { "red armour 1 at 0,0", "s:1: \"assets A\" is missing" },
        { "red armour 1 assets 0 at 0,0", "s:1: assets is \"0\", must be 1..10000" },
        { "red armour 1 assets 10001 at 0,0", "s:1: assets is \"10001\"" },
        { "red armour 1 assets 99999999999999999999 at 0,0", "s:1: assets is \"99999999999999999999\"" },
        { "red armour 1 assets 5 at 0,0 formation 4", "s:1: formation is \"4\", must be 0..3" },
        { "red armour 4 assets 5 at 0,0\nred infantry 3 assets 5 at 0,0 to 1,1",
          "s:2: more than 6 units of a side in hex 0,0" },
        { "terrain water at 2,2\nred armour 4 assets 5 at 2,2", "s:2: units in the water of hex 2,2" },
        { "red command at 0,0\nred command at 1,0", "s:2: a second command of red" },
        { "red objective at 1,1 from -1", "s:1: from is \"-1\"" },
        { "red objective at 1,1 chance 5", "s:1: \"chance\" is not expected here" },
        { "terrain hill at 0,0 chance 5 chance 5 chance 5 chance 5 chance 5 chance 5 chance 5 chance 5",
          "s:1: more than 16 words" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) expect(wrong[i].text, 8, 6, wrong[i].sentence);
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    expect(text, 8, 6, "s:1: more than 511 characters");
    expect("", 100000, 100000, "s: 10000000000 hexes, at most");
}

TEST(test_orders)
{
    scenario s;
    command c;
    assert_null(pen_scenario_parse("s",
                                   "size 8x6\r\nred objective at 1,1\nred objective at 2,2 formation 1 from 5\n"
                                   "red objective at 0%,0% to 100%,100% from 9",
                                   8, 6, 1, &s));
    pen_scenario_command(&s, 4, &c);
    assert_int_equal(c.given[RED], 15);
    assert_int_equal(c.given[BLUE], 0);
    assert_int_equal(c.objective[RED][1].from.x, 1);
    pen_scenario_command(&s, 5, &c);
    assert_int_equal(c.objective[RED][0].from.x, 1);
    assert_int_equal(c.objective[RED][1].from.x, 2);
    pen_scenario_command(&s, 9, &c);
    assert_int_equal(c.objective[RED][1].to.x, 7);
    assert_int_equal(c.objective[RED][1].to.y, 5);
    pen_scenario_free(&s);
}

/* The built-in scenarios fit every size, and their sums are right. */
TEST(test_built_in)
{
    for (int i = 0; i < SCENARIOS; i++)
        for (int32_t size = 1; size < 70; size += 1 + size / 3) {
            scenario s;
            int64_t units[SIDES] = { 0, 0 };
            const char *wrong = pen_scenario_parse(pen_scenario_texts[i].name, pen_scenario_texts[i].text, size,
                                                   1 + size / 2, 1, &s);
            if (wrong && size >= 8) print_error("%dx%d: %s\n", size, 1 + size / 2, wrong);
            assert_true(!wrong || size < 8);
            for (int32_t y = 0; !wrong && y < s.height; y++)
                for (int32_t x = 0; x < s.width; x++) {
                    troops t;
                    assert_int_equal(pen_scenario_troops(&s, (place){ x, y }, &t), 0);
                    assert_true(t.count[RED] + t.count[BLUE] == 0 ||
                                pen_scenario_terrain(&s, (place){ x, y }) != WATER);
                    units[RED] += t.count[RED];
                    units[BLUE] += t.count[BLUE];
                }
            for (int side = 0; side < SIDES && !wrong; side++) assert_int_equal(units[side], s.units[side]);
            pen_scenario_free(&s);
        }
}
