/* folder.h - a folder of a test's own, on the disk that all ranks see, with canaries. */
#pragma once

#include "tests/support/canaries.h"
#include "tests/support/check.h"

#include <dirent.h>
#include <unistd.h>

/* Collective. Make an empty folder in this one: NAME.XXXXXX with other letters. */
static inline void make_folder(const char *name, char path[64])
{
    snprintf(path, 64, "%s.XXXXXX", name);
    if (check_rank() == 0) CHECK(mkdtemp(path) != NULL && place_canaries(path));
    MPI_Bcast(path, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* Collective. Remove it with its files; a canary that has changed is a failure. */
static inline void remove_folder(const char *path)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() > 0) return;
    CHECK(remove_canaries(path));
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    CHECK(rmdir(path) == 0);
}
