/* readings.h - what readers of pen-graph make of a text: the graph and the findings as texts. After unit.h. */
#pragma once

#include "tests/tools/memory_input.h"
#include "tools/graph/formats.h"

static char message[4000]; /* what the last texts were found to be */

static inline const char *id(const file_graph *g, int64_t node)
{
    static char text[300];
    if (g->names) snprintf(text, sizeof text, "'%s'", pen_file_graph_name(g, node));
    else snprintf(text, sizeof text, "%" PRId64, pen_file_graph_label(g, node));
    return text;
}

/* "0: 1 2(7)\n1: ...": rows with neighbours and their weights, node weights in [], labels, 'names'. */
static inline const char *describe(const file_graph *g)
{
    int at = 0, room = sizeof message;
    message[0] = '\0';
#define ADD(...) at += snprintf(message + at, (size_t)(room - at), __VA_ARGS__)
    for (int64_t i = 0; i < g->nodes && at < room - 100; i++) {
        ADD("%s%s", i ? "; " : "", id(g, i));
        for (int64_t k = 0; k < g->weight_count; k++) ADD("[%" PRId64 "]", g->node_weights[i * g->weight_count + k]);
        ADD(":");
        for (int64_t a = g->rows[i]; a < g->rows[i + 1] && at < room - 100; a++) {
            ADD(" %s", id(g, g->neighbors[a]));
            if (g->edge_weights) ADD("(%" PRId64 ")", g->edge_weights[a]);
        }
    }
    const file_notes *n = &g->notes;
#define NOTE(word) \
    if (n->word) ADD(" | %s %" PRId64, #word, n->word)
    NOTE(loops);
    NOTE(duplicates);
    NOTE(conflicts);
    NOTE(reversed);
    NOTE(one_way);
    NOTE(values);
    NOTE(gaps);
    return message;
}

static inline pen_status read_text(const graph_format *format, const char *text, int64_t size,
                                   const format_options *options, file_graph *g, findings *f)
{
    pen_scanner in;
    *g = (file_graph){ .base = 1, .rule = options->weights };
    pen_findings_init(f, 5);
    assert_int_equal(memory_input_open("text", text, size, &in), PEN_OK);
    return pen_scanner_close(&in, format->read(format, &in, options, g, f));
}

/* The findings as "line:column: what; ...". */
static inline const char *found(const findings *f)
{
    static char text[2000];
    int at = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < f->count && at < 1500; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s%" PRId64 ":%" PRId64 ": %s", i ? "; " : "",
                       f->list[i].severity == FINDING_ERROR ? "" : "note ", f->list[i].line, f->list[i].column,
                       f->list[i].what);
    return text;
}

typedef struct reading {
    const char *text;
    const char *graph;    /* as described; NULL: refused */
    const char *findings; /* the beginning of each is found in this order; NULL: none */
} reading;

/* r->text stands for the bytes that are read. */
static inline void check_bytes(const graph_format *format, const format_options *options, const void *bytes,
                               int64_t size, const reading *r)
{
    static const int64_t chunks[] = { 1, 7, 256 * 1024 };
    for (int c = 0; c < PEN_COUNT_OF(chunks); c++) {
        file_graph g;
        findings f;
        pen_scanner_chunk = chunks[c];
        pen_status status = read_text(format, bytes, size, options, &g, &f);
        const char *what = found(&f);
        if (strcmp(what, r->findings ? r->findings : "") != 0)
            fail_msg("\"%s\" has the findings \"%s\", expected \"%s\"", r->text, what, r->findings ? r->findings : "");
        if (!r->graph) {
            if (status != PEN_ERR_INPUT) fail_msg("\"%s\" ends with %s", r->text, pen_status_name(status));
        } else if (status != PEN_OK || strcmp(describe(&g), r->graph) != 0) {
            fail_msg("\"%s\" is \"%s\" (%s), expected \"%s\"", r->text,
                     status == PEN_OK ? describe(&g) : pen_error_message(), pen_status_name(status), r->graph);
        }
        pen_file_graph_free(&g);
        pen_findings_free(&f);
    }
    pen_scanner_chunk = 256 * 1024;
}

static inline void check(const graph_format *format, const format_options *options, const reading *r)
{
    check_bytes(format, options, r->text, (int64_t)strlen(r->text), r);
}

#define CHECK_ALL(format, options, list) \
    for (int i_ = 0; i_ < PEN_COUNT_OF(list); i_++) check(format, options, &(list)[i_])
