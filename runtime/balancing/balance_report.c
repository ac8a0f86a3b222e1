/* balance_report.c - prints balancing in the metrics and in the summary. */
#include "balancing/balance_report.h"
#include "steer/steer_json.h"

/* Declared work, in units. */
typedef struct work {
    double total, makespan, ideal, efficiency;
} work;

static work work_of(const pen_steer *steer, const pen_run *run)
{
    double ideal = steer->total / run->comm->size / (steer->facts.speed > 0.0 ? steer->facts.speed : 1.0);
    return (work){ steer->total, steer->makespan, ideal, steer->makespan > 0.0 ? ideal / steer->makespan : 1.0 };
}

/* ---- Metrics -------------------------------------------------------------------------------- */

void pen_balance_metrics(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_balance *b = state;
    const pen_steer none = { .call_count = 0 };
    const work w = work_of(b ? &b->steer : &none, run);
    if (b && pen_steer_declared(&b->steer))
        fprintf(out, ",\n  \"work\": {\"total\": %.17g, \"makespan\": %.17g, \"ideal\": %.17g, \"efficiency\": %.17g}",
                w.total, w.makespan, w.ideal, w.efficiency);
    else fputs(",\n  \"work\": null", out);
    json j = { .out = out, .depth = 1, .more = true };
    pen_steer_json(&j, b ? &b->steer : &none, b ? b->balancer.kind : NULL, run->partition.machine != NULL);
}

/* ---- Summary -------------------------------------------------------------------------------- */

/* The mean cost of the last balancing calls in units of declared loads: a unit is the time in which ranks compute it.
 * False: unknown, since an earlier run computed a part of the steps. */
static bool find_cost(const pen_run *run, const pen_steer *s, const pen_report *report, double *base, double *per_node)
{
    double computed = 0.0;
    int64_t moved = 0;
    for (int r = 0; r < run->comm->size; r++) computed += report->ranks[r].seconds[PEN_TIME_COMPUTE];
    for (int64_t i = 0; i < s->call_count; i++)
        if (s->calls[i].applied) moved = s->calls[i].evaluation.max_moved;
    if (run->origin.step >= 0 || !(s->total > 0.0) || !(computed > 0.0)) return false;
    *base = pen_steer_usual(s->decided, 0.0) * s->total / computed;
    *per_node = moved > 0 ? pen_steer_usual(s->migrated, 0.0) / (double)moved * s->total / computed : 0.0;
    return *base > 0.0;
}

/* Print a warning with a remedy if balancing took more time than it could save. */
static void print_if_too_slow(const pen_run *run, const pen_balance *b, const pen_report *report, FILE *out)
{
    const double *seconds = report->most.seconds, balance = seconds[PEN_TIME_BALANCE];
    const pen_steer_settings *settings = &b->steer.settings;
    char remedy[160] = "a run without --balancer, or with a cheaper one, may be faster";
    double base, per_node;
    if (!b->balancer.kind || b->steer.all.calls == 0 || balance <= seconds[PEN_TIME_COMPUTE]) return;
    if (settings->when != PEN_STEER_AUTO)
        snprintf(remedy, sizeof remedy, "--balance-when=auto calls the balancer only when it pays");
    else if (pen_steer_declared(&b->steer) && find_cost(run, &b->steer, report, &base, &per_node))
        snprintf(remedy, sizeof remedy,
                 "--balance-cost=%.3g:%.3g is what calls cost here, in units of the declared loads", base, per_node);
    else if (pen_steer_declared(&b->steer))
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
                s->settings.when == PEN_STEER_CHANGE ? "change" : "every:N");
}

/* Print the reason why balancing was never called. */
static void print_no_call(const pen_run *run, const pen_steer *s, FILE *out)
{
    const bool idle = pen_steer_declared(s) && run->step > 0 && !(s->total > 0.0);
    if (run->comm->size == 1) fputs("            no call: nodes cannot move, there is only one rank\n", out);
    else if (idle) fputs("            no call: the declared loads are all 0\n", out);
    else if (s->settings.when == PEN_STEER_EVERY)
        fprintf(out,
                "            no call: --balance-when=every:%" PRId64 " calls after every %" PRId64
                " steps, but not after the last step\n",
                s->settings.every, s->settings.every);
    else if (s->settings.when == PEN_STEER_CHANGE)
        fputs("            no call: the graph has not changed before the last step (--balance-when=change)\n", out);
    else
        fprintf(out,
                "            no call: none seemed to win more than it costs (--balance-when=auto); imbalance has cost "
                "%.6g %s\n",
                s->trigger.lost, pen_steer_declared(s) ? "units of load" : "s");
}

/* The largest number of lines of a table; the metrics have the complete table. */
enum { MOST_LINES = 20 };

void pen_balance_summary(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_balance *b = state;
    const pen_steer *record = &b->steer;
    const pen_balance_totals *all = &record->all;
    if (b->balancer.kind)
        fprintf(out,
                "balancing   --balancer=%s: %" PRId64 " call%s, %" PRId64 " applied, %" PRId64 " failed, %" PRId64
                " nodes and %" PRId64 " bytes moved, %.6f s (the algorithm: %.6f s of processor time)\n",
                b->name, all->calls, all->calls == 1 ? "" : "s", all->applied, all->failed, all->moved_nodes,
                all->moved_bytes, all->seconds, all->cpu_seconds);
    print_skipped(record, out);
    if (b->balancer.kind && all->calls == 0 && all->skipped == 0) print_no_call(run, record, out);
    print_if_too_slow(run, b, report, out);
    if (record->call_count > 0)
        fprintf(out, "    %8s %9s %9s %8s %12s %12s %10s %12s %10s%s\n", "step", "imbalance", "after", "bound", "cut",
                "after", "nodes", "bytes", "seconds",
                run->partition.machine ? "     dilation        after  estimated step        after" : "");
    for (int64_t i = 0; i < record->call_count && i < MOST_LINES; i++) {
        const pen_balance_call *c = &record->calls[i];
        fprintf(out, "    %8" PRId64 " %9.4f", c->step, c->before.imbalance);
        if (c->applied)
            fprintf(out, " %9.4f %8.4f %12" PRId64 " %12" PRId64 " %10" PRId64 " %12" PRId64 " %10.6f",
                    c->after.imbalance, c->before.bound, c->before.cut, c->after.cut, c->evaluation.moved,
                    c->moved_bytes, c->seconds);
        else
            fprintf(out, " %9s %8.4f %12" PRId64 " %12s %10s %12s %10.6f", c->failed ? "failed" : "kept",
                    c->before.bound, c->before.cut, "", "", "", c->seconds);
        if (run->partition.machine) fprintf(out, " %12.6g", c->before.dilation);
        if (run->partition.machine && c->applied)
            fprintf(out, " %12.6g %15.6g %12.6g", c->after.dilation, c->before.step_time, c->after.step_time);
        else if (run->partition.machine) fprintf(out, " %12s %15.6g", "", c->before.step_time);
        fputc('\n', out);
    }
    if (all->calls > MOST_LINES) fprintf(out, "    ... and %" PRId64 " more\n", all->calls - MOST_LINES);
    const work w = work_of(record, run);
    if (pen_steer_declared(record))
        fprintf(out, "work        total %.6g, makespan %.6g, ideal %.6g, efficiency %.4f\n", w.total, w.makespan,
                w.ideal, w.efficiency);
}
