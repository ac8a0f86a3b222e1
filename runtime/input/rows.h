/* rows.h - some rows of a file, as a rank has read them, and the first that is wrong. All Local.
 *
 * A row is known by where it stands: of text, by its line; of an array, by its number, from 0. */
#pragma once

#include "input/file.h"

/* What is wrong in the first place where anything is. */
typedef struct pen_input_fault {
    int64_t where; /* INT64_MAX: nothing */
    char text[256];
} pen_input_fault;

#define PEN_NO_FAULT ((pen_input_fault){ .where = INT64_MAX })

/* Something is wrong there: kept where that is before all others. */
void pen_input_wrong(pen_input_fault *fault, int64_t where, const char *format, ...) PEN_PRINTF(3, 4);

typedef struct pen_input_rows {
    const pen_input_file *file;
    const pen_input_column *columns; /* of the application */
    int64_t count, room;
    int64_t first;    /* the number of the first one among all rows of the file; they follow each other */
    int64_t *where;   /* [room] */
    pen_gid *keys[2]; /* [room] as many as the file has */
    double *values;   /* [room*file->count] row by row */
    pen_input_fault fault;
} pen_input_rows;

/* Rows of a file, none yet, with room for as many as are read at once. PEN_ERR_MEMORY; pen_input_rows_free also then.
 */
PEN_CHECKED pen_status pen_input_rows_create(const pen_input_file *file, const pen_input_column *columns,
                                             pen_input_rows *rows);
void pen_input_rows_free(pen_input_rows *rows);

/* Whether a value is one that its column, file->column[i], may have; else the row is noted as wrong. */
bool pen_input_value_fits(pen_input_rows *rows, int i, double value, int64_t where);

/* How many keys a row has, 0 to 2, and what the k-th is called. */
int pen_input_key_count(const pen_input_file *file);
const char *pen_input_key_name(const pen_input_file *file, int k);

/* Tests change this: bytes of keys and values that are read before they go to their owners. */
extern int64_t pen_input_piece;
