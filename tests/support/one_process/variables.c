/* variables.c - variables with static storage of programs that penumbra_one_process has built: each rank has its own
 * copy. What lies in whole pages is mapped, from a part of an anonymous file for each rank; the rest is copied. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The linker's names for the sections that the build has given such variables. */
extern unsigned char __start_pen_rank_data[] __attribute__((weak)), __stop_pen_rank_data[] __attribute__((weak));
extern unsigned char __start_pen_rank_rel[] __attribute__((weak)), __stop_pen_rank_rel[] __attribute__((weak));

enum { PARTS = 3, PAGE = 4096, FEW = 8 * PAGE }; /* FEW bytes are copied */

typedef struct part {
    unsigned char *begin;
    size_t size;
} part;

static part copied[PARTS], mapped;
static unsigned char *copies; /* of all ranks, then those of before */
static size_t copy_size;
static int file = -1, ranks;

static unsigned char *named, *named_end;

void one_process_variables(unsigned char *begin, unsigned char *end)
{
    named = begin;
    named_end = end;
}

static void find_parts(void)
{
    unsigned char *begin = named ? named : __start_pen_rank_data, *end = named ? named_end : __stop_pen_rank_data;
    unsigned char *first = begin + (PAGE - (uintptr_t)begin % PAGE) % PAGE, *last = end - (uintptr_t)end % PAGE;
    copied[2] = (part){ __start_pen_rank_rel, (size_t)(__stop_pen_rank_rel - __start_pen_rank_rel) };
    if (end - begin < FEW) {
        mapped.size = 0;
        copied[0] = (part){ begin, (size_t)(end - begin) };
        copied[1].size = 0;
    } else {
        mapped = (part){ first, (size_t)(last - first) };
        copied[0] = (part){ begin, (size_t)(first - begin) };
        copied[1] = (part){ last, (size_t)(end - last) };
    }
    copy_size = copied[0].size + copied[1].size + copied[2].size;
}

static void store(int rank)
{
    unsigned char *to = copies + (size_t)(rank < 0 ? ranks : rank) * copy_size;
    for (int i = 0; i < PARTS; to += copied[i++].size) sim_copy_unseen(to, copied[i].begin, copied[i].size);
}

static void load(int rank)
{
    const unsigned char *from = copies + (size_t)(rank < 0 ? ranks : rank) * copy_size;
    for (int i = 0; i < PARTS; from += copied[i++].size) sim_copy_unseen(copied[i].begin, from, copied[i].size);
}

static void map(int flags, int from, off_t at)
{
    if (mmap(mapped.begin, mapped.size, PROT_READ | PROT_WRITE, MAP_FIXED | flags, from, at) != MAP_FAILED) return;
    perror("one_process: mmap");
    _exit(ONE_PROCESS_WRONG);
}

void sim_variables_begin(int count)
{
    ranks = count;
    find_parts();
    if (copy_size + mapped.size == 0) return;
    copies = sim_allocate(((size_t)ranks + 1) * copy_size);
    for (int r = -1; r < ranks; r++) store(r);
    if (mapped.size == 0) return;
    file = memfd_create("one_process", MFD_CLOEXEC);
    for (int r = 0; r <= ranks; r++) /* by no function that sanitizers watch */
        if (syscall(SYS_pwrite64, file, mapped.begin, mapped.size, (size_t)r * mapped.size) != (long)mapped.size) {
            perror("one_process: memfd_create");
            _exit(ONE_PROCESS_WRONG);
        }
}

void sim_variables_switch(int from, int to)
{
    if (!copies) return;
    store(from);
    load(to);
    if (mapped.size) map(MAP_SHARED, file, (off_t)((size_t)to * mapped.size));
}

void sim_variables_end(void)
{
    if (!copies) return;
    if (mapped.size) {
        map(MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (syscall(SYS_pread64, file, mapped.begin, mapped.size, (size_t)ranks * mapped.size) != (long)mapped.size)
            perror("one_process: pread");
        close(file);
    }
    load(-1);
    free(copies);
    copies = NULL;
}
