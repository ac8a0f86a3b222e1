/* minex_cases.h - common parts of the tests of MinEX: random graphs, machines and settings, and metrics by loops over
 * all edges, which share no code with it. Include it after unit.h. */
#pragma once

#include "base/hash.h"
#include "base/memory.h"
#include "tests/bench/papers/bodies_graph.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>

static inline void assert_ok(pen_status status)
{
    if (status != PEN_OK) fail_msg("%s: %s", pen_status_name(status), pen_error_message());
}

static inline void assert_near(double found, double expected, double scale, const char *what)
{
    if (!(fabs(found - expected) <= 1e-9 * (1.0 + fabs(scale))))
        fail_msg("%s is %.17g, expected %.17g", what, found, expected);
}

static inline pen_machine *machine_of(const char *spec, int parts)
{
    pen_machine *machine;
    assert_ok(pen_machine_generate(spec, parts, &machine));
    return machine;
}

/* ---- Graphs ------------------------------------------------------------------------------------- */

/* A random graph: weights are small integers, or real numbers, a part of both is 0; so are those of one direction. */
static inline bodies_graph make_graph(int32_t count, int32_t degree, int32_t processors, uint64_t seed)
{
    bodies_graph g = { .count = count };
    unsigned char *linked = calloc((size_t)count * (size_t)count + 1, 1);
    int64_t arcs = 0;
    for (int64_t e = 0; count > 1 && e < (int64_t)count * degree / 2; e++) {
        uint64_t dice = pen_mix(seed + 7 * (uint64_t)e);
        int64_t v = (int64_t)(dice % (uint64_t)count), w = (int64_t)(dice / 65536 % (uint64_t)count);
        if (v == w || linked[v * count + w]) continue;
        linked[v * count + w] = linked[w * count + v] = 1;
        arcs += 2;
    }
    assert_ok(PEN_ALLOC_ZERO(&g.rows, count + 1));
    assert_ok(PEN_ALLOC(&g.columns, arcs));
    assert_ok(PEN_ALLOC(&g.reads, arcs));
    assert_ok(PEN_ALLOC(&g.feeds, arcs));
    assert_ok(PEN_ALLOC(&g.work, count));
    assert_ok(PEN_ALLOC(&g.size, count));
    assert_ok(PEN_ALLOC(&g.owners, count));
    bool real = seed % 3 == 0;
    int64_t k = 0;
    for (int32_t v = 0; v < count; v++) {
        uint64_t dice = pen_mix(seed ^ pen_mix((uint64_t)v));
        g.work[v] = (double)(dice % 50) * (real ? 0.37 : 1.0);
        g.size[v] = (double)(dice / 64 % 10);
        g.owners[v] = (int32_t)(dice / 1024 % (uint64_t)(processors + 1)) - 1;
        for (int32_t w = 0; w < count; w++) {
            if (!linked[(int64_t)v * count + w]) continue;
            uint64_t there = pen_mix(seed + (uint64_t)(v * count + w)),
                     back = pen_mix(seed + (uint64_t)(w * count + v));
            g.columns[k] = w;
            g.reads[k] = (double)(there % 6) * (real ? 0.11 : 1.0);
            g.feeds[k++] = (double)(back % 6) * (real ? 0.11 : 1.0);
        }
        g.rows[v + 1] = k;
    }
    free(linked);
    return g;
}

/* ---- Brute force --------------------------------------------------------------------------------- */

enum { MOST_PROCESSORS = 64 };

typedef struct brute {
    pen_minex_totals totals[MOST_PROCESSORS];
    double loads[MOST_PROCESSORS], total, variance, heaviest;
} brute;

static inline double cost_of(const pen_machine *m, int32_t a, int32_t b)
{
    return a == b ? 0.0 : m->link(m, a, b).cost;
}

static inline void receive(brute *b, const pen_machine *m, int32_t reader, int32_t source, double amount, bool both)
{
    b->totals[reader].receiving += amount * cost_of(m, reader, source);
    if (both) b->totals[source].receiving += amount * cost_of(m, reader, source);
}

/* The definitions of the header, vertex by vertex; part -1 means no part. */
static inline brute measure(const pen_minex_graph *g, const pen_machine *m, const pen_minex_settings *s,
                            const int32_t *part)
{
    brute b = { .total = 0.0 };
    for (int32_t v = 0; v < g->count; v++) {
        int32_t at = part[v], owner = g->owners[v];
        if (at < 0) continue;
        b.totals[at].vertices++;
        b.totals[at].processing += g->work[v] / m->speeds[at];
        if (owner >= 0) b.totals[at].remapping += g->size[v] * cost_of(m, owner, at);
        bool *served = calloc((size_t)m->processors, sizeof *served);
        double data = 0.0;
        for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) data = fmax(data, g->feeds[k]);
        for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) {
            int32_t w = g->columns[k], reader = part[w];
            if (reader < 0 || (s->old_owner_free && reader == owner)) continue;
            if (s->cost == PEN_MINEX_EDGE) receive(&b, m, reader, at, g->feeds[k], false);
            if (s->cost == PEN_MINEX_EDGE || g->feeds[k] == 0.0 || served[reader]) continue;
            served[reader] = true;
            receive(&b, m, reader, at, data, true);
        }
        free(served);
    }
    for (int32_t q = 0; q < m->processors; q++) {
        pen_minex_totals *t = &b.totals[q];
        t->processor = q;
        b.loads[q] = s->tolerance ? s->tolerance(t, s->context) : t->processing + t->receiving + t->remapping;
        b.total += b.loads[q];
        b.heaviest = fmax(b.heaviest, b.loads[q]);
    }
    for (int32_t q = 0; q < m->processors; q++) b.variance += pow(b.loads[q] - b.total / m->processors, 2.0);
    return b;
}

/* A function that looks at everything it gets. */
static inline double odd_tolerance(const pen_minex_totals *t, const void *context)
{
    double hidden = *(const double *)context * t->processing * (t->processor % 3);
    return t->processing + 0.01 * (double)t->vertices + fmax(t->receiving, hidden) + 0.5 * t->remapping;
}

static const double half = 0.5;
static const char *const specs[] = { "flat",
                                     "flat:8,speeds=1:2:3:1:5:1:1:2",
                                     "clusters:3,between=10,kind=UP",
                                     "clusters:4,between=100,kind=DN",
                                     "clusters:2,between=7",
                                     "torus:3x4,cost=2",
                                     "hypercube:3" };

typedef struct case_ {
    bodies_graph arrays;
    pen_minex_graph graph;
    pen_machine *machine;
    pen_minex_settings settings;
} case_;

static inline case_ make_case(uint64_t seed, int32_t count, int32_t degree)
{
    uint64_t dice = pen_mix(seed);
    int kind = (int)(dice % PEN_COUNT_OF(specs)), parts = 1 + (int)(dice / 16 % 12);
    if ((kind == 1 || kind == 6) && parts > 8) parts = 8;
    case_ c = { .machine = machine_of(specs[kind], parts), .settings = pen_minex_defaults(dice / 256 % 2) };
    c.arrays = make_graph(count, degree, parts, seed);
    c.graph = pen_bodies_graph_view(&c.arrays);
    c.settings.old_owner_free = dice / 512 % 2;
    c.settings.seed = seed;
    c.settings.cost = dice / 1024 % 2 ? PEN_MINEX_RANK : PEN_MINEX_EDGE;
    c.settings.context = &half;
    if (dice / 2048 % 3 > 0) c.settings.tolerance = dice / 2048 % 3 == 1 ? pen_minex_overlap : odd_tolerance;
    return c;
}

static inline void free_case(case_ *c)
{
    pen_bodies_graph_free(&c->arrays);
    pen_machine_destroy(&c->machine);
}

static inline void check_metrics(const case_ *c, const int32_t *part, const pen_minex_metrics *m)
{
    brute b = measure(&c->graph, c->machine, &c->settings, part);
    double p = 0.0, r = 0.0, o = 0.0;
    for (int32_t q = 0; q < c->machine->processors; q++) {
        p += b.totals[q].processing;
        r += b.totals[q].receiving;
        o += b.totals[q].remapping;
    }
    assert_near(m->total, b.total, b.total, "total");
    assert_near(m->mean, b.total / c->machine->processors, b.total, "mean");
    assert_near(m->heaviest, b.heaviest, b.total, "heaviest");
    assert_near(m->imbalance, b.total > 0.0 ? b.heaviest * c->machine->processors / b.total : 1.0, 1.0, "imbalance");
    assert_near(m->variance, b.variance, b.total * b.total, "variance");
    assert_near(m->processing, p, b.total, "processing");
    assert_near(m->receiving, r, b.total, "receiving");
    assert_near(m->remapping, o, b.total, "remapping");
}
