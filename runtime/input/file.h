/* file.h - the description of an input file: a NumPy file (.npy), recognised by its first bytes, or comma-separated
 * values (csv.h) with the names of the columns in the first record that is not empty. Either may be packed by gzip,
 * xz or zstd, recognised by the name. */
#pragma once

#include "base/csv.h"
#include "base/npy.h"

/* How a row identifies its node or arc. */
typedef enum pen_input_way {
    PEN_INPUT_BY_GID,  /* by a column of gids */
    PEN_INPUT_BY_ENDS, /* by two columns, source and target of the arc */
    PEN_INPUT_BY_ROW   /* row i belongs to node i; or the rows belong to the arcs in ascending order */
} pen_input_way;

typedef struct pen_input_file {
    const char *path;
    bool is_npy, of_edges;
    pen_input_way way;
    int64_t size;   /* bytes of the unpacked contents; -1: the file is packed, and they are not known */
    int64_t body;   /* where rows begin */
    int64_t line;   /* of text, of the first row */
    pen_npy array;  /* of a NumPy file */
    int width;      /* columns in it */
    int keys[2];    /* the columns of the gid, or of source and target; -1: none */
    int count;      /* columns that are read */
    int *from;      /* [count] their places in the file */
    int *column;    /* [count] their numbers in pen_input_files.columns */
    bool finite;    /* values must be */
    int64_t single; /* edges that had one row where others had two */
} pen_input_file;

typedef struct pen_input_files {
    int count;
    pen_input_file *of;        /* [count] */
    const char *app;           /* the application's name */
    pen_input_column *columns; /* its columns, [own], then x, y and z if it has none of these names */
    int own, column_count;
    int *file;             /* [column_count] the file that has the column; -1: none */
    pen_input_file places; /* the file that has coordinates, in two or three columns; without a path: none has */
    char *text;
} pen_input_files;
