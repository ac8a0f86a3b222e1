/* nbody_oracle.h - the computation that apps/nbody/nbody.h defines, by plain serial loops that share no code with the
 * application. In every step the tree is built again by selecting bodies; lists of cells come from one traversal per
 * leaf, and are sorted afterwards. Simple and slow. */
#pragma once

#include "apps/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>

typedef struct oracle_cell oracle_cell;

typedef struct oracle_list {
    oracle_cell **cells; /* [count] */
    int64_t count;
} oracle_list;

struct oracle_cell {
    int level;
    int64_t at[3]; /* i, j, k */
    pen_gid gid;
    int64_t *bodies; /* [count] ascending numbers */
    int64_t count;
    const oracle_cell *parent;
    oracle_cell *children[8]; /* NULL: none; a leaf has none at all */
    bool leaf;
    double mass, centre[3], low[3], high[3], size2;
    oracle_list far, close; /* of a leaf, by gid; it is not among its close leaves */
};

typedef struct oracle {
    int64_t cell_max;
    double delta, dt, softening, cube; /* cube: never 0 */
    int64_t count, steps;
    bodies_body *bodies; /* [count] */
    double (*accelerations)[3], *potentials;
    oracle_cell *root;
    oracle_list cells; /* all, by gid */
    char wrong[200];   /* why it cannot go on, or "" */
} oracle;

/* ---- Cells ---------------------------------------------------------------------------------- */

static inline void oracle_add(oracle_list *list, oracle_cell *c)
{
    int64_t n = list->count;
    if ((n & (n - 1)) == 0) list->cells = realloc(list->cells, (size_t)(2 * n + 1) * sizeof *list->cells);
    list->cells[list->count++] = c;
}

static inline pen_gid oracle_gid(int level, const int64_t *at)
{
    int64_t gid = 1;
    for (int l = 0; l < level; l++) gid *= 8;
    for (int bit = 0; bit < level; bit++)
        for (int k = 0; k < 3; k++) gid += (at[k] >> bit & 1) << (3 * bit + k);
    return gid;
}

/* Of a place, among the columns of the deepest level; may be beyond them. */
static inline double oracle_column(const oracle *o, double place)
{
    return floor((place + o->cube) * (524288.0 / o->cube));
}

static inline bool oracle_inside(const oracle *o, int64_t body)
{
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        double column = oracle_column(o, o->bodies[body].place[k]);
        inside = inside && column >= 0.0 && column < 1048576.0;
    }
    return inside;
}

static inline bool oracle_in_cell(const oracle *o, int64_t body, const oracle_cell *c)
{
    bool in = true;
    for (int k = 0; k < 3; k++)
        in = in && (int64_t)oracle_column(o, o->bodies[body].place[k]) >> (20 - c->level) == c->at[k];
    return in;
}

static inline void oracle_box(oracle_cell *c, const double *low, const double *high)
{
    for (int k = 0; k < 3; k++) {
        c->low[k] = fmin(c->low[k], low[k]);
        c->high[k] = fmax(c->high[k], high[k]);
    }
}

/* One of the terms of a cell's mass and centre. */
static inline void oracle_weigh(oracle_cell *c, double mass, const double *place)
{
    c->mass += mass;
    for (int k = 0; k < 3; k++) c->centre[k] += mass * place[k];
}

static inline void oracle_summarize(const oracle *o, oracle_cell *c)
{
    double sides[3];
    for (int k = 0; k < 3; k++) {
        c->low[k] = INFINITY;
        c->high[k] = -INFINITY;
    }
    for (int64_t i = 0; c->leaf && i < c->count; i++) {
        const bodies_body *b = &o->bodies[c->bodies[i]];
        oracle_weigh(c, b->mass, b->place);
        oracle_box(c, b->place, b->place);
    }
    for (int j = 0; j < 8; j++) {
        const oracle_cell *child = c->children[j];
        if (!child) continue;
        oracle_weigh(c, child->mass, child->centre);
        oracle_box(c, child->low, child->high);
    }
    for (int k = 0; k < 3; k++) {
        c->centre[k] /= c->mass;
        sides[k] = c->high[k] - c->low[k];
    }
    c->size2 = sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2];
}

/* The cell with those of its parent's bodies that are in it, and its subtree; NULL: there are none. Without a parent it
 * is the root. */
static inline oracle_cell *oracle_plant(oracle *o, const oracle_cell *parent, int child)
{
    oracle_cell *c = calloc(1, sizeof *c);
    int64_t all = parent ? parent->count : o->count;
    c->parent = parent;
    c->level = parent ? parent->level + 1 : 0;
    for (int k = 0; parent && k < 3; k++) c->at[k] = 2 * parent->at[k] + (child >> k & 1);
    c->gid = oracle_gid(c->level, c->at);
    c->bodies = malloc((size_t)all * sizeof *c->bodies);
    for (int64_t i = 0; i < all; i++) {
        int64_t body = parent ? parent->bodies[i] : i;
        if (oracle_in_cell(o, body, c)) c->bodies[c->count++] = body;
    }
    if (c->count == 0) {
        free(c->bodies);
        free(c);
        return NULL;
    }
    c->leaf = c->count <= o->cell_max;
    if (!c->leaf && c->level == NBODY_LEVELS) {
        snprintf(o->wrong, sizeof o->wrong, "%" PRId64 " bodies in a cell of the deepest level", c->count);
        c->leaf = true;
    }
    for (int j = 0; !c->leaf && j < 8; j++) c->children[j] = oracle_plant(o, c, j);
    oracle_summarize(o, c);
    oracle_add(&o->cells, c);
    return c;
}

static inline void oracle_fell(oracle *o)
{
    for (int64_t i = 0; i < o->cells.count; i++) {
        oracle_cell *c = o->cells.cells[i];
        free(c->far.cells);
        free(c->close.cells);
        free(c->bodies);
        free(c);
    }
    free(o->cells.cells);
    o->cells = (oracle_list){ .count = 0 };
}

/* ---- The search of a leaf ------------------------------------------------------------------- */

static inline int oracle_by_gid(const void *a, const void *b)
{
    pen_gid x = (*(const oracle_cell *const *)a)->gid, y = (*(const oracle_cell *const *)b)->gid;
    return (x > y) - (x < y);
}

static inline bool oracle_contains(const oracle_cell *c, const oracle_cell *leaf)
{
    while (leaf && leaf != c) leaf = leaf->parent;
    return leaf != NULL;
}

static inline bool oracle_close(const oracle *o, const oracle_cell *leaf, const oracle_cell *c)
{
    double dx = c->centre[0] - leaf->centre[0], dy = c->centre[1] - leaf->centre[1],
           dz = c->centre[2] - leaf->centre[2];
    return oracle_contains(c, leaf) || c->size2 >= (o->delta * o->delta) * (dx * dx + dy * dy + dz * dz);
}

static inline void oracle_visit(const oracle *o, oracle_cell *leaf, oracle_cell *c)
{
    bool close = oracle_close(o, leaf, c);
    if (!close) oracle_add(&leaf->far, c);
    if (close && c->leaf && c != leaf) oracle_add(&leaf->close, c);
    for (int j = 0; close && j < 8; j++)
        if (c->children[j]) oracle_visit(o, leaf, c->children[j]);
}

static inline void oracle_sort(oracle_list *list)
{
    if (list->count > 0) qsort(list->cells, (size_t)list->count, sizeof *list->cells, oracle_by_gid);
}

static inline void oracle_look(const oracle *o, oracle_cell *leaf)
{
    oracle_visit(o, leaf, o->root);
    oracle_sort(&leaf->far);
    oracle_sort(&leaf->close);
}

/* ---- Forces --------------------------------------------------------------------------------- */

static inline void oracle_attract(oracle *o, int64_t body, double mass, const double *place)
{
    const double *x = o->bodies[body].place;
    double dx = place[0] - x[0], dy = place[1] - x[1], dz = place[2] - x[2];
    double r = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + o->softening * o->softening), g = mass * r;
    o->potentials[body] += -g;
    o->accelerations[body][0] += ((g * r) * r) * dx;
    o->accelerations[body][1] += ((g * r) * r) * dy;
    o->accelerations[body][2] += ((g * r) * r) * dz;
}

static inline void oracle_attract_leaf(oracle *o, int64_t body, const oracle_cell *leaf)
{
    for (int64_t i = 0; i < leaf->count; i++) {
        const bodies_body *b = &o->bodies[leaf->bodies[i]];
        if (leaf->bodies[i] != body) oracle_attract(o, body, b->mass, b->place);
    }
}

static inline void oracle_pull(oracle *o, const oracle_cell *leaf)
{
    for (int64_t i = 0; i < leaf->count; i++) {
        int64_t body = leaf->bodies[i];
        o->potentials[body] = 0.0;
        for (int k = 0; k < 3; k++) o->accelerations[body][k] = 0.0;
        for (int64_t n = 0; n < leaf->far.count; n++)
            oracle_attract(o, body, leaf->far.cells[n]->mass, leaf->far.cells[n]->centre);
        oracle_attract_leaf(o, body, leaf);
        for (int64_t n = 0; n < leaf->close.count; n++) oracle_attract_leaf(o, body, leaf->close.cells[n]);
    }
}

/* The tree and the forces where the bodies are. */
static inline void oracle_compute(oracle *o)
{
    oracle_fell(o);
    for (int64_t i = 0; i < o->count && !o->wrong[0]; i++)
        if (!oracle_inside(o, i)) snprintf(o->wrong, sizeof o->wrong, "body %" PRId64 " is not in the cube", i);
    if (o->wrong[0]) return;
    o->root = oracle_plant(o, NULL, 0);
    oracle_sort(&o->cells);
    for (int64_t i = 0; i < o->cells.count && !o->wrong[0]; i++) {
        oracle_cell *c = o->cells.cells[i];
        if (c->leaf) oracle_look(o, c);
        if (c->leaf) oracle_pull(o, c);
    }
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* The least power of two that is twice as far out as any body, in any direction. */
static inline double oracle_cube(const bodies_set *set)
{
    double far = 0.0;
    for (int64_t i = 0; i < set->count; i++)
        for (int k = 0; k < 3; k++) far = fmax(far, fabs(set->bodies[i].place[k]));
    if (far == 0.0) return 1.0;
    int exponent;
    double part = frexp(2.0 * far, &exponent); /* in [0.5, 1) */
    return ldexp(1.0, part == 0.5 ? exponent - 1 : exponent);
}

/* The settings' bodies are not used: the bodies are those of *set, which is copied. */
static inline oracle oracle_create(const nbody *s, const bodies_set *set)
{
    oracle o = {
        .cell_max = s->cell_max, .delta = s->delta, .dt = s->dt, .softening = s->softening, .count = set->count
    };
    o.cube = s->cube > 0.0 ? s->cube : oracle_cube(set);
    o.bodies = malloc((size_t)o.count * sizeof *o.bodies);
    o.accelerations = malloc((size_t)o.count * sizeof *o.accelerations);
    o.potentials = malloc((size_t)o.count * sizeof *o.potentials);
    memcpy(o.bodies, set->bodies, (size_t)o.count * sizeof *o.bodies);
    return o;
}

static inline void oracle_kick(oracle *o)
{
    const double h = o->dt / 2.0;
    for (int64_t i = 0; i < o->count; i++)
        for (int k = 0; k < 3; k++) o->bodies[i].velocity[k] = o->bodies[i].velocity[k] + o->accelerations[i][k] * h;
}

/* After an error, which o->wrong describes, nothing more is done. */
static inline void oracle_step(oracle *o)
{
    if (o->wrong[0]) return;
    if (o->steps > 0) {
        oracle_kick(o);
        for (int64_t i = 0; i < o->count; i++)
            for (int k = 0; k < 3; k++)
                o->bodies[i].place[k] = o->bodies[i].place[k] + o->bodies[i].velocity[k] * o->dt;
    }
    oracle_compute(o);
    if (o->steps > 0 && !o->wrong[0]) oracle_kick(o);
    o->steps++;
}

static inline void oracle_free(oracle *o)
{
    oracle_fell(o);
    free(o->bodies);
    free(o->accelerations);
    free(o->potentials);
}

/* ---- The dump ------------------------------------------------------------------------------- */

static inline void oracle_print_body(const oracle *o, int64_t i, FILE *out)
{
    const bodies_body *b = &o->bodies[i];
    const double *a = o->accelerations[i];
    fprintf(out, " %" PRId64, i);
    fprintf(out, " %a %a %a", b->place[0], b->place[1], b->place[2]);
    fprintf(out, " %a %a %a", b->velocity[0], b->velocity[1], b->velocity[2]);
    fprintf(out, " %a %a %a %a", a[0], a[1], a[2], o->potentials[i]);
}

static inline void oracle_print(const oracle *o, const oracle_cell *c, FILE *out)
{
    fprintf(out, "%" PRId64, c->gid);
    if (c->leaf) {
        fprintf(out, " leaf %" PRId64 " %" PRId64 " %" PRId64, c->count, c->far.count, c->close.count);
        for (int64_t n = 0; n < c->close.count; n++) fprintf(out, " %" PRId64, c->close.cells[n]->gid);
        for (int64_t i = 0; i < c->count; i++) oracle_print_body(o, c->bodies[i], out);
    } else {
        int children = 0;
        for (int j = 0; j < 8; j++) children += c->children[j] != NULL;
        fprintf(out, " cell %" PRId64 " %a %a %a %a %a %d", c->count, c->mass, c->centre[0], c->centre[1], c->centre[2],
                c->size2, children);
        for (int j = 0; j < 8; j++)
            if (c->children[j]) fprintf(out, " %" PRId64, c->children[j]->gid);
    }
    fputc('\n', out);
}

/* The caller's to free. */
static inline char *oracle_dump(const oracle *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int64_t i = 0; i < o->cells.count; i++) oracle_print(o, o->cells.cells[i], out);
    fclose(out);
    return text;
}
