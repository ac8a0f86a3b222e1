/* stale_shm.c - removes stale shared memory of killed runs. */
#define _GNU_SOURCE /* for F_SETLEASE */
#include "base/stale_shm.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SETTLED = 5 }; /* smallest age in seconds of files that may be stale */

/* Whether no process has the file open or mapped, in any namespace. Only then does the kernel grant a lease. A process
 * that opens the file meanwhile breaks the lease, which sends a signal, so a harmless signal is chosen. */
static bool is_unused(int file)
{
    return fcntl(file, F_SETSIG, SIGURG) == 0 && fcntl(file, F_SETLEASE, F_WRLCK) == 0 &&
           fcntl(file, F_SETLEASE, F_UNLCK) == 0;
}

static void remove_if_unused(int folder, const char *name)
{
    struct stat status;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        time(NULL) - status.st_ctime >= SETTLED && is_unused(file))
        unlinkat(folder, name, 0);
    close(file);
}

static bool is_stale(const char *name)
{
    static const char *const beginnings[] = { "vader_segment.", "sm_segment.", "osc_sm.", "mpich_shar_tmp",
                                              PEN_STALE_SHM_BOARD };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

void pen_stale_shm_remove(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return;
    /* One process at a time: a file that two processes examine seems to be in use to both. */
    bool alone = flock(dirfd(folder), LOCK_EX | LOCK_NB) == 0;
    for (struct dirent *entry; alone && (entry = readdir(folder)) != NULL;)
        if (is_stale(entry->d_name)) remove_if_unused(dirfd(folder), entry->d_name);
    closedir(folder);
}
