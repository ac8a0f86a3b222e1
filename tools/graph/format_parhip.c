/* format_parhip.c - binary graphs of ParHIP (.bgf), with the weights and widths that KaGen and KaMinPar have added.
 *
 *     file := version n m offset{n+1} neighbour{m} [node weight{n}] [edge weight{m}]          little endian
 *
 * version, n and m have 8 bytes. version is a sum of bits: 1: no edge weights; 2: no node weights; 4, 8, 16 and 32:
 * offsets, neighbours, node weights and edge weights have 4 bytes, else 8. Weights are signed. Nodes are 0..n-1; m
 * counts every edge twice. The offset of a node's first neighbour is in bytes from the beginning of the file; one more
 * offset ends the last row. Everything is written with 8 bytes. ParHIP itself reads version 3 only. */
#include "tools/graph/fields.h"
#include "tools/graph/format.h"

#include <stdlib.h>

enum { NO_EDGE_WEIGHTS = 1, NO_NODE_WEIGHTS = 2, HEADER = 24, MOST = 63 };

static int width(int64_t version, int bit) { return version & bit ? 4 : 8; }

/* Turn offsets into rows. */
static pen_status take_rows(input *in, findings *f, int64_t version, int64_t arcs, file_graph *g)
{
    const int bytes = width(version, 8);
    const int64_t begin = HEADER + (g->nodes + 1) * width(version, 4);
    int64_t row = 0;
    for (int64_t i = 0; i <= g->nodes; i++) {
        const int64_t at = g->rows[i] < begin ? -1 : g->rows[i] - begin;
        if (at < row * bytes || at / bytes > arcs || at % bytes != 0 || (i == 0 && at != 0))
            return pen_field_refuse(in, f, 0, "offset %" PRId64 " of node %" PRId64 " is wrong", g->rows[i], i);
        g->rows[i] = row = at / bytes;
    }
    if (row == arcs) return PEN_OK;
    return pen_field_refuse(in, f, 0, "the offsets are of %" PRId64 " neighbours, the header announces %" PRId64, row,
                            arcs);
}

static pen_status read_parhip(input *in, const format_options *options, file_graph *g, findings *f)
{
    int64_t *header;
    g->base = 0;
    g->directed = options->directed;
    PEN_TRY(pen_field_words(in, f, "the header", 8, false, 3, &header));
    const int64_t version = header[0], nodes = header[1], arcs = header[2];
    free(header);
    if (version < 0 || version > MOST) return pen_field_refuse(in, f, 0, "no ParHIP graph: version %" PRId64, version);
    if (nodes < 0 || nodes > INT64_MAX / 16 || arcs < 0)
        return pen_field_refuse(in, f, 0, "%" PRId64 " nodes and %" PRId64 " neighbours are announced", nodes, arcs);
    PEN_TRY(pen_field_words(in, f, "the last offset", width(version, 4), false, nodes + 1, &g->rows));
    g->nodes = nodes;
    PEN_TRY(take_rows(in, f, version, arcs, g));
    PEN_TRY(pen_field_words(in, f, "the last neighbour", width(version, 8), false, arcs, &g->neighbors));
    for (int64_t a = 0; a < arcs; a++)
        if (g->neighbors[a] < 0 || g->neighbors[a] >= nodes)
            return pen_field_refuse(in, f, 0, "a neighbour %" PRId64 ", must be 0..%" PRId64, g->neighbors[a],
                                    nodes - 1);
    if (!(version & NO_NODE_WEIGHTS)) {
        PEN_TRY(pen_field_words(in, f, "the last node's weight", width(version, 16), true, nodes, &g->node_weights));
        g->weight_count = 1;
    }
    if (!(version & NO_EDGE_WEIGHTS))
        PEN_TRY(pen_field_words(in, f, "the last edge's weight", width(version, 32), true, arcs, &g->edge_weights));
    if (pen_input_more(in)) pen_findings_add(f, FINDING_ERROR, 0, 0, "bytes after the graph");
    return PEN_OK;
}

static pen_status write_parhip(const file_graph *g, writer *out)
{
    const int64_t arcs = pen_file_graph_arcs(g);
    pen_writer_word(out, (g->edge_weights ? 0 : NO_EDGE_WEIGHTS) | (g->weight_count ? 0 : NO_NODE_WEIGHTS), 8);
    pen_writer_word(out, g->nodes, 8);
    pen_writer_word(out, arcs, 8);
    for (int64_t i = 0; i <= g->nodes; i++) pen_writer_word(out, HEADER + 8 * (g->nodes + 1 + g->rows[i]), 8);
    for (int64_t a = 0; a < arcs; a++) pen_writer_word(out, g->neighbors[a], 8);
    for (int64_t i = 0; g->weight_count && i < g->nodes; i++) pen_writer_word(out, g->node_weights[i], 8);
    for (int64_t a = 0; g->edge_weights && a < arcs; a++) pen_writer_word(out, g->edge_weights[a], 8);
    return PEN_OK;
}

const graph_format pen_format_parhip = {
    .name = "parhip",
    .endings = ".bgf .parhip",
    .summary = "ParHIP binary, also with weights",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED | HOLDS_ZERO_NODE_WEIGHTS |
             HOLDS_ANY_EDGE_WEIGHTS | HOLDS_NEGATIVE_NODE_WEIGHTS | HOLDS_NO_NODES | HOLDS_NO_EDGES | HOLDS_ORDER,
    .read = read_parhip,
    .write = write_parhip,
};
