/* input.c - opens texts. */
#include "tools/graph/input.h"
#include "base/memory.h"
#include "tools/common/ticker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file_source {
    int file;
    const char *name;   /* name of the text */
    int64_t done, size; /* bytes that were read, and those of the file, -1: unknown */
} file_source;

static int64_t file_read(void *state, char *to, int64_t room)
{
    file_source *s = state;
    pen_ticker_bytes("reading", s->name, s->done, s->size);
    ssize_t got;
    do got = read(s->file, to, (size_t)room);
    while (got < 0 && errno == EINTR);
    if (got < 0) pen_fail(PEN_ERR_IO, "cannot read %s: %s", s->name, strerror(errno));
    else s->done += got;
    return got;
}

static void file_close(void *state)
{
    file_source *s = state;
    pen_ticker_end();
    if (s->file > STDIN_FILENO) close(s->file);
    free(s);
}

static pen_status file_open(const char *path, const char *name, pen_byte_source *source, int64_t *size)
{
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", name, strerror(errno));
    /* A device is refused, since it may be endless. */
    const char *what = S_ISDIR(about.st_mode) ? "directory" : "device";
    if (file != STDIN_FILENO && !S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode)) {
        close(file);
        return pen_fail(PEN_ERR_IO, "cannot read %s: it is a %s", name, what);
    }
    *size = S_ISREG(about.st_mode) ? (int64_t)about.st_size : -1;
    if (*size >= 0 && file == STDIN_FILENO) *size -= (int64_t)lseek(file, 0, SEEK_CUR);
    file_source *s;
    if (PEN_ALLOC(&s, 1) != PEN_OK) {
        if (file != STDIN_FILENO) close(file);
        return PEN_ERR_MEMORY;
    }
    *s = (file_source){ file, name, 0, *size };
    *source = (pen_byte_source){ s, file_read, file_close };
    return PEN_OK;
}

pen_status pen_input_open(const char *path, pen_scanner *in)
{
    pen_byte_source source;
    int64_t size = -1;
    *in = (pen_scanner){ .name = strcmp(path, "-") == 0 ? "<standard input>" : path };
    PEN_TRY(file_open(path, in->name, &source, &size));
    if (!pen_path_is_compressed(path)) return pen_scanner_open(in->name, source, size, in);
    PEN_TRY(pen_decompress(path, &source));
    return pen_scanner_open(in->name, source, -1, in);
}
