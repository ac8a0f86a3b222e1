/* summary.c - prints the summary of a run. */
#include "base/numbers.h"
#include "driver/report.h"
#include "resume/checkpointing.h"
#include "run/balance.h"
#include "store/ordering.h"

static void print_end(const pen_run *run, FILE *out)
{
    fprintf(out, "ended       after %" PRId64 " step%s", run->step, run->step == 1 ? "" : "s");
    if (run->end == PEN_END_DONE) fputs(": done\n", out);
    else if (run->end == PEN_END_UNTIL) fprintf(out, ": until %s\n", run->until.text);
    else fprintf(out, ", the limit of --steps%s\n", pen_report_cut_off(run) ? "; it was not done yet" : "");
}

static void print_checkpoints(const pen_run *run, FILE *out)
{
    const pen_checkpointing_totals t = pen_checkpointing_so_far(run->checkpointing);
    if (run->resumed >= 0)
        fprintf(out, "resumed     after %" PRId64 " step%s\n", run->resumed, run->resumed == 1 ? "" : "s");
    if (run->checkpointing)
        fprintf(out, "checkpoints %" PRId64 " written, %" PRId64 " failed, %.1f MiB, %.6f s\n", t.written, t.failed,
                (double)t.bytes / (1 << 20), t.seconds);
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
    if (run->machine) fprintf(out, ", dilation %.6g, estimated step %.6g", quality->dilation, quality->step_time);
    fprintf(out, "; the largest load of a rank is %.1f %% above the mean (%.1f %% at best)\n",
            100.0 * (quality->imbalance - 1.0), 100.0 * (quality->bound - 1.0));
    fprintf(out, "            at most %" PRId64 " shadows on a rank; ", quality->max_volume);
    if (quality->pieces == 0) fputs("each rank's nodes are connected\n", out);
    else fprintf(out, "%" PRId64 " piece%s too many\n", quality->pieces, quality->pieces == 1 ? "" : "s");
}

static void print_partition(const pen_run *run, const pen_report *report, FILE *out)
{
    const bool stayed = run->store->migrations == 0;
    print_quality(run, stayed ? "partition   " : "partition   at first ", &run->quality, run->dilation, out);
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

/* The mean cost of the last balancing calls in units of declared loads: a unit is the time in which ranks compute it.
 * False: unknown, since an earlier run computed a part of the steps. */
static bool find_cost(const pen_run *run, const pen_report *report, double *base, double *per_node)
{
    const pen_steer *s = &run->balance->steer;
    double computed = 0.0;
    int64_t moved = 0;
    for (int r = 0; r < run->comm->size; r++) computed += report->ranks[r].seconds[PEN_TIME_COMPUTE];
    for (int64_t i = 0; i < s->call_count; i++)
        if (s->calls[i].applied) moved = s->calls[i].max_moved;
    if (run->resumed >= 0 || !(s->total > 0.0) || !(computed > 0.0)) return false;
    *base = pen_steer_usual(s->decided) * s->total / computed;
    *per_node = moved > 0 ? pen_steer_usual(s->migrated) / (double)moved * s->total / computed : 0.0;
    return *base > 0.0;
}

/* Print a warning with a remedy if balancing took more time than it could save. */
static void print_if_too_slow(const pen_run *run, const pen_report *report, FILE *out)
{
    const double *seconds = report->most.seconds, balance = seconds[PEN_TIME_BALANCE];
    const pen_steer_settings *settings = &run->balance->steer.settings;
    char remedy[160] = "a run without --balancer, or with a cheaper one, may be faster";
    double base, per_node;
    if (!run->balance->balancer.kind || run->balance->steer.all.calls == 0 || balance <= seconds[PEN_TIME_COMPUTE])
        return;
    if (settings->when != PEN_BALANCE_AUTO)
        snprintf(remedy, sizeof remedy, "--balance-when=auto calls the balancer only when it pays");
    else if (report->declared && find_cost(run, report, &base, &per_node))
        snprintf(remedy, sizeof remedy,
                 "--balance-cost=%.3g:%.3g is what calls cost here, in units of the declared loads", base, per_node);
    else if (report->declared)
        snprintf(remedy, sizeof remedy,
                 "--balance-cost=BASE:PER_NODE sets the cost of a call, in units of the declared loads");
    fprintf(out, "            balancing took longer than computing, %.6f s and %.6f s: %s\n", balance,
            seconds[PEN_TIME_COMPUTE], remedy);
}

static void print_skipped(const pen_steer *s, FILE *out)
{
    if (s->all.skipped > 0)
        fprintf(out,
                "            %" PRId64 " call%s of the balancer skipped: %s more than could be won before the next one "
                "(--balance-when=%s:always skips none)\n",
                s->all.skipped, s->all.skipped == 1 ? "" : "s", s->all.skipped == 1 ? "it costs" : "they cost",
                s->settings.when == PEN_BALANCE_CHANGE ? "change" : "every:N");
}

/* Print the reason why balancing was never called. */
static void print_no_call(const pen_run *run, FILE *out)
{
    const pen_steer *s = &run->balance->steer;
    const bool idle = s->settings.declared && run->step > 0 && !(s->total > 0.0);
    if (run->comm->size == 1) fputs("            no call: nodes cannot move, there is only one rank\n", out);
    else if (idle) fputs("            no call: the declared loads are all 0\n", out);
    else if (s->settings.when == PEN_BALANCE_EVERY)
        fprintf(out,
                "            no call: --balance-when=every:%" PRId64 " calls after every %" PRId64
                " steps, but not after the last step\n",
                s->settings.every, s->settings.every);
    else if (s->settings.when == PEN_BALANCE_CHANGE)
        fputs("            no call: the graph has not changed before the last step (--balance-when=change)\n", out);
    else
        fprintf(out,
                "            no call: none seemed to win more than it costs (--balance-when=auto); imbalance has cost "
                "%.6g %s\n",
                s->trigger.lost, s->settings.declared ? "units of load" : "s");
}

/* The largest number of lines of a table; the metrics have the complete table. */
enum { MOST_LINES = 20 };

static void print_balance(const pen_run *run, const pen_report *report, FILE *out)
{
    const pen_balance *b = run->balance;
    const pen_steer *record = &b->steer;
    const pen_balance_totals *all = &record->all;
    if (b->balancer.kind)
        fprintf(out,
                "balancing   --balancer=%s: %" PRId64 " call%s, %" PRId64 " applied, %" PRId64 " failed, %" PRId64
                " nodes and %" PRId64 " bytes moved, %.6f s (the algorithm: %.6f s of processor time)\n",
                b->name, all->calls, all->calls == 1 ? "" : "s", all->applied, record->failures, all->moved_nodes,
                all->moved_bytes, all->seconds, all->cpu_seconds);
    print_skipped(record, out);
    if (b->balancer.kind && all->calls == 0 && all->skipped == 0) print_no_call(run, out);
    print_if_too_slow(run, report, out);
    if (record->call_count > 0)
        fprintf(out, "    %8s %9s %9s %8s %12s %12s %10s %12s %10s%s\n", "step", "imbalance", "after", "bound", "cut",
                "after", "nodes", "bytes", "seconds",
                run->machine ? "     dilation        after  estimated step        after" : "");
    for (int64_t i = 0; i < record->call_count && i < MOST_LINES; i++) {
        const pen_balance_call *c = &record->calls[i];
        fprintf(out, "    %8" PRId64 " %9.4f", c->step, c->imbalance_before);
        if (c->applied)
            fprintf(out, " %9.4f %8.4f %12" PRId64 " %12" PRId64 " %10" PRId64 " %12" PRId64 " %10.6f",
                    c->imbalance_after, c->bound, c->cut_before, c->cut_after, c->moved_nodes, c->moved_bytes,
                    c->seconds);
        else
            fprintf(out, " %9s %8.4f %12" PRId64 " %12s %10s %12s %10.6f", c->failed ? "failed" : "kept", c->bound,
                    c->cut_before, "", "", "", c->seconds);
        if (run->machine) fprintf(out, " %12.6g", c->dilation_before);
        if (run->machine && c->applied)
            fprintf(out, " %12.6g %15.6g %12.6g", c->dilation_after, c->step_time_before, c->step_time_after);
        else if (run->machine) fprintf(out, " %12s %15.6g", "", c->step_time_before);
        fputc('\n', out);
    }
    if (all->calls > MOST_LINES) fprintf(out, "    ... and %" PRId64 " more\n", all->calls - MOST_LINES);
    const pen_work_report *work = &report->work;
    if (report->declared)
        fprintf(out, "work        total %.6g, makespan %.6g, ideal %.6g, efficiency %.4f\n", work->total,
                work->makespan, work->ideal, work->efficiency);
}

void pen_summary_print(const pen_run *run, const pen_report *report, FILE *out)
{
    const pen_rank_report *most = &report->most;
    fprintf(out, "%s: %" PRId64 " nodes, %" PRId64 " edges, %" PRId64 " steps, %d rank%s, --comm=%s --partitioner=%s\n",
            run->app->name, run->world.nodes, run->first_edges, run->step, run->comm->size,
            run->comm->size == 1 ? "" : "s", run->halo->transport->name, run->partitioner);
    print_end(run, out);
    print_checkpoints(run, out);
    print_partition(run, report, out);
    print_order(run, report, out);
    if (run->changed.with_changes > 0)
        fprintf(out,
                "changes     %" PRId64 " nodes and %" PRId64 " edges added, %" PRId64 " and %" PRId64
                " removed, %.6f s; at the end %" PRId64 " nodes, %" PRId64 " edges\n",
                run->changed.added, run->changed.edges_added, run->changed.removed, run->changed.edges_removed,
                most->changes, run->nodes, run->edges);
    if (run->balance) print_balance(run, report, out);
    static const char *const names[PEN_TIME_CATEGORIES] = { "computation", "computation overhead", "communication",
                                                            "communication overhead", "load balancing" };
    fprintf(out, "seconds     maximum over ranks\n    %-24s %12.6f\n", "initialisation", most->init);
    for (int c = 0; c < PEN_TIME_CATEGORIES; c++) fprintf(out, "    %-24s %12.6f\n", names[c], most->seconds[c]);
    fprintf(out, "    %-24s %12.6f\n", "all steps", most->loop);
    fprintf(out, "    %-24s %12.6f\n", "the whole", most->total);
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
