#include "output/squeeze.h"
#include "base/bytes.h"
#include "base/sparse.h"

#include <stdlib.h>
#ifdef PEN_HAVE_ZLIB
#include <zlib.h>
#endif

enum { BLOCK = PEN_SQUEEZE_BLOCK };

struct pen_squeeze {
    int64_t begin, at;     /* at: where the next byte belongs */
    unsigned char *before; /* [BLOCK] bytes in front of this rank's first block, */
    int64_t before_size;   /* so many: they belong to a block of a rank before */
    unsigned char *block;  /* [BLOCK] that is being filled */
    int64_t block_size;
    pen_bytes out;
    uint64_t *sizes;
    int64_t blocks, room;
};

#ifdef PEN_HAVE_ZLIB
enum { LEVEL = 5 };

bool pen_can_squeeze(void) { return true; }

/* Compress the block. */
static pen_status squeeze_block(pen_squeeze *s)
{
    uLongf size = compressBound((uLong)s->block_size);
    PEN_TRY(pen_reserve(&s->sizes, sizeof *s->sizes, s->blocks + 1, &s->room));
    unsigned char *to = pen_bytes_room(&s->out, (int64_t)size);
    if (!to) return s->out.status;
    if (compress2(to, &size, s->block, (uLong)s->block_size, LEVEL) != Z_OK)
        return pen_fail(PEN_ERR_MEMORY, "zlib: out of memory");
    s->out.size += (int64_t)size;
    s->sizes[s->blocks++] = size;
    s->block_size = 0;
    return PEN_OK;
}
#else
bool pen_can_squeeze(void) { return false; }

static pen_status squeeze_block(pen_squeeze *s)
{
    (void)s;
    return pen_fail(PEN_ERR_INTERNAL, "this library has no zlib");
}
#endif

pen_status pen_squeeze_create(int64_t begin, pen_squeeze **squeeze)
{
    pen_squeeze *s;
    PEN_TRY(PEN_ALLOC_ZERO(&s, 1));
    s->begin = s->at = begin;
    pen_status status = PEN_ALLOC(&s->before, BLOCK);
    if (status == PEN_OK) status = PEN_ALLOC(&s->block, BLOCK);
    *squeeze = s;
    if (status != PEN_OK) pen_squeeze_destroy(squeeze);
    return status;
}

void pen_squeeze_destroy(pen_squeeze **squeeze)
{
    pen_squeeze *s = *squeeze;
    if (!s) return;
    pen_bytes_free(&s->out);
    PEN_FREE_ALL(s->before, s->block, s->sizes, s);
    *squeeze = NULL;
}

/* The first byte of the first block that begins in this rank's part, or behind it. */
static int64_t first_block(const pen_squeeze *s) { return (s->begin + BLOCK - 1) / BLOCK * BLOCK; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static pen_status fill(pen_squeeze *s, const unsigned char *from, int64_t size)
{
    while (size > 0) {
        const int64_t now = least(BLOCK - s->block_size, size);
        memcpy(s->block + s->block_size, from, (size_t)now);
        s->block_size += now;
        from += now;
        size -= now;
        if (s->block_size == BLOCK) PEN_TRY(squeeze_block(s));
    }
    return PEN_OK;
}

pen_status pen_squeeze_add(pen_squeeze *s, const void *bytes, int64_t size)
{
    const unsigned char *from = (const unsigned char *)bytes;
    const int64_t first = first_block(s);
    if (s->at < first) {
        const int64_t now = least(first - s->at, size);
        memcpy(s->before + s->before_size, from, (size_t)now);
        s->before_size += now;
        s->at += now;
        from += now;
        size -= now;
    }
    s->at += size;
    return fill(s, from, size);
}

/* Local. Which rank has the block that a byte is in, where parts begin at begins [ranks]. */
static int rank_of_block(const int64_t *begins, int ranks, int64_t byte)
{
    const int64_t begin = byte / BLOCK * BLOCK;
    int low = 0, high = ranks - 1; /* the last one that begins there or before: those of no bytes come in front of it */
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (begins[middle] <= begin) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* Local. This rank's bytes that belong to a block of a rank before. */
static pen_status pack_before(const pen_comm *comm, const pen_squeeze *s, const int64_t *begins, pen_blocks *send)
{
    int64_t *bytes;
    if (s->before_size == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, comm->size));
    bytes[rank_of_block(begins, comm->size, s->begin)] = s->before_size;
    pen_status status = pen_blocks_open(comm->size, bytes, send);
    if (status == PEN_OK) memcpy(send->data, s->before, (size_t)s->before_size);
    free(bytes);
    return status;
}

pen_status pen_squeeze_end(pen_comm *comm, pen_status mine, pen_squeeze *s, pen_squeezed *squeezed)
{
    int64_t *begins = NULL;
    pen_blocks send = { .count = 0 }, received = { .count = 0 };
    if (mine == PEN_OK) mine = PEN_ALLOC(&begins, comm->size);
    pen_status status = pen_agree(comm, mine);
    if (status == PEN_OK) {
        PEN_MPI(MPI_Allgather(&s->begin, 1, MPI_INT64_T, begins, 1, MPI_INT64_T, comm->mpi));
        mine = pack_before(comm, s, begins, &send);
        status = pen_sparse_exchange(comm, mine, &send, &received);
    }
    free(begins);
    pen_blocks_free(&send);
    if (status == PEN_OK) {
        mine = received.count ? fill(s, received.data, received.offsets[received.count]) : PEN_OK;
        if (mine == PEN_OK && s->block_size > 0) mine = squeeze_block(s); /* the last one of the array */
        status = pen_agree(comm, mine);
    }
    pen_blocks_free(&received);
    if (status == PEN_OK) *squeezed = (pen_squeezed){ s->out.data, s->out.size, s->sizes, s->blocks };
    return status;
}
