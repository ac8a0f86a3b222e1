/* words.c - reads graphs, and reports their findings. */
#include "tools/graph/words.h"
#include "tools/graph/input.h"
#include "tools/graph/mapping.h"

static void tell(int64_t count, const char *what, const char *file)
{
    if (count > 0) fprintf(stderr, "pen-graph: %s: %" PRId64 " %s\n", PEN_SHOWN(file), count, what);
}

void pen_words_tell_notes(const file_graph *g, const char *file)
{
    const file_notes *notes = &g->notes;
    static const char *const conflicts[] = {
        [WEIGHT_FIRST] = "weights dropped that differ from the first weight of the same edge",
        [WEIGHT_MIN] = "weights that differ from another of the same edge; the smallest is taken",
        [WEIGHT_MAX] = "weights that differ from another of the same edge; the largest is taken",
        [WEIGHT_SUM] = "sums of weights that differ from that of the other direction; the larger is taken",
    };
    tell(notes->loops, "loops dropped", file);
    tell(notes->duplicates, g->rule == WEIGHT_SUM ? "duplicates merged, their weights added up" : "duplicates merged",
         file);
    tell(notes->conflicts, conflicts[g->rule], file);
    tell(notes->reversed, "edges listed in both directions, merged", file);
    tell(notes->one_way, "edges listed in one direction, now undirected", file);
    tell(notes->values,
         "values dropped (in convert, --values takes a matrix's whole ones, --values-to=FILE writes real ones, "
         "--scale=X rounds)",
         file);
    tell(notes->gaps, "ids that do not occur", file);
    char columns[4 * sizeof notes->columns];
    pen_show(notes->columns, columns, sizeof columns);
    if (columns[0]) fprintf(stderr, "pen-graph: %s: %s\n", PEN_SHOWN(file), columns);
}

/* Free the findings of reading `path`. Returns `status` or, if it is PEN_OK or PEN_ERR_INPUT, that of the findings. */
static pen_status report(findings *f, const char *path, pen_status status)
{
    if (status == PEN_OK || status == PEN_ERR_INPUT) {
        pen_status found = pen_findings_status(f, path);
        if (found != PEN_OK) status = found;
    }
    pen_findings_free(f);
    return status;
}

pen_status pen_words_read_graph(const char *path, const char *format, const format_options *options, file_graph *g)
{
    const graph_format *reader;
    findings f;
    PEN_TRY(pen_format_find(format, path, &reader));
    pen_findings_init(&f, FINDINGS_LIMIT);
    return report(&f, path, pen_format_read(reader, path, options, g, &f));
}

pen_status pen_words_read_coordinates(const char *path, file_graph *g, findings *f)
{
    pen_scanner in;
    findings own;
    if (!f) {
        pen_findings_init(&own, FINDINGS_LIMIT);
        return report(&own, path, pen_words_read_coordinates(path, g, &own));
    }
    PEN_TRY(pen_input_open(path, &in));
    return pen_scanner_close(&in, pen_coordinates_read(&in, NULL, g, f));
}

pen_status pen_words_read_parts(const char *path, const file_graph *g, int32_t **part, int *parts, findings *f)
{
    pen_scanner in;
    findings own;
    if (!f) {
        pen_findings_init(&own, FINDINGS_LIMIT);
        return report(&own, path, pen_words_read_parts(path, g, part, parts, &own));
    }
    PEN_TRY(PEN_ALLOC(part, g->nodes));
    PEN_TRY(pen_input_open(path, &in));
    return pen_scanner_close(&in, pen_mapping_read(&in, MAPPING_BY_CONTENT, g, *part, parts, f));
}
