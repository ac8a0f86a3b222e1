#include "run/apply_change.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "run/inputs.h"
#include "run/loads.h"
#include "run/reach.h"
#include "run/record.h"
#include "run/refusal.h"

#include <stdlib.h>

/* ---- Carrying out ---------------------------------------------------------------------------- */

/* The new store and halo take the places of the old ones; from here on nothing fails. */
static void adopt(pen_run *run, pen_store *store, pen_halo *halo)
{
    pen_halo_swap(&run->halo, &halo);
    pen_halo_destroy(&halo);
    pen_store_destroy(&run->store);
    run->store = store;
    pen_run_bind(run);
    uint64_t reads = pen_run_carried(run, pen_app_reads(run->app));
    if (reads) {
        run->halo->transport->begin(run->halo, reads);
        run->halo->transport->end(run->halo, reads);
    }
    pen_run_flip(run, pen_app_fields(run->app));
}

/* A new node is expected to cost what that one did which asked for it, or the mean. */
static void carry_loads(const pen_run *run, const pen_change *change, double *of)
{
    const double *before = run->loads->of;
    double mean = run->store->owned > 0 ? run->loads->total / run->store->owned : 0.0;
    for (pen_lid slot = 0; slot < change->after->owned; slot++) {
        pen_lid origin = pen_change_origin(change, slot);
        of[slot] = origin >= 0 ? before[origin] : mean;
    }
}

static int64_t note_held(pen_run *run)
{
    const int64_t held = pen_store_memory_used(run->store);
    if (held > run->most_held) run->most_held = held;
    return held;
}

void pen_run_give_back(pen_run *run)
{
    enum { TIMES = 4, LITTLE = 1 << 16 };
    const int64_t held = note_held(run);
    if (run->most_held <= TIMES * held + LITTLE) return;
    pen_return_freed();
    run->most_held = held;
}

pen_status pen_run_carry_out(pen_run *run, pen_change *change)
{
    double *loads = NULL;
    pen_halo *halo = NULL;
    pen_store *after = change->after;
    bool carried = change->rewired;
    (void)note_held(run);
    pen_status status = run->loads ? pen_agree(run->comm, pen_loads_room(after->owned, &loads)) : PEN_OK;
    if (status == PEN_OK) status = pen_halo_build(run->halo, after, &halo);
    if (status == PEN_OK && run->record) status = pen_record_prepare(run, change);
    if (status == PEN_OK) status = pen_change_announce(change);
    if (status != PEN_OK) {
        if (run->record) pen_record_forget(run);
        free(loads);
        pen_halo_destroy(&halo);
        pen_change_undo(change);
        return status;
    }
    if (run->record) pen_record_commit(run);
    run->shipped += change->bytes;
    if (loads && carried) carry_loads(run, change, loads);
    pen_change_commit(change);
    if (loads) pen_loads_moved(run->loads, after, carried, loads);
    pen_reach_destroy(&run->reach);
    adopt(run, after, halo);
    return PEN_OK;
}

/* ---- What nodes ask for ---------------------------------------------------------------------- */

pen_status pen_run_asked(pen_run *run, bool *any)
{
    enum { FAILED = 1, ASKED = 2, NODES = 4, EDGES = 8, UNPLACED = 16 };
    pen_changes *changes = run->changes;
    pen_status status = pen_changes_status(changes);
    if (status == PEN_OK) status = pen_changes_settle(changes);
    int mine = (status != PEN_OK ? FAILED : 0) | (pen_changes_any(changes) ? ASKED : 0) |
               (changes->weighs_nodes ? NODES : 0) | (changes->weighs_edges ? EDGES : 0) |
               (changes->unplaced > 0 ? UNPLACED : 0);
    int all;
    uint64_t start = pen_ticks();
    PEN_MPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, run->comm->mpi));
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

/* What has changed over all ranks: found out before it is carried out, since afterwards nothing may fail. */
static pen_status sum_up(const pen_run *run, pen_change_counts *counts)
{
    int64_t sums[] = { counts->added, counts->removed, counts->arcs_added, counts->arcs_removed };
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, PEN_COUNT_OF(sums), MPI_INT64_T, MPI_SUM, run->comm->mpi));
    *counts = (pen_change_counts){ sums[0], sums[1], sums[2], sums[3] };
    return PEN_OK;
}

static void note_changes(pen_run *run, const pen_change_counts *now)
{
    const int64_t ends = run->store->directed ? 1 : 2;
    pen_run_changed *all = &run->changed;
    run->nodes += now->added - now->removed;
    run->edges += (now->arcs_added - now->arcs_removed) / ends;
    all->with_changes++;
    all->added += now->added;
    all->removed += now->removed;
    all->edges_added += now->arcs_added / ends;
    all->edges_removed += now->arcs_removed / ends;
}

static pen_status rewire(pen_run *run)
{
    pen_change change;
    if (run->verifies && !run->origin) PEN_TRY(pen_run_graph(run, &run->origin));
    PEN_TRY(pen_change_requests(run->store, PEN_OK, run->changes, &change));
    pen_change_counts counts = change.counts;
    const bool loses = run->store->dimensions > 0 && change.unplaced;
    pen_status status = sum_up(run, &counts);
    if (status != PEN_OK) {
        pen_change_undo(&change);
        return status;
    }
    PEN_TRY(pen_run_carry_out(run, &change));
    note_changes(run, &counts);
    if (loses && run->comm->rank == 0)
        pen_warn("%s, step %" PRId64 ": nodes are added without coordinates, so that no node has any from now on "
                 "(pen_set_coordinates)",
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
    pen_changes_clear(run->changes);
    pen_run_give_back(run);
    uint64_t end = pen_ticks();
    run->changed.ticks += end - start;
    run->timers.ticks[PEN_TIME_COMMUNICATION_OVERHEAD] += end - start;
    pen_trace_span(run->trace, "change", "change", run->step, start, end);
    return status;
}

static pen_status prepare_call(pen_run *run, bool asks)
{
    PEN_ARGUMENT(asks, "%s: pen_run_change without a function", run->app->name);
    if (run->changes) return PEN_OK;
    return pen_inputs_changes(run->app, run->store->field_count, run->store->sizes, &run->changes);
}

static void ask_once(pen_run *run, void (*ask)(pen_changes *changes, void *context), void *context)
{
    PEN_INSIDE("pen_run_change");
    ask(run->changes, context);
}

pen_status pen_run_change(pen_run *run, void (*ask)(pen_changes *changes, void *context), void *context)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_change");
    PEN_TRY(pen_run_ready(run, "pen_run_change"));
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no change within a step", run->app->name);
    bool any = false;
    PEN_TRY(pen_agree(run->comm, prepare_call(run, ask != NULL)));
    pen_changes_begin(run->changes, pen_store_dimensions(run->store));
    pen_changes_by(run->changes, PEN_NOBODY_ASKS, run->comm->rank);
    ask_once(run, ask, context);
    PEN_TRY(pen_run_asked(run, &any));
    if (!any) return PEN_OK;
    PEN_TRY(pen_run_rewire(run, 0));
    run->put = true;
    return PEN_OK;
}

int64_t pen_run_nodes(const pen_run *run) { return run ? run->nodes : 0; }
int64_t pen_run_edges(const pen_run *run) { return run ? run->edges : 0; }
