/* columns.h - which files of results a user has asked for, and what is in them: a path whose ending says the kind, with
 * places for the step and the name of a member (penumbra_output.h), and columns: named members of the nodes' records,
 * their gids, owners and loads. All Local. */
#pragma once

#include "store/store.h"

/* ---- Columns --------------------------------------------------------------------------------- */

/* Where a column's values come from. */
typedef enum pen_column_kind { PEN_COLUMN_MEMBER, PEN_COLUMN_GID, PEN_COLUMN_OWNER, PEN_COLUMN_LOAD } pen_column_kind;

typedef struct pen_column {
    pen_column_kind kind;
    const pen_member *member; /* NULL: none is */
    const char *name;
    pen_type type;
    int components;
    size_t bytes;              /* of a node's values */
    const unsigned char *from; /* of slot s the values are at from + s * stride; NULL: whoever gets them knows them */
    size_t stride;
} pen_column;

typedef struct pen_columns {
    int count;
    pen_column *of; /* [count] */
} pen_columns;

/* Bytes of a value; how NumPy calls such values, 'f' and so on; how VTK does. */
size_t pen_type_size(pen_type type);
char pen_type_kind(pen_type type);
const char *pen_type_vtk(pen_type type);

/* The columns that `fields` names, "a,b", in that order; NULL: all members, and gid, owner and load too where `all`.
 * `gid`: that is there in any case, as the first one if nobody names it. The values are not known yet. On failure there
 * is nothing to free. PEN_ERR_INPUT (a name that is none, or there twice; an application without members),
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_columns_choose(const pen_app *app, const char *fields, bool all, bool gid,
                                          pen_columns *columns);
void pen_columns_free(pen_columns *columns);

/* Where a column's values are in the store; the load of slot s is stride * s bytes behind `loads`. */
void pen_column_of_store(const pen_store *store, pen_column *column, const double *loads, size_t stride);

/* ---- Names ---------------------------------------------------------------------------------- */

typedef enum pen_output_kind { PEN_OUTPUT_NPY, PEN_OUTPUT_CSV, PEN_OUTPUT_VTU, PEN_OUTPUT_PVTU } pen_output_kind;

typedef struct pen_naming {
    pen_output_kind kind;
    bool series; /* a .pvd names the files of all steps */
    char *stem;  /* all but the ending, with {step} and {name} */
} pen_naming;

/* Read what a user has written. `steps`: there will be a file for each of several steps. On failure there is nothing to
 * free. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_naming_read(const char *text, bool steps, pen_naming *naming);
void pen_naming_free(pen_naming *naming);

/* The path of a step's file, of .npy that of the member `name`; that of a rank's part of a .pvtu file, beside it; that
 * of all files, with {step} and {name}; and that of the series. *path is the caller's to free. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_naming_path(const pen_naming *naming, int64_t step, const char *name, char **path);
PEN_CHECKED pen_status pen_naming_piece(const char *whole, int rank, char **path);
PEN_CHECKED pen_status pen_naming_name(const pen_naming *naming, char **path);
PEN_CHECKED pen_status pen_naming_series(const pen_naming *naming, char **path);

/* Whether a file's name, without folders, is one of those that these files, and parts of a .pvtu file, can have: of any
 * step, and where there is {name} of the member `name`. */
bool pen_naming_can_be(const pen_naming *naming, const char *name, const char *file);

/* Make the folder of a path, where its own folder is and it is not; what cannot be made is told when a file is. */
void pen_naming_folder(const char *path);

/* What comes behind the last slash. */
const char *pen_naming_base(const char *path);
