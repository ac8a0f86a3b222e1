/* option_values.c - reads, checks and compares the values of options that tables describe. */
#include "base/option_values.h"
#include "base/json.h"
#include "base/options.h"

#include <float.h>

pen_option pen_part_option_entry(const pen_part_option *o, void *value)
{
    static const pen_option_kind kinds[] = {
        [PEN_VALUE_FLAG] = PEN_OPTION_FLAG, [PEN_VALUE_INT] = PEN_OPTION_INT,   [PEN_VALUE_BITS] = PEN_OPTION_INT,
        [PEN_VALUE_REAL] = PEN_OPTION_REAL, [PEN_VALUE_TEXT] = PEN_OPTION_TEXT, [PEN_VALUE_ENUM] = PEN_OPTION_TEXT
    };
    pen_option entry = { o->name, o->argument, o->help, o->read ? PEN_OPTION_TEXT : kinds[o->kind], value, 0, 0 };
    if (entry.kind == PEN_OPTION_INT) {
        entry.low = o->low;
        entry.high = INT64_MAX;
    }
    entry.low = o->repeats ? 1 : entry.low; /* above .high: pen_option_groups_parse */
    return entry;
}

const void *pen_part_option_base(const pen_part_option *o, const pen_run_options *options)
{
    static const pen_test_options none = { .migrate_part = 0.0 };
    if (!o->of_tests) return options;
    return options->debug.tests ? options->debug.tests : &none;
}

int64_t pen_part_option_number(const pen_part_option *o, const void *base)
{
    const unsigned char *at = (const unsigned char *)base + o->offset;
    int64_t number = 0;
    switch (o->kind) {
    case PEN_VALUE_FLAG: return *(const bool *)at;
    case PEN_VALUE_ENUM: return *(const unsigned *)(const void *)at;
    default: memcpy(&number, at, sizeof number); return number; /* every kind has at most 64 bits */
    }
}

pen_argument pen_part_option_argument(const pen_part_option *o, const void *base)
{
    pen_argument argument = { o->member ? o->member : o->name, NULL, 0 };
    if (o->kind == PEN_VALUE_TEXT)
        memcpy(&argument.text, (const unsigned char *)base + o->offset, sizeof argument.text);
    else argument.number = pen_part_option_number(o, base);
    return argument;
}

void pen_part_option_print(const pen_part_option *o, const void *base, bool line, FILE *out)
{
    const pen_argument a = pen_part_option_argument(o, base);
    double real;
    if (a.number == 0 && !a.text) return;
    if (line) fprintf(out, "%s=", o->name);
    else fprintf(out, ", \"%s\": ", a.name);
    memcpy(&real, &a.number, sizeof real);
    if (a.text) pen_json_text(out, a.text);
    else if (o->kind == PEN_VALUE_FLAG) fputs("true", out);
    else if (o->kind == PEN_VALUE_REAL) pen_json_real(out, real);
    else fprintf(out, o->kind == PEN_VALUE_BITS ? "%" PRIu64 : "%" PRId64, a.number);
    if (line) fputc('\n', out);
}

pen_status pen_part_option_check(const pen_part_option *o, const void *base)
{
    const char *name = o->member ? o->member : o->name;
    if (o->kind == PEN_VALUE_INT || o->kind == PEN_VALUE_ENUM) {
        const int64_t value = pen_part_option_number(o, base);
        PEN_ARGUMENT(value >= 0, "%s %" PRId64 ", must be >= 0", name, value);
        PEN_ARGUMENT(o->kind == PEN_VALUE_INT || (double)value <= o->high, "%s %" PRId64 ", must be at most %.0f", name,
                     value, o->high);
    } else if (o->kind == PEN_VALUE_REAL) {
        double value;
        memcpy(&value, (const unsigned char *)base + o->offset, sizeof value);
        const double most = o->high > 0.0 ? o->high : DBL_MAX;
        PEN_ARGUMENT((value >= 0.0 && value <= most) || value == o->special, "%s %s, must be %s", name,
                     PEN_REAL_TEXT(value), o->range ? o->range : "a number >= 0");
    }
    return PEN_OK;
}

pen_status pen_part_options_read(const pen_part_option *table, const pen_words *words, void *state, int *own,
                                 int *given)
{
    for (const pen_part_option *o = table; o && (o->name || o->member); o++) {
        char what[128];
        const char *value = o->initial;
        bool found = false, hidden;
        if (o->member) continue;
        ++*own;
        (void)pen_option_of_app(words->hides, o->name, &hidden);
        const int length = snprintf(what, sizeof what, "--%s", o->name);
        for (int i = 0; i < words->count && !found && !hidden; i++) {
            const char *word = words->list[i];
            found = strncmp(word, what, (size_t)length) == 0 && (word[length] == '=' || word[length] == '\0');
            *given += found;
            if (found) value = word[length] == '=' ? word + length + 1 : NULL;
        }
        if (!found && !value) continue;
        const pen_option entry = pen_part_option_entry(o, (unsigned char *)state + o->offset);
        PEN_TRY(pen_option_take(&entry, what, value, true));
    }
    return PEN_OK;
}
