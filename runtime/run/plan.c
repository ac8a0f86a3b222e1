#include "run/plan.h"
#include "base/memory.h"
#include "run/loads.h"
#include "store/migrate.h"
#include "view/check.h"
#include "view/peers.h"
#include "view/view.h"

#include <stdlib.h>

/* ---- The view ------------------------------------------------------------------------------- */

static void name_owners(const pen_store *store, int32_t *owners)
{
    for (int p = 0; p < store->producer_count; p++)
        for (pen_lid i = 0; i < store->producers[p].count; i++) *owners++ = store->producers[p].rank;
}

/* The store is what a view of an undirected graph is made of. */
static pen_status view_undirected(const pen_run *run, const int32_t *owners, pen_load_view *view)
{
    const pen_store *store = run->store;
    *view = (pen_load_view){ .count = store->owned,
                             .shadows = store->shadows,
                             .gids = store->gids,
                             .owners = owners,
                             .loads = run->loads->of,
                             .rows = store->rows,
                             .columns = store->columns,
                             .edge_weights = store->edge_weights };
    return PEN_OK;
}

static void list_rows(const pen_store *store, const int32_t *owners, int64_t *rows, pen_gid *neighbors, int32_t *of_arc)
{
    for (pen_lid s = 0; s <= store->owned; s++) rows[s] = store->rows[s];
    for (uint32_t j = 0; j < store->rows[store->owned]; j++) {
        pen_lid slot = store->columns[j];
        neighbors[j] = store->gids[slot];
        of_arc[j] = slot < store->owned ? store->comm->rank : owners[slot - store->owned];
    }
}

/* Collective. Of a directed graph the readers must be found. */
static pen_status view_directed(const pen_run *run, const int32_t *owners, pen_load_view *view)
{
    const pen_store *store = run->store;
    int64_t *rows = NULL, arcs = store->rows[store->owned];
    pen_gid *neighbors = NULL;
    int32_t *of_arc = NULL;
    pen_status status = PEN_ALLOC(&rows, (int64_t)store->owned + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&neighbors, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&of_arc, arcs);
    if (status == PEN_OK) list_rows(store, owners, rows, neighbors, of_arc);
    status = pen_agree(run->comm, status);
    const pen_view_rows described = { store->owned, store->gids, run->loads->of,     rows,
                                      neighbors,    of_arc,      store->edge_weights };
    if (status == PEN_OK) status = pen_load_view_create_mutual(run->comm, &described, view);
    PEN_FREE_ALL(rows, neighbors, of_arc);
    return status;
}

/* ---- The check ------------------------------------------------------------------------------ */

static pen_lid find_slot(const void *store, pen_gid gid)
{
    const pen_store *s = store;
    const uint64_t *slot = gid >= 0 ? pen_pages_find(s->slot_of, gid) : NULL;
    return slot && *slot < (uint64_t)s->owned ? (pen_lid)*slot : -1;
}

/* ---- All together --------------------------------------------------------------------------- */

/* Collective. The balancer's plan, checked, and the processor time that this rank had to do with it. */
static pen_status ask(pen_run *run, const pen_chosen_balancer *balancer, const pen_load_view *view, pen_plan *plan,
                      pen_lid *slots, double *cpu_seconds)
{
    pen_mpi_peers peers;
    PEN_TRY(pen_peers_begin(run->comm, &peers));
    pen_status status = balancer->kind->plan(balancer->state, view, &peers.peers, plan);
    if (status == PEN_OK) status = pen_plan_check(plan, view->count, &peers.peers, find_slot, run->store, slots);
    return pen_peers_end(&peers, status, cpu_seconds);
}

/* Collective. The balancer's own calls are over: what it did wrong must not be taken for what is said here. */
static pen_status look_ahead(pen_run *run, const pen_load_view *view, const pen_plan *plan, const pen_lid *slots,
                             double cpu_seconds, pen_outlook *outlook)
{
    pen_mpi_peers peers;
    PEN_TRY(pen_peers_begin(run->comm, &peers));
    pen_status status = pen_outlook_make(&peers.peers, view, run->loads->total, plan, slots, cpu_seconds, outlook);
    return pen_peers_end(&peers, status, NULL);
}

pen_status pen_plan_make(pen_run *run, const pen_chosen_balancer *balancer, double horizon, pen_plan *plan,
                         pen_outlook *outlook)
{
    const pen_store *store = run->store;
    int32_t *owners = NULL;
    pen_lid *slots = NULL;
    double cpu_seconds;
    pen_load_view view = { .count = 0 };
    *plan = (pen_plan){ .moves = NULL };
    pen_status status = PEN_ALLOC(&owners, store->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&slots, store->owned);
    if (status == PEN_OK) status = PEN_ALLOC(&plan->moves, store->owned);
    status = pen_agree(run->comm, status);
    if (status == PEN_OK) {
        name_owners(store, owners);
        status = (store->directed ? view_directed : view_undirected)(run, owners, &view);
    }
    if (status == PEN_OK) {
        const pen_row_format format = pen_migration_format(store);
        view.horizon = horizon;
        view.step = run->step;
        pen_load_view_place(&view, run->comm, &run->world, store->dimensions, store->coordinates);
        view.node_bytes = 8 * pen_row_words(&format, 0);
        view.arc_bytes = 8 * (pen_row_words(&format, 1) - pen_row_words(&format, 0));
        status = ask(run, balancer, &view, plan, slots, &cpu_seconds);
        if (status == PEN_OK) status = look_ahead(run, &view, plan, slots, cpu_seconds, outlook);
        if (store->directed) pen_load_view_free(&view);
    }
    PEN_FREE_ALL(owners, slots);
    if (status != PEN_OK) {
        free(plan->moves);
        *plan = (pen_plan){ .moves = NULL };
    }
    return status;
}
