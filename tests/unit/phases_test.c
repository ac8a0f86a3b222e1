/* phases_test.c - loads of several phases: steering adds up the maxima, plans give every rank its share of each.
 * pen_test() */
#include "tests/support/unit.h"

#include "rebalance/balancers.h"
#include "steer/evaluation.h"
#include "steer/steer.h"
#include "tests/support/virtual_world.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 64, NODES = WIDTH * WIDTH, MOST_RANKS = 256 };
static double loads[NODES][2];

/* Loads of the nodes: one phase in the first half, the other in the second; or one everywhere, and the other in a disc
 * of nodes with different loads; or a disc with a core whose nodes have more load of the second phase: equal shares of
 * that phase give unequal loads of the first one. */
enum { HALVES, DISC, CORE };

static void create(int ranks, int kind, pen_virtual_world *world)
{
    assert_int_equal(pen_virtual_hex(ranks, WIDTH, WIDTH, world), PEN_OK);
    for (int32_t i = 0; i < NODES; i++) {
        const int x = i % WIDTH, y = i / WIDTH;
        const bool disc = x * x + y * y < 900, core = x * x + y * y < 200;
        switch (kind) {
        case HALVES: loads[i][0] = y < WIDTH / 2, loads[i][1] = 1.0 - loads[i][0]; break;
        case DISC: loads[i][0] = 1.0, loads[i][1] = disc ? 2.0 + i % 9 : 0.0; break;
        default: loads[i][0] = disc ? 4.0 : 1.0, loads[i][1] = disc ? 12.0 + 48.0 * core : 0.0;
        }
        world->loads[i] = loads[i][0] + loads[i][1];
    }
    world->phases = 2;
    world->phase_loads = loads[0];
}

/* Fraction of the ranks' time, if they wait for one another in each phase. */
static double balance(pen_virtual_world *world, const pen_balancer *balancer, const char *settings)
{
    static double sums[MOST_RANKS][2];
    double most[2] = { 0.0 }, total = 0.0;
    assert_int_equal(pen_virtual_world_balance(world, balancer, settings, NULL, false, NULL), PEN_OK);
    for (int r = 0; r < world->ranks; r++) sums[r][0] = sums[r][1] = 0.0;
    for (int32_t i = 0; i < NODES; i++)
        for (int p = 0; p < 2; p++) {
            sums[world->owners[i]][p] += loads[i][p];
            most[p] = fmax(most[p], sums[world->owners[i]][p]);
            total += loads[i][p];
        }
    return total / (world->ranks * (most[0] + most[1]));
}

TEST(every_rank_gets_its_share_of_each_phase)
{
    for (int kind = HALVES; kind <= CORE; kind++) {
        pen_virtual_world world;
        const double without = kind == CORE ? 0.9 : 0.7;
        create(9, kind, &world);
        assert_true(balance(&world, &pen_balancer_diffusive, "phases=no") < without);
        assert_true(balance(&world, &pen_balancer_metis, "seed=1") < without);
        assert_true(balance(&world, &pen_balancer_diffusive, "") > 0.975);
        pen_virtual_world_free(&world);
        create(9, kind, &world);
        assert_true(balance(&world, &pen_balancer_metis, "phases=yes,seed=1") > 0.85);
        pen_virtual_world_free(&world);
    }
}

/* Flows between neighbours do not reach from one end to the other. */
TEST(loads_come_to_far_ranks)
{
    pen_virtual_world world;
    create(MOST_RANKS, HALVES, &world);
    assert_true(balance(&world, &pen_balancer_diffusive, "") > 0.9);
    pen_virtual_world_free(&world);
}

/* Equal plans, whether or not the phases of proportional loads are told apart. */
TEST(phases_of_a_kind_are_one)
{
    pen_virtual_world one, two;
    create(9, DISC, &one);
    create(9, DISC, &two);
    for (int32_t i = 0; i < NODES; i++) {
        one.loads[i] = two.loads[i] = 3.0 + 30.0 * (loads[i][1] > 0.0);
        loads[i][0] = one.loads[i] / 3.0;
        loads[i][1] = 2.0 * loads[i][0];
    }
    one.phase_loads = NULL;
    assert_true(balance(&one, &pen_balancer_diffusive, "") > 0.9);
    assert_true(balance(&two, &pen_balancer_diffusive, "") > 0.9);
    assert_memory_equal(one.owners, two.owners, NODES * sizeof *one.owners);
    pen_virtual_world_free(&one);
    pen_virtual_world_free(&two);
}

/* What two ranks know of a step, and of a plan that moves nothing. */
typedef struct known {
    pen_steer_facts facts;
    pen_evaluation evaluation;
} known;

/* Two ranks, of speeds 1 and 2 and with one node each, look at a step. */
static pen_status look(void *context, pen_peers *peers)
{
    static const double of[2][3] = { { 4.0, 0.0, 1.0 }, { 2.0, 6.0, 0.0 } };
    known *k = (known *)context + peers->rank;
    pen_steer steer = { .settings = { .load = PEN_LOAD_DECLARED } };
    pen_steer_start(&steer, NULL, 1, &(pen_quality){ .cut = 0 }, 0.0);
    const pen_steer_local mine = { .step = 1,
                                   .remaining = 1,
                                   .load = of[peers->rank][0] + of[peers->rank][1] + of[peers->rank][2],
                                   .phases = 3,
                                   .phase_loads = of[peers->rank],
                                   .speed = 1.0 + peers->rank,
                                   .nodes = 2 };
    const pen_load_view view = {
        .count = 1, .loads = &mine.load, .speed = mine.speed, .phases = 3, .phase_loads = of[peers->rank]
    };
    const pen_plan plan = { .count = 0 };
    PEN_TRY(pen_steer_look(&steer, peers, &mine));
    k->facts = steer.facts;
    return pen_evaluation_make(peers, &k->facts, &view, NULL, &plan, NULL, 0.0, &k->evaluation);
}

TEST(a_step_takes_the_sum_of_the_maxima)
{
    known both[2];
    assert_int_equal(pen_virtual_run(2, 1, look, both, NULL, NULL), PEN_OK);
    for (int r = 0; r < 2; r++) {
        assert_true(both[r].facts.load.max == 4.0 + 3.0 + 1.0 && both[r].facts.total == 13.0);
        assert_true(both[r].evaluation.max == 4.0 + 3.0 + 1.0);
    }
}
