#include "input/names.h"
#include "base/options.h"

#include <stdlib.h>
#include <strings.h>

enum { LINE = 512 };

/* What a column is, beside one of the application's. */
enum { NOTHING = -1, GID = -2, SOURCE = -3, TARGET = -4 };

static bool is_any(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcasecmp(name, *names) == 0) return true;
    return false;
}

/* A column of the application, or what the name means by itself. */
static int meaning_of(const pen_input_files *files, const char *name)
{
    static const char *const gids[] = { "gid", NULL }, *const sources[] = { "source", "src", "from", NULL },
                             *const targets[] = { "target", "dst", "dest", "destination", "to", NULL };
    for (int c = 0; c < files->column_count; c++)
        if (strcasecmp(name, files->columns[c].name) == 0) return c;
    if (is_any(name, gids)) return GID;
    if (is_any(name, sources)) return SOURCE;
    return is_any(name, targets) ? TARGET : NOTHING;
}

/* "a, b, c", as far as there is room. */
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

/* Without the blanks around it, cut where it is longer than any name. */
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

/* A column of edges where rows are nodes, or the other way round. */
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
        return pen_fail(PEN_ERR_INPUT, "%s: values of edges need columns source and target beside them", file->path);
    }
    return check_kinds(files, file);
}

/* ---- Pairs ---------------------------------------------------------------------------------------- */

bool pen_input_names_are_pairs(const pen_csv *names)
{
    for (int i = 0; i < names->count; i++)
        if (strchr(pen_csv_field(names, i), '=')) return true;
    return false;
}

/* One column gets a meaning, and the column that had it by its name loses it. */
static pen_status take_pair(const pen_input_files *files, const pen_csv *names, const char *pair,
                            const pen_input_file *file, int *meanings, bool *paired)
{
    char cut[LINE], name[LINE], column[LINE], has[LINE];
    const char *rest = pen_text_cut(pair, '=', cut, sizeof cut);
    trim(cut, name);
    trim(rest ? rest : "", column);
    if (!*name || !*column)
        return pen_fail(PEN_ERR_INPUT, "%s: '%.60s' is not NAME=COLUMN, as other names before it are", file->path,
                        pair);
    const int meaning = meaning_of(files, name), at = pen_csv_find(names, column);
    list_names(names, has);
    if (meaning == NOTHING) return refuse_unknown(files, file, name);
    if (at < 0) return pen_fail(PEN_ERR_INPUT, "%s: it has no column '%.60s'; it has %s", file->path, column, has);
    if (paired[at]) return pen_fail(PEN_ERR_INPUT, "%s: column %.60s is named twice", file->path, column);
    for (int i = 0; i < names->count; i++) {
        if (meanings[i] != meaning) continue;
        if (paired[i]) return pen_fail(PEN_ERR_INPUT, "%s: %.60s is said to be two columns", file->path, name);
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

/* ---- All of it ------------------------------------------------------------------------------------ */

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
        if (meanings[i] >= 0) PEN_TRY(settle_column(files, file, i, meanings[i]));
        if (meanings[i] == GID) PEN_TRY(settle_key(file, i, &gid));
        if (meanings[i] == SOURCE) PEN_TRY(settle_key(file, i, &ends[0]));
        if (meanings[i] == TARGET) PEN_TRY(settle_key(file, i, &ends[1]));
    }
    if (file->count == 0) return refuse_all(files, names, file);
    return settle_way(files, file, gid, ends);
}

pen_status pen_input_names_settle(const pen_input_files *files, const pen_csv *names, bool wished, const pen_csv *pairs,
                                  pen_input_file *file)
{
    int *meanings;
    PEN_TRY(PEN_ALLOC(&meanings, names->count));
    pen_status status = list_meanings(files, names, wished, file, meanings);
    if (status == PEN_OK && pairs) status = take_pairs(files, names, pairs, file, meanings);
    if (status == PEN_OK) status = settle(files, names, meanings, file);
    free(meanings);
    return status;
}
