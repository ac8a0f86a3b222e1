/* options.c - reads options and settings, and finds the name that was probably meant. */
#include "base/options.h"
#include "base/members.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

const char *pen_text_cut(const char *text, char separator, char *piece, size_t room)
{
    const char *end = strchr(text, separator);
    size_t length = end ? (size_t)(end - text) : strlen(text);
    if (length >= room) length = 0;
    memcpy(piece, text, length);
    piece[length] = '\0';
    return end ? end + 1 : NULL;
}

/* ---- The nearest name ----------------------------------------------------------------------- */

enum { LONGEST_WORD = 64 };

static int least(int a, int b) { return a < b ? a : b; }

/* The number of insertions, deletions, substitutions and transpositions of adjacent letters that turn a into b. A text
 * longer than any name is far from all texts. */
static int edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    if (m >= LONGEST_WORD || n >= LONGEST_WORD) return INT_MAX;
    int cost[LONGEST_WORD][LONGEST_WORD];
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = (int)(i + j);
                continue;
            }
            cost[i][j] = least(cost[i - 1][j], cost[i][j - 1]) + 1;
            cost[i][j] = least(cost[i][j], cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[m][n];
}

/* Replace *best by `name` if that is nearer to `word`; *best is NULL at first, with *distance the limit. */
static void consider(const char *word, const char *name, const char **best, int *distance)
{
    enum { SHORTEST_PREFIX = 3 };
    size_t length = strlen(word);
    bool begins = length >= SHORTEST_PREFIX && strncmp(word, name, length) == 0;
    int candidate = begins ? 1 : edit_distance(word, name);
    if (candidate < *distance) {
        *best = name;
        *distance = candidate;
    }
}

/* Distances below this count as near: one change in three letters. */
static int near_limit(const char *word) { return (int)((strlen(word) + 2) / 3) + 1; }

const char *pen_nearest(const char *word, const char *const *names, int count)
{
    const char *best = NULL;
    int distance = near_limit(word);
    for (int i = 0; i < count; i++) consider(word, names[i], &best, &distance);
    return best;
}

/* The size of text that is appended piece by piece, and cut off at this size. */
enum { LINE = 512 };

static void append(char line[LINE], const char *piece)
{
    size_t used = strlen(line);
    snprintf(line + used, LINE - used, "%s", piece);
}

pen_status pen_unknown_name(const char *what, const char *word, const char *const *names, int count)
{
    const char *nearest = pen_nearest(word, names, count);
    char meant[LINE] = ".", known[LINE] = "";
    if (nearest) snprintf(meant, sizeof meant, ": did you mean %s?", nearest);
    for (int i = 0; i < count; i++) {
        append(known, i > 0 ? ", " : "");
        append(known, names[i]);
    }
    return pen_fail(PEN_ERR_INPUT, "unknown %s %s%s Known: %s", what, word[0] ? word : "\"\"", meant,
                    count > 0 ? known : "none");
}

/* ---- Values --------------------------------------------------------------------------------- */

static pen_status check_range(const pen_option *option, const char *what, int64_t number)
{
    if (option->low >= option->high || (number >= option->low && number <= option->high)) return PEN_OK;
    if (option->high == INT64_MAX) return pen_fail(PEN_ERR_INPUT, "%s: must be at least %" PRId64, what, option->low);
    return pen_fail(PEN_ERR_INPUT, "%s: must be from %" PRId64 " to %" PRId64, what, option->low, option->high);
}

/* The index of a word in a list like "kway|recursive"; -1: the list does not have it. */
static int64_t find_word(const char *words, const char *word)
{
    for (int64_t place = 0;; place++) {
        size_t length = strcspn(words, "|");
        if (strlen(word) == length && strncmp(words, word, length) == 0) return place;
        if (!words[length]) return -1;
        words += length + 1;
    }
}

/* Whether the value can be omitted: it is in brackets, as in "[DIR]". */
static bool needs_no_value(const pen_option *option)
{
    return option->kind == PEN_OPTION_FLAG || (option->kind == PEN_OPTION_TEXT && *option->argument == '[');
}

pen_status pen_option_take(const pen_option *option, const char *what, const char *value, bool store)
{
    if (option->kind == PEN_OPTION_FLAG) {
        if (value) return pen_fail(PEN_ERR_INPUT, "%s: %s takes no value", what, option->name);
        if (store) *(bool *)option->value = true;
        return PEN_OK;
    }
    if (!value && needs_no_value(option)) value = "";
    if (!value) return pen_fail(PEN_ERR_INPUT, "%s needs a value: %s=%s", what, option->name, option->argument);
    int64_t whole;
    double real;
    switch (option->kind) {
    case PEN_OPTION_INT:
        if (!pen_parse_int(value, &whole))
            return pen_fail(PEN_ERR_INPUT, "%s: not a signed whole number of 64 bits", what);
        PEN_TRY(check_range(option, what, whole));
        if (store) *(int64_t *)option->value = whole;
        break;
    case PEN_OPTION_REAL:
        if (!pen_parse_real(value, &real))
            return pen_fail(PEN_ERR_INPUT, "%s: %s", what,
                            pen_is_too_small(value) ? "too small for a double" : "not a finite number");
        if (store) *(double *)option->value = real;
        break;
    case PEN_OPTION_WORD:
        whole = find_word(option->argument, value);
        if (whole < 0) return pen_fail(PEN_ERR_INPUT, "%s: must be %s", what, option->argument);
        if (store) *(int64_t *)option->value = whole;
        break;
    default:
        if (store) *(const char **)option->value = value;
    }
    return PEN_OK;
}

const pen_option *pen_option_find(const pen_option *table, const char *text)
{
    size_t length = strcspn(text, "=");
    for (const pen_option *o = table; o && o->name; o++)
        if (o->value && strlen(o->name) == length && strncmp(o->name, text, length) == 0) return o;
    return NULL;
}

const pen_option *pen_option_of_app(const pen_option *own, const char *name, bool *hides)
{
    while (own && own->name && strcmp(own->name, name) != 0) own++;
    *hides = own && own->name && (own->value || !own->help);
    return own && own->name ? own : NULL;
}

static const char *behind_equals(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals ? equals + 1 : NULL;
}

/* ---- The command line ----------------------------------------------------------------------- */

static pen_status check_declared(const pen_option_group *groups, int count)
{
    for (int g = 0; g < count; g++)
        for (const pen_option *o = groups[g].options; o && o->name; o++) {
            PEN_ARGUMENT(!o->value || (o->help && (o->argument || o->kind == PEN_OPTION_FLAG)),
                         "option --%s needs an argument and a help", o->name);
            for (int h = 0; h <= g; h++) {
                const pen_option *same = pen_option_find(groups[h].options, o->name);
                PEN_ARGUMENT(!same || !o->value || same == o, "option --%s is declared twice", o->name);
            }
        }
    return PEN_OK;
}

static pen_status unknown_option(const char *argument, const pen_option_group *groups, int count)
{
    if (strncmp(argument, "--", 2) != 0)
        return pen_fail(PEN_ERR_INPUT, "unexpected argument %s: options are --name or --name=VALUE, see --help",
                        argument);
    char word[LONGEST_WORD];
    pen_text_cut(argument + 2, '=', word, sizeof word);
    const char *best = NULL;
    int distance = near_limit(word);
    for (int g = 0; g < count; g++)
        for (const pen_option *o = groups[g].options; o && o->name; o++)
            if (o->value) consider(word, o->name, &best, &distance);
    if (!best) return pen_fail(PEN_ERR_INPUT, "unknown option %s, see --help", argument);
    return pen_fail(PEN_ERR_INPUT, "unknown option %s: did you mean --%s?", argument, best);
}

/* Split an argument into an option's name and value; "-h" is short for "help". NULL: the argument is not an option. */
static const char *option_text(const char *argument)
{
    if (strcmp(argument, "-h") == 0) return "help";
    return strncmp(argument, "--", 2) == 0 ? argument + 2 : NULL;
}

/* Find the option that an argument gives; NULL: the argument is not an option. */
static const pen_option *find_option(const char *argument, const pen_option_group *groups, int count)
{
    const char *text = option_text(argument);
    const pen_option *option = NULL;
    for (int g = 0; !option && g < count && text; g++) option = pen_option_find(groups[g].options, text);
    return option;
}

/* Refuse an option with a value if it, or one that sets the same variable, was given before argv[i]. */
static pen_status check_given_once(char **argv, int i, const pen_option_group *groups, int count)
{
    const pen_option *option = find_option(argv[i], groups, count);
    const bool repeated = option->kind == PEN_OPTION_TEXT && option->low > option->high;
    if (option->kind == PEN_OPTION_FLAG || repeated) return PEN_OK;
    for (int k = 1; k < i; k++)
        if (find_option(argv[k], groups, count)->value == option->value)
            return pen_fail(PEN_ERR_INPUT, "%s and %s: it can be given only once", argv[k], argv[i]);
    return PEN_OK;
}

pen_status pen_option_groups_parse(int argc, char **argv, const pen_option_group *groups, int count)
{
    pen_members_hide(true);
    PEN_C_LOCALE;
    PEN_TRY(check_declared(groups, count));
    for (int store = 0; store <= 1; store++) /* all arguments are checked before any value is stored */
        for (int i = 1; i < argc; i++) {
            const pen_option *option = find_option(argv[i], groups, count);
            const char *value = behind_equals(argv[i]);
            if (!option) return unknown_option(argv[i], groups, count);
            if (!needs_no_value(option) && !value && i + 1 < argc && argv[i + 1][0] != '-')
                return pen_fail(PEN_ERR_INPUT, "%s needs its value after \"=\": %s=%s", argv[i], argv[i], argv[i + 1]);
            PEN_TRY(check_given_once(argv, i, groups, count));
            PEN_TRY(pen_option_take(option, argv[i], value, store));
        }
    return PEN_OK;
}

pen_status pen_option_join(int argc, char **argv, const char *name, char separator, char **joined)
{
    size_t used = 0, length = strlen(name);
    int64_t room = 0;
    *joined = NULL;
    for (int i = 1; i < argc; i++) {
        const char *text = option_text(argv[i]);
        if (!text || strncmp(text, name, length) != 0 || text[length] != '=') continue;
        const char *value = text + length + 1;
        PEN_TRY(pen_reserve(joined, 1, (int64_t)(used + strlen(value)) + 2, &room));
        if (used > 0) (*joined)[used++] = separator;
        memcpy(*joined + used, value, strlen(value) + 1);
        used += strlen(value);
    }
    return PEN_OK;
}

static int shown_width(const pen_option *o)
{
    return (int)strlen(o->name) + (o->kind == PEN_OPTION_FLAG ? 0 : 1 + (int)strlen(o->argument));
}

void pen_option_groups_print(FILE *out, const pen_option_group *groups, int count)
{
    enum { WIDEST = 34 }; /* the help of an option that is longer begins on the next line */
    int width = 0;
    for (int g = 0; g < count; g++)
        for (const pen_option *o = groups[g].options; o && o->name; o++)
            if (o->value && shown_width(o) <= WIDEST && shown_width(o) > width) width = shown_width(o);
    for (int g = 0; g < count; g++) {
        const pen_option *o = groups[g].options;
        if (!o || !o->name) continue;
        fprintf(out, "%s:\n", groups[g].title);
        for (; o->name; o++) {
            if (!o->value) continue;
            bool flag = o->kind == PEN_OPTION_FLAG, maybe = !flag && needs_no_value(o);
            if (maybe) fprintf(out, "  --%s[=%s", o->name, o->argument + 1);
            else fprintf(out, "  --%s%s%s", o->name, flag ? "" : "=", flag ? "" : o->argument);
            bool wide = shown_width(o) > width;
            if (wide) fputc('\n', out);
            fprintf(out, "%*s%s\n", wide ? width + 6 : width - shown_width(o) + 2, "", o->help);
        }
    }
}

/* ---- Settings after a name ------------------------------------------------------------------ */

pen_status pen_spec_split(const char *text, pen_spec *spec)
{
    char *copy;
    PEN_TRY(pen_copy_text(text, &copy));
    char *colon = strchr(copy, ':');
    if (colon) *colon = '\0';
    *spec = (pen_spec){ copy, colon ? colon + 1 : copy + strlen(copy) };
    return PEN_OK;
}

void pen_spec_free(pen_spec *spec)
{
    free(spec->name);
    *spec = (pen_spec){ 0 };
}

static pen_status unknown_setting(const char *owner, const char *setting, const pen_option *table)
{
    char word[LONGEST_WORD], meant[LINE] = ".", known[LINE] = "";
    pen_text_cut(setting, '=', word, sizeof word);
    const char *best = NULL;
    int distance = near_limit(word);
    for (const pen_option *o = table; o && o->name; o++) {
        consider(word, o->name, &best, &distance);
        append(known, known[0] ? ", " : " Known: ");
        append(known, o->name);
        append(known, o->kind == PEN_OPTION_FLAG ? "" : "=");
        append(known, o->kind == PEN_OPTION_FLAG ? "" : o->argument);
    }
    if (best) snprintf(meant, sizeof meant, ": did you mean %s?", best);
    return pen_fail(PEN_ERR_INPUT, "%s%sunknown setting %s%s%s", owner ? owner : "", owner ? ": " : "", setting, meant,
                    known[0] ? known : " It has none");
}

void pen_settings_print(FILE *out, const char *settings)
{
    for (const char *line = settings; *line; line += strcspn(line, "\n"), line += *line == '\n')
        fprintf(out, "           %.*s\n", (int)strcspn(line, "\n"), line);
}

pen_status pen_settings_parse(const char *owner, char *settings, const pen_option *table)
{
    while (*settings != '\0') {
        char *end = settings + strcspn(settings, ",");
        bool last = *end == '\0';
        *end = '\0';
        const pen_option *option = pen_option_find(table, settings);
        if (!option) return unknown_setting(owner, settings, table);
        char what[LINE];
        snprintf(what, sizeof what, "%s%s%s", owner ? owner : "", owner ? ": " : "", settings);
        PEN_TRY(pen_option_take(option, what, behind_equals(settings), true));
        settings = last ? end : end + 1;
    }
    return PEN_OK;
}

enum { MOST_SETTINGS = 64 };

/* Make an option of a setting; its default is that of the setting. */
static pen_status begin_setting(const char *owner, const pen_setting *setting, size_t size, void *into,
                                pen_option *option)
{
    static const size_t sizes[] = { [PEN_OPTION_FLAG] = sizeof(bool),
                                    [PEN_OPTION_INT] = sizeof(int64_t),
                                    [PEN_OPTION_REAL] = sizeof(double),
                                    [PEN_OPTION_TEXT] = sizeof(const char *),
                                    [PEN_OPTION_WORD] = sizeof(int64_t) };
    if (setting->offset + sizes[setting->kind] > size)
        return pen_fail(PEN_ERR_INPUT, "%s: its setting %s lies outside its %zu bytes", owner, setting->name, size);
    if (setting->kind != PEN_OPTION_FLAG && *setting->name && !setting->argument)
        return pen_fail(PEN_ERR_INPUT, "%s: its setting %s has no argument", owner, setting->name);
    char *value = (char *)into + setting->offset;
    *option = (pen_option){
        .name = setting->name, .argument = setting->argument, .kind = setting->kind, .value = value
    };
    if (setting->kind == PEN_OPTION_INT && setting->low < setting->high) {
        option->low = (int64_t)setting->low;
        option->high = setting->high < 0x1p63 ? (int64_t)setting->high : INT64_MAX;
    }
    if (setting->initial) return pen_option_take(option, setting->initial, setting->initial, true);
    if (setting->kind == PEN_OPTION_REAL) *(double *)(void *)value = NAN;
    if (setting->kind == PEN_OPTION_INT || setting->kind == PEN_OPTION_WORD) *(int64_t *)(void *)value = -1;
    return PEN_OK;
}

static pen_status check_real(const char *owner, const pen_setting *s, const void *from)
{
    if (s->kind != PEN_OPTION_REAL || !(s->low < s->high)) return PEN_OK;
    double value = *(const double *)(const void *)((const char *)from + s->offset);
    if (isnan(value) || (value >= s->low && value <= s->high)) return PEN_OK;
    const char *text = PEN_REAL_TEXT(value), *low = PEN_REAL_TEXT(s->low);
    if (isinf(s->high)) return pen_fail(PEN_ERR_INPUT, "%s: %s=%s: must be at least %s", owner, s->name, text, low);
    return pen_fail(PEN_ERR_INPUT, "%s: %s=%s: must be from %s to %s", owner, s->name, text, low,
                    PEN_REAL_TEXT(s->high));
}

static pen_status read_settings(const char *owner, char *text, const pen_setting *table, size_t size, void *into)
{
    pen_option options[MOST_SETTINGS] = { { .name = NULL } };
    int count = 0;
    for (; table && table[count].name; count++) {
        if (count == MOST_SETTINGS - 1)
            return pen_fail(PEN_ERR_INPUT, "%s has more than %d settings", owner, MOST_SETTINGS - 1);
        PEN_TRY(begin_setting(owner, &table[count], size, into, &options[count]));
    }
    if (count == 1 && table[0].name[0] == '\0') return pen_option_take(&options[0], text, text, true);
    PEN_TRY(pen_settings_parse(owner, text, options));
    for (int i = 0; i < count; i++) PEN_TRY(check_real(owner, &table[i], into));
    return PEN_OK;
}

pen_status pen_settings_make(const char *owner, const char *text, const pen_setting *table, size_t size,
                             const char *(*check)(void *settings), void **made)
{
    char *block;
    *made = NULL;
    PEN_TRY(pen_alloc_zero(&block, (int64_t)(size + strlen(text)) + 1, 1));
    char *copy = memcpy(block + size, text, strlen(text) + 1);
    pen_status status = read_settings(owner, copy, table, size, block);
    const char *complaint = status == PEN_OK && check ? check(block) : NULL;
    if (complaint)
        status = pen_fail(PEN_ERR_INPUT, "%s: %s", owner,
                          *complaint ? complaint : "it refuses its settings without a message");
    if (status == PEN_OK) *made = block;
    else free(block);
    return status;
}

void pen_settings_list(FILE *out, const char *name, const char *summary, const pen_setting *table)
{
    fprintf(out, "%-9s %s\n", name, summary);
    for (const pen_setting *s = table; s && s->name; s++) {
        fprintf(out, "           %s%s%s", s->name, *s->name && s->argument ? "=" : "", s->argument ? s->argument : "");
        if (s->initial) fprintf(out, " (%s)", s->initial);
        fprintf(out, "%s%s\n", s->help ? ": " : "", s->help ? s->help : "");
    }
}
