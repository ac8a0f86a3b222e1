/* folder.c - finds, locks and removes the checkpoints of a folder. */
#include "checkpoint/folder.h"
#include "base/memory.h"
#include "base/output.h"
#include "checkpoint/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

PEN_PER_RANK int pen_folder_patience = 100;
static const char LOCK[] = "lock", WORD[] = "unfinished\n";
enum { WORD_LENGTH = sizeof WORD - 1 };

static pen_status join(const char *folder, const char *name, char **path)
{
    size_t length = strlen(folder) + strlen(name) + 2;
    PEN_TRY(PEN_ALLOC(path, (int64_t)length));
    snprintf(*path, length, "%s/%s", folder, name);
    return PEN_OK;
}

static pen_status fail_folder(const char *path)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return pen_fail(PEN_ERR_INPUT, "%s: no such folder for checkpoints: create it first", path);
    return pen_fail(PEN_ERR_IO, "%s: cannot use this folder for checkpoints: %s", path, strerror(errno));
}

static pen_status wait_for_lock(const pen_folder *folder)
{
    const struct timespec tenth = { 0, 100000000 };
    for (int waited = 0; flock(folder->lock, LOCK_EX | LOCK_NB) != 0; waited++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return pen_fail(PEN_ERR_IO, "%s: cannot lock: %s", folder->path, strerror(errno));
        if (waited >= pen_folder_patience)
            return pen_fail(PEN_ERR_INPUT, "%s: another run writes its checkpoints there", folder->path);
        nanosleep(&tenth, NULL);
    }
    return PEN_OK;
}

static pen_status fail_lock(const char *name)
{
    return pen_fail(PEN_ERR_INPUT, "%s: not the lock of a run, but checkpoints need this name: choose another folder",
                    name);
}

static pen_status open_lock_file(pen_folder *folder, const char *name)
{
    struct stat found;
    folder->lock = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (folder->lock < 0) {
        const int reason = errno;
        if (lstat(name, &found) == 0 && !S_ISREG(found.st_mode)) return fail_lock(name);
        errno = reason;
        return fail_folder(folder->path);
    }
    return fstat(folder->lock, &found) == 0 && S_ISREG(found.st_mode) ? PEN_OK : fail_lock(name);
}

/* Refuse a file with other contents than our word: it belongs to the user, and stays. */
static pen_status check_lock(const pen_folder *folder, const char *name)
{
    char said[WORD_LENGTH + 1];
    const ssize_t length = pread(folder->lock, said, sizeof said, 0);
    return length == 0 || (length == WORD_LENGTH && memcmp(said, WORD, WORD_LENGTH) == 0) ? PEN_OK : fail_lock(name);
}

/* Take the lock. Try again if the run that had it has removed its file. */
static pen_status take_lock(pen_folder *folder, const char *name)
{
    do {
        if (folder->lock >= 0) close(folder->lock);
        PEN_TRY(open_lock_file(folder, name));
        PEN_TRY(check_lock(folder, name));
        PEN_TRY(wait_for_lock(folder));
    } while (!pen_file_is_at(folder->lock, name));
    return PEN_OK;
}

static pen_status open_lock(pen_folder *folder)
{
    char *name;
    PEN_TRY(join(folder->path, LOCK, &name));
    pen_status status = take_lock(folder, name);
    free(name);
    return status;
}

pen_status pen_folder_open(const char *path, pen_folder *folder)
{
    *folder = (pen_folder){ .lock = -1 };
    pen_status status = pen_copy_text(path, &folder->path);
    if (status == PEN_OK) status = open_lock(folder);
    if (status != PEN_OK) pen_folder_close(folder);
    return status;
}

pen_status pen_folder_mark(const pen_folder *folder, bool finished)
{
    char *name;
    PEN_TRY(join(folder->path, LOCK, &name));
    pen_status status = finished ? PEN_OK : pen_write_at(folder->lock, name, WORD, WORD_LENGTH, 0);
    if (finished && ftruncate(folder->lock, 0) != 0)
        status = pen_fail(PEN_ERR_IO, "%s: cannot write: %s", name, strerror(errno));
    free(name);
    return status;
}

void pen_folder_remove(const pen_folder *folder)
{
    pen_folder_keep(folder->path, -1, -1);
    const int within = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (within >= 0) {
        unlinkat(within, LOCK, 0);
        close(within);
    }
    rmdir(folder->path);
}

void pen_folder_close(pen_folder *folder)
{
    if (folder->lock >= 0) close(folder->lock);
    free(folder->path);
    *folder = (pen_folder){ .lock = -1 };
}

static const char PREFIX[] = "step-", SUFFIX[] = ".checkpoint";

pen_status pen_folder_name(const char *folder, int64_t step, char **path)
{
    char name[64];
    snprintf(name, sizeof name, "%s%012" PRId64 "%s", PREFIX, step, SUFFIX);
    return join(folder, name, path);
}

/* The step in a file's name; -1: it is not the name of a checkpoint. */
static int64_t step_of(const char *name)
{
    const char *number = name + sizeof PREFIX - 1;
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) return -1;
    const size_t digits = strspn(number, "0123456789");
    if (digits < 12 || digits > 18 || strcmp(number + digits, SUFFIX) != 0) return -1;
    return strtoll(number, NULL, 10);
}

static bool is_generation(const void *context, const char *name) { return step_of(name) >= 0; }

bool pen_folder_is_ours(const char *name) { return strcmp(name, LOCK) == 0 || is_generation(NULL, name); }

int pen_folder_newest_first(const void *a, const void *b) { return pen_by_gid(b, a); }

pen_status pen_folder_list(const char *path, int64_t **steps, int *count)
{
    int64_t found = 0, room = 0;
    *steps = NULL;
    *count = 0;
    DIR *folder = opendir(path);
    if (!folder) return fail_folder(path);
    pen_status status = PEN_OK;
    for (struct dirent *entry; status == PEN_OK && (entry = readdir(folder)) != NULL;) {
        const int64_t step = step_of(entry->d_name);
        if (step < 0) continue;
        status = pen_reserve(steps, sizeof **steps, found + 1, &room);
        if (status == PEN_OK) (*steps)[found++] = step;
    }
    closedir(folder);
    if (status == PEN_OK) status = pen_to_int(found, "checkpoints in a folder", count);
    if (status == PEN_OK && found > 0) qsort(*steps, (size_t)found, sizeof **steps, pen_folder_newest_first);
    return status;
}

static void *let_go(void *file)
{
    close((int)(intptr_t)file);
    return NULL;
}

/* Whether a file begins like a checkpoint, up to its end if it was cut off. Other files and empty ones are not ours,
 * and stay. */
static bool is_checkpoint(int file)
{
    char magic[sizeof PEN_CHECKPOINT_MAGIC - 1];
    const ssize_t length = pread(file, magic, sizeof magic, 0);
    return length > 0 && memcmp(magic, PEN_CHECKPOINT_MAGIC, (size_t)length) == 0;
}

/* Remove a file. Freeing a long file takes a fifth of the time of writing it, so its name is removed at once, and a
 * detached thread closes the file. */
static void remove_file(int folder, const char *name)
{
    pthread_t thread;
    pthread_attr_t detached;
    int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return;
    if (!is_checkpoint(file) || unlinkat(folder, name, 0) != 0) {
        close(file);
        return;
    }
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &detached, let_go, (void *)(intptr_t)file) != 0) close(file);
    pthread_attr_destroy(&detached);
}

void pen_folder_keep(const char *path, int64_t newest, int64_t before)
{
    DIR *entries = opendir(path);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const int64_t step = step_of(entry->d_name);
        if (step >= 0 && step != newest && step != before) remove_file(dirfd(entries), entry->d_name);
    }
    closedir(entries);
}

pen_status pen_folder_tell_left(const char *path)
{
    char *inside;
    PEN_TRY(join(path, "", &inside));
    pen_new_file_tell_left(inside, is_generation, NULL);
    free(inside);
    return PEN_OK;
}
