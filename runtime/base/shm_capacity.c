#define _GNU_SOURCE /* flock */
#include "base/shm_capacity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, MIB = 1 << 20 };

/* Where MPI libraries put shared memory. */
static const char *shared_folder(void)
{
    const char *chosen = getenv("OMPI_MCA_osc_sm_backing_directory"), *temporary = getenv("TMPDIR");
    if (chosen) return chosen;
    if (access("/dev/shm", W_OK) == 0) return "/dev/shm";
    return temporary ? temporary : "/tmp";
}

static int64_t in_mib(int64_t bytes) { return (bytes + MIB - 1) / MIB; }

/* Whether the folder has space for the files of all ranks of this host. */
static pen_status check_folder(int64_t bytes)
{
    int64_t wanted = bytes + bytes / 16 + MIB; /* Open MPI wants 5 % to stay free, and hangs where they do not */
    const char *folder = shared_folder();
    struct statvfs space;
    if (statvfs(folder, &space) != 0)
        return pen_fail(PEN_ERR_ENVIRONMENT, "no shared memory: %s: %s", folder, strerror(errno));
    int64_t free_bytes = (int64_t)space.f_bavail * (int64_t)space.f_frsize;
    if (free_bytes < wanted)
        return pen_fail(PEN_ERR_ENVIRONMENT,
                        "%s has %" PRId64 " MiB free, this run needs %" PRId64
                        " MiB: enlarge it (docker run --shm-size=%" PRId64
                        "m, mount -o remount,size=...), or use more hosts",
                        folder, free_bytes / MIB, in_mib(wanted), 2 * in_mib(wanted));
    if (space.f_files > 0 && space.f_favail == 0)
        return pen_fail(PEN_ERR_ENVIRONMENT, "%s has no room for another file: remove some", folder);
    return PEN_OK;
}

/* Every rank maps the memory of all ranks: is its address space large enough? */
static pen_status check_addresses(int64_t bytes)
{
    enum { BESIDES = 8 * MIB }; /* what MPI allocates along with it */
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

/* Collective. */
static pen_status check(pen_comm *comm, pen_status mine, bool shared, int64_t bytes)
{
    int64_t rounded = (bytes > 0 ? bytes : 0) + 4 * PAGE, wanted = rounded; /* alignment, MPI's own state */
    if (shared) PEN_MPI(MPI_Allreduce(&rounded, &wanted, 1, MPI_INT64_T, MPI_SUM, comm->host));
    if (mine == PEN_OK && shared) mine = check_folder(wanted);
    if (mine == PEN_OK) mine = check_addresses(wanted);
    return pen_agree(comm, mine);
}

/* Lock the folder itself: this leaves no file, and needs read permission only. The holder of the lock may be stopped,
 * so waiting is limited; after that this launch goes on without a lock. */
static int lock(void)
{
    enum { TRIES = 500, NANOSECONDS = 20000000 };
    int folder = open(shared_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0; i++) {
        bool wait = (errno == EWOULDBLOCK || errno == EINTR) && i < TRIES;
        if (!wait) {
            close(folder);
            return -1;
        }
        nanosleep(&(struct timespec){ .tv_nsec = NANOSECONDS }, NULL);
    }
    return folder;
}

pen_status pen_shm_capacity_check(pen_comm *comm, pen_status mine, bool shared, int64_t bytes,
                                  pen_shm_capacity *capacity)
{
    /* With several hosts a lock could deadlock: two launches may each hold one host's lock and wait for the other's.
     * The hosts may also share the folder. */
    capacity->lock = shared && comm->one_host && comm->host_rank == 0 ? lock() : -1;
    if (shared) PEN_MPI(MPI_Barrier(comm->host)); /* no launch looks before that */
    pen_status status = check(comm, mine, shared, bytes);
    if (status != PEN_OK) pen_shm_capacity_release(capacity);
    return status;
}

void pen_shm_capacity_release(pen_shm_capacity *capacity)
{
    if (capacity->lock >= 0) close(capacity->lock);
    capacity->lock = -1;
}

pen_status pen_shm_capacity_touch(void *begin, int64_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    enum { FIRST_WITH_IT = MADV_POPULATE_WRITE };
#else
    enum { FIRST_WITH_IT = 23 }; /* Linux's, for C libraries that do not define it yet */
#endif
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)begin / page * page;
    size_t length = (uintptr_t)begin + (uintptr_t)bytes - first;
    if (bytes > 0 && madvise((void *)first, length, FIRST_WITH_IT) != 0 && (errno == EFAULT || errno == ENOMEM))
        return pen_fail(PEN_ERR_ENVIRONMENT, "%s has become full: enlarge it, or use more hosts", shared_folder());
    return PEN_OK; /* older systems do not tell */
}
