#include "driver/report.h"
#include "base/memory.h"
#include "driver/lines.h"
#include "run/balance.h"
#include "run/loads.h"

#include <math.h>

bool pen_report_cut_off(const pen_run *run)
{
    const bool ends = run->app->done || run->until.text;
    return ends && run->end == PEN_END_OPEN && pen_run_is_over(run);
}

static pen_rank_report report_rank(const pen_run *run)
{
    pen_rank_report mine = {
        .rank = run->comm->rank,
        .owned = run->store->owned,
        .boundary = run->store->boundary,
        .shadows = run->store->shadows,
        .neighbors = run->halo->neighbor_count,
        .gets = run->halo->gets,
        .bytes = run->halo->bytes,
        .syncs = run->halo->syncs,
        .far_gets = run->halo->far_gets,
        .far_bytes = run->halo->far_bytes,
        .order = run->store->ordering.is,
        .span_before = run->store->ordering.natural.span,
        .span_after = run->store->ordering.now.span,
        .total = pen_seconds_now() - run->timers.begun,
        .init = run->timers.init,
        .loop = run->timers.loop,
    };
    double scale = pen_timers_scale(&run->timers);
    mine.changes = scale * (double)run->changed.ticks;
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) mine.seconds[c] = scale * (double)run->timers.ticks[c];
    return mine;
}

static void add_rank(const pen_rank_report *rank, pen_rank_report *most)
{
    most->gets += rank->gets;
    most->bytes += rank->bytes;
    most->syncs += rank->syncs;
    most->far_gets += rank->far_gets;
    most->far_bytes += rank->far_bytes;
    most->total = fmax(most->total, rank->total);
    most->init = fmax(most->init, rank->init);
    most->loop = fmax(most->loop, rank->loop);
    most->changes = fmax(most->changes, rank->changes);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) most->seconds[c] = fmax(most->seconds[c], rank->seconds[c]);
}

static pen_work_report report_work(const pen_steer *steer, int ranks)
{
    double ideal = steer->total / ranks / (steer->speed > 0.0 ? steer->speed : 1.0);
    return (pen_work_report){ steer->total, steer->makespan, ideal,
                              steer->makespan > 0.0 ? ideal / steer->makespan : 1.0 };
}

static pen_status allocate(const pen_run *run, pen_report *report)
{
    if (run->comm->rank > 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&report->ranks, run->comm->size));
    return PEN_ALLOC(&report->loads, (int64_t)run->comm->size * run->history.count);
}

/* Collective. */
static pen_status gather_loads(const pen_run *run, pen_report *report)
{
    double mine[PEN_HISTORY], scale = report->declared ? 1.0 : pen_timers_scale(&run->timers);
    int count = run->history.count;
    for (int i = 0; i < count; i++) mine[i] = scale * run->history.means[i];
    PEN_MPI(MPI_Gather(mine, count, MPI_DOUBLE, report->loads, count, MPI_DOUBLE, 0, run->comm->mpi));
    return PEN_OK;
}

pen_status pen_report_create(pen_run *run, pen_report *report)
{
    *report = (pen_report){ .has_checksum = pen_has_checksum(run->app),
                            .declared = run->loads && run->loads->declared };
    pen_comm *comm = run->comm;
    if (report->declared) report->work = report_work(&run->balance->steer, comm->size);
    if (report->has_checksum) PEN_TRY(pen_run_checksum(run, &report->checksum));
    PEN_TRY(pen_agree(comm, allocate(run, report)));
    PEN_TRY(gather_loads(run, report));
    PEN_TRY(pen_provenance_gather(comm, &report->provenance));
    pen_rank_report mine = report_rank(run);
    int bytes = (int)sizeof mine;
    PEN_MPI(MPI_Gather(&mine, bytes, MPI_BYTE, report->ranks, bytes, MPI_BYTE, 0, comm->mpi));
    for (int r = 0; comm->rank == 0 && r < comm->size; r++) add_rank(&report->ranks[r], &report->most);
    return PEN_OK;
}

void pen_report_free(pen_report *report)
{
    PEN_FREE_ALL(report->ranks, report->loads);
    pen_provenance_free(&report->provenance);
    report->ranks = NULL;
    report->loads = NULL;
}
