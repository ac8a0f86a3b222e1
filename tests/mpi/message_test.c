/* message_test - the library's messages reach the program's handler, on the rank and thread where they arise, and not
 * standard error; without a handler they are printed there.
 * pen_mpi_test(PROCESSES RANKS 2) */
#include "debug/watchdog.h"
#include "tests/support/world.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 8, STEPS = 50, ROOM = 2000 };

typedef struct log {
    char text[ROOM];
    int progress; /* messages */
    bool erased;  /* the last one was "" */
} log;

static pthread_t caller;
static _Atomic(bool) heard; /* the watchdog, on its thread */

static void take(void *context, pen_message_kind kind, const char *text)
{
    log *l = (log *)context;
    if (!pthread_equal(pthread_self(), caller)) {
        if (kind == PEN_MESSAGE_WARNING && strstr(text, "watchdog: host ") == text)
            heard = heard || strstr(text, "rank 0: busy in pen_run_steps") != NULL;
    } else if (kind == PEN_MESSAGE_PROGRESS) {
        l->progress++;
        l->erased = *text == '\0';
        if (*text) snprintf(l->text, ROOM, "%s", text);
    } else {
        snprintf(l->text, ROOM, "%s", text);
    }
}

/* ---- A run with messages -------------------------------------------------------------------- */

static int patience; /* milliseconds for which rank 0 computes, or until the watchdog has spoken */

static void count(const pen_view *v)
{
    const struct timespec moment = { 0, 1000000 };
    for (; patience > 0 && check_rank() == 0 && !heard; patience--) nanosleep(&moment, NULL);
    *PEN_NEXT(v, 0, int) = pen_step(v) < 0 ? 0 : *PEN_SELF(v, 0, int) + 1;
}

static void begin(const pen_view *v) { *PEN_NEXT(v, 0, int) = 0; }

static void steps(double watchdog)
{
    static const pen_field fields[] = { { .name = "count", .size = sizeof(int) } };
    static const pen_phase phases[] = { { "count", .node = count, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
    static const pen_app app = { .name = "count", PEN_FIELDS(fields), PEN_PHASES(phases), .init = begin };
    const pen_run_options options = { .steps = STEPS, .progress = PEN_PROGRESS_ON, .debug.watchdog = watchdog };
    pen_graph *graph = NULL;
    CHECK_STATUS(generate_random(MPI_COMM_WORLD, NODES, 3.0, 1, &graph), PEN_OK);
    pen_run *run = run_with(graph, &app, &options);
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

static void test_handler(void)
{
    log mine = { .erased = false };
    const pen_message_handler handler = { take, &mine };
    char printed[ROOM];
    pen_set_message_handler(&handler);
    catch_stderr();
    pen_warn("%s: odd\n\x1b", "file");
    CHECK_CONTAINS(mine.text, "file: odd \\x1b");
    steps(0.0);
    patience = 60000;
    pen_watchdog_report_after = 200;
    steps(PEN_WATCHDOG_REPORT);
    release_stderr(printed, ROOM);
    pen_set_message_handler(NULL);
    CHECK_INT(printed[0], '\0');
    CHECK_INT(heard, check_rank() == 0);
    CHECK_INT(mine.progress > 0, check_rank() == 0);
    CHECK_INT(mine.erased, check_rank() == 0);
    if (check_rank() == 0) CHECK_CONTAINS(mine.text, " of 50 (");
}

static void test_printed(void)
{
    char printed[ROOM];
    catch_stderr();
    pen_warn("odd");
    steps(0.0);
    release_stderr(printed, ROOM);
    CHECK_INT(strncmp(printed, "penumbra: odd\n", 14), 0);
    CHECK_INT(strstr(printed, "\rstep ") != NULL, check_rank() == 0);
}

static void test_build_info(void)
{
    const char *info = pen_build_info();
    for (const char *words[] = { "compiler ", "\nflags ", "\ncommit ", "\npackages ", NULL }, **w = words; *w; w++)
        CHECK_CONTAINS(info, *w);
    CHECK(!strstr(info, "prefix-map") && info[strlen(info) - 1] != '\n');
}

CHECKS()
{
    caller = pthread_self();
    RUN(test_handler());
    RUN(test_printed());
    if (check_rank() == 0) RUN(test_build_info());
}
