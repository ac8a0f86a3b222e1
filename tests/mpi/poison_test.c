/* poison_test - in the checking build a record that a phase must write is NaN before that, and so is a neighbour's
 * record that was not pulled, here because the phase does not declare that it reads it. The values never change, so
 * without the poison a missed pull would not be visible. */
#include "run/state.h"
#include "tests/support/world.h"

#include <math.h>

enum { STEPS = 3, NODES = 60 };
enum { VALUE };

static int64_t unwritten, missed;

static void write_value(const pen_view *v)
{
    double *next = PEN_NEXT(v, VALUE, double);
    unwritten += isnan(*next) != 0;
    *next = 1.0;
}

static void peek(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++) missed += isnan(*PEN_NEIGHBOR(v, VALUE, double, i)) != 0;
    write_value(v);
}

static const pen_field fields[] = { { .name = "value", .size = sizeof(double) } };
static const pen_phase honest[] = { { "peek", .node = peek, .reads = PEN_SET(VALUE), .writes = PEN_SET(VALUE) } };
static const pen_phase forgetful[] = { { "peek", .node = peek, .writes = PEN_SET(VALUE) } };

static void test_app(const pen_phase *phase, const pen_graph *graph, bool forgets)
{
    const pen_app app = {
        .name = "peek", PEN_FIELDS(fields), .phases.list = phase, .phases.count = 1, .init = write_value
    };
    unwritten = missed = 0;
    pen_run *run = run_with(graph, &app, NULL);
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    int64_t counts[2] = { unwritten, missed };
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(counts[0], NODES * (STEPS + 1));
    CHECK_INT(counts[1], forgets ? 2 * run->partition.quality.cut * STEPS : 0);
    pen_run_destroy(&run);
}

int main(int argc, char **argv)
{
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
#ifdef PEN_CHECKING
    pen_graph *graph = NULL;
    CHECK_STATUS(generate_random(MPI_COMM_WORLD, NODES, 5.0, 1, &graph), PEN_OK);
    RUN(test_app(honest, graph, false));
    RUN(test_app(forgetful, graph, true));
    pen_graph_destroy(&graph);
    return check_finish();
#else
    (void)test_app;
    (void)honest;
    (void)forgetful;
    MPI_Finalize();
    return 77;
#endif
}
