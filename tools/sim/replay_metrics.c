/* replay_metrics.c - writes the metrics of a replay, like those of a run, for programs such as pen-plot. */
#include "steer/steer_json.h"
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
    pen_json_member_text(j, "partitioner", run->world.partitioner);
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
    if (w->world.first > 0) {
        pen_json_begin(j, "checkpoints", '{');
        pen_json_member_int(j, "resumed", w->world.first);
        pen_json_end(j, '}');
    }
    write_history(j, run);
    write_work(j, run);
    pen_steer_json(j, &run->steer, run->balancer.chosen.kind, run->world.machine != NULL);
    pen_json_end(j, '}');
}

pen_status pen_replay_metrics_write(const replay_run *run, const char *machine, const char *path)
{
    sim_report out;
    PEN_TRY(pen_sim_report_begin(&out, "text", path));
    write_run(&out.json, run, machine);
    return pen_sim_report_end(&out, PEN_OK);
}
