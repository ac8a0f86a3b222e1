/* plan.c - shows the nodes of a run to the balancer, and checks and evaluates its plan. */
#include "balancing/plan.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "store/ordering.h"
#include "view/check.h"
#include "view/view.h"

#include <stdlib.h>

/* ---- The view of a call ------------------------------------------------------------------------------- */

/* Show a store with another order of nodes in the natural order: plans do not depend on the order. */
typedef struct natural {
    pen_lid *slots; /* [owned] slots of the view's nodes */
    pen_lid *place; /* [owned+shadows] place in the view of each slot */
    pen_gid *gids;
    double *loads, *phase_loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *edge_weights;
    double *coordinates;  /* [owned*dimensions] coordinates in the natural order */
    const double *places; /* coordinates by slot */
    double *made;         /* memory of `places` if they had to be computed, else NULL */
    const double *of;     /* [owned] loads by slot, of the step or averages */
    double *averages;     /* [owned] averages by slot, or NULL */
} natural;

static void free_natural(natural *n)
{
    PEN_FREE_ALL(n->slots, n->place, n->gids, n->loads, n->phase_loads, n->rows, n->columns, n->edge_weights,
                 n->coordinates, n->made, n->averages);
}

/* Local. Number the nodes in the natural order. All arrays stay NULL if slots are in that order. */
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

/* Choose the loads for which the plan is made. */
static pen_status choose_loads(const pen_run *run, const pen_past *past, bool by_average, natural *n)
{
    n->of = pen_loads_of(run)->of;
    if (!by_average) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&n->averages, run->store->owned));
    for (pen_lid slot = 0; slot < run->store->owned; slot++) n->averages[slot] = past[slot].average;
    n->of = n->averages;
    return PEN_OK;
}

/* Copy the loads of the phases, node by node, in the natural order. */
static pen_status copy_phase_loads(const pen_run *run, natural *n)
{
    const pen_loads *loads = pen_loads_of(run);
    const pen_lid owned = run->store->owned;
    const size_t phases = (size_t)loads->phases, bytes = phases * sizeof *n->phase_loads;
    if (!loads->told_apart) return PEN_OK;
    PEN_TRY(pen_alloc(&n->phase_loads, owned, bytes));
    for (pen_lid i = 0; i < owned; i++)
        memcpy(n->phase_loads + (size_t)i * phases, loads->of_phases + (size_t)(n->slots ? n->slots[i] : i) * phases,
               bytes);
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

/* Collective. Make the view of an undirected graph from the store, or from a copy of it in the natural order. */
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

/* Collective. Make the view of a directed graph, in which readers must be counted. */
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

/* Finds the place in the view of a node of the store. */
typedef struct finder {
    const pen_store *store;
    const pen_lid *place; /* natural.place */
} finder;

static pen_lid find_node(const void *context, pen_gid gid)
{
    const finder *f = context;
    const pen_lid slot = pen_store_slot(f->store, gid);
    return slot >= 0 && f->place ? f->place[slot] : slot;
}

/* ---- The plan --------------------------------------------------------------------------- */

/* Collective. Ask the balancer for a plan, check it, and measure its time. */
static pen_status ask(pen_run *run, const pen_balance *b, const pen_load_view *view, const double *before,
                      const natural *n, pen_plan *plan, pen_lid *nodes, pen_peers_use *use)
{
    pen_mpi_peers peers;
    const finder by_gid = { run->store, n->place };
    const pen_notes notes = { b->notes, n->slots, pen_loads_of(run)->begun };
    PEN_TRY(pen_peers_begin(run->comm, &peers));
    pen_status status = pen_plan_ask(b->balancer.kind, b->balancer.state, view, before, &notes, &peers.peers, find_node,
                                     &by_gid, plan, nodes);
    return pen_peers_end(&peers, status, use);
}

/* Collective. Evaluate the plan on a communicator of its own, which wrong calls of a balancer cannot disturb. */
static pen_status evaluate(pen_run *run, const pen_load_view *view, const double *before, const pen_plan *plan,
                           const pen_lid *nodes, const pen_peers_use *use, const pen_steer_facts *facts,
                           pen_evaluation *evaluation)
{
    pen_mpi_peers peers;
    PEN_TRY(pen_peers_begin(run->comm, &peers));
    pen_status status = pen_evaluation_make(&peers.peers, facts, view, before, plan, nodes, use->cpu_seconds,
                                            evaluation);
    evaluation->exchanges = use->exchanges;
    evaluation->reductions = use->reductions;
    return pen_peers_end(&peers, status, NULL);
}

/* List the loads of the view's nodes in a remembered step. */
static void list_before(const pen_run *run, const natural *n, double *before)
{
    const pen_loads *loads = pen_loads_of(run);
    for (pen_lid i = 0; i < run->store->owned; i++)
        before[i] = loads->before[n->slots ? n->slots[i] : i] / (double)loads->steps;
}

pen_status pen_balance_plan(pen_run *run, const pen_balance *b, pen_plan *plan, pen_evaluation *evaluation)
{
    const pen_loads *loads = pen_loads_of(run);
    const pen_steer_facts *facts = &b->steer.facts;
    double *before = NULL;
    bool mixed = b->steer.trigger.mixes && loads->steps > 0;
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
    if (status == PEN_OK) status = choose_loads(run, b->past, facts->by_average, &n);
    if (status == PEN_OK) status = copy_phase_loads(run, &n);
    if (status == PEN_OK) status = PEN_ALLOC(&plan->moves, store->owned);
    if (status == PEN_OK && mixed) status = PEN_ALLOC(&before, store->owned);
    status = pen_agree(run->comm, status);
    if (status == PEN_OK) {
        pen_store_name_owners(store, owners);
        status = (store->directed ? view_directed : view_undirected)(run, owners, &n, &view);
    }
    int64_t lists = 0;
    if (status == PEN_OK) status = pen_run_list_bytes(run, &lists);
    if (status == PEN_OK) {
        const pen_row_format format = pen_run_row_format(run);
        view.horizon = facts->horizon;
        view.step = run->step;
        view.phases = loads->phases;
        view.phase_loads = n.phase_loads;
        pen_load_view_place(&view, run->comm, &store->grid, dimensions, n.slots ? n.coordinates : n.places);
        pen_load_view_set_machine(&view, run->comm->rank, run->partition.machine);
        view.node_bytes = 8 * pen_row_words(&format, 0) + lists;
        view.arc_bytes = 8 * (pen_row_words(&format, 1) - pen_row_words(&format, 0));
        if (mixed) list_before(run, &n, before);
        status = ask(run, b, &view, before, &n, plan, nodes, &use);
        if (status == PEN_OK) status = evaluate(run, &view, before, plan, nodes, &use, facts, evaluation);
    }
    if (store->directed) pen_load_view_free(&view);
    PEN_FREE_ALL(owners, nodes, before);
    free_natural(&n);
    if (status != PEN_OK) {
        free(plan->moves);
        *plan = (pen_plan){ .moves = NULL };
    }
    return status;
}
