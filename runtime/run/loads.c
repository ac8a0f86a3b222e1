#include "run/loads.h"
#include "base/memory.h"
#include "run/calls.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Between two readings, so that reading (25 ns; from the kernel 2 us) costs 1 % at most. */
static const double PERIOD = 2.5e-6, OVERSUBSCRIBED_PERIOD = 2e-4;

static void take(pen_loads *loads, pen_lid owned, double *room)
{
    free(loads->of);
    loads->of = room;
    loads->before = room + owned;
    loads->steps = 0;
}

pen_status pen_loads_create(bool declared, pen_lid owned, bool oversubscribed, pen_loads **loads)
{
    PEN_TRY(PEN_ALLOC_ZERO(loads, 1));
    bool asks = oversubscribed && !declared;
    **loads = (pen_loads){ .declared = declared,
                           .oversubscribed = oversubscribed,
                           .together = 16,
                           .version = -1,
                           .waits = asks ? open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC) : -1 };
    double *room;
    PEN_TRY(pen_loads_room(owned, &room));
    take(*loads, owned, room);
    return PEN_OK;
}

/* Zeroed pages take no memory until they are written, so loads that are never remembered cost nothing. */
pen_status pen_loads_room(pen_lid owned, double **room) { return PEN_ALLOC_ZERO(room, 2 * (int64_t)owned); }

void pen_loads_moved(pen_loads *loads, const pen_store *store, bool carried, double *room)
{
    take(loads, store->owned, room);
    if (!carried) return;
    if (loads->version == store->migrations - 1) loads->version = store->migrations;
    loads->total = 0.0;
    for (pen_lid slot = 0; slot < store->owned; slot++) loads->total += room[slot];
}

void pen_loads_remember(pen_run *run, bool first)
{
    pen_loads *loads = run->loads;
    if (first) loads->steps = 0;
    for (pen_lid s = 0; s < run->store->owned; s++)
        loads->before[s] = loads->of[s] + (loads->steps > 0 ? loads->before[s] : 0.0);
    loads->steps++;
}

void pen_loads_destroy(pen_loads **loads)
{
    if (!*loads) return;
    if ((*loads)->waits >= 0) close((*loads)->waits);
    PEN_FREE_ALL((*loads)->of, *loads);
    *loads = NULL;
}

/* ---- The clock ------------------------------------------------------------------------------ */

/* Seconds that this thread was ready to run and did not; the kernel's second number, in ns. */
static double waited(const pen_loads *loads)
{
    char text[96];
    ssize_t length = pread(loads->waits, text, sizeof text - 1, 0);
    if (length <= 0) return 0.0;
    text[length] = '\0';
    const char *second = strchr(text, ' ');
    return second ? 1e-9 * strtod(second, NULL) : 0.0;
}

static double clock_now(const pen_loads *loads)
{
    if (!loads->oversubscribed) return pen_seconds_now();
    if (loads->waits >= 0) return pen_seconds_now() - waited(loads);
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

void pen_loads_start(pen_run *run)
{
    pen_loads *loads = run->loads;
    if (loads->declared) return;
    memset(loads->of, 0, (size_t)run->store->owned * sizeof *loads->of);
    loads->total = 0.0;
    loads->nodes = 0;
}

void pen_loads_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end, pen_sweep *sweep)
{
    pen_loads *loads = run->loads;
    double start = clock_now(loads), before = start;
    for (pen_lid slot = first; slot < end;) {
        pen_lid stop = end - slot > loads->together ? slot + loads->together : end;
        sweep(run, phase, slot, stop);
        double now = clock_now(loads), each = now > before ? (now - before) / (stop - slot) : 0.0;
        for (; slot < stop; slot++) loads->of[slot] += each;
        before = now;
    }
    loads->total += before - start;
    loads->nodes += end - first;
}

static void adapt(pen_loads *loads)
{
    if (loads->nodes == 0) return;
    double period = loads->oversubscribed ? OVERSUBSCRIBED_PERIOD : PERIOD, each = loads->total / (double)loads->nodes;
    double together = each > 0.0 ? period / each : 1e6;
    loads->together = (pen_lid)fmin(fmax(together, 1.0), 1e6);
}

/* Seconds on this rank become work, so that a node weighs as much wherever it is. */
static void make_work(pen_loads *loads, pen_lid owned, double speed)
{
    if (speed == 1.0) return;
    loads->total *= speed;
    for (pen_lid slot = 0; slot < owned; slot++) loads->of[slot] *= speed;
}

void pen_loads_end(pen_run *run)
{
    pen_loads *loads = run->loads;
    loads->version = run->store->migrations;
    if (!loads->declared) {
        adapt(loads);
        make_work(loads, run->store->owned, pen_run_speed(run));
        return;
    }
    PEN_INSIDE(".cost");
    pen_run_view(run, 0, 0);
    loads->total = 0.0;
    pen_call_cost(&run->view, run->app->cost, 0, run->store->owned, loads->of);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) loads->total += loads->of[slot];
}
