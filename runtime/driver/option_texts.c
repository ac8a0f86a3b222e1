/* option_texts.c - parses options of a run that are given as texts. */
#include "driver/option_texts.h"
#include "base/members.h"
#include "base/numbers.h"
#include "base/options.h"
#include "steer/steer.h"
#include "store/ordering.h"

#include <ctype.h>
#include <time.h>

static pen_status read_order(const char *text, pen_order *order)
{
    for (*order = PEN_ORDER_AUTO; *order <= PEN_ORDER_HILBERT; (*order)++)
        if (strcmp(text, pen_ordering_name(*order)) == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--order=%s: must be auto, natural, rcm or hilbert", text);
}

static pen_status read_progress(const char *text, pen_progress *progress)
{
    *progress = PEN_PROGRESS_OFF;
    if (strcmp(text, "on") == 0) *progress = PEN_PROGRESS_ON;
    else if (strcmp(text, "auto") == 0) *progress = PEN_PROGRESS_AUTO;
    else if (strcmp(text, "off") != 0) return pen_fail(PEN_ERR_INPUT, "--progress=%s: must be auto, on or off", text);
    return PEN_OK;
}

/* Parse a duration, "report" or "off". */
static pen_status read_watchdog(const char *text, double *seconds)
{
    const bool report = strcmp(text, "report") == 0;
    *seconds = report ? PEN_WATCHDOG_REPORT : 0.0;
    if (report || strcmp(text, "off") == 0) return PEN_OK;
    pen_status status = pen_read_seconds("--watchdog", text, seconds);
    return status == PEN_OK ? PEN_OK : pen_fail(status, "%s, report or off", pen_error_message());
}

/* Parse "SEED[:PART]". */
static pen_status read_migration(const char *text, uint64_t *seed, double *part)
{
    char piece[32];
    const char *rest = pen_text_cut(text, ':', piece, sizeof piece);
    int64_t number;
    *part = 0.1;
    bool right = pen_parse_int(piece, &number) && (!rest || pen_parse_real(rest, part));
    if (!right || *part < 0.0 || *part > 1.0)
        return pen_fail(PEN_ERR_INPUT, "--migrate-random=%s: must be SEED or SEED:PART with PART from 0 to 1", text);
    *seed = (uint64_t)number;
    return PEN_OK;
}

/* Parse --checkpoint-every: "100", a whole number of steps >= 1, or "10m", a duration > 0 that ends in its unit
 * (pen_read_seconds). Sets *steps or *seconds; the other one stays as it is. */
static pen_status read_every(const char *text, int64_t *steps, double *seconds)
{
    const size_t length = strlen(text);
    const bool has_unit = length > 0 && strchr("smh", text[length - 1]);
    if (has_unit) return pen_read_seconds("--checkpoint-every", text, seconds);
    if (!pen_parse_int(text, steps))
        return pen_fail(PEN_ERR_INPUT,
                        "--checkpoint-every=%s: neither a whole number of steps, nor a length of time with its unit, "
                        "like 90s, 10m, 1.5h",
                        text);
    if (*steps < 1) return pen_fail(PEN_ERR_INPUT, "--checkpoint-every=%s: must be at least 1", text);
    return PEN_OK;
}

/* Parse a complete text "HH:MM[:SS]". */
static bool read_clock(const char *text, struct tm *when)
{
    int end = -1;
    when->tm_sec = 0;
    if (!isdigit((unsigned char)*text)) return false;
    if (sscanf(text, "%2d:%2d:%2d%n", &when->tm_hour, &when->tm_min, &when->tm_sec, &end) < 3 || end < 0) {
        end = -1;
        when->tm_sec = 0;
        if (sscanf(text, "%2d:%2d%n", &when->tm_hour, &when->tm_min, &end) < 2 || end < 0) return false;
    }
    return text[end] == '\0' && when->tm_hour >= 0 && when->tm_hour < 24 && when->tm_min >= 0 && when->tm_min < 60 &&
           when->tm_sec >= 0 && when->tm_sec < 60;
}

/* Parse "YYYY-MM-DDT", followed by a time of day. */
static bool read_date(const char *text, struct tm *when)
{
    int end = -1;
    if (sscanf(text, "%4d-%2d-%2dT%n", &when->tm_year, &when->tm_mon, &when->tm_mday, &end) < 3 || end != 11)
        return false;
    when->tm_year -= 1900;
    when->tm_mon--;
    struct tm same = *when;
    same.tm_hour = 12;
    return mktime(&same) != -1 && same.tm_mday == when->tm_mday && read_clock(text + end, when);
}

static bool read_time(const char *text, time_t now, int64_t *seconds)
{
    struct tm when;
    if (*text == '@') return pen_parse_int(text + 1, seconds);
    localtime_r(&now, &when);
    when.tm_isdst = -1;
    if (read_clock(text, &when)) {
        struct tm today = when;
        if (mktime(&today) <= now) when.tm_mday++;
    } else if (!read_date(text, &when)) {
        return false;
    }
    *seconds = mktime(&when);
    return true;
}

/* Parse --checkpoint-before into seconds since 1970: "HH:MM" or "HH:MM:SS", the next such local time;
 * "YYYY-MM-DDTHH:MM[:SS]", local time; "@SECONDS" since 1970. PEN_ERR_INPUT: the text has none of these forms, or the
 * time is past. */
static pen_status read_before(const char *text, int64_t *seconds)
{
    const time_t now = time(NULL);
    if (!read_time(text, now, seconds))
        return pen_fail(PEN_ERR_INPUT,
                        "--checkpoint-before=%s: must be HH:MM, YYYY-MM-DDTHH:MM:SS or @SECONDS since 1970", text);
    if (*seconds <= now) return pen_fail(PEN_ERR_INPUT, "--checkpoint-before=%s: this time has passed", text);
    return PEN_OK;
}

static pen_status read_checkpoint(const pen_option_texts *t, pen_checkpoint_options *o)
{
    if (o->folder && !*o->folder) return pen_fail(PEN_ERR_INPUT, "--checkpoint needs a folder");
    if (t->checkpoint_every && !o->folder) return pen_fail(PEN_ERR_INPUT, "--checkpoint-every needs --checkpoint=DIR");
    if (t->checkpoint_before && !o->folder)
        return pen_fail(PEN_ERR_INPUT, "--checkpoint-before needs --checkpoint=DIR");
    if (t->checkpoint_every) PEN_TRY(read_every(t->checkpoint_every, &o->every_steps, &o->every_seconds));
    return t->checkpoint_before ? read_before(t->checkpoint_before, &o->before) : PEN_OK;
}

pen_status pen_option_texts_read(const pen_option_texts *t, pen_run_options *o)
{
    PEN_C_LOCALE;
    pen_members_hide(true);
    if (t->order) PEN_TRY(read_order(t->order, &o->order));
    if (t->progress) PEN_TRY(read_progress(t->progress, &o->progress));
    if (t->watchdog) PEN_TRY(read_watchdog(t->watchdog, &o->debug.watchdog));
    if (t->migrate_random) PEN_TRY(read_migration(t->migrate_random, &o->debug.migrate_seed, &o->debug.migrate_part));
    PEN_TRY(pen_steer_options_read(t->load, t->balance_when, t->balance_cost, &o->balance));
    return read_checkpoint(t, &o->checkpoint);
}
