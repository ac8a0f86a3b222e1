/* observed_file.h - the observables as CSV (RFC 4180, lines end in a newline alone): "step" and the names, then a line
 * per step. A complete line is in the file as soon as it is added, so a killed run leaves all its lines.
 *
 * The file is a new one, which gets its name by pen_observed_file_name, when the run that writes it is known to begin;
 * until then an old file of that name stays. From then on the old file is gone, and the new one grows. */
#pragma once

#include "observe/observation.h"

typedef struct pen_observed_file pen_observed_file;

/* Local. Create the file with its first line. PEN_ERR_INPUT (see pen_output_named); PEN_ERR_IO, also if the path is not
 * a regular file; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observed_file_open(const char *path, const pen_observables *observation,
                                              pen_observed_file **file);

/* Local. Give the file its name, in place of an old file. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_observed_file_name(pen_observed_file *file);

/* Local. Close the file; without a final name it is removed. Nulls *file; NULL and a null handle are legal. */
void pen_observed_file_close(pen_observed_file **file);

/* Local. Add the values after `step` steps. PEN_ERR_IO: the file keeps its complete lines, and this call and all later
 * ones return the error. */
PEN_CHECKED pen_status pen_observed_file_add(pen_observed_file *file, int64_t step, const pen_observables *observation);

/* Local. The last line of the file, and the length of the file. The caller frees *line. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observed_file_end(const pen_observed_file *file, char **line, int64_t *bytes);

/* Local. Like pen_observed_file_open, but continue a file after its first `bytes` bytes, which end in `line`; later
 * lines are removed. A missing file is created. PEN_ERR_INPUT: the file is a different one. */
PEN_CHECKED pen_status pen_observed_file_resume(const char *path, const pen_observables *observation, const char *line,
                                                int64_t bytes, pen_observed_file **file);
