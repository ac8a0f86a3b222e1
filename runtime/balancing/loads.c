/* loads.c - measures the loads of nodes, or asks the application for them, and keeps them as nodes move. */
#include "balancing/loads.h"
#include "base/memory.h"
#include "base/queued.h"
#include "run/calls.h"
#include "run/quality.h"
#include "steer/steer.h"
#include "store/change.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Seconds between two readings of the clock, so that reading (25 ns; from the kernel 2 us) costs at most 1 %. */
static const double PERIOD = 2.5e-6, OVERSUBSCRIBED_PERIOD = 2e-4;

/* Distance in the array from a node's load to the next node's load in the same phase. */
static size_t stride(const pen_loads *loads) { return loads->told_apart ? (size_t)loads->phases : 1; }

/* The loads of the nodes in a phase, by stride; or in the step, if loads of phases are not known. */
static double *in_phase(const pen_loads *loads, int phase)
{
    return loads->told_apart ? loads->of_phases + phase : loads->of;
}

/* ---- Computed nodes --------------------------------------------------------------------------- */

#define FOR_COMPUTED(c, loads) \
    for (const pen_computed *c = (loads)->computed; c < (loads)->computed + (loads)->computed_count; c++)

/* Note that all phases compute all nodes. There is always room for one entry. */
static void note_all(pen_loads *loads, pen_lid owned)
{
    loads->computed[0] = (pen_computed){ 0, owned, -1 };
    loads->computed_count = 1;
}

/* Note that a phase computes the nodes of some slots; if these are many stretches, or memory is lacking, of all slots.
 */
static void note_computed(pen_loads *loads, pen_lid owned, int phase, pen_lid first, pen_lid end)
{
    const pen_computed now = { first, end, phase };
    const int64_t count = loads->computed_count;
    pen_computed *last = loads->computed + count - 1;
    if (first == end || (count > 0 && last->phase < 0)) return;
    if (count > 0 && last->end == first && last->phase == phase) last->end = end;
    else if (8 * count > owned + 4096 ||
             pen_reserve(&loads->computed, sizeof now, count + 1, &loads->computed_room) != PEN_OK)
        note_all(loads, owned);
    else loads->computed[loads->computed_count++] = now;
}

/* Sort the stretches, and unite those that overlap or touch. */
static void unite(pen_loads *loads)
{
    pen_computed *of = loads->computed;
    int64_t count = 0;
    if (loads->computed_count > 1) qsort(of, (size_t)loads->computed_count, sizeof *of, pen_by_int32);
    for (int64_t i = 0; i < loads->computed_count; i++) {
        if (count == 0 || of[i].first > of[count - 1].end) of[count++] = of[i];
        else if (of[i].end > of[count - 1].end) of[count - 1].end = of[i].end;
    }
    loads->computed_count = count;
}

/* Let all nodes have load 0. */
static void clear(pen_loads *loads)
{
    const size_t phases = (size_t)loads->phases;
    FOR_COMPUTED(c, loads)
    {
        const size_t first = (size_t)c->first, count = (size_t)(c->end - c->first);
        if (count > 0) memset(loads->of + first, 0, count * sizeof *loads->of);
        if (count > 0 && phases > 1)
            memset(loads->of_phases + first * phases, 0, count * phases * sizeof *loads->of_phases);
    }
}

/* ---- Declared loads, and sums ------------------------------------------------------------------- */

/* Add the costs that a function declares for the nodes of some slots to their loads in a phase. A wrong cost becomes
 * infinite, so that the sum shows it. */
static void declare(pen_run *run, pen_loads *loads, pen_cost_fn *cost, int phase, pen_lid first, pen_lid end)
{
    enum { TOGETHER = 256 };
    const size_t each = stride(loads);
    double costs[TOGETHER], *of = in_phase(loads, phase);
    for (; first < end; first += TOGETHER) {
        const pen_lid stop = end - first > TOGETHER ? first + TOGETHER : end;
        pen_call_cost(&run->view, cost, first, stop, costs);
        for (pen_lid slot = first; slot < stop; slot++)
            of[(size_t)slot * each] += costs[slot - first] >= 0.0 ? costs[slot - first] : (double)INFINITY;
    }
}

/* Store the loads that cost functions declare, of the nodes that the phases have computed. */
static void declare_all(pen_run *run, pen_loads *loads)
{
    const pen_app *app = run->app;
    pen_cost_fn *whole = pen_app_cost(app);
    clear(loads);
    for (int p = 0; p < app->phases.count && !whole; p++) FOR_COMPUTED(c, loads)
    if (app->phases.list[p].cost && (c->phase < 0 || c->phase == p))
        declare(run, loads, app->phases.list[p].cost, run->traits[p].load, c->first, c->end);
    unite(loads);
    FOR_COMPUTED(c, loads)
    if (whole) declare(run, loads, whole, 0, c->first, c->end);
}

/* Sum each node's loads over the phases. */
static void add_phases(pen_loads *loads)
{
    FOR_COMPUTED(c, loads)
    {
        const double *in = loads->of_phases + (size_t)c->first * (size_t)loads->phases;
        for (pen_lid slot = c->first; slot < c->end; slot++, in += loads->phases) {
            loads->of[slot] = in[0];
            for (int p = 1; p < loads->phases; p++) loads->of[slot] += in[p];
        }
    }
}

static double sum(const pen_loads *loads, const double *of, size_t each)
{
    double total = 0.0;
    FOR_COMPUTED(c, loads)
    for (pen_lid slot = c->first; slot < c->end; slot++) total += of[(size_t)slot * each];
    return total;
}

static void add_up(pen_loads *loads)
{
    if (loads->told_apart) add_phases(loads);
    for (int p = 0; loads->told_apart && p < loads->phases; p++)
        loads->totals[p] = sum(loads, in_phase(loads, p), stride(loads));
    loads->total = sum(loads, loads->of, 1);
}

void pen_loads_remember(pen_loads *loads, pen_lid owned, bool first)
{
    if (first) loads->steps = 0;
    if (loads->steps == 0) memset(loads->before, 0, (size_t)owned * sizeof *loads->before);
    FOR_COMPUTED(c, loads)
    for (pen_lid s = c->first; s < c->end; s++) loads->before[s] += loads->of[s];
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
    if (loads->version != run->store->migrations) note_all(loads, run->store->owned);
    clear(loads);
    loads->computed_count = 0;
    loads->told_apart = loads->phases > 1;
    if (loads->declared) return PEN_OK;
    memset(loads->totals, 0, sizeof loads->totals);
    loads->total = 0.0;
    loads->nodes = 0;
    loads->spreading = 0.0;
    return PEN_OK;
}

/* A phase that has failed is done again: its declared loads count once. */
static void forget_phase(pen_run *run, void *state)
{
    pen_loads *loads = state;
    if (!loads->declared) return;
    while (loads->computed_count > 0 && loads->computed[loads->computed_count - 1].phase == run->phase)
        loads->computed_count--;
}

/* Apply a phase, and measure. The times of some sweeps are spread together, so that spreading is part of no node's
 * time. */
static void measure(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    enum { READINGS = 32 };
    pen_loads *loads = pen_loads_of(run);
    const int load = run->traits[run->phase].load;
    const size_t next_node = stride(loads);
    double *of = in_phase(loads, load);
    note_computed(loads, run->store->owned, run->phase, first, end);
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
            for (; slot < stop; slot++) of[(size_t)slot * next_node] += each;
        }
        loads->spreading += clock_now(loads) - times[count];
    }
    loads->nodes += end - first;
}

/* Apply a phase whose loads are declared afterwards. */
static void note(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    pen_loads *loads = pen_loads_of(run);
    note_computed(loads, run->store->owned, run->phase, first, end);
    loads->sweep(run, phase, first, end);
}

static void adapt(pen_loads *loads)
{
    if (loads->nodes == 0) return;
    double period = loads->oversubscribed ? OVERSUBSCRIBED_PERIOD : PERIOD, each = loads->total / (double)loads->nodes;
    double together = each > 0.0 ? period / each : 1e6;
    loads->together = (pen_lid)fmin(fmax(together, 1.0), 1e6);
}

/* Convert seconds on this rank to work, so that a node's load does not depend on its rank. */
static void make_work(pen_loads *loads, double speed)
{
    if (speed == 1.0) return;
    loads->total *= speed;
    for (int p = 0; p < loads->phases; p++) loads->totals[p] *= speed;
    const size_t each = stride(loads);
    double *of = in_phase(loads, 0);
    FOR_COMPUTED(c, loads)
    for (size_t i = (size_t)c->first * each; i < (size_t)c->end * each; i++) of[i] *= speed;
}

static pen_status end(pen_run *run, void *state, uint64_t spent)
{
    pen_loads *loads = state;
    loads->version = run->store->migrations;
    if (!loads->declared) {
        unite(loads);
        adapt(loads);
        make_work(loads, pen_run_speed(run));
        if (loads->told_apart) add_phases(loads);
        return PEN_OK;
    }
    PEN_INSIDE(".cost");
    pen_run_view(run, 0, 0);
    declare_all(run, loads);
    add_up(loads);
    loads->wrong = !(loads->total < (double)INFINITY);
    if (!loads->wrong) return PEN_OK;
    clear(loads);
    add_up(loads);
    return PEN_OK;
}

/* ---- Changes -------------------------------------------------------------------------------- */

/* Adapt the loads. After a migration they are unknown until the next step, and remembered steps are forgotten; after a
 * change of the graph they remain valid. A new node gets the load of the node that requested it, else the mean; it had
 * no load in remembered steps. */
static void commit_change(pen_run *run, void *state, const pen_change *change)
{
    pen_loads *loads = state;
    const pen_lid owned = change->after->owned;
    const double nodes = fmax(1.0, change->before->owned);
    note_all(loads, owned);
    if (!change->rewired) {
        loads->steps = 0;
        return;
    }
    for (pen_lid slot = 0; slot < owned; slot++) {
        if (pen_change_origin(change, slot) >= 0) continue;
        loads->of[slot] = loads->total / nodes;
        for (int p = 0; loads->told_apart && p < loads->phases; p++)
            in_phase(loads, p)[(size_t)slot * stride(loads)] = loads->totals[p] / nodes;
    }
    if (loads->version == run->store->migrations) loads->version++;
    add_up(loads);
}

/* ---- Checkpoints ---------------------------------------------------------------------------- */

static pen_status code(pen_coder *c, pen_run *run, void *state)
{
    pen_loads *loads = state;
    bool declared = loads->declared;
    pen_code_bool(c, &declared);
    loads->other_unit = declared != loads->declared;
    return PEN_OK;
}

static pen_status code_rank(pen_coder *c, pen_run *run, void *state)
{
    pen_loads *loads = state;
    int version = loads->version;
    pen_code_real(c, &loads->total);
    pen_code_int(c, &loads->steps);
    pen_code_range(c, &version, -1, INT32_MAX);
    loads->version = version;
    return PEN_OK;
}

/* Adapt the loads to the checkpoint, which lacks the nodes that have been computed: all of them count. It also lacks
 * the loads of phases: they are unknown until the next step; within a step they begin with the phase that follows. All
 * loads are unknown if those in the checkpoint have another unit. */
static void resumed(pen_run *run, void *state, bool found, bool stays)
{
    pen_loads *loads = state;
    note_all(loads, run->store->owned);
    loads->told_apart = run->phase > 0 && loads->phases > 1;
    if (loads->told_apart) {
        clear(loads);
        loads->total = 0.0;
    }
    loads->begun = run->step;
    if (!loads->other_unit) return;
    loads->version = -1;
    loads->steps = 0;
    loads->total = 0.0;
}

/* ---- Columns -------------------------------------------------------------------------------- */

static size_t load_bytes(const void *state) { return sizeof *((const pen_loads *)state)->of; }

static size_t phases_bytes(const void *state)
{
    const pen_loads *loads = state;
    return loads->phases > 1 ? (size_t)loads->phases * sizeof *loads->of_phases : 0;
}

static bool stay(const void *state) { return false; }

static bool are_known(const pen_run *run, const void *state)
{
    return ((const pen_loads *)state)->version == run->store->migrations;
}

static bool are_remembered(const pen_run *run, const void *state)
{
    return are_known(run, state) && ((const pen_loads *)state)->steps > 0;
}

static const pen_node_column columns[] = { { .name = "load",
                                             .bytes = load_bytes,
                                             .at = offsetof(pen_loads, of),
                                             .ships = stay,
                                             .inherits = true,
                                             .saved = true,
                                             .useful = are_known },
                                           { .name = "sum of remembered loads",
                                             .bytes = load_bytes,
                                             .at = offsetof(pen_loads, before),
                                             .ships = stay,
                                             .saved = true,
                                             .useful = are_remembered },
                                           { .name = "loads of phases",
                                             .bytes = phases_bytes,
                                             .at = offsetof(pen_loads, of_phases),
                                             .ships = stay,
                                             .inherits = true },
                                           { .name = NULL } };

/* ---- The part ------------------------------------------------------------------------------- */

bool pen_balancing_wanted(const pen_run_options *options)
{
    const char *name = options->balance.balancer;
    return (name && strcmp(name, "none") != 0) || options->balance.load == PEN_LOAD_DECLARED;
}

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    return pen_balancing_wanted(options) || options->output.record;
}

static pen_status begin(pen_run *run, void *state, const pen_run_options *options)
{
    pen_loads *loads = state;
    const pen_app *app = run->app;
    const bool declared = options->balance.load == PEN_LOAD_DECLARED, oversubscribed = run->comm->oversubscribed;
    *loads = (pen_loads){ .declared = declared,
                          .phases = declared && pen_app_cost(app) ? 1 : run->traits[app->phases.count - 1].load + 1,
                          .oversubscribed = oversubscribed,
                          .together = 16,
                          .version = -1,
                          .begun = run->step,
                          .waits = oversubscribed && !declared ? pen_queued_open() : -1,
                          .sweep = run->sweep };
    run->sweep = declared ? note : measure;
    loads->computed_room = 1;
    return pen_agree(run->comm, PEN_ALLOC(&loads->computed, 1));
}

static void destroy(pen_run *run, void *state)
{
    pen_loads *loads = state;
    free(loads->computed);
    if (loads->sweep && loads->waits >= 0) close(loads->waits);
}

static pen_status read_load(char *text, pen_run_options *o)
{
    if (strcmp(text, "declared") == 0) o->balance.load = PEN_LOAD_DECLARED;
    else if (strcmp(text, "measured") != 0)
        return pen_fail(PEN_ERR_INPUT, "--load=%s: must be measured or declared", text);
    return PEN_OK;
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
    .columns = columns,
    .wanted = wanted,
    .begin = begin,
    .before_step = start,
    .before_phase = forget_phase,
    .after_phases = end,
    .commit_change = commit_change,
    .code = code,
    .code_rank = code_rank,
    .resumed = resumed,
    .destroy = destroy,
};
