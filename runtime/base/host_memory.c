/* host_memory.c - an anonymous file (memfd_create) that other processes open through /proc. */
#define _GNU_SOURCE /* for memfd_create */
#include "base/host_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 64 }; /* the mapping begins with the number of ranks of the lowest rank's process that use it */

/* The data that the lowest rank sends to the others. */
typedef struct address {
    uint64_t process, device, inode; /* `process`: a random number that each process draws once */
    int64_t pid;
    int32_t file;
    unsigned char *mapped; /* address of the mapping, for other ranks of that process */
} address;

static uint64_t process_number(void)
{
    static _Atomic(uint64_t) number;
    uint64_t drawn = 0, none = 0;
    if (atomic_load(&number) == 0 && getentropy(&drawn, sizeof drawn) == 0 && drawn != 0)
        (void)atomic_compare_exchange_strong(&number, &none, drawn);
    return atomic_load(&number);
}

static unsigned char *map(int file, size_t size)
{
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return mapped == MAP_FAILED ? NULL : (unsigned char *)mapped;
}

static _Atomic(uint32_t) *users_of(const pen_host_memory *memory)
{
    return (_Atomic(uint32_t) *)(void *)memory->mapped;
}

/* The lowest rank. A file that is longer than a process may write would end the process by a signal; memory that is
 * lacking later, too. */
static int make(size_t size, address *found, pen_host_memory *memory)
{
    struct rlimit limit;
    struct stat status;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) return -1;
    int file = -1;
#ifdef MFD_CLOEXEC
    file = memfd_create("penumbra", MFD_CLOEXEC);
#endif
    if (file < 0) return -1;
    if (posix_fallocate(file, 0, (off_t)size) == 0 && fstat(file, &status) == 0) memory->mapped = map(file, size);
    if (!memory->mapped) return file;
    *found = (address){ .process = process_number(),
                        .device = (uint64_t)status.st_dev,
                        .inode = (uint64_t)status.st_ino,
                        .pid = getpid(),
                        .file = file,
                        .mapped = memory->mapped };
    memory->counted = true;
    atomic_store(users_of(memory), 1);
    return file;
}

static void join(size_t size, const address *found, pen_host_memory *memory)
{
    if (found->process != 0 && found->process == process_number()) {
        memory->mapped = found->mapped;
        memory->counted = true;
        (void)atomic_fetch_add(users_of(memory), 1);
        return;
    }
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)found->pid, (int)found->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    /* In another namespace of processes the number may be that of another process. */
    if (fstat(file, &status) == 0 && (uint64_t)status.st_dev == found->device &&
        (uint64_t)status.st_ino == found->inode)
        memory->mapped = map(file, size);
    close(file);
}

pen_status pen_host_memory_create(MPI_Comm host, size_t size, pen_host_memory *memory)
{
    int rank = 0, file = -1;
    address found = { .file = -1 };
    *memory = (pen_host_memory){ .size = HEAD + size };
    PEN_MPI(MPI_Comm_rank(host, &rank));
    if (rank == 0) file = make(memory->size, &found, memory);
    PEN_MPI(MPI_Bcast(&found, (int)sizeof found, MPI_BYTE, 0, host));
    if (rank > 0 && found.mapped) join(memory->size, &found, memory);
    int mine = memory->mapped != NULL, all = 0;
    PEN_MPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, host));
    if (file >= 0) close(file);
    if (all) memory->bytes = memory->mapped + HEAD;
    else pen_host_memory_free(memory);
    return PEN_OK;
}

void pen_host_memory_free(pen_host_memory *memory)
{
    const bool last = memory->mapped && (!memory->counted || atomic_fetch_sub(users_of(memory), 1) == 1);
    if (last) munmap(memory->mapped, memory->size);
    *memory = (pen_host_memory){ .bytes = NULL };
}
