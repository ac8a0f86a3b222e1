/* format_penumbra.c - the library's binary format (runtime/graph/binary.h), by the library. */
#include "graph/binary.h"
#include "tools/graph/format.h"
#include "tools/graph/library.h"

#include <stdlib.h>

/* Messages begin with the path, which findings do without. */
static const char *without_path(const char *message, const char *path)
{
    size_t length = strlen(path);
    return strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0 ? message + length + 2
                                                                                          : message;
}

static pen_status read_penumbra(const char *path, const format_options *options, file_graph *g, findings *f)
{
    const pen_read_options reading = { .directed = options->directed };
    pen_graph *graph;
    PEN_TRY(pen_library_start());
    pen_status status = pen_binary_read(MPI_COMM_SELF, path, &reading, &graph);
    if (status == PEN_ERR_INPUT)
        pen_findings_add(f, FINDING_ERROR, 0, 0, "%s", without_path(pen_error_message(), path));
    return status == PEN_OK ? pen_library_give(&graph, g) : status;
}

static pen_status copy(const void *from, int64_t count, size_t size, void *memory)
{
    void **to = (void **)memory;
    if (!from) return PEN_OK;
    PEN_TRY(pen_alloc(to, count, size));
    memcpy(*to, from, (size_t)count * size);
    return PEN_OK;
}

static pen_status copy_graph(const file_graph *g, file_graph *to)
{
    int64_t arcs = pen_file_graph_arcs(g);
    *to = *g;
    to->rows = to->neighbors = to->node_weights = to->node_sizes = to->edge_weights = to->labels = NULL;
    to->coordinates = to->values = NULL;
    to->name_begins = NULL;
    to->names = NULL;
    to->part = NULL;
    PEN_TRY(copy(g->rows, g->nodes + 1, sizeof *g->rows, &to->rows));
    PEN_TRY(copy(g->neighbors, arcs, sizeof *g->neighbors, &to->neighbors));
    PEN_TRY(copy(g->node_weights, g->nodes * g->weight_count, sizeof *g->node_weights, &to->node_weights));
    PEN_TRY(copy(g->node_sizes, g->nodes, sizeof *g->node_sizes, &to->node_sizes));
    PEN_TRY(copy(g->edge_weights, arcs, sizeof *g->edge_weights, &to->edge_weights));
    PEN_TRY(copy(g->labels, g->nodes, sizeof *g->labels, &to->labels));
    return copy(g->coordinates, g->nodes * g->dimensions, sizeof *g->coordinates, &to->coordinates);
}

static pen_status write_penumbra(const file_graph *g, const char *path)
{
    file_graph mine;
    pen_graph *graph = NULL;
    PEN_TRY(pen_library_start());
    pen_status status = copy_graph(g, &mine); /* validation sorts rows */
    if (status == PEN_OK) status = pen_library_take(&mine, true, &graph);
    if (status == PEN_OK) status = pen_binary_write(graph, path);
    pen_graph_destroy(&graph);
    pen_file_graph_free(&mine);
    return status;
}

const graph_format pen_format_penumbra = {
    .name = "penumbra",
    .endings = ".pen",
    .summary = "Penumbra binary: all that a graph has, with checksums; rows are sorted",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_SIZES | HOLDS_EDGE_WEIGHTS | HOLDS_LABELS | HOLDS_DIRECTED |
             HOLDS_ISOLATED | HOLDS_COORDINATES | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES | HOLDS_GRID,
    .read_path = read_penumbra,
    .write_path = write_penumbra,
};
