/* reorder.c - sorts the rows of a graph by gid if the gids are 0, 1, 2, ... without holes. Then the rank of a node
 * follows from its gid. */
#include "base/memory.h"
#include "base/sparse.h"
#include "graph/graph.h"

#include <stdlib.h>

/* Words of a row that is sent: gid, degree, weight, coordinates, neighbours, weights of edges, as far as the graph has
 * them. */
enum { GID, DEGREE, HEAD };

static int64_t words_of(const pen_graph *g, int64_t degree)
{
    return HEAD + (g->weight_count > 0) + g->dimensions + degree * (g->edge_weights ? 2 : 1);
}

static int64_t *append(int64_t *to, const void *from, int64_t words)
{
    if (words > 0) memcpy(to, from, 8 * (size_t)words);
    return to + words;
}

static int64_t *pack_row(const pen_graph *g, pen_lid i, int64_t *to)
{
    const int64_t first = g->rows[i], degree = g->rows[i + 1] - first;
    to[GID] = g->gids[i];
    to[DEGREE] = degree;
    to += HEAD;
    if (g->weight_count > 0) to = append(to, &g->node_weights[i], 1);
    if (g->dimensions > 0) to = append(to, &g->coordinates[(int64_t)i * g->dimensions], g->dimensions);
    to = append(to, g->neighbors + first, degree);
    return g->edge_weights ? append(to, g->edge_weights + first, degree) : to;
}

static pen_status pack(const pen_graph *g, int64_t nodes, pen_blocks *send)
{
    int64_t *bytes;
    const int ranks = g->comm->size;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, ranks));
    for (pen_lid i = 0; i < g->count; i++)
        bytes[pen_block_rank(nodes, ranks, g->gids[i])] += 8 * words_of(g, g->rows[i + 1] - g->rows[i]);
    pen_status status = pen_blocks_open(ranks, bytes, send);
    for (pen_lid i = 0; status == PEN_OK && i < g->count; i++) {
        int64_t *at = &bytes[pen_block_rank(nodes, ranks, g->gids[i])];
        const int64_t *end = pack_row(g, i, (int64_t *)(void *)(send->data + *at));
        *at = (int64_t)((const unsigned char *)end - send->data);
    }
    free(bytes);
    return status;
}

/* Sort the received rows by their places: lists[count]. PEN_ERR_INPUT: a row is missing, or occurs twice. */
static pen_status list_rows(const pen_graph *g, const pen_blocks *received, pen_gid first, int64_t count,
                            const int64_t **lists)
{
    const int64_t *at = (const int64_t *)(const void *)received->data, *end = at + pen_blocks_bytes(received) / 8;
    int64_t found = 0;
    for (; at < end; at += words_of(g, at[DEGREE]), found++) {
        const int64_t place = at[GID] - first;
        if (lists[place]) return pen_fail(PEN_ERR_INPUT, "node %" PRIgid " occurs twice", at[GID]);
        lists[place] = at;
    }
    return found == count ? PEN_OK : pen_fail(PEN_ERR_INPUT, "a node is missing");
}

static pen_status reserve(pen_graph *g, int64_t count, int64_t arcs)
{
    PEN_TRY(PEN_REALLOC(&g->gids, count));
    PEN_TRY(PEN_REALLOC(&g->rows, count + 1));
    PEN_TRY(PEN_REALLOC(&g->neighbors, arcs));
    if (g->weight_count > 0) PEN_TRY(PEN_REALLOC(&g->node_weights, count));
    if (g->dimensions > 0) PEN_TRY(PEN_REALLOC(&g->coordinates, count * g->dimensions));
    return g->edge_weights ? PEN_REALLOC(&g->edge_weights, arcs) : PEN_OK;
}

static void take_row(pen_graph *g, pen_lid i, const int64_t *from)
{
    const int64_t degree = from[DEGREE], first = g->rows[i];
    g->gids[i] = from[GID];
    g->rows[i + 1] = first + degree;
    from += HEAD;
    if (g->weight_count > 0) g->node_weights[i] = *from++;
    if (g->dimensions > 0) memcpy(&g->coordinates[(int64_t)i * g->dimensions], from, 8 * (size_t)g->dimensions);
    from += g->dimensions;
    append(g->neighbors + first, from, degree);
    if (g->edge_weights) append(g->edge_weights + first, from + degree, degree);
}

static pen_status unpack(pen_graph *g, int64_t nodes, const pen_blocks *received)
{
    const pen_gid first = pen_block_begin(nodes, g->comm->size, g->comm->rank);
    const int64_t count = pen_block_begin(nodes, g->comm->size, g->comm->rank + 1) - first;
    const int64_t **lists;
    int64_t arcs = 0;
    pen_lid all;
    PEN_TRY(pen_to_lid(count, "nodes", &all));
    PEN_TRY(pen_alloc_zero(&lists, count, sizeof *lists));
    pen_status status = list_rows(g, received, first, count, lists);
    for (int64_t i = 0; status == PEN_OK && i < count; i++) arcs += lists[i][DEGREE];
    if (status == PEN_OK) status = reserve(g, count, arcs);
    if (status == PEN_OK) {
        g->rows[0] = 0;
        for (pen_lid i = 0; i < all; i++) take_row(g, i, lists[i]);
        g->count = all;
    }
    free((void *)(uintptr_t)lists);
    return status;
}

pen_status pen_graph_reorder(pen_graph *graph, int64_t nodes)
{
    pen_gid mine = -1, largest;
    int64_t least = 0;
    pen_blocks send = { 0 }, received = { 0 };
    for (pen_lid i = 0; i < graph->count; i++) {
        if (graph->gids[i] > mine) mine = graph->gids[i];
        if (graph->gids[i] < least) least = graph->gids[i];
    }
    PEN_TRY(pen_max_int(graph->comm, least < 0 ? INT64_MAX : mine, &largest));
    if (largest != nodes - 1) return PEN_OK;
    pen_status status = pen_sparse_exchange(graph->comm, pack(graph, nodes, &send), &send, &received);
    pen_blocks_free(&send);
    if (status == PEN_OK) status = pen_agree(graph->comm, unpack(graph, nodes, &received));
    pen_blocks_free(&received);
    return status;
}
