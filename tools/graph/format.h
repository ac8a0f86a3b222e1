/* format.h - the table of file formats. All Local.
 *
 * A format is one file (or two) and one line in the table in format.c. */
#ifndef PEN_FORMAT_H
#define PEN_FORMAT_H

#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"
#include "tools/graph/findings.h"
#include "tools/graph/input.h"

/* What a graph may have that not every format can hold. */
enum {
    HOLDS_NODE_WEIGHT = 1 << 0,  /* one per node */
    HOLDS_NODE_WEIGHTS = 1 << 1, /* several per node; only beside HOLDS_NODE_WEIGHT */
    HOLDS_SIZES = 1 << 2,
    HOLDS_EDGE_WEIGHTS = 1 << 3,
    HOLDS_LABELS = 1 << 4,
    HOLDS_DIRECTED = 1 << 5,
    HOLDS_ISOLATED = 1 << 6, /* nodes without any arc; without it they are lost, and labels keep the rest */
    HOLDS_LOOPS = 1 << 7,
    HOLDS_DUPLICATES = 1 << 8,
    HOLDS_COORDINATES = 1 << 9,
    HOLDS_ZERO_NODE_WEIGHTS = 1 << 10, /* node weights of 0 */
    HOLDS_ANY_EDGE_WEIGHTS = 1 << 11,  /* edge weights below 1 */
    HOLDS_NEGATIVE_NODE_WEIGHTS = 1 << 12,
    HOLDS_NO_NODES = 1 << 13, /* the empty graph */
    HOLDS_NO_EDGES = 1 << 14,
    HOLDS_ORDER = 1 << 15,                /* of the neighbours, where that is not the ascending one */
    HOLDS_GRID = 1 << 16,                 /* width and height */
    HOLDS_TOLD = HOLDS_ORDER | HOLDS_GRID /* what may be lost without being told to: no edge depends on it */
};

/* How to read and to write; formats ignore what does not concern them. Zero (NULL) is the default. */
typedef struct format_options {
    bool directed;   /* the arcs of the file are arcs: no reverse is expected or added */
    bool nodal;      /* of a mesh: the nodal graph, not the dual */
    int64_t common;  /* of a mesh's dual: nodes that two elements must share; 0: 1, as METIS has it */
    bool values;     /* take the values of a matrix as edge weights (integers only) */
    const char *map; /* where `convert` writes the id map, NULL: nowhere */
} format_options;

typedef struct graph_format {
    const char *name;    /* "metis" */
    const char *endings; /* ".graph .metis", most usual first; "" where there is none */
    const char *summary; /* one line */
    unsigned holds;      /* HOLDS_... */
    bool places;         /* the reader calls pen_findings_place */

    /* Read the whole input into *g, which is zero but for its base of 1. What is wrong goes to `f`, and reading goes
     * on. PEN_ERR_INPUT: nothing sensible can follow (no header), and a finding says why; then, and after
     * PEN_ERR_MEMORY, the caller still frees *g. Memory is in proportion to the input, not to what it announces. NULL:
     * cannot be read. */
    pen_status (*read)(input *in, const format_options *options, file_graph *g, findings *f);

    /* Write *g, which has nothing that the format does not hold (or loses it: arrays that it does not hold are
     * ignored). With HOLDS_ORDER, neighbour order is kept. Failures of `out` need no check. NULL: cannot be written. */
    pen_status (*write)(const file_graph *g, const format_options *options, writer *out);

    /* For formats in which one file is not a stream of bytes read once (Penumbra binary): by path, and `read`,
     * `write` are NULL. */
    pen_status (*read_path)(const char *path, const format_options *options, file_graph *g, findings *f);
    pen_status (*write_path)(const file_graph *g, const format_options *options, const char *path);
} graph_format;

extern const graph_format *const pen_graph_formats[];
extern const int pen_graph_format_count;

/* The formats of the table. */
extern const graph_format pen_format_metis, pen_format_chaco, pen_format_dimacs10; /* format_chaco.c */
extern const graph_format pen_format_scotch, pen_format_matrix_market, pen_format_dimacs9, pen_format_snap,
    pen_format_mesh, pen_format_penumbra;

/* The format called `name`, or where that is NULL the one by the path's ending. PEN_ERR_INPUT with what is known. */
PEN_CHECKED pen_status pen_format_find(const char *name, const char *path, const graph_format **format);

/* Print the table: names, endings, summaries. */
void pen_format_list(FILE *out);

/* Read a graph: open, read, look for what only the graph shows (pen_file_graph_examine), place it, close. *g is the
 * caller's to free whatever the status. PEN_OK with findings of severity error: *g is the nearest repair of the
 * text, in which loops, duplicates and missing reverses are still to be mended (pen_file_graph_repair). */
PEN_CHECKED pen_status pen_format_read(const graph_format *format, const char *path, const format_options *options,
                                       file_graph *g, findings *f);
PEN_CHECKED pen_status pen_format_write(const graph_format *format, const file_graph *g, const format_options *options,
                                        const char *path);

/* Coordinates beside a graph (coordinates.c): `kind` "chaco" (also .xyz without a header), "scotch", "dimacs" (.co, two
 * dimensions) or "matrix" (a dense Matrix Market file); NULL by content. The graph's labels are the Scotch file's;
 * without labels its numbers from the smallest one on. Findings of severity error leave coordinates of 0. PEN_ERR_INPUT
 * where nothing sensible could be read, PEN_ERR_MEMORY; pen_coordinates_check: PEN_ERR_INPUT for any other kind; on
 * writing, PEN_ERR_UNSUPPORTED where the kind does not hold so many dimensions. */
PEN_CHECKED pen_status pen_coordinates_check(const char *kind);
PEN_CHECKED pen_status pen_coordinates_read(input *in, const char *kind, file_graph *g, findings *f);
PEN_CHECKED pen_status pen_coordinates_write(const file_graph *g, const char *kind, writer *out);

#endif
