#include "steer/settings.h"
#include "base/options.h"

#include <string.h>

static pen_status read_load(const char *text, bool *declared)
{
    *declared = text && strcmp(text, "declared") == 0;
    if (text && !*declared && strcmp(text, "measured") != 0)
        return pen_fail(PEN_ERR_INPUT, "--load=%s: it is measured or declared", text);
    return PEN_OK;
}

static pen_status read_when(const char *text, pen_steer_settings *settings)
{
    char word[8];
    settings->when = PEN_WHEN_PAYS;
    settings->every = 0;
    if (!text || strcmp(text, "auto") == 0) return PEN_OK;
    settings->when = PEN_WHEN_CHANGED;
    if (strcmp(text, "change") == 0) return PEN_OK;
    settings->when = PEN_WHEN_EVERY;
    const char *number = pen_text_cut(text, ':', word, sizeof word);
    bool right = number && strcmp(word, "every") == 0 && pen_parse_int(number, &settings->every);
    if (right && settings->every >= 1) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--balance-when=%s: it is auto, change or every:N, N at least 1", text);
}

static pen_status read_cost(const char *text, pen_steer_settings *settings)
{
    settings->base = settings->per_node = -1.0;
    if (!text) return PEN_OK;
    if (!settings->declared)
        return pen_fail(PEN_ERR_INPUT, "--balance-cost is for declared loads: it needs --load=declared");
    char base[64];
    const char *per_node = pen_text_cut(text, ':', base, sizeof base);
    bool right = pen_parse_real(base, &settings->base) && settings->base >= 0.0;
    if (right && per_node) right = pen_parse_real(per_node, &settings->per_node) && settings->per_node >= 0.0;
    if (right) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--balance-cost=%s: it is BASE or BASE:PER_NODE, units of load, >= 0", text);
}

pen_status pen_steer_settings_read(const char *load, const char *when, const char *cost, pen_steer_settings *settings)
{
    PEN_TRY(read_load(load, &settings->declared));
    PEN_TRY(read_when(when, settings));
    return read_cost(cost, settings);
}
