/* input_places_test - coordinates from files: a run has them as if the graph had had them from the start, for
 * partitioners, node functions, files of results and checkpoints; and invalid coordinates are refused.
 * pen_mpi_test(RANKS 1 2 3 7) */
#include "base/memory.h"
#include "graph/graph.h"
#include "inputs/inputs.h"
#include "run/state.h"
#include "tests/support/world.h"

#include <penumbra_checkpoint.h>
#include <penumbra_output.h>
#include <stdlib.h>

enum { HEIGHT };

static double place(pen_gid gid, int d) { return (double)((gid % 101 * (3 + 2 * d) + d) % 101) / 8.0; }

static int64_t wrong;   /* nodes that see other coordinates, or another height */
static int64_t missing; /* nodes without a height */
static int seen;        /* the number of dimensions that node functions must see */

static void init(const pen_view *v)
{
    *PEN_NEXT(v, 0, int64_t) = pen_id(v);
    missing += pen_input(v, HEIGHT) == -1.0;
    wrong += pen_input(v, HEIGHT) != -1.0 && pen_input(v, HEIGHT) != 2.0 * place(pen_id(v), 0);
}

static void start(const pen_view *v) { *PEN_NEXT(v, 0, int64_t) = pen_id(v); }

static void look(const pen_view *v)
{
    wrong += v->dimensions != seen;
    for (int d = 0; d < v->dimensions; d++) {
        wrong += pen_coordinate(v, d) != place(pen_id(v), d);
        for (int32_t i = 0; i < pen_degree(v); i++)
            wrong += pen_neighbor_coordinate(v, i, d) != place(pen_neighbor_id(v, i), d);
    }
    *PEN_NEXT(v, 0, int64_t) = *PEN_SELF(v, 0, int64_t) + 1;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, *PEN_SELF(v, 0, int64_t)); }

static const pen_field fields[] = { { .name = "number", .size = sizeof(int64_t) } };
static const pen_phase phases[] = { { "look", .node = look, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
static const pen_member members[] = { { "number", 0, PEN_I64, 0, 1 } };
static const pen_input_column inputs[] = { { .name = "height", .otherwise = "-1.0" } };
static const pen_app app = { .name = "placed",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             PEN_INPUTS(inputs),
                             .output = { .print = print, PEN_MEMBERS(members) },
                             .init = init };

/* ---- Files ---------------------------------------------------------------------------------- */

static char folder[64];

static const char *path_of(const char *name)
{
    static char paths[4][96];
    static int used;
    char *path = paths[used++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* Rank 0: a table with these columns, in this order, a letter each: gid, x, y, z, height, and text that is none. */
static void write_table(const char *name, const graph_case *g, const char *columns)
{
    static const char *const names = "gxyzht";
    static const char *const heads[] = { "gid", "X", " y", "z", "height", "town" };
    if (check_rank() == 0) {
        FILE *out = fopen(path_of(name), "w");
        for (const char *c = columns; *c; c++)
            fprintf(out, "%s%s", c > columns ? "," : "", heads[strchr(names, *c) - names]);
        for (int k = 0; k < g->nodes; k++) {
            const pen_gid gid = g->gids[g->nodes - 1 - k];
            fputc('\n', out);
            for (const char *c = columns; *c; c++) {
                if (c > columns) fputc(',', out);
                if (*c == 'g') fprintf(out, "%" PRIgid, gid);
                else if (*c == 't') fputs("somewhere", out);
                else if (*c == 'h') fprintf(out, "%.17g", 2.0 * place(gid, 0));
                else fprintf(out, "%.17g", place(gid, *c - 'x'));
            }
        }
        CHECK(fclose(out) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static pen_run *create(const pen_graph *graph, const pen_app *which, const char *input, const char *partitioner)
{
    const pen_run_options options = {
        .input = input, .partitioner = partitioner, .output.path = path_of("last.vtu"), .steps = 1
    };
    wrong = missing = 0;
    pen_run *run = run_with(graph, which, &options);
    return run;
}

/* The same nodes in the same slots at the same places. */
static void compare(pen_run *run, const pen_run *other)
{
    const pen_store *a = run->store, *b = other->store;
    CHECK_INT(a->owned, b->owned);
    CHECK_INT(a->dimensions, b->dimensions);
    uint64_t sums[2] = { run->graph.sum, other->graph.sum };
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sums[0] == sums[1]);
    if (a->owned != b->owned || a->shadows != b->shadows) return;
    CHECK(memcmp(a->gids, b->gids, (size_t)(a->owned + a->shadows) * sizeof *a->gids) == 0);
    CHECK(memcmp(a->coordinates, b->coordinates,
                 (size_t)(a->owned + a->shadows) * (size_t)a->dimensions * sizeof *a->coordinates) == 0);
}

static void finish(pen_run *run)
{
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_INT(wrong, 0);
    expect_verified(run);
}

/* Runs of a graph without coordinates, or with other ones, and of one that has those of the file. */
static void test_graph(const graph_case *g, const char *columns, int dimensions, const char *partitioner)
{
    pen_graph *graph = graph_of(g, 4);
    pen_graph placed = *graph;
    double *places = calloc((size_t)graph->count * 3 + 1, sizeof *places);
    double *others = calloc((size_t)graph->count * 1 + 1, sizeof *others);
    for (pen_lid i = 0; i < graph->count; i++)
        for (int d = 0; d < dimensions; d++) places[i * dimensions + d] = place(pen_graph_gid(graph, i), d);
    placed.dimensions = dimensions;
    placed.coordinates = places;
    seen = dimensions;
    write_table("table.csv", g, columns);
    pen_run *run[2] = { create(graph, &app, path_of("table.csv"), partitioner),
                        create(&placed, &app, NULL, partitioner) };
    if (run[0] && run[1]) {
        compare(run[0], run[1]);
        CHECK_STATUS(pen_run_save(run[0], folder), PEN_OK);
        finish(run[0]);
        pen_run_destroy(&run[0]);
        CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app,
                                  &(pen_run_options){ .partitioner = partitioner, .input = path_of("table.csv") },
                                  &run[0]),
                     PEN_OK);
        compare(run[0], run[1]);
        finish(run[0]);
        CHECK_STATUS(pen_run_output(run[0], path_of("table.csv")), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), "table.csv, which ");
        /* It is a piece of a .pvtu, too. */
        if (check_rank() == 0) CHECK(link(path_of("table.csv"), path_of("x-p000000.vtu")) == 0);
        CHECK_STATUS(pen_run_output(run[0], path_of("x.pvtu")), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), "table.csv, which ");
        if (check_rank() == 0) CHECK(unlink(path_of("x-p000000.vtu")) == 0);
    }
    pen_run_destroy(&run[0]);
    pen_run_destroy(&run[1]);
    placed.dimensions = 1;
    placed.coordinates = others;
    run[0] = create(&placed, &app, path_of("table.csv"), partitioner);
    if (strchr(columns, 'h')) CHECK_INT(missing, 0);
    finish(run[0]);
    pen_run_destroy(&run[0]);
    pen_graph_destroy(&graph);
    free(places);
    free(others);
}

/* ---- Invalid coordinates -------------------------------------------------------------------- */

static void expect_none(const pen_graph *graph, const pen_app *which, const char *input)
{
    wrong = missing = 0;
    seen = 0;
    pen_run *run = run_with(graph, which, &(pen_run_options){ .input = input });
    finish(run);
    pen_run_destroy(&run);
}

static void expect_refused(const pen_graph *graph, const char *input, const char *why)
{
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .input = input }, &run),
                 PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), why);
    CHECK(!run);
}

static void test_refusals(void)
{
    static const pen_input_column own[] = { { .name = "length", .of_edges = true, .otherwise = "0" } };
    static const pen_input_column theirs[] = { { .name = "height", .otherwise = "0" }, { .name = "y" } };
    pen_app edges = app, named = app;
    char two[256];
    edges.inputs.list = own;
    edges.inputs.count = 1;
    edges.init = start;
    named.inputs.list = theirs;
    named.inputs.count = 2;
    pen_graph *graph = graph_from("tree:nodes=3");
    write_text(path_of("lone.csv"), "gid,x,height\n0,5,0.0\n1,5,0.75\n2,5,1.5\n");
    write_text(path_of("named.csv"), "gid,x,y,height\n0,5,1,0\n1,5,1,0.75\n2,5,1,1.5\n");
    write_text(path_of("arcs.csv"), "source,target,x,y,length\n0,1,here,there,1\n0,2,5,5,2\n");
    write_text(path_of("x.csv"), "gid,x,z\n0,1,1\n1,1,1\n2,1,1\n");
    write_text(path_of("far.csv"), "gid,x,y\n0,1,1\n2,inf,1\n1,1,nan\n");
    write_text(path_of("nowhere.csv"), "gid,x,y\n0,1,1\n1,,1\n2,1,1\n");
    write_text(path_of("short.csv"), "gid,x,y\n0,1,1\n2,1,1\n");
    expect_none(graph, &app, path_of("lone.csv"));
    expect_none(graph, &named, path_of("named.csv"));
    expect_none(graph, &edges, path_of("arcs.csv"));
    expect_refused(graph, path_of("x.csv"),
                   "none of the columns that placed takes, and of coordinates not both x and y");
    snprintf(two, sizeof two, "x=x,gid=gid:%s", path_of("lone.csv"));
    expect_refused(graph, two, "lone.csv: x is named, but coordinates need both x and y");
    expect_refused(graph, path_of("far.csv"), "far.csv:3: x is not finite");
    expect_refused(graph, path_of("nowhere.csv"), "nowhere.csv:3: x has no value");
    expect_refused(graph, path_of("short.csv"), "short.csv: no row for node 1");
    expect_refused(graph, path_of("arcs.csv"), "it has none of the columns that placed takes: height, x, y, z; it has");
    snprintf(two, sizeof two, "%s;%s", path_of("named.csv"), path_of("short.csv"));
    expect_refused(graph, two, "short.csv: x and y are in ");
    pen_graph_destroy(&graph);
}

/* Memory runs out at each point in turn, on one rank: no rank keeps coordinates. */
static void test_no_memory(void)
{
    graph_case g = case_make(7);
    pen_graph *graph = graph_of(&g, 4);
    pen_input_files *files = NULL;
    const int victim = check_size() - 1;
    write_table("table.csv", &g, "gxy");
    CHECK_STATUS(pen_input_files_create(&app, path_of("table.csv"), true, &files), PEN_OK);
    for (int64_t point = 1, left = 0; left == 0; point++) {
        double *coordinates = NULL;
        if (check_rank() == victim) pen_alloc_countdown = point;
        const pen_status status = pen_inputs_place(files, graph, &coordinates);
        left = pen_alloc_countdown;
        pen_alloc_countdown = 0;
        MPI_Bcast(&left, 1, MPI_INT64_T, victim, MPI_COMM_WORLD);
        CHECK((coordinates != NULL) == (status == PEN_OK));
        free(coordinates);
    }
    pen_input_files_destroy(&files);
    pen_graph_destroy(&graph);
    case_free(&g);
}

CHECKS()
{
    make_folder("input_places_test", folder);
    for (int number = 0; number < CASES; number++) {
        graph_case g = case_make(number);
        if (number % 2) RUN(test_graph(&g, "yhtgx", 2, "rcb"));
        else RUN(test_graph(&g, "gzxy", 3, "sfc"));
        case_free(&g);
    }
    RUN(test_refusals());
    RUN(test_no_memory());
    remove_folder(folder);
}
