/* formats.c - the table of file formats. */
#include "tools/graph/formats.h"
#include "base/options.h"
#include "tools/common/command.h"
#include "tools/graph/examine.h"
#include "tools/graph/input.h"

#include <sys/stat.h>

const graph_format *const pen_graph_formats[] = {
    &pen_format_metis,    &pen_format_chaco,   &pen_format_scotch, &pen_format_matrix_market, &pen_format_dimacs9,
    &pen_format_pace,     &pen_format_galois,  &pen_format_col,    &pen_format_dimacs10,      &pen_format_parhip,
    &pen_format_snap,     &pen_format_csv,     &pen_format_tsv,    &pen_format_mesh,          &pen_format_meshio,
    &pen_format_penumbra, &pen_format_graphml, &pen_format_gexf,
};
const int pen_graph_format_count = PEN_COUNT_OF(pen_graph_formats);

/* Whether the path has one of the endings, which blanks separate. */
static bool has_ending(const char *path, const char *endings)
{
    char one[16];
    for (const char *at = *endings ? endings : NULL; at;) {
        at = pen_text_cut(at, ' ', one, sizeof one);
        if (pen_path_ends_in(path, one)) return true;
    }
    return false;
}

pen_status pen_format_find(const char *name, const char *path, const graph_format **format)
{
    const char *names[PEN_COUNT_OF(pen_graph_formats)];
    for (int i = 0; i < pen_graph_format_count; i++) {
        names[i] = pen_graph_formats[i]->name;
        if (name ? strcmp(name, names[i]) == 0 : has_ending(path, pen_graph_formats[i]->endings)) {
            *format = pen_graph_formats[i];
            return PEN_OK;
        }
    }
    if (name) return pen_unknown_name("format", name, names, pen_graph_format_count);
    return pen_fail(PEN_ERR_INPUT,
                    "%s: unknown file ending: give the format with --from or --to (pen-graph --help lists them)", path);
}

void pen_format_list(FILE *out)
{
    for (int i = 0; i < pen_graph_format_count; i++)
        fprintf(out, "%-10s  %-22s  %s\n", pen_graph_formats[i]->name, pen_graph_formats[i]->endings,
                pen_graph_formats[i]->summary);
}

static pen_status read_once(const graph_format *format, const char *path, const format_options *options, file_graph *g,
                            findings *f)
{
    if (format->read_path) return format->read_path(path, options, g, f);
    pen_scanner in;
    PEN_TRY(pen_input_open(path, &in));
    return pen_scanner_close(&in, format->read(format, &in, options, g, f));
}

/* Whether a file can be read a second time, unlike standard input and pipes. */
static bool can_read_again(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

pen_status pen_format_read(const graph_format *format, const char *path, const format_options *options, file_graph *g,
                           findings *f)
{
    *g = (file_graph){ .base = 1, .rule = options->weights };
    pen_status status = read_once(format, path, options, g, f);
    if (status == PEN_OK) status = pen_file_graph_examine(g, format->holds, f);
    bool again = format->places && pen_findings_unplaced(f) && can_read_again(path);
    if (!again || (status != PEN_OK && status != PEN_ERR_INPUT)) return status;
    /* Read again, to find the places of faulty arcs. */
    pen_file_graph_free(g);
    g->base = 1;
    g->rule = options->weights;
    pen_findings_place_begin(f);
    status = read_once(format, path, options, g, f);
    pen_findings_place_end(f);
    return status;
}

pen_status pen_format_may_write(const graph_format *format, const char *const *paths, int count)
{
    if (!format->write && !format->write_path)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: format %s cannot be written", paths[0], format->name);
    return pen_writer_try(paths, count);
}

pen_status pen_format_write(const graph_format *format, file_graph *g, const char *path)
{
    writer out;
    PEN_TRY(pen_format_may_write(format, &path, 1));
    if (format->write_path) return format->write_path(g, path);
    PEN_TRY(pen_writer_open(path, &out));
    return pen_writer_close(&out, format->write(format, g, &out));
}
