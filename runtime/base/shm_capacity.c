/* shm_capacity.c - checks and claims space for shared memory. */
#define _GNU_SOURCE /* for F_OFD_SETLK */
#include "base/shm_capacity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, MIB = 1 << 20 };

/* The folder in which MPI libraries put shared memory. */
static const char *shared_folder(void)
{
    const char *chosen = getenv("OMPI_MCA_osc_sm_backing_directory"), *temporary = getenv("TMPDIR");
    if (chosen) return chosen;
    if (access("/dev/shm", W_OK) == 0) return "/dev/shm";
    return temporary ? temporary : "/tmp";
}

static int64_t in_mib(int64_t bytes) { return (bytes + MIB - 1) / MIB; }

/* ---- Claims ------------------------------------------------------------------------------------------ */

/* A launch claims space by a read lock on as many bytes of the folder itself; the lock begins at a multiple of the
 * longest claim. Read locks of several launches do not exclude each other, and a folder cannot have a write lock: so no
 * process waits for a lock. A claim leaves no file, and the kernel removes it when its process ends in any way. */
enum { CLAIM_BITS = 42, SLOT_BITS = 62 - CLAIM_BITS };

static uint64_t draw(void)
{
    uint64_t drawn;
    return getentropy(&drawn, sizeof drawn) == 0 ? drawn : (uint64_t)getpid();
}

/* Claim space. On a system without such locks there is no claim. */
static void claim(int64_t bytes, pen_shm_capacity *capacity)
{
    const int64_t longest = INT64_C(1) << CLAIM_BITS, slot = (int64_t)(draw() >> (64 - SLOT_BITS));
    struct flock lock = { .l_type = F_RDLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(slot * longest),
                          .l_len = (off_t)(bytes < longest ? bytes : longest) };
    capacity->folder = open(shared_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (capacity->folder >= 0) (void)fcntl(capacity->folder, F_OFD_SETLK, &lock);
}

/* The number of bytes between two offsets of the folder that other launches claim. The kernel reports one claim at a
 * time; `looks` limits their number. */
static int64_t claimed_by_others(int folder, int64_t begin, int64_t end, int *looks)
{
    struct flock found = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)begin, .l_len = (off_t)(end - begin)
    };
    if (begin >= end || --*looks < 0 || fcntl(folder, F_OFD_GETLK, &found) != 0 || found.l_type == F_UNLCK) return 0;
    const int64_t first = found.l_start > begin ? (int64_t)found.l_start : begin;
    const bool beyond = found.l_len == 0 || (int64_t)found.l_len >= end - (int64_t)found.l_start;
    const int64_t last = beyond ? end : (int64_t)(found.l_start + found.l_len);
    return last - first + claimed_by_others(folder, begin, first, looks) + claimed_by_others(folder, last, end, looks);
}

/* ---- Checks ------------------------------------------------------------------------------------------ */

/* Whether the folder has space for `wanted` bytes in addition to the claims of other launches. */
static pen_status check_folder(int64_t wanted, int64_t others)
{
    const char *folder = shared_folder();
    struct statvfs space;
    if (statvfs(folder, &space) != 0)
        return pen_fail(PEN_ERR_ENVIRONMENT, "no shared memory: %s: %s", folder, strerror(errno));
    int64_t free_bytes = (int64_t)space.f_bavail * (int64_t)space.f_frsize;
    if (free_bytes - others < wanted)
        return pen_fail(PEN_ERR_ENVIRONMENT,
                        "%s has %" PRId64 " MiB free, this run needs %" PRId64
                        " MiB: enlarge it (docker run --shm-size=%" PRId64
                        "m, mount -o remount,size=...), or use more hosts",
                        folder, free_bytes / MIB, in_mib(wanted), 2 * in_mib(wanted));
    if (space.f_files > 0 && space.f_favail == 0)
        return pen_fail(PEN_ERR_ENVIRONMENT, "%s has no room for another file: remove some", folder);
    return PEN_OK;
}

enum { MOST_WAIT = 1000000000 }; /* nanoseconds */
static PEN_PER_RANK int64_t patience;

void pen_shm_capacity_may_wait(bool may) { patience = may ? MOST_WAIT : 0; }

/* Claim the space and then look: of two launches that do this at once, at least one sees the other's claim. If claims
 * of others are the obstacle, they soon become memory, or end: withdraw, so that others see no obstacle, and try again.
 * Who claims may also be stopped, or mean harm. So a claim is no obstacle when patience is over: touching the memory
 * tells if another launch has taken it. */
static pen_status claim_folder(int64_t bytes, pen_shm_capacity *capacity)
{
    /* Largest number of claims to read, and shortest and longest wait between two tries in nanoseconds. */
    enum { MOST_CLAIMS = 1000, SHORTEST = 5000000, LONGEST = 15000000 };
    const int64_t wanted = bytes + bytes / 16 + MIB; /* Open MPI needs 5 % of free space, and hangs without it */
    for (;;) {
        int looks = MOST_CLAIMS;
        claim(wanted, capacity);
        const int64_t others = claimed_by_others(capacity->folder, 0, INT64_MAX, &looks);
        PEN_TRY(check_folder(wanted, 0));
        if (patience <= 0 || check_folder(wanted, others) == PEN_OK) return PEN_OK;
        pen_shm_capacity_release(capacity);
        if (patience == MOST_WAIT)
            pen_warn("other launches claim the space in %s: this run waits for them, a second at most",
                     shared_folder());
        const long wait = SHORTEST + (long)(draw() % (LONGEST - SHORTEST));
        patience -= wait;
        nanosleep(&(struct timespec){ .tv_nsec = wait }, NULL);
    }
}

/* Check the limit of file sizes: MPI libraries make one file for all ranks of a host. */
static pen_status check_file_size(int64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return PEN_OK;
    if (limit.rlim_cur >= (rlim_t)(bytes + MIB)) return PEN_OK;
    return pen_fail(PEN_ERR_ENVIRONMENT,
                    "a process may write files of %" PRId64 " KiB, shared memory needs a file of %" PRId64
                    " KiB: raise the limit (ulimit -f), or use a transport with messages, such as --comm=overlap",
                    (int64_t)(limit.rlim_cur / 1024), (bytes + MIB) / 1024);
}

/* Check the address space: every rank maps the memory of all ranks. */
static pen_status check_addresses(int64_t bytes)
{
    enum { BESIDES = 8 * MIB }; /* bytes that MPI allocates in addition */
    size_t wanted = (size_t)(bytes + BESIDES);
    void *found = mmap(NULL, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
        return pen_fail(PEN_ERR_ENVIRONMENT,
                        "a process cannot allocate %" PRId64
                        " MiB more: raise its limit (ulimit -v), or use more hosts",
                        in_mib((int64_t)wanted));
    munmap(found, wanted);
    return PEN_OK;
}

/* Collective. The lowest rank of a host claims space for all of them. */
static pen_status check(pen_comm *comm, pen_status mine, bool shared, int64_t bytes, pen_shm_capacity *capacity)
{
    /* The additions are for alignment and MPI's own data. */
    int64_t rounded = (bytes > 0 ? bytes : 0) + 4 * PAGE, wanted = rounded;
    if (shared) PEN_MPI(MPI_Allreduce(&rounded, &wanted, 1, MPI_INT64_T, MPI_SUM, comm->host));
    if (mine == PEN_OK && shared) mine = check_file_size(wanted);
    if (mine == PEN_OK && shared && comm->host_rank == 0) mine = claim_folder(wanted, capacity);
    if (mine == PEN_OK) mine = check_addresses(wanted);
    return pen_agree(comm, mine);
}

pen_status pen_shm_capacity_check(pen_comm *comm, pen_status mine, bool shared, int64_t bytes,
                                  pen_shm_capacity *capacity)
{
    capacity->folder = -1;
    pen_status status = check(comm, mine, shared, bytes, capacity);
    if (status != PEN_OK) pen_shm_capacity_release(capacity);
    return status;
}

void pen_shm_capacity_release(pen_shm_capacity *capacity)
{
    if (capacity->folder >= 0) close(capacity->folder);
    capacity->folder = -1;
}

pen_status pen_shm_capacity_touch(void *begin, int64_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    enum { FIRST_WITH_IT = MADV_POPULATE_WRITE };
#else
    /* Linux's number of the request MADV_POPULATE_WRITE, for C libraries that do not define it. */
    enum { FIRST_WITH_IT = 23 };
#endif
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)begin / page * page;
    size_t length = (uintptr_t)begin + (uintptr_t)bytes - first;
    if (bytes > 0 && madvise((void *)first, length, FIRST_WITH_IT) != 0 && (errno == EFAULT || errno == ENOMEM))
        return pen_fail(PEN_ERR_ENVIRONMENT, "%s has become full: enlarge it, or use more hosts", shared_folder());
    return PEN_OK; /* older systems do not report full memory */
}
