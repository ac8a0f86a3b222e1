#include "base/output.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- One process ---------------------------------------------------------------------------- */

enum { DIGITS = 16, MOST_TRIES = 100 };
static const char SUFFIX[] = ".unfinished-"; /* and not ".part", as METIS calls its partitions */
static const pen_new_file nothing = PEN_NO_FILE;

static pen_status cannot(const char *what, const char *path)
{
    return pen_fail(PEN_ERR_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

bool pen_file_is_at(int file, const char *path)
{
    struct stat ours, there;
    return fstat(file, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

bool pen_file_is_special(const char *path)
{
    static const char open_files[] = "/proc/";
    char target[sizeof open_files - 1];
    struct stat found;
    const bool is_link = readlink(path, target, sizeof target) == (ssize_t)sizeof target;
    if (is_link && memcmp(target, open_files, sizeof target) == 0) return true;
    return stat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

/* ---- Making it ---------------------------------------------------------------------------------- */

static pen_status name_it(const char *path, pen_new_file *f)
{
    const size_t room = strlen(path) + sizeof SUFFIX + DIGITS;
    PEN_TRY(pen_copy_text(path, &f->path));
    return PEN_ALLOC(&f->beside, (int64_t)room);
}

static void mark_it(pen_new_file *f, int64_t mark)
{
    f->mark = mark;
    snprintf(f->beside, strlen(f->path) + sizeof SUFFIX + DIGITS, "%s%s%0*" PRIx64, f->path, SUFFIX, DIGITS,
             (uint64_t)mark);
}

static void forget(pen_new_file *f)
{
    if (f->file >= 0) close(f->file);
    PEN_FREE_ALL(f->path, f->beside);
    *f = nothing;
}

/* Whether the lock is ours (as far as this file system has locks), and no other process had removed the file as stale
 * before we got it. */
static bool is_claimed(const pen_new_file *f)
{
    if (flock(f->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return pen_file_is_at(f->file, f->beside);
}

static pen_status open_it(pen_new_file *f)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        uint64_t drawn;
        if (getentropy(&drawn, sizeof drawn) != 0) return cannot("draw a name for", f->path);
        mark_it(f, (int64_t)(drawn >> 1));
        f->file = open(f->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (f->file < 0 && errno != EEXIST) return cannot("create", f->path);
        if (f->file < 0) continue;
        if (is_claimed(f)) return PEN_OK;
        unlink(f->beside);
        close(f->file);
        f->file = -1;
    }
    return pen_fail(PEN_ERR_IO, "%s: cannot create: temporary files in its folder vanish", f->path);
}

pen_status pen_new_file_create(const char *path, pen_new_file *f)
{
    *f = nothing;
    if (pen_file_is_special(path)) return pen_fail(PEN_ERR_IO, "%s: cannot write: not a regular file", path);
    pen_status status = name_it(path, f);
    if (status == PEN_OK) status = open_it(f);
    if (status != PEN_OK) forget(f);
    return status;
}

pen_status pen_new_file_join(const char *path, int64_t mark, pen_new_file *f)
{
    *f = nothing;
    pen_status status = name_it(path, f);
    if (status == PEN_OK) {
        mark_it(f, mark);
        f->file = open(f->beside, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
        if (f->file < 0) status = cannot("open (do all hosts see this folder?)", f->path);
    }
    if (status != PEN_OK) forget(f);
    return status;
}

int pen_new_file_in_place(const char *path)
{
    (void)unlink(path); /* where that may not be, the file that is there has to do */
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
    return open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* ---- The end of it ------------------------------------------------------------------------------- */

static pen_status close_it(pen_new_file *f)
{
    int file = f->file;
    f->file = -1;
    return file >= 0 && close(file) != 0 ? cannot("close", f->path) : PEN_OK;
}

pen_status pen_new_file_finish(pen_new_file *f, pen_status status)
{
    if (!f->path) return status;
    const int lock = f->file < 0
                         ? -1
                         : fcntl(f->file, F_DUPFD_CLOEXEC, 0); /* other processes remove files that are not locked */
    const pen_status closed = close_it(f);
    if (status == PEN_OK) status = closed;
    if (status == PEN_OK && rename(f->beside, f->path) != 0) status = cannot("rename", f->beside);
    if (status != PEN_OK) unlink(f->beside);
    if (lock >= 0) close(lock);
    forget(f);
    return status;
}

pen_status pen_new_file_leave(pen_new_file *f)
{
    const pen_status status = close_it(f);
    forget(f);
    return status;
}

/* ---- What is left behind --------------------------------------------------------------------------- */

size_t pen_new_file_stem(const char *name)
{
    const size_t length = strlen(name), ending = sizeof SUFFIX - 1 + DIGITS;
    if (length <= ending) return 0;
    const char *suffix = name + length - ending, *digits = suffix + sizeof SUFFIX - 1;
    const bool is_one = strncmp(suffix, SUFFIX, sizeof SUFFIX - 1) == 0 && strspn(digits, "0123456789abcdef") == DIGITS;
    return is_one ? length - ending : 0;
}

void pen_new_file_sweep_one(int folder, const char *name)
{
    int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(file);
}

/* The folder of a path, open; NULL: it is not there, or cannot be looked into. */
static DIR *open_folder(const char *path, size_t length)
{
    char *folder;
    if (length == 0) return opendir(".");
    if (pen_copy_text(path, &folder) != PEN_OK) return NULL;
    folder[length] = '\0';
    DIR *opened = opendir(folder);
    free(folder);
    return opened;
}

void pen_new_file_sweep(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    DIR *folder = open_folder(path, (size_t)(base - path));
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (pen_new_file_stem(entry->d_name) == strlen(base) && strncmp(entry->d_name, base, strlen(base)) == 0)
            pen_new_file_sweep_one(dirfd(folder), entry->d_name);
    closedir(folder);
}

/* A file system that fills up writes a part, and reports the error in the next call. */
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

pen_status pen_file_sync(int file, const char *path)
{
    if (fsync(file) == 0 || errno == EINVAL || errno == ENOSYS) return PEN_OK; /* some files have no disk */
    return pen_fail(PEN_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

/* ---- All ranks ------------------------------------------------------------------------------ */

struct pen_output {
    pen_comm *comm;
    pen_new_file file;
    bool put_off; /* its bytes are on the disk later than its name */
};

pen_status pen_output_create(pen_comm *comm, const char *path, pen_output **output)
{
    pen_output *o;
    pen_status status = PEN_ALLOC_ZERO(&o, 1);
    int64_t mark = 0;
    if (status == PEN_OK) {
        *o = (pen_output){ .comm = comm, .file = PEN_NO_FILE };
        if (comm->rank == 0) status = pen_new_file_create(path, &o->file);
        mark = o->file.mark;
    }
    status = pen_agree_with(comm, status, path, &mark);
    if (status != PEN_OK) {
        if (o) status = pen_new_file_finish(&o->file, status);
        free(o);
        return status;
    }
    status = pen_agree(comm, comm->rank > 0 ? pen_new_file_join(path, mark, &o->file) : PEN_OK);
    if (status != PEN_OK) return pen_output_commit(&o, status);
    *output = o;
    return PEN_OK;
}

pen_status pen_output_write(pen_output *output, const void *bytes, int64_t size, int64_t offset)
{
    return pen_write_at(output->file.file, output->file.path, bytes, size, offset);
}

void pen_output_put_off(pen_output *output) { output->put_off = true; }

pen_status pen_output_settle(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return PEN_OK; /* it has been removed since */
    if (file < 0) return pen_fail(PEN_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    pen_status status = pen_file_sync(file, path);
    close(file);
    return status;
}

/* Its bytes are on the disk before its name is, or a host that loses power would leave the name alone. */
static pen_status give_name(pen_output *o, pen_status status)
{
    if (status == PEN_OK && !o->put_off) status = pen_file_sync(o->file.file, o->file.path);
    return pen_new_file_finish(&o->file, status);
}

pen_status pen_output_commit(pen_output **output, pen_status mine)
{
    pen_output *o = *output;
    const bool first = o->comm->rank == 0;
    const pen_status closed = first ? PEN_OK : pen_new_file_leave(&o->file);
    pen_status status = pen_agree(o->comm, mine == PEN_OK ? closed : mine);
    if (first) mine = give_name(o, status);
    if (status == PEN_OK) status = pen_agree(o->comm, mine);
    free(o);
    *output = NULL;
    return status;
}

pen_status pen_output_alone(const char *path, const char *text, size_t size)
{
    pen_new_file file;
    PEN_TRY(pen_new_file_create(path, &file));
    pen_status status = pen_write_at(file.file, path, text, (int64_t)size, 0);
    if (status == PEN_OK) status = pen_file_sync(file.file, path);
    return pen_new_file_finish(&file, status);
}

pen_status pen_output_text(pen_comm *comm, const char *path, const char *text, size_t size, pen_status mine)
{
    PEN_TRY(pen_agree_equal(comm, mine, &(pen_argument){ "path", path, 0 }, 1));
    if (comm->rank == 0) mine = pen_output_alone(path, text, size);
    return pen_agree(comm, mine);
}

pen_status pen_output_check(pen_comm *comm, const char *path)
{
    pen_output *output = NULL;
    if (comm->rank == 0) pen_new_file_sweep(path);
    PEN_TRY(pen_output_create(comm, path, &output));
    pen_status removed = pen_output_commit(&output, PEN_ERR_IO);
    (void)removed;
    return PEN_OK;
}
