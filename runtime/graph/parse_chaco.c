/* parse_chaco.c - the parser of Chaco/METIS text. */
#include "base/memory.h"
#include "graph/chaco.h"

#include <stdarg.h>

/* ---- What is found -------------------------------------------------------------------------- */

static void find(pen_chaco_parser *p, bool is_error, int64_t line, int64_t column, const char *format, ...)
    PEN_PRINTF(5, 6);

static void find(pen_chaco_parser *p, bool is_error, int64_t line, int64_t column, const char *format, ...)
{
    if (p->strict && (p->over || !is_error)) return;
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->found(p->context, is_error, line, column, text);
    p->over = p->strict;
}

/* Add an error at the current place. */
#define ERROR_HERE(p, ...) find(p, true, (p)->in->line, pen_scanner_place((p)->in), __VA_ARGS__)

/* Add an error of the header's line. Reading cannot continue. */
static pen_status refuse(pen_chaco_parser *p, const char *what)
{
    find(p, true, p->header.line, 0, "%s", what);
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", p->in->name, p->header.line, what);
}

/* ---- The header ----------------------------------------------------------------------------- */

/* Skip comments and, for Chaco, empty lines before the header. */
static void skip_front(pen_chaco_parser *p)
{
    pen_scanner *in = p->in;
    bool chaco = p->dialect == PEN_DIALECT_CHACO;
    while (!p->over && pen_scanner_more(in)) {
        if (*in->at == '%' || (chaco && *in->at == '#')) {
            pen_scanner_skip_line(in);
            continue;
        }
        int64_t line = in->line;
        if (pen_scanner_line_end(in)) {
            if (!chaco) find(p, true, line, 1, "empty line instead of the header");
            continue;
        }
        if (memcmp(in->at, "\xEF\xBB\xBF", 3) == 0) {
            ERROR_HERE(p, "the file begins with a byte order mark (0xEF), must be plain text");
            in->at += 3;
            continue;
        }
        const char *at = in->at;
        while (*at == ' ' || *at == '\t') at++;
        bool hash = !chaco && *at == '#';
        if (*at != '%' && !hash) return;
        if (hash) ERROR_HERE(p, "a line with '#' is a comment to Chaco alone");
        else ERROR_HERE(p, "a comment must begin in column 1");
        pen_scanner_skip_line(in);
    }
}

/* Interpret the numbers of a header. NULL, or the reason why reading cannot continue. */
static const char *interpret(pen_chaco_parser *p, const int64_t *numbers, int count)
{
    static const int64_t formats[] = { 0, 1, 10, 11, 100, 101, 110, 111 };
    pen_chaco_header *h = &p->header;
    int64_t format = h->format = count > 2 ? numbers[2] : 0;
    bool known = false, weighted = format / 10 % 10;
    if (count < 2) return "the header must have the numbers of nodes and edges";
    if (numbers[0] < 0 || numbers[1] < 0) return "the numbers of nodes and edges must not be negative";
    for (int i = 0; i < PEN_COUNT_OF(formats); i++) known = known || formats[i] == format;
    if (!known) return "the third number of the header (fmt) must be 0, 1, 10, 11, 100, 101, 110 or 111";
    h->nodes = numbers[0];
    h->edges = numbers[1];
    h->edge_weights = format % 10;
    h->weight_count = count > 3 && weighted && numbers[3] > 1 ? numbers[3] : weighted;
    h->sizes = format >= 100 && p->dialect == PEN_DIALECT_METIS && !p->without_sizes;
    h->labels = format >= 100 && p->dialect == PEN_DIALECT_CHACO;
    if (h->nodes == 0) find(p, true, h->line, 0, "the graph has no nodes");
    if (count > 3 && weighted && numbers[3] < 1)
        find(p, true, h->line, 0, "the number of weights per node must be >= 1");
    if (count > 3 && !weighted)
        find(p, true, h->line, 0, "the header has a number of weights per node, but fmt says that there are none");
    return NULL;
}

pen_status pen_chaco_parse_header(pen_chaco_parser *p)
{
    pen_scanner *in = p->in;
    pen_chaco_header *h = &p->header;
    int64_t numbers[4];
    int count = 0;
    skip_front(p);
    h->line = in->line;
    if (!pen_scanner_more(in)) return refuse(p, "the file has no header");
    for (;;) {
        int64_t value;
        pen_scanner_token token = pen_scanner_integer(in, &value);
        if (token == PEN_SCANNER_LINE_END || token == PEN_SCANNER_END) break;
        if (token == PEN_SCANNER_WRONG) {
            char fault[80];
            snprintf(fault, sizeof fault, "%s in the header", pen_scanner_wrong(in));
            if (count < 2) return refuse(p, fault);
            ERROR_HERE(p, "%s", fault);
            break;
        }
        if (count == 4) {
            ERROR_HERE(p, "more than 4 numbers in the header");
            break;
        }
        numbers[count++] = value;
    }
    pen_scanner_skip_line(in);
    const char *fault = interpret(p, numbers, count);
    if (fault) return refuse(p, fault);
    h->body = pen_scanner_offset(in);
    int64_t fields = h->labels + h->sizes + h->weight_count;
    bool known = in->size >= 0 || in->ended;
    int64_t bytes = pen_scanner_left(in) + PEN_CHACO_SLACK;
    if (h->weight_count > bytes || (known && (h->nodes > bytes || !pen_chaco_plausible(h->nodes, fields, bytes))))
        return refuse(p, "the header announces more nodes than the file can hold");
    if (h->sizes || h->labels)
        find(p, false, h->line, 0, "fmt %" PRId64 " announces %s", h->format,
             h->labels ? "node numbers, as Chaco reads it; METIS takes them for node sizes"
                       : "node sizes, as METIS reads it; Chaco takes them for node numbers");
    if (h->weight_count > 1) find(p, false, h->line, 0, "Chaco and Scotch cannot read several weights per node");
    if (h->edges == 0 && h->nodes > 0) find(p, false, h->line, 0, "gpmetis refuses a graph without edges");
    return PEN_OK;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static pen_status resize(pen_chaco_parser *p, int64_t rows, int64_t arcs)
{
    const pen_chaco_header *h = &p->header;
    PEN_TRY(PEN_REALLOC(&p->rows, rows + 1));
    PEN_TRY(PEN_REALLOC(&p->neighbors, arcs));
    if (h->edge_weights) PEN_TRY(PEN_REALLOC(&p->edge_weights, arcs));
    if (h->sizes) PEN_TRY(PEN_REALLOC(&p->node_sizes, rows));
    if (h->weight_count) PEN_TRY(PEN_REALLOC(&p->node_weights, rows * h->weight_count));
    p->row_room = rows;
    p->arc_room = arcs;
    return PEN_OK;
}

/* The bytes of the text; for a stream, an estimate. */
static int64_t text_bytes(const pen_chaco_parser *p)
{
    return pen_scanner_offset(p->in) + pen_scanner_left(p->in) + PEN_CHACO_SLACK;
}

/* Make room for a share of the announced graph, or for what the text can have, whichever is less. */
static pen_status reserve(pen_chaco_parser *p, double share)
{
    const pen_chaco_header *h = &p->header;
    int64_t bytes = text_bytes(p), rows = bytes / (p->fields ? 2 * p->fields : 1);
    int64_t arcs = bytes / (h->edge_weights ? 4 : 2);
    double expected = share * (double)h->nodes, edges = share * 2 * (double)h->edges;
    if (expected < (double)rows) rows = (int64_t)expected;
    if (edges < (double)arcs) arcs = (int64_t)edges;
    PEN_TRY(resize(p, rows + 1 < h->nodes ? rows + 1 : h->nodes, arcs));
    p->rows[0] = 0;
    return PEN_OK;
}

/* Make room for `count` rows, at most as many as the graph has. */
static pen_status room_for_rows(pen_chaco_parser *p, int64_t count)
{
    if (count <= p->row_room) return PEN_OK;
    int64_t bytes = text_bytes(p);
    if (!pen_chaco_plausible(count, p->fields, bytes) || count > bytes)
        return refuse(p, "the header announces more than the file can hold");
    int64_t rows = p->count + p->count / 2 + 1024;
    if (rows < count) rows = count;
    return resize(p, rows < p->header.nodes ? rows : p->header.nodes, p->arc_room);
}

pen_status pen_chaco_shrink(pen_chaco_parser *p) { return resize(p, p->count, p->arcs); }

/* ---- Lines ---------------------------------------------------------------------------------- */

pen_status pen_chaco_add_isolated(pen_chaco_parser *p, int64_t count)
{
    const pen_chaco_header *h = &p->header;
    if (count > h->nodes - p->count) count = h->nodes - p->count;
    PEN_TRY(room_for_rows(p, p->count + count));
    for (; count > 0; count--) {
        if (h->sizes) p->node_sizes[p->count] = 1;
        for (int64_t k = 0; k < h->weight_count; k++) p->node_weights[p->count * h->weight_count + k] = 1;
        p->rows[++p->count] = p->arcs;
    }
    return PEN_OK;
}

/* Read the next number of the line, at least `low`; a wrong one becomes 1, with an error. False at the end of the
 * line. */
static bool field_number(pen_chaco_parser *p, const char *what, int64_t low, int64_t *value)
{
    pen_scanner *in = p->in;
    pen_scanner_skip_blanks(in);
    int64_t line = in->line, column = pen_scanner_place(in);
    pen_scanner_token token = pen_scanner_integer(in, value);
    if (token == PEN_SCANNER_NUMBER && *value >= low) return true;
    if (token == PEN_SCANNER_NUMBER) {
        find(p, true, line, column, "%s %" PRId64 ", must be >= %" PRId64, what, *value, low);
    } else if (token == PEN_SCANNER_WRONG) {
        ERROR_HERE(p, "%s, %s must be a decimal integer", pen_scanner_wrong(in), what);
        pen_scanner_skip_token(in);
    } else ERROR_HERE(p, "the line ends before the %s", what);
    *value = 1;
    return token == PEN_SCANNER_NUMBER || token == PEN_SCANNER_WRONG;
}

/* Read the numbers before the neighbours. False: the line belongs to no node. */
static bool front(pen_chaco_parser *p)
{
    const pen_chaco_header *h = &p->header;
    if (h->labels) {
        int64_t line = p->in->line, column = pen_scanner_place(p->in), label;
        bool given = field_number(p, "node number", 1, &label);
        if (given && label == p->count && p->count > 0) { /* the previous node continues; its weights are known */
            p->count--;
            return true;
        }
        if (p->count == h->nodes) return false;
        if (given && label != p->count + 1)
            find(p, true, line, column, "node number %" PRId64 ", must be %s%" PRId64, label,
                 p->count > 0 ? "the one before or " : "", p->count + 1);
    }
    if (p->count == h->nodes) return false;
    bool more = true;
    if (h->sizes) more = field_number(p, "node size", 0, &p->node_sizes[p->count]);
    for (int64_t k = 0; k < h->weight_count; k++) {
        int64_t *weight = &p->node_weights[p->count * h->weight_count + k];
        *weight = 1;
        if (more) more = field_number(p, "node weight", 0, weight);
        if (*weight == 0 && !p->zero_weights) {
            find(p, false, p->in->line, 0, "a node weight of 0, which Scotch and Chaco refuse");
            p->zero_weights = true;
        }
    }
    return true;
}

/* Read one neighbour and its weight, with all checks. *more: the line has not ended. */
static pen_status neighbor(pen_chaco_parser *p, bool *more)
{
    pen_scanner *in = p->in;
    pen_scanner_skip_blanks(in);
    int64_t line = in->line, column = pen_scanner_place(in), value, weight = 1;
    pen_scanner_token token = pen_scanner_integer(in, &value);
    *more = token == PEN_SCANNER_NUMBER || token == PEN_SCANNER_WRONG;
    if (!*more) return PEN_OK;
    if (token == PEN_SCANNER_WRONG) {
        ERROR_HERE(p, "%s, numbers are decimal integers", pen_scanner_wrong(in));
        *more = *in->at != '%' && *in->at != '#';
        if (!*more) return PEN_OK;
        pen_scanner_skip_token(in);
    } else if (value < 1 || value > p->header.nodes) {
        find(p, true, line, column, "neighbour %" PRId64 ", must be 1..%" PRId64 "%s", value, p->header.nodes,
             value == 0 ? " (are the nodes counted from 0?)" : "");
        token = PEN_SCANNER_WRONG;
    }
    if (p->header.edge_weights) field_number(p, "edge weight", 1, &weight);
    if (token == PEN_SCANNER_WRONG) {
        p->dropped++;
        return PEN_OK;
    }
    if (p->arcs == p->arc_room) PEN_TRY(resize(p, p->row_room, p->arcs + p->arcs / 2 + 1024));
    if (p->place_of && p->arcs == *p->place_of) p->place(p->context, line, column);
    if (p->header.edge_weights) p->edge_weights[p->arcs] = weight;
    p->neighbors[p->arcs++] = value - 1;
    return PEN_OK;
}

static inline const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* The hot loop: read neighbours (and weights) of up to 8 digits that begin before `stop`. Stops at the end of the line,
 * or at anything that `neighbor` must check. */
static inline void plain_neighbors(pen_chaco_parser *p, const char *stop, bool weighted)
{
    int64_t room = p->arc_room - p->arcs, to_place = p->place_of ? *p->place_of - p->arcs : room;
    int64_t *first = p->neighbors + p->arcs, *to = first, *last = first + (room < to_place ? room : to_place);
    int64_t *weight = weighted ? p->edge_weights + p->arcs : NULL;
    uint64_t nodes = (uint64_t)p->header.nodes, value, second;
    const char *at = skip_blanks(p->in->at);
    while (at < stop && to < last) {
        const char *end = pen_scanner_digits(at, &value);
        if (value - 1 >= nodes || *end > ' ') break;
        if (weighted) {
            const char *begin = skip_blanks(end);
            if (begin >= stop) break;
            end = pen_scanner_digits(begin, &second);
            if (second == 0 || *end > ' ') break;
        }
        const char *next = skip_blanks(end);
        if (next == end && *next != '\n') break;
        *to++ = (int64_t)value - 1;
        if (weighted) *weight++ = (int64_t)second;
        at = next;
        if (*at == '\n') break;
    }
    p->in->at = at;
    p->arcs += to - first;
}

static void hot_loop(pen_chaco_parser *p)
{
    if (p->in->end - p->in->at <= PEN_SCANNER_SPAN) return;
    const char *stop = p->in->end - PEN_SCANNER_SPAN;
    if (p->header.edge_weights) plain_neighbors(p, stop, true);
    else plain_neighbors(p, stop, false);
}

/* Empty lines, where a node's line must not be empty, and then this one, which is not. */
static pen_status after_blanks(pen_chaco_parser *p)
{
    if (p->strict) { /* whether a node is missing depends on other parts of the text */
        p->data_line = p->in->line;
        p->over = true;
        return PEN_OK;
    }
    find(p, true, p->blank_line, 1, "an empty line, but a node's line begins with %" PRId64 " of its numbers",
         p->fields);
    if (!p->header.labels) PEN_TRY(pen_chaco_add_isolated(p, p->blanks));
    p->blanks = p->blank_line = 0;
    return PEN_OK;
}

/* Read a line that is neither a comment nor empty. */
static pen_status node_line(pen_chaco_parser *p)
{
    pen_scanner *in = p->in;
    if (p->blanks > 0) PEN_TRY(after_blanks(p));
    if (p->over) return PEN_OK;
    int64_t line = in->line;
    if (p->count < p->header.nodes) PEN_TRY(room_for_rows(p, p->count + 1));
    if (p->fields > 0 ? !front(p) : p->count == p->header.nodes) {
        find(p, true, line, 1, "data after the last node");
        p->over = true;
        return PEN_OK;
    }
    for (bool more = true; more && !p->over;) {
        if (pen_scanner_more(in)) hot_loop(p);
        if (*in->at == '\n' && in->at < in->end) break;
        PEN_TRY(neighbor(p, &more));
    }
    p->in_row = p->over;
    if (p->over) return PEN_OK;
    if (*in->at == '\n' && in->at < in->end) {
        in->at++;
        pen_scanner_newline(in);
    } else pen_scanner_skip_line(in);
    p->rows[++p->count] = p->arcs;
    return PEN_OK;
}

static void comment_line(pen_chaco_parser *p)
{
    static const char what[] = "a comment after the header, which Chaco takes for a node";
    bool chaco = p->dialect == PEN_DIALECT_CHACO;
    if (chaco || !p->comments) find(p, chaco, p->in->line, 1, "%s", what);
    p->comments = true;
    pen_scanner_skip_line(p->in);
}

static pen_status empty_line(pen_chaco_parser *p, int64_t line)
{
    if (p->count == p->header.nodes) return PEN_OK;
    if (p->fields == 0) return pen_chaco_add_isolated(p, 1);
    if (p->blanks++ == 0) p->blank_line = line;
    return PEN_OK;
}

pen_status pen_chaco_parse_lines(pen_chaco_parser *p, int64_t end, double share)
{
    pen_scanner *in = p->in;
    p->fields = p->header.labels + p->header.sizes + p->header.weight_count;
    PEN_TRY(reserve(p, share));
    while (!p->over && pen_scanner_offset(in) < end && pen_scanner_more(in)) {
        int64_t line = in->line;
        if (pen_scanner_is_digit(*in->at)) {
            PEN_TRY(node_line(p));
            continue;
        }
        if (*in->at == '%') {
            comment_line(p);
            continue;
        }
        pen_scanner_skip_blanks(in);
        if (pen_scanner_line_end(in)) {
            PEN_TRY(empty_line(p, line));
        } else if (!pen_scanner_more(in)) {
            break;
        } else if (*in->at == '%' || *in->at == '#') {
            ERROR_HERE(p, "a comment must begin in column 1 with '%%'");
            pen_scanner_skip_line(in);
        } else {
            PEN_TRY(node_line(p));
        }
    }
    return PEN_OK;
}
