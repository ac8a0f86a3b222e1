/* graph_make_test.c - generated graphs, and graphs from rows that the caller has. What all ranks make
 * together must equal what each makes alone.
 * pen_mpi_test() */
#include "graph/validate.h"
#include "tests/support/check.h"
#include "tests/support/graph_hash.h"

#include <math.h>

static int size;

/* ---- Generators ----------------------------------------------------------------------------- */

/* Hexagons touch where their centres are at distance 1. */
static bool touch(int64_t width, pen_gid a, pen_gid b)
{
    double x[2], y[2];
    pen_gid gid[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        y[i] = (double)(gid[i] / width);
        x[i] = (double)(gid[i] % width) + (gid[i] / width % 2 ? 0.5 : 0);
    }
    double distance = (x[0] - x[1]) * (x[0] - x[1]) + 0.75 * (y[0] - y[1]) * (y[0] - y[1]);
    return a != b && distance < 1.01;
}

static void check_hex(int64_t width, int64_t height)
{
    pen_graph *g, *alone;
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, width, height, &g), PEN_OK);
    CHECK_STATUS(generate_hex(MPI_COMM_SELF, width, height, &alone), PEN_OK);
    CHECK_INT(pen_graph_nodes(g), width * height);
    CHECK_INT(g->width, width);
    CHECK_INT(g->height, height);
    CHECK_INT(graph_hash(g), graph_hash(alone));
    CHECK_STATUS(pen_graph_validate(g, PEN_OK, NULL, NULL), PEN_OK);
    for (pen_lid i = 0; i < g->count; i++) {
        int64_t k = g->rows[i];
        for (pen_gid v = 0; v < g->nodes; v++) {
            if (!touch(width, pen_graph_gid(g, i), v)) continue;
            CHECK_INT(k < g->rows[i + 1] ? g->neighbors[k] : -1, v);
            k++;
        }
        CHECK_INT(k, g->rows[i + 1]);
    }
    pen_graph_destroy(&alone);
    pen_graph_destroy(&g);
    CHECK(g == NULL);
    pen_graph_destroy(&g);
    pen_graph_destroy(NULL);
}

static uint64_t check_random(int64_t nodes, double degree, uint64_t seed)
{
    pen_graph *g, *alone;
    CHECK_STATUS(generate_random(MPI_COMM_WORLD, nodes, degree, seed, &g), PEN_OK);
    CHECK_STATUS(generate_random(MPI_COMM_SELF, nodes, degree, seed, &alone), PEN_OK);
    uint64_t hash = graph_hash(alone);
    CHECK_INT(graph_hash(g), hash);
    CHECK_INT(pen_graph_nodes(g), nodes);
    CHECK_INT(graph_components(alone), 1);
    int64_t wanted = (int64_t)(degree * (double)nodes / 2), edges = pen_graph_edges(g);
    if (nodes > 100) CHECK(edges <= wanted && edges > wanted - wanted / 20);
    CHECK_STATUS(pen_graph_validate(g, PEN_OK, NULL, NULL), PEN_OK);
    CHECK_INT(pen_graph_edges(g), edges);
    pen_graph_destroy(&alone);
    pen_graph_destroy(&g);
    return hash;
}

static void check_generators(void)
{
    check_hex(1, 1);
    check_hex(1, 6);
    check_hex(6, 1);
    check_hex(2, 2);
    check_hex(7, 5);
    check_hex(12, 11);
    pen_graph *g = NULL;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "hex:0x5", &g), PEN_ERR_INPUT);
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, INT64_C(1) << 32, INT64_C(1) << 31, &g), PEN_ERR_INPUT);
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, INT64_C(1) << 31, INT64_C(1) << 31, &g), PEN_ERR_UNSUPPORTED);
    CHECK(g == NULL);

    check_random(1, 0, 1);
    check_random(2, 1, 1);
    check_random(3, 2, 1);
    check_random(4, 6, 1);
    CHECK(check_random(2000, 6, 1) != check_random(2000, 6, 2));
    check_random(3000, 40, 5);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "random:nodes=0,degree=3,seed=1", &g), PEN_ERR_INPUT);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "random:nodes=10,degree=1.5,seed=1", &g), PEN_ERR_ARGUMENT);
    CHECK_STATUS(generate_random(MPI_COMM_WORLD, 10, 1 / 0.0, 1, &g), PEN_ERR_INPUT);
}

/* ---- Rows that the caller has --------------------------------------------------------------- */

/* A hex field whose nodes are strewn over the ranks under sparse gids, with weights; and ways to spoil
 * it. Spoiled is always the row of node SPOILED, and its neighbour SPOILED + 1. */
enum { WIDTH = 9, HEIGHT = 8, NODES = WIDTH * HEIGHT, SPOILED = 40 };

typedef enum spoil {
    GOOD,
    NO_REVERSE,
    OTHER_WEIGHT,
    TWICE_HERE,
    TWICE_THERE,
    LOOP,
    TWO_ARCS,
    NO_NODE,
    NEGATIVE,
    NEGATIVE_NEIGHBOR,
    ZERO_WEIGHT,
    NEGATIVE_WEIGHT,
    HUGE_WEIGHTS,
    SPOILS
} spoil;

static pen_gid name_of(int64_t i) { return 5 + i * 977 + (i % 3) * (INT64_C(1) << 40); }
static int rank_of(int64_t i) { return (int)(pen_mix((uint64_t)i) % (uint64_t)size); }

typedef struct csr_arrays {
    pen_csr csr;
    pen_gid gids[NODES + 1], neighbors[6 * NODES + 8];
    int64_t rows[NODES + 2], node_weights[NODES + 1], edge_weights[6 * NODES + 8];
} csr_arrays;

static void add_arc(csr_arrays *a, pen_gid neighbor, int64_t weight)
{
    int64_t k = a->rows[a->csr.count + 1]++;
    a->neighbors[k] = neighbor;
    a->edge_weights[k] = weight;
}

static void add_row(csr_arrays *a, int64_t i, spoil how)
{
    bool here = i == SPOILED;
    pen_lid row = a->csr.count;
    a->gids[row] = how == NEGATIVE && here ? -name_of(i) : name_of(i);
    a->node_weights[row] = how == HUGE_WEIGHTS ? INT64_MAX / 4 : i;
    if (how == NEGATIVE_WEIGHT && here) a->node_weights[row] = -1;
    a->rows[row + 1] = a->rows[row];
    for (int64_t v = NODES - 1; v >= 0; v--) { /* descending: validation sorts */
        if (!touch(WIDTH, i, v)) continue;
        bool edge = here && v == SPOILED + 1;
        if (edge && how == NO_REVERSE) continue;
        int64_t to = name_of(v), weight = 1 + (i + v) % 5;
        if (edge && how == NO_NODE) to = 4;
        if (edge && how == NEGATIVE_NEIGHBOR) to = -to;
        if (edge && how == OTHER_WEIGHT) weight = 7;
        if (edge && how == ZERO_WEIGHT) weight = 0;
        add_arc(a, to, weight);
        if (edge && how == TWO_ARCS) add_arc(a, name_of(v), 1 + (i + v) % 5);
    }
    if (here && how == LOOP) add_arc(a, name_of(i), 1);
    a->csr.count++;
}

static pen_csr *fill(csr_arrays *a, spoil how, bool weights, bool directed)
{
    int rank = check_rank();
    memset(a, 0, sizeof *a);
    for (int64_t i = 0; i < NODES; i++)
        if (rank_of(i) == rank) add_row(a, i, how);
    if (how == TWICE_HERE && rank == rank_of(SPOILED)) add_row(a, SPOILED, GOOD);
    if (how == TWICE_THERE && rank == (rank_of(SPOILED) + 1) % size) add_row(a, SPOILED, GOOD);
    a->csr = (pen_csr){ .count = a->csr.count,
                        .gids = a->gids,
                        .rows = a->rows,
                        .neighbors = a->neighbors,
                        .node_weights = weights ? a->node_weights : NULL,
                        .edge_weights = weights ? a->edge_weights : NULL,
                        .directed = directed };
    return &a->csr;
}

static void check_spoiled(csr_arrays *a, spoil how, bool directed, pen_status expected, const char *part)
{
    pen_graph *g = NULL;
    pen_status status = pen_graph_from_csr(MPI_COMM_WORLD, fill(a, how, true, directed), &g);
    CHECK_INT(status, expected);
    if (status == PEN_OK) pen_graph_destroy(&g);
    else CHECK_CONTAINS(pen_error_message(), part);
    CHECK(g == NULL);
}

static void check_csr(csr_arrays *a)
{
    pen_graph *g = NULL, *hex;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, fill(a, GOOD, true, false), &g), PEN_OK);
    CHECK_STATUS(generate_hex(MPI_COMM_SELF, WIDTH, HEIGHT, &hex), PEN_OK);
    CHECK_INT(pen_graph_nodes(g), NODES);
    CHECK_INT(pen_graph_edges(g), pen_graph_edges(hex));
    CHECK(!g->dense && g->gids);
    for (pen_lid i = 0; i < g->count; i++) {
        int64_t node = 0;
        while (name_of(node) != pen_graph_gid(g, i)) node++;
        CHECK_INT(pen_graph_load(g, i), node);
        CHECK_INT(g->rows[i + 1] - g->rows[i], hex->rows[node + 1] - hex->rows[node]);
        for (int64_t k = g->rows[i]; k < g->rows[i + 1]; k++) {
            CHECK(k == g->rows[i] || g->neighbors[k] > g->neighbors[k - 1]);
            int64_t v = 0;
            while (name_of(v) != g->neighbors[k]) v++;
            CHECK(touch(WIDTH, node, v));
            CHECK_INT(g->edge_weights[k], 1 + (node + v) % 5);
        }
    }
    CHECK_STATUS(pen_graph_write(g, "/nowhere/at/all"), PEN_ERR_UNSUPPORTED);
    pen_graph_destroy(&g);
    pen_graph_destroy(&hex);

    char node[64], next[64], part[160];
    snprintf(node, sizeof node, "node %" PRIgid ": ", name_of(SPOILED));
    snprintf(next, sizeof next, "node %" PRIgid ": neighbour %" PRIgid " does not have", name_of(SPOILED + 1),
             name_of(SPOILED));
    check_spoiled(a, NO_REVERSE, false, PEN_ERR_INPUT, next);
    check_spoiled(a, NO_REVERSE, true, PEN_OK, "");
    check_spoiled(a, OTHER_WEIGHT, false, PEN_ERR_INPUT, "has weight");
    check_spoiled(a, OTHER_WEIGHT, true, PEN_OK, "");
    for (int directed = 0; directed < 2; directed++) {
        check_spoiled(a, GOOD, directed, PEN_OK, "");
        snprintf(part, sizeof part, "%sanother row has the same gid", node);
        check_spoiled(a, TWICE_HERE, directed, PEN_ERR_INPUT, part);
        check_spoiled(a, TWICE_THERE, directed, PEN_ERR_INPUT, part);
        snprintf(part, sizeof part, "%sneighbour %" PRIgid " is the node itself", node, name_of(SPOILED));
        check_spoiled(a, LOOP, directed, PEN_ERR_INPUT, part);
        snprintf(part, sizeof part, "%sneighbour %" PRIgid " occurs twice", node, name_of(SPOILED + 1));
        check_spoiled(a, TWO_ARCS, directed, PEN_ERR_INPUT, part);
        snprintf(part, sizeof part, "%sneighbour 4 does not exist", node);
        check_spoiled(a, NO_NODE, directed, PEN_ERR_INPUT, part);
        check_spoiled(a, NEGATIVE, directed, PEN_ERR_INPUT, "gids must be >= 0");
        check_spoiled(a, NEGATIVE_NEIGHBOR, directed, PEN_ERR_INPUT, "must be >= 0");
        check_spoiled(a, ZERO_WEIGHT, directed, PEN_ERR_INPUT, "weight 0 of the edge");
        check_spoiled(a, NEGATIVE_WEIGHT, directed, PEN_ERR_INPUT, "node weight -1");
        check_spoiled(a, HUGE_WEIGHTS, directed, PEN_ERR_INPUT, "sum of all node weights");
    }
}

/* The last rank's coordinates are wrong. */
static void refuse_coordinates(pen_csr csr, int dimensions, const double *coordinates, pen_status status,
                               const char *sentence)
{
    pen_graph *g = NULL;
    if (check_rank() == size - 1) {
        csr.dimensions = dimensions;
        csr.coordinates = coordinates;
    }
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &g), status);
    CHECK_CONTAINS(pen_error_message(), sentence);
    CHECK(!g);
}

/* Each rank's rows also have coordinates: finite ones, and equally many on all ranks. */
static void check_coordinates(csr_arrays *a, pen_csr csr)
{
    static double places[2 * NODES];
    pen_graph *g;
    for (pen_lid i = 0; i < csr.count; i++) {
        places[2 * i] = 0.25 + (double)a->gids[i];
        places[2 * i + 1] = -(double)a->gids[i];
    }
    csr.dimensions = 2;
    csr.coordinates = places;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &g), PEN_OK);
    CHECK_INT(g->dimensions, 2);
    CHECK(csr.count == 0 ||
          (g->coordinates != places && memcmp(g->coordinates, places, 2 * (size_t)csr.count * 8) == 0));
    pen_graph_destroy(&g);
    refuse_coordinates(csr, 4, places, PEN_ERR_ARGUMENT, "dimensions 4, must be in 0..3");
    refuse_coordinates(csr, 2, NULL, PEN_ERR_ARGUMENT, "coordinates must not be NULL");
    if (size > 2) refuse_coordinates(csr, 1, places, PEN_ERR_ARGUMENT, "dimensions");
    places[1] = INFINITY;
    refuse_coordinates(csr, 2, places, PEN_ERR_INPUT, "coordinate inf, must be finite");
}

/* Contiguous ranges in rank order are recognised as dense; rank 0 has no rows if there are other ranks. */
static void check_dense(csr_arrays *a)
{
    pen_graph *g, *hex, *again;
    CHECK_STATUS(generate_hex(MPI_COMM_SELF, WIDTH, HEIGHT, &hex), PEN_OK);
    int64_t rank = check_rank(), last = size > 1 ? size - 1 : 1, mine = size > 1 ? rank : 1;
    int64_t begin = mine > 0 ? NODES * (mine - 1) / last : 0, end = NODES * mine / last;
    for (int64_t i = begin; i < end; i++) a->gids[i - begin] = i;
    for (int64_t i = begin; i <= end; i++) a->rows[i - begin] = hex->rows[i] - hex->rows[begin];
    pen_csr csr = { .count = (pen_lid)(end - begin),
                    .gids = a->gids,
                    .rows = a->rows,
                    .neighbors = hex->neighbors + hex->rows[begin] };
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, csr.count ? &csr : &(pen_csr){ 0 }, &g), PEN_OK);
    CHECK(g->dense && !g->gids);
    CHECK_INT(g->first, begin);
    CHECK_INT(graph_hash(g), graph_hash(hex));
    csr.directed = true;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, csr.count ? &csr : &(pen_csr){ 0 }, &again), PEN_OK);
    CHECK_INT(pen_graph_edges(again), 2 * pen_graph_edges(hex));
    pen_graph_destroy(&again);
    pen_graph_destroy(&g);

    check_coordinates(a, csr);

    /* Malformed arguments on one rank only. */
    g = NULL;
    if (rank == size - 1) a->rows[1] = a->rows[csr.count] + 1;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &g), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, rank == size - 1 ? NULL : &csr, &g), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "the pointer to the rows is NULL");
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &(pen_csr){ 0 }, &g), PEN_ERR_ARGUMENT);
    if (size > 2) {
        if (rank == size - 1) a->rows[1] = hex->rows[begin + 1] - hex->rows[begin];
        csr.directed = rank == size - 1;
        CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &g), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "directed");
    }
    CHECK(g == NULL);
    pen_graph_destroy(&hex);
}

CHECKS()
{
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    RUN(check_generators());
    csr_arrays *arrays = malloc(sizeof *arrays);
    RUN(check_csr(arrays));
    RUN(check_dense(arrays));
    free(arrays);
}
