/* queued.c - reads /proc/thread-self/schedstat (the nanoseconds that the thread ran, the nanoseconds that it
 * waited for a core, and a count) and /proc/loadavg (three averages, and the number of threads that run or are ready,
 * before a slash). */
#include "base/queued.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pen_queued_open(void) { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

/* Whether the file says something. */
static bool read_text(int file, char *text, size_t room)
{
    const ssize_t length = file < 0 ? -1 : pread(file, text, room - 1, 0);
    if (length <= 0) return false;
    text[length] = '\0';
    return true;
}

double pen_queued_seconds(int account)
{
    char text[96];
    if (!read_text(account, text, sizeof text)) return 0.0;
    const char *second = strchr(text, ' ');
    return second ? 1e-9 * strtod(second, NULL) : 0.0;
}

double pen_queued_now(void)
{
    const int account = pen_queued_open();
    const double seconds = pen_queued_seconds(account);
    if (account >= 0) close(account);
    return seconds;
}

int pen_running_now(void)
{
    char text[96];
    int running = -1;
    const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    if (read_text(file, text, sizeof text) && sscanf(text, "%*f %*f %*f %d/", &running) != 1) running = -1;
    if (file >= 0) close(file);
    return running;
}
