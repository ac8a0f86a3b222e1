/* input.h - opens a text file, standard input or a compressed file. Local. */
#pragma once

#include "base/scanner.h"

/* Open a file, or standard input for "-"; names in .gz, .xz or .zst are decompressed. A line on a terminal shows the
 * progress. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED if this build cannot decompress it. */
PEN_CHECKED pen_status pen_input_open(const char *path, pen_scanner *in);
