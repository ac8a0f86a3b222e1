/* coordinates.c - coordinates of a graph's nodes, in files of their own.
 *
 *     chaco    comment* (x [y [z]]){n}       '%' or '#' in column 1 before the first line; also Geographer's .graph.xyz
 *     scotch   dimensions count (label x [y [z]]){count}         any white space between, labels in any order
 *     dimacs   "p aux sp co" n, then lines "v" node x y          'c' begins a comment
 *     matrix   Matrix Market array real|integer general, n rows, 1 to 3 columns
 *     csv      a header that names x, y, z and perhaps gid, then a row per node (base/csv.h), a line each
 *
 * Every node must have coordinates exactly once; labels that the graph does not have give a note. Chaco and Scotch are
 * less strict. Kinds by content: a matrix begins with "%%MatrixMarket", a DIMACS file with 'c' or 'p', CSV with a line
 * that has a comma, and Scotch with two lines of one number each, the first from 1 to 3, before a longer line. */
#include "tools/graph/coordinates.h"
#include "base/csv.h"
#include "tools/common/command.h"
#include "tools/graph/fields.h"
#include "tools/graph/labels.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_DIMENSIONS = 3 };

/* Coordinates in the order of the file. */
typedef struct places {
    int dimensions;
    int64_t count, label_room, room;
    int64_t *labels; /* [count] labels of the nodes */
    double *at;      /* [count*dimensions] coordinates */
} places;

static pen_status places_add(places *p, int64_t label, const double *at)
{
    PEN_TRY(pen_reserve(&p->labels, sizeof *p->labels, p->count + 1, &p->label_room));
    PEN_TRY(pen_reserve(&p->at, (size_t)p->dimensions * sizeof *p->at, p->count + 1, &p->room));
    p->labels[p->count] = label;
    for (int d = 0; d < p->dimensions; d++) p->at[p->count * p->dimensions + d] = at[d];
    p->count++;
    return PEN_OK;
}

/* Give every node its coordinates; `base` is the label of the first node of a graph without labels. */
static pen_status settle(const places *p, int64_t base, file_graph *g, findings *f)
{
    label_index index;
    bool *given = NULL;
    int64_t strangers = 0, missing = 0, missed = -1;
    pen_status status = pen_label_index_create(g, base, &index);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&given, g->nodes);
    free(g->coordinates);
    g->coordinates = NULL;
    g->dimensions = 0;
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&g->coordinates, g->nodes * p->dimensions);
    if (status == PEN_OK) {
        g->dimensions = p->dimensions;
        for (int64_t i = 0; i < p->count; i++) {
            int64_t node = pen_label_index_find(&index, p->labels[i]);
            strangers += node < 0;
            if (node < 0) continue;
            if (given[node]) PEN_LINE_ERROR(f, 0, "node %" PRId64 " has coordinates twice", p->labels[i]);
            given[node] = true;
            for (int d = 0; d < p->dimensions; d++)
                g->coordinates[node * p->dimensions + d] = p->at[i * p->dimensions + d];
        }
        for (int64_t i = g->nodes - 1; i >= 0; i--) {
            missing += !given[i];
            if (!given[i]) missed = g->labels ? g->labels[i] : base + i;
        }
        if (missing > 0)
            PEN_LINE_ERROR(f, 0, "%" PRId64 " nodes have no coordinates, the first is %" PRId64, missing, missed);
        if (strangers > 0)
            pen_findings_add(f, FINDING_NOTE, 0, 0, "%" PRId64 " coordinates are of nodes that are not in the graph",
                             strangers);
    }
    free(given);
    pen_label_index_free(&index);
    return status;
}

/* ---- Chaco ---------------------------------------------------------------------------------- */

/* Read a line into `at`. Returns the number of its numbers, at most 4; or -1 with a finding. */
static int read_line(pen_scanner *in, findings *f, double at[MOST_DIMENSIONS])
{
    int count = 0;
    for (double value; !pen_field_over(in); count++) {
        bool good = pen_field_real(in, f, "a coordinate", &value);
        if (good && count < MOST_DIMENSIONS) {
            at[count] = value;
            continue;
        }
        pen_scanner_skip_line(in);
        return good ? MOST_DIMENSIONS + 1 : -1;
    }
    return count;
}

static pen_status read_chaco(pen_scanner *in, const file_graph *g, findings *f, places *p)
{
    bool extra = false;
    int64_t node = 0;
    while (pen_scanner_more(in) && p->dimensions == 0 && (*in->at == '%' || *in->at == '#')) pen_scanner_skip_line(in);
    while (pen_scanner_more(in)) {
        int64_t line = in->line;
        double at[MOST_DIMENSIONS] = { 0.0, 0.0, 0.0 };
        int count = read_line(in, f, at);
        if (count == 0 && node == g->nodes) continue;
        if (count >= 0 && node == g->nodes) {
            if (!extra) PEN_LINE_ERROR(f, line, "coordinates after those of the last node");
            extra = true;
            continue;
        }
        if (p->dimensions == 0) p->dimensions = count > MOST_DIMENSIONS ? MOST_DIMENSIONS : count;
        if (p->dimensions < 1) p->dimensions = 1;
        if (count >= 0 && (count == 0 || count != p->dimensions))
            PEN_LINE_ERROR(f, line, "a line must have 1 to 3 numbers, and as many as the first one");
        PEN_TRY(places_add(p, node++, at));
    }
    return PEN_OK;
}

/* ---- Scotch --------------------------------------------------------------------------------- */

/* Read the next integer, on this line or a later one. */
static bool next_integer(pen_scanner *in, findings *f, const char *what, int64_t low, int64_t high, int64_t *value)
{
    pen_field_skip_space(in);
    return pen_field_integer(in, f, what, low, high, value);
}

static pen_status read_scotch(pen_scanner *in, findings *f, places *p)
{
    int64_t dimensions, count;
    if (!next_integer(in, f, "the number of dimensions", 1, MOST_DIMENSIONS, &dimensions) ||
        !next_integer(in, f, "the number of nodes", 0, INT64_MAX, &count))
        return pen_findings_status(f, in->name);
    p->dimensions = (int)dimensions;
    for (int64_t i = 0; i < count; i++) {
        int64_t label;
        double at[MOST_DIMENSIONS];
        if (!pen_field_skip_space(in)) {
            PEN_LINE_ERROR(f, in->line, "the file ends after %" PRId64 " of %" PRId64 " nodes", i, count);
            return PEN_OK;
        }
        bool good = pen_field_integer(in, f, "a node's number", INT64_MIN, INT64_MAX, &label);
        for (int d = 0; good && d < p->dimensions; d++) {
            pen_field_skip_space(in);
            good = pen_field_real(in, f, "a coordinate", &at[d]);
        }
        if (!good) return PEN_OK; /* the remaining numbers cannot be assigned */
        PEN_TRY(places_add(p, label, at));
    }
    if (pen_field_skip_space(in)) PEN_FIELD_ERROR(in, f, "text after the coordinates of the last node");
    return PEN_OK;
}

/* ---- DIMACS --------------------------------------------------------------------------------- */

static pen_status read_dimacs(pen_scanner *in, findings *f, places *p)
{
    int64_t count = -1, lines = 0, header_line = in->line;
    p->dimensions = 2;
    while (pen_field_skip_space(in)) {
        char letter = *in->at;
        int64_t label, line = in->line;
        double at[MOST_DIMENSIONS];
        if (letter == 'c') {
            pen_scanner_skip_line(in);
        } else if (letter == 'p' && count < 0) {
            char text[200];
            long long announced;
            int used = 0;
            header_line = line;
            pen_scanner_read_line(in, text, sizeof text);
            if (sscanf(text, "p aux sp co %18lld %n", &announced, &used) != 1 || text[used] != '\0' || announced < 0)
                return pen_field_refuse(in, f, line, "the line must be \"p aux sp co NODES\"");
            count = announced;
        } else if (letter != 'v' || count < 0) {
            return pen_field_refuse(in, f, line,
                                    count < 0 ? "the first line that is not a comment must be \"p aux sp co NODES\""
                                              : "a line must begin with 'v' or 'c'");
        } else {
            in->at++;
            lines++;
            if (!pen_field_integer(in, f, "a node", 1, count, &label) ||
                !pen_field_real(in, f, "a coordinate", &at[0]) || !pen_field_real(in, f, "a coordinate", &at[1]) ||
                !pen_field_end(in, f))
                pen_scanner_skip_line(in);
            else PEN_TRY(places_add(p, label, at));
        }
    }
    if (lines != count)
        PEN_LINE_ERROR(f, header_line, "%" PRId64 " nodes are announced, but there are %" PRId64, count, lines);
    return PEN_OK;
}

/* ---- Matrix --------------------------------------------------------------------------------- */

static pen_status read_matrix(pen_scanner *in, const file_graph *g, findings *f, places *p)
{
    char text[200];
    int64_t line = in->line, rows, columns;
    pen_scanner_read_line(in, text, sizeof text);
    for (char *c = text; *c != '\0'; c++) *c = (char)tolower((unsigned char)*c);
    if (strcmp(text, "%%matrixmarket matrix array real general") != 0 &&
        strcmp(text, "%%matrixmarket matrix array integer general") != 0)
        return pen_field_refuse(in, f, line, "coordinates are a matrix \"array real general\"");
    while (pen_field_skip_space(in) && *in->at == '%') pen_scanner_skip_line(in);
    line = in->line;
    if (!pen_field_integer(in, f, "the number of rows", 0, INT64_MAX, &rows) ||
        !pen_field_integer(in, f, "the number of columns", 1, MOST_DIMENSIONS, &columns))
        return pen_findings_status(f, in->name);
    if (rows != g->nodes)
        return pen_field_refuse(in, f, line, "coordinates of %" PRId64 " nodes; the graph has %" PRId64, rows,
                                g->nodes);
    p->dimensions = (int)columns;
    for (int64_t i = 0; i < rows; i++) PEN_TRY(places_add(p, i, (const double[MOST_DIMENSIONS]){ 0.0 }));
    for (int d = 0; d < p->dimensions; d++) {
        for (int64_t i = 0; i < rows; i++) {
            if (!pen_field_skip_space(in)) {
                PEN_LINE_ERROR(f, in->line, "the file ends before the last value");
                return PEN_OK;
            }
            if (!pen_field_real(in, f, "a coordinate", &p->at[i * p->dimensions + d])) return PEN_OK;
        }
    }
    if (pen_field_skip_space(in)) PEN_FIELD_ERROR(in, f, "text after the last value");
    return PEN_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Split the next line into fields; false: it is not CSV. */
static bool split_line(pen_scanner *in, pen_csv *record, pen_status *status)
{
    char text[4096];
    int64_t used;
    pen_scanner_read_line(in, text, sizeof text);
    const int mark = pen_csv_mark(text, (int64_t)strlen(text));
    *status = pen_csv_split(record, text + mark, (int64_t)strlen(text + mark), true, &used);
    const bool good = *status == PEN_OK;
    if (*status == PEN_ERR_INPUT) *status = PEN_OK;
    return good;
}

/* Read CSV. *named: the rows have gids; otherwise they are in the order of the nodes. */
static pen_status read_csv(pen_scanner *in, findings *f, places *p, bool *named)
{
    static const char *const axes[MOST_DIMENSIONS] = { "x", "y", "z" };
    pen_csv record = { 0 };
    pen_status status;
    int columns[MOST_DIMENSIONS], gid = -1;
    int64_t line = in->line, label = 0;
    if (split_line(in, &record, &status)) {
        gid = pen_csv_find(&record, "gid");
        while (p->dimensions < MOST_DIMENSIONS &&
               (columns[p->dimensions] = pen_csv_find(&record, axes[p->dimensions])) >= 0)
            p->dimensions++;
    }
    *named = gid >= 0;
    const int width = record.count;
    if (status == PEN_OK && p->dimensions < 2)
        status = pen_field_refuse(in, f, line, "the header must name the columns x, y and z, or x and y");
    while (status == PEN_OK && pen_scanner_more(in)) {
        double at[MOST_DIMENSIONS];
        line = in->line;
        bool good = split_line(in, &record, &status);
        if (good && record.count == 0) continue; /* the line is empty */
        good = good && record.count == width && (gid < 0 || pen_parse_int(pen_csv_field(&record, gid), &label));
        for (int d = 0; good && d < p->dimensions; d++)
            good = pen_parse_real(pen_csv_field(&record, columns[d]), &at[d]);
        if (good) status = places_add(p, gid < 0 ? p->count : label, at);
        else
            PEN_LINE_ERROR(f, line, "a row must have %d fields, with numbers for coordinates%s", width,
                           gid < 0 ? "" : " and gid");
    }
    pen_csv_free(&record);
    return status;
}

/* ---- Kinds of files, and writing ------------------------------------------------------------ */

/* The end of the word at `at`, after blanks. */
static const char *behind_word(const char *at)
{
    at += strspn(at, " \t");
    return at + strcspn(at, " \t\r\n");
}

static const char *kind_of(pen_scanner *in)
{
    if (!pen_scanner_more(in)) return "chaco";
    const char *first = in->at + strspn(in->at, " \t"), *end = behind_word(first);
    if (memcmp(in->at, "%%M", 3) == 0) return "matrix";
    if ((*first == 'c' || *first == 'p') && (end == first + 1)) return "dimacs";
    if (*first != '%' && *first != '#' && first[strcspn(first, ",\n")] == ',') return "csv";
    if (end != first + 1 || *first < '1' || *first > '3') return "chaco";
    const char *second = end + strspn(end, " \t\r");
    if (*second != '\n') return "chaco";
    second = behind_word(second + 1);
    second += strspn(second, " \t\r");
    if (*second != '\n') return "chaco";
    const char *third = behind_word(second + 1);
    third += strspn(third, " \t");
    return *third == '\r' || *third == '\n' || (*third == '\0' && third - second > 1) ? "chaco" : "scotch";
}

pen_status pen_coordinates_check(const char *kind)
{
    static const char *const kinds[] = { "chaco", "scotch", "dimacs", "matrix" };
    int k;
    return pen_choose("kind of coordinates", kind, kinds, PEN_COUNT_OF(kinds), &k);
}

pen_status pen_coordinates_read(pen_scanner *in, const char *kind, file_graph *g, findings *f)
{
    places p = { 0 };
    pen_status status = PEN_OK;
    if (!kind) kind = kind_of(in);
    bool scotch = strcmp(kind, "scotch") == 0, dimacs = strcmp(kind, "dimacs") == 0, named = scotch;
    if (scotch) status = read_scotch(in, f, &p);
    else if (dimacs) status = read_dimacs(in, f, &p);
    else if (strcmp(kind, "csv") == 0) status = read_csv(in, f, &p, &named);
    else status = strcmp(kind, "matrix") == 0 ? read_matrix(in, g, f, &p) : read_chaco(in, g, f, &p);
    if (status == PEN_OK && p.dimensions == 0) p.dimensions = 1;
    if (status == PEN_OK) {
        int64_t base = dimacs;
        for (int64_t i = 0; scotch && i < p.count; i++) base = i == 0 || p.labels[i] < base ? p.labels[i] : base;
        /* If lines are in the order of the nodes, they have no labels. */
        int64_t *labels = g->labels;
        if (!named) g->labels = NULL;
        status = settle(&p, base, g, f);
        g->labels = labels;
    }
    PEN_FREE_ALL(p.labels, p.at);
    return status;
}

static pen_status write_all(const file_graph *g, const char *kind, writer *out)
{
    bool scotch = strcmp(kind, "scotch") == 0, dimacs = strcmp(kind, "dimacs") == 0,
         matrix = strcmp(kind, "matrix") == 0;
    if (dimacs && g->dimensions != 2)
        return pen_fail(PEN_ERR_UNSUPPORTED, "coordinates of kind dimacs have 2 dimensions, these %d", g->dimensions);
    if (scotch) pen_writer_print(out, "%d\n%" PRId64 "\n", g->dimensions, g->nodes);
    if (dimacs) pen_writer_print(out, "p aux sp co %" PRId64 "\n", g->nodes);
    if (matrix) {
        pen_writer_text(out, "%%MatrixMarket matrix array real general\n");
        pen_writer_print(out, "%" PRId64 " %d\n", g->nodes, g->dimensions);
        for (int d = 0; d < g->dimensions; d++) {
            for (int64_t i = 0; i < g->nodes; i++) {
                pen_writer_real(out, g->coordinates[i * g->dimensions + d]);
                pen_writer_char(out, '\n');
            }
        }
        return PEN_OK;
    }
    for (int64_t i = 0; i < g->nodes; i++) {
        if (scotch) pen_writer_print(out, "%" PRId64 "\t", pen_file_graph_label(g, i));
        if (dimacs) pen_writer_print(out, "v %" PRId64 " ", i + 1);
        for (int d = 0; d < g->dimensions; d++) {
            if (d > 0) pen_writer_char(out, ' ');
            pen_writer_real(out, g->coordinates[i * g->dimensions + d]);
        }
        pen_writer_char(out, '\n');
    }
    return PEN_OK;
}

pen_status pen_coordinates_write(const file_graph *g, const char *kind, const char *path)
{
    writer out;
    PEN_TRY(pen_writer_open(path, &out));
    return pen_writer_close(&out, write_all(g, kind, &out));
}
