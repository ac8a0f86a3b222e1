/* text_file.c - opens and reads files safely. */
#include "base/text_file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

typedef enum kinds { REGULAR, OWN, OR_PIPE } kinds;

static const char *find_fault(int file, kinds may_be, struct stat *about)
{
    if (file < 0) return may_be == OWN && errno == ELOOP ? "a symbolic link" : strerror(errno);
    if (fstat(file, about) != 0) return strerror(errno);
    if (!S_ISREG(about->st_mode) && !(may_be == OR_PIPE && S_ISFIFO(about->st_mode))) return "not a regular file";
    return may_be == OWN && about->st_uid != geteuid() ? "it belongs to another user" : NULL;
}

/* Open a file without waiting: opening a pipe that has no writer does not block. */
static pen_status open_file(const char *path, kinds may_be, int *file, struct stat *about)
{
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (may_be == OWN ? O_NOFOLLOW : 0));
    const char *why = find_fault(*file, may_be, about);
    if (!why) return PEN_OK;
    if (*file >= 0) close(*file);
    *file = -1;
    return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, why);
}

static pen_status make_stream(const char *path, int opened, FILE **file)
{
    *file = fdopen(opened, "rb");
    if (*file) return PEN_OK;
    pen_status status = pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    close(opened);
    return status;
}

pen_status pen_regular_descriptor(const char *path, bool own, int *file, int64_t *size)
{
    struct stat about;
    PEN_TRY(open_file(path, own ? OWN : REGULAR, file, &about));
    *size = (int64_t)about.st_size;
    return PEN_OK;
}

pen_status pen_regular_open(const char *path, bool own, FILE **file, int64_t *size)
{
    int opened;
    *file = NULL;
    PEN_TRY(pen_regular_descriptor(path, own, &opened, size));
    return make_stream(path, opened, file);
}

pen_status pen_read_at(int file, const char *path, void *to, int64_t size, int64_t offset)
{
    char *at = (char *)to;
    while (size > 0) {
        ssize_t got = pread(file, at, (size_t)size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, got < 0 ? strerror(errno) : "it became shorter");
        at += got;
        size -= got;
        offset += got;
    }
    return PEN_OK;
}

pen_status pen_text_open(const char *path, FILE **file)
{
    struct stat about;
    int opened;
    *file = NULL;
    PEN_TRY(open_file(path, OR_PIPE, &opened, &about));
    (void)fcntl(opened, F_SETFL, 0); /* from now on, reading a pipe waits for its writer */
    return make_stream(path, opened, file);
}

/* Refuse a text that has a zero byte. */
static pen_status refuse_zero(const char *what, const char *path, const char *text)
{
    int64_t line = 1;
    for (; *text; text++) line += *text == '\n';
    return pen_fail(PEN_ERR_INPUT, "%s %s:%" PRId64 ": a zero byte, not a text file", what, path, line);
}

pen_status pen_text_read(const char *what, const char *path, FILE *file, char **text)
{
    int64_t size = 0, room = 0;
    struct stat about;
    while (!feof(file) && !ferror(file)) {
        PEN_TRY(pen_reserve(text, 1, size + 4096, &room));
        size += (int64_t)fread(*text + size, 1, (size_t)(room - 1 - size), file);
        if (size > MOST_BYTES) return pen_fail(PEN_ERR_INPUT, "%s file %s is larger than 1 GiB", what, path);
    }
    if (ferror(file)) return pen_fail(PEN_ERR_IO, "%s file %s: %s", what, path, strerror(errno));
    if (size == 0 && fstat(fileno(file), &about) == 0 && S_ISFIFO(about.st_mode))
        return pen_fail(PEN_ERR_INPUT, "%s file %s: a pipe into which nothing is written", what, path);
    (*text)[size] = '\0';
    return (int64_t)strlen(*text) == size ? PEN_OK : refuse_zero(what, path, *text);
}

pen_status pen_text_distribute(pen_comm *comm, char **text)
{
    int64_t size = *text ? (int64_t)strlen(*text) + 1 : 0;
    PEN_TRY(pen_broadcast(comm, &size, (int)sizeof size, 0));
    PEN_TRY(pen_agree(comm, *text ? PEN_OK : PEN_ALLOC(text, size)));
    PEN_TRY(pen_broadcast(comm, *text, (int)size, 0)); /* the size is at most MOST_BYTES */
    return PEN_OK;
}

static pen_status open_and_read(const char *what, const char *path, char **text)
{
    FILE *file;
    if (pen_text_open(path, &file) != PEN_OK) return pen_fail(PEN_ERR_IO, "%s %s", what, pen_error_message());
    pen_status status = pen_text_read(what, path, file, text);
    fclose(file);
    return status;
}

pen_status pen_text_load(pen_comm *comm, const char *what, const char *path, char **text)
{
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? open_and_read(what, path, text) : PEN_OK));
    return pen_text_distribute(comm, text);
}
