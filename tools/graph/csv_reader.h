/* csv_reader.h - the records of a table in comma-separated values, one after the other, with their lines. All Local. */
#ifndef PEN_CSV_READER_H
#define PEN_CSV_READER_H

#include "base/csv.h"
#include "tools/graph/findings.h"
#include "tools/graph/input.h"

typedef struct csv_reader {
    pen_csv record;    /* the last one */
    int64_t line;      /* where it begins */
    int64_t next_line; /* what follows it */
    /* the rest is csv_reader.c's */
    input *in;
    findings *f;
    char *text; /* [size], what has been read and not split yet begins at `at` */
    int64_t at, size, room;
    bool more;
} csv_reader;

/* Begin at the first record of `in`, behind a mark of UTF-8. pen_csv_reader_free, also after a failure. PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_csv_reader_begin(input *in, findings *f, csv_reader *r);
void pen_csv_reader_free(csv_reader *r);

/* The next record that is not empty; *there: there is one. PEN_ERR_INPUT, with a finding (what is wrong inside a record
 * hides where the next begins); PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_csv_reader_next(csv_reader *r, bool *there);

#endif
