/* copy.h - copies of arrays. */
#pragma once

#include "base/memory.h"

#include <string.h>

/* Local. Copy `count` elements of `size` bytes to new memory, whose address becomes *to, and which the caller frees;
 * NULL if `from` is NULL. PEN_ERR_MEMORY. */
PEN_CHECKED static inline pen_status pen_copy(void *to, const void *from, int64_t count, size_t size)
{
    void *memory = NULL;
    if (from) PEN_TRY(pen_alloc(&memory, count, size));
    if (from && count > 0) memcpy(memory, from, (size_t)count * size);
    memcpy(to, &memory, sizeof memory);
    return PEN_OK;
}
#define PEN_COPY(to, from, count) pen_copy((to), (from), (count), sizeof **(to))
