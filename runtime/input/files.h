/* files.h - which input file has which column of values, by --input and by the headers of the files. All Local. */
#pragma once

#include "input/file.h"

/* Read "[NAMES:]FILE;[NAMES:]FILE..." and the headers of the files, for an application; NULL: no files. `whole`:
 * each column that is not optional must be in some file. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_UNSUPPORTED,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_input_files_create(const pen_app *app, const char *text, bool whole,
                                              pen_input_files **files);

/* Whether each column that is not optional is in some file. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_input_files_check(const pen_input_files *files);

void pen_input_files_destroy(pen_input_files **files);
