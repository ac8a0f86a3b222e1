/* source.h - the bytes of a file of input, unpacked where it is packed. All Local. */
#pragma once

#include "base/compress.h"

/* Read a file from that byte of what it holds on. *size: bytes of all that it holds, -1: it is packed, and not known;
 * may be NULL. The path must outlive the source. PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_source_open(const char *path, int64_t offset, pen_byte_source *source, int64_t *size);
void pen_source_close(pen_byte_source *source);

/* Read `size` bytes, or all that are left: *got. */
PEN_CHECKED pen_status pen_source_read(pen_byte_source *source, char *to, int64_t size, int64_t *got);

/* A file that one can go about in, with what the path holds: that file itself, or a nameless one, unpacked. The caller
 * closes it. Errors as above. */
PEN_CHECKED pen_status pen_source_file(const char *path, FILE **file, int64_t *size);
