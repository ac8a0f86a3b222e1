/* metrics.c - writes the metrics of a run as JSON. */
#include "base/json.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "base/output.h"
#include "driver/report.h"
#include "resume/checkpointing.h"
#include "run/balance.h"
#include "run/results.h"
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
    const int64_t done = run->step - (run->resumed > 0 ? run->resumed : 0);
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

static void json_observed(FILE *out, const pen_observables *o, int index, int64_t value)
{
    if (pen_observable_is_int(o->table[index].kind)) fprintf(out, "%" PRId64, value);
    else pen_json_real(out, pen_series_real(value));
}

/* Print the name and `print` of each value, each on its own line if `lines`. */
static void json_values(FILE *out, const pen_run *run, bool lines,
                        void (*print)(FILE *out, const pen_run *run, int index))
{
    const pen_observables *o = run->observation;
    for (int i = 0; i < o->count; i++) {
        if (i > 0) fputc(',', out);
        if (lines) fputs("\n    ", out);
        else if (i > 0) fputc(' ', out);
        pen_json_text(out, o->table[o->values.order[i]].name);
        fputs(": ", out);
        print(out, run, o->values.order[i]);
    }
}

static void json_course(FILE *out, const pen_run *run, int index)
{
    const pen_series *series = &run->series;
    fputc('[', out);
    for (int64_t m = 0; m < series->count; m++) {
        fprintf(out, "%s", m ? ", " : "");
        json_observed(out, run->observation, index, series->values[m * run->observation->count + index]);
    }
    fputc(']', out);
}

static void json_first(FILE *out, const pen_run *run, int index)
{
    json_observed(out, run->observation, index, run->series.first[index]);
}

static void json_last(FILE *out, const pen_run *run, int index)
{
    const pen_observables *o = run->observation;
    if (pen_observable_is_int(o->table[index].kind)) fprintf(out, "%" PRId64, o->ints[index]);
    else pen_json_real(out, o->reals[index]);
}

/* Print the history of observables and globals: for each an array with a value every `stride` steps, their first
 * values, and their last ones. */
static void json_observables(FILE *out, const pen_run *run)
{
    fprintf(out, "  \"observables_stride\": %" PRId64 ",\n  \"observables\": {", run->series.stride);
    json_values(out, run, true, json_course);
    fprintf(out, "%s},\n  \"observables_first\": {", run->observation->count ? "\n  " : "");
    json_values(out, run, false, json_first);
    fputs("},\n  \"observables_last\": {", out);
    json_values(out, run, false, json_last);
    fputs("},\n", out);
}

static void json_checkpoints(FILE *out, const pen_run *run)
{
    const pen_checkpointing_totals t = pen_checkpointing_so_far(run->checkpointing);
    char resumed[32] = "null";
    if (run->resumed >= 0) snprintf(resumed, sizeof resumed, "%" PRId64, run->resumed);
    fprintf(out,
            "  \"checkpoints\": {\"written\": %" PRId64 ", \"failed\": %" PRId64 ", \"bytes\": %" PRId64
            ", \"seconds\": %.9f, \"resumed\": %s, \"accepted\": [",
            t.written, t.failed, t.bytes, t.seconds, resumed);
    for (const char *at = run->accepted; at && *at; at += strcspn(at, ","), at += *at == ',') {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        fputs(at > run->accepted ? ", " : "", out);
        pen_json_text(out, name);
    }
    fputs("]},\n", out);
}

static void json_output(FILE *out, const pen_run *run)
{
    const pen_results_totals t = pen_results_so_far(run);
    fprintf(out, "  \"output\": {\"states\": %" PRId64 ", \"bytes\": %" PRId64 ", \"seconds\": %.9f},\n", t.states,
            t.bytes, t.seconds);
}

/* Print the counters of a plug-in, as the last member of an object. */
static void json_counters(FILE *out, const pen_run *run, const double *counts)
{
    const pen_balancer *kind = run->balance ? run->balance->balancer.kind : NULL;
    if (!kind || !kind->counters) return;
    fputs(", \"counters\": {", out);
    for (int i = 0; kind->counters[i]; i++) {
        fputs(i ? ", " : "", out);
        pen_json_text(out, kind->counters[i]);
        fputs(": ", out);
        pen_json_real(out, counts[i]);
    }
    fputc('}', out);
}

static void json_balance(FILE *out, const pen_run *run, const pen_report *report)
{
    const pen_balance *b = run->balance;
    const pen_work_report *work = &report->work;
    if (report->declared)
        fprintf(out, "  \"work\": {\"total\": %.17g, \"makespan\": %.17g, \"ideal\": %.17g, \"efficiency\": %.17g},\n",
                work->total, work->makespan, work->ideal, work->efficiency);
    else fputs("  \"work\": null,\n", out);
    const pen_balance_totals none = { .calls = 0 }, *all = b ? &b->steer.all : &none;
    fprintf(out,
            "  \"balance_totals\": {\"calls\": %" PRId64 ", \"skipped\": %" PRId64 ", \"applied\": %" PRId64
            ", \"moved_nodes\": %" PRId64 ", \"moved_bytes\": %" PRId64 ", \"exchanges\": %" PRId64
            ", \"reductions\": %" PRId64 ", \"seconds\": %.9f, \"cpu_seconds\": %.9f",
            all->calls, all->skipped, all->applied, all->moved_nodes, all->moved_bytes, all->exchanges, all->reductions,
            all->seconds, all->cpu_seconds);
    json_counters(out, run, all->counts);
    fputs("},\n", out);
    fprintf(out, "  \"balance_failures\": %" PRId64 ",\n  \"balance_calls\": [", b ? b->steer.failures : 0);
    int64_t calls = b ? b->steer.call_count : 0;
    for (int64_t i = 0; i < calls; i++) {
        const pen_balance_call *c = &b->steer.calls[i];
        fprintf(out,
                "%s\n    {\"step\": %" PRId64 ", \"nodes\": %" PRId64
                ", \"applied\": %s, \"failed\": %s, \"imbalance_before\": %.17g, \"imbalance_after\": %.17g, "
                "\"bound\": %.17g, \"two_sided_before\": %.17g, \"two_sided_after\": %.17g, "
                "\"off_processor_before\": %.17g, \"off_processor_after\": %.17g, \"cut_before\": %" PRId64
                ", \"cut_after\": %" PRId64 ", \"moved_nodes\": %" PRId64 ", \"moved_bytes\": %" PRId64
                ", \"max_moved\": %" PRId64 ", \"pieces\": %" PRId64 ", \"rounds\": %d, \"exchanges\": %" PRId64
                ", \"reductions\": %" PRId64 ", \"seconds\": %.9f, \"cpu_seconds\": %.9f",
                i ? "," : "", c->step, c->nodes, c->applied ? "true" : "false", c->failed ? "true" : "false",
                c->imbalance_before, c->imbalance_after, c->bound, c->two_sided_before, c->two_sided_after,
                c->off_processor_before, c->off_processor_after, c->cut_before, c->cut_after, c->moved_nodes,
                c->moved_bytes, c->max_moved, c->pieces, c->rounds, c->exchanges, c->reductions, c->seconds,
                c->cpu_seconds);
        if (run->machine)
            fprintf(out,
                    ", \"dilation_before\": %.17g, \"dilation_after\": %.17g, \"step_time_before\": %.17g, "
                    "\"step_time_after\": %.17g",
                    c->dilation_before, c->dilation_after, c->step_time_before, c->step_time_after);
        json_counters(out, run, c->counts);
        fputc('}', out);
    }
    fputs("]\n", out);
}

/* Print the loads of the ranks over the steps, as means over `stride` steps. */
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

/* Print the number of changes of the graph, and its number of nodes over the steps. */
static void json_changes(FILE *out, const pen_run *run, const pen_report *report)
{
    const pen_run_changed *c = &run->changed;
    fprintf(out,
            "  \"changes\": {\"phases\": %" PRId64 ", \"with_changes\": %" PRId64 ", \"added\": %" PRId64
            ", \"removed\": %" PRId64 ", \"edges_added\": %" PRId64 ", \"edges_removed\": %" PRId64
            ", \"seconds\": %.9f},\n",
            c->phases, c->with_changes, c->added, c->removed, c->edges_added, c->edges_removed, report->most.changes);
    fprintf(out, "  \"final\": {\"nodes\": %" PRId64 ", \"edges\": %" PRId64 "},\n", run->nodes, run->edges);
    fprintf(out, "  \"nodes_over_steps\": {\"stride\": %" PRId64 ", \"nodes\": [", c->history.stride);
    for (int i = 0; i < c->history.count; i++) fprintf(out, "%s%.9g", i ? ", " : "", c->history.means[i]);
    fputs("]},\n", out);
}

/* Print the quality of a partition. `distance`: the dilation on the partitioner's own network; -1: unknown. */
static void json_partition(FILE *out, const char *name, const pen_run *run, const pen_quality *quality,
                           int64_t distance)
{
    fprintf(out, "  \"%s\": {\"cut\": %" PRId64, name, quality->cut);
    if (run->machine)
        fprintf(out, ", \"dilation\": %.17g, \"step_time\": %.17g", quality->dilation, quality->step_time);
    else if (distance >= 0) fprintf(out, ", \"dilation\": %" PRId64, distance);
    fprintf(out, ", \"imbalance\": %.17g, \"bound\": %.17g, \"max_volume\": %" PRId64 ", \"pieces\": %" PRId64 "},\n",
            quality->imbalance, quality->bound, quality->max_volume, quality->pieces);
}

static void json_run(FILE *out, const pen_run *run, const pen_report *report)
{
    fputs("{\n  \"schema\": \"penumbra-metrics/2\",\n  \"app\": ", out);
    pen_json_text(out, run->app->name);
    fprintf(out,
            ",\n  \"ranks\": %d,\n  \"nodes\": %" PRId64 ",\n  \"edges\": %" PRId64 ",\n  \"steps\": %" PRId64 ",\n",
            run->comm->size, run->world.nodes, run->first_edges, run->step);
    static const char *const ends[] = { [PEN_END_OPEN] = "steps", [PEN_END_DONE] = "done", [PEN_END_UNTIL] = "until" };
    fprintf(out, "  \"ended\": \"%s\",\n  \"cut_off\": %s,\n  \"until\": ", ends[run->end],
            pen_report_cut_off(run) ? "true" : "false");
    if (run->until.text) pen_json_text(out, run->until.text);
    else fputs("null", out);
    fputs(",\n", out);
    fprintf(out, "  \"seed\": %" PRIu64 ",\n", run->seed);
    fprintf(out, "  \"comm\": \"%s\",\n  \"partitioner\": ", run->halo->transport->name);
    pen_json_text(out, run->partitioner);
    fputs(",\n  \"balancer\": ", out);
    pen_json_text(out, run->balance ? run->balance->name : "none");
    fputs(",\n  \"machine\": ", out);
    if (run->machine_name) pen_json_text(out, run->machine_name);
    else fputs("null", out);
    fputs(",\n", out);
    if (report->has_checksum) fprintf(out, "  \"checksum\": \"%016" PRIx64 "\",\n", report->checksum);
    else fputs("  \"checksum\": null,\n", out);
    pen_provenance_print(&report->provenance, run, out);
    fputs("  \"seconds\": ", out);
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
    json_partition(out, "partition", run, &run->quality, run->dilation);
    json_partition(out, "partition_at_end", run, &report->last, run->store->migrations > 0 ? -1 : run->dilation);
    json_observables(out, run);
    json_history(out, run, report);
    json_changes(out, run, report);
    json_checkpoints(out, run);
    json_output(out, run);
    json_balance(out, run, report);
    fputs("}\n", out);
}

/* Collective. Write the text of rank 0 to a file. */
static pen_status write_file(pen_run *run, const pen_report *report, const char *path,
                             void (*print)(FILE *out, const pen_run *run, const pen_report *report))
{
    char *text = NULL;
    size_t size = 0;
    pen_status status = pen_reads_spare(&run->reads, "pen_run_metrics", path);
    if (status == PEN_OK && run->comm->rank == 0) {
        FILE *out = pen_memory_stream(&text, &size);
        if (out) print(out, run, report);
        if (!out || fclose(out) != 0) status = pen_fail(PEN_ERR_MEMORY, "%s: out of memory", path);
    }
    status = pen_output_text(run->comm, path, text, size, status);
    free(text);
    return status;
}

pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path)
{
    PEN_C_LOCALE;
    return write_file(run, report, path, json_run);
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
