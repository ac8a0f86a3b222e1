/* mapping.c - reads and writes files with the part of each node. */
#include "tools/graph/mapping.h"
#include "tools/graph/fields.h"
#include "tools/graph/labels.h"

#include <limits.h>
#include <stdlib.h>

static void read_metis(pen_scanner *in, const file_graph *g, int *parts, findings *f)
{
    int64_t node = 0;
    while (pen_scanner_more(in)) {
        int64_t part = 0, line = in->line;
        if (*in->at == '%') {
            pen_scanner_skip_line(in);
            continue;
        }
        if (pen_field_over(in)) {
            if (node < g->nodes) PEN_LINE_ERROR(f, line, "an empty line instead of a part");
            continue;
        }
        if (node == g->nodes) {
            PEN_LINE_ERROR(f, line, "a part after that of the last node");
            return;
        }
        if (!pen_field_integer(in, f, "a part", 0, INT_MAX - 1, &part) || !pen_field_end(in, f))
            pen_scanner_skip_line(in);
        parts[node++] = (int)part;
    }
    if (node < g->nodes)
        PEN_LINE_ERROR(f, in->line, "the file ends after %" PRId64 " of %" PRId64 " nodes", node, g->nodes);
}

typedef struct pair {
    int64_t label, part, line;
} pair;

/* Read pairs of a label and a part. The caller frees *pairs. */
static pen_status read_pairs(pen_scanner *in, findings *f, pair **pairs, int64_t *count)
{
    int64_t announced, capacity = 0;
    pen_field_skip_space(in);
    if (!pen_field_integer(in, f, "the number of nodes", 0, INT64_MAX, &announced))
        return pen_findings_status(f, in->name);
    for (; *count < announced; (*count)++) {
        pair p;
        if (!pen_field_skip_space(in)) {
            PEN_LINE_ERROR(f, in->line, "the file ends after %" PRId64 " of %" PRId64 " nodes", *count, announced);
            return PEN_OK;
        }
        p.line = in->line;
        if (!pen_field_integer(in, f, "a node", INT64_MIN, INT64_MAX, &p.label)) return PEN_OK;
        pen_field_skip_space(in);
        if (!pen_field_integer(in, f, "a part", -1, INT_MAX - 1, &p.part)) return PEN_OK;
        PEN_TRY(pen_reserve(pairs, sizeof **pairs, *count + 1, &capacity));
        (*pairs)[*count] = p;
    }
    if (pen_field_skip_space(in)) PEN_FIELD_ERROR(in, f, "text after the last pair");
    return PEN_OK;
}

static pen_status read_scotch(pen_scanner *in, const file_graph *g, int *parts, findings *f)
{
    pair *pairs = NULL;
    bool *given = NULL;
    label_index index = { 0 };
    int64_t count = 0, base = 0, missing = 0;
    pen_status status = read_pairs(in, f, &pairs, &count);
    for (int64_t i = 0; i < count; i++) base = i == 0 || pairs[i].label < base ? pairs[i].label : base;
    if (status == PEN_OK) status = pen_label_index_create(g, base, &index);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&given, g->nodes);
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        const pair *p = &pairs[i];
        int64_t node = pen_label_index_find(&index, p->label);
        if (node < 0) PEN_LINE_ERROR(f, p->line, "node %" PRId64 " is not in the graph", p->label);
        else if (given[node]) PEN_LINE_ERROR(f, p->line, "node %" PRId64 " has a part already", p->label);
        else if (p->part < 0) PEN_LINE_ERROR(f, p->line, "node %" PRId64 " is in no part", p->label);
        else parts[node] = (int)p->part;
        if (node >= 0) given[node] = true;
    }
    for (int64_t i = 0; status == PEN_OK && i < g->nodes; i++) missing += !given[i];
    if (missing > 0) PEN_LINE_ERROR(f, 0, "%" PRId64 " nodes have no part", missing);
    PEN_FREE_ALL(pairs, given);
    pen_label_index_free(&index);
    return status;
}

/* Whether the second line has two words, if both begin within PEN_SCANNER_SPAN bytes. */
static bool looks_like_scotch(pen_scanner *in)
{
    if (!pen_scanner_more(in)) return false;
    const char *second = in->at + strcspn(in->at, "\n");
    if (*second == '\0') return false;
    second++;
    second += strspn(second, " \t");
    second += strcspn(second, " \t\r\n");
    second += strspn(second, " \t");
    return *second == '-' || pen_scanner_is_digit(*second);
}

pen_status pen_mapping_read(pen_scanner *in, mapping_kind kind, const file_graph *g, int *parts, int *count,
                            findings *f)
{
    int64_t before = f->errors;
    if (g->nodes > 0) memset(parts, 0, (size_t)g->nodes * sizeof *parts);
    if (kind == MAPPING_BY_CONTENT) {
        while (pen_scanner_more(in) && *in->at == '%') pen_scanner_skip_line(in);
        kind = looks_like_scotch(in) ? MAPPING_SCOTCH : MAPPING_METIS;
    }
    if (kind == MAPPING_SCOTCH) PEN_TRY(read_scotch(in, g, parts, f));
    else read_metis(in, g, parts, f);
    int largest = -1;
    for (int64_t i = 0; i < g->nodes; i++) largest = parts[i] > largest ? parts[i] : largest;
    *count = largest + 1;
    if (in->status != PEN_OK) return in->status;
    return f->errors == before ? PEN_OK : pen_findings_status(f, in->name);
}

void pen_mapping_write(const file_graph *g, const int *parts, mapping_kind kind, writer *out)
{
    if (kind == MAPPING_SCOTCH) pen_writer_print(out, "%" PRId64 "\n", g->nodes);
    int skipped = kind != MAPPING_SCOTCH;
    for (int64_t i = 0; i < g->nodes; i++) {
        const int64_t line[] = { pen_file_graph_label(g, i), parts[i] };
        pen_writer_line(out, '\t', line + skipped, 2 - skipped);
    }
}
