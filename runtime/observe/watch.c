#define _GNU_SOURCE /* names of threads */
#include "observe/watch.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "observe/links.h"
#include "observe/verdict.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PERIOD = 250, LEAST_PERIOD = 10 }; /* ms between two looks */

/* ms. A launcher that is gone has had that long to end its processes; who ends, to have been read; and the launcher to
 * end the others when one has ended: that of Open MPI 4 sometimes hangs where they all end by themselves. */
static const int64_t ORPHANED = 2000, LAST_WORDS = 500, ENDED = 3000;

struct pen_watch {
    pen_board *board;
    pen_links *links;  /* of the hosts; NULL: there is one */
    pen_pulse *pulses; /* [host_size], on the host's lowest rank; else [1]: of that one */
    pthread_t thread;
    int wake;              /* is readable when the thread is to end */
    int64_t limit, period; /* ms */
    uint64_t moves;        /* at the last look */
    int64_t still;         /* ms since they changed */
    bool traced;           /* when it was last looked at */
    pid_t parent;          /* the launcher; 0: it is none that has to stay */
    int64_t orphaned;      /* ms */
    bool told_works, told_held;
};

pen_status pen_watch_read(const char *text, double *seconds)
{
    *seconds = 0.0;
    if (!text || strcmp(text, "off") == 0) return PEN_OK;
    pen_status status = pen_read_seconds("--watchdog", text, seconds);
    return status == PEN_OK ? PEN_OK : pen_fail(status, "%s, or off", pen_error_message());
}

/* Whether a debugger, or the like, has this process. */
static bool is_traced(void)
{
    static const char key[] = "TracerPid:";
    char line[256];
    bool traced = false;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, sizeof key - 1) == 0) traced = strtol(line + sizeof key - 1, NULL, 10) != 0;
    if (file) fclose(file);
    return traced;
}

static bool has_launcher(void)
{
    return getenv("OMPI_COMM_WORLD_RANK") || getenv("PMIX_RANK") || getenv("PMI_RANK") || getenv("SLURM_PROCID");
}

/* ---- The end ---------------------------------------------------------------------------------- */

static void sleep_ms(int64_t ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

/* Nobody may be there to read it: that must not last. */
static void say(const char *text, size_t size)
{
    enum { PIECE = 512, PATIENCE = 1000 }; /* a pipe that is ready takes a piece at once */
    while (size > 0) {
        struct pollfd out = { STDERR_FILENO, POLLOUT, 0 };
        if (poll(&out, 1, PATIENCE) != 1) return;
        ssize_t written = write(STDERR_FILENO, text, size < PIECE ? size : PIECE);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text += written;
        size -= (size_t)written;
    }
}

/* What has been printed is not to be lost, where nobody is just printing. */
static void flush_output(void)
{
    if (ftrylockfile(stdout) != 0) return;
    struct pollfd out = { STDOUT_FILENO, POLLOUT, 0 };
    if (poll(&out, 1, 0) == 1) fflush(stdout);
    funlockfile(stdout);
}

/* Does not return. Who is the first on this host says why; all of them find out, and end as well. */
static void end_all(pen_watch *w, const char *text, size_t size)
{
    int none = 0;
    bool first = atomic_compare_exchange_strong(pen_board_ended(w->board), &none, 1);
    if (first && text) say(text, size);
    flush_output();
    sleep_ms(first ? LAST_WORDS : ENDED);
    _exit(PEN_WATCH_STATUS);
}

PEN_PRINTF(2, 3) static void end_with(pen_watch *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    end_all(w, text, size < (int)sizeof text ? (size_t)size : sizeof text - 1);
}

/* ---- This process ------------------------------------------------------------------------------- */

/* Up to its arguments. */
static int call_length(const char *call) { return (int)strcspn(call, "("); }

static int condition_now(const char *call, const char *within)
{
    if (call) return PEN_RANK_WAITS;
    return within ? PEN_RANK_WORKS : PEN_RANK_OUTSIDE;
}

static void describe(char text[PEN_POST_TEXT], const char *call, const char *within)
{
    const char *doing = PEN_MARK_OF(doing), *phase = PEN_MARK_OF(phase);
    int64_t step = PEN_MARK_OF(step);
    int awaited = PEN_MARK_OF(awaited);
    char whom[32] = "", where[64] = "";
    if (call && awaited >= 0) snprintf(whom, sizeof whom, " of rank %d", awaited);
    if (step >= 0)
        snprintf(where, sizeof where, ", step %" PRId64 "%s%.40s", step + 1, phase ? ", phase " : "",
                 phase ? phase : "");
    snprintf(text, PEN_POST_TEXT, "%s%.*s%s: %s%s%s%s", call ? " in " : "", call ? call_length(call) : 0,
             call ? call : "", whom, within ? within : "the program's own", doing ? ", " : "", doing ? doing : "",
             where);
}

/* Put up what this rank is at. */
static void put_up(pen_watch *w)
{
    pen_post *post = pen_board_post(w->board, w->board->host_rank);
    const char *call = PEN_MARK_OF(call), *within = PEN_MARK_OF(within);
    uint64_t moves = PEN_MARK_OF(moves);
    bool moved = moves != w->moves;
    w->moves = moves;
    w->still = moved ? 0 : w->still + w->period;
    if (moved) atomic_store_explicit(&post->since, (int64_t)time(NULL), memory_order_relaxed);
    if (w->still % w->limit < w->period && w->still >= w->limit) w->traced = is_traced();
    if (moved) w->traced = false;
    if (2 * w->still >= w->limit) describe(post->text, call, within);
    atomic_store_explicit(&post->condition, w->traced ? PEN_RANK_HELD : condition_now(call, within),
                          memory_order_relaxed);
    atomic_store_explicit(&post->still, w->still, memory_order_release);
    atomic_fetch_add_explicit(&post->beats, 1, memory_order_release);
}

/* ---- The others --------------------------------------------------------------------------------- */

static double seconds_of(int64_t ms) { return 1e-3 * (double)ms; }

static void tell(bool *told, int rank, const char *what, int64_t limit)
{
    char text[256];
    if (*told) return;
    *told = true;
    static const char prefix[] = "penumbra: ";
    int size = snprintf(text, sizeof text, "%swatchdog: rank %d %s, and no rank has moved for %g s; the run goes on",
                        prefix, rank, what, seconds_of(limit));
    if (pen_message_handled(PEN_MESSAGE_WARNING, text + sizeof prefix - 1)) return;
    text[size++] = '\n';
    say(text, (size_t)size);
}

/* The lines of this host's ranks, and then those of the others. */
static void end_stuck(pen_watch *w)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) end_with(w, "penumbra: watchdog: no rank has moved for %g s; the run ends\n", seconds_of(w->limit));
    fprintf(out, "penumbra: watchdog: no rank has moved for %g s; the run ends. What they are at:\n",
            seconds_of(w->limit));
    pen_facts_print(w->board, w->pulses, out);
    if (w->links) pen_links_print(w->links, out);
    fclose(out);
    if (w->links) pen_links_end(w->links);
    end_all(w, text, size);
}

static void act(pen_watch *w, const pen_facts *facts)
{
    switch (pen_facts_judge(facts)) {
    case PEN_VERDICT_WORKS: tell(&w->told_works, facts->a_worker, "is computing", w->limit); break;
    case PEN_VERDICT_HELD: tell(&w->told_held, facts->a_held, "is stopped", w->limit); break;
    case PEN_VERDICT_STUCK: end_stuck(w); break;
    case PEN_VERDICT_GONE:
        if (w->links) pen_links_end(w->links);
        end_with(w, "penumbra: watchdog: the process of rank %d is gone; the run ends\n", facts->a_gone);
        break;
    default: break;
    }
}

/* The lowest rank of a host looks at all of them; and at other hosts, where it is the lowest of all. */
static void look_around(pen_watch *w)
{
    if (w->board->host_rank > 0) {
        if (pen_pulse_gone(w->pulses, w->board, 0, w->period))
            end_with(w, "penumbra: watchdog: the process of rank %d is gone; the run ends\n",
                     pen_board_post(w->board, 0)->rank);
        return;
    }
    pen_facts facts = pen_facts_of(w->board, w->pulses, w->limit, w->period);
    if (w->links) {
        pen_link_news news = pen_links_exchange(w->links, w->board, w->pulses, &facts, w->period);
        if (news == PEN_LINK_END) end_all(w, NULL, 0);
        if (news == PEN_LINK_LOST) {
            pen_links_end(w->links);
            end_with(w, "penumbra: watchdog: a host is gone; the run ends\n");
        }
        if (news == PEN_LINK_FOLLOW) return; /* another one decides */
    }
    act(w, &facts);
}

static void look_for_launcher(pen_watch *w)
{
    w->orphaned = w->parent != 0 && getppid() != w->parent ? w->orphaned + w->period : 0;
    if (w->orphaned >= ORPHANED) end_with(w, "penumbra: watchdog: the launcher is gone; the run ends\n");
}

static void *watch(void *context)
{
    pen_watch *w = (pen_watch *)context;
    struct pollfd wake = { w->wake, POLLIN, 0 };
    while (poll(&wake, 1, (int)w->period) != 1) {
        put_up(w);
        if (atomic_load(pen_board_ended(w->board)) != 0) end_all(w, NULL, 0);
        look_for_launcher(w);
        look_around(w);
    }
    return NULL;
}

/* ---- Beginning and end ---------------------------------------------------------------------------- */

/* No signal of the program's is for this thread. */
static pen_status start_thread(pen_watch *w)
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
#ifdef __GLIBC__
    pthread_setname_np(w->thread, "pen-watch");
#endif
    return PEN_OK;
}

static pen_status provide(const pen_comm *comm, double seconds, pen_watch **watch)
{
    pen_watch *w;
    PEN_TRY(PEN_ALLOC_ZERO(&w, 1));
    *watch = w;
    w->wake = eventfd(0, EFD_CLOEXEC);
    if (w->wake < 0) return pen_fail(PEN_ERR_IO, "eventfd: %s", strerror(errno));
    PEN_TRY(PEN_ALLOC_ZERO(&w->pulses, comm->host_rank == 0 ? comm->host_size : 1));
    const double most = 1e9, least = 1e-3; /* seconds: 30 years */
    w->limit = (int64_t)(1e3 * fmax(least, fmin(seconds, most)));
    w->period = w->limit / 8;
    if (w->period > MOST_PERIOD) w->period = MOST_PERIOD;
    if (w->period < LEAST_PERIOD) w->period = LEAST_PERIOD;
    w->parent = has_launcher() ? getppid() : 0;
    return PEN_OK;
}

static void release(pen_watch **watch)
{
    pen_watch *w = *watch;
    if (!w) return;
    pen_links_destroy(&w->links);
    pen_board_destroy(&w->board);
    if (w->wake >= 0) close(w->wake);
    PEN_FREE_ALL(w->pulses, w);
    *watch = NULL;
}

/* Collective. */
static pen_status set_up(pen_comm *comm, double seconds, pen_watch **watch)
{
    PEN_TRY(pen_agree(comm, provide(comm, seconds, watch)));
    PEN_TRY(pen_board_create(comm, &(*watch)->board));
    if (!comm->one_host) PEN_TRY(pen_links_create(comm, &(*watch)->links));
    pen_status mine = start_thread(*watch), status = pen_agree(comm, mine);
    if (mine == PEN_OK && status != PEN_OK) pen_watch_destroy(watch);
    return status;
}

pen_status pen_watch_create(pen_comm *comm, double seconds, pen_watch **watch)
{
    *watch = NULL;
    int64_t traced = 0;
    if (seconds <= 0.0) return PEN_OK;
    PEN_TRY(pen_max_int(comm, is_traced(), &traced));
    int64_t launched = 0;
    PEN_TRY(pen_max_int(comm, has_launcher(), &launched));
    if (traced || (comm->size == 1 && !launched)) return PEN_OK;
    pen_status status = set_up(comm, seconds, watch);
    if (status == PEN_OK) return PEN_OK;
    release(watch);
    if (status == PEN_ERR_MPI) return status;
    if (comm->rank == 0) pen_warn("no watchdog: %s", pen_error_message());
    return PEN_OK;
}

void pen_watch_destroy(pen_watch **watch)
{
    if (!watch || !*watch) return;
    pen_watch *w = *watch;
    uint64_t one = 1;
    while (write(w->wake, &one, sizeof one) < 0 && errno == EINTR) continue;
    pthread_join(w->thread, NULL);
    pen_post *post = pen_board_post(w->board, w->board->host_rank);
    atomic_store(&post->condition, PEN_RANK_LEFT);
    release(watch);
}
