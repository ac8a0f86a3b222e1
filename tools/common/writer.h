/* writer.h - writes to a file, to standard output or through a compressor. All Local.
 *
 * A file gets its name by pen_writer_close, on success, so that there is never a partial file (base/output.h). */
#pragma once

#include "base/compress.h"
#include "base/output.h"

enum { WRITER_SPAN = 64 };

typedef struct writer {
    char *at, *end;    /* free part of the buffer */
    pen_status status; /* the first failure; later output is discarded */
    /* The members from here on are private to writer.c. */
    char *buffer;
    pen_byte_sink sink;
    int64_t written;  /* number of bytes written, without those in the buffer */
    const char *path; /* path of the new file, owned by the caller; NULL: there is no new file */
    pen_new_file file;
} writer;

/* Whether a path is that of standard input or output, or of a compressed file. */
bool pen_path_is_stream(const char *path);

/* Open a file for writing. "-" is standard output; names in .gz, .xz or .zst are compressed. `path` must outlive the
 * writer. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_writer_open(const char *path, writer *out);

/* Whether pen_writer_open can open the files; NULL: none. New ones are made and removed, others are not touched. Errors
 * as above; PEN_ERR_INPUT if two are standard output. */
PEN_CHECKED pen_status pen_writer_try(const char *const *paths, int count);

/* Open a writer of which only `sink` is set, and `file` is PEN_NO_FILE; the writer closes the sink, also on failure.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_writer_begin(writer *out);

/* Flush and close. The file gets its name if `status` and all writing are PEN_OK, otherwise it is removed. Returns
 * `status` or, if that is PEN_OK, the status of writing. */
PEN_CHECKED pen_status pen_writer_close(writer *out, pen_status status);

/* Make room for WRITER_SPAN bytes at out->at. */
void pen_writer_flush(writer *out);
static inline char *pen_writer_room(writer *out)
{
    if (out->end - out->at < WRITER_SPAN) pen_writer_flush(out);
    return out->at;
}

static inline void pen_writer_char(writer *out, char c)
{
    pen_writer_room(out);
    *out->at++ = c;
}

/* Write the decimal digits of `value` to `to`, which has room for 20; returns their end. */
char *pen_writer_digits(char *to, int64_t value);

static inline void pen_writer_integer(writer *out, int64_t value)
{
    out->at = pen_writer_digits(pen_writer_room(out), value);
}

/* Write a number and a separator, for which it leaves enough room. */
static inline void pen_writer_number(writer *out, int64_t value, char separator)
{
    pen_writer_integer(out, value);
    *out->at++ = separator;
}

/* Write `count` numbers with `separator` between them, and a line end. */
void pen_writer_line(writer *out, char separator, const int64_t *numbers, int count);

void pen_writer_bytes(writer *out, const void *bytes, int64_t size);
void pen_writer_text(writer *out, const char *text);
void pen_writer_real(writer *out, double value); /* the shortest text that reads back equal */
void pen_writer_print(writer *out, const char *format, ...) PEN_PRINTF(2, 3); /* at most WRITER_SPAN - 1 characters */
