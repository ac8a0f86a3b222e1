/* prepare_test.c - the variables that pen_environment_prepare sets, and those of the user that it keeps; and those of
 * programs without a launcher. Every case runs in a child process, since the environment changes. */
#include "base/environment.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char home[] = "/tmp/penumbra_prepare_XXXXXX", parameters[128];

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void nothing(void) {}
static void osc_in_environment(void) { setenv("OMPI_MCA_osc", "rdma", 1); }
static void osc_in_home(void) { write_file(parameters, "# mine\n\n  osc=rdma\n"); }
static void other_in_home(void)
{
    write_file(parameters, "# osc = rdma\nosc_base_verbose = 1\noscar = 2\nbtl = self,osc = 3\n");
}
static void osc_in_files(void)
{
    char list[200];
    snprintf(list, sizeof list, "/nonexistent,%s", parameters);
    write_file(parameters, "osc \t = rdma");
    setenv("HOME", "/nonexistent", 1);
    setenv("OMPI_MCA_mca_base_param_files", list, 1);
}
static void files_without_home(void)
{
    write_file(parameters, "osc = rdma\n");
    setenv("OMPI_MCA_mca_base_param_files", "/nonexistent", 1);
}
static void no_home(void) { unsetenv("HOME"); }
static void crowded(void) { setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "100000", 1); }
static void alone(void) { setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1", 1); }
static void crowded_by_choice(void)
{
    crowded();
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
}
static void forbidden(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        _exit(77);
    }
}
static void forbidden_by_choice(void)
{
    forbidden();
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "cma", 1);
}

/* What the three variables are afterwards; NULL: not set. */
static const struct {
    const char *name;
    void (*arrange)(void);
    const char *osc, *yield, *single_copy;
} cases[] = {
    { "nothing", nothing, "sm,pt2pt", NULL, NULL },
    { "osc_in_environment", osc_in_environment, "rdma", NULL, NULL },
    { "osc_in_home", osc_in_home, NULL, NULL, NULL },
    { "other_in_home", other_in_home, "sm,pt2pt", NULL, NULL },
    { "osc_in_files", osc_in_files, NULL, NULL, NULL },
    { "files_without_home", files_without_home, "sm,pt2pt", NULL, NULL },
    { "no_home", no_home, "sm,pt2pt", NULL, NULL },
    { "crowded", crowded, "sm,pt2pt", "1", NULL },
    { "alone", alone, "sm,pt2pt", NULL, NULL },
    { "crowded_by_choice", crowded_by_choice, "sm,pt2pt", "0", NULL },
    { "forbidden", forbidden, "sm,pt2pt", NULL, "none" },
    { "forbidden_by_choice", forbidden_by_choice, "sm,pt2pt", NULL, "cma" },
};

/* A variable, and whether a process that has it, and no other, has no launcher. */
static const struct {
    const char *name;
    bool alone;
} variables_of[] = { { "HOME", true },       { "OMPI_MCA_osc", true },  { "OMPI_COMM_WORLD_SIZE", false },
                     { "PMIX_RANK", false }, { "SLURM_PROCID", false }, { "PBS_JOBID", false } };

static int differs(const char *name, const char *variable, const char *expected)
{
    const char *found = getenv(variable);
    if (found && expected ? strcmp(found, expected) == 0 : found == expected) return 0;
    fprintf(stderr, "%s: %s is %s, expected %s\n", name, variable, found ? found : "not set",
            expected ? expected : "not set");
    return 1;
}

static int check_alone(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof variables_of / sizeof variables_of[0]; i++) {
        clearenv();
        setenv(variables_of[i].name, "1", 1);
        if (pen_environment_is_alone() == variables_of[i].alone) continue;
        fprintf(stderr, "%s: alone is %d\n", variables_of[i].name, !variables_of[i].alone);
        failures++;
    }
    setenv("OMPI_MCA_btl", "self,tcp", 1);
    pen_environment_alone();
    return failures + differs("alone", "OMPI_MCA_ess_singleton_isolated", "1") +
           differs("alone", "OMPI_MCA_btl", "self,tcp");
}

int main(void)
{
    static const char *const variables[] = { "OMPI_MCA_osc", "OMPI_MCA_mpi_yield_when_idle",
                                             "OMPI_MCA_btl_vader_single_copy_mechanism" };
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, failures = 0;
    MPI_Get_library_version(version, &length);
    bool infiniband = access("/sys/class/infiniband", F_OK) == 0;
    if (strncmp(version, "Open MPI v4", 11) != 0 || infiniband || !mkdtemp(home)) {
        fprintf(stderr, "skipped: needs Open MPI 4 and no InfiniBand: %s\n", version);
        return 77;
    }
    char folder[64];
    snprintf(folder, sizeof folder, "%s/.openmpi", home);
    snprintf(parameters, sizeof parameters, "%s/mca-params.conf", folder);
    char command[128];
    snprintf(command, sizeof command, "mkdir %s", folder);
    if (system(command) != 0) return 1;
    setenv("HOME", home, 1);
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    unsetenv("OMPI_MCA_mca_base_param_files");
    for (int v = 0; v < 3; v++) unsetenv(variables[v]);

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        unlink(parameters);
        pid_t child = fork();
        if (child == 0) {
            cases[c].arrange();
            pen_environment_prepare();
            _exit(differs(cases[c].name, variables[0], cases[c].osc) |
                  differs(cases[c].name, variables[1], cases[c].yield) |
                  differs(cases[c].name, variables[2], cases[c].single_copy));
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) < 0) perror("fork");
        bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == 77;
        if (skipped) fprintf(stderr, "skipped: %s: no right to filter system calls\n", cases[c].name);
        failures += status != 0 && !skipped;
    }
    snprintf(command, sizeof command, "rm -r %s", home);
    if (system(command) != 0) return 1;
    return failures + check_alone() > 0;
}
