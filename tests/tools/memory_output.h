/* memory_output.h - what a writer writes, in memory. */
#pragma once

#include "tools/common/writer.h"

#include <stdlib.h>

typedef struct memory_sink {
    char **bytes;
    int64_t *size, room;
    bool whole;
} memory_sink;

static inline pen_status memory_write(void *state, const char *bytes, int64_t size)
{
    memory_sink *s = state;
    PEN_TRY(pen_reserve(s->bytes, 1, *s->size + size, &s->room));
    memcpy(*s->bytes + *s->size, bytes, (size_t)size);
    *s->size += size;
    return PEN_OK;
}

static inline pen_status memory_finish(void *state)
{
    ((memory_sink *)state)->whole = true;
    return PEN_OK;
}

static inline void memory_close(void *state)
{
    memory_sink *s = state;
    if (!s->whole) free(*s->bytes);
    if (!s->whole) *s->bytes = NULL;
    free(s);
}

/* After pen_writer_close, *bytes [*size] are the caller's to free (NULL after a failure). */
static inline pen_status memory_output_open(char **bytes, int64_t *size, writer *out)
{
    memory_sink *s;
    PEN_TRY(PEN_ALLOC_ZERO(&s, 1));
    *s = (memory_sink){ .bytes = bytes, .size = size };
    *bytes = NULL;
    *size = 0;
    *out = (writer){ .sink = { s, memory_write, memory_finish, memory_close } };
    return pen_writer_begin(out);
}
