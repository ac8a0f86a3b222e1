/* reads.c - finds the files that a run reads, and checks that no output replaces one. */
#include "run/reads.h"
#include "base/memory.h"
#include "base/option_values.h"
#include "base/output.h"
#include "output/columns.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Files that are read -------------------------------------------------------------------------- */

pen_status pen_reads_add(pen_reads *r, const char *option, const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return PEN_OK;
    PEN_TRY(pen_reserve(&r->of, sizeof *r->of, r->count + 1, &r->room));
    r->of[r->count] = (pen_read_file){ .option = option, .device = found.st_dev, .number = found.st_ino };
    PEN_TRY(pen_copy_text(path, &r->of[r->count].path));
    if (r->count++ > 0) return PEN_OK;
    r->folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->folder < 0) r->folder = AT_FDCWD;
    return PEN_OK;
}

/* Note every piece of the text as a path. A piece begins at the text's beginning or after one of ":,;=", and ends at
 * its end or before one of ":,;". So a name that contains some of these is one of the pieces, too. The text is
 * unchanged afterwards. */
static pen_status note_pieces(pen_reads *r, const char *option, char *text)
{
    for (char *begin = text; *begin; begin += *begin != '\0') {
        for (char *end = begin;; end++) {
            end += strcspn(end, ":,;");
            const char last = *end;
            *end = '\0';
            const pen_status status = pen_reads_add(r, option, begin);
            *end = last;
            PEN_TRY(status);
            if (!last) break;
        }
        begin += strcspn(begin, ":,;=");
    }
    return PEN_OK;
}

static pen_status note_text(pen_reads *r, const char *option, const char *text)
{
    char *copy;
    if (!text) return PEN_OK;
    PEN_TRY(pen_copy_text(text, &copy));
    const pen_status status = note_pieces(r, option, copy);
    free(copy);
    return status;
}

static const char *text_of(const pen_part_option *option, const pen_run_options *o)
{
    return pen_part_option_argument(option, pen_part_option_base(option, o)).text;
}

pen_status pen_reads_find(const pen_app *app, pen_option_at *at, const pen_run_options *o, const char *graph,
                          pen_reads *r)
{
    *r = (pen_reads){ .count = 0 };
    PEN_TRY(note_text(r, "graph", graph));
    PEN_TRY(note_text(r, "comm", o->debug.tests ? o->debug.tests->network_delay : NULL));
    for (int i = 0; at(i); i++)
        if (at(i)->reads) PEN_TRY(note_text(r, at(i)->name, text_of(at(i), o)));
    for (const pen_option *own = app->options; own && own->name; own++)
        if (own->kind == PEN_OPTION_TEXT && own->value)
            PEN_TRY(note_text(r, own->name, *(const char *const *)own->value));
    return PEN_OK;
}

pen_status pen_reads_of(const char *text, pen_reads *r)
{
    *r = (pen_reads){ .count = 0 };
    return note_text(r, "", text);
}

void pen_reads_free(pen_reads *r)
{
    for (int64_t i = 0; i < r->count; i++) free(r->of[i].path);
    if (r->count > 0 && r->folder >= 0) close(r->folder);
    free(r->of);
    *r = (pen_reads){ .count = 0 };
}

/* ---- Files that are written ----------------------------------------------------------------------- */

static bool is_same(const pen_read_file *file, const struct stat *found)
{
    return found->st_ino == file->number && found->st_dev == file->device;
}

/* The file among those that are read; NULL: it is not read. One that is gone is not meant: its number may have passed
 * to another file. */
static const pen_read_file *find(const pen_reads *r, const struct stat *found)
{
    struct stat now;
    for (int64_t i = 0; i < r->count; i++)
        if (is_same(&r->of[i], found) && fstatat(r->folder, r->of[i].path, &now, 0) == 0 && is_same(&r->of[i], &now))
            return &r->of[i];
    return NULL;
}

static pen_status spare(const pen_reads *r, const char *what, const struct stat *found)
{
    const pen_read_file *read = find(r, found);
    if (!read) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s would replace %s, which --%s reads", what, read->path, read->option);
}

bool pen_reads_has(const pen_reads *r, const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && find(r, &found);
}

pen_status pen_reads_spare(const pen_reads *r, const char *what, const char *path)
{
    struct stat found;
    PEN_ARGUMENT(path, "%s: the path is NULL", what);
    return stat(path, &found) == 0 ? spare(r, what, &found) : PEN_OK;
}

pen_status pen_reads_share_folder(const char *a, const char *b, bool *same)
{
    char *first = NULL, *second = NULL;
    struct stat one, other;
    pen_status status = pen_path_folder(a, &first);
    if (status == PEN_OK) status = pen_path_folder(b, &second);
    *same = status == PEN_OK && stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_ino == other.st_ino &&
            one.st_dev == other.st_dev;
    PEN_FREE_ALL(first, second);
    return status;
}

static pen_status fail_twice(const char *one, const pen_written *other)
{
    return pen_fail(PEN_ERR_INPUT, "--%s and --%s are the same file, %s", one, other->option, other->path);
}

/* Compare each file with the files before it. */
static pen_status check_pairs(const pen_written *files, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            bool same;
            if (!files[i].path || !files[k].path) continue;
            if (strcmp(pen_path_base(files[i].path), pen_path_base(files[k].path)) != 0) continue;
            PEN_TRY(pen_reads_share_folder(files[i].path, files[k].path, &same));
            if (same || strcmp(files[i].path, files[k].path) == 0) return fail_twice(files[k].option, &files[i]);
        }
    return PEN_OK;
}

/* ---- .output ---------------------------------------------------------------------------------------- */

/* The pattern of the names that .output stands for. */
typedef struct pattern {
    pen_naming naming;
    pen_columns columns;
    char *series; /* name of the series; NULL: there is none */
} pattern;

static bool can_be(const pattern *p, const char *name)
{
    if (p->series && strcmp(name, pen_path_base(p->series)) == 0) return true;
    for (int c = 0; c < p->columns.count; c++)
        if (pen_naming_can_be(&p->naming, p->columns.of[c].name, name)) return true;
    return false;
}

/* A file in the folder. */
static pen_status check_entry(const pen_reads *r, const pattern *p, int folder, const char *name)
{
    struct stat found;
    return can_be(p, name) && fstatat(folder, name, &found, 0) == 0 ? spare(r, "--output", &found) : PEN_OK;
}

/* Compare the files that exist in the folder: files that the run reads exist. */
static pen_status check_entries(const pen_reads *r, const pattern *p)
{
    char *folder;
    PEN_TRY(pen_path_folder(p->naming.stem, &folder));
    DIR *entries = opendir(folder);
    pen_status status = PEN_OK;
    for (struct dirent *entry; status == PEN_OK && entries && (entry = readdir(entries)) != NULL;)
        status = check_entry(r, p, dirfd(entries), entry->d_name);
    if (entries) closedir(entries);
    free(folder);
    return status;
}

/* Compare by name: a file that will be written may not exist yet, and its folder may not be readable. */
static pen_status check_named(const pen_reads *r, const pattern *p, const pen_written *files, int count)
{
    bool same;
    for (int i = 0; i < count; i++) {
        if (!files[i].path || !can_be(p, pen_path_base(files[i].path))) continue;
        PEN_TRY(pen_reads_share_folder(files[i].path, p->naming.stem, &same));
        if (same || strcmp(files[i].path, p->naming.stem) == 0) return fail_twice("output", &files[i]);
    }
    for (int64_t i = 0; i < r->count; i++) {
        if (!can_be(p, pen_path_base(r->of[i].path))) continue;
        PEN_TRY(pen_reads_share_folder(r->of[i].path, p->naming.stem, &same));
        if (same) return pen_reads_spare(r, "--output", r->of[i].path);
    }
    return PEN_OK;
}

static pen_status check_output(const pen_reads *r, const pen_app *app, const pen_run_options *o,
                               const pen_written *files, int count)
{
    pattern p = { .series = NULL };
    PEN_TRY(pen_naming_read(o->output.path, o->output.every > 0, &p.naming));
    pen_status status = pen_columns_choose(app, o->output.fields, false, true, &p.columns);
    if (status == PEN_OK && p.naming.series) status = pen_naming_series(&p.naming, &p.series);
    if (status == PEN_OK) status = check_named(r, &p, files, count);
    if (status == PEN_OK) status = check_entries(r, &p);
    pen_columns_free(&p.columns);
    pen_naming_free(&p.naming);
    free(p.series);
    return status;
}

/* ---- All checks --------------------------------------------------------------------------------------- */

int pen_reads_written(pen_option_at *at, const pen_run_options *o, pen_written *files)
{
    int count = 0;
    for (int i = 0; at(i); i++)
        if (at(i)->writes && at(i)->member) files[count++] = (pen_written){ at(i)->name, text_of(at(i), o) };
    return count;
}

static pen_status check_file(const pen_reads *r, const pen_written *file)
{
    char what[32];
    snprintf(what, sizeof what, "--%s", file->option);
    PEN_TRY(pen_output_named(what, file->path));
    return pen_reads_spare(r, what, file->path);
}

pen_status pen_reads_check(const pen_reads *r, const pen_app *app, const pen_run_options *o, const pen_written *files,
                           int count)
{
    PEN_INVARIANT(count <= PEN_MOST_WRITTEN);
    for (int i = 0; i < count; i++)
        if (files[i].path) PEN_TRY(check_file(r, &files[i]));
    PEN_TRY(check_pairs(files, count));
    return o->output.path ? check_output(r, app, o, files, count) : PEN_OK;
}
