/* reporting.c - prints observables and progress during a run, on rank 0. */
#include "observables/reporting.h"
#include "observables/progress.h"
#include "observables/until.h"

typedef struct reporting {
    bool on;       /* something is printed */
    FILE *table;   /* file for the lines of observables; NULL: none */
    int64_t every; /* number of steps between two lines */
    bool entered;  /* the first call of pen_run_steps has begun */
    pen_progress_line progress;
} reporting;

pen_status pen_observables_needed(int count)
{
    return count > 0 ? PEN_OK : pen_fail(PEN_ERR_INPUT, "--observables needs an application with observables");
}

pen_status pen_observables_check(const pen_app *app, const pen_run_options *options)
{
    pen_values values;
    pen_status status = pen_values_create(app, &values);
    if (status == PEN_OK && (options->output.observables || options->output.print_observables))
        status = pen_observables_needed(values.count);
    if (status == PEN_OK) status = pen_until_check(options->until, values.table, values.count);
    pen_values_free(&values);
    return status;
}

/* The width of a column, sufficient for most numbers of its kind. */
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

/* Print ", name value" for each observable, cut off at the size of the buffer. */
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

/* ---- The part ------------------------------------------------------------------------------- */

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    return options->output.print_observables || options->progress != PEN_PROGRESS_OFF;
}

static pen_status open_reporting(pen_run *run, void *state, const pen_run_options *options)
{
    reporting *r = state;
    if (options->output.print_observables) PEN_TRY(pen_observables_needed(run->observation->count));
    r->table = options->output.print_observables ? run->files.out : NULL;
    r->every = options->output.observables_every > 0 ? options->output.observables_every : 1;
    pen_progress_start(options->progress, run->comm->rank == 0, run->world.steps, &r->progress);
    r->on = r->table || r->progress.on;
    return PEN_OK;
}

static void enter(pen_run *run, void *state, int64_t steps)
{
    reporting *r = state;
    if (!r->on) return;
    if (run->world.steps == 0)
        r->progress.steps = steps < PEN_UNLIMITED - run->step ? run->step + steps : PEN_UNLIMITED;
    if (r->entered) return;
    r->entered = true;
    r->progress.first = run->step;
    r->progress.start = pen_seconds_now();
    if (run->calls.begun || !r->table) return;
    print_names(run, r->table);
    print_values(run, r->table);
}

static pen_status report_step(pen_run *run, void *state)
{
    reporting *r = state;
    if (!r->on) return PEN_OK;
    if (r->table && run->step % r->every == 0) print_values(run, r->table);
    if (!pen_progress_due(&r->progress)) return PEN_OK;
    char values[256];
    print_brief(run, values, sizeof values);
    pen_progress_show(&r->progress, run->step, values);
    return PEN_OK;
}

static pen_status leave(pen_run *run, void *state, pen_status status)
{
    reporting *r = state;
    if (r->on) pen_progress_end(&r->progress);
    return PEN_OK;
}

pen_progress_line pen_reporting_again(const pen_run *run, int64_t steps)
{
    const reporting *r = pen_part_state(run, &pen_part_reporting);
    return (pen_progress_line){ .on = r && r->progress.on, .steps = steps, .start = pen_seconds_now() };
}

static pen_status read_progress(char *text, pen_run_options *o)
{
    o->progress = PEN_PROGRESS_OFF;
    if (strcmp(text, "on") == 0) o->progress = PEN_PROGRESS_ON;
    else if (strcmp(text, "auto") == 0) o->progress = PEN_PROGRESS_AUTO;
    else if (strcmp(text, "off") != 0) return pen_fail(PEN_ERR_INPUT, "--progress=%s: must be auto, on or off", text);
    return PEN_OK;
}

static const pen_part_option options_of_reporting[] = {
    { "progress", "MODE", "print a progress line on standard error: auto (default: on a terminal), on, off",
      PEN_OPTION_SETS(progress), .high = PEN_PROGRESS_AUTO, .initial = "auto", .output = true, .local = true,
      .read = read_progress },
    { .name = NULL },
};

const pen_part pen_part_reporting = {
    .name = "reporting",
    .state_size = sizeof(reporting),
    .options = options_of_reporting,
    .wanted = wanted,
    .open = open_reporting,
    .enter = enter,
    .after_step = report_step,
    .leave = leave,
};
