/* lines.h - the nodes' texts, "gid text" a line, ascending gid: what the dump is made of, what
 * --verify compares, and, where fields are not plain, what the checksum is a sum over. */
#pragma once

#include "run/state.h"

/* Ascending gid within a rank and from rank to rank, independent of the nodes' owners. */
typedef struct pen_lines {
    char *text; /* [size] lines, each with its newline */
    int64_t size;
} pen_lines;

/* Collective. The lines of all nodes, spread over the ranks by gid. Needs app->print. */
PEN_CHECKED pen_status pen_lines_collect(pen_run *run, pen_lines *lines);

/* Local. One node's line, appended to the stream. */
void pen_line_print(const pen_app *app, const pen_view *view, FILE *out);

void pen_lines_free(pen_lines *lines);

/* Local. Whether pen_run_checksum has something to add up. */
bool pen_has_checksum(const pen_app *app);
