/* minex_test.c - MinEX beside loops over all edges that share no code with it: its metrics, what it says of each move,
 * the filter's figure, and graphs and machines at the edge of what there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/memory.h"
#include "partition/minex/filter.h"
#include "tests/support/bodies.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>

static void assert_ok(pen_status status)
{
    if (status != PEN_OK) fail_msg("%s: %s", pen_status_name(status), pen_error_message());
}

static void assert_near(double found, double expected, double scale, const char *what)
{
    if (!(fabs(found - expected) <= 1e-9 * (1.0 + fabs(scale))))
        fail_msg("%s is %.17g, expected %.17g", what, found, expected);
}

static pen_machine *machine_of(const char *spec, int parts)
{
    pen_machine *machine;
    assert_ok(pen_machine_generate(spec, parts, &machine));
    return machine;
}

/* ---- Graphs ------------------------------------------------------------------------------------- */

/* A random graph: weights are small integers, or real numbers, a part of both is 0; so are those of one direction. */
static bodies_graph make_graph(int32_t count, int32_t degree, int32_t processors, uint64_t seed)
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

static double cost_of(const pen_machine *m, int32_t a, int32_t b) { return a == b ? 0.0 : m->link(m, a, b).cost; }

static void receive(brute *b, const pen_machine *m, int32_t reader, int32_t source, double amount, bool both)
{
    b->totals[reader].receiving += amount * cost_of(m, reader, source);
    if (both) b->totals[source].receiving += amount * cost_of(m, reader, source);
}

/* What the header says, vertex by vertex; those in part -1 are nowhere. */
static brute measure(const pen_minex_graph *g, const pen_machine *m, const pen_minex_settings *s, const int32_t *part)
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
static double odd_tolerance(const pen_minex_totals *t, const void *context)
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

static case_ make_case(uint64_t seed, int32_t count, int32_t degree)
{
    uint64_t dice = pen_mix(seed);
    int kind = (int)(dice % PEN_COUNT_OF(specs)), parts = 1 + (int)(dice / 16 % 12);
    if ((kind == 1 || kind == 6) && parts > 8) parts = 8;
    case_ c = { .machine = machine_of(specs[kind], parts), .settings = pen_minex_defaults(dice / 256 % 2) };
    c.arrays = make_graph(count, degree, parts, seed);
    c.graph = bodies_graph_view(&c.arrays);
    c.settings.old_owner_free = dice / 512 % 2;
    c.settings.seed = seed;
    c.settings.cost = dice / 1024 % 2 ? PEN_MINEX_RANK : PEN_MINEX_EDGE;
    c.settings.context = &half;
    if (dice / 2048 % 3 > 0) c.settings.tolerance = dice / 2048 % 3 == 1 ? pen_minex_overlap : odd_tolerance;
    return c;
}

static void free_case(case_ *c)
{
    bodies_graph_free(&c->arrays);
    pen_machine_destroy(&c->machine);
}

static void check_metrics(const case_ *c, const int32_t *part, const pen_minex_metrics *m)
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

static void metrics_are_those_of_a_loop(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        case_ c = make_case(seed, (int32_t)(seed % 40), 6);
        pen_minex_totals totals[MOST_PROCESSORS];
        double loads[MOST_PROCESSORS];
        pen_minex_metrics metrics;
        int32_t part[40];
        for (int32_t v = 0; v < c.graph.count; v++)
            part[v] = (int32_t)(pen_mix(seed * 64 + (uint64_t)v) % (uint64_t)c.machine->processors);
        assert_ok(pen_minex_measure(&c.graph, c.machine, &c.settings, part, &metrics, totals, loads));
        check_metrics(&c, part, &metrics);
        brute b = measure(&c.graph, c.machine, &c.settings, part);
        for (int32_t q = 0; q < c.machine->processors; q++) {
            assert_int_equal(totals[q].vertices, b.totals[q].vertices);
            assert_int_equal(totals[q].processor, q);
            assert_near(totals[q].receiving, b.totals[q].receiving, b.total, "receiving of one");
            assert_near(loads[q], b.loads[q], b.total, "load of one");
        }
        free_case(&c);
    }
}

/* ---- Moves --------------------------------------------------------------------------------------- */

typedef struct watcher {
    const case_ *c;
    int64_t moves, placed;
    int32_t smallest; /* of the graphs */
    double work, size;
} watcher;

static void check_step(const pen_minex_step *step, void *context)
{
    watcher *w = context;
    int32_t *before;
    assert_ok(PEN_ALLOC(&before, step->graph->count));
    memcpy(before, step->part, (size_t)step->graph->count * sizeof *before);
    before[step->vertex] = step->from;
    brute old = measure(step->graph, w->c->machine, &w->c->settings, before),
          new = measure(step->graph, w->c->machine, &w->c->settings, step->part);
    free(before);
    assert_near(step->gain, new.total - old.total, new.total + old.total, "Gain");
    assert_near(step->variance_change, new.variance - old.variance, new.total *new.total, "the change of Var");
    w->moves += step->from >= 0;
    w->placed += step->from < 0;
    w->smallest = step->graph->count < w->smallest ? step->graph->count : w->smallest;
    double work = 0.0, size = 0.0;
    for (int32_t v = 0; v < step->graph->count; v++) {
        work += step->graph->work[v];
        size += step->graph->size[v];
    }
    assert_near(work, w->work, w->work, "work of a level");
    assert_near(size, w->size, w->size, "size of a level");
}

static int64_t watch_case(case_ *c, int32_t *smallest)
{
    watcher w = { .c = c, .smallest = INT32_MAX };
    pen_minex_metrics metrics;
    pen_minex_counts counts;
    int32_t *part, *again;
    for (int32_t v = 0; v < c->graph.count; v++) {
        w.work += c->graph.work[v];
        w.size += c->graph.size[v];
    }
    c->settings.watch = check_step;
    c->settings.watch_context = &w;
    assert_ok(PEN_ALLOC(&part, c->graph.count));
    assert_ok(PEN_ALLOC(&again, c->graph.count));
    assert_ok(pen_minex_partition(&c->graph, c->machine, &c->settings, part, &metrics, &counts));
    check_metrics(c, part, &metrics);
    assert_true(counts.total >= counts.pass && counts.pass >= counts.fail && counts.fail >= 0);
    c->settings.watch = NULL;
    assert_ok(pen_minex_partition(&c->graph, c->machine, &c->settings, again, NULL, NULL));
    assert_memory_equal(part, again, (size_t)c->graph.count * sizeof *part);
    if (!c->settings.diffusive) assert_true(w.placed > 0 || c->graph.count == 0);
    if (smallest && w.smallest < *smallest) *smallest = w.smallest;
    PEN_FREE_ALL(part, again);
    return w.moves;
}

static void every_move_is_as_told(void **state)
{
    (void)state;
    int64_t moves[2] = { 0, 0 };
    for (uint64_t seed = 0; seed < 200; seed++) {
        case_ c = make_case(seed, (int32_t)(seed % 60), 5);
        moves[c.settings.cost] += watch_case(&c, NULL);
        free_case(&c);
    }
    assert_true(moves[PEN_MINEX_EDGE] > 500 && moves[PEN_MINEX_RANK] > 500);
}

/* Metrics are the same on all levels where edges are counted. */
static void every_level_is_the_graph(void **state)
{
    (void)state;
    int32_t smallest = INT32_MAX;
    for (uint64_t seed = 0; seed < 4; seed++) {
        case_ c = make_case(seed, 900, 6);
        c.settings.cost = PEN_MINEX_EDGE;
        c.settings.tolerance = NULL;
        for (int32_t v = 0; v < c.graph.count; v++) c.arrays.owners[v] %= 2;
        watch_case(&c, &smallest);
        free_case(&c);
    }
    assert_true(smallest < 800);
}

/* ---- The filter ---------------------------------------------------------------------------------- */

static void filter_is_the_figure(void **state)
{
    (void)state;
    static const struct {
        double from, to, new_from, new_to, mean, throt;
        bool passes;
    } rows[] = {
        { 10, 2, 8, 4, 6, 32, true },
        { 10, 2, 11, 4, 6, 32, false },   /* the source gets heavier */
        { 10, 2, 10, 4, 6, 32, true },    /* ... but may stay */
        { 10, 2, 8, 1, 6, 32, false },    /* the destination gets lighter */
        { 10, 2, 8, 2, 6, 32, true },     /* ... but may stay */
        { 10, 2, 2, 10, 6, 32, false },   /* Var stays */
        { 10, 2, 10, 10, 6, 1e9, false }, /* Var stays, and the total grows */
        { 10, 2, 9, 13, 6, 1e9, false },  /* Var grows */
        { 10, 2, 9, 4, 6, 0, false },     /* Gain 1, ThroT 0 */
        { 10, 2, 9, 3, 6, 0, true },      /* Gain 0 */
        { 10, 2, 7, 3, 6, 0, true },      /* Gain < 0 */
        { 10, 2, 9, 6, 6, 0.3914, true }, /* Gain 3, -dVar 23 */
        { 10, 2, 9, 6, 6, 0.3912, false },
        { 20, 10, 5, 16, 12, 1e9, false },      /* further apart, and the source falls below what the destination was */
        { 20, 10, 10, 20.5, 15.5, 1e9, false }, /* ... the destination rises above what the source was */
        { 20, 10, 8, 18, 16, 1e9, false },      /* as far apart, Var grows */
        { 20, 10, 8, 17, 12, 1e9, true },       /* less far apart: the crossing does not matter */
        { 100, 98, 97, 100, 50, 1e9, false },
    };
    for (int i = 0; i < PEN_COUNT_OF(rows); i++) {
        double change = 0.0;
        bool passes = pen_minex_filter(rows[i].from, rows[i].to, rows[i].new_from, rows[i].new_to, rows[i].mean,
                                       rows[i].throt, &change);
        if (passes != rows[i].passes) fail_msg("row %d: %s", i, passes ? "passes" : "does not pass");
    }
}

/* ---- At the edge ---------------------------------------------------------------------------------- */

static void partition_checked(case_ *c)
{
    brute b = { .total = 0.0 };
    pen_minex_metrics m;
    int32_t *part;
    assert_ok(PEN_ALLOC(&part, c->graph.count));
    assert_ok(pen_minex_partition(&c->graph, c->machine, &c->settings, part, &m, NULL));
    for (int32_t v = 0; v < c->graph.count; v++) assert_in_range(part[v], 0, c->machine->processors - 1);
    check_metrics(c, part, &m);
    b = measure(&c->graph, c->machine, &c->settings, part);
    assert_true(isfinite(b.total));
    free(part);
}

static void degenerate_cases(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++)
        for (int how = 0; how < 4; how++) {
            int parts = kind == 0 ? 1 : 40, count = kind == 1 ? 0 : kind == 2 ? 1 : 30;
            case_ c = { .machine = machine_of("clusters:4,between=10,kind=UP", parts) };
            c.arrays = make_graph(count, kind == 3 ? 0 : 5, parts, 11);
            c.settings = pen_minex_defaults(how % 2);
            c.settings.cost = how / 2 ? PEN_MINEX_RANK : PEN_MINEX_EDGE;
            for (int32_t v = 0; v < count; v++) {
                if (kind == 4) c.arrays.work[v] = c.arrays.size[v] = 0.0;
                if (kind == 5) c.arrays.owners[v] = 0;
                if (kind == 6) c.arrays.owners[v] = -1;
            }
            for (int64_t k = 0; kind == 7 && k < c.arrays.rows[count]; k++) c.arrays.reads[k] = c.arrays.feeds[k] = 0.0;
            c.graph = bodies_graph_view(&c.arrays);
            partition_checked(&c);
            free_case(&c);
        }
}

/* A chain of equal vertices on two equal processors is cut once. */
static void chain_is_cut_once(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    int64_t rows[COUNT + 1] = { 0 }, k = 0;
    int32_t columns[2 * COUNT], owners[COUNT], part[COUNT];
    double ones[2 * COUNT];
    for (int32_t v = 0; v < COUNT; v++) {
        if (v > 0) columns[k++] = v - 1;
        if (v + 1 < COUNT) columns[k++] = v + 1;
        rows[v + 1] = k;
        owners[v] = -1;
    }
    for (int i = 0; i < 2 * COUNT; i++) ones[i] = 1.0;
    const pen_minex_graph graph = { COUNT, rows, columns, ones, ones, ones, ones, owners };
    pen_minex_settings settings = pen_minex_defaults(false);
    pen_minex_metrics m;
    pen_machine *machine = machine_of("flat", 2);
    assert_ok(pen_minex_partition(&graph, machine, &settings, part, &m, NULL));
    if (!(m.receiving <= 8.0 && m.heaviest <= 35.0)) fail_msg("receiving %g, heaviest %g", m.receiving, m.heaviest);
    pen_machine_destroy(&machine);
}

/* One vertex feeds all others, which read nothing else: the edges weigh 0 in the other direction. */
static void edges_may_weigh_nothing_one_way(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    int64_t rows[COUNT + 1] = { 0 };
    int32_t columns[2 * COUNT], owners[COUNT], part[COUNT];
    double ones[COUNT], reads[2 * COUNT], feeds[2 * COUNT];
    for (int32_t v = 0; v < COUNT; v++) {
        rows[v + 1] = rows[v] + (v == 0 ? COUNT - 1 : 1);
        for (int64_t k = rows[v]; k < rows[v + 1]; k++) {
            columns[k] = v == 0 ? (int32_t)k + 1 : 0;
            reads[k] = v == 0 ? 0.0 : 3.0;
            feeds[k] = v == 0 ? 3.0 : 0.0;
        }
        ones[v] = 1.0;
        owners[v] = -1;
        part[v] = v % 2;
    }
    const pen_minex_graph graph = { COUNT, rows, columns, ones, ones, reads, feeds, owners };
    pen_minex_settings settings = pen_minex_defaults(false);
    pen_minex_totals totals[2];
    pen_minex_metrics m;
    pen_machine *machine = machine_of("flat", 2);
    assert_ok(pen_minex_measure(&graph, machine, &settings, part, &m, totals, NULL));
    assert_true(totals[0].receiving == 0.0 && totals[1].receiving == 30.0); /* readers pay */
    settings.cost = PEN_MINEX_RANK;
    assert_ok(pen_minex_measure(&graph, machine, &settings, part, &m, totals, NULL));
    assert_true(totals[0].receiving == 3.0 && totals[1].receiving == 3.0); /* both pay, once */
    pen_machine_destroy(&machine);
}

/* ---- What settings do ------------------------------------------------------------------------------ */

static double heaviest_with(const bodies_graph *g, const pen_machine *machine, double throt)
{
    pen_minex_graph graph = bodies_graph_view(g);
    pen_minex_settings settings = pen_minex_defaults(true);
    pen_minex_metrics m;
    int32_t *part;
    settings.throt = throt;
    assert_ok(PEN_ALLOC(&part, g->count));
    assert_ok(pen_minex_partition(&graph, machine, &settings, part, &m, NULL));
    free(part);
    return m.heaviest;
}

/* From all on the fastest processor, load must go to slow ones: without any Gain nothing works. Speeds are made use
 * of. */
static void bodies_are_balanced(void **state)
{
    (void)state;
    bodies_graph g;
    bodies_body *bodies;
    assert_ok(PEN_ALLOC(&bodies, 2048));
    bodies_place(2048, 1, bodies);
    assert_ok(bodies_graph_of(2048, bodies, 12, 0.72, &g));
    free(bodies);
    pen_machine *machine = machine_of("clusters:8,between=10,kind=UP", 16);
    for (int32_t v = 0; v < g.count; v++) g.owners[v] = 0;
    double nothing = heaviest_with(&g, machine, 0.0), usual = heaviest_with(&g, machine, 32.0),
           all = heaviest_with(&g, machine, 512.0);
    if (!(nothing > 3.0 * usual && fabs(all - usual) < 0.05 * usual))
        fail_msg("heaviest load %g with ThroT 0, %g with 32, %g with 512", nothing, usual, all);
    for (int32_t v = 0; v < g.count; v++) g.owners[v] = -1;
    pen_minex_graph graph = bodies_graph_view(&g);
    pen_minex_settings settings = pen_minex_defaults(false);
    pen_minex_metrics m;
    int32_t *part;
    assert_ok(PEN_ALLOC(&part, g.count));
    assert_ok(pen_minex_partition(&graph, machine, &settings, part, &m, NULL));
    assert_true(m.imbalance < 1.05 && m.receiving < 0.35 * m.processing);
    free(part);
    pen_machine_destroy(&machine);
    bodies_graph_free(&g);
}

static void tolerance_hides(void **state)
{
    (void)state;
    const double one = 1.0, none = 0.0;
    const pen_minex_totals t = { 3, 7, 10.0, 4.0, 9.0 };
    assert_true(pen_minex_overlap(&t, &none) == 23.0);
    assert_true(pen_minex_overlap(&t, &half) == 18.0);
    assert_true(pen_minex_overlap(&t, &one) == 13.0);
    const pen_minex_totals idle = { 3, 7, 100.0, 4.0, 9.0 };
    assert_true(pen_minex_overlap(&idle, &one) == 100.0);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    pen_machine *machine = machine_of("flat", 4);
    for (int wrong = 0; wrong < 10; wrong++) {
        bodies_graph g = make_graph(20, 5, 4, 4);
        pen_minex_graph graph = bodies_graph_view(&g);
        pen_minex_settings settings = pen_minex_defaults(false);
        pen_minex_metrics m = { .total = -7.0 };
        int32_t part[20] = { -5 };
        if (wrong == 1) g.owners[3] = 4;
        if (wrong == 2) g.work[19] = -1.0;
        if (wrong == 3) g.size[0] = NAN;
        if (wrong == 4) g.reads[5] += 1.0;
        if (wrong == 5) g.columns[g.rows[2]] = 2;
        if (wrong == 6) settings.throt = -1.0;
        if (wrong == 7) settings.coarsest = -1;
        if (wrong == 8) g.columns[g.rows[20] - 1] = 20;
        if (wrong == 9) g.columns[g.rows[1] - 1] = g.columns[g.rows[1] - 1] == 19 ? 18 : 19;
        pen_status status = pen_minex_partition(&graph, machine, &settings, part, &m, NULL);
        assert_int_equal(status, wrong == 0 ? PEN_OK : PEN_ERR_ARGUMENT);
        if (wrong > 0) assert_true(part[0] == -5 && m.total == -7.0);
        bodies_graph_free(&g);
    }
    bodies_graph g = make_graph(5, 2, 4, 4);
    pen_minex_graph graph = bodies_graph_view(&g);
    pen_minex_settings settings = pen_minex_defaults(false);
    pen_minex_metrics m;
    const int32_t part[5] = { 0, 1, 2, 3, 4 };
    assert_int_equal(pen_minex_measure(&graph, machine, &settings, part, &m, NULL, NULL), PEN_ERR_ARGUMENT);
    bodies_graph_free(&g);
    pen_machine_destroy(&machine);
}

static void memory_may_end(void **state)
{
    (void)state;
    case_ c = make_case(3, 900, 4);
    for (int32_t v = 0; v < c.graph.count; v++) c.arrays.owners[v] = -1;
    int32_t part[900] = { -5 };
    pen_minex_metrics m = { .total = -7.0 };
    int64_t failures = 0;
    for (int64_t k = 1;; k++) {
        pen_alloc_countdown = k;
        pen_status status = pen_minex_partition(&c.graph, c.machine, &c.settings, part, &m, NULL);
        bool failed = pen_alloc_countdown == 0;
        pen_alloc_countdown = 0;
        assert_int_equal(status, failed ? PEN_ERR_MEMORY : PEN_OK);
        if (!failed) break;
        assert_true(part[0] == -5 && m.total == -7.0);
        failures++;
    }
    assert_true(failures > 30);
    for (int64_t k = 1;; k++) {
        pen_alloc_countdown = k;
        pen_status status = pen_minex_measure(&c.graph, c.machine, &c.settings, part, &m, NULL, NULL);
        bool failed = pen_alloc_countdown == 0;
        pen_alloc_countdown = 0;
        assert_int_equal(status, failed ? PEN_ERR_MEMORY : PEN_OK);
        if (!failed) break;
    }
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_those_of_a_loop),
        cmocka_unit_test(every_move_is_as_told),
        cmocka_unit_test(every_level_is_the_graph),
        cmocka_unit_test(filter_is_the_figure),
        cmocka_unit_test(degenerate_cases),
        cmocka_unit_test(chain_is_cut_once),
        cmocka_unit_test(edges_may_weigh_nothing_one_way),
        cmocka_unit_test(bodies_are_balanced),
        cmocka_unit_test(tolerance_hides),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
