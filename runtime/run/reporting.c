#include "run/reporting.h"
#include "observe/timers.h"

void pen_reporting_start(const pen_run_options *options, bool reporter, pen_reporting *reporting)
{
    *reporting = (pen_reporting){ .table = options->output.print_observables && reporter ? options->out : NULL };
    pen_progress_start(options->progress, reporter, options->steps, &reporting->progress);
    reporting->on = reporting->table || reporting->progress.on;
}

/* A column holds what most numbers of its kind need. */
static int column_width(const pen_observable *observable)
{
    int number = pen_observable_is_int(observable->kind) ? 10 : 24, name = (int)strlen(observable->name);
    return number > name ? number : name;
}

static void print_names(const pen_run *run, FILE *out)
{
    const pen_observables *o = run->observation;
    fprintf(out, "%10s", "step");
    for (int i = 0; i < o->count; i++) {
        const pen_observable *value = &o->table[o->values.order[i]];
        fprintf(out, " %*s", column_width(value), value->name);
    }
    fputc('\n', out);
}

static void print_values(const pen_run *run, FILE *out)
{
    const pen_observables *o = run->observation;
    fprintf(out, "%10" PRId64, run->step);
    for (int i = 0; i < o->count; i++) {
        const int value = o->values.order[i];
        char text[64];
        pen_observation_text(o, value, text, sizeof text);
        fprintf(out, " %*s", column_width(&o->table[value]), text);
    }
    fputc('\n', out);
}

/* ", name value" for each, cut off at the size of the buffer. */
static void print_brief(const pen_run *run, char *text, size_t size)
{
    const pen_observables *o = run->observation;
    text[0] = '\0';
    for (int k = 0; k < o->count; k++) {
        const int i = o->values.order[k];
        char piece[128];
        int length = pen_observable_is_int(o->table[i].kind)
                         ? snprintf(piece, sizeof piece, ", %s %" PRId64, o->table[i].name, o->ints[i])
                         : snprintf(piece, sizeof piece, ", %s %.6g", o->table[i].name, o->reals[i]);
        size_t used = strlen(text);
        if (length >= (int)sizeof piece || used + (size_t)length >= size) break;
        memcpy(text + used, piece, (size_t)length + 1);
    }
}

void pen_reporting_begin(pen_run *run, bool first, int64_t steps)
{
    pen_reporting *r = &run->reporting;
    if (run->observation->count == 0) r->table = NULL;
    if (run->world.steps == 0)
        r->progress.steps = steps < PEN_UNLIMITED - run->step ? run->step + steps : PEN_UNLIMITED;
    if (!first) return;
    r->progress.start = pen_seconds_now();
    if (!r->table) return;
    print_names(run, r->table);
    print_values(run, r->table);
}

void pen_reporting_step(pen_run *run)
{
    pen_reporting *r = &run->reporting;
    if (r->table && run->step % run->observables_every == 0) print_values(run, r->table);
    if (!pen_progress_due(&r->progress)) return;
    char values[256];
    print_brief(run, values, sizeof values);
    pen_progress_show(&r->progress, run->step, values);
}

void pen_reporting_end(pen_run *run) { pen_progress_end(&run->reporting.progress); }
