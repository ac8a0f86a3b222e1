/* format_dimacs.c - texts with a line "p PROBLEM NODES EDGES": DIMACS-9 .gr, DIMACS .col and PACE .gr.
 *
 *     file := (comment | empty)* "p" problem n m (comment | empty | edge){m}      'c' begins a comment
 *     edge := "a" from to weight      problem sp: an arc of a graph of shortest paths
 *           | "e" from to             problem edge, edges or col: colouring and cliques
 *           | from to                 problem tw, td, tdp, tww, cep or ds of PACE
 *
 * The file's content decides which one is read; the three formats differ in what is written. A binary file is Galois's,
 * which also ends in .gr. Nodes are 1..n. Unless the graph is read as directed, an arc and its reverse are one
 * undirected edge; loops are dropped, and parallel arcs become one with the first weight. The notes count all this.
 * Lines n, d, v and x of a .col are ignored; it may have more edges than m, since some list both directions.
 *
 * An undirected graph is written with both arcs of every edge in .gr, once elsewhere. DIMACS-9 always has weights:
 * weights that are all 1 are read as none, and a graph without weights is written with 1. */
#include "tools/graph/arcs.h"
#include "tools/graph/examine.h"
#include "tools/graph/fields.h"
#include "tools/graph/format_galois.h"

#include <stdlib.h>

typedef struct header {
    int64_t nodes, edges, line;
    char letter; /* letter of an edge's line, or '\0' */
} header;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Whether the line begins with the letter `letter`, which is consumed. */
static bool letter_line(input *in, char letter)
{
    pen_input_more(in);
    if (*in->at != letter || !is_blank(in->at[1])) return false;
    in->at++;
    return true;
}

/* Skip comments and empty lines; false at the end. */
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

/* Read the name of the problem, after the 'p'. *letter becomes the letter that begins lines of edges, or 0. */
static bool read_problem(input *in, char *letter)
{
    static const struct {
        const char *problem;
        char letter;
    } known[] = { { "sp", 'a' }, { "edge", 'e' }, { "edges", 'e' }, { "col", 'e' }, { "tw", 0 },
                  { "td", 0 },   { "tdp", 0 },    { "tww", 0 },     { "cep", 0 },   { "ds", 0 } };
    if (!letter_line(in, 'p')) return false;
    pen_input_skip_blanks(in);
    pen_input_more(in);
    for (int i = 0; i < PEN_COUNT_OF(known); i++) {
        const size_t length = strlen(known[i].problem);
        if (memcmp(in->at, known[i].problem, length) != 0 || !is_blank(in->at[length])) continue;
        *letter = known[i].letter;
        in->at += length;
        return true;
    }
    return false;
}

static pen_status read_header(input *in, findings *f, header *h)
{
    if (!skip_comments(in)) return pen_field_refuse(in, f, in->line, "no line \"p PROBLEM NODES EDGES\"");
    h->line = in->line;
    if (!read_problem(in, &h->letter))
        return pen_field_refuse(
            in, f, h->line,
            "the first line that is not a comment must be \"p PROBLEM NODES EDGES\", with sp, edge, "
            "edges, col, tw, td, tdp, tww, cep or ds");
    if (!pen_field_integer(in, f, "the number of nodes", 0, INT64_MAX, &h->nodes) ||
        !pen_field_integer(in, f, "the number of edges", 0, INT64_MAX, &h->edges))
        return pen_findings_status(f, in->name);
    if (!pen_field_end(in, f)) pen_input_skip_line(in);
    return PEN_OK;
}

static pen_status read_edge(input *in, findings *f, const header *h, arc_list *arcs)
{
    int64_t from, to, weight = 1;
    if (h->letter && !letter_line(in, h->letter)) {
        PEN_FIELD_ERROR(in, f, "a line must begin with '%c' or 'c'%s", h->letter,
                        *in->at == 'p' ? ", there is one 'p' line" : "");
        pen_input_skip_line(in);
    } else if (!pen_field_integer(in, f, "a node", 1, h->nodes, &from) ||
               !pen_field_integer(in, f, "a node", 1, h->nodes, &to) ||
               (h->letter == 'a' && !pen_field_integer(in, f, "the weight", INT64_MIN, INT64_MAX, &weight)) ||
               !pen_field_end(in, f)) {
        pen_input_skip_line(in);
    } else {
        return pen_arc_list_add(arcs, from - 1, to - 1, weight, (double)weight);
    }
    return PEN_OK;
}

static pen_status read_edges(input *in, findings *f, const header *h, arc_list *arcs, file_notes *notes)
{
    int64_t lines = 0;
    while (skip_comments(in)) {
        if (h->letter == 'e' && memchr("ndvx", *in->at, 4) && is_blank(in->at[1])) {
            snprintf(notes->columns, sizeof notes->columns, "lines n, d, v and x ignored");
            pen_input_skip_line(in);
            continue;
        }
        lines++;
        PEN_TRY(read_edge(in, f, h, arcs));
    }
    if (lines != h->edges)
        pen_findings_add(f, h->letter == 'e' && lines > h->edges ? FINDING_NOTE : FINDING_ERROR, h->line, 0,
                         "%" PRId64 " edges are announced, but there are %" PRId64, h->edges, lines);
    bool weights = false;
    for (int64_t i = 0; i < arcs->count && !weights && arcs->weighted; i++) weights = arcs->weights[i] != 1;
    arcs->weighted = weights;
    return PEN_OK;
}

static pen_status read_dimacs(input *in, const format_options *options, file_graph *g, findings *f)
{
    header h;
    pen_input_more(in);
    if (in->at[0] != '\0' && in->at[1] == '\0' && in->end - in->at > 1) /* galois' version, a small number in 8 bytes */
        return pen_galois_read(in, options, g, f);
    PEN_TRY(read_header(in, f, &h));
    arc_list arcs = { .weighted = h.letter == 'a', .valued = h.letter == 'a' && options->reals };
    g->directed = options->directed;
    pen_status status = read_edges(in, f, &h, &arcs, &g->notes);
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

/* Write every edge once, those of a node in ascending order. */
static pen_status write_once(const file_graph *g, const char *problem, const char *letter, writer *out)
{
    row_entry *entries;
    PEN_TRY(PEN_ALLOC(&entries, pen_file_graph_longest_row(g)));
    pen_writer_print(out, "p %s %" PRId64, problem, g->nodes);
    pen_writer_print(out, " %" PRId64 "\n", pen_file_graph_edges(g));
    for (int64_t i = 0; i < g->nodes; i++) {
        pen_file_graph_sort_row(g, i, entries);
        for (int64_t k = 0; k < g->rows[i + 1] - g->rows[i]; k++) {
            if (entries[k].neighbor < i) continue;
            pen_writer_text(out, letter);
            pen_writer_line(out, ' ', (const int64_t[]){ i + 1, entries[k].neighbor + 1 }, 2);
        }
    }
    free(entries);
    return PEN_OK;
}

static pen_status write_col(const file_graph *g, writer *out) { return write_once(g, "edge", "e ", out); }

static pen_status write_pace(const file_graph *g, writer *out) { return write_once(g, "tw", "", out); }

const graph_format pen_format_dimacs9 = {
    .name = "dimacs9",
    .endings = ".gr",
    .summary = "DIMACS-9 shortest paths: weighted arcs; reads PACE and Galois as well",
    .holds = HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_DIRECTED | HOLDS_ISOLATED | HOLDS_NO_NODES |
             HOLDS_NO_EDGES | HOLDS_ORDER,
    .read = read_dimacs,
    .write = write_dimacs9,
};

const graph_format pen_format_col = {
    .name = "col",
    .endings = ".col",
    .summary = "DIMACS colouring: edges without weights",
    .holds = HOLDS_ISOLATED | HOLDS_NO_NODES | HOLDS_NO_EDGES,
    .read = read_dimacs,
    .write = write_col,
};

const graph_format pen_format_pace = {
    .name = "pace",
    .endings = "",
    .summary = "PACE (.gr, told from DIMACS-9 by content): edges without weights",
    .holds = HOLDS_ISOLATED | HOLDS_NO_NODES | HOLDS_NO_EDGES,
    .read = read_dimacs,
    .write = write_pace,
};
