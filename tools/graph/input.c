/* input.c - reads text files, with line and column. */
#include "tools/graph/input.h"
#include "base/numbers.h"
#include "tools/common/ticker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t pen_input_chunk = 256 * 1024;

/* ---- Sources -------------------------------------------------------------------------------- */

typedef struct file_source {
    int file;
    const char *name; /* name of the input */
} file_source;

static int64_t file_read(void *state, char *to, int64_t room)
{
    const file_source *s = state;
    for (;;) {
        ssize_t got = read(s->file, to, (size_t)room);
        if (got >= 0) return got;
        if (errno == EINTR) continue;
        pen_fail(PEN_ERR_IO, "cannot read %s: %s", s->name, strerror(errno));
        return -1;
    }
}

static void file_close(void *state)
{
    file_source *s = state;
    if (s->file > STDIN_FILENO) close(s->file);
    free(s);
}

static pen_status file_open(const char *path, const char *name, pen_byte_source *source, int64_t *size)
{
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", name, strerror(errno));
    /* A device is refused, since it may be endless. */
    const char *what = S_ISDIR(about.st_mode) ? "directory" : "device";
    if (file != STDIN_FILENO && !S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode)) {
        close(file);
        return pen_fail(PEN_ERR_IO, "cannot read %s: it is a %s", name, what);
    }
    *size = S_ISREG(about.st_mode) ? (int64_t)about.st_size : -1;
    if (*size >= 0 && file == STDIN_FILENO) *size -= (int64_t)lseek(file, 0, SEEK_CUR);
    file_source *s;
    if (PEN_ALLOC(&s, 1) != PEN_OK) {
        if (file != STDIN_FILENO) close(file);
        return PEN_ERR_MEMORY;
    }
    *s = (file_source){ file, name };
    *source = (pen_byte_source){ s, file_read, file_close };
    return PEN_OK;
}

/* ---- Opening -------------------------------------------------------------------------------- */

pen_status pen_input_open_source(const char *name, pen_byte_source source, int64_t size, input *in)
{
    *in = (input){ .name = name, .source = source, .size = size, .line = 1 };
    pen_status status = PEN_ALLOC_ZERO(&in->buffer, pen_input_chunk + 2 * INPUT_SPAN);
    in->at = in->end = in->buffer;
    return status == PEN_OK ? PEN_OK : pen_input_close(in, status);
}

pen_status pen_input_open(const char *path, input *in)
{
    pen_byte_source source;
    int64_t size = -1;
    *in = (input){ .name = strcmp(path, "-") == 0 ? "<standard input>" : path };
    PEN_TRY(file_open(path, in->name, &source, &size));
    if (!pen_path_is_compressed(path)) return pen_input_open_source(in->name, source, size, in);
    PEN_TRY(pen_decompress(path, &source));
    return pen_input_open_source(in->name, source, -1, in);
}

pen_status pen_input_close(input *in, pen_status status)
{
    if (in->status != PEN_OK) status = in->status;
    pen_ticker_end();
    if (in->source.close) in->source.close(in->source.state);
    free(in->buffer);
    *in = (input){ .name = in->name };
    return status;
}

/* ---- Reading -------------------------------------------------------------------------------- */

bool pen_input_fill(input *in)
{
    int64_t left = in->end - in->at;
    pen_ticker_bytes("reading", in->name, in->base, in->size);
    if (in->at > in->buffer) {
        in->base += in->at - in->buffer;
        memmove(in->buffer, in->at, (size_t)left);
        in->at = in->buffer;
    }
    while (left < INPUT_SPAN && !in->ended) {
        int64_t got = in->source.read(in->source.state, in->buffer + left, pen_input_chunk + INPUT_SPAN - left);
        if (got < 0) in->status = PEN_ERR_IO;
        if (got <= 0) in->ended = true;
        else left += got;
    }
    in->end = in->buffer + left;
    memset(in->buffer + left, 0, INPUT_SPAN);
    return left > 0;
}

int64_t pen_input_left(const input *in)
{
    int64_t offset = pen_input_offset(in);
    if (in->ended) return in->end - in->at;
    return in->size >= offset ? in->size - offset : offset + (1 << 20);
}

void pen_input_skip_blanks(input *in)
{
    while (pen_input_more(in) && (*in->at == ' ' || *in->at == '\t')) in->at++;
}

static bool at_line_end(const input *in)
{
    return *in->at == '\n' || (*in->at == '\r' && (in->at[1] == '\n' || in->at + 1 == in->end));
}

/* Whether a number may end at `at`. */
static bool ends_number(const input *in, const char *at)
{
    return *at == ' ' || *at == '\t' || *at == '\n' || at == in->end ||
           (*at == '\r' && (at[1] == '\n' || at + 1 == in->end));
}

/* Skip blanks; INPUT_NUMBER if a word follows. */
static input_token next_token(input *in)
{
    pen_input_skip_blanks(in);
    if (!pen_input_more(in)) return INPUT_END;
    return at_line_end(in) ? INPUT_LINE_END : INPUT_NUMBER;
}

input_token pen_input_integer(input *in, int64_t *value)
{
    input_token token = next_token(in);
    if (token != INPUT_NUMBER) return token;
    const char *at = in->at + (*in->at == '-' || *in->at == '+'), *begin = at;
    uint64_t digits = 0;
    for (; pen_input_is_digit(*at) && at - begin <= INPUT_DIGITS; at++) digits = digits * 10 + (uint64_t)(*at - '0');
    if (at == begin || at - begin > INPUT_DIGITS || !ends_number(in, at)) return INPUT_WRONG;
    *value = *in->at == '-' ? -(int64_t)digits : (int64_t)digits;
    in->at = at;
    return INPUT_NUMBER;
}

input_token pen_input_real(input *in, double *value)
{
    input_token token = next_token(in);
    if (token != INPUT_NUMBER) return token;
    int length = 0;
    while (length < INPUT_SPAN && strchr("+-.0123456789eE", in->at[length]) && in->at + length < in->end) length++;
    char text[INPUT_SPAN + 1], *end;
    memcpy(text, in->at, (size_t)length);
    text[length] = '\0';
    if (length == 0 || length == INPUT_SPAN || !ends_number(in, in->at + length)) return INPUT_WRONG;
    double number = strtod(text, &end);
    if (*end != '\0' || end == text || !isfinite(number) || pen_is_too_small(text)) return INPUT_WRONG;
    *value = number;
    in->at += length;
    return INPUT_NUMBER;
}

const char *pen_input_wrong(const input *in)
{
    static char text[64];
    const char *at = in->at + (*in->at == '-' || *in->at == '+'), *digits = at;
    while (pen_input_is_digit(*at)) at++;
    int c = (unsigned char)*at;
    if (pen_is_too_small(in->at)) snprintf(text, sizeof text, "a number too small for a double");
    else if (at - digits > INPUT_DIGITS) snprintf(text, sizeof text, "a number of more than %d digits", INPUT_DIGITS);
    else if (at == in->end) snprintf(text, sizeof text, "a sign without a number");
    else if (c == '\r') snprintf(text, sizeof text, "carriage return inside the line");
    else if (at == digits && at > in->at && (c == ' ' || c == '\t' || c == '\n'))
        snprintf(text, sizeof text, "a sign without a number");
    else snprintf(text, sizeof text, c > ' ' && c < 127 ? "unexpected '%c'" : "unexpected 0x%02X", (unsigned)c);
    return text;
}

void pen_input_skip_token(input *in)
{
    while (pen_input_more(in) && *in->at != ' ' && *in->at != '\t' && !at_line_end(in)) in->at++;
}

/* Skip to the next '\n', or to the end. */
static void skip_to_line_end(input *in)
{
    while (pen_input_more(in)) {
        const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
        in->at = newline ? newline : in->end;
        if (newline) return;
    }
}

void pen_input_skip_line(input *in)
{
    skip_to_line_end(in);
    pen_input_line_end(in);
}

bool pen_input_line_end(input *in)
{
    if (!pen_input_more(in) || !at_line_end(in)) return false;
    in->at += *in->at == '\r';
    if (in->at < in->end) in->at++;
    pen_input_newline(in);
    return true;
}

void pen_input_read_line(input *in, char *text, size_t size)
{
    size_t length = 0;
    for (; pen_input_more(in) && !at_line_end(in); in->at++)
        if (length + 1 < size) text[length++] = *in->at;
    if (size > 0) text[length] = '\0';
    pen_input_line_end(in);
}
