/* contents.h - what was in the files from which results come, so that a resumed run notices other contents: those of
 * --input and of the application's own options. Local, on rank 0. */
#pragma once

#include "run/reads.h"

/* A line "option=sum" for each of these options that names files: a hash of their contents, whatever their names. Files
 * that cannot be read are left out, as are options in pen_app.checkpoint.indifferent. The caller frees *text.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_contents_list(const pen_reads *reads, const pen_app *app, char **text);
