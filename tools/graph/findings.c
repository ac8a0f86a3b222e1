/* findings.c - collects the faults of a file. */
#include "tools/graph/findings.h"

#include <stdarg.h>
#include <stdlib.h>

void pen_findings_init(findings *f, int64_t limit) { *f = (findings){ .limit = limit, .next_arc = INT64_MAX }; }

void pen_findings_free(findings *f)
{
    for (int64_t i = 0; i < f->count; i++) free(f->list[i].what);
    free(f->list);
    *f = (findings){ .next_arc = INT64_MAX };
}

static void add(findings *f, const finding *found, const char *format, va_list arguments)
{
    if (f->placing) return;
    *(found->severity == FINDING_ERROR ? &f->errors : &f->notes) += 1;
    /* At the limit, an error replaces a note. */
    if (f->count >= f->limit) {
        int64_t k = f->count - 1;
        if (found->severity != FINDING_ERROR || f->kept_notes == 0) return;
        while (f->list[k].severity == FINDING_ERROR) k--;
        f->kept_notes--;
        free(f->list[k].what);
        f->list[k] = f->list[--f->count];
    }
    enum { LONGEST = 256 };
    char formatted[LONGEST], text[LONGEST], *copy;
    vsnprintf(formatted, sizeof formatted, format, arguments);
    pen_show(formatted, text, sizeof text);
    if (pen_reserve(&f->list, sizeof *f->list, f->count + 1, &f->capacity) != PEN_OK ||
        pen_copy_text(text, &copy) != PEN_OK)
        return;
    if (found->severity == FINDING_NOTE) f->kept_notes++;
    f->list[f->count] = *found;
    f->list[f->count++].what = copy;
}

void pen_findings_add(findings *f, finding_severity severity, int64_t line, int64_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(f, &(finding){ .line = line, .column = column, .arc = -1, .severity = severity }, format, arguments);
    va_end(arguments);
}

void pen_findings_add_arc(findings *f, finding_severity severity, int64_t arc, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(f, &(finding){ .arc = arc, .severity = severity }, format, arguments);
    va_end(arguments);
}

/* Sort, but not an empty list, since qsort must not get NULL. */
static void sort(findings *f, int (*compare)(const void *, const void *))
{
    if (f->count > 0) qsort(f->list, (size_t)f->count, sizeof *f->list, compare);
}

bool pen_findings_unplaced(const findings *f)
{
    for (int64_t i = 0; i < f->count; i++)
        if (f->list[i].arc >= 0 && f->list[i].line == 0) return true;
    return false;
}

void pen_findings_place_begin(findings *f)
{
    sort(f, pen_by_gid);
    f->placing = true;
    f->at = 0;
    while (f->at < f->count && f->list[f->at].arc < 0) f->at++;
    f->next_arc = f->at < f->count ? f->list[f->at].arc : INT64_MAX;
}

void pen_findings_place(findings *f, int64_t line, int64_t column)
{
    int64_t arc = f->next_arc;
    for (; f->at < f->count && f->list[f->at].arc == arc; f->at++) {
        f->list[f->at].line = line;
        f->list[f->at].column = column;
    }
    f->next_arc = f->at < f->count ? f->list[f->at].arc : INT64_MAX;
}

void pen_findings_place_end(findings *f)
{
    f->placing = false;
    f->next_arc = INT64_MAX;
}

static int by_place(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    int64_t p = x->line ? x->line : INT64_MAX, q = y->line ? y->line : INT64_MAX;
    if (p != q) return p < q ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    if (x->arc != y->arc) return x->arc < y->arc ? -1 : 1;
    return strcmp(x->what, y->what);
}

static void place_text(const finding *found, const char *file, char *text, size_t size)
{
    if (found->line == 0) snprintf(text, size, "%s", file);
    else if (found->column == 0) snprintf(text, size, "%s:%" PRId64, file, found->line);
    else snprintf(text, size, "%s:%" PRId64 ":%" PRId64, file, found->line, found->column);
}

enum { PLACE = 4096 };

void pen_findings_print(findings *f, const char *file, FILE *out)
{
    char place[PLACE];
    sort(f, by_place);
    for (int64_t i = 0; i < f->count; i++) {
        place_text(&f->list[i], PEN_SHOWN(file), place, sizeof place);
        fprintf(out, "%s: %s: %s\n", place, f->list[i].severity == FINDING_ERROR ? "error" : "note", f->list[i].what);
    }
    int64_t more = f->errors + f->notes - f->count;
    if (more > 0) fprintf(out, "%s: and %" PRId64 " more\n", PEN_SHOWN(file), more);
}

pen_status pen_findings_status(findings *f, const char *file)
{
    if (f->errors == 0) return PEN_OK;
    char place[PLACE], more[64] = "";
    sort(f, by_place);
    if (f->errors > 1) snprintf(more, sizeof more, " (and %" PRId64 " more)", f->errors - 1);
    for (int64_t i = 0; i < f->count; i++)
        if (f->list[i].severity == FINDING_ERROR) {
            place_text(&f->list[i], file, place, sizeof place);
            return pen_fail(PEN_ERR_INPUT, "%s: %s%s", place, f->list[i].what, more);
        }
    return pen_fail(PEN_ERR_INPUT, "%s: %" PRId64 " errors", file, f->errors);
}
