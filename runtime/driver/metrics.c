/* metrics.c - what a run says to programs: the metrics as JSON, the observables of all steps as CSV. */
#include "base/output.h"
#include "driver/report.h"
#include "observe/json.h"
#include "run/balance.h"

#include <stdlib.h>

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
        for (int p = 0; p < run->app->phase_count; p++) pulls += (int64_t)(run->traits[p].pull >> f & 1);
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
            if (pen_observable_is_int(run->app->observables[i].kind)) fprintf(out, "%" PRId64, run->series.ints[at]);
            else pen_json_real(out, run->series.reals[at]);
        }
        fputc(']', out);
    }
    fprintf(out, "%s},\n", run->app->observable_count ? "\n  " : "");
}

static void json_balance(FILE *out, const pen_run *run, const pen_report *report)
{
    const pen_balance *b = run->balance;
    const pen_work_report *work = &report->work;
    if (report->declared)
        fprintf(out, "  \"work\": {\"total\": %.17g, \"makespan\": %.17g, \"ideal\": %.17g, \"efficiency\": %.17g},\n",
                work->total, work->makespan, work->ideal, work->efficiency);
    else fputs("  \"work\": null,\n", out);
    fputs("  \"balance_calls\": [", out);
    int64_t calls = b ? b->steer.call_count : 0;
    for (int64_t i = 0; i < calls; i++) {
        const pen_balance_call *c = &b->steer.calls[i];
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
            report->declared ? "units" : "seconds");
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
    if (report->has_checksum) fprintf(out, "  \"checksum\": \"%016" PRIx64 "\",\n", report->checksum);
    else fputs("  \"checksum\": null,\n", out);
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
    if (run->dilation >= 0) fprintf(out, ", \"dilation\": %" PRId64, run->dilation);
    fprintf(out, ", \"imbalance\": %.17g, \"bound\": %.17g, \"max_volume\": %" PRId64 ", \"pieces\": %" PRId64 "},\n",
            quality->imbalance, quality->bound, quality->max_volume, quality->pieces);
    json_observables(out, run);
    json_history(out, run, report);
    json_balance(out, run, report);
    fputs("}\n", out);
}

static void csv_observables(FILE *out, const pen_run *run, const pen_report *report)
{
    const pen_app *app = run->app;
    (void)report;
    fputs("step", out);
    for (int i = 0; i < app->observable_count; i++) fprintf(out, ",%s", app->observables[i].name);
    fputc('\n', out);
    for (int64_t s = 0; s < run->series.steps; s++) {
        fprintf(out, "%" PRId64, s + 1);
        for (int i = 0; i < app->observable_count; i++) {
            int64_t at = s * app->observable_count + i;
            if (pen_observable_is_int(app->observables[i].kind)) fprintf(out, ",%" PRId64, run->series.ints[at]);
            else fprintf(out, ",%.17g", run->series.reals[at]);
        }
        fputc('\n', out);
    }
}

/* Collective. Write what rank 0 prints. */
static pen_status write_file(pen_run *run, const pen_report *report, const char *path,
                             void (*print)(FILE *out, const pen_run *run, const pen_report *report))
{
    char *text = NULL;
    size_t size = 0;
    pen_status status = PEN_OK;
    if (run->comm->rank == 0) {
        FILE *out = open_memstream(&text, &size);
        if (out) print(out, run, report);
        if (!out || fclose(out) != 0) status = pen_fail(PEN_ERR_MEMORY, "%s: out of memory", path);
    }
    status = pen_output_text(run->comm, path, text, size, status);
    free(text);
    return status;
}

pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path)
{
    return write_file(run, report, path, json_run);
}

pen_status pen_observables_write(pen_run *run, const char *path)
{
    return write_file(run, NULL, path, csv_observables);
}

pen_status pen_run_metrics(pen_run *run, const char *path)
{
    pen_report report;
    pen_status status = pen_report_create(run, &report);
    if (status == PEN_OK) status = pen_metrics_write(run, &report, path);
    pen_report_free(&report);
    return status;
}
