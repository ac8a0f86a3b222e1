#include "tools/graph/node_values.h"
#include "base/npy.h"
#include "base/numbers.h"
#include "tools/graph/csv_reader.h"
#include "tools/graph/fields.h"
#include "tools/graph/words.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

pen_status pen_node_order_create(const file_graph *g, node_order *order)
{
    order->graph = g;
    return pen_label_index_create(g, 0, &order->index);
}

void pen_node_order_free(node_order *order) { pen_label_index_free(&order->index); }

/* The node with the `rank`-th gid. */
static int64_t node_at(const node_order *order, int64_t rank)
{
    return order->index.sorted ? order->index.sorted[rank].node : rank;
}

static int64_t gid_of(const file_graph *g, int64_t node) { return g->labels ? g->labels[node] : node; }

/* Reals of every size, and what is none: "", "nan". */
static bool read_value(const char *text, double *value)
{
    char word[INPUT_SPAN];
    text += strspn(text, " \t");
    size_t length = strcspn(text, " \t");
    if (length >= sizeof word || text[length + strspn(text + length, " \t")] != '\0') return false;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (pen_parse_real(word, value)) return true;
    const char *name = word + (*word == '-' || *word == '+');
    *value = *word == '-' ? -INFINITY : INFINITY;
    if (strcasecmp(name, "inf") == 0 || strcasecmp(name, "infinity") == 0) return true;
    *value = NAN;
    return *word == '\0' || strcasecmp(name, "nan") == 0;
}

/* ---- A file that is being read -------------------------------------------------------------- */

typedef struct reading {
    const node_order *order;
    const char *column;
    input *in;
    findings *f;
    double *values;
    bool *given;  /* [nodes] */
    int64_t rows; /* without gids: so many have come */
} reading;

static void add(reading *r, int64_t line, int64_t node, int64_t gid, double value)
{
    if (node < 0) pen_findings_add(r->f, FINDING_ERROR, line, 0, "node %" PRId64 " is not in the graph", gid);
    else if (r->given[node])
        pen_findings_add(r->f, FINDING_ERROR, line, 0, "node %" PRId64 " has a value already", gid);
    else {
        r->values[node] = value;
        r->given[node] = true;
    }
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static pen_status find_columns(reading *r, csv_reader *table, int *gid, int *column)
{
    const pen_csv *header = &table->record;
    *gid = pen_csv_find(header, "gid");
    *column = -1;
    if (r->column) *column = pen_csv_find(header, r->column);
    else if (header->count == 1 + (*gid >= 0)) *column = *gid == 0 ? 1 : 0;
    if (*column >= 0 && *column < header->count) return PEN_OK;
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; i < header->count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.40s", i ? ", " : "", pen_csv_field(header, i));
    if (r->column)
        return pen_field_refuse(r->in, r->f, table->line, "there is no column '%.60s'; there are %s", r->column, names);
    return pen_field_refuse(r->in, r->f, table->line, "which column? There are %s: --values=FILE:NAME", names);
}

static void take_record(reading *r, const csv_reader *table, int columns, int gid_column, int column)
{
    const pen_csv *record = &table->record;
    int64_t gid = 0, node = 0;
    double value = NAN;
    if (record->count != columns) {
        pen_findings_add(r->f, FINDING_ERROR, table->line, 0, "%d fields, the header has %d", record->count, columns);
        return;
    }
    if (!read_value(pen_csv_field(record, column), &value))
        pen_findings_add(r->f, FINDING_ERROR, table->line, 0, "a value must be a number, not '%.40s'",
                         pen_csv_field(record, column));
    if (gid_column >= 0) {
        if (pen_parse_int(pen_csv_field(record, gid_column), &gid))
            add(r, table->line, pen_label_index_find(&r->order->index, gid), gid, value);
        else
            pen_findings_add(r->f, FINDING_ERROR, table->line, 0, "a gid must be an integer, not '%.40s'",
                             pen_csv_field(record, gid_column));
        return;
    }
    if (r->rows < r->order->graph->nodes) {
        node = node_at(r->order, r->rows);
        add(r, table->line, node, gid_of(r->order->graph, node), value);
    } else if (r->rows == r->order->graph->nodes) {
        pen_findings_add(r->f, FINDING_ERROR, table->line, 0, "a row behind the last node's, the graph has %" PRId64,
                         r->rows);
    }
    r->rows++;
}

static pen_status read_table(reading *r, csv_reader *table)
{
    bool there;
    int gid, column;
    PEN_TRY(pen_csv_reader_next(table, &there));
    if (!there) return pen_field_refuse(r->in, r->f, table->next_line, "the file has no header");
    PEN_TRY(find_columns(r, table, &gid, &column));
    for (int columns = table->record.count;;) {
        PEN_TRY(pen_csv_reader_next(table, &there));
        if (!there) break;
        take_record(r, table, columns, gid, column);
    }
    if (gid < 0 && r->rows < r->order->graph->nodes)
        pen_findings_add(r->f, FINDING_ERROR, table->next_line, 0,
                         "the file ends after %" PRId64 " of %" PRId64 " nodes", r->rows, r->order->graph->nodes);
    return PEN_OK;
}

static pen_status read_csv(reading *r)
{
    csv_reader table;
    pen_status status = pen_csv_reader_begin(r->in, r->f, &table);
    if (status == PEN_OK) status = read_table(r, &table);
    pen_csv_reader_free(&table);
    return status;
}

/* ---- A dump --------------------------------------------------------------------------------- */

/* Word `column` behind the gid, from 1, cut to what fits; false where the line has not so many. */
static bool find_word(input *in, int64_t column, char word[INPUT_SPAN])
{
    for (;; column--) {
        pen_input_skip_blanks(in);
        if (!pen_input_more(in) || *in->at == '\n' || *in->at == '\r') return false;
        if (column == 1) break;
        pen_input_skip_token(in);
    }
    size_t length = strcspn(in->at, " \t\r\n");
    snprintf(word, INPUT_SPAN, "%.*s", length < INPUT_SPAN ? (int)length : INPUT_SPAN - 1, in->at);
    return true;
}

static pen_status read_dump(reading *r)
{
    int64_t column = 1;
    if (r->column && !(pen_parse_int(r->column, &column) && column >= 1))
        return pen_fail(PEN_ERR_INPUT, "%s: column '%s' of a dump, must be a number from 1", r->in->name, r->column);
    while (pen_input_more(r->in)) {
        int64_t line = r->in->line, gid;
        char word[INPUT_SPAN];
        double value = NAN;
        if (pen_field_over(r->in)) continue;
        if (pen_field_integer(r->in, r->f, "a gid", 0, INT64_MAX, &gid)) {
            if (!find_word(r->in, column, word))
                pen_findings_add(r->f, FINDING_ERROR, line, 0, "there is no column %" PRId64, column);
            else if (!read_value(word, &value))
                pen_findings_add(r->f, FINDING_ERROR, line, 0, "a value must be a number, not '%s'", word);
            add(r, line, pen_label_index_find(&r->order->index, gid), gid, value);
        }
        pen_input_skip_line(r->in);
    }
    return PEN_OK;
}

/* ---- NumPy's array -------------------------------------------------------------------------- */

static pen_status find_npy_column(const reading *r, const pen_npy *array, int64_t *column)
{
    *column = 0;
    int64_t columns = array->shape[1];
    if (array->shape[0] != r->order->graph->nodes)
        return pen_fail(PEN_ERR_INPUT, "%s: %" PRId64 " rows, but the graph has %" PRId64 " nodes", r->in->name,
                        array->shape[0], r->order->graph->nodes);
    if (!r->column && columns == 1) return PEN_OK;
    if (!r->column)
        return pen_fail(PEN_ERR_INPUT, "%s: which of the %" PRId64 " columns? --values=FILE:NUMBER, from 0",
                        r->in->name, columns);
    if (pen_parse_int(r->column, column) && *column >= 0 && *column < columns) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: there is no column '%s', they are 0 to %" PRId64, r->in->name, r->column,
                    columns - 1);
}

static pen_status take_npy(reading *r, const char *bytes, int64_t size)
{
    pen_npy array;
    int64_t column;
    PEN_TRY(pen_npy_parse(r->in->name, bytes, size, &array));
    PEN_TRY(pen_npy_check_size(r->in->name, &array, size));
    PEN_TRY(find_npy_column(r, &array, &column));
    for (int64_t row = 0; row < array.shape[0]; row++)
        r->values[node_at(r->order, row)] = pen_npy_real(&array, bytes + array.begin,
                                                         pen_npy_index(&array, row, column));
    return PEN_OK;
}

static pen_status read_npy(reading *r)
{
    char *bytes = NULL;
    int64_t size = 0, room = 0;
    pen_status status = PEN_OK;
    while (status == PEN_OK && pen_input_more(r->in)) {
        int64_t more = r->in->end - r->in->at;
        status = pen_reserve(&bytes, 1, size + more, &room);
        if (status != PEN_OK) break;
        memcpy(bytes + size, r->in->at, (size_t)more);
        size += more;
        r->in->at += more;
    }
    if (status == PEN_OK) status = r->in->status;
    if (status == PEN_OK) status = take_npy(r, bytes ? bytes : "", size);
    free(bytes);
    return status;
}

/* ---- Which ---------------------------------------------------------------------------------- */

static pen_status read_by_name(reading *r, const char *path)
{
    if (pen_path_ends_in(path, ".npy")) return read_npy(r);
    return pen_path_ends_in(path, ".csv") ? read_csv(r) : read_dump(r);
}

pen_status pen_node_values_read(const node_order *order, const char *path, const char *column, double *values)
{
    input in;
    findings f;
    pen_findings_init(&f, FINDINGS_LIMIT);
    reading r = { .order = order, .column = column, .in = &in, .f = &f, .values = values };
    for (int64_t i = 0; i < order->graph->nodes; i++) values[i] = NAN;
    PEN_TRY(PEN_ALLOC_ZERO(&r.given, order->graph->nodes));
    pen_status status = pen_input_open(path, &in);
    if (status == PEN_OK) status = pen_input_close(&in, read_by_name(&r, path));
    free(r.given);
    return pen_words_report(&f, path, status);
}
