/* output_test - files of results: the files of a run on all ranks are, byte by byte, those of one rank, for all kinds
 * of graphs, in small pieces, while nodes move and are added and removed, and on ranks without nodes. Arrays and tables
 * have the nodes' values, and impossible requests are refused.
 * pen_mpi_test() */
#include "base/memory.h"
#include "base/npy.h"
#include "output/segments.h"
#include "output/sequence.h"
#include "output/vtu.h"
#include "run/state.h"
#include "tests/support/world.h"

#include <math.h>
#include <penumbra_output.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct record {
    bool odd;
    int16_t small;
    double place[3];
    float half;
} record;
typedef struct count {
    int64_t steps;
} count;
enum { RECORD, COUNT };

static double place_of(pen_gid gid, int64_t step, int k) { return (double)gid * 1.25 + (double)step * 100.0 + k; }

static void write_record(const pen_view *v, int64_t step)
{
    record *next = PEN_NEXT(v, RECORD, record);
    memset(next, 0, sizeof *next);
    next->odd = pen_id(v) % 2 == 1;
    next->small = (int16_t)(pen_id(v) % 1000 - 500);
    next->half = (float)pen_id(v) / 2.0f;
    for (int k = 0; k < 3; k++) next->place[k] = place_of(pen_id(v), step, k);
    PEN_NEXT(v, COUNT, count)->steps = step;
}

static void init(const pen_view *v) { write_record(v, 0); }

static void work(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        if (PEN_NEIGHBOR(v, COUNT, count, i)->steps != pen_step(v)) abort();
    write_record(v, pen_step(v) + 1);
}

static const pen_field fields[] = { { .name = "record", .size = sizeof(record) },
                                    { .name = "count", .size = sizeof(count) } };
static const pen_phase phases[] = {
    { "work", .node = work, .reads = PEN_SET(COUNT), .writes = PEN_SET(RECORD, COUNT) },
};
static const pen_member members[] = {
    PEN_MEMBER(RECORD, record, odd, PEN_BOOL),
    PEN_MEMBER(RECORD, record, small, PEN_I16),
    { "place", RECORD, PEN_F64, offsetof(record, place), 3 },
    PEN_MEMBER(RECORD, record, half, PEN_F32),
    PEN_MEMBER(COUNT, count, steps, PEN_I64),
};
static const pen_app app = {
    .name = "output", PEN_FIELDS(fields), PEN_PHASES(phases), .output = { PEN_MEMBERS(members) }, .init = init
};

static char folder[64];

/* A path in the folder of this test; the last few stay valid. */
static const char *in_folder(const char *name, const char *ending)
{
    static char paths[4][160];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s%s", folder, name, ending);
    return path;
}

/* On rank 0. */
static void check_equal(const char *ending)
{
    size_t size = 0, alone = 0;
    char *mine = read_bytes(in_folder("all", ending), &size), *theirs = read_bytes(in_folder("one", ending), &alone);
    CHECK(mine != NULL);
    CHECK(theirs != NULL);
    CHECK_INT(size, alone);
    if (mine && theirs && memcmp(mine, theirs, size) != 0) CHECK_CONTAINS(ending, "the same bytes, which it is not");
    free(mine);
    free(theirs);
}

/* The values of an array, which has so many rows and columns; the caller's to free. */
static double *load(const char *path, int64_t rows, int64_t columns)
{
    size_t size = 0;
    pen_npy array = { .size = 0 };
    char *bytes = read_bytes(path, &size);
    CHECK(bytes != NULL);
    if (!bytes) return NULL;
    CHECK_STATUS(pen_npy_parse(path, bytes, (int64_t)size, &array), PEN_OK);
    CHECK_STATUS(pen_npy_check_size(path, &array, (int64_t)size), PEN_OK);
    CHECK_INT(array.shape[0], rows);
    CHECK_INT(array.shape[1], columns);
    CHECK_INT(array.dimensions, columns > 1 ? 2 : 1);
    double *values = malloc((size_t)(rows * columns) * sizeof *values);
    for (int64_t i = 0; i < rows * columns && array.shape[0] == rows; i++)
        values[i] = pen_npy_real(&array, bytes + array.begin, i);
    free(bytes);
    return values;
}

/* On rank 0: the arrays hold what the nodes have, gids ascending; returns whether there is a file of the gids. */
static void check_values(int64_t nodes, int64_t step, pen_gid (*gid)(int64_t i))
{
    double *place = load(in_folder("all", "-place.npy"), nodes, 3);
    double *odd = load(in_folder("all", "-odd.npy"), nodes, 1);
    double *small = load(in_folder("all", "-small.npy"), nodes, 1);
    double *half = load(in_folder("all", "-half.npy"), nodes, 1);
    const bool dense = gid(nodes - 1) == nodes - 1;
    double *gids = dense ? NULL : load(in_folder("all", "-gid.npy"), nodes, 1);
    int wrong = 0;
    for (int64_t i = 0; i < nodes && place && odd && small && half; i++) {
        const pen_gid g = gid(i);
        for (int k = 0; k < 3; k++) wrong += place[3 * i + k] != place_of(g, step, k);
        wrong += odd[i] != (double)(g % 2) || small[i] != (double)(g % 1000 - 500) || half[i] != (double)g / 2.0;
        if (gids) wrong += gids[i] != (double)g;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(access(in_folder("all", "-gid.npy"), F_OK) == 0, !dense);
    PEN_FREE_ALL(place, odd, small, half, gids);
}

/* On rank 0. */
static void check_table(int64_t nodes, int64_t step, pen_gid (*gid)(int64_t i))
{
    size_t size = 0;
    char *text = read_bytes(in_folder("all", ".csv"), &size), line[256];
    CHECK(text != NULL);
    if (!text) return;
    const char *at = strchr(text, '\n');
    CHECK(strncmp(text, "gid,odd,small,place_0,place_1,place_2,half,steps\n", (size_t)(at - text) + 1) == 0);
    for (int64_t i = 0; i < nodes; i++) {
        const pen_gid g = gid(i);
        snprintf(line, sizeof line, "\n%" PRIgid ",%d,%d,%.17g,%.17g,%.17g,%.9g,%" PRId64 "\n", g, (int)(g % 2),
                 (int)(g % 1000 - 500), place_of(g, step, 0), place_of(g, step, 1), place_of(g, step, 2), (double)g / 2,
                 step);
        CHECK(strncmp(at, line, strlen(line)) == 0);
        if (strncmp(at, line, strlen(line)) != 0) break;
        at += strlen(line) - 1;
    }
    CHECK(at[1] == '\0');
    free(text);
}

/* ---- Graphs ----------------------------------------------------------------------------------------------------- */

static pen_gid dense_gid(int64_t i) { return i; }
static int ring = 50; /* nodes of a ring */
static pen_gid sparse_gid(int64_t i) { return i == ring - 1 ? INT64_MAX : i * i * i + 5; }

/* A ring with sparse gids up to the largest there is, all of them on the last rank at first. */
static pen_status make_ring(MPI_Comm comm, pen_graph **graph)
{
    const int nodes = ring;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int64_t rows[64];
    pen_gid gids[64], neighbors[128];
    pen_csr mine = { .count = rank == size - 1 ? nodes : 0, .gids = gids, .rows = rows, .neighbors = neighbors };
    for (int i = 0; i <= nodes; i++) rows[i] = 2 * i;
    for (int i = 0; i < nodes; i++) {
        gids[i] = sparse_gid((i * 7 + 3) % nodes); /* in no order */
        neighbors[2 * i] = sparse_gid((i * 7 + 4) % nodes);
        neighbors[2 * i + 1] = sparse_gid((i * 7 + 2 + nodes) % nodes);
    }
    return pen_graph_from_csr(comm, &mine, graph);
}

static pen_status make_graph(MPI_Comm comm, const char *spec, pen_graph **graph)
{
    return spec ? pen_graph_generate(comm, spec, graph) : make_ring(comm, graph);
}

/* A requested column that differs from rank to rank: owners. */
static const char drawn[] = "place,odd,gid,load,small";

/* Two steps on the ranks of a communicator, then all files; of drawings twice, the second time compressed. */
static void write_files(MPI_Comm comm, const char *spec, const char *name, const pen_run_options *options, bool places)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_run_options o = *options;
    CHECK_STATUS(make_graph(comm, spec, &graph), PEN_OK);
    CHECK_STATUS(pen_run_create(comm, graph, &app, &o, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_output(run, in_folder(name, ".npy")), PEN_OK);
    CHECK_STATUS(pen_run_output(run, in_folder(name, ".csv")), PEN_OK);
    CHECK_STATUS(pen_run_dump(run, in_folder(name, ".txt")), PEN_OK);
    pen_run_destroy(&run);
    if (places) {
        o.output.fields = drawn;
        CHECK_STATUS(pen_run_create(comm, graph, &app, &o, &run), PEN_OK);
        CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
        CHECK_STATUS(pen_run_output(run, in_folder(name, ".vtu")), PEN_OK);
        pen_run_destroy(&run);
    }
    pen_graph_destroy(&graph);
}

static void compare(const char *spec, const pen_run_options *options, int64_t nodes, bool places)
{
    const pen_run_options alone = { .partitioner = "block" };
    write_files(MPI_COMM_WORLD, spec, "all", options, places);
    if (check_rank() == 0) {
        write_files(MPI_COMM_SELF, spec, "one", &alone, places);
        check_values(nodes, 2, spec ? dense_gid : sparse_gid);
        check_table(nodes, 2, spec ? dense_gid : sparse_gid);
        static const char *const endings[] = { "-place.npy", "-odd.npy", "-half.npy", "-steps.npy", ".csv", ".vtu" };
        for (int i = 0; i < (places ? 6 : 5); i++) check_equal(endings[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) {
        remove(in_folder("all", "-gid.npy"));
        remove(in_folder("one", "-gid.npy"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_graphs(void)
{
    const pen_run_options random = { .partitioner = "random" }, one = { .partitioner = "one" },
                          moving = { .partitioner = "block",
                                     .debug.tests = &(pen_test_options){ .migrate_seed = 3, .migrate_part = 0.5 } };
    compare("hex:9x7", &random, 63, true);
    compare("hex:40x1", &moving, 40, true);
    compare("mesh:8x7", &moving, 56, true);
    compare("mesh:4x3x5", &random, 60, true);
    compare("torus:5x6", &one, 30, true);
    compare("geometric:nodes=70,coordinates", &moving, 70, true);
    compare("tree:nodes=40", &moving, 40, false);
    compare("hex:1x1", &one, 1, true);
    compare(NULL, &random, 50, false);
    compare(NULL, &moving, 50, false);
    ring = 3;
    compare(NULL, &random, 3, false);
    ring = 50;
    pen_vtu_narrow = 10;
    compare("hex:9x7", &moving, 63, true);
    compare("geometric:nodes=70,coordinates", &random, 70, true);
    pen_vtu_narrow = INT32_MAX;
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

enum { POINTS = 90, CELLS = 56 };

/* Point k lies at (k, k/2); cell i has 3 to 6 corners, from point i on. */
typedef struct cell_rows {
    int ranks;       /* the ranks that give the mesh */
    int64_t corners; /* what is added to the number of each corner */
    int64_t strange; /* the coordinate that is no number, from 1 on */
    double points[2 * POINTS];
    int64_t rows[CELLS + 1], numbers[6 * CELLS];
} cell_rows;

/* Rank 0 gives all points but one and no cell, the last rank the last point and all cells but one. */
static int64_t point_begin(int ranks, int rank) { return rank == 0 ? 0 : rank < ranks ? POINTS - 1 : POINTS; }
static int64_t cell_begin(int ranks, int rank)
{
    return ranks == 1 ? rank * CELLS : rank == 0 ? 0 : rank == 1 ? 0 : rank < ranks ? 1 : CELLS;
}

static const char *give_mesh(void *params, const pen_world *world, int rank, pen_mesh *mine)
{
    cell_rows *m = (cell_rows *)params;
    const int64_t point = point_begin(world->ranks, rank), cell = cell_begin(world->ranks, rank);
    mine->dimensions = 2;
    mine->point_count = world->ranks == 1 ? POINTS : point_begin(world->ranks, rank + 1) - point;
    mine->cell_count = cell_begin(world->ranks, rank + 1) - cell;
    for (int64_t i = 0; i < mine->point_count; i++) {
        m->points[2 * i] = (double)(point + i);
        m->points[2 * i + 1] = 0.5 * (double)(point + i);
        for (int d = 0; d < 2; d++)
            if (2 * (point + i) + d + 1 == m->strange) m->points[2 * i + d] = NAN;
    }
    m->rows[0] = 0;
    for (int64_t i = 0; i < mine->cell_count; i++) {
        m->rows[i + 1] = m->rows[i] + 3 + (cell + i) % 4;
        for (int64_t k = m->rows[i]; k < m->rows[i + 1]; k++) m->numbers[k] = cell + i + k - m->rows[i] + m->corners;
    }
    mine->points = m->points;
    mine->rows = m->rows;
    mine->corners = m->numbers;
    return NULL;
}

static void write_mesh(MPI_Comm comm, const char *name, const pen_run_options *options)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_app meshed = app;
    cell_rows rows = { .corners = 0 };
    meshed.output.mesh = give_mesh;
    meshed.params = &rows;
    CHECK_STATUS(pen_graph_generate(comm, "tree:nodes=56", &graph), PEN_OK);
    CHECK_STATUS(pen_run_create(comm, graph, &meshed, options, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_output(run, in_folder(name, ".vtu")), PEN_OK);
    CHECK_STATUS(pen_run_output(run, in_folder(name, ".pvtu")), PEN_OK);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* A mesh that is refused when the run is created. */
static void refuse_mesh(const char *spec, cell_rows rows, const char *sentence)
{
    pen_run *run = NULL;
    pen_app meshed = app;
    const pen_run_options options = { .output.path = in_folder("never", ".vtu") };
    meshed.output.mesh = give_mesh;
    meshed.params = &rows;
    pen_graph *graph = graph_from(spec);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &meshed, &options, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), sentence);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* The file has the places and corners of give_mesh, in that order, whichever ranks gave them. */
static void check_mesh_file(void)
{
    size_t size = 0;
    char *bytes = read_bytes(in_folder("all", ".vtu"), &size);
    cell_rows rows = { .corners = 0 };
    pen_mesh mesh = { .dimensions = 0 };
    const pen_world one = { .ranks = 1 };
    CHECK(give_mesh(&rows, &one, 0, &mesh) == NULL);
    double places[3 * POINTS];
    int32_t corners[6 * CELLS], ends[CELLS];
    unsigned char types[CELLS];
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++) places[3 * i + d] = d < 2 ? mesh.points[2 * i + d] : 0.0;
    for (int i = 0; i < CELLS; i++) {
        ends[i] = (int32_t)mesh.rows[i + 1];
        types[i] = (unsigned char[]){ 5, 9, 7, 7 }[i % 4];
    }
    for (int64_t k = 0; k < mesh.rows[CELLS]; k++) corners[k] = (int32_t)mesh.corners[k];
    const struct {
        const void *bytes;
        uint64_t size;
    } arrays[] = { { places, sizeof places },
                   { corners, (uint64_t)mesh.rows[CELLS] * sizeof *corners },
                   { ends, sizeof ends },
                   { types, sizeof types } };
    for (int a = 0, found = 0; bytes && a < PEN_COUNT_OF(arrays); a++, found = 0) {
        for (char *p = bytes; !found && p + sizeof(uint64_t) + arrays[a].size <= bytes + size; p++)
            found = memcmp(p, &arrays[a].size, sizeof(uint64_t)) == 0 &&
                    memcmp(p + sizeof(uint64_t), arrays[a].bytes, arrays[a].size) == 0;
        CHECK(found);
    }
    free(bytes);
}

static void check_meshes(void)
{
    const pen_run_options alone = { .partitioner = "block" }, random = { .partitioner = "random" },
                          moving = { .partitioner = "block",
                                     .debug.tests = &(pen_test_options){ .migrate_seed = 3, .migrate_part = 0.5 } };
    const pen_run_options *const all[] = { &random, &moving };
    for (int i = 0; i < 2; i++) {
        pen_run_options wide = *all[i], one = alone;
        wide.output.fields = one.output.fields = drawn;
        write_mesh(MPI_COMM_WORLD, "all", &wide);
        if (check_rank() == 0) {
            write_mesh(MPI_COMM_SELF, "one", &one);
            check_equal(".vtu");
            check_mesh_file();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    refuse_mesh("tree:nodes=57", (cell_rows){ 0 }, "it has 56 cells, but the graph has 57 nodes");
    refuse_mesh("tree:nodes=56", (cell_rows){ .corners = 35 }, "the point 90, but points are numbered from 0 to 89");
    refuse_mesh("tree:nodes=56", (cell_rows){ .strange = 1 }, "coordinate 0 of point 0 is not finite");
    refuse_mesh("tree:nodes=56", (cell_rows){ .strange = 2 * POINTS }, "coordinate 1 of point 89 is not finite");
}

/* ---- Graphs that change
 * ---------------------------------------------------------------------------------------------- */

/* Every third node of 9x7 hexagons is removed, and some are added: with coordinates, one without. */
typedef enum coming { NOBODY, PLACED, UNPLACED } coming;
static const pen_gid more[] = { 63, 1000 };

static void ask(pen_changes *changes, void *context)
{
    const coming come = *(const coming *)context;
    if (check_rank() > 0) return;
    for (pen_gid gid = 0; gid < 63; gid += 3) pen_remove_node(changes, gid);
    for (int i = 0; i < 2 && come != NOBODY; i++) {
        pen_new_node *newborn = pen_add_node(changes, more[i], 1);
        if (come == PLACED || i == 0) pen_set_coordinates(newborn, 2, (const double[]){ 20.0, (double)i });
    }
}

/* A changed grid is no longer one: old nodes keep their positions, new ones have those given. */
static void check_places(pen_run *run, coming come)
{
    pen_graph *g = NULL;
    CHECK_STATUS(pen_run_graph(run, &g), PEN_OK);
    CHECK(g->width == 0 && g->height == 0 && g->depth == 0 && g->grid == PEN_GRID_NONE);
    CHECK_INT(g->dimensions, come == UNPLACED ? 0 : 2);
    for (pen_lid i = 0; i < g->count && g->dimensions == 2; i++) {
        const int gid = (int)pen_graph_gid(g, i);
        const double *at = g->coordinates + 2 * i;
        if (gid >= 63) CHECK(at[0] == 20.0 && at[1] == (gid == 1000));
        else CHECK(at[0] == gid % 9 + 0.5 * (gid / 9 % 2) && at[1] == gid / 9 * sqrt(0.75));
    }
    pen_graph_destroy(&g);
}

static pen_gid left_gid(int64_t i) { return i / 2 * 3 + 1 + i % 2; }

static void change_and_write(MPI_Comm comm, const char *name, coming come)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    const pen_run_options options = { .partitioner = "random", .output.fields = drawn };
    CHECK_STATUS(pen_graph_generate(comm, "hex:9x7", &graph), PEN_OK);
    CHECK_STATUS(pen_run_create(comm, graph, &app, &options, &run), PEN_OK);
    CHECK_STATUS(pen_run_output(run, in_folder(name, "-before.vtu")), PEN_OK); /* the order is another one then */
    CHECK_STATUS(pen_run_change(run, ask, &come), PEN_OK);
    check_places(run, come);
    if (come == UNPLACED) CHECK_STATUS(pen_run_output(run, in_folder(name, "-refused.vtu")), PEN_ERR_INPUT);
    else CHECK_STATUS(pen_run_output(run, in_folder(name, ".vtu")), PEN_OK);
    CHECK_STATUS(pen_run_output(run, in_folder(name, ".npy")), PEN_OK);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

static void check_changes(void)
{
    change_and_write(MPI_COMM_WORLD, "all", PLACED);
    if (check_rank() == 0) {
        change_and_write(MPI_COMM_SELF, "one", PLACED);
        check_equal(".vtu");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    change_and_write(MPI_COMM_WORLD, "all", NOBODY);
    if (check_rank() == 0) {
        change_and_write(MPI_COMM_SELF, "one", NOBODY);
        check_equal(".vtu");
        check_equal("-place.npy");
        double *place = load(in_folder("all", "-place.npy"), 42, 3);
        for (int64_t i = 0; place && i < 42; i++) CHECK_INT(place[3 * i], place_of(left_gid(i), 0, 0));
        free(place);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    change_and_write(MPI_COMM_WORLD, "all", UNPLACED);
    CHECK(access(in_folder("all", "-refused.vtu"), F_OK) != 0);
}

/* ---- During a run --------------------------------------------------------------------------- */

static bool is_there(const char *name) { return access(in_folder(name, ""), F_OK) == 0; }

static void check_series(void)
{
    const pen_run_options options = { .steps = 5,
                                      .output = { .path = in_folder("new/all", ".vtu"), .every = 2 },
                                      .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.1 } };
    pen_run *run = run_on(graph_from("mesh:6x6"), &app, &options);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 4), PEN_OK);
    pen_run_destroy(&run);
    if (check_rank() > 0) return;
    CHECK(is_there("new/all-000000.vtu") && is_there("new/all-000002.vtu") && is_there("new/all-000004.vtu"));
    CHECK(is_there("new/all-000005.vtu") && !is_there("new/all-000001.vtu") && !is_there("new/all-000003.vtu"));
    size_t size = 0;
    char *text = read_bytes(in_folder("new/all", ".pvd"), &size);
    CHECK(text != NULL);
    if (text)
        CHECK_CONTAINS(text, "<DataSet timestep=\"4\" group=\"\" part=\"0\" file=\"all-000004.vtu\"/>\n"
                             "    <DataSet timestep=\"5\" group=\"\" part=\"0\" file=\"all-000005.vtu\"/>\n");
    free(text);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void refuse(pen_graph *graph, const pen_app *a, const char *output, const char *names, pen_status wanted,
                   const char *sentence)
{
    pen_run *run = NULL;
    const pen_run_options options = { .output = { .path = output, .fields = names } };
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, a, &options, &run), wanted);
    CHECK_CONTAINS(pen_error_message(), sentence);
    pen_run_destroy(&run);
}

/* A table of one member. */
static void refuse_member(pen_graph *graph, pen_member member, const char *sentence)
{
    pen_app other = app;
    other.output.members.list = &member;
    other.output.members.count = 1;
    refuse(graph, &other, NULL, NULL, PEN_ERR_ARGUMENT, sentence);
}

static void check_refusals(void)
{
    pen_graph *graph = NULL;
    CHECK_STATUS(make_ring(MPI_COMM_WORLD, &graph), PEN_OK);
    refuse(graph, &app, "x.vtu", NULL, PEN_ERR_INPUT, "the graph is not a grid and has no coordinates");
    refuse(graph, &app, "x.txt", NULL, PEN_ERR_INPUT, "must end in .npy, .csv, .vtu, .pvtu or .pvd");
    refuse(graph, &app, "nowhere/at/all.npy", NULL, PEN_ERR_IO, "nowhere/at/all-odd.npy");
    refuse(graph, &app, "x.npy", "odd,even", PEN_ERR_INPUT, "output has no member \"even\"");
    refuse_member(graph, (pen_member){ "a b", RECORD, PEN_I8, 0, 1 }, "not of letters, digits");
    refuse_member(graph, (pen_member){ "gid", RECORD, PEN_I8, 0, 1 }, "that name is taken");
    refuse_member(graph, (pen_member){ "a", 2, PEN_I8, 0, 1 }, "of an unknown field, 2");
    refuse_member(graph, (pen_member){ "a", RECORD, (pen_type)99, 0, 1 }, "of an unknown type, 99");
    refuse_member(graph, (pen_member){ "a", RECORD, PEN_F64, sizeof(record) - 7, 1 }, "does not lie within a record");
    refuse_member(graph, (pen_member){ "a", COUNT, PEN_I32, 0, 3 }, "does not lie within a record");
    pen_app none = app;
    none.output.members.count = 0;
    refuse(graph, &none, "x.npy", NULL, PEN_ERR_INPUT, "names no members");
    pen_app passing = app;
    pen_field passes[PEN_COUNT_OF(fields)];
    memcpy(passes, fields, sizeof passes);
    passes[COUNT].transient = true;
    passing.fields.list = passes;
    refuse(graph, &passing, "x.npy", NULL, PEN_ERR_ARGUMENT, "of a transient field");
    pen_run *run = run_with(graph, &app, NULL);
    CHECK_STATUS(pen_run_output(run, in_folder("x", ".vtu")), PEN_ERR_INPUT);
    CHECK_STATUS(pen_run_output(run, in_folder("x", ".pvd")), PEN_ERR_INPUT);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* Shadows learn a member of their owners' records. */
static void check_shadows(void)
{
    struct {
        int64_t before, value, behind;
    } * records;
    pen_graph *graph = graph_from("hex:8x8");
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .partitioner = "random" });
    const pen_store *store = run->store;
    int64_t *values = calloc((size_t)store->shadows + 1, sizeof *values);
    records = calloc((size_t)store->owned + 1, sizeof *records);
    for (pen_lid s = 0; s < store->owned; s++) records[s].value = 3 * store->gids[s] + 1;
    CHECK_STATUS(pen_shadows_learn(run->comm, PEN_OK, store, (const unsigned char *)&records->value, sizeof *records,
                                   sizeof *values, (unsigned char *)values),
                 PEN_OK);
    for (pen_lid s = 0; s < store->shadows; s++) CHECK_INT(values[s], 3 * store->gids[store->owned + s] + 1);
    free(values);
    free(records);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

CHECKS()
{
    snprintf(folder, sizeof folder, "/tmp/penumbra-output-XXXXXX");
    if (check_rank() == 0 && !mkdtemp(folder)) abort();
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    RUN(check_graphs());
    pen_piece_bytes = 300; /* a few nodes */
    RUN(check_graphs());
    RUN(check_meshes());
    RUN(check_changes());
    RUN(check_series());
    RUN(check_shadows());
    RUN(check_refusals());
    MPI_Barrier(MPI_COMM_WORLD);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (check_rank() == 0 && system(command) != 0) abort();
}
