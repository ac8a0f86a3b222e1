/* watchdog.c - the thread that posts what its rank does, and looks at the posts of the host. */
#define _GNU_SOURCE /* names of threads */
#include "debug/watchdog.h"
#include "base/memory.h"
#include "debug/status_board.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PERIOD = 1000, LEAST_PERIOD = 10 }; /* milliseconds between two checks */

enum { MISSED = 4 }; /* a rank without a heartbeat for MISSED periods is not running */

/* Times in ms. A launcher that has been gone for ORPHANED has not ended its processes. A live launcher needs LAST_WORDS
 * to read a process's message before the process ends. It needs ENDED to end the others: Open MPI 4's launcher
 * sometimes hangs if all end at once. */
enum { ORPHANED = 2000, LAST_WORDS = 500, ENDED = 3000 };

PEN_PER_RANK int64_t pen_watchdog_report_after = 10 * 60 * 1000;

struct pen_watchdog {
    pen_status_board *board;
    int host_rank, host_size;
    pen_marks *marks; /* the marks of this rank */
    bool runs;        /* the thread has been started */
    pthread_t thread;
    int wake;       /* descriptor that becomes readable when the thread must end */
    int64_t period; /* milliseconds between two checks */
    pen_stall stall;
    pid_t launcher;   /* process of the launcher; 0: none */
    int64_t orphaned; /* milliseconds since the launcher has been gone */
};

/* Convert a limit in seconds to ms; 0: no limit. */
static int64_t limit_of(double seconds)
{
    const double least = 1e-3, most = 1e9; /* bounds in seconds, up to 30 years */
    return seconds == PEN_WATCHDOG_REPORT ? 0 : (int64_t)(1e3 * fmax(least, fmin(seconds, most)));
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The time in ms after which a running rank must have had a heartbeat. */
static int64_t alive_since(const pen_watchdog *w) { return now_ms() - MISSED * w->period; }

static void sleep_ms(int64_t ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

/* ---- Posts ---------------------------------------------------------------------------------- */

/* Describe a rank's activity, such as "waiting in MPI_Wait for rank 1, pen_run_steps, completing pulls, step 3, phase
 * relax". */
static void describe(char text[PEN_POST_TEXT], const char *within, int64_t step)
{
    const char *call = PEN_MARK_OF(call), *doing = PEN_MARK_OF(doing), *phase = PEN_MARK_OF(phase);
    int awaited = PEN_MARK_OF(awaited), name = call ? (int)strcspn(call, "(") : 0;
    char whom[32] = "", where[80] = "";
    if (call && awaited >= 0) snprintf(whom, sizeof whom, " for rank %d", awaited);
    if (step >= 0)
        snprintf(where, sizeof where, ", step %" PRId64 "%s%.40s", step + 1, phase ? ", phase " : "",
                 phase ? phase : "");
    if (within)
        snprintf(text, PEN_POST_TEXT, "%s%.*s%s%s%s%s%s%s", call ? "waiting in " : "busy in ", name, call ? call : "",
                 whom, call ? ", " : "", within, doing ? ", " : "", doing ? doing : "", where);
    else snprintf(text, PEN_POST_TEXT, "outside of the library");
}

static void post(pen_watchdog *w)
{
    pen_post *own = &w->board->posts[w->host_rank];
    const char *within = PEN_MARK_OF(within);
    int64_t step = PEN_MARK_OF(step);
    atomic_store(&own->moves, PEN_MARK_OF(moves));
    atomic_store(&own->steps, PEN_MARK_OF(steps));
    atomic_store(&own->inside, within != NULL);
    atomic_store(&own->stepping, step >= 0);
    describe(own->text, within, step);
    atomic_store(&own->heartbeat, now_ms());
}

/* ---- Reports -------------------------------------------------------------------------------- */

/* Print to standard error; give up after a second if it has no reader. */
static void print(const char *text)
{
    enum { PIECE = 512, PATIENCE = 1000 }; /* a ready pipe takes PIECE bytes at once; PATIENCE is in ms */
    for (size_t size = strlen(text); size > 0;) {
        struct pollfd out = { STDERR_FILENO, POLLOUT, 0 };
        if (poll(&out, 1, PATIENCE) != 1) return;
        ssize_t written = write(STDERR_FILENO, text, size < PIECE ? size : PIECE);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text += written;
        size -= (size_t)written;
    }
}

/* Print one line, with the activity of the ranks of this host. */
static void say(const pen_watchdog *w, const char *what, int64_t ms, bool ends)
{
    static const char prefix[] = "penumbra: ";
    char host[65] = "", *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    gethostname(host, sizeof host - 1);
    fprintf(out, "%swatchdog: host %s: %s %g s, the run %s: ", prefix, host, what, 1e-3 * (double)ms,
            ends ? "ends" : "continues");
    pen_status_board_print(w->board, w->host_size, alive_since(w), out);
    fflush(out);
    bool handled = !ends && pen_message_handled(PEN_MESSAGE_WARNING, text + sizeof prefix - 1);
    fputc('\n', out);
    fclose(out);
    if (!handled) print(text);
    free(text);
}

/* ---- Ending the process ------------------------------------------------------------------------- */

/* Flush printed output, unless a thread holds the lock because it is printing. */
static void flush_output(void)
{
    if (ftrylockfile(stdout) != 0) return;
    struct pollfd out = { STDOUT_FILENO, POLLOUT, 0 };
    if (poll(&out, 1, 0) == 1) fflush(stdout);
    funlockfile(stdout);
}

/* End this process. The other ranks of this host see the board, and the launcher ends them; other hosts get time to
 * decide the same themselves. */
static _Noreturn void end(const pen_watchdog *w, bool first)
{
    flush_output();
    sleep_ms(2 * w->period + (first ? LAST_WORDS : ENDED));
    _exit(PEN_WATCHDOG_STATUS);
}

static void look_for_launcher(pen_watchdog *w)
{
    w->orphaned = w->launcher != 0 && getppid() != w->launcher ? w->orphaned + w->period : 0;
    if (w->orphaned < ORPHANED) return;
    bool first = !atomic_exchange(&w->board->ended, true);
    if (first) print("penumbra: watchdog: the launcher is gone; the run ends\n");
    end(w, first);
}

/* ---- The thread --------------------------------------------------------------------------------- */

/* Whether this rank reports: the lowest running rank does, and only once per number of moves. */
static bool reports(const pen_watchdog *w, uint64_t moves)
{
    for (int r = 0; r < w->host_rank; r++)
        if (atomic_load(&w->board->posts[r].heartbeat) > alive_since(w)) return false;
    return atomic_exchange(&w->board->reported, moves) != moves;
}

static void look(pen_watchdog *w)
{
    const pen_activity now = pen_status_board_activity(w->board, w->host_size);
    pen_decision decision = pen_decide(&w->stall, &now, w->period);
    if (decision == PEN_DECISION_REPORT && reports(w, now.moves))
        say(w, "no progress for", w->stall.report_after, false);
    if (decision != PEN_DECISION_END) return;
    bool first = !atomic_exchange(&w->board->ended, true);
    if (first) say(w, "a step takes longer than", w->stall.step_limit, true);
    end(w, first);
}

static void *watch(void *context)
{
    pen_watchdog *w = (pen_watchdog *)context;
    struct pollfd wake = { w->wake, POLLIN, 0 };
    pen_marked = w->marks;
    while (poll(&wake, 1, (int)w->period) != 1) {
        post(w);
        if (atomic_load(&w->board->ended)) end(w, false);
        look_for_launcher(w);
        look(w);
    }
    return NULL;
}

/* Start the thread, with all signals blocked: they are for the program's threads. */
static pen_status start_thread(pen_watchdog *w)
{
    enum { STACK = 256 << 10 };
    sigset_t all, before;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&w->thread, &attributes, watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (code != 0) return pen_fail(PEN_ERR_MEMORY, "cannot start a thread: %s", strerror(code));
    w->runs = true;
#ifdef __GLIBC__
    pthread_setname_np(w->thread, "pen-watchdog");
#endif
    return PEN_OK;
}

/* ---- Creating and destroying -------------------------------------------------------------------- */

static bool has_launcher(void)
{
    return getenv("OMPI_COMM_WORLD_RANK") || getenv("PMIX_RANK") || getenv("PMI_RANK") || getenv("SLURM_PROCID");
}

/* Local. Allocate a watchdog, or none. */
static pen_status provide(const pen_comm *comm, int64_t limit, pen_watchdog **watchdog)
{
    PEN_TRY(PEN_ALLOC_ZERO(watchdog, 1));
    pen_watchdog *w = *watchdog;
    w->marks = pen_marked;
    w->host_rank = comm->host_rank;
    w->host_size = comm->host_size;
    w->stall = (pen_stall){ .report_after = pen_watchdog_report_after, .step_limit = limit };
    w->period = (limit > 0 && limit < w->stall.report_after ? limit : w->stall.report_after) / 8;
    if (w->period < LEAST_PERIOD) w->period = LEAST_PERIOD;
    if (w->period > MOST_PERIOD) w->period = MOST_PERIOD;
    w->launcher = has_launcher() ? getppid() : 0;
    w->wake = eventfd(0, EFD_CLOEXEC);
    return w->wake >= 0 ? PEN_OK : pen_fail(PEN_ERR_IO, "eventfd: %s", strerror(errno));
}

/* Collective. Create the board, and start the thread. */
static pen_status set_up(pen_comm *comm, int64_t limit, pen_watchdog **watchdog)
{
    PEN_TRY(pen_agree(comm, provide(comm, limit, watchdog)));
    PEN_TRY(pen_status_board_create(comm, &(*watchdog)->board));
    post(*watchdog); /* post once here, so that the board also shows a rank that is stopped before its thread runs */
    return pen_agree(comm, start_thread(*watchdog));
}

pen_status pen_watchdog_create(pen_comm *comm, double seconds, pen_watchdog **watchdog)
{
    *watchdog = NULL;
    if (seconds == 0.0) return PEN_OK;
    const int64_t limit = limit_of(seconds);
    if (limit == 0 && comm->size == 1 && !has_launcher()) return PEN_OK;
    pen_status status = set_up(comm, limit, watchdog);
    if (status == PEN_OK) return PEN_OK;
    if (comm->rank == 0 && status != PEN_ERR_MPI) pen_warn("no watchdog: %s", pen_error_message());
    pen_watchdog_destroy(watchdog);
    return status == PEN_ERR_MPI ? status : PEN_OK;
}

void pen_watchdog_destroy(pen_watchdog **watchdog)
{
    if (!watchdog || !*watchdog) return;
    pen_watchdog *w = *watchdog;
    uint64_t one = 1;
    while (w->runs && write(w->wake, &one, sizeof one) < 0 && errno == EINTR) continue;
    if (w->runs) pthread_join(w->thread, NULL);
    if (w->board) atomic_store(&w->board->posts[w->host_rank].heartbeat, 0);
    pen_status_board_destroy(&w->board, w->host_size);
    if (w->wake >= 0) close(w->wake);
    free(w);
    *watchdog = NULL;
}
