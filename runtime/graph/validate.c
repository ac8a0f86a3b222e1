/* validate.c - checks everything that a graph must satisfy. */
#include "graph/validate.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sparse.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum {
    LONG_ROW = 32, /* number of arcs from which a row is sorted by a library call */
    BUCKETS = 1024
};

typedef struct checker {
    pen_graph *graph;
    pen_row_name_fn *name;
    const void *context;
} checker;

/* The number of a node in messages: files count from 1. */
static pen_gid called(const checker *c, pen_gid gid) { return c->name ? gid + 1 : gid; }

static pen_status finding(const checker *c, pen_lid row, const char *format, ...) PEN_PRINTF(3, 4);

static pen_status finding(const checker *c, pen_lid row, const char *format, ...)
{
    char where[512], what[256];
    if (c->name) c->name(c->context, row, where, sizeof where);
    else snprintf(where, sizeof where, "node %" PRIgid, pen_graph_gid(c->graph, row));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return pen_fail(PEN_ERR_INPUT, "%s: %s", where, what);
}

/* ---- Errors within a row -------------------------------------------------------------------- */

typedef struct arc {
    pen_gid neighbor; /* the neighbour's gid; the first member, because it is the sort key */
    int64_t weight;
} arc;

static void sort_short(pen_gid *neighbors, int64_t *weights, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        pen_gid neighbor = neighbors[i];
        int64_t weight = weights ? weights[i] : 1, k = i;
        for (; k > 0 && neighbors[k - 1] > neighbor; k--) {
            neighbors[k] = neighbors[k - 1];
            if (weights) weights[k] = weights[k - 1];
        }
        neighbors[k] = neighbor;
        if (weights) weights[k] = weight;
    }
}

static pen_status sort_long(pen_gid *neighbors, int64_t *weights, int64_t count)
{
    arc *arcs;
    PEN_TRY(PEN_ALLOC(&arcs, count));
    for (int64_t i = 0; i < count; i++) arcs[i] = (arc){ neighbors[i], weights ? weights[i] : 1 };
    qsort(arcs, (size_t)count, sizeof *arcs, pen_by_gid);
    for (int64_t i = 0; i < count; i++) {
        neighbors[i] = arcs[i].neighbor;
        if (weights) weights[i] = arcs[i].weight;
    }
    free(arcs);
    return PEN_OK;
}

/* Sort a row, then describe its first bad arc, if there is one. */
static pen_status check_arcs(const checker *c, pen_lid row)
{
    const pen_graph *g = c->graph;
    int64_t begin = g->rows[row], count = g->rows[row + 1] - begin;
    pen_gid *neighbors = g->neighbors + begin, gid = pen_graph_gid(g, row);
    int64_t *weights = g->edge_weights ? g->edge_weights + begin : NULL;
    if (count <= LONG_ROW) sort_short(neighbors, weights, count);
    else PEN_TRY(sort_long(neighbors, weights, count));
    for (int64_t k = 0; k < count; k++) {
        pen_gid neighbor = neighbors[k];
        if (g->dense && (neighbor < 0 || neighbor >= g->nodes))
            return finding(c, row, "neighbour %" PRIgid ", must be in %" PRIgid "..%" PRIgid, called(c, neighbor),
                           called(c, 0), called(c, g->nodes - 1));
        if (neighbor < 0) return finding(c, row, "neighbour %" PRIgid ", must be >= 0", neighbor);
        if (neighbor == gid) return finding(c, row, "neighbour %" PRIgid " is the node itself", called(c, neighbor));
        if (k > 0 && neighbor == neighbors[k - 1])
            return finding(c, row, "neighbour %" PRIgid " occurs twice", called(c, neighbor));
        if (weights && weights[k] <= 0)
            return finding(c, row, "weight %" PRId64 " of the edge to %" PRIgid ", must be > 0", weights[k],
                           called(c, neighbor));
    }
    return PEN_OK;
}

/* Whether a row is ascending and valid. */
static bool is_good(const pen_graph *g, pen_lid row)
{
    int64_t begin = g->rows[row], end = g->rows[row + 1];
    pen_gid gid = pen_graph_gid(g, row), last = -1;
    bool good = true;
    for (int64_t k = begin; k < end; k++) {
        good &= (g->neighbors[k] > last) & (g->neighbors[k] != gid);
        last = g->neighbors[k];
    }
    if (g->edge_weights)
        for (int64_t k = begin; k < end; k++) good &= g->edge_weights[k] > 0;
    return good && (!g->dense || last < g->nodes);
}

static pen_status check_numbers(const checker *c, pen_lid row)
{
    const pen_graph *g = c->graph;
    if (!g->dense && g->gids[row] < 0) return finding(c, row, "gids must be >= 0");
    for (int k = 0; k < g->weight_count; k++) {
        int64_t weight = g->node_weights[(int64_t)row * g->weight_count + k];
        if (weight < 0) return finding(c, row, "node weight %" PRId64 ", must be >= 0", weight);
    }
    if (g->node_sizes && g->node_sizes[row] < 0)
        return finding(c, row, "node size %" PRId64 ", must be >= 0", g->node_sizes[row]);
    for (int k = 0; k < g->dimensions; k++) {
        double at = g->coordinates[(int64_t)row * g->dimensions + k];
        if (!isfinite(at)) return finding(c, row, "coordinate %g, must be finite", at);
    }
    return PEN_OK;
}

static pen_status check_rows(const checker *c)
{
    for (pen_lid i = 0; i < c->graph->count; i++) {
        PEN_TRY(check_numbers(c, i));
        if (!is_good(c->graph, i)) PEN_TRY(check_arcs(c, i));
    }
    return PEN_OK;
}

/* Number of arcs here; rows may be NULL on a rank without nodes. */
static int64_t arc_count(const pen_graph *g) { return g->count > 0 ? g->rows[g->count] : 0; }

static const int64_t MOST_WEIGHT = INT64_C(1000000000000000000);

int64_t pen_weights_sum(const int64_t *weights, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum = weights[i] < MOST_WEIGHT - sum ? sum + weights[i] : MOST_WEIGHT;
    return sum;
}

pen_status pen_weights_check(pen_comm *comm, int64_t nodes, int64_t edges)
{
    enum { UNIT = 1000000000 }; /* the sums of quotients and of remainders do not overflow */
    int64_t sums[] = { nodes / UNIT, nodes % UNIT, edges / UNIT, edges % UNIT };
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, sums, PEN_COUNT_OF(sums), MPI_INT64_T, MPI_SUM));
    for (int i = 0; i < PEN_COUNT_OF(sums); i += 2)
        if (sums[i] + sums[i + 1] / UNIT >= MOST_WEIGHT / UNIT)
            return pen_fail(PEN_ERR_INPUT, "the sum of all %s weights is at least %.3g, must be < 10^18",
                            i ? "edge" : "node", (double)sums[i] * UNIT + (double)sums[i + 1]);
    return PEN_OK;
}

static pen_status check_sums(const pen_graph *g)
{
    return pen_weights_check(g->comm, pen_weights_sum(g->node_weights, (int64_t)g->count * g->weight_count),
                             pen_weights_sum(g->edge_weights, g->edge_weights ? arc_count(g) : 0));
}

/* ---- Errors between two rows ---------------------------------------------------------------- */

/* A statement about a pair (key, other), which is compared with other statements about this pair at its home rank. */
typedef struct claim {
    pen_gid key, other;
    int64_t weight;
    pen_lid row; /* row and rank that made the claim */
    int from;
} claim;

static int compare_claims(const void *a, const void *b)
{
    const claim *x = (const claim *)a, *y = (const claim *)b;
    if (x->key != y->key) return x->key > y->key ? 1 : -1;
    if (x->other != y->other) return x->other > y->other ? 1 : -1;
    if (x->from != y->from) return x->from > y->from ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* A function that keeps the wrong ones of `count` sorted claims, in place, and returns their number. */
typedef int64_t judge_fn(claim *claims, int64_t count);

static int64_t claims_in(const pen_blocks *blocks) { return pen_blocks_bytes(blocks) / (int64_t)sizeof(claim); }

/* Collective. Send every claim to its home, to[i]. There it is judged, and sent back if it is wrong. *wrong is the
 * first of this rank's wrong claims, by row; if there is none, its row is -1. */
static pen_status judge_claims(pen_comm *comm, pen_status mine, const claim *claims, const int *to, int64_t count,
                               judge_fn *judge, claim *wrong)
{
    pen_blocks at_home = { 0 }, back = { 0 };
    PEN_TRY(pen_sparse_send(comm, mine, count, to, claims, sizeof *claims, &at_home));
    claim *met = (claim *)(void *)at_home.data;
    int64_t found = claims_in(&at_home);
    if (found > 0) {
        qsort(met, (size_t)found, sizeof *met, compare_claims);
        found = judge(met, found);
    }
    int *from;
    mine = PEN_ALLOC(&from, found);
    for (int64_t i = 0; mine == PEN_OK && i < found; i++) from[i] = met[i].from;
    mine = pen_sparse_send(comm, mine, found, from, met, sizeof *met, &back);
    free(from);
    pen_blocks_free(&at_home);
    const claim *mine_wrong = (const claim *)(const void *)back.data;
    wrong->row = -1;
    for (int64_t i = 0; i < claims_in(&back); i++)
        if (wrong->row < 0 || mine_wrong[i].row < wrong->row ||
            (mine_wrong[i].row == wrong->row && compare_claims(&mine_wrong[i], wrong) < 0))
            *wrong = mine_wrong[i];
    pen_blocks_free(&back);
    return mine;
}

static int home(const pen_comm *comm, uint64_t hash)
{
    return (int)pen_hash_range(pen_mix(hash), (uint64_t)comm->size);
}

/* For gids that are not dense. A claim's key is a gid. Its `other` is -1 if this gid is the row's own, and the row's
 * gid if this gid is a neighbour. */
static int64_t judge_gids(claim *claims, int64_t count)
{
    int64_t wrong = 0;
    for (int64_t i = 0, first = 0; i < count; i++) {
        if (claims[i].key != claims[first].key) first = i;
        bool exists = claims[first].other == -1;
        if (claims[i].other == -1 ? i > first : !exists) claims[wrong++] = claims[i];
    }
    return wrong;
}

/* Collective. Whether gids are distinct and, where asked, neighbours exist. */
static pen_status check_gids(const checker *c, bool neighbors)
{
    const pen_graph *g = c->graph;
    claim *claims = NULL, wrong;
    int *to = NULL;
    int64_t count = g->count + (neighbors ? arc_count(g) : 0), n = 0;
    pen_status mine = PEN_ALLOC(&claims, count);
    if (mine == PEN_OK) mine = PEN_ALLOC(&to, count);
    for (pen_lid i = 0; mine == PEN_OK && i < g->count; i++) {
        claims[n++] = (claim){ g->gids[i], -1, 0, i, g->comm->rank };
        if (!neighbors) continue;
        for (int64_t k = g->rows[i]; k < g->rows[i + 1]; k++)
            claims[n++] = (claim){ g->neighbors[k], g->gids[i], 0, i, g->comm->rank };
    }
    for (int64_t i = 0; i < n; i++) to[i] = home(g->comm, (uint64_t)claims[i].key);
    mine = judge_claims(g->comm, mine, claims, to, n, judge_gids, &wrong);
    PEN_FREE_ALL(to, claims);
    PEN_TRY(mine);
    if (wrong.row >= 0)
        mine = wrong.other == -1 ? finding(c, wrong.row, "another row has the same gid")
                                 : finding(c, wrong.row, "neighbour %" PRIgid " does not exist", wrong.key);
    return pen_agree(g->comm, mine);
}

/* A node's variable in the polynomials of validate.h; odd, so that no product vanishes. */
static uint64_t unknown(pen_gid gid) { return pen_mix((uint64_t)gid) | 1; }

/* The difference of the two polynomials over this rank's arcs. */
static uint64_t difference(const pen_graph *g)
{
    uint64_t total = 0;
    for (pen_lid i = 0; i < g->count; i++) {
        pen_gid gid = pen_graph_gid(g, i);
        uint64_t sum = 0;
        for (int64_t k = g->rows[i]; k < g->rows[i + 1]; k++) {
            uint64_t term = unknown(g->neighbors[k]);
            /* The complement distinguishes weights from gids. */
            if (g->edge_weights) term *= unknown(~g->edge_weights[k]);
            sum += g->neighbors[k] > gid ? term : 0 - term;
        }
        total += sum * unknown(gid);
    }
    return total;
}

/* Both ends of an undirected edge make the same claim. A wrong claim is kept with the weight of the other end, 0 if
 * there is no other. */
static int64_t judge_arcs(claim *claims, int64_t count)
{
    int64_t wrong = 0, step;
    for (int64_t i = 0; i < count; i += step) {
        bool pair = i + 1 < count && claims[i].key == claims[i + 1].key && claims[i].other == claims[i + 1].other;
        step = pair ? 2 : 1;
        if (pair && claims[i].weight == claims[i + 1].weight) continue;
        claim one = claims[i], two = claims[i + step - 1];
        claims[wrong] = one;
        claims[wrong++].weight = pair ? two.weight : 0;
        if (!pair) continue;
        claims[wrong] = two;
        claims[wrong++].weight = one.weight;
    }
    return wrong;
}

/* A hash of a pair that is the same at both ends, and the bucket of the pair. */
static uint64_t pair_hash(pen_gid a, pen_gid b) { return unknown(a) * unknown(b); }
static int bucket(uint64_t pair) { return (int)(pair >> 54); }

/* Collective. The difference of the polynomials in each bucket; if it is 0, all arcs of the bucket are right. */
static pen_status bucket_differences(const pen_graph *g, uint64_t sums[BUCKETS])
{
    uint64_t mine[BUCKETS] = { 0 };
    for (pen_lid i = 0; i < g->count; i++)
        for (int64_t k = g->rows[i]; k < g->rows[i + 1]; k++) {
            uint64_t pair = pair_hash(pen_graph_gid(g, i), g->neighbors[k]);
            uint64_t term = g->edge_weights ? pair * unknown(~g->edge_weights[k]) : pair;
            mine[bucket(pair)] += g->neighbors[k] > pen_graph_gid(g, i) ? term : 0 - term;
        }
    PEN_TRY(pen_all_reduce(g->comm, mine, sums, BUCKETS, MPI_UINT64_T, MPI_SUM));
    return PEN_OK;
}

/* Collective. Only arcs that share a bucket with a wrong arc are exchanged: few, if few are wrong. */
static pen_status find_asymmetry(const checker *c)
{
    const pen_graph *g = c->graph;
    uint64_t sums[BUCKETS];
    PEN_TRY(bucket_differences(g, sums));
    claim *claims = NULL, wrong;
    int *to = NULL;
    int64_t count = arc_count(g), n = 0;
    pen_status mine = PEN_ALLOC(&claims, count);
    if (mine == PEN_OK) mine = PEN_ALLOC(&to, count);
    for (pen_lid i = 0; mine == PEN_OK && i < g->count; i++) {
        pen_gid gid = pen_graph_gid(g, i);
        for (int64_t k = g->rows[i]; k < g->rows[i + 1]; k++) {
            uint64_t pair = pair_hash(gid, g->neighbors[k]);
            if (sums[bucket(pair)] == 0) continue;
            bool up = g->neighbors[k] > gid;
            to[n] = home(g->comm, pair);
            claims[n++] = (claim){ up ? gid : g->neighbors[k], up ? g->neighbors[k] : gid,
                                   g->edge_weights ? g->edge_weights[k] : 1, i, g->comm->rank };
        }
    }
    mine = judge_claims(g->comm, mine, claims, to, n, judge_arcs, &wrong);
    PEN_FREE_ALL(to, claims);
    PEN_TRY(mine);
    if (wrong.row >= 0) {
        pen_gid gid = pen_graph_gid(g, wrong.row), neighbor = wrong.key == gid ? wrong.other : wrong.key;
        mine =
            wrong.weight == 0
                ? finding(c, wrong.row,
                          "neighbour %" PRIgid
                          " does not have this node as its neighbour: is the graph directed (--graph=FILE:directed)?",
                          called(c, neighbor))
                : finding(c, wrong.row, "the edge to %" PRIgid " has weight %" PRId64 " in that node's row",
                          called(c, neighbor), wrong.weight);
    }
    return pen_agree(g->comm, mine);
}

static pen_status check_symmetry(const checker *c)
{
    uint64_t mine = difference(c->graph), all = 0;
    PEN_TRY(pen_all_reduce(c->graph->comm, &mine, &all, 1, MPI_UINT64_T, MPI_SUM));
    if (all == 0) return PEN_OK;
    if (!c->graph->dense) PEN_TRY(check_gids(c, true)); /* a missing node has a better message */
    return find_asymmetry(c);
}

pen_status pen_graph_validate(pen_graph *graph, pen_status mine, pen_row_name_fn *name, const void *context)
{
    const checker c = { graph, name, context };
    pen_status status = check_rows(&c);
    PEN_TRY(pen_agree(graph->comm, status != PEN_OK ? status : mine));
    PEN_TRY(check_sums(graph));
    if (!graph->dense) PEN_TRY(check_gids(&c, graph->directed));
    if (!graph->directed) PEN_TRY(check_symmetry(&c));
    int64_t arcs;
    PEN_TRY(pen_sum_int(graph->comm, arc_count(graph), &arcs));
    graph->edges = graph->directed ? arcs : arcs / 2;
    return PEN_OK;
}
