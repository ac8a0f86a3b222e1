/* balance_cases.h - small random worlds of all degenerate kinds, and properties of every balancer. Needs cmocka. */
#pragma once

#include "base/hash.h"
#include "base/memory.h"
#include "tests/support/virtual_world.h"
#include "tests/support/world.h"
#include "view/machine.h"

static inline void assert_ok(pen_status status)
{
    if (status != PEN_OK) fail_msg("%s: %s", pen_status_name(status), pen_error_message());
}

static const char *const balance_machines[] = { "flat,speeds=1:3", "clusters:2,between=20,kind=UP",
                                                "torus:9,speeds=5:1:0.1", "tree:3x3,costs=9:1,latency=2",
                                                "flat,cost=0" };

/* A machine of so many ranks, or none, that lives as long as the program. */
static inline const pen_machine *balance_case_machine(uint64_t kind, int ranks)
{
    static pen_machine *machines[PEN_COUNT_OF(balance_machines)][10];
    if (kind >= PEN_COUNT_OF(balance_machines)) return NULL;
    pen_machine **machine = &machines[kind][ranks];
    if (!*machine) assert_ok(pen_machine_generate(balance_machines[kind], ranks, machine));
    return *machine;
}

/* Up to 8 ranks and 40 nodes: no edges up to many; loads equal, whole numbers, mostly 0, all 0, or one that
 * outweighs the rest; owners anywhere, in blocks, or one; weights in every other case; half of them on some machine.
 * The caller frees it. */
static inline void balance_case(uint64_t *state, pen_virtual_world *world)
{
    int32_t nodes = 1 + (int32_t)(case_random(state) % 40);
    int ranks = 1 + (int)(case_random(state) % 8);
    const uint64_t seed = case_random(state);
    const int64_t edges = (int64_t)(case_random(state) % 4) * nodes / 2;
    assert_ok(pen_virtual_random(ranks, nodes, edges, seed, world));
    uint64_t kind = case_random(state) % 5, dealt = case_random(state) % 3;
    for (int32_t i = 0; i < nodes; i++) {
        double plain = kind == 0 ? 1 : 0;
        world->loads[i] = kind == 0 || kind == 3 ? plain : (double)(case_random(state) % 12);
        if (kind == 2 && case_random(state) % 4 > 0) world->loads[i] = 0;
        if (dealt < 2) world->owners[i] = dealt ? ranks - 1 : (int32_t)(case_random(state) % (uint64_t)ranks);
    }
    if (kind == 4) world->loads[0] = 500;
    world->machine = balance_case_machine(case_random(state) % 10, ranks);
    world->horizon = 1 + (double)(case_random(state) % 100);
    if (case_random(state) % 2) return;
    world->edge_weights = malloc((world->rows[nodes] + 1) * sizeof *world->edge_weights);
    for (int32_t i = 0; i < nodes; i++)
        for (uint32_t j = world->rows[i]; j < world->rows[i + 1]; j++) {
            int32_t low = i < world->columns[j] ? i : world->columns[j], high = i + world->columns[j] - low;
            world->edge_weights[j] = 1 + (low * 7 + high * 3) % 5;
        }
}

/* Draws of one case. */
static inline uint64_t balance_draw(uint64_t *state, uint64_t below)
{
    *state = pen_mix(*state);
    return pen_hash_range(*state, below);
}

/* A small world of edges, loads and owners at random; its edges weigh up to 5 now and then. */
static inline void balance_case_of_ranks(uint64_t seed, uint64_t state, int ranks, pen_virtual_world *world)
{
    int32_t nodes = (int32_t)balance_draw(&state, 61);
    int64_t arcs = (int64_t)balance_draw(&state, (uint64_t)nodes * 3 + 1);
    assert_ok(pen_virtual_random(ranks, nodes, arcs, pen_mix(seed), world));
    uint64_t kind = balance_draw(&state, 4), spread = balance_draw(&state, 3);
    for (int32_t i = 0; i < nodes; i++) {
        uint64_t dice = balance_draw(&state, 20);
        world->loads[i] = kind == 0 ? 1.0 : 0.0;
        if (kind > 1 && dice == 0) world->loads[i] = 50.0;
        if (kind > 1 && dice >= 5) world->loads[i] = 0.1 + 0.1 * (double)balance_draw(&state, 30);
        if (kind == 1 && dice == 0) world->loads[i] = 1.0;
        if (spread == 1) world->owners[i] = (int32_t)balance_draw(&state, (uint64_t)ranks);
        if (spread == 2) world->owners[i] = ranks - 1;
    }
    world->machine = balance_case_machine(balance_draw(&state, 15), ranks);
    if (balance_draw(&state, 3) > 0) return;
    world->edge_weights = malloc((world->rows[nodes] + 1) * sizeof *world->edge_weights);
    assert_non_null(world->edge_weights);
    for (int32_t i = 0; i < nodes; i++)
        for (uint32_t a = world->rows[i]; a < world->rows[i + 1]; a++)
            world->edge_weights[a] = 1 + (int64_t)(pen_mix((uint64_t)(i + world->columns[a])) % 5);
}

/* Of some ranks. */
static inline void balance_larger_case(uint64_t seed, pen_virtual_world *world)
{
    uint64_t state = seed;
    int ranks = 1 + (int)balance_draw(&state, 9);
    balance_case_of_ranks(seed, state, ranks, world);
}

/* Balance once. Nodes move only if that lowers the maximum; the world checks that each node has one owner. Returns how
 * many nodes moved. */
static inline int64_t balance_never_worse(pen_virtual_world *world, const pen_balancer *balancer, const char *settings)
{
    pen_quality old, new;
    pen_virtual_outcome outcome;
    assert_ok(pen_virtual_world_measure(world, &old));
    assert_ok(pen_virtual_world_balance(world, balancer, settings, NULL, false, &outcome));
    assert_ok(pen_virtual_world_measure(world, &new));
    if (outcome.moved > 0 ? new.imbalance >= old.imbalance : new.imbalance != old.imbalance)
        fail_msg("%s:%s moved %" PRId64 " nodes from imbalance %g to %g", balancer->name, settings, outcome.moved,
                 old.imbalance, new.imbalance);
    return outcome.moved;
}

/* Balance twice from the same start: the result does not depend on the ranks' turns and threads nor, with `reversed`,
 * on the order of own nodes. */
static inline void balance_same_again(pen_virtual_world *world, const pen_balancer *balancer, const char *settings,
                                      bool reversed)
{
    int backwards[8];
    int32_t before[40], after[40];
    size_t bytes = (size_t)world->nodes * sizeof *world->owners;
    pen_virtual_outcome outcome;
    for (int r = 0; r < world->ranks; r++) backwards[r] = world->ranks - 1 - r;
    memcpy(before, world->owners, bytes);
    world->threads = 3;
    assert_ok(pen_virtual_world_balance(world, balancer, settings, backwards, reversed, &outcome));
    memcpy(after, world->owners, bytes);
    memcpy(world->owners, before, bytes);
    world->threads = 1;
    assert_ok(pen_virtual_world_balance(world, balancer, settings, NULL, false, &outcome));
    assert_memory_equal(after, world->owners, bytes);
}
