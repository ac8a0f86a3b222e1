/* naming.h - what files of results are called: a path whose ending says the kind, with places for the step and the
 * name of a member (penumbra_output.h). All Local. */
#pragma once

#include "base/status.h"

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
