/* replay_metrics.c - writes the metrics of a replay, like those of a run, for programs such as pen-plot. */
#include "tools/sim/replay_run.h"
#include "tools/sim/report.h"

#include <math.h>

static void write_seconds(json *j, const replay_run *run, double work, double pulls)
{
    const double communicate = pulls + fmax(0.0, run->totals.seconds - work - pulls);
    const struct {
        const char *key;
        double value;
    } members[] = { { "total", run->clock },          { "init", 0.0 },
                    { "loop", run->clock },           { "compute", work },
                    { "compute_overhead", 0.0 },      { "communicate", communicate },
                    { "balance", run->totals.calls }, { "communication_overhead", 0.0 } };
    pen_json_begin(j, "seconds", '{');
    for (int i = 0; i < PEN_COUNT_OF(members); i++) pen_json_member_real(j, members[i].key, members[i].value);
    pen_json_end(j, '}');
}

static void write_ranks(json *j, const replay_run *run)
{
    pen_json_begin(j, "per_rank", '[');
    for (int r = 0; r < run->world.ranks; r++) {
        pen_json_begin(j, NULL, '{');
        pen_json_member_int(j, "rank", r);
        pen_json_member_int(j, "owned", run->world.counts[r]);
        write_seconds(j, run, run->work_of[r], run->pull_of[r]);
        pen_json_end(j, '}');
    }
    pen_json_end(j, ']');
}

static void write_history(json *j, const replay_run *run)
{
    if (!run->histories) return;
    pen_json_begin(j, "history", '{');
    pen_json_member_int(j, "stride", run->histories[0].stride);
    pen_json_member_text(j, "unit", pen_steer_declared(&run->steer) ? "units" : "seconds");
    pen_json_begin(j, "loads", '[');
    for (int r = 0; r < run->world.ranks; r++) {
        pen_json_begin(j, NULL, '[');
        for (int i = 0; i < run->histories[r].count; i++) pen_json_member_real(j, NULL, run->histories[r].means[i]);
        pen_json_end(j, ']');
    }
    pen_json_end(j, ']');
    pen_json_end(j, '}');
}

static void write_work(json *j, const replay_run *run)
{
    const pen_steer *s = &run->steer;
    if (!pen_steer_declared(s)) {
        pen_json_member_real(j, "work", NAN); /* printed as null */
        return;
    }
    double efficiency = pen_replay_run_efficiency(run);
    pen_json_begin(j, "work", '{');
    pen_json_member_real(j, "total", s->total);
    pen_json_member_real(j, "makespan", s->makespan);
    pen_json_member_real(j, "ideal", efficiency * s->makespan);
    pen_json_member_real(j, "efficiency", efficiency);
    pen_json_end(j, '}');
}

static void write_counters(json *j, const replay_run *run, const double *counts)
{
    const pen_balancer *kind = run->balancer.chosen.kind;
    if (!kind || !kind->counters) return;
    pen_json_begin(j, "counters", '{');
    for (int i = 0; kind->counters[i]; i++) pen_json_member_real(j, kind->counters[i], counts[i]);
    pen_json_end(j, '}');
}

static void write_call(json *j, const replay_run *run, const pen_balance_call *c)
{
    pen_json_begin(j, NULL, '{');
    pen_json_member_int(j, "step", c->step);
    pen_json_member_int(j, "nodes", c->nodes);
    pen_json_member_bool(j, "applied", c->applied);
    pen_json_member_bool(j, "failed", c->failed);
    pen_json_member_real(j, "imbalance_before", c->before.imbalance);
    pen_json_member_real(j, "imbalance_after", c->after.imbalance);
    pen_json_member_real(j, "bound", c->before.bound);
    pen_json_member_real(j, "two_sided_before", c->before.two_sided);
    pen_json_member_real(j, "two_sided_after", c->after.two_sided);
    pen_json_member_real(j, "off_processor_before", c->before.off_processor);
    pen_json_member_real(j, "off_processor_after", c->after.off_processor);
    pen_json_member_int(j, "cut_before", c->before.cut);
    pen_json_member_int(j, "cut_after", c->after.cut);
    pen_json_member_int(j, "moved_nodes", c->evaluation.moved);
    pen_json_member_int(j, "moved_bytes", c->moved_bytes);
    pen_json_member_int(j, "max_moved", c->evaluation.max_moved);
    pen_json_member_int(j, "pieces", c->after.pieces);
    pen_json_member_int(j, "rounds", c->rounds);
    pen_json_member_int(j, "exchanges", c->evaluation.exchanges);
    pen_json_member_int(j, "reductions", c->evaluation.reductions);
    pen_json_member_real(j, "seconds", c->seconds);
    pen_json_member_real(j, "cpu_seconds", c->evaluation.cpu_seconds);
    if (run->world.machine) {
        pen_json_member_real(j, "dilation_before", c->before.dilation);
        pen_json_member_real(j, "dilation_after", c->after.dilation);
        pen_json_member_real(j, "step_time_before", c->before.step_time);
        pen_json_member_real(j, "step_time_after", c->after.step_time);
    }
    write_counters(j, run, c->evaluation.counts);
    pen_json_end(j, '}');
}

static void write_calls(json *j, const replay_run *run)
{
    const pen_balance_totals *all = &run->steer.all;
    pen_json_begin(j, "balance_totals", '{');
    pen_json_member_int(j, "calls", all->calls);
    pen_json_member_int(j, "skipped", all->skipped);
    pen_json_member_int(j, "applied", all->applied);
    pen_json_member_int(j, "moved_nodes", all->moved_nodes);
    pen_json_member_int(j, "moved_bytes", all->moved_bytes);
    pen_json_member_int(j, "exchanges", all->exchanges);
    pen_json_member_int(j, "reductions", all->reductions);
    pen_json_member_real(j, "seconds", all->seconds);
    pen_json_member_real(j, "cpu_seconds", all->cpu_seconds);
    write_counters(j, run, all->counts);
    pen_json_end(j, '}');
    pen_json_member_int(j, "balance_failures", run->steer.all.failed);
    pen_json_begin(j, "balance_calls", '[');
    for (int64_t i = 0; i < run->steer.call_count; i++) write_call(j, run, &run->steer.calls[i]);
    pen_json_end(j, ']');
}

static void write_run(json *j, const replay_run *run, const char *machine)
{
    const pen_workload *w = run->world.record;
    pen_json_begin(j, NULL, '{');
    pen_json_member_text(j, "schema", "penumbra-metrics/2");
    pen_json_member_bool(j, "replayed", true);
    pen_json_member_text(j, "app", w->world.application);
    pen_json_member_int(j, "ranks", run->world.ranks);
    pen_json_member_int(j, "nodes", run->first_nodes);
    pen_json_member_int(j, "edges", run->first_edges);
    pen_json_member_int(j, "steps", w->step);
    pen_json_member_text(j, "comm", run->model->transport);
    pen_json_member_text(j, "partitioner", run->partitioner);
    pen_json_member_text(j, "balancer", run->balancer.name);
    pen_json_member_text(j, "balance_when", run->when);
    if (machine) pen_json_member_text(j, "machine", machine);
    else pen_json_member_real(j, "machine", NAN);
    write_seconds(j, run, run->totals.work, run->totals.pulls);
    write_ranks(j, run);
    pen_json_begin(j, "partition", '{');
    pen_json_member_int(j, "cut", run->first.cut);
    if (machine) pen_json_member_real(j, "dilation", run->first.dilation);
    pen_json_member_real(j, "imbalance", run->first.imbalance);
    pen_json_member_real(j, "bound", run->first.bound);
    pen_json_member_int(j, "max_volume", run->first.max_volume);
    pen_json_member_int(j, "pieces", run->first.pieces);
    pen_json_end(j, '}');
    write_history(j, run);
    write_work(j, run);
    write_calls(j, run);
    pen_json_end(j, '}');
}

pen_status pen_replay_metrics_write(const replay_run *run, const char *machine, const char *path)
{
    sim_report out;
    PEN_TRY(pen_sim_report_begin(&out, SIM_TEXT, path));
    write_run(&out.json, run, machine);
    return pen_sim_report_end(&out, PEN_OK);
}
