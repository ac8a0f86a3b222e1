/* format_scotch.c - Scotch's .grf: numbers, between which newlines mean nothing.
 *
 *     0  nodes arcs  base flag  ( [label] [load] degree ( [edge load] neighbour ){degree} ){nodes}
 *
 * flag is three digits: labels, edge loads, node loads (Chaco's two weight digits swapped). arcs counts both
 * directions. Without labels nodes are base, base+1, ..; with labels they come in any order, and neighbours are given
 * by label. Errors, some of which Scotch accepts: digits of flag other than 0 and 1, numbers of more than 18 digits,
 * numbers after the last node, a wrong number of arcs, repeated labels, and neighbours that do not exist.
 *
 * Repairs of faults: words that are not numbers are skipped, a load below 1 becomes 1, neighbours that do not exist are
 * dropped, nodes missing at the end are isolated. */
#include "tools/graph/format.h"
#include "tools/graph/labels.h"

#include <stdlib.h>

enum { SLACK = 4096 }; /* bytes by which the announced graph may exceed the file */

typedef struct reader {
    pen_scanner *in;
    findings *f;
    file_graph *g;
    int64_t announced; /* number of arcs that the header announces */
    bool labels, edge_loads, loads;
    int64_t count;              /* number of complete rows */
    int64_t arcs, entries;      /* numbers of arcs in the graph, and of those in the file, including wrong ones */
    int64_t row_room, arc_room; /* numbers of rows and arcs for which there is room */
    int64_t token, line;        /* offset and line of the last number */
    bool ended;                 /* the text has ended inside a node or before the last one */
} reader;

/* Add a finding at the last number. */
#define WRONG(r, ...) \
    pen_findings_add((r)->f, FINDING_ERROR, (r)->line, (r)->token - (r)->in->line_begin + 1, __VA_ARGS__)

/* ---- Numbers -------------------------------------------------------------------------------- */

/* Read the next number; other words are skipped, with a finding. False at the end of the text. */
static bool slow_number(reader *r, int64_t *value)
{
    pen_scanner *in = r->in;
    for (;;) {
        while (pen_scanner_more(in) && (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r'))
            if (*in->at++ == '\n') pen_scanner_newline(in);
        if (!pen_scanner_more(in)) return false;
        r->token = pen_scanner_offset(in);
        r->line = in->line;
        if (pen_scanner_integer(in, value) == PEN_SCANNER_NUMBER) return true;
        WRONG(r, "%s, must be decimal integers", pen_scanner_wrong(in));
        pen_scanner_skip_token(in);
    }
}

static inline bool next_number(reader *r, int64_t *value)
{
    pen_scanner *in = r->in;
    const char *at = in->at;
    if (in->end - at >
        2 * PEN_SCANNER_SPAN) { /* the text has enough bytes for a few blanks and a number of up to 8 digits */
        if (*at == '\n') {
            in->at = ++at;
            pen_scanner_newline(in);
        } else if (*at == ' ' || *at == '\t') {
            at++;
        }
        uint64_t digits;
        const char *end = pen_scanner_digits(at, &digits);
        if (end > at && (*end == ' ' || *end == '\t' || *end == '\n')) {
            in->at = at;
            r->token = pen_scanner_offset(in);
            r->line = in->line;
            in->at = end;
            *value = (int64_t)digits;
            return true;
        }
    }
    return slow_number(r, value);
}

/* ---- The header ----------------------------------------------------------------------------- */

static pen_status refuse(reader *r, const char *what)
{
    WRONG(r, "%s", what);
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", r->in->name, r->line, what);
}

static int64_t text_bytes(const reader *r) { return pen_scanner_offset(r->in) + pen_scanner_left(r->in) + SLACK; }

static pen_status read_front(reader *r)
{
    int64_t numbers[5];
    static const char *const what[] = { "version", "number of nodes", "number of arcs", "number of the first node",
                                        "flag" };
    r->line = 1;
    for (int i = 0; i < 5; i++) {
        char text[80];
        snprintf(text, sizeof text, "the file ends before its %s", what[i]);
        if (!slow_number(r, &numbers[i])) {
            r->token = pen_scanner_offset(r->in);
            return refuse(r, text);
        }
        if (i == 0 && numbers[0] == 1) return refuse(r, "version 1 is a mesh, must be 0");
        if (i == 0 && numbers[0] == 2) return refuse(r, "version 2 is a piece of a distributed graph, must be 0");
        if (i == 0 && numbers[0] != 0)
            return refuse(r, "the file does not begin with 0, the version of Scotch's graphs");
        if (numbers[i] < 0 && i != 3) return refuse(r, "a negative number");
    }
    int64_t flag = numbers[4];
    if (flag > 111 || flag % 10 > 1 || flag / 10 % 10 > 1) return refuse(r, "the flag must be three digits 0 or 1");
    bool known = r->in->size >= 0 || r->in->ended;
    if (known && numbers[1] > text_bytes(r)) return refuse(r, "more nodes are announced than the file can hold");
    r->g->nodes = numbers[1];
    r->announced = numbers[2];
    r->g->base = numbers[3];
    r->labels = flag >= 100;
    r->edge_loads = flag / 10 % 10;
    r->loads = flag % 10;
    r->g->weight_count = r->loads;
    return PEN_OK;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static pen_status resize(reader *r, int64_t rows, int64_t arcs)
{
    file_graph *g = r->g;
    PEN_TRY(PEN_REALLOC(&g->rows, rows + 1));
    if (r->labels) PEN_TRY(PEN_REALLOC(&g->labels, rows));
    if (r->loads) PEN_TRY(PEN_REALLOC(&g->node_weights, rows));
    PEN_TRY(PEN_REALLOC(&g->neighbors, arcs));
    if (r->edge_loads) PEN_TRY(PEN_REALLOC(&g->edge_weights, arcs));
    r->row_room = rows;
    r->arc_room = arcs;
    return PEN_OK;
}

static pen_status room_for_rows(reader *r, int64_t count)
{
    if (count <= r->row_room) return PEN_OK;
    if (count > text_bytes(r)) return refuse(r, "more nodes are announced than the file can hold");
    int64_t rows = count + r->count / 2 + 1024;
    return resize(r, rows < r->g->nodes ? rows : r->g->nodes, r->arc_room);
}

/* Read the arcs of a node; without labels, neighbours are stored as indices. */
static pen_status read_arcs(reader *r, int64_t degree)
{
    file_graph *g = r->g;
    for (; degree > 0; degree--) {
        int64_t load = 1, to;
        r->ended = r->edge_loads && !next_number(r, &load);
        if (!r->ended && load < 1) {
            WRONG(r, "edge load %" PRId64 ", must be >= 1", load);
            load = 1;
        }
        r->ended = r->ended || !next_number(r, &to);
        if (r->ended) return PEN_OK;
        r->entries++;
        int64_t index = r->labels ? to : to - g->base;
        if (!r->labels && (uint64_t)index >= (uint64_t)g->nodes) {
            WRONG(r, "neighbour %" PRId64 ", must be %" PRId64 "..%" PRId64, to, g->base, g->base + g->nodes - 1);
            continue;
        }
        if (r->arcs == r->arc_room) PEN_TRY(resize(r, r->row_room, r->arcs + r->arcs / 2 + 1024));
        if (r->arcs == r->f->next_arc) pen_findings_place(r->f, r->line, r->token - r->in->line_begin + 1);
        if (r->edge_loads) g->edge_weights[r->arcs] = load;
        g->neighbors[r->arcs++] = index;
    }
    return PEN_OK;
}

static pen_status read_nodes(reader *r)
{
    file_graph *g = r->g;
    while (r->count < g->nodes && !r->ended) {
        int64_t label = 0, load = 1, degree = 0;
        if (r->count == r->row_room) PEN_TRY(room_for_rows(r, r->count + 1));
        r->ended = r->labels && !next_number(r, &label);
        r->ended = r->ended || (r->loads && !next_number(r, &load));
        if (!r->ended && load < 1) {
            WRONG(r, "node load %" PRId64 ", must be >= 1", load);
            load = 1;
        }
        r->ended = r->ended || !next_number(r, &degree);
        if (r->ended) break;
        if (degree < 0) WRONG(r, "degree %" PRId64 ", must be >= 0", degree);
        if (r->labels) g->labels[r->count] = label;
        if (r->loads) g->node_weights[r->count] = load;
        PEN_TRY(read_arcs(r, degree));
        g->rows[++r->count] = r->arcs;
    }
    return PEN_OK;
}

/* Compare the announced counts with the text. Missing nodes become isolated; with labels they are dropped. */
static pen_status read_end(reader *r)
{
    file_graph *g = r->g;
    int64_t value, line = r->in->line, column = pen_scanner_place(r->in);
    if (r->ended)
        pen_findings_add(r->f, FINDING_ERROR, line, column, "the file ends after %" PRId64 " of %" PRId64 " nodes%s",
                         r->count, g->nodes, r->count == g->nodes ? ", in the last one's neighbours" : "");
    else if (next_number(r, &value)) WRONG(r, "numbers after the last node");
    if (!r->ended && r->entries != r->announced)
        PEN_LINE_ERROR(r->f, 2, "%" PRId64 " arcs are announced, but there are %" PRId64, r->announced, r->entries);
    if (r->labels) g->nodes = r->count;
    PEN_TRY(room_for_rows(r, g->nodes));
    for (; r->count < g->nodes; g->rows[++r->count] = r->arcs)
        if (r->loads) g->node_weights[r->count] = 1;
    return resize(r, g->nodes, r->arcs);
}

/* ---- Labels --------------------------------------------------------------------------------- */

/* Turn the labels of neighbours into indices. If some label does not exist, fail after all findings. */
static pen_status resolve(reader *r, const label_index *index)
{
    file_graph *g = r->g;
    bool wrong = false, in_order = true;
    for (int64_t i = 0; i < g->nodes; i++) in_order = in_order && g->labels[i] == g->base + i;
    for (int64_t i = 1; i < g->nodes; i++)
        if (index->sorted[i].label == index->sorted[i - 1].label) {
            PEN_LINE_ERROR(r->f, 0, "more than one node has the label %" PRId64, index->sorted[i].label);
            wrong = true;
        }
    for (int64_t a = 0; a < r->arcs; a++) {
        int64_t node = pen_label_index_find(index, g->neighbors[a]);
        if (node < 0) {
            pen_findings_add_arc(r->f, FINDING_ERROR, a, "neighbour %" PRId64 ", which is not the label of a node",
                                 g->neighbors[a]);
            wrong = true;
        }
        g->neighbors[a] = node;
    }
    if (wrong) return pen_fail(PEN_ERR_INPUT, "%s: labels do not identify the nodes", r->in->name);
    if (in_order) {
        free(g->labels);
        g->labels = NULL;
    }
    return PEN_OK;
}

static pen_status read_scotch(const graph_format *format, pen_scanner *in, const format_options *options, file_graph *g,
                              findings *f)
{
    reader r = { .in = in, .f = f, .g = g };
    PEN_TRY(read_front(&r));
    int64_t bytes = text_bytes(&r), most = bytes / (r.edge_loads ? 4 : 2);
    PEN_TRY(resize(&r, g->nodes < bytes ? g->nodes : bytes, r.announced < most ? r.announced : most));
    g->rows[0] = 0;
    PEN_TRY(read_nodes(&r));
    PEN_TRY(read_end(&r));
    if (!r.labels) return PEN_OK;
    label_index index;
    PEN_TRY(pen_label_index_create(g, g->base, &index));
    pen_status status = resolve(&r, &index);
    pen_label_index_free(&index);
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static pen_status write_scotch(const graph_format *format, const file_graph *g, writer *out)
{
    pen_writer_text(out, "0\n");
    pen_writer_number(out, g->nodes, '\t');
    pen_writer_number(out, pen_file_graph_arcs(g), '\n');
    pen_writer_number(out, g->base, '\t');
    pen_writer_print(out, "%d%d%d\n", g->labels != NULL, g->edge_weights != NULL, g->weight_count > 0);
    for (int64_t i = 0; i < g->nodes && out->status == PEN_OK; i++) {
        int64_t begin = g->rows[i], end = g->rows[i + 1];
        if (g->labels) pen_writer_number(out, g->labels[i], '\t');
        if (g->weight_count > 0) pen_writer_number(out, g->node_weights[i * g->weight_count], '\t');
        pen_writer_number(out, end - begin, begin < end ? '\t' : '\n');
        for (int64_t a = begin; a < end; a++) {
            int64_t to = g->neighbors[a];
            if (g->edge_weights) pen_writer_number(out, g->edge_weights[a], '\t');
            pen_writer_number(out, g->labels ? g->labels[to] : g->base + to, a + 1 < end ? '\t' : '\n');
        }
    }
    return PEN_OK;
}

const graph_format pen_format_scotch = {
    .name = "scotch",
    .endings = ".grf .src",
    .summary = "Scotch's graphs: arcs are counted, labels, any number for the first node",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_LABELS | HOLDS_ISOLATED | HOLDS_NO_NODES | HOLDS_NO_EDGES |
             HOLDS_ORDER,
    .places = true,
    .read = read_scotch,
    .write = write_scotch,
};
