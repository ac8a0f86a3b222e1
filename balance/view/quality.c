/* quality.c - measures of a distribution of nodes. */
#include "view/quality.h"
#include "base/key_table.h"
#include "base/memory.h"
#include "view/shadows.h"

#include <math.h>
#include <stdlib.h>

/* Indices of the sums and of the maxima over ranks. At LEAST is the negative of the smallest time. */
enum { CUT, PIECES, EMPTY, VOLUMES, COUNTS };
enum { MOST, LEAST, HEAVIEST, FASTEST, OFF_PROCESSOR, VOLUME, STEP_TIME, MAXIMA };

typedef struct tally {
    int64_t counts[COUNTS];
    double total, speed, dilation, maxima[MAXIMA];
    double communication; /* communication time of the part that was examined last */
} tally;

/* A division of a view's own nodes into parts. Shadows belong to no part; their owners are processors. */
typedef struct division {
    const pen_load_view *view;
    int parts;
    const int32_t *part; /* [count] part of each node, in [0, parts); NULL: all are in part 0 */
    int first, stride;   /* part p is on processor first + p * stride */
} division;

static int32_t processor_of_part(const division *d, int32_t part) { return d->first + part * d->stride; }

static int32_t part_of(const division *d, pen_lid node)
{
    if (node >= d->view->count) return -1;
    return d->part ? d->part[node] : 0;
}

/* ---- Loads and cut --------------------------------------------------------------------------- */

/* The load of a part, and the weight of its arcs. */
typedef struct share {
    double load;
    int64_t cut, inside;
} share;

static int64_t weight_of(const pen_load_view *view, uint32_t arc)
{
    return view->edge_weights ? view->edge_weights[arc] : 1;
}

static pen_status add_up(const division *d, bool directed, tally *t)
{
    const pen_load_view *view = d->view;
    share *parts;
    PEN_TRY(PEN_ALLOC_ZERO(&parts, d->parts));
    for (pen_lid i = 0; i < view->count; i++) {
        int32_t part = part_of(d, i);
        share *s = &parts[part];
        s->load += view->loads[i];
        t->total += view->loads[i];
        if (view->loads[i] > t->maxima[HEAVIEST]) t->maxima[HEAVIEST] = view->loads[i];
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1]; a++)
            *(part_of(d, view->columns[a]) != part ? &s->cut : &s->inside) += weight_of(view, a);
    }
    t->maxima[LEAST] = -HUGE_VAL;
    for (int p = 0; p < d->parts; p++) {
        double cut = (double)parts[p].cut, inside = (double)parts[p].inside;
        t->counts[CUT] += parts[p].cut;
        double speed = view->machine ? view->machine->speeds[processor_of_part(d, p)] : 1.0;
        double time = parts[p].load / speed;
        t->speed += speed;
        t->maxima[FASTEST] = fmax(t->maxima[FASTEST], speed);
        t->maxima[MOST] = fmax(t->maxima[MOST], time);
        t->maxima[LEAST] = fmax(t->maxima[LEAST], -time);
        if (parts[p].cut > 0)
            t->maxima[OFF_PROCESSOR] = fmax(t->maxima[OFF_PROCESSOR], cut / (cut + (directed ? inside : 0.5 * inside)));
    }
    free(parts);
    return PEN_OK;
}

/* ---- Connected pieces ------------------------------------------------------------------------ */

static pen_lid root(pen_lid *parent, pen_lid node)
{
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

/* Count connected pieces by union-find. In an undirected graph each edge is visited from one end only. */
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

/* ---- Volume and time ------------------------------------------------------------------------- */

/* Sort the nodes by part: order[begin[p] .. begin[p + 1]) become the nodes of part p. */
static pen_status sort_by_part(const division *d, int64_t **begin, pen_lid **order)
{
    PEN_TRY(PEN_ALLOC_ZERO(begin, (int64_t)d->parts + 1));
    PEN_TRY(PEN_ALLOC(order, d->view->count));
    for (pen_lid i = 0; i < d->view->count; i++) (*begin)[part_of(d, i)]++;
    for (int64_t p = 1; p <= d->parts; p++) (*begin)[p] += (*begin)[p - 1];
    for (pen_lid i = d->view->count; i-- > 0;) (*order)[--(*begin)[part_of(d, i)]] = i;
    return PEN_OK;
}

/* Count the nodes that each part reads from others. seen[v] is 1 + the last part that was found to read v. */
static pen_status find_volumes(const division *d, tally *t)
{
    const pen_load_view *view = d->view;
    int64_t *begin = NULL;
    pen_lid *order = NULL;
    int32_t *seen = NULL;
    if (!d->part) {
        t->counts[VOLUMES] = view->shadows;
        t->maxima[VOLUME] = view->shadows;
        return PEN_OK;
    }
    pen_status status = sort_by_part(d, &begin, &order);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&seen, (int64_t)view->count + view->shadows);
    for (int32_t p = 0; status == PEN_OK && p < d->parts; p++) {
        int64_t volume = 0;
        for (int64_t k = begin[p]; k < begin[p + 1]; k++)
            for (uint32_t a = view->rows[order[k]]; a < view->rows[order[k] + 1]; a++) {
                pen_lid v = view->columns[a];
                if (part_of(d, v) == p || seen[v] == p + 1) continue;
                seen[v] = p + 1;
                volume++;
            }
        t->counts[VOLUMES] += volume;
        t->maxima[VOLUME] = fmax(t->maxima[VOLUME], (double)volume);
    }
    PEN_FREE_ALL(begin, order, seen);
    return status;
}

static int32_t processor_of(const division *d, pen_lid node)
{
    if (node >= d->view->count) return d->view->owners[node - d->view->count];
    return processor_of_part(d, part_of(d, node));
}

/* The time of one part with the nodes [count]. seen[q] is 1 + the last part that was found to read from processor q. */
static double add_part(const division *d, int32_t processor, int64_t count, const pen_lid *nodes, int32_t *seen,
                       tally *t)
{
    const pen_load_view *view = d->view;
    const pen_machine *m = view->machine;
    double load = 0.0, communication = 0.0;
    for (int64_t k = 0; k < count; k++) {
        load += view->loads[nodes[k]];
        for (uint32_t a = view->rows[nodes[k]]; a < view->rows[nodes[k] + 1]; a++) {
            int32_t there = processor_of(d, view->columns[a]);
            if (there == processor) continue;
            pen_link link = m->link(m, processor, there);
            t->dilation += (double)weight_of(view, a) * link.cost;
            communication += (double)weight_of(view, a) * link.cost;
            if (seen[there] != processor + 1) communication += link.latency;
            seen[there] = processor + 1;
        }
    }
    t->communication = communication;
    return load / m->speeds[processor] + communication;
}

static pen_status find_times(const division *d, tally *t)
{
    int64_t *begin = NULL;
    pen_lid *order = NULL;
    int32_t *seen = NULL;
    if (!d->view->machine) return PEN_OK;
    pen_status status = sort_by_part(d, &begin, &order);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&seen, d->view->machine->processors);
    for (int32_t p = 0; status == PEN_OK && p < d->parts; p++) {
        double time = add_part(d, processor_of_part(d, p), begin[p + 1] - begin[p], order + begin[p], seen, t);
        t->maxima[STEP_TIME] = fmax(t->maxima[STEP_TIME], time);
    }
    PEN_FREE_ALL(begin, order, seen);
    return status;
}

/* ---- All measures ---------------------------------------------------------------------------- */

static void conclude(const tally *t, bool directed, pen_quality *q)
{
    double mean = t->total / t->speed;
    int64_t cut = t->counts[CUT];
    *q = (pen_quality){ .cut = directed ? cut : cut / 2,
                        .total = t->total,
                        .heaviest = t->maxima[HEAVIEST],
                        .imbalance = 1.0,
                        .bound = 1.0,
                        .off_processor = t->maxima[OFF_PROCESSOR],
                        .volume = t->counts[VOLUMES],
                        .max_volume = (int64_t)t->maxima[VOLUME],
                        .pieces = t->counts[PIECES],
                        .empty = (int)t->counts[EMPTY],
                        .dilation = directed ? t->dilation : 0.5 * t->dilation,
                        .step_time = t->maxima[STEP_TIME] };
    if (!(mean > 0.0)) return;
    q->imbalance = fmax(1.0, t->maxima[MOST] / mean);
    q->two_sided = fmax(t->maxima[MOST] - mean, mean + t->maxima[LEAST]) / mean;
    q->bound = fmax(1.0, t->maxima[HEAVIEST] / t->maxima[FASTEST] / mean);
}

/* Local. Compute this rank's share of the measures. */
static pen_status count(const division *d, bool directed, tally *t)
{
    PEN_TRY(add_up(d, directed, t));
    PEN_TRY(count_pieces(d, directed, t));
    PEN_TRY(find_volumes(d, t));
    return find_times(d, t);
}

/* Collective. Compute the measures, and combine them over the ranks. */
static pen_status count_together(pen_comm *comm, const division *d, bool directed, pen_quality *quality)
{
    tally t = { .total = 0.0 };
    PEN_TRY(pen_agree(comm, count(d, directed, &t)));
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, t.counts, COUNTS, MPI_INT64_T, MPI_SUM));
    double sums[3] = { t.total, t.speed, t.dilation };
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM));
    t.total = sums[0];
    t.speed = sums[1];
    t.dilation = sums[2];
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, t.maxima, MAXIMA, MPI_DOUBLE, MPI_MAX));
    conclude(&t, directed, quality);
    quality->communication = t.communication;
    return PEN_OK;
}

pen_status pen_quality_of_ranks(pen_comm *comm, const pen_load_view *view, bool directed, pen_quality *quality)
{
    const division d = { view, 1, NULL, comm->rank, 1 };
    return count_together(comm, &d, directed, quality);
}

pen_status pen_quality_of_division(pen_comm *comm, const pen_load_view *view, bool directed, int parts,
                                   const int32_t *part, pen_quality *quality)
{
    int mine = comm->rank < parts ? (parts - 1 - comm->rank) / comm->size + 1 : 0;
    const division d = { view, mine, part, comm->rank, comm->size };
    return count_together(comm, &d, directed, quality);
}

pen_status pen_quality_of_parts(const pen_load_view *view, bool directed, int parts, const int32_t *part,
                                pen_quality *quality)
{
    const division d = { view, parts, part, 0, 1 };
    tally t = { .total = 0.0 };
    PEN_TRY(count(&d, directed, &t));
    conclude(&t, directed, quality);
    return PEN_OK;
}

pen_status pen_quality_of_graph(const pen_graph *graph, const pen_machine *machine, int parts, const int32_t *part,
                                pen_quality *quality)
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
        const pen_load_view whole = { .count = graph->count,
                                      .loads = loads,
                                      .rows = rows,
                                      .columns = columns,
                                      .edge_weights = graph->edge_weights,
                                      .machine = machine };
        status = pen_quality_of_parts(&whole, graph->directed, parts, part, quality);
    }
    PEN_FREE_ALL(loads, rows, columns);
    return status;
}

/* ---- Measures of a plan ---------------------------------------------------------------------- */

/* Nodes of one rank that go to the same rank, and are connected within it, form a lump, which has the gid of one of
 * them. Connected pieces are made of lumps from several ranks; the destination counts them. */
typedef struct destined {
    pen_gid gid, lump;
    int64_t to;
} destined;

/* A connection of two lumps; or a single lump, listed as both ends. */
typedef struct bond {
    pen_gid lump, other;
} bond;

/* A list of bonds, and the ranks to which they are sent. */
typedef struct bonds {
    int64_t count, room;
    bond *list;
    int *to;
} bonds;

static pen_status add_bond(bonds *b, int to, pen_gid lump, pen_gid other)
{
    const bond *last = b->count > 0 && b->to[b->count - 1] == to ? &b->list[b->count - 1] : NULL;
    /* Equal bonds mostly follow each other along a border. */
    if (last && last->lump == lump && last->other == other) return PEN_OK;
    if (b->count == b->room) {
        b->room = 2 * b->room + 64;
        PEN_TRY(PEN_REALLOC(&b->list, b->room));
        PEN_TRY(PEN_REALLOC(&b->to, b->room));
    }
    b->to[b->count] = to;
    b->list[b->count++] = (bond){ lump, other };
    return PEN_OK;
}

static void find_lumps(const pen_load_view *view, const int32_t *to, pen_lid *parent)
{
    for (pen_lid i = 0; i < view->count; i++) parent[i] = i;
    for (pen_lid i = 0; i < view->count; i++)
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1]; a++)
            if (view->columns[a] < i && to[view->columns[a]] == to[i])
                parent[root(parent, i)] = root(parent, view->columns[a]);
}

/* List the bonds of this rank's lumps, and add twice its share of the cut to *cut. */
static pen_status list_bonds(const pen_load_view *view, const int32_t *to, pen_lid *parent, const destined *theirs,
                             bonds *b, double *cut)
{
    for (pen_lid i = 0; i < view->count; i++) {
        pen_gid lump = view->gids[root(parent, i)];
        if (view->gids[i] == lump) PEN_TRY(add_bond(b, to[i], lump, lump));
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1]; a++) {
            pen_lid next = view->columns[a];
            const destined *other = next < view->count ? NULL : &theirs[next - view->count];
            if ((other ? other->to : to[next]) != to[i]) *cut += (double)weight_of(view, a);
            else if (other && lump < other->lump) PEN_TRY(add_bond(b, to[i], lump, other->lump));
        }
    }
    return PEN_OK;
}

/* Count the connected pieces that received bonds form. */
static pen_status count_pieces_of_lumps(const pen_blocks *received, double *pieces)
{
    int64_t count = received->count > 0 ? received->offsets[received->count] / (int64_t)sizeof(bond) : 0;
    const bond *list = (const bond *)(const void *)received->data;
    pen_key_table places = { 0 };
    pen_lid *parent = NULL;
    pen_status status = pen_key_table_fit(&places, count);
    if (status == PEN_OK) status = PEN_ALLOC(&parent, count);
    for (int64_t k = 0; k < count && status == PEN_OK; k++) {
        parent[k] = (pen_lid)k;
        if (list[k].lump != list[k].other) continue;
        *pen_key_entry(&places, list, sizeof *list, (uint64_t)list[k].lump) = (uint32_t)k + 1;
        *pieces += 1.0;
    }
    if (*pieces > 0.0) *pieces -= 1.0;
    for (int64_t k = 0; k < count && status == PEN_OK; k++) {
        if (list[k].lump == list[k].other) continue;
        uint32_t one = *pen_key_entry(&places, list, sizeof *list, (uint64_t)list[k].lump),
                 other = *pen_key_entry(&places, list, sizeof *list, (uint64_t)list[k].other);
        if (one == 0 || other == 0) {
            status = pen_fail(PEN_ERR_INTERNAL, "an empty cluster of nodes");
            break;
        }
        pen_lid a = root(parent, (pen_lid)one - 1), b = root(parent, (pen_lid)other - 1);
        parent[a] = b;
        *pieces -= a != b;
    }
    pen_key_table_free(&places);
    free(parent);
    return status;
}

pen_status pen_quality_of_plan(pen_peers *peers, const pen_load_view *view, const int32_t *to, int64_t *cut,
                               int64_t *pieces)
{
    pen_lid *parent = NULL;
    pen_lid *border = NULL, count = 0;
    destined *mine = NULL, *theirs = NULL;
    bonds b = { 0 };
    const pen_parcels *send = NULL;
    const pen_blocks *received = NULL;
    double sums[2] = { 0.0, 0.0 };
    pen_status status = PEN_ALLOC(&parent, view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&border, view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&mine, view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&theirs, view->shadows);
    if (status == PEN_OK) {
        find_lumps(view, to, parent);
        for (pen_lid i = 0; i < view->count; i++) {
            bool inner = true;
            for (uint32_t a = view->rows[i]; a < view->rows[i + 1] && inner; a++)
                inner = view->columns[a] < view->count;
            if (inner) continue;
            border[count] = i;
            mine[count++] = (destined){ view->gids[i], view->gids[root(parent, i)], to[i] };
        }
        status = pen_shadows_tell(peers, view, count, border, mine, sizeof *mine, theirs);
    }
    if (status == PEN_OK) status = list_bonds(view, to, parent, theirs, &b, &sums[0]);
    if (status == PEN_OK) status = peers->group(peers, b.count, b.to, b.list, sizeof *b.list, NULL, &send);
    if (status == PEN_OK) status = peers->exchange(peers, false, send, &received);
    if (status == PEN_OK) status = count_pieces_of_lumps(received, &sums[1]);
    PEN_FREE_ALL(parent, border, mine, theirs, b.list, b.to);
    PEN_TRY(status);
    PEN_TRY(peers->reduce(peers, 2, sums, 0, NULL));
    *cut = (int64_t)(0.5 * sums[0]);
    *pieces = (int64_t)sums[1];
    return PEN_OK;
}
