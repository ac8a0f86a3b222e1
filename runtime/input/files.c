#include "input/files.h"
#include "base/options.h"
#include "input/names.h"
#include "input/source.h"

#include <stdlib.h>

enum { MOST_HEADER = 1 << 20 };

/* What is read of a file at once: all that its header may be. */
typedef struct head {
    char *bytes;
    int64_t size;
    bool whole; /* the file has no more */
} head;

static pen_status read_head(pen_input_file *file, head *h)
{
    pen_byte_source source;
    PEN_TRY(PEN_ALLOC(&h->bytes, MOST_HEADER));
    PEN_TRY(pen_source_open(file->path, 0, &source, &file->size));
    pen_status status = pen_source_read(&source, h->bytes, MOST_HEADER, &h->size);
    pen_source_close(&source);
    h->whole = h->size < MOST_HEADER;
    return status;
}

/* ---- NumPy's ---------------------------------------------------------------------------------- */

static bool is_npy(const head *h) { return h->size >= 6 && memcmp(h->bytes, "\x93NUMPY", 6) == 0; }

/* The file's own name, without folders and endings. */
static void own_name(const char *path, char *name, size_t room)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, room, "%s", slash ? slash + 1 : path);
    if (pen_path_is_compressed(name)) *strrchr(name, '.') = '\0';
    char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".npy") == 0) *dot = '\0';
}

/* One column is called as the file is, unless it was named. */
static pen_status name_columns(pen_input_files *files, pen_csv *names, bool wished, pen_input_file *file)
{
    char name[512];
    const int64_t columns = file->array.shape[1];
    int64_t used;
    if (!wished && columns != 1)
        return pen_fail(PEN_ERR_INPUT, "%s: it has %" PRId64 " columns: name them, NAME,NAME,...:%s (- for none)",
                        file->path, columns, file->path);
    if (wished && pen_input_names_are_pairs(names))
        return pen_fail(PEN_ERR_INPUT, "%s: an array has no names: name its columns in order, NAME,NAME,...:%s",
                        file->path, file->path);
    own_name(file->path, name, sizeof name);
    if (!wished) PEN_TRY(pen_csv_split(names, name, (int64_t)strlen(name), true, &used));
    if (names->count != columns)
        return pen_fail(PEN_ERR_INPUT, "%s: it has %" PRId64 " columns, and %d are named", file->path, columns,
                        names->count);
    return pen_input_names_settle(files, names, wished, NULL, file);
}

static pen_status describe_npy(pen_input_files *files, const head *h, pen_csv *names, bool wished, pen_input_file *file)
{
    file->is_npy = true;
    PEN_TRY(pen_npy_parse(file->path, h->bytes, h->size, &file->array));
    if (file->size >= 0) PEN_TRY(pen_npy_check_size(file->path, &file->array, file->size));
    file->body = file->array.begin;
    return name_columns(files, names, wished, file);
}

/* ---- Comma-separated values -------------------------------------------------------------------- */

static bool is_number(const char *field)
{
    double number;
    return pen_parse_real(field + strspn(field, " \t"), &number);
}

/* The first record that is not empty; where the next one begins, and in which line. */
static pen_status split_header(const head *h, pen_csv *header, pen_input_file *file)
{
    file->body = pen_csv_mark(h->bytes, h->size);
    file->line = 1;
    for (bool there = false; !there;) {
        int64_t used;
        pen_status status = pen_csv_split(header, h->bytes + file->body, h->size - file->body, h->whole, &used);
        if (status == PEN_ERR_INPUT)
            return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", file->path, file->line, header->why);
        PEN_TRY(status);
        if (used == 0 && !h->whole)
            return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": a header of more than 1 MiB", file->path, file->line);
        if (used == 0) return pen_fail(PEN_ERR_INPUT, "%s: the file has no header", file->path);
        there = header->count > 1 || *pen_csv_field(header, 0);
        file->body += used;
        file->line += header->lines;
    }
    return PEN_OK;
}

static pen_status describe_csv(pen_input_files *files, const head *h, pen_csv *names, bool wished, pen_input_file *file)
{
    pen_csv header = { 0 };
    pen_status status = split_header(h, &header, file);
    bool numbers = status == PEN_OK;
    for (int i = 0; numbers && i < header.count; i++) numbers = is_number(pen_csv_field(&header, i));
    if (numbers)
        status = pen_fail(PEN_ERR_INPUT, "%s: there is no header: the first line must name the columns", file->path);
    const bool pairs = wished && pen_input_names_are_pairs(names), all = wished && !pairs;
    if (status == PEN_OK && all && names->count != header.count)
        status = pen_fail(PEN_ERR_INPUT, "%s: it has %d columns, and %d are named (to name some, NAME=COLUMN,...:%s)",
                          file->path, header.count, names->count, file->path);
    if (status == PEN_OK)
        status = pen_input_names_settle(files, all ? names : &header, all, pairs ? names : NULL, file);
    pen_csv_free(&header);
    return status;
}

/* ---- Files ------------------------------------------------------------------------------------ */

static pen_status describe(pen_input_files *files, const char *wished, pen_input_file *file)
{
    head h = { .bytes = NULL };
    pen_csv names = { 0 };
    int64_t used;
    pen_status status = wished ? pen_csv_split(&names, wished, (int64_t)strlen(wished), true, &used) : PEN_OK;
    if (status == PEN_ERR_INPUT)
        status = pen_fail(PEN_ERR_INPUT, "input \"%s:%s\": NAMES are the names of columns, with commas", wished,
                          file->path);
    if (status == PEN_OK) status = read_head(file, &h);
    if (status == PEN_OK)
        status = is_npy(&h) ? describe_npy(files, &h, &names, wished != NULL, file)
                            : describe_csv(files, &h, &names, wished != NULL, file);
    free(h.bytes);
    pen_csv_free(&names);
    return status;
}

static pen_status add_file(pen_input_files *files, char *piece)
{
    pen_input_file *file = &files->of[files->count++];
    char *colon = strchr(piece, ':');
    *file = (pen_input_file){ .path = colon ? colon + 1 : piece, .keys = { -1, -1 } };
    if (*file->path == '\0') return pen_fail(PEN_ERR_INPUT, "input \"%s\": it is FILE or NAMES:FILE", piece);
    if (colon) *colon = '\0';
    PEN_TRY(describe(files, colon && *piece ? piece : NULL, file));
    for (int i = 0; i < file->count; i++) {
        int *owner = &files->file[file->column[i]];
        if (*owner >= 0)
            return pen_fail(PEN_ERR_INPUT, "%s: %s is in %s as well", file->path, files->columns[file->column[i]].name,
                            files->of[*owner].path);
        *owner = files->count - 1;
    }
    return PEN_OK;
}

static pen_status read_files(pen_input_files *files, const char *text)
{
    int count = 1;
    PEN_TRY(pen_copy_text(text, &files->text));
    for (const char *at = text; (at = strchr(at, ';')); at++) count++;
    PEN_TRY(PEN_ALLOC_ZERO(&files->of, count));
    for (char *piece = files->text, *next; piece; piece = next) {
        next = strchr(piece, ';');
        if (next) *next++ = '\0';
        PEN_TRY(add_file(files, piece));
    }
    return PEN_OK;
}

pen_status pen_input_files_check(const pen_input_files *files)
{
    for (int c = 0; c < files->column_count; c++) {
        const pen_input_column *column = &files->columns[c];
        if (files->file[c] >= 0 || column->optional) continue;
        return pen_fail(PEN_ERR_INPUT, "%s needs a value of %s for each %s: --input=FILE, of NumPy's or CSV",
                        files->app, column->name, column->of_edges ? "edge" : "node");
    }
    return PEN_OK;
}

pen_status pen_input_files_create(const pen_app *app, const char *text, bool whole, pen_input_files **files)
{
    PEN_C_LOCALE;
    if (text && app->input_count == 0) return pen_fail(PEN_ERR_INPUT, "input \"%s\": %s takes none", text, app->name);
    PEN_TRY(PEN_ALLOC_ZERO(files, 1));
    pen_input_files *f = *files;
    f->app = app->name;
    f->columns = app->inputs;
    f->column_count = app->input_count;
    PEN_TRY(PEN_ALLOC(&f->file, app->input_count));
    for (int c = 0; c < app->input_count; c++) f->file[c] = -1;
    if (text) PEN_TRY(read_files(f, text));
    return whole ? pen_input_files_check(f) : PEN_OK;
}

void pen_input_files_destroy(pen_input_files **files)
{
    pen_input_files *f = *files;
    if (!f) return;
    for (int i = 0; i < f->count; i++) PEN_FREE_ALL(f->of[i].from, f->of[i].column);
    PEN_FREE_ALL(f->of, f->file, f->text, f);
    *files = NULL;
}
