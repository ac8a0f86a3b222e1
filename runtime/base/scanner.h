/* scanner.h - reads text from a source of bytes, with line and column. All Local.
 *
 * A reader works on in->at directly. After pen_scanner_more(in), PEN_SCANNER_SPAN bytes are readable at in->at, or all
 * that are left; *in->end and the PEN_SCANNER_SPAN - 1 bytes after it are '\0' and readable. So numbers and short words
 * are never cut; only longer text (comments, blanks) needs pen_scanner_more inside. Line ends are consumed by
 * pen_scanner_line_end or pen_scanner_skip_line; a reader that steps over a '\n' itself calls pen_scanner_newline. */
#pragma once

#include "base/compress.h"
#include "base/per_rank.h"

enum {
    PEN_SCANNER_SPAN = 64,
    PEN_SCANNER_DIGITS = 18 /* largest number of digits of a number: any 18 digits fit 64 bits */
};

typedef struct pen_scanner {
    const char *name;     /* path of the file, "<standard input>" for "-" */
    const char *at, *end; /* unread text; *end is '\0' */
    int64_t line;         /* line of *at, from 1 */
    int64_t size;         /* bytes of the whole text, -1: unknown before its end */
    bool ended;           /* there is no more text after `end` */
    pen_status status;    /* status of reading; after a failure the text has ended */
    /* The members from here on are private to scanner.c. */
    char *buffer;
    int64_t base;       /* offset of *buffer in the text */
    int64_t line_begin; /* offset of the line's first byte */
    char fault[256];    /* why reading failed */
    pen_byte_source source;
} pen_scanner;

/* Read from a source, which pen_scanner_close closes, and also a failure here; `size` as in the structure.
 * PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_scanner_open(const char *name, pen_byte_source source, int64_t size, pen_scanner *in);

/* Close, and fail as reading did or, if it did not, return `status`. */
pen_status pen_scanner_close(pen_scanner *in, pen_status status);

/* Bytes that are read at once, >= 1. Tests change it. */
extern PEN_PER_RANK int64_t pen_scanner_chunk;

/* Read more text after the unread part; false if there is none. */
bool pen_scanner_fill(pen_scanner *in);

static inline bool pen_scanner_more(pen_scanner *in)
{
    if (in->end - in->at >= PEN_SCANNER_SPAN || in->ended) return in->at < in->end;
    return pen_scanner_fill(in);
}

/* The offset of *at in the text, and its column, from 1. */
static inline int64_t pen_scanner_offset(const pen_scanner *in) { return in->base + (in->at - in->buffer); }
static inline int64_t pen_scanner_place(const pen_scanner *in) { return pen_scanner_offset(in) - in->line_begin + 1; }

/* Count a line; call it if the byte before *at was a '\n'. */
static inline void pen_scanner_newline(pen_scanner *in)
{
    in->line++;
    in->line_begin = pen_scanner_offset(in);
}

/* The number of bytes that are left; if it is unknown, the bytes read so far plus a megabyte, so that memory for a
 * header's counts is proportional to the text. */
int64_t pen_scanner_left(const pen_scanner *in);

static inline bool pen_scanner_is_digit(int c) { return (unsigned)c - '0' <= 9; }

/* Convert the decimal number at `at`, of up to 8 digits, where 8 bytes are readable; further digits are not consumed,
 * and without digits the result is 0. Returns the end of the digits. Eight characters are converted at once: a step per
 * digit would cost a mispredicted branch per number. */
static inline const char *pen_scanner_digits(const char *at, uint64_t *value)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && defined(__GNUC__)
    memcpy(&word, at, sizeof word);
    word ^= UINT64_C(0x3030303030303030);
    /* The high bits of every byte that is not a digit; carries can spoil only those above the lowest one. */
    uint64_t other = (word | (word + UINT64_C(0x0606060606060606))) & UINT64_C(0xf0f0f0f0f0f0f0f0);
    int length = other ? __builtin_ctzll(other) >> 3 : 8;
    if (length == 0) {
        *value = 0;
        return at;
    }
    word <<= 8 * (8 - length); /* shifts in leading zeros: the first character is the lowest byte */
    word = word * 10 + (word >> 8);
    word = ((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            ((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
    *value = word;
    return at + length;
#else
    const char *end = at;
    for (; end - at < 8 && pen_scanner_is_digit(*end); end++) word = word * 10 + (uint64_t)(*end - '0');
    *value = word;
    return end;
#endif
}

/* A token that pen_scanner_integer or pen_scanner_real finds after blanks and tabs. */
typedef enum pen_scanner_token {
    PEN_SCANNER_NUMBER,   /* a number, which is consumed */
    PEN_SCANNER_LINE_END, /* "\n", "\r\n", or "\r" at the end of the text; not consumed */
    PEN_SCANNER_END,      /* the end of the text */
    PEN_SCANNER_WRONG     /* anything else, also "12x" and numbers of more than 18 digits; not consumed */
} pen_scanner_token;

/* Read the next number of the line: decimal digits with or without a sign, followed by a blank, a tab or the end of the
 * line or text. */
pen_scanner_token pen_scanner_integer(pen_scanner *in, int64_t *value);

/* Read a finite decimal number like C's strtod in the C locale (without hexadecimal, "nan" and "inf"), of fewer than
 * PEN_SCANNER_SPAN characters, that does not become 0 because it is too small. */
pen_scanner_token pen_scanner_real(pen_scanner *in, double *value);

/* A description of the fault at *at, for a finding: "a number of more than 18 digits", "unexpected 'x'"; in static
 * storage. */
const char *pen_scanner_wrong(const pen_scanner *in);

void pen_scanner_skip_blanks(pen_scanner *in); /* skips blanks and tabs */
void pen_scanner_skip_token(pen_scanner *in);  /* skips to the next blank, tab, line end or the end */
void pen_scanner_skip_line(pen_scanner *in);   /* skips the next '\n' and the text before it, or all text */

/* Consume "\n" or "\r\n" ("\r" at the end of the text) at *at; false if there is none. */
bool pen_scanner_line_end(pen_scanner *in);

/* Consume the rest of the line, and copy it to `text` without its end, cut to `size`. */
void pen_scanner_read_line(pen_scanner *in, char *text, size_t size);
