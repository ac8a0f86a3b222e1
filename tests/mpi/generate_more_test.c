/* generate_more_test.c - generated graphs against their definitions, looked up pair by pair. What all ranks
 * make together must equal what each makes alone, and validation must agree.
 * pen_mpi_test() */
#include "graph/validate.h"
#include "tests/support/check.h"
#include "tests/support/graph_hash.h"

#include <math.h>

enum { ANY = -1 };

/* Whether two nodes of a graph, which the test has made alone, are to be neighbours. */
typedef bool adjacent_fn(const pen_graph *alone, const void *context, pen_gid a, pen_gid b);

static void check_pairs(const pen_graph *alone, adjacent_fn *adjacent, const void *context, const char *spec)
{
    for (pen_gid a = 0; a < alone->nodes; a++) {
        int64_t k = alone->rows[a], end = alone->rows[a + 1];
        for (pen_gid b = 0; b < alone->nodes; b++) {
            bool found = k < end && alone->neighbors[k] == b, wanted = a != b && adjacent(alone, context, a, b);
            if (found != wanted && check_failed())
                fprintf(stderr, "%s: %" PRIgid " and %" PRIgid " are neighbours: %d, expected %d\n", spec, a, b, found,
                        wanted);
            k += found;
        }
        CHECK_INT(k, end);
    }
}

/* Collective. Returns the graph's hash; nodes, edges and pieces may be ANY. */
static uint64_t check_graph(const char *spec, int64_t nodes, int64_t edges, int64_t pieces, adjacent_fn *adjacent,
                            const void *context)
{
    pen_graph *g = NULL, *alone = NULL;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, spec, &g), PEN_OK);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_SELF, spec, &alone), PEN_OK);
    if (!g || !alone) return 0;
    uint64_t hash = graph_hash(g);
    if (hash != graph_hash(alone) && check_failed()) fprintf(stderr, "%s: not the same alone\n", spec);
    int64_t count = g->count, before = 0, found = pen_graph_edges(g);
    MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank() > 0) CHECK_INT(g->first, before);
    CHECK(g->dense);
    CHECK_INT(strstr(spec, "coordinates") != NULL, g->dimensions > 0);
    CHECK_INT(g->dimensions > 0, g->coordinates != NULL);
    CHECK_STATUS(pen_graph_validate(g, PEN_OK, NULL, NULL), PEN_OK);
    CHECK_INT(pen_graph_edges(g), found);
    if (nodes != ANY) CHECK_INT(pen_graph_nodes(g), nodes);
    if (edges != ANY) CHECK_INT(found, edges);
    if (pieces != ANY) CHECK_INT(graph_components(alone), pieces);
    if (adjacent) check_pairs(alone, adjacent, context, spec);
    pen_graph_destroy(&g);
    pen_graph_destroy(&alone);
    return hash;
}

/* ---- Meshes, tori, hexagons ----------------------------------------------------------------- */

typedef struct lattice {
    int64_t sizes[3];
    bool around;
} lattice;

static bool lattice_adjacent(const pen_graph *alone, const void *context, pen_gid a, pen_gid b)
{
    const lattice *l = (const lattice *)context;
    int64_t sum = 0;
    for (int d = 0; d < 3; a /= l->sizes[d], b /= l->sizes[d], d++) {
        int64_t apart = llabs(a % l->sizes[d] - b % l->sizes[d]);
        if (l->around && l->sizes[d] - apart < apart) apart = l->sizes[d] - apart;
        sum += apart;
    }
    return sum == 1;
}

/* Edges of a line of n nodes, or of a ring. */
static int64_t line_edges(int64_t n, bool around) { return n - 1 + (around && n > 2); }

static void check_lattice(int64_t x, int64_t y, int64_t z, bool around)
{
    const lattice l = { { x, y, z ? z : 1 }, around };
    const int64_t *s = l.sizes;
    char spec[80], depth[32] = "";
    if (z) snprintf(depth, sizeof depth, "x%" PRId64, z);
    snprintf(spec, sizeof spec, "%s:%" PRId64 "x%" PRId64 "%s", around ? "torus" : "mesh", x, y, depth);
    int64_t edges = line_edges(s[0], around) * s[1] * s[2] + line_edges(s[1], around) * s[0] * s[2] +
                    line_edges(s[2], around) * s[0] * s[1];
    check_graph(spec, s[0] * s[1] * s[2], edges, 1, lattice_adjacent, &l);
}

static void check_lattices(void)
{
    static const int64_t sizes[][3] = { { 1, 1, 0 }, { 1, 2, 0 }, { 2, 1, 0 },   { 1, 7, 0 }, { 7, 1, 0 },
                                        { 2, 2, 0 }, { 3, 2, 0 }, { 13, 11, 0 }, { 1, 1, 1 }, { 2, 2, 2 },
                                        { 1, 1, 9 }, { 3, 4, 2 }, { 5, 6, 7 } };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int around = 0; around < 2; around++) check_lattice(sizes[i][0], sizes[i][1], sizes[i][2], around);
    check_graph("torus:32x32x32", 32768, 3 * 32768, 1, NULL, NULL);
}

static double distance(const pen_graph *alone, pen_gid a, pen_gid b)
{
    double sum = 0;
    for (int d = 0; d < alone->dimensions; d++) {
        double apart = alone->coordinates[a * alone->dimensions + d] - alone->coordinates[b * alone->dimensions + d];
        sum += apart * apart;
    }
    return sqrt(sum);
}

static bool near(const pen_graph *alone, const void *radius, pen_gid a, pen_gid b)
{
    return distance(alone, a, b) <= *(const double *)radius;
}

/* In a torus, opposite sides are far apart: only the nodes' positions count. */
static void check_places(void)
{
    static const double one = 1 + 1e-9;
    pen_graph *g;
    check_graph("hex:9x7,coordinates", 63, ANY, 1, near, &one);
    check_graph("mesh:9x7,coordinates", 63, ANY, 1, near, &one);
    check_graph("mesh:4x3x5,coordinates", 60, ANY, 1, near, &one);
    check_graph("torus:9x7,coordinates", 63, 126, 1, NULL, NULL);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "torus:4x5x6,coordinates", &g), PEN_OK);
    CHECK_INT(g->dimensions, 3);
    CHECK_INT(g->grid, PEN_GRID_TORUS);
    CHECK_INT(g->width, 4);
    CHECK_INT(g->height, 5);
    CHECK_INT(g->depth, 6);
    for (pen_lid i = 0; i < g->count; i++) {
        const double *at = g->coordinates + 3 * i;
        CHECK_INT(at[0] + 4 * (at[1] + 5 * at[2]), g->first + i);
        CHECK(at[0] < 4 && at[1] < 5);
    }
    pen_graph_destroy(&g);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "torus:4x5", &g), PEN_OK);
    CHECK_INT(g->grid, PEN_GRID_TORUS);
    CHECK_INT(g->width, 4);
    CHECK_INT(g->height, 5);
    CHECK_INT(g->depth, 1);
    pen_graph_destroy(&g);
}

/* ---- Trees ---------------------------------------------------------------------------------- */

static bool tree_adjacent(const pen_graph *alone, const void *context, pen_gid a, pen_gid b)
{
    int64_t arity = *(const int64_t *)context;
    return a > b ? (a - 1) / arity == b : (b - 1) / arity == a;
}

static void check_trees(void)
{
    static const int64_t cases[][2] = {
        { 1, 1 },   { 1, 3 },   { 2, 1 },     { 2, INT64_C(1) << 62 },  { 3, 2 }, { 8, 2 }, { 121, 3 },
        { 150, 1 }, { 150, 7 }, { 150, 149 }, { 150, INT64_C(1) << 62 }
    };
    char spec[80];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(spec, sizeof spec, "tree:nodes=%" PRId64 ",arity=%" PRId64, cases[i][0], cases[i][1]);
        check_graph(spec, cases[i][0], cases[i][0] - 1, 1, tree_adjacent, &cases[i][1]);
    }
    const int64_t four = 4;
    const double *at = NULL;
    pen_graph *g = NULL;
    check_graph("tree:nodes=50,arity=4,coordinates", 50, 49, 1, tree_adjacent, &four);
    check_graph("tree:nodes=9,arity=1,coordinates", 9, 8, 1, NULL, NULL);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_SELF, "tree:nodes=22,arity=4,coordinates", &g), PEN_OK);
    at = g->coordinates;
    CHECK(at[0] == 0.5 && at[1] == 0.0 && at[2 * 4] == 3.5 / 4 && at[2 * 4 + 1] == 1.0 && at[2 * 21] == 0.5 / 64 &&
          at[2 * 21 + 1] == 3.0);
    pen_graph_destroy(&g);
    CHECK_INT(check_graph("tree:nodes=99", 99, 98, 1, NULL, NULL),
              check_graph("tree:arity=2,nodes=99", 99, 98, 1, NULL, NULL));
}

/* ---- Random graphs -------------------------------------------------------------------------- */

static void check_geometric(int64_t nodes, double radius)
{
    char spec[120];
    snprintf(spec, sizeof spec, "geometric:nodes=%" PRId64 ",radius=%.17g,coordinates", nodes, radius);
    int64_t all = radius >= 1.5 ? nodes * (nodes - 1) / 2 : ANY;
    check_graph(spec, nodes, radius == 0 ? 0 : all, ANY, near, &radius);
}

/* Points in the unit square, and as many in each quarter as there should be. */
static void check_spread(void)
{
    pen_graph *g;
    int64_t mine[4] = { 0 }, all[4];
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "geometric:nodes=40000,degree=10,seed=3,coordinates", &g), PEN_OK);
    for (pen_lid i = 0; i < g->count; i++) {
        const double *at = g->coordinates + 2 * i;
        CHECK(at[0] >= 0 && at[0] < 1 && at[1] >= 0 && at[1] < 1);
        mine[2 * (at[1] >= 0.5) + (at[0] >= 0.5)]++;
    }
    MPI_Allreduce(mine, all, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++) CHECK(all[i] > 9600 && all[i] < 10400);
    double mean = 2 * (double)pen_graph_edges(g) / 40000;
    CHECK(mean > 9.5 && mean < 10);
    pen_graph_destroy(&g);
}

static void check_geometrics(void)
{
    static const int64_t nodes[] = { 1, 2, 50 };
    static const double radii[] = { 0, 0.01, 0.04, 0.1, 0.24975, 1 / 3.0, 0.5, 1.5 };
    for (int k = 0; k < 8; k++) check_geometric(400, radii[k]);
    for (int k = 0; k < 8; k++) check_geometric(nodes[k % 3], radii[k]);
    check_graph("geometric:nodes=20,degree=0", 20, 0, 20, NULL, NULL);
    check_spread();
    uint64_t hash = check_graph("geometric:nodes=3000,degree=6,seed=1", 3000, ANY, ANY, NULL, NULL);
    CHECK_INT(check_graph("geometric:nodes=3000", 3000, ANY, ANY, NULL, NULL), hash);
    CHECK(check_graph("geometric:nodes=3000,seed=2", 3000, ANY, ANY, NULL, NULL) != hash);
}

static bool is_matching(const char *spec)
{
    pen_graph *g;
    bool all = true;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, spec, &g), PEN_OK);
    for (pen_lid i = 0; i < g->count; i++) all = all && g->rows[i + 1] - g->rows[i] == 1;
    pen_graph_destroy(&g);
    return all;
}

/* Quadrants that leave no choice, no structure, and the usual one: hubs. */
static void check_rmats(void)
{
    check_graph("rmat:scale=0", 1, 0, 1, NULL, NULL);
    check_graph("rmat:scale=1,factor=50", 2, 1, 1, NULL, NULL);
    check_graph("rmat:scale=6,factor=0", 64, 0, 64, NULL, NULL);
    check_graph("rmat:scale=9,a=1,b=0,c=0", 512, 0, 512, NULL, NULL);
    check_graph("rmat:scale=9,a=0,b=0,c=0", 512, 0, 512, NULL, NULL);
    check_graph("rmat:scale=9,a=0.5,b=0,c=0", 512, 0, 512, NULL, NULL);
    check_graph("rmat:scale=9,a=0,b=1,c=0", 512, 1, 511, NULL, NULL);
    check_graph("rmat:scale=9,a=0,b=0,c=1", 512, 1, 511, NULL, NULL);
    check_graph("rmat:scale=9,factor=20,a=0,b=0.5,c=0.5", 512, 256, 256, NULL, NULL);
    CHECK(is_matching("rmat:scale=9,factor=20,a=0,b=0.5,c=0.5"));
    pen_graph *g;
    for (int flat = 0; flat < 2; flat++) {
        const char *spec = flat ? "rmat:scale=12,factor=8,a=0.25,b=0.25,c=0.25" : "rmat:scale=12,factor=8";
        int64_t most = 0, all;
        CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, spec, &g), PEN_OK);
        for (pen_lid i = 0; i < g->count; i++)
            if (g->rows[i + 1] - g->rows[i] > most) most = g->rows[i + 1] - g->rows[i];
        MPI_Allreduce(&most, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        CHECK(flat ? all < 50 : all > 300);
        CHECK(pen_graph_edges(g) <= 8 * 4096 && pen_graph_edges(g) > (flat ? 32500 : 20000));
        pen_graph_destroy(&g);
    }
    uint64_t hash = check_graph("rmat:scale=10", 1024, ANY, ANY, NULL, NULL);
    CHECK_INT(check_graph("rmat:scale=10,factor=16,a=0.57,b=0.19,c=0.19,seed=1", 1024, ANY, ANY, NULL, NULL), hash);
    CHECK(check_graph("rmat:scale=10,seed=2", 1024, ANY, ANY, NULL, NULL) != hash);
}

/* The two that have a function of their own. */
static void check_same(void)
{
    pen_graph *g;
    uint64_t hash = check_graph("hex:12x11", 132, ANY, 1, NULL, NULL);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "hex:12x11", &g), PEN_OK);
    CHECK_INT(graph_hash(g), hash);
    pen_graph_destroy(&g);
    hash = check_graph("random:nodes=500,degree=5,seed=4", 500, ANY, 1, NULL, NULL);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "random:nodes=500,degree=5,seed=4", &g), PEN_OK);
    CHECK_INT(graph_hash(g), hash);
    pen_graph_destroy(&g);
}

static void check_refusals(void)
{
    static const struct {
        const char *spec, *what;
    } bad[] = {
        { "", "unknown generator" },
        { "mash:3x3", "did you mean mesh?" },
        { "mesh", "sizes \"\"" },
        { "mesh:7", "must be WxH" },
        { "mesh:0x4", "at least 1" },
        { "mesh:4x", "at least 1" },
        { "mesh:4x-4", "at least 1" },
        { "mesh:4x4x4x4", "WxHxD" },
        { "mesh:4294967296x4294967296", "at most 2^62" },
        { "torus:2097152x2097152x2097153", "at most 2^62" },
        { "mesh:11111111111111111111111111111x1", "at most 2^62" },
        { "hex:4x4x4", "must be WxH" },
        { "hex:4x4,coordinate", "generator hex: unknown setting coordinate: did you mean coordinates?" },
        { "torus:4x4,coordinates=1", "takes no value" },
        { "tree", "needs nodes=N" },
        { "tree:nodes=0", "from 1" },
        { "tree:nodes=5,arity=0", "from 1" },
        { "random:degree=3", "needs nodes=N" },
        { "geometric:degree=3", "needs nodes=N" },
        { "geometric:nodes=9,degree=3,radius=1", "degree or radius" },
        { "geometric:nodes=9,degree=-1", "must be >= 0" },
        { "geometric:nodes=9,radius=-1", "must be >= 0" },
        { "geometric:nodes=9,radius=nan", "not a finite number" },
        { "rmat:factor=3", "needs scale=S" },
        { "rmat:scale=61", "from 0 to 60" },
        { "rmat:scale=40,factor=10000000", "more than 2^60 edges" },
        { "rmat:scale=4,a=0.9,b=0.2", "sum <= 1" },
        { "rmat:scale=4,a=-0.1", "must be >= 0" },
    };
    pen_graph *g = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, bad[i].spec, &g), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), bad[i].what);
    }
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, NULL, &g), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "random:nodes=9,degree=1", &g), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "mesh:2147483648x2147483648", &g), PEN_ERR_UNSUPPORTED);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "tree:nodes=4611686018427387904", &g), PEN_ERR_UNSUPPORTED);
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "rmat:scale=60,factor=1", &g), PEN_ERR_UNSUPPORTED);
    CHECK(g == NULL);
}

CHECKS()
{
    RUN(check_lattices());
    RUN(check_places());
    RUN(check_trees());
    RUN(check_geometrics());
    RUN(check_rmats());
    RUN(check_same());
    RUN(check_refusals());
}
