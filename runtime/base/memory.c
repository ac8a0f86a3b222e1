/* memory.c - allocates memory, and returns failures as statuses. */
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Set the out-parameter. It is a void * so that callers need no cast; it points to a pointer of any type. */
static void store(void *memory, void *block) { memcpy(memory, &block, sizeof block); }

static pen_status out_of_memory(int64_t count, size_t size)
{
    return pen_fail(PEN_ERR_MEMORY, "out of memory: %" PRId64 " elements of %zu bytes", count, size);
}

PEN_PER_RANK int64_t pen_alloc_countdown;

static bool may_allocate(int64_t count, size_t size)
{
    if (count < 0 || (uint64_t)count > (uint64_t)PTRDIFF_MAX / (size ? size : 1)) return false;
    return pen_alloc_countdown == 0 || --pen_alloc_countdown > 0;
}

/* Ask for huge pages, since faulting in a large block by small pages can take longer than the work on it. */
static void prefer_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { HUGE_PAGE = 2 << 20 };
    uintptr_t from = ((uintptr_t)block + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t to = ((uintptr_t)block + bytes) / HUGE_PAGE * HUGE_PAGE;
    /* If this is refused, the memory is only slower. */
    if (to > from) (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#endif
}

static pen_status allocate(void *memory, int64_t count, size_t size, bool zero)
{
    store(memory, NULL);
    void *block = NULL;
    const size_t some = count ? (size_t)count : 1;
    if (may_allocate(count, size)) block = zero ? calloc(some, size) : malloc(some * size);
    if (!block) return out_of_memory(count, size);
    prefer_huge_pages(block, (size_t)count * size);
    store(memory, block);
    return PEN_OK;
}

pen_status pen_alloc(void *memory, int64_t count, size_t size) { return allocate(memory, count, size, false); }
pen_status pen_alloc_zero(void *memory, int64_t count, size_t size) { return allocate(memory, count, size, true); }

pen_status pen_realloc(void *memory, int64_t count, size_t size)
{
    void *old, *block = NULL;
    memcpy(&old, memory, sizeof old);
    if (may_allocate(count, size)) block = realloc(old, count ? (size_t)count * size : 1);
    if (!block) return out_of_memory(count, size);
    prefer_huge_pages(block, (size_t)count * size);
    store(memory, block);
    return PEN_OK;
}

pen_status pen_reserve(void *memory, size_t size, int64_t needed, int64_t *room)
{
    enum { FIRST = 64 };
    if (needed <= *room) return PEN_OK;
    int64_t more = 2 * *room > FIRST ? 2 * *room : FIRST;
    if (more < needed) more = needed;
    PEN_TRY(pen_realloc(memory, more, size));
    *room = more;
    return PEN_OK;
}

pen_status pen_copy_text(const char *text, char **copy)
{
    PEN_TRY(PEN_ALLOC(copy, (int64_t)strlen(text) + 1));
    strcpy(*copy, text);
    return PEN_OK;
}

void pen_free_all(int count, void *const *blocks)
{
    for (int i = 0; i < count; i++) free(blocks[i]);
}

void pen_return_freed(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

int pen_by_gid(const void *a, const void *b)
{
    pen_gid x = *(const pen_gid *)a, y = *(const pen_gid *)b;
    return (x > y) - (x < y);
}

int pen_by_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int pen_by_gids(const void *a, const void *b)
{
    int first = pen_by_gid(a, b);
    return first ? first : pen_by_gid((const pen_gid *)a + 1, (const pen_gid *)b + 1);
}

int pen_by_int32s(const void *a, const void *b)
{
    int first = pen_by_int32(a, b);
    return first ? first : pen_by_int32((const int32_t *)a + 1, (const int32_t *)b + 1);
}

pen_status pen_to_int(int64_t value, const char *what, int *narrow)
{
    if (value < INT_MIN || value > INT_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: %" PRId64 " exceeds what one MPI call can count (%d)", what, value,
                        INT_MAX);
    *narrow = (int)value;
    return PEN_OK;
}

pen_status pen_to_lid(int64_t value, const char *what, pen_lid *narrow)
{
    if (value < 0 || value > INT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: %" PRId64 " on one rank, at most %d are possible: use more ranks",
                        what, value, INT32_MAX);
    *narrow = (pen_lid)value;
    return PEN_OK;
}
