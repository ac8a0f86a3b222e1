/* state.h - the state of a run in a checkpoint (file.h describes the file).
 *
 * `About` is coded by coder.h. It begins with what a reader needs before it has a run: pen_checkpoint_state in the
 * order of its members (pen_checkpoint_code_state), among them the names of the columns that the parts of the run keep.
 * The state of the run follows: how the graph has changed, and the data of the parts (pen_parts_code).
 *
 * A chunk of nodes, ascending by gid if the rank stores them so, consists of columns. Each is padded with zeroes to
 * whole words:
 *
 *     gids           a word a node
 *     degrees        a word a node
 *     weights        a word a node, if nodes have weights
 *     coordinates    reals, node by node
 *     neighbours     a word an arc, gids, ascending within a node's
 *     edge weights   a word an arc, if edges have weights
 *     parts' columns the values of each column that `about` names, column by column
 *     fields         the current records of each field that is kept, field by field
 *     edge fields    the records of the arcs of each edge field, likewise
 *
 * Lists of the parts for a rank's nodes (run/part.h) are a chunk of their own, if there are any. It consists of words:
 * for each part that has lists, the bytes of its name, the name, padded with zeroes, and the number of the words of its
 * lists; for each node with a list, gid, number of words, and these words.
 *
 * The remaining state of a rank is a chunk of its own, data of the parts (pen_parts_code). It is used only by a run
 * with as many ranks. */
#pragma once

#include "base/coder.h"
#include "checkpoint/location.h"
#include "run/parts.h"

enum { PEN_MOST_COLUMNS = 32, PEN_MOST_RECORDS = PEN_MOST_COLUMNS + PEN_MOST_FIELDS };

typedef struct pen_checkpoint_state {
    char *version;     /* of the library that wrote it */
    char *application; /* the application's name */
    char *shape;       /* a line for each field, edge field, observable and phase of the application */
    char *settings;    /* "name=value" a line: options of the application and of parts that change results */
    char *contents;    /* of files from which results come (resume.h); NULL: of a rank other than 0 */
    char *graph;       /* "name=value" a line: the options that describe the graph; NULL: there was no command line */
    char *graph_origin, *partitioner; /* NULL: not known */
    char *own;                        /* the application's own data, written by its .save; NULL: none */
    pen_world world;                  /* except ranks */
    int64_t first_edges, nodes, edges, step;
    int phase;
    bool directed, weights, edge_weights; /* the graph is directed, its nodes have weights, its edges have weights */
    int dimensions;
    uint64_t graph_sum;             /* of all ranks */
    bool begun, owed, put, changed; /* the first step has begun; outputs of this state are not written; data were put
                                     * from outside; the graph has changed */
    uint64_t fields;                /* bits of the fields that are kept */
    int field_count, edge_field_count;
    int64_t sizes[PEN_MOST_FIELDS], edge_sizes[PEN_MOST_FIELDS];
    int column_count;
    char *columns[PEN_MOST_COLUMNS];        /* [column_count] names of the parts' columns (run/part.h), */
    int64_t column_bytes[PEN_MOST_COLUMNS]; /* and their bytes of a node */
} pen_checkpoint_state;

/* Local. The records of a node: of the parts' columns, then of the fields. The bytes of the r-th; 0: a field that is
 * not kept. */
static inline int pen_checkpoint_records(const pen_checkpoint_state *s) { return s->column_count + s->field_count; }
static inline int64_t pen_checkpoint_record_bytes(const pen_checkpoint_state *s, int r)
{
    const int f = r - s->column_count;
    if (f < 0) return s->column_bytes[r];
    return s->fields >> f & 1 ? s->sizes[f] : 0;
}

/* Local. When reading: PEN_ERR_MEMORY; impossible values set the scan's `wrong`. Call pen_checkpoint_state_free also
 * after a failure. */
PEN_CHECKED pen_status pen_checkpoint_code_state(pen_coder *coder, pen_checkpoint_state *saved);
void pen_checkpoint_state_free(pen_checkpoint_state *saved);

/* Local. The second part of `about`, equal on all ranks. PEN_ERR_MEMORY, and errors of the parts. */
PEN_CHECKED pen_status pen_checkpoint_code_run(pen_coder *coder, pen_run *run);

/* Local. Describe an application after .setup: pen_checkpoint_state.shape, and .settings, which end with `more`, or
 * NULL. The caller frees them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_shape(const pen_app *app, char **shape);
PEN_CHECKED pen_status pen_checkpoint_settings(const pen_app *app, const char *more, char **settings);

/* Local. Note the options of the run's parts that are compared: run->origin.compared. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_note_options(pen_run *run, const pen_run_options *options);

/* Local. Lines "name=value" of a table of options, except those in `but`, "a,b"; then `more`, or NULL. A value of
 * several lines is one, with "\n" between them. The caller frees *text. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_list_options(const pen_option *table, const char *but, const char *more,
                                                   char **text);

/* Local. Whether a name is among "a,b"; NULL: it is not. */
bool pen_checkpoint_is_among(const char *name, const char *list);

/* The columns of a chunk. */
enum {
    PEN_CHECKPOINT_GIDS,
    PEN_CHECKPOINT_DEGREES,
    PEN_CHECKPOINT_WEIGHTS,
    PEN_CHECKPOINT_COORDINATES,
    PEN_CHECKPOINT_NEIGHBORS,
    PEN_CHECKPOINT_EDGE_WEIGHTS,
    PEN_CHECKPOINT_RECORDS,
    PEN_CHECKPOINT_EDGE_FIELDS = PEN_CHECKPOINT_RECORDS + PEN_MOST_RECORDS,
    PEN_CHECKPOINT_COUNT = PEN_CHECKPOINT_EDGE_FIELDS + PEN_MOST_FIELDS
};

/* Local. begins[PEN_CHECKPOINT_COUNT] becomes where the columns of a chunk begin. Returns their total bytes. The
 * counts must not exceed what pen_checkpoint_fits allows. */
int64_t pen_checkpoint_columns(const pen_checkpoint_state *saved, int64_t nodes, int64_t arcs, int64_t *begins);

/* Local. Whether a chunk has as many bytes as its nodes and arcs need. */
bool pen_checkpoint_fits(const pen_checkpoint_state *saved, const pen_chunk *chunk);

/* Collective, between steps. Write the run, as it is, as the generation of its step (location.h). *bytes is
 * its size. Errors: PEN_ERR_IO; PEN_ERR_UNSUPPORTED (the graph has no nodes left); PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpoint_write_run(pen_run *run, const pen_location *place, int64_t *bytes);
