/* apply_change.c - moves nodes, and carries out requests for changes of the graph. */
#include "run/apply_change.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "graph/validate.h"
#include "input/files.h"
#include "observe/trace.h"
#include "run/observables.h"
#include "run/parts.h"
#include "run/reach.h"
#include "run/refuse.h"

/* The new store and halo take the places of the old ones; from here on nothing fails. The new store has its records in
 * the next planes, where the pull puts the shadows; then these planes become the current ones. */
static void adopt(pen_run *run, pen_store *store, pen_halo *halo)
{
    pen_halo_swap(&run->halo, &halo);
    pen_halo_destroy(&halo);
    pen_store_destroy(&run->store);
    run->store = store;
    pen_run_bind(run);
    run->renewed++;
    uint64_t reads = pen_run_carried(run, pen_app_reads(run->app));
    if (reads) {
        run->halo->transport->begin(run->halo, reads);
        run->halo->transport->end(run->halo, reads);
    }
    pen_run_flip(run, pen_app_fields(run->app));
}

static int64_t note_held(pen_run *run)
{
    const int64_t held = pen_store_memory_used(run->store);
    if (held > run->changed.most_held) run->changed.most_held = held;
    return held;
}

/* Local, after a change, when its memory has been freed. The C library keeps freed memory between blocks that are in
 * use. This returns it to the system if this rank's store has shrunk to less than a quarter since the last time. */
static void give_back(pen_run *run)
{
    enum { TIMES = 4, LITTLE = 1 << 16 };
    const int64_t held = note_held(run);
    if (run->changed.most_held <= TIMES * held + LITTLE) return;
    pen_return_freed();
    run->changed.most_held = held;
}

/* Collective. Carry out a prepared change, and update all that depends on the store. On failure, the same on all ranks,
 * nothing has changed. Errors: as pen_halo_build and pen_change_announce. */
static pen_status carry_out(pen_run *run, pen_change *change)
{
    pen_halo *halo = NULL;
    pen_store *after = change->after;
    (void)note_held(run);
    pen_status status = pen_halo_build(run->halo, after, &halo);
    PEN_FOR_PARTS (p, run, prepare_change)
        if (status == PEN_OK) status = p->part->prepare_change(run, p->state, change);
    if (status == PEN_OK) status = pen_change_announce(change);
    if (status != PEN_OK) {
        PEN_FOR_PARTS (p, run, undo_change) p->part->undo_change(run, p->state);
        pen_halo_destroy(&halo);
        pen_change_undo(change);
        return status;
    }
    pen_change_carry(change);
    pen_parts_take(run);
    PEN_FOR_PARTS (p, run, commit_change) p->part->commit_change(run, p->state, change);
    run->changed.shipped += change->bytes;
    pen_change_commit(change);
    pen_reach_destroy(&run->reach);
    adopt(run, after, halo);
    return PEN_OK;
}

pen_status pen_run_migrate(pen_run *run, pen_status mine, int64_t count, const pen_move *moves)
{
    pen_change change;
    PEN_FOR_PARTS (p, run, before_moves) p->part->before_moves(run, p->state);
    pen_parts_describe(run);
    PEN_TRY(pen_change_moves(run->store, mine, count, moves, &change));
    if (!change.after) return PEN_OK; /* no node moves */
    PEN_TRY(carry_out(run, &change));
    give_back(run);
    return PEN_OK;
}

static pen_status set_defaults(const pen_app *app, pen_changes *changes)
{
    size_t edge_bytes = 0;
    for (int e = 0; e < app->edge_fields.count; e++) edge_bytes += app->edge_fields.list[e].size;
    for (int c = 0; c < app->inputs.count; c++) {
        const int field = pen_app_permanent_field(app, c), edge_field = pen_app_permanent_edge_field(app, c);
        const double otherwise = pen_input_otherwise(&app->inputs.list[c]);
        size_t at = 0;
        for (int e = 0; e < edge_field; e++) at += app->edge_fields.list[e].size;
        if (field >= 0) PEN_TRY(pen_changes_begin_with(changes, field, &otherwise, sizeof otherwise));
        if (edge_field >= 0)
            PEN_TRY(pen_changes_begin_arcs_with(changes, edge_bytes, at, &otherwise, sizeof otherwise));
    }
    return PEN_OK;
}

pen_status pen_app_changes(const pen_app *app, int field_count, const size_t *sizes, pen_changes **changes)
{
    PEN_TRY(pen_changes_create(field_count, sizes, changes));
    const pen_status status = set_defaults(app, *changes);
    if (status != PEN_OK) pen_changes_destroy(changes);
    return status;
}

/* ---- Requests of nodes ----------------------------------------------------------------------- */

pen_status pen_run_asked(pen_run *run, bool *any)
{
    enum { FAILED = 1, ASKED = 2, NODES = 4, EDGES = 8, UNPLACED = 16 };
    pen_changes *changes = run->changed.requests;
    pen_status status = pen_changes_status(changes);
    if (status == PEN_OK) status = pen_changes_settle(changes);
    int mine = (status != PEN_OK ? FAILED : 0) | (pen_changes_any(changes) ? ASKED : 0) |
               (changes->weighs_nodes ? NODES : 0) | (changes->weighs_edges ? EDGES : 0) |
               (changes->unplaced > 0 ? UNPLACED : 0);
    int all;
    uint64_t start = pen_ticks();
    PEN_TRY(pen_all_reduce(run->comm, &mine, &all, 1, MPI_INT, MPI_BOR));
    run->timers.ticks[PEN_TIME_COMMUNICATE] += pen_ticks() - start;
    if (all & FAILED) {
        status = pen_run_refused(run, pen_agree(run->comm, status));
        pen_changes_clear(changes);
        return status;
    }
    *any = all & ASKED;
    changes->weighs_nodes = all & NODES;
    changes->weighs_edges = all & EDGES;
    changes->unplaced = all & UNPLACED;
    return PEN_OK;
}

/* Count the changes over all ranks before they are carried out, since nothing may fail afterwards. */
static pen_status sum_up(const pen_run *run, pen_change_counts *counts)
{
    int64_t sums[] = { counts->added, counts->removed, counts->arcs_added, counts->arcs_removed };
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, sums, PEN_COUNT_OF(sums), MPI_INT64_T, MPI_SUM));
    *counts = (pen_change_counts){ sums[0], sums[1], sums[2], sums[3] };
    return PEN_OK;
}

/* Refuse sums of weights with which a checkpoint could not be read. Weights that are all 1 do not get there. */
static pen_status check_weights(const pen_run *run, const pen_store *after)
{
    if (!after->node_weights && !after->edge_weights) return PEN_OK; /* so it is on all ranks, or on none */
    const pen_status status = pen_weights_check(run->comm,
                                                pen_weights_sum(after->node_weights,
                                                                after->node_weights ? after->owned : 0),
                                                pen_weights_sum(after->edge_weights,
                                                                after->edge_weights ? after->rows[after->owned] : 0));
    return status == PEN_ERR_INPUT ? pen_fail(PEN_ERR_ARGUMENT, "%s", pen_error_message()) : status;
}

static void note_changes(pen_run *run, const pen_change_counts *now)
{
    const int64_t ends = run->store->directed ? 1 : 2; /* number of arcs that are an edge */
    pen_run_changed *all = &run->changed;
    run->graph.nodes += now->added - now->removed;
    run->graph.edges += (now->arcs_added - now->arcs_removed) / ends;
    all->with_changes++;
    all->added += now->added;
    all->removed += now->removed;
    all->edges_added += now->arcs_added / ends;
    all->edges_removed += now->arcs_removed / ends;
}

/* Collective. Carry out the requests, with the records of the phase as the current ones. On failure nothing has
 * changed. */
static pen_status rewire(pen_run *run)
{
    pen_change change;
    if (run->graph.verifies && !run->graph.first) PEN_TRY(pen_run_graph(run, &run->graph.first));
    pen_parts_describe(run);
    PEN_TRY(pen_change_requests(run->store, PEN_OK, run->changed.requests, &change));
    pen_change_counts counts = change.counts;
    const bool loses = pen_store_dimensions(run->store) > 0 && change.unplaced;
    pen_status status = sum_up(run, &counts);
    if (status == PEN_OK) status = check_weights(run, change.after);
    if (status != PEN_OK) {
        pen_change_undo(&change);
        return status;
    }
    PEN_TRY(carry_out(run, &change));
    note_changes(run, &counts);
    if (loses && run->comm->rank == 0)
        pen_warn("%s, step %" PRId64 ": nodes are added without coordinates, so that no node has any from now on "
                 "(in C, pen_set_coordinates gives them some)",
                 run->app->name, run->step + 1);
    return PEN_OK;
}

pen_status pen_run_rewire(pen_run *run, uint64_t writes)
{
    uint64_t start = pen_ticks();
    pen_run_flip(run, writes);
    pen_status status = rewire(run);
    if (status != PEN_OK) pen_run_flip(run, writes);
    status = pen_run_refused(run, status);
    pen_changes_clear(run->changed.requests);
    give_back(run);
    uint64_t end = pen_ticks();
    run->changed.ticks += end - start;
    run->timers.ticks[PEN_TIME_COMMUNICATION_OVERHEAD] += end - start;
    pen_trace_span(run->timers.trace, "change", "change", run->step, start, end);
    return status;
}

static pen_status prepare_call(pen_run *run, bool asks)
{
    PEN_ARGUMENT(asks, "%s: pen_run_change without a function", run->app->name);
    if (run->changed.requests) return PEN_OK;
    return pen_app_changes(run->app, run->store->field_count, run->store->sizes, &run->changed.requests);
}

pen_status pen_run_change(pen_run *run, void (*ask)(pen_changes *changes, void *context), void *context)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_change");
    PEN_TRY(pen_run_ready(run, "pen_run_change"));
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no change within a step", run->app->name);
    bool any = false;
    PEN_TRY(pen_agree(run->comm, prepare_call(run, ask != NULL)));
    pen_changes_begin(run->changed.requests, pen_store_dimensions(run->store));
    pen_changes_by(run->changed.requests, PEN_NOBODY_ASKS, run->comm->rank);
    {
        PEN_INSIDE("pen_run_change");
        ask(run->changed.requests, context);
    }
    PEN_TRY(pen_run_asked(run, &any));
    if (!any) return PEN_OK;
    PEN_TRY(pen_run_rewire(run, 0));
    run->changed.put = true;
    return run->step == 0 ? pen_observables_of_start(run) : PEN_OK;
}

int64_t pen_run_nodes(const pen_run *run) { return run ? run->graph.nodes : 0; }
int64_t pen_run_edges(const pen_run *run) { return run ? run->graph.edges : 0; }
