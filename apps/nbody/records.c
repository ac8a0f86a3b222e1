/* records.c - reads and writes the records of nodes. */
#include "apps/nbody/records.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const nbody_body *x = (const nbody_body *)a, *y = (const nbody_body *)b;
    return (x->number > y->number) - (x->number < y->number);
}

void pen_nbody_sort(nbody_body *list, int64_t count)
{
    int64_t i = 1;
    while (i < count && list[i - 1].number < list[i].number) i++; /* bodies are mostly in order already */
    if (i < count) qsort(list, (size_t)count, sizeof *list, by_number);
}

nbody_body pen_nbody_take(const nbody *s, const void *where, const void *motion, int64_t i)
{
    const double *x = ((const places *)where)->data + i, *u = (const double *)motion + i;
    int64_t m = s->cell_max;
    return (nbody_body){ .number = (int64_t)u[3 * m],
                         .body = { { x[0], x[m], x[2 * m] }, { u[0], u[m], u[2 * m] }, x[3 * m] } };
}

void pen_nbody_set_count(const nbody *s, places *p, int64_t count)
{
    p->count = count;
    for (int k = 0; k < 4; k++)
        memset(p->data + k * s->cell_max + count, 0, (size_t)(s->cell_max - count) * sizeof *p->data);
}

void pen_nbody_put(const nbody *s, const nbody_body *list, int64_t count, void *where, void *motion)
{
    places *p = (places *)where;
    int64_t m = s->cell_max;
    pen_nbody_set_count(s, p, count);
    for (int64_t i = 0; i < count; i++) {
        double *x = p->data + i, *u = (double *)motion + i;
        const bodies_body *body = &list[i].body;
        for (int d = 0; d < 3; d++) {
            x[d * m] = body->place[d];
            u[d * m] = body->velocity[d];
        }
        x[3 * m] = body->mass;
        u[3 * m] = (double)list[i].number;
    }
}

const places *pen_nbody_places(const nbody *s, const pen_records *where, int64_t k)
{
    const size_t size = sizeof(places) + 4 * (size_t)s->cell_max * sizeof(double);
    return (const places *)((const char *)where->records + (size_t)k * size);
}

int64_t pen_nbody_count(const nbody *s, const pen_records *where)
{
    int64_t count = 0;
    for (int64_t k = 0; k < where->count; k++) count += pen_nbody_places(s, where, k)->count;
    return count;
}

void pen_nbody_weigh_nothing(cell *c)
{
    for (int d = 0; d < 3; d++) {
        c->low[d] = DBL_MAX;
        c->high[d] = -DBL_MAX;
        c->centre[d] = 0.0;
    }
    c->mass = 0.0;
}

void pen_nbody_weigh(const nbody_body *list, int64_t count, cell *c)
{
    c->bodies = count;
    pen_nbody_weigh_nothing(c);
    for (int64_t i = 0; i < count; i++) {
        const bodies_body *body = &list[i].body;
        c->mass += body->mass;
        for (int d = 0; d < 3; d++) {
            c->centre[d] += body->mass * body->place[d];
            c->low[d] = fmin(c->low[d], body->place[d]);
            c->high[d] = fmax(c->high[d], body->place[d]);
        }
    }
    for (int d = 0; d < 3; d++) c->centre[d] /= c->mass;
}

double pen_nbody_size2(const cell *c)
{
    double sum = 0.0;
    for (int d = 0; d < 3; d++) sum += (c->high[d] - c->low[d]) * (c->high[d] - c->low[d]);
    return sum;
}
