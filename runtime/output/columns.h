/* columns.h - what files of results have of every node: named members of its records, its gid, owner and load. */
#pragma once

#include "store/store.h"

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

/* All Local. */

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
