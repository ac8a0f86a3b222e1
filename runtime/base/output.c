#include "base/output.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct pen_output {
    pen_comm *comm;
    char *path, *beside;
    int file;
    bool put_off; /* its bytes are on the disk later than its name */
};

static pen_status fail_io(const char *what, const char *path)
{
    return pen_fail(PEN_ERR_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

pen_status pen_output_beside(const char *path, char **beside)
{
    static const char suffix[] = PEN_OUTPUT_SUFFIX; /* and not ".part", as METIS calls its partitions */
    const size_t room = strlen(path) + sizeof suffix;
    PEN_TRY(PEN_ALLOC(beside, (int64_t)room));
    snprintf(*beside, room, "%s%s", path, suffix);
    return PEN_OK;
}

int pen_output_new_file(const char *path)
{
    (void)unlink(path); /* where that may not be, the file that is there has to do */
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

bool pen_output_is_at(int file, const char *path)
{
    struct stat ours, there;
    return fstat(file, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

static pen_status create_beside(pen_output *output)
{
    struct stat found;
    if (stat(output->path, &found) == 0 && !S_ISREG(found.st_mode))
        return pen_fail(PEN_ERR_IO, "%s: cannot write: not a regular file", output->path);
    output->file = pen_output_new_file(output->beside);
    return output->file < 0 ? fail_io("create", output->beside) : PEN_OK;
}

static void free_output(pen_output **output)
{
    pen_output *o = *output;
    if (!o) return;
    PEN_FREE_ALL(o->path, o->beside, o);
    *output = NULL;
}

pen_status pen_output_create(pen_comm *comm, const char *path, pen_output **output)
{
    pen_output *o;
    PEN_TRY(pen_equal_text(comm, "path", path));
    pen_status status = PEN_ALLOC_ZERO(&o, 1);
    if (status == PEN_OK) {
        o->comm = comm;
        o->file = -1;
        status = pen_copy_text(path, &o->path);
        if (status == PEN_OK) status = pen_output_beside(path, &o->beside);
        if (status == PEN_OK && comm->rank == 0) status = create_beside(o);
    }
    status = pen_agree(comm, status);
    if (status != PEN_OK) {
        if (o && o->file >= 0) {
            close(o->file);
            unlink(o->beside);
        }
        free_output(&o);
        return status;
    }
    if (comm->rank > 0) {
        o->file = open(o->beside, O_WRONLY);
        if (o->file < 0) status = fail_io("open (do all hosts see this folder?)", o->beside);
    }
    status = pen_agree(comm, status);
    if (status != PEN_OK) return pen_output_commit(&o, status);
    *output = o;
    return PEN_OK;
}

pen_status pen_output_write(pen_output *output, const void *bytes, int64_t size, int64_t offset)
{
    const char *from = (const char *)bytes;
    while (size > 0) {
        ssize_t written = pwrite(output->file, from, (size_t)size, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail_io("write", output->path);
        from += written;
        size -= written;
        offset += written;
    }
    return PEN_OK;
}

static pen_status close_file(pen_output *o)
{
    int file = o->file;
    o->file = -1;
    return file >= 0 && close(file) != 0 ? fail_io("close", o->beside) : PEN_OK;
}

static pen_status flush(int file, const char *path)
{
    return fsync(file) != 0 && errno != EINVAL && errno != ENOSYS ? fail_io("write", path) : PEN_OK;
}

/* Its bytes are on the disk before its name is, or a host that loses power would leave the name alone. */
static pen_status give_name(pen_output *o)
{
    if (!o->put_off) PEN_TRY(flush(o->file, o->beside));
    if (!pen_output_is_at(o->file, o->beside))
        return pen_fail(PEN_ERR_IO, "%s: cannot write: another run writes it, too", o->path);
    PEN_TRY(close_file(o));
    return rename(o->beside, o->path) != 0 ? fail_io("rename", o->beside) : PEN_OK;
}

void pen_output_put_off(pen_output *output) { output->put_off = true; }

pen_status pen_output_settle(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno == ENOENT ? PEN_OK : fail_io("open", path); /* somebody does not want it any more */
    pen_status status = flush(file, path);
    close(file);
    return status;
}

pen_status pen_output_commit(pen_output **output, pen_status mine)
{
    pen_output *o = *output;
    bool first = o->comm->rank == 0;
    if (!first && mine == PEN_OK) mine = close_file(o);
    pen_status status = pen_agree(o->comm, mine);
    if (first && status == PEN_OK) mine = give_name(o);
    if (status == PEN_OK) status = pen_agree(o->comm, mine);
    if (first && status != PEN_OK && (o->file < 0 || pen_output_is_at(o->file, o->beside))) unlink(o->beside);
    if (o->file >= 0) close(o->file);
    free_output(output);
    return status;
}

static pen_status write_whole(pen_output *o, const char *path, const char *text, size_t size)
{
    PEN_TRY(pen_copy_text(path, &o->path));
    PEN_TRY(pen_output_beside(path, &o->beside));
    PEN_TRY(create_beside(o));
    pen_status status = pen_output_write(o, text, (int64_t)size, 0);
    if (status == PEN_OK) status = give_name(o);
    if (status != PEN_OK && (o->file < 0 || pen_output_is_at(o->file, o->beside))) unlink(o->beside);
    if (o->file >= 0) close(o->file);
    return status;
}

pen_status pen_output_alone(const char *path, const char *text, size_t size)
{
    pen_output o = { .file = -1 };
    pen_status status = write_whole(&o, path, text, size);
    PEN_FREE_ALL(o.path, o.beside);
    return status;
}

pen_status pen_output_text(pen_comm *comm, const char *path, const char *text, size_t size, pen_status mine)
{
    PEN_TRY(pen_equal_text(comm, "path", path));
    PEN_TRY(pen_agree(comm, mine));
    if (comm->rank == 0) mine = pen_output_alone(path, text, size);
    return pen_agree(comm, mine);
}

pen_status pen_output_check(pen_comm *comm, const char *path)
{
    pen_output *output = NULL;
    PEN_TRY(pen_output_create(comm, path, &output));
    pen_status removed = pen_output_commit(&output, PEN_ERR_IO);
    (void)removed;
    return PEN_OK;
}
