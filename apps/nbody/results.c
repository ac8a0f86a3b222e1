#include "apps/nbody/results.h"
#include "apps/frame.h"
#include "apps/nbody/frames.h"
#include "apps/nbody/records.h"

#include <math.h>
#include <stdlib.h>

static const force *force_of(const nbody *s, const pen_records *forces, int64_t k)
{
    size_t size = sizeof(force) + 4 * (size_t)s->cell_max * sizeof(double);
    return (const force *)((const char *)forces->records + (size_t)k * size);
}

/* ---- Forces against direct sums --------------------------------------------------------------- */

/* All bodies on rank 0. */
typedef struct gathered {
    int64_t count;
    double *place, *sums; /* [4][count] x, y, z, mass; ax, ay, az, potential */
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

/* ---- Pictures --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Wide enough for most bodies. */
bool pen_nbody_choose_view(nbody *s)
{
    const bodies_set *set = &s->set;
    double mass = 0.0, *far = (double *)malloc((size_t)set->count * sizeof *far);
    if (!far) return false;
    s->centre[0] = s->centre[1] = 0.0;
    for (int64_t i = 0; i < set->count; i++) {
        const bodies_body *body = &set->bodies[i];
        mass += body->mass;
        for (int d = 0; d < 2; d++) s->centre[d] += body->mass * body->place[d];
    }
    for (int d = 0; d < 2; d++) s->centre[d] /= mass;
    for (int64_t i = 0; i < set->count; i++) {
        const double *x = set->bodies[i].place;
        far[i] = fmax(fabs(x[0] - s->centre[0]), fabs(x[1] - s->centre[1]));
    }
    qsort(far, (size_t)set->count, sizeof *far, by_size);
    s->reach = 1.25 * far[set->count * 85 / 100];
    if (!(s->reach > 0.0)) s->reach = 1.0;
    free(far);
    return true;
}

/* All bodies, and the busiest rank's interactions over the mean. */
static bool fill_picture(const nbody *s, const pen_records *where, const pen_records *forces, nbody_light *lights,
                         nbody_picture *picture)
{
    double *loads = (double *)calloc((size_t)picture->ranks, sizeof *loads), sum = 0.0, most = 0.0;
    if (!loads) return false;
    memcpy(picture->centre, s->centre, sizeof picture->centre);
    picture->reach = s->reach;
    for (int64_t k = 0; k < where->count; k++) {
        const places *p = pen_nbody_places(s, where, k);
        picture->leaves += p->count > 0;
        for (int64_t i = 0; i < p->count; i++)
            lights[picture->count++] = (nbody_light){ p->data[i], p->data[s->cell_max + i],
                                                      p->data[3 * s->cell_max + i], where->owners[k] };
        const force *f = force_of(s, forces, k);
        if (p->count > 0) loads[where->owners[k]] += (double)pen_nbody_interactions(p->count, f->close, f->far);
    }
    for (int32_t r = 0; r < picture->ranks; r++) {
        sum += loads[r];
        most = fmax(most, loads[r]);
    }
    picture->imbalance = sum > 0.0 ? most * picture->ranks / sum : 0.0;
    picture->lights = lights;
    free(loads);
    return true;
}

static pen_status write_frame(pen_run *run, const nbody *s, int64_t step)
{
    pen_records where = { .count = 0 }, forces = { .count = 0 };
    nbody_picture picture = { .ranks = s->ranks, .step = step - 1, .time = (double)(step - 1) * s->dt };
    char name[32];
    pen_status status = pen_run_gather(run, PLACES, &where);
    if (status == PEN_OK) status = pen_run_gather(run, FORCE, &forces);
    nbody_light *lights = NULL;
    if (where.count > 0) lights = (nbody_light *)malloc(((size_t)pen_nbody_count(s, &where) + 1) * sizeof *lights);
    bool drawn = lights && fill_picture(s, &where, &forces, lights, &picture);
    snprintf(name, sizeof name, "%04" PRId64 ".svg", step - 1);
    if (status == PEN_OK) status = pen_frame_write(run, s->frames, name, pen_nbody_draw, drawn ? &picture : NULL);
    free(lights);
    pen_records_free(&where);
    pen_records_free(&forces);
    return status;
}

/* ---- Memory ----------------------------------------------------------------------------------- */

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
    if (s->frames && step > 0) status = write_frame(run, s, step);
    if (status == PEN_OK && s->check_forces > 0 && last && step > 0) status = check_forces(run, s, out);
    return status == PEN_OK && last ? tell_memory(run, s, out) : status;
}
