/* history.c - the part that keeps the course of a rank's load and of the number of nodes. */
#include "balancing/history.h"
#include "balancing/loads.h"
#include "run/report.h"

static pen_status open_histories(pen_run *run, void *state, const pen_run_options *options)
{
    pen_histories *h = state;
    (void)run;
    (void)options;
    pen_history_start(&h->load);
    pen_history_start(&h->nodes);
    return PEN_OK;
}

static pen_status note_step(pen_run *run, void *state, uint64_t spent)
{
    pen_histories *h = state;
    const pen_loads *loads = pen_loads_of(run);
    if (run->changes) pen_history_add(&h->nodes, (double)run->nodes);
    pen_history_add(&h->load, loads && loads->declared ? loads->total : (double)spent);
    return PEN_OK;
}

/* Loads of the ranks and numbers of nodes over the steps, as means over `stride` of them. */
static void metrics(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_histories *h = state;
    fprintf(out, ",\n  \"history\": {\"stride\": %" PRId64 ", \"unit\": \"%s\", \"loads\": [", h->load.stride,
            report->declared ? "units" : "seconds");
    for (int r = 0; r < run->comm->size; r++) {
        const double *loads = report->loads + (int64_t)r * h->load.count;
        fputs(r ? ",\n    [" : "\n    [", out);
        for (int i = 0; i < h->load.count; i++) fprintf(out, "%s%.6g", i ? ", " : "", loads[i]);
        fputc(']', out);
    }
    fprintf(out, "]},\n  \"nodes_over_steps\": {\"stride\": %" PRId64 ", \"nodes\": [", h->nodes.stride);
    for (int i = 0; i < h->nodes.count; i++) fprintf(out, "%s%.9g", i ? ", " : "", h->nodes.means[i]);
    fputs("]}", out);
}

const pen_part pen_part_history = {
    .name = "history",
    .state_size = sizeof(pen_histories),
    .open = open_histories,
    .after_phases = note_step,
    .metrics = metrics,
};
