/* change_refused_test - invalid changes of a graph, and failures for lack of memory, change nothing: all ranks get the
 * error, twice if need be, and the run continues.
 * pen_mpi_test() */
#include "tests/mpi/change_run.h"

#include <math.h>

/* ---- Invalid requests ----------------------------------------------------------------------- */

static void remove_absent(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_remove_node(c, 3);
}
static void remove_no_edge(const pen_view *v, pen_changes *c)
{
    if (second(v)) pen_remove_edge(c, 0, 2);
}
static void remove_edge_of_nobody(const pen_view *v, pen_changes *c)
{
    if (second(v)) pen_remove_edge(c, 2, 4);
}
static void add_present(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_node(c, 2, 1);
}
static void link_itself(const pen_view *v, pen_changes *c)
{
    if (second(v)) pen_add_edge(c, 2, 2, 1);
}
static void link_nobody(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_edge(c, 2, 4, 1);
}
static void weigh_nobody(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_set_node_weight(c, 4, 2);
}
static void weigh_twice(const pen_view *v, pen_changes *c)
{
    if (first(v) || second(v)) pen_set_node_weight(c, 2, 2 + pen_id(v));
}
static void weigh_edge_twice(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_edge(c, 2, 1, 5);
    if (second(v)) pen_add_edge(c, now->directed ? 2 : 1, now->directed ? 1 : 2, 6);
}
static void add_with_two_weights(const pen_view *v, pen_changes *c)
{
    if (first(v) || second(v)) pen_add_node(c, 3, 2 + pen_id(v));
}
static void add_twice_differently(const pen_view *v, pen_changes *c)
{
    if (first(v) || second(v)) PEN_FIRST(pen_add_node(c, 3, 1), TAG, tag)->hash = 5 + (uint64_t)pen_id(v);
}
static void add_here_differently(const pen_view *v, pen_changes *c)
{
    if (!first(v)) return;
    PEN_FIRST(pen_add_node(c, 3, 1), SMALL, small)->of[2] = 1;
    PEN_FIRST(pen_add_node(c, 3, 1), SMALL, small)->of[2] = 2;
}
static void place_twice_differently(const pen_view *v, pen_changes *c)
{
    if (first(v) || second(v))
        pen_set_coordinates(pen_add_node(c, 3, 1), 2, (const double[]){ 1.0, (double)pen_id(v) });
}
static void place_once(const pen_view *v, pen_changes *c)
{
    pen_new_node *newborn = first(v) || second(v) ? pen_add_node(c, 3, 1) : NULL;
    if (second(v)) pen_set_coordinates(newborn, 2, (const double[]){ 0.0, 0.0 });
}
static void place_here_differently(const pen_view *v, pen_changes *c)
{
    if (!second(v)) return;
    pen_set_coordinates(pen_add_node(c, 3, 1), 2, (const double[]){ 1.0, 2.0 });
    pen_set_coordinates(pen_add_node(c, 3, 1), 2, (const double[]){ 1.0, 3.0 });
}
static void place_in_space(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_set_coordinates(pen_add_node(c, 3, 1), 3, (const double[]){ 1.0, 2.0, 3.0 });
}
static void place_nowhere(const pen_view *v, pen_changes *c)
{
    if (second(v)) pen_set_coordinates(pen_add_node(c, 3, 1), 2, (const double[]){ 1.0, NAN });
}
static void add_and_weigh(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_node(c, 3, 1);
    if (second(v)) pen_set_node_weight(c, 3, 9);
}
static void add_negative(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_node(c, -3, 1);
}
static void add_weightless(const pen_view *v, pen_changes *c)
{
    if (second(v)) pen_add_node(c, 3, -1);
}
static void link_weightless(const pen_view *v, pen_changes *c)
{
    if (second(v)) pen_add_edge(c, 0, 2, 0);
}
static void weigh_negatively(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_set_node_weight(c, 2, -7);
}

static void weigh_much(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_set_node_weight(c, 2, INT64_MAX);
}
/* The sum becomes 10^18 - 1, and then 10^18 by a weight of 1. */
static void weigh_most(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_set_node_weight(c, 2, INT64_C(1000000000000000000) - 22);
}
static void weigh_one_more(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_node(c, 3, 1);
}
static void link_much(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_edge(c, 0, 2, INT64_C(1000000000000000000));
}

/* Of several mistakes that of the lowest node is reported. */
static void two_mistakes(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_node(c, 2, 1);
    if (second(v)) pen_add_node(c, 3, -1);
}
static void two_absent(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_edge(c, 2, 4, 1);
    if (second(v)) pen_remove_node(c, 3);
}
static void all_remove(const pen_view *v, pen_changes *c)
{
    if (!first(v)) pen_remove_node(c, 3);
}

static void test_contradictions(bool directed)
{
    static const struct {
        void (*ask)(const pen_view *v, pen_changes *c);
        const char *words, *gids;
        int by; /* the lowest gid of the nodes that request it; -1: all do */
    } cases[] = {
        { remove_absent, "is to be removed, but does not exist", "node 3", 0 },
        { remove_no_edge, "is to be removed, but does not exist", "edge ", 1 },
        { remove_edge_of_nobody, "is to be removed, but does not exist", "edge 2 - 4", 1 },
        { add_present, "is to be added, but exists already", "node 2", 0 },
        { link_itself, "with itself", "node 2", 1 },
        { link_nobody, "which exists neither before nor after", "node 4", 0 },
        { weigh_nobody, "which exists neither before nor after", "node 4", 0 },
        { weigh_twice, "two weights, 2 and 3", "node 2", 0 },
        { weigh_edge_twice, "two weights, 5 and 6", "edge ", 0 },
        { add_with_two_weights, "with two weights", "node 3", 0 },
        { add_twice_differently, "two different initial records", "node 3", 0 },
        { add_here_differently, "two different initial records", "node 3", 0 },
        { place_twice_differently, "two different sets of coordinates", "node 3", 0 },
        { place_once, "or once without any", "node 3", 0 },
        { place_here_differently, "two different sets of coordinates", "node 3", 1 },
        { place_in_space, "with 3 coordinates, and those of the graph are 2", "node 3", 0 },
        { place_nowhere, "must be finite", "node 3", 1 },
        { add_and_weigh, "two weights, 1 and 9", "node 3", 0 },
        { add_negative, "gids must be >= 0", "node -3", 0 },
        { add_weightless, "must be >= 0", "node 3", 1 },
        { link_weightless, "must be > 0", "edge 0 - 2", 1 },
        { weigh_negatively, "must be >= 0", "node 2", 0 },
        { weigh_much, "must be < 10^18", "the sum of all node weights is at least 1e+18", -1 },
        { link_much, "must be < 10^18", "the sum of all edge weights is ", -1 },
        { two_mistakes, "is to be added, but exists already", "node 2", 0 },
        { two_absent, "which exists neither before nor after", "node 4", 0 },
        { all_remove, "is to be removed, but does not exist", "node 3", 1 },
    };
    static world w;
    begin_small(&w, directed);
    w.dimensions = 2;
    pen_run *run = make_run(&w, &(pen_run_options){ .partitioner = "block" });
    now = &w;
    for (int i = 0; i < PEN_COUNT_OF(cases) && all_well(); i++) {
        world_ask(&w, (uint64_t)i, (mood){ 0, 0, 0, 0, 0, 0 });
        world_mix(&w);
        char asker[96], node[48] = "";
        if (cases[i].by >= 0) snprintf(node, sizeof node, "requested by node %d, ", cases[i].by);
        snprintf(asker, sizeof asker, "(%sphase modify, step %" PRId64 ")", node, pen_run_step(run));
        for (int twice = 0; twice < 2; twice++) {
            special = cases[i].ask;
            CHECK_STATUS(pen_run_steps(run, 1), PEN_ERR_ARGUMENT);
            CHECK_CONTAINS(pen_error_message(), cases[i].words);
            CHECK_CONTAINS(pen_error_message(), cases[i].gids);
            CHECK_CONTAINS(pen_error_message(), asker);
            check_run(&w, run);
        }
        special = NULL;
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        world_turn(&w);
        world_close(&w);
        check_run(&w, run);
        if (check_failures > 0) fprintf(stderr, "    in: contradiction %d, directed %d\n", i, directed);
    }
    special = weigh_most;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    special = weigh_one_more;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "the sum of all node weights is at least 1e+18, must be < 10^18");
    special = NULL;
    pen_run_destroy(&run);
}

/* An allocation fails on one rank, at each point in turn: all ranks get the error, and nothing has changed. */
static void test_no_memory(bool directed)
{
    static world w, mixed;
    world_begin(&w, 7, directed, true);
    w.dimensions = 1;
    pen_run *run = make_run(&w, &(pen_run_options){ .partitioner = "block", .balance.load = PEN_LOAD_DECLARED });
    int victim = ranks() - 1, failed = 0;
    now = &w;
    for (int64_t point = 1, left = 0; left == 0 && all_well(); point++) {
        world_ask(&w, (uint64_t)point, (mood){ 20, 40, 50, 10, 20, 20 });
        mixed = w;
        world_mix(&mixed);
        if (check_rank() == victim) pen_alloc_countdown = point;
        pen_status status = pen_run_steps(run, 1);
        left = check_rank() == victim ? pen_alloc_countdown : 0;
        pen_alloc_countdown = 0;
        MPI_Bcast(&left, 1, MPI_INT64_T, victim, MPI_COMM_WORLD);
        if (status != PEN_OK) {
            CHECK_INT(status, PEN_ERR_MEMORY);
            CHECK_CONTAINS(pen_error_message(), "out of memory");
            check_run(run->phase == 0 ? &w : &mixed, run);
            failed++;
            CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        }
        w = mixed;
        world_turn(&w);
        if (w.wish_count > 0) world_change(&w);
        world_close(&w);
        check_run(&w, run);
        for (pen_lid s = 0; s < run->store->owned; s++)
            CHECK_INT(pen_loads_of(run)->of[s], w.weight[world_find(&w, run->store->gids[s])]);
        if (check_failures > 0) fprintf(stderr, "    in: failure of allocation %d\n", (int)point);
    }
    CHECK(failed > 40);
    pen_run_destroy(&run);
}

CHECKS()
{
    for (int directed = 0; directed < 2; directed++) {
        RUN(test_contradictions(directed));
        RUN(test_no_memory(directed));
    }
}
