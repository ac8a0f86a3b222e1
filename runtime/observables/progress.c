/* progress.c - shows the progress of a run in one line on a terminal. */
#include "observables/progress.h"
#include "observe/timers.h"

#include <unistd.h>

static const double interval = 0.1;

/* Whether the parent's standard error is a terminal. Under mpirun, a rank's standard error is a pipe to its parent. */
static bool parent_on_terminal(void)
{
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/2", (long)getppid());
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) return false;
    target[length] = '\0';
    return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

void pen_progress_start(pen_progress mode, bool reporter, int64_t steps, pen_progress_line *progress)
{
    *progress = (pen_progress_line){ .steps = steps, .start = pen_seconds_now() };
    if (!reporter || mode == PEN_PROGRESS_OFF) return;
    progress->terminal = isatty(STDERR_FILENO) || parent_on_terminal();
    progress->on = mode == PEN_PROGRESS_ON || progress->terminal;
}

bool pen_progress_due(pen_progress_line *progress)
{
    if (!progress->on) return false;
    double now = pen_seconds_now();
    if (now - progress->shown < interval) return false;
    progress->shown = now;
    return true;
}

void pen_progress_show(pen_progress_line *progress, int64_t done, const char *text)
{
    char line[400];
    double elapsed = progress->shown - progress->start;
    const double each = done > progress->first ? elapsed / (double)(done - progress->first) : 0.0;
    const double left = each * (double)(progress->steps - done);
    int width;
    if (progress->steps == PEN_UNLIMITED)
        width = snprintf(line, sizeof line, "step %" PRId64 ", %.1f s%s", done, elapsed, text);
    else
        width = snprintf(line, sizeof line, "step %" PRId64 " of %" PRId64 " (%.0f %%), %.1f s, %.1f s left%s", done,
                         progress->steps, 100.0 * (double)done / (double)(progress->steps ? progress->steps : 1),
                         elapsed, left, text);
    if (!pen_message_handled(PEN_MESSAGE_PROGRESS, line))
        fprintf(stderr, progress->terminal ? PEN_CUT("\r%-*s") : "\r%-*s", progress->width, line);
    progress->width = width;
    fflush(stderr);
}

void pen_progress_end(pen_progress_line *progress)
{
    if (progress->width == 0) return;
    if (!pen_message_handled(PEN_MESSAGE_PROGRESS, ""))
        fprintf(stderr, progress->terminal ? PEN_CUT("\r%*s\r") : "\r%*s\r", progress->width, "");
    progress->width = 0;
    fflush(stderr);
}
