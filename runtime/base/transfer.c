#include "base/transfer.h"

#include <errno.h>
#include <unistd.h>

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

/* A file system that fills up takes what there is room for, and says so the next time. */
pen_status pen_write_at(int file, const char *path, const void *from, int64_t size, int64_t offset)
{
    const char *at = (const char *)from;
    while (size > 0) {
        ssize_t put = pwrite(file, at, (size_t)size, (off_t)offset);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) return pen_fail(PEN_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
        at += put;
        size -= put;
        offset += put;
    }
    return PEN_OK;
}

pen_status pen_store(int file, const char *path)
{
    if (fsync(file) == 0 || errno == EINVAL || errno == ENOSYS) return PEN_OK; /* some files have no disk */
    return pen_fail(PEN_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}
