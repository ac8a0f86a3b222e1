/* change_test - the graph changes during the computation: random requests, of the affected nodes and of others, some of
 * them repeated, against tables that are whole on every rank; in a phase in the middle of a step, and between steps
 * from the caller; down to no nodes and up again, under every transport and balancers. With a number as argument: also
 * so many long histories.
 * pen_mpi_test() */
#include "tests/mpi/change_run.h"

static const mood moods[] = {
    { 10, 20, 50, 5, 10, 20 }, { 0, 30, 0, 20, 0, 0 },    { 50, 5, 20, 2, 50, 10 }, { 0, 0, 0, 0, 0, 0 },
    { 5, 5, 90, 30, 60, 50 },  { 100, 0, 0, 10, 10, 30 }, { 0, 50, 0, 10, 0, 0 },   { 100, 30, 60, 10, 50, 20 },
    { 0, 0, 0, 0, 0, 60 },     { 0, 0, 0, 10, 30, 0 },
};

static void test_history(bool directed, bool weighs, const pen_run_options *options, uint64_t seed, int steps)
{
    static world w;
    world_begin(&w, seed, directed, weighs);
    w.dimensions = (int)(seed % 4);
    pen_run *run = make_run(&w, options);
    check_run(&w, run);
    for (int step = 0; step < steps && all_well(); step++) {
        check_with("seed %" PRIu64 ", %s, directed %d, weighs %d, step %d", seed,
                   options->transport ? options->transport : "auto", directed, weighs, step);
        if (step == 4) w.weighs = true; /* weights come into being, with many nodes that stay */
        step_both(&w, run, seed,
                  moods[(uint64_t)step < PEN_COUNT_OF(moods) ? (uint64_t)step
                                                             : scramble(seed, (uint64_t)step) % PEN_COUNT_OF(moods)]);
    }
    pen_run_destroy(&run);
}

/* The serial computation of --verify, which carries changes out in its own way; and the strict mode, which finds
 * nothing here. Loads follow nodes, and a balancer sees them. */
static void test_verify(bool directed, bool strict)
{
    static world w;
    world_begin(&w, 77, directed, directed);
    w.dimensions = strict ? 2 : 3;
    pen_run *run = make_run(&w, &(pen_run_options){
                                    .debug = { .verify = true,
                                               .strict = strict,
                                               .tests = &(pen_test_options){ .migrate_seed = 3, .migrate_part = 0.1 } },
                                    .balance = { "diffusive", "change:always", .load = PEN_LOAD_DECLARED } });
    for (int step = 0; step < VERIFIED && all_well(); step++) {
        step_both(&w, run, 5, moods[step == 2 ? 3 : 0]);
        plans[step] = w;
    }
    verifying = true;
    expect_verified(run);
    verifying = false;
    pen_run_destroy(&run);
}

/* ---- From the caller -------------------------------------------------------------------------- */

static void grow_once(const pen_view *v, pen_changes *c)
{
    if (first(v)) pen_add_node(c, 3, 1);
}

static void ask_nothing(pen_changes *changes, void *context) { ++*(int *)context; }

static void grow(pen_changes *changes, void *context)
{
    pen_add_node(changes, 3, 1);
    pen_add_node(changes, 30 + check_rank(), 1);
    pen_add_edge(changes, 3, 30 + check_rank(), 1);
    pen_remove_node(changes, 6);
}

static void weigh_absent(pen_changes *changes, void *context)
{
    if (check_rank() == ranks() - 1) pen_set_node_weight(changes, 4, 2);
}

/* Changes from the caller: the owners of new nodes, the balancer's knowledge, refused requests. */
static void test_calls(void)
{
    static world w;
    char message[100];
    int64_t differences;
    int calls = 0;
    begin_small(&w, false);
    w.weighs = true;
    for (int i = 0; i < UNIVERSE; i++) w.weight[i] = 1 + i % 5;
    now = &w;
    w.wish_count = 0;
    pen_run *run = make_run(&w, &(pen_run_options){
                                    .balance = { "diffusive", "every:100:always", .load = PEN_LOAD_DECLARED },
                                    .debug.verify = true });
    CHECK_STATUS(pen_run_change(run, ask_nothing, &calls), PEN_OK);
    CHECK_INT(calls, 1);
    CHECK_STATUS(pen_run_change(run, NULL, NULL), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_change(run, check_rank() == ranks() - 1 ? NULL : ask_nothing, &calls), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "without a function");
    CHECK_INT(calls, 1);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_OK);
    const double counted = pen_balance_of(run)->steer.total;
    CHECK_STATUS(pen_run_change(run, weigh_absent, NULL), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "node 4");
    CHECK_CONTAINS(pen_error_message(), "(requested by rank ");
    int64_t nodes = pen_run_nodes(run), edges = pen_run_edges(run);
    double mean = run->store->owned > 0 ? pen_loads_of(run)->total / run->store->owned : 0.0, total = 0.0;
    CHECK_STATUS(pen_run_change(run, grow, NULL), PEN_OK);
    CHECK_INT(pen_run_nodes(run), nodes + ranks());
    CHECK_INT(pen_run_edges(run), edges + ranks() - 2);
    int32_t owners[2];
    const pen_gid gids[2] = { 3, 30 + check_rank() };
    CHECK_STATUS(pen_directory_resolve(run->store->directory, 2, gids, owners), PEN_OK);
    CHECK_INT(owners[0], 0);
    CHECK_INT(owners[1], check_rank());
    for (pen_lid s = 0; s < run->store->owned; s++) {
        int i = world_find(&w, run->store->gids[s]);
        CHECK(pen_loads_of(run)->of[s] == (i >= 0 && w.there[i] ? (double)w.weight[i] : mean));
        total += pen_loads_of(run)->of[s];
    }
    CHECK(pen_loads_of(run)->total == total);
    CHECK_INT(pen_loads_of(run)->version, run->store->migrations);
    CHECK_STATUS(pen_run_balance(run), PEN_OK);
    CHECK_INT(pen_balance_of(run)->steer.all.calls, ranks() > 1);
    CHECK(counted > 0.0 && pen_balance_of(run)->steer.total == counted);
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_ERR_UNSUPPORTED);
    pen_run_destroy(&run);
    run = make_run(&w, NULL);
    special = grow_once;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    special = NULL;
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "without .verify");
    pen_run_destroy(&run);
}

CHECKS()
{
    int many = argc > 1 ? atoi(argv[1]) : 0, transports = 0;
    while (pen_transports[transports]) transports++;
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < transports; i++) {
            pen_run_options options = { .transport = pen_transports[i]->name,
                                        .partitioner = "block",
                                        .order = (i + kind) % 2 ? PEN_ORDER_RCM : PEN_ORDER_AUTO,
                                        .debug.tests = &(pen_test_options){
                                            .migrate_seed = 7, .migrate_part = (i + kind) % 3 ? 0.2 : 0.0 } };
            RUN(test_history(kind % 2, kind / 2, &options, (uint64_t)(10 * kind + i), 12));
        }
    for (int k = 0; k < many; k++) {
        pen_run_options options = { .transport = pen_transports[k % transports]->name,
                                    .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.3 } };
        RUN(test_history(k % 2, k / 2 % 2, &options, 1000 + (uint64_t)k, 60));
    }
    static const char *const balancers[] = { "central", "diffusive", "metis", "scotch" };
    for (int i = 0; i < PEN_COUNT_OF(balancers); i++) {
        pen_run_options options = { .balance = { balancers[i], i % 2 ? "every:1:always" : "change:always",
                                                 .load = PEN_LOAD_DECLARED },
                                    .partitioner = "block" };
        RUN(test_history(i % 2, i > 2, &options, 200 + (uint64_t)i, 12));
    }
    if (all_well()) RUN(test_calls());
    for (int kind = 0; kind < 4 && all_well(); kind++) RUN(test_verify(kind % 2, kind / 2));
}
