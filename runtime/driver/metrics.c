#include "driver/metrics.h"
#include "base/memory.h"
#include "base/output.h"
#include "observe/json.h"
#include "run/balance.h"

#include <stdlib.h>

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
        .init = run->timers.init,
        .loop = run->timers.loop,
    };
    double scale = pen_timers_scale(&run->timers);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) mine.seconds[c] = scale * (double)run->timers.ticks[c];
    return mine;
}

static bool declares(const pen_run *run) { return run->balance && run->balance->loads.declared; }

static pen_status allocate(const pen_run *run, pen_report *report)
{
    if (run->comm->rank > 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&report->ranks, run->comm->size));
    return PEN_ALLOC(&report->loads, (int64_t)run->comm->size * run->history.count);
}

/* Collective. */
static pen_status gather_loads(const pen_run *run, pen_report *report)
{
    double mine[PEN_HISTORY], scale = declares(run) ? 1.0 : pen_timers_scale(&run->timers);
    int count = run->history.count;
    for (int i = 0; i < count; i++) mine[i] = scale * run->history.means[i];
    PEN_MPI(MPI_Gather(mine, count, MPI_DOUBLE, report->loads, count, MPI_DOUBLE, 0, run->comm->mpi));
    return PEN_OK;
}

pen_status pen_report_create(pen_run *run, pen_report *report)
{
    *report = (pen_report){ .has_checksum = run->app->print != NULL };
    pen_comm *comm = run->comm;
    if (report->has_checksum) PEN_TRY(pen_run_checksum(run, &report->checksum));
    PEN_TRY(pen_agree(comm, allocate(run, report)));
    PEN_TRY(gather_loads(run, report));
    pen_rank_report mine = report_rank(run), *most = &report->most;
    int bytes = (int)sizeof mine;
    PEN_MPI(MPI_Gather(&mine, bytes, MPI_BYTE, report->ranks, bytes, MPI_BYTE, 0, comm->mpi));
    double times[PEN_TIME_CATEGORIES + 2];
    memcpy(times, mine.seconds, sizeof mine.seconds);
    times[PEN_TIME_CATEGORIES] = mine.init;
    times[PEN_TIME_CATEGORIES + 1] = mine.loop;
    int64_t sums[5] = { mine.gets, mine.bytes, mine.syncs, mine.far_gets, mine.far_bytes };
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, times, PEN_TIME_CATEGORIES + 2, MPI_DOUBLE, MPI_MAX, comm->mpi));
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 5, MPI_INT64_T, MPI_SUM, comm->mpi));
    memcpy(most->seconds, times, sizeof most->seconds);
    most->init = times[PEN_TIME_CATEGORIES];
    most->loop = times[PEN_TIME_CATEGORIES + 1];
    most->gets = sums[0];
    most->bytes = sums[1];
    most->syncs = sums[2];
    most->far_gets = sums[3];
    most->far_bytes = sums[4];
    return PEN_OK;
}

void pen_report_free(pen_report *report)
{
    free(report->ranks);
    free(report->loads);
    report->ranks = NULL;
    report->loads = NULL;
}

/* ---- For a person --------------------------------------------------------------------------- */

/* Lines of a table that nobody reads to the end; the metrics have all. */
enum { MOST_LINES = 20 };

static void print_balance(const pen_run *run, FILE *out)
{
    const pen_balance *b = run->balance;
    int64_t applied = 0, nodes = 0, bytes = 0;
    double seconds = 0.0, cpu_seconds = 0.0;
    for (int64_t i = 0; i < b->call_count; i++) {
        applied += b->calls[i].applied;
        nodes += b->calls[i].moved_nodes;
        bytes += b->calls[i].moved_bytes;
        seconds += b->calls[i].seconds;
        cpu_seconds += b->calls[i].cpu_seconds;
    }
    if (b->balancer.kind)
        fprintf(out,
                "balancing   --balancer=%s: %" PRId64 " call%s, %" PRId64 " applied, %" PRId64 " nodes and %" PRId64
                " bytes moved, %.6f s (the algorithm: %.6f s of processor time)\n",
                b->name, b->call_count, b->call_count == 1 ? "" : "s", applied, nodes, bytes, seconds, cpu_seconds);
    if (b->call_count > 0)
        fprintf(out, "    %8s %9s %9s %8s %12s %12s %10s %12s %10s\n", "step", "imbalance", "after", "bound", "cut",
                "after", "nodes", "bytes", "seconds");
    for (int64_t i = 0; i < b->call_count && i < MOST_LINES; i++) {
        const pen_balance_call *c = &b->calls[i];
        fprintf(out, "    %8" PRId64 " %9.4f", c->step, c->imbalance_before);
        if (c->applied)
            fprintf(out, " %9.4f %8.4f %12" PRId64 " %12" PRId64 " %10" PRId64 " %12" PRId64 " %10.6f\n",
                    c->imbalance_after, c->bound, c->cut_before, c->cut_after, c->moved_nodes, c->moved_bytes,
                    c->seconds);
        else
            fprintf(out, " %9s %8.4f %12" PRId64 " %12s %10s %12s %10.6f\n", "kept", c->bound, c->cut_before, "", "",
                    "", c->seconds);
    }
    if (b->call_count > MOST_LINES) fprintf(out, "    ... and %" PRId64 " more\n", b->call_count - MOST_LINES);
    if (declares(run))
        fprintf(out, "work        total %.6g, makespan %.6g, ideal %.6g, efficiency %.4f\n", b->total, b->makespan,
                b->total / run->comm->size, b->makespan > 0.0 ? b->total / run->comm->size / b->makespan : 1.0);
}

void pen_report_print(const pen_run *run, const pen_report *report, FILE *out)
{
    const pen_rank_report *most = &report->most;
    const pen_quality *quality = &run->quality;
    fprintf(out, "%s: %" PRId64 " nodes, %" PRId64 " edges, %" PRId64 " steps, %d rank%s, --comm=%s --partitioner=%s\n",
            run->app->name, run->nodes, run->edges, run->step, run->comm->size, run->comm->size == 1 ? "" : "s",
            run->halo->transport->name, run->partitioner);
    fprintf(out, "partition   cut %" PRId64, quality->cut);
    if (quality->dilation >= 0) fprintf(out, ", dilation cost %" PRId64, quality->dilation);
    fprintf(out, ", imbalance %.4f (bound %.4f), most shadows %" PRId64 ", extra pieces %" PRId64 "\n",
            quality->imbalance, quality->bound, quality->max_volume, quality->pieces);
    if (run->balance) print_balance(run, out);
    static const char *const names[PEN_TIME_CATEGORIES] = { "computation", "computation overhead", "communication",
                                                            "communication overhead", "load balancing" };
    fprintf(out, "seconds     maximum over ranks\n    %-24s %12.6f\n", "initialisation", most->init);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) fprintf(out, "    %-24s %12.6f\n", names[c], most->seconds[c]);
    fprintf(out, "    %-24s %12.6f\n", "all steps", most->loop);
    if (report->has_checksum) fprintf(out, "checksum    %016" PRIx64 "\n", report->checksum);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_seconds(FILE *out, const pen_rank_report *r)
{
    static const char *const keys[PEN_TIME_CATEGORIES] = { "compute", "compute_overhead", "communicate",
                                                           "communication_overhead", "balance" };
    fprintf(out, "{\"total\": %.9f, \"init\": %.9f, \"loop\": %.9f", r->init + r->loop, r->init, r->loop);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) fprintf(out, ", \"%s\": %.9f", keys[c], r->seconds[c]);
    fputc('}', out);
}

static void json_halo(FILE *out, const pen_run *run, const pen_report *report)
{
    double steps = run->step ? (double)run->step : 1.0;
    fprintf(out,
            "  \"halo\": {\"gets_per_step\": %.17g, \"bytes_per_step\": %.17g, \"syncs_per_step\": %.17g, "
            "\"far_gets_per_step\": %.17g, \"far_bytes_per_step\": %.17g, \"fields\": {",
            (double)report->most.gets / steps, (double)report->most.bytes / steps, (double)report->most.syncs / steps,
            (double)report->most.far_gets / steps, (double)report->most.far_bytes / steps);
    int64_t shadows = 0;
    for (int r = 0; r < run->comm->size; r++) shadows += report->ranks[r].shadows;
    for (int f = 0; f < run->app->field_count; f++) {
        int64_t pulls = 0;
        for (int p = 0; p < run->app->phase_count; p++) pulls += (int64_t)(run->phases[p].pull >> f & 1);
        fprintf(out, "%s", f ? ", " : "");
        pen_json_text(out, run->app->fields[f].name);
        fprintf(out, ": %" PRId64, pulls * shadows * (int64_t)run->app->fields[f].size);
    }
    fputs("}},\n", out);
}

static void json_observables(FILE *out, const pen_run *run)
{
    fputs("  \"observables\": {", out);
    for (int i = 0; i < run->app->observable_count; i++) {
        fprintf(out, "%s", i ? ",\n    " : "\n    ");
        pen_json_text(out, run->app->observables[i].name);
        fputs(": [", out);
        for (int64_t s = 0; s < run->series.steps; s++) {
            int64_t at = s * run->app->observable_count + i;
            fprintf(out, "%s", s ? ", " : "");
            if (pen_observable_is_int(run->app->observables[i].kind))
                fprintf(out, "%" PRId64, run->series.ints[at]);
            else
                pen_json_real(out, run->series.reals[at]);
        }
        fputc(']', out);
    }
    fprintf(out, "%s},\n", run->app->observable_count ? "\n  " : "");
}

static void json_balance(FILE *out, const pen_run *run)
{
    const pen_balance *b = run->balance;
    if (declares(run))
        fprintf(out, "  \"work\": {\"total\": %.17g, \"makespan\": %.17g, \"ideal\": %.17g, \"efficiency\": %.17g},\n",
                b->total, b->makespan, b->total / run->comm->size,
                b->makespan > 0.0 ? b->total / run->comm->size / b->makespan : 1.0);
    else
        fputs("  \"work\": null,\n", out);
    fputs("  \"balance_calls\": [", out);
    for (int64_t i = 0; b && i < b->call_count; i++) {
        const pen_balance_call *c = &b->calls[i];
        fprintf(out,
                "%s\n    {\"step\": %" PRId64
                ", \"applied\": %s, \"imbalance_before\": %.17g, \"imbalance_after\": %.17g, "
                "\"bound\": %.17g, \"cut_before\": %" PRId64 ", \"cut_after\": %" PRId64 ", \"moved_nodes\": %" PRId64
                ", \"moved_bytes\": %" PRId64 ", \"max_moved\": %" PRId64 ", \"pieces\": %" PRId64
                ", \"rounds\": %d, \"seconds\": %.9f, \"cpu_seconds\": %.9f}",
                i ? "," : "", c->step, c->applied ? "true" : "false", c->imbalance_before, c->imbalance_after, c->bound,
                c->cut_before, c->cut_after, c->moved_nodes, c->moved_bytes, c->max_moved, c->pieces, c->rounds,
                c->seconds, c->cpu_seconds);
    }
    fputs("]\n", out);
}

/* Loads of the ranks over the steps, as means over `stride` of them. */
static void json_history(FILE *out, const pen_run *run, const pen_report *report)
{
    int count = run->history.count;
    fprintf(out, "  \"history\": {\"stride\": %" PRId64 ", \"unit\": \"%s\", \"loads\": [", run->history.stride,
            declares(run) ? "units" : "seconds");
    for (int r = 0; r < run->comm->size; r++) {
        fprintf(out, "%s\n    [", r ? "," : "");
        for (int i = 0; i < count; i++) fprintf(out, "%s%.6g", i ? ", " : "", report->loads[(int64_t)r * count + i]);
        fputc(']', out);
    }
    fputs("]},\n", out);
}

static void json_run(FILE *out, const pen_run *run, const pen_report *report)
{
    const pen_quality *quality = &run->quality;
    fputs("{\n  \"schema\": \"penumbra-metrics/1\",\n  \"app\": ", out);
    pen_json_text(out, run->app->name);
    fprintf(out,
            ",\n  \"ranks\": %d,\n  \"nodes\": %" PRId64 ",\n  \"edges\": %" PRId64 ",\n  \"steps\": %" PRId64 ",\n",
            run->comm->size, run->nodes, run->edges, run->step);
    fprintf(out, "  \"comm\": \"%s\",\n  \"partitioner\": ", run->halo->transport->name);
    pen_json_text(out, run->partitioner);
    fputs(",\n  \"balancer\": ", out);
    pen_json_text(out, run->balance ? run->balance->name : "none");
    fputs(",\n", out);
    if (report->has_checksum)
        fprintf(out, "  \"checksum\": \"%016" PRIx64 "\",\n", report->checksum);
    else
        fputs("  \"checksum\": null,\n", out);
    fputs("  \"seconds\": ", out);
    json_seconds(out, &report->most);
    fputs(",\n  \"per_rank\": [", out);
    for (int r = 0; r < run->comm->size; r++) {
        const pen_rank_report *rank = &report->ranks[r];
        fprintf(out,
                "%s\n    {\"rank\": %" PRId64 ", \"owned\": %" PRId64 ", \"boundary\": %" PRId64
                ", \"shadows\": %" PRId64 ", \"neighbors\": %" PRId64 ", \"seconds\": ",
                r ? "," : "", rank->rank, rank->owned, rank->boundary, rank->shadows, rank->neighbors);
        json_seconds(out, rank);
        fputc('}', out);
    }
    fputs("\n  ],\n", out);
    json_halo(out, run, report);
    fprintf(out, "  \"partition\": {\"cut\": %" PRId64, quality->cut);
    if (quality->dilation >= 0) fprintf(out, ", \"dilation\": %" PRId64, quality->dilation);
    fprintf(out, ", \"imbalance\": %.17g, \"bound\": %.17g, \"max_volume\": %" PRId64 ", \"pieces\": %" PRId64 "},\n",
            quality->imbalance, quality->bound, quality->max_volume, quality->pieces);
    json_observables(out, run);
    json_history(out, run, report);
    json_balance(out, run);
    fputs("}\n", out);
}

pen_status pen_report_write(pen_run *run, const pen_report *report, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    pen_status status = PEN_OK;
    if (run->comm->rank == 0) {
        FILE *out = open_memstream(&text, &size);
        if (out) json_run(out, run, report);
        if (!out || fclose(out) != 0) status = pen_fail(PEN_ERR_MEMORY, "out of memory for the metrics");
    }
    status = pen_output_text(run->comm, path, text, size, status);
    free(text);
    return status;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void csv_observables(FILE *out, const pen_run *run)
{
    const pen_app *app = run->app;
    fputs("step", out);
    for (int i = 0; i < app->observable_count; i++) fprintf(out, ",%s", app->observables[i].name);
    fputc('\n', out);
    for (int64_t s = 0; s < run->series.steps; s++) {
        fprintf(out, "%" PRId64, s + 1);
        for (int i = 0; i < app->observable_count; i++) {
            int64_t at = s * app->observable_count + i;
            if (pen_observable_is_int(app->observables[i].kind))
                fprintf(out, ",%" PRId64, run->series.ints[at]);
            else
                fprintf(out, ",%.17g", run->series.reals[at]);
        }
        fputc('\n', out);
    }
}

pen_status pen_report_observables(pen_run *run, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    pen_status status = PEN_OK;
    if (run->comm->rank == 0) {
        FILE *out = open_memstream(&text, &size);
        if (out) csv_observables(out, run);
        if (!out || fclose(out) != 0) status = pen_fail(PEN_ERR_MEMORY, "out of memory for the observables");
    }
    status = pen_output_text(run->comm, path, text, size, status);
    free(text);
    return status;
}

pen_status pen_run_metrics(pen_run *run, const char *path)
{
    pen_report report;
    pen_status status = pen_report_create(run, &report);
    if (status == PEN_OK) status = pen_report_write(run, &report, path);
    pen_report_free(&report);
    return status;
}
