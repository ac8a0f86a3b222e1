/* queued.c - reads /proc/thread-self/schedstat: the nanoseconds that the thread ran, the nanoseconds that it waited for
 * a core, and a count. */
#include "base/queued.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pen_queued_open(void) { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

double pen_queued_seconds(int account)
{
    char text[96];
    const ssize_t length = account < 0 ? -1 : pread(account, text, sizeof text - 1, 0);
    if (length <= 0) return 0.0;
    text[length] = '\0';
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
