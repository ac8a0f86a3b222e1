/* series.c - keeps the observables over the steps in limited memory. */
#include "observables/series.h"
#include "base/json.h"
#include "base/memory.h"

static pen_status open_series(pen_run *run, void *state, const pen_run_options *options)
{
    pen_series *series = state;
    series->stride = 1;
    PEN_TRY(PEN_ALLOC(&series->first, run->observation->count));
    return PEN_ALLOC(&series->values, (int64_t)run->observation->count * PEN_SERIES);
}

static void destroy(pen_run *run, void *state)
{
    pen_series *series = state;
    PEN_FREE_ALL(series->values, series->first);
}

static void copy_values(const pen_observables *o, int64_t *to)
{
    for (int i = 0; i < o->count; i++) to[i] = pen_observation_bits(o, i);
}

/* Keep every second moment. */
static void thin_out(pen_series *series, int observables)
{
    size_t bytes = (size_t)observables * sizeof *series->values;
    series->count = PEN_SERIES / 2;
    series->stride *= 2;
    for (int m = 0; m < series->count; m++)
        memcpy(series->values + (size_t)m * (size_t)observables,
               series->values + (2 * (size_t)m + 1) * (size_t)observables, bytes);
}

/* Add the values after every stride-th step. The values of the first state may be given again. */
static void add(pen_run *run, void *state)
{
    pen_series *series = state;
    const pen_observables *o = run->observation;
    if (run->step == 0) copy_values(o, series->first);
    else if (run->step % series->stride == 0)
        copy_values(o, series->values + (size_t)series->count++ * (size_t)o->count);
    if (series->count == PEN_SERIES) thin_out(series, o->count);
}

/* Code the present values, and their history. */
static pen_status code(pen_coder *c, pen_run *run, void *state)
{
    pen_series *s = state;
    pen_observables *o = run->observation;
    const int values = o->count;
    for (int i = 0; i < values; i++) pen_code_int(c, &o->ints[i]);
    pen_code_reals(c, o->reals, values);
    pen_code_range(c, &s->count, 0, PEN_SERIES - 1);
    pen_code_int(c, &s->stride);
    for (int i = 0; i < values; i++) pen_code_int(c, &s->first[i]);
    for (int i = 0; i < s->count * values; i++) pen_code_int(c, &s->values[i]);
    if (c->in && s->stride < 1) c->in->wrong = true;
    return PEN_OK;
}

/* ---- Metrics -------------------------------------------------------------------------------- */

static void json_value(FILE *out, const pen_observables *o, int index, int64_t bits)
{
    if (pen_observable_is_int(o->table[index].kind)) fprintf(out, "%" PRId64, bits);
    else pen_json_real(out, pen_real_of((uint64_t)bits));
}

static void json_course(FILE *out, const pen_observables *o, const pen_series *series, int index)
{
    fputc('[', out);
    for (int m = 0; m < series->count; m++) {
        fputs(m ? ", " : "", out);
        json_value(out, o, index, series->values[m * o->count + index]);
    }
    fputc(']', out);
}

static void json_first(FILE *out, const pen_observables *o, const pen_series *series, int index)
{
    json_value(out, o, index, series->first[index]);
}

static void json_last(FILE *out, const pen_observables *o, const pen_series *series, int index)
{
    json_value(out, o, index, pen_observation_bits(o, index));
}

/* Print an object with the name and `print` of each value, each on its own line if `lines`. */
static void json_values(FILE *out, const pen_observables *o, const pen_series *series, bool lines,
                        void (*print)(FILE *out, const pen_observables *o, const pen_series *series, int index))
{
    fputc('{', out);
    for (int i = 0; i < o->count; i++) {
        if (i > 0) fputs(lines ? "," : ", ", out);
        if (lines) fputs("\n    ", out);
        pen_json_text(out, o->table[o->values.order[i]].name);
        fputs(": ", out);
        print(out, o, series, o->values.order[i]);
    }
    fputs(lines && o->count ? "\n  }" : "}", out);
}

/* Print the history of observables and globals: for each an array with a value every `stride` steps, their first
 * values, and their last ones. */
static void metrics(FILE *out, const pen_run *run, const void *state, const struct pen_report *report)
{
    const pen_observables *o = run->observation;
    const pen_series *series = state;
    fprintf(out, ",\n  \"observables_stride\": %" PRId64 ",\n  \"observables\": ", series ? series->stride : 1);
    json_values(out, o, series, true, json_course);
    fputs(",\n  \"observables_first\": ", out);
    json_values(out, o, series, false, json_first);
    fputs(",\n  \"observables_last\": ", out);
    json_values(out, o, series, false, json_last);
}

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    return app->observables.count > 0 || app->globals;
}

const pen_part pen_part_series = {
    .name = "series",
    .state_size = sizeof(pen_series),
    .wanted = wanted,
    .open = open_series,
    .observed = add,
    .code = code,
    .metrics = metrics,
    .destroy = destroy,
};
