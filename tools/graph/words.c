#include "tools/graph/words.h"
#include "tools/graph/mapping.h"

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

pen_status words_read_coordinates(const char *path, file_graph *g, findings *f)
{
    input in;
    PEN_TRY(input_open(path, &in));
    pen_status status = coordinates_read(&in, NULL, g, f);
    pen_status reading = input_close(&in);
    return reading != PEN_OK ? reading : status;
}

pen_status words_read_parts(const char *path, const file_graph *g, int32_t **part, int *parts, findings *f)
{
    input in;
    PEN_TRY(PEN_ALLOC(part, g->nodes));
    PEN_TRY(input_open(path, &in));
    pen_status status = mapping_read(&in, MAPPING_BY_CONTENT, g, *part, parts, f);
    pen_status reading = input_close(&in);
    return reading != PEN_OK ? reading : status;
}
