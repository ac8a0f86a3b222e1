/* held.h - what this process holds of the system, for tests that nothing grows. */
#pragma once

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define HELD_BY_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HELD_BY_SANITIZER
#endif
#endif
#ifdef HELD_BY_SANITIZER
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

/* Allocated and not freed bytes. Unlike resident memory, they do not include pages that fragments and pools touch for
 * the first time, which may hide a leak. */
static inline int64_t held_heap(void)
{
#if defined(HELD_BY_SANITIZER)
    return (int64_t)__sanitizer_get_current_allocated_bytes();
#elif defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 m = mallinfo2();
    return (int64_t)(m.uordblks + m.hblkhd);
#else
#error "How much is allocated here?"
#endif
}

/* Resident memory; under the address sanitizer without its quarantine, if that is switched off (quarantine_size_mb=0).
 * 0 without /proc. */
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
