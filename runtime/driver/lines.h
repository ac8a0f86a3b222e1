/* lines.h - the nodes' texts: a line "gid text" per node, ascending by gid; the text is that of .print, otherwise the
 * values of the members. The dump consists of these lines, --verify compares them, and the checksum is their sum if
 * fields are not plain. */
#pragma once

#include "run/state.h"

/* Lines ascend by gid within a rank and from rank to rank, independent of the nodes' owners. */
typedef struct pen_lines {
    char *text; /* [size] text of the lines, each with its newline */
    int64_t size;
} pen_lines;

/* Collective. Get the lines of all nodes, spread over the ranks by gid. Needs pen_has_lines. */
PEN_CHECKED pen_status pen_lines_collect(pen_run *run, pen_lines *lines);

/* Local. Append the line of one node to the stream. */
void pen_line_print(const pen_app *app, const pen_view *view, FILE *out);

void pen_lines_free(pen_lines *lines);

/* Local. Whether the application's nodes have texts, and whether it has data for pen_run_checksum. */
bool pen_has_lines(const pen_app *app);
bool pen_has_checksum(const pen_app *app);
