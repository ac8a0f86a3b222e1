#include "arcs.h"

#include <stdlib.h>

void arc_list_free(arc_list *arcs)
{
    free(arcs->ends);
    free(arcs->weights);
    *arcs = (arc_list){ 0 };
}

pen_status arc_list_grow(arc_list *arcs)
{
    int64_t capacity = arcs->capacity + arcs->capacity / 4 + 1024;
    PEN_TRY(PEN_REALLOC(&arcs->ends, 2 * capacity));
    if (arcs->weighted) PEN_TRY(PEN_REALLOC(&arcs->weights, capacity));
    arcs->capacity = capacity;
    return PEN_OK;
}

/* ---- Numbers for ids ------------------------------------------------------------------------ */

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

pen_status arc_list_number(arc_list *arcs, int64_t **ids, int64_t *nodes)
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
        /* The last one that is not above id, without branches to mispredict. */
        for (int64_t left = count; left > 1; left -= left / 2) low = sorted[low + left / 2] <= id ? low + left / 2 : low;
        arcs->ends[i] = low;
    }
    *ids = sorted;
    *nodes = count;
    return PEN_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Entries "node, and whether the arc leads out of the row's" in rows. */
typedef struct table {
    int64_t *rows;      /* [nodes+2] while it is filled: row i is to begin at rows[i+1], which moves on */
    int64_t *entries;   /* 2 * node + out */
    int64_t *weights;   /* or NULL */
} table;

static void table_free(table *t)
{
    free(t->rows);
    free(t->entries);
    free(t->weights);
    *t = (table){ 0 };
}

/* With the sizes of the rows at rows[i+2]. */
static pen_status table_begin(table *t, int64_t nodes, bool weighted)
{
    for (int64_t i = 0; i < nodes; i++) t->rows[i + 2] += t->rows[i + 1];
    PEN_TRY(PEN_ALLOC(&t->entries, t->rows[nodes + 1]));
    return weighted ? PEN_ALLOC(&t->weights, t->rows[nodes + 1]) : PEN_OK;
}

static void table_add(table *t, int64_t row, int64_t node, int64_t out, const int64_t *weight)
{
    int64_t at = t->rows[row + 1]++;
    t->entries[at] = 2 * node + out;
    if (t->weights) t->weights[at] = *weight;
}

/* Every arc in the row of its end, and, where reverses are to be seen too, in that of its beginning. */
static pen_status by_end(const arc_list *arcs, int64_t nodes, file_graph *g, table *t)
{
    PEN_TRY(PEN_ALLOC_ZERO(&t->rows, nodes + 2));
    for (int64_t i = 0; i < arcs->count; i++) {
        int64_t from = arcs->ends[2 * i], to = arcs->ends[2 * i + 1];
        if (from == to) continue;
        t->rows[to + 2]++;
        if (!g->directed) t->rows[from + 2]++;
    }
    PEN_TRY(table_begin(t, nodes, arcs->weighted));
    for (int64_t i = 0; i < arcs->count; i++) {
        int64_t from = arcs->ends[2 * i], to = arcs->ends[2 * i + 1];
        const int64_t *weight = arcs->weighted ? &arcs->weights[i] : NULL;
        if (from == to) {
            g->notes.loops++;
            continue;
        }
        table_add(t, to, from, 1, weight);
        if (!g->directed) table_add(t, from, to, 0, weight);
    }
    return PEN_OK;
}

/* The transposed table. Where all rows are walked in ascending order, its rows come out ascending, and equal entries
 * in the order that they had. */
static pen_status transpose(const table *t, int64_t nodes, table *other)
{
    PEN_TRY(PEN_ALLOC_ZERO(&other->rows, nodes + 2));
    for (int64_t i = 0; i < t->rows[nodes]; i++) other->rows[t->entries[i] / 2 + 2]++;
    PEN_TRY(table_begin(other, nodes, t->weights != NULL));
    for (int64_t row = 0; row < nodes; row++)
        for (int64_t i = t->rows[row]; i < t->rows[row + 1]; i++)
            table_add(other, t->entries[i] / 2, row, t->entries[i] % 2, t->weights ? &t->weights[i] : NULL);
    return PEN_OK;
}

/* One of every run of equal nodes remains. An undirected edge is counted in the smaller node's row. */
static void merge(table *t, int64_t nodes, bool directed, file_notes *notes)
{
    int64_t kept = 0, begin = 0;
    for (int64_t row = 0; row < nodes; row++) {
        int64_t end = t->rows[row + 1];
        for (int64_t i = begin; i < end; kept++) {
            int64_t node = t->entries[i] / 2, outs = 0, count = 0, conflicts = 0, first = i;
            for (; i < end && t->entries[i] / 2 == node; i++, count++) {
                outs += t->entries[i] % 2;
                if (t->weights) conflicts += t->weights[i] != t->weights[first];
            }
            t->entries[kept] = node;
            if (t->weights) t->weights[kept] = t->weights[first];
            if (!directed && node < row) continue;
            int directions = (outs > 0) + (outs < count);
            notes->duplicates += count - directions;
            notes->conflicts += conflicts;
            if (directed) continue;
            notes->reversed += directions == 2;
            notes->one_way += directions == 1;
        }
        t->rows[row + 1] = kept;
        begin = end;
    }
}

pen_status arc_list_graph(arc_list *arcs, int64_t nodes, file_graph *g)
{
    table ends = { 0 }, rows = { 0 };
    pen_status status = by_end(arcs, nodes, g, &ends);
    arc_list_free(arcs);
    if (status == PEN_OK) status = transpose(&ends, nodes, &rows);
    table_free(&ends);
    if (status == PEN_OK) {
        merge(&rows, nodes, g->directed, &g->notes);
        status = PEN_REALLOC(&rows.entries, rows.rows[nodes]);
    }
    if (status == PEN_OK && rows.weights) status = PEN_REALLOC(&rows.weights, rows.rows[nodes]);
    if (status != PEN_OK) {
        table_free(&rows);
        return status;
    }
    g->nodes = nodes;
    g->rows = rows.rows;
    g->neighbors = rows.entries;
    g->edge_weights = rows.weights;
    return PEN_OK;
}
