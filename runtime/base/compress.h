/* compress.h - bytes from somewhere and to somewhere, and gzip, xz and zstd between. All Local. */
#pragma once

#include "base/memory.h"

/* Where bytes come from. read: up to `room` >= 1 bytes into `to`, returns how many, 0 at the end, -1 after
 * pen_fail. */
typedef struct pen_byte_source {
    void *state;
    int64_t (*read)(void *state, char *to, int64_t room);
    void (*close)(void *state); /* frees the state */
} pen_byte_source;

/* Where bytes go. finish: everything is written, complete what is pending. */
typedef struct pen_byte_sink {
    void *state;
    pen_status (*write)(void *state, const char *bytes, int64_t size);
    pen_status (*finish)(void *state);
    void (*close)(void *state); /* frees the state; without finish where something failed */
} pen_byte_sink;

/* What ends in .gz, .xz or .zst. */
bool pen_path_is_compressed(const char *path);

/* Whether `path`, without the ending of a compressed file, ends in `ending` (".graph"). */
bool pen_path_ends_in(const char *path, const char *ending);

/* Replace a source of the bytes of a compressed path by one of plain bytes, or put a compressor before a sink;
 * `source` and `sink` are its to close from then on, also after a failure. PEN_ERR_UNSUPPORTED where this build has
 * not the library, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_decompress(const char *path, pen_byte_source *source);
PEN_CHECKED pen_status pen_compress(const char *path, pen_byte_sink *sink);
