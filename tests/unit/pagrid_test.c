/* pagrid_test.c - estimated times against a loop over all pairs, also after every move; partitions of ordinary and
 * degenerate graphs for ordinary and degenerate machines.
 * pen_test(TIMEOUT 180) */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "base/memory.h"
#include "partition/pagrid/pagrid.h"
#include "partition/pagrid/state.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 400, MOST_PROCESSORS = 64 };

/* Node v reads data[v][w] of node w; edge[v][w]: they are neighbours. */
typedef struct sample {
    int32_t count;
    bool edge[MOST_NODES][MOST_NODES];
    double data[MOST_NODES][MOST_NODES], work[MOST_NODES];
    int64_t rows[MOST_NODES + 1];
    int32_t columns[MOST_NODES * MOST_NODES];
    double weights[MOST_NODES * MOST_NODES];
    pen_pagrid_graph graph;
} sample;

static sample one;

static void assert_ok(pen_status status)
{
    if (status != PEN_OK) fail_msg("%s: %s", pen_status_name(status), pen_error_message());
}

static void join(int32_t v, int32_t w, double forth, double back)
{
    if (v == w) return;
    one.edge[v][w] = one.edge[w][v] = true;
    one.data[v][w] = forth;
    one.data[w][v] = back;
}

static void clear(int32_t count)
{
    memset(&one, 0, sizeof one);
    one.count = count;
    for (int32_t v = 0; v < count; v++) one.work[v] = 1.0;
}

static const pen_pagrid_graph *finish(void)
{
    int64_t arcs = 0;
    for (int32_t v = 0; v < one.count; v++) {
        for (int32_t w = 0; w < one.count; w++) {
            if (!one.edge[v][w]) continue;
            one.columns[arcs] = w;
            one.weights[arcs++] = one.data[v][w];
        }
        one.rows[v + 1] = arcs;
    }
    one.graph = (pen_pagrid_graph){ one.count, one.rows, one.columns, one.work, one.weights };
    return &one.graph;
}

/* Of `count` nodes: reads in either direction or both, now and then of nothing; work from 0 to 3. */
static const pen_pagrid_graph *random_graph(int32_t count, int32_t edges, uint64_t seed)
{
    uint64_t random = pen_mix(seed);
    clear(count);
    for (int32_t k = 0; k < edges && count > 1; k++) {
        int32_t v = (int32_t)pen_hash_range(pen_mix(random++), (uint64_t)count);
        int32_t w = (int32_t)pen_hash_range(pen_mix(random++), (uint64_t)count);
        uint64_t dice = pen_mix(random++);
        join(v, w, dice % 4 == 0 ? 0.0 : pen_unit_real(pen_mix(dice)),
             dice / 4 % 4 == 0 ? 0.0 : 3.0 * pen_unit_real(pen_mix(dice + 1)));
    }
    for (int32_t v = 0; v < count; v++) one.work[v] = (double)(pen_mix(random++) % 4);
    return finish();
}

/* Rows of cells, each with up to six neighbours. */
static const pen_pagrid_graph *hexagons(int32_t width, int32_t height)
{
    clear(width * height);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            int32_t v = y * width + x;
            if (x + 1 < width) join(v, v + 1, 1.0, 1.0);
            if (y + 1 == height) continue;
            join(v, v + width, 1.0, 1.0);
            if (y % 2 && x + 1 < width) join(v, v + width + 1, 1.0, 1.0);
            if (y % 2 == 0 && x > 0) join(v, v + width - 1, 1.0, 1.0);
        }
    return finish();
}

static pen_machine *machine_of(const char *spec, int parts)
{
    pen_machine *machine;
    assert_ok(pen_machine_generate(spec, parts, &machine));
    return machine;
}

/* The definition, over all pairs of nodes and of processors. Returns the longest time. */
static double by_definition(const pen_machine *m, double ratio, const int32_t *part, double *times)
{
    double work = 0.0, data = 0.0, most = 0.0;
    int64_t read = 0;
    for (int32_t v = 0; v < one.count; v++) {
        work += one.work[v];
        for (int32_t w = 0; w < one.count; w++) {
            data += one.data[v][w];
            read += one.data[v][w] > 0.0;
        }
    }
    for (int32_t p = 0; p < m->processors; p++) {
        double mine = 0.0, moved = 0.0, latency = 0.0;
        for (int32_t q = 0; q < m->processors; q++) {
            double sum = 0.0;
            for (int32_t v = 0; v < one.count && q != p; v++)
                for (int32_t w = 0; w < one.count && part[v] == p; w++)
                    if (part[w] == q) sum += one.data[v][w];
            moved += sum * m->link(m, p, q).cost;
            if (sum > 0.0) latency += m->link(m, p, q).latency;
        }
        for (int32_t v = 0; v < one.count; v++)
            if (part[v] == p) mine += one.work[v];
        if (ratio >= 0.0) {
            mine *= work > 0.0 ? one.count / work : 1.0;
            moved *= data > 0.0 ? ratio * (double)read / data : ratio;
            latency *= ratio;
        }
        times[p] = mine / m->speeds[p] + moved + latency;
        most = fmax(most, times[p]);
    }
    return most;
}

static void assert_near(double found, double expected, double scale)
{
    if (!(fabs(found - expected) <= 1e-12 * scale))
        fail_msg("%.17g, expected %.17g, off by %.3g of %g", found, expected, fabs(found - expected) / scale, scale);
}

static const char *const machines[] = {
    "flat",
    "flat,cost=2,latency=3",
    "flat,cost=0",
    "flat,cost=0,latency=0.7",
    "flat,speeds=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16",
    "torus:4x4,latency=0.25",
    "hypercube:4,speeds=1:3",
    "clusters:4,between=30",
    "clusters:2,between=7,kind=DN",
    "tree:4x4,costs=9:2",
};

/* Two nodes of processor 0 read of one on 1; speeds 1 and 2. */
TEST(a_small_one_by_hand)
{
    static const int32_t part[] = { 0, 0, 1 };
    double times[2];
    pen_machine *m = machine_of("flat,cost=3,latency=5,speeds=1:2", 2);
    clear(3);
    one.work[0] = 4.0;
    one.work[1] = 2.0;
    one.work[2] = 3.0;
    join(0, 2, 1.5, 0.0);
    join(1, 2, 0.5, 0.0);
    join(0, 1, 7.0, 7.0);
    assert_ok(pen_estimate(finish(), m, -1.0, part, times));
    assert_near(times[0], 6.0 + 2.0 * 3.0 + 5.0, 1.0);
    assert_near(times[1], 1.5, 1.0);
    assert_ok(pen_estimate(&one.graph, m, 0.5, part, times));
    assert_near(times[0], 2.0 + 0.5 * (2.0 / 4.0 * 3.0 + 5.0), 1.0); /* mean node 3, mean arc 16 / 4 */
    assert_near(times[1], 0.5, 1.0);
    pen_machine_destroy(&m);
}

static void compare_times(const pagrid_state *s, const pen_machine *m, double ratio)
{
    double times[MOST_PROCESSORS], again[MOST_PROCESSORS];
    double most = by_definition(m, ratio, s->part, times);
    assert_ok(pen_estimate(&one.graph, m, ratio, s->part, again));
    for (int32_t p = 0; p < m->processors; p++) {
        assert_near(again[p], times[p], most);
        assert_near(s->times[p], times[p], most);
    }
}

/* A move changes every processor's time, and the objective, as defined. */
TEST(moves_are_exact)
{
    for (uint64_t seed = 0; seed < 3 * PEN_COUNT_OF(machines); seed++) {
        double ratio = seed % 3 == 0 ? -1.0 : 0.45;
        int32_t part[MOST_NODES];
        uint64_t random = pen_mix(seed);
        pagrid_levels levels;
        pagrid_network network;
        pagrid_state s;
        pen_machine *m = machine_of(machines[seed % PEN_COUNT_OF(machines)], 16);
        const pen_pagrid_graph *graph = random_graph(40, (int32_t)(seed % 7) * 20, seed);
        pen_estimate_units units = pen_estimate_units_of(graph, ratio);
        for (int32_t v = 0; v < graph->count; v++) part[v] = (int32_t)pen_hash_range(pen_mix(random++), 16);
        assert_ok(pen_pagrid_network_create(m, units, &network));
        assert_ok(pen_pagrid_levels_create(graph, units, NULL, MOST_NODES, 1, &levels));
        assert_ok(pen_pagrid_state_create(&levels.levels[0], &network, part, &s));
        compare_times(&s, m, ratio);
        pen_pagrid_aim(&s, 3);
        for (int move = 0; move < 60; move++) {
            int32_t v = (int32_t)pen_hash_range(pen_mix(random++), 40);
            int32_t to = (int32_t)pen_hash_range(pen_mix(random++), move % 2 ? 16 : 4);
            if (to == part[v]) continue;
            pen_pagrid_look(&s, v);
            double growth = pen_pagrid_try(&s, v, to), sum = 0.0;
            pen_pagrid_move(&s, v, to, growth);
            compare_times(&s, m, ratio);
            for (int32_t p = 0; p < 16; p++) sum += pow(s.times[p] * s.unit, 8.0);
            assert_near(s.objective, sum, 100.0 * (1.0 + sum));
        }
        pen_pagrid_state_free(&s);
        pen_pagrid_levels_free(&levels);
        pen_pagrid_network_free(&network);
        pen_machine_destroy(&m);
    }
}

/* Groups have the times of their vertices, and none reaches from one start to another. */
TEST(levels_keep_times)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        int32_t parts[8][MOST_NODES], start[MOST_NODES], above[MOST_NODES], *part = start;
        pagrid_levels levels;
        pagrid_network network;
        pen_machine *m = machine_of("clusters:4,between=3,kind=UP", 16);
        const pen_pagrid_graph *graph = seed % 2 ? random_graph(150, 60 * (int32_t)(seed % 9), seed) : hexagons(16, 10);
        pen_estimate_units units = pen_estimate_units_of(graph, 0.45);
        for (int32_t v = 0; v < graph->count; v++)
            above[v] = start[v] = (int32_t)(pen_mix(seed + (uint64_t)v / 8) % 16);
        assert_ok(pen_pagrid_network_create(m, units, &network));
        assert_ok(pen_pagrid_levels_create(graph, units, start, 10, seed, &levels));
        assert_true(levels.count > 1 && levels.count <= 8);
        assert_true(levels.levels[1].count < 0.75 * graph->count);
        for (int k = 0; k + 1 < levels.count; k++) {
            const pagrid_level *fine = &levels.levels[k];
            for (int32_t v = 0; v < fine->count; v++) parts[k][fine->map[v]] = part[v];
            for (int32_t v = 0; v < fine->count; v++) assert_int_equal(parts[k][fine->map[v]], part[v]);
            part = parts[k];
            pagrid_state s;
            assert_ok(pen_pagrid_state_create(&levels.levels[k + 1], &network, part, &s));
            double times[MOST_PROCESSORS], most = by_definition(m, 0.45, above, times);
            for (int32_t p = 0; p < 16; p++) assert_near(s.times[p], times[p], most);
            pen_pagrid_state_free(&s);
        }
        pen_pagrid_levels_free(&levels);
        pen_pagrid_network_free(&network);
        pen_machine_destroy(&m);
    }
}

/* A partition, twice the same; its longest time is the returned one. */
static double divide(const char *spec, int processors, double ratio, const int32_t *start, int32_t *part)
{
    int32_t again[MOST_NODES];
    double times[MOST_PROCESSORS], told, most;
    const pen_pagrid_settings settings = { ratio, 7 };
    pen_machine *m = machine_of(spec, processors);
    memset(part, 0xff, MOST_NODES * sizeof *part);
    assert_ok(pen_pagrid_partition(&one.graph, m, &settings, start, part, &told));
    if (one.count < 100) assert_ok(pen_pagrid_partition(&one.graph, m, &settings, start, again, NULL));
    else memcpy(again, part, sizeof again);
    for (int32_t v = 0; v < one.count; v++) {
        assert_in_range(part[v], 0, processors - 1);
        assert_int_equal(part[v], again[v]);
    }
    most = by_definition(m, ratio, part, times);
    assert_near(told, most, most);
    if (start) assert_true(told <= by_definition(m, ratio, start, times) * (1.0 + 1e-12));
    pen_machine_destroy(&m);
    return told;
}

static const int32_t degenerate_counts[] = { 0, 1, 2, 5, 5, 5, 5, 5, 6, 300, 300 };

static void make_degenerate(int which)
{
    int32_t count = degenerate_counts[which];
    if (which == 8) random_graph(count, 12, 5);
    else clear(count);
    for (int32_t v = 0; v < count; v++) {
        if (which == 2 || which == 3) join(0, v, 1.0, 1.0);
        if (which == 5 || which == 9) join(0, v, 1.0, 0.0); /* a star; the last one has no edges */
        if (which == 6 || which == 8) one.work[v] = 0.0;    /* nothing to do; data only */
        if (which == 7) join(v, (v + 1) % count, 0.0, 0.0); /* neighbours that do not read */
    }
    finish();
}

TEST(degenerate_graphs_and_machines)
{
    for (int which = 0; which < (int)PEN_COUNT_OF(degenerate_counts); which++)
        for (size_t k = 0; k < (which < 9 ? PEN_COUNT_OF(machines) : 1); k++) {
            int32_t start[MOST_NODES], part[MOST_NODES];
            make_degenerate(which);
            divide(machines[k], 16, 0.45, NULL, part);
            for (int32_t v = 0; v < one.count; v++) start[v] = v % 16;
            divide(machines[k], 16, 0.45, start, part);
            for (int32_t v = 0; v < one.count; v++) start[v] = 0;
            if (which < 9 && k % 4 == 0) divide(machines[k], 16, 0.0, start, part);
            if (k < 2) divide(machines[k], 1, 0.45, NULL, part);
            if (k < 2 && which < 9) divide(machines[k], 61, -1.0, NULL, part);
        }
}

/* What it is for. */
TEST(short_times)
{
    int32_t part[MOST_NODES], start[MOST_NODES];
    hexagons(16, 10);
    assert_true(divide("hypercube:4", 16, 0.45, NULL, part) < 22.3); /* plain search 23.8, METIS 28.9 to 33.9 */
    hexagons(20, 20);
    assert_true(divide("hypercube:4", 16, 0.45, NULL, part) < 42.0); /* METIS 50 */
    for (int32_t v = 0; v < 400; v++) start[v] = v / 25;
    assert_true(divide("hypercube:4", 16, 0.45, start, part) < 45.0);
    for (int32_t v = 0; v < 400; v++) start[v] = 15;
    assert_true(divide("hypercube:4", 16, 0.45, start, part) < 45.0);
    clear(160);
    finish();
    assert_near(divide("flat", 16, 0.45, NULL, part), 10.0, 10.0);
    assert_near(divide("flat,speeds=1:3", 16, 0.45, NULL, part), 5.0, 5.0);
    assert_near(divide("flat", 16, 0.45, start, part), 10.0, 10.0);
    /* If links are slow, processors stay idle: all but one, all but a cluster. */
    hexagons(8, 5);
    assert_near(divide("flat,latency=1000,speeds=1:1:1:2", 16, 0.45, NULL, part), 20.0, 20.0);
    assert_true(divide("clusters:4,between=1000", 16, 0.45, NULL, part) < 16.0);
    for (int32_t v = 0; v < 40; v++) assert_int_equal(part[v] / 4, part[0] / 4);
}

TEST(what_is_refused)
{
    static const pen_pagrid_settings settings = { 0.45, 1 };
    int32_t part[MOST_NODES], start[MOST_NODES] = { 0 };
    pen_machine *m = machine_of("flat", 4);
    hexagons(4, 4);
    start[7] = 4;
    assert_int_equal(pen_pagrid_partition(&one.graph, m, &settings, start, part, NULL), PEN_ERR_ARGUMENT);
    start[7] = -1;
    assert_int_equal(pen_pagrid_partition(&one.graph, m, &settings, start, part, NULL), PEN_ERR_ARGUMENT);
    one.work[3] = -1.0;
    assert_int_equal(pen_pagrid_partition(&one.graph, m, &settings, NULL, part, NULL), PEN_ERR_ARGUMENT);
    one.work[3] = 1.0;
    one.weights[5] = INFINITY;
    assert_int_equal(pen_pagrid_partition(&one.graph, m, &settings, NULL, part, NULL), PEN_ERR_ARGUMENT);
    one.weights[5] = 1.0;
    assert_ok(pen_pagrid_partition(&one.graph, m, &settings, NULL, part, NULL));
    for (int32_t other = -1; other <= 16; other += 17) {
        one.columns[2] = other;
        assert_int_equal(pen_pagrid_partition(&one.graph, m, &settings, NULL, part, NULL), PEN_ERR_ARGUMENT);
    }
    one.columns[2] = 0;
    one.columns[3] = 0; /* twice of node 1 */
    assert_int_equal(pen_pagrid_partition(&one.graph, m, &settings, NULL, part, NULL), PEN_ERR_ARGUMENT);
    pen_machine_destroy(&m);
}

/* Each allocation fails once. */
TEST(little_memory)
{
    static const pen_pagrid_settings settings = { 0.45, 1 };
    int32_t part[MOST_NODES], start[MOST_NODES] = { 0 };
    pen_machine *m = machine_of("flat,latency=1", 2);
    hexagons(2, 8);
    for (int with_start = 0; with_start < 2; with_start++) {
        pen_status status = PEN_ERR_MEMORY;
        int64_t k = 1;
        for (; status == PEN_ERR_MEMORY && k < 1000; k++) {
            pen_alloc_countdown = k;
            status = pen_pagrid_partition(&one.graph, m, &settings, with_start ? start : NULL, part, NULL);
        }
        pen_alloc_countdown = 0;
        assert_ok(status);
        assert_true(k > 20);
    }
    pen_machine_destroy(&m);
}
