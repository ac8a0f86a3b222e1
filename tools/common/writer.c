/* writer.c - writes files, through compressors if needed. */
#include "tools/common/writer.h"
#include "base/numbers.h"
#include "base/output.h"
#include "tools/common/command.h"
#include "tools/common/ticker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024 };

/* ---- Sinks for files ------------------------------------------------------------------------ */

/* The state of a sink, in memory of its own. */
typedef struct open_file {
    int number;
    const char *name;
} open_file;

static pen_status fail_writing(const open_file *file)
{
    return pen_fail(PEN_ERR_IO, "%s: writing failed: %s", file->name, strerror(errno));
}

static pen_status file_write(void *state, const char *bytes, int64_t size)
{
    const open_file *file = state;
    while (size > 0) {
        ssize_t put = write(file->number, bytes, (size_t)size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return fail_writing(file);
        bytes += put;
        size -= put;
    }
    return PEN_OK;
}

static pen_status file_finish(void *state)
{
    open_file *file = state;
    const int number = file->number;
    if (number == STDOUT_FILENO) return PEN_OK;
    file->number = -1;
    return close(number) == 0 ? PEN_OK : fail_writing(file);
}

static void file_close(void *state)
{
    const open_file *file = state;
    if (file->number > STDOUT_FILENO) close(file->number);
    free(state);
}

/* ---- Opening and closing -------------------------------------------------------------------- */

/* The temporary file that an interrupt must remove, if the file system has no files without names. There is only one at
 * a time. */
static char *volatile unfinished;

static void remove_unfinished(int number)
{
    if (unfinished) unlink(unfinished);
    raise(number); /* ends the program when this function returns, since the handler is installed for one signal */
}

static void catch_interrupts(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    const struct sigaction handler = { .sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND };
    for (int i = 0; i < PEN_COUNT_OF(signals); i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(signals[i], &handler, NULL);
    }
}

/* Open a new file for `path`; `tells`: warn of those that killed programs have left. Paths that a new file cannot
 * replace (/dev/null, a pipe, /dev/stdout) are written directly. */
static pen_status open_new(const char *path, bool tells, writer *out, int *file)
{
    if (pen_file_is_special(path)) {
        *file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC); /* append to a file that is also standard output */
        return *file >= 0 ? PEN_OK : pen_fail(PEN_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    }
    PEN_TRY(pen_command_may_write(path));
    if (tells) pen_new_file_tell_left(path, NULL, NULL);
    PEN_TRY(pen_new_file_create(path, &out->file));
    out->path = path;
    unfinished = out->file.beside;
    catch_interrupts();
    *file = fcntl(out->file.file, F_DUPFD_CLOEXEC, 0);
    return *file >= 0 ? PEN_OK : pen_fail(PEN_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
}

static const writer none = { .file = PEN_NO_FILE };

/* Close everything, also after a failure. */
static pen_status end(writer *out, pen_status status)
{
    if (out->sink.close) out->sink.close(out->sink.state);
    if (out->file.path) unfinished = NULL;
    status = pen_new_file_finish(&out->file, status);
    free(out->buffer);
    *out = none;
    return status;
}

pen_status pen_writer_begin(writer *out)
{
    pen_status status = PEN_ALLOC(&out->buffer, CHUNK);
    if (status != PEN_OK) return end(out, status);
    out->at = out->buffer;
    out->end = out->buffer + CHUNK;
    return PEN_OK;
}

bool pen_path_is_stream(const char *path) { return strcmp(path, "-") == 0 || pen_path_is_compressed(path); }

static pen_status open_writer(const char *path, bool tells, writer *out)
{
    *out = none;
    PEN_TRY(pen_path_check_ending(path, ""));
    open_file *file;
    PEN_TRY(PEN_ALLOC(&file, 1));
    const bool standard = strcmp(path, "-") == 0;
    *file = (open_file){ STDOUT_FILENO, standard ? "<standard output>" : path };
    out->sink = (pen_byte_sink){ file, file_write, file_finish, file_close };
    pen_status status = standard ? PEN_OK : open_new(path, tells, out, &file->number);
    if (status == PEN_OK && pen_path_is_compressed(path)) status = pen_compress(path, &out->sink);
    if (status == PEN_OK) return pen_writer_begin(out);
    return end(out, status);
}

pen_status pen_writer_open(const char *path, writer *out) { return open_writer(path, true, out); }

pen_status pen_writer_close(writer *out, pen_status status)
{
    if (status == PEN_OK) {
        pen_writer_flush(out);
        status = out->status;
    }
    pen_ticker_end();
    if (status == PEN_OK) status = out->sink.finish(out->sink.state);
    return end(out, status);
}

static pen_status try_path(const char *path)
{
    writer out;
    if (pen_file_is_special(path)) return PEN_OK;
    PEN_TRY(open_writer(path, false, &out));
    const pen_status discarded = pen_writer_close(&out, PEN_ERR_IO); /* PEN_ERR_IO, as asked for */
    (void)discarded;
    return PEN_OK;
}

pen_status pen_writer_try(const char *const *paths, int count)
{
    int standard = 0;
    for (int i = 0; i < count; i++) {
        if (!paths[i]) continue;
        if (strcmp(paths[i], "-") != 0) PEN_TRY(try_path(paths[i]));
        else if (++standard == 2) return pen_fail(PEN_ERR_INPUT, "two outputs cannot both be standard output");
    }
    return PEN_OK;
}

/* ---- Writing -------------------------------------------------------------------------------- */

void pen_writer_flush(writer *out)
{
    if (out->status == PEN_OK && out->at > out->buffer)
        out->status = out->sink.write(out->sink.state, out->buffer, out->at - out->buffer);
    out->written += out->at - out->buffer;
    out->at = out->buffer;
    pen_ticker_bytes("writing", out->path ? out->path : "", out->written, -1);
}

char *pen_writer_digits(char *to, int64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    uint64_t rest = (uint64_t)value;
    if (value < 0) {
        *to++ = '-';
        rest = 0 - rest;
    }
    int length = 1;
    for (uint64_t power = 10; length < 20 && rest >= power; length++) power *= length < 19 ? 10 : 1;
    char *end = to + length, *at = end;
    for (; rest >= 100; rest /= 100) memcpy(at -= 2, pairs + 2 * (rest % 100), 2);
    if (rest >= 10) memcpy(at - 2, pairs + 2 * rest, 2);
    else at[-1] = (char)('0' + rest);
    return end;
}

void pen_writer_line(writer *out, char separator, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) pen_writer_number(out, numbers[i], i + 1 < count ? separator : '\n');
}

void pen_writer_bytes(writer *out, const void *bytes, int64_t size)
{
    const char *from = bytes;
    while (size > 0) {
        if (out->at == out->end) pen_writer_flush(out);
        int64_t some = size < out->end - out->at ? size : out->end - out->at;
        memcpy(out->at, from, (size_t)some);
        out->at += some;
        from += some;
        size -= some;
    }
}

void pen_writer_text(writer *out, const char *text) { pen_writer_bytes(out, text, (int64_t)strlen(text)); }

void pen_writer_real(writer *out, double value) { pen_writer_text(out, PEN_REAL_TEXT(value)); }

void pen_writer_print(writer *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(pen_writer_room(out), WRITER_SPAN, format, arguments);
    va_end(arguments);
    out->at += length < WRITER_SPAN ? length : WRITER_SPAN - 1;
}
