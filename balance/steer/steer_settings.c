/* steer_settings.c - reads the settings of balancing from the texts of a command line. */
#include "base/options.h"
#include "steer/steer.h"

#include <math.h>
#include <string.h>

static pen_status read_when(const char *text, pen_steer_settings *o)
{
    static const char always[] = ":always";
    char when[32], word[8];
    if (!text || strcmp(text, "auto") == 0) return PEN_OK;
    size_t length = strlen(text), end = sizeof always - 1;
    o->always = length > end && strcmp(text + length - end, always) == 0;
    snprintf(when, sizeof when, "%.*s", (int)(length - (o->always ? end : 0)), text);
    o->when = PEN_STEER_CHANGE;
    if (strcmp(when, "change") == 0) return PEN_OK;
    o->when = PEN_STEER_EVERY;
    const char *number = pen_text_cut(when, ':', word, sizeof word);
    bool right = number && strcmp(word, "every") == 0 && pen_parse_int(number, &o->every);
    if (right && o->every >= 1) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "--balance-when=%s: must be auto, change or every:N with N at least 1; change and every:N may be "
                    "followed by :always",
                    text);
}

static bool read_number(const char *text, double *cost)
{
    if (!pen_parse_real(text, cost) || *cost < 0.0) return false;
    if (*cost == 0.0) *cost = PEN_NO_COST;
    return true;
}

static pen_status read_cost(const char *text, pen_steer_settings *o)
{
    if (!text) return PEN_OK;
    if (o->load != PEN_LOAD_DECLARED) return pen_fail(PEN_ERR_INPUT, "--balance-cost needs --load=declared");
    char base[64];
    const char *per_node = pen_text_cut(text, ':', base, sizeof base);
    if (read_number(base, &o->call_cost) && (!per_node || read_number(per_node, &o->node_cost))) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--balance-cost=%s: must be BASE or BASE:PER_NODE, units of load, >= 0", text);
}

pen_status pen_steer_settings_read(const char *when, const char *cost, pen_steer_settings *settings)
{
    PEN_TRY(read_when(when, settings));
    return read_cost(cost, settings);
}
