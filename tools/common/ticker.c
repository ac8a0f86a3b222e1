/* ticker.c - a line about the progress of long work. */
#include "tools/common/ticker.h"
#include "observables/progress.h"
#include "observe/timers.h"

#include <unistd.h>

static bool shown; /* whether a line of progress is on the screen */

void pen_ticker_bytes(const char *verb, const char *name, int64_t done, int64_t all)
{
    static double next, begun; /* times when the next line is due, and when this work began */
    static int64_t last;       /* bytes of this work at the last call */
    if (!isatty(STDERR_FILENO)) return;
    double now = pen_seconds_now();
    if (next <= 0.0) next = now + 1.0;
    if (begun <= 0.0 || done < last) begun = now;
    last = done;
    if (now < next) return;
    next = now + 0.2;
    shown = true;
    if (all > 0 && done > 0)
        fprintf(stderr, PEN_CUT("\r%s %s: %.0f %%, %.0f s left\033[K"), verb, name, 100.0 * (double)done / (double)all,
                (now - begun) * (double)(all - done) / (double)done);
    else if (all < 0) fprintf(stderr, PEN_CUT("\r%s %s: %.0f MB\033[K"), verb, name, (double)done / 1e6);
}

void pen_ticker_step(const char *verb, const char *name)
{
    if (!isatty(STDERR_FILENO)) return;
    shown = true;
    fprintf(stderr, PEN_CUT("\r%s %s\033[K"), verb, name);
}

void pen_ticker_end(void)
{
    if (shown) fprintf(stderr, "\r\033[K");
    shown = false;
}
