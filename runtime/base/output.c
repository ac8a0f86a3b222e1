/* output.c - files that appear under their names only when they are complete. */
#define _GNU_SOURCE /* for O_TMPFILE */
#include "base/output.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names of files ------------------------------------------------------------------------- */

enum { DIGITS = 16, MOST_TRIES = 100 };
static const char SUFFIX[] = ".unfinished-"; /* METIS calls its partitions ".part", so this suffix is different */
static const pen_new_file nothing = PEN_NO_FILE;

static pen_status cannot(const char *what, const char *path)
{
    return pen_fail(PEN_ERR_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

pen_status pen_output_named(const char *what, const char *path)
{
    if (!*path) return pen_fail(PEN_ERR_INPUT, "%s needs the name of a file, and this one is empty", what);
    if (path[strlen(path) - 1] != '/') return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s needs the name of a file, and %s ends in a slash", what, path);
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

const char *pen_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

pen_status pen_path_folder(const char *path, char **folder)
{
    const size_t length = (size_t)(pen_path_base(path) - path);
    PEN_TRY(pen_copy_text(length > 0 ? path : ".", folder));
    if (length > 0) (*folder)[length] = '\0';
    return PEN_OK;
}

/* ---- Creation ------------------------------------------------------------------------------------- */

/* The words of a new file's id. MARK is the temporary name, or -1 for an open file without a name, which the other
 * words identify. */
enum { MARK, PROCESS, DESCRIPTOR, DEVICE, NUMBER };
_Static_assert(NUMBER + 1 == PEN_FILE_ID, "a word each");

enum { OPEN_NAME = 48 };

/* The name under which Linux shows a process's open file to all processes of its user. */
static void name_open_file(int64_t process, int64_t descriptor, char name[OPEN_NAME])
{
    snprintf(name, OPEN_NAME, "/proc/%" PRId64 "/fd/%" PRId64, process, descriptor);
}

static pen_status remember(const char *path, pen_new_file *f)
{
    const size_t room = strlen(path) + sizeof SUFFIX + DIGITS;
    *f = nothing;
    PEN_TRY(pen_copy_text(path, &f->path));
    PEN_TRY(PEN_ALLOC(&f->beside, (int64_t)room));
    f->beside[0] = '\0';
    return PEN_OK;
}

static void mark_it(pen_new_file *f, int64_t mark)
{
    f->id[MARK] = mark;
    snprintf(f->beside, strlen(f->path) + sizeof SUFFIX + DIGITS, "%s%s%0*" PRIx64, f->path, SUFFIX, DIGITS,
             (uint64_t)mark);
}

static bool is_marked(const pen_new_file *f) { return f->id[MARK] >= 0; }

static pen_status draw_mark(pen_new_file *f)
{
    uint64_t drawn;
    f->id[MARK] = -1;
    if (getentropy(&drawn, sizeof drawn) != 0) return cannot("draw a name for", f->path);
    mark_it(f, (int64_t)(drawn >> 1));
    return PEN_OK;
}

static void forget(pen_new_file *f)
{
    if (f->file >= 0) close(f->file);
    PEN_FREE_ALL(f->path, f->beside);
    *f = nothing;
}

/* Remove the file of an unfinished output. A file without a name needs no removal. */
static void remove_it(const pen_new_file *f)
{
    if (is_marked(f)) unlink(f->beside);
}

/* Open a file without a name, if the file system has such files and /proc shows them; otherwise it could not be named
 * later. */
static bool open_nameless(pen_new_file *f)
{
    char *folder, own[OPEN_NAME];
    struct stat about;
    if (pen_path_folder(f->path, &folder) != PEN_OK) return false;
    f->file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    free(folder);
    if (f->file < 0) return false;
    name_open_file(getpid(), f->file, own);
    if (fstat(f->file, &about) == 0 && pen_file_is_at(f->file, own)) {
        const int64_t id[] = { -1, getpid(), f->file, (int64_t)about.st_dev, (int64_t)about.st_ino };
        memcpy(f->id, id, sizeof id);
        return true;
    }
    close(f->file);
    f->file = -1;
    return false;
}

static pen_status open_marked(pen_new_file *f)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        PEN_TRY(draw_mark(f));
        f->file = open(f->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (f->file >= 0) return PEN_OK;
        if (errno != EEXIST) break;
    }
    return cannot("create", f->path);
}

pen_status pen_new_file_create(const char *path, pen_new_file *f)
{
    *f = nothing;
    PEN_TRY(pen_output_named("an output", path));
    if (pen_file_is_special(path)) return pen_fail(PEN_ERR_IO, "%s: cannot write: not a regular file", path);
    pen_status status = remember(path, f);
    if (status == PEN_OK && !open_nameless(f)) status = open_marked(f);
    if (status != PEN_OK) forget(f);
    return status;
}

/* Link a nameless file to its final name if `final`, or to an unpredictable temporary one. False: the name exists, and
 * its file is unchanged. */
static bool link_it(const pen_new_file *f, bool final)
{
    char own[OPEN_NAME];
    name_open_file(getpid(), f->file, own);
    return linkat(AT_FDCWD, own, AT_FDCWD, final ? f->path : f->beside, AT_SYMLINK_FOLLOW) == 0;
}

/* Give a nameless file a temporary name. */
static pen_status mark_nameless(pen_new_file *f)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        PEN_TRY(draw_mark(f));
        if (link_it(f, false)) return PEN_OK;
        if (errno != EEXIST) break;
    }
    f->id[MARK] = -1;
    return cannot("create", f->path);
}

/* ---- Files of another process ------------------------------------------------------------------------- */

/* Open the file with an id, and no other file that may have its name on this host; -1: this process does not see it. */
static int open_shown(const int64_t id[PEN_FILE_ID])
{
    char name[OPEN_NAME];
    struct stat there;
    name_open_file(id[PROCESS], id[DESCRIPTOR], name);
    if (stat(name, &there) != 0 || (int64_t)there.st_dev != id[DEVICE] || (int64_t)there.st_ino != id[NUMBER])
        return -1;
    int file = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && fstat(file, &there) == 0 && (int64_t)there.st_dev == id[DEVICE] &&
        (int64_t)there.st_ino == id[NUMBER])
        return file;
    if (file >= 0) close(file);
    return -1;
}

static pen_status join(const char *path, const int64_t id[PEN_FILE_ID], pen_new_file *f)
{
    pen_status status = remember(path, f);
    if (status != PEN_OK) {
        forget(f);
        return status;
    }
    if (id[MARK] < 0) {
        f->file = open_shown(id);
    } else {
        mark_it(f, id[MARK]);
        f->file = open(f->beside, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (f->file >= 0) return PEN_OK;
    status = cannot("open (do all hosts see this folder?)", path);
    forget(f);
    return status;
}

/* Collective. Open the file that rank 0 identifies by its id. *missing: some rank has not found it. */
static pen_status join_all(pen_comm *comm, pen_status mine, const char *path, pen_new_file *f, bool *missing)
{
    int64_t id[PEN_FILE_ID], any;
    memcpy(id, f->id, sizeof id);
    *missing = false;
    PEN_TRY(pen_agree_with(comm, mine, &(pen_argument){ "path", path, 0 }, 1, id, PEN_FILE_ID));
    if (comm->rank > 0 && !f->path) mine = join(path, id, f);
    PEN_TRY(pen_max_int(comm, mine != PEN_OK, &any));
    *missing = any != 0;
    return mine;
}

static pen_status create_for_all(pen_comm *comm, const char *path, pen_status mine, pen_new_file *f)
{
    bool missing;
    if (mine == PEN_OK && comm->rank == 0) mine = pen_new_file_create(path, f);
    if (mine == PEN_OK && comm->hosts > 1 && f->path && !is_marked(f)) mine = mark_nameless(f);
    mine = join_all(comm, mine, path, f, &missing);
    if (!missing) return mine;
    /* Processes in different containers of a host do not see each other's files in /proc. */
    mine = comm->rank == 0 && !is_marked(f) ? mark_nameless(f) : PEN_OK;
    mine = join_all(comm, mine, path, f, &missing);
    return missing ? pen_agree(comm, mine) : mine;
}

pen_status pen_new_file_create_shared(pen_comm *comm, const char *path, pen_status mine, pen_new_file *f)
{
    *f = nothing;
    const pen_status status = create_for_all(comm, path, mine, f);
    if (status == PEN_OK) return PEN_OK;
    if (f->path && comm->rank == 0) remove_it(f);
    forget(f);
    return status;
}

/* ---- Completion ---------------------------------------------------------------------------------- */

/* Close a copy of the descriptor. Some errors, such as an exceeded quota, are reported when a file is closed, and must
 * be known before the file has its name. A nameless file has to stay open until then. */
static pen_status close_copy(const pen_new_file *f)
{
    const int copy = f->file < 0 ? -1 : fcntl(f->file, F_DUPFD_CLOEXEC, 0);
    return f->file >= 0 && (copy < 0 || close(copy) != 0) ? cannot("close", f->path) : PEN_OK;
}

static pen_status give_name(pen_new_file *f)
{
    PEN_TRY(close_copy(f));
    if (!is_marked(f)) {
        if (link_it(f, true)) return PEN_OK;
        /* Renaming replaces an old file, which linking cannot; if linking failed for another reason, this fails,
         * too. */
        PEN_TRY(mark_nameless(f));
    }
    return rename(f->beside, f->path) == 0 ? PEN_OK : cannot("rename", f->beside);
}

pen_status pen_new_file_finish(pen_new_file *f, pen_status status)
{
    if (!f->path) return status;
    if (status == PEN_OK) status = give_name(f);
    if (status != PEN_OK) remove_it(f);
    forget(f);
    return status;
}

pen_status pen_new_file_leave(pen_new_file *f)
{
    const pen_status status = f->file >= 0 && close(f->file) != 0 ? cannot("close", f->path) : PEN_OK;
    f->file = -1;
    forget(f);
    return status;
}

/* ---- Remains of killed programs -------------------------------------------------------------------- */

/* The length of a temporary name without its suffix; 0: the name is not a temporary one. */
static size_t stem_of(const char *name)
{
    const size_t length = strlen(name), ending = sizeof SUFFIX - 1 + DIGITS;
    if (length <= ending) return 0;
    const char *suffix = name + length - ending, *digits = suffix + sizeof SUFFIX - 1;
    const bool is_one = strncmp(suffix, SUFFIX, sizeof SUFFIX - 1) == 0 && strspn(digits, "0123456789abcdef") == DIGITS;
    return is_one ? length - ending : 0;
}

/* Whether an entry of a folder is a temporary file of the name, or of a name for which `of` is true. */
static bool is_left(char *entry, const char *name, pen_name_test *of, const void *context)
{
    const size_t stem = stem_of(entry);
    if (stem == 0) return false;
    const char last = entry[stem];
    entry[stem] = '\0';
    const bool is = of ? of(context, entry) : strcmp(entry, name) == 0;
    entry[stem] = last;
    return is;
}

void pen_new_file_tell_left(const char *path, pen_name_test *of, const void *context)
{
    char *folder, *first = NULL;
    const char *base = pen_path_base(path);
    int64_t count = 0;
    if (pen_path_folder(path, &folder) != PEN_OK) return;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        if (!is_left(entry->d_name, base, of, context)) continue;
        if (count++ == 0 && pen_copy_text(entry->d_name, &first) != PEN_OK) first = NULL;
    }
    if (entries) closedir(entries);
    if (count > 0)
        pen_warn("%.*s%s%s is unfinished: the program that wrote it was killed, or still runs; nothing reads or "
                 "removes it",
                 (int)(base - path), path, first ? first : "a file", count > 1 ? ", and others like it," : "");
    PEN_FREE_ALL(folder, first);
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

/* If a file system fills up, it writes a part, and reports the error in the next call. */
pen_status pen_write_at(int file, const char *path, const void *from, int64_t size, int64_t offset)
{
    const char *at = (const char *)from;
    while (size > 0) {
        ssize_t put = pwrite(file, at, (size_t)size, (off_t)offset);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) return cannot("write", path);
        at += put;
        size -= put;
        offset += put;
    }
    return PEN_OK;
}

pen_status pen_stdout_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return PEN_OK;
    return pen_fail(PEN_ERR_IO, "writing to standard output failed");
}

pen_status pen_file_sync(int file, const char *path)
{
    if (fsync(file) == 0 || errno == EINVAL || errno == ENOSYS) return PEN_OK; /* some files are not on a disk */
    return cannot("write", path);
}

/* ---- All ranks ------------------------------------------------------------------------------ */

struct pen_output {
    pen_comm *comm;
    pen_new_file file;
    bool put_off; /* the file is named without syncing its bytes to the disk first: they are there, or will be later */
};

pen_status pen_output_create(pen_comm *comm, const char *path, pen_output **output)
{
    pen_output *o;
    pen_new_file file;
    pen_status status = PEN_ALLOC(&o, 1);
    status = pen_new_file_create_shared(comm, path, status, &file);
    if (status == PEN_OK) *o = (pen_output){ .comm = comm, .file = file };
    if (status == PEN_OK) *output = o;
    else free(o);
    return status;
}

pen_status pen_output_write(pen_output *output, const void *bytes, int64_t size, int64_t offset)
{
    return pen_write_at(output->file.file, output->file.path, bytes, size, offset);
}

void pen_output_put_off(pen_output *output) { output->put_off = true; }

pen_status pen_output_sync(pen_output *output)
{
    if (output->put_off || output->comm->rank > 0) return PEN_OK;
    PEN_TRY(pen_file_sync(output->file.file, output->file.path));
    output->put_off = true;
    return PEN_OK;
}

pen_status pen_output_settle(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return PEN_OK; /* the file has been removed since */
    if (file < 0) return cannot("open", path);
    pen_status status = pen_file_sync(file, path);
    close(file);
    return status;
}

/* Sync the bytes to the disk before the file gets its name; otherwise a host that loses power could keep the name
 * alone. */
pen_status pen_output_commit(pen_output **output, pen_status mine)
{
    pen_output *o = *output;
    const bool first = o->comm->rank == 0;
    const pen_status closed = first ? PEN_OK : pen_new_file_leave(&o->file);
    pen_status status = pen_agree(o->comm, mine == PEN_OK ? closed : mine);
    if (first && status == PEN_OK) mine = pen_output_sync(o);
    if (first) mine = pen_new_file_finish(&o->file, status == PEN_OK ? mine : status);
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

pen_status pen_output_try(pen_comm *comm, const char *path)
{
    pen_output *output = NULL;
    PEN_TRY(pen_output_create(comm, path, &output));
    const pen_status discarded = pen_output_commit(&output, PEN_ERR_IO); /* PEN_ERR_IO, as asked for */
    (void)discarded;
    return PEN_OK;
}

pen_status pen_output_check(pen_comm *comm, const char *path)
{
    if (comm->rank == 0) pen_new_file_tell_left(path, NULL, NULL);
    return pen_output_try(comm, path);
}
