/* arcs.c - makes graphs from lists of arcs. */
#include "tools/graph/arcs.h"

#include <stdlib.h>

void pen_arc_list_free(arc_list *arcs)
{
    PEN_FREE_ALL(arcs->ends, arcs->weights, arcs->values);
    *arcs = (arc_list){ 0 };
}

pen_status pen_arc_list_grow(arc_list *arcs)
{
    int64_t capacity = arcs->capacity + arcs->capacity / 4 + 1024;
    PEN_TRY(PEN_REALLOC(&arcs->ends, 2 * capacity));
    if (arcs->weighted) PEN_TRY(PEN_REALLOC(&arcs->weights, capacity));
    if (arcs->valued) PEN_TRY(PEN_REALLOC(&arcs->values, capacity));
    arcs->capacity = capacity;
    return PEN_OK;
}

/* ---- Numbering of ids ----------------------------------------------------------------------- */

/* Sort non-negative words in place by the byte at `shift` and all below it: American flag sort (McIlroy, Bostic and
 * McIlroy, Computing Systems 6(1), 1993), insertion sort for few. */
static void sort_words(int64_t *words, int64_t count, int shift)
{
    if (count <= 32) {
        for (int64_t i = 1; i < count; i++) {
            int64_t word = words[i], at = i;
            for (; at > 0 && words[at - 1] > word; at--) words[at] = words[at - 1];
            words[at] = word;
        }
        return;
    }
    int64_t next[256], end[256], sizes[256] = { 0 }, sum = 0;
    for (int64_t i = 0; i < count; i++) sizes[words[i] >> shift & 255]++;
    for (int b = 0; b < 256; b++) {
        next[b] = sum;
        end[b] = sum += sizes[b];
    }
    for (int b = 0; b < 256; b++) {
        while (next[b] < end[b]) {
            int64_t word = words[next[b]];
            for (int home = (int)(word >> shift & 255); home != b; home = (int)(word >> shift & 255)) {
                int64_t other = words[next[home]];
                words[next[home]++] = word;
                word = other;
            }
            words[next[b]++] = word;
        }
    }
    if (shift == 0) return;
    for (int b = 0; b < 256; b++) sort_words(words + end[b] - sizes[b], sizes[b], shift - 8);
}

/* Number the ids: (*ids)[0 .. *nodes-1] become the different ids, ascending, which the caller frees. */
static pen_status number_ids(arc_list *arcs, int64_t **ids, int64_t *nodes)
{
    int64_t *sorted, words = 2 * arcs->count, count = 0, largest = 0;
    PEN_TRY(PEN_ALLOC(&sorted, words));
    for (int64_t i = 0; i < words; i++) {
        sorted[i] = arcs->ends[i];
        if (sorted[i] > largest) largest = sorted[i];
    }
    int shift = 0;
    while (shift < 56 && largest >> (shift + 8) > 0) shift += 8;
    sort_words(sorted, words, shift);
    for (int64_t i = 0; i < words; i++)
        if (i == 0 || sorted[i] != sorted[i - 1]) sorted[count++] = sorted[i];
    pen_status status = PEN_REALLOC(&sorted, count);
    if (status != PEN_OK) {
        free(sorted);
        return status;
    }
    bool consecutive = count > 0 && sorted[count - 1] - sorted[0] == count - 1;
    for (int64_t i = 0; i < words; i++) {
        int64_t id = arcs->ends[i], low = 0;
        if (consecutive) {
            arcs->ends[i] = id - sorted[0];
            continue;
        }
        /* Find the last id that is not above this one, without branches, which would be unpredictable. */
        for (int64_t left = count; left > 1; left -= left / 2)
            low = sorted[low + left / 2] <= id ? low + left / 2 : low;
        arcs->ends[i] = low;
    }
    *ids = sorted;
    *nodes = count;
    return PEN_OK;
}

pen_status pen_arc_list_take_ids(arc_list *arcs, file_graph *g, int64_t *nodes)
{
    int64_t *ids, count;
    PEN_TRY(number_ids(arcs, &ids, nodes));
    count = *nodes;
    if (count > 0) g->base = ids[0];
    if (count > 0) g->notes.gaps = ids[count - 1] - ids[0] + 1 - count;
    if (g->notes.gaps > 0 || g->base > 1) g->labels = ids;
    else free(ids);
    return PEN_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* While rows are made, a neighbour is an entry: 2 * node, + 1 if the arc leads from the row's node to it. A row's
 * entries are in the order of the list. g->rows has nodes + 2 elements; while rows are filled, rows[i + 1] is the next
 * free position of row i. */

/* Compute the beginnings of rows. An undirected arc is in both rows; a loop, if kept, is in one. */
static void size_rows(const arc_list *arcs, bool loops, file_graph *g)
{
    int64_t *rows = g->rows;
    for (int64_t i = 0; i < arcs->count; i++) {
        int64_t from = arcs->ends[2 * i], to = arcs->ends[2 * i + 1];
        if (from == to && !loops) continue;
        rows[from + 2]++;
        if (!g->directed && from != to) rows[to + 2]++;
    }
    for (int64_t i = 0; i < g->nodes; i++) rows[i + 2] += rows[i + 1];
}

/* Fill the entries, or the weights and values if there are no entries yet. */
static void fill_rows(const arc_list *arcs, bool loops, file_graph *g)
{
    int64_t *next = g->rows + 1;
    for (int64_t i = 0; i < arcs->count; i++) {
        int64_t from = arcs->ends[2 * i], to = arcs->ends[2 * i + 1];
        if (from == to && !loops) continue;
        int64_t out = next[from]++, in = g->directed || from == to ? out : next[to]++;
        if (g->neighbors) {
            g->neighbors[in] = 2 * from;
            g->neighbors[out] = 2 * to + 1;
        } else {
            if (arcs->weights) g->edge_weights[in] = g->edge_weights[out] = arcs->weights[i];
            if (arcs->values) g->values[in] = g->values[out] = arcs->values[i];
        }
    }
}

/* Fill the rows, and empty the list. Weights and values come first: the list's arrays of these are freed before the
 * entries are allocated. */
static pen_status fill(arc_list *arcs, int64_t nodes, bool loops, file_graph *g)
{
    PEN_TRY(PEN_ALLOC_ZERO(&g->rows, nodes + 2));
    g->nodes = nodes;
    size_rows(arcs, loops, g);
    int64_t entries = g->rows[nodes + 1];
    if (!arcs->weighted) {
        free(arcs->weights);
        arcs->weights = NULL;
    }
    if (arcs->weighted) PEN_TRY(PEN_ALLOC(&g->edge_weights, entries));
    if (arcs->valued) PEN_TRY(PEN_ALLOC(&g->values, entries));
    if (arcs->weighted || arcs->valued) {
        fill_rows(arcs, loops, g);
        PEN_FREE_ALL(arcs->weights, arcs->values);
        arcs->weights = NULL;
        arcs->values = NULL;
        memmove(g->rows + 1, g->rows, (size_t)(nodes + 1) * sizeof *g->rows);
    }
    PEN_TRY(PEN_ALLOC(&g->neighbors, entries));
    fill_rows(arcs, loops, g);
    pen_arc_list_free(arcs);
    return PEN_OK;
}

/* Add a weight to another one, both of at most 18 digits. PEN_ERR_INPUT if the sum has more digits. */
static pen_status add(int64_t *weight, int64_t more)
{
    const int64_t most = INT64_C(999999999999999999), sum = *weight + more;
    if (sum > most || sum < -most)
        return pen_fail(PEN_ERR_INPUT, "the weights of an edge add up to a number of more than 18 digits");
    *weight = sum;
    return PEN_OK;
}

pen_status pen_arcs_add(file_graph *g, int64_t at, int64_t i)
{
    if (g->values) g->values[at] += g->values[i];
    return g->edge_weights ? add(&g->edge_weights[at], g->edge_weights[i]) : PEN_OK;
}

/* Set the weight of every entry of the row begin .. end-1 to the sum over the entries of the same node and direction.
 * `first` [2*nodes] is -1 at first, and has indices of earlier rows later. */
static pen_status add_up(file_graph *g, int64_t begin, int64_t end, int64_t *first)
{
    for (int64_t i = begin; i < end; i++) {
        int64_t *at = &first[g->neighbors[i]];
        if (*at < begin) {
            *at = i;
            continue;
        }
        PEN_TRY(pen_arcs_add(g, *at, i));
    }
    for (int64_t i = begin; i < end; i++) {
        int64_t at = first[g->neighbors[i]];
        if (g->values) g->values[i] = g->values[at];
        if (g->edge_weights) g->edge_weights[i] = g->edge_weights[at];
    }
    return PEN_OK;
}

void pen_arcs_combine(file_graph *g, int64_t at, int64_t i)
{
    int64_t *weights = g->edge_weights;
    double *values = g->values;
    if (weights) g->notes.conflicts += weights[i] != weights[at];
    else if (values) g->notes.conflicts += values[i] != values[at];
    if (weights && pen_weight_replaces(g->rule, weights[i]<weights[at], weights[i]> weights[at]))
        weights[at] = weights[i];
    if (values && pen_weight_replaces(g->rule, values[i]<values[at], values[i]> values[at])) values[at] = values[i];
}

/* Choose the entry that stays for every node of the row begin .. end-1: last[node] becomes 2 * its index + whether
 * another entry leads in. `last` is -1 at first, and has indices of earlier rows later. The weight moves to the entry
 * that stays. */
static void choose(file_graph *g, int64_t begin, int64_t end, int64_t *last)
{
    for (int64_t i = begin; i < end; i++) {
        int64_t node = g->neighbors[i] / 2, out = g->neighbors[i] % 2, at = last[node] / 2;
        if (last[node] < 2 * begin) {
            last[node] = 2 * i + !out;
            continue;
        }
        pen_arcs_combine(g, at, i);
        if (out && g->neighbors[at] % 2 == 0) {
            if (g->edge_weights) g->edge_weights[i] = g->edge_weights[at];
            if (g->values) g->values[i] = g->values[at];
            last[node] = 2 * i + 1;
        } else {
            last[node] |= !out;
        }
    }
}

/* Keep one entry of every node in each row: the first outgoing one, or else the first. `first` as in add_up, or NULL;
 * `last` as in choose. */
static pen_status merge_rows(file_graph *g, int64_t *first, int64_t *last)
{
    file_notes *notes = &g->notes;
    int64_t kept = 0, begin = 0;
    for (int64_t row = 0; row < g->nodes; row++) {
        int64_t end = g->rows[row + 1];
        if (first) PEN_TRY(add_up(g, begin, end, first));
        choose(g, begin, end, last);
        notes->duplicates += end - begin;
        for (int64_t i = begin; i < end; i++) {
            int64_t node = g->neighbors[i] / 2, directions = g->neighbors[i] % 2 + last[node] % 2;
            if (last[node] / 2 != i) continue;
            notes->duplicates -= directions;
            if (!g->directed) *(directions == 2 ? &notes->reversed : &notes->one_way) += 1;
            if (g->edge_weights) g->edge_weights[kept] = g->edge_weights[i];
            if (g->values) g->values[kept] = g->values[i];
            g->neighbors[kept++] = node;
        }
        g->rows[row + 1] = kept;
        begin = end;
    }
    return PEN_OK;
}

static pen_status merge(file_graph *g)
{
    file_notes *notes = &g->notes;
    int64_t *last = NULL, *first = NULL;
    bool adds = g->rule == WEIGHT_SUM && (g->edge_weights || g->values);
    pen_status status = PEN_ALLOC(&last, g->nodes);
    if (status == PEN_OK && adds) status = PEN_ALLOC(&first, 2 * g->nodes);
    for (int64_t i = 0; status == PEN_OK && i < g->nodes; i++) last[i] = -1;
    for (int64_t i = 0; status == PEN_OK && adds && i < 2 * g->nodes; i++) first[i] = -1;
    if (status == PEN_OK) status = merge_rows(g, first, last);
    PEN_FREE_ALL(last, first);
    if (g->directed || status != PEN_OK) return status;
    /* Every edge was counted in both of its rows. */
    notes->duplicates /= 2;
    notes->conflicts /= 2;
    notes->reversed /= 2;
    notes->one_way /= 2;
    return PEN_OK;
}

/* Give back the room of entries that were merged. */
static pen_status shrink(file_graph *g)
{
    const int64_t entries = pen_file_graph_arcs(g);
    PEN_TRY(PEN_REALLOC(&g->neighbors, entries));
    if (g->edge_weights) PEN_TRY(PEN_REALLOC(&g->edge_weights, entries));
    return g->values ? PEN_REALLOC(&g->values, entries) : PEN_OK;
}

pen_status pen_arc_list_graph(arc_list *arcs, int64_t nodes, file_graph *g)
{
    for (int64_t i = 0; i < arcs->count; i++) g->notes.loops += arcs->ends[2 * i] == arcs->ends[2 * i + 1];
    PEN_TRY(fill(arcs, nodes, false, g));
    PEN_TRY(merge(g));
    return shrink(g);
}

pen_status pen_arc_list_rows(arc_list *arcs, int64_t nodes, file_graph *g)
{
    PEN_TRY(fill(arcs, nodes, true, g));
    for (int64_t a = 0; a < pen_file_graph_arcs(g); a++) g->neighbors[a] /= 2;
    return shrink(g);
}

bool pen_arc_list_once(const file_graph *g)
{
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i] + 1; a < g->rows[i + 1]; a++)
            if (g->neighbors[a] < i && g->neighbors[a] < g->neighbors[a - 1]) return false;
    return true;
}
