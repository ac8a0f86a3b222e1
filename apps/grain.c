#include "grain.h"

#include <stdlib.h>
#include <time.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

static const char *parse_time(const char *text, size_t length, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } words[] = { { "none", 0.0 }, { "fine", 0.3e-3 }, { "coarse", 3e-3 } };
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1.0 } };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].name) == length && strncmp(text, words[i].name, length) == 0) {
            *seconds = words[i].seconds;
            return NULL;
        }
    char *unit;
    double value = strtod(text, &unit);
    size_t rest = length - (size_t)(unit - text);
    if (unit > text && value >= 0.0 && value <= 1e6)
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
            if (strlen(units[i].name) == rest && strncmp(unit, units[i].name, rest) == 0) {
                *seconds = value * units[i].seconds;
                return NULL;
            }
    return "--grain is none, fine, coarse or a time as in 20us, 0.3ms; then :spin or :sleep";
}

static const char *parse_work(grain *g)
{
    const char *colon = strchr(g->work_text, ':');
    size_t length = colon ? (size_t)(colon - g->work_text) : strlen(g->work_text);
    g->sleeps = colon && strcmp(colon, ":sleep") == 0;
    if (colon && !g->sleeps && strcmp(colon, ":spin") != 0) return "behind the time of --grain stands :spin or :sleep";
    return parse_time(g->work_text, length, &g->seconds);
}

static const char *parse_load(grain *g)
{
    static const char name[] = "three-phase";
    g->three_phase = false;
    g->ratio = 10.0;
    if (strcmp(g->load_text, "none") == 0) return NULL;
    const char *rest = g->load_text + sizeof name - 1;
    if (strncmp(g->load_text, name, sizeof name - 1) == 0 && (*rest == '\0' || *rest == ':')) {
        char *end = NULL;
        if (*rest == ':') g->ratio = strtod(rest + 1, &end);
        if (!end || (end > rest + 1 && *end == '\0' && g->ratio >= 0.0 && g->ratio <= 1e9)) {
            g->three_phase = true;
            return NULL;
        }
    }
    return "--imbalance is none or three-phase[:RATIO], RATIO from 0 to 1e9";
}

const char *grain_setup(grain *g, const pen_world *world)
{
    g->nodes = world->nodes;
    g->steps = world->steps;
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* else every sleep is 50 us longer */
#endif
    const char *complaint = parse_work(g);
    return complaint ? complaint : parse_load(g);
}

double grain_weight(const grain *g, const pen_view *v)
{
    if (!g->three_phase || g->nodes == 0) return 1.0;
    double third = g->steps > 0 ? 3.0 * (double)pen_step(v) / (double)g->steps : 0.0;
    double place = (double)pen_id(v) / (double)g->nodes;
    double first = third < 1.0 ? 0.0 : third < 2.0 ? 0.25 : 0.5;
    return place >= first && place < first + 0.5 ? g->ratio : 1.0;
}

/* Processor time, not time: on a crowded core a rank has to do its work, however long that takes.
 * The volatile counter keeps the loop from being removed, and the clock from being all that it does. */
static void spin(double seconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        for (volatile int i = 0; i < 256; i++) { }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) < seconds);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Sleeps end late, by 20 us on an idle core and by more on a crowded one. What one is late the next ones
 * are shorter, so that nodes take their time on average. */
static void nap(double seconds)
{
    static double late;
    double start = seconds_now(), wanted = seconds - late, left;
    while ((left = wanted - (seconds_now() - start)) > 0.0)
        nanosleep(&(struct timespec){ (time_t)left, (long)((left - (double)(time_t)left) * 1e9) }, NULL);
    late = seconds_now() - start - wanted;
}

void grain_work(const grain *g, const pen_view *v) { grain_spend(g, grain_weight(g, v)); }

void grain_spend(const grain *g, double amount)
{
    double seconds = g->seconds * amount;
    if (seconds <= 0.0) return;
    if (g->sleeps)
        nap(seconds);
    else
        spin(seconds);
}
