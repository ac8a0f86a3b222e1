#include "driver/csv.h"
#include "driver/text_file.h"

static void print_observables(FILE *out, const pen_run *run)
{
    const pen_app *app = run->app;
    fputs("step", out);
    for (int i = 0; i < app->observable_count; i++) fprintf(out, ",%s", app->observables[i].name);
    fputc('\n', out);
    for (int64_t s = 0; s < run->series.steps; s++) {
        fprintf(out, "%" PRId64, s + 1);
        for (int i = 0; i < app->observable_count; i++) {
            int64_t at = s * app->observable_count + i;
            if (pen_observable_is_int(app->observables[i].kind)) fprintf(out, ",%" PRId64, run->series.ints[at]);
            else fprintf(out, ",%.17g", run->series.reals[at]);
        }
        fputc('\n', out);
    }
}

pen_status pen_observables_write(pen_run *run, const char *path)
{
    pen_text_file text;
    FILE *out = pen_text_file_begin(run->comm, &text);
    if (out) print_observables(out, run);
    return pen_text_file_end(run->comm, &text, path, "observables");
}
