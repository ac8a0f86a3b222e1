#include "view/quality.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* What is added up over the ranks of a graph, and what the maximum is taken of. */
enum { CUT, PIECES, EMPTY, COUNTS };
enum { MOST, LEAST /* negative */, HEAVIEST, VOLUME, MAXIMA };

typedef struct tally {
    int64_t counts[COUNTS];
    double total, maxima[MAXIMA];
} tally;

/* Of a view's own nodes. Shadows are in none of the parts. */
typedef struct division {
    const pen_load_view *view;
    int parts;
    const int32_t *part; /* [count] in [0, parts), or NULL: all are in part 0 */
} division;

static int32_t part_of(const division *d, pen_lid node)
{
    if (node >= d->view->count) return -1;
    return d->part ? d->part[node] : 0;
}

/* ---- Loads and cut --------------------------------------------------------------------------- */

static pen_status add_up(const division *d, tally *t)
{
    const pen_load_view *view = d->view;
    double *loads;
    PEN_TRY(PEN_ALLOC_ZERO(&loads, d->parts));
    for (pen_lid i = 0; i < view->count; i++) {
        int32_t part = part_of(d, i);
        loads[part] += view->loads[i];
        t->total += view->loads[i];
        if (view->loads[i] > t->maxima[HEAVIEST]) t->maxima[HEAVIEST] = view->loads[i];
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1]; a++)
            if (part_of(d, view->columns[a]) != part) t->counts[CUT] += view->edge_weights ? view->edge_weights[a] : 1;
    }
    t->maxima[LEAST] = -HUGE_VAL;
    for (int p = 0; p < d->parts; p++) {
        t->maxima[MOST] = fmax(t->maxima[MOST], loads[p]);
        t->maxima[LEAST] = fmax(t->maxima[LEAST], -loads[p]);
    }
    free(loads);
    return PEN_OK;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static pen_lid root(pen_lid *parent, pen_lid node)
{
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

/* By union-find. Where a graph is undirected, each edge is looked at from its later end. */
static pen_status count_pieces(const division *d, bool directed, tally *t)
{
    const pen_load_view *view = d->view;
    pen_lid *parent = NULL;
    bool *used = NULL;
    int64_t pieces = view->count;
    pen_status status = PEN_ALLOC(&parent, view->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&used, d->parts);
    for (pen_lid i = 0; status == PEN_OK && i < view->count; i++) parent[i] = i;
    for (pen_lid i = 0; status == PEN_OK && i < view->count; i++) {
        int32_t part = part_of(d, i);
        used[part] = true;
        pen_lid mine = root(parent, i);
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1]; a++) {
            pen_lid neighbor = view->columns[a];
            if ((neighbor > i && !directed) || part_of(d, neighbor) != part) continue;
            pen_lid its = root(parent, neighbor);
            parent[mine] = its;
            pieces -= mine != its;
            mine = its;
        }
    }
    for (int p = 0; status == PEN_OK && p < d->parts; p++) {
        t->counts[EMPTY] += !used[p];
        pieces -= used[p];
    }
    t->counts[PIECES] = pieces;
    PEN_FREE_ALL(parent, used);
    return status;
}

/* ---- Volume ---------------------------------------------------------------------------------- */

/* Part by part; seen[v] is the last part that was found to need v, and one. */
static pen_status find_max_volume(const division *d, tally *t)
{
    const pen_load_view *view = d->view;
    int64_t *begin = NULL;
    pen_lid *order = NULL;
    int32_t *seen = NULL;
    pen_status status = PEN_ALLOC_ZERO(&begin, (int64_t)d->parts + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&order, view->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&seen, view->count);
    if (status == PEN_OK) {
        for (pen_lid i = 0; i < view->count; i++) begin[d->part[i]]++;
        for (int p = 1; p <= d->parts; p++) begin[p] += begin[p - 1];
        for (pen_lid i = view->count; i-- > 0;) order[--begin[d->part[i]]] = i;
    }
    for (int32_t p = 0; status == PEN_OK && p < d->parts; p++) {
        int64_t volume = 0;
        for (int64_t k = begin[p]; k < begin[p + 1]; k++)
            for (uint32_t a = view->rows[order[k]]; a < view->rows[order[k] + 1]; a++) {
                pen_lid v = view->columns[a];
                if (d->part[v] == p || seen[v] == p + 1) continue;
                seen[v] = p + 1;
                volume++;
            }
        t->maxima[VOLUME] = fmax(t->maxima[VOLUME], (double)volume);
    }
    PEN_FREE_ALL(begin, order, seen);
    return status;
}

/* ---- Together -------------------------------------------------------------------------------- */

static void conclude(const tally *t, bool directed, int parts, pen_quality *q)
{
    double mean = t->total / parts;
    int64_t cut = t->counts[CUT];
    *q = (pen_quality){ .cut = directed ? cut : cut / 2,
                        .total = t->total,
                        .heaviest = t->maxima[HEAVIEST],
                        .imbalance = 1.0,
                        .bound = 1.0,
                        .max_volume = (int64_t)t->maxima[VOLUME],
                        .pieces = t->counts[PIECES],
                        .empty = (int)t->counts[EMPTY] };
    if (!(mean > 0.0)) return;
    q->imbalance = fmax(1.0, t->maxima[MOST] / mean);
    q->two_sided = fmax(t->maxima[MOST] - mean, mean + t->maxima[LEAST]) / mean;
    q->bound = fmax(1.0, t->maxima[HEAVIEST] / mean);
}

pen_status pen_quality_of_ranks(pen_comm *comm, const pen_load_view *view, bool directed, pen_quality *quality)
{
    const division d = { view, 1, NULL };
    tally t = { .maxima[VOLUME] = view->shadows };
    pen_status status = add_up(&d, &t);
    if (status == PEN_OK) status = count_pieces(&d, directed, &t);
    PEN_TRY(pen_agree(comm, status));
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, t.counts, COUNTS, MPI_INT64_T, MPI_SUM, comm->mpi));
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, &t.total, 1, MPI_DOUBLE, MPI_SUM, comm->mpi));
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, t.maxima, MAXIMA, MPI_DOUBLE, MPI_MAX, comm->mpi));
    conclude(&t, directed, comm->size, quality);
    return PEN_OK;
}

pen_status pen_quality_of_parts(const pen_load_view *view, bool directed, int parts, const int32_t *part,
                                pen_quality *quality)
{
    const division d = { view, parts, part };
    tally t = { .total = 0.0 };
    PEN_TRY(add_up(&d, &t));
    PEN_TRY(count_pieces(&d, directed, &t));
    PEN_TRY(find_max_volume(&d, &t));
    conclude(&t, directed, parts, quality);
    return PEN_OK;
}

pen_status pen_quality_of_graph(const pen_graph *graph, int parts, const int32_t *part, pen_quality *quality)
{
    int64_t arcs = graph->rows[graph->count];
    double *loads = NULL;
    uint32_t *rows = NULL;
    pen_lid *columns = NULL;
    if (arcs > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " neighbours on one rank, 2^32 - 1 are possible", arcs);
    pen_status status = PEN_ALLOC(&loads, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&rows, (int64_t)graph->count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&columns, arcs);
    if (status == PEN_OK) {
        for (pen_lid i = 0; i < graph->count; i++) loads[i] = (double)pen_graph_load(graph, i);
        for (pen_lid i = 0; i <= graph->count; i++) rows[i] = (uint32_t)graph->rows[i];
        for (int64_t j = 0; j < arcs; j++) columns[j] = (pen_lid)graph->neighbors[j];
        const pen_load_view whole = {
            .count = graph->count, .loads = loads, .rows = rows, .columns = columns, .edge_weights = graph->edge_weights
        };
        status = pen_quality_of_parts(&whole, graph->directed, parts, part, quality);
    }
    PEN_FREE_ALL(loads, rows, columns);
    return status;
}
