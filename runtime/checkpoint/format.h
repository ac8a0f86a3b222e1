/* format.h - the header of a checkpoint (file.h), for its writers and readers. All Local. */
#pragma once

#include "checkpoint/file.h"

/* As in the file. */
typedef struct pen_checkpoint_header {
    unsigned char magic[8];
    uint32_t order, version;
    int64_t size, chunks, table, about, ranks;
    uint64_t set, table_checksum, about_checksum, checksum;
} pen_checkpoint_header;
_Static_assert(sizeof(pen_checkpoint_header) == 88 && sizeof(pen_chunk) == 48, "as the format has them");

#define PEN_CHECKPOINT_MAGIC "\x89PCP\r\n\x1A\n"
enum { PEN_CHECKPOINT_VERSION = 1, PEN_CHECKPOINT_ORDER = 0x01020304 };

uint64_t pen_checksum(const void *bytes, int64_t size);
uint64_t pen_checkpoint_header_checksum(const pen_checkpoint_header *header);

/* Local. Read and check a file's header, table and `about`. With `own`, the file must belong to this user
 * (text_file.h). The caller frees *about, which has header->size - header->about bytes, and *table, also after a
 * failure. Errors as of pen_checkpoint_open. */
PEN_CHECKED pen_status pen_checkpoint_read_head(const char *path, bool own, pen_checkpoint_header *header,
                                                unsigned char **about, pen_chunk **table);

/* Local. Compute which chunks each rank reads, begins[ranks + 1]. If as many ranks read as wrote, each reads its own
 * chunks; otherwise all read about the same number of bytes. */
void pen_checkpoint_deal(const pen_checkpoint_header *header, const pen_chunk *table, int ranks, int *begins);

/* Collective. Distribute these entries of rank 0's table, whose header it has, as c->chunks of the ranks.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_deal_out(pen_comm *comm, const pen_checkpoint_header *header,
                                               const pen_chunk *table, pen_checkpoint *c);

/* Collective. Copy one rank's bytes, [*size], to the other ranks. The caller frees them there, also after a failure.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_share(pen_comm *comm, int from, unsigned char **bytes, int64_t *size);

/* Local. Whether c->data is what was written. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_checkpoint_check(const pen_checkpoint *c);

/* Make the MPI type of an entry of the table. Unless *line is MPI_DATATYPE_NULL, the caller frees it, also after a
 * failure. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpoint_line(MPI_Datatype *line);
