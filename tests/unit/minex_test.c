/* minex_test.c - MinEX's metrics and gains of every move, against loops over all edges.
 * pen_test(LINK pen_papers) */
#include "tests/support/unit.h"

#include "partition/minex/contract.h"
#include "partition/minex/gain_cache.h"
#include "tests/support/minex_cases.h"

TEST(metrics_are_those_of_a_loop)
{
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

/* Whatever parts the vertices of a contracted graph are in, it costs as much as the graph itself. */
TEST(contracted_graphs_cost_the_same)
{
    int paired = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        case_ c = make_case(seed, 40, 6);
        c.settings.cost = PEN_MINEX_EDGE;
        if (c.settings.tolerance == odd_tolerance) c.settings.tolerance = NULL; /* it counts vertices */
        for (int32_t v = 0; v < 40; v++) c.arrays.owners[v] = c.arrays.owners[v] > 0 ? 0 : c.arrays.owners[v];
        level fine = { .graph = c.graph }, coarse;
        assert_ok(pen_minex_contract(&fine, 60.0, seed, &coarse));
        int32_t part[40], coarse_part[40];
        for (int32_t v = 0; v < coarse.graph.count; v++) {
            coarse_part[v] = (int32_t)(pen_mix(seed + (uint64_t)v) % (uint64_t)c.machine->processors);
            assert_true(coarse.graph.work[v] <= 60.0);
        }
        for (int32_t v = 0; v < 40; v++) part[v] = coarse_part[fine.into[v]];
        brute b = measure(&c.graph, c.machine, &c.settings, part),
              again = measure(&coarse.graph, c.machine, &c.settings, coarse_part);
        for (int32_t q = 0; q < c.machine->processors; q++) {
            assert_near(again.totals[q].processing, b.totals[q].processing, b.total, "processing");
            assert_near(again.totals[q].receiving, b.totals[q].receiving, b.total, "receiving");
            assert_near(again.totals[q].remapping, b.totals[q].remapping, b.total, "remapping");
        }
        paired += 40 - coarse.graph.count;
        pen_minex_level_free(&fine, true);
        pen_minex_level_free(&coarse, false);
        free_case(&c);
    }
    assert_true(paired > 1000);
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

TEST(every_move_is_as_told)
{
    int64_t moves[2] = { 0, 0 };
    for (uint64_t seed = 0; seed < 200; seed++) {
        case_ c = make_case(seed, (int32_t)(seed % 60), 5);
        moves[c.settings.cost] += watch_case(&c, NULL);
        free_case(&c);
    }
    assert_true(moves[PEN_MINEX_EDGE] > 500 && moves[PEN_MINEX_RANK] > 500);
}

/* Compare the gain cache's entry for v's move to `to` with the move's actual effect. */
static void check_gains(placement *p, gain_cache *s, int32_t v, int32_t to, double limit)
{
    double loads[2], worth = 0.0;
    const table_entry *there = pen_minex_entry(p, v, to);
    pen_minex_gains_begin(s, v, true, limit);
    pen_minex_gains_loads(s, to, there, &loads[1], &loads[0]);
    double found = pen_minex_gains_worth(s, to, there);
    pen_minex_change(p, v, to, true);
    for (int32_t i = 0; i < p->change.count; i++) {
        double old = p->loads[p->change.processors[i]], new = pen_minex_load_after(p, i);
        if (i < 2) assert_near(loads[i], new, p->total, "load of an end");
        worth += new - old + PEN_MINEX_CUT * p->change.receiving[i];
        if (new > old + 1e-6 && new > limit) worth = INFINITY;
    }
    if (isinf(worth) || isinf(found)) assert_true(worth == found);
    else assert_near(found, worth, p->total, "worth");
}

TEST(gains_are_changes)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        case_ c = make_case(seed, 30, 6);
        network net;
        placement p;
        gain_cache s;
        int32_t part[30];
        c.settings.cost = PEN_MINEX_EDGE;
        for (int32_t v = 0; v < 30; v++)
            part[v] = (int32_t)(pen_mix(seed * 64 + (uint64_t)v) % (uint64_t)c.machine->processors);
        assert_ok(pen_minex_network_create(c.machine, &net));
        assert_ok(pen_minex_placement_create(&c.graph, NULL, &net, &c.settings, part, &p));
        assert_ok(pen_minex_gains_create(&p, &s));
        for (int32_t v = 0; v < 30; v++)
            for (int32_t q = 0; q < net.processors; q++)
                if (q != part[v]) check_gains(&p, &s, v, q, seed % 2 ? INFINITY : 1.000123 * p.total / net.processors);
        pen_minex_gains_free(&s);
        pen_minex_placement_free(&p);
        pen_minex_network_free(&net);
        free_case(&c);
    }
}

/* Metrics are the same on all levels where edges are counted. */
TEST(every_level_is_the_graph)
{
    int32_t smallest = INT32_MAX;
    for (uint64_t seed = 0; seed < 2; seed++) {
        case_ c = make_case(seed, 900, 6);
        c.settings.cost = PEN_MINEX_EDGE;
        c.settings.tolerance = NULL;
        for (int32_t v = 0; v < c.graph.count; v++) c.arrays.owners[v] %= 2;
        watch_case(&c, &smallest);
        free_case(&c);
    }
    assert_true(smallest < 800);
}
