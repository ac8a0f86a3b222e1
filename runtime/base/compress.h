/* compress.h - sources and sinks of bytes, and gzip, xz and zstd filters for them. All Local. */
#pragma once

#include "base/memory.h"

/* A source of bytes. read stores up to `room` >= 1 bytes in `to`, and returns their number: 0 at the end, -1 after
 * pen_fail. */
typedef struct pen_byte_source {
    void *state;
    int64_t (*read)(void *state, char *to, int64_t room);
    void (*close)(void *state); /* frees the state */
} pen_byte_source;

/* A sink of bytes. finish is called after the last write, and completes pending output. */
typedef struct pen_byte_sink {
    void *state;
    pen_status (*write)(void *state, const char *bytes, int64_t size);
    pen_status (*finish)(void *state);
    void (*close)(void *state); /* frees the state. After a failure it is called without finish. */
} pen_byte_sink;

/* Whether a path ends in .gz, .xz or .zst. */
bool pen_path_is_compressed(const char *path);

/* Whether a path, without the ending of a compressed file, ends in `ending` (".graph"). */
bool pen_path_ends_in(const char *path, const char *ending);

/* Refuse a path with one of these endings (".pen .machine"), or that of a compressed file, in capital letters, since
 * the ending decides what is written. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_path_check_ending(const char *path, const char *endings);

/* Replace a source of compressed bytes by one of plain bytes, or put a compressor in front of a sink. The filter
 * closes the original source or sink, also after a failure. PEN_ERR_UNSUPPORTED: this build lacks the library;
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_decompress(const char *path, pen_byte_source *source);
PEN_CHECKED pen_status pen_compress(const char *path, pen_byte_sink *sink);
