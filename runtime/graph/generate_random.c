/* generate_random.c - graphs of random edges: connected ones, and R-MAT.
 *
 * Every rank draws a share of the edges, by their numbers, and sends both halves of each edge to the ranks that have
 * its nodes. The results are graphs by construction: no loops are drawn, each edge arrives at both of its ends, and
 * each end drops duplicates. */
#include "base/memory.h"
#include "base/options.h"
#include "graph/generate.h"

#include <math.h>
#include <stdlib.h>

typedef struct half_edge {
    pen_gid node, neighbor;
} half_edge;

static void add_edge(half_edge *edges, int64_t *count, pen_gid a, pen_gid b)
{
    if (a == b) return;
    edges[(*count)++] = (half_edge){ a, b };
    edges[(*count)++] = (half_edge){ b, a };
}

/* Make rows from half edges in any order; duplicates are dropped. */
static pen_status make_rows(pen_graph *g, const half_edge *edges, int64_t count)
{
    PEN_TRY(PEN_ALLOC(&g->neighbors, count));
    int64_t *rows = g->rows;
    memset(rows, 0, ((size_t)g->count + 1) * sizeof *rows);
    for (int64_t i = 0; i < count; i++) rows[edges[i].node - g->first]++;
    /* The ends of the rows, which the next loop turns into their beginnings. */
    for (int64_t i = 0, sum = 0; i <= g->count; i++) rows[i] = sum += rows[i];
    for (int64_t i = 0; i < count; i++) g->neighbors[--rows[edges[i].node - g->first]] = edges[i].neighbor;
    int64_t kept = 0;
    for (pen_lid i = 0; i < g->count; i++) {
        int64_t begin = rows[i], end = rows[i + 1];
        qsort(g->neighbors + begin, (size_t)(end - begin), sizeof(pen_gid), pen_by_gid);
        rows[i] = kept;
        for (int64_t k = begin; k < end; k++)
            if (k == begin || g->neighbors[k] != g->neighbors[kept - 1]) g->neighbors[kept++] = g->neighbors[k];
    }
    rows[g->count] = kept;
    return PEN_REALLOC(&g->neighbors, kept);
}

/* Collective. Send the half edges to their nodes' ranks, and make rows of what arrives; frees `edges`. */
static pen_status connect(pen_graph *g, pen_status mine, half_edge *edges, int64_t count)
{
    pen_blocks received = { 0 };
    int *to = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&to, count);
    for (int64_t i = 0; mine == PEN_OK && i < count; i++)
        to[i] = pen_block_rank(g->nodes, g->comm->size, edges[i].node);
    mine = pen_sparse_send(g->comm, mine, count, to, edges, sizeof *edges, &received);
    PEN_FREE_ALL(to, edges);
    PEN_TRY(mine);
    count = pen_blocks_bytes(&received) / (int64_t)sizeof(half_edge);
    mine = make_rows(g, (const half_edge *)(const void *)received.data, count);
    pen_blocks_free(&received);
    return mine;
}

/* Draw this rank's share of the edges, both halves of each: the tree edge of each of its nodes, and a block of the
 * other edges. */
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

static pen_status check_random(int64_t nodes, double degree)
{
    PEN_ARGUMENT(nodes >= 1, "%" PRId64 " nodes, must be >= 1", nodes);
    PEN_ARGUMENT(isfinite(degree) && degree * (double)nodes < 0x1p62,
                 "mean degree %g of %" PRId64 " nodes is too large", degree, nodes);
    PEN_ARGUMENT(nodes <= 2 || degree >= 2, "mean degree %g, must be >= 2 to connect the nodes", degree);
    return PEN_OK;
}

static pen_status make_random(pen_graph *g, int64_t nodes, double degree, uint64_t seed)
{
    pen_status status = pen_generate_block(g, nodes);
    if (degree > (double)(nodes - 1)) degree = (double)(nodes - 1);
    int64_t wanted = llround((double)nodes * degree / 2), others = wanted > nodes - 1 ? wanted - (nodes - 1) : 0;
    int64_t begin = pen_block_begin(others, g->comm->size, g->comm->rank);
    int64_t end = pen_block_begin(others, g->comm->size, g->comm->rank + 1), count = 0;
    half_edge *edges = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&edges, 2 * (g->count + end - begin));
    if (status == PEN_OK) count = draw(g, begin, end, seed, edges);
    return connect(g, status, edges, count);
}

pen_status pen_generate_random(pen_graph *g, char *settings)
{
    int64_t nodes = 0, seed = 1;
    double degree = 6;
    const pen_option options[] = {
        { "nodes", "N", "", PEN_OPTION_INT, &nodes, 1, INT64_C(1) << 62 },
        { "degree", "D", "", PEN_OPTION_REAL, &degree, 0, 0 },
        { "seed", "N", "", PEN_OPTION_INT, &seed, 0, INT64_MAX },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse("generator random", settings, options));
    if (nodes == 0) return pen_fail(PEN_ERR_INPUT, "generator random needs nodes=N");
    PEN_TRY(check_random(nodes, degree));
    return make_random(g, nodes, degree, (uint64_t)seed);
}

/* Chakrabarti, Zhan, Faloutsos: R-MAT: a recursive model for graph mining, SDM 2004; the defaults are those
 * of Graph500. */
typedef struct rmat {
    int64_t scale, factor, seed;
    double a, b, c;
} rmat;

/* Permute [0, 2^scale). Without that, the nodes of high degree would all be on the first rank. */
static pen_gid scramble(int64_t scale, uint64_t x)
{
    const uint64_t mask = (UINT64_C(1) << scale) - 1;
    for (int round = 0; round < 2; round++) {
        x = x * UINT64_C(0xbf58476d1ce4e5b9) & mask;
        x ^= x >> (scale / 2 + 1);
    }
    return (pen_gid)x;
}

/* Draw edge number k: each level chooses one of four quadrants of the remaining adjacency matrix. */
static void draw_rmat(const rmat *m, int64_t k, pen_gid *from, pen_gid *to)
{
    uint64_t row = 0, column = 0, random = pen_mix(pen_mix((uint64_t)m->seed) + (uint64_t)k);
    for (int64_t level = 0; level < m->scale; level++) {
        random = pen_mix(random);
        double u = pen_unit_real(random);
        bool a = u < m->a, ab = u < m->a + m->b, abc = u < m->a + m->b + m->c;
        row = row << 1 | !ab;
        column = column << 1 | !(a ^ ab ^ abc); /* without branches, which would be unpredictable */
    }
    *from = scramble(m->scale, row);
    *to = scramble(m->scale, column);
}

static pen_status make_rmat(pen_graph *g, const rmat *m)
{
    int64_t nodes = INT64_C(1) << m->scale;
    pen_status status = pen_generate_block(g, nodes);
    int64_t begin = pen_block_begin(nodes * m->factor, g->comm->size, g->comm->rank);
    int64_t end = pen_block_begin(nodes * m->factor, g->comm->size, g->comm->rank + 1), count = 0;
    half_edge *edges = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&edges, 2 * (end - begin));
    for (int64_t k = begin; status == PEN_OK && k < end; k++) {
        pen_gid from, to;
        draw_rmat(m, k, &from, &to);
        add_edge(edges, &count, from, to);
    }
    return connect(g, status, edges, count);
}

pen_status pen_generate_rmat(pen_graph *g, char *settings)
{
    rmat m = { .scale = -1, .factor = 16, .seed = 1, .a = 0.57, .b = 0.19, .c = 0.19 };
    const pen_option options[] = {
        { "scale", "S", "", PEN_OPTION_INT, &m.scale, 0, 60 },
        { "factor", "F", "", PEN_OPTION_INT, &m.factor, 0, INT64_C(1) << 60 },
        { "a", "A", "", PEN_OPTION_REAL, &m.a, 0, 0 },
        { "b", "B", "", PEN_OPTION_REAL, &m.b, 0, 0 },
        { "c", "C", "", PEN_OPTION_REAL, &m.c, 0, 0 },
        { "seed", "N", "", PEN_OPTION_INT, &m.seed, 0, INT64_MAX },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse("generator rmat", settings, options));
    if (m.scale < 0) return pen_fail(PEN_ERR_INPUT, "generator rmat needs scale=S");
    if (m.factor > (INT64_C(1) << 60) >> m.scale)
        return pen_fail(PEN_ERR_INPUT, "generator rmat: factor %" PRId64 " at scale %" PRId64 ": more than 2^60 edges",
                        m.factor, m.scale);
    if (m.a < 0 || m.b < 0 || m.c < 0 || m.a + m.b + m.c > 1)
        return pen_fail(PEN_ERR_INPUT, "generator rmat: a=%s, b=%s, c=%s: must be >= 0, and their sum <= 1",
                        PEN_REAL_TEXT(m.a), PEN_REAL_TEXT(m.b), PEN_REAL_TEXT(m.c));
    return make_rmat(g, &m);
}
