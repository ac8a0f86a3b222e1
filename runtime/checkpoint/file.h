/* file.h - the file of a checkpoint, penumbra-checkpoint/1. Any number of ranks can read it.
 *
 *     header   88 bytes
 *     chunks   without gaps, in the order of ranks
 *     table    an entry of 48 bytes for each chunk
 *     about    the state of the run as a whole, up to the end of the file
 *
 * All numbers are in the byte order of the machine that wrote the file, integers in two's complement, reals IEEE 754.
 * Words are 64-bit signed integers unless noted. Checksums are XXH3's of 64 bits, without a seed.
 *
 *     header, at byte
 *       0   8 bytes            magic: 89 50 43 50 0D 0A 1A 0A ("\x89PCP\r\n\x1A\n")
 *       8   32 bits unsigned   byte order: 0x01020304
 *      12   32 bits unsigned   version: 1
 *      16   word               size of the file in bytes
 *      24   word               chunks
 *      32   word               the byte at which the table begins
 *      40   word               the byte at which `about` begins
 *      48   word               ranks that wrote the checkpoint
 *      56   word unsigned      0; if each host has its own file, a number that all files of the checkpoint share
 *                              (location.h)
 *      64   3 words unsigned   checksums of the table, of `about`, and of the 80 bytes before this one
 *
 *     an entry of the table, at byte
 *       0   word               the byte at which the chunk begins
 *       8   word               its bytes, a multiple of 8
 *      16   word               nodes in it; -1: it has the state of the rank without its nodes; -2: it
 *                              has lists of its nodes
 *      24   word               arcs in it, neighbours of all its nodes
 *      32   word               the rank that wrote it, ascending
 *      40   word unsigned      its checksum
 *
 * state.h describes the contents of chunks and of `about`. A reader reads whole chunks: its memory is
 * limited by the length of the file, and it verifies data before it interprets them. */
#pragma once

#include "base/bytes.h"
#include "base/comm.h"
#include "base/output.h"

/* The header of the file. */
typedef struct pen_checkpoint_header {
    unsigned char magic[8];
    uint32_t order, version;
    int64_t size, chunks, table, about, ranks;
    uint64_t set, table_checksum, about_checksum, checksum;
} pen_checkpoint_header;

#define PEN_CHECKPOINT_MAGIC "\x89PCP\r\n\x1A\n"
enum { PEN_CHECKPOINT_VERSION = 1, PEN_CHECKPOINT_ORDER = 0x01020304 };

/* An entry of the table. */
typedef struct pen_chunk {
    int64_t offset, bytes, nodes, arcs, rank;
    uint64_t checksum;
} pen_chunk;
_Static_assert(sizeof(pen_checkpoint_header) == 88 && sizeof(pen_chunk) == 48, "as the format has them");

/* pen_chunk.nodes of a chunk with the state of a rank without its nodes, and of one with lists of its nodes. */
enum { PEN_CHUNK_OF_RANK = -1, PEN_CHUNK_OF_LISTS = -2 };

/* The chunks that a rank writes. */
typedef struct pen_chunks {
    pen_chunk *chunks; /* [count]; the caller sets bytes, nodes and arcs */
    int64_t count;
    int rank, ranks; /* this rank, and the ranks of the run */
    uint64_t set;    /* the header's word */
    /* Local. Write the i-th chunk, chunks[i].bytes, to `to`, which is aligned for 8-byte words and zero. */
    void (*fill)(const void *context, int64_t i, unsigned char *to);
    const void *context;
} pen_chunks;

/* Collective. Write all ranks' chunks, and rank 0's `about`, to a temporary file in the same folder, and bring it to
 * the disk: *file on rank 0, nothing elsewhere. `mine` is this rank's status so far. *size is the file's size on rank
 * 0, 0 elsewhere. Needs memory for the largest chunk. Always call pen_checkpoint_finish afterwards. Errors: PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpoint_write(pen_comm *comm, const char *path, pen_status mine, const pen_chunks *chunks,
                                            const pen_bytes *about, pen_new_file *file, int64_t *size);

/* Local. Rename the written file to its final name and bring that to the disk; if `status` is a failure, which is
 * returned, remove the file. Nothing happens without a file. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_finish(pen_new_file *file, pen_status status);

/* A file that is being read. */
typedef struct pen_checkpoint {
    char *path;           /* its name in messages */
    int ranks;            /* that wrote it */
    unsigned char *about; /* [about_size] on all ranks */
    int64_t about_size;
    pen_chunk *chunks; /* [count] chunks that this rank reads; its own if the number of ranks is unchanged */
    int64_t count;
    unsigned char *data; /* contents of these chunks, one after the other; NULL before pen_checkpoint_load */
} pen_checkpoint;

/* Collective. Read header, table and `about`; pen_checkpoint_close frees *checkpoint, also after a failure. Errors:
 * PEN_ERR_IO; PEN_ERR_INPUT (not a checkpoint, truncated, damaged or inconsistent); PEN_ERR_UNSUPPORTED (another
 * version or byte order); PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpoint_open(pen_comm *comm, const char *path, pen_checkpoint *checkpoint);

/* Collective. Read this rank's chunks. Errors: as above. */
PEN_CHECKED pen_status pen_checkpoint_load(pen_comm *comm, pen_checkpoint *checkpoint);

/* Local. The bytes of the i-th chunk. */
static inline const unsigned char *pen_checkpoint_chunk(const pen_checkpoint *c, int64_t i)
{
    return c->data + (c->chunks[i].offset - c->chunks[0].offset);
}

void pen_checkpoint_close(pen_checkpoint *checkpoint);

/* Local. The version of the linked xxHash, such as "0.8.1". Static storage. */
const char *pen_xxhash_version(void);

/* ---- For shards.c ------------------------------------------------------------------------------- */

/* Local. The checksum of the format. */
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

/* Local. Verify the checksums of c->data. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_checkpoint_check(const pen_checkpoint *c);
