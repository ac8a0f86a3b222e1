/* minex_limits_test.c - MinEX's filter against its figure; extreme graphs and machines; the effect of settings, and
 * messages about wrong ones.
 * pen_test(LINK pen_papers) */
#include "tests/support/unit.h"

#include "partition/minex/filter.h"
#include "tests/support/minex_cases.h"

/* ---- The filter ---------------------------------------------------------------------------------- */

TEST(filter_is_the_figure)
{
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

TEST(degenerate_cases)
{
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
            c.graph = pen_bodies_graph_view(&c.arrays);
            partition_checked(&c);
            free_case(&c);
        }
}

/* A chain of equal vertices on two equal processors is cut once. */
TEST(chain_is_cut_once)
{
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
TEST(edges_may_weigh_nothing_one_way)
{
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

/* ---- Settings ------------------------------------------------------------------------------- */

static double heaviest_with(const bodies_graph *g, const pen_machine *machine, double throt)
{
    pen_minex_graph graph = pen_bodies_graph_view(g);
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
TEST(bodies_are_balanced)
{
    bodies_graph g;
    assert_ok(pen_bodies_graph_create(2048, 1, &g));
    pen_machine *machine = machine_of("clusters:8,between=10,kind=UP", 16);
    for (int32_t v = 0; v < g.count; v++) g.owners[v] = 0;
    double nothing = heaviest_with(&g, machine, 0.0), usual = heaviest_with(&g, machine, 32.0),
           all = heaviest_with(&g, machine, 512.0);
    if (!(nothing > 3.0 * usual && fabs(all - usual) < 0.05 * usual))
        fail_msg("heaviest load %g with ThroT 0, %g with 32, %g with 512", nothing, usual, all);
    for (int32_t v = 0; v < g.count; v++) g.owners[v] = -1;
    pen_minex_graph graph = pen_bodies_graph_view(&g);
    pen_minex_settings settings = pen_minex_defaults(false);
    pen_minex_metrics m;
    int32_t *part;
    assert_ok(PEN_ALLOC(&part, g.count));
    assert_ok(pen_minex_partition(&graph, machine, &settings, part, &m, NULL));
    assert_true(m.imbalance < 1.05 && m.receiving < 0.35 * m.processing);
    free(part);
    pen_machine_destroy(&machine);
    pen_bodies_graph_free(&g);
}

TEST(tolerance_hides)
{
    const double one = 1.0, none = 0.0;
    const pen_minex_totals t = { 3, 7, 10.0, 4.0, 9.0 };
    assert_true(pen_minex_overlap(&t, &none) == 23.0);
    assert_true(pen_minex_overlap(&t, &half) == 18.0);
    assert_true(pen_minex_overlap(&t, &one) == 13.0);
    const pen_minex_totals idle = { 3, 7, 100.0, 4.0, 9.0 };
    assert_true(pen_minex_overlap(&idle, &one) == 100.0);
}

TEST(what_is_wrong_is_told)
{
    pen_machine *machine = machine_of("flat", 4);
    for (int wrong = 0; wrong < 10; wrong++) {
        bodies_graph g = make_graph(20, 5, 4, 4);
        pen_minex_graph graph = pen_bodies_graph_view(&g);
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
        pen_bodies_graph_free(&g);
    }
    bodies_graph g = make_graph(5, 2, 4, 4);
    pen_minex_graph graph = pen_bodies_graph_view(&g);
    pen_minex_settings settings = pen_minex_defaults(false);
    pen_minex_metrics m;
    const int32_t part[5] = { 0, 1, 2, 3, 4 };
    assert_int_equal(pen_minex_measure(&graph, machine, &settings, part, &m, NULL, NULL), PEN_ERR_ARGUMENT);
    pen_bodies_graph_free(&g);
    pen_machine_destroy(&machine);
}

TEST(memory_may_end)
{
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
