/* appended.h - the arrays of a .vtu file: their description in XML, then their bytes, written by all ranks. */
#pragma once

#include "base/output.h"

/* Where in the file an array is named. */
typedef enum pen_array_place {
    PEN_ARRAY_OF_POINTS,
    PEN_ARRAY_OF_CELLS,
    PEN_ARRAY_POINTS,
    PEN_ARRAY_CELLS,
    PEN_ARRAY_PLACES
} pen_array_place;

typedef struct pen_array {
    pen_array_place place;
    const char *name, *type; /* type: VTK's word for it */
    int components;
    int64_t total;  /* bytes of the array */
    int64_t at;     /* where in it this rank's next bytes belong; at first, where its part begins */
    int64_t offset; /* of what is written of it, behind the beginning of all arrays */
} pen_array;

enum { PEN_MOST_PLAIN_ARRAYS = 8 }; /* of a file, besides the columns' */

typedef struct pen_appended {
    pen_comm *comm;
    pen_array *arrays; /* [count] */
    int count;
    bool put_off; /* the file gets its name before its bytes are on the disk */
    int64_t points, cells, step;
    pen_output *file;
    int64_t base; /* where the arrays begin in the file */
} pen_appended;

/* Local. Room for so many arrays. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_appended_create(pen_comm *comm, int most, pen_appended *appended);
void pen_appended_destroy(pen_appended *appended);

/* Local. One more array, of which this rank's part begins at byte `begin` of `total`. */
void pen_appended_declare(pen_appended *appended, const pen_array *array, int64_t begin);

/* Collective. Begin the file, when all arrays are declared. mine: this rank's status so far. On failure appended->file
 * is NULL, or it is this rank's alone, and pen_appended_close gets to know it. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI.
 */
PEN_CHECKED pen_status pen_appended_open(pen_appended *appended, pen_status mine, const char *path);

/* Local. The next bytes of this rank's part of an array. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_appended_add(pen_appended *appended, int array, const void *bytes, int64_t size);

/* Collective. The file is whole, if all ranks say so; *bytes is how long it is. PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI, and `mine` of some rank. */
PEN_CHECKED pen_status pen_appended_close(pen_appended *appended, pen_status mine, int64_t *bytes);

/* Local. The elements of an XML file that name arrays: those of a place, with `tag` and indented, appended or, of a
 * file that names others, not. */
void pen_appended_print(const pen_appended *appended, pen_array_place place, bool offsets, FILE *out);

/* Local. "LittleEndian" or "BigEndian". */
const char *pen_byte_order(void);
