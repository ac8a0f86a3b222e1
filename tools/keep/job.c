#include "tools/keep/job.h"
#include "base/memory.h"
#include "tools/keep/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* ---- Signals --------------------------------------------------------------------------------------- */

static const int passed[] = { SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 };
enum { PASSED = 5, LINE_ROOM = 4096, CLEAR_TRIES = 1000, LONGEST_WAIT = 100 /* ms */ };

static volatile sig_atomic_t came[PASSED], ends_by;
static int heeded[PASSED];

static void hear_signal(int signal)
{
    for (int i = 0; i < PASSED; i++)
        if (passed[i] == signal) came[i]++;
    if (!ends_by && (signal == SIGHUP || signal == SIGINT || signal == SIGTERM)) ends_by = signal;
}

void pen_job_listen(void)
{
    struct sigaction action = { .sa_handler = hear_signal }, before;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < PASSED; i++) {
        sigaction(passed[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) sigaction(passed[i], &action, NULL); /* nohup ignores one */
    }
    sigaction(SIGCHLD, &action, NULL); /* which ends a wait */
#if defined(__linux__)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

int pen_job_told_to_end(void) { return ends_by; }

/* How many ranks here got it. */
static int signal_ranks(int signal)
{
    processes found;
    int reached = 0;
    if (pen_processes_read(&found) == PEN_OK)
        for (int64_t i = 0; i < found.count; i++)
            if (pen_processes_is_rank(&found, i)) reached += kill(found.all[i].pid, signal) == 0;
    pen_processes_free(&found);
    return reached;
}

static void pass_on(pid_t launcher)
{
    for (int i = 0; i < PASSED; i++) {
        const int count = came[i], signal = passed[i];
        const bool again = heeded[i] > 0 && signal == SIGTERM;
        if (count == heeded[i]) continue;
        heeded[i] = count;
        if (again || signal == SIGINT || signal == SIGHUP || signal_ranks(signal) == 0) kill(-launcher, signal);
    }
}

/* ---- What it prints --------------------------------------------------------------------------------- */

typedef struct stream {
    int from, to; /* from -1: it has ended */
    char text[LINE_ROOM];
    size_t used;
} stream;

static void write_all(int to, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t n = write(to, bytes, count);
        if (n < 0 && errno != EINTR) return;
        if (n < 0) continue;
        bytes += n;
        count -= (size_t)n;
    }
}

/* What is longer than a line's room is heard in pieces. */
static void split_lines(stream *s, const char *bytes, size_t count, const job_listener *to)
{
    for (size_t i = 0; i < count; i++) {
        bool ends = bytes[i] == '\n' || s->used == sizeof s->text - 1;
        if (bytes[i] != '\n') s->text[s->used++] = bytes[i];
        if (!ends) continue;
        s->text[s->used] = '\0';
        to->hear(to->context, s->text);
        s->used = 0;
    }
}

/* Whether there was something. */
static bool take(stream *s, const job_listener *to)
{
    char bytes[16384];
    if (s->from < 0) return false;
    ssize_t n = read(s->from, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n <= 0) {
        close(s->from);
        s->from = -1;
        return false;
    }
    write_all(s->to, bytes, (size_t)n);
    split_lines(s, bytes, (size_t)n, to);
    return true;
}

/* ---- The command ------------------------------------------------------------------------------------- */

static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

/* In the child. Where it cannot be started, why is written to `failed`. */
static _Noreturn void become(char **words, int out, int err, int failed)
{
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvp(words[0], words);
    const int why = errno;
    write_all(failed, (const char *)&why, sizeof why);
    _exit(127);
}

/* 0 once the command is there, else why it is not. */
static int wait_for_start(int from)
{
    int why = 0;
    ssize_t n;
    struct pollfd end = { .fd = from, .events = POLLIN };
    while ((n = read(from, &why, sizeof why)) < 0 && (errno == EAGAIN || errno == EINTR)) poll(&end, 1, -1);
    return n == sizeof why ? why : 0;
}

static void close_all(int count, const int *files)
{
    for (int i = 0; i < count; i++)
        if (files[i] >= 0) close(files[i]);
}

static pen_status start(char **words, stream streams[2], pid_t *launcher)
{
    int out[2] = { -1, -1 }, err[2] = { -1, -1 }, failed[2] = { -1, -1 }, why = 0;
    *launcher = -1;
    fflush(NULL);
    if (open_pipe(out) && open_pipe(err) && open_pipe(failed)) *launcher = fork();
    if (*launcher == 0) become(words, out[1], err[1], failed[1]);
    if (*launcher < 0) why = errno;
    close_all(3, (int[]){ out[1], err[1], failed[1] });
    if (*launcher > 0) {
        setpgid(*launcher, *launcher); /* by whom it happens first */
        why = wait_for_start(failed[0]);
        if (why != 0) waitpid(*launcher, NULL, 0);
    }
    close_all(1, failed);
    if (why == 0) {
        streams[0] = (stream){ .from = out[0], .to = STDOUT_FILENO };
        streams[1] = (stream){ .from = err[0], .to = STDERR_FILENO };
        return PEN_OK;
    }
    close_all(2, (int[]){ out[0], err[0] });
    return pen_fail(PEN_ERR_INPUT, "%s: cannot be started: %s", words[0], strerror(why));
}

/* Whether the launcher has ended. Others are orphans that were left to us. */
static bool collect(pid_t launcher, int *status)
{
    bool ended = false;
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
        if (pid != launcher) continue;
        *status = how;
        ended = true;
    }
    return ended;
}

pen_status pen_job_run(char **words, const job_listener *to, int *status)
{
    stream streams[2];
    pid_t launcher;
    for (int i = 0; i < PASSED; i++) heeded[i] = came[i]; /* what came before was for no rank of it */
    PEN_TRY(start(words, streams, &launcher));
    while (!collect(launcher, status)) {
        pass_on(launcher);
        struct pollfd polled[2] = { { .fd = streams[0].from, .events = POLLIN },
                                    { .fd = streams[1].from, .events = POLLIN } };
        poll(polled, PEN_COUNT_OF(polled), LONGEST_WAIT);
        for (int i = 0; i < 2; i++) take(&streams[i], to);
    }
    for (int i = 0; i < 2; i++) {
        while (take(&streams[i], to)) {}
        if (streams[i].from >= 0) close(streams[i].from);
    }
    return PEN_OK;
}

/* ---- What is left ------------------------------------------------------------------------------------- */

static int64_t kill_all(void)
{
    processes found;
    int64_t alive = 0;
    if (pen_processes_read(&found) != PEN_OK) alive = 1;
    for (int64_t i = 0; i < found.count; i++) {
        if (!found.all[i].ours || found.all[i].dead) continue;
        kill(found.all[i].pid, SIGKILL);
        alive++;
    }
    pen_processes_free(&found);
    return alive;
}

bool pen_job_clear(void)
{
    const struct timespec moment = { 0, 10000000 };
    for (int tries = 0; tries < CLEAR_TRIES; tries++) {
        int64_t alive = kill_all();
        int unused;
        collect(-1, &unused);
        if (alive == 0) return true;
        nanosleep(&moment, NULL);
    }
    return false;
}
