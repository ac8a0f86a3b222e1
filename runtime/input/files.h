/* files.h - which input file has which column of values, by --input and by the headers of the files. All Local. */
#pragma once

#include "input/file.h"

/* Read "[NAMES:]FILE;[NAMES:]FILE..." and the headers of the files, for an application; NULL: no files. `whole`:
 * each column without .otherwise must be in some file. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_UNSUPPORTED,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_input_files_create(const pen_app *app, const char *text, bool whole,
                                              pen_input_files **files);

/* Whether each column without .otherwise is in some file. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_input_files_check(const pen_input_files *files);

/* The number that .otherwise of a column says, 0 if it is NULL; infinite if it is no number. */
double pen_input_otherwise(const pen_input_column *column);

void pen_input_files_destroy(pen_input_files **files);
