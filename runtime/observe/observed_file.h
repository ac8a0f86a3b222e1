/* observed_file.h - the observables as CSV (RFC 4180, lines end in a newline alone): "step" and the names, then a line
 * a step, which is in the file, whole, as soon as it was added: a run that is killed leaves all its lines. */
#pragma once

#include "observe/observation.h"

typedef struct pen_observed_file pen_observed_file;

/* Local. Create the file, in place of one that is there, with its first line. PEN_ERR_IO, also where there is
 * something else than a regular file; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observed_file_open(const char *path, const pen_observables *observation,
                                              pen_observed_file **file);

/* Local. Nulls *file; NULL and a null handle are legal. */
void pen_observed_file_close(pen_observed_file **file);

/* Local. Add the values after `step` steps. PEN_ERR_IO: the file keeps its whole lines, and this call and every
 * further one says what was wrong. */
PEN_CHECKED pen_status pen_observed_file_add(pen_observed_file *file, int64_t step, const pen_observables *observation);

/* Local. The last line of the file, and how long the file is. *line is the caller's to free. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observed_file_end(const pen_observed_file *file, char **line, int64_t *bytes);

/* Local. As opening, but go on with a file behind its first `bytes` bytes, which end in `line`: lines behind them go.
 * A file that is not there is begun anew. PEN_ERR_INPUT: it is another one. */
PEN_CHECKED pen_status pen_observed_file_resume(const char *path, const pen_observables *observation, const char *line,
                                                int64_t bytes, pen_observed_file **file);
