/* choices.c - draws from the seed, what is told to sanitizers, and reports. */
#define _GNU_SOURCE /* dladdr */
#include "tests/support/one_process/sim.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

sim_world sim;
_Thread_local sim_rank *sim_me;
bool sim_expects_init;

void *sim_allocate(size_t bytes)
{
    void *block = calloc(1, bytes ? bytes : 1);
    if (block) return block;
    fprintf(stderr, "one_process: out of memory\n");
    abort();
}

/* ---- Draws ----------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t next_number(void)
{
    uint64_t x = sim.random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

unsigned sim_draw(unsigned below) { return (unsigned)((next_number() >> 32) * below >> 32); }

bool sim_takes(one_process_choice choice)
{
    if (sim.rates[choice] == 0) return false;
    const bool takes = sim_draw(256) < sim.rates[choice];
    (takes ? sim.result.taken : sim.result.left)[choice]++;
    return takes;
}

void sim_note(uint64_t what)
{
    sim.trace = (sim.trace ^ what ^ sim.random) * UINT64_C(0xff51afd7ed558ccd);
    sim.trace ^= sim.trace >> 29;
}

/* ---- Sanitizers --------------------------------------------------------------------------------------- */

/* They are there if the program is instrumented. */
void __tsan_acquire(void *object) __attribute__((weak));
void __tsan_release(void *object) __attribute__((weak));
void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));
void __asan_poison_memory_region(const volatile void *bytes, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *bytes, size_t size) __attribute__((weak));

static void *any(const void *object)
{
    union {
        const void *from;
        void *to;
    } same = { object };
    return same.to;
}

void sim_release(const void *object)
{
    if (__tsan_release) __tsan_release(any(object));
}

void sim_acquire(const void *object)
{
    if (__tsan_acquire) __tsan_acquire(any(object));
}

static _Thread_local bool ignores;

void sim_ignore(bool begin)
{
    if (!AnnotateIgnoreReadsBegin || begin == ignores) return;
    ignores = begin;
    (begin ? AnnotateIgnoreReadsBegin : AnnotateIgnoreReadsEnd)(__FILE__, __LINE__);
    (begin ? AnnotateIgnoreWritesBegin : AnnotateIgnoreWritesEnd)(__FILE__, __LINE__);
}

void sim_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 0) return;
    const bool before = ignores;
    if (before) sim_ignore(false);
    memmove(to, from, bytes);
    if (before) sim_ignore(true);
}

/* Some bytes at once, wherever they are. */
typedef uint64_t words __attribute__((vector_size(32), aligned(1), may_alias));

/* Not by memcpy, which sanitizers watch. */
void sim_copy_unseen(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (; bytes >= sizeof(words); bytes -= sizeof(words), to += sizeof(words), from += sizeof(words))
        *(volatile words *)(void *)to = *(const volatile words *)(const void *)from;
    while (bytes-- > 0) *(volatile unsigned char *)to++ = *(const volatile unsigned char *)from++;
}

void sim_spoil(void *bytes, size_t size)
{
    if (size == 0) return;
    const bool before = ignores;
    if (before) sim_ignore(false);
    memset(bytes, 0xa5, size);
    if (before) sim_ignore(true);
}

/* Whole words inside the buffer. */
static unsigned char *inner(void *bytes, size_t *size)
{
    unsigned char *first = bytes;
    const size_t skipped = (8 - (uintptr_t)first % 8) % 8;
    *size = *size > skipped ? (*size - skipped) / 8 * 8 : 0;
    return first + skipped;
}

void sim_lend(void *bytes, size_t size)
{
    unsigned char *first = inner(bytes, &size);
    if (__asan_poison_memory_region && size) __asan_poison_memory_region(first, size);
}

void sim_return(void *bytes, size_t size)
{
    unsigned char *first = inner(bytes, &size);
    if (__asan_unpoison_memory_region && size) __asan_unpoison_memory_region(first, size);
}

/* ---- Reports --------------------------------------------------------------------------------------------- */

/* The functions of the stack that are not ours, by addr2line. */
static void print_stack(void)
{
    enum { MOST = 32, SHOWN = 6 };
    void *frames[MOST];
    Dl_info about, own;
    char command[4096];
    int length = 0, shown = 0;
    const int count = backtrace(frames, MOST);
    if (!dladdr(any((const void *)&sim), &own)) return;
    length = snprintf(command, sizeof command, "exec addr2line -f -s -p -e '%s' ", own.dli_fname);
    for (int i = 0; i < count; i++) {
        if (!dladdr(frames[i], &about) || about.dli_fbase != own.dli_fbase) continue;
        length += snprintf(command + length, sizeof command - (size_t)length, "0x%zx ",
                           (size_t)((unsigned char *)frames[i] - (unsigned char *)own.dli_fbase) - 1);
    }
    FILE *lines = popen(command, "r");
    char line[256];
    while (lines && fgets(line, sizeof line, lines)) {
        if (strncmp(line, "sim_", 4) == 0 || strncmp(line, "MPI_", 4) == 0 || strncmp(line, "print_stack", 11) == 0 ||
            strncmp(line, "pass_to", 7) == 0 || strncmp(line, "__wrap", 6) == 0 || strncmp(line, "begin ", 6) == 0)
            continue;
        if (shown++ < SHOWN) fprintf(stderr, "    %s", line);
    }
    if (lines) pclose(lines);
}

void sim_describe(const sim_rank *r)
{
    char whom[64] = "";
    if (r->peer >= 0 && r->tag >= 0) snprintf(whom, sizeof whom, " (rank %d, tag %d)", r->peer, r->tag);
    else if (r->peer >= 0) snprintf(whom, sizeof whom, " (rank %d)", r->peer);
    fprintf(stderr, "one_process: rank %d, call %lld, %s %s%s\n", r->number, (long long)r->calls,
            r->ended   ? "has ended after"
            : r->dead  ? "has died in"
            : r->ready ? "waits in"
                       : "is in or after",
            r->call ? r->call : "no call", whom);
    if (r == sim_me) print_stack();
}

void sim_say_how(const char *what)
{
    fprintf(stderr, "one_process: %s: --ranks=%d --hosts=%d --seed=%llu\n", what, sim.settings.ranks,
            sim.settings.hosts, (unsigned long long)sim.settings.seed);
}

void sim_wrong(const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    sim_say_how(what);
    sim_describe(sim_me);
    fflush(NULL);
    _exit(ONE_PROCESS_WRONG);
}
