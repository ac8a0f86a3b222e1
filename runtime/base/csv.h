/* csv.h - comma-separated values: a record of text split into its fields, as RFC 4180 has it. All Local.
 *
 *     record := field ("," field)* ("\r\n" | "\n" | end of the text)
 *     field  := text without quotes, commas and line ends | '"' (anything but '"' | '""')* '"'
 *
 * A field in quotes may have commas, line ends and, doubled, quotes; blanks belong to fields. An empty line is a record
 * with one empty field. What is wrong: a quote inside a field that does not begin with one, text behind the closing
 * quote, one that is never closed, a carriage return without a line feed, and a NUL. */
#pragma once

#include "base/memory.h"

/* A record's fields, copied; zero at first, and used again for the next record. */
typedef struct pen_csv {
    int count;       /* fields, at least 1 in a record */
    int64_t lines;   /* line ends within and behind the record */
    const char *why; /* of what is wrong: in static storage */
    int64_t *begins; /* the rest is csv.c's */
    char *text;
    int64_t length, begin_room, text_room;
} pen_csv;

/* Split the record that begins at `text`, of which `size` bytes are at hand; with `last`, nothing follows them. *used
 * becomes the bytes of the record and its line end, or 0 where it does not end within the text: then more of the text
 * is needed; with `last` that is for size 0 only. PEN_ERR_INPUT without a sentence of its own: csv->why says what is
 * wrong with it, and *used is how many bytes are before that place. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_csv_split(pen_csv *csv, const char *text, int64_t size, bool last, int64_t *used);

/* Field `i` of 0 .. csv->count-1, valid until the next record. */
static inline const char *pen_csv_field(const pen_csv *csv, int i) { return csv->text + csv->begins[i]; }

/* The field that is called `name`, in a record of names; blanks around them and letters' case do not matter. -1 where
 * there is none. */
int pen_csv_find(const pen_csv *csv, const char *name);

/* Bytes of the mark that some programs put before UTF-8: 3 or 0. `size` are at hand. */
int pen_csv_mark(const char *text, int64_t size);

/* Whether a field may be written as it is, without quotes around it. */
bool pen_csv_is_plain(const char *field);

void pen_csv_free(pen_csv *csv);
