/* output.h - text or bytes to a file, to standard output or through a compressor. All Local.
 *
 * A file is written beside its name and renamed by output_close where all went well, so that there never is a
 * partial one. */
#ifndef PEN_FILE_OUTPUT_H
#define PEN_FILE_OUTPUT_H

#include "base/memory.h"

/* Where bytes go. finish: everything is written, complete what is pending. */
typedef struct byte_sink {
    void *state;
    pen_status (*write)(void *state, const char *bytes, int64_t size);
    pen_status (*finish)(void *state);
    void (*close)(void *state); /* frees the state; without finish where something failed */
} byte_sink;

enum { OUTPUT_SPAN = 64 };

typedef struct output {
    char *at, *end;    /* room in the buffer */
    pen_status status; /* the first failure; what is written afterwards goes nowhere */
    /* the rest is output.c's */
    char *buffer;
    byte_sink sink;
    int64_t written;     /* bytes, without those in the buffer */
    char *path, *beside; /* NULL where no file is renamed */
} output;

/* "-" is standard output; what ends in .gz, .xz or .zst is compressed. PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status output_open(const char *path, output *out);

/* Write to memory: after output_close, *bytes [*size] are the caller's to free (NULL after a failure). */
PEN_CHECKED pen_status output_open_memory(char **bytes, int64_t *size, output *out);

/* Flush and close; the file gets its name where `status` and all writing are PEN_OK, else it vanishes. Returns
 * `status`, or where that is PEN_OK what writing ended with. */
PEN_CHECKED pen_status output_close(output *out, pen_status status);

/* Make room for OUTPUT_SPAN bytes at out->at. */
void output_flush(output *out);
static inline char *output_room(output *out)
{
    if (out->end - out->at < OUTPUT_SPAN) output_flush(out);
    return out->at;
}

static inline void output_char(output *out, char c)
{
    output_room(out);
    *out->at++ = c;
}

/* Decimal digits of `value` at `to`, which has room for 20; returns their end. */
char *output_digits(char *to, int64_t value);

static inline void output_integer(output *out, int64_t value) { out->at = output_digits(output_room(out), value); }

void output_bytes(output *out, const void *bytes, int64_t size);
void output_text(output *out, const char *text);
void output_real(output *out, double value);                              /* the shortest text that reads back equal */
void output_print(output *out, const char *format, ...) PEN_PRINTF(2, 3); /* up to OUTPUT_SPAN - 1 characters */

/* Compression (compress.c): put a compressor, chosen by the path's ending, before `sink`, which is its to close
 * from then on, also after a failure. */
PEN_CHECKED pen_status output_compress(const char *path, byte_sink *sink);

#endif
