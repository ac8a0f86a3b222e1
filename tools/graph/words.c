/* words.c - reads graphs, and reports their findings. */
#include "tools/graph/words.h"
#include "tools/graph/input.h"
#include "tools/graph/mapping.h"

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

pen_status pen_words_read_graph(const char *path, const char *format, bool directed, file_graph *g)
{
    const graph_format *reader;
    const format_options options = { .directed = directed };
    findings f;
    PEN_TRY(pen_format_find(format, path, &reader));
    pen_findings_init(&f, FINDINGS_LIMIT);
    return report(&f, path, pen_format_read(reader, path, &options, g, &f));
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
