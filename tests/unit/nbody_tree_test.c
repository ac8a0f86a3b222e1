/* nbody_tree_test - the tree of all bodies has, to the bit, the cells and lists that nbody.h defines, also if distances
 * are equal: the graph that a run begins with, and the one that it saves.
 * pen_test(LINK pen_nbody pen_bodies) */
#include "tests/support/unit.h"

#include <string.h>

#include "apps/nbody/tree.h"
#include "tests/support/nbody_cases.h"
#include "tests/support/nbody_oracle.h"

enum { MANY = 343 };

static int by_gid(const void *a, const void *b)
{
    pen_gid x = *(const pen_gid *)a, y = *(const pen_gid *)b;
    return (x > y) - (x < y);
}

static void compare_leaf(const nbody_tree *t, const tree_cell *found, const oracle_cell *c, double delta)
{
    pen_gid gids[MANY];
    int64_t far, close, bodies = 0, count = pen_tree_look(t, found, delta, &far, &close, gids);
    assert_int_equal(far, c->far.count);
    assert_int_equal(count, c->close.count);
    qsort(gids, (size_t)count, sizeof *gids, by_gid);
    for (int64_t k = 0; k < count; k++) {
        assert_int_equal(gids[k], c->close.cells[k]->gid);
        bodies += c->close.cells[k]->count;
    }
    assert_int_equal(close, bodies);
}

static void compare(cases_kind kind, int64_t cell_max, double delta)
{
    const nbody s = { .cell_max = cell_max, .delta = delta, .dt = 0.1, .softening = 0.05 };
    bodies_set set = cases_place(kind, MANY, 5);
    oracle o = oracle_create(&s, &set);
    nbody_tree t;
    oracle_step(&o);
    assert_string_equal(o.wrong, "");
    assert_null(pen_tree_create(&set, o.cube, cell_max, &t));
    assert_int_equal(t.count, o.cells.count);
    for (int64_t i = 0; i < o.cells.count; i++) {
        const oracle_cell *c = o.cells.cells[i];
        const tree_cell *found = pen_tree_find(&t, c->gid);
        assert_non_null(found);
        assert_int_equal(found->bodies, c->count);
        assert_int_equal(found->leaf, c->leaf);
        assert_true(found->mass == c->mass && found->size2 == c->size2);
        assert_memory_equal(found->centre, c->centre, sizeof c->centre);
        if (c->leaf) compare_leaf(&t, found, c, delta);
    }
    assert_null(pen_tree_find(&t, INT64_C(1) << 60 | 1));
    pen_tree_free(&t);
    oracle_free(&o);
    free(set.bodies);
}

TEST(trees_are_as_defined)
{
    static const double deltas[] = { 0.5, 0.7, 1.0, 2.0 };
    for (cases_kind kind = 0; kind < CASES_KINDS; kind++)
        for (int d = 0; d < 4; d++) compare(kind, kind == CASES_ONE_LEAF ? MANY : 3 + d, deltas[d]);
}
