/* files.h - which files bring which columns of values: what --input says, and what the files say of themselves. All
 * Local. */
#pragma once

#include "input/file.h"

/* What "[NAMES:]FILE;[NAMES:]FILE..." brings an application; NULL: no files. `whole`: columns that are not optional
 * must be there. The files' headers are read. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_UNSUPPORTED, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_input_files_create(const pen_app *app, const char *text, bool whole,
                                              pen_input_files **files);

/* Whether all columns are there that must be. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_input_files_check(const pen_input_files *files);

void pen_input_files_destroy(pen_input_files **files);
