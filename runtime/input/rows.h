/* rows.h - rows of a file that a rank has read, and the first wrong row. All Local.
 *
 * A row is identified by its place: in text by its line, in an array by its number, from 0. */
#pragma once

#include "base/per_rank.h"
#include "input/file.h"

/* The error of the first wrong row. */
typedef struct pen_input_fault {
    int64_t where; /* place of the wrong row; INT64_MAX: no row is wrong */
    char text[256];
} pen_input_fault;

#define PEN_NO_FAULT ((pen_input_fault){ .where = INT64_MAX })

/* Note an error. The one with the lowest place is kept. */
void pen_input_wrong(pen_input_fault *fault, int64_t where, const char *format, ...) PEN_PRINTF(3, 4);

typedef struct pen_input_rows {
    const pen_input_file *file;
    const pen_input_column *columns; /* the application's columns */
    int64_t count, room;
    int64_t first;    /* number of the first of these rows among all rows of the file; the others follow it */
    int64_t *where;   /* [room] place of each row */
    pen_gid *keys[2]; /* [room] the keys of each row: gid, or source and target */
    double *values;   /* [room*file->count] values, row by row */
    pen_input_fault fault;
} pen_input_rows;

/* Make an empty set of rows of a file, with room for one piece (pen_input_piece). Call pen_input_rows_free also after a
 * failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_input_rows_create(const pen_input_file *file, const pen_input_column *columns,
                                             pen_input_rows *rows);
void pen_input_rows_free(pen_input_rows *rows);

/* Whether column file->column[i] may have this value. If not, the row is noted as wrong. */
bool pen_input_value_fits(pen_input_rows *rows, int i, double value, int64_t where);

/* The number of keys of a row, 0 to 2, and the name of the k-th key. */
int pen_input_key_count(const pen_input_file *file);
const char *pen_input_key_name(const pen_input_file *file, int k);

/* Bytes of keys and values that are read before they are sent to their owners. Tests change it. */
extern PEN_PER_RANK int64_t pen_input_piece;
