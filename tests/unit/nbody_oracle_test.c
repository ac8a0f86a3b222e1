/* nbody_oracle_test.c - checks the reference of nbody's tests (nbody_oracle.h): forces are sums over all pairs, trees
 * hold every body once, lists cover every body once, and energy and momentum are conserved.
 * pen_test(LINK pen_apps_headers) */
#include "tests/support/unit.h"

#include <string.h>

#include "tests/support/nbody_cases.h"
#include "tests/support/nbody_oracle.h"

static oracle make(cases_kind kind, int64_t count, nbody settings)
{
    bodies_set set = cases_place(kind, count, 5);
    oracle o = oracle_create(&settings, &set);
    free(set.bodies);
    return o;
}

/* Into sums[]: the potential of body i, and its acceleration. */
static void sum_directly(const oracle *o, int64_t i, double *sums)
{
    memset(sums, 0, 4 * sizeof *sums);
    for (int64_t j = 0; j < o->count; j++) {
        double apart[3], square = o->softening * o->softening;
        for (int k = 0; k < 3; k++) apart[k] = o->bodies[j].place[k] - o->bodies[i].place[k];
        for (int k = 0; k < 3; k++) square += apart[k] * apart[k];
        if (j == i) continue;
        sums[0] -= o->bodies[j].mass / sqrt(square);
        for (int k = 0; k < 3; k++) sums[1 + k] += o->bodies[j].mass * apart[k] / pow(square, 1.5);
    }
}

/* Root of the mean square of the accelerations' relative errors; *potential: the largest of potentials'. */
static double error_of(const oracle *o, double *potential)
{
    double sum = 0.0;
    *potential = 0.0;
    for (int64_t i = 0; i < o->count; i++) {
        double sums[4], off = 0.0, square = 0.0;
        sum_directly(o, i, sums);
        for (int k = 0; k < 3; k++) {
            off += pow(o->accelerations[i][k] - sums[1 + k], 2.0);
            square += sums[1 + k] * sums[1 + k];
        }
        sum += off / square;
        *potential = fmax(*potential, fabs(o->potentials[i] / sums[0] - 1.0));
    }
    return sqrt(sum / (double)o->count);
}

TEST(forces_are_sums_over_all)
{
    for (cases_kind kind = 0; kind < CASES_KINDS; kind++) {
        const nbody exact = { .cell_max = 5, .delta = 1e-9, .dt = 0.1, .softening = 0.05 };
        double potential, error;
        oracle o = make(kind, kind == CASES_FACES ? 301 : 300, exact); /* symmetrical ones would have no force */
        for (int step = 0; step < 2; step++) oracle_step(&o);
        assert_string_equal(o.wrong, "");
        error = error_of(&o, &potential);
        if (!(error < 1e-10 && potential < 1e-12)) fail_msg("case %d: errors of %g and %g", kind, error, potential);
        oracle_free(&o);
    }
}

/* With more far cells the error grows, but stays small; fewer and fewer interactions are computed. */
TEST(far_cells_are_near_the_truth)
{
    static const double deltas[] = { 0.4, 0.7, 1.0, 1.5 };
    double last = 1e-9, potential;
    int64_t least = 1 << 30;
    for (int d = 0; d < PEN_COUNT_OF(deltas); d++) {
        oracle o = make(CASES_CUBE, 600, (nbody){ .cell_max = 8, .delta = deltas[d], .dt = 0.1, .softening = 0.05 });
        oracle_step(&o);
        double error = error_of(&o, &potential);
        int64_t work = 0;
        for (int64_t i = 0; i < o.cells.count; i++)
            work += o.cells.cells[i]->far.count + 8 * o.cells.cells[i]->close.count;
        if (!(error > last && error < 0.1 * deltas[d]))
            fail_msg("delta %g: an error of %g, before %g", deltas[d], error, last);
        assert_true(work < least);
        least = work;
        last = error;
        oracle_free(&o);
    }
}

/* Of the set of bodies below a cell, every one is counted once more. */
static void count_bodies(const oracle_cell *c, int *times)
{
    for (int64_t i = 0; i < c->count; i++) times[c->bodies[i]]++;
}

static void check_leaf(const oracle *o, const oracle_cell *leaf)
{
    int *times = calloc((size_t)o->count, sizeof *times);
    count_bodies(leaf, times);
    for (int64_t n = 0; n < leaf->far.count; n++) count_bodies(leaf->far.cells[n], times);
    for (int64_t n = 0; n < leaf->close.count; n++) {
        assert_true(leaf->close.cells[n]->leaf && leaf->close.cells[n] != leaf);
        assert_true(n == 0 || leaf->close.cells[n - 1]->gid < leaf->close.cells[n]->gid);
        count_bodies(leaf->close.cells[n], times);
    }
    for (int64_t n = 1; n < leaf->far.count; n++) assert_true(leaf->far.cells[n - 1]->gid < leaf->far.cells[n]->gid);
    for (int64_t i = 0; i < o->count; i++) assert_int_equal(times[i], 1);
    free(times);
}

/* Where a cell is, from its gid alone. */
static void check_place(const oracle *o, const oracle_cell *c)
{
    pen_gid path = c->gid;
    double low[3] = { -o->cube, -o->cube, -o->cube }, side = 2.0 * o->cube;
    for (int l = c->level - 1; l >= 0; l--) {
        int child = (int)(path >> 3 * l & 7);
        side /= 2.0;
        for (int k = 0; k < 3; k++) low[k] += child >> k & 1 ? side : 0.0;
    }
    assert_int_equal(path >> 3 * c->level, 1);
    for (int64_t i = 0; i < c->count; i++)
        for (int k = 0; k < 3; k++) {
            double x = o->bodies[c->bodies[i]].place[k];
            assert_true(x >= low[k] && x < low[k] + side);
            assert_true(x >= c->low[k] && x <= c->high[k]);
        }
    for (int k = 0; k < 3; k++) assert_true(c->centre[k] >= c->low[k] - 1e-9 && c->centre[k] <= c->high[k] + 1e-9);
}

TEST(trees_hold_all)
{
    for (cases_kind kind = 0; kind < CASES_KINDS; kind++) {
        oracle o =
            make(kind, kind == CASES_ONE_LEAF ? 7 : 400,
                 (nbody){ .cell_max = 7, .delta = kind % 2 ? 0.7 : 50.0, .dt = 0.1, .softening = 0.05, .cube = 32.0 });
        for (int step = 0; step < 3; step++) {
            oracle_step(&o);
            assert_string_equal(o.wrong, "");
            int *times = calloc((size_t)o.count, sizeof *times);
            for (int64_t n = 0; n < o.cells.count; n++) {
                const oracle_cell *c = o.cells.cells[n];
                assert_true(n == 0 || o.cells.cells[n - 1]->gid < c->gid);
                for (int64_t i = 1; i < c->count; i++) assert_true(c->bodies[i - 1] < c->bodies[i]);
                check_place(&o, c);
                for (int j = 0; j < 8; j++) assert_true(!c->children[j] || c->children[j]->gid == 8 * c->gid + j);
                assert_true(c->count >= 1);
                assert_int_equal(c->leaf, c->count <= 7);
                if (c->leaf) count_bodies(c, times);
                if (c->leaf) check_leaf(&o, c);
            }
            for (int64_t i = 0; i < o.count; i++) assert_int_equal(times[i], 1);
            free(times);
        }
        oracle_free(&o);
    }
}

/* Also softened, the energy is that of all pairs. */
static double energy_of(const oracle *o, double *momentum)
{
    double energy = 0.0;
    memset(momentum, 0, 4 * sizeof *momentum);
    for (int64_t i = 0; i < o->count; i++) {
        const bodies_body *b = &o->bodies[i];
        double square = 0.0;
        for (int k = 0; k < 3; k++) square += b->velocity[k] * b->velocity[k];
        for (int k = 0; k < 3; k++) momentum[k] += b->mass * b->velocity[k];
        momentum[3] += b->mass * sqrt(square);
        energy += b->mass * (square + o->potentials[i]) / 2.0;
    }
    return energy;
}

TEST(energy_and_momentum_stay)
{
    double first[4], then[4];
    oracle o = make(CASES_CUBE, 300, (nbody){ .cell_max = 8, .delta = 0.5, .dt = 0.02, .softening = 0.2 });
    o.cube = 64.0;
    oracle_step(&o);
    double energy = energy_of(&o, first);
    for (int step = 0; step < 40; step++) oracle_step(&o);
    assert_string_equal(o.wrong, "");
    double drift = fabs(energy_of(&o, then) / energy - 1.0);
    if (!(drift < 2e-4)) fail_msg("the energy drifts by %g", drift);
    for (int k = 0; k < 3; k++) assert_true(fabs(then[k] - first[k]) < 1e-3 * first[3]);
    oracle_free(&o);
}

/* Two bodies that circle each other come back; so the sign, the half kicks and the factor of the force are right. */
TEST(two_bodies_circle)
{
    bodies_body two[2] = { { { 0.5, 0.0, 0.0 }, { 0.0, 0.5, 0.0 }, 0.5 },
                           { { -0.5, 0.0, 0.0 }, { 0.0, -0.5, 0.0 }, 0.5 } };
    const nbody s = { .cell_max = 1, .delta = 0.7, .dt = 2.0 * 3.14159265358979323846 / 400.0, .softening = 1e-6 };
    oracle o = oracle_create(&s, &(bodies_set){ two, 2 });
    assert_true(o.cube == 1.0);
    for (int step = 0; step <= 400; step++) oracle_step(&o);
    assert_true(o.cells.count == 3);
    for (int k = 0; k < 3; k++) assert_true(fabs(o.bodies[0].place[k] - two[0].place[k]) < 1e-3);
    for (int step = 0; step < 200; step++) oracle_step(&o);
    for (int k = 0; k < 3; k++) assert_true(fabs(o.bodies[0].place[k] - two[1].place[k]) < 1e-3);
    oracle_free(&o);
}

/* By hand: one body in the lower corner's child, two in the upper one's, each in a child of its own. */
TEST(dumps_are_as_defined)
{
    bodies_body three[3] = { { { 1.0, 1.0, 1.0 }, { 0.0, 0.0, 0.0 }, 1.0 },
                             { { -1.0, -1.0, -1.0 }, { 0.0, 1.0, 0.0 }, 2.0 },
                             { { 1.0, 3.0, 1.0 }, { 0.0, 0.0, 0.0 }, 3.0 } };
    const nbody s = { .cell_max = 1, .delta = 0.4, .dt = 0.5, .softening = 1.0, .cube = 4.0 };
    oracle o = oracle_create(&s, &(bodies_set){ three, 3 });
    oracle_step(&o);
    char *text = oracle_dump(&o);
    assert_non_null(
        strstr(text,
               "1 cell 3 0x1.8p+2 0x1.5555555555555p-2 0x1.5555555555555p+0 0x1.5555555555555p-2 0x1.8p+4 2 8 15\n"));
    assert_non_null(strstr(text, "\n8 leaf 1 2 0 1 -0x1p+0 -0x1p+0 -0x1p+0 0x0p+0 0x1p+0 0x0p+0 "));
    assert_non_null(strstr(text, "\n15 cell 2 0x1p+2 0x1p+0 0x1.4p+1 0x1p+0 0x1p+2 2 120 122\n"));
    assert_non_null(strstr(text, "\n120 leaf 1 2 0 0 0x1p+0 0x1p+0 0x1p+0 "));
    free(text);
    oracle_free(&o);
}

TEST(what_cannot_go_on_stops)
{
    bodies_body pair[2] = { { { 0.3, 0.3, 0.3 }, { 0.0, 0.0, 0.0 }, 1.0 },
                            { { 0.3, 0.3, 0.3 }, { 0.0, 0.0, 0.0 }, 1.0 } };
    const nbody s = { .cell_max = 1, .delta = 1.0, .dt = 1.0, .softening = 1.0 };
    oracle o = oracle_create(&s, &(bodies_set){ pair, 2 });
    oracle_step(&o);
    assert_string_equal(o.wrong, "2 bodies in a cell of the deepest level");
    oracle_free(&o);
    pair[1] = (bodies_body){ { -0.3, 0.0, 0.0 }, { 5.0, 0.0, 0.0 }, 1.0 };
    o = oracle_create(&s, &(bodies_set){ pair, 2 });
    for (int step = 0; step < 3; step++) oracle_step(&o);
    assert_string_equal(o.wrong, "body 1 is not in the cube");
    oracle_free(&o);
}
