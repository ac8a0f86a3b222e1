/* format_matrix_market.c - Matrix Market text: a square matrix as the graph of its entries.
 *
 *     %%MatrixMarket matrix coordinate|array real|integer|complex|pattern general|symmetric|skew-symmetric|hermitian
 *     (comment | empty)* rows columns [entries]
 *     (row column [value [imaginary]])*        array: (value [imaginary])*, column by column      '%': a comment
 *
 * An entry outside the diagonal is an edge, in a dense matrix (array) only if it is not 0; the diagonal is dropped as
 * loops. Entries (i,j) and (j,i) are one undirected edge; in a directed graph (i,j) is the arc from i to j. Repeated
 * entries become one; the format forbids them, and other readers add them up. Values are kept if options->values is set
 * and all are integers, or if options->reals is set; otherwise those other than 1 are counted as dropped. Complex,
 * skew-symmetric and hermitian matrices give no weights, because an edge has one weight in both directions.
 *
 * Errors: a banner that is missing or impossible (real hermitian, pattern array; case does not matter), wrong numbers
 * of entries or of a line's numbers, a diagonal in a skew-symmetric matrix, and a comment after the size. Entries
 * above the diagonal of a symmetric matrix are taken, with a note. After a comment "%%GraphBLAS type T" integers must
 * fit T. */
#include "tools/graph/arcs.h"
#include "tools/graph/fields.h"
#include "tools/graph/format.h"

#include <ctype.h>
#include <math.h>

typedef enum field { REAL, INTEGER, COMPLEX, PATTERN } field;
typedef enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN } symmetry;

typedef struct reader {
    pen_scanner *in;
    findings *f;
    bool array, directed;
    field field;
    symmetry symmetry;
    int64_t low, high; /* range of the integers that the banner's type permits */
    int64_t size_line, nodes, entries;
    arc_list arcs;
    int64_t others, not_one; /* numbers of values that are not integers, and of those that are not 1 */
    bool upper;              /* entries above the diagonal have been noted already */
} reader;

/* ---- Banner, comments, size ----------------------------------------------------------------- */

/* Split the line into words in lower case. Returns their number, `most` + 1 if there are more than `most`. */
static int words_of(char *line, char **words, int most)
{
    int count = 0;
    for (char *at = line; *at != '\0'; at++) *at = (char)tolower((unsigned char)*at);
    for (char *rest, *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (count == most) return most + 1;
        words[count++] = word;
    }
    return count;
}

/* The index of the word in a list that ends with NULL; -1 and a finding if the list lacks it. */
static int choose(reader *r, int64_t line, const char *word, const char *const *list)
{
    int at = 0;
    while (list[at] && strcmp(word, list[at]) != 0) at++;
    if (list[at]) return at;
    char known[80] = "";
    for (int i = 0, length = 0; list[i]; i++)
        length += snprintf(known + length, sizeof known - (size_t)length, "%s%s", i ? ", " : "", list[i]);
    PEN_LINE_ERROR(r->f, line, "'%.40s' in the banner, must be one of %s", word, known);
    return -1;
}

static pen_status read_banner(reader *r)
{
    static const char *const kinds[] = { "coordinate", "array", NULL };
    static const char *const fields[] = { "real", "integer", "complex", "pattern", NULL };
    static const char *const symmetries[] = { "general", "symmetric", "skew-symmetric", "hermitian", NULL };
    char text[1025], *words[5];
    int64_t line = r->in->line;
    pen_scanner_read_line(r->in, text, sizeof text);
    int count = words_of(text, words, 5);
    if (count > 0 && strcmp(words[0], "%matrixmarket") == 0)
        pen_findings_add(r->f, FINDING_ERROR, line, 1, "the banner must begin with two '%%', \"%%%%MatrixMarket\"");
    else if (count == 0 || strcmp(words[0], "%%matrixmarket") != 0)
        return pen_field_refuse(r->in, r->f, line, "the first line must be the banner \"%%%%MatrixMarket matrix ...\"");
    if (count != 5 || strcmp(words[1], "matrix") != 0)
        return pen_field_refuse(r->in, r->f, line,
                                "the banner must be \"%%%%MatrixMarket matrix FORMAT FIELD SYMMETRY\"");
    int kind = choose(r, line, words[2], kinds), value = choose(r, line, words[3], fields);
    int shape = choose(r, line, words[4], symmetries);
    if (kind < 0 || value < 0 || shape < 0) return pen_findings_status(r->f, r->in->name);
    r->array = kind;
    r->field = (field)value;
    r->symmetry = (symmetry)shape;
    if ((r->array && r->field == PATTERN) || (r->symmetry == HERMITIAN && r->field != COMPLEX) ||
        (r->symmetry == SKEW && r->field == PATTERN))
        return pen_field_refuse(r->in, r->f, line, "there is no %s %s %s matrix", words[2], words[3], words[4]);
    return PEN_OK;
}

/* Read a line such as "%%GraphBLAS type int8_t". */
static void read_type(reader *r, char *text, int64_t line)
{
    static const struct {
        const char *name;
        int64_t low, high;
    } types[] = { { "bool", 0, 1 },
                  { "int8_t", INT8_MIN, INT8_MAX },
                  { "int16_t", INT16_MIN, INT16_MAX },
                  { "int32_t", INT32_MIN, INT32_MAX },
                  { "int64_t", INT64_MIN, INT64_MAX },
                  { "uint8_t", 0, UINT8_MAX },
                  { "uint16_t", 0, UINT16_MAX },
                  { "uint32_t", 0, UINT32_MAX },
                  { "uint64_t", 0, INT64_MAX },
                  { "float", INT64_MIN, INT64_MAX },
                  { "double", INT64_MIN, INT64_MAX } };
    char *words[4];
    int count = words_of(text, words, 4);
    if (count < 2 || strcmp(words[0], "%%graphblas") != 0 || strcmp(words[1], "type") != 0) return;
    for (int i = 0; count >= 3 && i < PEN_COUNT_OF(types); i++) {
        if (strcmp(words[2], types[i].name) != 0) continue;
        r->low = types[i].low;
        r->high = types[i].high;
        if (r->low == 0 && r->symmetry == SKEW)
            PEN_LINE_ERROR(r->f, line, "a skew-symmetric matrix of type %s", types[i].name);
        return;
    }
    PEN_LINE_ERROR(r->f, line, "unknown GraphBLAS type '%.40s'", count >= 3 ? words[2] : "");
}

static pen_status read_size(reader *r)
{
    pen_scanner *in = r->in;
    int64_t columns;
    while (pen_scanner_more(in)) {
        char text[1025];
        int64_t line = in->line;
        if (*in->at == '%') {
            pen_scanner_read_line(in, text, sizeof text);
            read_type(r, text, line);
        } else if (!pen_field_over(in)) {
            break;
        }
    }
    r->size_line = in->line;
    if (!pen_field_integer(in, r->f, "the number of rows", 0, INT64_MAX, &r->nodes) ||
        !pen_field_integer(in, r->f, "the number of columns", 0, INT64_MAX, &columns) ||
        (!r->array && !pen_field_integer(in, r->f, "the number of entries", 0, INT64_MAX, &r->entries)))
        return pen_findings_status(r->f, in->name);
    if (!pen_field_end(in, r->f)) pen_scanner_skip_line(in);
    if (r->nodes != columns)
        return pen_field_refuse(in, r->f, r->size_line,
                                "%" PRId64 " rows and %" PRId64 " columns: a graph needs equal numbers", r->nodes,
                                columns);
    return PEN_OK;
}

/* ---- Entries -------------------------------------------------------------------------------- */

/* The value of a line. */
typedef struct entry_value {
    int64_t weight;
    double real;
    bool zero;
} entry_value;

static bool read_value(reader *r, entry_value *v)
{
    double imaginary = 0.0;
    *v = (entry_value){ 1, 1.0, false };
    if (r->field == PATTERN) return true;
    if (r->field == INTEGER) {
        if (!pen_field_integer(r->in, r->f, "a value", r->low, r->high, &v->weight)) return false;
        v->real = (double)v->weight;
    } else if (r->field != COMPLEX && pen_scanner_integer(r->in, &v->weight) == PEN_SCANNER_NUMBER) {
        v->real = (double)v->weight;
    } else {
        if (!pen_field_real(r->in, r->f, "a value", &v->real)) return false;
        if (r->field == COMPLEX && !pen_field_real(r->in, r->f, "an imaginary part", &imaginary)) return false;
        v->zero = v->real == 0.0 && imaginary == 0.0;
        if (imaginary != 0.0 || v->real != nearbyint(v->real) || fabs(v->real) > 0x1p53) {
            r->others++;
            r->not_one++;
            v->weight = 1;
            return true;
        }
        v->weight = (int64_t)v->real;
    }
    v->zero = v->zero || v->weight == 0;
    r->not_one += v->weight != 1;
    return true;
}

/* Add an entry; row and column count from 0. */
static pen_status add_entry(reader *r, int64_t row, int64_t column, const entry_value *v)
{
    if (r->symmetry == GENERAL) return pen_arc_list_add(&r->arcs, row, column, v->weight, v->real);
    /* One triangle represents both. */
    int64_t high = row > column ? row : column, low = row > column ? column : row;
    if (r->directed && high != low) PEN_TRY(pen_arc_list_add(&r->arcs, low, high, v->weight, v->real));
    return pen_arc_list_add(&r->arcs, high, low, v->weight, v->real);
}

static pen_status read_entry(reader *r)
{
    pen_scanner *in = r->in;
    int64_t row, column, line = in->line;
    entry_value value;
    if (!pen_field_integer(in, r->f, "a row", 1, r->nodes, &row) ||
        !pen_field_integer(in, r->f, "a column", 1, r->nodes, &column) || !read_value(r, &value) ||
        !pen_field_end(in, r->f)) {
        pen_scanner_skip_line(in);
        return PEN_OK;
    }
    if (r->symmetry == SKEW && row == column) PEN_LINE_ERROR(r->f, line, "a skew-symmetric matrix has no diagonal");
    if (r->symmetry != GENERAL && row < column && !r->upper) {
        pen_findings_add(r->f, FINDING_NOTE, line, 0, "an entry above the diagonal; %s matrix has the lower triangle",
                         r->symmetry == HERMITIAN ? "a hermitian" : "a symmetric");
        r->upper = true;
    }
    return add_entry(r, row - 1, column - 1, &value);
}

/* Find the next line that is not empty; false at the end. */
static bool next_line(reader *r)
{
    pen_scanner *in = r->in;
    while (pen_scanner_more(in)) {
        if (*in->at == '%') {
            PEN_FIELD_ERROR(in, r->f, "a comment after the size");
            pen_scanner_skip_line(in);
        } else if (!pen_field_over(in)) {
            return true;
        }
    }
    return false;
}

static pen_status read_coordinates(reader *r)
{
    int64_t lines = 0;
    for (; next_line(r); lines++) PEN_TRY(read_entry(r));
    if (lines != r->entries)
        PEN_LINE_ERROR(r->f, r->size_line, "%" PRId64 " entries are announced, but there are %" PRId64, r->entries,
                       lines);
    return PEN_OK;
}

static pen_status read_array(reader *r)
{
    int64_t column = 0, row = r->symmetry == SKEW, lines = 0;
    /* A symmetric matrix has only its lower triangle, without the diagonal if that is 0. */
    for (; next_line(r); lines++) {
        entry_value value;
        bool good = read_value(r, &value) && pen_field_end(r->in, r->f);
        if (!good) pen_scanner_skip_line(r->in);
        while (column < r->nodes && row >= r->nodes) {
            column++;
            row = r->symmetry == GENERAL ? 0 : column + (r->symmetry == SKEW);
        }
        if (column == r->nodes) {
            PEN_LINE_ERROR(r->f, r->in->line - 1, "values after the last one of the matrix");
            return PEN_OK;
        }
        if (good && value.zero) r->not_one--; /* a zero is not an entry, so nothing is lost */
        if (good && !value.zero) PEN_TRY(add_entry(r, row, column, &value));
        row++;
    }
    double size = (double)r->nodes, all = size * size;
    if (r->symmetry != GENERAL) all = size * (r->symmetry == SKEW ? size - 1.0 : size + 1.0) / 2.0;
    if ((double)lines != all)
        PEN_LINE_ERROR(r->f, r->size_line, "the matrix has %.0f values, but there are %" PRId64, all, lines);
    return PEN_OK;
}

/* ---- The graph ------------------------------------------------------------------------------ */

static bool can_be_weights(const reader *r)
{
    return r->field != PATTERN && r->field != COMPLEX && r->symmetry != SKEW;
}

static pen_status build(reader *r, bool values, file_graph *g)
{
    bool kept = values && r->others == 0 && can_be_weights(r);
    if (!kept) {
        r->arcs.weighted = false;
        if (!r->arcs.valued) g->notes.values = r->not_one;
    }
    PEN_TRY(pen_arc_list_graph(&r->arcs, r->nodes, g));
    if (r->symmetry != GENERAL) {
        g->notes.one_way = 0; /* the format has one entry for both directions */
        if (r->directed) {    /* every entry has become two arcs */
            g->notes.duplicates /= 2;
            g->notes.conflicts /= 2;
        }
    }
    if (g->notes.duplicates > 0)
        pen_findings_add(r->f, FINDING_NOTE, r->size_line, 0,
                         "%" PRId64 " entries repeat others, which the format forbids; other readers add them up",
                         g->notes.duplicates);
    return PEN_OK;
}

/* Whether to allocate memory for the nodes, after reading the whole text; false with a finding. A short text could
 * announce any number: a million is always accepted, more only in proportion to the text. */
static bool nodes_fit(const reader *r)
{
    enum { ALWAYS = 1 << 20, PER_BYTE = 4 };
    const int64_t bytes = pen_scanner_offset(r->in);
    if (r->nodes <= ALWAYS || r->nodes / PER_BYTE <= bytes) return true;
    pen_field_refuse(r->in, r->f, r->size_line,
                     "%" PRId64 " nodes, far more than a text of %" PRId64 " bytes has edges for", r->nodes, bytes);
    return false;
}

static pen_status read_matrix_market(const graph_format *format, pen_scanner *in, const format_options *options,
                                     file_graph *g, findings *f)
{
    reader r = { .in = in, .f = f, .directed = options->directed, .low = INT64_MIN, .high = INT64_MAX };
    g->directed = options->directed;
    PEN_TRY(read_banner(&r));
    PEN_TRY(read_size(&r));
    r.arcs.weighted = options->values;
    r.arcs.valued = options->reals && can_be_weights(&r);
    pen_status status = r.array ? read_array(&r) : read_coordinates(&r);
    if (status == PEN_OK && !nodes_fit(&r)) status = PEN_ERR_INPUT;
    if (status == PEN_OK) status = build(&r, options->values, g);
    pen_arc_list_free(&r.arcs);
    return status;
}

/* Write an undirected graph as the lower triangle, column by column; or, if that would lose the order of neighbours
 * (pen_arc_list_once), both triangles, row by row. */
static pen_status write_matrix_market(const graph_format *format, const file_graph *g, writer *out)
{
    bool once = !g->directed && pen_arc_list_once(g);
    const int64_t sizes[] = { g->nodes, g->nodes, once ? pen_file_graph_edges(g) : pen_file_graph_arcs(g) };
    pen_writer_print(out, "%%%%MatrixMarket matrix coordinate %s %s\n", g->edge_weights ? "integer" : "pattern",
                     once ? "symmetric" : "general");
    pen_writer_line(out, ' ', sizes, 3);
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            int64_t to = g->neighbors[a];
            if (once && to < i) continue;
            const int64_t entry[] = { (once ? to : i) + 1, (once ? i : to) + 1,
                                      g->edge_weights ? g->edge_weights[a] : 1 };
            pen_writer_line(out, ' ', entry, g->edge_weights ? 3 : 2);
        }
    }
    return PEN_OK;
}

const graph_format pen_format_matrix_market = {
    .name = "mm",
    .endings = ".mtx .mm",
    .summary = "Matrix Market, sparse and dense; values with --values",
    .holds = HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_DIRECTED | HOLDS_ISOLATED | HOLDS_NO_NODES |
             HOLDS_NO_EDGES | HOLDS_ORDER,
    .read = read_matrix_market,
    .write = write_matrix_market,
};
