#include "run/loads.h"
#include "base/memory.h"
#include "base/queued.h"
#include "run/calls.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Between two readings, so that reading (25 ns; from the kernel 2 us) costs 1 % at most. */
static const double PERIOD = 2.5e-6, OVERSUBSCRIBED_PERIOD = 2e-4;

double *pen_loads_of_phases(const pen_loads *loads, pen_lid owned, double *room)
{
    return loads->phases > 1 ? room + 2 * (size_t)owned : NULL;
}

/* The loads of the nodes in a phase; of the step, if the phases are not told apart. */
static double *in_phase(const pen_loads *loads, pen_lid owned, int phase)
{
    return loads->of_phases ? loads->of_phases + (size_t)phase * (size_t)owned : loads->of;
}

static void take(pen_loads *loads, pen_lid owned, double *room)
{
    free(loads->of);
    loads->of = room;
    loads->before = room + owned;
    loads->of_phases = pen_loads_of_phases(loads, owned, room);
    loads->steps = 0;
}

pen_status pen_loads_create(pen_run *run, bool declared)
{
    PEN_TRY(PEN_ALLOC_ZERO(&run->loads, 1));
    const pen_app *app = run->app;
    const bool oversubscribed = run->comm->oversubscribed, asks = oversubscribed && !declared;
    *run->loads = (pen_loads){ .declared = declared,
                               .phases = declared && app->cost ? 1 : run->traits[app->phases.count - 1].load + 1,
                               .oversubscribed = oversubscribed,
                               .together = 16,
                               .version = -1,
                               .begun = run->step,
                               .waits = asks ? pen_queued_open() : -1 };
    double *room;
    PEN_TRY(pen_loads_room(run->loads, run->store->owned, &room));
    take(run->loads, run->store->owned, room);
    return PEN_OK;
}

/* Zeroed pages take no memory until they are written, so loads that are never remembered cost nothing. */
pen_status pen_loads_room(const pen_loads *loads, pen_lid owned, double **room)
{
    return PEN_ALLOC_ZERO(room, (2 + (loads->phases > 1 ? loads->phases : 0)) * (int64_t)owned);
}

/* What the cost functions of the phases say. */
static void declare_phases(pen_run *run)
{
    enum { TOGETHER = 256 };
    pen_loads *loads = run->loads;
    const pen_lid owned = run->store->owned;
    double costs[TOGETHER], *all = in_phase(loads, owned, 0);
    memset(all, 0, (size_t)owned * (loads->of_phases ? (size_t)loads->phases : 1) * sizeof *all);
    for (int p = 0; p < run->app->phases.count; p++) {
        double *of = in_phase(loads, owned, run->traits[p].load);
        for (pen_lid first = 0; run->app->phases.list[p].cost && first < owned; first += TOGETHER) {
            const pen_lid end = owned - first > TOGETHER ? first + TOGETHER : owned;
            pen_call_cost(&run->view, run->app->phases.list[p].cost, first, end, costs);
            for (pen_lid slot = first; slot < end; slot++)
                of[slot] += costs[slot - first] >= 0.0 ? costs[slot - first] : NAN;
        }
    }
}

/* A node's load is the sum of those in the phases. */
static void add_phases(pen_loads *loads, pen_lid owned)
{
    double *restrict of = loads->of;
    memcpy(of, loads->of_phases, (size_t)owned * sizeof *of);
    for (int p = 1; p < loads->phases; p++) {
        const double *restrict in = in_phase(loads, owned, p);
        for (pen_lid slot = 0; slot < owned; slot++) of[slot] += in[slot];
    }
}

static double sum(const double *of, pen_lid owned)
{
    double total = 0.0;
    for (pen_lid slot = 0; slot < owned; slot++) total += of[slot];
    return total;
}

static void add_up(pen_loads *loads, pen_lid owned)
{
    if (loads->of_phases) add_phases(loads, owned);
    for (int p = 0; loads->of_phases && p < loads->phases; p++)
        loads->totals[p] = sum(in_phase(loads, owned, p), owned);
    loads->total = sum(loads->of, owned);
}

void pen_loads_moved(pen_loads *loads, const pen_store *store, bool carried, double *room)
{
    take(loads, store->owned, room);
    if (!carried) return;
    if (loads->version == store->migrations - 1) loads->version = store->migrations;
    add_up(loads, store->owned);
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

static double clock_now(const pen_loads *loads)
{
    if (!loads->oversubscribed) return pen_seconds_now();
    if (loads->waits >= 0) return pen_seconds_now() - pen_queued_seconds(loads->waits);
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

void pen_loads_start(pen_run *run)
{
    pen_loads *loads = run->loads;
    loads->of_phases = pen_loads_of_phases(loads, run->store->owned, loads->of);
    if (loads->declared) return;
    memset(loads->totals, 0, sizeof loads->totals);
    loads->total = 0.0;
    loads->nodes = 0;
    loads->spreading = 0.0;
}

/* The times of some sweeps are spread together, so that spreading is part of no node's time. */
void pen_loads_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end, pen_sweep *sweep)
{
    enum { READINGS = 32 };
    pen_loads *loads = run->loads;
    const int load = run->traits[run->phase].load;
    const bool fresh = run->phase == 0 || run->traits[run->phase - 1].load < load; /* nothing to add to */
    double *of = in_phase(loads, run->store->owned, load);
    for (pen_lid slot = first, next = first; slot < end; slot = next) {
        double times[READINGS + 1] = { clock_now(loads) };
        int count = 0;
        for (; next < end && count < READINGS; times[++count] = clock_now(loads)) {
            const pen_lid begin = next;
            next = end - next > loads->together ? next + loads->together : end;
            sweep(run, phase, begin, next);
        }
        for (int i = 0; i < count; i++) {
            const pen_lid stop = end - slot > loads->together ? slot + loads->together : end;
            const double seconds = fmax(0.0, times[i + 1] - times[i]), each = seconds / (stop - slot);
            loads->total += seconds;
            loads->totals[load] += seconds;
            for (; slot < stop; slot++) of[slot] = fresh ? each : of[slot] + each;
        }
        loads->spreading += clock_now(loads) - times[count];
    }
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
    for (int p = 0; p < loads->phases; p++) loads->totals[p] *= speed;
    double *of = in_phase(loads, owned, 0);
    const int64_t count = (int64_t)owned * (loads->of_phases ? loads->phases : 1);
    for (int64_t i = 0; i < count; i++) of[i] *= speed;
}

void pen_loads_end(pen_run *run)
{
    pen_loads *loads = run->loads;
    loads->version = run->store->migrations;
    const pen_lid owned = run->store->owned;
    if (!loads->declared) {
        adapt(loads);
        make_work(loads, owned, pen_run_speed(run));
        if (loads->of_phases) add_phases(loads, owned);
        return;
    }
    PEN_INSIDE(".cost");
    pen_run_view(run, 0, 0);
    if (run->app->cost) pen_call_cost(&run->view, run->app->cost, 0, owned, loads->of);
    else declare_phases(run);
    add_up(loads, owned);
}
