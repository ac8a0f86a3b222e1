/* blocks.c - writes and reads the blocks of a record's file. */
#include "workload/blocks.h"
#include "base/hash.h"
#include "base/text_file.h"

#include <errno.h>
#include <stdlib.h>

#ifdef PEN_HAVE_ZSTD
#include <zstd.h>
#endif

/* Codings of a block's contents. */
enum { AS_IT_IS, ZSTD };

/* Bytes of a block's head: kind and coding have 4 each; raw size, stored size and checksum have 8 each. */
enum { HEAD_BYTES = 32 };

static void put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* The checksum of the head's other members and of the stored contents. */
static uint64_t checksum(const unsigned char *head, const void *stored, int64_t size)
{
    return pen_mix(pen_hash_bytes(head, HEAD_BYTES - 8)) ^ pen_hash_bytes(stored, (size_t)size);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Write the next bytes of the file. */
static pen_status append(pen_block_file *f, const void *bytes, int64_t size)
{
    PEN_TRY(pen_write_at(f->file.file, f->file.path, bytes, size, f->size));
    f->size += size;
    return PEN_OK;
}

pen_status pen_block_file_create(const char *path, pen_block_file *f)
{
    static const char line[] = PEN_WORKLOAD_MAGIC PEN_WORKLOAD_VERSION;
    *f = (pen_block_file){ .file = PEN_NO_FILE };
    pen_status status = pen_new_file_create(path, &f->file);
    if (status == PEN_OK) status = append(f, line, sizeof line - 1);
    return status == PEN_OK ? PEN_OK : pen_block_file_close(f, status);
}

/* Compress the contents into f->stored; false if that would not be shorter. */
static pen_status compress(pen_block_file *f, const pen_bytes *raw, bool *shorter)
{
    *shorter = false;
#ifdef PEN_HAVE_ZSTD
    enum { LEVEL = 1 };
    size_t room = ZSTD_compressBound((size_t)raw->size);
    if (!f->compressor) f->compressor = ZSTD_createCCtx();
    pen_bytes_clear(&f->stored);
    if (!f->compressor || !pen_bytes_room(&f->stored, (int64_t)room))
        return pen_fail(PEN_ERR_MEMORY, "%s: out of memory", f->file.path);
    size_t size = ZSTD_compressCCtx(f->compressor, f->stored.data, room, raw->data, (size_t)raw->size, LEVEL);
    if (ZSTD_isError(size)) return pen_fail(PEN_ERR_INTERNAL, "%s: zstd: %s", f->file.path, ZSTD_getErrorName(size));
    f->stored.size = (int64_t)size;
    *shorter = f->stored.size < raw->size;
#else
#endif
    return PEN_OK;
}

pen_status pen_block_write(pen_block_file *f, pen_block_kind kind, const pen_bytes *raw)
{
    bool shorter;
    unsigned char head[HEAD_BYTES];
    PEN_TRY(raw->status);
    PEN_TRY(compress(f, raw, &shorter));
    const pen_bytes *stored = shorter ? &f->stored : raw;
    put(head, (uint64_t)kind, 4);
    put(head + 4, shorter ? ZSTD : AS_IT_IS, 4);
    put(head + 8, (uint64_t)raw->size, 8);
    put(head + 16, (uint64_t)stored->size, 8);
    put(head + 24, checksum(head, stored->data, stored->size), 8);
    PEN_TRY(append(f, head, sizeof head));
    return append(f, stored->data, stored->size);
}

pen_status pen_block_file_close(pen_block_file *f, pen_status status)
{
    if (f->file.path && status == PEN_OK) status = pen_file_sync(f->file.file, f->file.path);
    status = pen_new_file_finish(&f->file, status);
#ifdef PEN_HAVE_ZSTD
    ZSTD_freeCCtx(f->compressor);
#endif
    pen_bytes_free(&f->stored);
    *f = (pen_block_file){ .file = PEN_NO_FILE };
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static pen_status wrong(const pen_block_source *s, const char *what)
{
    if (ferror(s->file)) return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", s->path, strerror(errno));
    return pen_fail(PEN_ERR_INPUT, "%s: byte %ld: %s", s->path, ftell(s->file), what);
}

static pen_status check_magic(pen_block_source *s)
{
    char line[sizeof PEN_WORKLOAD_MAGIC PEN_WORKLOAD_VERSION];
    size_t length = sizeof PEN_WORKLOAD_MAGIC - 1;
    bool ours = fgets(line, sizeof line, s->file) && strncmp(line, PEN_WORKLOAD_MAGIC, length) == 0;
    if (!ours) return wrong(s, "not a workload record (" PEN_WORKLOAD_MAGIC "2)");
    if (strcmp(line + length, PEN_WORKLOAD_VERSION) == 0) return PEN_OK;
    line[strcspn(line, "\n")] = '\0';
    return pen_fail(PEN_ERR_UNSUPPORTED, "%s: a record of version \"%s\"; this program reads version 2", s->path,
                    line + length);
}

pen_status pen_block_source_open(const char *path, pen_block_source *s)
{
    int64_t size;
    *s = (pen_block_source){ .path = NULL };
    pen_status status = pen_copy_text(path, &s->path);
    if (status == PEN_OK) status = pen_regular_open(path, false, &s->file, &size);
    if (status == PEN_OK) status = check_magic(s);
    if (status != PEN_OK) pen_block_source_close(s);
    return status;
}

/* Read `size` bytes into *bytes, in pieces, since a damaged size may be far larger than the file. */
static pen_status read_bytes(pen_block_source *s, uint64_t size, pen_bytes *bytes)
{
    enum { PIECE = 1 << 20 };
    pen_bytes_clear(bytes);
    while ((uint64_t)bytes->size < size) {
        uint64_t left = size - (uint64_t)bytes->size;
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        unsigned char *to = pen_bytes_room(bytes, (int64_t)piece);
        if (!to) return pen_fail(PEN_ERR_MEMORY, "%s: out of memory", s->path);
        if (fread(to, 1, piece, s->file) != piece) return wrong(s, "the record is cut off");
        bytes->size += (int64_t)piece;
    }
    return PEN_OK;
}

static pen_status decompress(pen_block_source *s, uint64_t size)
{
#ifdef PEN_HAVE_ZSTD
    /* At most this many bytes result from one stored byte: 4 bytes of zstd data stand for at most 128 KiB. */
    enum { MOST_OF_A_BYTE = 1 << 15 };
    if (!s->decompressor) s->decompressor = ZSTD_createDCtx();
    pen_bytes_clear(&s->raw);
    if (size / MOST_OF_A_BYTE > (uint64_t)s->stored.size ||
        ZSTD_getFrameContentSize(s->stored.data, (size_t)s->stored.size) != size)
        return wrong(s, "a damaged block before it");
    if (!s->decompressor || !pen_bytes_room(&s->raw, (int64_t)size + 1))
        return pen_fail(PEN_ERR_MEMORY, "%s: out of memory", s->path);
    size_t got = ZSTD_decompressDCtx(s->decompressor, s->raw.data, (size_t)size, s->stored.data,
                                     (size_t)s->stored.size);
    if (got != size) return wrong(s, "a damaged block before it");
    s->raw.size = (int64_t)size;
    return PEN_OK;
#else
    return pen_fail(PEN_ERR_UNSUPPORTED, "%s: it is compressed by zstd, which this build lacks", s->path);
#endif
}

pen_status pen_block_read(pen_block_source *s, pen_block_kind *kind)
{
    unsigned char head[HEAD_BYTES];
    if (fread(head, 1, sizeof head, s->file) != sizeof head) return wrong(s, "the record is cut off");
    uint64_t coding = get(head + 4, 4), raw = get(head + 8, 8), stored = get(head + 16, 8);
    PEN_TRY(read_bytes(s, stored, coding == ZSTD ? &s->stored : &s->raw));
    const pen_bytes *bytes = coding == ZSTD ? &s->stored : &s->raw;
    bool intact = get(head + 24, 8) == checksum(head, bytes->data, bytes->size);
    if (!intact || (coding == AS_IT_IS ? raw != stored : coding != ZSTD)) return wrong(s, "a damaged block before it");
    *kind = (pen_block_kind)get(head, 4);
    return coding == ZSTD ? decompress(s, raw) : PEN_OK;
}

pen_status pen_block_source_ends(pen_block_source *s)
{
    return fgetc(s->file) == EOF && !ferror(s->file) ? PEN_OK : wrong(s, "bytes after the end of the record");
}

void pen_block_source_close(pen_block_source *s)
{
    if (s->file) fclose(s->file);
#ifdef PEN_HAVE_ZSTD
    ZSTD_freeDCtx(s->decompressor);
#endif
    pen_bytes_free(&s->stored);
    pen_bytes_free(&s->raw);
    free(s->path);
    *s = (pen_block_source){ .path = NULL };
}
