/* edge_data.h - records of arcs, as a run begins: from the application's function, and from files. */
#ifndef PEN_EDGE_DATA_H
#define PEN_EDGE_DATA_H

#include "run/state.h"

typedef struct pen_edge_source {
    int field; /* of the application's edge fields */
    char *path;
} pen_edge_source;

typedef struct pen_edge_sources {
    int count;
    pen_edge_source *of; /* [count] */
    char *text;          /* what the paths point into */
} pen_edge_sources;

/* Local. What "FIELD:FILE,FIELD:FILE" names; each file can be opened. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_edge_sources_create(const pen_app *app, const char *text, pen_edge_sources **sources);
void pen_edge_sources_destroy(pen_edge_sources **sources);

/* What a line says. */
typedef struct pen_edge_line {
    bool blank; /* nothing: it is empty or a comment */
    pen_gid from, to;
} pen_edge_line;

/* Local. Read a line, without its newline. record[field->size] is zero, and gets the arc's. NULL, or what is wrong. */
const char *pen_edge_line_read(const pen_edge_field *field, const char *text, pen_edge_line *line, void *record);

/* Collective. The first records of all arcs, when the nodes have theirs. On failure, the same on all ranks, the run is
 * of no use. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_edge_data_begin(pen_run *run);

/* Tests change this: bytes of text that a rank reads before what it has found goes to the owners. */
extern int64_t pen_edge_data_piece;

#endif
