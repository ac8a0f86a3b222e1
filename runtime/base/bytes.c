/* bytes.c - encodes and decodes numbers and texts. */
#include "base/bytes.h"

#include <stdlib.h>

void pen_bytes_clear(pen_bytes *b)
{
    b->size = 0;
    b->status = PEN_OK;
}

void pen_bytes_free(pen_bytes *b)
{
    free(b->data);
    *b = (pen_bytes){ .data = NULL };
}

unsigned char *pen_bytes_room(pen_bytes *b, int64_t size)
{
    if (b->status == PEN_OK) b->status = pen_reserve(&b->data, 1, b->size + size, &b->room);
    return b->status == PEN_OK ? b->data + b->size : NULL;
}

void pen_bytes_put_number(pen_bytes *b, uint64_t value)
{
    unsigned char *to = pen_bytes_room(b, PEN_LONGEST_NUMBER);
    if (to) b->size += pen_number_put(to, value) - to;
}

void pen_bytes_put_signed(pen_bytes *b, int64_t value) { pen_bytes_put_number(b, pen_zigzag(value)); }

void pen_bytes_put_real(pen_bytes *b, double value)
{
    unsigned char *to = pen_bytes_room(b, 8);
    if (!to) return;
    uint64_t bits = pen_real_bits(value);
    for (int i = 0; i < 8; i++) to[i] = (unsigned char)(bits >> 8 * i);
    b->size += 8;
}

void pen_bytes_put_text(pen_bytes *b, const char *text)
{
    size_t length = strlen(text);
    pen_bytes_put_number(b, length);
    unsigned char *to = pen_bytes_room(b, (int64_t)length);
    if (!to) return;
    memcpy(to, text, length);
    b->size += (int64_t)length;
}

uint64_t pen_scan_number(pen_scan *s)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && s->at < s->end; shift += 7) {
        unsigned char byte = *s->at++;
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    s->wrong = true;
    return 0;
}

int64_t pen_scan_signed(pen_scan *s) { return pen_zagzig(pen_scan_number(s)); }

double pen_scan_real(pen_scan *s)
{
    if (s->end - s->at < 8) s->wrong = true;
    if (s->wrong) return 0.0;
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) bits |= (uint64_t)s->at[i] << 8 * i;
    s->at += 8;
    return pen_real_of(bits);
}

int64_t pen_scan_count(pen_scan *s, int64_t most)
{
    uint64_t value = pen_scan_number(s);
    if (value <= (uint64_t)most) return (int64_t)value;
    s->wrong = true;
    return 0;
}

pen_status pen_scan_text(pen_scan *s, char **text)
{
    int64_t length = pen_scan_count(s, s->end - s->at);
    *text = NULL;
    if (length > s->end - s->at) s->wrong = true; /* fewer bytes are left after the length has been read */
    if (s->wrong) return PEN_OK;
    PEN_TRY(PEN_ALLOC(text, length + 1));
    memcpy(*text, s->at, (size_t)length);
    (*text)[length] = '\0';
    s->at += length;
    return PEN_OK;
}
