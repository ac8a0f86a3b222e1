#include "run/balance.h"
#include "base/memory.h"
#include "run/apply_change.h"
#include "run/loads.h"
#include "store/ordering.h"
#include "view/check.h"
#include "view/peers.h"
#include "view/view.h"

#include <stdlib.h>

static pen_status read_options(const pen_app *app, const pen_run_options *options, pen_balance *b)
{
    const char *name = options->balance.balancer ? options->balance.balancer : "none";
    b->steer.settings = pen_steer_settings_of(&options->balance);
    if (b->steer.settings.declared && !pen_app_declares(app))
        return pen_fail(PEN_ERR_INPUT, "--load=declared: %s declares no costs", app->name);
    PEN_TRY(pen_copy_text(name, &b->name));
    return pen_balancer_open(name, &b->balancer);
}

pen_status pen_balance_create(const pen_app *app, const pen_run_options *options, pen_balance **balance)
{
    *balance = NULL;
    PEN_TRY(PEN_ALLOC_ZERO(balance, 1));
    pen_status status = read_options(app, options, *balance);
    bool needed = (*balance)->balancer.kind || (*balance)->steer.settings.declared;
    if (status != PEN_OK || !needed) pen_balance_destroy(balance);
    return status;
}

pen_status pen_balance_begin(pen_run *run)
{
    pen_balance *b = run->balance;
    bool declared = b->steer.settings.declared;
    pen_status status = pen_loads_create(run, declared);
    b->steer.averages = b->balancer.kind && b->steer.settings.when == PEN_BALANCE_AUTO;
    if (status == PEN_OK) status = pen_store_note(run->store, pen_notes_bytes(b->balancer.kind, b->steer.averages));
    PEN_TRY(pen_agree(run->comm, status));
    pen_balance_choose_notes(run);
    const pen_row_format format = pen_run_row_format(run);
    pen_steer_start(&b->steer, run->machine, 8 * pen_row_words(&format, 0), pen_seconds_now());
    pen_steer_measured(&b->steer, &run->quality);
    return pen_peers_begin(run->comm, &b->peers);
}

void pen_balance_destroy(pen_balance **balance)
{
    pen_balance *b = *balance;
    if (!b) return;
    pen_balancer_close(&b->balancer);
    pen_steer_free(&b->steer);
    pen_peers_free(&b->peers);
    PEN_FREE_ALL(b->name, b);
    *balance = NULL;
}

/* ---- Notes ------------------------------------------------------------------------------------ */

static pen_notes notes_of(const pen_run *run, const pen_lid *order)
{
    return (pen_notes){ run->store->notes, order, run->loads->begun, run->balance->steer.averages };
}

pen_past *pen_balance_past(const pen_run *run, pen_lid slot)
{
    if (!run->balance || !run->balance->steer.averages) return NULL;
    const pen_notes notes = notes_of(run, NULL);
    return pen_notes_past(run->balance->balancer.kind, &notes, slot);
}

void pen_balance_choose_notes(pen_run *run)
{
    const pen_balance *b = run->balance;
    run->store->note_moving = pen_notes_bytes(b->balancer.kind, pen_steer_has_averages(&b->steer));
}

/* Local. Add the loads of the step to what is kept of this rank's nodes. */
static pen_past_sums add_to_past(pen_run *run)
{
    pen_past_sums sums = { 0.0, 0.0, 0.0 };
    const pen_store *store = run->store;
    const pen_forecast *forecast = &run->balance->steer.forecast;
    if (!forecast->keeps || store->owned == 0) return sums;
    const double weight = pen_forecast_weight(forecast);
    unsigned char *past = (unsigned char *)pen_balance_past(run, 0);
    for (pen_lid slot = 0; slot < store->owned; slot++)
        pen_forecast_add((pen_past *)(void *)(past + (size_t)slot * store->note_bytes), run->loads->of[slot], weight,
                         &sums);
    return sums;
}

/* ---- How good the partition is -------------------------------------------------------------- */

pen_status pen_run_quality(pen_run *run, pen_quality *quality)
{
    const pen_store *store = run->store;
    double *loads = NULL;
    int32_t *owners = NULL;
    pen_status status = PEN_ALLOC(&loads, store->owned);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, store->shadows);
    status = pen_agree(run->comm, status);
    if (status != PEN_OK) {
        PEN_FREE_ALL(loads, owners);
        return status;
    }
    pen_store_name_owners(store, owners);
    for (pen_lid s = 0; s < store->owned; s++) loads[s] = store->node_weights ? (double)store->node_weights[s] : 1.0;
    const pen_load_view view = { .count = store->owned,
                                 .shadows = store->shadows,
                                 .owners = owners,
                                 .loads = loads,
                                 .rows = store->rows,
                                 .columns = store->columns,
                                 .edge_weights = store->edge_weights,
                                 .machine = run->machine,
                                 .speed = pen_run_speed(run) };
    status = pen_quality_of_ranks(run->comm, &view, store->directed, quality);
    PEN_FREE_ALL(loads, owners);
    return status;
}

pen_status pen_run_step_time(const pen_run *run, double load, pen_quality *quality)
{
    if (!run->machine) return PEN_OK;
    double time = load / pen_run_speed(run) + quality->communication;
    PEN_TRY(pen_all_reduce(run->comm, &time, &quality->step_time, 1, MPI_DOUBLE, MPI_MAX));
    return PEN_OK;
}

/* ---- The view of a call ------------------------------------------------------------------------------- */

/* Show a store with another order of nodes in the natural order: plans do not depend on the order. */
typedef struct natural {
    pen_lid *slots; /* [owned] of the view's nodes */
    pen_lid *place; /* [owned+shadows] of the slots, in the view */
    pen_gid *gids;
    double *loads, *phase_loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *edge_weights;
    double *coordinates;  /* [owned*dimensions] in that order, */
    const double *places; /* by slot, */
    double *made;         /* and where that had to be computed */
    const double *of;     /* [owned] loads by slot: of the step, */
    double *averages;     /* or these */
} natural;

static void free_natural(natural *n)
{
    PEN_FREE_ALL(n->slots, n->place, n->gids, n->loads, n->phase_loads, n->rows, n->columns, n->edge_weights,
                 n->coordinates, n->made, n->averages);
}

/* Local. Nodes and places; all NULL where slots are in that order. */
static pen_status number_naturally(const pen_store *store, int dimensions, natural *n)
{
    if (dimensions > 0) PEN_TRY(pen_store_places(store, &n->places, &n->made));
    if (store->ordering.is == PEN_ORDER_NATURAL) return PEN_OK;
    pen_lid all = store->owned + store->shadows;
    PEN_TRY(PEN_ALLOC(&n->slots, store->owned));
    PEN_TRY(PEN_ALLOC(&n->place, all));
    PEN_TRY(pen_ordering_natural(store, n->slots));
    const size_t bytes = (size_t)dimensions * sizeof *n->coordinates;
    if (bytes > 0) PEN_TRY(pen_alloc(&n->coordinates, store->owned, bytes));
    for (pen_lid i = 0; i < store->owned; i++) {
        n->place[n->slots[i]] = i;
        if (bytes > 0)
            memcpy(n->coordinates + (int64_t)i * dimensions, n->places + (int64_t)n->slots[i] * dimensions, bytes);
    }
    for (pen_lid s = store->owned; s < all; s++) n->place[s] = s;
    return PEN_OK;
}

/* The loads that the plan is for. */
static pen_status choose_loads(const pen_run *run, bool by_average, natural *n)
{
    n->of = run->loads->of;
    if (!by_average) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&n->averages, run->store->owned));
    for (pen_lid slot = 0; slot < run->store->owned; slot++) n->averages[slot] = pen_balance_past(run, slot)->average;
    n->of = n->averages;
    return PEN_OK;
}

/* The loads of the phases, node by node, in the natural order. */
static pen_status copy_phase_loads(const pen_run *run, natural *n)
{
    const pen_loads *loads = run->loads;
    const pen_lid owned = run->store->owned;
    if (!loads->of_phases) return PEN_OK;
    PEN_TRY(pen_alloc(&n->phase_loads, owned, (size_t)loads->phases * sizeof *n->phase_loads));
    for (pen_lid i = 0; i < owned; i++)
        pen_loads_in_phases(loads, owned, n->slots ? n->slots[i] : i,
                            n->phase_loads + (size_t)i * (size_t)loads->phases);
    return PEN_OK;
}

static pen_status copy_naturally(const pen_run *run, natural *n)
{
    const pen_store *store = run->store;
    const int64_t all = (int64_t)store->owned + store->shadows, arcs = store->rows[store->owned];
    PEN_TRY(PEN_ALLOC(&n->gids, all));
    PEN_TRY(PEN_ALLOC(&n->loads, store->owned));
    PEN_TRY(PEN_ALLOC_ZERO(&n->rows, (int64_t)store->owned + 1));
    PEN_TRY(PEN_ALLOC(&n->columns, arcs));
    if (store->edge_weights) PEN_TRY(PEN_ALLOC(&n->edge_weights, arcs));
    uint32_t to = 0;
    for (pen_lid i = 0; i < all; i++) {
        pen_lid slot = i < store->owned ? n->slots[i] : i;
        n->gids[i] = store->gids[slot];
        if (i >= store->owned) continue;
        n->loads[i] = n->of[slot];
        for (uint32_t a = store->rows[slot]; a < store->rows[slot + 1]; a++, to++) {
            n->columns[to] = n->place[store->columns[a]];
            if (n->edge_weights) n->edge_weights[to] = store->edge_weights[a];
        }
        n->rows[i + 1] = to;
    }
    return PEN_OK;
}

/* Collective. The store is what a view of an undirected graph is made of, or its copy in the natural order. */
static pen_status view_undirected(const pen_run *run, const int32_t *owners, natural *n, pen_load_view *view)
{
    const pen_store *store = run->store;
    PEN_TRY(pen_agree(run->comm, n->slots ? copy_naturally(run, n) : PEN_OK));
    *view = (pen_load_view){ .count = store->owned,
                             .shadows = store->shadows,
                             .gids = n->slots ? n->gids : store->gids,
                             .owners = owners,
                             .loads = n->slots ? n->loads : n->of,
                             .rows = n->slots ? n->rows : store->rows,
                             .columns = n->slots ? n->columns : store->columns,
                             .edge_weights = n->slots ? n->edge_weights : store->edge_weights };
    return PEN_OK;
}

/* Rows of a directed graph, in the natural order. */
typedef struct listing {
    pen_gid *gids, *neighbors;
    double *loads;
    int64_t *rows, *edge_weights;
    int32_t *owners;
} listing;

static pen_status list_rows(const pen_run *run, const int32_t *owners, const natural *n, listing *l)
{
    const pen_store *store = run->store;
    int64_t arcs = store->rows[store->owned], to = 0;
    PEN_TRY(PEN_ALLOC(&l->gids, store->owned));
    PEN_TRY(PEN_ALLOC(&l->loads, store->owned));
    PEN_TRY(PEN_ALLOC_ZERO(&l->rows, (int64_t)store->owned + 1));
    PEN_TRY(PEN_ALLOC(&l->neighbors, arcs));
    PEN_TRY(PEN_ALLOC(&l->owners, arcs));
    if (store->edge_weights) PEN_TRY(PEN_ALLOC(&l->edge_weights, arcs));
    for (pen_lid i = 0; i < store->owned; i++) {
        pen_lid own = n->slots ? n->slots[i] : i;
        l->gids[i] = store->gids[own];
        l->loads[i] = n->of[own];
        for (uint32_t a = store->rows[own]; a < store->rows[own + 1]; a++, to++) {
            pen_lid slot = store->columns[a];
            l->neighbors[to] = store->gids[slot];
            l->owners[to] = slot < store->owned ? store->comm->rank : owners[slot - store->owned];
            if (l->edge_weights) l->edge_weights[to] = store->edge_weights[a];
        }
        l->rows[i + 1] = to;
    }
    return PEN_OK;
}

/* Collective. In a directed graph the readers must be counted. */
static pen_status view_directed(const pen_run *run, const int32_t *owners, natural *n, pen_load_view *view)
{
    listing l = { .gids = NULL };
    pen_status status = pen_agree(run->comm, list_rows(run, owners, n, &l));
    const pen_view_rows described = { run->store->owned, l.gids,   l.loads,        l.rows,
                                      l.neighbors,       l.owners, l.edge_weights, NULL };
    if (status == PEN_OK) status = pen_load_view_create_mutual(run->comm, &described, view);
    PEN_FREE_ALL(l.gids, l.loads, l.rows, l.neighbors, l.owners, l.edge_weights);
    return status;
}

/* ---- The check ------------------------------------------------------------------------------ */

/* Where the view has a store's node. */
typedef struct finder {
    const pen_store *store;
    const pen_lid *place; /* natural.place */
} finder;

static pen_lid find_node(const void *context, pen_gid gid)
{
    const finder *f = context;
    const uint64_t *slot = gid >= 0 ? pen_pages_find(f->store->slot_of, gid) : NULL;
    if (!slot || *slot >= (uint64_t)f->store->owned) return -1;
    return f->place ? f->place[*slot] : (pen_lid)*slot;
}

/* ---- The plan --------------------------------------------------------------------------- */

/* Collective. The balancer's plan, checked, and what making it took. */
static pen_status ask(pen_run *run, const pen_chosen_balancer *balancer, const pen_load_view *view,
                      const double *before, const natural *n, pen_plan *plan, pen_lid *nodes, pen_peers_use *use)
{
    pen_mpi_peers peers;
    const finder by_gid = { run->store, n->place };
    const pen_notes notes = notes_of(run, n->slots);
    PEN_TRY(pen_peers_begin(run->comm, &peers));
    pen_status status = pen_plan_ask(balancer->kind, balancer->state, view, before, &notes, &peers.peers, find_node,
                                     &by_gid, plan, nodes);
    return pen_peers_end(&peers, status, use);
}

/* Collective. It has its own communicator, so that a balancer's wrong calls cannot disturb the evaluation of its plan.
 */
static pen_status evaluate(pen_run *run, const pen_load_view *view, const double *before, const pen_plan *plan,
                           const pen_lid *nodes, const pen_peers_use *use, const pen_steer *steer,
                           const pen_steer_facts *facts, pen_evaluation *evaluation)
{
    pen_mpi_peers peers;
    PEN_TRY(pen_peers_begin(run->comm, &peers));
    pen_status status = pen_steer_evaluate(steer, &peers.peers, facts, view, before, plan, nodes, use->cpu_seconds,
                                           evaluation);
    evaluation->exchanges = use->exchanges;
    evaluation->reductions = use->reductions;
    return pen_peers_end(&peers, status, NULL);
}

/* The loads of the view's nodes in a remembered step. */
static void list_before(const pen_run *run, const natural *n, double *before)
{
    const pen_loads *loads = run->loads;
    for (pen_lid i = 0; i < run->store->owned; i++)
        before[i] = loads->before[n->slots ? n->slots[i] : i] / (double)loads->steps;
}

/* Collective. Let the balancer plan for the nodes of the run after the step of the facts. The plan is for as many steps
 * as steering expects, and for the loads of this step, alone or together with the remembered ones (loads.h), or for
 * average loads. The plan is checked and, if the decision needs it, evaluated. The caller frees plan->moves, which is
 * NULL after a failure. PEN_ERR_INTERNAL: the plan is wrong; else the balancer's failure; the same on all ranks. */
static pen_status make_plan(pen_run *run, const pen_chosen_balancer *balancer, const pen_steer *steer,
                            const pen_steer_facts *facts, pen_plan *plan, pen_evaluation *evaluation)
{
    double *before = NULL;
    bool mixed = pen_steer_mixes(steer) && run->loads->steps > 0;
    const pen_store *store = run->store;
    const int dimensions = pen_run_dimensions(run);
    int32_t *owners = NULL;
    pen_lid *nodes = NULL;
    natural n = { .slots = NULL };
    pen_peers_use use;
    pen_load_view view = { .count = 0 };
    *plan = (pen_plan){ .moves = NULL };
    pen_status status = PEN_ALLOC(&owners, store->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&nodes, store->owned);
    if (status == PEN_OK) status = number_naturally(store, dimensions, &n);
    if (status == PEN_OK) status = choose_loads(run, facts->by_average, &n);
    if (status == PEN_OK) status = copy_phase_loads(run, &n);
    if (status == PEN_OK) status = PEN_ALLOC(&plan->moves, store->owned);
    if (status == PEN_OK && mixed) status = PEN_ALLOC(&before, store->owned);
    status = pen_agree(run->comm, status);
    if (status == PEN_OK) {
        pen_store_name_owners(store, owners);
        status = (store->directed ? view_directed : view_undirected)(run, owners, &n, &view);
    }
    if (status == PEN_OK) {
        pen_balance_choose_notes(run);
        const pen_row_format format = pen_run_row_format(run);
        view.horizon = pen_steer_horizon(steer, facts);
        view.step = run->step;
        view.phases = run->loads->phases;
        view.phase_loads = n.phase_loads;
        pen_load_view_place(&view, run->comm, &store->grid, dimensions, n.slots ? n.coordinates : n.places);
        pen_load_view_set_machine(&view, run->comm->rank, run->machine);
        view.node_bytes = 8 * pen_row_words(&format, 0);
        view.arc_bytes = 8 * (pen_row_words(&format, 1) - pen_row_words(&format, 0));
        if (mixed) list_before(run, &n, before);
        status = ask(run, balancer, &view, before, &n, plan, nodes, &use);
        if (status == PEN_OK) status = evaluate(run, &view, before, plan, nodes, &use, steer, facts, evaluation);
        if (store->directed) pen_load_view_free(&view);
    }
    PEN_FREE_ALL(owners, nodes, before);
    free_natural(&n);
    if (status != PEN_OK) {
        free(plan->moves);
        *plan = (pen_plan){ .moves = NULL };
    }
    return status;
}

/* ---- A call --------------------------------------------------------------------------------- */

/* A wrong plan or a failed migration does not end the run; an error of MPI does. */
static pen_status complain(pen_run *run, pen_status status)
{
    pen_balance *b = run->balance;
    if (status == PEN_OK || status == PEN_ERR_MPI) return status;
    if (run->comm->rank == 0 && !b->complained)
        pen_warn("balancer %s, after step %" PRId64 ": %s; the run goes on unchanged", b->name, run->step,
                 pen_error_message());
    b->complained = true;
    return PEN_OK;
}

/* How often the graph has changed, and how often nodes have changed owners. */
static int64_t changes_of(const pen_run *run) { return run->changed.with_changes; }
static int64_t moves_of(const pen_run *run) { return run->store->migrations - changes_of(run); }

/* What steering calls back for (steer.h). */
typedef struct call {
    pen_run *run;
    pen_plan plan;
    uint64_t ticks; /* since when it takes time */
    double start;   /* of planning */
} call;

static pen_status remember(void *context, bool first)
{
    const call *c = context;
    pen_loads_remember(c->run, first);
    return PEN_OK;
}

/* Collective. Estimated times are those of the loads that the last plan was for, where the nodes are now. */
static pen_status measure(void *context, bool changed, pen_quality *quality)
{
    pen_run *run = ((const call *)context)->run;
    if (changed) PEN_TRY(pen_run_quality(run, quality));
    return pen_run_step_time(run, run->balance->steer.expected, quality);
}

static pen_status agree(void *context, pen_status mine) { return pen_agree(((const call *)context)->run->comm, mine); }

/* Collective. */
static pen_status plan(void *context, const pen_steer_facts *facts, pen_steer_result *result)
{
    call *c = context;
    pen_balance *b = c->run->balance;
    c->start = pen_seconds_now();
    pen_mark_doing("planning of the balancer");
    pen_status status = make_plan(c->run, &b->balancer, &b->steer, facts, &c->plan, &result->evaluation);
    result->failed = status != PEN_OK;
    result->planned = !result->failed;
    result->planning = result->migrated = pen_seconds_now() - c->start;
    result->rounds = c->plan.rounds;
    return complain(c->run, status);
}

/* Collective. */
static pen_status migrate(void *context, pen_steer_result *result)
{
    const call *c = context;
    const int64_t shipped = c->run->shipped;
    pen_status status = pen_run_migrate(c->run, PEN_OK, c->plan.count, c->plan.moves);
    result->applied = status == PEN_OK;
    result->failed = status != PEN_OK;
    result->version = moves_of(c->run);
    result->bytes = c->run->shipped - shipped;
    result->migrated = pen_seconds_now() - c->start;
    return complain(c->run, status);
}

static void note(void *context, const pen_steer_result *result)
{
    const call *c = context;
    const uint64_t end = pen_ticks();
    c->run->timers.ticks[PEN_TIME_BALANCE] += end - c->ticks;
    const char *outcome = result->failed ? "balance: failed" : "balance: kept";
    pen_trace_span(c->run->timers.trace, result->applied ? "balance: migrated" : outcome, "balance", c->run->step, c->ticks,
                   end);
    const char *const *counters = c->run->balance->balancer.kind->counters;
    for (int i = 0; c->run->timers.trace && result->planned && counters && counters[i]; i++)
        pen_trace_record(c->run->timers.trace,
                         &(pen_trace_event){
                             .name = counters[i], .begin = end, .step = c->run->step, .value = c->plan.counts[i] });
}

/* Collective. After a step, or because a plan is wanted. */
static pen_status steer(pen_run *run, bool wanted)
{
    pen_balance *b = run->balance;
    call c = { .run = run, .ticks = pen_ticks() };
    const pen_steer_calls calls = { &c, remember, measure, agree, plan, migrate, note };
    pen_status status = wanted ? pen_steer_call(&b->steer, &b->peers.peers, &b->facts, &calls)
                               : pen_steer_step(&b->steer, &b->peers.peers, &b->facts, b->balancer.kind, &calls);
    free(c.plan.moves);
    return status;
}

/* The number of remaining steps, if it is known. */
static int64_t remaining_steps(const pen_run *run, int64_t step)
{
    if (run->end != PEN_END_OPEN) return 0;
    return run->world.steps > 0 ? run->world.steps - step : INT64_MAX;
}

/* Collective. Compare the loads after so many steps. */
static pen_status look(pen_run *run, int64_t step)
{
    pen_balance *b = run->balance;
    uint64_t start = pen_ticks();
    pen_mark_doing("comparing loads");
    pen_steer_local mine = { .step = step,
                             .remaining = remaining_steps(run, step),
                             .seconds = pen_seconds_now(),
                             .count = run->store->owned,
                             .loads = run->loads->of,
                             .load = run->loads->total,
                             .phases = run->loads->of_phases ? run->loads->phases : 1,
                             .phase_loads = run->loads->totals,
                             .speed = pen_run_speed(run),
                             .version = moves_of(run),
                             .nodes = run->nodes,
                             .changes = changes_of(run) };
    mine.past = add_to_past(run);
    pen_status status = pen_steer_look(&b->steer, &b->peers.peers, &mine, &b->facts);
    if (status == PEN_ERR_ARGUMENT) return pen_fail(status, "%s: %s", run->app->name, pen_error_message());
    PEN_TRY(status);
    pen_balance_choose_notes(run);
    run->timers.ticks[PEN_TIME_BALANCE] += pen_ticks() - start;
    return PEN_OK;
}

pen_status pen_balance_look(pen_run *run)
{
    pen_balance *b = run->balance;
    const pen_notes notes = notes_of(run, NULL);
    pen_notes_add(b->balancer.kind, &notes, run->store->owned, run->step, run->loads->of);
    b->looked = pen_steer_looks(&b->steer, run->step + 1, changes_of(run));
    return b->looked ? look(run, run->step + 1) : PEN_OK;
}

pen_status pen_balance_step(pen_run *run)
{
    pen_balance *b = run->balance;
    if (!b->looked) return PEN_OK;
    b->facts.remaining = remaining_steps(run, run->step);
    return steer(run, false);
}

pen_status pen_run_balance(pen_run *run)
{
    PEN_WITHIN("pen_run_balance");
    PEN_TRY(pen_run_ready(run, "pen_run_balance"));
    pen_balance *b = run->balance;
    PEN_ARGUMENT(b && b->balancer.kind, "%s: the run has no balancer", run->app->name);
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no balancing within a step", run->app->name);
    if (run->loads->version != run->store->migrations) return PEN_OK;
    if (b->facts.step != run->step || b->steer.changes != changes_of(run)) PEN_TRY(look(run, run->step));
    return steer(run, true);
}
