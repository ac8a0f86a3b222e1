/* active.c - the part that decides whether a step tracks, and reports what was left out. */
#include "active/active.h"
#include "active/sums.h"
#include "active/sweep.h"
#include "base/memory.h"
#include "observables/until.h"
#include "observe/trace.h"
#include "run/report.h"
#include "store/change.h"

#include <stdlib.h>

/* The most steps between two samples; and the number of steps that a beginning must last to be worth its costs. */
enum { MOST_PATIENCE = 32, WORTH = 4 };

/* ---- The beginning ---------------------------------------------------------------------------- */

/* The first phase that changes what cannot be compared; NULL: there is none. *why: what it is. */
static const pen_phase *find_opaque(const pen_app *app, const char **why)
{
    uint64_t plain = 0;
    for (int f = 0; f < app->fields.count; f++)
        if (app->fields.list[f].plain) plain |= pen_bit(f);
    for (const pen_phase *p = app->phases.list; p < app->phases.list + app->phases.count; p++) {
        *why = "writes a field that is not plain";
        if (p->modify) *why = "has .modify";
        if (p->edge_writes.bits) *why = "has .edge_writes";
        if (p->modify || p->edge_writes.bits || (p->writes.bits & ~plain)) return p;
    }
    return NULL;
}

static int count_whole(const pen_app *app)
{
    int count = 0;
    for (int p = 0; p < app->phases.count; p++) count += pen_phase_is_whole(&app->phases.list[p]);
    return count;
}

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    const char *why;
    if (app->end.quiet || options->until) return true;
    return options->active != PEN_ACTIVE_OFF && !find_opaque(app, &why) && count_whole(app) < app->phases.count;
}

/* A phase whose functions do not tell what they ask for could change its results at any time. */
static pen_status check_quiet(const pen_app *app)
{
    const char *why;
    const pen_phase *opaque = find_opaque(app, &why);
    if (opaque)
        return pen_fail(PEN_ERR_ARGUMENT, "%s: the run cannot end when it is quiet, because phase %s %s", app->name,
                        opaque->name, why);
    for (const pen_phase *p = app->phases.list; p < app->phases.list + app->phases.count; p++)
        PEN_ARGUMENT(!p->always, "%s: the run cannot end when it is quiet, because phase %s has .always", app->name,
                     p->name);
    return PEN_OK;
}

static pen_status open_sets(pen_run *run, void *state, const pen_run_options *options)
{
    pen_active_sets *a = state;
    const char *why;
    *a = (pen_active_sets){ .version = -1, .patience = 1, .whole = count_whole(run->app) };
    a->sums.depends = run->app->mails.count > 0; /* .observe sees mail, which changes where no record does */
    a->watches = pen_until_quiet(run);
    a->off = options->active == PEN_ACTIVE_OFF || find_opaque(run->app, &why) || a->whole == run->app->phases.count;
    a->carried = -1;
    pen_history_start(&a->nodes);
    return a->watches ? check_quiet(run->app) : PEN_OK;
}

static void sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    pen_active_compute(run, pen_part_state(run, &pen_part_active), phase, first, end);
}

/* Whether a rank knows, between steps, of all changes of the shadows: each phase pulls what it writes and some phase
 * reads. Otherwise a node may have changed since the last pull, and its readers elsewhere still sleep. */
static bool knows_changes(const pen_run *run)
{
    const uint64_t reads = pen_app_reads(run->app);
    for (int p = 0; p < run->app->phases.count; p++)
        if (run->app->phases.list[p].writes.bits & reads & ~run->traits[p].pull) return false;
    return true;
}

static pen_status begin(pen_run *run, void *state, const pen_run_options *options)
{
    pen_active_sets *a = state;
    if (!a->off && run->app->phases.count <= 64 && knows_changes(run))
        PEN_FOR_PARTS (p, run, moves) a->carries = true;
    a->sweep = run->sweep;
    if (!a->off || a->watches) run->sweep = sweep;
    return PEN_OK;
}

/* ---- Steps -------------------------------------------------------------------------------------- */

/* Whether the run can end after the step in progress. */
static bool is_watched(const pen_run *run, const pen_active_sets *a)
{
    return a->watches && (run->step + 1) % PEN_QUIET_STEPS == 0;
}

/* Whether there are arrays for the present store; make them if necessary. */
static bool has_arrays(pen_run *run, pen_active_sets *a)
{
    if (a->version == run->renewed) return !a->lacks;
    pen_sets_free(a);
    a->lacks = pen_sets_make(run, a) != PEN_OK;
    a->version = run->renewed;
    return !a->lacks;
}

/* Begin to track, with all nodes; without memory, do not. */
static void track(pen_run *run, pen_active_sets *a)
{
    a->tracks = a->fresh = has_arrays(run, a);
    a->open = false;
    if (a->tracks) pen_active_wake(run, a, NULL);
}

/* Compute all nodes from now on, and look at a sample when patience ends. */
static void cease(pen_active_sets *a)
{
    a->tracks = false;
    a->calm = 0;
    a->wait = a->patience;
    if (a->patience < MOST_PATIENCE) a->patience *= 2;
}

/* Collective. Track in the next step; without memory a run that ends when it is quiet would never end. */
static pen_status watch(pen_run *run, pen_active_sets *a)
{
    if (a->lacks) a->version = -1; /* try again */
    if (!a->tracks) track(run, a);
    return pen_agree(run->comm, a->lacks ? pen_fail(PEN_ERR_MEMORY, "%s: out of memory to see whether the run is quiet",
                                                    run->app->name)
                                         : PEN_OK);
}

static pen_status before_step(pen_run *run, void *state)
{
    pen_active_sets *a = state;
    a->samples = a->changed = run->pending = false;
    a->hits = a->looks = a->computed = 0;
    if (is_watched(run, a)) PEN_TRY(watch(run, a));
    if (a->tracks || a->off) return PEN_OK;
    if (a->wait > 0) a->wait--;
    a->samples = a->wait == 0 && has_arrays(run, a);
    return PEN_OK;
}

/* The store has been replaced, records were put, or a phase has failed. If that happens often, tracking does not pay.
 */
static void begin_again(pen_run *run, pen_active_sets *a)
{
    if (a->calm < WORTH && !is_watched(run, a)) cease(a);
    else track(run, a);
    a->calm = 0;
}

/* Nodes have moved. What they can read has not changed: those that slept sleep. */
static void go_on(pen_run *run, pen_active_sets *a)
{
    a->tracks = has_arrays(run, a);
    if (a->tracks) pen_active_wake(run, a, a->awake);
}

static void before_phase(pen_run *run, void *state)
{
    pen_active_sets *a = state;
    const bool moved = a->carried == run->renewed;
    a->carried = -1;
    if (a->tracks && moved && !a->open) go_on(run, a);
    else if (a->tracks && (a->version != run->renewed || a->open)) begin_again(run, a);
    a->samples = a->samples && a->version == run->renewed;
    a->open = true;
    run->view.library.restless = a->tracks || a->samples ? a->restless : NULL;
    if (!a->tracks) return;
    const pen_bits empty = a->due;
    a->due = a->sets[run->phase];
    a->sets[run->phase] = empty;
    if (pen_phase_is_whole(&run->app->phases.list[run->phase])) pen_bits_fill(&a->due);
}

static void after_phase(pen_run *run, void *state)
{
    pen_active_sets *a = state;
    const pen_phase *phase = &run->app->phases.list[run->phase];
    run->view.library.restless = NULL;
    a->open = false;
    if (a->samples) pen_active_sample(run, a, phase);
    if (a->tracks) {
        pen_bits_clear(&a->due, run->store->owned);
        pen_active_arrive(run, a, run->traits[run->phase].pull);
    } else if (!pen_phase_is_whole(phase)) {
        a->computed += run->store->owned;
    }
}

/* The number of nodes in the sets of the phases. */
static int64_t count_awake(const pen_run *run, const pen_active_sets *a)
{
    const pen_lid owned = run->store->owned;
    int64_t count = 0;
    for (int p = 0; p < run->app->phases.count; p++) {
        if (pen_phase_is_whole(&run->app->phases.list[p])) continue;
        if (a->sets[p].all) count += owned;
        for (pen_lid w = 0; !a->sets[p].all && w <= owned >> 6; w++) count += __builtin_popcountll(a->sets[p].words[w]);
    }
    return count;
}

/* The number of computations of a step in which all nodes are active. */
static int64_t possible(const pen_run *run, const pen_active_sets *a)
{
    return (int64_t)run->store->owned * (run->app->phases.count - a->whole);
}

/* Decide whether the next step tracks: it begins after a sample in which less than a quarter of the nodes are active,
 * and ends when more than a third are: a node then costs about three times as much. */
static pen_status decide(pen_run *run, void *state)
{
    pen_active_sets *a = state;
    const int64_t active = a->fresh && a->tracks && a->version == run->renewed ? count_awake(run, a) : a->computed;
    a->fresh = false;
    if (a->tracks && (a->off || 3 * active > possible(run, a))) cease(a);
    else if (a->tracks && ++a->calm == MOST_PATIENCE) a->patience = 1;
    else if (a->samples && 4 * a->hits < a->looks) track(run, a);
    else if (!a->tracks && !a->off && a->wait == 0) cease(a);
    return PEN_OK;
}

/* Agree on whether the step has changed nothing, and note how many nodes it computed. */
static pen_status after_phases(pen_run *run, void *state, uint64_t spent)
{
    pen_active_sets *a = state;
    const int phases = run->app->phases.count - a->whole;
    const double nodes = phases > 0 ? (double)a->computed / phases : (double)run->store->owned;
    run->quiet = false;
    if (is_watched(run, a)) {
        int changed = a->changed || run->pending || !a->tracks;
        PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX));
        run->quiet = !changed;
    }
    pen_history_add(&a->nodes, nodes);
    a->ran += nodes;
    a->could_run += (double)run->store->owned;
    if (run->timers.trace)
        pen_trace_record(run->timers.trace,
                         &(pen_trace_event){
                             .name = "active nodes", .begin = pen_ticks(), .step = run->step, .value = nodes });
    return PEN_OK;
}

static pen_end ends(const pen_run *run, const void *state)
{
    return run->app->end.quiet && run->quiet ? PEN_END_DONE : PEN_END_OPEN;
}

/* Code whether the run is quiet. All nodes of a resumed run are active. */
static pen_status code(pen_coder *c, pen_run *run, void *state)
{
    pen_code_bool(c, &run->quiet);
    return PEN_OK;
}

/* ---- Moves -------------------------------------------------------------------------------------- */

static size_t awake_bytes(const void *state)
{
    return ((const pen_active_sets *)state)->carries ? sizeof(uint64_t) : 0;
}

static const pen_node_column columns[] = {
    { .name = "phases that must compute it", .bytes = awake_bytes, .at = offsetof(pen_active_sets, awake) },
    { .name = NULL }
};

/* Where a rank does not track, all nodes are awake. */
static void before_moves(pen_run *run, void *state)
{
    pen_active_sets *a = state;
    const pen_lid owned = run->store->owned;
    if (!a->carries || a->carried == run->renewed || owned == 0) return;
    const bool tracks = a->tracks && a->version == run->renewed && !a->open;
    memset(a->awake, tracks ? 0 : 0xff, (size_t)owned * sizeof *a->awake);
    for (int p = 0; tracks && p < run->app->phases.count; p++)
        for (pen_lid slot = 0; slot < owned; slot++) a->awake[slot] |= (uint64_t)pen_bits_has(&a->sets[p], slot) << p;
}

static void commit_change(pen_run *run, void *state, const pen_change *change)
{
    pen_active_sets *a = state;
    a->carried = a->carries && !change->rewired ? run->renewed + 1 : -1; /* the change renews the store once */
    if (!a->tracks) a->wait = a->patience = 1;                           /* other nodes may be quieter */
}

/* ---- Reports ------------------------------------------------------------------------------------ */

static pen_status gather(pen_run *run, void *state)
{
    pen_active_sets *a = state;
    const double mine[] = { a->ran, a->could_run };
    PEN_TRY(pen_agree(run->comm, a->course ? PEN_OK : PEN_ALLOC_ZERO(&a->course, PEN_HISTORY)));
    PEN_TRY(pen_all_reduce(run->comm, mine, a->totals, 2, MPI_DOUBLE, MPI_SUM));
    return pen_all_reduce(run->comm, a->nodes.means, a->course, a->nodes.count, MPI_DOUBLE, MPI_SUM);
}

/* Print the numbers of active nodes over the steps, as means over `stride` steps. */
static void metrics(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_active_sets *a = state;
    fprintf(out, ",\n  \"active_nodes\": {\"stride\": %" PRId64 ", \"nodes\": [", a ? a->nodes.stride : 1);
    for (int i = 0; a && i < a->nodes.count; i++) fprintf(out, "%s%.9g", i ? ", " : "", a->course[i]);
    fprintf(out, "], \"part\": %.9g}", a && a->totals[1] > 0.0 ? a->totals[0] / a->totals[1] : 1.0);
}

static void summary(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_active_sets *a = state;
    if (a->totals[0] < a->totals[1])
        fprintf(out, "skipped     %.4g %% of the nodes of all steps, because nothing that they read had changed\n",
                100.0 * (1.0 - a->totals[0] / a->totals[1]));
}

static void destroy(pen_run *run, void *state)
{
    pen_active_sets *a = state;
    pen_sets_free(a);
    free(a->course);
}

static pen_status read_active(char *text, pen_run_options *o)
{
    o->active = strcmp(text, "off") == 0 ? PEN_ACTIVE_OFF : PEN_ACTIVE_AUTO;
    if (o->active == PEN_ACTIVE_OFF || strcmp(text, "auto") == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--active=%s: must be auto or off", text);
}

static const pen_part_option options_of_active[] = {
    { "active", "auto|off", "leave out nodes whose result cannot change: where it pays (auto, default), or never",
      PEN_OPTION_SETS(active), .high = PEN_ACTIVE_OFF, .read = read_active },
    { .name = NULL },
};

const pen_part pen_part_active = {
    .name = "active",
    .state_size = sizeof(pen_active_sets),
    .options = options_of_active,
    .wanted = wanted,
    .open = open_sets,
    .begin = begin,
    .before_step = before_step,
    .before_phase = before_phase,
    .after_phase = after_phase,
    .after_phases = after_phases,
    .after_step = decide,
    .contribute = pen_sums_contribute,
    .ends = ends,
    .code = code,
    .gather = gather,
    .metrics = metrics,
    .summary = summary,
    .before_moves = before_moves,
    .commit_change = commit_change,
    .columns = columns,
    .destroy = destroy,
};
