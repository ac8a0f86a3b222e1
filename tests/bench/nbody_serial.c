#include "tests/bench/nbody_serial.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What attracts: a cell or a body. */
typedef struct source {
    double x, y, z, mass;
} source;

/* Of a box. */
typedef struct corner {
    double at[3];
} corner;

/* A body with its path from the root, of three bits a level. */
typedef struct item {
    uint64_t path;
    int32_t body;
} item;

/* A cell while its level is built: items [first, first + count). */
typedef struct range {
    int32_t first, count;
    int32_t cell;
} range;

struct serial {
    double delta, dt, softening, cube;
    int32_t count, cell_max;
    /* Bodies, by their numbers. */
    double *place[3], *velocity[3], *acceleration[3], *potential, *mass;
    /* Those of leaf after leaf, leaves by gid. */
    int32_t *bodies; /* [count] */
    source *sources; /* [count] */
    /* Cells by gid. */
    int32_t cells, room;
    source *centers;
    double *size2;
    corner *low, *high;
    int32_t *bit; /* of cells that have children: which of them; then of leaves: which of them */
    int32_t *parent;
    /* Those that have children, in the order of the cells; cells [firsts[i], firsts[i + 1]) are their children. */
    int32_t inner, *firsts, *inner_cell;
    /* Leaves by gid; bodies [begins[i], begins[i + 1]) are theirs. */
    int32_t leaves, *begins, *leaf_cell;
    /* While it is built. */
    item *items[2];
    range *ranges[2];
    corner *corners; /* a leaf's bodies */
    /* A leaf's walk. */
    uint64_t *close; /* bits of inner cells, then of leaves */
    int32_t *far, far_count;
    int32_t (*runs)[2], run_count; /* bodies of close leaves: from, to */
    int64_t far_all, close_all;
    bool moves; /* no more in the first step */
};

static void *room(void *old, int64_t count, size_t size)
{
    void *array = realloc(old, (size_t)(count > 0 ? count : 1) * size);
    if (!array) abort();
    return array;
}

#define ROOM(pointer, count) ((pointer) = room((pointer), (count), sizeof *(pointer)))

/* ---- The tree --------------------------------------------------------------------------------- */

/* Bits of a 20-bit number, three apart. */
static inline uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x001f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x001f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

static bool find_paths(serial *s)
{
    const double scale = 0x1p19 / s->cube, most = 0x1p20;
    bool inside = true;
    for (int32_t i = 0; i < s->count; i++) {
        uint64_t path = 0;
        for (int k = 0; k < 3; k++) {
            double column = (s->place[k][i] + s->cube) * scale;
            bool in = column >= 0.0 && column < most;
            inside = inside && in;
            path |= spread(in ? (uint64_t)column : 0) << k; /* >= 0: as floor does */
        }
        s->items[0][i] = (item){ path, i };
    }
    return inside;
}

static void add_leaf(serial *s, const range *r, const item *items)
{
    int32_t begin = s->begins[s->leaves];
    for (int32_t i = 0; i < r->count; i++) s->bodies[begin + i] = items[r->first + i].body;
    s->leaf_cell[s->leaves++] = r->cell;
    s->begins[s->leaves] = begin + r->count;
}

/* Deal a cell's items out to its children; returns how many these are. */
static int32_t split(const serial *s, const range *r, int level, const item *from, item *to, range *children)
{
    const int shift = 3 * (NBODY_LEVELS - 1 - level);
    int32_t counts[8] = { 0 }, next[8], n = 0, end = r->first + r->count;
    for (int32_t i = r->first; i < end; i++) counts[from[i].path >> shift & 7]++;
    for (int32_t j = 0, at = r->first; j < 8; j++) {
        next[j] = at;
        if (counts[j] == 0) continue;
        children[n] = (range){ at, counts[j], s->cells + n };
        n++;
        at += counts[j];
    }
    for (int32_t i = r->first; i < end; i++) to[next[from[i].path >> shift & 7]++] = from[i];
    return n;
}

static void make_room(serial *s, int32_t cells)
{
    if (cells <= s->room) return;
    s->room = 2 * cells;
    ROOM(s->centers, s->room);
    ROOM(s->size2, s->room);
    ROOM(s->low, s->room);
    ROOM(s->high, s->room);
    ROOM(s->bit, s->room);
    ROOM(s->parent, s->room);
    ROOM(s->firsts, s->room + 1);
    ROOM(s->inner_cell, s->room);
    ROOM(s->far, s->room);
    ROOM(s->close, s->room / 64 + 2);
}

/* Ranges of a level, by their paths, to those of the next one; returns how many, -1: they are too deep. */
static int32_t grow(serial *s, int level, int32_t count)
{
    range *now = s->ranges[level % 2], *next = s->ranges[(level + 1) % 2];
    const item *from = s->items[level % 2];
    int32_t children = 0;
    for (const range *r = now; r < now + count; r++) {
        if (r->count <= s->cell_max) {
            add_leaf(s, r, from);
            continue;
        }
        if (level == NBODY_LEVELS) return -1;
        int32_t n = split(s, r, level, from, s->items[(level + 1) % 2], next + children);
        children += n;
        make_room(s, s->cells + n);
        s->inner_cell[s->inner] = r->cell;
        s->bit[r->cell] = s->inner;
        while (n-- > 0) s->parent[s->cells++] = s->inner;
        s->firsts[++s->inner] = s->cells;
    }
    return children;
}

static inline double lower(double a, double b) { return a < b ? a : b; }
static inline double higher(double a, double b) { return a > b ? a : b; }

/* Mass, centre and box of a cell that is made of parts. */
static void sum_up(serial *s, int32_t cell, const source *parts, const corner *lows, const corner *highs, int32_t count)
{
    source sum = { 0.0, 0.0, 0.0, 0.0 };
    corner low = lows[0], high = highs[0];
    for (int32_t i = 0; i < count; i++) {
        sum.mass += parts[i].mass;
        sum.x += parts[i].mass * parts[i].x;
        sum.y += parts[i].mass * parts[i].y;
        sum.z += parts[i].mass * parts[i].z;
        for (int k = 0; k < 3; k++) low.at[k] = lower(low.at[k], lows[i].at[k]);
        for (int k = 0; k < 3; k++) high.at[k] = higher(high.at[k], highs[i].at[k]);
    }
    s->centers[cell] = (source){ sum.x / sum.mass, sum.y / sum.mass, sum.z / sum.mass, sum.mass };
    double dx = high.at[0] - low.at[0], dy = high.at[1] - low.at[1], dz = high.at[2] - low.at[2];
    s->size2[cell] = dx * dx + dy * dy + dz * dz;
    s->low[cell] = low;
    s->high[cell] = high;
}

static bool build(serial *s)
{
    if (!find_paths(s)) return false;
    s->ranges[0][0] = (range){ .count = s->count };
    s->cells = 1;
    s->inner = s->leaves = 0;
    int32_t count = 1;
    for (int level = 0; count > 0; level++) count = grow(s, level, count);
    if (count < 0) return false;
    for (int32_t i = 0; i < s->leaves; i++) {
        int32_t cell = s->leaf_cell[i], begin = s->begins[i], bodies = s->begins[i + 1] - begin;
        for (int32_t b = begin; b < begin + bodies; b++) {
            int32_t n = s->bodies[b];
            s->sources[b] = (source){ s->place[0][n], s->place[1][n], s->place[2][n], s->mass[n] };
            for (int k = 0; k < 3; k++) s->corners[b - begin].at[k] = s->place[k][n];
        }
        sum_up(s, cell, s->sources + begin, s->corners, s->corners, bodies);
        s->bit[cell] = s->inner + i;
    }
    for (int32_t i = s->inner - 1; i >= 0; i--) {
        int32_t first = s->firsts[i];
        sum_up(s, s->inner_cell[i], s->centers + first, s->low + first, s->high + first, s->firsts[i + 1] - first);
    }
    return true;
}

/* ---- A leaf's walk ---------------------------------------------------------------------------- */

static inline void set_bit(uint64_t *bits, int32_t bit, bool value) { bits[bit / 64] |= (uint64_t)value << bit % 64; }

/* The children of a close cell: far ones are listed, close ones get their bits. That which contains the leaf, `own`,
 * or -1, is close. */
static inline int32_t visit(serial *s, int32_t first, int32_t end, const source *at, double delta2, int32_t own,
                            int32_t far_count)
{
    for (int32_t c = first; c < end; c++) {
        const source *w = &s->centers[c];
        double dx = w->x - at->x, dy = w->y - at->y, dz = w->z - at->z;
        /* no branches: which it is cannot be foreseen */
        bool close = (s->size2[c] >= delta2 * (dx * dx + dy * dy + dz * dz)) | (c == own);
        s->far[far_count] = c;
        far_count += !close;
        set_bit(s->close, s->bit[c], close);
    }
    return far_count;
}

/* Close leaves but the leaf itself, to runs of bodies. */
static void list_runs(serial *s, int32_t leaf)
{
    const int32_t bits = s->inner + s->leaves, words = (bits + 63) / 64;
    int32_t count = 0, end = -1;
    for (int32_t w = s->inner / 64; w < words; w++)
        for (uint64_t word = s->close[w]; word; word &= word - 1) {
            int32_t n = w * 64 + __builtin_ctzll(word) - s->inner;
            if (n == leaf) continue;
            s->close_all++;
            if (s->begins[n] != end) s->runs[count++][0] = s->begins[n];
            s->runs[count - 1][1] = end = s->begins[n + 1];
        }
    s->run_count = count;
    memset(s->close + s->inner / 64, 0, (size_t)(words - s->inner / 64) * sizeof *s->close);
}

static void walk(serial *s, int32_t leaf)
{
    const int32_t cell = s->leaf_cell[leaf];
    const double delta2 = s->delta * s->delta;
    const source at = s->centers[cell];
    int32_t path[NBODY_LEVELS + 1], depth = 0, far_count = 0;
    for (int32_t c = cell; c > 0; c = s->inner_cell[s->parent[c]]) path[depth++] = c;
    set_bit(s->close, s->bit[0], true);
    for (int32_t w = 0; 64 * w < s->inner; w++)
        for (;;) { /* children that are close get higher bits, maybe of the same word */
            const int32_t bits = s->inner - 64 * w;
            uint64_t word = s->close[w] & (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
            if (!word) break;
            int32_t n = 64 * w + __builtin_ctzll(word), first = s->firsts[n], end = s->firsts[n + 1], own = -1;
            s->close[w] &= ~(word & -word);
            if (depth > 0 && path[depth - 1] >= first && path[depth - 1] < end) own = path[--depth];
            far_count = visit(s, first, end, &at, delta2, own, far_count);
        }
    s->far_count = far_count;
    s->far_all += far_count;
    list_runs(s, leaf);
}

/* ---- Forces ----------------------------------------------------------------------------------- */

typedef double pair __attribute__((vector_size(16)));

typedef struct two {
    pair x, y, z, ax, ay, az, potential;
} two;

static inline pair both(double value) { return (pair){ value, value }; }

static inline void attract(two *t, pair x, pair y, pair z, pair mass, pair softening2)
{
    pair dx = x - t->x, dy = y - t->y, dz = z - t->z, square = dx * dx + dy * dy + dz * dz + softening2;
    pair r = 1.0 / (pair){ sqrt(square[0]), sqrt(square[1]) }, g = mass * r, pull = (g * r) * r;
    t->potential -= g;
    t->ax += pull * dx;
    t->ay += pull * dy;
    t->az += pull * dz;
}

static inline void attract_by(two *t, const source *s, pair softening2)
{
    attract(t, both(s->x), both(s->y), both(s->z), both(s->mass), softening2);
}

/* On bodies a and a + 1 of leaf [begin, end). */
static void pull_two(serial *s, int32_t a, int32_t begin, int32_t end)
{
    const source *all = s->sources, *u = &all[a], *v = &all[a + 1];
    const pair softening2 = both(s->softening * s->softening);
    two t = { .x = { u->x, v->x }, .y = { u->y, v->y }, .z = { u->z, v->z } };
    for (int32_t i = 0; i < s->far_count; i++) attract_by(&t, &s->centers[s->far[i]], softening2);
    for (int32_t i = begin; i < a; i++) attract_by(&t, &all[i], softening2);
    attract(&t, (pair){ v->x, u->x }, (pair){ v->y, u->y }, (pair){ v->z, u->z }, (pair){ v->mass, u->mass },
            softening2);
    for (int32_t i = a + 2; i < end; i++) attract_by(&t, &all[i], softening2);
    for (int32_t n = 0; n < s->run_count; n++)
        for (int32_t i = s->runs[n][0]; i < s->runs[n][1]; i++) attract_by(&t, &all[i], softening2);
    for (int lane = 0; lane < 2; lane++) {
        int32_t body = s->bodies[a + lane];
        s->acceleration[0][body] = t.ax[lane];
        s->acceleration[1][body] = t.ay[lane];
        s->acceleration[2][body] = t.az[lane];
        s->potential[body] = t.potential[lane];
    }
}

typedef struct one {
    source at; /* its mass does not matter */
    double ax, ay, az, potential;
} one;

/* By two sources, one after the other. */
static inline void attract_one(one *t, const source *u, const source *v, pair softening2)
{
    two w = { .x = both(t->at.x), .y = both(t->at.y), .z = both(t->at.z) };
    attract(&w, (pair){ u->x, v->x }, (pair){ u->y, v->y }, (pair){ u->z, v->z }, (pair){ u->mass, v->mass },
            softening2);
    for (int lane = 0; lane < 2; lane++) {
        t->potential += w.potential[lane];
        t->ax += w.ax[lane];
        t->ay += w.ay[lane];
        t->az += w.az[lane];
    }
}

/* On the last body of leaf [begin, end), which is alone: two sources at a time. */
static void pull_last(serial *s, int32_t begin, int32_t end)
{
    const source *all = s->sources;
    const pair softening2 = both(s->softening * s->softening);
    one t = { .at = all[end - 1] };
    const source *left = NULL; /* the first of two */
    int32_t i = 0;
    for (; i + 1 < s->far_count; i += 2)
        attract_one(&t, &s->centers[s->far[i]], &s->centers[s->far[i + 1]], softening2);
    if (i < s->far_count) left = &s->centers[s->far[i]];
    for (int32_t n = -1; n < s->run_count; n++) {
        const source *from = all + (n < 0 ? begin : s->runs[n][0]), *to = all + (n < 0 ? end - 1 : s->runs[n][1]);
        if (left && from < to) {
            attract_one(&t, left, from++, softening2);
            left = NULL;
        }
        for (; from + 1 < to; from += 2) attract_one(&t, from, from + 1, softening2);
        if (from < to) left = from;
    }
    const source nothing = { .mass = 0.0 };
    if (left) attract_one(&t, left, &nothing, softening2);
    int32_t body = s->bodies[end - 1];
    s->acceleration[0][body] = t.ax;
    s->acceleration[1][body] = t.ay;
    s->acceleration[2][body] = t.az;
    s->potential[body] = t.potential;
}

static void compute_forces(serial *s)
{
    memset(s->close, 0, (size_t)((s->inner + s->leaves) / 64 + 1) * sizeof *s->close);
    s->far_all = s->close_all = 0;
    for (int32_t leaf = 0; leaf < s->leaves; leaf++) {
        int32_t begin = s->begins[leaf], end = s->begins[leaf + 1];
        walk(s, leaf);
        for (int32_t i = begin; i + 1 < end; i += 2) pull_two(s, i, begin, end);
        if ((end - begin) % 2) pull_last(s, begin, end);
    }
}

/* ---- Steps ------------------------------------------------------------------------------------ */

static void kick(serial *s)
{
    const double h = s->dt / 2.0;
    for (int k = 0; k < 3; k++) {
        double *restrict v = s->velocity[k];
        const double *restrict a = s->acceleration[k];
        for (int32_t i = 0; i < s->count; i++) v[i] = v[i] + a[i] * h;
    }
}

static void drift(serial *s)
{
    for (int k = 0; k < 3; k++) {
        double *restrict x = s->place[k];
        const double *restrict v = s->velocity[k];
        for (int32_t i = 0; i < s->count; i++) x[i] = x[i] + v[i] * s->dt;
    }
}

bool serial_step(serial *s)
{
    if (s->moves) {
        kick(s);
        drift(s);
    }
    if (!build(s)) return false;
    compute_forces(s);
    if (s->moves) kick(s);
    s->moves = true;
    return true;
}

serial *serial_create(const nbody *settings, const bodies_set *set)
{
    serial *s = room(NULL, 1, sizeof *s);
    int32_t count = (int32_t)set->count;
    *s = (serial){ .delta = settings->delta, .dt = settings->dt, .softening = settings->softening };
    s->cube = settings->cube;
    s->cell_max = (int32_t)settings->cell_max;
    s->count = count;
    for (int k = 0; k < 3; k++) {
        ROOM(s->place[k], count);
        ROOM(s->velocity[k], count);
        ROOM(s->acceleration[k], count);
    }
    ROOM(s->potential, count);
    ROOM(s->mass, count);
    for (int32_t i = 0; i < count; i++) {
        const bodies_body *b = &set->bodies[i];
        s->mass[i] = b->mass;
        for (int k = 0; k < 3; k++) s->place[k][i] = b->place[k];
        for (int k = 0; k < 3; k++) s->velocity[k][i] = b->velocity[k];
    }
    ROOM(s->bodies, count);
    ROOM(s->sources, count);
    ROOM(s->begins, count + 1);
    ROOM(s->leaf_cell, count);
    ROOM(s->runs, count);
    ROOM(s->corners, s->cell_max);
    for (int i = 0; i < 2; i++) {
        ROOM(s->items[i], count);
        ROOM(s->ranges[i], count + 1);
    }
    make_room(s, count);
    s->firsts[0] = 1;
    s->begins[0] = 0;
    return s;
}

void serial_free(serial *s)
{
    for (int k = 0; k < 3; k++) PEN_FREE_ALL(s->place[k], s->velocity[k], s->acceleration[k]);
    for (int i = 0; i < 2; i++) PEN_FREE_ALL(s->items[i], s->ranges[i]);
    PEN_FREE_ALL(s->potential, s->mass, s->bodies, s->sources, s->begins, s->leaf_cell, s->runs, s->corners);
    PEN_FREE_ALL(s->centers, s->size2, s->low, s->high, s->bit, s->parent, s->firsts, s->inner_cell, s->far, s->close);
    free(s);
}

serial_view serial_look(const serial *s)
{
    serial_view v = { .leaves = s->leaves, .far = s->far_all, .close = s->close_all, .potential = s->potential };
    for (int k = 0; k < 3; k++) {
        v.place[k] = s->place[k];
        v.velocity[k] = s->velocity[k];
        v.acceleration[k] = s->acceleration[k];
    }
    return v;
}
