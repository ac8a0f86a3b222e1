/* file.h - the description of an input file: a NumPy file (.npy), recognised by its first bytes, or comma-separated
 * values (csv.h) with the names of the columns in the first record that is not empty. Either may be packed by gzip,
 * xz or zstd, recognised by the name. */
#pragma once

#include "base/csv.h"
#include "base/npy.h"

/* How a row identifies its node or arc. */
typedef enum pen_input_way {
    PEN_INPUT_BY_GID,  /* a column has the gid */
    PEN_INPUT_BY_ENDS, /* two columns have the source and the target of the arc */
    PEN_INPUT_BY_ROW   /* row i belongs to node i, or to the i-th arc in ascending order */
} pen_input_way;

typedef struct pen_input_file {
    const char *path;
    bool is_npy, of_edges;
    pen_input_way way;
    int64_t size;   /* bytes of the unpacked contents; -1: unknown, because the file is packed */
    int64_t body;   /* offset of the first row, in bytes */
    int64_t line;   /* for text: line number of the first row */
    pen_npy array;  /* for a NumPy file: the description of the array */
    int width;      /* number of columns in the file */
    int keys[2];    /* columns of the gid, or of source and target; -1: none */
    int count;      /* number of columns that are read */
    int *from;      /* [count] indices of these columns in the file */
    int *column;    /* [count] indices of these columns in pen_input_files.columns */
    bool finite;    /* all values must be finite */
    int64_t single; /* number of edges that had one row where others had two */
} pen_input_file;

typedef struct pen_input_files {
    int count;
    pen_input_file *of; /* [count] the files */
    const char *app;    /* name of the application */
    /* The application's columns, [own], then x, y and z unless the application has columns of these names. */
    pen_input_column *columns;
    int own, column_count;
    int *file; /* [column_count] the file that has each column; -1: none */
    /* The file with coordinates, in two or three columns; if its path is NULL, no file has any. */
    pen_input_file places;
    char *text;
} pen_input_files;
