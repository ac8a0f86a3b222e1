/* chaco_part.c - a rank's part of a Chaco/METIS file. The first error ends it. */
#include "base/memory.h"
#include "base/text_file.h"
#include "graph/chaco.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BEYOND = 4096 }; /* bytes that are read at once after the part, up to the end of its last line */

/* A file from an offset on. */
typedef struct part_source {
    int file;
    const char *path;
    int64_t at, part_end, size; /* offsets of what is read next, of the part's end, and of the file's */
} part_source;

static int64_t source_read(void *state, char *to, int64_t room)
{
    part_source *s = state;
    int64_t end = s->at < s->part_end ? s->part_end : s->at + BEYOND;
    if (end > s->size) end = s->size;
    int64_t bytes = room < end - s->at ? room : end - s->at;
    if (pen_read_at(s->file, s->path, to, bytes, s->at) != PEN_OK) return -1;
    s->at += bytes;
    return bytes;
}

static void source_close(void *state)
{
    const part_source *s = state;
    close(s->file);
}

static pen_status open_source(part_source *s, pen_scanner *in)
{
    s->file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", s->path, strerror(errno));
    return pen_scanner_open(s->path, (pen_byte_source){ s, source_read, source_close }, s->size - s->at, in);
}

/* The first error of a text. */
typedef struct first_error {
    int64_t line;
    char what[256];
} first_error;

static void keep_error(void *context, bool is_error, int64_t line, int64_t column, const char *what)
{
    first_error *first = context;
    first->line = line;
    snprintf(first->what, sizeof first->what, "%s", what);
}

/* ---- The header ----------------------------------------------------------------------------- */

/* Whether the file can hold the announced edges, and how it ends. */
static pen_status check_size(const part_source *s, bool directed, pen_chaco_header *h)
{
    char last = '\n';
    int64_t bytes = s->size - h->body + PEN_CHACO_SLACK;
    if (!pen_chaco_plausible(h->edges, (directed ? 1 : 2) * (h->edge_weights ? 2 : 1), bytes))
        return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": the header announces more edges than the file can hold",
                        s->path, h->line);
    h->size = s->size;
    if (h->body < h->size) PEN_TRY(pen_read_at(s->file, s->path, &last, 1, h->size - 1));
    h->ends_in_newline = last == '\n';
    return PEN_OK;
}

pen_status pen_chaco_read_header(const char *path, pen_dialect dialect, bool directed, pen_chaco_header *header)
{
    struct stat about;
    if (stat(path, &about) != 0) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return pen_fail(PEN_ERR_IO, "cannot read %s: it is not a regular file", path);
    part_source source = { .path = path, .part_end = (int64_t)about.st_size, .size = (int64_t)about.st_size };
    pen_scanner in;
    first_error error = { 0 };
    PEN_TRY(open_source(&source, &in));
    pen_chaco_parser p = { .in = &in, .dialect = dialect, .strict = true, .context = &error, .found = keep_error };
    pen_status status = pen_chaco_parse_header(&p);
    *header = p.header;
    if (p.over) status = pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", path, error.line, error.what);
    else if (status == PEN_OK) status = check_size(&source, directed, header);
    return pen_scanner_close(&in, status);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Read the part. *first: the number of its first line in the text. */
static pen_status read_lines(pen_chaco_parser *p, const part_source *s, const pen_chaco_part *part, int64_t *first)
{
    pen_scanner *in = p->in;
    const pen_chaco_header *h = &p->header;
    int64_t begin = s->at; /* before the text is read */
    if (begin < part->begin) pen_scanner_skip_line(in);
    bool none = begin < part->begin && pen_scanner_place(in) > 1; /* the text ends before the next line */
    *first = in->line + none;
    double share = (double)(part->end - part->begin) / (double)(h->size - h->body + 1) * 1.02;
    return pen_chaco_parse_lines(p, part->end - begin, share < 1 ? share : 1);
}

void pen_chaco_read_part(const char *path, const pen_chaco_header *header, pen_dialect dialect, pen_graph *graph,
                         pen_chaco_part *part)
{
    *part = (pen_chaco_part){ .begin = part->begin, .end = part->end, .blank_line = -1, .data_line = -1 };
    first_error error = { 0 };
    pen_scanner in;
    pen_chaco_parser p = {
        .in = &in, .dialect = dialect, .strict = true, .context = &error, .found = keep_error, .header = *header
    };
    bool later = part->begin > header->body; /* skip to the first line that begins in this part */
    part_source source = { .path = path, .at = part->begin - later, .part_end = part->end, .size = header->size };
    int64_t first = 0;
    pen_status status = open_source(&source, &in);
    if (status == PEN_OK) {
        status = read_lines(&p, &source, part, &first);
        part->lines = in.line - first + (pen_scanner_place(&in) > 1);
        status = pen_scanner_close(&in, status);
    }
    if (status == PEN_OK) status = pen_chaco_shrink(&p);
    if (status == PEN_OK && p.blank_line > 0) part->blank_line = p.blank_line - first;
    if (status == PEN_OK && p.data_line > 0) part->data_line = p.data_line - first;
    if (status != PEN_OK) snprintf(part->fault, sizeof part->fault, "%s", pen_error_message());
    part->status = status;
    if (status == PEN_OK && p.over && p.data_line == 0) {
        part->status = PEN_ERR_INPUT;
        part->fault_line = error.line - first;
        part->fault_in_row = p.in_row;
        memcpy(part->fault, error.what, sizeof part->fault);
    }
    part->count = p.count;
    graph->rows = p.rows;
    graph->neighbors = p.neighbors;
    graph->edge_weights = p.edge_weights;
    graph->node_weights = p.node_weights;
    graph->node_sizes = p.node_sizes;
}

int64_t pen_chaco_line(const char *path, const pen_chaco_header *header, pen_dialect dialect,
                       const pen_chaco_part *part, int64_t row)
{
    bool later = part->begin > header->body;
    part_source source = { .path = path, .at = part->begin - later, .part_end = header->size, .size = header->size };
    pen_scanner in;
    if (open_source(&source, &in) != PEN_OK) return -1;
    if (later) pen_scanner_skip_line(&in);
    int64_t first = in.line, line = 0, found = 0; /* number of rows that were found */
    while (found <= row && pen_scanner_more(&in)) {
        int64_t label;
        if (*in.at != '%' || dialect == PEN_DIALECT_CHACO) {
            if (!header->labels) found++;
            else if (pen_scanner_integer(&in, &label) == PEN_SCANNER_NUMBER) found = label;
            line = in.line - first;
        }
        pen_scanner_skip_line(&in);
    }
    if (found <= row) line = in.line - first; /* the last node's line may be the empty one after the last newline */
    return pen_scanner_close(&in, PEN_OK) == PEN_OK ? line : -1;
}
