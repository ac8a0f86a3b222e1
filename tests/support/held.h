/* held.h - what this process holds of the system, for tests that nothing grows. */
#ifndef HELD_H
#define HELD_H

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Resident memory; 0 where /proc does not tell. */
static inline int64_t held_bytes(void)
{
    int64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %" SCNd64, &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Open file descriptors. */
static inline int held_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}

/* Mappings of shared memory, whether or not its files still have their names. */
static inline int held_mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[1024];
    int count = 0;
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, "/dev/shm/") != NULL || strstr(line, "osc_") != NULL;
    if (file) fclose(file);
    return count;
}

#endif
