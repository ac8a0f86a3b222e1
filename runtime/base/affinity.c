/* affinity.c - reads the set of processors on which a thread may run. */
#define _GNU_SOURCE /* for sched_getaffinity */
#include "base/affinity.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

void pen_affinity_mine(unsigned char mask[PEN_AFFINITY_BYTES])
{
    memset(mask, 0, PEN_AFFINITY_BYTES);
#ifdef __linux__
    if (sched_getaffinity(0, PEN_AFFINITY_BYTES, (cpu_set_t *)(void *)mask) == 0) return;
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < online && i < PEN_AFFINITY_BYTES * 8; i++)
        mask[i / 8] = (unsigned char)(mask[i / 8] | 1u << (i % 8));
}

int pen_affinity_has(const unsigned char mask[PEN_AFFINITY_BYTES], int number)
{
    return mask[number / 8] >> (number % 8) & 1;
}

int pen_affinity_count(const unsigned char mask[PEN_AFFINITY_BYTES])
{
    int count = 0;
    for (int i = 0; i < PEN_AFFINITY_BYTES * 8; i++) count += pen_affinity_has(mask, i);
    return count;
}
