/* format_snap.c - edge lists as the SNAP collection has them, also with weights (.wel).
 *
 *     file := (comment | empty | from to [weight])*      '#' or '%' begins a comment, blanks and tabs separate
 *
 * Ids are integers >= 0 of up to 18 digits. Nodes are numbered in ascending order of the ids. If ids have gaps, or the
 * first is neither 0 nor 1, they become labels (convert --map writes them). If one id is not an integer, all are names
 * (names.h) of up to 255 bytes without blanks; integers then lose leading zeros. Names cannot be written: they might
 * read back as integers or comments. All lines have a weight, or none. If one weight is not an integer, all are
 * dropped and the real ones counted as values, unless options->reals is set. Loops are dropped and repeated lines
 * merged; unless the graph is directed, a line and its reverse are one undirected edge. Lists may have an undirected
 * edge once or twice. It is written once if that keeps the order of neighbours (pen_arc_list_once), else twice.
 *
 * Of the comments, "# Nodes: N Edges: M" counts: fewer than M lines are an error, since nothing else shows that the
 * list is cut off. Isolated nodes are lost; a written list keeps the other nodes' numbers. */
#include "tools/graph/arcs.h"
#include "tools/graph/fields.h"
#include "tools/graph/format.h"
#include "tools/graph/names.h"

typedef struct reader {
    input *in;
    findings *f;
    arc_list arcs;
    bool named; /* ids are names, which are in `names`; the arcs have their numbers */
    name_table names;
    int64_t announced, announced_line; /* number of edges that a comment announces, or -1; line of that comment */
    int64_t others;                    /* number of weights that are not integers of up to 18 digits */
} reader;

/* Read a comment such as "# Nodes: 7115 Edges: 103689". */
static void read_comment(reader *r)
{
    char text[200];
    int64_t line = r->in->line;
    pen_input_read_line(r->in, text, sizeof text);
    const char *edges = strstr(text, "Edges:");
    if (!strstr(text, "Nodes:") || !edges) return;
    long long count;
    if (sscanf(edges, "Edges: %18lld", &count) != 1 || count < 0) return;
    r->announced = count;
    r->announced_line = line;
}

/* Read the third number of a line, its weight; false with a finding. */
static bool read_weight(reader *r, int64_t *weight, double *value)
{
    if (pen_input_integer(r->in, weight) == INPUT_NUMBER) {
        *value = (double)*weight;
        return true;
    }
    if (!pen_field_real(r->in, r->f, "a weight", value)) return false;
    r->others++;
    *weight = 1;
    return true;
}

static pen_status add_number(name_table *names, int64_t *id)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, *id);
    return pen_names_add(names, text, id);
}

/* Read the next word of the line as a name; false with a finding. */
static bool read_name(input *in, findings *f, char *name, size_t size)
{
    size_t length = 0;
    for (; pen_input_more(in) && (unsigned char)*in->at > ' ' && length + 1 < size; in->at++) name[length++] = *in->at;
    name[length] = '\0';
    if (length > 0 && !(pen_input_more(in) && (unsigned char)*in->at > ' ')) return true;
    PEN_FIELD_ERROR(in, f, "%s, a node's name has 1 to %d bytes", length > 0 ? "a long name" : pen_input_wrong(in),
                    (int)size - 1);
    return false;
}

/* Switch to names: convert the ids of the arcs, and *from of the current line. */
static pen_status begin_names(reader *r, int64_t *from)
{
    r->named = true;
    for (int64_t k = 0; k < 2 * r->arcs.count; k++) PEN_TRY(add_number(&r->names, &r->arcs.ends[k]));
    return from ? add_number(&r->names, from) : PEN_OK;
}

/* Read an id. *good: *id is the next id; otherwise there is a finding. `from`: the line's first id, NULL if this is
 * it. */
static pen_status read_id(reader *r, int64_t *from, int64_t *id, bool *good)
{
    char name[256];
    pen_input_skip_blanks(r->in);
    int64_t column = pen_input_place(r->in);
    input_token token = pen_input_integer(r->in, id);
    *good = token == INPUT_NUMBER && *id >= 0;
    if (*good) return r->named ? add_number(&r->names, id) : PEN_OK;
    if (token == INPUT_NUMBER)
        pen_findings_add(r->f, FINDING_ERROR, r->in->line, column, "a node's id %" PRId64 ", must be >= 0", *id);
    else if (token != INPUT_WRONG) PEN_FIELD_ERROR(r->in, r->f, "the line ends before a node's id");
    if (token != INPUT_WRONG || !read_name(r->in, r->f, name, sizeof name)) return PEN_OK;
    *good = true;
    if (!r->named) PEN_TRY(begin_names(r, from));
    return pen_names_add(&r->names, name, id);
}

static pen_status read_line(reader *r, bool first)
{
    input *in = r->in;
    int64_t from, to, weight = 1;
    double value = 1.0;
    bool good;
    PEN_TRY(read_id(r, NULL, &from, &good));
    if (good) PEN_TRY(read_id(r, &from, &to, &good));
    if (!good) {
        pen_input_skip_line(in);
        return PEN_OK;
    }
    int64_t line = in->line;
    bool plain = pen_field_over(in);
    if (first) {
        r->arcs.weighted = !plain;
        r->arcs.valued &= !plain;
    }
    if (plain != !r->arcs.weighted) {
        pen_findings_add(r->f, FINDING_ERROR, line, 0, "%s",
                         plain ? "no weight, which the lines before have"
                               : "a third number, which the lines before do not have");
        if (!plain) pen_input_skip_line(in);
    } else if (!plain && (!read_weight(r, &weight, &value) || !pen_field_end(in, r->f))) {
        pen_input_skip_line(in);
        return PEN_OK;
    }
    return pen_arc_list_add(&r->arcs, from, to, weight, value);
}

static pen_status read_lines(reader *r)
{
    input *in = r->in;
    for (bool first = true; pen_input_more(in);) {
        if (*in->at == '#' || *in->at == '%') {
            read_comment(r);
            continue;
        }
        pen_input_skip_blanks(in);
        if (!pen_input_more(in) || pen_input_line_end(in)) continue;
        PEN_TRY(read_line(r, first));
        first = false;
    }
    return PEN_OK;
}

static pen_status build(reader *r, file_graph *g)
{
    int64_t nodes = r->names.count;
    bool cut = r->announced > r->arcs.count;
    if (r->announced >= 0 && r->announced != r->arcs.count)
        pen_findings_add(r->f, cut ? FINDING_ERROR : FINDING_NOTE, r->announced_line, 0,
                         "%" PRId64 " edges are announced, but there are %" PRId64 "%s", r->announced, r->arcs.count,
                         cut ? ": is the list cut off?" : "");
    if (!r->arcs.valued) g->notes.values = r->others;
    if (r->others > 0) r->arcs.weighted = false;
    if (!r->named) PEN_TRY(pen_arc_list_take_ids(&r->arcs, g, &nodes));
    else pen_names_give(&r->names, g);
    return pen_arc_list_graph(&r->arcs, nodes, g);
}

static pen_status read_snap(input *in, const format_options *options, file_graph *g, findings *f)
{
    reader r = { .in = in, .f = f, .announced = -1, .arcs = { .valued = options->reals } };
    g->directed = options->directed;
    pen_status status = read_lines(&r);
    if (status == PEN_OK) status = build(&r, g);
    pen_arc_list_free(&r.arcs);
    pen_names_free(&r.names);
    return status;
}

static pen_status write_snap(const file_graph *g, writer *out)
{
    bool once = !g->directed && pen_arc_list_once(g);
    pen_writer_print(out, "# Nodes: %" PRId64, g->nodes);
    pen_writer_print(out, " Edges: %" PRId64 "\n", once ? pen_file_graph_edges(g) : pen_file_graph_arcs(g));
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            int64_t to = g->neighbors[a];
            if (once && to < i) continue;
            const int64_t arc[] = { pen_file_graph_label(g, i), pen_file_graph_label(g, to),
                                    g->edge_weights ? g->edge_weights[a] : 1 };
            pen_writer_line(out, '\t', arc, g->edge_weights ? 3 : 2);
        }
    }
    return PEN_OK;
}

const graph_format pen_format_snap = {
    .name = "snap",
    .endings = ".el .wel .edgelist .edges .txt",
    .summary = "SNAP edge list, also with weights; read: ids may be names",
    .holds = HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_LABELS | HOLDS_DIRECTED | HOLDS_NO_NODES |
             HOLDS_NO_EDGES | HOLDS_ORDER,
    .read = read_snap,
    .write = write_snap,
};
