/* scanner.c - reads text from a source of bytes, with line and column. */
#include "base/scanner.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

PEN_PER_RANK int64_t pen_scanner_chunk = 256 * 1024;

pen_status pen_scanner_open(const char *name, pen_byte_source source, int64_t size, pen_scanner *in)
{
    *in = (pen_scanner){ .name = name, .source = source, .size = size, .line = 1 };
    pen_status status = PEN_ALLOC_ZERO(&in->buffer, pen_scanner_chunk + 2 * PEN_SCANNER_SPAN);
    in->at = in->end = in->buffer;
    return status == PEN_OK ? PEN_OK : pen_scanner_close(in, status);
}

pen_status pen_scanner_close(pen_scanner *in, pen_status status)
{
    if (in->status != PEN_OK) status = pen_fail(in->status, "%s", in->fault);
    if (in->source.close) in->source.close(in->source.state);
    free(in->buffer);
    *in = (pen_scanner){ .name = in->name };
    return status;
}

bool pen_scanner_fill(pen_scanner *in)
{
    int64_t left = in->end - in->at;
    if (in->at > in->buffer) {
        in->base += in->at - in->buffer;
        memmove(in->buffer, in->at, (size_t)left);
        in->at = in->buffer;
    }
    while (left < PEN_SCANNER_SPAN && !in->ended) {
        int64_t got = in->source.read(in->source.state, in->buffer + left, pen_scanner_chunk + PEN_SCANNER_SPAN - left);
        if (got < 0) {
            in->status = PEN_ERR_IO;
            snprintf(in->fault, sizeof in->fault, "%s", pen_error_message());
        }
        if (got <= 0) in->ended = true;
        else left += got;
    }
    in->end = in->buffer + left;
    memset(in->buffer + left, 0, PEN_SCANNER_SPAN);
    return left > 0;
}

int64_t pen_scanner_left(const pen_scanner *in)
{
    int64_t offset = pen_scanner_offset(in);
    if (in->ended) return in->end - in->at;
    return in->size >= offset ? in->size - offset : offset + (1 << 20);
}

void pen_scanner_skip_blanks(pen_scanner *in)
{
    while (pen_scanner_more(in) && (*in->at == ' ' || *in->at == '\t')) in->at++;
}

static bool at_line_end(const pen_scanner *in)
{
    return *in->at == '\n' || (*in->at == '\r' && (in->at[1] == '\n' || in->at + 1 == in->end));
}

/* Whether a number may end at `at`. */
static bool ends_number(const pen_scanner *in, const char *at)
{
    return *at == ' ' || *at == '\t' || *at == '\n' || at == in->end ||
           (*at == '\r' && (at[1] == '\n' || at + 1 == in->end));
}

/* Skip blanks; PEN_SCANNER_NUMBER if a word follows. */
static pen_scanner_token next_token(pen_scanner *in)
{
    pen_scanner_skip_blanks(in);
    if (!pen_scanner_more(in)) return PEN_SCANNER_END;
    return at_line_end(in) ? PEN_SCANNER_LINE_END : PEN_SCANNER_NUMBER;
}

pen_scanner_token pen_scanner_integer(pen_scanner *in, int64_t *value)
{
    pen_scanner_token token = next_token(in);
    if (token != PEN_SCANNER_NUMBER) return token;
    const char *at = in->at + (*in->at == '-' || *in->at == '+'), *begin = at;
    uint64_t digits = 0;
    for (; pen_scanner_is_digit(*at) && at - begin <= PEN_SCANNER_DIGITS; at++)
        digits = digits * 10 + (uint64_t)(*at - '0');
    if (at == begin || at - begin > PEN_SCANNER_DIGITS || !ends_number(in, at)) return PEN_SCANNER_WRONG;
    *value = *in->at == '-' ? -(int64_t)digits : (int64_t)digits;
    in->at = at;
    return PEN_SCANNER_NUMBER;
}

pen_scanner_token pen_scanner_real(pen_scanner *in, double *value)
{
    pen_scanner_token token = next_token(in);
    if (token != PEN_SCANNER_NUMBER) return token;
    int length = 0;
    while (length < PEN_SCANNER_SPAN && in->at + length < in->end && in->at[length] != '\0' &&
           strchr("+-.0123456789eE", in->at[length]))
        length++;
    char text[PEN_SCANNER_SPAN + 1], *end;
    memcpy(text, in->at, (size_t)length);
    text[length] = '\0';
    if (length == 0 || length == PEN_SCANNER_SPAN || !ends_number(in, in->at + length)) return PEN_SCANNER_WRONG;
    double number = strtod(text, &end);
    if (*end != '\0' || end == text || !isfinite(number) || pen_is_too_small(text)) return PEN_SCANNER_WRONG;
    *value = number;
    in->at += length;
    return PEN_SCANNER_NUMBER;
}

const char *pen_scanner_wrong(const pen_scanner *in)
{
    static PEN_PER_RANK char text[64];
    const char *at = in->at + (*in->at == '-' || *in->at == '+'), *digits = at;
    while (pen_scanner_is_digit(*at)) at++;
    int c = (unsigned char)*at;
    if (pen_is_too_small(in->at)) snprintf(text, sizeof text, "a number too small for a double");
    else if (at - digits > PEN_SCANNER_DIGITS)
        snprintf(text, sizeof text, "a number of more than %d digits", PEN_SCANNER_DIGITS);
    else if (at == in->end) snprintf(text, sizeof text, "a sign without a number");
    else if (c == '\r') snprintf(text, sizeof text, "carriage return inside the line");
    else if (at == digits && at > in->at && (c == ' ' || c == '\t' || c == '\n'))
        snprintf(text, sizeof text, "a sign without a number");
    else snprintf(text, sizeof text, c > ' ' && c < 127 ? "unexpected '%c'" : "unexpected 0x%02X", (unsigned)c);
    return text;
}

void pen_scanner_skip_token(pen_scanner *in)
{
    while (pen_scanner_more(in) && *in->at != ' ' && *in->at != '\t' && !at_line_end(in)) in->at++;
}

/* Skip to the next '\n', or to the end. */
static void skip_to_line_end(pen_scanner *in)
{
    while (pen_scanner_more(in)) {
        const char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
        in->at = newline ? newline : in->end;
        if (newline) return;
    }
}

void pen_scanner_skip_line(pen_scanner *in)
{
    skip_to_line_end(in);
    pen_scanner_line_end(in);
}

bool pen_scanner_line_end(pen_scanner *in)
{
    if (!pen_scanner_more(in) || !at_line_end(in)) return false;
    in->at += *in->at == '\r';
    if (in->at < in->end) in->at++;
    pen_scanner_newline(in);
    return true;
}

void pen_scanner_read_line(pen_scanner *in, char *text, size_t size)
{
    size_t length = 0;
    for (; pen_scanner_more(in) && !at_line_end(in); in->at++)
        if (length + 1 < size) text[length++] = *in->at;
    if (size > 0) text[length] = '\0';
    pen_scanner_line_end(in);
}
