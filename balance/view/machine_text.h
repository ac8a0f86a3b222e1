/* machine_text.h - reads and writes machines as text (machine.h). */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Local. Read a machine from a text in the format of machine.h; `name` is its name in messages, which have the line's
 * number. Errors: those of pen_machine_generate; PEN_ERR_INPUT (bad text, clusters without a path between them, a
 * number of processors that differs from the first line's), PEN_ERR_UNSUPPORTED (more than PEN_MOST_CLUSTERS clusters
 * and switches). */
PEN_CHECKED pen_status pen_machine_parse(const char *name, const char *text, int parts, pen_machine **machine);

/* Local. Write a machine as text that reads as an equal machine, unless a link costs more than a path through other
 * processors: it reads as that path. PEN_ERR_UNSUPPORTED (more than PEN_MOST_CLUSTERS clusters), PEN_ERR_IO. */
PEN_CHECKED pen_status pen_machine_write(const pen_machine *machine, FILE *out);
