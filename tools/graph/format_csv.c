/* format_csv.c - edge lists in values separated by commas or tabs, as spreadsheets and data frames write them.
 *
 *     file := header record*       fields: base/csv.h; a UTF-8 mark may come first, lines may be empty
 *
 * The header names the columns. Arcs lead from column source to column target (or src and dst, from and to), or else
 * from the first column to the second. Weights are in column weight, or else in the first other column with a number
 * in the first record; options->weight_column names another one, or none (""). A column named like a time (time, date,
 * timestamp, ...) is not guessed to be weights. Ignored columns are named in the notes.
 *
 * If all ids have up to 18 digits, and no zeros in front, they are read as in a SNAP list; otherwise all are names,
 * which get numbers in the order in which they first occur, and which the graph keeps. Weights, loops, repeated
 * lines and directions are as in a SNAP list. Isolated nodes are lost. */
#include "base/csv.h"
#include "base/hash.h"
#include "tools/graph/arcs.h"
#include "tools/graph/fields.h"
#include "tools/graph/values.h"

#include <stdlib.h>

/* ---- Names: they get numbers in the order in which they first occur --------------------------- */

/* A table of names, initially zero. */
typedef struct name_table {
    int64_t count;
    int64_t *begins; /* [count] beginning of each name in `text` */
    char *text;      /* the names, one after the other, each ending in '\0' */
    int64_t begin_room, length, text_room;
    /* Hash table of numbers + 1, 0: free; its size is a power of 2, at most half of it is used. */
    int64_t *slots, slot_count;
} name_table;

static const char *name_of(const name_table *names, int64_t number) { return names->text + names->begins[number]; }

/* The slot of a name, or the free slot for it. */
static int64_t *find(const name_table *names, const char *name)
{
    for (uint64_t at = pen_hash_bytes(name, strlen(name));; at++) {
        int64_t *slot = &names->slots[at & (uint64_t)(names->slot_count - 1)];
        if (*slot == 0 || strcmp(name_of(names, *slot - 1), name) == 0) return slot;
    }
}

static pen_status grow(name_table *names)
{
    int64_t *before = names->slots, count = names->slot_count ? 2 * names->slot_count : 1024;
    PEN_TRY(PEN_ALLOC_ZERO(&names->slots, count));
    names->slot_count = count;
    free(before);
    for (int64_t i = 0; i < names->count; i++) *find(names, name_of(names, i)) = i + 1;
    return PEN_OK;
}

/* Get the number of a name; a name that is not in the table yet gets the number names->count. */
static pen_status add_name(name_table *names, const char *name, int64_t *number)
{
    if (2 * names->count >= names->slot_count) {
        name_table grown = *names; /* names are added to a copy, so that *names is unchanged if memory is exhausted */
        PEN_TRY(grow(&grown));
        *names = grown;
    }
    int64_t *slot = find(names, name), size = (int64_t)strlen(name) + 1;
    if (*slot == 0) {
        PEN_TRY(pen_reserve(&names->begins, sizeof *names->begins, names->count + 1, &names->begin_room));
        PEN_TRY(pen_reserve(&names->text, 1, names->length + size, &names->text_room));
        memcpy(names->text + names->length, name, (size_t)size);
        names->begins[names->count++] = names->length;
        names->length += size;
        *slot = names->count;
    }
    *number = *slot - 1;
    return PEN_OK;
}

static bool is_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= PEN_SCANNER_DIGITS && text[digits] == '\0' && (text[0] != '0' || digits == 1);
}

/* Convert the names to integers, which the caller frees; NULL if one is not an integer as pen-graph writes it. */
static pen_status names_as_integers(const name_table *names, int64_t **integers)
{
    *integers = NULL;
    for (int64_t i = 0; i < names->count; i++)
        if (!is_digits(name_of(names, i))) return PEN_OK;
    PEN_TRY(PEN_ALLOC(integers, names->count));
    for (int64_t i = 0; i < names->count; i++) (*integers)[i] = strtoll(name_of(names, i), NULL, 10);
    return PEN_OK;
}

/* ---- Records --------------------------------------------------------------------------------- */

typedef struct reader {
    pen_scanner *in;
    findings *f;
    pen_csv record;    /* the record that was read last */
    int64_t line;      /* line in which the last record begins */
    int64_t next_line; /* line after the last record */
    char *text;        /* [size] text; the part that is not split yet begins at `at` */
    int64_t at, size, room;
    bool more;
    pen_csv header;
    int64_t header_line;
    bool guessed; /* no option or header names the column of weights */
    /* Number of columns; indices of the columns with the source, the target and the weight, -1: none. */
    int columns, source, target, weight;
    arc_list arcs;
    name_table names;
    int64_t others; /* number of weights that are not integers of up to 18 digits */
} reader;

enum { MOST_RECORD = 1 << 20 };

/* Read more text: at least double the unsplit text; r->more becomes false at the end. */
static pen_status read_more(reader *r)
{
    int64_t left = r->size - r->at, wanted = 2 * left + 1;
    if (left > 0) memmove(r->text, r->text + r->at, (size_t)left);
    r->at = 0;
    r->size = left;
    while (r->size < wanted && pen_scanner_more(r->in)) {
        int64_t bytes = r->in->end - r->in->at;
        PEN_TRY(pen_reserve(&r->text, 1, r->size + bytes, &r->room));
        memcpy(r->text + r->size, r->in->at, (size_t)bytes);
        r->size += bytes;
        r->in->at += bytes;
    }
    r->more = r->size > left;
    return PEN_OK;
}

static pen_status refuse(reader *r, int64_t used)
{
    const pen_csv *record = &r->record;
    if (record->lines == 0) pen_findings_add(r->f, FINDING_ERROR, r->next_line, used + 1, "%s", record->why);
    else PEN_LINE_ERROR(r->f, r->next_line, "%s, in the record that begins here", record->why);
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", r->in->name, r->next_line, record->why);
}

/* Read the next record that is not empty; *there: there is one. PEN_ERR_INPUT with a finding for a faulty record, since
 * the beginning of the next one is then unknown. */
static pen_status next_record(reader *r, bool *there)
{
    for (*there = false; !*there;) {
        int64_t used = 0;
        pen_status status = pen_csv_split(&r->record, r->text + r->at, r->size - r->at, !r->more, &used);
        if (status == PEN_ERR_INPUT) return refuse(r, used);
        PEN_TRY(status);
        if (used == 0) {
            if (r->size - r->at > MOST_RECORD)
                return pen_field_refuse(r->in, r->f, r->next_line,
                                        "a record of more than %d bytes: is a quote not closed?", MOST_RECORD);
            if (!r->more) return PEN_OK;
            PEN_TRY(read_more(r));
            continue;
        }
        r->line = r->next_line;
        *there = r->record.count > 1 || pen_csv_field(&r->record, 0)[0] != '\0';
        r->at += used;
        r->next_line += r->record.lines;
    }
    return PEN_OK;
}

/* ---- The header ----------------------------------------------------------------------------- */

static int find_any(const pen_csv *record, const char *const *names)
{
    int found = -1;
    for (; *names && found < 0; names++) found = pen_csv_find(record, *names);
    return found;
}

static bool is_time(const pen_csv *record, int column)
{
    static const char *const times[] = { "time",    "timestamp",  "time_stamp", "date",       "datetime", "date_time",
                                         "day",     "month",      "year",       "hour",       "ts",       "epoch",
                                         "start",   "end",        "begin",      "start_time", "end_time", "starttime",
                                         "endtime", "created_at", "updated_at", "valid_from", "valid_to", NULL };
    for (int i = 0; times[i]; i++)
        if (pen_csv_find(record, times[i]) == column) return true;
    return false;
}

static pen_status find_weight(reader *r, const char *name, bool there)
{
    int64_t whole;
    double value;
    bool is_whole;
    const pen_csv *record = &r->record;
    r->weight = pen_csv_find(&r->header, name ? name : "weight");
    if (name && *name && r->weight < 0)
        return pen_field_refuse(r->in, r->f, r->header_line, "there is no column '%.60s'", name);
    r->guessed = !name && r->weight < 0;
    for (int c = 0; r->guessed && there && r->weight < 0 && c < r->columns && c < record->count; c++)
        if (c != r->source && c != r->target && !is_time(&r->header, c) &&
            pen_field_number(pen_csv_field(record, c), &whole, &value, &is_whole))
            r->weight = c;
    if (name && !*name) r->weight = -1;
    if (r->weight >= 0 && (r->weight == r->source || r->weight == r->target))
        return pen_field_refuse(r->in, r->f, r->header_line, "the weights' column '%.60s' has nodes",
                                name ? name : "weight");
    return PEN_OK;
}

/* The reason why a column that might have had the weights is ignored. */
static const char *why_ignored(const reader *r, int column)
{
    if (is_time(&r->header, column)) return " (a time)";
    return r->guessed && (r->weight < 0 || column < r->weight) ? " (text)" : "";
}

/* Write "the weights are in column n; columns ignored: when (a time), what (text)", cut off at the room. */
static void note_columns(const reader *r, char *text, size_t room)
{
    size_t used = 0;
    const char *between = "columns ignored: ";
    if (r->weight >= 0 && r->weight != pen_csv_find(&r->header, "weight")) {
        used += (size_t)snprintf(text, room, "the weights are in column %.40s", pen_csv_field(&r->header, r->weight));
        between = "; columns ignored: ";
    }
    for (int c = 0; c < r->columns && used + 1 < room; c++) {
        if (c == r->source || c == r->target || c == r->weight) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%.40s%s", between, pen_csv_field(&r->header, c),
                                 why_ignored(r, c));
        between = ", ";
    }
}

static bool has_number(const pen_csv *header)
{
    int64_t whole;
    double value;
    bool is_whole;
    for (int c = 0; c < header->count; c++)
        if (pen_field_number(pen_csv_field(header, c), &whole, &value, &is_whole)) return true;
    return false;
}

static pen_status read_header(reader *r)
{
    bool there;
    PEN_TRY(next_record(r, &there));
    if (!there) return pen_field_refuse(r->in, r->f, r->next_line, "the file has no header");
    int64_t line = r->header_line = r->line;
    r->header = r->record; /* kept for the search for weights, after the first record is read */
    r->record = (pen_csv){ .separator = r->header.separator };
    const pen_csv *header = &r->header;
    r->columns = header->count;
    r->source = find_any(header, pen_csv_sources);
    r->target = find_any(header, pen_csv_targets);
    if (r->columns < 2)
        return pen_field_refuse(r->in, r->f, line, "the header names one column, there must be two, separated by %s",
                                header->separator == '\t' ? "a tab" : "','");
    if (r->source < 0 && r->target < 0 && has_number(header))
        return pen_field_refuse(r->in, r->f, line,
                                "there is no header: the first line must name the columns, such as "
                                "source,target,weight");
    if ((r->source < 0) != (r->target < 0))
        return pen_field_refuse(r->in, r->f, line, "the header names a %s, but no %s",
                                r->source < 0 ? "target" : "source", r->source < 0 ? "source" : "target");
    if (r->source < 0) {
        r->source = 0;
        r->target = 1;
    }
    return PEN_OK;
}

/* ---- Arcs ----------------------------------------------------------------------------------- */

static bool read_weight(reader *r, const char *field, int64_t *weight, double *value)
{
    bool is_whole = true;
    if (!pen_field_number(field, weight, value, &is_whole)) return false;
    r->others += !is_whole;
    if (!is_whole) *weight = 1;
    return true;
}

static pen_status read_arc(reader *r)
{
    const pen_csv *record = &r->record;
    int64_t line = r->line, from, to, weight = 1;
    double value = 1.0;
    if (record->count != r->columns) {
        PEN_LINE_ERROR(r->f, line, "%d fields, the header has %d", record->count, r->columns);
        return PEN_OK;
    }
    const char *source = pen_csv_field(record, r->source), *target = pen_csv_field(record, r->target);
    if (!*source || !*target) {
        PEN_LINE_ERROR(r->f, line, "the %s is empty", *source ? "target" : "source");
        return PEN_OK;
    }
    if (r->weight >= 0 && !read_weight(r, pen_csv_field(record, r->weight), &weight, &value)) {
        PEN_LINE_ERROR(r->f, line, "a weight must be a finite number, not '%.40s' (--weight-column= takes none)",
                       pen_csv_field(record, r->weight));
        return PEN_OK;
    }
    PEN_TRY(add_name(&r->names, source, &from));
    PEN_TRY(add_name(&r->names, target, &to));
    return pen_arc_list_add(&r->arcs, from, to, weight, value);
}

static pen_status build(reader *r, file_graph *g)
{
    int64_t *ids = NULL, nodes = r->names.count;
    if (!r->arcs.valued) g->notes.values = r->others;
    if (r->others > 0) r->arcs.weighted = false;
    PEN_TRY(names_as_integers(&r->names, &ids));
    for (int64_t k = 0; ids && k < 2 * r->arcs.count; k++) r->arcs.ends[k] = ids[r->arcs.ends[k]];
    if (ids) {
        PEN_TRY(pen_arc_list_take_ids(&r->arcs, g, &nodes));
    } else {
        g->names = r->names.text;
        g->name_begins = r->names.begins;
        g->base = 0;
        r->names.text = NULL;
        r->names.begins = NULL;
    }
    free(ids);
    return pen_arc_list_graph(&r->arcs, nodes, g);
}

static pen_status read_all(reader *r, const format_options *options, file_graph *g)
{
    bool there;
    PEN_TRY(read_more(r));
    r->at = pen_csv_mark(r->text, r->size); /* a UTF-8 mark */
    r->more = true;
    PEN_TRY(read_header(r));
    PEN_TRY(next_record(r, &there));
    PEN_TRY(find_weight(r, options->weight_column, there));
    note_columns(r, g->notes.columns, sizeof g->notes.columns);
    r->arcs.weighted = r->weight >= 0;
    r->arcs.valued = r->arcs.weighted && options->reals;
    while (there) {
        PEN_TRY(read_arc(r));
        PEN_TRY(next_record(r, &there));
    }
    return build(r, g);
}

static char separator_of(const graph_format *format) { return strcmp(format->name, "tsv") == 0 ? '\t' : ','; }

static pen_status read_table(const graph_format *format, pen_scanner *in, const format_options *options, file_graph *g,
                             findings *f)
{
    reader r = { .in = in, .f = f, .next_line = 1, .record.separator = separator_of(format) };
    g->directed = options->directed;
    pen_status status = pen_reserve(&r.text, 1, 1, &r.room); /* must not be NULL, even if the file is empty */
    if (status == PEN_OK) status = read_all(&r, options, g);
    pen_csv_free(&r.record);
    pen_csv_free(&r.header);
    free(r.text);
    PEN_FREE_ALL(r.names.begins, r.names.text, r.names.slots);
    pen_arc_list_free(&r.arcs);
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void write_node(const file_graph *g, int64_t node, writer *out)
{
    const char *name = pen_file_graph_name(g, node);
    if (name) pen_values_write_field(out, name);
    else pen_writer_integer(out, pen_file_graph_label(g, node));
}

static pen_status write_table(const graph_format *format, const file_graph *g, writer *out)
{
    const char separator = separator_of(format);
    bool once = !g->directed && pen_arc_list_once(g), weights = g->values || g->edge_weights;
    pen_writer_print(out, "source%ctarget", separator);
    if (weights) pen_writer_print(out, "%cweight", separator);
    pen_writer_char(out, '\n');
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            if (once && g->neighbors[a] < i) continue;
            write_node(g, i, out);
            pen_writer_char(out, separator);
            write_node(g, g->neighbors[a], out);
            if (weights) pen_writer_char(out, separator);
            if (g->edge_weights) pen_writer_integer(out, g->edge_weights[a]);
            else if (weights) pen_writer_real(out, g->values[a]);
            pen_writer_char(out, '\n');
        }
    return PEN_OK;
}

enum {
    HELD = HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_LABELS | HOLDS_DIRECTED | HOLDS_NO_NODES |
           HOLDS_NO_EDGES | HOLDS_ORDER | HOLDS_NAMES | HOLDS_ANY_NAMES | HOLDS_VALUES
};

const graph_format pen_format_csv = {
    .name = "csv",
    .endings = ".csv",
    .summary = "edge list with a header: source,target,weight; ids may be names",
    .holds = HELD,
    .read = read_table,
    .write = write_table,
};

const graph_format pen_format_tsv = {
    .name = "tsv",
    .endings = ".tsv",
    .summary = "the same, with tabs instead of commas",
    .holds = HELD,
    .read = read_table,
    .write = write_table,
};
