/* metrics.c - writes the metrics of a run as JSON. */
#include "balancing/balance.h"
#include "base/json.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "base/output.h"
#include "driver/report.h"
#include "loop/parts.h"
#include "observables/until.h"
#include "store/ordering.h"

#include <math.h>
#include <stdlib.h>

static void json_seconds(FILE *out, const pen_rank_report *r, double total)
{
    static const char *const keys[PEN_TIME_CATEGORIES] = { "compute", "compute_overhead", "communicate",
                                                           "communication_overhead", "balance" };
    fprintf(out, "{\"total\": %.9f, \"init\": %.9f, \"loop\": %.9f", total, r->init, r->loop);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) fprintf(out, ", \"%s\": %.9f", keys[c], r->seconds[c]);
    fputc('}', out);
}

static int64_t pulled_bytes(const pen_run *run, int field, int64_t shadows)
{
    int64_t pulls = 0;
    for (int p = 0; p < run->app->phases.count; p++) pulls += (int64_t)(run->traits[p].pull >> field & 1);
    return pulls * shadows * (int64_t)run->app->fields.list[field].size;
}

/* Print the fields; all fields with the same name make one member. */
static void json_fields(FILE *out, const pen_run *run, int64_t shadows)
{
    const pen_field *fields = run->app->fields.list;
    for (int f = 0; f < run->app->fields.count; f++) {
        int64_t bytes = 0;
        int first = 0;
        while (strcmp(fields[first].name, fields[f].name) != 0) first++;
        if (first < f) continue;
        for (int k = f; k < run->app->fields.count; k++)
            if (strcmp(fields[k].name, fields[f].name) == 0) bytes += pulled_bytes(run, k, shadows);
        fprintf(out, "%s", f ? ", " : "");
        pen_json_text(out, fields[f].name);
        fprintf(out, ": %" PRId64, bytes);
    }
}

static void json_halo(FILE *out, const pen_run *run, const pen_report *report)
{
    const int64_t done = run->step - (run->origin.step > 0 ? run->origin.step : 0);
    double steps = done > 0 ? (double)done : 1.0;
    fprintf(out,
            "  \"halo\": {\"gets_per_step\": %.17g, \"bytes_per_step\": %.17g, \"syncs_per_step\": %.17g, "
            "\"far_gets_per_step\": %.17g, \"far_bytes_per_step\": %.17g, \"fields\": {",
            (double)report->most.gets / steps, (double)report->most.bytes / steps, (double)report->most.syncs / steps,
            (double)report->most.far_gets / steps, (double)report->most.far_bytes / steps);
    int64_t shadows = 0;
    for (int r = 0; r < run->comm->size; r++) shadows += report->ranks[r].shadows;
    json_fields(out, run, shadows);
    fputs("}},\n", out);
}

/* How the graph has changed. */
static void json_changes(FILE *out, const pen_run *run, const pen_report *report)
{
    const pen_run_changed *c = &run->changed;
    fprintf(out,
            "  \"changes\": {\"phases\": %" PRId64 ", \"with_changes\": %" PRId64 ", \"added\": %" PRId64
            ", \"removed\": %" PRId64 ", \"edges_added\": %" PRId64 ", \"edges_removed\": %" PRId64
            ", \"seconds\": %.9f},\n",
            c->phases, c->with_changes, c->added, c->removed, c->edges_added, c->edges_removed, report->most.changes);
    fprintf(out, "  \"final\": {\"nodes\": %" PRId64 ", \"edges\": %" PRId64 "}", run->graph.nodes, run->graph.edges);
}

/* Print the quality of a partition. `distance`: the dilation on the partitioner's own network; -1: unknown. */
static void json_partition(FILE *out, const char *name, const pen_run *run, const pen_quality *quality,
                           int64_t distance)
{
    fprintf(out, "  \"%s\": {\"cut\": %" PRId64, name, quality->cut);
    if (run->partition.machine)
        fprintf(out, ", \"dilation\": %.17g, \"step_time\": %.17g", quality->dilation, quality->step_time);
    else if (distance >= 0) fprintf(out, ", \"dilation\": %" PRId64, distance);
    fprintf(out, ", \"imbalance\": %.17g, \"bound\": %.17g, \"max_volume\": %" PRId64 ", \"pieces\": %" PRId64 "},\n",
            quality->imbalance, quality->bound, quality->max_volume, quality->pieces);
}

static void json_run(FILE *out, const pen_run *run, const pen_report *report)
{
    static const char *const ends[] = { [PEN_END_OPEN] = "steps", [PEN_END_DONE] = "done", [PEN_END_UNTIL] = "until" };
    char checksum[17];
    json j = { .out = out };
    pen_json_begin(&j, NULL, '{');
    pen_json_member_text(&j, "schema", "penumbra-metrics/2");
    pen_json_member_text(&j, "app", run->app->name);
    pen_json_member_int(&j, "ranks", run->comm->size);
    pen_json_member_int(&j, "nodes", run->world.nodes);
    pen_json_member_int(&j, "edges", run->graph.first_edges);
    pen_json_member_int(&j, "steps", run->step);
    pen_json_member_text(&j, "ended", pen_report_failed(run) ? "failure" : ends[run->end]);
    pen_json_member_bool(&j, "cut_off", pen_report_cut_off(run));
    pen_json_member_text(&j, "until", pen_until_text(run));
    fprintf(out, ",\n  \"seed\": %" PRIu64 ",\n  \"run_options\": {%s}", run->world.seed,
            *run->origin.options ? run->origin.options + strlen(", ") : "");
    pen_json_member_text(&j, "comm", run->halo->transport->name);
    pen_json_member_text(&j, "partitioner", run->partition.name);
    pen_json_member_text(&j, "balancer", pen_balance_of(run) ? pen_balance_of(run)->name : "none");
    pen_json_member_text(&j, "machine", run->partition.machine_name);
    snprintf(checksum, sizeof checksum, "%016" PRIx64, report->checksum);
    pen_json_member_text(&j, "checksum", report->has_checksum ? checksum : NULL);
    pen_provenance_print(&report->provenance, run, &j);
    fputs(",\n  \"seconds\": ", out);
    json_seconds(out, &report->most, fmax(report->most.total, pen_seconds_now() - run->timers.begun));
    fputs(",\n  \"per_rank\": [", out);
    for (int r = 0; r < run->comm->size; r++) {
        const pen_rank_report *rank = &report->ranks[r];
        fprintf(out,
                "%s\n    {\"rank\": %" PRId64 ", \"owned\": %" PRId64 ", \"boundary\": %" PRId64
                ", \"shadows\": %" PRId64 ", \"neighbors\": %" PRId64
                ", \"order\": \"%s\", \"arc_span\": %.9g, \"arc_span_natural\": %.9g, \"seconds\": ",
                r ? "," : "", rank->rank, rank->owned, rank->boundary, rank->shadows, rank->neighbors,
                pen_ordering_name((pen_order)rank->order), rank->span_after, rank->span_before);
        json_seconds(out, rank, rank->total);
        fputc('}', out);
    }
    fputs("\n  ],\n", out);
    json_halo(out, run, report);
    json_partition(out, "partition", run, &run->partition.quality, run->partition.dilation);
    json_partition(out, "partition_at_end", run, &report->last,
                   run->store->migrations > 0 ? -1 : run->partition.dilation);
    json_changes(out, run, report);
    for (const pen_part *const *p = pen_parts; *p; p++)
        if ((*p)->metrics) (*p)->metrics(out, run, pen_part_state(run, *p), report);
    fputs("\n}\n", out);
}

pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path)
{
    PEN_C_LOCALE;
    char *text = NULL;
    size_t size = 0;
    pen_status status = pen_reads_spare(&run->files.reads, "pen_run_metrics", path);
    if (status == PEN_OK && run->comm->rank == 0) {
        FILE *out = pen_memory_stream(&text, &size);
        if (out) json_run(out, run, report);
        if (!out || fclose(out) != 0) status = pen_fail(PEN_ERR_MEMORY, "%s: out of memory", path);
    }
    status = pen_output_text(run->comm, path, text, size, status);
    free(text);
    return status;
}

pen_status pen_run_metrics(pen_run *run, const char *path)
{
    PEN_WITHIN("pen_run_metrics");
    PEN_TRY(pen_run_ready(run, "pen_run_metrics"));
    pen_report report;
    pen_status status = pen_report_create(run, &report);
    if (status == PEN_OK) status = pen_metrics_write(run, &report, path);
    pen_report_free(&report);
    return status;
}
