/* compress.c - gzip, xz and zstd before a source of bytes and behind a sink, chosen by the file's ending.
 *
 * Stricter than the command-line tools: an archive must be whole with its check sums right, and nothing may
 * follow its last member. An end in the middle (also one that leaves nothing at all), a wrong sum, or bytes
 * behind the end are failures, never a shorter text. An archive that needs more than 128 MiB to unpack is refused,
 * so that a header of a few bytes cannot ask for gigabytes (what the tools write up to "xz -9" and "zstd -19" needs less).
 * What is written is the same wherever it is written: no time, no name, no threads. */
#include "input.h"
#include "output.h"

#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum {
    CHUNK = 256 * 1024,        /* bytes taken or given at once; fits zlib's unsigned lengths */
    WINDOW_LOG = 27,           /* of zstd, and with it of what unpacking may need: 128 MiB */
    GZIP = 16 + MAX_WBITS      /* zlib's way of asking for the gzip wrapper */
};

typedef enum archive_kind { NONE, GZ, XZ, ZSTD } archive_kind;

typedef struct unpacker {
    byte_source packed;
    const char *name;   /* of the file; the caller's */
    archive_kind kind;
    bool packed_ended;
    bool inside;        /* a member has begun and not ended; at first true: there must be one */
    const unsigned char *next;
    size_t left;        /* unread bytes of `buffer` from `next` */
    z_stream gzip;
    lzma_stream xz;
    ZSTD_DStream *zstd;
    unsigned char buffer[CHUNK];
} unpacker;

typedef struct packer {
    byte_sink packed;
    archive_kind kind;
    z_stream gzip;
    lzma_stream xz;
    ZSTD_CStream *zstd;
    unsigned char buffer[CHUNK];
} packer;

static const struct {
    const char *ending, *name;
} kinds[] = { [NONE] = { "", "no" }, [GZ] = { ".gz", "gzip" }, [XZ] = { ".xz", "xz" }, [ZSTD] = { ".zst", "zstd" } };

static archive_kind kind_of(const char *path)
{
    size_t length = strlen(path);
    archive_kind kind = ZSTD;
    for (; kind != NONE; kind--) {
        size_t ending = strlen(kinds[kind].ending);
        if (length > ending && strcmp(path + length - ending, kinds[kind].ending) == 0) break;
    }
    return kind;
}

static pen_status no_memory(archive_kind kind)
{
    return pen_fail(PEN_ERR_MEMORY, "out of memory for %s", kinds[kind].name);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static pen_status corrupt(const unpacker *u, const char *why)
{
    return pen_fail(PEN_ERR_INPUT, "%s: the %s archive is corrupt: %s", u->name, kinds[u->kind].name, why);
}

static void close_unpacker(void *state)
{
    unpacker *u = state;
    if (u->kind == GZ) inflateEnd(&u->gzip);
    else if (u->kind == XZ) lzma_end(&u->xz);
    else ZSTD_freeDStream(u->zstd);
    u->packed.close(u->packed.state);
    free(u);
}

/* Each of the three takes from next and left, fills up to `room` bytes, says how many, and keeps `inside`. */
static pen_status unpack_gzip(unpacker *u, char *to, size_t room, size_t *count)
{
    z_stream *stream = &u->gzip;
    if (!u->inside) {
        if (u->left == 0) return PEN_OK;
        if (u->next[0] != 0x1f) return corrupt(u, "something else follows its end");
        if (inflateReset(stream) != Z_OK) return no_memory(u->kind);
        u->inside = true;
    }
    stream->next_in = (z_const Bytef *)u->next;
    stream->avail_in = (uInt)u->left;
    stream->next_out = (Bytef *)to;
    stream->avail_out = (uInt)room;
    int code = inflate(stream, Z_NO_FLUSH);
    *count = room - stream->avail_out;
    u->next = stream->next_in;
    u->left = stream->avail_in;
    if (code == Z_MEM_ERROR) return no_memory(u->kind);
    if (code == Z_NEED_DICT || code == Z_STREAM_ERROR || code == Z_DATA_ERROR)
        return corrupt(u, stream->msg ? stream->msg : "it needs a dictionary");
    u->inside = code != Z_STREAM_END;
    return PEN_OK;
}

static pen_status unpack_xz(unpacker *u, char *to, size_t room, size_t *count)
{
    lzma_stream *stream = &u->xz;
    if (!u->inside) return PEN_OK;
    stream->next_in = u->next;
    stream->avail_in = u->left;
    stream->next_out = (uint8_t *)to;
    stream->avail_out = room;
    lzma_ret code = lzma_code(stream, u->packed_ended ? LZMA_FINISH : LZMA_RUN);
    *count = room - stream->avail_out;
    u->next = stream->next_in;
    u->left = stream->avail_in;
    if (code == LZMA_MEM_ERROR) return no_memory(u->kind);
    if (code == LZMA_MEMLIMIT_ERROR)
        return corrupt(u, "or needs more than 128 MiB to unpack: pack it with a smaller dictionary");
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
        return corrupt(u, code == LZMA_FORMAT_ERROR ? "this is no xz archive" : "its check sums or contents are wrong");
    u->inside = code != LZMA_STREAM_END;
    return PEN_OK;
}

static pen_status unpack_zstd(unpacker *u, char *to, size_t room, size_t *count)
{
    if (!u->inside && u->left == 0) return PEN_OK;
    ZSTD_inBuffer in = { u->next, u->left, 0 };
    ZSTD_outBuffer out = { to, room, 0 };
    size_t code = ZSTD_decompressStream(u->zstd, &out, &in);
    *count = out.pos;
    u->next += in.pos;
    u->left -= in.pos;
    if (ZSTD_isError(code)) return corrupt(u, ZSTD_getErrorName(code));
    u->inside = code != 0;
    return PEN_OK;
}

/* byte_source.read: what it returns and takes. */
static int64_t unpack(void *state, char *to, int64_t size)
{
    static pen_status (*const unpack_kind[])(unpacker *, char *, size_t, size_t *) = {
        [GZ] = unpack_gzip, [XZ] = unpack_xz, [ZSTD] = unpack_zstd };
    unpacker *u = state;
    size_t room = size < CHUNK ? (size_t)size : CHUNK;
    for (;;) {
        if (u->left == 0 && !u->packed_ended) {
            int64_t got = u->packed.read(u->packed.state, (char *)u->buffer, CHUNK);
            if (got < 0) return -1;
            u->next = u->buffer;
            u->left = (size_t)got;
            u->packed_ended = got == 0;
        }
        size_t made = 0, before = u->left;
        if (unpack_kind[u->kind](u, to, room, &made) != PEN_OK) return -1;
        if (made > 0 || (u->packed_ended && !u->inside && u->left == 0)) return (int64_t)made;
        if (u->packed_ended && u->left == before) {
            pen_fail(PEN_ERR_INPUT, "%s: the %s archive is truncated", u->name, kinds[u->kind].name);
            return -1;
        }
    }
}

pen_status input_decompress(const char *path, byte_source *source)
{
    unpacker *u;
    pen_status status = PEN_ALLOC_ZERO(&u, 1);
    if (status != PEN_OK) {
        source->close(source->state);
        *source = (byte_source){ 0 };
        return status;
    }
    u->packed = *source;
    *source = (byte_source){ u, unpack, close_unpacker };
    u->name = path;
    u->kind = kind_of(path);
    u->inside = true;
    bool good;
    if (u->kind == GZ) good = inflateInit2(&u->gzip, GZIP) == Z_OK;
    else if (u->kind == XZ) good = lzma_stream_decoder(&u->xz, UINT64_C(1) << WINDOW_LOG, LZMA_CONCATENATED) == LZMA_OK;
    else {
        u->zstd = ZSTD_createDStream();
        good = u->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG));
    }
    if (good) return PEN_OK;
    close_unpacker(u);
    *source = (byte_source){ 0 };
    return no_memory(kind_of(path));
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void close_packer(void *state)
{
    packer *p = state;
    if (p->kind == GZ) deflateEnd(&p->gzip);
    else if (p->kind == XZ) lzma_end(&p->xz);
    else ZSTD_freeCStream(p->zstd);
    p->packed.close(p->packed.state);
    free(p);
}

/* Pack up to *size bytes from *bytes on and write what comes of it; `last`: and what ends the archive. *done: all of
 * it is written. */
static pen_status pack_some(packer *p, const unsigned char **bytes, size_t *size, bool last, bool *done)
{
    size_t part = *size < CHUNK ? *size : CHUNK, taken, made;
    if (p->kind == GZ) {
        z_stream *stream = &p->gzip;
        stream->next_in = (z_const Bytef *)*bytes;
        stream->avail_in = (uInt)part;
        stream->next_out = p->buffer;
        stream->avail_out = CHUNK;
        int code = deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
        if (code == Z_STREAM_ERROR) return pen_fail(PEN_ERR_INTERNAL, "gzip refuses to pack");
        taken = part - stream->avail_in;
        made = CHUNK - stream->avail_out;
        *done = last ? code == Z_STREAM_END : taken == *size;
    } else if (p->kind == XZ) {
        lzma_stream *stream = &p->xz;
        stream->next_in = *bytes;
        stream->avail_in = part;
        stream->next_out = p->buffer;
        stream->avail_out = CHUNK;
        lzma_ret code = lzma_code(stream, last ? LZMA_FINISH : LZMA_RUN);
        if (code == LZMA_MEM_ERROR) return no_memory(p->kind);
        if (code != LZMA_OK && code != LZMA_STREAM_END) return pen_fail(PEN_ERR_INTERNAL, "xz refuses to pack");
        taken = part - stream->avail_in;
        made = CHUNK - stream->avail_out;
        *done = last ? code == LZMA_STREAM_END : taken == *size;
    } else {
        ZSTD_inBuffer in = { *bytes, part, 0 };
        ZSTD_outBuffer out = { p->buffer, CHUNK, 0 };
        size_t code = ZSTD_compressStream2(p->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(code)) return pen_fail(PEN_ERR_INTERNAL, "zstd refuses to pack: %s", ZSTD_getErrorName(code));
        taken = in.pos;
        made = out.pos;
        *done = last ? code == 0 : taken == *size;
    }
    *bytes += taken;
    *size -= taken;
    return made > 0 ? p->packed.write(p->packed.state, (const char *)p->buffer, (int64_t)made) : PEN_OK;
}

static pen_status pack(void *state, const char *bytes, int64_t size)
{
    const unsigned char *from = (const unsigned char *)bytes;
    size_t left = (size_t)size;
    for (bool done = left == 0; !done; ) PEN_TRY(pack_some(state, &from, &left, false, &done));
    return PEN_OK;
}

static pen_status pack_end(void *state)
{
    static const unsigned char nothing;
    packer *p = state;
    const unsigned char *from = &nothing;
    size_t left = 0;
    for (bool done = false; !done; ) PEN_TRY(pack_some(p, &from, &left, true, &done));
    return p->packed.finish(p->packed.state);
}

pen_status output_compress(const char *path, byte_sink *sink)
{
    packer *p;
    pen_status status = PEN_ALLOC_ZERO(&p, 1);
    if (status != PEN_OK) {
        sink->close(sink->state);
        *sink = (byte_sink){ 0 };
        return status;
    }
    p->packed = *sink;
    *sink = (byte_sink){ p, pack, pack_end, close_packer };
    p->kind = kind_of(path);
    bool good;
    if (p->kind == GZ)
        good = deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    else if (p->kind == XZ) good = lzma_easy_encoder(&p->xz, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK;
    else {
        p->zstd = ZSTD_createCStream();
        good = p->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
    }
    if (good) return PEN_OK;
    close_packer(p);
    *sink = (byte_sink){ 0 };
    return no_memory(kind_of(path));
}
