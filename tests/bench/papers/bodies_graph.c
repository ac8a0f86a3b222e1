#include "tests/bench/papers/bodies_graph.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "tools/common/start_mpi.h"

#include <math.h>
#include <stdlib.h>

typedef struct arc {
    int32_t from, to; /* leaves */
    double reads, feeds;
} arc;

static int by_ends(const void *a, const void *b)
{
    const arc *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* A pair of arcs for each close leaf of each leaf, and what the leaves weigh. */
static pen_status find_close(const bodies_tree *t, double closeness, bodies_graph *g, arc **arcs, int64_t *count)
{
    int64_t room = 0;
    for (int32_t i = 0; i < t->count; i++) {
        const bodies_cell *v = &t->cells[i];
        if (v->leaf < 0) continue;
        double close = 0.0, far = 0.0, bodies = v->bodies;
        for (int32_t j = 0; j < t->count;) {
            const bodies_cell *w = &t->cells[j];
            if (!pen_bodies_are_close(w, v, closeness) && w != v) {
                far += 1.0;
                j = w->next;
                continue;
            }
            j++;
            if (w->leaf < 0 || w == v) continue;
            close += w->bodies;
            PEN_TRY(pen_reserve(arcs, sizeof **arcs, *count + 2, &room));
            (*arcs)[(*count)++] = (arc){ v->leaf, w->leaf, w->bodies, 0.0 };
            (*arcs)[(*count)++] = (arc){ w->leaf, v->leaf, 0.0, w->bodies };
        }
        g->work[v->leaf] = bodies * (bodies - 1.0 + close + far + 2.0);
        g->size[v->leaf] = bodies;
    }
    return PEN_OK;
}

/* Arcs of the same ends become one. */
static pen_status make_rows(arc *arcs, int64_t count, bodies_graph *g)
{
    PEN_TRY(PEN_ALLOC_ZERO(&g->rows, g->count + 1));
    PEN_TRY(PEN_ALLOC(&g->columns, count));
    PEN_TRY(PEN_ALLOC(&g->reads, count));
    PEN_TRY(PEN_ALLOC(&g->feeds, count));
    if (count > 0) qsort(arcs, (size_t)count, sizeof *arcs, by_ends);
    int64_t used = 0;
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && by_ends(&arcs[k - 1], &arcs[k]) == 0) {
            g->reads[used - 1] += arcs[k].reads;
            g->feeds[used - 1] += arcs[k].feeds;
            continue;
        }
        g->columns[used] = arcs[k].to;
        g->reads[used] = arcs[k].reads;
        g->feeds[used++] = arcs[k].feeds;
        g->rows[arcs[k].from + 1]++;
    }
    for (int32_t v = 0; v < g->count; v++) g->rows[v + 1] += g->rows[v];
    return PEN_OK;
}

static pen_status make_nodes(int32_t count, bodies_graph *g)
{
    g->count = count;
    PEN_TRY(PEN_ALLOC(&g->work, g->count));
    PEN_TRY(PEN_ALLOC(&g->size, g->count));
    PEN_TRY(PEN_ALLOC(&g->owners, g->count));
    for (int32_t v = 0; v < g->count; v++) g->owners[v] = -1;
    return PEN_OK;
}

static pen_status make_graph(const bodies_tree *t, double closeness, bodies_graph *g)
{
    arc *arcs = NULL;
    int64_t count = 0;
    PEN_TRY(make_nodes(t->leaves, g));
    pen_status status = find_close(t, closeness, g, &arcs, &count);
    if (status == PEN_OK) status = make_rows(arcs, count, g);
    free(arcs);
    return status;
}

pen_status pen_bodies_graph_of(const bodies_tree *tree, double closeness, bodies_graph *graph)
{
    *graph = (bodies_graph){ 0 };
    pen_status status = make_graph(tree, closeness, graph);
    if (status != PEN_OK) pen_bodies_graph_free(graph);
    return status;
}

pen_status pen_bodies_graph_create(int32_t count, uint64_t seed, bodies_graph *graph)
{
    bodies_body *bodies;
    bodies_tree tree;
    const bodies_case c = bodies_case_of(count);
    PEN_TRY(pen_bodies_place(count, seed, &bodies));
    pen_status status = pen_bodies_tree_create(count, bodies, c.cell_most, &tree);
    if (status == PEN_OK) status = pen_bodies_graph_of(&tree, c.closeness, graph);
    pen_bodies_tree_free(&tree);
    free(bodies);
    return status;
}

/* ---- Of a file -------------------------------------------------------------------------------- */

/* A node works for its bodies with those that it reads, at least. */
static pen_status check_node(const char *path, const pen_graph *from, pen_lid v)
{
    double pairs = 0.0;
    for (int64_t k = from->rows[v]; k < from->rows[v + 1]; k++) {
        int64_t w = from->neighbors[k], weight = from->edge_weights ? from->edge_weights[k] : 1;
        if (weight != from->node_sizes[w])
            return pen_fail(PEN_ERR_INPUT,
                            "%s: the arc from node %d to %" PRId64 " weighs %" PRId64 ", but that one has %" PRId64
                            " bodies: no graph of leaves",
                            path, v, w, weight, from->node_sizes[w]);
        pairs += (double)from->node_sizes[v] * (double)weight;
    }
    if ((double)pen_graph_load(from, v) < pairs)
        return pen_fail(PEN_ERR_INPUT, "%s: node %d has a weight of %" PRId64 ", less than its %.0f pairs of bodies",
                        path, v, pen_graph_load(from, v), pairs);
    return PEN_OK;
}

static pen_status check_file(const char *path, const pen_graph *from, int32_t *bodies)
{
    int64_t sum = 0;
    if (!from->node_sizes || !from->dense)
        return pen_fail(PEN_ERR_INPUT, "%s: no graph of leaves, as nbody --save-graph writes it: %s", path,
                        from->dense ? "it has no vertex sizes" : "its nodes are not numbered from 0 on");
    for (pen_lid v = 0; v < from->count; v++) {
        PEN_TRY(check_node(path, from, v));
        sum += from->node_sizes[v] < INT32_MAX ? from->node_sizes[v] : INT32_MAX;
    }
    return pen_to_lid(sum, path, bodies);
}

static pen_status fill_graph(const pen_graph *from, bodies_graph *g)
{
    arc *arcs;
    int64_t count = 0;
    PEN_TRY(make_nodes(from->count, g));
    PEN_TRY(PEN_ALLOC(&arcs, 2 * from->rows[from->count]));
    for (int32_t v = 0; v < from->count; v++) {
        g->work[v] = (double)pen_graph_load(from, v);
        g->size[v] = (double)from->node_sizes[v];
        for (int64_t k = from->rows[v]; k < from->rows[v + 1]; k++) {
            int32_t w = (int32_t)from->neighbors[k];
            double reads = (double)from->node_sizes[w];
            arcs[count++] = (arc){ v, w, reads, 0.0 };
            arcs[count++] = (arc){ w, v, 0.0, reads };
        }
    }
    pen_status status = make_rows(arcs, count, g);
    free(arcs);
    return status;
}

pen_status pen_bodies_graph_read(const char *path, bodies_graph *graph, int32_t *bodies)
{
    const pen_read_options directed = { .directed = true }; /* which METIS text does not tell */
    pen_graph *from = NULL;
    *graph = (bodies_graph){ 0 };
    PEN_TRY(pen_start_mpi());
    PEN_TRY(pen_graph_read(MPI_COMM_SELF, path, &directed, &from));
    pen_status status = check_file(path, from, bodies);
    if (status == PEN_OK) status = fill_graph(from, graph);
    pen_graph_destroy(&from);
    if (status != PEN_OK) pen_bodies_graph_free(graph);
    return status;
}

/* ---- Owners ------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* What most of so many values are, the least of equally many; they are sorted. */
static int32_t most_frequent(int32_t count, int32_t *values)
{
    int32_t best = values[0], times = 0;
    qsort(values, (size_t)count, sizeof *values, by_value);
    for (int32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && values[end] == values[first];) end++;
        if (end - first <= times) continue;
        times = end - first;
        best = values[first];
    }
    return best;
}

pen_status pen_bodies_graph_own(const bodies_tree *tree, const int32_t *of_bodies, bodies_graph *graph)
{
    int32_t *owners;
    PEN_TRY(PEN_ALLOC(&owners, tree->cells[0].bodies));
    for (int32_t i = 0; i < tree->count; i++) {
        const bodies_cell *v = &tree->cells[i];
        if (v->leaf < 0) continue;
        for (int32_t k = 0; k < v->bodies; k++) owners[k] = of_bodies[tree->items[v->first + k].body];
        graph->owners[v->leaf] = most_frequent(v->bodies, owners);
    }
    free(owners);
    return PEN_OK;
}

void pen_bodies_graph_mutual(bodies_graph *g)
{
    for (int32_t v = 0; v < g->count; v++)
        for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++)
            g->reads[k] = g->feeds[k] = fmax(g->size[v], g->size[g->columns[k]]);
}

pen_minex_graph pen_bodies_graph_view(const bodies_graph *g)
{
    return (pen_minex_graph){ .count = g->count,
                              .rows = g->rows,
                              .columns = g->columns,
                              .work = g->work,
                              .size = g->size,
                              .reads = g->reads,
                              .feeds = g->feeds,
                              .owners = g->owners };
}

void pen_bodies_graph_free(bodies_graph *g)
{
    PEN_FREE_ALL(g->rows, g->columns, g->work, g->size, g->reads, g->feeds, g->owners);
    *g = (bodies_graph){ 0 };
}
