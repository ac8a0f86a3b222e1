/* scotch and ptscotch: ordinary and degenerate graphs; scotch against a direct call; networks and costs on them against
 * distances computed here; invalid networks; and that nothing is printed. */
#include "balance/partitioners.h"
#include "partition/partition.h"
#include "tests/support/recipe.h"
#include "tests/support/world.h"

#include <math.h>
#include <scotch.h>
#include <unistd.h>

enum { MOST = 1200 }; /* nodes of any graph here, and parts */

static int my_rank, my_size;

/* ---- Graphs ------------------------------------------------------------------------------------ */

static int64_t some_zero(int i) { return i % 3 == 0 ? i % 5 : 0; }
static int64_t rare(int i) { return i % 50 == 0; }
static int64_t giant(int i) { return i == 0 ? 100000 : 1; }
static int64_t many(int i) { return i < 399 ? (INT64_C(1) << 31) / 400 : 0; }
static int64_t enormous(int i) { return (void)i, INT64_C(1) << 28; }
static int64_t heavy_edge(int i, int j) { return (INT64_C(1) << 20) + (i + j) % 5; }

/* ---- Properties -------------------------------------------------------------------------------- */

static int32_t part[MOST]; /* of the partition made last, by local node */

/* A build without PT-Scotch says so. */
static bool usable(const pen_graph *graph, const char *spec)
{
    if (PEN_PTSCOTCH || spec[0] != 'p') return true;
    CHECK_STATUS(pen_partition(graph, spec, NULL, 2, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "no PT-Scotch");
    check_leave_out("no PT-Scotch to partition with");
    return false;
}

static void partition(const pen_graph *graph, const char *spec, int parts)
{
    for (pen_lid i = 0; i < graph->count; i++) part[i] = -7;
    CHECK_STATUS(pen_partition(graph, spec, NULL, parts, part), PEN_OK);
    for (pen_lid i = 0; i < graph->count; i++) CHECK(part[i] >= 0 && part[i] < parts);
}

/* Max load / mean load. */
static double imbalance(const pen_graph *graph, int parts)
{
    const part_loads l = measure(graph, part, parts);
    return (double)l.most * parts / (double)l.total;
}

/* By the definition, from the whole partition; of a dense graph. */
static int64_t cost_of(const pen_graph *graph, int64_t (*distance)(int32_t a, int32_t b))
{
    static int32_t whole[MOST], mine[MOST];
    memset(mine, 0, sizeof mine);
    for (pen_lid i = 0; i < graph->count; i++) mine[graph->first + i] = part[i];
    MPI_Allreduce(mine, whole, MOST, MPI_INT32_T, MPI_SUM, graph->comm->mpi);
    int64_t cost = 0, all = 0;
    for (pen_lid i = 0; i < graph->count; i++)
        for (int64_t j = graph->rows[i]; j < graph->rows[i + 1]; j++)
            cost += (graph->edge_weights ? graph->edge_weights[j] : 1) * distance(part[i], whole[graph->neighbors[j]]);
    MPI_Allreduce(&cost, &all, 1, MPI_INT64_T, MPI_SUM, graph->comm->mpi);
    return graph->directed ? all : all / 2;
}

static int64_t complete(int32_t a, int32_t b) { return a != b; }

/* Any graph and number of parts gives a partition; scotch the same on one rank. */
static void shapes(void)
{
    const recipe recipes[] = {
        { .count = 400, .gid = plain, .adjacent = grid },
        { .count = 400, .gid = scrambled, .adjacent = grid, .load = varied, .weight = edge },
        { .count = 100, .gid = plain, .adjacent = one_way, .directed = true },
        { .count = 100, .gid = scrambled, .adjacent = one_way, .directed = true, .weight = edge },
        { .count = 400, .gid = plain, .adjacent = grid, .all_on_last = true },
        { .count = 80, .gid = plain, .adjacent = nothing, .load = varied },
        { .count = 80, .gid = scrambled, .adjacent = nothing },
        { .count = 200, .gid = plain, .adjacent = star },
        { .count = 200, .gid = scrambled, .adjacent = star, .load = giant },
        { .count = 100, .gid = plain, .adjacent = grid, .load = zero },
        { .count = 8, .gid = plain, .adjacent = grid },
        { .count = 2, .gid = scrambled, .adjacent = grid },
        { .count = 1, .gid = plain, .adjacent = nothing },
    };
    static const int numbers[] = { 1, 2, 7, 16, 1000 };
    static const char *const specs[] = { "scotch", "scotch:seed=5,strategy=quality", "ptscotch",
                                         "ptscotch:strategy=balance,seed=7" };
    for (int r = 0; r < PEN_COUNT_OF(recipes); r++) {
        pen_graph *graph = build(MPI_COMM_WORLD, &recipes[r]),
                  *alone = my_rank == 0 ? build(MPI_COMM_SELF, &recipes[r]) : NULL;
        for (int s = 0; s < PEN_COUNT_OF(specs); s++) {
            for (int k = 0; k < PEN_COUNT_OF(numbers); k++) {
                if (!usable(graph, specs[s]) || (specs[s][0] == 'p' && graph->directed)) continue;
                partition(graph, specs[s], numbers[k]);
                uint64_t here = fingerprint(graph, part);
                if (specs[s][0] == 'p' || !alone) continue;
                partition(alone, specs[s], numbers[k]);
                CHECK_INT(here, fingerprint(alone, part));
            }
        }
        pen_graph_destroy(&graph);
        pen_graph_destroy(&alone);
    }
}

/* Parts are as equal as was asked for, and neighbours together. */
static void balance(void)
{
    static const char *const specs[] = { "scotch",
                                         "ptscotch",
                                         "scotch:strategy=recursive",
                                         "scotch:strategy=speed",
                                         "ptscotch:strategy=quality",
                                         "ptscotch:strategy=safety" };
    static const int numbers[] = { 2, 3, 8, 16 };
    pen_graph *graph = graph_from("hex:40x30");
    for (int s = 0; s < PEN_COUNT_OF(specs); s++) {
        for (int k = 0; k < PEN_COUNT_OF(numbers); k++) {
            if (!usable(graph, specs[s])) continue;
            partition(graph, specs[s], numbers[k]);
            CHECK(imbalance(graph, numbers[k]) <= 1.07);
            int64_t cut = cost_of(graph, complete);
            partition(graph, "block", numbers[k]);
            CHECK(cut <= cost_of(graph, complete));
        }
    }
    partition(graph, "scotch", 16);
    uint64_t first = fingerprint(graph, part);
    partition(graph, "scotch:seed=2", 16);
    CHECK(fingerprint(graph, part) != first);
    partition(graph, "scotch:seed=1", 16);
    CHECK(fingerprint(graph, part) == first);
    partition(graph, "scotch:imbalance=0.3", 8);
    CHECK(imbalance(graph, 8) <= 1.31);
    pen_graph_destroy(&graph);

    /* Loads of 0 count next to nothing, few or many; and sums up to the largest that there may be. */
    const recipe recipes[] = {
        { .count = 400, .gid = plain, .adjacent = grid, .load = some_zero },
        { .count = 400, .gid = scrambled, .adjacent = grid, .load = rare },
        { .count = 400, .gid = plain, .adjacent = grid, .load = varied },
        { .count = 400, .gid = plain, .adjacent = grid, .load = many },
    };
    for (int r = 0; r < PEN_COUNT_OF(recipes); r++) {
        graph = build(MPI_COMM_WORLD, &recipes[r]);
        for (int s = 0; s < 2; s++) {
            if (!usable(graph, specs[s])) continue;
            partition(graph, specs[s], 4);
            CHECK(imbalance(graph, 4) <= 1.08);
        }
        pen_graph_destroy(&graph);
    }
}

/* ---- Against a direct call --------------------------------------------------------------------- */

/* What Scotch gets are the loads times `scale`, and 1 for 0. */
static void check_direct(const char *spec, const char *text, int seed, SCOTCH_Num flags, double allowed,
                         const recipe *r, int scale)
{
    static SCOTCH_Num rows[MOST + 1], neighbors[8 * MOST], loads[MOST], weights[8 * MOST], direct[MOST];
    pen_graph *graph = build(MPI_COMM_WORLD, r), *alone = build(MPI_COMM_SELF, r);
    SCOTCH_Arch arch;
    SCOTCH_Graph whole, bound;
    SCOTCH_Strat strategy;
    SCOTCH_Context context;
    for (pen_lid i = 0; i <= alone->count; i++) rows[i] = (SCOTCH_Num)alone->rows[i];
    for (int64_t j = 0; j < rows[alone->count]; j++) {
        neighbors[j] = (SCOTCH_Num)alone->neighbors[j];
        weights[j] = alone->edge_weights ? (SCOTCH_Num)alone->edge_weights[j] : 1;
    }
    for (pen_lid i = 0; i < alone->count; i++)
        loads[i] = pen_graph_load(alone, i) > 0 ? (SCOTCH_Num)pen_graph_load(alone, i) * scale : 1;
    FILE *file = tmpfile();
    fputs(text, file);
    rewind(file);
    SCOTCH_archInit(&arch);
    CHECK_INT(SCOTCH_archLoad(&arch, file), 0);
    fclose(file);
    SCOTCH_graphInit(&whole);
    SCOTCH_graphInit(&bound);
    SCOTCH_stratInit(&strategy);
    SCOTCH_contextInit(&context);
    SCOTCH_contextThreadSpawn(&context, 1, NULL);
    SCOTCH_contextRandomClone(&context);
    SCOTCH_contextRandomSeed(&context, seed);
    SCOTCH_contextRandomReset(&context);
    CHECK_INT(SCOTCH_graphBuild(&whole, 0, alone->count, rows, NULL, loads, NULL, rows[alone->count], neighbors,
                                weights),
              0);
    CHECK_INT(SCOTCH_graphCheck(&whole), 0);
    CHECK_INT(SCOTCH_contextBindGraph(&context, &whole, &bound), 0);
    CHECK_INT(SCOTCH_stratGraphMapBuild(&strategy, flags, SCOTCH_archSize(&arch), allowed), 0);
    CHECK_INT(SCOTCH_graphMap(&bound, &arch, &strategy, direct), 0);
    partition(graph, spec, SCOTCH_archSize(&arch));
    for (pen_lid i = 0; i < graph->count; i++) CHECK_INT(part[i], direct[graph->first + i]);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&bound);
    SCOTCH_graphExit(&whole);
    SCOTCH_contextExit(&context);
    SCOTCH_archExit(&arch);
    pen_graph_destroy(&graph);
    pen_graph_destroy(&alone);
}

static int64_t heavy(int i) { return 1 + varied(i); }

static void direct_calls(void)
{
    const recipe unit = { .count = 400, .gid = plain, .adjacent = grid };
    const recipe weighted = { .count = 400, .gid = plain, .adjacent = grid, .load = heavy, .weight = edge };
    const recipe zeros = { .count = 400, .gid = plain, .adjacent = grid, .load = rare };
    check_direct("scotch", "cmplt 4", 1, SCOTCH_STRATDEFAULT, 0.01, &zeros, 100 * 392 / 8);
    check_direct("scotch", "cmplt 8", 1, SCOTCH_STRATDEFAULT, 0.01, &unit, 1);
    check_direct("scotch:seed=77,imbalance=0.2", "cmplt 5", 77, SCOTCH_STRATDEFAULT, 0.2, &weighted, 1);
    check_direct("scotch:arch=hcub 3,strategy=recursive", "hcub 3", 1, SCOTCH_STRATRECURSIVE, 0.01, &weighted, 1);
    check_direct("scotch:arch=cmpltw 4 1 2 3 4", "cmpltw 4 1 2 3 4", 1, SCOTCH_STRATDEFAULT, 0.01, &unit, 1);
    check_direct("scotch:arch=Torus2d  4\t4,strategy=balance", "torus2D 4 4", 1, SCOTCH_STRATBALANCE, 0.01, &weighted,
                 1);
}

/* ---- Networks ---------------------------------------------------------------------------------- */

static int64_t apart(int64_t a, int64_t b) { return a < b ? b - a : a - b; }
static int64_t around(int64_t a, int64_t b, int64_t n)
{
    return apart(a, b) < n - apart(a, b) ? apart(a, b) : n - apart(a, b);
}

static int64_t hcub3(int32_t a, int32_t b)
{
    int64_t d = 0;
    for (int bit = 0; bit < 3; bit++) d += (a >> bit & 1) != (b >> bit & 1);
    return d;
}
static int64_t mesh4x3(int32_t a, int32_t b) { return apart(a % 4, b % 4) + apart(a / 4, b / 4); }
static int64_t mesh2x3x2(int32_t a, int32_t b)
{
    return apart(a % 2, b % 2) + apart(a / 2 % 3, b / 2 % 3) + apart(a / 6, b / 6);
}
static int64_t torus5x3(int32_t a, int32_t b) { return around(a % 5, b % 5, 5) + around(a / 5, b / 5, 3); }
static int64_t torus3x4x2(int32_t a, int32_t b)
{
    return around(a % 3, b % 3, 3) + around(a / 3 % 4, b / 3 % 4, 4) + around(a / 12, b / 12, 2);
}
/* tleaf 3 3 20 2 7 2 2: three groups of two pairs; links are added up from the leaves. */
static int64_t tleaf(int32_t a, int32_t b)
{
    if (a == b) return 0;
    if (a / 2 == b / 2) return 2;
    return a / 4 == b / 4 ? 7 + 2 : 20 + 7 + 2;
}
static int64_t some_of_mesh(int32_t a, int32_t b)
{
    static const int32_t kept[] = { 0, 4, 1, 5, 7 };
    return mesh4x3(kept[a], kept[b]);
}

static const struct {
    const char *text;
    int parts;
    int64_t (*distance)(int32_t a, int32_t b);
} networks[] = {
    { "cmplt 7", 7, complete },
    { "cmpltw 4 1 2 3 4", 4, complete },
    { "hcub 3", 8, hcub3 },
    { "mesh2D 4 3", 12, mesh4x3 },
    { "mesh3D 2 3 2", 12, mesh2x3x2 },
    { "meshXD 3 2 3 2", 12, mesh2x3x2 }, /* or refused: Scotch 7.0.3 takes it for a torus */
    { "torus2D 5 3", 15, torus5x3 },
    { "torus3D 3 4 2", 24, torus3x4x2 },
    { "TorusXD 3 3 4 2", 24, torus3x4x2 },
    { "tleaf 3 3 20 2 7 2 2", 12, tleaf },
    { "sub 5 0 4 1 5 7 mesh2D 4 2", 5, some_of_mesh },
    { "deco 0 2 3 1 1 2 0 1 3 1", 2, complete },
    { "deco 1 2 3 0 2 2 0 1 1 1 1 1 1 1 1", 2, complete },
};

/* The cost of any partition is that of the definition, and scotch makes it small. */
static void costs(void)
{
    const recipe recipes[] = {
        { .count = 400, .gid = plain, .adjacent = grid, .weight = edge },
        { .count = 100, .gid = plain, .adjacent = one_way, .weight = edge, .directed = true },
        { .count = 400, .gid = plain, .adjacent = grid, .all_on_last = true },
    };
    for (int r = 0; r < PEN_COUNT_OF(recipes); r++) {
        pen_graph *graph = build(MPI_COMM_WORLD, &recipes[r]);
        for (int k = 0; k < PEN_COUNT_OF(networks); k++) {
            char spec[100];
            int64_t random = 0, mapped = 0;
            snprintf(spec, sizeof spec, "scotch:arch=%s,seed=3", networks[k].text);
            if (strncmp(networks[k].text, "meshXD", 6) == 0 &&
                pen_partition(graph, spec, NULL, networks[k].parts, part) != PEN_OK) {
                CHECK_CONTAINS(pen_error_message(), "torus");
                continue;
            }
            partition(graph, "random", networks[k].parts);
            CHECK_STATUS(pen_partition_dilation(graph, spec, networks[k].parts, part, &random), PEN_OK);
            CHECK_INT(random, cost_of(graph, networks[k].distance));
            partition(graph, spec, networks[k].parts);
            CHECK_STATUS(pen_partition_dilation(graph, spec, networks[k].parts, part, &mapped), PEN_OK);
            CHECK_INT(mapped, cost_of(graph, networks[k].distance));
            CHECK(mapped < random);
            if (graph->directed || networks[k].distance == complete) continue;
            /* Twice as good as parts numbered at random, on a graph that fits these networks. */
            CHECK(2 * mapped < random);
        }
        pen_graph_destroy(&graph);
    }

    const recipe sparse = { .count = 400, .gid = scrambled, .adjacent = grid };
    pen_graph *graph = build(MPI_COMM_WORLD, &sparse), *alone = build(MPI_COMM_SELF, &sparse);
    int64_t cost = 0, same = 1;
    partition(graph, "random", 12);
    CHECK_STATUS(pen_partition_dilation(graph, "scotch:arch=mesh2D 4 3", 12, part, &cost), PEN_OK);
    partition(alone, "random", 12);
    CHECK_STATUS(pen_partition_dilation(alone, "scotch:arch=mesh2D 4 3", 12, part, &same), PEN_OK);
    CHECK_INT(cost, same);
    static const char *const none[] = { "scotch", "scotch:seed=4", "metis", "block" };
    for (int i = 0; i < PEN_COUNT_OF(none); i++) {
        CHECK_STATUS(pen_partition_dilation(alone, none[i], 12, part, &cost), PEN_OK);
        CHECK_INT(cost, -1);
    }
    pen_graph_destroy(&graph);
    pen_graph_destroy(&alone);

    /* Speeds are respected. */
    graph = graph_from("hex:30x30");
    partition(graph, "scotch:arch=cmpltw 4 1 2 3 4", 4);
    CHECK(imbalance(graph, 4) > 1.5 && imbalance(graph, 4) < 1.65); /* 4 of 10 parts, times 4 */
    pen_graph_destroy(&graph);
}

/* ---- Invalid networks ----------------------------------------------------------------------- */

static char path[64]; /* of a file, equal on all ranks */

static void bad_networks(void)
{
    static const struct {
        const char *text;
        pen_status status;
        const char *message;
    } cases[] = {
        { "hcub 4", PEN_ERR_INPUT, "16 processors, must be as many as parts, 8" },
        { "cmplt 7", PEN_ERR_INPUT, "7 processors" },
        { "tleaf 2 2 5 3 1", PEN_ERR_INPUT, "6 processors" },
        { "hcub", PEN_ERR_INPUT, "the dimension must be 1..30, found \"\"" },
        { "hcub x", PEN_ERR_INPUT, "found \"x\"" },
        { "hcub 3x", PEN_ERR_INPUT, "found \"3x\"" },
        { "hcub 0", PEN_ERR_INPUT, "must be 1..30" },
        { "hcub 4294967299", PEN_ERR_INPUT, "must be 1..30" },
        { "hcub 3 3", PEN_ERR_INPUT, "nothing may follow" },
        { "hcub 3.0", PEN_ERR_INPUT, "3.0" },
        { "mesh2D 8", PEN_ERR_INPUT, "a size" },
        { "mesh2D 8 0", PEN_ERR_INPUT, "a size" },
        { "mesh2D 65536 65536", PEN_ERR_INPUT, "more than 2147483647" },
        { "torus3D -2 -2 2", PEN_ERR_INPUT, "found \"-2\"" },
        { "meshXD 0", PEN_ERR_INPUT, "dimensions" },
        { "meshXD 6 2 2 2 1 1 1", PEN_ERR_INPUT, "dimensions" },
        { "cmpltw 8 1 1 1 1 1 1 1", PEN_ERR_INPUT, "a weight" },
        { "cmpltw 8 1 1 1 1 1 1 1 0", PEN_ERR_INPUT, "a weight" },
        { "cmpltw 8 2147483647 1 1 1 1 1 1 1", PEN_ERR_INPUT, "a weight" },
        { "tleaf 2 8 1 1 1", PEN_ERR_INPUT, "the size of a level" },
        { "tleaf 1 8 0", PEN_ERR_INPUT, "the link cost" },
        { "tleaf 0", PEN_ERR_INPUT, "levels" },
        { "ltleaf 2 2 9 4 1 3 0 1 2", PEN_ERR_INPUT, "must be a product" },
        { "ltleaf 2 2 9 4 1 4 0 1 2 2", PEN_ERR_INPUT, "twice" },
        { "ltleaf 2 2 9 4 1 4 0 1 2 4", PEN_ERR_INPUT, "leaf" },
        { "sub 8 0 1 2 3 4 5 6 6 hcub 4", PEN_ERR_INPUT, "twice" },
        { "sub 8 0 1 2 3 4 5 6 16 hcub 4", PEN_ERR_INPUT, "must be 0..15" },
        { "sub 8 0 1 2 3 4 5 6 7", PEN_ERR_INPUT, "sub needs" },
        { "sub 1 3 hcub 3", PEN_ERR_INPUT, "must be 2.." },
        { "sub 2 0 1 sub 2 0 1 hcub 3", PEN_ERR_INPUT, "sub needs" },
        { "sub 2 0 1 deco 0 3 5 0 1 2 1 1 4 2 3 5 1 2 3", PEN_ERR_INPUT, "sub needs" },
        { "sub 8 0 1 2 3 4 5 6 7 varcmplt", PEN_ERR_UNSUPPORTED, "no fixed number of processors" },
        { "sub 8 0 1 2 3 4 5 6 7 cmplt 2000000000", PEN_ERR_UNSUPPORTED, "at most" },
        { "varhcub", PEN_ERR_UNSUPPORTED, "no fixed number of processors" },
        { "deco 2 16 5 31", PEN_ERR_UNSUPPORTED, "deco 2" },
        { "deco 3 1 1", PEN_ERR_INPUT, "kind" },
        { "deco 0 2 3 1 1 2 0 1 3", PEN_ERR_INPUT, "a distance" },
        { "deco 0 2 3 1 1 2 0 1 3 0", PEN_ERR_INPUT, "a distance" },
        { "deco 0 2 3 1 1 2 0 1 2 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 0 2 3 1 1 2 1 1 3 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 0 2 3 1 1 1 0 1 3 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 0 2 4 1 1 2 0 1 4 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 0 2 5 0 1 4 1 1 5 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 0 2 100000 1 1 2 0 1 3 1", PEN_ERR_INPUT, "domains" },
        { "deco 1 2 3 0 2 2 0 2 1 1 1 1 1 1 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 1 3 3 0 3 2 0 1 1 1 1 1 1 1 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 1 2 3 0 2 5 0 1 1 1 1 1 1 1 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 1 2 5 0 2 2 0 1 1 1 1 1 0 1 1 -1 0 0 1 1 1 1 1 1 1 1 1 1", PEN_ERR_INPUT, "must form a tree" },
        { "deco 1 2 2 0 2 2 0 1 1 1", PEN_ERR_INPUT, "must form a tree" },
        { "", PEN_ERR_INPUT, "unknown architecture" },
        { "hqub 3", PEN_ERR_INPUT, "hcub" },
        { "leaf 4", PEN_ERR_INPUT, "unknown architecture leaf" },
        { "/nowhere/h3.tgt", PEN_ERR_IO, "/nowhere/h3.tgt" },
        { "/tmp", PEN_ERR_IO, "/tmp" },
    };
    char spec[300];
    pen_graph *graph = graph_from("hex:10x10");
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        snprintf(spec, sizeof spec, "scotch:arch=%s", cases[i].text);
        CHECK_STATUS(pen_partition(graph, spec, NULL, 8, part), cases[i].status);
        CHECK_CONTAINS(pen_error_message(), cases[i].message);
    }
    static const struct {
        const char *spec, *message;
    } words[] = {
        { "scotch:strategy=fast", "quality" },
        { "scotch:imbalance=-0.1", "from 0 to 1" },
        { "scotch:imbalance=2", "from 0 to 1" },
        { "scotch:seed=-1", "seed" },
        { "scotch:arch", "arch" },
        { "ptscotch:arch=hcub 3", "arch" },
    };
    for (int i = 0; i < PEN_COUNT_OF(words); i++) {
        CHECK_STATUS(pen_partition(graph, words[i].spec, NULL, 8, part), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), words[i].message);
    }

    /* Files: the same text, blanks and line ends alike; a message names the file. */
    snprintf(spec, sizeof spec, "scotch:seed=2,arch=%s", path);
    static const char *const good[] = { "hcub 3\n", "HCUB\r\n\t3", "\n mesh2D\n4\n2\n" };
    for (int i = 0; i < PEN_COUNT_OF(good); i++) {
        write_text(path, good[i]);
        CHECK_STATUS(pen_partition(graph, spec, NULL, 8, part), PEN_OK);
    }
    int64_t cost = 0;
    CHECK_STATUS(pen_partition_dilation(graph, spec, 8, part, &cost), PEN_OK);
    CHECK(cost > 0);
    static const char *const wrong[] = { "hcub 4\n", "leaf 4\n", "", "3\n", "hcub 3\n# three\n" };
    for (int i = 0; i < PEN_COUNT_OF(wrong); i++) {
        write_text(path, wrong[i]);
        CHECK_STATUS(pen_partition(graph, spec, NULL, 8, part), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), path);
    }
    pen_graph_destroy(&graph);
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0) unlink(path);
}

/* What does not fit 32 bits is refused. */
static void overflow(void)
{
    const recipe large = { .count = 400, .gid = plain, .adjacent = grid, .load = enormous };
    const recipe wide = {
        .count = 400, .gid = plain, .adjacent = grid, .weight = heavy_edge
    }; /* 1520 arcs: below 2^31 */
    pen_graph *graph = build(MPI_COMM_WORLD, &large);
    CHECK_STATUS(pen_partition(graph, "scotch", NULL, 4, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "scotch counts in 32 bits: the sum of loads");
    if (usable(graph, "ptscotch")) {
        CHECK_STATUS(pen_partition(graph, "ptscotch", NULL, 4, part), PEN_ERR_UNSUPPORTED);
        CHECK_CONTAINS(pen_error_message(), "ptscotch counts in 32 bits: the sum of loads");
    }
    pen_graph_destroy(&graph);
    graph = build(MPI_COMM_WORLD, &wide);
    partition(graph, "scotch", 8);
    CHECK(imbalance(graph, 8) <= 1.07);
    if (usable(graph, "ptscotch")) {
        partition(graph, "ptscotch", 8);
        CHECK(imbalance(graph, 8) <= 1.07);
    }
    CHECK_STATUS(pen_partition(graph, "scotch:arch=hcub 3", NULL, 8, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "largest distance 3");
    CHECK_STATUS(pen_partition(graph, "scotch:arch=tleaf 2 4 1 2 1", NULL, 8, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "largest distance 2");
    CHECK_STATUS(pen_partition(graph, "scotch:arch=deco 0 2 3 0 1 2 1 1 3 2", NULL, 2, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "largest distance 2");
    pen_graph_destroy(&graph);
    const recipe one = { .count = 100, .gid = plain, .adjacent = one_way, .directed = true };
    graph = build(MPI_COMM_WORLD, &one);
    CHECK_STATUS(pen_partition(graph, "ptscotch", NULL, 4, part), PEN_ERR_UNSUPPORTED);
    if (PEN_PTSCOTCH) CHECK_CONTAINS(pen_error_message(), "directed");
    pen_graph_destroy(&graph);
}

/* Choose, with what is printed. */
static const char *choose(const pen_graph *graph, int parts, char *line, size_t size)
{
    const char *name = NULL;
    FILE *printed = tmpfile();
    const int kept = dup(STDERR_FILENO);
    dup2(fileno(printed), STDERR_FILENO);
    pen_status status = pen_partition_choose(graph, parts, &name);
    dup2(kept, STDERR_FILENO);
    close(kept);
    CHECK_STATUS(status, PEN_OK);
    rewind(printed);
    line[fread(line, 1, size - 1, printed)] = '\0';
    fclose(printed);
    return name;
}

/* Where none is named, and rank 0 has no time or memory: by places, or else by messages. One line tells. */
static void chosen(void)
{
    const recipe directed = { .count = 100, .gid = plain, .adjacent = one_way, .directed = true };
    const double seconds = 4.3e-9; /* for a node or an arc, and the root of the number of parts */
    const double bytes = 24.0, memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const char *const specs[] = { "hex:8x8", "random:nodes=64,degree=4,seed=1" };
    const char *name = NULL;
    char line[300];
    for (int patient = 0; patient < 2; patient++) {
        pen_partition_patience = patient ? 10 : 0;
        for (int k = 0; k < 3; k++) {
            pen_graph *graph = NULL;
            if (k == 2) graph = build(MPI_COMM_WORLD, &directed);
            else CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, specs[k], &graph), PEN_OK);
            name = choose(graph, my_size, line, sizeof line);
            const bool metis = patient || my_size == 1 || k == 2 || (k == 1 && !PEN_PTSCOTCH);
            CHECK(strcmp(name, metis ? "metis" : k == 0 ? "sfc" : "ptscotch") == 0);
            CHECK((*line != 0) == (!patient && my_size > 1 && my_rank == 0));
            if (*line) CHECK_CONTAINS(line, metis ? "partitioner=block takes neither" : "since metis would take about");
            pen_graph_destroy(&graph);
        }
    }
    pen_graph *graph = graph_from("hex:8x8");
    const double items = 64 + 2 * (double)pen_graph_edges(graph);
    for (int k = 0; k < 4; k++) { /* a little less than is needed, or more: of time, and of memory */
        const double fraction = k % 2 ? 1.01 : 0.99;
        pen_partition_patience = k < 2 ? fraction * items * seconds * sqrt(16) : 10.0;
        pen_partition_share = k < 2 ? 0.5 : fraction * items * bytes / memory;
        name = choose(graph, 16, line, sizeof line);
        CHECK(strcmp(name, k % 2 || my_size == 1 ? "metis" : "sfc") == 0);
    }
    pen_partition_share = 0.5;
    pen_graph_destroy(&graph);
}

CHECKS()
{
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &my_size);
    snprintf(path, sizeof path, "/tmp/penumbra-arch-%d.tgt", (int)getpid());
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    /* Nothing but failing checks may be printed: Scotch would, in some of the cases. */
    FILE *printed = tmpfile();
    int kept = dup(STDERR_FILENO);
    dup2(fileno(printed), STDERR_FILENO);
    RUN(shapes());
    RUN(balance());
    RUN(direct_calls());
    RUN(costs());
    RUN(bad_networks());
    RUN(overflow());
    dup2(kept, STDERR_FILENO);
    rewind(printed);
    bool silent = true;
    for (int c; (c = getc(printed)) != EOF; silent = false) putc(c, stderr);
    CHECK(silent);
    RUN(chosen());
}
