/* source.c - reads the bytes of input files, unpacking them if needed. */
#include "input/source.h"
#include "base/text_file.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16 };

typedef struct file_source {
    FILE *file;
    const char *path;
} file_source;

static pen_status io_failure(const char *path) { return pen_fail(PEN_ERR_IO, "%s: %s", path, strerror(errno)); }

static int64_t file_read(void *state, char *to, int64_t room)
{
    const file_source *s = (const file_source *)state;
    size_t got = fread(to, 1, (size_t)room, s->file);
    if (got > 0 || !ferror(s->file)) return (int64_t)got;
    (void)io_failure(s->path);
    return -1;
}

static void file_close(void *state)
{
    file_source *s = (file_source *)state;
    fclose(s->file);
    free(s);
}

static pen_status open_plain(const char *path, pen_byte_source *source, int64_t *size)
{
    file_source *s;
    PEN_TRY(PEN_ALLOC_ZERO(&s, 1));
    s->path = path;
    pen_status status = pen_regular_open(path, false, &s->file, size);
    if (status != PEN_OK) free(s);
    else *source = (pen_byte_source){ s, file_read, file_close };
    return status;
}

static pen_status skip(pen_byte_source *source, const char *path, int64_t offset)
{
    char chunk[CHUNK];
    for (int64_t got; offset > 0; offset -= got) {
        PEN_TRY(pen_source_read(source, chunk, offset < CHUNK ? offset : CHUNK, &got));
        if (got == 0) return pen_fail(PEN_ERR_INPUT, "%s: became shorter while it was read", path);
    }
    return PEN_OK;
}

pen_status pen_source_open(const char *path, int64_t offset, pen_byte_source *source, int64_t *size)
{
    int64_t bytes;
    PEN_TRY(open_plain(path, source, &bytes));
    pen_status status = PEN_OK;
    if (pen_path_is_compressed(path)) {
        bytes = -1;
        PEN_TRY(pen_decompress(path, source));
        status = skip(source, path, offset);
    } else if (fseeko(((file_source *)source->state)->file, (off_t)offset, SEEK_SET) != 0) {
        status = io_failure(path);
    }
    if (status != PEN_OK) pen_source_close(source);
    else if (size) *size = bytes;
    return status;
}

void pen_source_close(pen_byte_source *source)
{
    if (source->close) source->close(source->state);
    *source = (pen_byte_source){ 0 };
}

pen_status pen_source_read(pen_byte_source *source, char *to, int64_t size, int64_t *got)
{
    for (*got = 0; *got < size;) {
        int64_t some = source->read(source->state, to + *got, size - *got);
        if (some < 0) return PEN_ERR_IO; /* the reader has set the message */
        if (some == 0) break;
        *got += some;
    }
    return PEN_OK;
}

/* Write the remaining bytes to a file. */
static pen_status unpack(pen_byte_source *source, const char *path, FILE *file, int64_t *size)
{
    char chunk[CHUNK];
    *size = 0;
    for (int64_t got = CHUNK; got > 0; *size += got) {
        PEN_TRY(pen_source_read(source, chunk, CHUNK, &got));
        if (fwrite(chunk, 1, (size_t)got, file) != (size_t)got)
            return pen_fail(PEN_ERR_IO, "%s: cannot write the unpacked data: %s", path, strerror(errno));
    }
    return PEN_OK;
}

pen_status pen_source_file(const char *path, FILE **file, int64_t *size)
{
    pen_byte_source source;
    if (!pen_path_is_compressed(path)) return pen_regular_open(path, false, file, size);
    PEN_TRY(pen_source_open(path, 0, &source, NULL));
    *file = tmpfile();
    pen_status status = *file ? unpack(&source, path, *file, size)
                              : pen_fail(PEN_ERR_IO, "%s: cannot create a file for the unpacked data: %s", path,
                                         strerror(errno));
    pen_source_close(&source);
    if (status == PEN_OK || !*file) return status;
    fclose(*file);
    *file = NULL;
    return status;
}
