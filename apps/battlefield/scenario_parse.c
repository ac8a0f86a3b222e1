/* scenario_parse.c - parses scenarios. */
#include "apps/battlefield/scenario.h"
#include "apps/complain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HEXES = INT32_MAX / (SIDES * CAPACITY), MOST_WORDS = 16 };

/* ---- Words ---------------------------------------------------------------------------------- */

/* One statement and the values of its clauses. */
typedef struct statement {
    const char *name; /* name of the file */
    int line, count;
    char text[512];
    char *words[MOST_WORDS];
    char *clauses[MOST_WORDS]; /* [clause] value of each clause, or NULL */
} statement;

enum { AT, TO, CHANCE, ASSETS, FORMATION, FROM, CLAUSES };
static const char *const clause_names[CLAUSES] = { "at", "to", "chance", "assets", "formation", "from" };

#define WRONG(st, text, ...) pen_complain("%s:%d: " text, (st)->name, (st)->line, __VA_ARGS__)

static int find_word(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0) return i;
    return -1;
}

/* Take the next line of the text without its comment, split into words; *text becomes the line after it. */
static const char *split_line(const char **text, statement *st)
{
    size_t length = strcspn(*text, "\n"), used = strcspn(*text, "#\n");
    st->line++;
    st->count = 0;
    if (used >= sizeof st->text) return WRONG(st, "more than %zu characters", sizeof st->text - 1);
    memcpy(st->text, *text, used);
    st->text[used] = '\0';
    *text += length + ((*text)[length] == '\n');
    for (char *word = strtok(st->text, " \t\r"); word; word = strtok(NULL, " \t\r")) {
        if (st->count == MOST_WORDS) return WRONG(st, "more than %d words", MOST_WORDS);
        st->words[st->count++] = word;
    }
    return NULL;
}

/* Read clauses from a word on: "at 3,4 chance 20". `allowed` has a bit for each permitted clause; `at` is required. */
static const char *read_clauses(statement *st, int first, unsigned allowed)
{
    memset(st->clauses, 0, sizeof st->clauses);
    for (int i = first; i < st->count; i += 2) {
        int clause = find_word(st->words[i], clause_names, CLAUSES);
        if (clause < 0 || !(allowed >> clause & 1)) return WRONG(st, "\"%s\" is not expected here", st->words[i]);
        if (i + 1 == st->count) return WRONG(st, "\"%s\" needs a value", st->words[i]);
        if (st->clauses[clause]) return WRONG(st, "\"%s\" occurs twice", st->words[i]);
        st->clauses[clause] = st->words[i + 1];
    }
    return st->clauses[AT] ? NULL : WRONG(st, "the place is missing: \"%s\" needs \"at X,Y\"", st->words[0]);
}

static bool parse_whole(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *text == '+' || *text == ' ') return false;
    *value = parsed;
    return true;
}

/* Read a number in [low, high]; if the word is NULL, *value is unchanged. */
static const char *read_number(const statement *st, const char *what, const char *word, int64_t low, int64_t high,
                               int64_t *value)
{
    int64_t parsed;
    if (!word) return NULL;
    if (!parse_whole(word, &parsed) || parsed < low || parsed > high)
        return WRONG(st, "%s is \"%s\", must be %lld..%lld", what, word, (long long)low, (long long)high);
    *value = parsed;
    return NULL;
}

/* Read a coordinate, "12" or "30%" of a field that has this size. */
static const char *read_coordinate(const statement *st, char *word, int32_t size, int32_t *value)
{
    size_t length = strlen(word);
    bool percent = length > 0 && word[length - 1] == '%';
    int64_t parsed;
    if (percent) word[length - 1] = '\0';
    bool right = parse_whole(word, &parsed);
    if (percent) word[length - 1] = '%';
    if (!right || parsed < 0 || parsed > (percent ? 100 : size - 1))
        return WRONG(st, "\"%s\" is not a coordinate on this field: 0..%d or 0%%..100%%", word, size - 1);
    *value = (int32_t)(percent ? (parsed * (size - 1) + 50) / 100 : parsed);
    return NULL;
}

static const char *read_place(const statement *st, const scenario *s, char *word, place *at)
{
    char *comma = strchr(word, ',');
    if (!comma) return WRONG(st, "\"%s\" is not a place X,Y", word);
    *comma = '\0';
    const char *wrong = read_coordinate(st, word, s->width, &at->x);
    return wrong ? wrong : read_coordinate(st, comma + 1, s->height, &at->y);
}

static const char *read_zone(const statement *st, const scenario *s, zone *z)
{
    const char *wrong = read_place(st, s, st->clauses[AT], &z->from);
    z->to = z->from;
    if (!wrong && st->clauses[TO]) wrong = read_place(st, s, st->clauses[TO], &z->to);
    if (!wrong && (z->to.x < z->from.x || z->to.y < z->from.y))
        wrong = WRONG(st, "\"to %d,%d\" lies west or north of \"at %d,%d\"", z->to.x, z->to.y, z->from.x, z->from.y);
    return wrong;
}

static const char *read_area(const statement *st, const scenario *s, area *a)
{
    int64_t chance = 100;
    const char *wrong = read_zone(st, s, &a->zone);
    if (!wrong) wrong = read_number(st, "chance", st->clauses[CHANCE], 1, 100, &chance);
    a->chance = (int)chance;
    a->line = st->line;
    return wrong;
}

/* ---- Statements ----------------------------------------------------------------------------- */

/* Append to a list, whose size is the next power of two. */
static const char *append(const statement *st, void *list, int *count, const void *item, size_t size)
{
    void **array = (void **)list;
    if ((*count & (*count - 1)) == 0) {
        void *larger = realloc(*array, (size_t)(*count ? 2 * *count : 1) * size);
        if (!larger) return WRONG(st, "%s", "out of memory");
        *array = larger;
    }
    memcpy((char *)*array + (size_t)(*count)++ * size, item, size);
    return NULL;
}

static const char *read_size(const statement *st, int32_t *width, int32_t *height)
{
    int64_t w = 0, h = 0;
    char *x = st->count == 2 ? strchr(st->words[1], 'x') : NULL;
    if (!x) return WRONG(st, "the size must be WIDTHxHEIGHT, as in \"%s 40x24\"", st->words[0]);
    *x = '\0';
    const char *wrong = read_number(st, "width", st->words[1], 1, MOST_HEXES, &w);
    if (!wrong) wrong = read_number(st, "height", x + 1, 1, MOST_HEXES, &h);
    if (!wrong && w * h > MOST_HEXES)
        wrong = WRONG(st, "%lld hexes, at most %d are possible", (long long)(w * h), MOST_HEXES);
    if (wrong) return wrong;
    *width = (int32_t)w;
    *height = (int32_t)h;
    return NULL;
}

static const char *read_terrain(statement *st, scenario *s)
{
    int kind = st->count > 1 ? find_word(st->words[1], pen_terrain_names, TERRAINS) : -1;
    if (kind < 0)
        return WRONG(st, "terrain must be clear, road, forest, hill, marsh, town or water, not \"%s\"",
                     st->count > 1 ? st->words[1] : "");
    ground_area ground = { .terrain = (uint8_t)kind };
    const char *wrong = read_clauses(st, 2, 1U << AT | 1U << TO | 1U << CHANCE);
    if (!wrong) wrong = read_area(st, s, &ground.where);
    return wrong ? wrong : append(st, &s->grounds, &s->ground_count, &ground, sizeof ground);
}

static const char *read_command(statement *st, scenario *s, int side)
{
    place at;
    const char *wrong = read_clauses(st, 2, 1U << AT);
    if (!wrong) wrong = read_place(st, s, st->clauses[AT], &at);
    if (wrong) return wrong;
    if (s->command[side] != NO_HEX) return WRONG(st, "a second command of %s", pen_side_names[side]);
    s->command[side] = at.y * s->width + at.x;
    return NULL;
}

static const char *read_order(statement *st, scenario *s, int side)
{
    zone objective;
    int64_t formation = ALL_FORMATIONS, from = 0;
    const char *wrong = read_clauses(st, 2, 1U << AT | 1U << TO | 1U << FORMATION | 1U << FROM);
    if (!wrong) wrong = read_zone(st, s, &objective);
    if (!wrong) wrong = read_number(st, "formation", st->clauses[FORMATION], 0, FORMATIONS - 1, &formation);
    if (!wrong) wrong = read_number(st, "from", st->clauses[FROM], 0, INT64_MAX, &from);
    if (wrong) return wrong;
    const order fresh = { side, (int)formation, from, objective };
    return append(st, &s->orders, &s->order_count, &fresh, sizeof fresh);
}

static const char *read_force(statement *st, scenario *s, int side, int type)
{
    force f = { .side = side, .type = type };
    int64_t count = 0, assets = 0, formation = 0;
    if (st->count < 3)
        return WRONG(st, "the number of units is missing: \"%s %s N assets A at X,Y\"", st->words[0], st->words[1]);
    const char *wrong = read_number(st, "the number of units", st->words[2], 1, CAPACITY, &count);
    if (!wrong) wrong = read_clauses(st, 3, 1U << AT | 1U << TO | 1U << CHANCE | 1U << ASSETS | 1U << FORMATION);
    if (!wrong && !st->clauses[ASSETS]) wrong = WRONG(st, "\"assets %s\" is missing", "A");
    if (!wrong) wrong = read_number(st, "assets", st->clauses[ASSETS], 1, MOST_ASSETS, &assets);
    if (!wrong) wrong = read_number(st, "formation", st->clauses[FORMATION], 0, FORMATIONS - 1, &formation);
    if (!wrong) wrong = read_area(st, s, &f.where);
    if (wrong) return wrong;
    f.count = (int)count;
    f.assets = (int)assets;
    f.formation = (int)formation;
    return append(st, &s->forces, &s->force_count, &f, sizeof f);
}

static const char *read_statement(statement *st, scenario *s, bool first)
{
    int side = find_word(st->words[0], pen_side_names, SIDES);
    if (strcmp(st->words[0], "size") == 0) {
        int32_t width, height;
        const char *wrong = read_size(st, &width, &height);
        if (!wrong && !first) wrong = WRONG(st, "\"%s\" must precede all other statements", "size");
        if (!wrong && (width != s->width || height != s->height))
            wrong = WRONG(st, "made for %dx%d hexes, but the field has %dx%d", width, height, s->width, s->height);
        return wrong;
    }
    if (strcmp(st->words[0], "terrain") == 0) return read_terrain(st, s);
    if (side < 0) return WRONG(st, "a statement must begin with size, terrain, red or blue, not \"%s\"", st->words[0]);
    const char *what = st->count > 1 ? st->words[1] : "";
    if (strcmp(what, "command") == 0) return read_command(st, s, side);
    if (strcmp(what, "objective") == 0) return read_order(st, s, side);
    int type = find_word(what, pen_type_names, TYPES);
    if (type >= 0) return read_force(st, s, side, type);
    return WRONG(st, "%s must be followed by command, objective, armour, infantry or artillery, not \"%s\"",
                 pen_side_names[side], what);
}

/* ---- The whole scenario --------------------------------------------------------------------- */

/* Sum up the order of battle, and find hexes with too many units. */
static const char *muster(const char *name, scenario *s)
{
    for (int f = 0; f < s->force_count; f++) {
        const area *a = &s->forces[f].where;
        const zone *z = &a->zone;
        bool one_hex = z->from.x == z->to.x && z->from.y == z->to.y;
        for (int32_t y = z->from.y; y <= z->to.y; y++)
            for (int32_t x = z->from.x; x <= z->to.x; x++) {
                troops here;
                int line = pen_scenario_troops(s, (place){ x, y }, &here);
                if (line)
                    return pen_complain("%s:%d: more than %d units of a side in hex %d,%d", name, line, CAPACITY, x, y);
                bool water = pen_scenario_terrain(s, (place){ x, y }) == WATER;
                if (water && one_hex)
                    return pen_complain("%s:%d: units in the water of hex %d,%d", name, a->line, x, y);
                if (water || !pen_scenario_covers(s, a, (place){ x, y })) continue;
                s->units[s->forces[f].side] += s->forces[f].count;
                s->assets[s->forces[f].side] += (int64_t)s->forces[f].count * s->forces[f].assets;
            }
    }
    return NULL;
}

const char *pen_scenario_parse(const char *name, const char *text, int32_t width, int32_t height, uint64_t seed,
                               scenario *s)
{
    statement st = { .name = name };
    bool first = true;
    *s = (scenario){ .width = width, .height = height, .seed = seed, .command = { NO_HEX, NO_HEX } };
    if ((int64_t)width * height > MOST_HEXES)
        return pen_complain("%s: %lld hexes, at most %d are possible", name, (long long)width * height, MOST_HEXES);
    while (*text) {
        const char *wrong = split_line(&text, &st);
        if (!wrong && st.count > 0) {
            wrong = read_statement(&st, s, first);
            first = false;
        }
        if (wrong) return wrong;
    }
    return muster(name, s);
}

void pen_scenario_size(const char *text, int32_t *width, int32_t *height)
{
    statement st = { .name = "" };
    *width = *height = 0;
    while (*text && !split_line(&text, &st) && st.count == 0) {}
    if (st.count == 0 || strcmp(st.words[0], "size") != 0 || read_size(&st, width, height)) *width = *height = 0;
}

const char *pen_scenario_load(const char *name, char **text)
{
    for (int i = 0; i < SCENARIOS; i++)
        if (strcmp(name, pen_scenario_texts[i].name) == 0) {
            *text = strdup(pen_scenario_texts[i].text);
            return *text ? NULL : pen_complain("%s: out of memory", name);
        }
    size_t size;
    const char *wrong = pen_load(name, text, &size);
    if (wrong) return pen_complain("%s (built-in scenarios are meeting, breakthrough, encirclement, scatter)", wrong);
    if (strlen(*text) == size) return NULL;
    free(*text);
    *text = NULL;
    return pen_complain("%s: not a text file", name);
}
