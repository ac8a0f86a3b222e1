/* files.c - finds out which input file has which column, by the names of the columns. The case of letters and
 * surrounding blanks do not matter. */
#include "input/files.h"
#include "base/options.h"
#include "base/output.h"
#include "input/source.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum { LINE = 512 };

/* Meanings of columns that are not columns of the application. */
enum { NOTHING = -1, GID = -2, SOURCE = -3, TARGET = -4 };

static bool is_any(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcasecmp(name, *names) == 0) return true;
    return false;
}

/* The meaning of a name: a column of the application, or one of the special meanings. */
static int meaning_of(const pen_input_files *files, const char *name)
{
    static const char *const gids[] = { "gid", NULL };
    for (int c = 0; c < files->column_count; c++)
        if (strcasecmp(name, files->columns[c].name) == 0) return c;
    if (is_any(name, gids)) return GID;
    if (is_any(name, pen_csv_sources)) return SOURCE;
    return is_any(name, pen_csv_targets) ? TARGET : NOTHING;
}

/* Append a name to a list "a, b, c", which is cut off at the size of the buffer. */
static void add_name(char line[LINE], const char *name)
{
    size_t used = strlen(line);
    snprintf(line + used, LINE - used, "%s%.60s", used ? ", " : "", name);
}

static pen_status refuse_unknown(const pen_input_files *files, const pen_input_file *file, const char *name)
{
    const char **names;
    char what[LINE];
    snprintf(what, sizeof what, "column of input %.400s:", file->path);
    PEN_TRY(PEN_ALLOC(&names, files->column_count + 3));
    for (int c = 0; c < files->column_count; c++) names[c] = files->columns[c].name;
    names[files->column_count] = "gid";
    names[files->column_count + 1] = "source";
    names[files->column_count + 2] = "target";
    pen_status status = pen_unknown_name(what, name, names, files->column_count + 3);
    free((void *)(uintptr_t)names);
    return status;
}

static void list_names(const pen_csv *names, char line[LINE])
{
    *line = '\0';
    for (int i = 0; i < names->count; i++) add_name(line, pen_csv_field(names, i));
}

static pen_status refuse_all(const pen_input_files *files, const pen_csv *names, const pen_input_file *file)
{
    char wanted[LINE] = "", has[LINE];
    for (int c = 0; c < files->column_count; c++) add_name(wanted, files->columns[c].name);
    list_names(names, has);
    return pen_fail(PEN_ERR_INPUT, "%s: it has none of the columns that %s takes: %s; it has %s", file->path,
                    files->app, wanted, has);
}

/* Copy a name without surrounding blanks, cut off if it is longer than any name. */
static void trim(const char *name, char to[LINE])
{
    name += strspn(name, " \t");
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t", name[length - 1])) length--;
    snprintf(to, LINE, "%.*s", (int)(length < LINE ? length : LINE - 1), name);
}

static pen_status settle_key(pen_input_file *file, int column, int *place)
{
    if (*place >= 0) return pen_fail(PEN_ERR_INPUT, "%s: two columns have the nodes", file->path);
    *place = column;
    return PEN_OK;
}

static pen_status settle_column(const pen_input_files *files, pen_input_file *file, int column, int meaning)
{
    for (int i = 0; i < file->count; i++)
        if (file->column[i] == meaning)
            return pen_fail(PEN_ERR_INPUT, "%s: two columns are called %s", file->path, files->columns[meaning].name);
    file->from[file->count] = column;
    file->column[file->count++] = meaning;
    return PEN_OK;
}

/* Refuse a column of edges if rows are nodes, and a column of nodes if rows are edges. */
static pen_status check_kinds(const pen_input_files *files, const pen_input_file *file)
{
    for (int i = 0; i < file->count; i++) {
        const pen_input_column *column = &files->columns[file->column[i]];
        if (column->of_edges == file->of_edges) continue;
        if (file->of_edges)
            return pen_fail(PEN_ERR_INPUT, "%s: %s takes a value of %s for each node, and the file's rows are edges",
                            file->path, files->app, column->name);
        return pen_fail(PEN_ERR_INPUT, "%s: %s takes a value of %s for each edge, and the file's rows are nodes",
                        file->path, files->app, column->name);
    }
    return PEN_OK;
}

static pen_status settle_way(const pen_input_files *files, pen_input_file *file, int gid, const int ends[2])
{
    file->way = PEN_INPUT_BY_ROW;
    file->of_edges = files->columns[file->column[0]].of_edges;
    if (gid >= 0) {
        file->way = PEN_INPUT_BY_GID;
        file->of_edges = false;
        file->keys[0] = gid;
    } else if (ends[0] >= 0 && ends[1] >= 0) {
        file->way = PEN_INPUT_BY_ENDS;
        file->of_edges = true;
        memcpy(file->keys, ends, sizeof file->keys);
    } else if (ends[0] >= 0 || ends[1] >= 0) {
        return pen_fail(PEN_ERR_INPUT, "%s: it has a column of %s, but none of %s", file->path,
                        ends[0] >= 0 ? "sources" : "targets", ends[0] >= 0 ? "targets" : "sources");
    } else if (file->of_edges && !file->is_npy) {
        return pen_fail(PEN_ERR_INPUT, "%s: values of edges also need the columns source and target", file->path);
    }
    return check_kinds(files, file);
}

/* ---- Pairs ---------------------------------------------------------------------------------------- */

/* Whether a list consists of pairs "NAME=COLUMN", and not of the names of all columns: at least one is a pair. */
static bool input_names_are_pairs(const pen_csv *names)
{
    for (int i = 0; i < names->count; i++)
        if (strchr(pen_csv_field(names, i), '=')) return true;
    return false;
}

/* Give a meaning to the column that a pair names; the column that had this meaning by its name loses it. */
static pen_status take_pair(const pen_input_files *files, const pen_csv *names, const char *pair,
                            const pen_input_file *file, int *meanings, bool *paired)
{
    char cut[LINE], name[LINE], column[LINE], has[LINE];
    const char *rest = pen_text_cut(pair, '=', cut, sizeof cut);
    trim(cut, name);
    trim(rest ? rest : "", column);
    if (!*name || !*column)
        return pen_fail(PEN_ERR_INPUT, "%s: '%.60s' is not NAME=COLUMN, unlike the names before it", file->path, pair);
    const int meaning = meaning_of(files, name), at = pen_csv_find(names, column);
    list_names(names, has);
    if (meaning == NOTHING) return refuse_unknown(files, file, name);
    if (at < 0) return pen_fail(PEN_ERR_INPUT, "%s: it has no column '%.60s'; it has %s", file->path, column, has);
    if (paired[at]) return pen_fail(PEN_ERR_INPUT, "%s: column %.60s is named twice", file->path, column);
    for (int i = 0; i < names->count; i++) {
        if (meanings[i] != meaning) continue;
        if (paired[i]) return pen_fail(PEN_ERR_INPUT, "%s: %.60s is assigned two columns", file->path, name);
        meanings[i] = NOTHING;
    }
    meanings[at] = meaning;
    paired[at] = true;
    return PEN_OK;
}

static pen_status take_pairs(const pen_input_files *files, const pen_csv *names, const pen_csv *pairs,
                             const pen_input_file *file, int *meanings)
{
    bool *paired;
    pen_status status = PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&paired, names->count));
    for (int i = 0; status == PEN_OK && i < pairs->count; i++)
        status = take_pair(files, names, pen_csv_field(pairs, i), file, meanings, paired);
    free(paired);
    return status;
}

/* ---- Names of columns ----------------------------------------------------------------------------- */

static pen_status list_meanings(const pen_input_files *files, const pen_csv *names, bool wished,
                                const pen_input_file *file, int *meanings)
{
    for (int i = 0; i < names->count; i++) {
        char name[LINE];
        trim(pen_csv_field(names, i), name);
        meanings[i] = meaning_of(files, name);
        if (meanings[i] == NOTHING && wished && *name && strcmp(name, "-") != 0)
            return refuse_unknown(files, file, name);
    }
    return PEN_OK;
}

static pen_status settle(const pen_input_files *files, const pen_csv *names, const int *meanings, pen_input_file *file)
{
    int gid = -1, ends[2] = { -1, -1 };
    file->width = names->count;
    PEN_TRY(PEN_ALLOC(&file->from, file->width));
    PEN_TRY(PEN_ALLOC(&file->column, file->width));
    for (int i = 0; i < names->count; i++) {
        if (meanings[i] == GID) PEN_TRY(settle_key(file, i, &gid));
        if (meanings[i] == SOURCE) PEN_TRY(settle_key(file, i, &ends[0]));
        if (meanings[i] == TARGET) PEN_TRY(settle_key(file, i, &ends[1]));
    }
    /* If rows are edges, there are no coordinates. */
    const int meant = gid < 0 && ends[0] >= 0 ? files->own : files->column_count;
    for (int i = 0; i < names->count; i++)
        if (meanings[i] >= 0 && meanings[i] < meant) PEN_TRY(settle_column(files, file, i, meanings[i]));
    if (file->count == 0) return refuse_all(files, names, file);
    return settle_way(files, file, gid, ends);
}

/* Set width, way, of_edges, keys, count, from and column of a file by the names of its columns, [width]. `wished`: the
 * user has named them for this application, and every name must be known; "" and "-" skip a column. `pairs`, or NULL:
 * "NAME=COLUMN" uses the file's COLUMN for NAME, and gives other columns no meaning. */
static pen_status input_names_settle(const pen_input_files *files, const pen_csv *names, bool wished,
                                     const pen_csv *pairs, pen_input_file *file)
{
    int *meanings;
    PEN_TRY(PEN_ALLOC(&meanings, names->count));
    pen_status status = list_meanings(files, names, wished, file, meanings);
    if (status == PEN_OK && pairs) status = take_pairs(files, names, pairs, file, meanings);
    if (status == PEN_OK) status = settle(files, names, meanings, file);
    free(meanings);
    return status;
}

enum { MOST_HEADER = 1 << 20 };

/* The beginning of a file, as long as the longest permitted header. */
typedef struct head {
    char *bytes;
    int64_t size;
    bool whole; /* the file has no more bytes than these */
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

/* ---- NumPy files ------------------------------------------------------------------------------ */

static bool is_npy(const head *h) { return h->size >= 6 && memcmp(h->bytes, "\x93NUMPY", 6) == 0; }

/* Get a file's name without folders and endings, as the only one. */
static pen_status take_own_name(const char *path, pen_csv *names)
{
    char name[512], field[2 * sizeof name + 2], *to = field;
    int64_t used;
    snprintf(name, sizeof name, "%s", pen_path_base(path));
    if (pen_path_is_compressed(name)) *strrchr(name, '.') = '\0';
    char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".npy") == 0) *dot = '\0';
    *to++ = '"';
    for (const char *c = name; *c; *to++ = *c++)
        if (*c == '"') *to++ = '"';
    *to++ = '"';
    return pen_csv_split(names, field, to - field, true, &used);
}

/* Name the columns of an array. A single column gets the file's name, unless the user has named it. */
static pen_status name_columns(pen_input_files *files, pen_csv *names, bool wished, pen_input_file *file)
{
    const int64_t columns = file->array.shape[1];
    if (!wished && columns != 1)
        return pen_fail(PEN_ERR_INPUT, "%s: it has %" PRId64 " columns: name them, NAME,NAME,...:%s (- for none)",
                        file->path, columns, file->path);
    if (wished && input_names_are_pairs(names))
        return pen_fail(PEN_ERR_INPUT, "%s: an array has no names: name its columns in order, NAME,NAME,...:%s",
                        file->path, file->path);
    if (!wished) PEN_TRY(take_own_name(file->path, names));
    if (names->count != columns)
        return pen_fail(PEN_ERR_INPUT, "%s: it has %" PRId64 " columns, and %d are named", file->path, columns,
                        names->count);
    return input_names_settle(files, names, wished, NULL, file);
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

/* Find the first record that is not empty, and the offset and line of the record after it. */
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

/* Refuse a header of one column that contains another separator, a semicolon or a tab. */
static pen_status check_separator(const pen_csv *header, const pen_input_file *file)
{
    const char *other = header->count == 1 ? strpbrk(pen_csv_field(header, 0), ";\t") : NULL;
    if (!other) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": the header has %s and no commas: commas must separate the columns",
                    file->path, file->line - header->lines, *other == ';' ? "semicolons" : "tabs");
}

static pen_status describe_csv(pen_input_files *files, const head *h, pen_csv *names, bool wished, pen_input_file *file)
{
    pen_csv header = { 0 };
    pen_status status = split_header(h, &header, file);
    if (status == PEN_OK) status = check_separator(&header, file);
    bool numbers = status == PEN_OK;
    for (int i = 0; numbers && i < header.count; i++) numbers = is_number(pen_csv_field(&header, i));
    if (numbers)
        status = pen_fail(PEN_ERR_INPUT, "%s: there is no header: the first line must name the columns", file->path);
    const bool pairs = wished && input_names_are_pairs(names), all = wished && !pairs;
    if (status == PEN_OK && all && names->count != header.count)
        status = pen_fail(PEN_ERR_INPUT, "%s: it has %d columns, and %d are named (to name some, NAME=COLUMN,...:%s)",
                          file->path, header.count, names->count, file->path);
    if (status == PEN_OK) status = input_names_settle(files, all ? names : &header, all, pairs ? names : NULL, file);
    pen_csv_free(&header);
    return status;
}

/* ---- Files ------------------------------------------------------------------------------------ */

/* Whether a file has coordinates x and y. */
static bool is_placed(const pen_input_files *files, const pen_input_file *file)
{
    int found = 0;
    for (int i = 0; i < file->count; i++) found += file->column[i] == files->own || file->column[i] == files->own + 1;
    return found == 2;
}

/* Refuse a coordinate that the user has named in a file of nodes without both x and y. */
static pen_status check_axes(const pen_input_files *files, const pen_csv *names, const pen_input_file *file)
{
    char cut[LINE], name[LINE];
    if (file->of_edges || is_placed(files, file)) return PEN_OK;
    for (int i = 0; i < names->count; i++) {
        (void)pen_text_cut(pen_csv_field(names, i), '=', cut, sizeof cut);
        trim(cut, name);
        if (meaning_of(files, name) < files->own) continue;
        return pen_fail(PEN_ERR_INPUT, "%s: %s is named, but coordinates need both x and y", file->path, name);
    }
    return PEN_OK;
}

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
    if (status == PEN_OK && wished) status = check_axes(files, &names, file);
    free(h.bytes);
    pen_csv_free(&names);
    return status;
}

static void free_file(pen_input_file *file)
{
    PEN_FREE_ALL(file->from, file->column);
    *file = (pen_input_file){ .path = NULL };
}

/* Select the columns of a file that belong to the application (own) or that are coordinates, in the file's order. */
static int part(const pen_input_files *files, const pen_input_file *file, bool own, int *from, int *column)
{
    int count = 0;
    for (int i = 0; i < file->count; i++) {
        if ((file->column[i] < files->own) != own) continue;
        from[count] = file->from[i];
        column[count++] = file->column[i];
    }
    return count;
}

/* Split the coordinates off the last file, as a separate file. The original keeps the application's columns; if it has
 * none, it is dropped. */
static pen_status part_places(pen_input_files *files, pen_input_file *file)
{
    pen_input_file *places = &files->places;
    const bool placed = is_placed(files, file);
    if (placed && places->path)
        return pen_fail(PEN_ERR_INPUT, "%s: x and y are in %s as well", file->path, places->path);
    if (placed) {
        *places = *file;
        places->from = places->column = NULL;
        places->finite = true;
        PEN_TRY(PEN_ALLOC(&places->from, file->count));
        PEN_TRY(PEN_ALLOC(&places->column, file->count));
        places->count = part(files, file, false, places->from, places->column);
    }
    file->count = part(files, file, true, file->from, file->column);
    if (file->count > 0) return PEN_OK;
    if (!placed)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: it has none of the columns that %s takes, and of coordinates not both x and y", file->path,
                        files->app);
    files->count--;
    free_file(file);
    return PEN_OK;
}

static pen_status add_file(pen_input_files *files, char *piece)
{
    pen_input_file *file = &files->of[files->count++];
    char *colon = strchr(piece, ':');
    *file = (pen_input_file){ .path = colon ? colon + 1 : piece, .keys = { -1, -1 } };
    if (*file->path == '\0') return pen_fail(PEN_ERR_INPUT, "input \"%s\": it is FILE or NAMES:FILE", piece);
    if (colon) *colon = '\0';
    PEN_TRY(describe(files, colon && *piece ? piece : NULL, file));
    PEN_TRY(part_places(files, file));
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

double pen_input_otherwise(const pen_input_column *column)
{
    double value = 0.0;
    if (!column->otherwise) return value;
    if (strcmp(column->otherwise, "nan") == 0) return NAN;
    return pen_parse_real(column->otherwise, &value) ? value : INFINITY;
}

pen_status pen_input_files_check(const pen_input_files *files)
{
    for (int c = 0; c < files->own; c++) {
        const pen_input_column *column = &files->columns[c];
        if (files->file[c] >= 0 || column->otherwise) continue;
        return pen_fail(PEN_ERR_INPUT, "%s needs a value of %s for each %s: --input=FILE (.npy or CSV)", files->app,
                        column->name, column->of_edges ? "edge" : "node");
    }
    return PEN_OK;
}

static bool is_named(const pen_app *app, const char *name)
{
    for (int c = 0; c < app->inputs.count; c++)
        if (strcasecmp(app->inputs.list[c].name, name) == 0) return true;
    return false;
}

/* List the columns that files may have. If the application names x or y itself, there are no coordinates. */
static pen_status list_columns(const pen_app *app, pen_input_files *f)
{
    static const char *const axes[] = { "x", "y", "z" };
    int dimensions = is_named(app, "z") ? 2 : 3;
    if (is_named(app, "x") || is_named(app, "y")) dimensions = 0;
    f->own = app->inputs.count;
    f->column_count = f->own + dimensions;
    PEN_TRY(PEN_ALLOC_ZERO(&f->columns, f->column_count));
    PEN_TRY(PEN_ALLOC(&f->file, f->column_count));
    if (f->own > 0) memcpy(f->columns, app->inputs.list, (size_t)f->own * sizeof *f->columns);
    for (int d = 0; d < dimensions; d++) f->columns[f->own + d].name = axes[d];
    for (int c = 0; c < f->column_count; c++) f->file[c] = -1;
    return PEN_OK;
}

pen_status pen_input_files_create(const pen_app *app, const char *text, bool whole, pen_input_files **files)
{
    PEN_C_LOCALE;
    PEN_TRY(PEN_ALLOC_ZERO(files, 1));
    pen_input_files *f = *files;
    f->app = app->name;
    PEN_TRY(list_columns(app, f));
    if (text) PEN_TRY(read_files(f, text));
    return whole ? pen_input_files_check(f) : PEN_OK;
}

void pen_input_files_destroy(pen_input_files **files)
{
    pen_input_files *f = *files;
    if (!f) return;
    for (int i = 0; i < f->count; i++) free_file(&f->of[i]);
    free_file(&f->places);
    PEN_FREE_ALL(f->of, f->columns, f->file, f->text, f);
    *files = NULL;
}
