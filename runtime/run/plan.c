#include "run/plan.h"
#include "base/memory.h"
#include "view/check.h"
#include "view/view.h"

#include <math.h>
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
                             .loads = run->balance->loads.of,
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
    const pen_view_rows described = { store->owned, store->gids, run->balance->loads.of, rows,
                                      neighbors,    of_arc,      store->edge_weights };
    if (status == PEN_OK) status = pen_load_view_create_mutual(run->comm, &described, view);
    free(rows);
    free(neighbors);
    free(of_arc);
    return status;
}

/* ---- The check ------------------------------------------------------------------------------ */

static pen_lid find_slot(const void *store, pen_gid gid)
{
    const pen_store *s = store;
    const uint64_t *slot = gid >= 0 ? pen_pages_find(s->slot_of, gid) : NULL;
    return slot && *slot < (uint64_t)s->owned ? (pen_lid)*slot : -1;
}

/* ---- The outlook ---------------------------------------------------------------------------- */

typedef struct shipment {
    int64_t nodes;
    double load;
} shipment;

typedef struct leaving {
    int32_t to;
    pen_lid slot;
} leaving;

static int by_rank(const void *a, const void *b)
{
    const leaving *x = (const leaving *)a, *y = (const leaving *)b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

/* One shipment per destination, in one order of adding whatever the plan's is. */
static pen_status add_up(const pen_run *run, const pen_plan *plan, const pen_lid *slots, pen_blocks *send,
                         shipment *out)
{
    leaving *nodes;
    int *ranks = NULL;
    shipment *records = NULL;
    int64_t count = 0, groups = 0;
    PEN_TRY(PEN_ALLOC(&nodes, plan->count));
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->moves[i].to != run->comm->rank) nodes[count++] = (leaving){ plan->moves[i].to, slots[i] };
    qsort(nodes, (size_t)count, sizeof *nodes, by_rank);
    pen_status status = PEN_ALLOC(&ranks, count);
    if (status == PEN_OK) status = PEN_ALLOC(&records, count);
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        if (i == 0 || nodes[i].to != nodes[i - 1].to) {
            ranks[groups] = nodes[i].to;
            records[groups++] = (shipment){ 0, 0.0 };
        }
        double load = run->balance->loads.of[nodes[i].slot];
        records[groups - 1].nodes++;
        records[groups - 1].load += load;
        out->nodes++;
        out->load += load;
    }
    if (status == PEN_OK) status = pen_blocks_group(groups, ranks, records, sizeof *records, send, NULL);
    free(nodes);
    free(ranks);
    free(records);
    return status;
}

/* Collective. */
static pen_status look_ahead(pen_run *run, const pen_plan *plan, const pen_lid *slots, pen_outlook *outlook)
{
    pen_blocks send = { 0 }, received = { 0 };
    shipment out = { 0, 0.0 }, in = { 0, 0.0 };
    pen_status status = add_up(run, plan, slots, &send, &out);
    status = pen_sparse_exchange(run->comm, status, &send, &received);
    pen_blocks_free(&send);
    PEN_TRY(status);
    for (int i = 0; i < received.count; i++) {
        const shipment *s = (const shipment *)(const void *)(received.data + received.offsets[i]);
        in.nodes += s->nodes;
        in.load += s->load;
    }
    pen_blocks_free(&received);
    outlook->load = run->balance->loads.total - out.load + in.load;
    double most = (double)(out.nodes > in.nodes ? out.nodes : in.nodes);
    double sums[2] = { (double)out.nodes, outlook->cpu_seconds }, maxima[3] = { outlook->load, most, plan->regardless };
    pen_peers *peers = &run->balance->peers.peers;
    PEN_TRY(peers->reduce(peers, 2, sums, 3, maxima));
    outlook->moved = (int64_t)sums[0];
    outlook->cpu_seconds = sums[1];
    outlook->max = maxima[0];
    outlook->max_moved = (int64_t)maxima[1];
    outlook->regardless = maxima[2] > 0.0;
    return PEN_OK;
}

/* ---- All together --------------------------------------------------------------------------- */

static pen_status ask(pen_run *run, const pen_load_view *view, pen_plan *plan, pen_lid *slots, pen_outlook *outlook)
{
    const pen_chosen_balancer *balancer = &run->balance->balancer;
    pen_mpi_peers peers;
    PEN_TRY(pen_peers_begin(run->comm, &peers));
    pen_status status = balancer->kind->plan(balancer->state, view, &peers.peers, plan);
    if (status == PEN_OK) status = pen_plan_check(plan, view->count, &peers.peers, find_slot, run->store, slots);
    return pen_peers_end(&peers, status, &outlook->cpu_seconds);
}

pen_status pen_plan_make(pen_run *run, double horizon, pen_plan *plan, pen_outlook *outlook)
{
    const pen_store *store = run->store;
    int32_t *owners = NULL;
    pen_lid *slots = NULL;
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
        view.node_bytes = 8 * pen_row_words(&format, 0);
        view.arc_bytes = 8 * (pen_row_words(&format, 1) - pen_row_words(&format, 0));
        status = ask(run, &view, plan, slots, outlook);
        if (store->directed) pen_load_view_free(&view);
    }
    if (status == PEN_OK) status = look_ahead(run, plan, slots, outlook);
    free(owners);
    free(slots);
    if (status != PEN_OK) {
        free(plan->moves);
        *plan = (pen_plan){ .moves = NULL };
    }
    return status;
}
