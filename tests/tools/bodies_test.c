/* bodies_test.c - the bodies of an N-body step: their tree, their graph, and how they move.
 * pen_test(LINK pen_papers) */
#include "tests/support/unit.h"

#include "tests/support/minex_cases.h"

enum { BODIES = 1024 };

/* Of all pairs, softened as the motion is. */
static double energy_of(const bodies_body *bodies)
{
    double energy = 0.0, mass = 1.0 / BODIES;
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 3; k++) energy += 0.5 * mass * bodies[i].velocity[k] * bodies[i].velocity[k];
        for (int j = 0; j < i; j++) {
            double square = 0.05 * 0.05;
            for (int k = 0; k < 3; k++) square += pow(bodies[i].place[k] - bodies[j].place[k], 2.0);
            energy -= mass * mass / sqrt(square);
        }
    }
    return energy;
}

TEST(energy_stays)
{
    bodies_body *bodies;
    double centre[3] = { 0.0, 0.0, 0.0 };
    assert_ok(pen_bodies_place(BODIES, 1, &bodies));
    const bodies_body first = bodies[0];
    double energy = energy_of(bodies), kinetic = 0.0;
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) kinetic += 0.5 / BODIES * bodies[i].velocity[k] * bodies[i].velocity[k];
    assert_true(kinetic > 0.0);
    for (int step = 0; step < 20; step++) assert_ok(pen_bodies_move(BODIES, bodies, 12, 0.72, 0.025));
    double drift = fabs(energy_of(bodies) - energy) / kinetic;
    if (!(drift < 2e-3)) fail_msg("the energy drifts by %g of the kinetic one", drift);
    double way = 0.0;
    for (int k = 0; k < 3; k++) way += fabs(bodies[0].place[k] - first.place[k]);
    assert_true(way > 1e-3);
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) centre[k] += bodies[i].velocity[k] / BODIES;
    for (int k = 0; k < 3; k++) assert_true(fabs(centre[k]) < 0.1); /* forces have no common direction */
    free(bodies);
}

/* With everything close the tree changes nothing: half a step is that of direct sums. */
TEST(forces_are_sums_over_all)
{
    bodies_body *bodies;
    assert_ok(pen_bodies_place(BODIES, 2, &bodies));
    double expected[3], pull[3] = { 0.0, 0.0, 0.0 };
    for (int j = 1; j < BODIES; j++) {
        double square = 0.05 * 0.05;
        for (int k = 0; k < 3; k++) square += pow(bodies[j].place[k] - bodies[0].place[k], 2.0);
        for (int k = 0; k < 3; k++)
            pull[k] += (bodies[j].place[k] - bodies[0].place[k]) / (BODIES * square * sqrt(square));
    }
    for (int k = 0; k < 3; k++) expected[k] = bodies[0].place[k] + 0.5 * (bodies[0].velocity[k] + 0.25 * pull[k]);
    assert_ok(pen_bodies_move(BODIES, bodies, 12, 0.0, 0.5));
    for (int k = 0; k < 3; k++) assert_near(bodies[0].place[k], expected[k], 1.0, "a place");
    free(bodies);
}

/* Every body is in one leaf; a leaf has no more than it may; numbers follow the order of leaves. */
TEST(trees_hold_all)
{
    bodies_body *bodies;
    static bool seen[BODIES];
    bodies_tree t;
    int32_t leaves = 0, there = 0;
    assert_ok(pen_bodies_place(BODIES, 3, &bodies));
    for (int k = 0; k < 3; k++) bodies[5].place[k] = 1000.0; /* outside of the cube */
    assert_ok(pen_bodies_tree_create(BODIES, bodies, 12, &t));
    for (int32_t i = 0; i < t.count; i++) {
        const bodies_cell *c = &t.cells[i];
        assert_true(c->next > i && c->next <= t.count);
        if (c->leaf < 0) continue;
        assert_int_equal(c->leaf, leaves++);
        assert_true(c->bodies >= 1 && c->bodies <= 12 && c->first == there);
        for (int32_t k = c->first; k < c->first + c->bodies; k++) {
            assert_false(seen[t.items[k].body]);
            seen[t.items[k].body] = true;
        }
        there += c->bodies;
    }
    assert_int_equal(leaves, t.leaves);
    assert_int_equal(there, BODIES);
    pen_bodies_tree_free(&t);
    free(bodies);
}

TEST(owners_are_those_of_most_bodies)
{
    bodies_body *bodies;
    static int32_t of_bodies[BODIES];
    bodies_tree t;
    bodies_graph g;
    assert_ok(pen_bodies_place(BODIES, 4, &bodies));
    for (int32_t i = 0; i < BODIES; i++) of_bodies[i] = (int32_t)(pen_mix((uint64_t)i) % 3) - 1;
    assert_ok(pen_bodies_tree_create(BODIES, bodies, 12, &t));
    assert_ok(pen_bodies_graph_of(&t, 0.72, &g));
    assert_ok(pen_bodies_graph_own(&t, of_bodies, &g));
    for (int32_t i = 0; i < t.count; i++) {
        const bodies_cell *c = &t.cells[i];
        int counts[3] = { 0 }, best = 0;
        for (int32_t k = c->first; k < c->first + c->bodies; k++) counts[of_bodies[t.items[k].body] + 1]++;
        for (int k = 1; k < 3; k++) best = counts[k] > counts[best] ? k : best;
        if (c->leaf >= 0) assert_int_equal(g.owners[c->leaf], best - 1);
        if (c->leaf >= 0) assert_true(g.size[c->leaf] == c->bodies);
    }
    pen_bodies_graph_free(&g);
    pen_bodies_tree_free(&t);
    free(bodies);
}
