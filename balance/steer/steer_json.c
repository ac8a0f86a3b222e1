/* steer_json.c - writes the calls of a balancer as JSON. */
#include "steer/steer_json.h"

static void write_counters(json *j, const pen_balancer *kind, const double *counts)
{
    if (!kind || !kind->counters) return;
    pen_json_begin(j, "counters", '{');
    for (int i = 0; kind->counters[i]; i++) pen_json_member_real(j, kind->counters[i], counts[i]);
    pen_json_end(j, '}');
}

static void write_call(json *j, const pen_balance_call *c, const pen_balancer *kind, bool on_machine)
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
    if (on_machine) {
        pen_json_member_real(j, "dilation_before", c->before.dilation);
        pen_json_member_real(j, "dilation_after", c->after.dilation);
        pen_json_member_real(j, "step_time_before", c->before.step_time);
        pen_json_member_real(j, "step_time_after", c->after.step_time);
    }
    write_counters(j, kind, c->evaluation.counts);
    pen_json_end(j, '}');
}

void pen_steer_json(json *j, const pen_steer *steer, const pen_balancer *kind, bool on_machine)
{
    const pen_balance_totals *all = &steer->all;
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
    write_counters(j, kind, all->counts);
    pen_json_end(j, '}');
    pen_json_member_int(j, "balance_failures", all->failed);
    pen_json_begin(j, "balance_calls", '[');
    for (int i = 0; i < steer->call_count; i++) write_call(j, &steer->calls[i], kind, on_machine);
    pen_json_end(j, ']');
}
