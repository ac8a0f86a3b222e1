/* until.c - reads the conditions that end a run, and evaluates them. */
#include "observables/until.h"
#include "base/memory.h"
#include "base/options.h"

#include <stdlib.h>

static const char *const comparisons[] = {
    [PEN_AT_MOST] = "<=", [PEN_AT_LEAST] = ">=", [PEN_BELOW] = "<", [PEN_ABOVE] = ">"
};

/* Read the comparison at the beginning of a text. Returns the text after it, or NULL. */
static const char *read_comparison(const char *text, pen_comparison *comparison)
{
    static const pen_comparison longest_first[] = { PEN_AT_MOST, PEN_AT_LEAST, PEN_BELOW, PEN_ABOVE };
    for (int i = 0; i < 4; i++) {
        const char *sign = comparisons[longest_first[i]];
        *comparison = longest_first[i];
        if (strncmp(text, sign, strlen(sign)) == 0) return text + strlen(sign);
    }
    return NULL;
}

/* Fail because the text does not begin with the name of an observable. */
static pen_status unknown(const char *text, const pen_observable *table, int count)
{
    enum { LONGEST = 64 };
    char word[LONGEST];
    const char **names = NULL;
    size_t length = strcspn(text, "<>,");
    if (text[length] != '<' && text[length] != '>')
        return pen_fail(PEN_ERR_INPUT,
                        "--until: not a condition: %s; must be OBSERVABLE<VALUE, or with <=, > or >=, or quiet", text);
    snprintf(word, sizeof word, "%.*s", (int)(length < LONGEST ? length : LONGEST - 1), text);
    PEN_TRY(PEN_ALLOC(&names, count));
    for (int i = 0; i < count; i++) names[i] = table[i].name;
    pen_status status = pen_unknown_name("observable", word, names, count);
    free(names);
    return status;
}

/* Read the condition "quiet". */
static bool read_quiet(const char *text, pen_condition *c, const char **end)
{
    static const char word[] = "quiet";
    const size_t length = sizeof word - 1;
    if (strncmp(text, word, length) != 0 || (text[length] != ',' && text[length] != '\0')) return false;
    *c = (pen_condition){ .observable = PEN_QUIET };
    *end = text[length] ? text + length + 1 : NULL;
    return true;
}

/* Read a condition. A name may contain any characters: the longest name that is followed by a comparison is taken. */
static pen_status read_condition(const char *text, const pen_observable *table, int count, pen_condition *c,
                                 const char **end)
{
    const char *bound = NULL;
    size_t longest = 0;
    if (read_quiet(text, c, end)) return PEN_OK;
    if (count == 0) return pen_fail(PEN_ERR_INPUT, "--until needs an application that has observables");
    for (int i = 0; i < count; i++) {
        size_t length = strlen(table[i].name);
        pen_comparison comparison;
        if (strncmp(text, table[i].name, length) != 0 || (bound && length <= longest)) continue;
        const char *behind = read_comparison(text + length, &comparison);
        if (!behind) continue;
        *c = (pen_condition){ .observable = i, .comparison = comparison };
        bound = behind;
        longest = length;
    }
    if (!bound) return unknown(text, table, count);
    char number[64];
    *end = pen_text_cut(bound, ',', number, sizeof number);
    const pen_observable *observable = &table[c->observable];
    bool whole = pen_observable_is_int(observable->kind);
    if (whole ? pen_parse_int(number, &c->whole) : pen_parse_real(number, &c->real)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--until: %s: must be a %s, like %s", text, whole ? "whole number" : "finite number",
                    observable->name);
}

static pen_status read_conditions(const char *text, const pen_observable *table, int count, pen_until *until)
{
    PEN_TRY(pen_copy_text(text, &until->text));
    for (const char *at = until->text; at;) {
        PEN_TRY(PEN_REALLOC(&until->conditions, until->count + 1));
        PEN_TRY(read_condition(at, table, count, &until->conditions[until->count], &at));
        if (until->conditions[until->count].observable == PEN_QUIET) until->quiet = true;
        until->count++;
    }
    return PEN_OK;
}

static bool holds(const pen_condition *c, const pen_run *run)
{
    const pen_observables *o = run->observation;
    if (c->observable == PEN_QUIET) return run->quiet;
    int64_t whole = o->ints[c->observable];
    double real = o->reals[c->observable];
    bool is_int = pen_observable_is_int(o->table[c->observable].kind);
    switch (c->comparison) {
    case PEN_BELOW: return is_int ? whole < c->whole : real < c->real;
    case PEN_AT_MOST: return is_int ? whole <= c->whole : real <= c->real;
    case PEN_ABOVE: return is_int ? whole > c->whole : real > c->real;
    default: return is_int ? whole >= c->whole : real >= c->real;
    }
}

static void free_until(pen_until *until) { PEN_FREE_ALL(until->text, until->conditions); }

pen_status pen_until_check(const char *text, const pen_observable *table, int count)
{
    pen_until until = { .count = 0 };
    pen_status status = text ? read_conditions(text, table, count, &until) : PEN_OK;
    free_until(&until);
    return status;
}

/* ---- The part ------------------------------------------------------------------------------- */

static pen_status open_until(pen_run *run, void *state, const pen_run_options *options)
{
    const pen_observables *o = run->observation;
    return read_conditions(options->until, o->table, o->count, state);
}

static pen_end ends(const pen_run *run, const void *state)
{
    const pen_until *until = state;
    for (int i = 0; i < until->count; i++)
        if (!holds(&until->conditions[i], run)) return PEN_END_OPEN;
    return PEN_END_UNTIL;
}

static void destroy(pen_run *run, void *state) { free_until(state); }

static const pen_part_option options_of_until[] = {
    { "until", "OBSERVABLE<VALUE",
      "end after the first step after which this holds; also <=, >, >=; A<1,B>2: all of them; quiet: when nothing "
      "changes any more",
      PEN_OPTION_SETS(until) },
    { .name = NULL },
};

const pen_part pen_part_until = {
    .name = "until",
    .state_size = sizeof(pen_until),
    .options = options_of_until,
    .first_decides = true,
    .open = open_until,
    .ends = ends,
    .destroy = destroy,
};
