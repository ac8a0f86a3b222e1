/* compress.c - gzip, xz and zstd, for reading and for writing, chosen by the file's ending.
 *
 * This is stricter than the command-line tools: an archive must be complete, its checksums must be right, and no data
 * may follow its last member. Otherwise reading fails; it never returns a shorter text. An archive that needs more than
 * 128 MiB to unpack is refused, so that a header of a few bytes cannot ask for gigabytes (files of "xz -9" and "zstd
 * -19" need less). Output does not depend on the machine: it contains no time and no name, and compression uses one
 * thread.
 *
 * Each library is optional; PEN_HAVE_... is defined if it is available. */
#include "base/compress.h"

#include <stdlib.h>
#include <strings.h>

#ifdef PEN_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef PEN_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef PEN_HAVE_ZSTD
#include <zstd.h>
#endif

enum {
    CHUNK = 256 * 1024, /* bytes that are read or written at once; fits zlib's unsigned lengths */
    WINDOW_LOG = 27     /* limit of the memory for unpacking: 2^27 bytes, 128 MiB */
};

/* Input and output of one step of a codec. */
typedef struct step {
    const unsigned char *from;
    size_t left; /* number of bytes at `from`, at most CHUNK */
    unsigned char *to;
    size_t room; /* number of bytes at `to`, at most CHUNK */
    bool last;   /* the input ends with the last byte of the file */
    /* Set by the codec: in unpacking, a member of the archive ends here; in packing, all bytes are written. */
    bool member_ended;
    const char *fault; /* reason why the archive is refused; NULL: it is not refused */
} step;

/* The functions of a library for packing or unpacking. step advances the step and returns PEN_ERR_MEMORY, PEN_ERR_INPUT
 * with step->fault, or PEN_OK. */
typedef struct codec {
    const char *ending, *name;
    pen_status (*begin)(void **state, bool pack);
    pen_status (*step)(void *state, step *s, bool pack);
    void (*end)(void *state, bool pack);
} codec;

/* ---- gzip ----------------------------------------------------------------------------------- */

#ifdef PEN_HAVE_ZLIB
enum { GZIP = 16 + MAX_WBITS }; /* window bits by which zlib reads and writes the gzip wrapper */

static pen_status gzip_begin(void **state, bool pack)
{
    z_stream *stream;
    PEN_TRY(PEN_ALLOC_ZERO(&stream, 1));
    *state = stream;
    int code = pack ? deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY)
                    : inflateInit2(stream, GZIP);
    return code == Z_OK ? PEN_OK : PEN_ERR_MEMORY;
}

static pen_status gzip_step(void *state, step *s, bool pack)
{
    z_stream *stream = state;
    stream->next_in = (z_const Bytef *)s->from;
    stream->avail_in = (uInt)s->left;
    stream->next_out = s->to;
    stream->avail_out = (uInt)s->room;
    int flush = pack && s->last ? Z_FINISH : Z_NO_FLUSH;
    int code = pack ? deflate(stream, flush) : inflate(stream, flush);
    s->from = stream->next_in;
    s->left = stream->avail_in;
    s->to = stream->next_out;
    s->room = stream->avail_out;
    s->member_ended = code == Z_STREAM_END;
    if (pack) return code == Z_STREAM_ERROR ? PEN_ERR_INTERNAL : PEN_OK;
    if (code == Z_MEM_ERROR) return PEN_ERR_MEMORY;
    if (code == Z_NEED_DICT || code == Z_STREAM_ERROR || code == Z_DATA_ERROR) {
        s->fault = stream->msg ? stream->msg : "it needs a dictionary";
        return PEN_ERR_INPUT;
    }
    return s->member_ended && inflateReset(stream) != Z_OK ? PEN_ERR_MEMORY : PEN_OK;
}

static void gzip_end(void *state, bool pack)
{
    if (pack) deflateEnd(state);
    else inflateEnd(state);
    free(state);
}
#define GZIP_FUNCTIONS gzip_begin, gzip_step, gzip_end
#else
#define GZIP_FUNCTIONS NULL, NULL, NULL
#endif

/* ---- xz ------------------------------------------------------------------------------------- */

#ifdef PEN_HAVE_LZMA
static pen_status xz_unpack(lzma_stream *stream)
{
    return lzma_stream_decoder(stream, UINT64_C(1) << WINDOW_LOG, 0) == LZMA_OK ? PEN_OK : PEN_ERR_MEMORY;
}

static pen_status xz_begin(void **state, bool pack)
{
    lzma_stream *stream;
    PEN_TRY(PEN_ALLOC_ZERO(&stream, 1));
    *state = stream;
    if (!pack) return xz_unpack(stream);
    return lzma_easy_encoder(stream, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK ? PEN_OK : PEN_ERR_MEMORY;
}

static pen_status xz_step(void *state, step *s, bool pack)
{
    lzma_stream *stream = state;
    stream->next_in = s->from;
    stream->avail_in = s->left;
    stream->next_out = s->to;
    stream->avail_out = s->room;
    lzma_ret code = lzma_code(stream, s->last ? LZMA_FINISH : LZMA_RUN);
    s->from = stream->next_in;
    s->left = stream->avail_in;
    s->to = stream->next_out;
    s->room = stream->avail_out;
    s->member_ended = code == LZMA_STREAM_END;
    if (code == LZMA_MEM_ERROR) return PEN_ERR_MEMORY;
    if (s->member_ended) return pack ? PEN_OK : xz_unpack(stream);
    if (code == LZMA_OK || (!pack && code == LZMA_BUF_ERROR)) return PEN_OK;
    if (pack) return PEN_ERR_INTERNAL;
    s->fault = "its contents or check sums are wrong";
    if (code == LZMA_FORMAT_ERROR) s->fault = "no xz header";
    if (code == LZMA_MEMLIMIT_ERROR)
        s->fault = "it needs more than 128 MiB to unpack: pack it with a smaller dictionary";
    return PEN_ERR_INPUT;
}

static void xz_end(void *state, bool pack)
{
    lzma_end(state);
    free(state);
}
#define XZ_FUNCTIONS xz_begin, xz_step, xz_end
#else
#define XZ_FUNCTIONS NULL, NULL, NULL
#endif

/* ---- zstd ----------------------------------------------------------------------------------- */

#ifdef PEN_HAVE_ZSTD
static pen_status zstd_begin(void **state, bool pack)
{
    *state = pack ? (void *)ZSTD_createCStream() : (void *)ZSTD_createDStream();
    if (!*state) return PEN_ERR_MEMORY;
    size_t code = pack ? ZSTD_CCtx_setParameter(*state, ZSTD_c_checksumFlag, 1)
                       : ZSTD_DCtx_setParameter(*state, ZSTD_d_windowLogMax, WINDOW_LOG);
    return ZSTD_isError(code) ? PEN_ERR_MEMORY : PEN_OK;
}

static pen_status zstd_step(void *state, step *s, bool pack)
{
    ZSTD_inBuffer in = { s->from, s->left, 0 };
    ZSTD_outBuffer out = { s->to, s->room, 0 };
    ZSTD_EndDirective end = s->last ? ZSTD_e_end : ZSTD_e_continue;
    size_t code = pack ? ZSTD_compressStream2(state, &out, &in, end) : ZSTD_decompressStream(state, &out, &in);
    s->from += in.pos;
    s->left -= in.pos;
    s->to += out.pos;
    s->room -= out.pos;
    s->member_ended = code == 0 && (s->last || !pack);
    if (!ZSTD_isError(code)) return PEN_OK;
    s->fault = ZSTD_getErrorName(code);
    return pack ? PEN_ERR_INTERNAL : PEN_ERR_INPUT;
}

static void zstd_end(void *state, bool pack)
{
    if (pack) ZSTD_freeCStream(state);
    else ZSTD_freeDStream(state);
}
#define ZSTD_FUNCTIONS zstd_begin, zstd_step, zstd_end
#else
#define ZSTD_FUNCTIONS NULL, NULL, NULL
#endif

/* ---- Choice of a library -------------------------------------------------------------------- */

static const codec codecs[] = { { ".gz", "gzip", GZIP_FUNCTIONS },
                                { ".xz", "xz", XZ_FUNCTIONS },
                                { ".zst", "zstd", ZSTD_FUNCTIONS } };

/* The codec for a path; NULL: the path is not compressed. */
static const codec *codec_of(const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < PEN_COUNT_OF(codecs); i++) {
        size_t own = strlen(codecs[i].ending);
        if (length > own && strcmp(path + length - own, codecs[i].ending) == 0) return &codecs[i];
    }
    return NULL;
}

bool pen_path_is_compressed(const char *path) { return codec_of(path) != NULL; }

bool pen_path_ends_in(const char *path, const char *ending)
{
    const codec *c = codec_of(path);
    size_t length = strlen(path) - (c ? strlen(c->ending) : 0), own = strlen(ending);
    return length > own && strncmp(path + length - own, ending, own) == 0;
}

/* Refuse a path that has this ending with some letters in capitals. */
static pen_status refuse_capitals(const char *path, const char *ending, size_t own)
{
    const size_t length = strlen(path);
    const char *end = length > own ? path + length - own : path;
    if (length <= own || strncasecmp(end, ending, own) != 0 || strncmp(end, ending, own) == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: write its ending in small letters: %.*s", path, (int)own, ending);
}

pen_status pen_path_check_ending(const char *path, const char *endings)
{
    for (int i = 0; i < PEN_COUNT_OF(codecs); i++)
        PEN_TRY(refuse_capitals(path, codecs[i].ending, strlen(codecs[i].ending)));
    for (size_t length = strcspn(endings, " "); length > 0; length = strcspn(endings, " ")) {
        PEN_TRY(refuse_capitals(path, endings, length));
        endings += length + strspn(endings + length, " ");
    }
    return PEN_OK;
}

/* Begin to pack or unpack with the path's library. */
static pen_status begin(const char *path, bool pack, const codec **c, void **state)
{
    *c = codec_of(path);
    *state = NULL;
    if (!(*c)->begin) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: this build of Penumbra has no %s", path, (*c)->name);
    if ((*c)->begin(state, pack) == PEN_OK) return PEN_OK;
    if (*state) (*c)->end(*state, pack);
    return pen_fail(PEN_ERR_MEMORY, "out of memory for %s", (*c)->name);
}

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct unpacker {
    pen_byte_source packed;
    const char *path; /* the path, owned by the caller */
    const codec *codec;
    void *state;
    bool packed_ended;
    bool inside; /* a member of the archive has begun and not ended. At first true, since there must be a member. */
    const unsigned char *next;
    size_t left; /* number of unread bytes of `buffer`, from `next` on */
    unsigned char buffer[CHUNK];
} unpacker;

static void close_unpacker(void *state)
{
    unpacker *u = state;
    u->codec->end(u->state, false);
    u->packed.close(u->packed.state);
    free(u);
}

static pen_status unpack_some(unpacker *u, char *to, size_t room, size_t *made)
{
    step s = { .from = u->next, .left = u->left, .to = (unsigned char *)to, .room = room };
    bool another = !u->inside;
    if (another && u->left == 0) return PEN_OK;
    pen_status status = u->codec->step(u->state, &s, false);
    if (status == PEN_ERR_MEMORY) return pen_fail(status, "out of memory for %s", u->codec->name);
    if (status != PEN_OK)
        return pen_fail(status, "%s: the %s archive is corrupt%s: %s", u->path, u->codec->name,
                        another ? ", or something else follows it" : "", s.fault);
    *made = room - s.room;
    u->next = s.from;
    u->left = s.left;
    u->inside = !s.member_ended;
    return PEN_OK;
}

static int64_t unpack(void *state, char *to, int64_t room)
{
    unpacker *u = state;
    for (;;) {
        if (u->left == 0 && !u->packed_ended) {
            int64_t got = u->packed.read(u->packed.state, (char *)u->buffer, CHUNK);
            if (got < 0) return -1;
            u->next = u->buffer;
            u->left = (size_t)got;
            u->packed_ended = got == 0;
        }
        size_t made = 0, before = u->left;
        if (unpack_some(u, to, room < CHUNK ? (size_t)room : CHUNK, &made) != PEN_OK) return -1;
        if (made > 0 || (u->packed_ended && !u->inside && u->left == 0)) return (int64_t)made;
        if (u->packed_ended && u->left == before) {
            pen_fail(PEN_ERR_INPUT, "%s: the %s archive is truncated", u->path, u->codec->name);
            return -1;
        }
    }
}

pen_status pen_decompress(const char *path, pen_byte_source *source)
{
    unpacker *u;
    pen_status status = PEN_ALLOC_ZERO(&u, 1);
    if (status == PEN_OK) status = begin(path, false, &u->codec, &u->state);
    if (status != PEN_OK) {
        source->close(source->state);
        *source = (pen_byte_source){ 0 };
        free(u);
        return status;
    }
    u->packed = *source;
    u->path = path;
    u->inside = true;
    *source = (pen_byte_source){ u, unpack, close_unpacker };
    return PEN_OK;
}

/* ---- Writing -------------------------------------------------------------------------------- */

typedef struct packer {
    pen_byte_sink packed;
    const codec *codec;
    void *state;
    unsigned char buffer[CHUNK];
} packer;

static void close_packer(void *state)
{
    packer *p = state;
    p->codec->end(p->state, true);
    p->packed.close(p->packed.state);
    free(p);
}

/* Pack `size` bytes and write the output; if `last`, also write the end of the archive. */
static pen_status pack_bytes(packer *p, const char *bytes, int64_t size, bool last)
{
    const unsigned char *from = (const unsigned char *)bytes;
    for (bool done = size == 0 && !last; !done;) {
        step s = {
            .from = from, .left = size < CHUNK ? (size_t)size : CHUNK, .to = p->buffer, .room = CHUNK, .last = last
        };
        pen_status status = p->codec->step(p->state, &s, true);
        if (status != PEN_OK) return pen_fail(status, "%s cannot pack", p->codec->name);
        size -= s.from - from;
        from = s.from;
        done = last ? s.member_ended : size == 0;
        if (s.room < CHUNK)
            PEN_TRY(p->packed.write(p->packed.state, (const char *)p->buffer, (int64_t)(CHUNK - s.room)));
    }
    return PEN_OK;
}

static pen_status pack(void *state, const char *bytes, int64_t size) { return pack_bytes(state, bytes, size, false); }

static pen_status finish(void *state)
{
    packer *p = state;
    PEN_TRY(pack_bytes(p, "", 0, true));
    return p->packed.finish(p->packed.state);
}

pen_status pen_compress(const char *path, pen_byte_sink *sink)
{
    packer *p;
    pen_status status = PEN_ALLOC_ZERO(&p, 1);
    if (status == PEN_OK) status = begin(path, true, &p->codec, &p->state);
    if (status != PEN_OK) {
        sink->close(sink->state);
        *sink = (pen_byte_sink){ 0 };
        free(p);
        return status;
    }
    p->packed = *sink;
    *sink = (pen_byte_sink){ p, pack, finish, close_packer };
    return PEN_OK;
}
