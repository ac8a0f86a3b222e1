/* grain.c - work that is injected per node, and loads that move over the nodes. */
#include "apps/grain.h"

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
    } words[] = { { "none", 0.0 }, { "fine", 0.3e-3 }, { "coarse", 3e-3 } },
      units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1.0 } };
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
    return "--grain must be none, fine, coarse or a time like 20us or 0.3ms; then :spin or :sleep";
}

static const char *parse_work(grain *g)
{
    const char *colon = strchr(g->work_text, ':');
    size_t length = colon ? (size_t)(colon - g->work_text) : strlen(g->work_text);
    g->sleeps = colon && strcmp(colon, ":sleep") == 0;
    if (colon && !g->sleeps && strcmp(colon, ":spin") != 0) return "after the time, --grain takes :spin or :sleep";
    return parse_time(g->work_text, length, &g->seconds);
}

/* Parse "name", "name:RATIO" or "name:RATIO:PERIOD". */
static bool parse_pattern(grain *g, const char *name, int numbers)
{
    size_t length = strlen(name);
    g->ratio = 10.0;
    g->period = 1;
    if (strncmp(g->load_text, name, length) != 0) return false;
    const char *rest = g->load_text + length;
    char *end;
    if (numbers >= 1 && *rest == ':') {
        g->ratio = strtod(rest + 1, &end);
        if (end == rest + 1 || !(g->ratio >= 0.0 && g->ratio <= 1e9)) return false;
        rest = end;
        if (numbers >= 2 && *rest == ':') {
            g->period = strtoll(rest + 1, &end, 10);
            if (end == rest + 1 || g->period < 1) return false;
            rest = end;
        }
    }
    return *rest == '\0';
}

static const char *parse_load(grain *g)
{
    static const struct {
        const char *name;
        int numbers;
    } patterns[] = { [EVEN] = { "none", 0 },
                     [THREE_PHASE] = { "three-phase", 1 },
                     [DISC] = { "disc", 1 },
                     [ALTERNATE] = { "alternate", 2 } };
    for (int i = EVEN; i <= ALTERNATE; i++) {
        if (!parse_pattern(g, patterns[i].name, patterns[i].numbers)) continue;
        g->pattern = (enum grain_pattern)i;
        return g->pattern == DISC && g->world.depth != 1 ? "--imbalance=disc needs a grid of two dimensions" : NULL;
    }
    return "--imbalance must be none, three-phase[:RATIO], disc[:RATIO] or alternate[:RATIO[:PERIOD]], RATIO from 0 to "
           "1e9, "
           "PERIOD at least 1";
}

const char *pen_grain_setup(grain *g, const pen_world *world)
{
    g->world = *world;
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* without this, every sleep is 50 us longer */
#endif
    const char *complaint = parse_work(g);
    g->works = g->seconds > 0.0;
    return complaint ? complaint : parse_load(g);
}

/* Whether a node is in the disc. Its centre is on the middle row, and moves from the left to the right side during all
 * steps. */
static bool in_disc(const grain *g, double done, pen_gid gid)
{
    double width = (double)g->world.width, height = (double)g->world.height;
    double x = (double)(gid % g->world.width) - done * width, y = (double)(gid / g->world.width) - 0.5 * height;
    double radius = 0.2 * (width < height ? width : height);
    return x * x + y * y <= radius * radius;
}

/* Whether a node is in the hot half of the gids. It begins at `begin`, from 0 (the first gid) to 1 (the last). */
static bool in_half(const grain *g, double begin, pen_gid gid)
{
    double place = (double)gid / (double)g->world.nodes;
    return place >= begin && place < begin + 0.5;
}

/* The beginning of the heavy half, as a fraction of all nodes. */
static double three_phase(const grain *g, int64_t step)
{
    double third = g->world.steps > 0 ? 3.0 * (double)step / (double)g->world.steps : 0.0;
    if (third < 1.0) return 0.0;
    return third < 2.0 ? 0.25 : 0.5;
}

double pen_grain_weight(const grain *g, int64_t step, pen_gid gid)
{
    double steps = (double)g->world.steps;
    bool heavy = false;
    switch (g->pattern) {
    case EVEN: break;
    case THREE_PHASE: heavy = in_half(g, three_phase(g, step), gid); break;
    case DISC: heavy = in_disc(g, g->world.steps > 0 ? ((double)step + 0.5) / steps : 0.5, gid); break;
    case ALTERNATE: heavy = in_half(g, step / g->period % 2 ? 0.5 : 0.0, gid); break;
    }
    return heavy ? g->ratio : 1.0;
}

/* Spin for some processor time, so that a rank on a crowded core does the same work. The volatile counter keeps the
 * compiler from removing the loop, and limits how often the clock is read. */
static void spin(double seconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        for (volatile int i = 0; i < 256; i++) {}
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) < seconds);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Sleep for some time. Sleeps end late, by tens of microseconds; the excess of one sleep shortens the next ones, so
 * that nodes take their time on average. */
static void nap(double seconds)
{
    static double late;
    double start = seconds_now(), wanted = seconds - late, left;
    while ((left = wanted - (seconds_now() - start)) > 0.0)
        nanosleep(&(struct timespec){ (time_t)left, (long)((left - (double)(time_t)left) * 1e9) }, NULL);
    late = seconds_now() - start - wanted;
}

void pen_grain_work(const grain *g, int64_t step, pen_gid gid) { pen_grain_spend(g, pen_grain_weight(g, step, gid)); }

void pen_grain_spend(const grain *g, double amount)
{
    double seconds = g->seconds * amount;
    if (seconds <= 0.0) return;
    if (g->sleeps) nap(seconds);
    else spin(seconds);
}
