/* history.c - the part that keeps the course of a rank's load and of the number of nodes. */
#include "balancing/history.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "run/report.h"

#include <stdlib.h>

static bool are_declared(const pen_run *run)
{
    const pen_loads *loads = pen_loads_of(run);
    return loads && loads->declared;
}

static pen_status open_histories(pen_run *run, void *state, const pen_run_options *options)
{
    pen_histories *h = state;
    pen_history_start(&h->load);
    pen_history_start(&h->nodes);
    return PEN_OK;
}

static pen_status note_step(pen_run *run, void *state, uint64_t spent)
{
    pen_histories *h = state;
    if (run->changed.requests) pen_history_add(&h->nodes, (double)run->graph.nodes);
    pen_history_add(&h->load, are_declared(run) ? pen_loads_of(run)->total : (double)spent);
    return PEN_OK;
}

/* Code a load, whose unit in the file differs: `unit` of the file is 1 in memory. */
static void code_load(pen_coder *c, double *load, double unit)
{
    double value = *load * unit;
    pen_code_real(c, &value);
    if (c->in) *load = unit > 0.0 ? value / unit : 0.0;
}

static void code_history(pen_coder *c, pen_history *h, double unit)
{
    pen_code_range(c, &h->count, 0, PEN_HISTORY - 1);
    pen_code_int(c, &h->stride);
    pen_code_int(c, &h->steps);
    code_load(c, &h->sum, unit);
    for (int i = 0; i < h->count; i++) code_load(c, &h->means[i], unit);
    if (c->in && (h->stride < 1 || h->steps < 0 || h->steps >= h->stride)) c->in->wrong = true;
}

static pen_status code(pen_coder *c, pen_run *run, void *state)
{
    pen_histories *h = state;
    bool declared = are_declared(run);
    pen_code_bool(c, &declared);
    h->other_unit = declared != are_declared(run);
    code_history(c, &h->nodes, 1.0);
    return PEN_OK;
}

/* Code the loads of a rank. Measured loads are in ticks, which differ between machines; the file has seconds. */
static pen_status code_rank(pen_coder *c, pen_run *run, void *state)
{
    pen_histories *h = state;
    code_history(c, &h->load, are_declared(run) ? 1.0 : pen_timers_scale(&run->timers));
    return PEN_OK;
}

static void resumed(pen_run *run, void *state, bool found, bool stays)
{
    pen_histories *h = state;
    if (h->other_unit) pen_history_start(&h->load);
}

/* Gather the loads of all ranks on rank 0. */
static pen_status gather(pen_run *run, void *state)
{
    pen_histories *h = state;
    double mine[PEN_HISTORY], scale = are_declared(run) ? 1.0 : pen_timers_scale(&run->timers);
    const int count = h->load.count, ranks = run->comm->size;
    PEN_TRY(pen_agree(run->comm, run->comm->rank == 0 ? PEN_REALLOC(&h->loads, (int64_t)ranks * count) : PEN_OK));
    for (int i = 0; i < count; i++) mine[i] = scale * h->load.means[i];
    PEN_MPI(MPI_Gather(mine, count, MPI_DOUBLE, h->loads, count, MPI_DOUBLE, 0, run->comm->mpi));
    return PEN_OK;
}

/* Print the loads of the ranks and the numbers of nodes over the steps, as means over `stride` steps. */
static void metrics(FILE *out, const pen_run *run, const void *state, const pen_report *report)
{
    const pen_histories *h = state;
    fprintf(out, ",\n  \"history\": {\"stride\": %" PRId64 ", \"unit\": \"%s\", \"loads\": [", h->load.stride,
            are_declared(run) ? "units" : "seconds");
    for (int r = 0; r < run->comm->size; r++) {
        const double *loads = h->loads + (int64_t)r * h->load.count;
        fputs(r ? ",\n    [" : "\n    [", out);
        for (int i = 0; i < h->load.count; i++) fprintf(out, "%s%.6g", i ? ", " : "", loads[i]);
        fputc(']', out);
    }
    fprintf(out, "]},\n  \"nodes_over_steps\": {\"stride\": %" PRId64 ", \"nodes\": [", h->nodes.stride);
    for (int i = 0; i < h->nodes.count; i++) fprintf(out, "%s%.9g", i ? ", " : "", h->nodes.means[i]);
    fputs("]}", out);
}

static void destroy(pen_run *run, void *state) { free(((pen_histories *)state)->loads); }

const pen_part pen_part_history = {
    .name = "history",
    .state_size = sizeof(pen_histories),
    .open = open_histories,
    .after_phases = note_step,
    .code = code,
    .code_rank = code_rank,
    .resumed = resumed,
    .gather = gather,
    .metrics = metrics,
    .destroy = destroy,
};
