/* environment.c - prepares and probes the MPI set-up. */
#define _GNU_SOURCE /* for sched_getaffinity and process_vm_readv */
#include "base/environment.h"
#include "base/shm_capacity.h"
#include "base/stale_shm.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- The process --------------------------------------------------------------------------- */

void pen_environment_catch_limits(void)
{
    struct sigaction now;
    if (sigaction(SIGXFSZ, NULL, &now) == 0 && now.sa_handler == SIG_DFL) signal(SIGXFSZ, SIG_IGN);
}

/* ---- Before MPI_Init ------------------------------------------------------------------------ */

/* The major version of the Open MPI that this process runs with; 0 for another MPI. */
static int open_mpi_version(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) return 0;
    return sscanf(text, "Open MPI v%d", &major) == 1 ? major : 0;
}

/* Whether a parameter file has a line "name = value". */
static bool file_sets(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    if (!file) return false;
    char *line = NULL;
    size_t size = 0, length = strlen(name);
    bool found = false;
    while (!found && getline(&line, &size, file) >= 0) {
        const char *word = line + strspn(line, " \t");
        found = strncmp(word, name, length) == 0 && word[length + strspn(word + length, " \t")] == '=';
    }
    free(line);
    fclose(file);
    return found;
}

/* Whether the user has set Open MPI's parameter `name`: in the environment, where mpirun's --mca ends up, too, or in a
 * file of the user's. The system's file does not count: it has the distribution's choices, which this file corrects. */
static bool user_sets(const char *name)
{
    char variable[128];
    snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
    if (getenv(variable)) return true;
    const char *files = getenv("OMPI_MCA_mca_base_param_files"), *home = getenv("HOME");
    char path[4096];
    if (!files) {
        snprintf(path, sizeof path, "%s/.openmpi/mca-params.conf", home ? home : "");
        return file_sets(path, name);
    }
    for (; *files; files += strcspn(files, ","), files += *files == ',') {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(files, ","), files);
        if (file_sets(path, name)) return true;
    }
    return false;
}

static void set_unless_user_does(const char *name, const char *value)
{
    char variable[128];
    snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
    if (!user_sets(name)) setenv(variable, value, 0);
}

static bool has_infiniband(void)
{
    DIR *devices = opendir("/sys/class/infiniband");
    bool any = false;
    for (struct dirent *entry; devices && (entry = readdir(devices));) any = any || entry->d_name[0] != '.';
    if (devices) closedir(devices);
    return any;
}

/* Number of cores in a list like "0-3,8" of /proc/PID/status; 0 if it cannot be read. */
static int allowed_cores(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    static const char key[] = "Cpus_allowed_list:";
    char *line = NULL;
    size_t size = 0;
    int cores = 0;
    while (getline(&line, &size, file) >= 0) {
        if (strncmp(line, key, sizeof key - 1) != 0) continue;
        for (const char *p = line + sizeof key - 1; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
            int first, last;
            int fields = sscanf(p, "%d-%d", &first, &last);
            if (fields >= 1) cores += fields == 2 ? last - first + 1 : 1;
        }
    }
    free(line);
    fclose(file);
    return cores;
}

/* Whether there are more ranks than cores. Ranks that spin on one core wait a time slice of the scheduler for each
 * other, so that a barrier takes milliseconds in place of microseconds. mpirun notices that only if slots are fewer
 * than ranks, and not if the user claims more slots than cores (--host localhost:4). The launcher's own mask counts
 * too, because it may have bound this process to one core. */
static bool more_ranks_than_cores(void)
{
    const char *ranks = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    int own = allowed_cores(getpid()), launcher = allowed_cores(getppid());
    int cores = own > launcher ? own : launcher;
    return ranks && cores > 0 && atoi(ranks) > cores;
}

/* Whether processes may copy memory directly: containers often forbid the system call by which Open MPI does so. */
static bool copies_between_processes(void)
{
    char from = 1, to = 0;
    struct iovec local = { &to, 1 }, remote = { &from, 1 };
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

void pen_environment_prepare(void)
{
    int initialized;
    MPI_Initialized(&initialized);
    if (!initialized) pen_stale_shm_remove(PEN_STALE_SHM_FOLDER);
    /* Open MPI 5 has other components, whose defaults work; MPICH needs no corrections here. */
    if (initialized || open_mpi_version() != 4) return;
    /* Without RDMA hardware, Open MPI 4's default osc/rdma creates no windows between hosts, and fails on sibling
     * communicators (open-mpi/ompi issues 11466, 9492); Debian also disables pt2pt. */
    if (!has_infiniband()) set_unless_user_does("osc", "sm,pt2pt");
    if (more_ranks_than_cores()) set_unless_user_does("mpi_yield_when_idle", "1");
    if (!copies_between_processes()) set_unless_user_does("btl_vader_single_copy_mechanism", "none");
}

bool pen_environment_is_alone(void)
{
    static const char *const launchers[] = { "OMPI_COMM_", "PMIX_", "PMI_",  "SLURM_", "PBS_",
                                             "LSB_",       "PALS_", "ALPS_", "FLUX_" };
    for (char **variable = environ; *variable; variable++)
        for (int i = 0; i < PEN_COUNT_OF(launchers); i++)
            if (strncmp(*variable, launchers[i], strlen(launchers[i])) == 0) return false;
    return true;
}

void pen_environment_alone(void)
{
    if (open_mpi_version() != 4) return;
    set_unless_user_does("ess_singleton_isolated", "1");
    /* Without the helper, processes would share a session directory, and remove it while others use it. */
    set_unless_user_does("orte_create_session_dirs", "0");
    set_unless_user_does("sharedfp", "^sm");
    set_unless_user_does("pml", "ob1");
    set_unless_user_does("btl", "self");
}

/* ---- After MPI_Init ------------------------------------------------------------------------- */

static PEN_PER_RANK char reason[1024];

const char *pen_environment_reason(void) { return reason; }

/* The ranks on which a window of a kind is created. */
static MPI_Comm window_ranks(const pen_comm *comm, pen_window_kind kind)
{
    return kind == PEN_WINDOW_HOSTS ? comm->host : comm->mpi;
}

static pen_status make_window(const pen_comm *comm, pen_window_kind kind, int **base, MPI_Win *window)
{
    enum { BYTES = 4096 }; /* size of a rank's segment. It is not 0, since osc/rdma leaves the base unset then. */
    MPI_Comm ranks = window_ranks(comm, kind);
    if (kind == PEN_WINDOW_ALLOCATED) PEN_MPI(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, ranks, base, window));
    else PEN_MPI(MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, ranks, base, window));
    PEN_MPI(MPI_Win_set_errhandler(*window, MPI_ERRORS_RETURN));
    return PEN_OK;
}

/* Collective. Every rank reads the number of the next rank from that rank's window. */
static pen_status use_window(MPI_Comm ranks, int *base, MPI_Win window)
{
    int rank = 0, size = 1, found = -1;
    PEN_MPI(MPI_Comm_rank(ranks, &rank));
    PEN_MPI(MPI_Comm_size(ranks, &size));
    int next = (rank + 1) % size;
    *base = rank;
    int opened = PEN_MARKED(MPI_Win_fence(0, window));
    int got = MPI_Get(&found, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    int closed = PEN_MARKED(MPI_Win_fence(0, window));
    if (opened != MPI_SUCCESS) return pen_fail_mpi(opened, "MPI_Win_fence");
    if (got != MPI_SUCCESS) return pen_fail_mpi(got, "MPI_Get");
    if (closed != MPI_SUCCESS) return pen_fail_mpi(closed, "MPI_Win_fence");
    if (found != next) return pen_fail(PEN_ERR_MPI, "MPI_Get read %d instead of %d", found, next);
    return PEN_OK;
}

/* Collective, same result on all ranks. Create and use a small window. If only some ranks got one, it is never freed,
 * since freeing is collective. */
static pen_status try_window(pen_comm *comm, pen_window_kind kind)
{
    MPI_Win window = MPI_WIN_NULL;
    int *base = NULL;
    PEN_TRY(pen_agree(comm, make_window(comm, kind, &base, &window)));
    pen_status status = pen_agree(comm, use_window(window_ranks(comm, kind), base, window));
    int code = PEN_MARKED(MPI_Win_free(&window));
    if (status == PEN_OK && code != MPI_SUCCESS) status = pen_fail_mpi(code, "MPI_Win_free");
    return pen_agree(comm, status);
}

static pen_status none(pen_window_kind *kind, const char *what, const char *remedy)
{
    snprintf(reason, sizeof reason, "no one-sided communication: %s%s", what, remedy);
    *kind = PEN_WINDOW_NONE;
    return PEN_OK;
}

pen_status pen_environment_probe(pen_comm *comm, int64_t bytes, bool by_load, pen_window_kind *kind)
{
    pen_status status = bytes >= 0 ? PEN_OK : pen_fail(PEN_ERR_ARGUMENT, "a window of %" PRId64 " bytes", bytes);
    PEN_TRY(pen_agree(comm, status));
    reason[0] = '\0';
    bool shares = false;
    /* Across hosts, the window's memory is private or, with RDMA, managed by MPI. */
    if (comm->one_host || by_load) {
        pen_shm_capacity capacity;
        status = pen_shm_capacity_check(comm, PEN_OK, true, bytes, &capacity);
        if (status == PEN_ERR_ENVIRONMENT) return none(kind, pen_error_message(), "");
        PEN_TRY(status);
        shares = try_window(comm, comm->one_host ? PEN_WINDOW_SHARED : PEN_WINDOW_HOSTS) == PEN_OK;
        pen_shm_capacity_release(&capacity);
        if (!shares && by_load) return none(kind, pen_error_message(), "; use --comm=fence");
    }
    if (comm->one_host && shares) {
        *kind = PEN_WINDOW_SHARED;
        return PEN_OK;
    }
    if (try_window(comm, PEN_WINDOW_ALLOCATED) == PEN_OK) {
        *kind = shares ? PEN_WINDOW_HOSTS : PEN_WINDOW_ALLOCATED;
        return PEN_OK;
    }
    return none(kind, pen_error_message(),
                open_mpi_version() == 4 ? "; try mpirun --mca osc sm,pt2pt"
                                        : "; try another MPI library or its settings");
}
