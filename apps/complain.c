/* complain.c - reads whole files, and makes error sentences. */
#include "apps/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Read an open regular file of `size` bytes; folders and pipes, which might block, are refused. */
static const char *load(const char *path, FILE *in, size_t size, char **text)
{
    if (!in) return pen_complain("%s: %s", path, strerror(errno));
    *text = (char *)malloc(size + 1);
    if (!*text) return pen_complain("%s: out of memory", path);
    errno = 0;
    if (fread(*text, 1, size, in) != size)
        return pen_complain("%s: %s", path, errno ? strerror(errno) : "cannot read all of it");
    (*text)[size] = '\0';
    return NULL;
}

const char *pen_load(const char *path, char **text, size_t *size)
{
    struct stat found;
    *text = NULL;
    *size = 0;
    if (stat(path, &found) != 0) return pen_complain("%s: %s", path, strerror(errno));
    if (!S_ISREG(found.st_mode)) return pen_complain("%s: not a regular file", path);
    FILE *in = fopen(path, "rb");
    const char *wrong = load(path, in, (size_t)found.st_size, text);
    if (in) fclose(in);
    if (!wrong) {
        *size = (size_t)found.st_size;
        return NULL;
    }
    free(*text);
    *text = NULL;
    return wrong;
}

const char *pen_complain(const char *format, ...)
{
    static char message[1024];
    char text[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(message, text, sizeof message);
    return message;
}
