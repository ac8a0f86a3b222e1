/* bytes.h - the encoding of records and checkpoints: numbers of variable length, and texts. All Local. */
#pragma once

#include "base/memory.h"

#include <string.h>

/* ---- Writing --------------------------------------------------------------------------------- */

/* A growing array of bytes. */
typedef struct pen_bytes {
    unsigned char *data; /* [size] bytes; the memory has room for more */
    int64_t size, room;
    pen_status status; /* the first failure; bytes are not added after it */
} pen_bytes;

/* A number is coded in groups of 7 bits, the lowest first; all groups but the last have the top bit set. */
enum { PEN_LONGEST_NUMBER = 10 };
static inline unsigned char *pen_number_put(unsigned char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) *to++ = (unsigned char)(value | 0x80);
    *to++ = (unsigned char)value;
    return to;
}

/* Map signed numbers to unsigned ones, so that those near 0 stay small. */
static inline uint64_t pen_zigzag(int64_t value) { return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0); }
static inline int64_t pen_zagzig(uint64_t value) { return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0)); }

void pen_bytes_clear(pen_bytes *bytes);
void pen_bytes_free(pen_bytes *bytes);

/* Append `size` bytes, contents unspecified, and return their address; NULL after a failure. */
unsigned char *pen_bytes_room(pen_bytes *bytes, int64_t size);

void pen_bytes_put_number(pen_bytes *bytes, uint64_t value);
void pen_bytes_put_signed(pen_bytes *bytes, int64_t value);
void pen_bytes_put_real(pen_bytes *bytes, double value);
void pen_bytes_put_text(pen_bytes *bytes, const char *text);

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct pen_scan {
    const unsigned char *at, *end;
    bool wrong; /* true if the bytes ended too early or were malformed; the value that was read is 0 */
} pen_scan;

uint64_t pen_scan_number(pen_scan *scan);
int64_t pen_scan_signed(pen_scan *scan);
double pen_scan_real(pen_scan *scan);

/* Like pen_scan_number; a value above `most` is wrong. */
int64_t pen_scan_count(pen_scan *scan, int64_t most);

/* Read a text into a copy that the caller frees; NULL if the bytes are wrong. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_scan_text(pen_scan *scan, char **text);

/* Convert a double to its bits, and back. */
static inline uint64_t pen_real_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double pen_real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
