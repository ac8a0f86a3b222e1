/* format.h - what stands first in a checkpoint (file.h), for those who write and read it. All Local. */
#ifndef PEN_CHECKPOINT_FORMAT_H
#define PEN_CHECKPOINT_FORMAT_H

#include "checkpoint/file.h"

/* As in the file. */
typedef struct pen_checkpoint_header {
    unsigned char magic[8];
    uint32_t order, version;
    int64_t size, chunks, table, about, ranks, zero;
    uint64_t table_checksum, about_checksum, checksum;
} pen_checkpoint_header;
_Static_assert(sizeof(pen_checkpoint_header) == 88 && sizeof(pen_chunk) == 48, "as the format has them");

#define PEN_CHECKPOINT_MAGIC "\x89PCP\r\n\x1A\n"
enum { PEN_CHECKPOINT_VERSION = 1, PEN_CHECKPOINT_ORDER = 0x01020304 };

uint64_t pen_checksum(const void *bytes, int64_t size);
uint64_t pen_checkpoint_header_checksum(const pen_checkpoint_header *header);

/* MPI counts bytes by int. */
enum { PEN_CHECKPOINT_PIECE = 1 << 30 };

/* PEN_ERR_IO: "path: cannot WHAT: MPI's words". */
pen_status pen_checkpoint_fail(const char *path, const char *what, int code);

#endif
