/* memory_stream.c - a stream that writes to memory. */
#define _GNU_SOURCE /* for fopencookie */
#include "base/memory_stream.h"
#include "base/memory.h"

#include <stdlib.h>
#include <sys/types.h>

typedef struct stream {
    char **text;
    size_t *size;
    int64_t room;
    bool failed;
} stream;

static ssize_t take(void *cookie, const char *from, size_t size)
{
    stream *s = (stream *)cookie;
    size_t before = *s->size;
    if (s->failed || pen_reserve(s->text, 1, (int64_t)(before + size) + 1, &s->room) != PEN_OK) {
        s->failed = true;
        return 0;
    }
    memcpy(*s->text + before, from, size);
    (*s->text)[ *s->size += size] = '\0';
    return (ssize_t)size;
}

/* Return the present position, for ftell; other moves fail. */
static int seek(void *cookie, off64_t *at, int whence)
{
    const stream *s = (const stream *)cookie;
    if (*at != 0 || whence == SEEK_SET) return -1;
    *at = (off64_t)*s->size;
    return 0;
}

static int end(void *cookie)
{
    stream *s = (stream *)cookie;
    bool failed = s->failed;
    free(s);
    return failed ? EOF : 0;
}

FILE *pen_memory_stream(char **text, size_t *size)
{
    static const cookie_io_functions_t functions = { .write = take, .seek = seek, .close = end };
    stream *s = NULL;
    *text = NULL;
    *size = 0;
    FILE *file = NULL;
    if (PEN_ALLOC_ZERO(&s, 1) == PEN_OK && PEN_ALLOC_ZERO(text, 1) == PEN_OK) {
        *s = (stream){ .text = text, .size = size, .room = 1 };
        file = fopencookie(s, "w", functions);
    }
    if (file) return file;
    PEN_FREE_ALL(s, *text);
    *text = NULL;
    return NULL;
}
