/* loads.c - measures the loads of nodes, or asks the application for them, and keeps them as nodes move. */
#include "balancing/loads.h"
#include "balancing/balance.h"
#include "base/memory.h"
#include "base/queued.h"
#include "run/calls.h"
#include "run/quality.h"
#include "store/change.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Between two readings, so that reading (25 ns; from the kernel 2 us) costs 1 % at most. */
static const double PERIOD = 2.5e-6, OVERSUBSCRIBED_PERIOD = 2e-4;

/* The part of the memory of loads that holds those of phases, [phases*owned]; NULL if there is one phase. */
static double *room_of_phases(const pen_loads *loads, pen_lid owned, double *room)
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
    loads->of_phases = room_of_phases(loads, owned, room);
    loads->steps = 0;
}

/* Zeroed pages take no memory until they are written, so loads that are never remembered cost nothing. */
static pen_status make_room(const pen_loads *loads, pen_lid owned, double **room)
{
    return PEN_ALLOC_ZERO(room, (2 + (loads->phases > 1 ? loads->phases : 0)) * (int64_t)owned);
}

/* What the cost functions of the phases say. */
static void declare_phases(pen_run *run, pen_loads *loads)
{
    enum { TOGETHER = 256 };
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

void pen_loads_remember(pen_loads *loads, pen_lid owned, bool first)
{
    if (first) loads->steps = 0;
    for (pen_lid s = 0; s < owned; s++) loads->before[s] = loads->of[s] + (loads->steps > 0 ? loads->before[s] : 0.0);
    loads->steps++;
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

static pen_status start(pen_run *run, void *state)
{
    pen_loads *loads = state;
    loads->of_phases = room_of_phases(loads, run->store->owned, loads->of);
    if (loads->declared) return PEN_OK;
    memset(loads->totals, 0, sizeof loads->totals);
    loads->total = 0.0;
    loads->nodes = 0;
    loads->spreading = 0.0;
    return PEN_OK;
}

/* Apply a phase, and measure. The times of some sweeps are spread together, so that spreading is part of no node's
 * time. */
static void measure(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    enum { READINGS = 32 };
    pen_loads *loads = pen_loads_of(run);
    const int load = run->traits[run->phase].load;
    const bool fresh = run->phase == 0 || run->traits[run->phase - 1].load < load; /* nothing to add to */
    double *of = in_phase(loads, run->store->owned, load);
    for (pen_lid slot = first, next = first; slot < end; slot = next) {
        double times[READINGS + 1] = { clock_now(loads) };
        int count = 0;
        for (; next < end && count < READINGS; times[++count] = clock_now(loads)) {
            const pen_lid begin = next;
            next = end - next > loads->together ? next + loads->together : end;
            loads->sweep(run, phase, begin, next);
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

static pen_status end(pen_run *run, void *state, uint64_t spent)
{
    pen_loads *loads = state;
    (void)spent;
    loads->version = run->store->migrations;
    const pen_lid owned = run->store->owned;
    if (!loads->declared) {
        adapt(loads);
        make_work(loads, owned, pen_run_speed(run));
        if (loads->of_phases) add_phases(loads, owned);
        return PEN_OK;
    }
    PEN_INSIDE(".cost");
    pen_run_view(run, 0, 0);
    if (run->app->cost) pen_call_cost(&run->view, run->app->cost, 0, owned, loads->of);
    else declare_phases(run, loads);
    add_up(loads, owned);
    return PEN_OK;
}

/* ---- Changes -------------------------------------------------------------------------------- */

static pen_status prepare_change(pen_run *run, void *state, const pen_change *change)
{
    pen_loads *loads = state;
    return pen_agree(run->comm, make_room(loads, change->after->owned, &loads->room));
}

/* A new node gets the load of the node that requested it, or the mean. */
static void carry_loads(const pen_loads *loads, const pen_change *change)
{
    const pen_lid before = change->before->owned, after = change->after->owned;
    const double nodes = fmax(1.0, before);
    double *room = loads->room, *of_phases = loads->of_phases ? room_of_phases(loads, after, room) : NULL;
    for (pen_lid slot = 0; slot < after; slot++) {
        int64_t origin = pen_change_origin(change, slot);
        room[slot] = origin >= 0 ? loads->of[origin] : loads->total / nodes;
        for (int64_t p = 0; of_phases && p < loads->phases; p++)
            of_phases[p * after + slot] = origin >= 0 ? loads->of_phases[p * before + origin]
                                                      : loads->totals[p] / nodes;
    }
}

/* After a migration nothing is known of the loads until the next step; after a change of the graph they are as good as
 * those before. Remembered steps are forgotten. */
static void commit_change(pen_run *run, void *state, const pen_change *change)
{
    pen_loads *loads = state;
    const pen_lid owned = change->after->owned;
    if (change->rewired) carry_loads(loads, change);
    take(loads, owned, loads->room);
    loads->room = NULL;
    if (!change->rewired) return;
    if (loads->version == run->store->migrations) loads->version++;
    add_up(loads, owned);
}

static void undo_change(pen_run *run, void *state)
{
    pen_loads *loads = state;
    (void)run;
    free(loads->room);
    loads->room = NULL;
}

/* ---- Checkpoints ---------------------------------------------------------------------------- */

static pen_status code_rank(pen_coder *c, pen_run *run, void *state)
{
    pen_loads *loads = state;
    int version = loads->version;
    (void)run;
    pen_code_real(c, &loads->total);
    pen_code_int(c, &loads->steps);
    pen_code_range(c, &version, -1, INT32_MAX);
    loads->version = version;
    return PEN_OK;
}

/* The loads of phases are not saved, and are not known before the next step. */
static void resumed(pen_run *run, void *state, bool found, bool stays)
{
    pen_loads *loads = state;
    (void)found;
    (void)stays;
    loads->of_phases = NULL;
    loads->begun = run->step;
}

/* ---- The part ------------------------------------------------------------------------------- */

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    return pen_part_balance.wanted(app, options) || options->output.record;
}

static pen_status begin(pen_run *run, void *state, const pen_run_options *options)
{
    pen_loads *loads = state;
    const pen_app *app = run->app;
    const bool declared = options->balance.load == PEN_LOAD_DECLARED, oversubscribed = run->comm->oversubscribed;
    *loads = (pen_loads){ .declared = declared,
                          .phases = declared && app->cost ? 1 : run->traits[app->phases.count - 1].load + 1,
                          .oversubscribed = oversubscribed,
                          .together = 16,
                          .version = -1,
                          .begun = run->step,
                          .waits = oversubscribed && !declared ? pen_queued_open() : -1,
                          .sweep = run->sweep };
    if (!declared) run->sweep = measure;
    double *room = NULL;
    const pen_status status = make_room(loads, run->store->owned, &room);
    if (status == PEN_OK) take(loads, run->store->owned, room);
    return pen_agree(run->comm, status);
}

static void destroy(pen_run *run, void *state)
{
    pen_loads *loads = state;
    (void)run;
    if (loads->sweep && loads->waits >= 0) close(loads->waits);
    PEN_FREE_ALL(loads->of, loads->room);
}

static pen_status read_load(char *text, pen_run_options *o)
{
    return pen_steer_options_read(text, NULL, NULL, &o->balance);
}

static const pen_part_option options_of_loads[] = {
    { "load", "KIND",
      "measured (default): seconds in node functions; declared: costs from the application, reproducible",
      PEN_OPTION_SETS(balance.load), .high = PEN_LOAD_DECLARED, .read = read_load },
    { .name = NULL },
};

const pen_part pen_part_loads = {
    .name = "loads",
    .state_size = sizeof(pen_loads),
    .options = options_of_loads,
    .wanted = wanted,
    .begin = begin,
    .before_step = start,
    .after_phases = end,
    .prepare_change = prepare_change,
    .commit_change = commit_change,
    .undo_change = undo_change,
    .code_rank = code_rank,
    .resumed = resumed,
    .destroy = destroy,
};
