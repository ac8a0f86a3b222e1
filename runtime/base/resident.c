/* resident.c - reads the resident memory of this process. */
#include "base/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t status_bytes(const char *key)
{
    char line[256];
    long long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) kib = atoll(line + strlen(key));
    if (file) fclose(file);
    return kib < 0 ? -1 : kib * 1024;
}

int64_t pen_resident_now(void) { return status_bytes("VmRSS:"); }
int64_t pen_resident_highest(void) { return status_bytes("VmHWM:"); }
