/* summary.c - prints the summary of a run. */
#include "base/numbers.h"
#include "driver/report.h"
#include "observables/until.h"
#include "store/ordering.h"

static void print_end(const pen_run *run, FILE *out)
{
    const bool none = run->step == 0 && run->world.steps == 0; /* as with --steps=0 */
    if (!none && !pen_run_is_over(run) && !pen_report_failed(run)) {
        fprintf(out, "so far      %" PRId64 " step%s\n", run->step, run->step == 1 ? "" : "s");
        return;
    }
    fprintf(out, "ended       after %" PRId64 " step%s", run->step, run->step == 1 ? "" : "s");
    if (run->end == PEN_END_DONE) fputs(": done\n", out);
    else if (run->end == PEN_END_UNTIL) fprintf(out, ": until %s\n", pen_until_text(run));
    else if (pen_report_failed(run)) fputs(": an output failed\n", out);
    else fprintf(out, ", the limit of --steps%s\n", pen_report_cut_off(run) ? "; it was not done yet" : "");
}

static void print_last_observables(const pen_run *run, FILE *out)
{
    const pen_observables *o = run->observation;
    if (o->count > 0) fputs("observables at the end\n", out);
    for (int i = 0; i < o->count; i++) {
        const int value = o->values.order[i];
        char text[64];
        pen_observation_text(o, value, text, sizeof text);
        fprintf(out, "    %-24s %s\n", o->table[value].name, text);
    }
}

/* Print the quality of a partition. `distance`: the dilation on the partitioner's own network; -1: unknown. */
static void print_quality(const pen_run *run, const char *when, const pen_quality *quality, int64_t distance, FILE *out)
{
    fprintf(out, "%scut %" PRId64, when, quality->cut);
    if (distance >= 0) fprintf(out, ", dilation cost %" PRId64, distance);
    if (run->partition.machine)
        fprintf(out, ", dilation %.6g, estimated step %.6g", quality->dilation, quality->step_time);
    fprintf(out, "; the largest load of a rank is %.1f %% above the mean (%.1f %% at best)\n",
            100.0 * (quality->imbalance - 1.0), 100.0 * (quality->bound - 1.0));
    fprintf(out, "            at most %" PRId64 " shadows on a rank; ", quality->max_volume);
    if (quality->pieces == 0) fputs("each rank's nodes are connected\n", out);
    else fprintf(out, "%" PRId64 " piece%s too many\n", quality->pieces, quality->pieces == 1 ? "" : "s");
}

static void print_partition(const pen_run *run, const pen_report *report, FILE *out)
{
    const bool stayed = run->store->migrations == 0;
    print_quality(run, stayed ? "partition   " : "partition   at first ", &run->partition.quality,
                  run->partition.dilation, out);
    if (!stayed) print_quality(run, "            at the end ", &report->last, -1, out);
}

/* Print the orders that ranks use, and their effect as a mean over ranks. */
static void print_order(const pen_run *run, const pen_report *report, FILE *out)
{
    double before = 0.0, after = 0.0;
    int ranks[PEN_ORDER_HILBERT + 1] = { 0 };
    const char *between = "order       ";
    for (int r = 0; r < run->comm->size; r++) {
        ranks[report->ranks[r].order]++;
        before += report->ranks[r].span_before / run->comm->size;
        after += report->ranks[r].span_after / run->comm->size;
    }
    for (int order = 0; order < PEN_COUNT_OF(ranks); order++)
        if (ranks[order] > 0) {
            fprintf(out, "%s%s on %d rank%s", between, pen_ordering_name((pen_order)order), ranks[order],
                    ranks[order] == 1 ? "" : "s");
            between = ", ";
        }
    fprintf(out, "; neighbours are %.6g records apart in memory", after);
    if (ranks[PEN_ORDER_NATURAL] < run->comm->size) fprintf(out, ", %.6g in natural order", before);
    fputc('\n', out);
}

/* Sleeping while waiting for another rank does not count as waiting for a processor. */
static void print_queued(const pen_rank_report *most, FILE *out)
{
    if (most->loop >= 1.0 && most->queued > 0.5 * most->loop)
        fprintf(out,
                "advice      a rank waited %.3g s for a processor, and the steps took %.3g s: other programs use the "
                "cores, or there are more ranks than cores; fewer of either help\n",
                most->queued, most->loop);
}

void pen_summary_print(const pen_run *run, const pen_report *report, FILE *out)
{
    const pen_rank_report *most = &report->most;
    fprintf(out, "%s: %" PRId64 " nodes, %" PRId64 " edges, %" PRId64 " steps, %d rank%s, --comm=%s --partitioner=%s\n",
            run->app->name, run->world.nodes, run->graph.first_edges, run->step, run->comm->size,
            run->comm->size == 1 ? "" : "s", run->halo->transport->name, run->partition.name);
    print_end(run, out);
    if (run->origin.step >= 0)
        fprintf(out, "resumed     after %" PRId64 " step%s\n", run->origin.step, run->origin.step == 1 ? "" : "s");
    print_partition(run, report, out);
    print_order(run, report, out);
    if (run->changed.with_changes > 0)
        fprintf(out,
                "changes     %" PRId64 " nodes and %" PRId64 " edges added, %" PRId64 " and %" PRId64
                " removed, %.6f s; at the end %" PRId64 " nodes, %" PRId64 " edges\n",
                run->changed.added, run->changed.edges_added, run->changed.removed, run->changed.edges_removed,
                most->changes, run->graph.nodes, run->graph.edges);
    for (const pen_run_part *p = run->parts; p->part; p++)
        if (p->part->summary) p->part->summary(out, run, p->state, report);
    static const char *const names[PEN_TIME_CATEGORIES] = { "computation", "computation overhead", "communication",
                                                            "communication overhead", "load balancing" };
    fprintf(out, "seconds     maximum over ranks\n    %-24s %12.6f\n", "initialisation", most->init);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) fprintf(out, "    %-24s %12.6f\n", names[c], most->seconds[c]);
    fprintf(out, "    %-24s %12.6f\n", "all steps", most->loop);
    fprintf(out, "    %-24s %12.6f\n", "the whole", most->total);
    print_queued(most, out);
    print_last_observables(run, out);
    if (report->has_checksum) fprintf(out, "checksum    %016" PRIx64 "\n", report->checksum);
}

pen_status pen_run_summary(pen_run *run, FILE *out)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_summary");
    PEN_TRY(pen_run_ready(run, "pen_run_summary"));
    pen_report report;
    pen_status status = pen_report_create(run, &report);
    if (status == PEN_OK && out && run->comm->rank == 0) pen_summary_print(run, &report, out);
    pen_report_free(&report);
    return status;
}
