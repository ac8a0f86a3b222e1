/* steer_settings.c - reads the settings of balancing from the texts of a command line. */
#include "base/options.h"
#include "steer/steer.h"

#include <string.h>

/* "auto", "change" or "every:N"; the last two with or without ":always". */
static bool read_when(const char *text, pen_steer_settings *o)
{
    char word[32];
    const char *rest = pen_text_cut(text, ':', word, sizeof word);
    if (strcmp(text, "auto") == 0) return true;
    o->when = PEN_STEER_CHANGE;
    if (strcmp(word, "every") == 0 && rest) {
        o->when = PEN_STEER_EVERY;
        rest = pen_text_cut(rest, ':', word, sizeof word);
        if (!pen_parse_int(word, &o->every) || o->every < 1) return false;
    } else if (strcmp(word, "change") != 0) {
        return false;
    }
    o->always = rest != NULL;
    return !rest || strcmp(rest, "always") == 0;
}

static bool read_number(const char *text, double *cost)
{
    if (!pen_parse_real(text, cost) || *cost < 0.0) return false;
    if (*cost == 0.0) *cost = PEN_NO_COST;
    return true;
}

pen_status pen_steer_settings_read(const char *when, const char *cost, pen_steer_settings *o)
{
    char base[64];
    if (when && !read_when(when, o))
        return pen_fail(PEN_ERR_INPUT,
                        "--balance-when=%s: must be auto, change or every:N with N at least 1; change and every:N may "
                        "be followed by :always",
                        when);
    if (!cost) return PEN_OK;
    if (o->load != PEN_LOAD_DECLARED) return pen_fail(PEN_ERR_INPUT, "--balance-cost needs --load=declared");
    const char *per_node = pen_text_cut(cost, ':', base, sizeof base);
    if (read_number(base, &o->call_cost) && (!per_node || read_number(per_node, &o->node_cost))) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--balance-cost=%s: must be BASE or BASE:PER_NODE, units of load, >= 0", cost);
}
