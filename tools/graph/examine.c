/* examine.c - finds and repairs errors of a graph. */
#include "tools/graph/examine.h"

#include <stdlib.h>

enum { SHORT_ROW = 24 }; /* largest number of neighbours that are compared in pairs */

/* Pseudo-random words: two independent ones per node, and one per weight. */
static uint64_t as_lower(int64_t node) { return pen_mix((uint64_t)node); }
static uint64_t as_higher(int64_t node) { return pen_mix((uint64_t)node ^ UINT64_C(0x5bf0363569c1a9d3)); }
static uint64_t weight_word(const file_graph *g, int64_t arc)
{
    return g->edge_weights ? pen_mix((uint64_t)g->edge_weights[arc]) | 1 : 1;
}

/* ---- Loops, duplicates and weights ---------------------------------------------------------- */

static bool ascending(const int64_t *row, int64_t degree)
{
    bool is = true;
    for (int64_t k = 1; k < degree; k++) is = is && row[k - 1] < row[k];
    return is;
}

static bool same_in_pairs(const int64_t *row, int64_t degree)
{
    bool same = false;
    for (int64_t k = 1; k < degree; k++)
        for (int64_t j = 0; j < k; j++) same |= row[j] == row[k];
    return same;
}

void pen_file_graph_sort_row(const file_graph *g, int64_t i, row_entry *entries)
{
    int64_t begin = g->rows[i], degree = g->rows[i + 1] - begin;
    for (int64_t k = 0; k < degree; k++) entries[k] = (row_entry){ g->neighbors[begin + k], k };
    qsort(entries, (size_t)degree, sizeof *entries, pen_by_gids);
}

static bool same_sorted(const file_graph *g, int64_t i, row_entry *entries)
{
    int64_t degree = g->rows[i + 1] - g->rows[i];
    pen_file_graph_sort_row(g, i, entries);
    for (int64_t k = 1; k < degree; k++)
        if (entries[k].neighbor == entries[k - 1].neighbor) return true;
    return false;
}

int64_t pen_file_graph_longest_row(const file_graph *g)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < g->nodes; i++)
        if (g->rows[i + 1] - g->rows[i] > longest) longest = g->rows[i + 1] - g->rows[i];
    return longest;
}

pen_status pen_file_graph_faults(const file_graph *g, graph_faults *faults)
{
    row_entry *entries = NULL;
    *faults = (graph_faults){ 0 };
    uint64_t difference = 0;
    for (int64_t i = 0; i < g->nodes; i++) {
        const int64_t *row = g->neighbors + g->rows[i];
        int64_t degree = g->rows[i + 1] - g->rows[i];
        uint64_t up = 0, down = 0;
        for (int64_t k = 0; k < degree; k++) {
            uint64_t weight = weight_word(g, g->rows[i] + k);
            if (row[k] > i) up += weight * as_higher(row[k]);
            else if (row[k] < i) down += weight * as_lower(row[k]);
            else faults->loops = true;
        }
        difference += as_lower(i) * up - as_higher(i) * down;
        if (faults->duplicates || ascending(row, degree)) continue;
        if (degree <= SHORT_ROW) {
            faults->duplicates = same_in_pairs(row, degree);
            continue;
        }
        if (!entries) PEN_TRY(PEN_ALLOC(&entries, pen_file_graph_longest_row(g)));
        faults->duplicates = same_sorted(g, i, entries);
    }
    free(entries);
    faults->reverses = difference != 0;
    return PEN_OK;
}

/* ---- Arcs without their reverse ------------------------------------------------------------- */

typedef struct pair {
    int64_t low, high;
    int64_t arc;
    bool down; /* the arc leads from the higher node to the lower one */
} pair;

/* Order by the nodes, then by the arc. The lower node's arcs come first, since its row does. */
static int by_pair(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    const int nodes = pen_by_gids(a, b);
    return nodes ? nodes : (x->arc > y->arc) - (x->arc < y->arc);
}

/* Compute the balance of each node, in which an arc and its equal reverse cancel. Nodes whose balance is not 0 are
 * suspects. */
static void add_balance(const file_graph *g, uint64_t *balance)
{
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            int64_t to = g->neighbors[a], low = to < i ? to : i, high = to < i ? i : to;
            if (to == i) continue;
            uint64_t word = as_lower(low) * as_higher(high) * weight_word(g, a);
            balance[i] += to > i ? word : 0 - word;
            balance[to] += to > i ? word : 0 - word;
        }
}

/* Count the arcs between suspects whose pair belongs to block `block` of `blocks`; list them if `pairs` is not NULL. */
static int64_t suspects(const file_graph *g, const uint64_t *balance, int64_t block, int64_t blocks, pair *pairs)
{
    int64_t count = 0;
    for (int64_t i = 0; i < g->nodes; i++) {
        if (balance[i] == 0) continue;
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            int64_t to = g->neighbors[a], low = to < i ? to : i, high = to < i ? i : to;
            if (to == i || balance[to] == 0) continue;
            if (blocks > 1 && (int64_t)(pen_mix(as_lower(low) ^ as_higher(high)) % (uint64_t)blocks) != block) continue;
            if (pairs) pairs[count] = (pair){ low, high, a, to < i };
            count++;
        }
    }
    return count;
}

static pen_status report(const file_graph *g, const pair *pairs, int64_t count, unmatched_fn *found, void *context)
{
    for (int64_t begin = 0, end; begin < count; begin = end) {
        const pair *first = &pairs[begin], *back = NULL;
        for (end = begin; end < count && pairs[end].low == first->low && pairs[end].high == first->high; end++)
            if (!back && pairs[end].down) back = &pairs[end];
        if (back == first) PEN_TRY(found(context, first->high, first->arc, -1));
        else if (!back) PEN_TRY(found(context, first->low, first->arc, -1));
        else if (g->edge_weights && g->edge_weights[first->arc] != g->edge_weights[back->arc])
            PEN_TRY(found(context, first->low, first->arc, back->arc));
    }
    return PEN_OK;
}

static pen_status search(const file_graph *g, const uint64_t *balance, unmatched_fn *found, void *context)
{
    enum { SMALL = 1 << 16 };
    int64_t count = suspects(g, balance, 0, 1, NULL);
    int64_t most = g->rows[g->nodes] / 4 + SMALL, blocks = count / most + 1;
    for (int64_t block = 0; block < blocks; block++) {
        pair *pairs;
        int64_t here = blocks == 1 ? count : suspects(g, balance, block, blocks, NULL);
        PEN_TRY(PEN_ALLOC(&pairs, here));
        suspects(g, balance, block, blocks, pairs);
        qsort(pairs, (size_t)here, sizeof *pairs, by_pair);
        pen_status status = report(g, pairs, here, found, context);
        free(pairs);
        PEN_TRY(status);
    }
    return PEN_OK;
}

pen_status pen_file_graph_unmatched(const file_graph *g, unmatched_fn *found, void *context)
{
    uint64_t *balance;
    PEN_TRY(PEN_ALLOC_ZERO(&balance, g->nodes));
    add_balance(g, balance);
    pen_status status = search(g, balance, found, context);
    free(balance);
    return status;
}

static void find_loops(const file_graph *g, findings *f)
{
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++)
            if (g->neighbors[a] == i)
                pen_findings_add_arc(f, FINDING_ERROR, a, "node %" PRId64 " is its own neighbour",
                                     pen_file_graph_label(g, i));
}

static pen_status find_duplicates(const file_graph *g, findings *f)
{
    row_entry *entries;
    PEN_TRY(PEN_ALLOC(&entries, pen_file_graph_longest_row(g)));
    for (int64_t i = 0; i < g->nodes; i++) {
        int64_t degree = g->rows[i + 1] - g->rows[i];
        pen_file_graph_sort_row(g, i, entries);
        for (int64_t k = 1; k < degree; k++)
            if (entries[k].neighbor == entries[k - 1].neighbor && entries[k].neighbor != i)
                pen_findings_add_arc(f, FINDING_ERROR, g->rows[i] + entries[k].index,
                                     "node %" PRId64 " has neighbour %" PRId64 " more than once",
                                     pen_file_graph_label(g, i), pen_file_graph_label(g, entries[k].neighbor));
    }
    free(entries);
    return PEN_OK;
}

typedef struct unmatched {
    const file_graph *g;
    findings *f;
} unmatched;

static pen_status add_unmatched(void *context, int64_t from, int64_t arc, int64_t reverse)
{
    const unmatched *u = context;
    int64_t x = pen_file_graph_label(u->g, from), y = pen_file_graph_label(u->g, u->g->neighbors[arc]);
    if (reverse < 0)
        pen_findings_add_arc(u->f, FINDING_ERROR, arc,
                             "node %" PRId64 " has neighbour %" PRId64 ", but node %" PRId64
                             " does not have neighbour %" PRId64,
                             x, y, y, x);
    else
        pen_findings_add_arc(u->f, FINDING_ERROR, arc,
                             "the edge of nodes %" PRId64 " and %" PRId64 " has weight %" PRId64 " here and %" PRId64
                             " there",
                             x, y, u->g->edge_weights[arc], u->g->edge_weights[reverse]);
    return PEN_OK;
}

static void find_large_sum(const int64_t *values, int64_t count, int64_t stride, const char *what, findings *f)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = values[i * stride];
        if (value > 0 ? sum > INT64_MAX - value : sum < INT64_MIN - value) {
            PEN_LINE_ERROR(f, 0, "the sum of %s does not fit 64 bits", what);
            return;
        }
        sum += value;
    }
}

pen_status pen_file_graph_examine(const file_graph *g, unsigned holds, findings *f)
{
    graph_faults faults;
    PEN_TRY(pen_file_graph_faults(g, &faults));
    if (faults.loops && !(holds & HOLDS_LOOPS)) find_loops(g, f);
    if (faults.duplicates && !(holds & HOLDS_DUPLICATES)) PEN_TRY(find_duplicates(g, f));
    if (faults.reverses && !g->directed) PEN_TRY(pen_file_graph_unmatched(g, add_unmatched, &(unmatched){ g, f }));
    for (int64_t k = 0; k < g->weight_count; k++)
        find_large_sum(g->node_weights + k, g->nodes, g->weight_count, "node weights", f);
    if (g->node_sizes) find_large_sum(g->node_sizes, g->nodes, 1, "node sizes", f);
    if (g->edge_weights) find_large_sum(g->edge_weights, pen_file_graph_arcs(g), 1, "edge weights", f);
    return PEN_OK;
}
