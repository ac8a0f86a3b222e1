/* Partitioners of grids, by their definition, over all nodes of grids of many shapes: row, column, rect and gray;
 * shapes from the generator and from settings; refusals. */
#include "balance/partitioners.h"
#include "tests/support/check.h"

enum { MOST = 2000 }; /* nodes of any grid, and parts */

static const int shapes[][2] = { { 1, 1 },  { 1, 9 },  { 9, 1 },   { 2, 30 },  { 30, 2 },  { 3, 3 }, { 5, 7 },
                                 { 4, 50 }, { 50, 4 }, { 17, 23 }, { 32, 32 }, { 97, 13 }, { 2, 2 }, { 64, 20 } };
static const int numbers[] = { 1, 2, 3, 4, 7, 8, 16, 24, 32, 64, 256, 1024 };

static int my_rank, my_size;
static int32_t whole[MOST]; /* by gid, on every rank */

static void partition(const pen_graph *graph, const char *spec, int parts)
{
    static int32_t part[MOST], mine[MOST];
    memset(mine, 0, sizeof mine);
    CHECK_STATUS(pen_partition(graph, spec, NULL, parts, part), PEN_OK);
    for (pen_lid i = 0; i < graph->count; i++) mine[pen_graph_gid(graph, i)] = part[i];
    MPI_Allreduce(mine, whole, (int)graph->nodes, MPI_INT32_T, MPI_SUM, graph->comm->mpi);
}

/* ---- Bands and rectangles ---------------------------------------------------------------------- */

/* Row and column bands are ascending, blocks are numbered row by row, sizes of bands differ by at most 1. */
static void check_blocks(int width, int height, int rows, int columns)
{
    static int row_band[MOST], column_band[MOST], in_row[MOST], in_column[MOST];
    memset(in_row, 0, sizeof in_row);
    memset(in_column, 0, sizeof in_column);
    for (int r = 0; r < height; r++) in_row[row_band[r] = whole[r * width] / columns]++;
    for (int c = 0; c < width; c++) in_column[column_band[c] = whole[c] % columns]++;
    for (int r = 1; r < height; r++) CHECK(row_band[r] >= row_band[r - 1]);
    for (int c = 1; c < width; c++) CHECK(column_band[c] >= column_band[c - 1]);
    for (int b = 0; b < rows; b++) CHECK(in_row[b] == height / rows || in_row[b] == (height + rows - 1) / rows);
    for (int b = 0; b < columns; b++)
        CHECK(in_column[b] == width / columns || in_column[b] == (width + columns - 1) / columns);
    for (int i = 0; i < width * height; i++)
        CHECK_INT(whole[i], row_band[i / width] * columns + column_band[i % width]);
}

static void bands(const pen_graph *graph, int width, int height, int parts)
{
    partition(graph, "row", parts);
    check_blocks(width, height, parts, 1);
    partition(graph, "column", parts);
    check_blocks(width, height, 1, parts);
}

static void rectangles(const pen_graph *graph, int width, int height, int parts)
{
    char spec[64];
    for (int rows = 1; rows <= parts && parts <= 24; rows++) {
        if (parts % rows != 0) continue;
        snprintf(spec, sizeof spec, "rect:rows=%d,columns=%d", rows, parts / rows);
        partition(graph, spec, parts);
        check_blocks(width, height, rows, parts / rows);
    }
}

/* The default factors of the number of parts, rows times columns. */
static void squares(void)
{
    static const struct {
        int width, height, parts, rows;
        const char *spec;
    } cases[] = {
        { 32, 32, 16, 4, "rect" },
        { 32, 32, 8, 2, "rect" },
        { 32, 32, 2, 1, "rect" },
        { 32, 32, 7, 1, "rect" },
        { 40, 3, 6, 1, "rect" },
        { 3, 40, 6, 6, "rect" },
        { 20, 80, 16, 8, "rect" },
        { 1, 9, 4, 4, "rect" },
        { 60, 20, 12, 2, "rect" },
        { 32, 32, 12, 4, "rect:rows=4" },
        { 32, 32, 12, 6, "rect:columns=2" },
    };
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        pen_graph *graph;
        CHECK_STATUS(generate_hex(MPI_COMM_WORLD, cases[i].width, cases[i].height, &graph), PEN_OK);
        partition(graph, cases[i].spec, cases[i].parts);
        check_blocks(cases[i].width, cases[i].height, cases[i].rows, cases[i].parts / cases[i].rows);
        pen_graph_destroy(&graph);
    }
}

/* ---- Gray -------------------------------------------------------------------------------------- */

static int bits(int32_t x) { return x == 0 ? 0 : (x & 1) + bits(x >> 1); }
static int blocks(int n, int size) { return (n + size - 1) / size; }
static int needed(int n) { return n < 3 ? n : 4; }

/* The seven of every hexagon, as the generator has them, are on different ranks. */
static void check_seven(const pen_graph *graph)
{
    for (pen_lid i = 0; i < graph->count; i++) {
        pen_gid seven[7] = { graph->first + i };
        int n = 1;
        for (int64_t j = graph->rows[i]; j < graph->rows[i + 1]; j++) seven[n++] = graph->neighbors[j];
        for (int a = 0; a < n; a++)
            for (int b = 0; b < a; b++) CHECK(whole[seven[a]] != whole[seven[b]]);
    }
}

static void gray(const pen_graph *graph, int width, int height, int parts)
{
    static int counts[MOST];
    partition(graph, "gray", parts);
    if (parts >= 16) check_seven(graph);
    /* Neighbours in a row or a column are neighbours in the hypercube, or on one rank. */
    for (int i = 0; i < width * height; i++) {
        if (i % width > 0) CHECK(bits(whole[i] ^ whole[i - 1]) <= 1);
        if (i >= width) CHECK(bits(whole[i] ^ whole[i - width]) <= 1);
    }
    /* The largest share is the least that a tile of powers of two can have. */
    int most = 0, least = MOST;
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < width * height; i++) most = ++counts[whole[i]] > most ? counts[whole[i]] : most;
    for (int rows = 1; rows <= parts; rows *= 2) {
        int columns = parts / rows, share = blocks(height, rows) * blocks(width, columns);
        bool legal = parts < 16 || (rows >= needed(height) && columns >= needed(width));
        if (legal && share < least) least = share;
    }
    if (parts >= 16) CHECK_INT(most, least);
    CHECK(most >= least);
}

/* ---- Every shape ------------------------------------------------------------------------------- */

static void grids(void)
{
    for (int s = 0; s < PEN_COUNT_OF(shapes); s++) {
        int width = shapes[s][0], height = shapes[s][1];
        pen_graph *graph;
        CHECK_STATUS(generate_hex(MPI_COMM_WORLD, width, height, &graph), PEN_OK);
        for (int k = 0; k < PEN_COUNT_OF(numbers); k++) {
            int parts = numbers[k];
            bands(graph, width, height, parts);
            rectangles(graph, width, height, parts);
            if ((parts & (parts - 1)) == 0) gray(graph, width, height, parts);
        }
        pen_graph_destroy(&graph);
    }
    pen_graph *graph;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, "hex:8x8", &graph), PEN_OK);
    partition(graph, "gray", 4); /* smaller powers of two tile */
    for (int i = 0; i < 64; i++) CHECK_INT(whole[i], i / 8 % 2 * 2 + i % 2);
    pen_graph_destroy(&graph);
}

/* ---- Shapes from settings ---------------------------------------------------------------------- */

/* n isolated nodes; node i has gid first + i * stride and lives on rank i % size. */
static pen_graph *scatter(int n, pen_gid first, pen_gid stride)
{
    static pen_gid gids[MOST];
    static int64_t rows[MOST + 1];
    pen_csr csr = { .gids = gids, .rows = rows };
    for (int i = my_rank; i < n; i += my_size) gids[csr.count++] = first + i * stride;
    pen_graph *graph = NULL;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &graph), PEN_OK);
    return graph;
}

static void settings(void)
{
    static int32_t part[MOST];
    static const struct {
        const char *spec;
        pen_status status;
        const char *message;
    } cases[] = {
        { "row", PEN_ERR_UNSUPPORTED, "not generated as a grid" },
        { "gray", PEN_ERR_UNSUPPORTED, "not generated as a grid" },
        { "column:width=8,height=11", PEN_ERR_INPUT, "does not give 80 nodes" },
        { "row:width=7", PEN_ERR_INPUT, "width=7 does not divide 80" },
        { "row:height=81", PEN_ERR_INPUT, "height=81 does not divide 80" },
        { "row:width=81", PEN_ERR_INPUT, "width=81" },
        { "rect:width=9223372036854775807,height=2", PEN_ERR_INPUT, "does not give" },
        { "rect:width=8,rows=3", PEN_ERR_INPUT, "16 parts are not 3 rows of 5 columns" },
        { "rect:width=8,columns=17", PEN_ERR_INPUT, "16 parts are not 0 rows of 17 columns" },
        { "rect:width=8,rows=3,columns=5", PEN_ERR_INPUT, "3 rows of 5" },
        { "rect:width=0", PEN_ERR_INPUT, "width=0" },
        { "gray:rows=4", PEN_ERR_INPUT, "rows=4" },
    };
    pen_graph *graph = scatter(80, 0, 1);
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        CHECK_STATUS(pen_partition(graph, cases[i].spec, NULL, 16, part), cases[i].status);
        CHECK_CONTAINS(pen_error_message(), cases[i].message);
    }
    static const char *const specs[] = { "row:width=8,height=10", "row:width=8", "row:height=10" };
    for (int i = 0; i < 3; i++) {
        partition(graph, specs[i], 4);
        check_blocks(8, 10, 4, 1);
    }
    partition(graph, "rect:height=10,columns=2", 4);
    check_blocks(8, 10, 2, 2);
    static const int odd[] = { 3, 6, 7, 12, 100 };
    for (int i = 0; i < PEN_COUNT_OF(odd); i++) {
        CHECK_STATUS(pen_partition(graph, "gray:width=8", NULL, odd[i], part), PEN_ERR_UNSUPPORTED);
        CHECK_CONTAINS(pen_error_message(), "power of two");
    }
    pen_graph_destroy(&graph);
    graph = scatter(80, 1, 1); /* one gid, on one rank, is outside 0..79 */
    CHECK_STATUS(pen_partition(graph, "column:width=8", NULL, 4, part), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "node 80");
    pen_graph_destroy(&graph);
    graph = scatter(80, 7, INT64_C(1) << 50);
    CHECK_STATUS(pen_partition(graph, "gray:width=8", NULL, 16, part), PEN_ERR_UNSUPPORTED);
    pen_graph_destroy(&graph);
}

CHECKS()
{
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &my_size);
    RUN(grids());
    RUN(squares());
    RUN(settings());
}
