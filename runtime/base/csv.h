/* csv.h - comma-separated values: a record of text split into its fields, as RFC 4180 has it. All Local.
 *
 *     record := field ("," field)* ("\r\n" | "\n" | end of the text)
 *     field  := text without quotes, commas and line ends | '"' (anything but '"' | '""')* '"'
 *
 * csv->separator stands for the comma if it is not zero. A quoted field may contain commas, line ends and doubled
 * quotes. Blanks belong to fields. An empty line is a record with one empty field. Errors are: a quote inside a field
 * that does not begin with one, text after the closing quote, an unclosed quote, a carriage return without a line feed,
 * and a NUL. */
#pragma once

#include "base/memory.h"

/* A record's fields, as copies. Set it to zero before the first record, and reuse it for the next ones. */
typedef struct pen_csv {
    char separator;  /* the separator, '\t', or 0 for ','; set by the caller */
    int count;       /* number of fields, at least 1 in a record */
    int64_t lines;   /* number of line ends in the record, including the one at its end */
    const char *why; /* the error, in static storage */
    int64_t *begins; /* the members from here on are private to csv.c */
    char *text;
    int64_t length, begin_room, text_room;
} pen_csv;

/* Split the record that begins at `text`, of which `size` bytes are available; with `last`, no more bytes follow. *used
 * becomes the length of the record with its line end. It becomes 0 if the record does not end within the text, and more
 * of the text is needed; with `last` only for size 0. PEN_ERR_INPUT, without a sentence: csv->why has the reason, and
 * *used is the offset of the error. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_csv_split(pen_csv *csv, const char *text, int64_t size, bool last, int64_t *used);

/* The text of field `i` of 0 .. csv->count-1, valid until the next record. */
static inline const char *pen_csv_field(const pen_csv *csv, int i) { return csv->text + csv->begins[i]; }

/* The number of the field `name` in a record of names, without regard to case and surrounding blanks; -1: there is
 * no such field. */
int pen_csv_find(const pen_csv *csv, const char *name);

/* Names of columns that have the sources and the targets of arcs; each list ends with NULL. */
extern const char *const pen_csv_sources[], *const pen_csv_targets[];

/* The length of the byte order mark that some programs put before UTF-8: 3 or 0. `size` bytes are available. */
int pen_csv_mark(const char *text, int64_t size);

/* Whether a field can be written without quotes; and write it, in quotes if needed. */
bool pen_csv_is_plain(const char *field);
void pen_csv_print(const char *field, FILE *out);

void pen_csv_free(pen_csv *csv);
