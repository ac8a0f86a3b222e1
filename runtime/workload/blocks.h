/* blocks.h - the file of a record: a line that names the format, and blocks, each with its kind, sizes and checksum,
 * the last of kind END. All Local. */
#pragma once

#include "base/bytes.h"
#include "base/output.h"

#include <stdio.h>

#define PEN_WORKLOAD_MAGIC "penumbra-workload/"
#define PEN_WORKLOAD_VERSION "2\n"

typedef enum pen_block_kind {
    PEN_BLOCK_WORLD = 1,
    PEN_BLOCK_GRAPH,
    PEN_BLOCK_CHANGE,
    PEN_BLOCK_STEP,
    PEN_BLOCK_END,
    PEN_BLOCK_ORDER
} pen_block_kind;

/* ---- Writing: a temporary file until it is complete ------------------------------------------- */

typedef struct pen_block_file {
    pen_new_file file;
    int64_t size; /* bytes written so far */
    void *compressor;
    pen_bytes stored;
} pen_block_file;

/* Create a file. PEN_ERR_IO, PEN_ERR_MEMORY. On failure there is nothing to close. */
PEN_CHECKED pen_status pen_block_file_create(const char *path, pen_block_file *file);

/* Write a block with the contents `raw`. Returns the failure of `raw` if it has one; PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_block_write(pen_block_file *file, pen_block_kind kind, const pen_bytes *raw);

/* Close the file. It gets its name if `status` is PEN_OK; otherwise it is removed. Frees all memory. */
PEN_CHECKED pen_status pen_block_file_close(pen_block_file *file, pen_status status);

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct pen_block_source {
    char *path;
    FILE *file;
    void *decompressor;
    pen_bytes stored, raw;
} pen_block_source;

/* Open a file. PEN_ERR_IO, PEN_ERR_INPUT (not a record), PEN_ERR_UNSUPPORTED (another version), PEN_ERR_MEMORY. On
 * failure there is nothing to close. */
PEN_CHECKED pen_status pen_block_source_open(const char *path, pen_block_source *source);

/* Read the next block: its kind, and its contents into source->raw. PEN_ERR_INPUT: the file ends or is damaged before
 * the block's end; PEN_ERR_UNSUPPORTED: the block is compressed, and this build has no zstd; PEN_ERR_IO,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_block_read(pen_block_source *source, pen_block_kind *kind);

/* Check that the file has no more bytes. PEN_ERR_INPUT: it has some. */
PEN_CHECKED pen_status pen_block_source_ends(pen_block_source *source);

void pen_block_source_close(pen_block_source *source);
