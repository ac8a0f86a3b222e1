/* results.c - prints the error of the forces, and the memory. */
#include "apps/nbody/phases.h"

#include <math.h>
#include <stdlib.h>

static const force *force_of(const nbody *s, const pen_records *forces, int64_t k)
{
    size_t size = sizeof(force) + 4 * (size_t)s->cell_max * sizeof(double);
    return (const force *)((const char *)forces->records + (size_t)k * size);
}

/* All bodies on rank 0. */
typedef struct gathered {
    int64_t count;
    double *place, *sums; /* [4][count] arrays: x, y, z, mass; ax, ay, az, potential */
} gathered;

static bool collect(const nbody *s, const pen_records *where, const pen_records *forces, gathered *all)
{
    int64_t m = s->cell_max, used = 0;
    all->count = pen_nbody_count(s, where);
    all->place = (double *)malloc(4 * (size_t)all->count * sizeof(double));
    all->sums = (double *)malloc(4 * (size_t)all->count * sizeof(double));
    if (!all->place || !all->sums) return false;
    for (int64_t k = 0; k < where->count; k++) {
        const places *p = pen_nbody_places(s, where, k);
        const force *f = force_of(s, forces, k);
        for (int64_t i = 0; i < p->count; i++, used++)
            for (int d = 0; d < 4; d++) {
                all->place[d * all->count + used] = p->data[d * m + i];
                all->sums[d * all->count + used] = f->data[d * m + i];
            }
    }
    return true;
}

/* The square of (force - direct sum) / direct sum of one body. */
static double error2(const gathered *all, int64_t i, double softening)
{
    const double *x = all->place;
    int64_t n = all->count;
    double sum[3] = { 0.0 }, apart2 = 0.0, whole2 = 0.0;
    for (int64_t k = 0; k < n; k++) {
        double r2 = softening * softening, d[3];
        for (int c = 0; c < 3; c++) {
            d[c] = x[c * n + k] - x[c * n + i];
            r2 += d[c] * d[c];
        }
        for (int c = 0; c < 3 && k != i; c++) sum[c] += x[3 * n + k] / (r2 * sqrt(r2)) * d[c];
    }
    for (int c = 0; c < 3; c++) {
        apart2 += (all->sums[c * n + i] - sum[c]) * (all->sums[c * n + i] - sum[c]);
        whole2 += sum[c] * sum[c];
    }
    return whole2 > 0.0 ? apart2 / whole2 : 0.0;
}

static void tell_error(const nbody *s, const gathered *all, FILE *out)
{
    int64_t sample = s->check_forces < all->count ? s->check_forces : all->count;
    double sum = 0.0, worst = 0.0;
    for (int64_t k = 0; k < sample; k++) {
        double error = error2(all, k * all->count / sample, s->softening);
        sum += error;
        worst = fmax(worst, error);
    }
    fprintf(out, "forces      of %" PRId64 " bodies off by %.3g %% rms, %.3g %% at most\n", sample,
            100.0 * sqrt(sum / (double)sample), 100.0 * sqrt(worst));
}

static pen_status check_forces(pen_run *run, const nbody *s, FILE *out)
{
    pen_records where = { .count = 0 }, forces = { .count = 0 };
    gathered all = { .count = 0 };
    pen_status status = pen_run_gather(run, PLACES, &where);
    if (status == PEN_OK) status = pen_run_gather(run, FORCE, &forces);
    if (status == PEN_OK && out) {
        if (collect(s, &where, &forces, &all)) tell_error(s, &all, out);
        else fprintf(out, "forces      not checked: no memory\n");
    }
    free(all.place);
    free(all.sums);
    pen_records_free(&where);
    pen_records_free(&forces);
    return status;
}

static pen_status tell_memory(pen_run *run, const nbody *s, FILE *out)
{
    int64_t bytes;
    pen_status status = pen_run_memory(run, &bytes);
    if (status == PEN_OK && out && bytes > 0)
        fprintf(out, "memory      %.0f bytes per body: %.1f MiB, all ranks at their highest\n",
                (double)bytes / (double)s->set.count, (double)bytes / (1 << 20));
    return status;
}

pen_status pen_nbody_output(pen_run *run, int64_t step, void *params, FILE *out)
{
    const nbody *s = (const nbody *)params;
    bool last = step == s->steps || pen_run_done(run);
    pen_status status = PEN_OK;
    if (s->check_forces > 0 && last && step > 0) status = check_forces(run, s, out);
    return status == PEN_OK && last ? tell_memory(run, s, out) : status;
}
