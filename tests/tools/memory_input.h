/* memory_input.h - texts in memory as input. */
#pragma once

#include "base/scanner.h"

#include <stdlib.h>

typedef struct memory_source {
    const char *at, *end;
} memory_source;

static inline int64_t memory_read(void *state, char *to, int64_t room)
{
    memory_source *s = state;
    int64_t bytes = s->end - s->at < room ? s->end - s->at : room;
    if (bytes > 0) memcpy(to, s->at, (size_t)bytes);
    s->at += bytes;
    return bytes;
}

/* `bytes` must outlive the input. */
static inline pen_status memory_input_open(const char *name, const void *bytes, int64_t size, pen_scanner *in)
{
    memory_source *s;
    PEN_TRY(PEN_ALLOC(&s, 1));
    *s = (memory_source){ bytes, (const char *)bytes + size };
    return pen_scanner_open(name, (pen_byte_source){ s, memory_read, free }, size, in);
}
