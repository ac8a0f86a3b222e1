/* hosts.c - emulates hosts by namespaces. */
#define _GNU_SOURCE /* for unshare */
#include "tools/comm/hosts.h"
#include "base/memory.h"
#include "base/options.h"

#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/* The argument with which this program is a remote shell. mpirun splits its agent at spaces, so the agent is this
 * program's plain name. */
static const char serve_word[] = "--serve-host";

pen_status pen_hosts_parse(const char *text, comm_hosts *hosts)
{
    *hosts = (comm_hosts){ .ranks = 1 };
    const pen_option settings[] = {
        { "ranks", "N", "", PEN_OPTION_INT, &hosts->ranks, 1, 1024 },
        { "latency", "T", "", PEN_OPTION_REAL, &hosts->latency, 0, 0 },
        { "bandwidth", "B", "", PEN_OPTION_REAL, &hosts->bandwidth, 0, 0 },
        { .name = NULL },
    };
    pen_spec spec;
    PEN_TRY(pen_spec_split(text, &spec));
    pen_status status = PEN_OK;
    if (strcmp(spec.name, "2") != 0) status = pen_fail(PEN_ERR_INPUT, "--hosts=%s: must be " COMM_HOSTS, text);
    if (status == PEN_OK) status = pen_settings_parse("--hosts", spec.settings, settings);
    pen_spec_free(&spec);
    PEN_TRY(status);
    if (hosts->latency < 0.0 || hosts->latency > 1.0 || hosts->bandwidth < 0.0)
        return pen_fail(PEN_ERR_INPUT, "--hosts=%s: latency must be from 0 to 1 s, and bandwidth not negative", text);
    return PEN_OK;
}

/* Make a namespace of mounts and of the host name. */
static int make_host(const char *name)
{
    if (unshare(CLONE_NEWNS | CLONE_NEWUTS) != 0) return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
    if (mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL) != 0) return -1;
    return sethostname(name, strlen(name));
}

/* Check whether this process may make hosts, in a child process. */
static pen_status try_host(void)
{
    int end = 0;
    pid_t child = fork();
    if (child == 0) _exit(make_host("try") == 0 ? 0 : errno);
    if (child < 0 || waitpid(child, &end, 0) != child) end = errno << 8;
    if (end == 0) return PEN_OK;
    return pen_fail(PEN_ERR_ENVIRONMENT, "--hosts: cannot make namespaces for hosts: %s: it needs root",
                    strerror(WEXITSTATUS(end)));
}

pen_status pen_hosts_launch(const comm_hosts *hosts, int argc, char **argv)
{
#ifndef OPEN_MPI
    return pen_fail(PEN_ERR_ENVIRONMENT, "--hosts: hosts are emulated for Open MPI's launcher only");
#endif
    char self[4096], path[8192], where[64], ranks[32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return pen_fail(PEN_ERR_ENVIRONMENT, "--hosts: /proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    PEN_TRY(try_host());
    const char *name = strrchr(self, '/') + 1, *before = getenv("PATH");
    snprintf(path, sizeof path, "%.*s:%s", (int)(name - self - 1), self, before ? before : "/usr/bin:/bin");
    snprintf(where, sizeof where, "nodeA:%" PRId64 ",nodeB:%" PRId64, hosts->ranks, hosts->ranks);
    snprintf(ranks, sizeof ranks, "%" PRId64, 2 * hosts->ranks);
    char agent[512];
    snprintf(agent, sizeof agent, "%s %s", name, serve_word);
    /* Settings for Open MPI 4 and 5 (PRRTE), which have different names for some. */
    static const char *const always[][2] = {
        { "OMPI_MCA_oob_tcp_if_include", "lo" },   { "OMPI_MCA_btl_tcp_if_include", "lo" },
        { "OMPI_ALLOW_RUN_AS_ROOT", "1" },         { "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1" },
        { "OMPI_MCA_mpi_yield_when_idle", "1" },   /* each host believes that it has all cores */
        { "OMPI_MCA_opal_event_include", "poll" }, /* MPI waits by poll(), which slow_tcp.c replaces */
        { "OMPI_MCA_btl_tcp_rcvbuf", "4194304" },  /* bytes wait in this buffer; a short one would stop the sender */
    };
    for (int i = 0; i < PEN_COUNT_OF(always); i++) setenv(always[i][0], always[i][1], 1);
    setenv("PATH", path, 1);
    setenv("OMPI_MCA_plm_rsh_agent", agent, 1);
    setenv("PRTE_MCA_plm_ssh_agent", agent, 1);
    unsetenv("PRTE_MCA_rmaps_default_mapping_policy"); /* this policy would put all ranks on the first host */
    char bind[] = "none"; /* otherwise the ranks of both hosts are bound to the same cores */
    char *launch[] = { "mpirun", "--bind-to", bind, "--host", where, "-n", ranks, self };
    char **words;
    PEN_TRY(PEN_ALLOC(&words, PEN_COUNT_OF(launch) + argc));
    memcpy(words, launch, sizeof launch);
    memcpy(words + PEN_COUNT_OF(launch), argv + 1, (size_t)argc * sizeof *argv); /* includes the NULL at the end */
    execvp(words[0], words);
    free(words);
    return pen_fail(PEN_ERR_ENVIRONMENT, "--hosts: cannot start mpirun: %s", strerror(errno));
}

void pen_hosts_serve(int argc, char **argv)
{
    if (argc < 4 || strcmp(argv[1], serve_word) != 0) return;
    /* The words are one command line, so a shell runs them. */
    const char *shell[] = { "sh", "-c", "exec sh -c \"$*\"", "sh" };
    char **words;
    if (make_host(argv[2]) == 0 && PEN_ALLOC(&words, PEN_COUNT_OF(shell) + argc) == PEN_OK) {
        memcpy(words, shell, sizeof shell);
        /* Includes the NULL at the end. */
        memcpy(words + PEN_COUNT_OF(shell), argv + 3, (size_t)(argc - 2) * sizeof *argv);
        execv("/bin/sh", words);
    }
    fprintf(stderr, "pen-comm: host %s: %s\n", argv[2], strerror(errno));
    exit(pen_exit_status(PEN_ERR_ENVIRONMENT));
}
