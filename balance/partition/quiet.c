/* quiet.c - silences libraries that print. */
#include "partition/quiet.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int pen_quiet(int descriptor)
{
    fflush(stdout);
    int kept = dup(descriptor), null = open("/dev/null", O_WRONLY);
    if (kept >= 0 && null >= 0) dup2(null, descriptor);
    if (null >= 0) close(null);
    return kept;
}

void pen_unquiet(int descriptor, int kept)
{
    fflush(stdout);
    if (kept < 0) return;
    dup2(kept, descriptor);
    close(kept);
}
