/* nodes_test - a node's data besides records: its and its neighbours' coordinates, the number of its readers, random
 * numbers, the grid. Nodes move at random all the while; every value is compared with the whole graph, and the run with
 * the serial loop.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "graph/graph.h"
#include "run/state.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

enum { STEPS = 9, SEED = 77, STREAM = 5 };

typedef struct cell {
    uint64_t hash;
    double sum;
} cell;
enum { CELL };

static const graph_case *whole;
static int dimensions;
static int64_t wrong;

static int find_node(pen_gid gid)
{
    for (int i = 0; i < whole->nodes; i++)
        if (whole->gids[i] == gid) return i;
    return -1;
}

static double place(pen_gid gid, int d) { return (double)(gid % 1000003) / (d + 3) - d; }

static int32_t readers_of(pen_gid gid)
{
    int32_t count = 0;
    int node = find_node(gid);
    for (int i = 0; i < whole->nodes; i++)
        for (int j = 0; j < whole->degree[i]; j++) count += whole->neighbors[i][j] == node;
    return count;
}

static uint64_t expected_random(pen_gid gid, int64_t step, uint64_t stream)
{
    uint64_t random[2];
    pen_threefry((const uint64_t[]){ (uint64_t)gid, (uint64_t)step }, (const uint64_t[]){ SEED, stream }, random);
    return random[0];
}

static void look(const pen_view *v, cell *next, uint64_t stream)
{
    wrong += v->dimensions != dimensions || pen_reader_count(v) != readers_of(pen_id(v));
    wrong += pen_random(v, stream) != expected_random(pen_id(v), pen_step(v), stream);
    next->hash ^= pen_random(v, stream) + (uint64_t)pen_reader_count(v);
    for (int d = 0; d < dimensions; d++) {
        wrong += pen_coordinate(v, d) != place(pen_id(v), d);
        next->sum += pen_coordinate(v, d);
    }
    for (int32_t i = 0; i < pen_degree(v); i++)
        for (int d = 0; d < dimensions; d++) {
            wrong += pen_neighbor_coordinate(v, i, d) != place(pen_neighbor_id(v, i), d);
            next->sum += pen_neighbor_coordinate(v, i, d) * pen_random_real(v, stream + 1 + (uint64_t)i);
        }
}

static void init(const pen_view *v)
{
    *PEN_NEXT(v, CELL, cell) = (cell){ 0, 0.0 };
    look(v, PEN_NEXT(v, CELL, cell), 1000);
}

static void step(const pen_view *v)
{
    cell next = *PEN_SELF(v, CELL, cell);
    look(v, &next, STREAM);
    for (int32_t i = 0; i < pen_degree(v); i++) next.sum += 0.25 * PEN_NEIGHBOR(v, CELL, cell, i)->sum;
    *PEN_NEXT(v, CELL, cell) = next;
}

static void print(const pen_view *v, FILE *out)
{
    const cell *c = PEN_SELF(v, CELL, cell);
    fprintf(out, "%" PRIx64 " %.17g", c->hash, c->sum);
}

static const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
static const pen_phase phases[] = { { "step", .node = step, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) } };
static const pen_app app = {
    .name = "nodes", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
};

static void check_case(int number, const char *transport)
{
    graph_case g = case_make(number);
    whole = &g;
    dimensions = number % 4;
    pen_graph *graph = graph_of(&g, 3 + (uint64_t)number);
    graph->dimensions = dimensions;
    if (dimensions > 0) {
        graph->coordinates = malloc(((size_t)graph->count * (size_t)dimensions + 1) * sizeof(double));
        for (pen_lid i = 0; i < graph->count; i++)
            for (int d = 0; d < dimensions; d++)
                graph->coordinates[i * dimensions + d] = place(pen_graph_gid(graph, i), d);
    }
    const pen_run_options options = { .partitioner = "random",
                                      .transport = transport,
                                      .order = number % 2 && dimensions > 0 ? PEN_ORDER_HILBERT : PEN_ORDER_RCM,
                                      .seed = SEED,
                                      .debug.tests = &(pen_test_options){ .migrate_seed = (uint64_t)number,
                                                                          .migrate_part = number % 2 ? 0.2 : 0.7 } };
    pen_run *run = run_with(graph, &app, &options);
    if (run) {
        /* They cost nothing if there are none. */
        CHECK(!run->store->coordinates == !dimensions);
        CHECK(!run->store->readers == !g.directed);
        CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
        expect_verified(run);
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- Grids ---------------------------------------------------------------------------------------- */

static pen_world seen;

static const char *note_world(void *params, const pen_world *world)
{
    seen = *world;
    return world->grid == PEN_GRID_HEX ? "squares are wanted" : NULL;
}

static void nothing(const pen_view *v) { *PEN_NEXT(v, CELL, cell) = (cell){ 0, 0.0 }; }

/* As it is made, and as it comes back from a file. */
static void check_grid(const char *spec, pen_grid grid, int64_t width, int64_t height, int64_t depth)
{
    static const char file[] = "nodes_test.pen";
    pen_app watching = app;
    watching.init = nothing;
    watching.setup = note_world;
    pen_graph *made = NULL, *read = NULL;
    made = graph_from(spec);
    CHECK_STATUS(pen_graph_write(made, file), PEN_OK);
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, NULL, &read), PEN_OK);
    pen_graph *const both[] = { made, read };
    for (int i = 0; i < 2 && both[i]; i++) {
        pen_run *run = NULL;
        pen_run_options options = { .partitioner = "block" };
        seen = (pen_world){ .nodes = -1 };
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, both[i], &watching, &options, &run),
                     grid == PEN_GRID_HEX ? PEN_ERR_INPUT : PEN_OK);
        if (grid == PEN_GRID_HEX) CHECK_CONTAINS(pen_error_message(), "squares are wanted");
        CHECK_INT(seen.grid, grid);
        CHECK_INT(seen.width, width);
        CHECK_INT(seen.height, height);
        CHECK_INT(seen.depth, depth);
        pen_run_destroy(&run);
        /* Partitioners that cut rows and columns know two dimensions. */
        options.partitioner = "rect";
        if (grid != PEN_GRID_HEX)
            CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, both[i], &watching, &options, &run),
                         depth == 1 ? PEN_OK : PEN_ERR_UNSUPPORTED);
        pen_run_destroy(&run);
    }
    pen_graph_destroy(&made);
    pen_graph_destroy(&read);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) remove(file);
    MPI_Barrier(MPI_COMM_WORLD);
}

CHECKS()
{
    static const char *const transports[] = { "fence", "shared", "overlap", "passive" };
    for (int i = 0; i < CASES; i++) RUN(check_case(i, transports[i % 4]));
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(wrong, 0);
    RUN(check_grid("hex:5x4", PEN_GRID_HEX, 5, 4, 1));
    RUN(check_grid("mesh:6x3", PEN_GRID_SQUARE, 6, 3, 1));
    RUN(check_grid("torus:4x7", PEN_GRID_TORUS, 4, 7, 1));
    RUN(check_grid("mesh:3x4x5", PEN_GRID_SQUARE, 3, 4, 5));
    RUN(check_grid("tree:nodes=12", PEN_GRID_NONE, 0, 0, 0));
}
