/* format_chaco.c - Chaco/METIS text, all dialects, read in one pass, with a finding for each error.
 *
 * The grammar is that of the library's reader (runtime/graph/chaco.h). DIMACS-10 is METIS's text without sizes and with
 * one weight per node; its fmt 100 allows loops (once in their row) and parallel edges, and then the header counts
 * neighbours. The header of a directed graph may count arcs or neighbours. Repairs of faults:
 * - a bad number becomes a weight of 1, or the neighbour is dropped;
 * - text after a line's numbers is skipped, as are comments in the wrong place;
 * - an empty line instead of a node's weights is a node with weights of 1, if more nodes follow;
 * - nodes missing at the end are isolated; lines after the last node are not read. */
#include "graph/chaco.h"
#include "tools/graph/examine.h"
#include "tools/graph/fields.h"
#include "tools/graph/format.h"

typedef enum dialect { METIS, CHACO, DIMACS10 } dialect;

typedef struct reader {
    input *in;
    findings *f;
    file_graph *g;
    pen_chaco_header h;
    int64_t announced; /* number of neighbours that the header announces */
    dialect dialect;
    int64_t count;         /* number of complete rows */
    int64_t arcs, entries; /* numbers of arcs in the graph, and of those in the file, including wrong ones */
    graph_room room;
    int64_t fields;              /* number of numbers before the neighbours of a line */
    int64_t blank, blanks;       /* empty lines that may be nodes: line of the first one, and their number */
    bool zero_weights, comments; /* weights of 0, or comments, have been noted already */
    bool overflow;               /* there is data after the last node */
} reader;

/* ---- The header ----------------------------------------------------------------------------- */

/* Skip comments and, for Chaco, empty lines before the header. */
static void skip_front(reader *r)
{
    input *in = r->in;
    while (pen_input_more(in)) {
        if (*in->at == '%' || (r->dialect == CHACO && *in->at == '#')) {
            pen_input_skip_line(in);
            continue;
        }
        int64_t line = in->line;
        if (pen_input_line_end(in)) {
            if (r->dialect != CHACO) pen_findings_add(r->f, FINDING_ERROR, line, 1, "empty line instead of the header");
            continue;
        }
        if (memcmp(in->at, "\xEF\xBB\xBF", 3) == 0) {
            PEN_FIELD_ERROR(r->in, r->f, "the file begins with a byte order mark (0xEF), must be plain text");
            in->at += 3;
            continue;
        }
        const char *at = in->at;
        while (*at == ' ' || *at == '\t') at++;
        bool hash = r->dialect != CHACO && *at == '#';
        if (*at != '%' && !hash) return;
        if (hash) PEN_FIELD_ERROR(r->in, r->f, "a line with '#' is a comment to Chaco alone");
        else PEN_FIELD_ERROR(r->in, r->f, "a comment must begin in column 1");
        pen_input_skip_line(in);
    }
}

static pen_status read_header(reader *r)
{
    input *in = r->in;
    pen_chaco_header *h = &r->h;
    int64_t numbers[4];
    int count = 0;
    skip_front(r);
    int64_t line = h->line = in->line;
    if (!pen_input_more(in)) return pen_field_refuse(r->in, r->f, line, "the file has no header");
    for (;;) {
        int64_t value;
        input_token token = pen_input_integer(in, &value);
        if (token == INPUT_LINE_END || token == INPUT_END) break;
        if (token == INPUT_WRONG) {
            if (count < 2) return pen_field_refuse(in, r->f, line, "%s", pen_input_wrong(in));
            PEN_FIELD_ERROR(in, r->f, "%s in the header", pen_input_wrong(in));
            break;
        }
        if (count == 4) {
            PEN_FIELD_ERROR(in, r->f, "more than 4 numbers in the header");
            break;
        }
        numbers[count++] = value;
    }
    pen_input_skip_line(in);
    if (count >= 2 && (numbers[0] < 0 || numbers[1] < 0))
        return pen_field_refuse(in, r->f, line, "the numbers of nodes and edges must not be negative");
    const char *fault;
    if (!pen_chaco_meaning(numbers, count, r->dialect == CHACO ? PEN_DIALECT_CHACO : PEN_DIALECT_METIS, h, &fault))
        return pen_field_refuse(in, r->f, line, "%s", fault);
    if (fault) pen_findings_add(r->f, FINDING_ERROR, line, 0, "%s", fault);
    int64_t format = count > 2 ? numbers[2] : 0;
    bool multigraph = r->dialect == DIMACS10 && format == 100;
    if (r->dialect == DIMACS10 && format > 100)
        return pen_field_refuse(in, r->f, line, "the third number of the header (fmt) must be 0, 1, 10, 11 or 100");
    r->announced = multigraph ? h->edges : 2 * h->edges;
    h->sizes = h->sizes && !multigraph;
    r->fields = h->labels + h->sizes + h->weight_count;

    if (h->nodes == 0) pen_findings_add(r->f, FINDING_ERROR, line, 0, "the graph has no nodes");
    bool known = in->size >= 0 || in->ended;
    int64_t bytes = pen_input_left(in) + PEN_CHACO_SLACK;
    if (h->weight_count > bytes || (known && (h->nodes > bytes || !pen_chaco_plausible(h->nodes, r->fields, bytes))))
        return pen_field_refuse(r->in, r->f, line, "the header announces more nodes than the file can hold");
    if (h->sizes || h->labels)
        pen_findings_add(r->f, FINDING_NOTE, line, 0, "fmt %" PRId64 " announces %s", format,
                         r->dialect == CHACO ? "node numbers, as Chaco reads it; METIS takes them for node sizes"
                                             : "node sizes, as METIS reads it; Chaco takes them for node numbers");
    if (h->weight_count > 1)
        pen_findings_add(r->f, FINDING_NOTE, line, 0, "Chaco and Scotch cannot read several weights per node");
    if (h->edges == 0 && h->nodes > 0)
        pen_findings_add(r->f, FINDING_NOTE, line, 0, "gpmetis refuses a graph without edges");
    return PEN_OK;
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* The bytes of the text; for a stream, an estimate. */
static int64_t text_bytes(const reader *r) { return pen_input_offset(r->in) + pen_input_left(r->in) + PEN_CHACO_SLACK; }

/* Make room for `count` rows, at most as many as the graph has. */
static pen_status room_for_rows(reader *r, int64_t count)
{
    if (count <= r->room.rows) return PEN_OK;
    if (!pen_chaco_plausible(count, r->fields, text_bytes(r)) || count > text_bytes(r))
        return pen_field_refuse(r->in, r->f, r->h.line, "the header announces more than the file can hold");
    int64_t rows = r->count + r->count / 2 + 1024;
    if (rows < count) rows = count;
    return pen_graph_room_resize(&r->room, rows < r->h.nodes ? rows : r->h.nodes, r->room.arcs);
}

/* ---- Lines ---------------------------------------------------------------------------------- */

/* Add nodes without neighbours, for empty or missing lines. */
static pen_status add_isolated(reader *r, int64_t count)
{
    file_graph *g = r->g;
    if (count > r->h.nodes - r->count) count = r->h.nodes - r->count;
    PEN_TRY(room_for_rows(r, r->count + count));
    for (; count > 0; count--) {
        if (g->node_sizes) g->node_sizes[r->count] = 1;
        for (int64_t k = 0; k < r->h.weight_count; k++) g->node_weights[r->count * r->h.weight_count + k] = 1;
        g->rows[++r->count] = r->arcs;
    }
    return PEN_OK;
}

/* Read the next number of the line, at least `low`; a wrong one becomes 1, with a finding. False at the end of the
 * line. */
static bool field_number(reader *r, const char *what, int64_t low, int64_t *value)
{
    input *in = r->in;
    pen_input_skip_blanks(in);
    int64_t line = in->line, column = pen_input_place(in);
    input_token token = pen_input_integer(in, value);
    if (token == INPUT_NUMBER && *value >= low) return true;
    if (token == INPUT_NUMBER) {
        pen_findings_add(r->f, FINDING_ERROR, line, column, "%s %" PRId64 ", must be >= %" PRId64, what, *value, low);
    } else if (token == INPUT_WRONG) {
        PEN_FIELD_ERROR(r->in, r->f, "%s, %s must be a decimal integer", pen_input_wrong(in), what);
        pen_input_skip_token(in);
    } else PEN_FIELD_ERROR(r->in, r->f, "the line ends before the %s", what);
    *value = 1;
    return token == INPUT_NUMBER || token == INPUT_WRONG;
}

/* Read the numbers before the neighbours. False: the line belongs to no node. */
static bool front(reader *r)
{
    file_graph *g = r->g;
    if (r->h.labels) {
        int64_t line = r->in->line, column = pen_input_place(r->in), label;
        bool given = field_number(r, "node number", 1, &label);
        if (given && label == r->count && r->count > 0) { /* the previous node continues; its weights are known */
            r->count--;
            return true;
        }
        if (r->count == r->h.nodes) return false;
        if (given && label != r->count + 1)
            pen_findings_add(r->f, FINDING_ERROR, line, column, "node number %" PRId64 ", must be %s%" PRId64, label,
                             r->count > 0 ? "the one before or " : "", r->count + 1);
    }
    if (r->count == r->h.nodes) return false;
    bool more = true;
    if (r->h.sizes) more = field_number(r, "node size", 0, &g->node_sizes[r->count]);
    for (int64_t k = 0; k < r->h.weight_count; k++) {
        int64_t *weight = &g->node_weights[r->count * r->h.weight_count + k];
        *weight = 1;
        if (more) more = field_number(r, "node weight", 0, weight);
        if (*weight == 0 && !r->zero_weights) {
            pen_findings_add(r->f, FINDING_NOTE, r->in->line, 0, "a node weight of 0, which Scotch and Chaco refuse");
            r->zero_weights = true;
        }
    }
    return true;
}

/* Read one neighbour and its weight, with all checks. *more: the line has not ended. */
static pen_status neighbor(reader *r, bool *more)
{
    input *in = r->in;
    pen_input_skip_blanks(in);
    int64_t line = in->line, column = pen_input_place(in), value, weight = 1;
    input_token token = pen_input_integer(in, &value);
    *more = token == INPUT_NUMBER || token == INPUT_WRONG;
    if (!*more) return PEN_OK;
    if (token == INPUT_WRONG) {
        PEN_FIELD_ERROR(r->in, r->f, "%s, numbers are decimal integers", pen_input_wrong(in));
        *more = *in->at != '%' && *in->at != '#';
        if (!*more) return PEN_OK;
        pen_input_skip_token(in);
    } else if (value < 1 || value > r->h.nodes) {
        pen_findings_add(r->f, FINDING_ERROR, line, column, "neighbour %" PRId64 ", must be 1..%" PRId64 "%s", value,
                         r->h.nodes, value == 0 ? " (are the nodes counted from 0?)" : "");
        token = INPUT_WRONG;
    }
    if (r->h.edge_weights) field_number(r, "edge weight", 1, &weight);
    r->entries++;
    if (token == INPUT_WRONG) return PEN_OK;
    PEN_TRY(pen_graph_room_for_arc(&r->room, r->arcs));
    if (r->arcs == r->f->next_arc) pen_findings_place(r->f, line, column);
    if (r->h.edge_weights) r->g->edge_weights[r->arcs] = weight;
    r->g->neighbors[r->arcs++] = value - 1;
    return PEN_OK;
}

static inline const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* The hot loop: read neighbours (and weights) of up to 8 digits that begin before `stop`. Stops at the end of the line,
 * or at anything that `neighbor` must check. */
static inline void plain_neighbors(reader *r, const char *stop, bool weighted)
{
    int64_t room = r->room.arcs - r->arcs, to_place = r->f->next_arc - r->arcs;
    int64_t *first = r->g->neighbors + r->arcs, *to = first, *last = first + (room < to_place ? room : to_place);
    int64_t *weight = weighted ? r->g->edge_weights + r->arcs : NULL;
    uint64_t nodes = (uint64_t)r->h.nodes, value, second;
    const char *at = skip_blanks(r->in->at);
    while (at < stop && to < last) {
        const char *end = pen_input_digits(at, &value);
        if (value - 1 >= nodes || *end > ' ') break;
        if (weighted) {
            const char *begin = skip_blanks(end);
            if (begin >= stop) break;
            end = pen_input_digits(begin, &second);
            if (second == 0 || *end > ' ') break;
        }
        const char *next = skip_blanks(end);
        if (next == end && *next != '\n') break;
        *to++ = (int64_t)value - 1;
        if (weighted) *weight++ = (int64_t)second;
        at = next;
        if (*at == '\n') break;
    }
    r->in->at = at;
    r->arcs += to - first;
    r->entries += to - first;
}

static void hot_loop(reader *r)
{
    if (r->in->end - r->in->at <= INPUT_SPAN) return;
    const char *stop = r->in->end - INPUT_SPAN;
    if (r->h.edge_weights) plain_neighbors(r, stop, true);
    else plain_neighbors(r, stop, false);
}

/* Read a line that is neither a comment nor empty. */
static pen_status node_line(reader *r)
{
    input *in = r->in;
    if (r->blanks > 0) {
        pen_findings_add(r->f, FINDING_ERROR, r->blank, 1,
                         "an empty line, but a node's line begins with %" PRId64 " of its numbers", r->fields);
        if (!r->h.labels) PEN_TRY(add_isolated(r, r->blanks));
        r->blanks = 0;
    }
    int64_t line = in->line;
    if (r->count < r->h.nodes) PEN_TRY(room_for_rows(r, r->count + 1));
    if (r->fields > 0 ? !front(r) : r->count == r->h.nodes) {
        pen_findings_add(r->f, FINDING_ERROR, line, 1, "data after the last node");
        r->overflow = true;
        return PEN_OK;
    }
    for (bool more = true; more;) {
        if (pen_input_more(in)) hot_loop(r);
        if (*in->at == '\n' && in->at < in->end) break;
        PEN_TRY(neighbor(r, &more));
    }
    pen_input_skip_line(in);
    r->g->rows[++r->count] = r->arcs;
    return PEN_OK;
}

static void comment_line(reader *r)
{
    static const char what[] = "a comment after the header, which Chaco takes for a node";
    if (r->dialect == CHACO || !r->comments)
        pen_findings_add(r->f, r->dialect == CHACO ? FINDING_ERROR : FINDING_NOTE, r->in->line, 1, "%s", what);
    r->comments = true;
    pen_input_skip_line(r->in);
}

static pen_status empty_line(reader *r, int64_t line)
{
    if (r->count == r->h.nodes) return PEN_OK;
    if (r->fields == 0) return add_isolated(r, 1);
    if (r->blanks++ == 0) r->blank = line;
    return PEN_OK;
}

static pen_status read_lines(reader *r)
{
    input *in = r->in;
    while (!r->overflow && pen_input_more(in)) {
        int64_t line = in->line;
        if (pen_input_is_digit(*in->at)) {
            PEN_TRY(node_line(r));
            continue;
        }
        if (*in->at == '%') {
            comment_line(r);
            continue;
        }
        pen_input_skip_blanks(in);
        if (pen_input_line_end(in)) {
            PEN_TRY(empty_line(r, line));
        } else if (!pen_input_more(in)) {
            break;
        } else if (*in->at == '%' || *in->at == '#') {
            PEN_FIELD_ERROR(r->in, r->f, "a comment must begin in column 1 with '%%'");
            pen_input_skip_line(in);
        } else {
            PEN_TRY(node_line(r));
        }
    }
    return PEN_OK;
}

/* Compare the header's counts with those of the text. */
static void compare_counts(reader *r)
{
    const pen_chaco_header *h = &r->h;
    int64_t missing = h->nodes - r->count;
    bool newline = pen_input_place(r->in) == 1;
    if (missing == 1 && r->fields == 0 && newline)
        pen_findings_add(r->f, FINDING_NOTE, r->in->line, 0, "no line for the last node, which METIS refuses");
    else if (missing == h->nodes && r->dialect == CHACO && h->edges == 0 && r->fields == 0)
        pen_findings_add(r->f, FINDING_NOTE, h->line, 0, "no lines for the nodes, which METIS refuses");
    else if (missing > 0)
        pen_findings_add(r->f, FINDING_ERROR, r->in->line, 0, "the file ends after %" PRId64 " of %" PRId64 " nodes",
                         r->count, h->nodes);
    if (r->overflow || r->entries == r->announced || (r->g->directed && r->entries == h->edges)) return;
    pen_findings_add(r->f, FINDING_ERROR, h->line, 0,
                     "the header announces %" PRId64 " edges, so %" PRId64 " neighbours, but there are %" PRId64 "%s",
                     h->edges, r->announced, r->entries,
                     h->edges == r->entries ? " (are edges counted in both directions?)" : "");
}

static pen_status read_text(input *in, dialect which, const format_options *options, file_graph *g, findings *f)
{
    reader r = { .in = in, .f = f, .g = g, .dialect = which, .room = { .g = g } };
    PEN_TRY(read_header(&r));
    g->directed = options->directed;
    g->weight_count = r.h.weight_count;
    r.room.has = (r.h.sizes ? HOLDS_SIZES : 0) | (r.h.edge_weights ? HOLDS_EDGE_WEIGHTS : 0);
    int64_t bytes = text_bytes(&r), rows = bytes / (r.fields ? 2 * r.fields : 1);
    PEN_TRY(pen_graph_room_reserve(&r.room, r.h.nodes < rows ? r.h.nodes : rows, r.announced, bytes));
    PEN_TRY(read_lines(&r));
    compare_counts(&r);
    PEN_TRY(add_isolated(&r, r.h.nodes - r.count));
    g->nodes = r.h.nodes;
    return pen_graph_room_resize(&r.room, r.h.nodes, r.arcs);
}

static pen_status read_metis(input *in, const format_options *options, file_graph *g, findings *f)
{
    return read_text(in, METIS, options, g, f);
}

static pen_status read_chaco(input *in, const format_options *options, file_graph *g, findings *f)
{
    return read_text(in, CHACO, options, g, f);
}

static pen_status read_dimacs10(input *in, const format_options *options, file_graph *g, findings *f)
{
    return read_text(in, DIMACS10, options, g, f);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static char *put(char *at, int64_t number)
{
    at = pen_writer_digits(at, number);
    *at++ = ' ';
    return at;
}

/* Turn the last blank of the line into its end. */
static void end_line(writer *out, bool empty)
{
    if (empty) pen_writer_char(out, '\n');
    else out->at[-1] = '\n';
}

static void write_row(const file_graph *g, int64_t i, bool sizes, writer *out)
{
    int64_t begin = g->rows[i], end = g->rows[i + 1];
    if (sizes) out->at = put(pen_writer_room(out), g->node_sizes[i]);
    for (int64_t k = 0; k < g->weight_count; k++)
        out->at = put(pen_writer_room(out), g->node_weights[i * g->weight_count + k]);
    for (int64_t a = begin; a < end; a++) {
        out->at = put(pen_writer_room(out), g->neighbors[a] + 1);
        if (g->edge_weights) out->at = put(out->at, g->edge_weights[a]);
    }
    end_line(out, begin == end && !sizes && g->weight_count == 0);
}

/* Write the text. `edges` and `format` are those of the header. */
static pen_status write_text(const file_graph *g, int64_t edges, int format, writer *out)
{
    out->at = put(put(pen_writer_room(out), g->nodes), edges);
    if (format > 0) out->at = put(out->at, format);
    if (g->weight_count > 1) out->at = put(pen_writer_room(out), g->weight_count);
    end_line(out, false);
    bool sizes = format >= 100 && g->node_sizes;
    for (int64_t i = 0; i < g->nodes && out->status == PEN_OK; i++) write_row(g, i, sizes, out);
    return PEN_OK;
}

static int weight_digits(const file_graph *g) { return (g->weight_count > 0 ? 10 : 0) + (g->edge_weights ? 1 : 0); }

static pen_status write_metis(const file_graph *g, writer *out)
{
    return write_text(g, pen_file_graph_edges(g), (g->node_sizes ? 100 : 0) + weight_digits(g), out);
}

static pen_status write_chaco(const file_graph *g, writer *out)
{
    return write_text(g, pen_file_graph_edges(g), weight_digits(g), out);
}

static pen_status write_dimacs10(const file_graph *g, writer *out)
{
    graph_faults faults;
    PEN_TRY(pen_file_graph_faults(g, &faults));
    if (!faults.loops && !faults.duplicates) return write_text(g, pen_file_graph_edges(g), weight_digits(g), out);
    if (weight_digits(g) > 0)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "format dimacs10 holds loops and parallel edges in graphs without weights only");
    return write_text(g, pen_file_graph_arcs(g), 100, out);
}

const graph_format pen_format_metis = {
    .name = "metis",
    .endings = ".graph .metis .mgraph",
    .summary = "METIS text: fmt 1xx = node sizes, several weights per node",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_SIZES | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED |
             HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES | HOLDS_DIRECTED | HOLDS_ORDER,
    .places = true,
    .read = read_metis,
    .write = write_metis,
};

const graph_format pen_format_chaco = {
    .name = "chaco",
    .endings = ".chaco",
    .summary = "Chaco text: fmt 1xx = node numbers, lines may be split; one weight per node",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES |
             HOLDS_ORDER,
    .places = true,
    .read = read_chaco,
    .write = write_chaco,
};

const graph_format pen_format_dimacs10 = {
    .name = "dimacs10",
    .endings = "",
    .summary = "METIS text of the tenth DIMACS challenge: fmt 100 = loops and parallel edges",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES |
             HOLDS_LOOPS | HOLDS_DUPLICATES | HOLDS_DIRECTED | HOLDS_ORDER,
    .places = true,
    .read = read_dimacs10,
    .write = write_dimacs10,
};
