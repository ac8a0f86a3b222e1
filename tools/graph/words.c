#include "words.h"

pen_status words_report(findings *f, const char *path, pen_status status)
{
    if (status == PEN_OK || status == PEN_ERR_INPUT) {
        pen_status found = findings_status(f, path);
        if (found != PEN_OK) status = found;
    }
    findings_free(f);
    return status;
}

pen_status words_read_graph(const char *path, const char *format, bool directed, file_graph *g)
{
    const graph_format *reader;
    const format_options options = { .directed = directed };
    findings f;
    PEN_TRY(format_find(format, path, &reader));
    findings_init(&f, FINDINGS_LIMIT);
    return words_report(&f, path, format_read(reader, path, &options, g, &f));
}
