#include "tools/plot/observed.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/options.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 256 }; /* text of a sum */

/* ---- Sums ----------------------------------------------------------------------------------- */

static pen_status find(const run *r, const char *word, const double **values)
{
    const char **names;
    PEN_TRY(PEN_ALLOC(&names, r->observable_count));
    for (int i = 0; i < r->observable_count; i++) {
        names[i] = r->observables[i].name;
        if (strcmp(names[i], word) == 0) *values = r->observables[i].values;
    }
    pen_status status = *values ? PEN_OK : pen_unknown_name("observable", word, names, r->observable_count);
    free(names);
    return status;
}

/* Of a sum "a+b". */
static pen_status add_up(const char *sum, curve *c)
{
    PEN_TRY(PEN_ALLOC_ZERO(&c->values, c->of->moments));
    for (const char *at = sum; at;) {
        char word[LONGEST];
        const double *values = NULL;
        at = pen_text_cut(at, '+', word, sizeof word);
        PEN_TRY(find(c->of, word, &values));
        for (int64_t m = 0; m < c->of->moments; m++) c->values[m] += values[m];
    }
    return PEN_OK;
}

static pen_status relate(const char *sum, curve *c)
{
    double first = c->values[0];
    if (!(isfinite(first) && first != 0.0))
        return pen_fail(PEN_ERR_INPUT, "%s: %s is %g at first, which changes cannot be related to", c->of->path, sum,
                        first);
    for (int64_t m = 0; m < c->of->moments; m++) c->values[m] = (c->values[m] - first) / fabs(first);
    return PEN_OK;
}

/* "kinetic + potential", behind the run's name where there are several. */
static pen_status name_curve(const run_set *set, const char *sum, curve *c)
{
    size_t size;
    FILE *out = pen_memory_stream(&c->title, &size);
    if (!out) return pen_fail(PEN_ERR_MEMORY, "out of memory for labels");
    if (set->count > 1) fprintf(out, "%s: ", c->of->label);
    for (; *sum; sum++) fprintf(out, *sum == '+' ? " + " : "%c", *sum);
    return fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "out of memory for labels");
}

static pen_status check_run(const run *r)
{
    if (r->observable_count == 0) return pen_fail(PEN_ERR_INPUT, "%s: this run observes nothing", r->path);
    if (r->moments == 0) return pen_fail(PEN_ERR_INPUT, "%s: this run took no steps", r->path);
    return PEN_OK;
}

/* ---- Curves --------------------------------------------------------------------------------- */

/* Some room above and below, also where nothing changes. */
static pen_status find_range(const curve *curves, int count, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int i = 0; i < count; i++)
        for (int64_t m = 0; m < curves[i].of->moments; m++) {
            if (!isfinite(curves[i].values[m])) continue;
            *low = fmin(*low, curves[i].values[m]);
            *high = fmax(*high, curves[i].values[m]);
        }
    if (!(*low <= *high)) return pen_fail(PEN_ERR_INPUT, "%s: no finite numbers to draw", curves[0].of->path);
    double room = 0.05 * (*low < *high ? *high - *low : fabs(*low));
    if (room == 0.0) room = 1.0;
    *low -= room;
    *high += room;
    return PEN_OK;
}

static pen_status add_curves(const run_set *set, curve *curves, int *count)
{
    for (int i = 0; i < set->count; i++) {
        PEN_TRY(check_run(&set->runs[i]));
        for (const char *at = set->of; at;) {
            char sum[LONGEST];
            curve *c = &curves[*count];
            *c = (curve){ .of = &set->runs[i] };
            ++*count;
            at = pen_text_cut(at, ',', sum, sizeof sum);
            PEN_TRY(add_up(sum, c));
            if (set->relative) PEN_TRY(relate(sum, c));
            PEN_TRY(name_curve(set, sum, c));
        }
    }
    return PEN_OK;
}

pen_status pen_runs_curves(const run_set *set, curve **curves, int *count, double *low, double *high)
{
    int sums = 1;
    for (const char *c = set->of; *c; c++) sums += *c == ',';
    *count = 0;
    PEN_TRY(PEN_ALLOC(curves, (int64_t)set->count * sums));
    PEN_TRY(add_curves(set, *curves, count));
    return find_range(*curves, *count, low, high);
}

void pen_curves_free(curve *curves, int count)
{
    for (int i = 0; i < count; i++) PEN_FREE_ALL(curves[i].title, curves[i].values);
    free(curves);
}
