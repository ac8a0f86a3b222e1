/* series.c - keeps the .pvd file of a run. */
#include "output/series.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "base/output.h"
#include "base/text_file.h"
#include "base/xml.h"
#include "output/appended.h"
#include "output/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char ENTRY[] = "    <DataSet timestep=\"";
static const char STEP[] = " step=\""; /* attribute of a line: the step; written if the step differs from the time */

static void forget(pen_drawn *drawn) { PEN_FREE_ALL(drawn->line, drawn->file); }

/* Insert the line of a step; lines of that step and of later ones are removed. */
static pen_status add(pen_drawn_series *s, int64_t step, const char *line, const char *file)
{
    while (s->count > 0 && s->drawn[s->count - 1].step >= step) forget(&s->drawn[--s->count]);
    PEN_TRY(pen_reserve(&s->drawn, sizeof *s->drawn, s->count + 1, &s->room));
    pen_drawn *last = &s->drawn[s->count];
    *last = (pen_drawn){ .step = step };
    pen_status status = pen_copy_text(line, &last->line);
    if (status == PEN_OK && file) status = pen_copy_text(file, &last->file);
    if (status != PEN_OK) forget(last);
    else s->count++;
    return status;
}

/* Read the step of a line that a run has written; false: the line is a different one. */
static bool find_step(const char *line, int64_t *step)
{
    char number[24];
    const char *at = line + sizeof ENTRY - 1, *own = strstr(line, STEP);
    if (strncmp(line, ENTRY, sizeof ENTRY - 1) != 0) return false;
    if (own) at = own + sizeof STEP - 1;
    const size_t length = strcspn(at, "\"");
    if (length >= sizeof number) return false;
    memcpy(number, at, length);
    number[length] = '\0';
    return pen_parse_int(number, step);
}

/* Read the file's lines up to step `until`, if there is a file, and it is a series. */
static pen_status read_file(pen_drawn_series *s, int64_t until)
{
    char *line = NULL;
    size_t room = 0;
    int64_t step;
    pen_status status = PEN_OK;
    FILE *file;
    int64_t size;
    if (access(s->path, F_OK) != 0 && errno == ENOENT) return PEN_OK;
    PEN_TRY(pen_regular_open(s->path, false, &file, &size));
    while (status == PEN_OK && getline(&line, &room, file) > 0)
        if (find_step(line, &step) && step <= until) status = add(s, step, line, NULL);
    if (status == PEN_OK && ferror(file))
        status = pen_fail(PEN_ERR_IO, "%s: cannot read: %s", s->path, strerror(errno));
    free(line);
    fclose(file);
    return status;
}

pen_status pen_drawn_series_open(const pen_comm *comm, const char *path, int64_t until, pen_drawn_series *s)
{
    *s = (pen_drawn_series){ .path = NULL };
    PEN_TRY(pen_copy_text(path, &s->path));
    return comm->rank == 0 && until >= 0 ? read_file(s, until) : PEN_OK;
}

void pen_drawn_series_free(pen_drawn_series *s)
{
    for (int64_t i = 0; i < s->count; i++) forget(&s->drawn[i]);
    PEN_FREE_ALL(s->path, s->drawn);
    *s = (pen_drawn_series){ .path = NULL };
}

static pen_status print_line(int64_t step, double time, const char *file, char **line)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(line, &size);
    if (out) {
        fprintf(out, "%s%.17g\"", ENTRY, time);
        if (time != (double)step) fprintf(out, "%s%" PRId64 "\"", STEP, step);
        fputs(" group=\"\" part=\"0\" file=\"", out);
        pen_xml_text(pen_path_base(file), out);
        fputs("\"/>\n", out);
    }
    return out && fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "%s: out of memory", file);
}

static pen_status print_all(const pen_drawn_series *s, char **text, size_t *size)
{
    FILE *out = pen_memory_stream(text, size);
    if (out) {
        fprintf(out,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"%s\">\n"
                "  <Collection>\n",
                pen_byte_order());
        for (int64_t i = 0; i < s->count; i++) fputs(s->drawn[i].line, out);
        fputs("  </Collection>\n</VTKFile>\n", out);
    }
    return out && fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "%s: out of memory", s->path);
}

/* Sync the drawn files that are not on the disk yet, which are the last ones. */
static pen_status settle_files(pen_drawn_series *s)
{
    int64_t first = s->count;
    while (first > 0 && s->drawn[first - 1].file) first--;
    for (int64_t i = first; i < s->count; i++) PEN_TRY(pen_output_settle(s->drawn[i].file));
    for (int64_t i = first; i < s->count; i++) {
        free(s->drawn[i].file);
        s->drawn[i].file = NULL;
    }
    return PEN_OK;
}

pen_status pen_drawn_series_settle(pen_drawn_series *s)
{
    char *text = NULL;
    size_t size = 0;
    if (!s->behind) return PEN_OK;
    pen_status status = settle_files(s);
    if (status == PEN_OK) status = print_all(s, &text, &size);
    if (status == PEN_OK) status = pen_output_alone(s->path, text, size);
    s->behind = status != PEN_OK;
    free(text);
    return status;
}

pen_status pen_drawn_series_add(pen_drawn_series *s, int64_t step, double time, const char *file, double now)
{
    char *line = NULL;
    pen_status status = print_line(step, time, file, &line);
    if (status == PEN_OK) status = add(s, step, line, file);
    free(line);
    PEN_TRY(status);
    s->behind = true;
    if (now - s->written < 1.0) return PEN_OK;
    s->written = now;
    return pen_drawn_series_settle(s);
}
