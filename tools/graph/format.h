/* format.h - what a file format is. A format is one file (or two), and one line in the table (formats.c). */
#pragma once

#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"
#include "tools/graph/findings.h"
#include "tools/graph/input.h"

/* How to read; a format ignores options of others. Zero (NULL) is the default. */
typedef struct format_options {
    bool directed;             /* entries of the file are arcs: no reverse is expected or added */
    bool nodal;                /* of a mesh: the nodal graph, not the dual */
    int64_t common;            /* of a mesh's dual: nodes that two elements must share; 0: 1, as in METIS */
    bool values;               /* take the values of a matrix as edge weights (integers only) */
    const char *map;           /* where `convert` writes the id map, NULL: nowhere */
    weight_rule weights;       /* of edges that the file has more than once */
    bool reals;                /* fill in the graph's `values`, if the file has weights */
    const char *weight_column; /* of CSV, "": none; NULL: guess */
} format_options;

typedef struct graph_format {
    const char *name;    /* "metis" */
    const char *endings; /* ".graph .metis", most usual first; "" where there is none */
    const char *summary; /* one line */
    unsigned holds;      /* HOLDS_... */
    bool places;         /* the reader calls pen_findings_place */

    /* Read the whole input into *g, which is zero except for its base of 1. Errors are added to `f`, and reading
     * continues; PEN_ERR_INPUT with a finding if it cannot. The caller frees *g whatever the status. Memory is in
     * proportion to the input, not to the numbers in its header. NULL: the format cannot be read. */
    pen_status (*read)(input *in, const format_options *options, file_graph *g, findings *f);

    /* Write *g; arrays that the format does not hold are ignored. With HOLDS_ORDER, neighbour order is kept. Failures
     * of `out` need no check. NULL: the format cannot be written. */
    pen_status (*write)(const file_graph *g, writer *out);

    /* For a format whose files are not read as a stream (Penumbra binary), instead of `read` and `write`. */
    pen_status (*read_path)(const char *path, const format_options *options, file_graph *g, findings *f);
    pen_status (*write_path)(const file_graph *g, const char *path);
} graph_format;
