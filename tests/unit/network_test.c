/* network_test.c - costs of partitions on a machine, against plain sums; and that algorithms that know the network
 * profit from it.
 * pen_test(TIMEOUT 120) */
#include "tests/support/unit.h"

#include "rebalance/balancers.h"
#include "tests/support/balance_cases.h"

#include <math.h>
#include <stdlib.h>

/* The cost of one rank by the definition: every arc and every rank that it reads of are found again. */
static double time_of(const pen_virtual_world *w, int32_t rank, double *dilation)
{
    double time = 0.0;
    bool read[9] = { false };
    for (int32_t i = 0; i < w->nodes; i++) {
        if (w->owners[i] != rank) continue;
        time += w->loads[i] / w->machine->speeds[rank];
        for (uint32_t a = w->rows[i]; a < w->rows[i + 1]; a++) {
            int32_t there = w->owners[w->columns[a]];
            double cost = w->machine->link(w->machine, rank, there).cost *
                          (w->edge_weights ? (double)w->edge_weights[a] : 1.0);
            if (there == rank) continue;
            read[there] = true;
            time += cost;
            *dilation += 0.5 * cost;
        }
    }
    for (int32_t q = 0; q < w->ranks; q++)
        if (read[q]) time += w->machine->link(w->machine, rank, q).latency;
    return time;
}

TEST(steps_take_what_they_are_made_of)
{
    int on_machines = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        pen_virtual_world w;
        pen_quality q;
        double most = 0.0, dilation = 0.0;
        balance_larger_case(seed, &w);
        assert_ok(pen_virtual_world_measure(&w, &q));
        for (int32_t r = 0; w.machine && r < w.ranks; r++) most = fmax(most, time_of(&w, r, &dilation));
        if (fabs(q.step_time - most) > 1e-9 * most || fabs(q.dilation - dilation) > 1e-9 * dilation)
            fail_msg("case %d: step %g and dilation %g, must be %g and %g", (int)seed, q.step_time, q.dilation, most,
                     dilation);
        on_machines += w.machine != NULL;
        pen_virtual_world_free(&w);
    }
    assert_true(on_machines > 300);
}

/* From stripes of a field whose upper left is heavy. */
static pen_quality settle(const pen_balancer *balancer, const char *settings, const pen_machine *machine, bool knows,
                          int quarter)
{
    enum { WIDTH = 64 };
    pen_virtual_world w;
    pen_quality q;
    assert_ok(pen_virtual_hex(16, WIDTH, WIDTH, &w));
    for (int32_t i = 0; i < w.nodes; i++)
        if (2 * (i / WIDTH) / WIDTH == quarter / 2 && 2 * (i % WIDTH) / WIDTH == quarter % 2) w.loads[i] = 4.0;
    w.machine = knows ? machine : NULL;
    for (int call = 0; call < 3; call++)
        assert_ok(pen_virtual_world_balance(&w, balancer, settings, NULL, false, NULL));
    w.machine = machine;
    assert_ok(pen_virtual_world_measure(&w, &q));
    pen_virtual_world_free(&w);
    return q;
}

/* A step becomes shorter, or, with diffusive, edges shorter in the sum. */
TEST(expensive_links_are_spared)
{
    static const struct {
        const pen_balancer *balancer;
        const char *settings;
        double most;
    } all[] = { { &pen_balancer_diffusive, "", 0.91 },
                { &pen_balancer_scotch, "", 0.95 },
                { &pen_balancer_minex, "units,scratch", 0.95 },
                { &pen_balancer_pagrid, "units,scratch", 0.9 } };
    pen_machine *machine;
    assert_ok(pen_machine_generate("clusters:4,between=30", 16, &machine));
    for (int k = 0; k < PEN_COUNT_OF(all); k++) {
        double without = 0.0, with = 0.0; /* one field alone leaves much to chance */
        for (int quarter = 0; quarter < 4; quarter++) {
            const pen_quality q = settle(all[k].balancer, all[k].settings, machine, false, quarter),
                              p = settle(all[k].balancer, all[k].settings, machine, true, quarter);
            without += k == 0 ? q.dilation : q.step_time;
            with += k == 0 ? p.dilation : p.step_time;
        }
        if (!(with <= all[k].most * without))
            fail_msg("%s: %g with the machine, %g without", all[k].balancer->name, with, without);
    }
    pen_machine_destroy(&machine);
}

/* Shares by speed; those that work by the time of a step are told that communication takes none. */
TEST(speeds_are_followed)
{
    static const struct {
        const pen_balancer *balancer;
        const char *settings;
    } all[] = { { &pen_balancer_diffusive, "" },    { &pen_balancer_metis, "ufactor=10" },
                { &pen_balancer_scotch, "" },       { &pen_balancer_rcb, "" },
                { &pen_balancer_sfc, "" },          { &pen_balancer_minex, "ratio=0" },
                { &pen_balancer_pagrid, "ratio=0" } };
    pen_machine *machine;
    assert_ok(pen_machine_generate("tree:4x4,speeds=1:3", 16, &machine));
    for (int k = 0; k < PEN_COUNT_OF(all); k++) {
        pen_quality q = settle(all[k].balancer, all[k].settings, machine, true, 0);
        if (q.two_sided > 0.05) fail_msg("%s is %g off the shares", all[k].balancer->name, q.two_sided);
    }
    pen_machine_destroy(&machine);
}

/* Times that may be infinite are refused: none of them would be the least. */
TEST(endless_steps_are_refused)
{
    const pen_balancer *const balancers[] = { &pen_balancer_minex, &pen_balancer_pagrid };
    static const char *const cases[][2] = { { "flat,speeds=1e-300", "units,scratch" },
                                            { "flat,cost=1e290", "ratio=1e30" } };
    for (int k = 0; k < 4; k++) {
        pen_virtual_world w;
        pen_machine *machine;
        assert_ok(pen_machine_generate(cases[k / 2][0], 4, &machine));
        assert_ok(pen_virtual_hex(4, 16, 16, &w));
        w.machine = machine;
        for (int32_t i = 0; i < w.nodes; i++) w.loads[i] = 1e20;
        assert_int_equal(pen_virtual_world_balance(&w, balancers[k % 2], cases[k / 2][1], NULL, false, NULL),
                         PEN_ERR_UNSUPPORTED);
        assert_non_null(strstr(pen_error_message(), "units of time on this machine, at most 1e+300 are"));
        pen_virtual_world_free(&w);
        pen_machine_destroy(&machine);
    }
}

/* Without a given cost of an arc, loads are spread all the same, also over expensive links. */
TEST(work_is_spread_without_a_ratio)
{
    const pen_balancer *const balancers[] = { &pen_balancer_minex, &pen_balancer_pagrid };
    pen_machine *machine;
    assert_ok(pen_machine_generate("clusters:8,between=30", 8, &machine));
    for (int k = 0; k < 2; k++) {
        pen_virtual_world w;
        pen_quality before, after;
        assert_ok(pen_virtual_hex(8, 32, 32, &w));
        w.machine = machine;
        for (int32_t i = 0; i < w.nodes / 2; i++) w.loads[i] = 10.0;
        assert_ok(pen_virtual_world_measure(&w, &before));
        assert_ok(pen_virtual_world_balance(&w, balancers[k], "", NULL, false, NULL));
        assert_ok(pen_virtual_world_measure(&w, &after));
        if (before.imbalance < 1.8 || after.imbalance > 1.3)
            fail_msg("%s: imbalance %g becomes %g", balancers[k]->name, before.imbalance, after.imbalance);
        pen_virtual_world_free(&w);
    }
    pen_machine_destroy(&machine);
}
