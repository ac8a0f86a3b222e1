/* names.h - what the columns of a file are, by their names. Letters' case does not matter in these, nor do blanks
 * around them. All Local. */
#ifndef PEN_INPUT_NAMES_H
#define PEN_INPUT_NAMES_H

#include "input/file.h"

/* Whether these are pairs, "NAME=COLUMN", and not the names of all columns: one of them is. */
bool pen_input_names_are_pairs(const pen_csv *names);

/* Settle width, way, of_edges, keys, count, from and column of a file by the names of its columns, [width]. `wished`:
 * somebody has named them for this application, and every name must mean something; "" and "-" mean nothing. `pairs`,
 * or NULL: "NAME=COLUMN" says that the file's COLUMN is what NAME means, and no other column is. PEN_ERR_INPUT,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_input_names_settle(const pen_input_files *files, const pen_csv *names, bool wished,
                                              const pen_csv *pairs, pen_input_file *file);

#endif
