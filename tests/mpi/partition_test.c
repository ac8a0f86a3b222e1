/* Every partitioner on ordinary and degenerate graphs, against one rank, a direct call of METIS, and bounds; files of
 * parts and their faults.
 * pen_mpi_test() */
#include "balance/partitioners.h"
#include "base/memory.h"
#include "tests/support/recipe.h"
#include "tests/support/world.h"

#include <metis.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 6000 }; /* nodes of any graph here */

static int my_rank;

/* ---- Graphs ----------------------------------------------------------------------------------- */

static bool ring(int i, int j) { return j == i + 1 || i == j + 1 || (i == 0 && j == 99) || (i == 99 && j == 0); }
static bool two_rings(int i, int j) { return i / 50 == j / 50 && (abs(i - j) == 1 || abs(i - j) == 49); }
static int64_t some_zero(int i) { return i % 7 == 0; }
static int64_t giant(int i) { return i == 0 ? 1000000 : 1; }
static int64_t giant_last(int i) { return i == 49 ? 1000000 : 1; }
static int64_t enormous(int i) { return INT64_C(1) << 28 << (i % 2); }
static int64_t heavy_edge(int i, int j) { return (INT64_C(1) << 23) + (i + j) % 5; }

/* ---- Properties of every partition ---------------------------------------------------------- */

static uint64_t partition(const pen_graph *graph, const char *spec, int parts)
{
    static int32_t part[MOST];
    for (pen_lid i = 0; i < graph->count; i++) part[i] = -7;
    CHECK_STATUS(pen_partition(graph, spec, NULL, parts, part), PEN_OK);
    for (pen_lid i = 0; i < graph->count; i++) {
        CHECK(part[i] >= 0);
        CHECK(part[i] < parts);
    }
    if (strcmp(spec, "one") == 0)
        for (pen_lid i = 0; i < graph->count; i++) CHECK_INT(part[i], 0);
    return fingerprint(graph, part);
}

static const char *const specs[] = {
    "block", "random:seed=9", "metis:method=kway", "metis:method=recursive", "metis:objective=volume,seed=3", "one"
};

/* In range, and the same on one rank, wherever the nodes live. Blocks, and nodes that METIS does not place, follow rank
 * order, which is gid order only if gids are dense. */
static void check_all(const recipe *r)
{
    static const int numbers[] = { 1, 2, 7, 60, 1000 };
    pen_graph *graph = build(MPI_COMM_WORLD, r), *alone = my_rank == 0 ? build(MPI_COMM_SELF, r) : NULL;
    for (int s = 0; s < PEN_COUNT_OF(specs); s++) {
        for (int k = 0; k < PEN_COUNT_OF(numbers); k++) {
            int parts = numbers[k];
            uint64_t fingerprints[2] = { partition(graph, specs[s], parts), 0 };
            bool asked = strncmp(specs[s], "metis", 5) == 0 && parts > 1 && parts < r->count && graph->edges > 0;
            bool by_gid = graph->dense || asked || strncmp(specs[s], "random", 6) == 0 || strcmp(specs[s], "one") == 0;
            if (!by_gid) fingerprints[1] = partition(graph, specs[s], parts);
            else if (alone) fingerprints[1] = partition(alone, specs[s], parts);
            else continue;
            char texts[2][100];
            for (int i = 0; i < 2; i++)
                snprintf(texts[i], sizeof texts[i], "%s, %d parts, %d nodes: %" PRIx64, specs[s], parts, r->count,
                         fingerprints[i]);
            CHECK_CONTAINS(texts[0], texts[1]);
        }
    }
    pen_graph_destroy(&graph);
    pen_graph_destroy(&alone);
}

static void shapes(void)
{
    const recipe recipes[] = {
        { .count = 100, .gid = plain, .adjacent = ring },
        { .count = 100, .gid = scrambled, .adjacent = ring, .load = varied, .weight = edge },
        { .count = 100, .gid = plain, .adjacent = one_way, .directed = true },
        { .count = 100, .gid = scrambled, .adjacent = one_way, .directed = true, .weight = edge },
        { .count = 100, .gid = plain, .adjacent = two_rings, .all_on_last = true },
        { .count = 80, .gid = plain, .adjacent = nothing, .load = varied },
        { .count = 80, .gid = scrambled, .adjacent = nothing },
        { .count = 200, .gid = plain, .adjacent = star },
        { .count = 200, .gid = scrambled, .adjacent = star, .load = giant },
        { .count = 100, .gid = plain, .adjacent = ring, .load = zero },
        { .count = 100, .gid = plain, .adjacent = ring, .load = some_zero },
        { .count = 100, .gid = plain, .adjacent = grid, .load = giant },
        { .count = 8, .gid = plain, .adjacent = grid },
        { .count = 2, .gid = scrambled, .adjacent = grid },
        { .count = 1, .gid = plain, .adjacent = nothing },
    };
    for (int i = 0; i < PEN_COUNT_OF(recipes); i++) check_all(&recipes[i]);
}

/* ---- Loads ------------------------------------------------------------------------------------- */

/* Both directions count, so twice the cut of an undirected graph; needs the whole partition. */
static int64_t cut_of(const pen_graph *graph, const int32_t *part)
{
    static int32_t whole[MOST], mine[MOST];
    memset(mine, 0, sizeof mine);
    for (pen_lid i = 0; i < graph->count; i++) mine[graph->first + i] = part[i];
    MPI_Allreduce(mine, whole, MOST, MPI_INT32_T, MPI_SUM, graph->comm->mpi);
    int64_t cut = 0, all = 0;
    for (pen_lid i = 0; i < graph->count; i++)
        for (int64_t j = graph->rows[i]; j < graph->rows[i + 1]; j++)
            if (whole[graph->neighbors[j]] != part[i]) cut += graph->edge_weights ? graph->edge_weights[j] : 1;
    MPI_Allreduce(&cut, &all, 1, MPI_INT64_T, MPI_SUM, graph->comm->mpi);
    return all;
}

static void block_loads(void)
{
    static int32_t part[MOST];
    const recipe uneven = { .count = 500, .gid = plain, .adjacent = nothing, .load = varied };
    const recipe sparse = { .count = 500, .gid = scrambled, .adjacent = nothing, .load = varied };
    const recipe unit = { .count = 500, .gid = plain, .adjacent = nothing };
    const recipe zeros = { .count = 500, .gid = plain, .adjacent = nothing, .load = zero };
    const recipe *const recipes[] = { &uneven, &sparse, &unit, &zeros };
    for (int r = 0; r < 4; r++) {
        pen_graph *graph = build(MPI_COMM_WORLD, recipes[r]);
        for (int parts = 1; parts < 40; parts++) {
            CHECK_STATUS(pen_partition(graph, "block", NULL, parts, part), PEN_OK);
            for (pen_lid i = 1; i < graph->count; i++) CHECK(part[i] >= part[i - 1]);
            part_loads l = measure(graph, part, parts);
            CHECK(parts * l.most < l.total + parts * l.heaviest || l.total == 0);
            CHECK(parts * l.least > l.total - parts * l.heaviest || l.total == 0);
            if (r >= 2) {
                int64_t sizes[40] = { 0 }, all[40];
                for (pen_lid i = 0; i < graph->count; i++) sizes[part[i]]++;
                MPI_Allreduce(sizes, all, 40, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
                for (int k = 0; k < parts; k++) CHECK(all[k] == 500 / parts || all[k] == (500 + parts - 1) / parts);
            }
        }
        pen_graph_destroy(&graph);
    }
    /* A node belongs to the part of its middle: one that outweighs the others is alone, first or last. */
    const recipe first = { .count = 50, .gid = plain, .adjacent = nothing, .load = giant };
    const recipe last = { .count = 50, .gid = plain, .adjacent = nothing, .load = giant_last };
    for (int r = 0; r < 2; r++) {
        pen_graph *graph = build(MPI_COMM_WORLD, r ? &last : &first);
        CHECK_STATUS(pen_partition(graph, "block", NULL, 2, part), PEN_OK);
        CHECK_INT(measure(graph, part, 2).least, 49);
        pen_graph_destroy(&graph);
    }
}

static void random_loads(void)
{
    static int32_t part[MOST], other[MOST];
    pen_graph *graph = graph_from("hex:75x80");
    CHECK_STATUS(pen_partition(graph, "random", NULL, 6, part), PEN_OK);
    part_loads l = measure(graph, part, 6);
    CHECK(l.least > 880); /* of 1000: four standard deviations */
    CHECK(l.most < 1120);
    CHECK_STATUS(pen_partition(graph, "random:seed=2", NULL, 6, other), PEN_OK);
    int64_t same = 0, all;
    for (pen_lid i = 0; i < graph->count; i++) same += part[i] == other[i];
    MPI_Allreduce(&same, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all > 850);
    CHECK(all < 1150);
    pen_graph_destroy(&graph);
}

/* ---- METIS ------------------------------------------------------------------------------------- */

/* The same part for every node as a direct call with gpmetis's options. */
static void check_against_metis(const char *spec, bool recursive, bool volume, int seed, int ufactor, int parts,
                                const recipe *weighted)
{
    static int32_t part[MOST], direct[MOST];
    static idx_t rows[MOST + 1], neighbors[6 * MOST], vertex[MOST], sizes[MOST], edges[6 * MOST];
    pen_graph *graph = NULL, *alone = NULL;
    if (weighted) {
        graph = build(MPI_COMM_WORLD, weighted);
        alone = build(MPI_COMM_SELF, weighted);
    } else {
        graph = graph_from("hex:60x50");
        CHECK_STATUS(pen_graph_generate(MPI_COMM_SELF, "hex:60x50", &alone), PEN_OK);
    }
    if (volume) CHECK_STATUS(PEN_ALLOC(&graph->node_sizes, graph->count), PEN_OK);
    for (pen_lid i = 0; i < alone->count; i++) sizes[i] = i % 7 * (i % 3);
    for (pen_lid i = 0; volume && i < graph->count; i++) graph->node_sizes[i] = sizes[graph->first + i];
    CHECK_STATUS(pen_partition(graph, spec, NULL, parts, part), PEN_OK);
    idx_t n = alone->count, one = 1, k = parts, objective, options[METIS_NOPTIONS];
    for (idx_t i = 0; i <= n; i++) rows[i] = (idx_t)alone->rows[i];
    for (idx_t j = 0; j < rows[n]; j++) neighbors[j] = (idx_t)alone->neighbors[j];
    for (idx_t i = 0; i < n; i++) vertex[i] = (idx_t)pen_graph_load(alone, i);
    for (idx_t j = 0; j < rows[n]; j++) edges[j] = alone->edge_weights ? (idx_t)alone->edge_weights[j] : 1;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_UFACTOR] = ufactor;
    if (volume) options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;
    int code = (recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(&n, &one, rows, neighbors, vertex,
                                                                            volume ? sizes : NULL, edges, &k, NULL,
                                                                            NULL, options, &objective, direct);
    CHECK_INT(code, METIS_OK);
    for (pen_lid i = 0; i < graph->count; i++) CHECK_INT(part[i], direct[graph->first + i]);
    if (!volume) CHECK_INT(cut_of(graph, part), 2 * (int64_t)objective);
    pen_graph_destroy(&graph);
    pen_graph_destroy(&alone);
}

static void metis(void)
{
    static int32_t part[MOST];
    check_against_metis("metis", false, false, -1, -1, 8, NULL);
    check_against_metis("metis:seed=5", false, false, 5, -1, 8, NULL);
    check_against_metis("metis:method=recursive,seed=1", true, false, 1, -1, 5, NULL);
    check_against_metis("metis:objective=volume,seed=1", false, true, 1, -1, 4, NULL);
    check_against_metis("metis", true, false, -1, -1, 120, NULL); /* few nodes per part */
    check_against_metis("metis:ufactor=300,seed=2", false, false, 2, 300, 7, NULL);
    const recipe weighted = { .count = 400, .gid = plain, .adjacent = grid, .load = varied, .weight = edge };
    check_against_metis("metis:seed=1", false, false, 1, -1, 6, &weighted);

    /* Loads that are all 0 are as good as none. */
    const recipe idle = { .count = 100, .gid = plain, .adjacent = ring, .load = zero };
    pen_graph *graph = build(MPI_COMM_WORLD, &idle);
    CHECK_STATUS(pen_partition(graph, "metis:method=kway", NULL, 2, part), PEN_OK);
    int64_t ones = 0, all = 0;
    for (pen_lid i = 0; i < graph->count; i++) ones += part[i];
    MPI_Allreduce(&ones, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all >= 45);
    CHECK(all <= 55);
    pen_graph_destroy(&graph);

    graph = graph_from("hex:60x50");
    CHECK_STATUS(pen_partition(graph, "metis", NULL, 8, part), PEN_OK);
    CHECK(measure(graph, part, 8).most <= 3000 * 103 / 100 / 8 + 1);
    CHECK_STATUS(pen_partition(graph, "metis:contiguous=yes", NULL, 8, part), PEN_OK);
    pen_graph_destroy(&graph);
    const recipe apart = { .count = 100, .gid = plain, .adjacent = two_rings };
    graph = build(MPI_COMM_WORLD, &apart);
    CHECK_STATUS(pen_partition(graph, "metis:contiguous=yes", NULL, 3, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "connected");
    pen_graph_destroy(&graph);
}

/* Numbers beyond 32 bits are refused by partitioners with 32 bits, and only by these. */
static void overflow(void)
{
    static int32_t part[MOST];
    const recipe large = { .count = 100, .gid = plain, .adjacent = ring, .load = enormous };
    recipe wide = { .count = 100, .gid = plain, .adjacent = ring, .weight = heavy_edge };
    pen_graph *graph = build(MPI_COMM_WORLD, &large);
    CHECK_STATUS(pen_partition(graph, "metis", NULL, 4, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "sum of loads");
    CHECK_STATUS(pen_partition(graph, "block", NULL, 4, part), PEN_OK);
    part_loads l = measure(graph, part, 4);
    CHECK(4 * l.most < l.total + 4 * l.heaviest);
    pen_graph_destroy(&graph);
    graph = build(MPI_COMM_WORLD, &wide); /* 200 arcs: below 2^31 */
    CHECK_STATUS(pen_partition(graph, "metis", NULL, 4, part), PEN_OK);
    pen_graph_destroy(&graph);
    wide.directed = true; /* each arc and its reverse: above */
    graph = build(MPI_COMM_WORLD, &wide);
    CHECK_STATUS(pen_partition(graph, "metis", NULL, 4, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "sum of edge weights");
    pen_graph_destroy(&graph);
    for (int directed = 0; directed < 2; directed++) {
        const recipe sized = { .count = 100, .gid = plain, .adjacent = ring, .directed = directed };
        graph = build(MPI_COMM_WORLD, &sized);
        CHECK_STATUS(PEN_ALLOC_ZERO(&graph->node_sizes, graph->count), PEN_OK);
        if (graph->count > 0 && graph->first == 0) graph->node_sizes[0] = INT64_C(3000000000);
        CHECK_STATUS(pen_partition(graph, "metis:objective=volume", NULL, 4, part), PEN_ERR_UNSUPPORTED);
        CHECK_CONTAINS(pen_error_message(), "the sum of node sizes is 3e+09");
        for (pen_lid i = 0; i < graph->count; i++) graph->node_sizes[i] = 6000000;
        CHECK_STATUS(pen_partition(graph, "metis:objective=volume", NULL, 4, part), PEN_ERR_UNSUPPORTED);
        CHECK_CONTAINS(pen_error_message(), "sum of node sizes over all arcs");
        for (pen_lid i = 0; i < graph->count; i++) graph->node_sizes[i] = 5000000;
        CHECK_STATUS(pen_partition(graph, "metis:objective=volume", NULL, 4, part), PEN_OK);
        pen_graph_destroy(&graph);
    }
}

/* ---- Words ------------------------------------------------------------------------------------- */

static void words(void)
{
    static int32_t part[MOST];
    static const struct {
        const char *spec, *message;
    } bad[] = {
        { "mets", "metis" },
        { "", "block" },
        { "block:seed=1", "block" },
        { "random:sed=1", "seed" },
        { "random:seed=x", "seed=x" },
        { "metis:method=kwai", "kway" },
        { "metis:objective=cuts", "cut" },
        { "metis:contiguous=maybe", "yes" },
        { "metis:ufactor=0", "ufactor=0" },
        { "metis:method=recursive,objective=volume", "method=kway" },
        { "metis:method=recursive,contiguous=yes", "method=kway" },
        { "file", "file:PATH" },
    };
    pen_graph *graph = graph_from("hex:10x10");
    for (int i = 0; i < PEN_COUNT_OF(bad); i++) {
        CHECK_STATUS(pen_partition(graph, bad[i].spec, NULL, 3, part), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), bad[i].message);
    }
    CHECK_STATUS(pen_partition(graph, "block", NULL, 0, part), PEN_ERR_ARGUMENT);
    pen_graph_destroy(&graph);
    char list[8000];
    FILE *out = fmemopen(list, sizeof list, "w");
    pen_partition_list(out);
    fclose(out);
    CHECK_CONTAINS(list, "\nblock ");
    CHECK_CONTAINS(list, "\n           contiguous=no|yes (no)\n");
    CHECK_CONTAINS(list, "\n           coarsest=N (64): minimum number of clusters per rank");
}

/* ---- Files ------------------------------------------------------------------------------------- */

static void files(void)
{
    static int32_t part[MOST];
    char path[64], spec[80], expected[96];
    snprintf(path, sizeof path, "/tmp/penumbra-parts-%d", (int)getpid());
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(spec, sizeof spec, "file:%s", path);
    static const struct {
        const char *text, *message; /* NULL: good */
    } cases[] = {
        { "0\n1\n2\n3\n2\n1\n", NULL },
        { "0\r\n1 \n 2\n3\t\n2\n1", NULL },
        { "0\n1\n2\n3\n2\n1\n\n \n", NULL },
        { "0\n1\n2\n3\n2\n", ":6: the file ends" },
        { "", ":1: the file ends" },
        { "0\n1\n2\n3\n2\n1\n0\n", ":7: a line too many" },
        { "0\n1\n4\n3\n2\n1\n", ":3: part 4, must be 0..3" },
        { "0\n-1\n", ":2: part -1" },
        { "0\n1\n2\n\n2\n1\n", ":4: \"\", must be" },
        { "0\n1\n2\n3\n2\none\n", ":6: \"one\"" },
        { "0\n1\n2x\n3\n2\n1\n", ":3: \"2x\"" },
        { "0\n1 1\n2\n3\n2\n1\n", ":2: more than one word" },
        { "99999999999999999999999999999999999999999999\n", ":1: \"99999" },
        { "0000000000000000000000000000000000\n", ":1: \"00000" },
        { "0\n1.0\n", ":2: \"1.0\"" },
        { "+1\n", ":1: \"+1\"" },
    };
    pen_graph *graph = graph_from("hex:3x2");
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        write_text(path, cases[i].text);
        CHECK_STATUS(pen_partition(graph, spec, NULL, 4, part), cases[i].message ? PEN_ERR_INPUT : PEN_OK);
        if (cases[i].message) {
            snprintf(expected, sizeof expected, "%s%s", path, cases[i].message);
            CHECK_CONTAINS(pen_error_message(), expected);
        } else {
            static const int32_t good[] = { 0, 1, 2, 3, 2, 1 };
            for (pen_lid k = 0; k < graph->count; k++) CHECK_INT(part[k], good[graph->first + k]);
        }
    }
    pen_graph_destroy(&graph);
    const recipe sparse = { .count = 6, .gid = scrambled, .adjacent = nothing };
    graph = build(MPI_COMM_WORLD, &sparse);
    CHECK_STATUS(pen_partition(graph, spec, NULL, 4, part), PEN_ERR_UNSUPPORTED);
    pen_graph_destroy(&graph);

    /* Several messages per rank; and an error in the last and in the first of them. */
    int64_t large = 300000;
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, large, 1, &graph), PEN_OK);
    int32_t *parts = malloc(((size_t)graph->count + 1) * sizeof *parts);
    for (int k = 0; k < 3; k++) {
        bool good = k == 0;
        const int64_t lengths[] = { large, large - 1, 10 }, lines = lengths[k];
        if (my_rank == 0) {
            FILE *file = fopen(path, "w");
            for (int64_t i = 0; i < lines; i++) fprintf(file, "%" PRId64 "\n", i * i % 5);
            fclose(file);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_STATUS(pen_partition(graph, spec, NULL, 5, parts), good ? PEN_OK : PEN_ERR_INPUT);
        for (pen_lid i = 0; good && i < graph->count; i++)
            CHECK_INT(parts[i], (graph->first + i) * (graph->first + i) % 5);
    }
    /* The same for METIS: several messages of everything. */
    CHECK_STATUS(pen_partition(graph, "metis", NULL, 4, parts), PEN_OK);
    free(parts);
    pen_graph_destroy(&graph);
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0) unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
    graph = graph_from("hex:3x2");
    CHECK_STATUS(pen_partition(graph, spec, NULL, 4, part), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), path);
    pen_graph_destroy(&graph);
}

CHECKS()
{
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    /* Nothing may be printed: METIS would, in some of the cases. */
    FILE *printed = tmpfile();
    fflush(stdout);
    dup2(fileno(printed), STDOUT_FILENO);
    RUN(shapes());
    RUN(block_loads());
    RUN(random_loads());
    RUN(metis());
    RUN(overflow());
    RUN(words());
    RUN(files());
    fflush(stdout);
    struct stat state;
    fstat(STDOUT_FILENO, &state);
    CHECK_INT(state.st_size, 0);
}
