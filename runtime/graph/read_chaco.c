/* read_chaco.c - reading Chaco/METIS text in parallel.
 *
 * Every rank parses the lines that begin in its share of the bytes. Their node numbers are known only afterwards, from
 * the numbers of lines on lower ranks. Errors are reported in this order, which does not depend on the number of ranks:
 * the first line that is wrong by itself; missing lines; the number of edges; the first node whose edges do not match
 * those of another. */
#include "base/memory.h"
#include "graph/chaco.h"
#include "graph/validate.h"

typedef struct reader {
    const char *path;
    pen_dialect dialect;
    pen_chaco_header header;
    pen_chaco_part part;
    int64_t lines_before;
    int64_t arcs, rows, lines; /* counts of the whole file */
} reader;

static pen_status line_fault(const reader *r, int64_t line, const char *what)
{
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", r->path, r->header.line + 1 + r->lines_before + line, what);
}

static void row_name(const void *context, pen_lid row, char *text, size_t size)
{
    const reader *r = (const reader *)context;
    int64_t line = pen_chaco_line(r->path, &r->header, r->dialect, &r->part, row);
    snprintf(text, size, "%s:%" PRId64, r->path, r->header.line + 1 + r->lines_before + line);
}

/* Rank 0 reads the header for all. */
static pen_status read_header(pen_comm *comm, const pen_read_options *options, reader *r)
{
    pen_status status = PEN_OK;
    if (comm->rank == 0) status = pen_chaco_read_header(r->path, r->dialect, options->directed, &r->header);
    PEN_TRY(pen_agree(comm, status));
    PEN_TRY(pen_broadcast(comm, &r->header, (int)sizeof r->header, 0));
    int64_t weights = r->header.weight_count;
    if (options->load_weight < 0 || options->load_weight >= (weights ? weights : 1))
        return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": load weight %d, the file has weights 0..%" PRId64, r->path,
                        r->header.line, options->load_weight, (weights ? weights : 1) - 1);
    return PEN_OK;
}

/* Divide the body among ranks. If lines carry node numbers, and may continue a node, rank 0 reads all of it. */
static void share(const pen_comm *comm, reader *r)
{
    int64_t bytes = r->header.size - r->header.body, each = bytes / comm->size, more = bytes % comm->size;
    int64_t rank = comm->rank;
    r->part.begin = r->header.body + each * rank + (rank < more ? rank : more);
    r->part.end = r->part.begin + each + (rank < more);
    if (!r->header.labels) return;
    r->part.begin = rank == 0 ? r->header.body : r->header.size;
    r->part.end = r->header.size;
}

/* Drop the rows after the last node; they must be empty. */
static pen_status check_rest(const reader *r, pen_graph *graph, int64_t count)
{
    static const char after_last[] = "data after the last node";
    const pen_chaco_part *part = &r->part;
    int64_t row = count;
    bool numbers = graph->node_weights || graph->node_sizes;
    while (row < part->count && graph->rows[row] == graph->rows[row + 1] && !numbers) row++;
    if (row < part->count) return line_fault(r, pen_chaco_line(r->path, &r->header, r->dialect, part, row), after_last);
    if (part->blank_line >= 0 && graph->first + part->count < graph->nodes)
        return line_fault(r, part->blank_line, "empty line, but every node has numbers before its neighbours");
    if (part->data_line >= 0) return line_fault(r, part->data_line, after_last);
    bool late = part->fault_in_row && graph->first + part->count >= graph->nodes;
    if (part->status == PEN_ERR_INPUT) return line_fault(r, part->fault_line, late ? after_last : part->fault);
    return part->status == PEN_OK ? PEN_OK : pen_fail(part->status, "%s", part->fault);
}

/* On the last rank, check whether rows are missing. One row may be missing: the last node's, if its line is the empty
 * one after the last newline. */
static pen_status check_end(reader *r, pen_graph *graph, bool directed)
{
    const pen_chaco_header *h = &r->header;
    char text[160];
    int64_t missing = h->nodes - r->rows;
    bool empty_line = h->ends_in_newline && h->weight_count == 0 && !h->sizes && !h->labels;
    if (missing > 1 || (missing == 1 && !empty_line)) {
        snprintf(text, sizeof text, "the file ends after %" PRId64 " of %" PRId64 " nodes", r->rows, h->nodes);
        return line_fault(r, r->lines - r->lines_before, text);
    }
    if (missing == 1) {
        PEN_TRY(PEN_REALLOC(&graph->rows, (int64_t)graph->count + 2));
        graph->rows[graph->count + 1] = graph->rows[graph->count];
        graph->count++;
    }
    if (r->arcs == 2 * h->edges || (directed && r->arcs == h->edges)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "%s:%" PRId64 ": the header announces %" PRId64 " edges, that is %" PRId64
                    " neighbours%s, the file has %" PRId64 "%s",
                    r->path, h->line, h->edges, 2 * h->edges, directed ? " (or half of them)" : "", r->arcs,
                    r->arcs == h->edges ? ": is the graph directed (--graph=FILE:directed)?" : "");
}

/* Count rows, lines and neighbours on lower ranks, and on all. The counts are wrong on ranks above one that failed, but
 * then only the failure of the lowest rank is reported. */
static pen_status count_all(pen_graph *graph, reader *r)
{
    const pen_chaco_part *part = &r->part;
    int64_t mine[3] = { part->count, part->lines, part->count ? graph->rows[part->count] : 0 }, before[3] = { 0 },
            all[3];
    PEN_MPI(MPI_Exscan(mine, before, 3, MPI_INT64_T, MPI_SUM, graph->comm->mpi));
    if (graph->comm->rank == 0) memset(before, 0, sizeof before);
    PEN_TRY(pen_all_reduce(graph->comm, mine, all, 3, MPI_INT64_T, MPI_SUM));
    graph->first = before[0];
    r->lines_before = before[1];
    r->rows = all[0];
    r->lines = all[1];
    r->arcs = all[2];
    return PEN_OK;
}

static pen_status read_graph(pen_graph *graph, const pen_read_options *options, reader *r)
{
    pen_comm *comm = graph->comm;
    PEN_TRY(read_header(comm, options, r));
    graph->nodes = r->header.nodes;
    graph->directed = options->directed;
    graph->dense = true;
    PEN_TRY(pen_to_int(r->header.weight_count, "weights per node", &graph->weight_count));
    graph->load_weight = options->load_weight;
    share(comm, r);
    pen_chaco_read_part(r->path, &r->header, r->dialect, graph, &r->part);
    PEN_TRY(count_all(graph, r));

    int64_t count = graph->nodes > graph->first ? graph->nodes - graph->first : 0;
    if (count > r->part.count) count = r->part.count;
    pen_status status = check_rest(r, graph, count);
    pen_status narrow = pen_to_lid(count, "nodes", &graph->count);
    if (narrow != PEN_OK) status = narrow;
    if (status == PEN_OK && comm->rank == comm->size - 1) status = check_end(r, graph, options->directed);
    return pen_graph_validate(graph, status, row_name, r);
}

pen_status pen_chaco_read(MPI_Comm comm, const char *path, const pen_read_options *options, pen_graph **graph)
{
    reader r = { .path = path, .dialect = options->dialect };
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    pen_status status = pen_graph_read_equal(g->comm, path, options);
    if (status == PEN_OK) status = read_graph(g, options, &r);
    return pen_graph_finish(g, status, graph);
}
