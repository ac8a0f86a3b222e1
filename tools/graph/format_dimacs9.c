/* format_dimacs9.c - .gr of the ninth DIMACS challenge: weighted arcs.
 *
 *     file := (comment | empty)* "p sp n m" (comment | empty | "a" from to weight){m}      'c' begins a comment
 *
 * Nodes are 1..n. Unless the arcs are to stay directed, an arc and its reverse are one undirected edge; loops go, and
 * parallel arcs become one with the first one's weight, all of which the notes count. An undirected graph is written
 * with both arcs of every edge. The format has no graphs without weights: weights of 1 throughout read as none, and
 * none are written as 1. Files for other problems with the same letters (PACE "p tw", colouring "p edge", max-flow) are
 * refused. */
#include "tools/graph/arcs.h"
#include "tools/graph/fields.h"
#include "tools/graph/format.h"

typedef struct header {
    int64_t nodes, arcs, line;
} header;

/* Whether the line is one with the letter `letter`; consumes the letter. */
static bool letter_line(input *in, char letter)
{
    pen_input_more(in);
    if (*in->at != letter || (in->at[1] != ' ' && in->at[1] != '\t')) return false;
    in->at++;
    return true;
}

/* Comments and empty lines; false at the end. */
static bool skip_comments(input *in)
{
    while (pen_input_more(in)) {
        pen_input_skip_blanks(in);
        if (!pen_input_more(in)) break;
        if (pen_input_line_end(in)) continue;
        if (*in->at != 'c') return true;
        pen_input_skip_line(in);
    }
    return false;
}

static pen_status read_header(input *in, findings *f, header *h)
{
    if (!skip_comments(in)) return pen_field_refuse(in, f, in->line, "no line \"p sp NODES ARCS\"");
    h->line = in->line;
    bool good = letter_line(in, 'p');
    if (good) {
        pen_input_skip_blanks(in);
        good = pen_input_more(in) && memcmp(in->at, "sp", 2) == 0 && (in->at[2] == ' ' || in->at[2] == '\t');
    }
    if (!good)
        return pen_field_refuse(in, f, h->line, "the first line that is not a comment must be \"p sp NODES ARCS\"");
    in->at += 2;
    if (!pen_field_integer(in, f, "the number of nodes", 0, INT64_MAX, &h->nodes) ||
        !pen_field_integer(in, f, "the number of arcs", 0, INT64_MAX, &h->arcs))
        return pen_findings_status(f, in->name);
    if (!pen_field_end(in, f)) pen_input_skip_line(in);
    return PEN_OK;
}

static pen_status read_arcs(input *in, findings *f, const header *h, arc_list *arcs)
{
    int64_t lines = 0;
    bool weights = false;
    while (skip_comments(in)) {
        int64_t from, to, weight;
        lines++;
        if (!letter_line(in, 'a')) {
            PEN_FIELD_ERROR(in, f, "a line must begin with 'a' or 'c'%s",
                            *in->at == 'p' ? ", there is one 'p' line" : "");
            pen_input_skip_line(in);
        } else if (!pen_field_integer(in, f, "a node", 1, h->nodes, &from) ||
                   !pen_field_integer(in, f, "a node", 1, h->nodes, &to) ||
                   !pen_field_integer(in, f, "the weight", INT64_MIN, INT64_MAX, &weight) || !pen_field_end(in, f)) {
            pen_input_skip_line(in);
        } else {
            weights = weights || weight != 1;
            PEN_TRY(pen_arc_list_add(arcs, from - 1, to - 1, weight, (double)weight));
        }
    }
    if (lines != h->arcs)
        pen_findings_add(f, FINDING_ERROR, h->line, 0, "%" PRId64 " arcs are announced, but there are %" PRId64,
                         h->arcs, lines);
    arcs->weighted = weights;
    return PEN_OK;
}

static pen_status read_dimacs9(input *in, const format_options *options, file_graph *g, findings *f)
{
    header h;
    arc_list arcs = { .weighted = true, .valued = options->reals };
    g->directed = options->directed;
    PEN_TRY(read_header(in, f, &h));
    pen_status status = read_arcs(in, f, &h, &arcs);
    if (status == PEN_OK && !pen_field_nodes_fit(in, f, h.line, h.nodes)) status = PEN_ERR_INPUT;
    if (status == PEN_OK) status = pen_arc_list_graph(&arcs, h.nodes, g);
    pen_arc_list_free(&arcs);
    return status;
}

static pen_status write_dimacs9(const file_graph *g, writer *out)
{
    pen_writer_print(out, "p sp %" PRId64 " %" PRId64 "\n", g->nodes, pen_file_graph_arcs(g));
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            const int64_t arc[] = { i + 1, g->neighbors[a] + 1, g->edge_weights ? g->edge_weights[a] : 1 };
            pen_writer_text(out, "a ");
            pen_writer_line(out, ' ', arc, 3);
        }
    }
    return PEN_OK;
}

const graph_format pen_format_dimacs9 = {
    .name = "dimacs9",
    .endings = ".gr",
    .summary = "DIMACS-9 shortest paths: weighted arcs",
    .holds = HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_DIRECTED | HOLDS_ISOLATED | HOLDS_NO_NODES |
             HOLDS_NO_EDGES | HOLDS_ORDER,
    .read = read_dimacs9,
    .write = write_dimacs9,
};
