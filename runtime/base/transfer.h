/* transfer.h - bytes from and to a place in a file: all of them, or a failure. All Local. */
#pragma once

#include "base/status.h"

/* Read, or write, `size` bytes at `offset` of an open file; `path` is what messages call it. PEN_ERR_IO; of a write
 * that failed errno says why. */
PEN_CHECKED pen_status pen_read_at(int file, const char *path, void *to, int64_t size, int64_t offset);
PEN_CHECKED pen_status pen_write_at(int file, const char *path, const void *from, int64_t size, int64_t offset);

/* Bring what was written to an open file to the disk. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_store(int file, const char *path);
