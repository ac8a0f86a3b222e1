#include "resume/due.h"
#include "base/numbers.h"

#include <ctype.h>
#include <time.h>

pen_status pen_due_every(const char *text, int64_t *steps, double *seconds)
{
    static const double usual = 600.0;
    *steps = 0;
    *seconds = usual;
    if (!text) return PEN_OK;
    const size_t length = strlen(text);
    const bool has_unit = length > 0 && strchr("smh", text[length - 1]);
    if (has_unit) return pen_read_seconds("--checkpoint-every", text, seconds);
    *seconds = 0.0;
    if (!pen_parse_int(text, steps))
        return pen_fail(PEN_ERR_INPUT,
                        "--checkpoint-every=%s: neither a whole number of steps, nor a length of time with its unit, "
                        "like 90s, 10m, 1.5h",
                        text);
    if (*steps < 1) return pen_fail(PEN_ERR_INPUT, "--checkpoint-every=%s: must be at least 1", text);
    return PEN_OK;
}

double pen_due_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "HH:MM[:SS]", all of the text. */
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

/* "YYYY-MM-DDT" and a clock. */
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

static bool read_time(const char *text, time_t now, double *seconds)
{
    struct tm when;
    int64_t since = 0;
    localtime_r(&now, &when);
    when.tm_isdst = -1;
    if (*text == '@') {
        if (!pen_parse_int(text + 1, &since)) return false;
        *seconds = (double)since;
        return true;
    }
    if (read_clock(text, &when)) {
        struct tm today = when;
        if (mktime(&today) <= now) when.tm_mday++;
    } else if (!read_date(text, &when)) {
        return false;
    }
    *seconds = (double)mktime(&when);
    return true;
}

pen_status pen_due_before(const char *text, double *seconds)
{
    time_t now = (time_t)pen_due_now();
    if (!read_time(text, now, seconds))
        return pen_fail(PEN_ERR_INPUT,
                        "--checkpoint-before=%s: it is HH:MM, YYYY-MM-DDTHH:MM:SS or @SECONDS since 1970", text);
    if (*seconds <= (double)now) return pen_fail(PEN_ERR_INPUT, "--checkpoint-before=%s: that is past", text);
    return PEN_OK;
}
