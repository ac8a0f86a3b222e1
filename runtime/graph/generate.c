/* generate.c - generated graphs: every rank makes the rows of its block of gids; what it makes depends on
 * the arguments alone. */
#include "graph.h"
#include "hash.h"
#include "memory.h"
#include "sparse.h"

#include <math.h>
#include <stdlib.h>

/* Blocks of nearly equal length: the first gid of a rank's (of rank `size`: n), and the rank of a gid. */
static int64_t block_begin(int64_t n, int size, int64_t rank)
{
    int64_t more = n % size;
    return n / size * rank + (rank < more ? rank : more);
}

static int block_rank(int64_t n, int size, int64_t gid)
{
    int64_t each = n / size, more = n % size, boundary = more * (each + 1);
    return (int)(gid < boundary ? gid / (each + 1) : more + (gid - boundary) / each);
}

static pen_status make_block(pen_graph *g, int64_t nodes)
{
    g->nodes = nodes;
    g->dense = true;
    g->first = block_begin(nodes, g->comm->size, g->comm->rank);
    PEN_TRY(pen_to_lid(block_begin(nodes, g->comm->size, g->comm->rank + 1) - g->first, "nodes", &g->count));
    PEN_TRY(PEN_ALLOC(&g->rows, (int64_t)g->count + 1));
    g->rows[0] = 0;
    return PEN_OK;
}

/* Collective. Agree on `status`, count the edges, hand the graph over or destroy it. */
static pen_status finish(pen_graph *g, pen_status status, pen_graph **graph)
{
    int64_t arcs = 0;
    status = pen_agree(g->comm, status);
    if (status == PEN_OK) status = pen_sum_int(g->comm, g->rows[g->count], &arcs);
    if (status != PEN_OK) {
        pen_graph_destroy(&g);
        return status;
    }
    g->edges = arcs / 2;
    *graph = g;
    return PEN_OK;
}

/* ---- Hexagons ------------------------------------------------------------------------------- */

/* The neighbours in ascending order; returns how many. */
static int hex_neighbors(int64_t width, int64_t height, pen_gid gid, pen_gid neighbors[6])
{
    int64_t row = gid / width, column = gid % width, left = column - (row % 2 == 0); /* in the rows beside */
    int n = 0;
    for (int64_t r = row - 1; r <= row + 1; r++) {
        if (r < 0 || r >= height) continue;
        for (int side = 0; side < 2; side++) {
            int64_t c = r == row ? column - 1 + 2 * side : left + side;
            if (c >= 0 && c < width) neighbors[n++] = r * width + c;
        }
    }
    return n;
}

static pen_status make_hex(pen_graph *g)
{
    PEN_TRY(make_block(g, g->width * g->height));
    PEN_TRY(PEN_ALLOC(&g->neighbors, 6 * (int64_t)g->count));
    for (pen_lid i = 0; i < g->count; i++)
        g->rows[i + 1] = g->rows[i] + hex_neighbors(g->width, g->height, g->first + i, g->neighbors + g->rows[i]);
    return PEN_REALLOC(&g->neighbors, g->rows[g->count]);
}

pen_status pen_graph_hex(MPI_Comm comm, int64_t width, int64_t height, pen_graph **graph)
{
    PEN_ARGUMENT(width >= 1 && height >= 1 && width <= (INT64_C(1) << 62) / height,
                 "a grid of %" PRId64 " x %" PRId64 ": both must be >= 1, and the product <= 2^62", width, height);
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    g->width = width;
    g->height = height;
    return finish(g, make_hex(g), graph);
}

/* ---- Random graphs -------------------------------------------------------------------------- */

typedef struct half_edge {
    pen_gid node, neighbor;
} half_edge;

static void add_edge(half_edge *edges, int64_t *count, pen_gid a, pen_gid b)
{
    if (a == b) return;
    edges[(*count)++] = (half_edge){ a, b };
    edges[(*count)++] = (half_edge){ b, a };
}

/* This rank's share of the edges, both halves of each: the tree edge of each of its nodes, and a block of
 * the edges besides. */
static int64_t draw(const pen_graph *g, int64_t begin, int64_t end, uint64_t seed, half_edge *edges)
{
    uint64_t tree = pen_mix(seed), others = pen_mix(tree), n = (uint64_t)g->nodes;
    int64_t count = 0;
    for (pen_gid i = g->first; i < g->first + g->count; i++)
        if (i > 0) add_edge(edges, &count, i, (pen_gid)(pen_mix(tree + (uint64_t)i) % (uint64_t)i));
    for (int64_t k = begin; k < end; k++) {
        uint64_t a = pen_mix(others + 2 * (uint64_t)k), b = pen_mix(others + 2 * (uint64_t)k + 1);
        add_edge(edges, &count, (pen_gid)(a % n), (pen_gid)(b % n));
    }
    return count;
}

static int compare_gids(const void *a, const void *b)
{
    pen_gid x = *(const pen_gid *)a, y = *(const pen_gid *)b;
    return (x > y) - (x < y);
}

/* Rows from half edges in any order; duplicates are dropped. */
static pen_status make_rows(pen_graph *g, const half_edge *edges, int64_t count)
{
    PEN_TRY(PEN_ALLOC(&g->neighbors, count));
    int64_t *rows = g->rows;
    memset(rows, 0, ((size_t)g->count + 1) * sizeof *rows);
    for (int64_t i = 0; i < count; i++) rows[edges[i].node - g->first]++;
    for (int64_t i = 0, sum = 0; i <= g->count; i++) rows[i] = sum += rows[i]; /* ends, which become begins */
    for (int64_t i = 0; i < count; i++) g->neighbors[--rows[edges[i].node - g->first]] = edges[i].neighbor;
    int64_t kept = 0;
    for (pen_lid i = 0; i < g->count; i++) {
        int64_t begin = rows[i], end = rows[i + 1];
        qsort(g->neighbors + begin, (size_t)(end - begin), sizeof(pen_gid), compare_gids);
        rows[i] = kept;
        for (int64_t k = begin; k < end; k++)
            if (k == begin || g->neighbors[k] != g->neighbors[kept - 1]) g->neighbors[kept++] = g->neighbors[k];
    }
    rows[g->count] = kept;
    return PEN_REALLOC(&g->neighbors, kept);
}

static pen_status exchange_edges(pen_graph *g, pen_status mine, const half_edge *edges, int64_t count, pen_blocks *received)
{
    pen_blocks send = { 0 };
    int *to = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&to, count);
    for (int64_t i = 0; mine == PEN_OK && i < count; i++) to[i] = block_rank(g->nodes, g->comm->size, edges[i].node);
    if (mine == PEN_OK) mine = pen_blocks_group(count, to, edges, sizeof *edges, &send, NULL);
    free(to);
    mine = pen_sparse_exchange(g->comm, mine, &send, received);
    pen_blocks_free(&send);
    return mine;
}

static pen_status make_random(pen_graph *g, int64_t nodes, double degree, uint64_t seed)
{
    pen_status status = make_block(g, nodes);
    if (degree > (double)(nodes - 1)) degree = (double)(nodes - 1);
    int64_t wanted = llround((double)nodes * degree / 2), others = wanted > nodes - 1 ? wanted - (nodes - 1) : 0;
    int64_t begin = block_begin(others, g->comm->size, g->comm->rank);
    int64_t end = block_begin(others, g->comm->size, g->comm->rank + 1), count = 0;
    half_edge *edges = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&edges, 2 * (g->count + end - begin));
    if (status == PEN_OK) count = draw(g, begin, end, seed, edges);
    pen_blocks received = { 0 };
    status = exchange_edges(g, status, edges, count, &received);
    free(edges);
    PEN_TRY(status);
    count = received.count ? received.offsets[received.count] / (int64_t)sizeof(half_edge) : 0;
    status = make_rows(g, (const half_edge *)(const void *)received.data, count);
    pen_blocks_free(&received);
    return status;
}

pen_status pen_graph_random(MPI_Comm comm, int64_t nodes, double degree, uint64_t seed, pen_graph **graph)
{
    PEN_ARGUMENT(nodes >= 1, "%" PRId64 " nodes, must be >= 1", nodes);
    PEN_ARGUMENT(isfinite(degree) && degree * (double)nodes < 0x1p62, "mean degree %g of %" PRId64 " nodes is too large",
                 degree, nodes);
    PEN_ARGUMENT(nodes <= 2 || degree >= 2, "mean degree %g, must be >= 2 to connect the nodes", degree);
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    return finish(g, make_random(g, nodes, degree, seed), graph);
}
