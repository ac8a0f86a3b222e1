/* format_galois.c - binary graphs of Galois (.gr), of version 1 and 2.
 *
 *     file := version size n m end{n} target{m} [padding] data{m}          little endian
 *
 * The header and the ends of the nodes' rows (in arcs) have 8 bytes; targets have 4, in version 2 8. Nodes are 0..n-1.
 * If m is odd, version 1 has 4 bytes of padding after the targets (perhaps not if no data follow); version 2 has none
 * or 8 bytes, since Galois' own tools differ. An arc's data has `size` bytes: 0, or a weight of 4 or 8, which is read
 * as a signed integer; the file does not say whether it is a real number.
 *
 * Directions, loops and parallel arcs are as in DIMACS-9 (format_dimacs.c). */
#include "tools/graph/format_galois.h"
#include "tools/graph/arcs.h"
#include "tools/graph/fields.h"

#include <stdlib.h>

typedef struct file {
    int64_t version, size, nodes, arcs;
    int64_t *ends, *targets, *weights;
} file;

static pen_status read_header(input *in, findings *f, file *of)
{
    int64_t *header;
    PEN_TRY(pen_field_words(in, f, "the header", 8, false, 4, &header));
    *of = (file){ header[0], header[1], header[2], header[3], NULL, NULL, NULL };
    free(header);
    if (of->version < 1 || of->version > 2)
        return pen_field_refuse(in, f, 0, "no Galois graph: version %" PRId64 ", must be 1 or 2", of->version);
    if (of->size != 0 && of->size != 4 && of->size != 8)
        return pen_field_refuse(in, f, 0, "%" PRId64 " bytes of data per arc, must be 0, 4 or 8", of->size);
    if (of->nodes >= 0 && of->arcs >= 0) return PEN_OK;
    return pen_field_refuse(in, f, 0, "%" PRId64 " nodes and %" PRId64 " arcs are announced", of->nodes, of->arcs);
}

static pen_status read_weights(input *in, findings *f, file *of)
{
    int64_t *padding = NULL;
    const bool odd = of->arcs % 2 != 0;
    if (odd && of->version == 1 && (of->size > 0 || pen_input_more(in)))
        PEN_TRY(pen_field_words(in, f, "the padding", 4, false, 1, &padding));
    free(padding);
    padding = NULL;
    if (of->size > 0)
        PEN_TRY(pen_field_words(in, f, "the last arc's data", (int)of->size, true, of->arcs, &of->weights));
    /* The words that were read begin with the padding, and the last data follow. */
    if (odd && of->version == 2 && pen_input_more(in)) {
        const int64_t count = of->size > 0 ? 8 / of->size : 1;
        PEN_TRY(pen_field_words(in, f, "the last arc's data", (int)(8 / count), true, count, &padding));
        for (int64_t k = 0; k < of->arcs && of->size > 0; k++)
            of->weights[k] = k + count < of->arcs ? of->weights[k + count] : padding[k + count - of->arcs];
        free(padding);
    }
    if (pen_input_more(in)) pen_findings_add(f, FINDING_ERROR, 0, 0, "bytes after the graph");
    return PEN_OK;
}

static pen_status read_arcs(input *in, findings *f, file *of, arc_list *arcs)
{
    int64_t a = 0;
    PEN_TRY(pen_field_words(in, f, "the end of the last row", 8, false, of->nodes, &of->ends));
    PEN_TRY(pen_field_words(in, f, "the last target", of->version == 1 ? 4 : 8, false, of->arcs, &of->targets));
    PEN_TRY(read_weights(in, f, of));
    for (int64_t i = 0; i < of->nodes; i++) {
        if (of->ends[i] < a || of->ends[i] > of->arcs)
            return pen_field_refuse(in, f, 0, "row %" PRId64 " ends at %" PRId64 ", must be %" PRId64 "..%" PRId64, i,
                                    of->ends[i], a, of->arcs);
        for (; a < of->ends[i]; a++) {
            const int64_t to = of->targets[a], weight = of->weights ? of->weights[a] : 1;
            if (to < 0 || to >= of->nodes)
                return pen_field_refuse(in, f, 0, "a target %" PRId64 ", must be 0..%" PRId64, to, of->nodes - 1);
            PEN_TRY(pen_arc_list_add(arcs, i, to, weight, (double)weight));
        }
    }
    if (a == of->arcs) return PEN_OK;
    return pen_field_refuse(in, f, 0, "the rows have %" PRId64 " arcs, the header announces %" PRId64, a, of->arcs);
}

pen_status pen_galois_read(input *in, const format_options *options, file_graph *g, findings *f)
{
    file of;
    PEN_TRY(read_header(in, f, &of));
    arc_list arcs = { .weighted = of.size > 0, .valued = of.size > 0 && options->reals };
    g->base = 0;
    g->directed = options->directed;
    pen_status status = read_arcs(in, f, &of, &arcs);
    PEN_FREE_ALL(of.ends, of.targets, of.weights);
    if (status == PEN_OK) status = pen_arc_list_graph(&arcs, of.nodes, g);
    pen_arc_list_free(&arcs);
    return status;
}

static pen_status write_galois(const file_graph *g, writer *out)
{
    const int64_t arcs = pen_file_graph_arcs(g), version = g->nodes > UINT32_MAX ? 2 : 1;
    int size = g->edge_weights ? 4 : 0;
    for (int64_t a = 0; a < arcs && size > 0; a++)
        if (g->edge_weights[a] != (int32_t)g->edge_weights[a]) size = 8;
    const int64_t header[] = { version, size, g->nodes, arcs };
    for (int k = 0; k < 4; k++) pen_writer_word(out, header[k], 8);
    for (int64_t i = 0; i < g->nodes; i++) pen_writer_word(out, g->rows[i + 1], 8);
    for (int64_t a = 0; a < arcs; a++) pen_writer_word(out, g->neighbors[a], version == 1 ? 4 : 8);
    if (version == 1 && arcs % 2 != 0) pen_writer_word(out, 0, 4);
    for (int64_t a = 0; a < arcs && size > 0; a++) pen_writer_word(out, g->edge_weights[a], size);
    return PEN_OK;
}

const graph_format pen_format_galois = {
    .name = "galois",
    .endings = "",
    .summary = "Galois binary (.gr, told from DIMACS-9 by content), also with weights",
    .holds = HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_DIRECTED | HOLDS_ISOLATED | HOLDS_NO_NODES |
             HOLDS_NO_EDGES | HOLDS_ORDER,
    .read = pen_galois_read,
    .write = write_galois,
};
