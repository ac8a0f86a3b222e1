/* report.c - gathers the numbers of a run and its ranks. */
#include "driver/report.h"
#include "base/memory.h"
#include "base/queued.h"
#include "driver/lines.h"
#include "driver/version.h"
#include "observables/until.h"
#include "run/quality.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static pen_status gather_hosts(pen_comm *comm, pen_provenance *p)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", mine[PEN_HOST_NAME];
    int length;
    *p = (pen_provenance){ .ranks = comm->size };
    PEN_MPI(MPI_Get_processor_name(name, &length));
    snprintf(mine, sizeof mine, "%.*s", PEN_HOST_NAME - 1, name);
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? PEN_ALLOC(&p->hosts, comm->size) : PEN_OK));
    PEN_MPI(MPI_Gather(mine, PEN_HOST_NAME, MPI_CHAR, p->hosts, PEN_HOST_NAME, MPI_CHAR, 0, comm->mpi));
    return PEN_OK;
}

static void print_date(json *j)
{
    char text[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    pen_json_member_text(j, "date", text);
}

/* Print the hosts in the order of their first ranks; ranks of a host are mostly consecutive. */
static void print_hosts(const pen_provenance *p, json *j)
{
    pen_json_begin(j, "hosts", '[');
    for (int first = 0; first < p->ranks; first++) {
        int ranks = 0;
        bool known = false;
        for (int r = 0; r < first && !known; r++) known = strcmp(p->hosts[r], p->hosts[first]) == 0;
        if (known) continue;
        for (int r = first; r < p->ranks; r++) ranks += strcmp(p->hosts[r], p->hosts[first]) == 0;
        pen_json_begin(j, NULL, '{');
        pen_json_member_text(j, "name", p->hosts[first]);
        pen_json_member_int(j, "ranks", ranks);
        pen_json_end(j, '}');
    }
    pen_json_end(j, ']');
}

/* Print the command line. It is read from the system, since programs may have their own main. */
static void print_command(json *j)
{
    char *word = NULL;
    size_t size = 0;
    FILE *in = fopen("/proc/self/cmdline", "r");
    if (in) {
        pen_json_begin(j, "command", '[');
        while (getdelim(&word, &size, '\0', in) > 0) pen_json_member_text(j, NULL, word);
        pen_json_end(j, ']');
        fclose(in);
    } else {
        pen_json_member_text(j, "command", NULL);
    }
    free(word);
}

static void print_option(const pen_option *o, json *j)
{
    switch (o->kind) {
    case PEN_OPTION_FLAG: pen_json_member_bool(j, o->name, *(const bool *)o->value); break;
    case PEN_OPTION_INT:
    case PEN_OPTION_WORD: pen_json_member_int(j, o->name, *(const int64_t *)o->value); break;
    case PEN_OPTION_REAL: pen_json_member_real(j, o->name, *(const double *)o->value); break;
    default: pen_json_member_text(j, o->name, *(const char *const *)o->value);
    }
}

void pen_provenance_print(const pen_provenance *p, const pen_run *run, json *j)
{
    pen_json_begin(j, "versions", '{');
    pen_json_member_text(j, "penumbra", pen_version());
    pen_json_member_text(j, "mpi", pen_mpi_version());
    pen_json_member_text(j, "packages", pen_packages());
    pen_json_end(j, '}');
    print_date(j);
    print_hosts(p, j);
    print_command(j);
    pen_json_member_text(j, "graph", run->graph.name);
    pen_json_begin(j, "options", '{');
    for (const pen_option *o = run->app->options; o && o->name; o++)
        if (o->value) print_option(o, j);
    pen_json_end(j, '}');
}

bool pen_report_cut_off(const pen_run *run)
{
    const bool ends = run->app->end.done || run->app->end.quiet || pen_until_text(run);
    return ends && run->end == PEN_END_OPEN && pen_run_is_over(run);
}

bool pen_report_failed(const pen_run *run) { return run->files.unwritten.status != PEN_OK && !pen_run_is_over(run); }

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
        .queued = pen_queued_now() - run->timers.queued,
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
    most->queued = fmax(most->queued, rank->queued);
    most->changes = fmax(most->changes, rank->changes);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) most->seconds[c] = fmax(most->seconds[c], rank->seconds[c]);
}

pen_status pen_report_create(pen_run *run, pen_report *report)
{
    *report = (pen_report){ .has_checksum = pen_has_checksum(run->app) };
    pen_comm *comm = run->comm;
    if (report->has_checksum) PEN_TRY(pen_run_checksum(run, &report->checksum));
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? PEN_ALLOC(&report->ranks, comm->size) : PEN_OK));
    PEN_TRY(gather_hosts(comm, &report->provenance));
    pen_rank_report mine = report_rank(run);
    int bytes = (int)sizeof mine;
    PEN_MPI(MPI_Gather(&mine, bytes, MPI_BYTE, report->ranks, bytes, MPI_BYTE, 0, comm->mpi));
    for (int r = 0; comm->rank == 0 && r < comm->size; r++) add_rank(&report->ranks[r], &report->most);
    report->last = run->partition.quality;
    if (run->store->migrations > 0) PEN_TRY(pen_run_quality(run, &report->last));
    PEN_FOR_PARTS (p, run, gather) PEN_TRY(p->part->gather(run, p->state));
    return PEN_OK;
}

void pen_report_free(pen_report *report)
{
    PEN_FREE_ALL(report->ranks, report->provenance.hosts);
    report->provenance.hosts = NULL;
    report->ranks = NULL;
}
