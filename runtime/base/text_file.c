#include "base/text_file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

pen_status pen_regular_open(const char *path, FILE **file, int64_t *size)
{
    struct stat about;
    int opened = open(path, O_RDONLY | O_NONBLOCK); /* a pipe without a writer does not hold us up */
    *file = NULL;
    if (opened >= 0 && fstat(opened, &about) == 0 && S_ISREG(about.st_mode)) *file = fdopen(opened, "rb");
    else if (opened >= 0) errno = 0;
    if (*file) {
        *size = (int64_t)about.st_size;
        return PEN_OK;
    }
    const char *why = errno ? strerror(errno) : "not a regular file";
    if (opened >= 0) close(opened);
    return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, why);
}

pen_status pen_text_read(const char *what, const char *path, FILE *file, char **text)
{
    int64_t size = 0, room = 0;
    while (!feof(file) && !ferror(file)) {
        PEN_TRY(pen_reserve(text, 1, size + 4096, &room));
        size += (int64_t)fread(*text + size, 1, (size_t)(room - 1 - size), file);
        if (size > MOST_BYTES) return pen_fail(PEN_ERR_INPUT, "%s file %s is larger than 1 GiB", what, path);
    }
    if (ferror(file)) return pen_fail(PEN_ERR_IO, "%s file %s: %s", what, path, strerror(errno));
    (*text)[size] = '\0';
    return PEN_OK;
}

pen_status pen_text_distribute(pen_comm *comm, char **text)
{
    int64_t size = *text ? (int64_t)strlen(*text) + 1 : 0;
    PEN_MPI(MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm->mpi));
    PEN_TRY(pen_agree(comm, *text ? PEN_OK : PEN_ALLOC(text, size)));
    PEN_MPI(MPI_Bcast(*text, (int)size, MPI_CHAR, 0, comm->mpi)); /* at most MOST_BYTES */
    return PEN_OK;
}

static pen_status open_and_read(const char *what, const char *path, char **text)
{
    FILE *file = fopen(path, "r");
    if (!file) return pen_fail(PEN_ERR_IO, "%s %s: %s", what, path, strerror(errno));
    pen_status status = pen_text_read(what, path, file, text);
    fclose(file);
    return status;
}

pen_status pen_text_load(pen_comm *comm, const char *what, const char *path, char **text)
{
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? open_and_read(what, path, text) : PEN_OK));
    return pen_text_distribute(comm, text);
}
