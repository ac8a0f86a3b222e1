/* trace.c - writes the trace of all ranks, for Perfetto or chrome://tracing: a row per rank, spans for phases,
 * pulls, waiting and balancing, a counter for the time in node functions.
 *
 * Format: "Trace Event Format", JSON object with complete ("X"), counter ("C") and metadata ("M") events. */
#include "observe/trace.h"
#include "base/json.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "base/output.h"
#include "run/state.h"

#include <stdlib.h>

enum { PIECE = 1 << 12 }; /* number of events that are converted to text at a time */

static double microseconds(const pen_trace *t, double scale, uint64_t ticks)
{
    return ticks > t->start ? 1e6 * scale * (double)(ticks - t->start) : 0.0;
}

static void print_event(FILE *out, const pen_trace *t, double scale, int rank, const pen_trace_event *e)
{
    double begin = microseconds(t, scale, e->begin);
    fputs(",\n{\"name\": ", out);
    if (!e->category) {
        char name[128];
        snprintf(name, sizeof name, "%s, rank %d", e->name, rank);
        pen_json_text(out, name);
        fprintf(out, ", \"ph\": \"C\", \"ts\": %.3f, \"pid\": 0, \"args\": {\"value\": ", begin);
        pen_json_real(out, e->value);
        fputs("}}", out);
        return;
    }
    pen_json_text(out, e->name);
    fprintf(out,
            ", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": 0, \"tid\": %d, \"args\": "
            "{\"step\": %" PRId64 "}}",
            e->category, begin, microseconds(t, scale, e->end) - begin, rank, e->step);
}

/* Make the text of PIECE events from event `first` on. A rank's first piece begins with the names of the process and
 * rank; the last piece of the last rank ends the file. */
static pen_status print_piece(const pen_run *run, double scale, int64_t first, char **text, size_t *size)
{
    const pen_comm *comm = run->comm;
    const pen_trace *t = run->timers.trace;
    FILE *out = pen_memory_stream(text, size);
    if (!out) return pen_fail(PEN_ERR_MEMORY, "out of memory for the trace");
    if (first == 0) {
        if (comm->rank == 0) {
            fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n{\"name\": \"process_name\", \"ph\": \"M\", "
                  "\"pid\": 0, \"args\": {\"name\": ",
                  out);
            pen_json_text(out, run->app->name);
            fputs("}}", out);
        }
        fprintf(
            out,
            ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 0, \"tid\": %d, \"args\": {\"name\": \"rank %d\"}}",
            comm->rank, comm->rank);
    }
    int64_t end = t->count - first < PIECE ? t->count : first + PIECE;
    for (int64_t i = first; i < end; i++) print_event(out, t, scale, comm->rank, &t->events[i]);
    if (end == t->count && comm->rank == comm->size - 1) fputs("\n]}\n", out);
    return fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "out of memory for the trace");
}

/* Make all pieces. Write them at *offset into `output`, or only measure them if `output` is NULL. */
static pen_status print_all(const pen_run *run, double scale, pen_output *output, int64_t *offset)
{
    pen_status status = PEN_OK;
    for (int64_t first = 0; status == PEN_OK && (first == 0 || first < run->timers.trace->count); first += PIECE) {
        char *text = NULL;
        size_t size = 0;
        status = print_piece(run, scale, first, &text, &size);
        if (status == PEN_OK && output) status = pen_output_write(output, text, (int64_t)size, *offset);
        *offset += (int64_t)size;
        free(text);
    }
    return status;
}

pen_status pen_run_trace(pen_run *run, const char *path)
{
    PEN_WITHIN("pen_run_trace");
    PEN_TRY(pen_run_ready(run, "pen_run_trace"));
    PEN_ARGUMENT(run->timers.trace, "%s: the run keeps no trace", run->app->name);
    PEN_C_LOCALE;
    pen_output *output = NULL;
    double scale = pen_timers_scale(&run->timers);
    int64_t length = 0, offset, dropped;
    pen_status status = pen_reads_spare(&run->files.reads, "pen_run_trace", path);
    PEN_TRY(pen_agree(run->comm, status == PEN_OK ? print_all(run, scale, NULL, &length) : status));
    PEN_TRY(pen_sum_int(run->comm, run->timers.trace->dropped, &dropped));
    PEN_TRY(pen_prefix_int(run->comm, length, &offset));
    PEN_TRY(pen_output_create(run->comm, path, &output));
    PEN_TRY(pen_output_commit(&output, print_all(run, scale, output, &offset)));
    if (dropped > 0 && run->comm->rank == 0)
        pen_warn("the trace lacks the last %" PRId64 " events: a rank keeps %d", dropped, PEN_TRACE_EVENTS);
    return PEN_OK;
}

/* ---- The part ----------------------------------------------------------------------------------- */

static pen_status begin_trace(pen_run *run, void *state, const pen_run_options *options)
{
    return pen_trace_create(run->comm, &run->timers.trace);
}

static pen_status note_seconds(pen_run *run, void *state, uint64_t spent)
{
    pen_trace_record(run->timers.trace, &(pen_trace_event){ .name = "seconds in node functions",
                                                            .begin = pen_ticks(),
                                                            .step = run->step,
                                                            .value = (double)spent * pen_timers_scale(&run->timers) });
    return PEN_OK;
}

static void end_trace(pen_run *run, void *state) { pen_trace_destroy(&run->timers.trace); }

static const pen_part_option options_of_trace[] = {
    { PEN_OPTION_SETS(debug.trace) },
    { .name = NULL },
};

const pen_part pen_part_trace = {
    .name = "trace",
    .options = options_of_trace,
    .first_decides = true,
    .ready = begin_trace,
    .after_phases = note_seconds,
    .destroy = end_trace,
};
