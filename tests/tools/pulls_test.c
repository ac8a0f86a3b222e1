/* pulls_test.c - steps in discrete time that can be reckoned by hand, on a chain and on a star.
 * pen_test(LINK pen_papers) */
#include "tests/support/unit.h"

#include "tests/bench/papers/pulls.h"
#include "view/machine.h"

/* Of undirected edges between nodes, each twice. */
static double seconds_of(pen_graph *graph, const char *machine_name, int processors, const int32_t *part,
                         sim_pulls pulls)
{
    pen_machine *machine = NULL;
    double seconds = -1.0;
    assert_int_equal(pen_machine_generate(machine_name, processors, &machine), PEN_OK);
    assert_int_equal(pen_sim_pulls(graph, machine, part, &pulls, &seconds), PEN_OK);
    pen_machine_destroy(&machine);
    return seconds;
}

/* 0 - 1 - 2 - 3 */
static int64_t chain_rows[] = { 0, 1, 3, 5, 6 };
static pen_gid chain_neighbors[] = { 1, 0, 2, 1, 3, 2 };
static pen_graph chain = { .nodes = 4, .count = 4, .rows = chain_rows, .neighbors = chain_neighbors };

/* 0 in the middle of 1, 2, 3; 1 and 2 are neighbours too */
static int64_t star_rows[] = { 0, 3, 5, 7, 8 };
static pen_gid star_neighbors[] = { 1, 2, 3, 0, 2, 0, 1, 0 };
static pen_graph star = { .nodes = 4, .count = 4, .rows = star_rows, .neighbors = star_neighbors };

#define SECONDS(graph, machine, processors, pulls, ...) \
    seconds_of(&(graph), machine, processors, (const int32_t[]){ __VA_ARGS__ }, pulls)

TEST(nodes_and_one_message)
{
    const sim_pulls pulls = { 1.0, 0.25, true, 3 };
    assert_true(SECONDS(chain, "flat", 1, pulls, 0, 0, 0, 0) == 12.0);
    assert_true(SECONDS(chain, "flat", 2, pulls, 0, 0, 1, 1) == 3 * 2.25);
    assert_true(SECONDS(chain, "flat,cost=4,latency=2", 2, pulls, 0, 0, 1, 1) == 3 * 3.5);
    assert_true(SECONDS(chain, "flat,speeds=1:2", 2, pulls, 0, 1, 1, 1) == 1.75 + 2 * 1.5);
    assert_true(SECONDS(chain, "hypercube:2", 4, pulls, 0, 0, 3, 3) == 3 * 2.5);
}

/* The centre, which is slow, has its only record last in the other processor's order. */
TEST(records_go_once_to_a_processor)
{
    const sim_pulls pulls = { 1.0, 0.25, true, 1 };
    assert_true(SECONDS(star, "flat,speeds=0.25:1", 2, pulls, 0, 1, 1, 1) == 4.25);
    assert_true(SECONDS(star, "flat", 2, pulls, 0, 1, 1, 1) == 3.75);
}

/* The star's centre alone: it gets three records, from three processors that are ready at the same time. */
TEST(messages_come_in_turn_or_together)
{
    assert_true(SECONDS(star, "flat", 4, ((sim_pulls){ 1.0, 0.25, true, 1 }), 0, 1, 2, 3) == 1.75);
    assert_true(SECONDS(star, "flat", 4, ((sim_pulls){ 1.0, 0.25, false, 1 }), 0, 1, 2, 3) == 1.25);
}

/* In a chain of processors the ends wait for those in the middle only a step later: one end is late by 2 in each step,
 * which reaches the other end after two steps. */
TEST(who_is_late_is_waited_for)
{
    const sim_pulls pulls = { 1.0, 0.0, false, 1 };
    sim_pulls three = pulls;
    three.steps = 3;
    assert_true(SECONDS(chain, "flat,speeds=1:1:1:0.25", 4, pulls, 0, 1, 2, 3) == 4.0);
    assert_true(SECONDS(chain, "flat,speeds=1:1:1:0.25", 4, three, 0, 1, 2, 3) == 12.0);
    const sim_pulls slow = { 1.0, 8.0, false, 2 };
    /* the fast end sends its first message at 1, the slow one at 4 */
    assert_true(SECONDS(chain, "flat,speeds=1:0.25", 2, slow, 0, 0, 0, 1) == 12.0 + 4.0 + 8.0 - 1.0);
}
