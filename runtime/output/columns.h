/* columns.h - the files of results that a user asks for. A path's ending chooses the format; the path may contain the
 * step and the name of a member (penumbra_output.h). Columns are named members of the nodes' records, gids, owners and
 * loads. All Local. */
#pragma once

#include "store/store.h"

/* ---- Columns --------------------------------------------------------------------------------- */

/* The source of a column's values. */
typedef enum pen_column_kind { PEN_COLUMN_MEMBER, PEN_COLUMN_GID, PEN_COLUMN_OWNER, PEN_COLUMN_LOAD } pen_column_kind;

typedef struct pen_column {
    pen_column_kind kind;
    const pen_member *member; /* the member of the record; NULL: the column is not a member */
    const char *name;
    pen_type type;
    int components;
    size_t bytes; /* bytes of a node's values */
    /* The value of slot s is at from + s * stride; NULL: the column has owners, which the receiver knows. */
    const unsigned char *from;
    size_t stride;
} pen_column;

typedef struct pen_columns {
    int count;
    pen_column *of; /* [count] the columns */
} pen_columns;

/* The size of a value in bytes; NumPy's letter for its type, such as 'f'; VTK's name of its type. */
size_t pen_type_size(pen_type type);
char pen_type_kind(pen_type type);
const char *pen_type_vtk(pen_type type);

/* Print a value, which may be unaligned, so that reading it back gives the same bits. */
void pen_value_print(pen_type type, const void *from, FILE *out);

/* Choose the columns that `fields` names, "a,b", in that order. NULL: all members and, with `all`, gid, owner and load.
 * With `gid` there is a column of gids, the first one if `fields` does not name it. The values are not set. On failure
 * there is nothing to free. PEN_ERR_INPUT (an unknown name, or one that occurs twice; an application without members),
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_columns_choose(const pen_app *app, const char *fields, bool all, bool gid,
                                          pen_columns *columns);
void pen_columns_free(pen_columns *columns);

/* Let a column refer to the values in the store. The load of slot s is at `loads` plus stride * s bytes. */
void pen_column_of_store(const pen_store *store, pen_column *column, const double *loads, size_t stride);

/* ---- Names of files ------------------------------------------------------------------------- */

typedef enum pen_output_kind { PEN_OUTPUT_NPY, PEN_OUTPUT_CSV, PEN_OUTPUT_VTU, PEN_OUTPUT_PVTU } pen_output_kind;

typedef struct pen_naming {
    pen_output_kind kind;
    bool series; /* a .pvd file lists the files of all steps */
    char *stem;  /* the path without its ending, with {step} and {name} */
} pen_naming;

/* Parse the user's text. `steps`: several steps are written, each to its own file. On failure there is nothing to free.
 * PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_naming_read(const char *text, bool steps, pen_naming *naming);
void pen_naming_free(pen_naming *naming);

/* Make a path: of a step's file (for .npy, of the file of the member `name`); of a rank's part of a .pvtu file, in the
 * same folder; of the files of all steps, with {step} in it; or of the series. The caller frees *path.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_naming_path(const pen_naming *naming, int64_t step, const char *name, char **path);
PEN_CHECKED pen_status pen_naming_piece(const char *whole, int rank, char **path);
PEN_CHECKED pen_status pen_naming_name(const pen_naming *naming, const char *name, char **path);
PEN_CHECKED pen_status pen_naming_series(const pen_naming *naming, char **path);

/* Whether these files, or parts of a .pvtu file, can have this file name (without folder): at any step and, if the
 * pattern has {name}, for the member `name`. */
bool pen_naming_can_be(const pen_naming *naming, const char *name, const char *file);

/* Make the folder of a path, unless its parent folder is missing. A failure shows when a file is created. */
void pen_naming_folder(const char *path);
