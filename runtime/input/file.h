/* file.h - a file of input, as it says what it has: one of NumPy's (.npy), which its first bytes tell, or
 * comma-separated values (csv.h) with the columns' names in the first record that is not empty; either packed by gzip,
 * xz or zstd, which its name tells. */
#pragma once

#include "base/csv.h"
#include "base/npy.h"

/* How rows find their nodes or arcs. */
typedef enum pen_input_way {
    PEN_INPUT_BY_GID,  /* a column says which */
    PEN_INPUT_BY_ENDS, /* two columns say which arc */
    PEN_INPUT_BY_ROW   /* row i is of node i; or rows are of arcs, in ascending order */
} pen_input_way;

typedef struct pen_input_file {
    const char *path;
    bool is_npy, of_edges;
    pen_input_way way;
    int64_t size;  /* bytes of what it holds; -1: it is packed, and not known */
    int64_t body;  /* where rows begin */
    int64_t line;  /* of text, of the first row */
    pen_npy array; /* of one of NumPy's */
    int width;     /* columns in it */
    int keys[2];   /* those that have the gid, or source and target; -1 */
    int count;     /* those that are wanted, */
    int *from;     /* [count] where they stand, */
    int *column;   /* [count] and what they are of the application's */
} pen_input_file;

typedef struct pen_input_files {
    int count;
    pen_input_file *of;              /* [count] */
    const char *app;                 /* the application's name, */
    const pen_input_column *columns; /* and its columns, [column_count], which are not ours */
    int column_count;
    int *file; /* [column_count] which file brings it; -1: none */
    char *text;
} pen_input_files;
