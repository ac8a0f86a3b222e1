/* observed_file.c - writes the observables as CSV. */
#include "observe/observed_file.h"
#include "base/csv.h"
#include "base/memory_stream.h"
#include "base/output.h"
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONGEST_NUMBER = 32 }; /* bytes of the longest number with its comma */

struct pen_observed_file {
    char *path;
    char *line; /* [room] the last line */
    size_t room;
    int file;
    pen_new_file fresh; /* the file until it has its final name */
    int64_t whole;      /* bytes up to the end of the last complete line */
    int error;          /* errno of the first failure, or 0 */
};

static pen_status complain(const pen_observed_file *f)
{
    return pen_fail(PEN_ERR_IO, "%s: cannot write: %s", f->path, strerror(f->error));
}

/* Write the whole line, or nothing. */
static pen_status write_line(pen_observed_file *f, const char *line, size_t size)
{
    if (pen_write_at(f->file, f->path, line, (int64_t)size, f->whole) != PEN_OK) {
        f->error = errno;
        if (ftruncate(f->file, (off_t)f->whole) != 0) pen_warn("%s: its last line is incomplete", f->path);
        return complain(f);
    }
    f->whole += (int64_t)size;
    return PEN_OK;
}

static pen_status write_names(pen_observed_file *f, const pen_observables *o)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = pen_memory_stream(&text, &size);
    if (out) {
        fputs("step", out);
        for (int i = 0; i < o->count; i++) {
            fputc(',', out);
            pen_csv_print(o->table[o->values.order[i]].name, out);
        }
        fputc('\n', out);
    }
    pen_status status = out && fclose(out) == 0 ? write_line(f, text, size)
                                                : pen_fail(PEN_ERR_MEMORY, "%s: out of memory", f->path);
    if (status == PEN_OK) memcpy(f->line, text, size + 1);
    free(text);
    return status;
}

/* Bytes for the line of quoted names, and for a line of numbers. */
static size_t room_of(const pen_observables *o)
{
    size_t names = 0;
    for (int i = 0; i < o->count; i++) names += 2 * strlen(o->table[i].name);
    return names + (size_t)LONGEST_NUMBER * ((size_t)o->count + 2);
}

static pen_status start(const char *path, const pen_observables *o, pen_observed_file **file)
{
    pen_observed_file *f;
    PEN_TRY(PEN_ALLOC_ZERO(file, 1));
    f = *file;
    f->file = -1;
    f->fresh = (pen_new_file)PEN_NO_FILE;
    f->room = room_of(o);
    PEN_TRY(PEN_ALLOC(&f->line, (int64_t)f->room));
    return pen_copy_text(path, &f->path);
}

/* Create a new file. An old file may still be open in a run that is being killed, whose lines must not get into this
 * run's file. */
static pen_status create(pen_observed_file *f)
{
    PEN_TRY(pen_new_file_create(f->path, &f->fresh));
    f->file = fcntl(f->fresh.file, F_DUPFD_CLOEXEC, 0);
    return f->file >= 0 ? PEN_OK : pen_fail(PEN_ERR_IO, "%s: cannot open: %s", f->path, strerror(errno));
}

pen_status pen_observed_file_open(const char *path, const pen_observables *observation, pen_observed_file **file)
{
    pen_status status = start(path, observation, file);
    if (status == PEN_OK) status = create(*file);
    if (status == PEN_OK) status = write_names(*file, observation);
    if (status != PEN_OK) pen_observed_file_close(file);
    return status;
}

pen_status pen_observed_file_name(pen_observed_file *f) { return pen_new_file_finish(&f->fresh, PEN_OK); }

void pen_observed_file_close(pen_observed_file **file)
{
    if (!file || !*file) return;
    const pen_status unnamed = pen_new_file_finish(&(*file)->fresh, PEN_ERR_IO);
    (void)unnamed;
    if ((*file)->file >= 0) close((*file)->file);
    PEN_FREE_ALL((*file)->path, (*file)->line, *file);
    *file = NULL;
}

/* Print the line of these values. Returns its length. */
static size_t print_line(pen_observed_file *f, int64_t step, const pen_observables *o)
{
    char *line = f->line;
    int size = snprintf(line, f->room, "%" PRId64, step);
    for (int i = 0; i < o->count; i++) {
        line[size++] = ',';
        pen_observation_text(o, o->values.order[i], line + size, LONGEST_NUMBER);
        size += (int)strlen(line + size);
    }
    line[size++] = '\n';
    line[size] = '\0';
    return (size_t)size;
}

pen_status pen_observed_file_add(pen_observed_file *f, int64_t step, const pen_observables *o)
{
    if (f->error) return complain(f);
    return write_line(f, f->line, print_line(f, step, o));
}

pen_status pen_observed_file_end(const pen_observed_file *f, char **line, int64_t *bytes)
{
    PEN_TRY(pen_copy_text(f->line, line));
    *bytes = f->whole;
    fsync(f->file); /* a resumed run needs these bytes even after a crash of the machine */
    return PEN_OK;
}

/* Whether the file has `line` just before offset `bytes`. */
static bool ends_in(int file, const char *line, int64_t bytes)
{
    size_t length = strlen(line);
    char *found = (char *)malloc(length + 1);
    bool same = found && bytes >= (int64_t)length &&
                pen_read_at(file, "", found, (int64_t)length, bytes - (int64_t)length) == PEN_OK &&
                memcmp(found, line, length) == 0;
    free(found);
    return same;
}

/* Copy the first `bytes` bytes of a file. */
static pen_status copy_beginning(pen_observed_file *f, int from, int64_t bytes)
{
    enum { PIECE = 1 << 16 };
    char *piece;
    pen_status status = PEN_ALLOC(&piece, PIECE);
    while (status == PEN_OK && f->whole < bytes) {
        const int64_t left = bytes - f->whole, size = left < PIECE ? left : PIECE;
        status = pen_read_at(from, f->path, piece, size, f->whole);
        if (status == PEN_OK) status = pen_write_at(f->file, f->path, piece, size, f->whole);
        f->whole += size;
    }
    free(piece);
    return status;
}

static pen_status go_on(pen_observed_file *f, const char *path, const char *line, int64_t bytes)
{
    int from;
    int64_t size;
    PEN_TRY(pen_regular_descriptor(path, false, &from, &size));
    pen_status status = PEN_OK;
    if (!ends_in(from, line, bytes))
        status = pen_fail(PEN_ERR_INPUT,
                          "%s: its lines differ from those of the resumed run up to its checkpoint: give the file of "
                          "that run, or a new name",
                          path);
    if (status == PEN_OK) status = create(f);
    if (status == PEN_OK) status = copy_beginning(f, from, bytes);
    snprintf(f->line, f->room, "%s", line);
    close(from);
    return status;
}

pen_status pen_observed_file_resume(const char *path, const pen_observables *observation, const char *line,
                                    int64_t bytes, pen_observed_file **file)
{
    if (access(path, F_OK) != 0) return pen_observed_file_open(path, observation, file);
    pen_status status = start(path, observation, file);
    if (status == PEN_OK) status = go_on(*file, path, line, bytes);
    if (status != PEN_OK) pen_observed_file_close(file);
    return status;
}
