/* squeeze.h - an array that all ranks have parts of, one behind the other, compressed with zlib in blocks of one size,
 * as VTK reads it: what comes out does not depend on where the parts begin. */
#ifndef PEN_OUTPUT_SQUEEZE_H
#define PEN_OUTPUT_SQUEEZE_H

#include "base/comm.h"

/* Of a block, before it is compressed. */
enum { PEN_SQUEEZE_BLOCK = 1 << 16 };

typedef struct pen_squeeze pen_squeeze;

/* What has come of a rank's part. A block belongs to the rank where it begins. */
typedef struct pen_squeezed {
    const unsigned char *data; /* [bytes] its blocks, one behind the other */
    int64_t bytes;
    const uint64_t *sizes; /* [blocks] of them */
    int64_t blocks;
} pen_squeezed;

/* Local. Whether this library can. */
bool pen_can_squeeze(void);

/* Local. This rank's part of an array begins at byte `begin` of it. *squeeze is the caller's to destroy.
 * PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_squeeze_create(int64_t begin, pen_squeeze **squeeze);
void pen_squeeze_destroy(pen_squeeze **squeeze);

/* Local. The next bytes of this rank's part. PEN_ERR_MEMORY, PEN_ERR_INTERNAL. */
PEN_CHECKED pen_status pen_squeeze_add(pen_squeeze *squeeze, const void *bytes, int64_t size);

/* Collective. No more comes: blocks to which several ranks have something are put together. mine: this rank's status so
 * far. *squeezed is valid until the squeeze is destroyed. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_squeeze_end(pen_comm *comm, pen_status mine, pen_squeeze *squeeze, pen_squeezed *squeezed);

#endif
