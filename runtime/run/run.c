#include "balance/partitioners.h"
#include "base/memory.h"
#include "halo/connect.h"
#include "partition/partition.h"
#include "run/balance.h"
#include "run/far.h"
#include "run/reach.h"
#include "store/create.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* ---- Scratch memory of node functions ------------------------------------------------------- */

typedef struct pen_scratch {
    void *memory;
    size_t size;
} pen_scratch;

void *pen_scratch_get(const pen_view *v, size_t bytes)
{
    pen_scratch *scratch = v->scratch;
    if (bytes > scratch->size || !scratch->memory) {
        free(scratch->memory);
        scratch->size = bytes < 1024 ? 1024 : 2 * bytes;
        scratch->memory = malloc(scratch->size);
        if (!scratch->memory) pen_die("out of memory: %zu bytes of scratch memory", scratch->size);
    }
    return scratch->memory;
}

/* ---- Planes and sweeps ---------------------------------------------------------------------- */

void pen_run_view(pen_run *run, uint64_t writes)
{
    for (int f = 0; f < run->app->field_count; f++) {
        run->current[f] = pen_store_plane(run->store, f, 0);
        run->next[f] = writes >> f & 1 ? pen_store_plane(run->store, f, 1) : NULL;
    }
    run->view.step = run->step;
}

void pen_run_bind(pen_run *run)
{
    const pen_store *store = run->store;
    run->view = (pen_view){ .rows = store->rows,
                            .columns = store->columns,
                            .gids = store->gids,
                            .node_weights = store->node_weights,
                            .edge_weights = store->edge_weights,
                            .current = run->current,
                            .next = run->next,
                            .sizes = store->sizes,
                            .params = run->app->params,
                            .scratch = run->view.scratch };
}

void pen_run_sweep(pen_run *run, pen_node_fn *node, pen_lid first, pen_lid end)
{
    pen_view *view = &run->view;
    for (pen_lid slot = first; slot < end; slot++) {
        view->slot = slot;
        node(view);
    }
}

void pen_run_sweep_phase(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    if (first == end) return;
    if (phase->node) {
        pen_run_sweep(run, phase->node, first, end);
        return;
    }
    run->view.slot = first;
    phase->block(&run->view, end - first);
}

static void sweep_phase(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    (run->loads ? pen_loads_sweep : pen_run_sweep_phase)(run, phase, first, end);
}

/* In the checking build, what must be written is NaN before it is, and so are shadows that a pull has
 * to fill. */
static void poison(pen_run *run, uint64_t writes)
{
#ifdef PEN_CHECKING
    for (int f = 0; f < run->app->field_count; f++)
        if (writes >> f & 1)
            memset(pen_store_plane(run->store, f, 1), 0xff, (size_t)run->store->capacity * run->store->sizes[f]);
#else
    (void)run;
    (void)writes;
#endif
}

/* One sweep and its pulls. Four readings of the clock part it into the categories. */
static void sweep_and_pull(pen_run *run, const pen_phase *phase, const pen_phase_plan *plan)
{
    uint64_t *spent = run->timers.ticks;
    const pen_transport *transport = run->halo->transport;
    pen_lid boundary = run->store->boundary, owned = run->store->owned;
    pen_lid early = transport->overlaps && plan->publishes ? boundary : owned;

    uint64_t start = pen_ticks();
    pen_run_view(run, phase->writes);
    poison(run, phase->writes);
    uint64_t ready = pen_ticks();
    sweep_phase(run, phase, 0, early);
    uint64_t computed = pen_ticks();
    spent[PEN_TIME_COMPUTE_OVERHEAD] += ready - start;
    spent[PEN_TIME_COMPUTE] += computed - ready;
    pen_trace_span(run->trace, phase->name, "phase", run->step, ready, computed);
    if (plan->publishes) {
        uint64_t overhead = spent[PEN_TIME_COMMUNICATION_OVERHEAD];
        transport->begin(run->halo, plan->pull);
        uint64_t begun = pen_ticks();
        sweep_phase(run, phase, early, owned);
        uint64_t swept = pen_ticks();
        transport->end(run->halo, plan->pull);
        uint64_t ended = pen_ticks();
        overhead = spent[PEN_TIME_COMMUNICATION_OVERHEAD] - overhead;
        spent[PEN_TIME_COMPUTE] += swept - begun;
        spent[PEN_TIME_COMMUNICATE] += begun - computed + (ended - swept) - overhead;
        pen_trace_span(run->trace, "publish and acquire", "wait", run->step, computed, begun);
        if (early < owned) pen_trace_span(run->trace, phase->name, "phase", run->step, begun, swept);
        pen_trace_span(run->trace, "complete pulls", "pull", run->step, swept, ended);
    }
    for (int f = 0; f < run->app->field_count; f++)
        if (phase->writes >> f & 1) run->store->plane[f] ^= 1;
}

static pen_status run_phase(pen_run *run, const pen_phase *phase, const pen_phase_plan *plan)
{
    if (phase->far) {
        uint64_t start = pen_ticks();
        PEN_TRY(pen_far_read(run, phase, plan->shadows));
        pen_trace_span(run->trace, "far reads", "pull", run->step, start, pen_ticks());
    }
    sweep_and_pull(run, phase, plan);
    run->view.far = NULL;
    return PEN_OK;
}

/* ---- Observables ---------------------------------------------------------------------------- */

static pen_status observe(pen_run *run)
{
    const pen_app *app = run->app;
    pen_series *series = &run->series;
    if (series->steps == series->room) {
        int64_t room = series->room ? 2 * series->room : 64;
        PEN_TRY(PEN_REALLOC(&series->ints, room * app->observable_count));
        PEN_TRY(PEN_REALLOC(&series->reals, room * app->observable_count));
        series->room = room;
    }
    uint64_t start = pen_ticks();
    pen_run_view(run, 0);
    pen_observation_reset(run->observation);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        run->view.slot = slot;
        app->observe(&run->view, run->observation);
    }
    uint64_t swept = pen_ticks();
    PEN_TRY(pen_observation_reduce(run->comm, run->observation));
    run->timers.ticks[PEN_TIME_COMPUTE_OVERHEAD] += swept - start;
    uint64_t reduced = pen_ticks();
    run->timers.ticks[PEN_TIME_COMMUNICATE] += reduced - swept;
    pen_trace_span(run->trace, "observe", "phase", run->step, start, swept);
    pen_trace_span(run->trace, "reduce observables", "wait", run->step, swept, reduced);
    size_t count = (size_t)app->observable_count, at = (size_t)series->steps++ * count;
    memcpy(series->ints + at, run->observation->ints, count * sizeof *series->ints);
    memcpy(series->reals + at, run->observation->reals, count * sizeof *series->reals);
    return PEN_OK;
}

int64_t pen_run_observed_int(const pen_run *run, int index) { return run->observation->ints[index]; }
double pen_run_observed_real(const pen_run *run, int index) { return run->observation->reals[index]; }

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Not part of the steps' time. */
static pen_status output(pen_run *run)
{
    if (!run->app->output) return PEN_OK;
    double start = pen_seconds_now();
    pen_status status = run->app->output(run, run->step, run->app->params, run->out);
    run->timers.loop -= pen_seconds_now() - start;
    return status;
}

/* After the phases of a step that took so many ticks in node functions. */
static void note_load(pen_run *run, uint64_t spent)
{
    if (run->balance) pen_loads_end(run);
    pen_history_add(&run->history,
                    run->balance && run->balance->loads.declared ? run->balance->loads.total : (double)spent);
    if (run->trace)
        pen_trace_record(run->trace, &(pen_trace_event){ .name = "seconds in node functions",
                                                         .begin = pen_ticks(),
                                                         .step = run->step,
                                                         .value = (double)spent * pen_timers_scale(&run->timers) });
}

static pen_status run_steps(pen_run *run, int64_t steps)
{
    if (!run->begun) PEN_TRY(output(run));
    run->begun = true;
    for (int64_t i = 0; i < steps; i++) {
        uint64_t computed = run->timers.ticks[PEN_TIME_COMPUTE];
        if (run->migration_fraction > 0.0 && run->phase == 0)
            PEN_TRY(pen_run_migrate_random(run, run->migration_seed, run->migration_fraction));
        if (run->loads && run->phase == 0) pen_loads_start(run);
        for (; run->phase < run->app->phase_count; run->phase++)
            PEN_TRY(run_phase(run, &run->app->phases[run->phase], &run->phases[run->phase]));
        run->phase = 0;
        if (run->app->observe) {
            pen_status status = observe(run);
            if (status != PEN_OK) pen_die("observables of step %" PRId64 ": %s", run->step, pen_error_message());
        }
        note_load(run, run->timers.ticks[PEN_TIME_COMPUTE] - computed);
        run->step++;
        if (run->balance) PEN_TRY(pen_balance_step(run));
        if (run->after_step) run->after_step(run, run->context);
        const char *complaint = run->app->check ? run->app->check(run, run->app->params) : NULL;
        if (complaint) return pen_fail(PEN_ERR_CHECK, "step %" PRId64 ": %s", run->step, complaint);
        PEN_TRY(output(run));
    }
    return PEN_OK;
}

pen_status pen_run_steps(pen_run *run, int64_t steps)
{
    PEN_ARGUMENT(steps >= 0, "steps %" PRId64 ", must be >= 0", steps);
    double start = pen_seconds_now();
    pen_status status = run_steps(run, steps);
    run->timers.loop += pen_seconds_now() - start;
    return status;
}

pen_local pen_run_local(const pen_run *run)
{
    for (int f = 0; f < run->app->field_count; f++) run->current[f] = pen_store_plane(run->store, f, 0);
    return (pen_local){ run->store->owned, run->store->gids, run->current };
}

/* ---- Creation ------------------------------------------------------------------------------- */

uint64_t pen_app_reads(const pen_app *app)
{
    uint64_t reads = 0;
    for (int p = 0; p < app->phase_count; p++) reads |= app->phases[p].reads;
    return reads;
}

static pen_status check_app(const pen_app *app)
{
    PEN_ARGUMENT(app->name && app->init, "an application needs a name and an init function");
    PEN_ARGUMENT(app->fields && app->field_count >= 1 && app->field_count <= 64, "%s: %d fields, 1 to 64 are possible",
                 app->name, app->field_count);
    PEN_ARGUMENT(app->phases && app->phase_count >= 1, "%s: no phases", app->name);
    PEN_ARGUMENT(app->observable_count >= 0 && (app->observable_count == 0 || app->observables), "%s: %d observables",
                 app->name, app->observable_count);
    PEN_ARGUMENT(app->observable_count == 0 || app->observe, "%s: observables without an observe function", app->name);
    PEN_ARGUMENT(!app->check || app->observe, "%s: a check without an observe function", app->name);
    for (int i = 0; i < app->observable_count; i++)
        PEN_ARGUMENT(app->observables[i].name, "%s: observable %d has no name", app->name, i);
    for (int f = 0; f < app->field_count; f++) {
        PEN_ARGUMENT(app->fields[f].name, "%s: field %d has no name", app->name, f);
        PEN_ARGUMENT(app->fields[f].size > 0, "%s: field %s has size 0", app->name, app->fields[f].name);
    }
    uint64_t known = app->field_count == 64 ? UINT64_MAX : PEN_FIELD(app->field_count) - 1;
    for (int p = 0; p < app->phase_count; p++) {
        const pen_phase *phase = &app->phases[p];
        PEN_ARGUMENT(phase->name, "%s: phase %d has no name", app->name, p);
        PEN_ARGUMENT(!phase->node != !phase->block, "%s: phase %s needs a node function or a block function", app->name,
                     phase->name);
        PEN_ARGUMENT(phase->writes != 0, "%s: phase %s writes nothing", app->name, phase->name);
        PEN_ARGUMENT(!phase->far || phase->node, "%s: phase %s has .far, and needs a node function", app->name,
                     phase->name);
        PEN_ARGUMENT(!phase->far == !phase->far_reads, "%s: phase %s needs both .far and .far_reads, or neither",
                     app->name, phase->name);
        PEN_ARGUMENT(!((phase->reads | phase->writes | phase->far_reads) & ~known),
                     "%s: phase %s reads or writes an unknown field", app->name, phase->name);
    }
    return PEN_OK;
}

/* Is field f, written in phase p, read from neighbours before it is written again? The phases repeat. */
static bool read_before_rewritten(const pen_app *app, int p, int f)
{
    for (int i = 1; i <= app->phase_count; i++) {
        const pen_phase *later = &app->phases[(p + i) % app->phase_count];
        if (later->reads >> f & 1) return true;
        if (later->writes >> f & 1) return false;
    }
    return false;
}

/* Are the shadows of field f current when phase p begins, in every step and after every migration? Where f is
 * ever read from neighbours, the first pull and those after migrations see to it, until f is written. */
static bool shadows_current(const pen_run *run, int p, int f)
{
    const pen_app *app = run->app;
    if (!(pen_app_reads(app) >> f & 1)) return false;
    for (int back = 1; back <= app->phase_count; back++) {
        int before = (p - back + app->phase_count) % app->phase_count;
        if (app->phases[before].writes >> f & 1) return run->phases[before].pull >> f & 1;
    }
    return true;
}

static void plan_phases(pen_run *run)
{
    const pen_app *app = run->app;
    uint64_t ever_read = pen_app_reads(app);
    for (int p = 0; p < app->phase_count; p++) {
        run->phases[p].publishes = (app->phases[p].writes & ever_read) != 0;
        for (int f = 0; f < app->field_count; f++)
            if (app->phases[p].writes >> f & 1 && read_before_rewritten(app, p, f)) run->phases[p].pull |= PEN_FIELD(f);
    }
    for (int p = 0; p < app->phase_count; p++)
        for (int f = 0; f < app->field_count; f++)
            if (shadows_current(run, p, f)) run->phases[p].shadows |= PEN_FIELD(f);
}

static pen_status create_local(pen_run *run, const pen_app *app, const pen_graph *graph, const char *partitioner)
{
    run->app = app;
    run->nodes = graph->nodes;
    run->edges = graph->edges;
    PEN_TRY(PEN_ALLOC(&run->partitioner, (int64_t)strlen(partitioner) + 1));
    strcpy(run->partitioner, partitioner);
    PEN_TRY(PEN_ALLOC_ZERO(&run->phases, app->phase_count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->current, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->next, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->view.scratch, 1));
    PEN_TRY(pen_observation_create(app->observables, app->observable_count, &run->observation));
    plan_phases(run);
    return PEN_OK;
}

/* Collective. Nodes to their owners, slots. */
static pen_status distribute(pen_run *run, const pen_graph *graph)
{
    int32_t *owner = NULL;
    pen_status status = pen_agree(run->comm, PEN_ALLOC(&owner, graph->count));
    if (status == PEN_OK) status = pen_partition(graph, run->partitioner, run->comm->size, owner);
    if (status == PEN_OK)
        status = pen_partition_dilation(graph, run->partitioner, run->comm->size, owner, &run->quality.dilation);
    if (status == PEN_OK)
        status = pen_store_create(run->comm, graph, owner, run->app->fields, run->app->field_count, &run->store);
    free(owner);
    if (status == PEN_OK) status = pen_quality_measure(run->comm, run->store, graph->directed, &run->quality);
#ifdef __GLIBC__
    malloc_trim(0); /* glibc would keep what a partitioner has freed, up to 32 MiB a block, for good */
#endif
    return status;
}

/* Collective. First values of all fields, and the first shadows of all that is ever read. */
static void initialize(pen_run *run)
{
    const pen_app *app = run->app;
    uint64_t all = app->field_count == 64 ? UINT64_MAX : PEN_FIELD(app->field_count) - 1;
    pen_phase phase = { "init", app->init, .writes = all };
    pen_phase_plan plan = { .publishes = pen_app_reads(app) != 0, .pull = pen_app_reads(app) };
    sweep_and_pull(run, &phase, &plan);
    memset(run->timers.ticks, 0, sizeof run->timers.ticks); /* these belong to init */
    run->halo->gets = run->halo->syncs = run->halo->bytes = 0;
}

static pen_status check_arguments(MPI_Comm comm, const pen_graph *graph, const pen_app *app)
{
    PEN_ARGUMENT(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
    PEN_ARGUMENT(graph && app, "pen_run_create needs a graph and an application");
    PEN_TRY(check_app(app));
    int relation = MPI_UNEQUAL;
    PEN_MPI(MPI_Comm_compare(comm, graph->comm->mpi, &relation));
    PEN_ARGUMENT(relation == MPI_IDENT || relation == MPI_CONGRUENT, "the graph lives on other ranks than the run");
    return PEN_OK;
}

pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app, const pen_run_options *options,
                          pen_run **run)
{
    static const pen_run_options defaults = { .partitioner = NULL };
    if (!options) options = &defaults;
    PEN_TRY(check_arguments(comm, graph, app));
    double start = pen_seconds_now();
    pen_comm *own = NULL;
    PEN_TRY(pen_comm_create(comm, &own));
    pen_run *r = NULL;
    pen_status status = PEN_ALLOC_ZERO(&r, 1);
    if (status == PEN_OK) status = create_local(r, app, graph, options->partitioner ? options->partitioner : "metis");
    if (status == PEN_OK && app->setup) {
        pen_world world = { graph->nodes, options->steps, graph->width, graph->height, own->size };
        const char *complaint = app->setup(app->params, &world);
        if (complaint) status = pen_fail(PEN_ERR_INPUT, "%s: %s", app->name, complaint);
    }
    if (status == PEN_OK) status = pen_balance_create(app, options, &r->balance);
    status = pen_agree(own, status);
    if (!r) {
        pen_comm_destroy(&own);
        return status;
    }
    r->comm = own;
    pen_timers_start(&r->timers);
    pen_history_start(&r->history);
    if (status == PEN_OK) status = distribute(r, graph);
    if (status == PEN_OK)
        status = pen_connect(r->store, options->transport, pen_app_reads(app), &r->timers, options->explain, &r->halo);
    if (status == PEN_OK && r->balance) status = pen_balance_begin(r);
    if (status != PEN_OK) {
        pen_run_destroy(&r);
        return status;
    }
    pen_run_bind(r);
    initialize(r);
    r->steps = options->steps;
    r->timers.init = pen_seconds_now() - start;
    *run = r;
    return PEN_OK;
}

void pen_run_destroy(pen_run **run)
{
    if (!run || !*run) return;
    pen_run *r = *run;
    pen_balance_destroy(&r->balance);
    pen_reach_destroy(&r->reach);
    pen_trace_destroy(&r->trace);
    pen_halo_destroy(&r->halo);
    pen_store_destroy(&r->store);
    pen_observation_destroy(&r->observation);
    pen_far_destroy(&r->far);
    free(r->series.ints);
    free(r->series.reals);
    if (r->view.scratch) free(r->view.scratch->memory);
    free(r->view.scratch);
    free(r->phases);
    free(r->current);
    free(r->next);
    free(r->partitioner);
    pen_comm_destroy(&r->comm);
    free(r);
    *run = NULL;
}
