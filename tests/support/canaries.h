/* canaries.h - files, links, a FIFO and a folder that no call is told to touch, in a folder that a test in C makes;
 * canaries.sh has those of programs. All is as it was if each has its type, mode, size, link and the time that it was
 * given: who writes or replaces a file gives it another one. Local: for rank 0. */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct timespec canary_times[2] = { { .tv_sec = 1000000007 }, { .tv_sec = 1000000007 } };

static const struct canary {
    const char *name, *leads_to;
    mode_t mode;
} canaries[] = {
    { "keep-me.txt", NULL, S_IFREG | 0440 },
    { ".keep-me", NULL, S_IFREG | 0644 },
    { "keep;me,too:please.csv", NULL, S_IFREG | 0644 },
    { "keep.dump.unfinished-0123456789abcdef", NULL, S_IFREG | 0644 },
    { "step-000000000009.checkpoint.bak", NULL, S_IFREG | 0600 },
    { "keep-link", "keep-me.txt", S_IFLNK | 0777 },
    { "keep-dangling", "keep-absent", S_IFLNK | 0777 },
    { "keep-fifo", NULL, S_IFIFO | 0644 },
    { "keep-folder", NULL, S_IFDIR | 0755 },
    { "keep-folder/lock", NULL, S_IFREG | 0644 },
};
enum { CANARIES = sizeof canaries / sizeof *canaries };

static inline bool place_canary(int folder, const struct canary *c)
{
    const mode_t type = c->mode & S_IFMT;
    int failed = type == S_IFDIR   ? mkdirat(folder, c->name, c->mode & 07777)
                 : type == S_IFLNK ? symlinkat(c->leads_to, folder, c->name)
                                   : mknodat(folder, c->name, c->mode, 0);
    if (type != S_IFLNK) failed |= fchmodat(folder, c->name, c->mode & 07777, 0);
    return !failed && utimensat(folder, c->name, canary_times, AT_SYMLINK_NOFOLLOW) == 0;
}

static inline bool is_canary(const char *name)
{
    for (int i = 0; i < CANARIES; i++)
        if (strcmp(name, canaries[i].name) == 0) return true;
    return false;
}

/* Returns whether all could be placed. */
static inline bool place_canaries(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool placed = folder >= 0;
    for (int i = 0; placed && i < CANARIES; i++) placed = place_canary(folder, &canaries[i]);
    placed = placed && utimensat(folder, "keep-folder", canary_times, 0) == 0; /* its file has made it younger */
    if (folder >= 0) close(folder);
    return placed;
}

static inline bool is_as_placed(int folder, const struct canary *c)
{
    char leads_to[64] = "";
    struct stat found;
    if (fstatat(folder, c->name, &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (c->leads_to && readlinkat(folder, c->name, leads_to, sizeof leads_to - 1) < 0) return false;
    const bool same_size = !S_ISREG(found.st_mode) || found.st_size == 0;
    return found.st_mode == c->mode && same_size && found.st_mtime == canary_times[1].tv_sec &&
           strcmp(leads_to, c->leads_to ? c->leads_to : "") == 0;
}

/* Remove them; each that is no longer as it was is named. Returns whether all are. */
static inline bool remove_canaries(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool all = folder >= 0 && faccessat(folder, "keep-absent", F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    if (!all) fprintf(stderr, "%s: it is gone, or keep-absent came to be\n", path);
    for (int i = 0; folder >= 0 && i < CANARIES; i++) {
        if (is_as_placed(folder, &canaries[i])) continue;
        fprintf(stderr, "a file that no call was told to touch: %s/%s has changed\n", path, canaries[i].name);
        all = false;
    }
    for (int i = CANARIES - 1; folder >= 0 && i >= 0; i--)
        (void)unlinkat(folder, canaries[i].name, S_ISDIR(canaries[i].mode) ? AT_REMOVEDIR : 0);
    if (folder >= 0) close(folder);
    return all;
}
