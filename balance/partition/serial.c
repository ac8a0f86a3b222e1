#include "partition/serial.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    CHUNK = 1 << 16, /* elements per message */
    TAG_COUNT = 11,
    TAG_DATA = 12
};

static int chunk_size(int64_t left) { return (int)(left < CHUNK ? left : CHUNK); }

/* What the ranks send, one kind after the other. */
typedef enum kind { GIDS, DEGREES, NEIGHBORS, EDGE_WEIGHTS, LOADS, SIZES } kind;

static int64_t kind_count(const pen_graph *graph, kind what)
{
    return what == NEIGHBORS || what == EDGE_WEIGHTS ? graph->rows[graph->count] : graph->count;
}

/* Elements [from, from + n) of what this rank has of a kind. */
static void read_kind(const pen_graph *graph, kind what, int64_t from, int64_t n, int64_t *chunk)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t i = from + k;
        switch (what) {
        case GIDS: chunk[k] = graph->gids[i]; break;
        case DEGREES: chunk[k] = graph->rows[i + 1] - graph->rows[i]; break;
        case NEIGHBORS: chunk[k] = graph->neighbors[i]; break;
        case EDGE_WEIGHTS: chunk[k] = graph->edge_weights[i]; break;
        case LOADS: chunk[k] = pen_graph_load(graph, (pen_lid)i); break;
        case SIZES: chunk[k] = graph->node_sizes[i]; break;
        }
    }
}

/* ---- Rank 0's side ---------------------------------------------------------------------------- */

/* A gid and where its node comes in rank order. */
typedef struct labelled {
    pen_gid gid;
    int32_t arrival;
} labelled;

typedef struct gathering {
    pen_serial_graph *serial;
    labelled *labels; /* [nodes] by row, or NULL where gids are dense */
    int64_t *chunk;   /* [CHUNK], on every rank */
    int64_t next;     /* node or arc in rank order that arrives next */
    int32_t node;     /* whose arcs are arriving, and how many of them have */
    int32_t arcs;
} gathering;

static int by_gid(const void *a, const void *b)
{
    pen_gid x = ((const labelled *)a)->gid, y = ((const labelled *)b)->gid;
    return (x > y) - (x < y);
}

static int32_t row_of(const gathering *g, int64_t arrival)
{
    return g->serial->row_of ? g->serial->row_of[arrival] : (int32_t)arrival;
}

/* The row of a gid that is known to exist, since the graph is valid. */
static int32_t row_of_gid(const gathering *g, pen_gid gid)
{
    if (!g->labels) return (int32_t)gid;
    const labelled key = { gid, 0 };
    const labelled *found = bsearch(&key, g->labels, (size_t)g->serial->nodes, sizeof key, by_gid);
    PEN_INVARIANT(found != NULL);
    return (int32_t)(found - g->labels);
}

/* Where the next arc in rank order belongs. */
static int32_t next_arc(gathering *g)
{
    const int32_t *rows = g->serial->rows;
    int32_t row = row_of(g, g->node);
    while (g->arcs == rows[row + 1] - rows[row]) {
        g->arcs = 0;
        row = row_of(g, ++g->node);
    }
    return rows[row] + g->arcs++;
}

static void write_kind(gathering *g, kind what, int64_t n, const int64_t *chunk)
{
    pen_serial_graph *s = g->serial;
    for (int64_t k = 0; k < n; k++) {
        switch (what) {
        case GIDS: g->labels[g->next] = (labelled){ chunk[k], (int32_t)g->next }; break;
        case DEGREES: s->rows[row_of(g, g->next) + 1] = (int32_t)chunk[k]; break;
        case NEIGHBORS: s->neighbors[next_arc(g)] = row_of_gid(g, chunk[k]); break;
        case EDGE_WEIGHTS: s->edge_weights[next_arc(g)] = (int32_t)chunk[k]; break;
        case LOADS: s->loads[row_of(g, g->next)] = (int32_t)chunk[k]; break;
        case SIZES: s->sizes[row_of(g, g->next)] = (int32_t)chunk[k]; break;
        }
        g->next++;
    }
}

/* ---- Gather ----------------------------------------------------------------------------------- */

static pen_status gather_kind(const pen_graph *graph, gathering *g, kind what)
{
    pen_comm *comm = graph->comm;
    int64_t mine = kind_count(graph, what), count = mine;
    g->next = g->node = g->arcs = 0;
    if (comm->rank > 0) PEN_MPI(MPI_Send(&mine, 1, MPI_INT64_T, 0, TAG_COUNT, comm->mpi));
    for (int source = 0; source < (comm->rank == 0 ? comm->size : 1); source++) {
        if (comm->rank == 0 && source > 0)
            PEN_MPI(MPI_Recv(&count, 1, MPI_INT64_T, source, TAG_COUNT, comm->mpi, MPI_STATUS_IGNORE));
        for (int64_t from = 0; from < count; from += CHUNK) {
            int n = chunk_size(count - from);
            if (comm->rank > 0 || source == 0) read_kind(graph, what, from, n, g->chunk);
            if (comm->rank > 0)
                PEN_MPI(MPI_Send(g->chunk, n, MPI_INT64_T, 0, TAG_DATA, comm->mpi));
            else if (source > 0)
                PEN_MPI(MPI_Recv(g->chunk, n, MPI_INT64_T, source, TAG_DATA, comm->mpi, MPI_STATUS_IGNORE));
            if (comm->rank == 0) write_kind(g, what, n, g->chunk);
        }
    }
    return PEN_OK;
}

/* Sums that must fit 31 bits. A node's size counts twice per arc, since METIS makes weights of arcs of the
 * sizes of their ends. */
typedef enum sum { NODES, ARCS, LOAD_SUM, WEIGHT_SUM, SIZE_SUM, SUMS } sum;

static pen_status add_up(const pen_graph *graph, const char *partitioner, double sums[SUMS])
{
    static const char *const names[SUMS] = { "number of nodes", "number of arcs", "sum of loads",
                                             "sum of edge weights over all arcs", "sum of node sizes over all arcs" };
    double mine[SUMS] = { 0 }, copies = graph->directed ? 2 : 1; /* of an arc */
    mine[NODES] = graph->count;
    mine[ARCS] = copies * (double)graph->rows[graph->count];
    for (pen_lid i = 0; i < graph->count; i++) {
        mine[LOAD_SUM] += (double)pen_graph_load(graph, i);
        if (graph->node_sizes)
            mine[SIZE_SUM] += copies * (double)(graph->rows[i + 1] - graph->rows[i]) *
                              (2.0 * (double)graph->node_sizes[i] + 1);
    }
    for (int64_t j = 0; graph->edge_weights && j < graph->rows[graph->count]; j++)
        mine[WEIGHT_SUM] += copies * (double)graph->edge_weights[j];
    PEN_MPI(MPI_Allreduce(mine, sums, SUMS, MPI_DOUBLE, MPI_SUM, graph->comm->mpi));
    for (int i = 0; i < SUMS; i++)
        if (sums[i] > INT32_MAX)
            return pen_fail(PEN_ERR_UNSUPPORTED, "partitioner %s counts in 32 bits: the %s is %.4g, must be at most %d",
                            partitioner, names[i], sums[i], INT32_MAX);
    return PEN_OK;
}

static pen_status allocate(const pen_graph *graph, const double sums[SUMS], gathering *g)
{
    PEN_TRY(PEN_ALLOC(&g->chunk, CHUNK));
    if (graph->comm->rank > 0) return PEN_OK;
    pen_serial_graph *s = g->serial;
    int64_t nodes = (int64_t)sums[NODES], arcs = (int64_t)sums[ARCS] / (graph->directed ? 2 : 1);
    s->nodes = (int32_t)nodes;
    PEN_TRY(PEN_ALLOC_ZERO(&s->rows, nodes + 1));
    PEN_TRY(PEN_ALLOC(&s->neighbors, arcs));
    if (sums[LOAD_SUM] > 0 && graph->node_weights) PEN_TRY(PEN_ALLOC(&s->loads, nodes));
    if (graph->edge_weights) PEN_TRY(PEN_ALLOC(&s->edge_weights, arcs));
    if (graph->node_sizes) PEN_TRY(PEN_ALLOC(&s->sizes, nodes));
    if (graph->dense) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&g->labels, nodes));
    return PEN_ALLOC(&s->row_of, nodes);
}

static pen_status gather_all(const pen_graph *graph, const double sums[SUMS], gathering *g)
{
    pen_serial_graph *s = g->serial;
    if (!graph->dense) {
        PEN_TRY(gather_kind(graph, g, GIDS));
        if (g->labels) {
            qsort(g->labels, (size_t)s->nodes, sizeof *g->labels, by_gid);
            for (int32_t row = 0; row < s->nodes; row++) s->row_of[g->labels[row].arrival] = row;
        }
    }
    PEN_TRY(gather_kind(graph, g, DEGREES));
    for (int32_t row = 0; row < s->nodes; row++) s->rows[row + 1] += s->rows[row];
    PEN_TRY(gather_kind(graph, g, NEIGHBORS));
    if (graph->edge_weights) PEN_TRY(gather_kind(graph, g, EDGE_WEIGHTS));
    if (sums[LOAD_SUM] > 0 && graph->node_weights) PEN_TRY(gather_kind(graph, g, LOADS));
    if (graph->node_sizes) PEN_TRY(gather_kind(graph, g, SIZES));
    return PEN_OK;
}

/* ---- From arcs to edges ----------------------------------------------------------------------- */

/* The reverse of s: its arcs by head. Rows come out ascending, since tails are visited in order. */
static pen_status reverse(const pen_serial_graph *s, pen_serial_graph *r)
{
    int32_t arcs = s->rows[s->nodes];
    r->nodes = s->nodes;
    PEN_TRY(PEN_ALLOC_ZERO(&r->rows, (int64_t)s->nodes + 2));
    PEN_TRY(PEN_ALLOC(&r->neighbors, arcs));
    if (s->edge_weights) PEN_TRY(PEN_ALLOC(&r->edge_weights, arcs));
    /* rows[v + 1] is where the next arc of v goes; in the end that is where v + 1 begins. */
    for (int32_t j = 0; j < arcs; j++) r->rows[s->neighbors[j] + 2]++;
    for (int32_t v = 0; v < s->nodes; v++) r->rows[v + 2] += r->rows[v + 1];
    for (int32_t v = 0; v < s->nodes; v++) {
        for (int32_t j = s->rows[v]; j < s->rows[v + 1]; j++) {
            int32_t at = r->rows[s->neighbors[j] + 1]++;
            r->neighbors[at] = v;
            if (r->edge_weights) r->edge_weights[at] = s->edge_weights[j];
        }
    }
    return PEN_OK;
}

/* s becomes the union of its arcs and their reverses. */
static pen_status unite(pen_serial_graph *s, const pen_serial_graph *r)
{
    int64_t arcs = 2 * (int64_t)s->rows[s->nodes];
    int32_t *neighbors, *weights;
    PEN_TRY(PEN_ALLOC(&neighbors, arcs));
    pen_status status = PEN_ALLOC(&weights, arcs);
    if (status != PEN_OK) {
        free(neighbors);
        return status;
    }
    int32_t n = 0, first = 0;
    for (int32_t v = 0; v < s->nodes; v++) {
        int32_t a = first, b = r->rows[v];
        first = s->rows[v + 1];
        while (a < first || b < r->rows[v + 1]) {
            int32_t out = a < first ? s->neighbors[a] : INT32_MAX,
                    in = b < r->rows[v + 1] ? r->neighbors[b] : INT32_MAX;
            neighbors[n] = out < in ? out : in;
            weights[n] = 0;
            if (out <= in) {
                weights[n] += s->edge_weights ? s->edge_weights[a] : 1;
                a++;
            }
            if (in <= out) {
                weights[n] += r->edge_weights ? r->edge_weights[b] : 1;
                b++;
            }
            n++;
        }
        s->rows[v + 1] = n;
    }
    free(s->neighbors);
    free(s->edge_weights);
    s->neighbors = neighbors;
    s->edge_weights = weights;
    return PEN_OK;
}

static pen_status symmetrise(pen_serial_graph *s)
{
    pen_serial_graph r = { 0 };
    pen_status status = reverse(s, &r);
    if (status == PEN_OK) status = unite(s, &r);
    pen_serial_free(&r);
    return status;
}

pen_status pen_serial_gather(const pen_graph *graph, const char *partitioner, pen_serial_graph *serial)
{
    pen_comm *comm = graph->comm;
    gathering g = { .serial = serial };
    double sums[SUMS];
    memset(serial, 0, sizeof *serial);
    PEN_TRY(add_up(graph, partitioner, sums));
    pen_status status = pen_agree(comm, allocate(graph, sums, &g));
    if (status == PEN_OK) {
        status = gather_all(graph, sums, &g);
        if (status == PEN_OK && graph->directed)
            status = pen_agree(comm, comm->rank == 0 ? symmetrise(serial) : PEN_OK);
    }
    free(g.chunk);
    free(g.labels);
    if (status != PEN_OK) pen_serial_free(serial);
    return status;
}

void pen_serial_free(pen_serial_graph *serial)
{
    free(serial->rows);
    free(serial->neighbors);
    free(serial->loads);
    free(serial->edge_weights);
    free(serial->sizes);
    free(serial->row_of);
    memset(serial, 0, sizeof *serial);
}

/* ---- Scatter ---------------------------------------------------------------------------------- */

static pen_status scatter(const pen_graph *graph, const pen_serial_graph *serial, const int32_t *by_row, int32_t *chunk,
                          int32_t *part)
{
    pen_comm *comm = graph->comm;
    if (comm->rank > 0) {
        int64_t count = graph->count;
        PEN_MPI(MPI_Send(&count, 1, MPI_INT64_T, 0, TAG_COUNT, comm->mpi));
        for (int64_t from = 0; from < count; from += CHUNK)
            PEN_MPI(MPI_Recv(part + from, chunk_size(count - from), MPI_INT32_T, 0, TAG_DATA, comm->mpi,
                             MPI_STATUS_IGNORE));
        return PEN_OK;
    }
    int64_t next = 0; /* node in rank order */
    for (int target = 0; target < comm->size; target++) {
        int64_t count = graph->count;
        if (target > 0) PEN_MPI(MPI_Recv(&count, 1, MPI_INT64_T, target, TAG_COUNT, comm->mpi, MPI_STATUS_IGNORE));
        for (int64_t from = 0; from < count; from += CHUNK) {
            int n = chunk_size(count - from);
            int32_t *out = target == 0 ? part + from : chunk;
            for (int k = 0; k < n; k++, next++) out[k] = by_row[serial->row_of ? serial->row_of[next] : next];
            if (target > 0) PEN_MPI(MPI_Send(chunk, n, MPI_INT32_T, target, TAG_DATA, comm->mpi));
        }
    }
    return PEN_OK;
}

pen_status pen_serial_scatter(const pen_graph *graph, pen_status mine, const pen_serial_graph *serial,
                              const int32_t *by_row, int32_t *part)
{
    int32_t *chunk = NULL;
    if (mine == PEN_OK && graph->comm->rank == 0) mine = PEN_ALLOC(&chunk, CHUNK);
    pen_status status = pen_agree(graph->comm, mine);
    if (status == PEN_OK) status = scatter(graph, serial, by_row, chunk, part);
    free(chunk);
    return status;
}
