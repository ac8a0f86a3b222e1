/* source.h - the bytes of an input file, unpacked if it is packed. All Local. */
#pragma once

#include "base/compress.h"

/* Open the (unpacked) contents of a file at an offset. *size becomes the length of the contents in bytes, -1 if the
 * file is packed; `size` may be NULL. The path must outlive the source. PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_source_open(const char *path, int64_t offset, pen_byte_source *source, int64_t *size);
void pen_source_close(pen_byte_source *source);

/* Read `size` bytes, or fewer at the end; *got becomes their number. */
PEN_CHECKED pen_status pen_source_read(pen_byte_source *source, char *to, int64_t size, int64_t *got);

/* Get a seekable file with the contents of the path: the file itself, or a nameless file with the unpacked contents.
 * The caller closes it. Errors as above. */
PEN_CHECKED pen_status pen_source_file(const char *path, FILE **file, int64_t *size);
