/* execute_test.c - a step in discrete time against its definition, processor by processor, and cases computed by
 * hand.
 * pen_test(LINK pen_papers) */
#include "tests/support/unit.h"

#include "tests/bench/papers/execute.h"
#include "tests/support/minex_cases.h"

#include <string.h>

/* ---- Brute force --------------------------------------------------------------------------------- */

typedef struct parcel {
    bool there, started, arrived;
    double bodies, work, arrival;
} parcel;

typedef struct naive {
    parcel parcels[2][MOST_PROCESSORS][MOST_PROCESSORS]; /* what moves, and data: from, to */
    double local[MOST_PROCESSORS];
} naive;

static bool reads(const pen_minex_graph *g, int32_t v, int32_t w)
{
    for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++)
        if (g->columns[k] == w) return g->reads[k] > 0.0;
    return false;
}

static void fill(const pen_minex_graph *g, const int32_t *part, sim_send send, naive *n)
{
    for (int32_t w = 0; w < g->count; w++) {
        int32_t from = part[w], old = g->owners[w] < 0 ? from : g->owners[w];
        bool told[MOST_PROCESSORS] = { false };
        for (int32_t v = 0; v < g->count; v++) {
            int32_t to = part[v];
            if (to == from || to == old || !reads(g, v, w)) continue;
            parcel *p = &n->parcels[1][from][to];
            p->there = true;
            if (send == SIM_SEND_EDGE || !told[to]) p->bodies += g->size[w];
            told[to] = true;
            p->work += g->size[v] * g->size[w];
        }
        double alone = g->work[w];
        for (int32_t u = 0; u < g->count; u++) {
            int32_t was = g->owners[u] < 0 ? part[u] : g->owners[u];
            if (reads(g, w, u) && part[u] != from && was != from) alone -= g->size[w] * g->size[u];
        }
        if (old == from) {
            n->local[from] += alone;
            continue;
        }
        parcel *p = &n->parcels[0][old][from];
        p->there = true;
        p->bodies += g->size[w];
        p->work += alone;
    }
}

static int flying(const naive *n, int32_t p, bool out, int32_t processors)
{
    int count = 0;
    for (int kind = 0; kind < 2; kind++)
        for (int32_t q = 0; q < processors; q++) {
            const parcel *x = out ? &n->parcels[kind][p][q] : &n->parcels[kind][q][p];
            count += x->there && x->started && !x->arrived;
        }
    return count;
}

/* The next one that q sends, or NULL. */
static parcel *next_of(naive *n, int32_t q, int32_t processors, int32_t *to, bool *moves)
{
    for (int kind = 0; kind < 2; kind++)
        for (int32_t k = 1; k < processors; k++) {
            *to = (q + k) % processors;
            *moves = kind == 0;
            if (n->parcels[kind][q][*to].there && !n->parcels[kind][q][*to].started) return &n->parcels[kind][q][*to];
        }
    return NULL;
}

static bool all_have_moved_to(const naive *n, int32_t q, int32_t processors)
{
    for (int32_t p = 0; p < processors; p++)
        if (n->parcels[0][p][q].there && !n->parcels[0][p][q].arrived) return false;
    return true;
}

static bool start_one(naive *n, const pen_machine *m, int channels, double now)
{
    for (int32_t q = 0; q < m->processors; q++) {
        int32_t to;
        bool moves;
        parcel *p = next_of(n, q, m->processors, &to, &moves);
        if (!p || flying(n, q, true, m->processors) == channels || flying(n, to, false, m->processors) == channels ||
            (!moves && !all_have_moved_to(n, q, m->processors)))
            continue;
        pen_link link = m->link(m, q, to);
        p->started = true;
        p->arrival = now + link.latency + p->bodies * link.cost;
        return true;
    }
    return false;
}

static sim_execution by_definition(const pen_minex_graph *g, const pen_machine *m, sim_rules rules, const int32_t *part)
{
    naive *n = calloc(1, sizeof *n);
    double ends[MOST_PROCESSORS], work[MOST_PROCESSORS], now = 0.0, sum = 0.0;
    sim_execution e = { .imbalance = 1.0 };
    fill(g, part, rules.send, n);
    for (int32_t p = 0; p < m->processors; p++) {
        work[p] = n->local[p];
        ends[p] = work[p] / m->speeds[p];
    }
    for (double next = 0.0; next < INFINITY; now = next) {
        while (start_one(n, m, rules.channels, now)) continue;
        next = INFINITY;
        for (int i = 0; i < 2 * MOST_PROCESSORS * MOST_PROCESSORS; i++) {
            parcel *p = &n->parcels[0][0][0] + i;
            if (p->there && p->started && !p->arrived) next = fmin(next, p->arrival);
        }
        for (int i = 0; i < 2 * MOST_PROCESSORS * MOST_PROCESSORS; i++) {
            parcel *p = &n->parcels[0][0][0] + i;
            int to = i % MOST_PROCESSORS;
            if (!p->there || !p->started || p->arrived || p->arrival > next) continue;
            p->arrived = true;
            ends[to] = fmax(ends[to], next) + p->work / m->speeds[to];
            work[to] += p->work;
            e.messages++;
            e.bodies += p->bodies;
        }
    }
    for (int32_t p = 0; p < m->processors; p++) {
        sum += ends[p];
        e.runtime = fmax(e.runtime, ends[p]);
        e.computing = fmax(e.computing, work[p] / m->speeds[p]);
    }
    if (sum > 0.0) e.imbalance = e.runtime / (sum / m->processors);
    free(n);
    return e;
}

static const char *const machines[] = { "flat", "flat,speeds=1:3,latency=4", "clusters:3,between=10,kind=UP",
                                        "flat,cost=0", "torus:4x4,latency=1" };

TEST(steps_are_as_defined)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        int32_t processors = 1 + (int32_t)(pen_mix(seed) % 9), count = (int32_t)(pen_mix(seed + 5000) % 40);
        bodies_graph graph = make_graph(count, 1 + (int32_t)(seed % 8), processors, seed);
        for (int32_t v = 0; v < count; v++) /* meetings are work */
            for (int64_t k = graph.rows[v]; k < graph.rows[v + 1]; k++)
                graph.work[v] += graph.size[v] * graph.size[graph.columns[k]];
        pen_minex_graph g = pen_bodies_graph_view(&graph);
        pen_machine *m = machine_of(machines[seed % PEN_COUNT_OF(machines)], processors);
        const sim_rules rules = { seed % 2 ? SIM_SEND_RANK : SIM_SEND_EDGE, 1 + (int)(seed / 7 % 3) };
        int32_t part[40];
        for (int32_t v = 0; v < count; v++)
            part[v] = (int32_t)(pen_mix(seed * 77 + (uint64_t)v) % (uint64_t)processors);
        sim_execution found, wanted = by_definition(&g, m, rules, part);
        assert_ok(pen_sim_execute(&g, m, rules, part, &found));
        assert_int_equal(found.messages, wanted.messages);
        assert_near(found.bodies, wanted.bodies, wanted.bodies, "bodies");
        assert_near(found.runtime, wanted.runtime, wanted.runtime, "the step's time");
        assert_near(found.imbalance, wanted.imbalance, wanted.imbalance, "imbalance");
        assert_near(found.computing, wanted.computing, wanted.computing, "the longest computation");
        pen_machine_destroy(&m);
        pen_bodies_graph_free(&graph);
    }
}

/* Three cells of 2, 3 and 4 bodies in a row, each of which reads its neighbours, on three processors. */
TEST(a_step_by_hand)
{
    static const int64_t rows[] = { 0, 1, 3, 4 };
    static const int32_t columns[] = { 1, 0, 2, 1 }, nowhere[] = { -1, -1, -1 }, part[] = { 0, 1, 2 };
    static const double work[] = { 10, 50, 20 }, size[] = { 2, 3, 4 }, amounts[] = { 3, 2, 4, 3 },
                        feeds[] = { 2, 3, 3, 4 };
    pen_minex_graph g = { 3, rows, columns, work, size, amounts, feeds, nowhere };
    pen_machine *m = machine_of("flat,cost=10", 3);
    sim_rules rules = { SIM_SEND_RANK, 1 };
    sim_execution e;
    /* Without data: 10-6, 50-6-12, 20-12. 0 to 1 from 0 to 20, 1 to 2 from 0 to 30, 1 to 0 from 30 to 60, 2 to 1 from
     * 20, when 1 has its channel free, to 60. So 0 ends at 60+6, 1 at 60+12, 2 at 30+12. */
    assert_ok(pen_sim_execute(&g, m, rules, part, &e));
    assert_int_equal(e.messages, 4);
    assert_near(e.runtime, 72.0, 72.0, "the end");
    assert_near(e.imbalance, 72.0 / 60.0, 1.0, "imbalance");
    assert_near(e.bodies, 12.0, 12.0, "bodies");
    /* Cell 0 moves from 2 to 0: until 20. Its data then goes to 1, until 40; 2 sends cell 2 behind that, until 80, the
     * last one; 1's data as above: to 2 from 0 to 30, to 0 from 30 to 60. */
    static const int32_t owners[] = { 2, 1, 2 };
    g.owners = owners;
    assert_ok(pen_sim_execute(&g, m, rules, part, &e));
    assert_int_equal(e.messages, 5);
    assert_near(e.runtime, 80.0 + 12.0, 92.0, "the end after a move");
    pen_machine_destroy(&m);
}
