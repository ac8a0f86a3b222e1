/* active_random_test - active sets: programs drawn from seeds, whose nodes stall, wake and oscillate, with moves,
 * balancing, changes of the graph, puts, globals that are set and resumed runs, have the bits of a serial loop, with
 * active sets and without. 100 seeds; with PEN_TEST_SOAK in the environment 1000. Arguments: the first seed, and how
 * many.
 * pen_mpi_test(SOURCES support/drawn_case.c support/drawn_program.c support/drawn_rules.c support/drawn_world.c) */
#include "tests/support/check.h"
#include "tests/support/drawn_case.h"
#include "tests/support/world.h"

CHECKS()
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int count = argc > 2 ? atoi(argv[2]) : argc > 1 ? 1 : getenv("PEN_TEST_SOAK") ? 1000 : 100;
    drawn_tally tally = { 0 };
    char folder[64];
    make_folder("active_random", folder);
    for (int i = 0; i < count && check_failures < 3; i++)
        CHECK(drawn_case_run(MPI_COMM_WORLD, first + (uint64_t)i, folder, i % 4 == 3, &tally));
    remove_folder(folder);
    CHECK(count < 100 || 10 * tally.needed < 6 * tally.computed); /* enough nodes rest */
}
