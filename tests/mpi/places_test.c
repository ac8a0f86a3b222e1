/* places_test - positions of nodes when a grid changes: it is no longer a grid, and its nodes have coordinates, also in
 * checkpoints, unless some are added without; and shapes that cannot be drawn around them.
 * pen_mpi_test(PROCESSES RANKS 1 2 3) */
#include "run/state.h"
#include "tests/support/world.h"

#include <math.h>
#include <penumbra_checkpoint.h>
#include <penumbra_output.h>
#include <stdlib.h>
#include <unistd.h>

enum { WIDTH = 4, HEIGHT = 3, NEW = 100 };

static double longest = 1.0; /* of a box, of the node NEW */
static int64_t wrong;
static bool lost; /* nodes are nowhere */

static void init(const pen_view *v) { *PEN_NEXT(v, 0, int64_t) = pen_id(v); }

/* Positions in grids follow from gids, until the grid changes; the node NEW is to the left of node 0. */
static void look(const pen_view *v)
{
    const bool is_new = pen_id(v) == NEW;
    const double at[2] = { is_new ? -1.0 : (double)(pen_id(v) % WIDTH), is_new ? 0.0 : (double)(pen_id(v) / WIDTH) };
    for (int d = 0; d < 2 && v->dimensions == 2; d++) wrong += pen_coordinate(v, d) != at[d];
    static const int outside[] = { -1, 3, 5, INT32_MAX, INT32_MIN };
    for (int i = 0; i < PEN_COUNT_OF(outside); i++)
        wrong += !isnan(pen_coordinate(v, outside[i])) || !isnan(pen_neighbor_coordinate(v, 0, outside[i]));
    wrong += !isnan(pen_coordinate(v, v->dimensions));
    if (lost) wrong += v->dimensions != 0 || !isnan(pen_coordinate(v, 0)) || !isnan(pen_neighbor_coordinate(v, 0, 2));
    *PEN_NEXT(v, 0, int64_t) = *PEN_SELF(v, 0, int64_t) + 1;
}

static void sides(const pen_view *v, double of[3])
{
    if (pen_id(v) == NEW) of[1] = longest;
}

static const pen_field fields[] = { { .name = "number", .size = sizeof(int64_t) } };
static const pen_phase phases[] = { { "look", .node = look, .writes = PEN_SET(0) } };
static const pen_member members[] = { { "number", 0, PEN_I64, 0, 1 } };
static const pen_app app = { .name = "places",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             .init = init,
                             .output = { PEN_MEMBERS(members), .shape = PEN_SHAPE_BOX, .sides = sides } };

/* ---- Changes --------------------------------------------------------------------------------------- */

static void add_new(pen_changes *changes, void *context)
{
    if (check_rank() != 0) return;
    pen_set_coordinates(pen_add_node(changes, NEW, 1), 2, (const double[]){ -1.0, 0.0 });
    pen_add_edge(changes, NEW, 0, 1);
}

static void add_unplaced(pen_changes *changes, void *context)
{
    if (check_rank() != 0) return;
    pen_add_node(changes, NEW + 1, 1);
    pen_add_edge(changes, NEW + 1, 0, 1);
}

/* What rank 0 prints on standard error meanwhile. */
static void change_loudly(pen_run *run, char *said, size_t size)
{
    catch_stderr();
    pen_status status = pen_run_change(run, add_unplaced, NULL);
    release_stderr(said, size);
    CHECK_STATUS(status, PEN_OK);
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

static void step(pen_run *run)
{
    wrong = 0;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_INT(wrong, 0);
}

/* The run's graph is no grid, and its nodes have coordinates. */
static void check_changed(pen_run *run)
{
    pen_graph *graph = NULL;
    CHECK_INT(run->store->grid.width, 0);
    CHECK_INT(run->store->dimensions, 2);
    CHECK_STATUS(pen_run_graph(run, &graph), PEN_OK);
    CHECK_INT((int)graph->grid, PEN_GRID_NONE);
    CHECK_INT(graph->width, 0);
    CHECK_INT(graph->dimensions, 2);
    pen_graph_destroy(&graph);
    step(run);
}

static void refuse_side(pen_run *run, double side, const char *words)
{
    longest = side;
    CHECK_STATUS(pen_run_output(run, "places_test.vtu"), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), ".sides gives node 100 a side of ");
    CHECK_CONTAINS(pen_error_message(), words);
    CHECK(access("places_test.vtu", F_OK) != 0);
    longest = 1.0;
}

static void test_shapes(pen_run *run)
{
    refuse_side(run, 0.0, "side of 0, must be > 0");
    refuse_side(run, -2.0, "side of -2, must be > 0");
    refuse_side(run, HUGE_VAL, "side of inf, must be > 0");
    refuse_side(run, NAN, "must be > 0");
    longest = 0.5;
    CHECK_STATUS(pen_run_output(run, "places_test.vtu"), PEN_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) CHECK_INT(unlink("places_test.vtu"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Nodes are added without coordinates: one line says so, and no node has any. */
static void test_lost(pen_run *run)
{
    char said[512];
    change_loudly(run, said, sizeof said);
    if (check_rank() == 0)
        CHECK_CONTAINS(said, "nodes are added without coordinates, so that no node has any from now on (in C, pen_set");
    else CHECK(!*said);
    lost = true;
    CHECK_INT(run->store->dimensions, 0);
    CHECK(!run->store->blocks[PEN_COORDINATES].memory && !run->store->spares[PEN_COORDINATES].memory);
    step(run);
    lost = false;
    CHECK_STATUS(pen_run_output(run, "places_test.vtu"), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "the graph is not a grid and has no coordinates");
}

static void test_run(const char *folder)
{
    char spec[32];
    snprintf(spec, sizeof spec, "mesh:%dx%d", WIDTH, HEIGHT);
    pen_run *run = run_on(graph_from(spec), &app, NULL);
    CHECK_INT(run->store->grid.width, WIDTH);
    step(run);
    CHECK_STATUS(pen_run_change(run, add_new, NULL), PEN_OK);
    check_changed(run);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, NULL, &run), PEN_OK);
    check_changed(run);
    test_shapes(run);
    test_lost(run);
    pen_run_destroy(&run);
}

/* Hexagons are flat. */
static void test_hexagons(void)
{
    pen_app flat = app;
    pen_run *run = NULL;
    flat.output.shape = PEN_SHAPE_HEXAGON;
    const pen_run_options options = { .output.path = "places_test.vtu" };
    pen_graph *graph = graph_from("mesh:2x2x2");
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &flat, &options, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "nodes are hexagons, which need 2 coordinates, but there are 3");
    run = run_with(graph, &flat, NULL);
    CHECK_STATUS(pen_run_output(run, "places_test.vtu"), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "nodes are hexagons, which need 2 coordinates, but there are 3");
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    flat.output.shape = PEN_SHAPE_POINT;
    graph = graph_from("mesh:2x2");
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &flat, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), ".sides needs nodes that are boxes or hexagons");
    pen_graph_destroy(&graph);
}

CHECKS()
{
    char folder[] = "places_test.XXXXXX", file[64];
    if (check_rank() == 0) CHECK(mkdtemp(folder));
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    RUN(test_run(folder));
    RUN(test_hexagons());
    static const char *const files[] = { "step-000000000002.checkpoint", "lock" };
    for (int i = 0; i < 2 && check_rank() == 0; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, files[i]);
        CHECK_INT(unlink(file), 0);
    }
    if (check_rank() == 0) CHECK_INT(rmdir(folder), 0);
}
