/* appended.h - the arrays of a .vtu file: all ranks write their description in XML, then their bytes. */
#pragma once

#include "base/output.h"

/* The XML element that names an array. */
typedef enum pen_array_place {
    PEN_ARRAY_OF_POINTS,
    PEN_ARRAY_OF_CELLS,
    PEN_ARRAY_POINTS,
    PEN_ARRAY_CELLS
} pen_array_place;

typedef struct pen_array {
    pen_array_place place;
    const char *name, *type; /* name and VTK type of the array */
    int components;
    int64_t total;  /* bytes of the whole array */
    int64_t at;     /* offset in the array of this rank's next bytes; initially the beginning of this rank's part */
    int64_t offset; /* offset of the array in the file, from the beginning of all arrays */
} pen_array;

typedef struct pen_appended {
    pen_comm *comm;
    pen_array *arrays; /* [count] the arrays */
    int count;
    bool put_off; /* the file gets its name before its bytes are on the disk */
    int64_t points, cells;
    double time;
    pen_output *file;
    int64_t base; /* offset in the file of the first array */
} pen_appended;

/* Local. Allocate room for so many arrays. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_appended_create(pen_comm *comm, int most, pen_appended *appended);
void pen_appended_destroy(pen_appended *appended);

/* Local. Add an array. This rank's part begins at byte `begin` of `total`. */
void pen_appended_declare(pen_appended *appended, const pen_array *array, int64_t begin);

/* Collective. Begin the file, after all arrays are declared. mine: this rank's status so far. After a failure on all
 * ranks appended->file is NULL; otherwise this rank alone has failed, and passes the status to pen_appended_close.
 * PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_appended_open(pen_appended *appended, pen_status mine, const char *path);

/* Local. Write the next bytes of this rank's part of an array. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_appended_add(pen_appended *appended, int array, const void *bytes, int64_t size);

/* Collective. Complete the file, if the status of all ranks is PEN_OK. *bytes becomes its length. PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI, and `mine` of some rank. */
PEN_CHECKED pen_status pen_appended_close(pen_appended *appended, pen_status mine, int64_t *bytes);

/* Local. Print the XML elements of the arrays of a place, with offsets of appended data or, in a file that refers to
 * other files, without. */
void pen_appended_print(const pen_appended *appended, pen_array_place place, bool offsets, FILE *out);

/* Local. "LittleEndian" or "BigEndian". */
const char *pen_byte_order(void);
