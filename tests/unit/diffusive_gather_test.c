/* diffusive_gather_test.c - the diffusive balancer sends few messages, since rank 0 plans for all where that is faster;
 * plans are the same wherever they are made, and after broad shifts they move no more nodes than necessary. */
#include "tests/support/unit.h"

#include "rebalance/balancers.h"
#include "tests/support/balance_cases.h"

#include <stdlib.h>

/* Up to 32 ranks, with a heavy region: a grid or, in every fourth case, no order at all. Every 20th has up to 90000
 * nodes, others have up to 3600. */
static void larger_world(uint64_t seed, pen_virtual_world *world)
{
    uint64_t state = pen_mix(seed);
    uint64_t side = seed % 20 == 0 ? 300 : 60;
    int ranks = 2 + (int)balance_draw(&state, 31), width = 1 + (int)balance_draw(&state, side),
        height = 1 + (int)balance_draw(&state, side);
    if (seed / 2 % 4 > 0) assert_ok(pen_virtual_hex(ranks, width, height, world));
    else assert_ok(pen_virtual_random(ranks, width * height / 4, (int64_t)width * height, seed, world));
    for (int32_t i = 0, from = (int32_t)balance_draw(&state, 90000); i < world->nodes; i++)
        if (i >= from / 4 && i % width >= from % width / 2) world->loads[i] = 1.0 + (double)(seed % 13);
}

/* Rank 0 plans for all ranks, or for the remainder of a level, or every rank plans for itself. Where parts are renamed
 * afterwards, ranks exchange a little more. */
TEST(where_a_plan_is_made_does_not_matter)
{
    static const char *const settings[] = { "", "gather=never", "gather=always" };
    int64_t moved = 0, renamed = 0;
    for (int seed = 0; seed < unit_cases / 5; seed++) {
        pen_virtual_world worlds[3];
        for (int k = 0; k < 3; k++) {
            pen_virtual_outcome outcome;
            if (seed % 20 > 0) balance_larger_case((uint64_t)seed, &worlds[k]);
            else larger_world((uint64_t)seed, &worlds[k]);
            assert_ok(
                pen_virtual_world_balance(&worlds[k], &pen_balancer_diffusive, settings[k], NULL, false, &outcome));
            if (k == 1 && outcome.moved > 0 && outcome.exchanges + outcome.reductions <= 3)
                fail_msg("case %d: gathered in spite of the setting", seed);
            moved += outcome.moved;
            if (k == 2 && outcome.exchanges + outcome.reductions > 150)
                fail_msg("case %d: %" PRId64 " exchanges", seed, outcome.exchanges);
            renamed += k == 2 && outcome.exchanges + outcome.reductions > 4;
            for (int32_t i = 0; i < worlds[0].nodes; i++)
                if (worlds[k].owners[i] != worlds[0].owners[i])
                    fail_msg("case %d: %s puts node %d elsewhere", seed, settings[k], (int)i);
        }
        for (int k = 0; k < 3; k++) pen_virtual_world_free(&worlds[k]);
    }
    assert_true(moved > 0);
    if (2 * renamed > unit_cases / 5) fail_msg("more than 2 exchanges and 2 reductions in %" PRId64 " cases", renamed);
}

TEST(messages_are_few)
{
    for (int seed = 0; seed < unit_cases / 5; seed++) {
        pen_virtual_world world;
        larger_world((uint64_t)seed, &world);
        pen_virtual_outcome outcome;
        assert_ok(pen_virtual_world_balance(&world, &pen_balancer_diffusive, "", NULL, false, &outcome));
        if (outcome.exchanges + outcome.reductions > 150)
            fail_msg("case %d: %" PRId64 " exchanges, %" PRId64 " reductions", seed, outcome.exchanges,
                     outcome.reductions);
        pen_virtual_world_free(&world);
    }
}

/* Half of the ranks get three times the load: a third of their nodes, a sixth of all, must move, and little more than
 * half of all do, as if METIS starts from scratch and parts go to the ranks that have most of them. */
TEST(broad_shifts_move_half_of_the_nodes)
{
    for (int side = 4; side <= 16; side *= 2) {
        pen_virtual_world world;
        pen_virtual_outcome outcome;
        assert_ok(pen_virtual_hex(side * side, 16 * side, 16 * side, &world));
        for (int32_t i = 0; i < world.nodes; i++) {
            world.owners[i] = i / (256 * side) * side + i % (16 * side) / 16;
            world.loads[i] = world.owners[i] % side < side / 2 ? 3.0 : 1.0;
        }
        assert_ok(pen_virtual_world_balance(&world, &pen_balancer_diffusive, "", NULL, false, &outcome));
        if (8 * outcome.moved < world.nodes || (double)outcome.moved > 0.55 * world.nodes)
            fail_msg("%d ranks: %" PRId64 " of %d nodes move", side * side, outcome.moved, (int)world.nodes);
        pen_virtual_world_free(&world);
    }
}
