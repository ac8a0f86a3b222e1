/* format_chaco.c - Chaco/METIS text, all dialects, read in one pass by the library's parser (graph/chaco.h), with a
 * finding for each error. DIMACS-10 is METIS's text without sizes and with one weight per node; its fmt 100 allows
 * loops (once in their row) and parallel edges, and then the header counts neighbours. The header of a directed graph
 * may count arcs or neighbours. Nodes missing at the end are isolated. */
#include "graph/chaco.h"
#include "tools/graph/examine.h"
#include "tools/graph/fields.h"
#include "tools/graph/format.h"

static void found(void *context, bool is_error, int64_t line, int64_t column, const char *what)
{
    pen_findings_add(context, is_error ? FINDING_ERROR : FINDING_NOTE, line, column, "%s", what);
}

static void place(void *context, int64_t line, int64_t column) { pen_findings_place(context, line, column); }

/* Compare the header's counts with those of the text. `announced`: the number of neighbours by the header. */
static void compare_counts(const pen_chaco_parser *p, int64_t announced, bool directed, findings *f)
{
    const pen_chaco_header *h = &p->header;
    int64_t missing = h->nodes - p->count, line = p->in->line, given = p->arcs + p->dropped;
    bool blank = h->weight_count == 0 && !h->sizes && !h->labels; /* lines may be empty */
    if (missing == 1 && blank && pen_scanner_place(p->in) == 1)
        pen_findings_add(f, FINDING_NOTE, line, 0, "no line for the last node, which METIS refuses");
    else if (missing == h->nodes && p->dialect == PEN_DIALECT_CHACO && h->edges == 0 && blank)
        pen_findings_add(f, FINDING_NOTE, h->line, 0, "no lines for the nodes, which METIS refuses");
    else if (missing > 0)
        PEN_LINE_ERROR(f, line, "the file ends after %" PRId64 " of %" PRId64 " nodes", p->count, h->nodes);
    if (p->over || given == announced || (directed && given == h->edges)) return;
    PEN_LINE_ERROR(f, h->line,
                   "the header announces %" PRId64 " edges, so %" PRId64 " neighbours, but there are %" PRId64 "%s",
                   h->edges, announced, given, h->edges == given ? " (are edges counted in both directions?)" : "");
}

static pen_status parse(pen_chaco_parser *p, bool dimacs10, bool directed, findings *f)
{
    pen_chaco_header *h = &p->header;
    PEN_TRY(pen_chaco_parse_header(p));
    if (dimacs10 && h->format > 100)
        return pen_field_refuse(p->in, f, h->line, "the third number of the header (fmt) must be 0, 1, 10, 11 or 100");
    bool multigraph = dimacs10 && h->format == 100;
    PEN_TRY(pen_chaco_parse_lines(p, INT64_MAX, 1));
    compare_counts(p, multigraph ? h->edges : 2 * h->edges, directed, f);
    PEN_TRY(pen_chaco_add_isolated(p, h->nodes - p->count));
    return pen_chaco_shrink(p);
}

static pen_status read_text(const graph_format *format, pen_scanner *in, const format_options *options, file_graph *g,
                            findings *f)
{
    const bool dimacs10 = strcmp(format->name, "dimacs10") == 0, chaco = strcmp(format->name, "chaco") == 0;
    pen_chaco_parser p = { .in = in,
                           .dialect = chaco ? PEN_DIALECT_CHACO : PEN_DIALECT_METIS,
                           .without_sizes = dimacs10,
                           .context = f,
                           .found = found,
                           .place_of = &f->next_arc,
                           .place = place };
    pen_status status = parse(&p, dimacs10, options->directed, f);
    g->directed = options->directed;
    g->nodes = p.header.nodes;
    g->rows = p.rows;
    g->neighbors = p.neighbors;
    g->weight_count = p.header.weight_count;
    g->node_weights = p.node_weights;
    g->node_sizes = p.node_sizes;
    g->edge_weights = p.edge_weights;
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Turn the last blank of the line into its end. */
static void end_line(writer *out, bool empty)
{
    if (empty) pen_writer_char(out, '\n');
    else out->at[-1] = '\n';
}

static void write_row(const file_graph *g, int64_t i, bool sizes, writer *out)
{
    int64_t begin = g->rows[i], end = g->rows[i + 1];
    if (sizes) pen_writer_number(out, g->node_sizes[i], ' ');
    for (int64_t k = 0; k < g->weight_count; k++) pen_writer_number(out, g->node_weights[i * g->weight_count + k], ' ');
    for (int64_t a = begin; a < end; a++) {
        pen_writer_number(out, g->neighbors[a] + 1, ' ');
        if (g->edge_weights) pen_writer_number(out, g->edge_weights[a], ' ');
    }
    end_line(out, begin == end && !sizes && g->weight_count == 0);
}

static pen_status write_text(const graph_format *format, const file_graph *g, writer *out)
{
    const bool sizes = (format->holds & HOLDS_SIZES) && g->node_sizes;
    int64_t edges = pen_file_graph_edges(g), digits = (g->weight_count > 0 ? 10 : 0) + (g->edge_weights ? 1 : 0);
    graph_faults faults = { false };
    if (format->holds & HOLDS_LOOPS) PEN_TRY(pen_file_graph_faults(g, &faults));
    if (faults.loops || faults.duplicates) {
        if (digits > 0)
            return pen_fail(PEN_ERR_UNSUPPORTED,
                            "format dimacs10 holds loops and parallel edges in graphs without weights only");
        edges = pen_file_graph_arcs(g);
        digits = 100;
    }
    if (sizes) digits += 100;
    pen_writer_number(out, g->nodes, ' ');
    pen_writer_number(out, edges, ' ');
    if (digits > 0) pen_writer_number(out, digits, ' ');
    if (g->weight_count > 1) pen_writer_number(out, g->weight_count, ' ');
    end_line(out, false);
    for (int64_t i = 0; i < g->nodes && out->status == PEN_OK; i++) write_row(g, i, sizes, out);
    return PEN_OK;
}

const graph_format pen_format_metis = {
    .name = "metis",
    .endings = ".graph .metis .mgraph",
    .summary = "METIS text: fmt 1xx = node sizes, several weights per node",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_SIZES | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED |
             HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES | HOLDS_DIRECTED | HOLDS_ORDER,
    .places = true,
    .read = read_text,
    .write = write_text,
};

const graph_format pen_format_chaco = {
    .name = "chaco",
    .endings = ".chaco",
    .summary = "Chaco text: fmt 1xx = node numbers, lines may be split; one weight per node",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES |
             HOLDS_ORDER,
    .places = true,
    .read = read_text,
    .write = write_text,
};

const graph_format pen_format_dimacs10 = {
    .name = "dimacs10",
    .endings = "",
    .summary = "METIS text of the tenth DIMACS challenge: fmt 100 = loops and parallel edges",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES |
             HOLDS_LOOPS | HOLDS_DUPLICATES | HOLDS_DIRECTED | HOLDS_ORDER,
    .places = true,
    .read = read_text,
    .write = write_text,
};
